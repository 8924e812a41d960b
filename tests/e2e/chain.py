"""Five steps on an elevation model, handing query://result/{id} from one to the next; only the last is written to a file."""
import csv
import hashlib
import os
import re
import subprocess

import rasters
import session
from session import Claims, Session, good, run

HANDLE = re.compile(r"^query://result/[0-9a-f]+$")


def box(bounds, margin):
    """A rectangle inside bounds (minx, miny, maxx, maxy), `margin` of the size away from each edge, as a GeoJSON polygon."""
    minx, miny, maxx, maxy = bounds
    dx, dy = (maxx - minx) * margin, (maxy - miny) * margin
    ring = [[minx + dx, miny + dy], [maxx - dx, miny + dy], [maxx - dx, maxy - dy], [minx + dx, maxy - dy], [minx + dx, miny + dy]]
    return {"type": "Polygon", "coordinates": [ring]}


def extent(path):
    raster = rasters.gdal.Open(path)
    x0, dx, _, y0, _, dy = raster.GetGeoTransform()
    xs, ys = sorted([x0, x0 + dx * raster.RasterXSize]), sorted([y0, y0 + dy * raster.RasterYSize])
    return xs[0], ys[0], xs[1], ys[1]


class chain(Claims):
    def walk(self, era):
        """From a subset to zonal statistics. The zone lies wholly inside the subset."""
        crs = f"EPSG:{rasters.gdal.Open(self.path('dem.tif')).GetSpatialRef().GetAuthorityCode(None)}"
        bounds = extent(self.path("dem.tif"))
        before = self.files()
        with Session(workspace=self.workspace, era=era) as s:
            subset = good(run(s, "raster_query", {"uri": "dem.tif", "geometry": box(bounds, 0.1), "geometry_crs": crs,
                                                  "purpose": "upstream area of the valley"}))
            filled = good(run(s, "hydro_condition", {"uri": subset["output"]["uri"], "method": "fill",
                                                     "nodata_holes": "outlet"}))
            directions = good(run(s, "hydro_flow_direction", {"uri": filled["output"]["uri"], "method": "d8"}))
            accumulation = good(run(s, "hydro_flow_accumulation", {"uri": directions["output"]["uri"]}))
            for step in (subset, filled, directions, accumulation):
                self.assertRegex(step["output"]["uri"], HANDLE)
            self.assertEqual(self.files(), before, "steps in between leave no file in the workspace")

            described = s.request("resources/read", {"uri": accumulation["output"]["uri"]})["result"]["contents"][0]
            self.assertGreater(session.json.loads(described["text"])["size_bytes"], 0)

            table = good(run(s, "aggregate_zonal", {"raster": accumulation["output"]["uri"], "bands": [1], "output": "zones.csv",
                                                    "zones": box(bounds, 0.25), "zones_crs": crs,
                                                    "stats": ["count", "min", "max", "mean", "sum"]}))
            self.assertEqual({n for n in self.files() - before if not n.endswith(".provenance.json")}, {"zones.csv", "zones.csvt"})
            with open(self.path("zones.csv")) as f:
                rows = list(csv.DictReader(f))
            self.assertEqual(len(rows), 1)
            released = good(s.call("release_result", {"uri": accumulation["output"]["uri"]}))
            self.assertTrue(released["released"])
            self.check_methods()
            gone = session.problem(s.call("raster_info", {"uri": accumulation["output"]["uri"]}))
            self.assertEqual(gone["error"], "expired")
        return subset, accumulation, rows[0], table

    def check_methods(self):
        """The methods text of the last file names all five steps, back to the original data."""
        done = subprocess.run([session.PROGRAM, "reflect", "export", "--format", "markdown", "zones.csv"], cwd=self.workspace,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = re.findall(r"^(\d)\. `(\w+)` .* from (.*?) on \d{4}-", done.stdout, re.M)
        with open(self.path("dem.tif"), "rb") as dem:
            self.assertEqual(done.stdout.count(hashlib.sha256(dem.read()).hexdigest()), 1)  # under the data
        tools = ["raster_query", "hydro_condition", "hydro_flow_direction", "hydro_flow_accumulation", "aggregate_zonal"]
        self.assertEqual(steps, [(str(i + 1), tool, f"the result of step {i}" if i else "`dem.tif`")
                                 for i, tool in enumerate(tools)], done.stdout)

    def test_the_methods_text_follows_files_to_the_data(self):
        rasters.dem(self.path("dem.tif"))
        with Session(workspace=self.workspace) as s:
            good(run(s, "raster_terrain", {"uri": "dem.tif", "measure": "slope", "output": "slope.tif"}))
            good(run(s, "raster_classify", {"uri": "slope.tif", "breaks": [10, 30], "output": "steep.tif"}))
            good(run(s, "raster_convert", {"uri": "steep.tif", "output": "cog.tif"}))
        done = subprocess.run([session.PROGRAM, "reflect", "export", "--format", "markdown", "cog.tif"], cwd=self.workspace,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertEqual(re.findall(r"^(\d)\. `(\w+)` .* made `(\S+)` .* from (.*?) on \d{4}-", done.stdout, re.M), [
            ("1", "raster_terrain", "slope.tif", "`dem.tif`"),
            ("2", "raster_classify", "steep.tif", "the result of step 1 (`slope.tif`)"),
            ("3", "raster_convert", "cog.tif", "the result of step 2 (`steep.tif`)")], done.stdout)

    def check(self, subset, row):
        """What must hold whatever the terrain: counts by area, and a largest accumulation no larger than the subset."""
        bounds, (dx, dy) = extent(self.path("dem.tif")), rasters.gdal.Open(self.path("dem.tif")).GetGeoTransform()[1::4]
        zone_cells = (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]) * 0.25 / abs(dx * dy)
        self.assertAlmostEqual(float(row["count"]), zone_cells, delta=zone_cells * 1e-6)
        self.assertGreaterEqual(float(row["min"]), 1)
        self.assertGreater(float(row["max"]), 50)
        self.assertLessEqual(float(row["max"]), subset["pixel_count"])
        self.assertAlmostEqual(float(row["sum"]), float(row["mean"]) * float(row["count"]), delta=abs(float(row["sum"])) * 1e-9)

    def test_on_an_elevation_model_made_by_script(self):
        rasters.dem(self.path("dem.tif"))
        for era in ("legacy", "modern"):
            with self.subTest(era=era):
                for name in self.files() - {"dem.tif"}:
                    os.remove(self.path(name))
                subset, _, row, _ = self.walk(era)
                self.check(subset, row)

    def test_on_big_tujunga_creek(self):
        source = os.path.join(rasters.TEST_DATA, "dem", "bigtujunga.tif")
        if not rasters.TEST_DATA or not os.path.exists(source):
            self.skipTest("GDAL_MCP_TEST_DATA/dem/bigtujunga.tif is not there")
        rasters.gdal.Translate(self.path("dem.tif"), source)
        subset, _, row, _ = self.walk("modern")
        self.check(subset, row)


if __name__ == "__main__":
    session.main()
