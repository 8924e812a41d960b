"""Numbers in fields that mark missing values: every tool that computes with a field warns of them, and is silent on the same data without."""
import csv

from osgeo import ogr

import rasters
import session
from session import Claims, Session, good, run

TEMPERATURES = (10, 11.5, 12, 13, 14.5, 16)
# Tool, arguments beside the dataset, the name of the argument that takes it.
CALLS = (
    ("vector_stats", {"fields": "temp"}, "uri"),
    ("vector_calc", {"fields": {"warmer": "temp + 1"}, "output": "calc.gpkg"}, "uri"),
    ("vector_dissolve", {"aggregate": {"temp": "mean"}, "output": "dissolve.gpkg"}, "uri"),
    ("chart_preview", {"kind": "bars", "field": "temp", "by": "land"}, "uri"),
    ("chart_preview", {"kind": "scatter", "x": "temp", "y": "n"}, "uri"),
    ("aggregate_grid", {"size": 5000, "statistic": "mean", "value": "temp", "output": "grid.gpkg"}, "uri"),
    ("aggregate_density", {"weight": "temp", "bandwidth": 1000, "output": "density.tif"}, "uri"),
    ("raster_rasterize", {"attribute": "temp", "resolution": [500], "output": "burnt.tif"}, "uri"),
    ("raster_interpolate", {"attribute": "temp", "method": "idw", "resolution": [500], "output": "idw.tif"}, "uri"),
    ("gdal_rasterize", {"dst_raster": "gdal.tif", "burn_value": 1, "width": 12, "height": 10, "extent": [289000, 9115000, 295000, 9120000], "a": "temp"},
     "src_vector"),
)


class field_marks(Claims):
    def stations(self, name, values):
        layer_of = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name))
        layer = layer_of.CreateLayer("stations", rasters.crs(rasters.UTM), ogr.wkbPoint)
        for field, kind in (("temp", ogr.OFTReal), ("n", ogr.OFTInteger), ("land", ogr.OFTString)):
            layer.CreateField(ogr.FieldDefn(field, kind))
        for i, v in enumerate(values):
            f = ogr.Feature(layer.GetLayerDefn())
            f.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({290000 + 700 * i} {9116000 + 500 * (i % 4)})"))
            f["temp"], f["n"], f["land"] = v, i, "ab"[i % 2]
            layer.CreateFeature(f)
        del f, layer, layer_of

    def warnings(self, tool, arguments):
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            told = good(run(s, tool, {**arguments, **({} if tool in ("vector_stats", "chart_preview") else {"overwrite": True})}))
        return [w for w in told["warnings"] if "missing value" in w]

    def test_every_tool_names_a_mark_and_is_silent_without(self):
        for name, mark in (("cold.gpkg", -999), ("hot.gpkg", 9999)):
            self.stations(name, (*TEMPERATURES, mark))
        self.stations("clean.gpkg", TEMPERATURES)
        for tool, arguments, dataset in CALLS:
            for name, mark in (("cold.gpkg", "-999"), ("hot.gpkg", "9999"), ("clean.gpkg", None)):
                if tool == "aggregate_density" and mark == "-999":
                    continue  # weights below 0 are refused
                with self.subTest(tool=tool, data=name):
                    found = self.warnings(tool, {**arguments, dataset: name})
                    self.assertEqual(len(found), 1 if mark else 0, found)
                    if mark:
                        self.assertIn(mark, found[0])

    def test_what_deals_with_the_mark_is_not_warned_of(self):
        self.stations("cold.gpkg", (*TEMPERATURES, -999))
        for tool, arguments in (("vector_stats", {"fields": "temp", "where": "temp <> -999"}), ("vector_stats", {"fields": "n"}),
                                ("vector_calc", {"fields": {"clean": "where(temp == -999, null(), temp)"}, "output": "c.gpkg"}),
                                ("vector_calc", {"fields": {"warmer": "temp + 1"}, "where": "temp > -999", "output": "c.gpkg"}),
                                ("vector_dissolve", {"aggregate": {"temp": "count"}, "output": "d.gpkg"}),
                                ("chart_preview", {"kind": "bars", "by": "land"})):
            with self.subTest(tool=tool, arguments=arguments):
                self.assertEqual(self.warnings(tool, {"uri": "cold.gpkg", **arguments}), [])

    def test_reading_a_text_table_warns_once(self):
        with open(self.path("t.csv"), "w", newline="") as file:
            csv.writer(file).writerows([["temp", "rain"], *((v, 3) for v in TEMPERATURES), [-999, 9999]])
        with Session(workspace=self.workspace) as s:
            told = good(s.call("vector_stats", {"uri": "t.csv", "fields": ["temp", "rain"]}))
        self.assertEqual([w.split(";")[0] for w in told["warnings"]],
                         ["'temp': 1 values such as -999 count as numbers",
                          "'rain' holds 9999 in 1 row, which usually marks a missing value and counts as a number here"])


if __name__ == "__main__":
    session.main()
