// Sets Abseil flags from the arguments of a program and from flag files.
//
// It stands in for absl::ParseCommandLine, which ends the process by itself with
// status 1, does not say what a flag allows, and does not tell which flags were given.

#ifndef SEPTET_TRACKER_FLAGS_COMMAND_LINE_H_
#define SEPTET_TRACKER_FLAGS_COMMAND_LINE_H_

#include <string>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace septet::tracker {

// The names of the flags that were given.
using GivenFlags = absl::flat_hash_set<std::string>;

// What a flag of that name allows, for error messages; empty: nothing to say.
using AllowedText = absl::FunctionRef<std::string(absl::string_view name)>;

// Takes --name=value, --name value, and for flags of type bool --name and --noname;
// one dash does as well. --flagfile=FILE reads one flag a line from a file, in its
// place; empty lines and those that begin with '#' are skipped. Of a flag given twice
// the last one counts. `arguments` are without the name of the program.
//
// Errors (InvalidArgument) name the flag, the value and what is allowed, and the line
// of a file. Flags before the error are set.
absl::StatusOr<GivenFlags> ParseCommandLine(absl::Span<const std::string> arguments,
                                            AllowedText allowed);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_FLAGS_COMMAND_LINE_H_
