"""docs/http.md is true: its commands run, its token file is valid, its metrics are the program's."""
import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

import rasters
import session
from http_client import OverHttp, Server, Stateless
from http_paths import parse
from session import PROGRAM

with open(os.path.join(os.path.dirname(__file__), "../../docs/http.md"), encoding="utf-8") as page:
    PAGE = page.read()


def commands(program):
    blocks = re.findall(r"^```sh\n(.*?)^```", PAGE, re.M | re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith(program + " ")]


class page(OverHttp):
    def setUp(self):
        super().setUp()
        for folder in ("data", "common"):
            os.mkdir(self.path(folder))
        before = os.getcwd()
        os.chdir(self.workspace)
        self.addCleanup(os.chdir, before)

    def served(self, words):
        """The server that a command of the page starts, but at a free port."""
        self.assertEqual(words[:4], ["gdal-mcp", "serve", "--http", "127.0.0.1:8080"])
        return Server(*words[4:])

    def test_its_commands_run(self):
        self.assertEqual(len(commands("gdal-mcp")), 5)
        for line in commands("gdal-mcp"):
            with self.subTest(line):
                words = shlex.split(line)
                if words[1] == "serve":
                    with self.served(words) as s:
                        self.assertEqual(s.get("/healthz").status, 200)
                else:
                    done = subprocess.run([PROGRAM, *words[1:]], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=session.HANG)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertRegex(done.stdout, r"^[\w-]{43}\n$")

    @unittest.skipUnless(shutil.which("curl"), "there is no curl")
    def test_its_requests_are_answered(self):
        self.assertEqual(len(commands("curl")), 3)
        making = [PROGRAM, "token", "alice", "--tokens", "../tokens.yaml", "--workspace", self.workspace, "--metrics"]
        token = subprocess.run(making, capture_output=True, text=True, check=True).stdout.strip()
        rasters.byte(self.path("source.tif"))
        with Server("--tokens", "../tokens.yaml") as s:
            number = self.managed(Stateless(s, token)).rpartition("/")[2]
            for line in commands("curl"):
                with self.subTest(line):
                    words = shlex.split(line.replace("127.0.0.1:8080", s.address).replace("$TOKEN", token).replace("$ID", number))
                    subprocess.run([words[0], "--fail", *words[1:]], check=True, stdout=subprocess.DEVNULL, timeout=session.HANG)
            with open("result.tif", "rb") as f:
                self.assertEqual(f.read(), s.get("/files/" + number, {"Authorization": "Bearer " + token}).body)

    def test_its_file_of_tokens_is_one(self):
        (shown,) = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S)
        with open("tokens.yaml", "w") as f:
            f.write(shown.replace("/data/", self.workspace + "/").replace("/alice", "/data"))
        with Server("--tokens", "tokens.yaml") as s:
            self.assertEqual(Stateless(s, "test").send("tools/list").status, 200)  # whose SHA-256 the first one is

    def test_its_metrics_are_those_of_the_program(self):
        rasters.byte(self.path("source.tif"))
        with self.serve() as s:
            refused = Stateless(s).call("raster_reproject", {"uri": "source.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear"})
            self.assertEqual(session.problem(refused)["error"], "requires_epistemic_justification")
            types, samples = parse(s.get("/metrics").body.decode())
        listed = dict(re.findall(r"^\| `(\w+?)(?:\{([\w,]+)\})?` \|", PAGE.split("\n## Metrics\n")[1], re.M))
        self.assertEqual(set(listed), set(types))
        for name, labels in listed.items():
            if types[name] != "histogram":
                self.assertEqual({tuple(sorted(k for k, _ in key)) for key in samples[name]}, {tuple(sorted(filter(None, labels.split(","))))}, name)


if __name__ == "__main__":
    sys.exit(session.main())
