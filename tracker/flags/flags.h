// The flags of the tracker, and the options that they stand for.

#ifndef SEPTET_TRACKER_FLAGS_FLAGS_H_
#define SEPTET_TRACKER_FLAGS_FLAGS_H_

#include <string>

#include "absl/flags/declare.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tracker/flags/command_line.h"
#include "tracker/server/server_options.h"

ABSL_DECLARE_FLAG(bool, help);
ABSL_DECLARE_FLAG(bool, version);
ABSL_DECLARE_FLAG(bool, check_config);

namespace septet::tracker {

// What the flag of that name allows; empty: there is no such flag.
std::string AllowedValues(absl::string_view name);

// The text of --help: every flag, with its unit, default and range.
std::string HelpText();

// The options that the flags say, with the files that they name read. Defaults that
// depend on other flags take their place where `given` does not hold the flag. Errors
// (InvalidArgument) name the flag, its value and what is allowed.
absl::StatusOr<ServerOptions> OptionsFromFlags(const GivenFlags& given);

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_FLAGS_FLAGS_H_
