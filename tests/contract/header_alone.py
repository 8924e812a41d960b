"""Each SDK header compiles alone, without a warning: abi.h as C99, C11 and C++20, the others as C++20, by gcc and clang.
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
    for header in sorted((include / "gdalmcp").iterdir()):
        jobs.append((cpp, "c++20", "c++", header.name))
        if header.suffix == ".h":
            jobs += [(c, "c99", "c", header.name), (c, "c11", "c", header.name)]


def compile_alone(job):
    compiler, standard, language, name = job
    done = subprocess.run([compiler, f"-std={standard}", "-x", language, *flags,
                           *(gdal if name.startswith("gdal") else []), "-"],
                          input=f"#include <gdalmcp/{name}>\n", text=True, capture_output=True)
    if done.returncode:
        print(f"FAILED: {name} as {standard} by {compiler}\n{done.stderr}")
    return done.returncode == 0


with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    passed = sum(pool.map(compile_alone, jobs))
print(f"{len(jobs)} compilations, {len(jobs) - passed} failed")
sys.exit(0 if jobs and passed == len(jobs) else 1)
