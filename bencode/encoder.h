// Writes bencoding (BEP 3) into memory of the caller's, without a tree and without
// allocation. For replies that are written once, where they are sent from. To read, see
// bencode/decoder.h.

#ifndef SEPTET_BENCODE_ENCODER_H_
#define SEPTET_BENCODE_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace septet::bencode {

// Appends values one after the other. What does not fit is left out whole: from then on
// overflowed() is true and nothing more is added, so that a writer checks once, at the end.
// Of the caller's memory, the first size() bytes are the result; the bytes after them may
// have been written to, those outside never.
//
// The caller keeps the grammar: each value of a dictionary after its key, keys distinct and
// in the order of their bytes, each Begin with its End. To check it would take a stack of
// keys, for what is fixed when the caller is written; a test that passes the result through
// the strict Decoder finds every such fault.
//
// The memory must outlive the encoder. Not thread-safe. An entry of a dictionary takes a
// few nanoseconds and the copy of its bytes.
//
//   char bytes[64];
//   Encoder encoder(absl::MakeSpan(bytes));
//   encoder.BeginDictionary();
//   encoder.Key("interval");
//   encoder.Unsigned(1800);
//   encoder.End();                 // d8:intervali1800ee
class Encoder {
 public:
  explicit Encoder(absl::Span<char> out)
      : begin_(out.data()), at_(begin_), end_(begin_ + out.size()) {}

  void BeginDictionary() { Byte('d'); }
  void BeginList() { Byte('l'); }
  void End() { Byte('e'); }

  void Key(absl::string_view key) { String(key); }

  void String(absl::string_view value) {
    char* const space = StringSpace(value.size());
    if (space != nullptr && !value.empty()) std::memcpy(space, value.data(), value.size());
  }

  void Integer(int64_t value);

  // Over 2^63 - 1 the result is beyond what the strict Decoder takes.
  void Unsigned(uint64_t value);

  // Begins a string of `size` bytes whose content the caller writes to the returned
  // place; null, with nothing added, if it does not fit.
  char* StringSpace(size_t size) {
    // Inline for the keys and compact peers of a reply: where the size is a constant, one
    // comparison is left.
    if (size >= 100) return LongStringSpace(size);
    const size_t digits = size >= 10 ? 2 : 1;
    if (!Fits(digits + 1 + size)) return nullptr;
    if (digits == 2) *at_++ = static_cast<char>('0' + size / 10);
    *at_++ = static_cast<char>('0' + size % 10);
    *at_++ = ':';
    at_ += size;
    return at_ - size;
  }

  // Appends bytes that are bencoded already, such as what Decoder::SkipValue gave.
  void Raw(absl::string_view bytes);

  bool overflowed() const { return overflowed_; }
  size_t size() const { return static_cast<size_t>(at_ - begin_); }

 private:
  char* LongStringSpace(size_t size);
  template <typename Number>
  void Decimal(Number value);

  bool Fits(size_t bytes) {
    if (static_cast<size_t>(end_ - at_) >= bytes) return true;
    Overflow();
    return false;
  }
  void Overflow() {
    overflowed_ = true;
    // No room: so the next Fits() fails without a look at overflowed_.
    end_ = at_;
  }
  void Byte(char byte) {
    if (Fits(1)) *at_++ = byte;
  }

  char* const begin_;
  char* at_;
  char* end_;
  bool overflowed_ = false;
};

}  // namespace septet::bencode

#endif  // SEPTET_BENCODE_ENCODER_H_
