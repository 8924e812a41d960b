"""A bundle's library exports gdalmcp_plugin_v1 and nothing else.
Usage: symbols.py FOLDER_OF_BUNDLES..."""
import pathlib
import subprocess
import sys

failed = 0
libraries = [so for folder in sys.argv[1:] for so in sorted(pathlib.Path(folder).glob("*.bundle/lib/*.so"))]
for so in libraries:
    lines = subprocess.run(["nm", "-D", "--defined-only", str(so)], check=True, text=True, capture_output=True).stdout
    symbols = [line.split()[-1] for line in lines.splitlines()]
    if symbols != ["gdalmcp_plugin_v1"]:
        failed += 1
        print(f"FAILED: {so} exports {symbols}")
print(f"{len(libraries)} libraries, {failed} failed")
sys.exit(1 if failed or not libraries else 0)
