#!/usr/bin/env python3
"""Every top-level folder and room has a README.md of 3 to 60 lines; relative links in Markdown files resolve; decisions are listed."""
import re

import tree

EXEMPT = {".github", ".ci"}
findings, seen = [], 0

folders = {p.relative_to(tree.ROOT).parts[0] for p in tree.files() if len(p.relative_to(tree.ROOT).parts) > 1} - EXEMPT
for parent in ("host", "plugins", "tests"):
    # A folder with files of its own; a folder of folders (tests/unit) speaks through its parent.
    folders |= {tree.name(p.parent) for p in tree.files(under=parent + "/") if len(p.relative_to(tree.ROOT).parts) == 3}
for folder in sorted(folders):
    seen += 1
    readme = tree.ROOT / folder / "README.md"
    if not readme.exists():
        findings.append(f"{folder}: no README.md")
    elif not 3 <= len(readme.read_text().splitlines()) <= 60:
        findings.append(f"{folder}/README.md: {len(readme.read_text().splitlines())} lines; 5 to 15 are wanted")

link = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
for page in tree.files(".md"):
    text = re.sub(r"```.*?```", "", page.read_text(), flags=re.S)
    for target in link.findall(text):
        if re.match(r"[a-z]+:|#", target):
            continue
        seen += 1
        if not (page.parent / target.split("#")[0]).exists():
            findings.append(f"{tree.name(page)}: link to {target} leads nowhere")

index = (tree.ROOT / "docs/decisions/README.md").read_text()
for page in sorted((tree.ROOT / "docs/decisions").glob("[0-9]*.md")):
    seen += 1
    if f"]({page.name})" not in index:
        findings.append(f"docs/decisions/README.md: does not list {page.name}")
    number = page.name[:4]
    if len(list(page.parent.glob(number + "-*.md"))) > 1:
        findings.append(f"docs/decisions/{page.name}: number {number} is taken twice")
docs = (tree.ROOT / "docs/README.md").read_text()
for page in sorted((tree.ROOT / "docs").glob("*.md")):
    if page.name != "README.md" and f"]({page.name})" not in docs:
        findings.append(f"docs/README.md: does not list {page.name}")
tree.report(findings, seen)
