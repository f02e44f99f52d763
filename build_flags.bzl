"""Compiler flags for our own code (not for outside libraries)."""

COPTS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wconversion",
    "-Wno-sign-conversion",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wimplicit-fallthrough",
    "-Werror",
]
