"""Other parts of HTTP: accepted hosts and origins, /healthz, /metrics, /files/{id}."""
import hashlib
import json
import os
import re
import socket
import sys

import numpy

import rasters
import session
from http_client import TASKS, Handshake, OverHttp, Stateless
from http_tokens import Tokens
from session import good

FAMILY = re.compile(r"# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)")
SAMPLE = re.compile(r'([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)')
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"')


def parse(text):
    """Prometheus text format 0.0.4: {name: {labels: value}}; raises on invalid text."""
    types, samples, family = {}, {}, None
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("#"):
            what, name, rest = FAMILY.fullmatch(line).groups()
            if what == "HELP":
                assert name not in types, f"{name} comes twice"
                family = name
            else:
                assert name == family and rest in ("counter", "gauge", "histogram"), line
                types[name] = rest
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        of = re.sub("_(bucket|sum|count)$", "", name) if types[family] == "histogram" else name
        assert of == family, f"{line} stands under {family}"
        key = tuple(sorted(LABEL.findall(labels or "")))
        assert key not in samples.setdefault(name, {}), f"{line} comes twice"
        samples[name][key] = float(value)
    return types, samples


class start(OverHttp):
    def test_what_is_out_of_use_is_said_before_the_first_client_comes(self):
        broken = self.path("broken.bundle")
        os.mkdir(broken)
        with open(os.path.join(broken, "manifest.json"), "w") as f:
            f.write("{")
        with self.serve("--bundles", self.workspace) as s:
            before = s.said()[:s.said().index("listening on ")]
            self.assertIn(f"bundle {broken} is quarantined: ", before)
            self.assertEqual("running as root" in before, os.getuid() == 0)


class names(OverHttp):
    def status(self, s, host=None, origin=None, path="/mcp"):
        fields = {} if host is None else {"Host": host}
        return s.get(path, {**fields, **({} if origin is None else {"Origin": origin})}).status

    def test_only_hosts_of_this_machine_are_answered_to(self):
        with self.serve() as s:
            for host in ("127.0.0.1", f"127.0.0.1:{s.port}", "localhost", "LOCALHOST:1", "[::1]", f"[::1]:{s.port}"):
                with self.subTest(host):
                    self.assertEqual(self.status(s, host, path="/healthz"), 200)
            for host in ("example.org", f"example.org:{s.port}", "127.0.0.1.example.org", "localhost.example.org", "0.0.0.0", "[::]",
                         "127.0.0.1@example.org", "127.0.0.1, example.org"):
                for path in ("/mcp", "/healthz", "/metrics", "/files/x"):
                    with self.subTest(host, path=path):
                        self.assertIn(self.status(s, host, path=path), (400, 403))

    def test_a_page_of_another_origin_is_refused(self):
        with self.serve() as s:
            c = Stateless(s)
            for origin in ("http://localhost:3000", f"http://127.0.0.1:{s.port}", "https://[::1]"):
                with self.subTest(origin):
                    self.assertEqual(c.send("tools/list", fields={"Origin": origin}).whole().status, 200)
            for origin in ("http://example.org", "https://localhost.example.org", "null", "", "file://", "http://example.org@localhost"):
                with self.subTest(origin):
                    answer = c.send("tools/list", fields={"Origin": origin}).whole()
                    self.assertEqual(answer.status, 403)
                    self.assertIn("--allow-host", answer.json()["error"])

    def test_a_request_without_a_host_or_with_two_is_refused(self):
        with self.serve() as s:
            for lines in ("", "Host: localhost\r\nHost: example.org\r\n"):
                with socket.create_connection((s.host, s.port), 60) as raw:
                    raw.sendall(f"GET /healthz HTTP/1.1\r\n{lines}Connection: close\r\n\r\n".encode())
                    self.assertRegex(raw.makefile("rb").readline(), rb"^HTTP/1\.1 40[03] ")

    def test_a_request_with_two_origins_is_refused(self):
        with self.serve() as s, socket.create_connection((s.host, s.port), 60) as raw:
            own = "Origin: http://localhost\r\n"
            raw.sendall(f"GET /healthz HTTP/1.1\r\nHost: localhost\r\n{own}{own}Connection: close\r\n\r\n".encode())
            self.assertRegex(raw.makefile("rb").readline(), rb"^HTTP/1\.1 403 ")

    def test_more_names_are_answered_to_when_the_operator_says_so(self):
        with self.serve("--allow-host", "gis.example.org", "--allow-host", "maps.example.org") as s:
            for host in ("gis.example.org", "GIS.example.org:443", "maps.example.org", "localhost"):
                self.assertEqual(self.status(s, host, "https://maps.example.org", "/healthz"), 200)
            self.assertEqual(self.status(s, "example.org", path="/healthz"), 403)
            self.assertEqual(self.status(s, "localhost", "https://example.org", "/healthz"), 403)

    def test_health_and_metrics_are_read_only(self):
        with self.serve() as s:
            for path in ("/healthz", "/metrics"):
                for method, status in (("GET", 200), ("HEAD", 200), ("POST", 405), ("DELETE", 405)):
                    with self.subTest(path, method=method):
                        self.assertEqual(s.get(path, method=method).status, status)

    def test_it_listens_on_ipv6(self):
        with self.serve(address="[::1]:0") as s:
            self.assertEqual(s.host, "::1")
            self.assertIn("result", Stateless(s).request("tools/list"))


