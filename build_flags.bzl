"""Compiler flags for our own code (not for outside libraries)."""

COPTS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wconversion",
    "-Wno-sign-conversion",
    # Members that a designated initializer leaves out have their defaults.
    "-Wno-missing-field-initializers",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wimplicit-fallthrough",
    "-Werror",
]
