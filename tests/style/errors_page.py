#!/usr/bin/env python3
"""docs/errors.md has one row for each code of host/base/problem.hpp, and no other."""
import re

import tree

source = (tree.ROOT / "host/base/problem.hpp").read_text()
codes = set(re.findall(r'inline constexpr const char\* \w+ =\s+"([a-z_]+)";', source))
rows = re.findall(r"^\| `([a-z_]+)` \|", (tree.ROOT / "docs/errors.md").read_text(), re.M)
findings = [f"docs/errors.md: {c} is missing" for c in sorted(codes - set(rows))]
findings += [f"docs/errors.md: {c} is not a code of the program" for c in sorted(set(rows) - codes)]
findings += [f"docs/errors.md: {c} has two rows" for c in sorted(set(rows)) if rows.count(c) > 1]
tree.report(findings, len(codes))
