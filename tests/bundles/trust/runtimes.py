"""Which process a library runs in: one with GDAL, or one without, where it may bring its own."""
import json
import os
import pathlib
import shutil
import sqlite3

import shelf
from inputs import PAM_NODATA, VRT, points, raster
from osgeo import gdal
from session import good, problem
from shelf import edit
from witnesses import FileWatch, processes_of_calls

POINTS = """{"type": "FeatureCollection", "features": [
{"type": "Feature", "properties": {"n": 1}, "geometry": {"type": "Point", "coordinates": [15, 50]}},
{"type": "Feature", "properties": {"n": 2}, "geometry": {"type": "Point", "coordinates": [16, 51]}}]}"""
EACCES = 13


def program_of(pid):
    try:
        return os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return ""


class Runtimes(shelf.Shelf):
    def mapped(self, host, tool):
        """The program that runs a tool, and the files mapped while it does. The tool goes on until it is cancelled."""
        before = set(processes_of_calls(host.process.pid))
        running = host.ask("tools/call", {"name": tool, "arguments": {}}, progress=True)
        host.wait_for(lambda: host.progress_of(running), f"progress of {tool}")
        calls = set(processes_of_calls(host.process.pid)) - before
        found = [(program_of(pid), pathlib.Path(f"/proc/{pid}/maps").read_text()) for pid in calls]
        host.notify("notifications/cancelled", {"requestId": running})
        self.assertEqual(len(found), 1, "one process runs the call")
        program, maps = found[0]
        return program, {line.split(None, 5)[5] for line in maps.splitlines() if "/" in line}

    def libgdals(self, files):
        return sorted({os.path.basename(f) for f in files if os.path.basename(f).startswith("libgdal.so")})


