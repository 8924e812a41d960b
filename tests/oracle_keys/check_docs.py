#!/usr/bin/env python3
"""Runs the script of docs/reflection.md on every golden key."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent

script = re.search(r"```python\n(.*?)```", (ROOT / "docs/reflection.md").read_text("utf-8"), re.S).group(1)
lines = [line for line in script.splitlines() if line.strip()]
golden = json.loads((HERE / "golden.json").read_text("utf-8"))
prompts = {c["domain"]: c["prompt"] for c in json.loads((HERE / "cases.json").read_text("utf-8"))["keys"]}
with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
    file.write(script)
    file.flush()
    for case in golden["keys"]:
        prompt = ROOT / "prompts" / (prompts[case["domain"]] + ".md")
        command = [sys.executable, file.name, case["domain"], str(prompt), json.dumps(case["normal"])]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        if printed != case["cache_key"]:
            sys.exit(f"{case['given']}: the script of the docs prints {printed}, golden.json has {case['cache_key']}")
if len(lines) > 15:
    sys.exit(f"the script has {len(lines)} lines; the docs promise 15")
print(f"{len(golden['keys'])} keys reproduced by {len(lines)} lines")
