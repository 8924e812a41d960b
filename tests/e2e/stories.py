"""Typical requests of an analyst's agent, in few calls and tokens; the numbers are recomputed without the program."""
import json
import math
import sys

import numpy
from osgeo import gdal, ogr, osr

import rasters
import session
from session import Claims, Session, good

FOREST = (41, 42, 43)  # codes of the National Land Cover Database
CALLS, TOKENS = 4, 6000
BYTES_A_TOKEN = 4


def ellipsoidal_zone(latitude, a=6378137.0, f=1 / 298.257222101):
    """Area between the equator and a latitude for one radian of longitude, GRS 80; Snyder (1987), eq. 3-12."""
    e2 = f * (2 - f)
    e, s = math.sqrt(e2), math.sin(latitude)
    return a * a * (1 - e2) / 2 * (s / (1 - e2 * s * s) + math.atanh(e * s) / e)


def cell_area(raster, column, row):
    """True area of a cell, by the corners on the ellipsoid: exact along parallels, which is enough for small cells."""
    t = raster.GetGeoTransform()
    geographic = raster.GetSpatialRef().CloneGeogCS()
    geographic.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    to_degrees = osr.CoordinateTransformation(raster.GetSpatialRef(), geographic)
    corners = [to_degrees.TransformPoint(t[0] + c * t[1] + r * t[2], t[3] + c * t[4] + r * t[5])[:2]
               for c, r in ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))]
    # The quadrangle between corners in longitude and the equal-area coordinate of the latitude.
    points = [(math.radians(x), ellipsoidal_zone(math.radians(y))) for x, y in corners]
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(points, points[1:] + points[:1]))) / 2


def forest_hectares(raster_path, district, codes):
    """Cells of the codes whose centre lies in the district, with the true area of a cell in the middle of each 64 rows."""
    raster = gdal.Open(raster_path)
    source = ogr.Open(district)
    layer = source.GetLayer(0)
    mask = gdal.GetDriverByName("MEM").Create("", raster.RasterXSize, raster.RasterYSize, 1, gdal.GDT_Byte)
    mask.SetGeoTransform(raster.GetGeoTransform())
    mask.SetSpatialRef(raster.GetSpatialRef())
    moved = ogr.GetDriverByName("Memory").CreateDataSource("")
    target = moved.CreateLayer("m", raster.GetSpatialRef())
    transform = osr.CoordinateTransformation(layer.GetSpatialRef(), raster.GetSpatialRef())
    for feature in layer:
        shape = feature.GetGeometryRef().Clone()
        shape.Segmentize(shape.GetBoundary().Length() / 20000)
        shape.Transform(transform)
        made = ogr.Feature(target.GetLayerDefn())
        made.SetGeometry(shape)
        target.CreateFeature(made)
    gdal.RasterizeLayer(mask, [1], target, burn_values=[1])
    inside = (mask.ReadAsArray() == 1) & numpy.isin(raster.ReadAsArray(), codes)
    hectares, middle = 0.0, raster.RasterXSize // 2
    for first in range(0, raster.RasterYSize, 64):
        rows = inside[first:first + 64]
        hectares += int(rows.sum()) * cell_area(raster, middle, first + len(rows) // 2) / 1e4
    return hectares


class stories(Claims):
    def told(self, calls):
        """The answers, and the tokens a model spends: its own arguments and the text of the results."""
        spent, answers = 0, []
        with Session(workspace=self.workspace) as s:
            for tool, arguments in calls:
                answer = s.call(tool, arguments)
                good(answer)
                answers.append(json.loads(answer["content"][0]["text"]))
                spent += len(json.dumps(arguments)) + sum(len(c.get("text", "")) for c in answer["content"])
        print(f"{len(calls)} calls, {spent // BYTES_A_TOKEN} tokens", file=sys.stderr)
        self.assertLessEqual(len(calls), CALLS)
        self.assertLessEqual(spent / BYTES_A_TOKEN, TOKENS)
        return answers

    def hectares(self, told):
        return sum(c["area_ha"] for c in told["bands"][0]["classes"] if c["value"] in FOREST)

    def test_hectares_of_forest_in_a_district(self):
        gdal.UseExceptions()
        codes = numpy.random.default_rng(5).choice([11, 21, 41, 42, 43, 81], size=(300, 400)).astype("uint8")
        rasters.write(self.path("cover.tif"), [codes], gdal.GDT_Byte, epsg=26912, transform=(300000, 30, 0, 4150000, 0, -30),
                      palette={c: (c, 255 - c, c, 255) for c in (11, 21, 41, 42, 43, 81)})
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("districts.gpkg"))
        layer = made.CreateLayer("districts", rasters.crs(4269), ogr.wkbPolygon)
        layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
        for name, (x, y) in (("North", (-113.22, 37.44)), ("South", (-113.20, 37.41))):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature["name"] = name
            feature.SetGeometry(ogr.CreateGeometryFromWkt(
                f"POLYGON (({x} {y}, {x + 0.05} {y + 0.01}, {x + 0.06} {y - 0.03}, {x} {y - 0.02}, {x} {y}))"))
            layer.CreateFeature(feature)
        del layer, made
        answers = self.told([
            ("vector_info", {"uri": "districts.gpkg"}), ("raster_info", {"uri": "cover.tif"}),
            ("vector_query", {"uri": "districts.gpkg", "where": "name = 'South'", "output": "south.gpkg"}),
            ("raster_stats", {"uri": "cover.tif", "geometry": "south.gpkg", "classes": True})])
        self.assertEqual(answers[2]["feature_count"], 1)
        expected = forest_hectares(self.path("cover.tif"), self.path("south.gpkg"), FOREST)
        self.assertGreater(expected, 100)
        self.assertAlmostEqual(self.hectares(answers[-1]) / expected, 1, delta=1e-4)


if __name__ == "__main__":
    session.main()
