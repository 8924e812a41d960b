"""What GDAL drops from GeoJSON without an error: geometries whose coordinates are nested wrong, and a CRS that it does not know."""
import json

import session
from session import Claims, Session, good, problem, run

RING = [[0, 0], [1, 0], [1, 1], [0, 0]]
SOUND = {"type": "Point", "coordinates": [9, 50]}
PARTS = [("MultiLineString", [[[0, 0], [1, 1]], [[2, 2], [3]]]), ("MultiPolygon", [[RING], [[5, 5], [6, 5], [6, 6], [5, 5]]]),
         ("MultiPolygon", [[RING], [[[5, 5], [6, 5], [6, None], [5, 5]]]]), ("Polygon", [[], RING])]
WHOLES = [("Polygon", RING), ("Point", [[1, 2]]), ("Point", [1]), ("LineString", [1, 2, 3, 4]), ("LineString", [[0, 0], [1, None]]), ("MultiPoint", [1, 2]),
          ("MultiPolygon", [RING]), ("LineString", [[[0, 0]], [[1, 1]]]), ("Polygon", [[RING]]), ("Point", 5), ("LineString", [[1, 2], {}]), ("MultiPoint", [[1, 2], []])]
LAWFUL = [("Point", []), ("LineString", []), ("Polygon", []), ("MultiPoint", []), ("MultiLineString", []), ("MultiPolygon", []), ("MultiLineString", [[]]),
          ("MultiPolygon", [[]]), ("MultiLineString", [[[0, 0], [1, 1]], []]), ("MultiPolygon", [[RING], []]), ("Polygon", [RING, []]), ("MultiPolygon", [[RING, []]]),
          ("Point", [1, 2, 3]), ("Point", [1, 2, 3, 4]), ("LineString", [[0, 0, 5], [1, 1, 6]]), ("MultiPolygon", [[[[*at, 7] for at in RING]]])]


def shape(kind, coordinates):
    return {"type": kind, "coordinates": coordinates}


def feature(k, geometry):
    return {"type": "Feature", "properties": {"k": k, "geometry": {"type": "Point", "coordinates": [1]}}, "geometry": geometry}


def collection(geometries, **members):
    return {"type": "FeatureCollection", **members, "features": [feature(k, g) for k, g in enumerate(geometries)]}


