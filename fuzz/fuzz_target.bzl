"""fuzz_target: one libFuzzer target, and an ordinary test over its corpus."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_test")
load("//:build_flags.bzl", "COPTS")

def fuzz_target(name, deps, size = "small"):
    """Declares a fuzzer for NAME.cc, which defines LLVMFuzzerTestOneInput.

    Seeds lie in corpus/NAME/, words of the format in dict/NAME.dict.

    Args:
      name: such as "bencode_fuzz".
      deps: the libraries under test.
      size: the size of the corpus test.

    Makes:
      NAME              the fuzzer: tools/fuzz --seconds=60 NAME, or, on a corpus of one's own,
                        bazel run --config=fuzz //fuzz:NAME -- -max_total_time=60 CORPUS
      NAME_corpus_test  runs every seed, and every seed cut short, without libFuzzer.
    """
    corpus = native.glob(["corpus/%s/**" % name])
    if not corpus:
        fail("fuzz target %s has no seeds in corpus/%s/" % (name, name))

    cc_binary(
        name = name,
        testonly = True,
        srcs = [name + ".cc"],
        copts = COPTS,
        data = corpus + ["dict/%s.dict" % name],
        linkopts = ["-fsanitize=fuzzer"],
        # gcc has no libFuzzer: `bazel build //...` must pass without it.
        tags = ["manual"],
        deps = deps,
    )

    cc_test(
        name = name + "_corpus_test",
        size = size,
        srcs = [name + ".cc"],
        args = ["$(location %s)" % seed for seed in corpus],
        copts = COPTS,
        data = corpus,
        tags = ["corpus"],
        deps = deps + [":replay_main"],
    )
