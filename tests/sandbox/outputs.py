"""The files a call may replace, its outputs, and the host's own files beside them: seen from outside, file by file."""
import hashlib
import json
import os
import pathlib
import stat
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import session  # noqa: E402
from inputs import VRT, points, raster  # noqa: E402
from session import Claims, Session, follow, good, problem, run  # noqa: E402

BUNDLES = os.environ.get("GDAL_MCP_TEST_BUNDLES", "")
OGR_VRT = "<OGRVRTDataSource>{}</OGRVRTDataSource>"
LAYER = "<OGRVRTLayer name=\"{name}\"><SrcDataSource relativeToVRT=\"{relative}\">{source}</SrcDataSource>{more}</OGRVRTLayer>"
NOBODY = 65534


def state(folder):
    """Content, mode and inode of everything in a folder, by relative path; a link has its target."""
    found = {}
    for top, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(top, name)
            about = os.lstat(path)
            content = os.readlink(path) if os.path.islink(path) else None
            if stat.S_ISREG(about.st_mode):
                content = hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()
            found[os.path.relpath(path, folder)] = (content, about.st_mode, about.st_ino)
    return found


class Outputs(Claims):
    def setUp(self):
        super().setUp()
        self.outside = os.path.join(os.path.realpath(self.folder.name), "outside")
        os.mkdir(self.outside)

    def serve(self, *arguments):
        self.session = Session(*arguments, workspace=self.workspace)
        self.addCleanup(self.session.close)
        return self.session

    def data(self):
        return {name: about for name, about in state(self.workspace).items() if not name.startswith(".preflight")}

    def write(self, name, text):
        pathlib.Path(self.path(name)).parent.mkdir(parents=True, exist_ok=True)
        pathlib.Path(self.path(name)).write_text(text)


class inputs_stay(Outputs):
    """Every part of an input, under every name, is refused as an output, and unchanged."""

    def refused(self, tool, arguments, named):
        before = self.data()
        p = problem(run(self.session, tool, {**arguments, "overwrite": True}))
        self.assertEqual(p["error"], "invalid_argument", p)
        self.assertEqual(p["at"], "/output", p)
        self.assertIn("inputs are never overwritten", p["message"])
        self.assertIn(named, p["message"])
        self.assertEqual(self.data(), before)

    def test_the_parts_of_a_shapefile(self):
        points(self.path("p.shp"), ["a", "b"], "ESRI Shapefile")
        points(self.path("alone.shp"), ["a", "b"], "ESRI Shapefile")
        for end in ("shp", "shx", "prj"):
            os.remove(self.path(f"alone.{end}"))
        os.link(self.path("p.shp"), self.path("twin.shp"))
        os.link(self.path("p.dbf"), self.path("other.dbf"))
        self.write("other.shp", "old")
        os.symlink("p.prj", self.path("linked.prj"))
        self.write("linked.shp", "old")
        self.serve()
        for uri, output in (("p.dbf", "p.shp"), ("p.shp", "p.shp"), ("p.dbf", "./sub/../p.shp"), ("p.shp", "twin.shp"),
                            ("p.shp", "other.shp"), ("p.shp", "linked.shp"), ("alone.dbf", "alone.shp")):
            with self.subTest(uri=uri, output=output):
                os.makedirs(self.path("sub"), exist_ok=True)
                self.refused("vector_query", {"uri": uri, "limit": 1, "output": output}, uri)

    def test_the_sources_of_a_raster_vrt(self):
        os.mkdir(self.path("tiles"))
        raster(self.path("tiles/src1.tif"))
        raster(self.path("deep.tif"))
        self.write("tiles/inner.vrt", VRT.format(relative=1, source="../deep.tif"))
        for name, source in (("a.vrt", "tiles/src1.tif"), ("nested.vrt", "tiles/inner.vrt")):
            self.write(name, VRT.format(relative=1, source=source))
        os.link(self.path("tiles/src1.tif"), self.path("twin.tif"))
        os.symlink("tiles", self.path("shortcut"))
        raster(self.path("free.tif"))
        os.symlink("tiles/src1.tif", self.path("free.tif.ovr"))
        self.serve()
        for uri, output in (("a.vrt", "tiles/src1.tif"), ("a.vrt", "twin.tif"), ("a.vrt", "shortcut/src1.tif"),
                            ("nested.vrt", "deep.tif"), ("a.vrt", "free.tif")):
            with self.subTest(uri=uri, output=output):
                self.refused("raster_convert", {"uri": uri, "output": output}, uri)

    def test_the_sources_of_a_vector_vrt(self):
        points(self.path("src.gpkg"), ["a", "b"])
        self.write("a.vrt", OGR_VRT.format(LAYER.format(name="sites", relative=1, source="src.gpkg", more="")))
        self.serve()
        self.refused("vector_query", {"uri": "a.vrt", "limit": 1, "output": "src.gpkg"}, "a.vrt")

    def test_what_belongs_to_no_input_is_still_replaced(self):
        points(self.path("p.shp"), ["a", "b"], "ESRI Shapefile")
        points(self.path("old.shp"), ["a", "b", "c"], "ESRI Shapefile")
        self.write("old.qix", "stale")
        self.serve()
        made = good(run(self.session, "vector_query", {"uri": "p.shp", "output": "old.shp", "overwrite": True}))
        self.assertEqual(made["output"]["path"], self.path("old.shp"))
        self.assertEqual(good(self.session.call("vector_info", {"uri": "old.shp"}))["layers"][0]["feature_count"], 2)
        self.assertNotIn("old.qix", self.files())

    def test_the_record_of_another_dataset_is_no_output(self):
        points(self.path("p.gpkg"), ["a"])
        self.write("r.tif.provenance.json", "{}")
        self.serve()
        before = self.data()
        for name in ("r.tif.provenance.json", "p.gpkg.Provenance.json"):
            p = problem(self.session.call("vector_query", {"uri": "p.gpkg", "output": name, "overwrite": True}))
            self.assertEqual((p["error"], p["at"]), ("invalid_argument", "/output"), p)
            self.assertIn("belongs to the dataset", p["message"])
        self.assertEqual(self.data(), before)


