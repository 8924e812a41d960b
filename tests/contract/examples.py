"""Every project in sdk/examples builds as a foreign project against an installed SDK and passes its own tests; the smallest
plugins are as small as the documentation says.
Usage: examples.py SOURCE_TREE BUILD_TREE"""
import concurrent.futures
import os
import pathlib
import shutil
import sys
import tempfile

import installed

LONGEST = {"smallest/feet.cpp": 10, "smallest-gdal/height_range.cpp": 30}  # lines

examples, build = pathlib.Path(sys.argv[1]).resolve() / "sdk" / "examples", sys.argv[2]
for name, most in LONGEST.items():
    lines = len((examples / name).read_text().splitlines())
    if lines > most:
        sys.exit(f"FAILED: {name} has {lines} lines; it may have {most}")

with tempfile.TemporaryDirectory(prefix="gdalmcp-examples-") as folder:
    prefix = pathlib.Path(folder, "prefix")
    environment = installed.install(build, prefix)
    projects = sorted(p.parent for p in examples.glob("*/CMakeLists.txt"))

    def build_and_test(project):
        copy = pathlib.Path(folder, project.name)
        shutil.copytree(project, copy)
        return f"{project.name}\n{installed.build_and_test(copy, prefix, environment)}"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for report in pool.map(build_and_test, projects):
            print(report)
    if len(projects) < 4:
        sys.exit(f"FAILED: only {len(projects)} examples found")
