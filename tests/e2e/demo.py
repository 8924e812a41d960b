"""The demo tells the whole story on real data and ends with a configuration that works."""
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

import rasters
import session
from session import Claims, PROGRAM, Session, good


class demo(Claims):
    def shown(self, status=0):
        done = subprocess.run([PROGRAM, "demo", "--data", self.workspace], capture_output=True, text=True, timeout=session.HANG,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def put_data(self, *but):
        for name in os.listdir(rasters.DEMO_DATA):
            if name not in but:
                shutil.copy(os.path.join(rasters.DEMO_DATA, name), self.workspace)

    def test_it_runs_to_the_end_and_its_configuration_starts_a_working_server(self):
        self.put_data()
        told = self.shown()
        for word in ("raster_info", "raster_reproject", "crs_datum", "resampling", "store_justification", "vector_reproject", "datum"):
            self.assertIn(word, told)

        blocks = re.findall(r"^\{\n.*?^\}", told, re.M | re.S)
        configuration = json.loads(blocks[-1])["mcpServers"]["gdal-mcp"]
        self.assertTrue(os.path.isabs(configuration["command"]))
        arguments = [a for a in configuration["args"] if a != "serve"]
        with Session(*arguments, program=configuration["command"]) as s:
            self.assertEqual(good(s.call("raster_info", {"uri": os.path.join(self.workspace, "L7_ETMs.tif")}))["count"], 6)

    def test_the_numbers_it_shows_are_those_of_the_counties(self):
        self.put_data()
        told = self.shown()
        true_km2 = self.area("counties_5070.gpkg", 5070)
        mercator_km2 = self.area("nc.gpkg", 3857)
        ratio = float(re.search(r"add up to ([\d.]+) x their true area; EPSG:6933", told)[1])
        self.assertAlmostEqual(ratio, mercator_km2 / true_km2, delta=0.006)
        second_opinion = re.search(r"at (\d+) km2 in this file; in EPSG:3857 it would be (\d+) km2", told)
        self.assertEqual([int(n) for n in second_opinion.groups()], [round(true_km2), round(mercator_km2)])
        self.assertFalse(os.path.exists(self.path("counties_3857.gpkg")), "the refused call wrote nothing")

        with open(self.path("counties_5070.gpkg"), "rb") as f:
            self.assertIn(f"SHA-256 `{hashlib.sha256(f.read()).hexdigest()}`", told)
        self.assertIn("16 features; crs_datum: proceed", told)
        picture = rasters.gdal.Open(self.path("L7_3857.png"))
        self.assertIn(f"{picture.RasterXSize} x {picture.RasterYSize} pixels", told)

        tracts = rasters.ogr.Open(self.path("tracts.gpkg"))
        green = [f["frac_2"] for f in tracts.GetLayer(0)]
        self.assertIn(f"in 470 tracts: median {100 * statistics.median(green):.1f} %, greenest {100 * max(green):.1f} %", told)
        self.assertIsNotNone(rasters.gdal.Open(self.path("tracts.png")))

    def area(self, name, epsg):
        """km² of all features of a layer, in a CRS; computed with the library, not the program."""
        file = rasters.ogr.Open(self.path(name))
        layer = file.GetLayer(0)
        source = layer.GetSpatialRef().Clone()
        source.SetAxisMappingStrategy(rasters.osr.OAMS_TRADITIONAL_GIS_ORDER)
        way = rasters.osr.CoordinateTransformation(source, rasters.crs(epsg))
        total = 0
        for feature in layer:
            shape = feature.GetGeometryRef().Clone()
            shape.Transform(way)
            total += shape.GetArea()
        return total / 1e6

    def test_it_names_the_data_that_are_not_there(self):
        self.put_data("nc.gpkg")
        self.assertIn("nc.gpkg is not in", self.shown(status=2))


if __name__ == "__main__":
    if not os.path.exists(os.path.join(rasters.DEMO_DATA, "nc.gpkg")):
        print("SKIPPED demo: its data is not there (packaging/deps --demo)")
        sys.exit(session.SKIPPED)
    session.main()