class delivery(Outputs):
    def deliver(self, umask):
        before = os.umask(umask)
        try:
            self.serve("--bundles", BUNDLES)
        finally:
            os.umask(before)
        return good(self.session.call("test_deliver", {"output": "out.geojson"}))

    def test_an_output_has_the_mode_of_a_new_file_and_comes_alone(self):
        made = self.deliver(0o027)
        found = self.data()
        self.assertEqual(set(found), {"out.geojson", "out.geojson.provenance.json"})
        self.assertEqual({oct(mode) for _, mode, _ in found.values()}, {oct(stat.S_IFREG | 0o640)})
        self.assertEqual(os.listxattr(self.path("out.geojson")), [])
        record = json.loads(pathlib.Path(self.path("out.geojson.provenance.json")).read_text())
        self.assertEqual(record["tool"], "test_deliver")
        for name in ("out.sh", "out.tif", "out.tif.aux.xml", "out.shp", "out.geojson.provenance.json"):
            self.assertTrue(any(f"'{name}'" in w for w in made["warnings"]), (name, made["warnings"]))

    def test_files_beside_an_output_that_are_another_dataset_are_left_alone(self):
        for name in ("out.tif", "out.tif.aux.xml", "out.tif.provenance.json", "out.shp", "out.sh"):
            self.write(name, "mine")
        before = self.data()
        self.serve("--bundles", BUNDLES)
        good(self.session.call("test_deliver", {"output": "out.geojson", "overwrite": True}))
        self.assertEqual({name: about for name, about in self.data().items() if not name.startswith("out.geojson")}, before)

    @unittest.skipIf(os.geteuid() != 0, "only root can become another user")
    def test_an_unprivileged_host_delivers_alike(self):
        os.chown(self.workspace, NOBODY, NOBODY)
        for folder in (self.folder.name, self.workspace):
            os.chmod(folder, 0o755)
        command = [os.path.abspath(session.PROGRAM), "call", "test_deliver", "--json", json.dumps({"output": "out.geojson"}), "--bundles", BUNDLES,
                   "--workspace", self.workspace, "--state-dir", os.path.join(self.workspace, ".preflight")]
        done = session.subprocess.run(command, user=NOBODY, group=NOBODY, extra_groups=[], umask=0o022, cwd="/",
                                      env={"PATH": "/usr/bin", "HOME": "/nonexistent"}, capture_output=True, text=True)
        if "Permission denied" in done.stderr and not os.path.exists(self.path("out.geojson")):
            self.skipTest("another user cannot run the program under test: " + done.stderr.splitlines()[-1])
        self.assertEqual(done.returncode, 0, done.stderr)
        about = os.stat(self.path("out.geojson"))
        self.assertEqual((oct(about.st_mode), about.st_uid), (oct(stat.S_IFREG | 0o644), NOBODY))


