"""External repositories made from Debian 12 packages, under upstream's labels.

Each repository rule below looks at files that a Debian package installed and
writes BUILD files for them. A missing package fails the build with the command
that installs it.
"""

load(":absl_targets.bzl", "ABSL_TARGETS")

_LIB = "/usr/lib/x86_64-linux-gnu"
_INCLUDE = "/usr/include"
_PKG_CONFIG = _LIB + "/pkgconfig"
_HEADER = 'package(default_visibility = ["//visibility:public"])\n\n'

def _require(ctx, path, package):
    if not ctx.path(path).exists:
        fail("%s is missing: run tools/setup, or apt-get install %s" % (path, package))

def _link_headers(ctx, folder, package):
    """Links /usr/include/FOLDER below include/.

    The extra level keeps the headers out of the quote path that Bazel adds for
    the root of each external repository: they are found by -isystem alone, so
    that our warning flags do not apply to them.
    """
    _require(ctx, _INCLUDE + "/" + folder, package)
    ctx.symlink(_INCLUDE + "/" + folder, "include/" + folder)

# --- Bazel's own rules -----------------------------------------------------

def _debian_rules_cc_impl(ctx):
    source = "/usr/share/bazel/rules/cc"
    _require(ctx, source, "bazel-rules-cc")
    result = ctx.execute(["cp", "-R", source + "/.", "."])
    if result.return_code:
        fail("cannot copy %s: %s" % (source, result.stderr))

    # Debian's rules_cc 0.0.4 loads use_cpp_toolchain, which came to
    # @bazel_tools after Debian's Bazel 4.2.3.
    for name in ["cc_flags_supplier.bzl", "compiler_flag.bzl"]:
        path = "cc/private/rules_impl/" + name
        text = ctx.read(path)
        text = text.replace(', "use_cpp_toolchain"', "")
        lines = [line for line in text.split("\n") if "use_cpp_toolchain()" not in line]
        ctx.file(path, "\n".join(lines))

_debian_rules_cc = repository_rule(implementation = _debian_rules_cc_impl, local = True)

def _empty_coverage_tools_impl(ctx):
    ctx.file("WORKSPACE", "")
    ctx.file("tools/BUILD.bazel", "")
    ctx.file("BUILD.bazel", _HEADER + 'filegroup(name = "coverage_report_generator")\n')

# `bazel test` resolves @remote_coverage_tools even when no coverage is asked
# for; upstream would download it.
_empty_coverage_tools = repository_rule(implementation = _empty_coverage_tools_impl)

# --- Abseil ----------------------------------------------------------------

def _pkg_config_requires(ctx, module):
    """The modules that a pkg-config file names in its Requires line."""
    path = "%s/%s.pc" % (_PKG_CONFIG, module)
    _require(ctx, path, "libabsl-dev")
    for line in ctx.read(path).split("\n"):
        if line.startswith("Requires:"):
            words = line[len("Requires:"):].replace(",", " ").split(" ")
            return [word for word in words if word.startswith("absl_")]
    return []

def _absl_module_rule(ctx, module, requires):
    archive = "lib%s.a" % module
    srcs = []
    if ctx.path("%s/%s" % (_LIB, archive)).exists:
        ctx.symlink("%s/%s" % (_LIB, archive), "modules/" + archive)
        srcs = [archive]
    return """cc_library(
    name = "%s",
    srcs = %s,
    linkopts = ["-lpthread"],
    deps = %s,
)

""" % (module, repr(srcs), repr(["//:headers"] + [":" + r for r in requires]))

def _debian_absl_impl(ctx):
    _link_headers(ctx, "absl", "libabsl-dev")
    ctx.file("WORKSPACE", 'workspace(name = "com_google_absl")\n')
    ctx.file("BUILD.bazel", _HEADER + """cc_library(
    name = "headers",
    hdrs = glob(["include/absl/**/*.h", "include/absl/**/*.inc"]),
    includes = ["include"],
)
""")

    # The closure of the modules behind the public targets. Starlark has no
    # while: the bound is far above Debian's number of modules.
    pending = []
    for targets in ABSL_TARGETS.values():
        pending += targets.values()
    requires = {}
    for _ in range(1000):
        if not pending:
            break
        module = pending.pop()
        if module not in requires:
            requires[module] = _pkg_config_requires(ctx, module)
            pending += requires[module]

    rules = [_absl_module_rule(ctx, m, requires[m]) for m in sorted(requires)]
    ctx.file("modules/BUILD.bazel", _HEADER + "".join(rules))
    for package, targets in ABSL_TARGETS.items():
        aliases = [
            'alias(\n    name = "%s",\n    actual = "//modules:%s",\n)\n\n' % (name, targets[name])
            for name in sorted(targets)
        ]
        ctx.file(package + "/BUILD.bazel", _HEADER + "".join(aliases))