class plain(Runtimes):
    """A plugin in C that is not linked to GDAL."""

    def setUp(self):
        super().setUp()
        self.bundle = self.place("plain")
        self.outside = self.base / "outside"
        self.outside.mkdir()
        self.host = self.session("--bundles", shelf.NOOP.parents[2])

    def read(self, kind, uri, files):
        return good(self.host.call(f"plain_read_{kind}", {"uri": uri, "files": files}))

    def reads_all(self, kind, uri, files):
        """The dataset and its files, by name, are readable to their last byte."""
        got = self.read(kind, uri, files)
        self.assertEqual(set(got["attempts"].values()), {0}, got)
        return got["bytes"]

    def size(self, *names):
        return sum(os.path.getsize(self.path(n)) for n in names)

    def test_its_calls_have_no_libgdal(self):
        program, files = self.mapped(self.host, "plain_wait")
        self.assertEqual(program, "gdal-mcp-worker-plain")
        self.assertIn(str(self.bundle / "lib/plain.so"), files)
        self.assertEqual([f for f in files if "gdal.so" in f or "libproj" in f], [])
        program, files = self.mapped(self.host, "hostile_polite_loop")  # the same look at one with GDAL
        self.assertEqual(program, "gdal-mcp-worker")
        self.assertEqual(len(self.libgdals(files)), 1)

    def test_a_raster_comes_with_its_side_files(self):
        raster(self.path("a.tif"))
        pathlib.Path(self.path("a.tif.aux.xml")).write_text(PAM_NODATA.format(255))
        opened = gdal.Open(self.path("a.tif"))
        opened.BuildOverviews("NEAREST", [2])
        del opened
        self.assertEqual(self.reads_all("raster", "a.tif", ["+.aux.xml", "+.ovr"]),
                         self.size("a.tif", "a.tif.aux.xml", "a.tif.ovr"))

    def test_a_shapefile_comes_with_its_other_files(self):
        points(self.path("a.shp"), ["one", "two"], "ESRI Shapefile")
        self.assertEqual(self.reads_all("vector", "a.shp", ["a.dbf", "a.shx", "a.prj"]),
                         self.size("a.shp", "a.dbf", "a.shx", "a.prj"))

    def test_a_vrt_comes_with_its_source_and_the_sources_side_file(self):
        os.mkdir(self.path("tiles"))
        raster(self.path("tiles/a.tif"))
        pathlib.Path(self.path("tiles/a.tif.aux.xml")).write_text(PAM_NODATA.format(255))
        pathlib.Path(self.path("a.vrt")).write_text(VRT.format(source="tiles/a.tif", relative=1))
        self.assertEqual(self.reads_all("raster", "a.vrt", ["tiles/a.tif", "tiles/a.tif.aux.xml"]),
                         self.size("a.vrt", "tiles/a.tif", "tiles/a.tif.aux.xml"))

    def test_a_geopackage_comes_with_the_rows_still_in_its_log(self):
        points(self.path("a.gpkg"), ["one"])
        writer = sqlite3.connect(self.path("a.gpkg"))  # stays open: closing would fold the log into the file
        self.addCleanup(writer.close)
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE more (name TEXT)")
        writer.execute("INSERT INTO more VALUES ('only in the log')")
        writer.commit()
        self.assertIn(b"only in the log", pathlib.Path(self.path("a.gpkg-wal")).read_bytes())
        self.assertNotIn(b"only in the log", pathlib.Path(self.path("a.gpkg")).read_bytes())
        got = good(self.host.call("plain_read_vector", {"uri": "a.gpkg", "contains": "only in the log"}))
        self.assertEqual(got["attempts"], {"uri": 0, "contains": 0})

    def test_nothing_else_is_readable(self):
        raster(self.path("a.tif"))
        raster(self.path("neighbour.tif"))
        (self.outside / "canary.txt").write_text("the canary sings\n")
        with FileWatch(self.outside) as watch:
            got = self.read("raster", "a.tif", ["neighbour.tif", str(self.outside / "canary.txt"), "/etc/passwd"])
            self.assertEqual(watch.names(), set())
        self.assertEqual(got["attempts"], {"uri": 0, "0": EACCES, "1": EACCES, "2": EACCES})
        self.assertEqual(got["bytes"], self.size("a.tif"))

    def test_a_vrt_that_points_outside_is_refused_unread(self):
        raster(str(self.outside / "secret.tif"))
        pathlib.Path(self.path("a.vrt")).write_text(VRT.format(source=self.outside / "secret.tif", relative=0))
        with FileWatch(self.outside) as watch:
            p = problem(self.host.call("plain_read_raster", {"uri": "a.vrt"}))
            self.assertEqual(watch.names(), set(), p)

    def test_what_is_no_dataset_never_reaches_it(self):
        pathlib.Path(self.path("a.tif")).write_text("not a raster\n")
        self.assertIn("cannot open", problem(self.host.call("plain_read_raster", {"uri": "a.tif"}))["message"])

    def write(self, content, expected="", **more):
        return self.host.call("plain_write", {"content": content, "expected": expected, "output": "out.geojson", **more})

    def test_its_output_is_reopened_and_checked_with_gdal(self):
        self.assertEqual(good(self.write(POINTS, '{"features": 2}'))["attempts"], {"output": 0})
        self.assertEqual(pathlib.Path(self.path("out.geojson")).read_text(), POINTS)
        provenance = json.loads(pathlib.Path(self.path("out.geojson.provenance.json")).read_text())
        self.assertTrue(provenance["checks"], provenance)

    def test_an_output_that_is_not_what_it_says_is_not_delivered(self):
        for content, expected in ((POINTS, '{"features": 3}'), (POINTS, '{"crs": "EPSG:3857"}'), (POINTS[:200], ""), ("", "")):
            with self.subTest(content=content[:10], expected=expected):
                problem(self.write(content, expected))
                self.assertEqual(self.files(), set())


