// Bencoding (BEP 3) into memory of the caller's, without a tree and without allocation.

#ifndef SEPTET_BENCODE_ENCODER_H_
#define SEPTET_BENCODE_ENCODER_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace septet::bencode {

// Appends values one after the other. What does not fit is not written: from then on
// overflowed() is true and nothing more is written, so a writer checks once, at the end.
//
// The caller keeps the grammar: each value of a dictionary after its key, keys in the
// order of their bytes and distinct, each Begin with its End. Not thread-safe.
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
  void String(absl::string_view value);
  void Integer(int64_t value);
  void Unsigned(uint64_t value);

  // Begins a string of `size` bytes whose content the caller writes to the returned
  // place; null, with nothing written, if it does not fit.
  char* StringSpace(size_t size);

  // Appends bytes that are bencoded already.
  void Raw(absl::string_view bytes);

  bool overflowed() const { return overflowed_; }
  size_t size() const { return static_cast<size_t>(at_ - begin_); }

 private:
  bool Fits(size_t bytes) {
    if (!overflowed_ && static_cast<size_t>(end_ - at_) >= bytes) return true;
    overflowed_ = true;
    return false;
  }
  void Byte(char byte) {
    if (Fits(1)) *at_++ = byte;
  }

  char* const begin_;
  char* at_;
  char* const end_;
  bool overflowed_ = false;
};

}  // namespace septet::bencode

#endif  // SEPTET_BENCODE_ENCODER_H_