_debian_absl = repository_rule(implementation = _debian_absl_impl, local = True)

# --- Other libraries --------------------------------------------------------

def _debian_library_impl(ctx):
    for folder in ctx.attr.headers:
        _link_headers(ctx, folder, ctx.attr.package)
    for archive in ctx.attr.archives:
        _require(ctx, "%s/%s" % (_LIB, archive), ctx.attr.package)
        ctx.symlink("%s/%s" % (_LIB, archive), archive)
    ctx.file("WORKSPACE", 'workspace(name = "%s")\n' % ctx.name)
    ctx.file("BUILD.bazel", _HEADER + ctx.attr.rules)

_debian_library = repository_rule(
    implementation = _debian_library_impl,
    attrs = {
        "archives": attr.string_list(doc = "static or shared libraries in Debian's library folder"),
        "headers": attr.string_list(doc = "folders below /usr/include"),
        "package": attr.string(mandatory = True, doc = "the Debian package that has them"),
        "rules": attr.string(mandatory = True, doc = "the BUILD file"),
    },
    local = True,
)

_GOOGLETEST_RULES = """
cc_library(
    name = "gtest",
    srcs = ["libgmock.a", "libgtest.a"],
    hdrs = glob(["include/**/*.h"]),
    includes = ["include"],
    linkopts = ["-lpthread"],
)

cc_library(
    name = "gtest_main",
    srcs = ["libgmock_main.a"],
    deps = [":gtest"],
)
"""

_BENCHMARK_RULES = """
cc_library(
    name = "benchmark",
    hdrs = glob(["include/**/*.h"]),
    includes = ["include"],
    # Debian ships the library shared only.
    linkopts = ["-lbenchmark", "-lpthread"],
)

cc_library(
    name = "benchmark_main",
    srcs = ["libbenchmark_main.a"],
    deps = [":benchmark"],
)
"""

_OPENSSL_RULES = """
cc_library(
    name = "crypto",
    srcs = ["libcrypto.a"],
    hdrs = glob(["include/**/*.h"]),
    includes = ["include"],
    linkopts = ["-ldl", "-lpthread"],
)
"""

_RAPIDCHECK_RULES = """
cc_library(
    name = "rapidcheck",
    srcs = ["librapidcheck.a"],
    hdrs = glob(["include/**/*.h", "include/**/*.hpp"]),
    includes = ["include"],
)
"""

def debian_repositories():
    """Declares every external repository of the workspace."""
    _debian_rules_cc(name = "rules_cc")
    native.local_repository(name = "rules_java", path = "/usr/share/bazel/rules/java")
    native.local_repository(name = "rules_proto", path = "/usr/share/bazel/rules/proto")
    _empty_coverage_tools(name = "remote_coverage_tools")
    _debian_absl(name = "com_google_absl")
    _debian_library(
        name = "com_google_googletest",
        package = "libgmock-dev",
        headers = ["gtest", "gmock"],
        archives = ["libgtest.a", "libgmock.a", "libgmock_main.a"],
        rules = _GOOGLETEST_RULES,
    )
    _debian_library(
        name = "com_github_google_benchmark",
        package = "libbenchmark-dev",
        headers = ["benchmark"],
        archives = ["libbenchmark_main.a"],
        rules = _BENCHMARK_RULES,
    )
    _debian_library(
        name = "openssl",
        package = "libssl-dev",
        headers = ["openssl"],
        archives = ["libcrypto.a"],
        rules = _OPENSSL_RULES,
    )
    _debian_library(
        name = "rapidcheck",
        package = "librapidcheck-dev",
        headers = ["rapidcheck.h", "rapidcheck"],
        archives = ["librapidcheck.a"],
        rules = _RAPIDCHECK_RULES,
    )
