"""Hundreds of ways out of a call, tried in one run: by a bundle, system call by system call, and by an agent, argument by
argument. Whether one gets through is read off canaries: files before and after, connections at listeners, opens of files
outside, the state of processes, kernel objects and the terminal, and a text that no answer may contain. As root, the run
is repeated by a user without privileges."""
import json
import os
import pathlib
import secrets
import socket
import subprocess
import sys
import tarfile
import time
import unittest
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import canaries  # noqa: E402
import session  # noqa: E402
from osgeo import gdal  # noqa: E402
from session import Claims, Session, good, problem_text, run  # noqa: E402
from witnesses import FileWatch, Loopback, UnixSocket, descendants  # noqa: E402

gdal.UseExceptions()
BUNDLES = os.environ.get("GDAL_MCP_TEST_BUNDLES", "")
NOBODY = 65534
GROUPS = ("scheduling", "limits", "signals", "descriptors", "input", "files", "kernel objects", "processes", "network")

POINT = '{{"type":"FeatureCollection","features":[{{"type":"Feature","properties":{{"name":"{0}"}},"geometry":' \
        '{{"type":"Polygon","coordinates":[[[0,0],[8,0],[8,8],[0,8],[0,0]]]}}}}]}}'
VRT = '<VRTDataset rasterXSize="4" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1">{}</VRTRasterBand></VRTDataset>'
SOURCE = '<{0}><SourceFilename relativeToVRT="{2}">{1}</SourceFilename><SourceBand>1</SourceBand></{0}>'
OGR_VRT = '<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource{1}>{0}</SrcDataSource>{2}</OGRVRTLayer>' \
          '</OGRVRTDataSource>'


