#!/usr/bin/env python3
"""Every path in the table "Where things live" of docs/README.md exists, in host/ or from the top of the tree."""
import re

import tree

page = (tree.ROOT / "docs/README.md").read_text()
table = page.split("## Where things live", 1)[1].split("\n## ", 1)[0]
findings, seen = [], 0
for row in re.findall(r"^\|([^|]*)\|([^|]*)\|$", table, re.M)[2:]:
    paths = re.findall(r"`([^`]+)`", row[1])
    seen += len(paths)
    if not paths:
        findings.append(f"docs/README.md: {row[0].strip()}: names no file")
    findings += [f"docs/README.md: {p} is not there" for p in paths
                 if not (tree.ROOT / "host" / p).is_file() and not (tree.ROOT / p).is_file()]
tree.report(findings, seen)
