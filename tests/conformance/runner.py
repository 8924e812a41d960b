#!/usr/bin/env python3
"""The conformance runner itself: what proves nothing must not pass."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import run

HERE = pathlib.Path(__file__).resolve().parent

# Names an address where nobody is, and stays.
DEAD = """
import signal, socket, sys
s = socket.socket(); s.bind(("127.0.0.1", 0)); port = s.getsockname()[1]; s.close()
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
print(f"listening on http://127.0.0.1:{port}/mcp", file=sys.stderr, flush=True)
while True: signal.pause()
"""
# Is in good health and knows nothing else; with LEAVE, it goes at the first request that is not for its health.
EMPTY = """
import http.server, os, signal, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/healthz" else 404); self.send_header("Content-Length", "0"); self.end_headers()
    def do_POST(self):
        if LEAVE: os._exit(0)
        self.send_response(404); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
print(f"listening on http://127.0.0.1:{server.server_port}/mcp", file=sys.stderr, flush=True)
server.serve_forever()
"""


def check(*statuses, ident="x"):
    return [{"id": ident, "status": s, "description": "d"} for s in statuses]


class Runner(unittest.TestCase):
    def judged(self, program, *arguments):
        done = subprocess.run([sys.executable, HERE / "run.py", *arguments, "--", sys.executable, "-c", program],
                              capture_output=True, text=True)
        if done.returncode == 77:
            self.skipTest(done.stdout.strip().removeprefix("SKIPPED "))
        return done

    def test_a_dead_port_fails(self):
        done = self.judged(DEAD)
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("FAILED before 2025-11-25 /healthz", done.stdout)

    def test_a_server_that_names_no_address_fails(self):
        done = self.judged("raise SystemExit('no address')")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("named no http:// address", done.stdout)

    def test_a_healthy_server_that_knows_nothing_fails_every_scenario(self):
        done = self.judged("LEAVE = False" + EMPTY, "--run", "2026-07-28")
        self.assertEqual(done.returncode, 1, done)
        self.assertGreater(done.stdout.count("none of its own checks succeeded"), 30)
        self.assertIn("checks succeeded, at least", done.stdout)

    def test_a_server_that_goes_in_the_middle_fails(self):
        done = self.judged("LEAVE = True" + EMPTY, "--run", "2025-11-25")
        self.assertEqual(done.returncode, 1, done)
        self.assertIn("after 2025-11-25 the server had ended with 0", done.stdout)


class Judgement(unittest.TestCase):
    def complaints(self, found, names=("a",), excused=None):
        return run.judge(list(names), found, excused or {})[0]

    def test_a_success_of_its_own_is_enough(self):
        self.assertEqual(run.judge(["a"], {"a": check("SUCCESS", "WARNING", "SKIPPED", "INFO")}, {}), ([], 1))

    def test_a_scenario_that_was_not_run_is_missed(self):
        self.assertEqual(self.complaints({}), ["a: it was not run"])

    def test_valid_messages_alone_prove_nothing(self):
        found = {"a": check("SUCCESS", ident="wire-schema-valid")}
        self.assertEqual(self.complaints(found), ["a: none of its own checks succeeded"])

    def test_one_failure_among_successes_fails(self):
        self.assertEqual(len(self.complaints({"a": check("SUCCESS", "FAILURE")})), 1)

    def test_an_exclusion_excuses_its_check_only(self):
        found = {"a": check("SUCCESS") + check("FAILURE", ident="y") + check("FAILURE", ident="z")}
        self.assertEqual([c.split(":")[1] for c in self.complaints(found, excused={("a", "y"): "no headers"})], [" z"])

    def test_an_exclusion_that_does_not_fail_is_stale(self):
        stale = self.complaints({"a": check("SUCCESS")}, excused={("a", "y"): "no headers"})
        self.assertEqual(stale, ["a: y is excluded and does not fail: no headers"])

    def test_results_are_found_under_the_names_of_their_scenarios(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("server-ping-2026-11-22T09-38-51-721Z", "server-server-initialize-2026-11-22T09-38-51-721Z",
                         "server-json-schema-2020-12-2026-11-22T09-38-51-721Z"):
                path = pathlib.Path(folder, name)
                path.mkdir()
                (path / "checks.json").write_text("[1]")
            self.assertEqual(set(run.read_checks(pathlib.Path(folder))), {"ping", "server-initialize", "json-schema-2020-12"})


if __name__ == "__main__":
    result = unittest.main(verbosity=2, exit=False).result
    for test, reason in result.skipped:
        print(f"SKIPPED {test.id()}: {reason}", flush=True)
    sys.exit(0 if result.wasSuccessful() else 1)
