"""`gdal-mcp bundle new` writes a project that builds against the installed SDK alone, passes its own tests and the check for
authors, and whose tool an agent can call: in C and C++, with and without GDAL.
Usage: scaffold.py SOURCE_TREE BUILD_TREE"""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import installed

VARIANTS = (["--cpp"], ["--cpp", "--with-gdal"], ["--c"], ["--c", "--with-gdal"])
NAME, TOOL = "acme-terrain", "acme_terrain_typical_value"

template, build = pathlib.Path(sys.argv[1]).resolve() / "sdk" / "template", sys.argv[2]
listed = set(re.findall(r"from: ([^,}]+)", (template / "template.yaml").read_text()))
there = {str(f.relative_to(template)) for f in template.rglob("*") if f.is_file()} - {"README.md", "template.yaml"}
if listed != there:
    sys.exit(f"FAILED: template.yaml and the folder differ in {sorted(listed ^ there)}")
program = pathlib.Path(build).resolve() / "bin" / "gdal-mcp"
if "--with-gdal" not in subprocess.run([program, "bundle", "new", "--help"], text=True, capture_output=True).stdout:
    print("SKIPPED: this gdal-mcp has no 'bundle new'")
    sys.exit(77)


def check(variant, folder, prefix, environment):
    folder.mkdir()
    installed.run(prefix / "bin" / "gdal-mcp", "bundle", "new", NAME, *variant, cwd=folder, env=environment)
    project = folder / NAME
    left = [str(f) for f in project.rglob("*") if f.is_file() and re.search(r"<%|%>|\{\{[#/^=]", f.read_text())]
    if left:
        return f"placeholders are left in {left}"
    installed.build_and_test(project, prefix, environment)
    call = ["call", TOOL, "--bundles", "build", "--workspace", "test" if "--with-gdal" in variant else "."]
    given = {"uri": "hill.asc"} if "--with-gdal" in variant else {"values": [3, 5, 4, 9, 6]}
    asked = subprocess.run([prefix / "bin" / "gdal-mcp", *call, "--json", json.dumps({**given, "method": "mean"})],
                           cwd=project, env=environment, text=True, capture_output=True)
    if asked.returncode != 4 or json.loads(asked.stdout)["missing"][0]["domain"] != "acme_terrain_statistic":
        return f"the call was not asked for its reason ({asked.returncode}): {asked.stdout}{asked.stderr}"
    reason = {"intent": "the total over all cells", "alternatives": [{"method": "median", "why_not": "has no total"}],
              "choice": {"method": "mean", "rationale": "times the count it is the sum", "tradeoffs": "one peak moves it"},
              "confidence": "medium"}
    answer = json.loads(installed.run(
        prefix / "bin" / "gdal-mcp", *call, "--json",
        json.dumps({**given, "method": "mean", "justification": {"acme_terrain_statistic": reason}}),
        cwd=project, env=environment).splitlines()[-1])
    if (answer["value"], answer["count"]) != (5.4, 5):
        return f"the tool answered {answer}"
    for bundle in (NAME, f"{NAME}-evidence"):
        installed.run(prefix / "bin" / "gdal-mcp", "bundle", "check", "--strict", project / "build" / f"{bundle}.bundle",
                      cwd=project, env=environment)
    return None


with tempfile.TemporaryDirectory(prefix="gdalmcp-scaffold-") as name:
    prefix = pathlib.Path(name, "prefix")
    environment = installed.install(build, prefix)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda i: check(VARIANTS[i], pathlib.Path(name, str(i)), prefix, environment),
                              range(len(VARIANTS))))
    failed = [f"FAILED: {' '.join(v)}: {why}" for v, why in zip(VARIANTS, found) if why]
    print("\n".join(failed) or f"{len(VARIANTS)} variants")
    sys.exit(1 if failed else 0)
