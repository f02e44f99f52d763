#include "tracker/server/state_file.h"

#include <errno.h>
#include <string.h>

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "tracker/snapshot/snapshot.h"

namespace septet::tracker {
namespace {

constexpr mode_t kOwnerOnly = 0600;

// What is written at a time.
constexpr size_t kWriteBytes = 256 * 1024;

// Another for each start of the machine; 36 characters, hex digits and dashes.
constexpr char kBootIdPath[] = "/proc/sys/kernel/random/boot_id";

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

int64_t ReadClockMs(const SystemCalls& calls, clockid_t clock) {
  timespec time = {};
  calls.clock_gettime(clock, &time);
  return int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

// Reads up to the end or `size` bytes; -1: errno says why.
ssize_t ReadFully(const SystemCalls& calls, int fd, uint8_t* bytes, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t count = calls.read(fd, bytes + done, size - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return -1;
    if (count == 0) break;
    done += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(done);
}

bool WriteFully(const SystemCalls& calls, int fd, absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = calls.write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

// All zero where it is not known.
std::array<uint8_t, 16> ReadBootId(const SystemCalls& calls) {
  std::array<uint8_t, 16> id{};
  const FileDescriptor file(calls, calls.open(kBootIdPath, O_RDONLY | O_CLOEXEC, 0));
  if (!file.is_open()) return id;
  uint8_t text[36];
  if (ReadFully(calls, file.get(), text, sizeof(text)) != sizeof(text)) return id;
  const std::string digits = absl::StrReplaceAll(
      absl::string_view(reinterpret_cast<const char*>(text), sizeof(text)), {{"-", ""}});
  const auto is_digit = [](char c) { return absl::ascii_isxdigit(static_cast<unsigned char>(c)); };
  if (digits.size() != 2 * id.size() || !std::all_of(digits.begin(), digits.end(), is_digit)) {
    return id;
  }
  const std::string bytes = absl::HexStringToBytes(digits);
  std::copy(bytes.begin(), bytes.end(), id.begin());
  return id;
}

// Faults that another start may not meet; all others are the operator's to mend.
bool IsPassing(int error) {
  constexpr int kPassing[] = {EIO, ENOMEM, EMFILE, ENFILE, EINTR, EAGAIN, ENOSPC, EDQUOT, ESTALE};
  return std::find(std::begin(kPassing), std::end(kPassing), error) != std::end(kPassing);
}

std::string Summary(const SwarmStore& store, const std::string& path,
                    const SnapshotReader& reader) {
  const ImportResult& result = reader.result();
  std::string text =
      absl::StrCat("restored ", store.Usage().torrents, " torrents and ", result.peers,
                   " peers from ", path, ", saved ", reader.elapsed_ms() / 1000, " s ago");
  if (result.expired > 0) {
    absl::StrAppend(&text, "; ", result.expired, " peers were over --peer_timeout");
  }
  if (result.not_stored > 0) {
    absl::StrAppend(&text, "; ", result.not_stored, " peers did not fit --max_memory");
  }
  return text;
}

}  // namespace

absl::Status CheckStateFile(const std::string& path) {
  const auto error = [](absl::string_view what, int number) {
    return absl::InvalidArgumentError(absl::StrCat(what, ": ", strerrordesc_np(number)));
  };
  struct stat status;
  if (stat(path.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) return absl::InvalidArgumentError("it is no regular file");
    if (access(path.c_str(), R_OK) != 0) return error("it cannot be read", errno);
  } else if (errno != ENOENT) {
    return error("it cannot be read", errno);
  }
  if (access(FolderOf(path).c_str(), W_OK | X_OK) != 0) {
    return error("its folder cannot be written", errno);
  }
  return absl::OkStatus();
}

StateFile::StateFile(const SystemCalls& calls, const std::string& path)
    : calls_(calls), path_(path), temporary_path_(path + ".tmp"), boot_id_(ReadBootId(calls)) {}

absl::StatusOr<std::unique_ptr<StateFile>> StateFile::Open(const SystemCalls& calls,
                                                           const std::string& path) {
  std::unique_ptr<StateFile> file(new StateFile(calls, path));
  const absl::Status status = file->Lock();
  if (!status.ok()) return status;
  // Of a tracker that was killed; it need not be there.
  calls.unlink(file->temporary_path_.c_str());
  return file;
}

absl::Status StateFile::Lock() {
  const std::string lock_path = path_ + ".lock";
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW;
  lock_ = FileDescriptor(calls_, calls_.open(lock_path.c_str(), kFlags, kOwnerOnly));
  if (!lock_.is_open()) return StartError("its .lock cannot be opened", errno);
  if (calls_.flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
  if (errno != EWOULDBLOCK) return StartError("its .lock cannot be locked", errno);
  return absl::UnavailableError(absl::StrCat("state file ", path_, ": another tracker uses it"));
}

SnapshotTime StateFile::Now() const {
  SnapshotTime time;
  time.wall_ms = ReadClockMs(calls_, CLOCK_REALTIME);
  time.boot_ms = ReadClockMs(calls_, CLOCK_BOOTTIME);
  time.boot_id = boot_id_;
  return time;
}

// The time of the store.
int64_t StateFile::NowMs() const { return ReadClockMs(calls_, CLOCK_MONOTONIC); }

absl::Status StateFile::StartError(absl::string_view what, int error) const {
  const std::string message =
      absl::StrCat("state file ", path_, ": ", what, ": ", strerrordesc_np(error));
  return IsPassing(error) ? absl::UnavailableError(message) : absl::InvalidArgumentError(message);
}

absl::Status StateFile::SaveError(absl::string_view call, int error) const {
  return absl::UnavailableError(absl::StrCat("state file ", path_,
                                             " is not replaced, the last one stays: ", call, ": ",
                                             strerrordesc_np(error)));
}

absl::StatusOr<std::string> StateFile::Load(SwarmStore* store) {
  // A pipe must not hold up the start.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;
  const FileDescriptor file(calls_, calls_.open(path_.c_str(), kFlags, 0));
  if (!file.is_open()) {
    if (errno == ENOENT) return std::string();
    return StartError("it cannot be read", errno);
  }
  struct stat status;
  if (calls_.fstat(file.get(), &status) != 0) return StartError("it cannot be read", errno);
  if (!S_ISREG(status.st_mode)) {
    return absl::InvalidArgumentError(
        absl::StrCat("state file ", path_, ": it is no regular file"));
  }
  std::string summary;
  const absl::Status read = ReadAll(file.get(), store, &summary);
  if (!read.ok()) return read;
  return summary;
}

absl::Status StateFile::ReadAll(int fd, SwarmStore* store, std::string* summary) const {
  SnapshotReader reader(store, Now(), NowMs());
  std::vector<uint8_t> piece(SnapshotDecoder::kPieceBytesMax);
  absl::Status status;
  while (status.ok() && reader.wanted() > 0) {
    const size_t wanted = reader.wanted();
    const ssize_t size = ReadFully(calls_, fd, piece.data(), wanted);
    if (size < 0) return StartError("it cannot be read", errno);
    const auto bytes = static_cast<size_t>(size);
    status = bytes < wanted ? reader.EndsTooEarly(bytes)
                            : reader.Take(absl::MakeSpan(piece).subspan(0, wanted));
  }
  if (status.ok()) {
    const ssize_t more = ReadFully(calls_, fd, piece.data(), 1);
    if (more < 0) return StartError("it cannot be read", errno);
    if (more > 0) status = reader.EndsTooLate();
  }
  if (!status.ok()) {
    return absl::DataLossError(absl::StrCat("state file ", path_, ": ", status.message()));
  }
  *summary = Summary(*store, path_, reader);
  return absl::OkStatus();
}

absl::StatusOr<std::string> StateFile::SetAside() {
  const absl::Time now = absl::FromUnixMillis(ReadClockMs(calls_, CLOCK_REALTIME));
  const std::string aside = absl::StrCat(
      path_, ".damaged-", absl::FormatTime("%Y%m%dT%H%M%E3SZ", now, absl::UTCTimeZone()));
  if (calls_.rename(path_.c_str(), aside.c_str()) != 0) {
    return StartError("it is damaged, and cannot be renamed", errno);
  }
  return aside;
}

absl::Status StateFile::WriteAll(int fd, SwarmStore* store,
                                 const std::atomic<bool>* is_cancelled) const {
  SnapshotWriter writer(store, Now(), NowMs());
  std::string bytes;
  bytes.reserve(2 * kWriteBytes);
  for (bool is_more = true; is_more;) {
    if (is_cancelled != nullptr && is_cancelled->load(std::memory_order_relaxed)) {
      return absl::CancelledError();
    }
    is_more = writer.Step(NowMs(), &bytes);
    if (is_more && bytes.size() < kWriteBytes) continue;
    if (!WriteFully(calls_, fd, bytes)) return SaveError("write", errno);
    bytes.clear();
  }
  return absl::OkStatus();
}

absl::Status StateFile::WriteTemporary(SwarmStore* store,
                                       const std::atomic<bool>* is_cancelled) const {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW;
  const FileDescriptor file(calls_, calls_.open(temporary_path_.c_str(), kFlags, kOwnerOnly));
  if (!file.is_open()) return SaveError("open", errno);
  const absl::Status status = WriteAll(file.get(), store, is_cancelled);
  if (!status.ok()) return status;
  // Before the name: a name that is on the disk before its bytes are would be an empty state.
  return calls_.fsync(file.get()) == 0 ? absl::OkStatus() : SaveError("fsync", errno);
}

absl::Status StateFile::SyncFolder() const {
  const std::string folder = FolderOf(path_);
  const FileDescriptor file(calls_,
                            calls_.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (file.is_open() && calls_.fsync(file.get()) == 0) return absl::OkStatus();
  const int error = errno;
  return absl::UnavailableError(absl::StrCat("state file ", path_,
                                             " is saved, but might be the last one again if power "
                                             "fails: its folder: ",
                                             strerrordesc_np(error)));
}

absl::Status StateFile::Save(SwarmStore* store, const std::atomic<bool>* is_cancelled) {
  absl::Status status = WriteTemporary(store, is_cancelled);
  if (status.ok() && calls_.rename(temporary_path_.c_str(), path_.c_str()) != 0) {
    status = SaveError("rename", errno);
  }
  if (!status.ok()) {
    calls_.unlink(temporary_path_.c_str());
    return status;
  }
  return SyncFolder();
}

}  // namespace septet::tracker
