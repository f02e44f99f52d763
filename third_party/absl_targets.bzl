"""Which Debian module (a pkg-config name) stands behind each Abseil label.

The labels are upstream's: //absl/strings:strings and so on. Add a line here
when the code starts to use one more.
"""

ABSL_TARGETS = {
    "absl/algorithm": {"container": "absl_algorithm_container"},
    "absl/base": {"base": "absl_base", "core_headers": "absl_core_headers", "endian": "absl_endian"},
    "absl/cleanup": {"cleanup": "absl_cleanup"},
    "absl/container": {
        "fixed_array": "absl_fixed_array",
        "flat_hash_map": "absl_flat_hash_map",
        "flat_hash_set": "absl_flat_hash_set",
        "inlined_vector": "absl_inlined_vector",
    },
    "absl/debugging": {
        "failure_signal_handler": "absl_failure_signal_handler",
        "symbolize": "absl_symbolize",
    },
    "absl/flags": {
        "commandlineflag": "absl_flags_commandlineflag",
        "config": "absl_flags_config",
        "flag": "absl_flags",
        "marshalling": "absl_flags_marshalling",
        "parse": "absl_flags_parse",
        "reflection": "absl_flags_reflection",
        "usage": "absl_flags_usage",
    },
    "absl/functional": {"any_invocable": "absl_any_invocable", "function_ref": "absl_function_ref"},
    "absl/hash": {"hash": "absl_hash"},
    "absl/memory": {"memory": "absl_memory"},
    "absl/numeric": {"bits": "absl_bits", "int128": "absl_int128"},
    "absl/random": {"random": "absl_random_random"},
    "absl/status": {"status": "absl_status", "statusor": "absl_statusor"},
    "absl/strings": {"str_format": "absl_str_format", "strings": "absl_strings"},
    "absl/synchronization": {"synchronization": "absl_synchronization"},
    "absl/time": {"time": "absl_time"},
    "absl/types": {"optional": "absl_optional", "span": "absl_span", "variant": "absl_variant"},
}
