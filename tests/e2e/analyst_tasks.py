"""Twelve questions of the kinds that GeoAnalystBench and GeoBenchX ask, each answered through an MCP client by the calls an agent would make,
from finding the data to the map; numbers are computed again by other means. Three have no answer in the data: the tools say what is missing."""
import csv
import os
import subprocess

import numpy
from osgeo import gdal, ogr
from pyproj import Geod, Transformer

import rasters
import session
import vector_stories
from session import Claims, Session, good, problem

DATA = rasters.TEST_DATA
WGS84 = Geod(ellps="WGS84")
YEARS = range(1990, 2022)
# Names of the World Bank beside those of Natural Earth.
BANK = {"Cote d'Ivoire": "Côte d'Ivoire", "Egypt, Arab Rep.": "Egypt", "Gambia, The": "Gambia", "Congo, Rep.": "Congo"}


def rows_of(path, layer=None):
    file = ogr.Open(path)
    return [f.items() for f in (file.GetLayerByName(layer) if layer else file.GetLayer(0))]


def shapes_of(path, layer=None):
    file = ogr.Open(path)
    return [(f.GetGeometryRef().Clone(), f.items()) for f in (file.GetLayerByName(layer) if layer else file.GetLayer(0))]


def geodesic_area(g):
    """Of polygons, edges as drawn in degrees: a thousand pieces each."""
    if g.GetGeometryName() == "MULTIPOLYGON":
        return sum(geodesic_area(g.GetGeometryRef(i)) for i in range(g.GetGeometryCount()))
    areas = []
    for i in range(g.GetGeometryCount()):
        p = numpy.array(g.GetGeometryRef(i).GetPoints())[:, :2]
        t = numpy.linspace(0, 1, 50, endpoint=False)[:, None]
        dense = numpy.concatenate([a + (b - a) * t for a, b in zip(p, p[1:])])
        areas.append(abs(WGS84.polygon_area_perimeter(dense[:, 0], dense[:, 1])[0]))
    return areas[0] - sum(areas[1:])


