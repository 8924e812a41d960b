"""TINs and polyhedral surfaces: every tool of the plan sees what their faces cover together, and says that heights go."""
import math
import sqlite3
import struct

from osgeo import gdal, ogr, osr

import session
from session import Claims, Session, good, problem, run

gdal.UseExceptions()
WEST, SOUTH = 500000, 5500000  # on the central meridian of its zone
HALF = [WEST, SOUTH, WEST + 5, SOUTH + 10]


def faces(kind, *rings):
    """Rings of x, y and z, from the corner on."""
    def vertex(text):
        x, y, z = map(int, text.split())
        return f"{WEST + x} {SOUTH + y} {z}"
    return f"{kind} Z (" + ",".join("((" + ",".join(map(vertex, ring.split(","))) + "))" for ring in rings) + ")"


# All cover a square of 10 by 10 m.
LEVEL = faces("TIN", "0 0 1,10 0 1,0 10 1,0 0 1", "10 0 1,10 10 1,0 10 1,10 0 1")
SHAPES = {"a cube": faces("POLYHEDRALSURFACE", "0 0 0,0 10 0,10 10 0,10 0 0,0 0 0", "0 0 0,10 0 0,10 0 10,0 0 10,0 0 0", "0 0 10,10 0 10,10 10 10,0 10 10,0 0 10",
                          "0 10 0,0 10 10,10 10 10,10 10 0,0 10 0", "0 0 0,0 0 10,0 10 10,0 10 0,0 0 0", "10 0 0,10 10 0,10 10 10,10 0 10,10 0 0"),
          "a roof over its floor": faces("TIN", "0 0 0,10 0 0,0 10 0,0 0 0", "10 0 0,10 10 0,0 10 0,10 0 0", "0 0 5,10 0 5,5 5 9,0 0 5", "10 0 5,10 10 5,5 5 9,10 0 5",
                                         "10 10 5,0 10 5,5 5 9,10 10 5", "0 10 5,0 0 5,5 5 9,0 10 5"),
          "a level TIN": LEVEL,
          "a collection of it": f"GEOMETRYCOLLECTION Z ({LEVEL})"}


def first_shape(path):
    file = ogr.Open(path)
    layer = file.GetLayer(0)
    feature = layer.GetNextFeature()
    return feature.GetGeometryRef().Clone()