class geojson_losses(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def write(self, name, *records):
        with open(self.path(name), "w") as f:
            f.write("\n".join(json.dumps(r) for r in records))
        return name

    def query(self, uri, **more):
        return good(run(self.session, "vector_query", {"uri": uri, **more}))

    def layer(self, uri):
        return good(self.session.call("vector_info", {"uri": uri}))["layers"][0]

    def test_a_geometry_that_is_nested_wrong_is_damage_of_its_feature(self):
        for kind, coordinates in PARTS + WHOLES:
            with self.subTest(kind, coordinates=coordinates):
                uri = self.write("a.geojson", collection([SOUND, SOUND, shape(kind, coordinates), SOUND]))
                p = problem(run(self.session, "vector_query", {"uri": uri}))
                self.assertIn(f"damaged at feature 2: the coordinates of a {kind} are not nested", p["message"])
                told = self.query(uri, skip_failed=True)
                self.assertEqual((told["feature_count"], told["failed_ids"]), (3, [2]))
                self.assertEqual(self.layer(uri)["damaged_count"], 1)

    def test_what_holds_no_coordinates_or_more_than_two_is_lawful(self):
        uri = self.write("a.geojson", collection([None] + [shape(*one) for one in LAWFUL]))
        self.assertEqual(self.query(uri)["feature_count"], len(LAWFUL) + 1)
        self.assertEqual(self.layer(uri).get("damaged_count", 0), 0)

    def test_a_member_of_a_collection_that_is_lost_is_damage(self):
        inner = {"type": "GeometryCollection", "geometries": [SOUND, {"type": "GeometryCollection", "geometries": [shape("Point", [1, 2])]}]}
        lost = json.loads(json.dumps(inner).replace("[1, 2]", "[[1, 2]]"))
        told = self.query(self.write("a.geojson", collection([inner, lost, {"type": "GeometryCollection", "geometries": []}])), skip_failed=True)
        self.assertEqual((told["feature_count"], told["failed_ids"]), (2, [1]))

    def test_each_of_several_is_named_by_its_own_id_and_reason(self):
        """GDAL speaks of the texts and the missing member only, when it has parsed some features ahead."""
        data = collection([SOUND, shape("Point", [[1, 2]]), None, shape("Point", [9, "x"]), {"type": "Point"}, {"type": "Circle", "coordinates": [1, 2]}, SOUND])
        for k, one in enumerate(data["features"]):
            one["id"] = 100 + k
        uri = self.write("a.geojson", data)
        told = self.query(uri, skip_failed=True)
        self.assertEqual((told["feature_count"], sorted(told["failed_ids"])), (3, [101, 103, 104, 105]))
        self.assertEqual(self.layer(uri)["damaged_count"], 4)

    def test_a_box_does_not_hide_what_is_lost(self):
        uri = self.write("a.geojson", collection([SOUND, shape("Point", [[9, 50]]), shape(*PARTS[0])]))
        box = {"geometry": [8, 49, 10, 51]}
        self.assertIn("damaged at feature 1", problem(run(self.session, "vector_query", {"uri": uri, **box}))["message"])
        told = self.query(uri, skip_failed=True, **box)
        self.assertEqual((told["feature_count"], sorted(told["failed_ids"])), (1, [1, 2]))

    def test_sequences_single_features_and_texts_are_judged_alike(self):
        lost = [shape(*PARTS[0]), shape(*WHOLES[0])]
        uri = self.write("a.geojsonl", *(feature(k, g) for k, g in enumerate([SOUND, *lost, SOUND])))
        told = self.query(uri, skip_failed=True)
        self.assertEqual((told["feature_count"], told["failed_ids"]), (2, [1, 2]))
        self.assertEqual(self.layer(self.write("b.geojson", feature(1, lost[0])))["damaged_count"], 1)
        self.assertEqual(self.layer(self.write("c.geojson", lost[0]))["damaged_count"], 1)
        told = self.query(collection([SOUND, *lost]), skip_failed=True)
        self.assertEqual((told["feature_count"], told["failed_ids"]), (1, [1, 2]))

    def test_a_mask_that_is_not_read_whole_is_refused(self):
        sound, mask = self.write("a.geojson", collection([SOUND])), self.write("mask.geojson", collection([shape("Polygon", [RING]), shape(*PARTS[1])]))
        p = problem(run(self.session, "vector_clip", {"uri": sound, "mask": mask}))
        self.assertIn("cannot be read whole: the coordinates of a MultiPolygon", p["message"])

    def crs_warnings(self, uri):
        told = good(self.session.call("vector_info", {"uri": uri}))
        self.assertEqual([w for w in told["warnings"] if "CRS" in w], [w for w in self.query(uri)["warnings"] if "src_crs" in w])
        return " ".join(w for w in told["warnings"] if "CRS" in w), told["layers"][0]["crs"]

    def test_a_crs_that_is_not_known_is_named(self):
        name = lambda text: {"type": "name", "properties": {"name": text}}
        for crs, words in ((name("urn:ogc:def:crs:EPSG::999999"), ["'urn:ogc:def:crs:EPSG::999999'"]), (name("bogus"), ["'bogus'"]), (name(""), ["not known"]),
                           ({"type": "link", "properties": {"href": "http://localhost/crs.wkt"}}, ["link 'http://localhost/crs.wkt'"]), ("EPSG:2154", ["EPSG:2154"]),
                           (None, ["is unknown"]), ({"type": "EPSG", "properties": {"code": 9}}, ["'EPSG:9'"])):
            with self.subTest(crs=crs):
                said, taken = self.crs_warnings(self.write("a.geojson", collection([SOUND], crs=crs)))
                for word in [*words, "WGS 84 are assumed", "src_crs"]:
                    self.assertIn(word, said)
                self.assertIn("4326", json.dumps(taken))
        said, taken = self.crs_warnings(self.write("a.geojson", collection([SOUND], crs=name("EPSG:2154x"))))
        self.assertIn("'EPSG:2154x', which is not known: it is read as EPSG:2154", said)

    def test_a_crs_that_is_known_is_none_to_warn_of(self):
        for crs in ("EPSG:2154", "urn:ogc:def:crs:EPSG::2154", "urn:ogc:def:crs:EPSG:9.8:2154", "urn:ogc:def:crs:OGC:1.3:CRS84", "urn:ogc:def:crs:EPSG::4326",
                    "http://www.opengis.net/def/crs/EPSG/0/2154", "ESRI:102001", "EPSG:2154+5720"):
            with self.subTest(crs):
                data = collection([SOUND], crs={"type": "name", "properties": {"name": crs}})
                self.assertEqual(self.crs_warnings(self.write("a.geojson", data))[0], "")
        self.assertEqual(self.crs_warnings(self.write("a.geojson", collection([SOUND])))[0], "")
        self.assertEqual(self.crs_warnings(self.write("a.geojson", collection([SOUND], crs={"type": "EPSG", "properties": {"code": 2154}})))[0], "")


if __name__ == "__main__":
    session.main()
