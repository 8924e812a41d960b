"""Requests that analysts make of vector layers, on real data, through the gate where a choice needs a reason. Every number is computed
again with OGR and pyproj, in the unit that the program states."""
import os
import shutil

import numpy
from osgeo import gdal, ogr
from pyproj import CRS, Geod, Transformer

import rasters
import session
from session import Claims, Session, good, problem

WGS84 = Geod(ellps="WGS84")
UTM_34S = 32734
# About the course of the Beberibe, the border of Olinda in the south-west, as a user would draw it.
RIVER = {"type": "LineString", "coordinates": [[-34.912, -8.004], [-34.900, -8.012], [-34.888, -8.018], [-34.878, -8.030], [-34.872, -8.040]]}


def geometries(path, layer=None):
    file = ogr.Open(path)
    return {f.GetFID(): (f.GetGeometryRef().Clone(), f.items()) for f in (file.GetLayerByName(layer) if layer else file.GetLayer(0))}


def geodesic_length(g):
    if g.GetGeometryCount():
        return sum(geodesic_length(g.GetGeometryRef(i)) for i in range(g.GetGeometryCount()))
    return WGS84.line_length(*zip(*((x, y) for x, y, *_ in g.GetPoints()))) if g.GetPointCount() > 1 else 0


def moved(g, transformer):
    """In another CRS, vertex by vertex."""
    copy = g.Clone()
    parts = [copy]
    while parts:
        part = parts.pop()
        parts += [part.GetGeometryRef(i) for i in range(part.GetGeometryCount())]
        for i in range(part.GetPointCount() if not part.GetGeometryCount() else 0):
            part.SetPoint_2D(i, *transformer.transform(part.GetX(i), part.GetY(i)))
    return copy


