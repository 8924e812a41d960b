"""Each SDK header compiles alone, without a warning: abi.h as C99, C11 and C++20, the others as C++20, by gcc; all of them
together by clang, which finds the same headers of the standard library.
Only gdal*.hpp may need more than the standard library.
Usage: header_alone.py INCLUDE_FOLDER [-isystem FOLDER_OF_GDAL]..."""
import concurrent.futures
import functools
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "style"))
import header_chains

include = pathlib.Path(sys.argv[1])


@functools.cache
def below(name):
    """The names of the SDK's headers that one includes, directly or not."""
    text = (include / "gdalmcp" / name).read_text()
    found = set(re.findall(r"^ *# *include [<\"](?:gdalmcp/)?([\w.]+)[>\"]", text, re.M)) & set(os.listdir(include / "gdalmcp"))
    return found.union(*map(below, found))


flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
         f"-I{include}"]
gdal = sys.argv[2:]
jobs = []
for c, cpp in (("gcc", "g++"), ("clang", "clang++")):
    if not shutil.which(c) or not shutil.which(cpp):
        print(f"SKIPPED: {c} is not installed")
        continue
    headers = sorted(h.name for h in (include / "gdalmcp").iterdir())
    jobs += [(cpp, "c++20", "c++", chain) for chain in header_chains.of(set(headers), below)] if c == "gcc" else [(cpp, "c++20", "c++", headers)]
    jobs += [(c, standard, "c", [h]) for h in headers if h.endswith(".h") for standard in ("c99", "c11")]


def compile_alone(job):
    compiler, standard, language, names = job
    done = subprocess.run([compiler, f"-std={standard}", "-x", language, *flags,
                           *(gdal if any(n.startswith("gdal") for n in names) else []), "-"],
                          input="".join(f"#include <gdalmcp/{n}>\n" for n in names), text=True, capture_output=True)
    if done.returncode:
        print(f"FAILED: {' '.join(names)} as {standard} by {compiler}\n{done.stderr}")
    return done.returncode == 0


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    passed = sum(pool.map(compile_alone, jobs))
print(f"{len(jobs)} compilations, {len(jobs) - passed} failed")
sys.exit(0 if jobs and passed == len(jobs) else 1)
