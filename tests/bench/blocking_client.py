"""A stdio server and a client of it in as few steps as Python can, for benchmarks."""
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
from session import fill_in  # noqa: E402


class Server:
    """A stdio server and a blocking client in as few steps as Python can."""

    def __init__(self, *command):
        self.number = 0
        self.process = subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL)

    def request(self, method, params=None):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params or {}}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            answer = json.loads(self.process.stdout.readline())
            if answer.get("id") == self.number and "method" not in answer:
                return answer["result"]

    def initialize(self):
        self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": {},
                                    "clientInfo": {"name": "bench", "version": "0"}})
        self.process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
        return self

    def call(self, tool, arguments):
        result = self.request("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(result["content"][0]["text"])
        return result

    def exit(self):
        """Seconds from the end of stdin to the end of the process."""
        begin = time.perf_counter()
        self.process.stdin.close()
        self.process.wait()
        seconds = time.perf_counter() - begin
        self.process.stdout.close()
        return seconds


def descendants(pid):
    """The process and all processes it started that still run."""
    found, parents = [], {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as f:
                    parents.setdefault(int(f.read().rsplit(")", 1)[1].split()[1]), []).append(int(entry))
            except OSError:
                pass
    waiting = [pid]
    while waiting:
        found.append(waiting.pop())
        waiting += parents.get(found[-1], [])
    return found


def processor_seconds(pid):
    """User and system time of a process and its descendants, those that have ended included."""
    ticks = 0
    for each in descendants(pid):
        try:
            with open(f"/proc/{each}/stat") as f:
                ticks += sum(map(int, f.read().rsplit(")", 1)[1].split()[11:15]))
        except OSError:
            pass
    return ticks / os.sysconf("SC_CLK_TCK")


def answer_bounce(server, tool, arguments):
    """Gives a reason for everything that a call is asked for."""
    refused = server.request("tools/call", {"name": tool, "arguments": arguments})
    if not refused.get("isError"):
        return  # an earlier run in a folder that was kept
    bounce = json.loads(refused["content"][1]["text"])
    for missing in bounce["missing"]:
        submit = dict(missing["submit"]["arguments"])
        submit["justification"] = fill_in(bounce["retry"]["arguments"]["justification"][missing["domain"]], missing["answer_schema"])
        server.call("store_justification", submit)


def machine():
    with open("/proc/cpuinfo") as f:
        model = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.machine())
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    gdal = subprocess.run(["gdalinfo", "--version"], capture_output=True, text=True).stdout.split(",")[0]
    return f"{model}, {os.cpu_count()} cores, Linux {platform.release()}, {gdal}, {datetime.date.today()}, commit {commit}"
