"""Wrong declarations are refused in words: by the compiler where it can see the mistake, else by the build of the bundle.
Usage: wrong_programs.py INCLUDE_FOLDER GDAL_MCP_DESCRIBE"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

include, describe = sys.argv[1:3]
flags = ["-std=c++20", "-fPIC", f"-I{include}"]
NAMED = '.name = "a", .about = "An argument."'

# declaration -> what the compiler must say; None: it compiles.
COMPILER = {
    f"const arg<double> a{{{NAMED}, .fallback = 1, .above = 0}};": None,
    f"const arg<float*> a{{{NAMED}}};": "this T is not a kind of argument",
    f"const arg<int> a{{{NAMED}}};": "integers are std::int64_t",
    f"const arg<std::vector<gdalmcp::output_raster>> a{{{NAMED}}};": "this T is not a kind of argument",
    f"const arg<std::vector<std::optional<double>>> a{{{NAMED}}};": "this T is not a kind of argument",
    f"const arg<gdalmcp::choice> a{{{NAMED}}};": "a choice needs .values",
    f"const arg<std::optional<gdalmcp::choice>> a{{{NAMED}}};": "a choice needs .values",
    f'const arg<std::string> a{{{NAMED}, .values = {{"x"}}}};': "values belong to gdalmcp::choice",
    f"const arg<std::optional<double>> a{{{NAMED}, .fallback = 1}};": "an optional argument has no fallback",
    f'const arg<gdalmcp::raster> a{{{NAMED}, .fallback = gdalmcp::raster{{"x"}}}};': "a dataset has no fallback",
    f"const arg<gdalmcp::geometry> a{{{NAMED}, .fallback = gdalmcp::geometry{{}}}};": "make it std::optional",
    f"const arg<std::string> a{{{NAMED}, .min = 1}};": "min, max, above and below belong to",
    f"const arg<double> a{{{NAMED}, .max_length = 3}};": "min_length, max_length and pattern belong to",
    f"const arg<double> a{{{NAMED}, .min_items = 3}};": "min_items and max_items belong to lists",
    'const gdalmcp::field<float*> f{"f", "A field."};': "gdalmcp::field<T>: T is",
}

# declaration of `a` -> what gdal-mcp-describe must say; None: it writes the manifest.
BUILD = {
    f"const arg<double> a{{{NAMED}, .fallback = 1, .above = 0}};": None,
    f"const arg<double> a{{{NAMED}, .fallback = 0, .above = 0}};": "default of '/a': '/value' is 0; it must be of type number, greater than 0",
    f'const arg<gdalmcp::choice> a{{{NAMED}, .fallback = gdalmcp::choice{{"z"}}, .values = {{"x", "y"}}}};':
        "default of '/a': '/value' is \"z\"; it must be one of",
    f"const arg<std::vector<double>> a{{{NAMED}, .fallback = std::vector<double>{{1, 2, 3}}, .max_items = 2}};":
        "default of '/a'",
    f'const arg<std::string> a{{{NAMED}, .pattern = "^[a-z]+$", .examples = {{"\\"A1\\""}}}};': "example of '/a'",
    f"const arg<std::int64_t> b{{.name = \"b\", .about = \"A member.\", .fallback = 9, .max = 8}}; "
    f"const gdalmcp::object a{{\"a\", \"An object.\", {{b}}}};": "default of '/a",
    f'const arg<std::string> a{{{NAMED}, .examples = {{"hill.tif"}}}};': "input schema is",
    f'const arg<std::string> b{{{NAMED}}}; const gdalmcp::object a{{"a", "An object.", {{b, b}}}};':
        "input schema: '/properties/a/properties/a' is given twice",
    f'const arg<gdalmcp::choice> a{{{NAMED}, .values = {{"x", "y"}}, .synonyms = {{{{"z", "x"}}, {{"z", "y"}}}}}};':
        "x-gdalmcp-synonyms/z' is given twice",
    f'const arg<gdalmcp::choice> a{{{NAMED}, .values = {{"x", "y"}}, .synonyms = {{{{"X", "y"}}}}}};':
        "the synonym 'X' for \"y\" differs from the value \"x\"",
    f"const arg<double> a{{{NAMED}, .min = 5, .max = 3}};": "'minimum' of 'a' is 5 and 'maximum' is 3",
}


def program(declaration):
    return ("#include <gdalmcp/tool.hpp>\nusing gdalmcp::arg;\n" + declaration +
            '\nstatic void run(gdalmcp::call&) {}\nstatic const gdalmcp::tool t{{.name = "t", .title = "T", .about = "A tool."},'
            " run, {" + ("" if " f{" in declaration else "a") + "}, {}};\n"
            'GDALMCP_PLUGIN("org.example.t", "1.0.0", "MIT", t.abi())\n')


def complaint(name, declaration, done, wanted):
    said = done.stdout + done.stderr
    if wanted is None and done.returncode == 0 or wanted is not None and done.returncode != 0 and wanted in said:
        return None
    return f"FAILED: {name}: {declaration}\n  wanted: {wanted or 'no complaint'}\n  got ({done.returncode}): {said[:1500]}"


def precompile(compiler, folder):
    """Reading the header takes longer than all that follows it. Returns the flags that use it."""
    header = pathlib.Path(folder, compiler, "tool.hpp")
    header.parent.mkdir()
    header.write_text("#include <gdalmcp/tool.hpp>\n")
    made = f"{header}.{'gch' if compiler == 'g++' else 'pch'}"
    subprocess.run([compiler, *flags, "-x", "c++-header", str(header), "-o", made], check=True)
    return [*flags, "-include", str(header)] if compiler == "g++" else [*flags, "-include-pch", made]


def check_compiler(compiler, flags, declaration, wanted):
    return complaint(compiler, declaration, subprocess.run([compiler, *flags, "-fsyntax-only", "-x", "c++", "-"],
                                                           input=program(declaration), text=True, capture_output=True), wanted)


def check_build(flags, declaration, wanted):
    with tempfile.TemporaryDirectory(prefix="gdalmcp-wrong-") as folder:
        bundle = pathlib.Path(folder, "wrong.bundle")
        (bundle / "lib").mkdir(parents=True)
        built = subprocess.run(["g++", *flags, "-shared", "-x", "c++", "-", "-o", str(bundle / "lib" / "wrong.so")],
                               input=program(declaration), text=True, capture_output=True)
        if built.returncode:
            return f"FAILED: does not compile: {declaration}\n{built.stderr}"
        return complaint("describe", declaration, subprocess.run([describe, str(bundle)], text=True, capture_output=True), wanted)


jobs, failed = [], []
with tempfile.TemporaryDirectory(prefix="gdalmcp-precompiled-") as folder:
    for name in ("g++", "clang++"):
        if not shutil.which(name):
            print(f"SKIPPED: {name} is not installed")
            continue
        ready = precompile(name, folder)
        jobs += [(check_build, ready, d, w) for d, w in BUILD.items() if name == "g++"]
        jobs += [(check_compiler, name, ready, d, w) for d, w in COMPILER.items()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [c for c in pool.map(lambda job: job[0](*job[1:]), jobs) if c]
print("\n".join(failed))
print(f"{len(jobs)} programs, {len(failed)} failed")
sys.exit(0 if jobs and not failed else 1)
