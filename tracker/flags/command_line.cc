#include "tracker/flags/command_line.h"

#include <errno.h>
#include <string.h>

#include <fstream>
#include <utility>
#include <vector>

#include "absl/flags/commandlineflag.h"
#include "absl/flags/reflection.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"

namespace septet::tracker {
namespace {

constexpr absl::string_view kFlagFile = "flagfile";

// A flag file may name others; one that names itself must come to an end.
constexpr int kFlagFileDepthMax = 8;

class Parser {
 public:
  explicit Parser(AllowedText allowed) : allowed_(allowed) {}

  absl::Status ParseArguments(absl::Span<const std::string> arguments);
  GivenFlags TakeGiven() { return std::move(given_); }

 private:
  struct Argument {
    absl::string_view name;
    absl::optional<absl::string_view> value;
  };

  absl::Status ParseOne(const Argument& argument, absl::optional<absl::string_view> next,
                        bool* uses_next);
  absl::Status Set(absl::CommandLineFlag* flag, absl::string_view value);
  absl::Status ParseFile(const std::string& path);
  absl::Status ParseLines(std::ifstream& file, const std::string& path);

  const AllowedText allowed_;
  GivenFlags given_;
  int file_depth_ = 0;
};

// The argument without its dashes; none: it is no flag.
absl::optional<absl::string_view> WithoutDashes(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "-")) return absl::nullopt;
  absl::ConsumePrefix(&text, "-");
  if (text.empty()) return absl::nullopt;
  return text;
}

absl::Status Parser::ParseArguments(absl::Span<const std::string> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const absl::optional<absl::string_view> text = WithoutDashes(arguments[i]);
    if (!text.has_value()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", arguments[i], "' is not a flag; allowed: flags such as --name=value, see --help"));
    }
    Argument argument = {*text, absl::nullopt};
    const size_t equals = text->find('=');
    if (equals != absl::string_view::npos) {
      argument = {text->substr(0, equals), text->substr(equals + 1)};
    }
    absl::optional<absl::string_view> next;
    if (i + 1 < arguments.size()) next = arguments[i + 1];
    bool uses_next = false;
    const absl::Status status = ParseOne(argument, next, &uses_next);
    if (!status.ok()) return status;
    if (uses_next) ++i;
  }
  return absl::OkStatus();
}

absl::Status Parser::ParseOne(const Argument& argument, absl::optional<absl::string_view> next,
                              bool* uses_next) {
  absl::CommandLineFlag* flag = absl::FindCommandLineFlag(argument.name);
  absl::string_view value_if_none = "true";
  absl::string_view name = argument.name;
  if (flag == nullptr && !argument.value.has_value() && absl::ConsumePrefix(&name, "no")) {
    flag = absl::FindCommandLineFlag(name);
    value_if_none = "false";
    if (flag != nullptr && !flag->IsOfType<bool>()) flag = nullptr;
  }
  if (flag == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", argument.name, ": there is no such flag; --help lists all"));
  }
  if (argument.value.has_value()) return Set(flag, *argument.value);
  if (flag->IsOfType<bool>()) return Set(flag, value_if_none);
  if (!next.has_value()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--", argument.name, ": the value is missing; allowed: ", allowed_(argument.name)));
  }
  *uses_next = true;
  return Set(flag, *next);
}

absl::Status Parser::Set(absl::CommandLineFlag* flag, absl::string_view value) {
  const absl::string_view name = flag->Name();
  std::string error;
  if (!flag->ParseFrom(value, &error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--", name, "=", value, ": allowed: ", allowed_(name)));
  }
  given_.insert(std::string(name));
  return name == kFlagFile ? ParseFile(std::string(value)) : absl::OkStatus();
}

absl::Status Parser::ParseFile(const std::string& path) {
  if (file_depth_ >= kFlagFileDepthMax) {
    return absl::InvalidArgumentError(absl::StrCat("--flagfile=", path,
                                                   ": allowed: ", kFlagFileDepthMax,
                                                   " files, each named by the one before"));
  }
  std::ifstream file(path);
  if (!file) {
    return absl::InvalidArgumentError(
        absl::StrCat("--flagfile=", path, ": cannot be read: ", strerrordesc_np(errno)));
  }
  ++file_depth_;
  absl::Status status = ParseLines(file, path);
  --file_depth_;
  return status;
}

absl::Status Parser::ParseLines(std::ifstream& file, const std::string& path) {
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string text(absl::StripAsciiWhitespace(line));
    if (text.empty() || absl::StartsWith(text, "#")) continue;
    const absl::Status status = ParseArguments(absl::MakeConstSpan(&text, 1));
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(path, ":", number, ": ", status.message()));
    }
  }
  if (file.bad()) {
    return absl::InvalidArgumentError(absl::StrCat("--flagfile=", path, ": cannot be read"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<GivenFlags> ParseCommandLine(absl::Span<const std::string> arguments,
                                            AllowedText allowed) {
  Parser parser(allowed);
  const absl::Status status = parser.ParseArguments(arguments);
  if (!status.ok()) return status;
  return parser.TakeGiven();
}

}  // namespace septet::tracker