class health_and_metrics(Tokens):
    def metrics(self, s, token=None):
        answer = s.get("/metrics", {"Authorization": "Bearer " + token} if token else {})
        self.assertEqual((answer.status, answer.fields["Content-Type"]), (200, "text/plain; version=0.0.4; charset=utf-8"))
        return parse(answer.body.decode())

    def plain(self):
        """A server without tokens."""
        return OverHttp.serve(self)

    def test_health_is_told_to_anybody(self):
        with self.serve() as s:
            answer = s.get("/healthz")
            self.assertEqual((answer.status, answer.json()), (200, {"status": "ok"}))

    def test_counts_rise_by_the_calls_that_were_made(self):
        with self.plain() as s:
            before = self.metrics(s)[1]
            self.assertNotIn("gdal_mcp_calls_total", before)
            c = Stateless(s)
            for _ in range(3):
                c.call("greet", {"name": "World"})
            Handshake(s).call("test_error_handling")
            c.ask("made_up_by_the_client").message()
            warp = {"uri": "alice/alice.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear"}
            session.problem(c.call("raster_reproject", warp))
            types, after = self.metrics(s)
            calls = {(dict(k)["tool"], dict(k)["outcome"]): n for k, n in after["gdal_mcp_calls_total"].items()}
            self.assertEqual((calls.pop(("greet", "ok")), calls.pop(("raster_reproject", "requires_epistemic_justification"))), (3, 1))
            ((tool, outcome), n), = calls.items()
            self.assertEqual((tool, n), ("test_error_handling", 1))
            self.assertNotEqual(outcome, "ok")
            decided = {tuple(dict(k).values()): n for k, n in after["gdal_mcp_decisions_total"].items()}
            self.assertEqual(decided, {("block", "crs_datum"): 1, ("block", "resampling"): 1})
            self.assertEqual(types["gdal_mcp_call_seconds"], "histogram")
            buckets = list(after["gdal_mcp_call_seconds_bucket"].values())
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual((after["gdal_mcp_call_seconds_count"][()], buckets[-1]), (5, 5))
            self.assertGreater(after["gdal_mcp_http_requests_total"][()], before["gdal_mcp_http_requests_total"][()])
            self.assertEqual(after["gdal_mcp_sessions"][()], 1)

    def test_gauges_tell_what_there_is_now(self):
        with self.plain() as s:
            c = Stateless(s, capabilities=TASKS)
            self.managed(c, "alice/alice.tif")
            task = c.task("slow_compute", {"seconds": 600})
            stream = c.listen(toolsListChanged=True)
            now = self.metrics(s)[1]
            self.assertEqual((now["gdal_mcp_results"][()], now["gdal_mcp_tasks"][(("status", "working"),)]), (1, 1))
            self.assertGreater(now["gdal_mcp_http_connections"][()], 1)
            self.assertGreater(now["process_resident_memory_bytes"][()], 1 << 20)
            rest = len(os.listdir(f"/proc/{s.process.pid}/fd"))  # the connection that asked may be closed by now
            self.assertIn(now["process_open_fds"][()], (rest, rest + 1))
            c.request("tasks/cancel", {"taskId": task})
            stream.hang_up()
            now = self.metrics(s)[1]
            self.assertEqual((now["gdal_mcp_tasks"][(("status", "working"),)], now["gdal_mcp_tasks"][(("status", "cancelled"),)]), (0, 1))

    def test_with_tokens_only_those_marked_for_it_read_metrics(self):
        os.mkdir(self.path("monitor"))
        monitor = self.make("monitor", "--metrics")
        with self.serve() as s:
            self.assertEqual((self.status(s, None, "/metrics"), self.status(s, self.secrets["alice"], "/metrics")), (401, 401))
            Stateless(s, self.secrets["alice"]).call("greet", {"name": "World"})
            self.assertIn("gdal_mcp_calls_total", self.metrics(s, monitor)[1])


