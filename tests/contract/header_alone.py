"""Each SDK header compiles alone, without a warning: abi.h as C99, C11 and C++20, the others as C++20, by gcc; all of them
together by clang, which finds the same headers of the standard library.
Only gdal*.hpp may need more than the standard library.
Usage: header_alone.py INCLUDE_FOLDER [-isystem FOLDER_OF_GDAL]..."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

include = pathlib.Path(sys.argv[1])
flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror",
         f"-I{include}"]
gdal = sys.argv[2:]
jobs = []
for c, cpp in (("gcc", "g++"), ("clang", "clang++")):
    if not shutil.which(c) or not shutil.which(cpp):
        print(f"SKIPPED: {c} is not installed")
        continue
    headers = sorted(h.name for h in (include / "gdalmcp").iterdir())
    jobs += [(cpp, "c++20", "c++", [h]) for h in headers] if c == "gcc" else [(cpp, "c++20", "c++", headers)]
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
