#!/usr/bin/env python3
"""headers_alone.py compile_commands.json: each header of host/ and plugins/ compiles by itself.

Most of the time would go into reading the headers of libraries, so those are precompiled once for host and once for plugins,
which hides one mistake: a standard header that is used and not included. A header that names something of the standard library
must therefore include its header, directly or by headers of the tree: it does not count that one of GDAL or Boost does."""
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

import header_chains
import tree

STANDARD = {
    "algorithm": r"(sort|find_if|min|max|clamp|any_of|all_of|copy|fill|lower_bound|upper_bound)\(", "array": "array<", "atomic": "atomic",
    "chrono": "chrono::", "cmath": r"(isnan|isfinite|abs|sqrt|hypot|floor|round)\(", "condition_variable": "condition_variable",
    "cstdint": "u?int(8|16|32|64)_t", "deque": "deque<", "exception": "exception",
    "filesystem": "filesystem::", "functional": "function<", "future": "(future|promise|packaged_task)<", "limits": "numeric_limits<",
    "list": "list<", "map": "(multi)?map<", "memory": "(unique_ptr|shared_ptr|weak_ptr)<", "mutex": "(mutex|unique_lock|lock_guard)",
    "optional": "(optional<|nullopt)", "set": "(multi)?set<", "span": "span<", "sstream": "[io]?stringstream", "stdexcept": "runtime_error",
    "string": "(string|to_string)", "string_view": "string_view", "thread": "(thread|jthread|this_thread)", "tuple": "(tuple<|tie\\()",
    "unordered_map": "unordered_map<", "unordered_set": "unordered_set<", "utility": "(move|pair<|exchange|forward)",
    "variant": "(variant<|visit\\()", "vector": "vector<",
}
NAMED = {name: re.compile(rf"\bstd::{pattern}(?!\w)" if pattern[-1].isalnum() else rf"\bstd::{pattern}") for name, pattern in STANDARD.items()}
SDK = tree.ROOT / "sdk" / "include"
NO_CODE = re.compile(r'//.*|"(\\.|[^"\\\n])*"')


@functools.cache
def direct(header):
    """What a header includes: name -> file of the tree, or None."""
    found = {}
    for name in re.findall(r'^#include [<"](.*?)[>"]', header.read_text(), re.M):
        places = (folder / name for folder in (header.parent, tree.ROOT / "host", tree.ROOT / "plugins", SDK))
        found[name] = next((p.resolve() for p in places if p.is_file()), None)
    return found


@functools.cache
def included(header):
    """The names of all that a header includes, directly or not, but for the headers of host and plugins on the way."""
    found = set()
    for name, file in direct(header).items():
        found |= included(file) if file else set()
        found |= {name} if not file or file.is_relative_to(SDK) else set()
    return frozenset(found)


@functools.cache
def below(header):
    """The files of the tree that a header includes, directly or not."""
    files = [f for f in direct(header).values() if f]
    return frozenset(files).union(*map(below, files))


def missing(header):
    """Standard headers that it needs and does not include."""
    names, code = included(header), NO_CODE.sub("", header.read_text())
    return [name for name, used in NAMED.items() if name not in names and used.search(code)]


def flags_of(room):
    """All the folders and definitions that sources of a room are compiled with."""
    flags = {}
    for entry in json.loads(pathlib.Path(sys.argv[1]).read_text()):
        # Sources compiled together are written to the build folder.
        if entry["file"].startswith((f"{tree.ROOT}/{room}/", f"{entry['directory']}/{room}/")):
            words = iter(shlex.split(entry["command"]))
            for word in words:
                if word.startswith(("-I", "-D")) and not word.endswith("_EXPORTS"):
                    flags[word] = [word]
                elif word == "-isystem":
                    folder = next(words)
                    flags[folder] = [word, folder]
    return ["clang++", "-std=c++20", "-fPIC", *(word for words in flags.values() for word in words)]


def compiles(command, text):
    """None when it does, else the compiler's first complaint."""
    run = subprocess.run(command + ["-fsyntax-only", "-x", "c++", "-"], input=text, capture_output=True, text=True)
    if run.returncode == 0:
        return None
    return next((line for line in run.stderr.splitlines() if "error" in line), run.stderr.strip())


def check(room, scratch):
    headers = tree.files(".hpp", under=f"{room}/")
    flags = flags_of(room)
    others = scratch / f"{room}.hpp"
    others.write_text("".join(f"#include <{name}>\n" for name in sorted(set().union(*map(included, headers)))))
    # Otherwise the templates of these headers would be instantiated again with each header.
    subprocess.run([*flags, "-fpch-instantiate-templates", "-x", "c++-header", others, "-o", f"{others}.pch"], check=True)

    found = [f"{tree.name(h)}: uses what <{name}> declares, and does not include it" for h in headers for name in missing(h)]

    # Included by an empty source: #pragma once in a main file is a warning of its own.
    def complaint(chain):
        return compiles([*flags, "-include-pch", f"{others}.pch"], "".join(f'#include "{header}"\n' for header in chain))

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found += filter(None, pool.map(complaint, header_chains.of(set(headers), below)))
    return len(headers), found


count, findings = 0, []
with tempfile.TemporaryDirectory() as scratch:
    for room in ("host", "plugins"):
        checked, found = check(room, pathlib.Path(scratch))
        count += checked
        findings += found
tree.report(findings, count)