class own_gdal(Runtimes):
    """A plugin linked to a libgdal.so.99, which this machine does not have."""

    def manifest_says(self, bundle, **needs):
        edit(bundle / "manifest.json", lambda m: m["needs"].update(needs))

    def ours(self):
        """The libgdal of the worker, as the core's bundles are linked to it."""
        return json.loads((shelf.INSTALLED / "raster.bundle/manifest.json").read_text())["needs"]["libgdal"]

    def refused(self, tool, *reasons):
        p = self.fails(tool)
        self.assertEqual(p["error"], "quarantined")
        for r in reasons:
            self.assertIn(r, p["message"])
        self.assertTrue(p["hint"])

    def test_one_that_carries_it_runs_with_it_and_no_other(self):
        bundle = self.place("carrier")
        self.assertEqual(self.used()["org.gdal-mcp.test.own-gdal"]["runtime"], "plain")
        self.assertEqual(self.works("own_gdal_version")["text"], "99.0")
        program, files = self.mapped(self.session(), "own_gdal_wait")
        self.assertEqual(program, "gdal-mcp-worker-plain")
        self.assertEqual(self.libgdals(files), ["libgdal.so.99"])
        self.assertIn(str(bundle / "lib/libgdal.so.99"), files)

    def test_it_carries_it_wherever_it_is_put(self):
        """It contains no path of its build folder."""
        bundle = self.place("carrier")
        self.assertNotIn(os.fsencode(str(shelf.BUILT)), (bundle / "lib/carrier.so").read_bytes())
        self.assertEqual(shelf.describe(bundle).returncode, 0)
        self.assertEqual(self.works("own_gdal_version")["text"], "99.0")

    def test_a_carried_library_that_was_changed_is_refused(self):
        carried = self.place("carrier") / "lib/libgdal.so.99"
        carried.write_bytes(carried.read_bytes() + b"\0")
        self.refused("own_gdal_version", str(carried), "its manifest has sha256:")

    def test_one_that_does_not_carry_it_is_refused_with_both_names(self):
        self.place("borrower")
        reason = self.reasons()["borrower.bundle"]
        self.assertIn("libgdal.so.99", reason)
        self.assertIn(self.ours(), reason)

    def test_a_bare_library_linked_to_it_is_refused_with_both_names(self):
        shutil.copy(shelf.BUILT / "borrower.bundle/lib/borrower.so", self.shelf)
        reason = self.reasons()["borrower.so"]
        self.assertIn("libgdal.so.99", reason)
        self.assertIn(self.ours(), reason)

    def test_a_manifest_that_calls_it_plain_is_refused_when_the_library_is_opened(self):
        self.manifest_says(self.place("borrower"), runtime="plain")
        self.assertEqual(self.reasons(), {})
        self.refused("own_gdal_version", "is linked to libgdal.so.99", "without GDAL")

    def test_a_manifest_that_names_another_libgdal_is_refused_when_the_library_is_opened(self):
        for name in ("borrower", "carrier"):
            bundle = self.place(name)
            self.manifest_says(bundle, runtime="gdal", libgdal=self.ours())
            self.assertEqual(self.reasons(), {})
            self.refused("own_gdal_version", "is linked to libgdal.so.99", f"runs with {self.ours()}")
            shutil.rmtree(bundle)

    def test_a_carried_libgdal_beside_the_workers_own_is_refused(self):
        self.place("both")
        self.refused("own_gdal_version", "comes with libgdal.so.99", f"runs with {self.ours()}")

    def test_a_manifest_that_changes_its_mind_under_a_running_host_is_refused(self):
        """The library stays as it was, and its hash is known."""
        bundle = self.place("carrier")
        host = self.session()
        good(host.call("own_gdal_version", {}))
        listed = len([n for n in host.notifications if n["method"].endswith("tools/list_changed")])
        fresh = bundle / "manifest.new"
        shutil.copy(bundle / "manifest.json", fresh)
        edit(fresh, lambda m: (m["needs"].update(runtime="gdal", libgdal=self.ours()), m["tools"][0].update(title="New")))
        fresh.rename(bundle / "manifest.json")
        host.wait_for(lambda: len([n for n in host.notifications if n["method"].endswith("tools/list_changed")]) > listed,
                      "the changed bundle")
        self.assertIn(f"runs with {self.ours()}", problem(host.call("own_gdal_version", {}))["message"])

    def test_what_cannot_be_carried_is_refused_where_it_is_described(self):
        bundle = self.place("plain")
        for library, reason in ((shelf.BUILT / "bare.so", "has the SONAME ''"), (shelf.BUILT / "none.so", "cannot read"),
                                (bundle / "manifest.json", "no ELF header")):
            done = shelf.describe(bundle, "--carry", library)
            self.assertEqual(done.returncode, 1)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    shelf.main()
