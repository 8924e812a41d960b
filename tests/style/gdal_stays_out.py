#!/usr/bin/env python3
"""GDAL and PROJ headers appear only in host/worker, plugins, tests and the SDK's gdal*.hpp; in a plugin, its algorithms do without."""
import re

import tree

HEADER = re.compile(r'^\s*#\s*include\s+[<"]((?:gdal|ogr|cpl|vrt|gnm|memdataset|proj)[a-z0-9_]*\.h(?:pp)?)[>"]', re.M)


def allowed(name):
    return name.startswith(("host/worker/", "plugins/", "tests/", "sdk/template/", "sdk/examples/")) or \
        name.startswith("sdk/include/gdalmcp/gdal")


findings, seen = [], 0
for path in tree.files(".cpp", ".hpp", ".h", ".c"):
    seen += 1
    if not allowed(tree.name(path)):
        findings += [f"{tree.name(path)}: includes {h}" for h in HEADER.findall(path.read_text(errors="replace"))]
for cmake in tree.files(under="host/"):
    if cmake.name == "CMakeLists.txt" and cmake.parent.name != "worker" and "GDAL::GDAL" in cmake.read_text():
        findings.append(f"{tree.name(cmake)}: links GDAL; only the worker does")
tree.report(findings, seen)
