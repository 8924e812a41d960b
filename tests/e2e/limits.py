"""The cost of a call to its host, and how a host copes with odd conditions: large and sparse inputs, broken logs, leftovers
of killed servers, cleaners of temporary files, low limits, pipes in the place of files, a second SIGTERM."""
import glob
import hashlib
import json
import os
import resource
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import threading
import time
import unittest

import numpy
from osgeo import gdal

import rasters
import session
from http_client import Server, Stateless
from running_calls import children_of, state_of
from session import PROGRAM, Claims, Session, good, problem

TERABYTE = 1 << 40
NOBODY = 65534
BUNDLES = os.environ.get("GDAL_MCP_TEST_BUNDLES", "")
SANITIZED = os.environ.get("GDAL_MCP_SANITIZED", "")
PART = [289500, 9117000, 292000, 9120000]
CONVERT = {"uri": "small.tif", "output": "out.tif"}
HASHES_FOR_HOURS = ("--digest-limit", str(1 << 29))  # MiB: every digest is of the whole file


def until(condition, what, seconds=60):
    """Polls."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"never saw {what}"
        time.sleep(0.02)


def sparse(path, size):
    with open(path, "wb") as f:
        f.truncate(size)


class Small(Claims):
    """A workspace with a small raster, and a scratch folder of its own."""

    def setUp(self):
        super().setUp()
        self.base = os.path.realpath(self.folder.name)
        self.scratch = os.path.join(self.base, "scratch")
        os.mkdir(self.scratch)
        rasters.byte(self.path("small.tif"))

    def server(self, *arguments, **more):
        return Session("--scratch", self.scratch, *arguments, workspace=self.workspace, **more)

    def input_of(self, output):
        with open(self.path(output + ".provenance.json")) as f:
            return json.load(f)["inputs"][0]


class hashing(Small):
    """A sparse side file takes an hour to read whole, and GDAL does not."""

    def setUp(self):
        super().setUp()
        sparse(self.path("small.tif.ovr"), TERABYTE)

    def test_what_is_too_large_has_a_digest_that_says_so(self):
        with self.server("--timeout", "60") as s:
            good(s.call("raster_convert", CONVERT))
        record = self.input_of("out.tif")
        with open(self.path("small.tif"), "rb") as f:
            self.assertEqual(record["sha256"], hashlib.sha256(f.read()).hexdigest())
        (side,) = [f for f in record["sidecars"] if f["path"].endswith(".ovr")]
        self.assertEqual(side["size"], TERABYTE)
        self.assertNotIn("sha256", side)
        head = f"{TERABYTE} {os.stat(self.path('small.tif.ovr')).st_mtime_ns}\n".encode()
        self.assertEqual(side["partial_sha256"], hashlib.sha256(head + bytes(2 << 20)).hexdigest())

    def test_the_whole_is_hashed_under_the_deadline(self):
        with self.server("--timeout", "3", *HASHES_FOR_HOURS) as s:
            p = problem(s.call("raster_convert", CONVERT))
            self.assertEqual(p["error"], "deadline")
            self.assertNotIn("out.tif", self.files())
            good(s.call("raster_info", {"uri": "small.tif"}))

    def begun(self, s):
        """The id of a call whose inputs are being hashed."""
        number = s.ask("tools/call", {"name": "raster_convert", "arguments": CONVERT})
        until(lambda: glob.glob(self.path(".gdal-mcp-*/out/out.tif")), "the output in its stage")
        for _ in range(5):  # the tool itself takes no longer
            good(s.call("raster_info", {"uri": "small.tif"}))
        return number

    def test_cancelling_ends_it(self):
        with self.server(*HASHES_FOR_HOURS) as s:
            number = self.begun(s)
            s.notify("notifications/cancelled", {"requestId": number})
            until(lambda: not glob.glob(self.path(".gdal-mcp-*")), "the end of the call")
            self.assertNotIn(number, s.answers)

    def test_the_end_of_input_ends_it(self):
        s = self.server(*HASHES_FOR_HOURS)
        self.begun(s)
        below = children_of(s.process.pid)
        self.assertEqual(s.close(), 0)
        self.assertEqual({p for p in below if state_of(p) not in ("Z", None)}, set())
        self.assertEqual(glob.glob(self.path(".gdal-mcp-*")), [])

    def test_sigterm_ends_it(self):
        s = self.server(*HASHES_FOR_HOURS)
        self.begun(s)
        s.process.terminate()
        s.process.wait(60)
        s.close()
        self.assertEqual(glob.glob(self.path(".gdal-mcp-*")), [])

    def test_another_tenant_writes_meanwhile(self):
        tokens = os.path.join(self.base, "tokens.yaml")
        secrets = []
        for name in ("alice", "bob"):
            os.mkdir(os.path.join(self.base, name))
            rasters.byte(os.path.join(self.base, name, "small.tif"))
            made = subprocess.run([PROGRAM, "token", name, "--tokens", tokens, "--workspace", os.path.join(self.base, name)],
                                  capture_output=True, text=True, check=True)
            secrets.append(made.stdout.strip())
        sparse(os.path.join(self.base, "alice", "small.tif.ovr"), TERABYTE)
        server = Server("--tokens", tokens, "--parallel", "2", *HASHES_FOR_HOURS)
        try:
            alice, bob = (Stateless(server, secret) for secret in secrets)
            streams = [alice.ask("raster_convert", {**CONVERT, "output": f"out{i}.tif"}) for i in range(4)]
            until(lambda: glob.glob(os.path.join(self.base, "alice", ".gdal-mcp-*")), "the first call at work")
            good(bob.call("raster_convert", CONVERT))
            self.assertTrue(glob.glob(os.path.join(self.base, "alice", ".gdal-mcp-*")), "hers goes on")
            for stream in streams:
                stream.close()
        finally:
            server.process.kill()
            server.close()


class leftovers(Small):
    def test_a_log_of_gigabytes_without_a_line_break_is_moved_aside(self):
        os.mkdir(self.path(".preflight"))
        sparse(self.path(".preflight/audit.jsonl"), 3 << 30)
        with self.server() as s:
            good(s.call("raster_info", {"uri": "small.tif"}))
            self.assertIn("audit.jsonl.broken-1", s.stderr())
        self.assertEqual(os.stat(self.path(".preflight/audit.jsonl.broken-1")).st_size, 3 << 30)
        with open(self.path(".preflight/audit.jsonl")) as f:
            self.assertEqual([json.loads(line)["tool"] for line in f], ["raster_info"])

    def test_half_written_records_and_folders_of_a_killed_server_are_swept_at_the_next_start(self):
        with self.server() as s:
            good(session.run(s, "raster_reproject", {"uri": "small.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear"}))
        domain = self.path(".preflight/justifications/resampling")
        (record,) = os.listdir(domain)
        for folder in (domain, self.path(".preflight/justifications")):
            with open(os.path.join(folder, f"{record}.{os.getpid()}-3.tmp"), "w") as f:
                f.write("{")
        s = self.server()
        good(session.run(s, "raster_query", {"uri": "small.tif", "geometry": PART, "purpose": "a part"}))
        mine = {f for place in ("/dev/shm", self.scratch) for f in glob.glob(place + "/.gdal-mcp-*")
                if self.lock_of(f).split()[:1] == [str(s.process.pid)]}
        self.assertTrue(any(f.startswith(self.scratch) for f in mine), mine)
        s.process.kill()
        s.process.wait()
        s.close()
        with self.server():
            until(lambda: not [f for f in mine if os.path.exists(f)], "the end of what the killed server left")
            until(lambda: not glob.glob(self.path(".preflight/**/*.tmp"), recursive=True), "the end of half-written records")
        self.assertEqual(os.listdir(domain), [record])

    @staticmethod
    def lock_of(folder):
        try:
            with open(os.path.join(folder, "lock")) as f:
                return f.read()
        except OSError:
            return ""

    def test_a_cleaner_of_temporary_files_costs_no_later_call(self):
        with self.server() as s:
            for clean in (lambda: [shutil.rmtree(f) for f in glob.glob(self.scratch + "/.gdal-mcp-*")],
                          lambda: [shutil.rmtree(d) for f in glob.glob(self.scratch + "/.gdal-mcp-*") for d in glob.glob(f + "/*")
                                   if os.path.isdir(d)]):
                for tool, arguments in (("raster_info", {"uri": "small.tif"}), ("raster_convert", {**CONVERT, "overwrite": True}),
                                        ("raster_query", {"uri": "small.tif", "geometry": PART, "purpose": "a part"})):
                    good(session.run(s, tool, arguments))
                    clean()

    def test_nested_folders_in_scratch_hold_no_call_and_go(self):
        with self.server("--bundles", BUNDLES) as s:
            began = time.monotonic()
            self.assertEqual(good(s.call("hostile_nest", {"depth": 20000}))["attempts"], {"nest": 0})
            good(s.call("raster_info", {"uri": "small.tif"}))
            self.assertLess(time.monotonic() - began, 60)  # removing them takes as long or longer
            (own,) = glob.glob(self.scratch + "/.gdal-mcp-*")
            until(lambda: not any(glob.glob(d + "/*") for d in glob.glob(own + "/*")), "the end of the folders", session.HANG)
        self.assertEqual(os.listdir(self.scratch), [])


class Unprivileged(Small):
    """The same as root and as nobody, to whom hard limits apply."""

    def users(self):
        if os.geteuid() != 0:
            return [None]
        for folder, _, names in os.walk(self.base):
            os.chmod(folder, 0o777)
            for n in names:
                os.chmod(os.path.join(folder, n), 0o666)
        return [None, NOBODY]

    def answers(self, user, limits, *calls):
        """The output of `gdal-mcp serve` under the limits: (answers by id, exit status, the log)."""
        def prepare():
            for which, value in limits.items():
                resource.setrlimit(which, (value, value))
            if user:
                os.setgroups([])
                os.setgid(user)
                os.setuid(user)
        lines = [{"jsonrpc": "2.0", "id": 0, "method": "initialize",
                  "params": {"protocolVersion": session.LEGACY, "capabilities": {}, "clientInfo": {"name": "e2e", "version": "0"}}},
                 {"jsonrpc": "2.0", "method": "notifications/initialized"}]
        lines += [{"jsonrpc": "2.0", "id": i + 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
                  for i, (tool, arguments) in enumerate(calls)]
        with tempfile.TemporaryDirectory(prefix="gdal-mcp-state-") as state, tempfile.TemporaryFile() as log:
            os.chmod(state, 0o777)
            p = subprocess.Popen([PROGRAM, "serve", "--state-dir", state, "--scratch", self.scratch, "--workspace", self.workspace],
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, preexec_fn=prepare)
            found = {}
            try:
                for line in lines:  # one after the other
                    p.stdin.write(json.dumps(line).encode() + b"\n")
                    p.stdin.flush()
                    while "id" in line and line["id"] not in found:
                        heard = p.stdout.readline()
                        if not heard:
                            break
                        message = json.loads(heard)
                        found[message.get("id")] = message
                p.stdin.close()
                status = p.wait(60)
            finally:
                p.kill()
                p.wait()
                p.stdout.close()
            log.seek(0)
            return found, status, log.read().decode()


@unittest.skipIf(SANITIZED and SANITIZED != "OFF", "a sanitizer's shadow memory alone is over such limits")
class low_limits(Unprivileged):
    def test_a_server_works_within_what_it_has_and_says_so_once(self):
        limits = {"-n": (resource.RLIMIT_NOFILE, 64), "-v": (resource.RLIMIT_AS, 2 << 30), "-f": (resource.RLIMIT_FSIZE, 256 << 10)}
        for user in self.users():
            for flag, (which, value) in limits.items():
                with self.subTest(user=user, flag=flag):
                    calls = [("raster_info", {"uri": "small.tif"}), ("raster_stats", {"uri": "small.tif"}),
                             ("raster_convert", {**CONVERT, "overwrite": True})]
                    found, status, log = self.answers(user, {which: value}, *calls)
                    self.assertEqual(status, 0, log)
                    for i in range(len(calls)):
                        good(found[i + 1]["result"])
                    self.assertEqual(log.count(f"ulimit {flag}"), 1, log)

    def test_with_little_memory_a_call_waits_for_no_thread(self):
        rasters.write(self.path("noise.tif"), [numpy.random.default_rng(0).integers(0, 255, (1500, 1500))], gdal.GDT_Byte, epsg=32633)
        with self.server("--memory", "280", "--threads", "16", "--timeout", "20") as s:
            good(s.call("raster_convert", {"uri": "noise.tif", "output": "copy.tif"}))

    def test_a_file_over_the_limit_is_the_end_of_a_call_only(self):
        rasters.dem(self.path("large.tif"), 1200, 1200)
        for user in self.users():
            with self.subTest(user=user):
                found, status, log = self.answers(user, {resource.RLIMIT_FSIZE: 64 << 10},
                                                  ("raster_convert", {"uri": "large.tif", "output": "copy.tif"}),
                                                  ("raster_info", {"uri": "small.tif"}))
                told = found[1]["result"]
                self.assertTrue(told["isError"])
                self.assertIn("larger than 64 KiB, the limit gdal-mcp was started under (ulimit -f)", json.dumps(told))
                good(found[2]["result"])
                self.assertEqual(status, 0, log)

    def test_doctor_names_a_workspace_that_cannot_be_written(self):
        closed = self.path("closed")
        os.mkdir(closed)
        os.chmod(closed, 0o555)
        os.chmod(self.base, 0o755)
        for given, told in ((closed, True), (closed + ":ro", False)):
            with tempfile.TemporaryDirectory(prefix="gdal-mcp-state-") as state:
                os.chmod(state, 0o777)
                done = subprocess.run([PROGRAM, "doctor", "--state-dir", state, "--workspace", given], capture_output=True, text=True, cwd="/",
                                      stdin=subprocess.DEVNULL, timeout=session.HANG, user=NOBODY if os.geteuid() == 0 else None)
            self.assertEqual(f"{closed} cannot be written: Permission denied; make it writable, or give it as {closed}:ro" in done.stdout + done.stderr, told,
                             done.stdout + done.stderr)


class pipes(Small):
    def test_a_pipe_in_the_place_of_a_side_file_is_refused_at_once(self):
        gdal.Translate(self.path("plain.png"), self.path("small.tif"), format="PNG")
        os.unlink(self.path("plain.png.aux.xml"))
        for uri, name in (("plain.png", "plain.pgw"), ("small.tif", "small.tif.aux.xml"), ("small.tif", "small.tif.msk"),
                          ("small.tif", "small.tif.ovr")):
            with self.subTest(name), self.server("--timeout", "20") as s:
                os.mkfifo(self.path(name))
                try:
                    for tool, arguments in (("raster_info", {}), ("raster_convert", {"output": "out.tif"})):
                        p = problem(s.call(tool, {"uri": uri, **arguments}))
                        self.assertEqual(p["error"], "denied", p)
                        self.assertIn(name, p["message"])
                finally:
                    os.unlink(self.path(name))

    def test_a_pipe_or_socket_as_a_source_is_refused_at_once(self):
        os.mkfifo(self.path("pipe.tif"))
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        here = os.getcwd()
        os.chdir(self.workspace)
        listener.bind("socket.tif")
        os.chdir(here)
        for kind in ("pipe", "socket"):
            with open(self.path(kind + ".vrt"), "w") as f:
                f.write(f'<VRTDataset rasterXSize="4" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
                        f'<SourceFilename relativeToVRT="1">{kind}.tif</SourceFilename><SourceBand>1</SourceBand>'
                        f'</SimpleSource></VRTRasterBand></VRTDataset>')
        with self.server("--timeout", "20") as s:
            for uri in ("pipe.tif", "socket.tif", "pipe.vrt", "socket.vrt"):
                with self.subTest(uri):
                    p = problem(s.call("raster_stats", {"uri": uri}))
                    self.assertEqual(p["error"], "denied", p)


class numbers(Small):
    def test_coordinates_that_no_place_has_are_refused_at_once(self):
        rasters.parcels(self.path("parcels.gpkg"))
        far = [0, 0, 1e308, 1e308]
        polygon = {"type": "Polygon", "coordinates": [[[0, 0], [1e308, 0], [1e308, 1e308], [0, 1e308], [0, 0]]]}
        with self.server("--timeout", "20") as s:
            for box in (far, [-1e308, -1e308, 1e308, 1e308], polygon):
                for tool, uri in (("raster_query", "small.tif"), ("raster_stats", "small.tif"), ("raster_preview", "small.tif"),
                                  ("vector_query", "parcels.gpkg")):
                    with self.subTest(tool, box=box):
                        p = problem(session.run(s, tool, {"uri": uri, "geometry": box, "geometry_crs": "EPSG:3857"}))
                        self.assertEqual(p["error"], "invalid_argument", p)
                        self.assertIn("1e+308", p["message"])
            p = problem(session.run(s, "raster_reproject", {"uri": "small.tif", "dst_crs": "EPSG:32725", "resampling": "nearest",
                                                            "bounds": far, "bounds_crs": "EPSG:3857"}))
            self.assertEqual(p["error"], "invalid_argument", p)


class leaving(Small):
    def test_a_second_sigterm_leaves_no_folder(self):
        rasters.large(self.path("large.tif"))
        long = {"uri": "large.tif", "dst_crs": "EPSG:3857", "resampling": "cubic", "output": "long.tif"}
        for what in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(what):
                s = self.server()
                good(session.run(s, "raster_reproject", {**long, "uri": "small.tif", "output": "warm.tif", "overwrite": True}))
                number = s.ask("tools/call", {"name": "raster_reproject", "arguments": long}, progress=True)
                s.wait_for(lambda: s.progress_of(number), "progress")
                end = time.monotonic() + 60
                while s.process.poll() is None and time.monotonic() < end:  # again and again until it is gone
                    s.process.send_signal(what)
                self.assertEqual(s.process.returncode, 0, s.stderr())
                s.close()
                self.assertEqual(glob.glob(self.path(".gdal-mcp-*")) + os.listdir(self.scratch), [])


if __name__ == "__main__":
    session.main()