class vector_stories(Claims):
    def setUp(self):
        super().setUp()
        if not rasters.TEST_DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def take(self, *names):
        for name in names:
            folder, stem = os.path.split(name)
            for file in os.listdir(os.path.join(rasters.TEST_DATA, folder)):
                if os.path.splitext(file)[0] == os.path.splitext(stem)[0]:
                    shutil.copy(os.path.join(rasters.TEST_DATA, folder, file), self.workspace)

    def told(self, tool, **arguments):
        return good(self.session.call(tool, arguments))

    def told_after_reasons(self, tool, domains, **arguments):
        """A call that the gate stops for exactly these reasons, and its result once they are given."""
        stopped = problem(self.session.call(tool, arguments))
        self.assertEqual(sorted(m["domain"] for m in stopped["missing"]), sorted(domains), stopped)
        session.follow(self.session, stopped)
        return good(self.session.call(tool, arguments))

    def test_roads_inside_the_protected_area_and_their_length_by_class(self):
        self.take("swellendam/training_data.gpkg", "swellendam/protected_areas.shp")
        inside = self.told("vector_clip", uri="training_data.gpkg", layer="roads", mask="protected_areas.shp", output="inside.gpkg")
        classes = self.told("vector_dissolve", uri="inside.gpkg", by=["highway"], output="classes.gpkg")
        measured = self.told("vector_measure", uri="classes.gpkg", output="lengths.gpkg")
        found = {values["highway"]: values["length_m"] for _, values in geometries(self.path("lengths.gpkg")).values()}

        reserve = None
        for g, _ in geometries(self.path("protected_areas.shp")).values():
            reserve = g if reserve is None else reserve.Union(g)
        expected, count = {}, 0
        for g, values in geometries(self.path("training_data.gpkg"), "roads").values():
            part = g.Intersection(reserve)
            if part and geodesic_length(part) > 0:
                count += 1
                expected[values["highway"]] = expected.get(values["highway"], 0) + geodesic_length(part)
        self.assertEqual(inside["feature_count"], count)
        self.assertEqual(found.keys(), expected.keys())
        for name, length in expected.items():
            self.assertAlmostEqual(found[name] / length, 1, delta=1e-6, msg=name)
        self.assertAlmostEqual(classes["length_m"] / sum(expected.values()), 1, delta=1e-6)
        self.assertAlmostEqual(measured["length_m"] / sum(expected.values()), 1, delta=1e-6)

    def test_the_nearest_school_to_every_restaurant_and_how_far(self):
        self.take("swellendam/training_data.gpkg")
        told = self.told("vector_join", target="training_data.gpkg", target_layer="restaurants", join="training_data.gpkg", join_layer="schools",
                         predicate="nearest", fields=["osm_id"], output="near.gpkg")
        schools = geometries(self.path("training_data.gpkg"), "schools")
        self.assertEqual(told["matched"], 11)
        for g, values in geometries(self.path("near.gpkg")).values():
            here = g.Centroid()
            plane = Transformer.from_crs(CRS.from_epsg(4326), CRS.from_proj4(f"+proj=aeqd +lon_0={here.GetX()} +lat_0={here.GetY()} +datum=WGS84"), always_xy=True)
            one = moved(g, plane)
            distances = {v["osm_id"]: moved(school, plane).Distance(one) for school, v in schools.values()}
            self.assertEqual(values["osm_id_join"], min(distances, key=distances.get))
            self.assertAlmostEqual(values["distance_m"], min(distances.values()), delta=0.05)

    def test_buildings_within_500_m_of_the_trunk_road(self):
        self.take("swellendam/training_data.gpkg")
        self.told("vector_query", uri="training_data.gpkg", layer="roads", where="highway = 'trunk'", output="trunk.gpkg")
        near = self.told("vector_buffer", uri="trunk.gpkg", distance=500, dissolve=True, output="near.gpkg")
        self.assertEqual(near["distance_m"], 500)
        found = self.told_after_reasons("vector_query", ["spatial_query"], uri="training_data.gpkg", layer="buildings", geometry="near.gpkg",
                                        output="buildings.gpkg")
        to_utm = Transformer.from_crs(4326, UTM_34S, always_xy=True)
        roads = [moved(g, to_utm) for g, v in geometries(self.path("training_data.gpkg"), "roads").values() if v["highway"] == "trunk"]
        buildings = [moved(g, to_utm) for g, _ in geometries(self.path("training_data.gpkg"), "buildings").values()]
        # UTM's own scale is off by up to 0.04 %, chords of circles by 0.12 % of the radius: a metre.
        away = [min(r.Distance(b) for r in roads) for b in buildings]
        self.assertGreater(sum(d < 499 for d in away), 100)
        self.assertGreaterEqual(found["feature_count"], sum(d < 499 for d in away))
        self.assertLessEqual(found["feature_count"], sum(d < 501 for d in away))

    def test_how_green_are_the_census_tracts_within_500_m_of_the_river(self):
        """A line drawn by the user, tracts, a Landsat scene; the answer is a number per tract, and a map."""
        self.take("olinda/olinda1.shp", "olinda/L7_ETMs.tif")
        near = self.told("vector_buffer", uri=RIVER, distance=500, output="river.gpkg")
        self.assertAlmostEqual(near["area_m2"] / (1000 * geodesic_length(ogr.CreateGeometryFromJson(str(RIVER).replace("'", '"'))) + numpy.pi * 500 ** 2),
                               1, delta=0.02)
        tracts = self.told_after_reasons("vector_query", ["spatial_query"], uri="olinda1.shp", geometry="river.gpkg", output="tracts.gpkg")
        self.told("raster_calc", inputs={"N": {"uri": "L7_ETMs.tif", "band": 4}, "R": {"uri": "L7_ETMs.tif", "band": 3}},
                  expression="(N - R) / (N + R)", output="ndvi.tif")
        self.told_after_reasons("aggregate_zonal", ["aggregation"], raster="ndvi.tif", zones="tracts.gpkg", stats=["mean"], output="green.gpkg")
        ours = {values["zone_id"] if "zone_id" in values else i: values["mean"] for i, (_, values) in geometries(self.path("green.gpkg")).items()}
        self.assertEqual(len(ours), tracts["feature_count"])
        bands = gdal.Open(self.path("L7_ETMs.tif")).ReadAsArray().astype(float)
        ndvi = (bands[3] - bands[2]) / (bands[3] + bands[2])
        self.assertTrue(all(ndvi.min() <= v <= ndvi.max() for v in ours.values() if v is not None))
        # The tract that covers most cells, by the cells whose centres lie in it.
        shapes = geometries(self.path("green.gpkg"))
        largest = max(shapes, key=lambda i: shapes[i][0].GetArea())
        transform = gdal.Open(self.path("ndvi.tif")).GetGeoTransform()
        y, x = numpy.nonzero(numpy.ones_like(ndvi))
        file = ogr.Open(self.path("green.gpkg"))
        to_map = Transformer.from_crs(CRS.from_wkt(file.GetLayer(0).GetSpatialRef().ExportToWkt()), 31985, always_xy=True)
        tract = moved(shapes[largest][0], to_map)
        west, east, south, north = tract.GetEnvelope()
        inside = []
        for row, column in zip(y, x):
            px, py = transform[0] + (column + 0.5) * transform[1], transform[3] + (row + 0.5) * transform[5]
            if west <= px <= east and south <= py <= north:
                point = ogr.Geometry(ogr.wkbPoint)
                point.AddPoint_2D(px, py)
                if tract.Contains(point):
                    inside.append(ndvi[row, column])
        self.assertGreater(len(inside), 100)
        self.assertAlmostEqual(shapes[largest][1]["mean"], numpy.mean(inside), delta=0.01)
        drawn = self.told("map_preview", layers=[{"uri": "green.gpkg", "field": "mean"}, {"uri": "river.gpkg"}], title="NDVI within 500 m of the river")
        self.assertEqual(drawn["layers"][0]["feature_count"], len(ours))

    def test_subset_look_narrow_look_again_keep_the_last_one(self):
        self.take("world/naturalearth_lowres.shp")
        first = self.told("vector_query", uri="naturalearth_lowres.shp", geometry=[-20, -40, 55, 40])
        self.assertTrue(first["output"]["uri"].startswith("query://result/"))
        seen = self.told("map_preview", layers=[{"uri": first["output"]["uri"], "field": "continent"}])
        self.assertEqual(seen["layers"][0]["feature_count"], first["feature_count"])
        second = self.told("vector_query", uri=first["output"]["uri"], where="continent = 'Africa'",
                                         geometry=[10, -20, 40, 5])
        self.assertLess(second["feature_count"], first["feature_count"])
        self.told("map_preview", layers=[{"uri": second["output"]["uri"], "label": "name"}])
        kept = self.told("vector_convert", uri=second["output"]["uri"], output="kept.gpkg")
        box = ogr.CreateGeometryFromWkt("POLYGON ((10 -20, 40 -20, 40 5, 10 5, 10 -20))")
        expected = sorted(v["name"] for g, v in geometries(self.path("naturalearth_lowres.shp")).values()
                          if v["continent"] == "Africa" and g.Intersects(box))
        self.assertEqual(sorted(v["name"] for _, v in geometries(self.path("kept.gpkg")).values()), expected)
        self.assertEqual(kept["feature_count"], len(expected))


if __name__ == "__main__":
    session.main()
