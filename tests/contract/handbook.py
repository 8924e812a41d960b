"""docs/writing-a-bundle.md is true: its files build, its commands run and print what it shows, its declarations compile.
Every fenced block is one of
  <language> file=PATH   written to PATH in the project
  sh run                 run by bash -e in the project
  sh run if=PROGRAM      where there is such a program; else skipped aloud, with the output that follows
  text output            each line stands in the output of the last `sh run`, in this order
  cpp declarations       compiles after an include of gdalmcp/tool.hpp
Usage: handbook.py SOURCE_TREE BUILD_TREE"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import installed

source, build = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
page = (source / "docs" / "writing-a-bundle.md").read_text()
blocks = [(info, text, page[:at].count("\n") + 1) for info, text, at in
          ((m[2], m[3], m.start()) for m in re.finditer(r"^(`{3,})([^`\n]*)\n(.*?)^\1$", page, re.M | re.S))]
PROLOGUE = "#include <gdalmcp/tool.hpp>\nusing gdalmcp::arg;\nusing gdalmcp::field;\n"


def fail(line, why):
    sys.exit(f"FAILED: docs/writing-a-bundle.md:{line}: {why}")


with tempfile.TemporaryDirectory(prefix="gdalmcp-handbook-") as folder:
    prefix, project = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "project")
    project.mkdir()
    environment = {**installed.install(build, prefix), "CMAKE_PREFIX_PATH": str(prefix), "CXXFLAGS": installed.WARNINGS}
    if not shutil.which("gdallocationinfo"):
        print("SKIPPED: gdallocationinfo (Debian package gdal-bin) is not installed")
        sys.exit(77)
    said = ""
    skipped = False
    for info, text, line in blocks:
        if named := re.fullmatch(r"\w+ file=(\S+)", info):
            file = project / named[1]
            file.parent.mkdir(exist_ok=True)
            file.write_text(text)
        elif run := re.fullmatch(r"sh run(?: if=(\S+))?", info):
            skipped = bool(run[1]) and not shutil.which(run[1])
            if skipped:
                print(f"SKIPPED: line {line}: {run[1]} is not installed")
                continue
            done = subprocess.run(["bash", "-e"], input=text, text=True, cwd=project, env=environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            said = done.stdout
            if done.returncode:
                fail(line, f"the commands failed with {done.returncode}\n{said}")
        elif info == "text output":
            if skipped:
                continue
            at = 0
            for wanted in text.splitlines():
                at = said.find(wanted, at)
                if at < 0:
                    fail(line, f"'{wanted}' is not in the output, or not in this place:\n{said}")
                at += len(wanted)
        elif info == "cpp declarations":
            done = subprocess.run(["g++", "-std=c++20", "-fsyntax-only", f"-I{prefix / 'include'}", "-x", "c++", "-"],
                                  input=PROLOGUE + text, text=True, capture_output=True)
            if done.returncode:
                fail(line, done.stderr)
        else:
            fail(line, f"a block of no known kind: '{info}'")
    print(f"{len(blocks)} blocks")