class analyst_tasks(Claims):
    def setUp(self):
        super().setUp()
        if not DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    take = vector_stories.vector_stories.take

    def enable(self, toolset):
        good(self.session.call("toolsets", {"action": "enable", "name": toolset}))

    def told(self, tool, **arguments):
        """The result of a call; reasons that the gate asks for are given."""
        return good(session.run(self.session, tool, arguments))

    def refused(self, tool, **arguments):
        return problem(self.session.call(tool, arguments))

    def picture(self, tool, **arguments):
        result = self.session.call(tool, arguments)
        self.assertIn("image", [b["type"] for b in result["content"]])
        return good(result)

    def electricity(self):
        """A table as the World Bank offers it for download: four lines before the names, quotes, gaps; 2021 is still empty."""
        self.take("world/naturalearth_lowres.shp")
        lands = [r["name"] for r in rows_of(self.path("naturalearth_lowres.shp")) if r["continent"] == "Africa"]
        theirs = {own: bank for bank, own in BANK.items()}
        values = {}
        with open(self.path("API_EG.ELC.ACCS.ZS.csv"), "w", encoding="utf-8", newline="") as f:
            f.write('"Data Source","World Development Indicators",\n\n"Last Updated Date","2022-09-16",\n\n')
            out = csv.writer(f, quoting=csv.QUOTE_ALL)
            out.writerow(["Country Name", "Country Code", "Indicator Name", *YEARS])
            for i, land in enumerate(sorted(lands)):
                row = [round(20 + (i * 37 % 61) + 0.6 * (y - 1990), 1) if y < 2021 else "" for y in YEARS]
                values[land] = dict(zip(YEARS, row))
                out.writerow([theirs.get(land, land), f"X{i:02}", "Access to electricity (% of population)", *row])
        return values

    def test_1_where_in_africa_do_fewest_people_have_electricity(self):
        """A table with a preamble, a join by names that differ here and there, a map of classes."""
        values = self.electricity()
        found = self.told("data_find", terms=["electricity"])
        self.assertEqual([m["uri"] for m in found["matches"]], ["API_EG.ELC.ACCS.ZS.csv"])
        about = self.told("vector_info", uri="API_EG.ELC.ACCS.ZS.csv")["layers"][0]
        self.assertIn("4 lines before the names", about["recognised"])
        self.assertEqual({f["name"]: f["type"] for f in about["fields"]}["2020"], "Real")
        self.told("vector_query", uri="naturalearth_lowres.shp", where="continent = 'Africa'", output="africa.gpkg")
        joined = self.told("vector_join", target="africa.gpkg", join="API_EG.ELC.ACCS.ZS.csv", keys={"name": "Country Name"}, output="access.gpkg")
        self.assertEqual((joined["matched"], joined["unmatched"], joined["unused"]), (len(values) - len(BANK), len(BANK), len(BANK)))
        near = {row["key"]: row.get("near", [""])[0] for row in joined["unmatched_first"]}
        self.assertEqual(near["Côte d'Ivoire"], "Cote d'Ivoire")
        self.assertIn("'2021' of the join layer has no value in any matched row", joined["warnings"])
        lowest = self.told("vector_stats", uri="access.gpkg", fields=["2020"], statistics=["min", "max"])["groups"][0]
        known = {land: v[2020] for land, v in values.items() if land not in BANK.values()}
        self.assertEqual((lowest["figures"]["min"], lowest["min_name"]), (min(known.values()), min(known, key=known.get)))
        self.assertEqual(lowest["nulls"], len(BANK))
        drawn = self.picture("map_preview", layers=[{"uri": "access.gpkg", "field": "2020", "classes": "quantile", "class_count": 5, "unit": "%"}],
                             title="Access to electricity, 2020", source="World Development Indicators")
        counts = [int(line.rsplit(": ", 1)[1]) for line in drawn["layers"][0]["legend"] if ": " in line]
        self.assertEqual(sum(counts), len(known))

    def test_2_how_many_people_live_on_each_continent_and_what_do_they_earn(self):
        """Statistics by group, and bars."""
        self.take("world/naturalearth_lowres.shp")
        told = self.told("vector_stats", uri="naturalearth_lowres.shp", fields=["pop_est", "gdp_md_est"], by=["continent"], statistics=["sum", "count"])
        ours = {(row["group"][0], row["field"]): row["figures"]["sum"] for row in told["groups"]}
        expected = {}
        for r in rows_of(self.path("naturalearth_lowres.shp")):
            for name in ("pop_est", "gdp_md_est"):
                expected[r["continent"], name] = expected.get((r["continent"], name), 0) + r[name]
        self.assertEqual(ours, expected)
        bars = self.picture("chart_preview", uri="naturalearth_lowres.shp", kind="bars", field="pop_est", by="continent", statistic="sum")["bars"]
        self.assertEqual({b["name"]: b["value"] for b in bars}, {c: v for (c, name), v in expected.items() if name == "pop_est"})
        self.assertEqual(bars[0]["name"], "Asia")

    def test_3_the_five_most_densely_settled_countries(self):
        """A field computed with true areas, sorted."""
        self.take("world/naturalearth_lowres.shp")
        self.told("vector_calc", uri="naturalearth_lowres.shp", fields={"density": "pop_est / ($area_m2 / 1e6)"}, output="density.gpkg")
        first = self.told("vector_query", uri="density.gpkg", order=["density desc"], limit=5, attributes=["name", "density"], output="first.gpkg")
        self.assertEqual(first["feature_count"], 5)
        expected = {r["name"]: r["pop_est"] / (geodesic_area(g) / 1e6) for g, r in shapes_of(self.path("naturalearth_lowres.shp"))}
        ours = {r["name"]: r["density"] for r in rows_of(self.path("first.gpkg"))}
        self.assertEqual(list(ours), sorted(expected, key=expected.get, reverse=True)[:5])
        for name, v in ours.items():
            self.assertAlmostEqual(v / expected[name], 1, delta=1e-3, msg=name)

    def test_4_do_births_and_sudden_infant_deaths_go_together(self):
        """A correlation, a fitted line and a map of both."""
        self.take("world/nc_counties_nad27.gpkg")
        rows = rows_of(self.path("nc_counties_nad27.gpkg"))
        x, y = (numpy.array([r[name] for r in rows]) for name in ("BIR74", "SID74"))
        told = self.told("vector_stats", uri="nc_counties_nad27.gpkg", fields=["BIR74", "SID74"])
        self.assertAlmostEqual(told["correlations"][0]["r"], numpy.corrcoef(x, y)[0, 1], delta=1e-6)
        fit = self.picture("chart_preview", uri="nc_counties_nad27.gpkg", kind="scatter", x="BIR74", y="SID74")["fit"]
        slope, intercept = numpy.polyfit(x, y, 1)
        self.assertAlmostEqual(fit["slope"], slope, delta=1e-9)
        self.assertAlmostEqual(fit["intercept"], intercept, delta=1e-6)
        drawn = self.picture("map_preview", layers=[{"uri": "nc_counties_nad27.gpkg", "field": "BIR74", "second_field": "SID74"}])
        self.assertIn("3 × 3 classes", drawn["layers"][0]["classes"])

    def test_5_how_did_access_to_electricity_change_since_1990(self):
        """Years as columns become rows; a line over time."""
        values = self.electricity()
        land = "Kenya"
        with open(self.path("kenya.csv"), "w") as f:
            f.write("year,access\n" + "".join(f"{y}-07-01,{values[land][y]}\n" for y in YEARS))
        drawn = self.picture("chart_preview", uri="kenya.csv", kind="line", x="year", y="access", unit="% of population")
        known = [values[land][y] for y in YEARS if y < 2021]
        self.assertEqual((drawn["drawn_count"], drawn["nulls"]), (len(known), 1))
        self.assertEqual([drawn["series"][0][k] for k in ("min", "max")], [min(known), max(known)])
        self.assertEqual(drawn["series"][0]["y"], known)
        self.told("vector_calc", uri="API_EG.ELC.ACCS.ZS.csv", fields={"change": '"2020" - "1990"'}, output="change.csv")
        change = {r["Country Name"]: float(r["change"]) for r in csv.DictReader(open(self.path("change.csv"), encoding="utf-8"))}
        self.assertAlmostEqual(change[land], known[-1] - known[0], delta=1e-9)

    def test_6_how_many_bicycles_can_be_hired_within_500_m_of_a_station(self):
        """A buffer in metres, a selection by place, numbers kept as text; and the service areas of the stations."""
        self.take("world/cycle_hire_osm.geojson")
        here = (-0.1240, 51.5308)  # King's Cross
        near = self.told("vector_buffer", uri={"type": "Point", "coordinates": list(here)}, distance=500, output="near.gpkg")
        self.assertEqual(near["distance_m"], 500)
        found = self.told("vector_query", uri="cycle_hire_osm.geojson", geometry="near.gpkg", output="stations.gpkg")
        away = [(WGS84.inv(*here, g.GetX(), g.GetY())[2], r["capacity"]) for g, r in shapes_of(self.path("cycle_hire_osm.geojson"))]
        inside = [c for d, c in away if d < 499.5]
        self.assertEqual(len(inside), sum(d < 500.5 for d, _ in away), "a station on the border")
        self.assertEqual(found["feature_count"], len(inside))
        self.told("vector_calc", uri="stations.gpkg", fields={"bicycles": "number(capacity)"}, output="bicycles.gpkg")
        sums = self.told("vector_stats", uri="bicycles.gpkg", fields=["bicycles"])["groups"][0]
        self.assertEqual(sums["figures"]["sum"], sum(int(c) for c in inside if c))
        self.assertEqual(sums["nulls"], sum(not c for c in inside))
        self.enable("vector-more")
        cells = self.told("vector_derive", uri="cycle_hire_osm.geojson", operation="voronoi", output="areas.gpkg")
        self.assertEqual(cells["feature_count"] + cells["duplicates"], len(away))
        served = [r["osm_id"] for g, r in shapes_of(self.path("areas.gpkg")) if g.Contains(ogr.CreateGeometryFromWkt("POINT (%r %r)" % here))]
        nearest = min(shapes_of(self.path("cycle_hire_osm.geojson")), key=lambda s: WGS84.inv(*here, s[0].GetX(), s[0].GetY())[2])
        self.assertEqual(served, [nearest[1]["osm_id"]])

    def test_7_how_high_is_the_park_and_what_covers_it(self):
        """Zonal statistics of heights, and shares of classes by true area."""
        self.take("zion/srtm.tif", "zion/nlcd.tif", "zion/zion.gpkg")
        told = self.told("aggregate_zonal", raster="srtm.tif", zones="zion.gpkg", stats=["mean", "min", "max"], output="height.csv")
        row = told["rows"][0]
        heights = gdal.Warp("", self.path("srtm.tif"), format="MEM", cutlineDSName=self.path("zion.gpkg"), dstNodata=0).ReadAsArray()
        inside = heights[heights > 0]
        self.assertAlmostEqual(row["mean"] / inside.mean(), 1, delta=2e-3)
        self.assertLessEqual(abs(row["max"] - inside.max()), 30)
        cover = self.told("aggregate_zonal", raster="nlcd.tif", zones="zion.gpkg", stats=["frac"], output="cover.csv")["rows"][0]
        codes = gdal.Warp("", self.path("nlcd.tif"), format="MEM", cutlineDSName=self.path("zion.gpkg"), dstNodata=0, resampleAlg="near").ReadAsArray()
        counted = {int(c): n for c, n in zip(*numpy.unique(codes[codes > 0], return_counts=True))}
        ours = {one["value"]: one["share"] for one in cover["frac"]}
        for code, n in counted.items():
            self.assertAlmostEqual(ours[code], n / sum(counted.values()), delta=2e-3, msg=code)

    def test_8_contours_of_the_catchment_every_200_m(self):
        self.take("dem/bigtujunga.tif")
        self.enable("raster-more")
        told = self.told("raster_contour", uri="bigtujunga.tif", interval=200, output="contours.gpkg")
        subprocess.run(["gdal_contour", "-q", "-a", "elev", "-i", "200", self.path("bigtujunga.tif"), self.path("theirs.gpkg")], check=True)
        ours, theirs = shapes_of(self.path("contours.gpkg")), shapes_of(self.path("theirs.gpkg"))
        self.assertEqual(told["feature_count"], len(theirs))
        for level in {r["elev"] for _, r in theirs}:
            self.assertAlmostEqual(sum(g.Length() for g, r in ours if r["elev"] == level) / sum(g.Length() for g, r in theirs if r["elev"] == level), 1, delta=1e-9)
        to = Transformer.from_crs(32611, 4326, always_xy=True)
        metres = sum(WGS84.line_length(*to.transform(*zip(*[p[:2] for p in g.GetPoints()]))) for g, _ in theirs)
        self.assertAlmostEqual(told["length_m"] / metres, 1, delta=1e-6)

    def test_9_how_much_of_the_scene_is_water(self):
        """An index of two bands, classes of it, true areas."""
        self.take("landsat8/l8_B3.tif", "landsat8/l8_B5.tif")
        self.told("raster_calc", inputs={"G": "l8_B3.tif", "N": "l8_B5.tif"}, expression="(G - N) / (G + N)", output="ndwi.tif")
        told = self.told("raster_classify", uri="ndwi.tif", rules=[{"max": 0, "value": 0}, {"min": 0, "value": 1}], output="water.tif")
        green, infrared = (gdal.Open(self.path(f"l8_B{b}.tif")).ReadAsArray().astype(float) for b in (3, 5))
        with numpy.errstate(invalid="ignore"):
            ndwi = (green - infrared) / (green + infrared)
        wet = numpy.count_nonzero(ndwi >= 0)
        ours = {row["value"]: row for row in told["classes"]}
        self.assertEqual(ours[1]["count"], wet)
        self.assertAlmostEqual(ours[1]["area_m2"] / (wet * 900), 1, delta=3e-3)

    def test_10_no_answer_access_to_electricity_in_2035(self):
        """The year is not in the table, and the newest column is empty."""
        self.electricity()
        none = self.told("data_find", terms=["electricity"], time="2035")
        self.assertEqual((none["matched_total"], none["complete"]), (0, True))
        p = self.refused("vector_stats", uri="API_EG.ELC.ACCS.ZS.csv", fields=["2035"])
        self.assertIn("2035", p["message"])
        self.assertIn("2020", p["message"] + p["hint"])
        empty = self.told("vector_stats", uri="API_EG.ELC.ACCS.ZS.csv", fields=["2021"])
        self.assertIn("'2021' has no value in any of", " ".join(empty["warnings"]))
        p = self.refused("chart_preview", uri="API_EG.ELC.ACCS.ZS.csv", kind="histogram", field="2021")
        self.assertIn("nothing to draw", p["message"])

    def test_11_no_answer_the_height_of_mount_fuji(self):
        """The elevation models of the workspace end elsewhere."""
        self.take("dem/bigtujunga.tif", "zion/srtm.tif")
        fuji = {"type": "Point", "coordinates": [138.7274, 35.3606]}
        none = self.told("data_find", geometry=fuji)
        self.assertEqual((none["matched_total"], none["complete"]), (0, True))
        at = self.told("raster_sample", uri="srtm.tif", strategy="points", points=fuji)
        self.assertEqual((at["samples"][0]["values"], at["outside_count"]), ({"1": None}, 1))
        self.assertIn("1 of 1 points lie on no cell", at["warnings"][0])
        around = {"type": "Polygon", "coordinates": [[[138.6, 35.3], [138.8, 35.3], [138.8, 35.5], [138.6, 35.5], [138.6, 35.3]]]}
        p = self.refused("aggregate_zonal", raster="srtm.tif", zones=around, stats=["max"])
        self.assertIn("no zone touches the raster", p["message"])

    def test_12_no_answer_deaths_by_accident_in_brazil(self):
        """Neither the indicator nor the country is in the data."""
        self.take("world/nc_counties_nad27.gpkg", "world/naturalearth_lowres.shp")
        none = self.told("data_find", terms=["road accidents"])
        self.assertEqual((none["matched_total"], none["complete"]), (0, True))
        self.assertEqual(none["searched"], 2)
        other = self.told("vector_query", uri="nc_counties_nad27.gpkg", where="NAME = 'Alamanse' AND BIR74 > 1e6")
        self.assertIn("'NAME' has \"Alamance\"", " ".join(other["warnings"]))
        self.assertIn("'BIR74' has 248 to 21588", " ".join(other["warnings"]))
        left = self.told("vector_query", uri="nc_counties_nad27.gpkg", where="NAME = 'Brazil'")
        self.assertEqual(left["feature_count"], 0)
        self.assertIn("0 of them match 'where'", " ".join(left["warnings"]))
        joined = self.told("vector_join", target="nc_counties_nad27.gpkg", join="naturalearth_lowres.shp", keys={"NAME": "name"})
        self.assertEqual(joined["matched"], 0)
        self.assertIn("nothing matches: keys of the target are such as", " ".join(joined["warnings"]))

    def test_density_of_stations(self):
        """Not among the twelve until a tool does it."""
        if "aggregate_density" not in {t["name"] for t in self.session.request("tools/list")["result"]["tools"]}:
            self.skipTest("there is no tool for the density of points")
        self.take("world/cycle_hire_osm.geojson")
        told = self.told("aggregate_density", points="cycle_hire_osm.geojson", bandwidth=500, output="density.tif")
        self.assertAlmostEqual(told["total"], 532, delta=6)


if __name__ == "__main__":
    session.main()