class Attempts(Claims):
    def setUp(self):
        super().setUp()
        base = os.path.realpath(self.folder.name)
        self.secret = "canary" + secrets.token_hex(8)
        self.outside = os.path.join(base, "outside")
        os.mkdir(self.outside)
        for name in ("secret.txt", "secret.csv"):
            pathlib.Path(self.outside, name).write_text(f"name,x\n{self.secret},1\n")
        pathlib.Path(self.outside, "secret.geojson").write_text(POINT.format(self.secret))
        self.raster(os.path.join(self.outside, "secret.tif"), self.secret)
        with zipfile.ZipFile(os.path.join(self.outside, "secret.zip"), "w") as z:
            z.write(os.path.join(self.outside, "secret.geojson"), "secret.geojson")
        self.raster(self.path("mine.tif"), "mine")
        pathlib.Path(self.path("mine.geojson")).write_text(POINT.format("mine"))
        canaries.where_there_is(os.setxattr, self.path("mine.geojson"), "user.canary", b"1")
        pathlib.Path(self.path("neighbour.txt")).write_text(self.secret)
        self.count, self.through = 0, []

        self.victim = subprocess.Popen(["sleep", "600"])
        self.addCleanup(self.victim.wait)
        self.addCleanup(self.victim.kill)
        self.terminal = canaries.Terminal()
        self.addCleanup(self.terminal.close)
        self.name = "gdal-mcp-canary-" + secrets.token_hex(4)
        self.objects = canaries.KernelObjects(self.name)
        self.addCleanup(self.objects.close)
        self.loopback = self.closing(Loopback())
        self.socket = os.path.join(self.outside, "socket")
        self.listeners = [self.loopback, self.closing(UnixSocket(self.socket)), self.closing(UnixSocket("\0" + self.name)),
                          self.closing(UnixSocket(self.socket + "d", socket.SOCK_DGRAM))]
        self.session = Session("--bundles", BUNDLES, workspace=self.workspace, stderr=self.terminal.slave,
                               env={**os.environ, "HOME": base})
        self.addCleanup(self.session.close)
        self.zygotes = self.at_rest()

    def closing(self, resource):
        self.addCleanup(resource.close)
        return resource

    @staticmethod
    def raster(path, words):
        made = gdal.GetDriverByName("GTiff").Create(path, 4, 4, 1, gdal.GDT_Byte)
        made.SetGeoTransform((0, 2, 0, 8, 0, -2))
        made.SetMetadataItem("TIFFTAG_IMAGEDESCRIPTION", words)

    def at_rest(self):
        """The processes there are between calls: one per runtime. The process of an answered call may still be exiting."""
        self.session.call("noop", {})
        self.session.call("raster_info", {"uri": "mine.tif"})
        deadline = time.monotonic() + 60
        while len(rest := set(descendants(self.session.process.pid))) > 2:
            self.assertLess(time.monotonic(), deadline, f"more than the two zygotes: {rest}")
            os.sched_yield()
        return rest

    def later_call(self):
        """The state of a call that runs after all attempts."""
        before = self.at_rest()
        running = self.session.ask("tools/call", {"name": "hostile_polite_loop", "arguments": {}}, progress=True)
        self.session.wait_for(lambda: self.session.progress_of(running), "progress of the running call")
        (pid,) = set(descendants(self.session.process.pid)) - before
        state = canaries.process(pid)
        self.session.notify("notifications/cancelled", {"requestId": running})
        state.pop("folder")  # its own
        return state

    def state(self):
        """Everything that must stay unchanged. The host itself writes reasons and the log of calls."""
        found = {p: s for p, s in canaries.files(self.outside, self.workspace).items()
                 if p != self.workspace and "/.preflight" not in p}
        processes = {os.getpid(), self.victim.pid, self.session.process.pid, 1} | self.zygotes
        return {**found, **{f"process {p}": canaries.process(p) for p in processes},
                "kernel objects": self.objects.state(), "terminal": self.terminal.state(), "machine": os.uname(),
                "listeners": [listener.count for listener in self.listeners]}

    def compare(self, what, before):
        """Records what `what` changed; returns the present state."""
        self.assertIsNone(self.victim.poll(), f"{what} ended another process")
        self.assertIsNone(self.session.process.poll(), f"{what} ended the host")
        self.assertEqual(self.at_rest(), self.zygotes, f"{what} left or took a process")
        after = self.state()
        for key in sorted(set(before) | set(after), key=str):
            was, now = before.get(key), after.get(key)
            if isinstance(was, dict) and isinstance(now, dict):
                was, now = ({k: v for k, v in a.items() if v != b.get(k)} for a, b in ((was, now), (now, was)))
            if was != now:
                self.through.append(f"{what} changed {key}: {was} -> {now}")
        return after

    # ---- by a bundle

    def by_the_bundle(self):
        before = self.state()
        for group in GROUPS:
            tried = good(self.session.call("hostile_attempts", {
                "group": group, "input": self.path("mine.geojson"), "path": self.path("neighbour.txt"),
                "folder": self.outside, "socket": self.socket, "name": self.name, "pid": self.victim.pid,
                "port": self.loopback.port, "shm": self.objects.shm, "msg": self.objects.msg,
                "sem": self.objects.sem}))["attempts"]
            self.assertTrue(tried, group)
            self.count += len(tried)
            self.through += [f"{group}: {way} succeeded" for way, error in tried.items() if error == 0]
            before = self.compare(group, before)
        for way in ("wait", "breed"):
            self.count += 1
            if not self.session.call("hostile_threads", {"count": 20000, "way": way}).get("isError"):
                self.through.append(f"20 000 threads that {way}")
            before = self.compare(f"threads that {way}", before)

    # ---- by an agent

    def names(self):
        """Arguments that name something outside, in every possible spelling."""
        out, port = self.outside, self.loopback.port
        os.symlink(os.path.join(out, "secret.geojson"), self.path("link.geojson"))
        os.symlink(out, self.path("folder"))
        for name in ("secret.geojson", "secret.tif", "secret.csv", "secret.txt"):
            yield f"../outside/{name}"
            yield f"{out}/{name}"
            yield f"{self.workspace}/../outside/{name}"
            yield f"file://{out}/{name}"
            yield f"folder/{name}"
            yield f"/proc/self/root{out}/{name}"
            yield f"/vsisubfile/0_400,{out}/{name}"
            yield f"/vsigzip/{out}/{name}"
            yield f"/vsisparse/{out}/{name}"
            yield f"/vsicached?file={out}/{name}"
        yield "link.geojson"
        for inside in (f"/vsizip/{out}/secret.zip/secret.geojson", f"/vsizip/{{{out}/secret.zip}}/secret.geojson",
                       f"/vsitar/{out}/secret.zip/secret.geojson", f"zip://{out}/secret.zip!secret.geojson"):
            yield inside
        for scheme in ("http", "https", "ftp"):
            yield f"{scheme}://127.0.0.1:{port}/secret.tif"
        for remote in ("/vsicurl/http://127.0.0.1:{}/a.tif", "/vsicurl?url=http://127.0.0.1:{}/a.tif",
                       "/vsicurl_streaming/http://127.0.0.1:{}/a.tif", "/vsis3/127.0.0.1:{}/a.tif",
                       "/vsigs/127.0.0.1:{}/a.tif", "/vsiaz/127.0.0.1:{}/a.tif", "/vsihdfs/127.0.0.1:{}/a",
                       "/vsiwebhdfs/http://127.0.0.1:{}/webhdfs/v1/a", "/vsizip//vsicurl/http://127.0.0.1:{}/a.zip",
                       "WMS:http://127.0.0.1:{}/?LAYERS=a", "WMTS:http://127.0.0.1:{}/", "WFS:http://127.0.0.1:{}/",
                       "WCS:http://127.0.0.1:{}/", "OAPIF:http://127.0.0.1:{}/", "CSW:http://127.0.0.1:{}/",
                       "PG:host=127.0.0.1 port={} dbname=a", "MYSQL:a,host=127.0.0.1,port={}",
                       "ES:http://127.0.0.1:{}", "COUCHDB:http://127.0.0.1:{}", "AMIGOCLOUD:a", "CARTO:a",
                       "STACIT:\"http://127.0.0.1:{}/search\"", "EEDA:a", "NGW:http://127.0.0.1:{}/resource/1",
                       "DODS:http://127.0.0.1:{}/a", "<GDAL_WMS><Service name=\"TMS\"><ServerUrl>http://127.0.0.1:{}/"
                       "</ServerUrl></Service></GDAL_WMS>"):
            yield remote.format(port)
        for prefix in ("GTIFF_DIR:1:", "GTIFF_RAW:", "vrt://", "HDF5:", "NETCDF:", "SQLITE:", "GPKG:", "CSV:", "DERIVED_SUBDATASET:"
                       "AMPLITUDE:", "ZARR:", "MBTILES:", "NITF_IM:0:", "SENTINEL2_L1C:", "GRIB:", "JSON:", "GeoJSON:",
                       "TopoJSON:", "RASTERLITE:", "IDA:", "ODBC:", "XLS:", "file:"):
            yield f"{prefix}{out}/secret.{'tif' if prefix[:4] in ('GTIF', 'vrt:', 'DERI') else 'geojson'}"
        yield OGR_VRT.format(f"{out}/secret.geojson", "", "")
        yield VRT.format(SOURCE.format("SimpleSource", f"{out}/secret.tif", 0))
        for special in ("/vsistdin/", "/vsimem/", "/dev/stdin", "/dev/zero", "/proc/self/environ", "/etc/passwd", "/",
                        "~/.ssh/id_rsa", "secret.geojson\0.tif", "", ".", "..", "query://result/../../outside/secret.tif",
                        ".preflight/audit.jsonl", "\u202e../outside/secret.tif"):
            yield special

    def documents(self):
        """Files an agent could put into the workspace, each of which points outside."""
        out, url = self.outside, f"http://127.0.0.1:{self.loopback.port}/a"
        for kind in ("SimpleSource", "ComplexSource", "AveragedSource", "KernelFilteredSource"):
            for target, relative in ((f"{out}/secret.tif", 0), ("../outside/secret.tif", 1), (f"/vsicurl/{url}.tif", 0),
                                     (f"/vsisubfile/0_400,{out}/secret.tif", 0), (f"vrt://{out}/secret.tif", 0)):
                yield "vrt", VRT.format(SOURCE.format(kind, target, relative))
        for target, more in ((f"{out}/secret.geojson", ""), (f"{out}/secret.csv", ""), (f"/vsicurl/{url}.geojson", ""),
                             (f"WFS:{url}", ""), (f"{out}/secret.zip", ""),
                             (f"{out}/secret.geojson", "<SrcSQL>select * from secret</SrcSQL>")):
            yield "vrt", OGR_VRT.format(target, "", more)
        yield "vrt", OGR_VRT.format("../outside/secret.geojson", ' relativeToVRT="1"', "")
        raw = '<VRTDataset rasterXSize="4" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1" ' \
              'subClass="VRTRawRasterBand"><SourceFilename relativetoVRT="0">{}</SourceFilename></VRTRasterBand></VRTDataset>'
        yield "vrt", raw.format(f"{out}/secret.txt")
        yield "vrt", raw.format(f"/vsisubfile/0_16,{out}/secret.txt")
        yield "vrt", '<VRTDataset rasterXSize="4" rasterYSize="4"><VRTRasterBand dataType="Byte" band="1" subClass=' \
            '"VRTDerivedRasterBand"><PixelFunctionType>f</PixelFunctionType><PixelFunctionLanguage>Python' \
            '</PixelFunctionLanguage><PixelFunctionCode><![CDATA[import os\ndef f(*a):\n  os.system("touch ' \
            f'{out}/made")\n]]></PixelFunctionCode></VRTRasterBand></VRTDataset>'
        yield "xml", f'<GDAL_WMS><Service name="TMS"><ServerUrl>{url}/${{z}}</ServerUrl></Service><DataWindow><SizeX>4' \
                     '</SizeX><SizeY>4</SizeY><TileLevel>0</TileLevel></DataWindow></GDAL_WMS>'
        entity = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "{}">]>'
        for target in (f"file://{out}/secret.txt", f"{url}.txt"):
            yield "gpx", entity.format(target) + '<gpx version="1.1"><wpt lat="1" lon="2"><name>&b;</name></wpt></gpx>'
            yield "kml", entity.format(target) + '<kml><Document><Placemark><name>&b;</name><Point><coordinates>1,2' \
                '</coordinates></Point></Placemark></Document></kml>'
            yield "gml", entity.format(target) + '<FeatureCollection><featureMember><a><n>&b;</n></a></featureMember>' \
                '</FeatureCollection>'
        yield "kml", f'<kml><NetworkLink><Link><href>{url}.kml</href></Link></NetworkLink></kml>'
        yield "gml", f'<a:FeatureCollection xmlns:a="a" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ' \
                     f'xsi:schemaLocation="a {url}.xsd"><a:featureMember/></a:FeatureCollection>'
        yield "img", f"PDS_VERSION_ID = PDS3\r\n^IMAGE = \"{out}/secret.txt\"\r\nEND\r\n"
        yield "geojson", '{"type":"FeatureCollection","crs":{"type":"link","properties":{"href":"' + url + \
            '","type":"proj4"}},"features":[]}'
        yield "tif.lst", f"{out}/secret.tif\n"

    def archives(self):
        for name, entries in (("up.zip", ["../outside/made.geojson"]), ("absolute.zip", [f"{self.outside}/made.geojson"])):
            with zipfile.ZipFile(self.path(name), "w") as z:
                for entry in entries:
                    z.writestr(entry, POINT.format("made"))
            yield name
        with tarfile.open(self.path("link.tar"), "w") as t:
            link = tarfile.TarInfo("link.geojson")
            link.type, link.linkname = tarfile.SYMTYPE, os.path.join(self.outside, "secret.geojson")
            t.addfile(link)
        yield "link.tar"
        yield "link.tar/link.geojson"
        yield f"/vsitar/{self.path('link.tar')}/link.geojson"

    def outputs(self):
        """Outputs outside; each with the tool that would write it."""
        os.symlink(os.path.join(self.outside, "made.tif"), self.path("out-link.tif"))
        for target in ("../outside/made.tif", f"{self.outside}/made.tif", "folder/made.tif", "out-link.tif",
                       f"file://{self.outside}/made.tif", f"/vsimem/../{self.outside}/made.tif",
                       f"/vsizip/{self.outside}/made.zip/a.tif", f"/vsicurl/http://127.0.0.1:{self.loopback.port}/a.tif",
                       "/tmp/gdal-mcp-canary.tif", "/dev/shm/gdal-mcp-canary.tif", "/etc/gdal-mcp-canary.tif",
                       ".preflight/made.tif", ".preflight/justifications/made.tif", "made.tif\0.png", "folder", ".", ".."):
            yield "raster_convert", {"uri": "mine.tif", "output": target, "overwrite": True}
        for target in ("../outside/made.gpkg", f"{self.outside}/secret.geojson", "folder/secret.geojson",
                       "link.geojson", ".preflight/audit.jsonl", "neighbour.txt/made.gpkg"):
            yield "vector_query", {"uri": "mine.geojson", "output": target, "overwrite": True}
        for driver, options in (("PDS4", [f"TEMPLATE={self.outside}/secret.txt"]),
                                ("PDS4", [f"TEMPLATE=http://127.0.0.1:{self.loopback.port}/a.xml"]),
                                ("PDS4", [f"IMAGE_FILENAME={self.outside}/made.img"]),
                                ("PDS4", [f"LABEL_FILENAME={self.outside}/made.xml"]),
                                ("ISIS3", ["DATA_LOCATION=EXTERNAL", f"EXTERNAL_FILENAME={self.outside}/made.cub"]),
                                ("ISIS3", ["DATA_LOCATION=GEOTIFF", f"EXTERNAL_FILENAME={self.outside}/made.tif"]),
                                ("VICAR", [f"LABEL={self.outside}/secret.txt"]),
                                ("PDF", [f"OGR_DATASOURCE={self.outside}/secret.geojson"]),
                                ("PDF", [f"EXTRA_IMAGES={self.outside}/secret.tif,0,0,1"]),
                                ("NITF", ["FILE_TEXT=1", f"TEXT=DATA_0={self.outside}/secret.txt"]),
                                ("MRF", [f"DATANAME={self.outside}/made.dat"]),
                                ("MRF", [f"INDEXNAME={self.outside}/made.idx"]),
                                ("MRF", [f"CACHEDSOURCE={self.outside}/secret.tif"]),
                                ("GTiff", [f"SRC_MDD={self.outside}/secret.tif"]),
                                ("WMTS", [f"URL=http://127.0.0.1:{self.loopback.port}/"])):
            yield "raster_convert", {"uri": "mine.tif", "output": "made", "driver": driver, "creation_options": options}
        for other in (f"{self.outside}/secret.geojson", "../outside/secret.geojson", "link.geojson"):
            yield "raster_reproject", {"uri": "mine.tif", "dst_crs": "EPSG:3857", "cutline": other}
            yield "vector_query", {"uri": "mine.geojson", "geometry": other}
        for where in ("1=1; ATTACH 'x' AS y", f"load_extension('{self.outside}/secret.txt')",
                      "ogr_geocode('x') is not null", f"name = (select name from '{self.outside}/secret.csv'.secret)"):
            yield "vector_query", {"uri": "mine.geojson", "where": where}
        yield "raster_info", {"uri": "mine.tif", "subdataset": f"GTIFF_DIR:1:{self.outside}/secret.tif"}

    def ask(self, what, tool, arguments, before):
        """One attempt; its answer may be anything except data the agent may not see."""
        self.count += 1
        with FileWatch(self.outside) as watch:
            result = run(self.session, tool, arguments)
            opened = watch.names()
        if opened:
            self.through.append(f"{what} opened {opened}: {problem_text(result)[:300]}")
        if not result.get("isError") and "output" in arguments:  # a harmless reading of it, in the workspace
            for path in set(canaries.files(self.workspace)) - set(before):
                if "/.preflight" not in path and path != self.workspace and os.path.isfile(path):
                    os.unlink(path)

    def by_the_agent(self):
        before = self.state()
        for name in self.names():
            for tool in ("raster_info", "vector_info"):
                self.ask(f"{tool} of {name!r}", tool, {"uri": name}, before)
        for kind in ("link.geojson", "folder"):
            before[self.path(kind)] = self.state().get(self.path(kind))
        before = {**before, **self.compare("naming files outside", before)}
        for number, (kind, text) in enumerate(self.documents()):
            path = self.path(f"document{number}.{kind}")
            pathlib.Path(path).write_text(text)
            for tool, more in (("vector_query", {}), ("raster_stats", {})):
                self.ask(f"{tool} of {text!r}", tool, {"uri": path, **more}, before)
            os.unlink(path)
        for name in self.archives():
            self.ask(f"archive {name}", "vector_query", {"uri": name}, before)
        for name in ("up.zip", "absolute.zip", "link.tar"):
            os.unlink(self.path(name))
        before = self.compare("a document or an archive", before)
        known = set(before)
        for tool, arguments in self.outputs():
            self.ask(f"{tool} {arguments}", tool, arguments, known)
        before[self.path("out-link.tif")] = self.state().get(self.path("out-link.tif"))
        self.compare("an output or an option", before)
        self.assertFalse([p for p in ("/tmp", "/dev/shm", "/etc") if os.path.exists(p + "/gdal-mcp-canary.tif")])

    def by_broken_messages(self):
        """Each is one line; the host answers or refuses it, and continues."""
        for line in ("{", "[]", "null", "\0", "\x1b[2J", "[" * 5000, '{"id":' + "[" * 5000,
                     '{"jsonrpc":"2.0","id":1e999,"method":"ping"}', '{"jsonrpc":"2.0","id":{},"method":"ping"}',
                     '{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', '{"jsonrpc":"2.0","id":7,"method":"\\u0000"}',
                     '{"jsonrpc":"2.0","method":"tools/call","params":[]}', "x" * 100000, "\udcff".encode(
                         errors="surrogateescape")):
            self.count += 1
            self.session.write(line if isinstance(line, bytes) else line.encode())
            self.session.write("\n")
            self.assertEqual(self.session.request("tools/call", {"name": "noop", "arguments": {}})["result"].get(
                "isError", False), False, line[:80])

    def test_none_of_them_gets_through(self):
        first = self.later_call()
        file_access = 1 << 1 | 1 << 2  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        self.assertEqual(int(first["CapPrm"], 16) & ~file_access, 0, "a call keeps privileges of root")
        self.by_the_bundle()
        self.by_the_agent()
        self.by_broken_messages()
        later = self.later_call()
        self.through += [f"a later call runs with {k} {later[k]}, not {first[k]}" for k in first if first[k] != later[k]]
        said = json.dumps([*self.session.answers.values(), *self.session.notifications])
        if self.secret in said:
            at = said.index(self.secret)
            self.through.append(f"an answer contains the secret: {said[max(0, at - 500):at + 100]}")
        self.through += [f"not JSON-RPC: {line!r}" for line in self.session.garbage]
        print(f"\n{self.count} attempts by user {os.geteuid()}, {len(self.through)} got through", flush=True)
        self.assertFalse(self.through, "\n".join(self.through))
        self.assertGreaterEqual(self.count, 200)

    def test_nor_does_one_where_the_user_has_no_privileges(self):
        if os.geteuid() != 0:
            self.skipTest("this is such a user; the other half of the claim needs root")
        again = subprocess.run([sys.executable, __file__, "Attempts.test_none_of_them_gets_through"], user=NOBODY,
                               group=NOBODY, extra_groups=[], cwd="/", env={**os.environ, "HOME": "/nonexistent"},
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        print(again.stdout, flush=True)
        self.assertEqual(again.returncode, 0)
        self.assertIn(f"attempts by user {NOBODY}, 0 got through", again.stdout)


if __name__ == "__main__":
    if not BUNDLES:
        sys.exit("set GDAL_MCP_TEST_BUNDLES to the folder of the test bundles")
    session.main()
