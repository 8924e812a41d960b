#!/usr/bin/env python3
"""rules.md names every transcript, and no other."""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent

there = {p.relative_to(HERE).as_posix() for p in HERE.glob("*/*.txt")}
named = set()
for pattern in re.findall(r"[a-z]+/[a-z0-9_*]+\.txt", (HERE / "rules.md").read_text(encoding="utf-8")):
    found = {p.relative_to(HERE).as_posix() for p in HERE.glob(pattern)}
    named |= found or {pattern}
for name in sorted(named - there):
    print(f"rules.md names {name}, which is not there")
for name in sorted(there - named):
    print(f"rules.md does not name {name}")
sys.exit(1 if named != there else 0)
