"""The main job: a raster goes through the gate, and the given reasons apply to later calls."""
import os
import shutil

import rasters
import session
from session import Claims, Session, follow, good, problem


def scene_of(folder):
    """The Landsat scene of the demo where packaging/deps has put it, else one made by script."""
    real = os.path.join(rasters.DEMO_DATA, "L7_ETMs.tif")
    if os.path.exists(real):
        return shutil.copy(real, os.path.join(folder, "scene.tif"))
    return rasters.uint16(os.path.join(folder, "scene.tif"))


class main_job(Claims):
    def setUp(self):
        super().setUp()
        self.scene = scene_of(self.workspace)
        self.warp = {"uri": "scene.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear", "output": "mercator.tif"}

    def in_both_eras(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                yield era

    def test_tools_are_listed_with_schemas_in_both_eras(self):
        for era in self.in_both_eras():
            with Session(workspace=self.workspace, era=era) as s:
                tools = {t["name"]: t for t in s.request("tools/list")["result"]["tools"]}
                for name in ("raster_info", "raster_reproject", "vector_reproject", "store_justification", "preflight"):
                    self.assertIn(name, tools)
                    self.assertEqual(tools[name]["inputSchema"]["type"], "object")
                self.assertIn("justification", tools["raster_reproject"]["inputSchema"]["properties"])
                self.assertNotIn("justification", tools["raster_info"]["inputSchema"]["properties"])
                self.assertNotIn("x-gdalmcp", str(tools))

    def test_raster_info_tells_what_gdal_sees(self):
        with Session(workspace=self.workspace) as s:
            info = good(s.call("raster_info", {"uri": "scene.tif"}))
        seen = rasters.gdal.Open(self.scene)
        self.assertEqual((info["width"], info["height"], info["count"]),
                         (seen.RasterXSize, seen.RasterYSize, seen.RasterCount))
        x0, dx, rx, y0, ry, dy = seen.GetGeoTransform()
        self.assertEqual(info["transform"], [dx, rx, x0, ry, dy, y0])
        self.assertEqual(info["crs"]["code"], "EPSG:31985")
        self.assertEqual(len(info["bands"]), seen.RasterCount)

    def test_whole_job_following_only_the_bounce(self):
        for era in self.in_both_eras():
            for name in self.files() - {"scene.tif"}:
                os.remove(self.path(name))
            store = self.path(".preflight")
            if os.path.exists(store):
                os.rename(store, os.path.join(self.folder.name, "old-reasons"))
            before = self.files()
            with Session(workspace=self.workspace, era=era) as s:
                bounce = problem(s.call("raster_reproject", self.warp))
                self.assertEqual(bounce["error"], "requires_epistemic_justification")
                self.assertEqual({m["domain"] for m in bounce["missing"]}, {"crs_datum", "resampling"})
                self.assertEqual(self.files(), before, "a refused call writes nothing")

                for missing in bounce["missing"]:
                    sent_unchanged = problem(s.call(missing["submit"]["tool"], missing["submit"]["arguments"]))
                    self.assertEqual(sent_unchanged["error"], "invalid_justification")

                retry = follow(s, bounce)
                arguments = {k: v for k, v in retry["arguments"].items() if k != "justification"}
                self.assertEqual(arguments, {**arguments, **self.warp})
                written = good(s.call(retry["tool"], arguments))
                self.assertEqual(written["output"]["path"], self.path("mercator.tif"))

            expected = rasters.gdalwarp(self.scene, os.path.join(self.folder.name, "expected.tif"),
                                        "-t_srs", "EPSG:3857", "-r", "bilinear")
            self.assertEqual(rasters.differences(self.path("mercator.tif"), expected), rasters.masked(6))

    def test_reasons_in_the_call_itself_need_one_round_trip(self):
        with Session(workspace=self.workspace) as s:
            bounce = problem(s.call("raster_reproject", self.warp))
            schemas = {m["domain"]: m["answer_schema"] for m in bounce["missing"]}
            arguments = dict(bounce["retry"]["arguments"])
            arguments["justification"] = {d: session.fill_in(a, schemas[d]) for d, a in arguments["justification"].items()}
            good(s.call(bounce["retry"]["tool"], arguments))
            good(s.call("raster_reproject", {**self.warp, "output": "again.tif"}))

    def test_a_justification_serves_the_next_call_other_spellings_other_tools_and_the_next_session(self):
        tracts = rasters.parcels(self.path("parcels.gpkg"))
        with Session(workspace=self.workspace) as s:
            good(session.run(s, "raster_reproject", self.warp))
            good(s.call("raster_reproject", {**self.warp, "output": "second.tif"}))
            good(s.call("raster_reproject", {**self.warp, "output": "third.tif", "dst_crs": "epsg:3857"}))
            good(s.call("vector_reproject", {"uri": tracts, "dst_crs": "EPSG:3857", "output": "parcels_3857.gpkg"}))
        self.assertEqual(rasters.differences(self.path("second.tif"), self.path("third.tif")), [])
        with Session(workspace=self.workspace, era="modern") as s:
            good(s.call("raster_reproject", {**self.warp, "output": "fourth.tif"}))

    def test_a_reason_for_one_crs_does_not_serve_another(self):
        with Session(workspace=self.workspace) as s:
            good(session.run(s, "raster_reproject", self.warp))
            bounce = problem(s.call("raster_reproject", {**self.warp, "dst_crs": "EPSG:32724", "output": "utm.tif"}))
            self.assertEqual([m["domain"] for m in bounce["missing"]], ["crs_datum"])

    def test_preflight_tells_what_a_call_would_need_and_runs_nothing(self):
        with Session(workspace=self.workspace) as s:
            before = self.files()
            told = good(s.call("preflight", {"tool": "raster_reproject", "arguments": self.warp}))
            self.assertEqual(self.files(), before)
            self.assertIn("crs_datum", str(told))
            self.assertIn("resampling", str(told))

    def test_receipts_travel_beside_the_result_and_in_the_provenance(self):
        with Session(workspace=self.workspace) as s:
            result = session.run(s, "raster_reproject", self.warp)
        receipts = result["_meta"]["io.gdal-mcp/receipts"]
        self.assertEqual({r["domain"] for r in receipts}, {"crs_datum", "resampling"})
        for r in receipts:
            self.assertEqual(r["decision"], "proceed")
            self.assertRegex(r["input_hash"], "^sha256:[0-9a-f]{64}$")
        with open(self.path("mercator.tif.provenance.json")) as f:
            provenance = session.json.load(f)
        self.assertEqual(provenance["tool"], "raster_reproject")
        self.assertIn("sha256", str(provenance["inputs"]))


if __name__ == "__main__":
    session.main()