class own_places(Outputs):
    """Links in place of the host's own files, and their targets."""

    arguments = {"uri": "a.tif", "dst_crs": "EPSG:3857", "output": "out.tif", "resampling": "nearest"}

    def reproject(self):
        return run(self.session, "raster_reproject", self.arguments)

    def test_a_linked_store_is_neither_written_nor_believed(self):
        raster(self.path("a.tif"))
        with Session(workspace=self.workspace) as first:
            good(run(first, "raster_reproject", self.arguments))
        elsewhere = os.path.join(self.outside, "store")
        os.rename(self.path(".preflight"), elsewhere)
        for name in ("out.tif", "out.tif.provenance.json"):
            os.remove(self.path(name))
        for below in ("", "justifications", "audit.jsonl"):
            with self.subTest(linked=below):
                before = state(self.outside)
                if below:
                    os.mkdir(self.path(".preflight"))
                os.symlink(os.path.join(elsewhere, below), self.path(".preflight/" + below).rstrip("/"))
                with Session(workspace=self.workspace) as s:
                    result = s.call("raster_reproject", self.arguments)
                    self.assertTrue(result.get("isError"), "a store outside unlocked the gate")
                    p = problem(result)
                    self.assertEqual(p["error"], "requires_epistemic_justification", p)
                    if below != "audit.jsonl":
                        self.assertIn("symbolic link", json.dumps(result["_meta"]))
                        submit = p["missing"][0]["submit"]
                        answer = session.fill_in(session.skeleton_of(p, p["missing"][0]), p["missing"][0]["answer_schema"])
                        stored = problem(s.call(submit["tool"], {**submit["arguments"], "justification": answer}))
                        self.assertIn("symbolic link", stored["message"])
                        self.assertTrue(stored["hint"])
                    if below != "justifications":
                        self.assertIn("calls are not recorded", s.stderr())
                self.assertEqual(state(self.outside), before)
                self.assertNotIn("out.tif", self.files())
                session.subprocess.run(["rm", "-rf", self.path(".preflight")], check=True)

    def test_a_link_or_folder_where_a_reason_goes_is_moved_aside(self):
        raster(self.path("a.tif"))
        self.serve()
        good(self.reproject())
        secret = os.path.join(self.outside, "secret.json")
        pathlib.Path(secret).write_text("{}")
        records = sorted(pathlib.Path(self.path(".preflight/justifications")).glob("*/sha256:*.json"))
        self.assertTrue(records)
        for k, record in enumerate(records):
            record.unlink()
            record.symlink_to(secret) if k % 2 == 0 else record.mkdir()
        result = good(run(self.session, "raster_reproject", {**self.arguments, "overwrite": True}))
        self.assertEqual(result["output"]["path"], self.path("out.tif"))
        for record in records:
            self.assertFalse(record.is_symlink() or record.is_dir(), record)
            self.assertEqual(len(list(record.parent.glob("earlier/" + record.name + ".*"))), 1)
        self.assertEqual(pathlib.Path(secret).read_text(), "{}")

    def test_the_record_of_an_input_is_not_followed(self):
        raster(self.path("a.tif"))
        secret = os.path.join(self.outside, "secret")
        pathlib.Path(secret).write_text("nobody's business")
        os.symlink(secret, self.path("a.tif.provenance.json"))
        self.serve()
        good(self.reproject())
        record = pathlib.Path(self.path("out.tif.provenance.json")).read_text()
        self.assertNotIn(hashlib.sha256(b"nobody's business").hexdigest(), record)
        self.assertNotIn("provenance", json.loads(record)["inputs"][0])

    def test_a_link_or_folder_where_the_record_goes_is_moved_aside_and_said(self):
        raster(self.path("a.tif"))
        secret = os.path.join(self.outside, "secret")
        pathlib.Path(secret).write_text("nobody's business")
        self.serve()
        record = pathlib.Path(self.path("out.tif.provenance.json"))
        for kind, place in (("a symbolic link", lambda: record.symlink_to(secret)), ("a folder", lambda: record.mkdir())):
            with self.subTest(kind=kind):
                place()
                made = good(self.reproject())
                self.assertTrue(any(kind in w and "moved" in w for w in made["warnings"]), made["warnings"])
                self.assertEqual(json.loads(record.read_text())["tool"], "raster_reproject")
                self.assertFalse(record.is_symlink())
                self.assertEqual(len(list(record.parent.glob(record.name + ".aside-*"))), 1)
                for name in self.files() - {"a.tif"}:
                    os.rmdir(self.path(name)) if os.path.isdir(self.path(name)) else os.remove(self.path(name))
        self.assertEqual(pathlib.Path(secret).read_text(), "nobody's business")

    def test_what_lies_there_is_not_read_through_a_virtual_dataset(self):
        raster(self.path("ok.tif"))
        self.write("ok.csv", "a,b\nfine,1\n")
        for own in (".preflight", ".gdal-mcp-" + "0" * 32):
            self.write(f"{own}/c.csv", "a,b\nsings,1\n")
            raster(self.path(f"{own}/s.tif"), [77] * 8)
        os.symlink(".preflight/c.csv", self.path("link.csv"))
        os.symlink(".preflight", self.path("linked"))
        os.symlink(".", self.path("here"))
        os.mkdir(self.path("sub"))

        def layer(source, relative=0, name="c", more=""):
            return LAYER.format(name=name, relative=relative, source=source, more=more)

        many = "".join(layer("ok.csv", 1, f"c{k}", "<SrcLayer>ok</SrcLayer>") for k in range(70))
        sql = "<SrcSQL>SELECT * FROM '{}'.c</SrcSQL>"
        vectors = [layer(self.path(own + "/c.csv")) for own in (".preflight", ".gdal-mcp-" + "0" * 32)] + [
            layer("sub/../.preflight/c.csv", 1), layer(self.path(".preflight")), layer(self.workspace), layer(".", 1),
            layer(self.path("link.csv")), layer("linked/c.csv", 1), layer("here", 1), layer("here/.preflight/c.csv", 1),
            many + layer(".preflight/c.csv", 1), layer("ok.csv", 1, more=sql.format(self.path(".preflight/c.csv"))),
            f"<OGRVRTUnionLayer name=\"c\">{layer('.preflight/c.csv', 1)}</OGRVRTUnionLayer>",
            f"<OGRVRTWarpedLayer>{layer('.preflight/c.csv', 1)}<TargetSRS>EPSG:4326</TargetSRS></OGRVRTWarpedLayer>"]
        own = self.path(".preflight/s.tif")
        inner = VRT.format(relative=0, source=own).replace("<", "&lt;").replace(">", "&gt;")
        rasters = [VRT.format(relative=relative, source=source) for relative, source in (
            (0, own), (1, ".preflight/s.tif"), (1, "sub/../.preflight/s.tif"), (1, "linked/s.tif"), (1, "here/.preflight/s.tif"),
            (0, self.path(".gdal-mcp-" + "0" * 32 + "/s.tif")), (0, f"vrt://{own}"), (0, f"GTIFF_DIR:1:{own}"),
            (0, f"/vsisubfile/0_1000,{own}"), (0, inner))]
        raw = "<VRTDataset rasterXSize=\"4\" rasterYSize=\"2\"><VRTRasterBand dataType=\"Byte\" band=\"1\" {}>{}</VRTRasterBand>{}</VRTDataset>"
        rasters += [raw.format("subClass=\"VRTRawRasterBand\"", "<SourceFilename relativeToVRT=\"1\">.preflight/c.csv</SourceFilename>"
                               "<ImageOffset>0</ImageOffset><PixelOffset>1</PixelOffset><LineOffset>4</LineOffset>", ""),
                    raw.format("", "<SimpleSource><SourceFilename relativeToVRT=\"1\">ok.tif</SourceFilename></SimpleSource>",
                               "<MaskBand><VRTRasterBand dataType=\"Byte\"><SimpleSource><SourceFilename relativeToVRT=\"1\">"
                               ".preflight/s.tif</SourceFilename></SimpleSource></VRTRasterBand></MaskBand>")]
        self.serve()
        for text in vectors:
            self.write("a.vrt", OGR_VRT.format(text))
            with self.subTest(vector=text[-200:]):
                result = self.session.call("vector_query", {"uri": "a.vrt", "layer": "c"})
                self.assertTrue(result.get("isError"), result)
                self.assertNotIn("sings", json.dumps(result))
        for text in rasters:
            self.write("a.vrt", text)
            with self.subTest(raster=text[-200:]):
                result = self.session.call("raster_stats", {"uri": "a.vrt"})
                self.assertTrue(result.get("isError"), result)


if __name__ == "__main__":
    if not BUNDLES:
        sys.exit("set GDAL_MCP_TEST_BUNDLES to the folder of the test bundles")
    session.main()