class files(OverHttp):
    def setUp(self):
        super().setUp()
        self.s = self.serve("--allow-host", "gis.example.org")
        self.c = Stateless(self.s)
        self.uri = self.managed(self.c)
        self.path_of_file = "/files/" + self.uri.rpartition("/")[2]
        self.whole = self.get().body

    def get(self, method="GET", **fields):
        return self.s.get(self.path_of_file, {name.replace("_", "-"): value for name, value in fields.items()}, method)

    def test_the_whole_file_is_the_dataset_and_what_the_resource_says(self):
        answer, told = self.get(), self.c.read(self.uri)
        self.assertEqual((answer.status, answer.fields["Content-Type"], answer.fields["Accept-Ranges"]), (200, "image/tiff", "bytes"))
        self.assertEqual(int(answer.fields["Content-Length"]), len(self.whole))
        self.assertEqual(answer.fields["ETag"], f'"{self.uri.rpartition("/")[2]}"')
        self.assertRegex(answer.fields["Content-Disposition"], r'^attachment; filename="[\w.-]+\.tif"$')
        self.assertEqual(answer.fields["X-Content-Type-Options"], "nosniff")
        self.assertEqual(told["download"], f"http://{self.s.address}{self.path_of_file}")
        folders = ["/dev/shm", self.s.scratch]
        held = [os.path.join(folder, name) for top in folders for folder, _, names in os.walk(top)
                for name in names if name.endswith(".tif") and self.path_of_file.rpartition("/")[2] in folder + name]
        with open(held[0], "rb") as f:
            self.assertEqual(hashlib.sha256(self.whole).digest(), hashlib.sha256(f.read()).digest())

    def test_the_link_names_the_host_by_which_its_reader_came(self):
        for fields, base in (({"Host": "localhost:99"}, "http://localhost:99"),
                             ({"Host": "gis.example.org", "X-Forwarded-Proto": "https"}, "https://gis.example.org"),
                             ({"Host": "gis.example.org", "X-Forwarded-Proto": "javascript"}, "http://gis.example.org")):
            with self.subTest(base):
                answer = self.c.send("resources/read", {"uri": self.uri}, fields=fields).message()
                self.assertEqual(json.loads(answer["result"]["contents"][0]["text"])["download"], base + self.path_of_file)

    def test_what_is_downloaded_is_what_tools_read(self):
        with open(self.path("copy.tif"), "wb") as f:
            f.write(self.whole)
        told = [good(self.c.call("raster_stats", {"uri": uri}))["bands"] for uri in ("copy.tif", self.uri)]
        self.assertEqual(told[0], told[1])

    def test_ranges(self):
        size = len(self.whole)
        for asked, first, last in (("bytes=0-99", 0, 99), ("bytes=100-", 100, size - 1), ("bytes=-10", size - 10, size - 1),
                                   (f"bytes=5-{size * 9}", 5, size - 1), (f"bytes=-{size * 9}", 0, size - 1)):
            with self.subTest(asked):
                answer = self.get(Range=asked)
                self.assertEqual((answer.status, answer.fields["Content-Range"]), (206, f"bytes {first}-{last}/{size}"))
                self.assertEqual(answer.body, self.whole[first:last + 1])
        for asked in ("bytes=0-1,5-6", "lines=0-1", "bytes=9-1", "bytes=x"):
            with self.subTest(asked):
                answer = self.get(Range=asked)
                self.assertEqual((answer.status, answer.body), (200, self.whole))

    def test_what_lies_behind_the_end_is_416(self):
        answer = self.get(Range=f"bytes={len(self.whole)}-")
        self.assertEqual((answer.status, answer.fields["Content-Range"]), (416, f"bytes */{len(self.whole)}"))

    def test_a_range_of_another_file_is_the_whole(self):
        tag = self.get("HEAD").fields["ETag"]
        self.assertEqual(self.get(Range="bytes=0-9", If_Range=tag).status, 206)
        self.assertEqual(self.get(Range="bytes=0-9", If_Range='"another"').status, 200)

    def test_conditions_on_the_file(self):
        tag = self.get("HEAD").fields["ETag"]
        for method in ("GET", "HEAD"):
            for known in (tag, f'"x", W/{tag}', "*"):
                with self.subTest(method, known=known):
                    answer = self.get(method, If_None_Match=known)
                    self.assertEqual((answer.status, answer.fields["ETag"], answer.body), (304, tag, b""))
            self.assertEqual(self.get(method, If_None_Match='"another"').status, 200)
            self.assertEqual(self.get(method, If_Match='"another"').status, 412)
            self.assertEqual(self.get(method, If_Match=tag).status, 200)

    def test_head_has_no_ranges(self):
        for asked in ("bytes=0-9", f"bytes={len(self.whole)}-"):
            answer = self.get("HEAD", Range=asked)
            self.assertEqual((answer.status, answer.fields["Content-Length"]), (200, str(len(self.whole))))

    def test_head_is_get_without_the_bytes(self):
        answer = self.get("HEAD")
        self.assertEqual((answer.status, answer.body, int(answer.fields["Content-Length"])), (200, b"", len(self.whole)))

    def test_it_is_only_read(self):
        for method in ("POST", "PUT", "DELETE"):
            answer = self.s.get(self.path_of_file, {}, method, b"")
            self.assertEqual((answer.status, answer.fields["Allow"]), (405, "GET, HEAD"))

    def test_what_is_released_or_never_was_is_404(self):
        good(self.c.call("release_result", {"uri": self.uri}))
        for path in (self.path_of_file, "/files/", "/files/" + "0" * 32, "/files/../../etc/passwd", "/files/%2e%2e%2fx", "/files//etc/passwd"):
            with self.subTest(path):
                self.assertIn(self.s.get(path).status, (400, 404))

    def test_a_file_that_is_released_while_it_is_read_is_read_to_its_end(self):
        noise = numpy.random.default_rng(1).integers(0, 256, (4000, 4000), "uint8")  # more than sockets buffer, also compressed
        rasters.write(self.path("noise.tif"), [noise], rasters.gdal.GDT_Byte)
        uri = good(session.run(self.c, "raster_query", {"uri": "noise.tif", "geometry": [289000, 9007000, 403000, 9121000],
                                                        "purpose": "all of it"}))["output"]["uri"]
        path = "/files/" + uri.rpartition("/")[2]
        whole = self.s.get(path).body
        self.assertGreater(len(whole), 12 << 20)
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(60)
        connection.connect((self.s.host, self.s.port))
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        reply = connection.makefile("rb")
        self.assertIn(b"200", reply.readline())
        good(self.c.call("release_result", {"uri": uri}))
        self.assertEqual(self.s.get(path).status, 404)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        self.assertEqual(reply.read().partition(b"\r\n\r\n")[2], whole)
        reply.close()
        connection.close()


if __name__ == "__main__":
    sys.exit(session.main())
