#!/usr/bin/env python3
"""clang-format (14, Debian 12's) with the tree's .clang-format would change nothing."""
import re
import shutil
import subprocess

import tree

program = shutil.which("clang-format-14") or shutil.which("clang-format")
if not program:
    tree.skip("formatting: clang-format is not installed (apt-get install clang-format)")
version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
if not re.search(r"version 14\.", version):
    tree.skip(f"formatting: other versions format differently: {version.strip()}")
sources = tree.files(".cpp", ".hpp", ".h", ".c")
run = subprocess.run([program, "--dry-run", "-Werror", *map(str, sources)], capture_output=True, text=True)
findings = sorted({line.split(":")[0] for line in run.stderr.splitlines() if "[-Wclang-format-violations]" in line})
tree.report([f"{f.replace(str(tree.ROOT) + '/', '')}: run clang-format -i" for f in findings], len(sources))