class surfaces(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session("--toolsets", "vector,fields,vector-more", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def write(self, name, *shapes):
        crs = osr.SpatialReference()
        crs.ImportFromEPSG(32632)
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name))
        layer = file.CreateLayer("s", crs, ogr.wkbUnknown)
        for shape in shapes:
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(shape))
            layer.CreateFeature(feature)
        layer = file = None

    def call(self, tool, **arguments):
        return good(run(self.session, tool, arguments))

    def test_figures_and_results_are_those_of_the_square(self):
        for i, (what, shape) in enumerate(SHAPES.items()):
            uri = f"s{i}.gpkg"
            self.write(uri, shape)
            with self.subTest(what):
                told = self.call("vector_measure", uri=uri)
                self.assertAlmostEqual(told["area_m2"], 100 / 0.9996**2, places=3)
                self.assertAlmostEqual(told["perimeter_m"], 40 / 0.9996, places=3)
                self.assertAlmostEqual(self.call("vector_measure", uri=uri, geometry=HALF)["area_m2"], 50 / 0.9996**2, places=3)
                self.call("vector_calc", uri=uri, fields={"a": "$area_m2"}, output=f"calc{i}.gpkg")
                self.assertAlmostEqual(self.call("vector_stats", uri=f"calc{i}.gpkg", fields=["a"])["groups"][0]["figures"]["sum"], 100 / 0.9996**2, places=3)
                for tool, arguments, area in (("vector_dissolve", {}, 100), ("vector_simplify", {"tolerance": 0.1}, 100), ("vector_clip", {"bounds": HALF}, 50),
                                              ("vector_query", {"geometry": HALF, "clip": True}, 50)):
                    output = f"{tool}{i}.gpkg"
                    said = " ".join(self.call(tool, uri=uri, output=output, **arguments)["warnings"])
                    made = first_shape(self.path(output))
                    self.assertTrue(made.IsValid(), tool)
                    self.assertAlmostEqual(made.GetArea(), area, 6, tool)
                    self.assertIn("POLYGON (", made.ExportToIsoWkt(), tool)
                    self.assertRegex(said, r"heights \(z\)|no z values", tool)

    def test_parts_and_rest_add_up(self):
        self.write("cube.gpkg", SHAPES["a cube"])
        self.write("half.gpkg", f"POLYGON (({WEST} {SOUTH},{WEST + 5} {SOUTH},{WEST + 5} {SOUTH + 10},{WEST} {SOUTH + 10},{WEST} {SOUTH}))")
        for operation in ("intersection", "difference"):
            told = good(run(self.session, "vector_overlay", {"a": "cube.gpkg", "b": "half.gpkg", "operation": operation, "output": f"{operation}.gpkg"}))
            self.assertAlmostEqual(told["area_m2"], 50 / 0.9996**2, places=3)
            self.assertNotIn("do not add up", str(told["warnings"]))

    def test_a_face_without_a_place_is_not_passed_over(self):
        def triangle(*corners):
            return struct.pack("<BIII", 1, 1017, 1, 4) + b"".join(struct.pack("<3d", *c) for c in corners)
        a, b, c = (WEST, SOUTH, 0), (WEST + 10, SOUTH, 0), (WEST, SOUTH + 10, 0)
        for nowhere in (math.nan, math.inf):
            torn = struct.pack("<BII", 1, 1016, 2) + triangle(a, b, c, a) + triangle(b, (nowhere, SOUTH + 10, 0), c, b)
            name = f"{nowhere}.gpkg"
            self.write(name, LEVEL)
            with sqlite3.connect(self.path(name)) as db:  # GDAL finds no box for it
                db.executescript("".join(f'DROP TRIGGER "{t}";' for t, in db.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")))
                db.execute("INSERT INTO s (geom) VALUES (?)", (b"GP\0\1" + struct.pack("<i", 32632) + torn,))
            db.close()
            for tool, arguments in (("vector_measure", {}), ("vector_dissolve", {}), ("vector_simplify", {"tolerance": 0.1}), ("vector_buffer", {"distance": 5}), ("vector_calc", {"fields": {"a": "$area_m2"}})):
                with self.subTest(f"{tool} {nowhere}"):
                    p = problem(run(self.session, tool, {"uri": name, "output": "o.gpkg", "overwrite": True, **arguments}))
                    self.assertIn("feature 2", p["message"])

    def test_they_are_not_called_invalid(self):
        self.write("s.gpkg", *SHAPES.values())
        told = self.call("vector_info", uri="s.gpkg")["layers"][0]
        self.assertEqual((told["checked"], told["invalid_count"]), (4, 0))
        told = self.call("vector_validate", uri="s.gpkg", repair=True, output="v.gpkg")
        self.assertEqual((told["checked"], told["invalid_count"], told["repaired_count"]), (4, 0, 0))
        self.assertIn("4 features of faces in space (TIN, PolyhedralSurface): not checked, GEOS knows none", told["warnings"])
        self.assertEqual(first_shape(self.path("v.gpkg")).ExportToIsoWkt(), ogr.CreateGeometryFromWkt(SHAPES["a cube"]).ExportToIsoWkt())

    def test_what_is_lost_where_heights_are_kept(self):
        self.write("tin.gpkg", LEVEL)
        said = self.call("vector_convert", uri="tin.gpkg", output="tin.shp")["warnings"]
        self.assertNotIn("z values", str(said))
        self.assertTrue(first_shape(self.path("tin.shp")).Is3D())
        self.write("any.gpkg", f"POINT Z ({WEST} {SOUTH} 7)", f"POINT ({WEST} {SOUTH})")
        said = self.call("vector_convert", uri="any.gpkg", output="any.fgb")["warnings"]
        file = ogr.Open(self.path("any.fgb"))
        layer = file.GetLayer(0)
        self.assertEqual(sorted(f.GetGeometryRef().GetZ() for f in layer), [0, 7])
        self.assertIn("1 feature without z values got z = 0: in this layer of FlatGeobuf all have z; write to .gpkg to keep them", said)


class collections(Claims):
    def test_parts_of_several_parts_are_checked(self):
        two = "((0 0,10 0,0 10,0 0)),((10 0,10 10,0 10,10 0))"  # meet along an edge
        with Session("--toolsets", "vector,vector-more", workspace=self.workspace) as s:
            file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("c.gpkg"))
            layer = file.CreateLayer("c")
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"GEOMETRYCOLLECTION (POINT (20 20),MULTIPOLYGON ({two}))"))
            layer.CreateFeature(feature)
            feature = layer = file = None
            told = good(run(s, "vector_validate", {"uri": "c.gpkg", "repair": True, "output": "v.gpkg"}))
            self.assertEqual((told["invalid_count"], told["repaired_count"]), (1, 1))
            self.assertEqual(told["reasons"], {"Self-intersection": 1})
            self.assertEqual(first_shape(self.path("v.gpkg")).ExportToIsoWkt(), "GEOMETRYCOLLECTION (POINT (20 20),POLYGON ((0 10,10 10,10 0,0 0,0 10)))")


if __name__ == "__main__":
    session.main()
