"""docs/delineation.md is true: its session happens as it is told, its numbers are TauDEM's, its picture is the program's.

GDAL_MCP_ACCEPT_PICTURES=1 writes the picture. Look at it before it is committed.
"""
import base64
import json
import os
import pathlib
import re
import shutil

import numpy
from osgeo import gdal, ogr

import hydro_delineate
import rasters
import session
from hydro import ENO
from session import Claims, Session, good, problem, problem_text

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "delineation.md").read_text(encoding="utf-8")
PICTURE = DOCS / "delineation.png"


class hydro_story(Claims):
    def setUp(self):
        super().setUp()
        if not os.path.exists(ENO):
            self.skipTest("GDAL_MCP_TEST_DATA/hydro_eno is not there")
        shutil.copy(os.path.join(ENO, "enogeo.tif"), self.workspace)

    def happens(self):
        """Every call of the page; the last result."""
        lines = re.search(r"^```text\n(.*?)^```", PAGE, re.M | re.S).group(1).splitlines()
        with Session(workspace=self.workspace) as s:
            for line in lines:
                if line.startswith("→"):
                    _, tool, arguments = line.split(" ", 2)
                    arguments = json.loads(arguments.replace("{…}", "{}"))
                    reasoned = arguments.pop("justification", None)
                    result = s.call(tool, arguments)
                    if reasoned:
                        session.follow(s, problem(result))
                        result = s.call(tool, arguments)
                    told = problem_text(result) if result.get("isError") else " ".join(b.get("text", "") for b in result["content"])
                else:
                    self.assertIn(line.removeprefix("← "), told)
        return result

    def test_it_happens_as_it_is_told(self):
        result = self.happens()
        row, = good(result)["basins"]
        png, = [base64.b64decode(b["data"]) for b in result["content"] if b["type"] == "image"]
        if os.environ.get("GDAL_MCP_ACCEPT_PICTURES"):
            PICTURE.write_bytes(png)
        now, then = (rasters.pixels_of(p).astype("int16") for p in (png, PICTURE.read_bytes()))
        self.assertEqual(now.shape, then.shape)
        self.assertLessEqual((abs(now - then) > 6).any(axis=0).mean(), 0.01)
        self.check_numbers(row)

    def check_numbers(self, snapped):
        file = gdal.Open(os.path.join(ENO, "enogeow.tif"))
        theirs = file.ReadAsArray() >= 0  # the links' own basins together
        count = gdal.Open(os.path.join(ENO, "enogeoad8.tif")).ReadAsArray()
        x0, dx, _, y0, _, dy = file.GetGeoTransform()
        ours = hydro_delineate.burnt(self.path("eno.gpkg"), "basins", file)
        self.assertEqual((ours != theirs).sum(), 0)
        x, y = snapped["outlet"]
        downstream = count[int((y - y0) / dy), int((x - x0) / dx)]
        self.assertEqual(hydro_delineate.burnt(self.path("snapped.gpkg"), "basins", file).sum(), downstream)
        area = (theirs * hydro_delineate.cell_areas(y0, dy, dx, len(theirs))[:, None]).sum()
        self.assertAlmostEqual(snapped["before_snap_km2"], area, delta=1e-6 * area)
        for number in (theirs.sum(), int(downstream)):
            self.assertIn(f"{number:,}".replace(",", " "), PAGE)
        self.assertIn(f"{area:.3f} km²", PAGE)

    def test_the_fields_it_names_are_those_of_the_file(self):
        self.happens()
        file = ogr.Open(self.path("eno.gpkg"))
        for layer in (file.GetLayer(i) for i in range(file.GetLayerCount())):
            definition = layer.GetLayerDefn()
            named = re.search(rf"^\| `{layer.GetName()}` \| (.*) \|$", PAGE, re.M).group(1)
            fields = [definition.GetFieldDefn(i).GetName() for i in range(definition.GetFieldCount())]
            self.assertEqual(re.findall(r"`(\w+)`", named), fields)


if __name__ == "__main__":
    session.main()
