#!/usr/bin/env python3
"""headers_alone.py compile_commands.json: each header of host/ and plugins/ compiles by itself, with the flags of a neighbour."""
import concurrent.futures
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import threading

import tree

# Reading these takes most of the time. They are precompiled for the headers that include them, directly or not: a header
# sees them in any case, and those it includes before them are checked by themselves.
LARGE = ("boost/json.hpp", "gdal_priv.h")

flags_of_folder = {}
for entry in json.loads(pathlib.Path(sys.argv[1]).read_text()):
    words, flags = shlex.split(entry["command"]), []
    skip = False
    for word, following in zip(words, words[1:] + [""]):
        if skip:
            skip = False
        elif word in ("-o", "-c", "-x") or word == "-include" and "cmake_pch" in following:
            skip = True
        elif word not in ("-Winvalid-pch", "ccache", "/usr/bin/ccache"):
            flags.append(word)
    # Of several in one folder (a plain library and the plugin over it) the one that sees most.
    # Sources compiled together are named by their target, which lies in the folder of its CMakeLists.txt.
    file = pathlib.Path(entry["file"])
    together = "/CMakeFiles/" in entry["file"]
    folder = tree.ROOT / entry["file"].split("/CMakeFiles/")[0].removeprefix(entry["directory"] + "/") if together \
        else file.parent
    if len(flags) > len(flags_of_folder.get(folder, ([], ""))[0]):
        flags_of_folder[folder] = (flags, entry["directory"])


@functools.cache
def included(header):
    """All that a header includes, directly or not: files of the tree, and the names of others."""
    found = set()
    for name in re.findall(r'^#include [<"](.*?)[>"]', header.read_text(), re.M):
        places = (folder / name for folder in (header.parent, *(tree.ROOT / p for p in ("host", "plugins", "sdk/include"))))
        file = next((p.resolve() for p in places if p.is_file()), None)
        found |= {file} | included(file) if file else {name}
    return frozenset(found)


precompiled = {}
one_at_a_time = threading.Lock()


def precompile(name, flags, directory):
    """The arguments that include a large header before all else."""
    with one_at_a_time:
        key = (name, *flags)
        if key not in precompiled:
            header = pathlib.Path(folder_of_large.name) / f"{len(precompiled)}.hpp"
            header.write_text(f"#include <{name}>\n")
            subprocess.run(flags + ["-x", "c++-header", header, "-o", f"{header}.gch"], cwd=directory, check=True)
            precompiled[key] = ["-Winvalid-pch", "-include", header]
        return precompiled[key]


def compile_alone(header):
    """None when it compiles, else the compiler's first complaint."""
    folder = header.parent
    while folder not in flags_of_folder and folder != tree.ROOT:
        folder = folder.parent
    if folder == tree.ROOT:
        return f"{tree.name(header)}: no source beside it that would be compiled"
    flags, directory = flags_of_folder[folder]
    large = next((precompile(name, flags, directory) for name in LARGE if name in included(header)), [])
    # Included by an empty source: #pragma once in a main file is a warning of its own.
    run = subprocess.run(flags + large + ["-fsyntax-only", "-x", "c++", "-"], input=f'#include "{header}"\n', cwd=directory,
                         capture_output=True, text=True)
    if run.returncode == 0:
        return None
    first = next((line for line in run.stderr.splitlines() if "error" in line), run.stderr.strip())
    return f"{tree.name(header)}: {first}"


headers = tree.files(".hpp", under="host/") + tree.files(".hpp", under="plugins/")
folder_of_large = tempfile.TemporaryDirectory()
with folder_of_large, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    findings = [f for f in pool.map(compile_alone, headers) if f]
tree.report(findings, len(headers))
