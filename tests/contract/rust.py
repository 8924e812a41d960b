"""sdk/examples/plain-rust makes a bundle with rustc alone, from an installed SDK: one symbol, the right answer, and no finding
of the check for authors.
Usage: rust.py SOURCE_TREE BUILD_TREE"""
import json
import pathlib
import shutil
import sys
import tempfile

import installed

example, build = pathlib.Path(sys.argv[1]).resolve() / "sdk" / "examples" / "plain-rust", sys.argv[2]
if not shutil.which("rustc"):
    print("SKIPPED: rustc is not installed")
    sys.exit(77)

with tempfile.TemporaryDirectory(prefix="gdalmcp-rust-") as name:
    folder = pathlib.Path(name)
    environment = installed.install(build, folder / "prefix")
    project = folder / "plain-rust"
    shutil.copytree(example, project)

    def run(*command):
        return installed.run(*command, cwd=folder, env=environment)

    said = run("sh", project / "bundle.sh")
    if said:
        sys.exit(f"FAILED: rustc or gdal-mcp-describe has something to say:\n{said}")
    symbols = [line.split()[-1] for line in run("nm", "-D", "--defined-only", "geohash.bundle/lib/geohash.so").splitlines()]
    if symbols != ["gdalmcp_plugin_v1"]:
        sys.exit(f"FAILED: it exports {symbols}")
    called = run("gdal-mcp", "call", "example_geohash", "--bundles", ".", "--json", '{"lon": -5.6, "lat": 42.6, "length": 5}')
    answer = json.loads(called.splitlines()[-1])
    if (answer["geohash"], answer["west"], answer["north"]) != ("ezs42", -5.625, 42.626953125):
        sys.exit(f"FAILED: the tool answered {answer}")
    print(run("gdal-mcp", "bundle", "check", "--strict", "geohash.bundle"))
