#ifndef SEPTET_TRACKER_VERSION_H_
#define SEPTET_TRACKER_VERSION_H_

namespace septet::tracker {

// Of the program, by semver.org.
inline constexpr char kVersion[] = "0.1.0";

}  // namespace septet::tracker

#endif  // SEPTET_TRACKER_VERSION_H_
