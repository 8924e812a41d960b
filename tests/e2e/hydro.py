"""Flow directions for the tests of the tools that follow them, and walks along them, far too slow for real terrains."""
import math
import os

import numpy
from osgeo import gdal, ogr

import rasters
from session import Claims, Session, good, problem, run

# By ESRI's codes, as (row, column).
STEPS = {1: (0, 1), 2: (1, 1), 4: (1, 0), 8: (1, -1), 16: (0, -1), 32: (-1, -1), 64: (-1, 0), 128: (-1, 1)}
NODATA = 255
ENO = os.path.join(rasters.TEST_DATA, "hydro_eno")


def receiver(codes, cell):
    """The next cell of the path, None where it leaves the terrain or ends."""
    step = STEPS.get(int(codes[cell]))
    if step is None:
        return None
    n = (cell[0] + step[0], cell[1] + step[1])
    inside = 0 <= n[0] < codes.shape[0] and 0 <= n[1] < codes.shape[1]
    return n if inside and codes[n] != NODATA else None


def behind(codes, cell):
    """The cell on the other side of the direction, None where there is no terrain."""
    step = STEPS.get(int(codes[cell]))
    if step is None:
        return None
    n = (cell[0] - step[0], cell[1] - step[1])
    inside = 0 <= n[0] < codes.shape[0] and 0 <= n[1] < codes.shape[1]
    return n if inside and codes[n] != NODATA else None


def path(codes, cell):
    while cell is not None:
        yield cell
        cell = receiver(codes, cell)


def cells(codes):
    return [tuple(c) for c in numpy.argwhere(codes != NODATA)]


def count_upstream(codes):
    """For each cell how many cells drain through it, itself included."""
    count = numpy.zeros(codes.shape, int)
    for cell in cells(codes):
        for below in path(codes, cell):
            count[below] += 1
    return count


def step_length(codes, cell, width, height):
    dr, dc = STEPS[int(codes[cell])]
    return math.hypot(dr * height, dc * width)


class HydroClaims(Claims):
    transform = (500000.0, 20.0, 0.0, 4000000.0, 0.0, -30.0)  # cells of 20 by 30 m, EPSG:32633 near its central meridian

    def read(self, name, band=1):
        file = gdal.Open(self.path(name))
        return file.GetRasterBand(band).ReadAsArray()

    def features(self, name):
        file = ogr.Open(self.path(name))
        return [{**f.items(), "geometry": f.GetGeometryRef().Clone() if f.GetGeometryRef() else None} for f in file.GetLayer(0)]

    def centre(self, cell):
        x0, dx, _, y0, _, dy = self.transform
        return x0 + (cell[1] + 0.5) * dx, y0 + (cell[0] + 0.5) * dy

    def cell_at(self, x, y):
        x0, dx, _, y0, _, dy = self.transform
        return int((y - y0) / dy), int((x - x0) / dx)

    def point(self, *places):
        return {"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32633"}}, "features": [
            {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": list(p)}} for p in places]}

    def write_codes(self, codes, name="directions.tif", tag=True):
        rasters.write(self.path(name), [numpy.array(codes, "uint8")], gdal.GDT_Byte, epsg=32633, transform=self.transform, nodata=NODATA)
        if tag:
            file = gdal.Open(self.path(name), gdal.GA_Update)
            file.SetMetadataItem("GDALMCP_FLOW_ENCODING", "esri")
            del file

    def write_heights(self, heights, name="dem.tif"):
        rasters.write(self.path(name), [heights], gdal.GDT_Float64, epsg=32633, transform=self.transform, nodata=-9999)
        file = gdal.Open(self.path(name), gdal.GA_Update)
        file.GetRasterBand(1).SetUnitType("m")
        del file

    def terrain(self, s, seed, rows=17, columns=23):
        """A random terrain with gaps, filled, and its directions; the codes."""
        random = numpy.random.default_rng(seed)
        y, x = numpy.mgrid[0:rows, 0:columns]
        heights = 100 + 2 * y + x + 8 * numpy.abs(x - columns / 2) + random.random((rows, columns)) * 12
        heights[random.random((rows, columns)) < 0.03] = -9999
        self.write_heights(heights)
        good(run(s, "hydro_condition", {"uri": "dem.tif", "method": "fill", "nodata_holes": "outlet", "output": "filled.tif", "overwrite": True}))
        good(run(s, "hydro_flow_direction", {"uri": "filled.tif", "method": "d8", "nodata_holes": "outlet", "output": "directions.tif", "overwrite": True}))
        return self.read("directions.tif")

    def session(self):
        return Session(workspace=self.workspace)

    def refused(self, tool, cases):
        """cases: arguments, and words that the message has. Nothing may be written."""
        before = self.files()
        with self.session() as s:
            for arguments, *words in cases:
                with self.subTest(arguments=arguments):
                    p = problem(run(s, tool, {"output": "refused.tif", **arguments}))
                    for word in words:
                        self.assertIn(word, p["message"])
                    self.assertTrue(p["hint"])
        self.assertEqual(self.files(), before)
