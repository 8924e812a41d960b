#!/usr/bin/env python3
"""No plugin counts the cores of the machine: how many threads a call may use is what gdal::threads_of_call() says, as --threads sets it."""
import re

import tree

COUNTS = re.compile(r"\b(hardware_concurrency|get_nprocs|CPLGetNumCPUs|sched_getaffinity|omp_get_max_threads)\b|\bNUM_THREADS=ALL_CPUS\b")

findings, seen = [], 0
for path in tree.files(".cpp", ".hpp", under="plugins/"):
    seen += 1
    findings += [f"{tree.name(path)}: {found.group(0)}" for found in COUNTS.finditer(path.read_text())]
tree.report(findings, seen)
