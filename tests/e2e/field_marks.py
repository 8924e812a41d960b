"""Numbers in fields that mark missing values: every tool that computes with a field warns of them, and is silent on the same data without."""
import csv

from osgeo import gdal, ogr

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

    def warnings(self, tool, arguments, words="missing value"):
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            told = good(run(s, tool, {**arguments, **({} if tool in ("vector_stats", "chart_preview") else {"overwrite": True})}))
        return [w for w in told["warnings"] if words in w]

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

    def test_directions_that_are_computed_with_as_numbers_are_named(self):
        """1 and 359 degrees are both north, and their mean is 180, south."""
        self.stations("north.gpkg", (1.04, 359, 2, 358, 3, 357))
        self.stations("east.gpkg", (80, 85, 90, 95, 100, 105))
        for name in ("north.gpkg", "east.gpkg"):
            layer = ogr.Open(self.path(name), 1)
            layer.ExecuteSQL("ALTER TABLE stations RENAME COLUMN temp TO bearing")
            del layer
        grid = {"size": 5000, "value": "bearing", "output": "grid.gpkg"}
        burn = {"attribute": "bearing", "resolution": [500], "output": "burnt.tif"}
        for tool, arguments, words in (
                ("vector_stats", {"fields": "bearing", "statistics": ["mean", "min", "sum"], "percentiles": [90]}, "mean, sum or p90 of them"),
                ("vector_stats", {"fields": "bearing", "statistics": ["count", "min", "max", "majority"]}, None),
                ("vector_dissolve", {"aggregate": {"bearing": ["mean", "max", "stdev"]}, "output": "d.gpkg"}, "mean or stdev of them"),
                ("vector_dissolve", {"aggregate": {"bearing": "max"}, "output": "d.gpkg"}, None),
                ("aggregate_grid", {**grid, "statistic": ["median", "max"]}, "median of them"),
                ("aggregate_grid", {**grid, "statistic": "max"}, None),
                ("aggregate_density", {"weight": "bearing", "bandwidth": 1000, "output": "density.tif"}, "a density weighted by them"),
                ("raster_interpolate", {**burn, "method": "idw"}, "idw between them"),
                ("raster_interpolate", {**burn, "method": "nearest"}, None),
                ("raster_rasterize", {**burn, "combine": "add"}, "a sum of them"),
                ("raster_rasterize", burn, None)):
            for name in ("north.gpkg", "east.gpkg"):
                with self.subTest(tool=tool, arguments=arguments, data=name):
                    found = self.warnings(tool, {"uri": name, **arguments}, "holds directions")
                    self.assertEqual(len(found), 1 if words and name == "north.gpkg" else 0, found)
                    if found:
                        self.assertIn(f"'bearing' holds directions, 1 to 359 degrees: {words} means nothing", found[0])

    def test_a_map_names_a_mark_among_what_it_draws(self):
        self.stations("cold.gpkg", (*TEMPERATURES, -999))
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for style, found in (({"field": "temp"}, 1), ({"size_field": "temp"}, 1), ({"field": "n"}, 0), ({"label": "temp"}, 0)):
                told = good(s.call("map_preview", {"layers": [{"uri": "cold.gpkg", **style}]}))
                self.assertEqual(len([w for w in told["warnings"] if "'temp' holds -999 in 1 row" in w]), found, style)

    def test_every_format_has_the_same_rule_and_vector_info_states_it(self):
        """-999 is a mark among temperatures, and a number of a row of numbers from -1002 to -997."""
        rows = [["temp", "rain", "seq"], *((v, 3, -1002 + i) for i, v in enumerate(TEMPERATURES)), [-999, 9999, -999]]
        with open(self.path("t.csv"), "w", newline="") as file:
            csv.writer(file).writerows(rows)
        with Session(workspace=self.workspace) as s:
            good(s.call("vector_convert", {"uri": "t.csv", "output": "t.gpkg"}))
            gdal.VectorTranslate(self.path("t.ods"), self.path("t.gpkg"))
            for name in ("t.csv", "t.ods", "t.gpkg"):
                (layer, ) = good(s.call("vector_info", {"uri": name}))["layers"]
                marks = [w.split(",")[0] for w in layer["hints"] if "marks a missing" in w]
                self.assertEqual(marks, ["'temp' holds -999 in 1 row", "'rain' holds 9999 in 1 row"], name)
                told = good(s.call("vector_stats", {"uri": name, "fields": ["temp", "seq"], "where": "temp > -999"}))
                self.assertEqual(told["warnings"], [], name)
                told = good(s.call("vector_stats", {"uri": name, "fields": ["temp", "rain", "seq"]}))
                self.assertEqual([w.split(",")[0] for w in told["warnings"]], marks, name)


if __name__ == "__main__":
    session.main()
