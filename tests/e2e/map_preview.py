"""map_preview: what is drawn where, against positions computed apart, and pictures that a person has looked at."""
import base64
import itertools
import pathlib
import sqlite3
import unittest

import numpy
from osgeo import gdal, ogr, osr

import golden
import more
import rasters
import session
from rasters import waves, write
from session import Claims, Session, good, problem

DATA = rasters.TEST_DATA
UTM = 32633
RED, GREEN, BLUE = (204, 102, 119), (51, 34, 136), (221, 204, 119)  # of the first three categories


def box(west, south, east, north):
    return [[[west, south], [east, south], [east, north], [west, north], [west, south]]]


def layer(path, features, epsg=UTM, fields=()):
    """features: (GeoJSON geometry, values)."""
    file = ogr.GetDriverByName("GPKG").CreateDataSource(path)
    made = file.CreateLayer("a", rasters.crs(epsg) if epsg else None, ogr.wkbUnknown)
    for name, kind in fields:
        made.CreateField(ogr.FieldDefn(name, kind))
    for geometry, values in features:
        f = ogr.Feature(made.GetLayerDefn())
        f.SetGeometry(ogr.CreateGeometryFromJson(str(geometry).replace("'", '"')))
        for (name, _), value in zip(fields, values):
            if value is not None:
                f.SetField(name, value)
        made.CreateFeature(f)
    return path


def polygon(*corners):
    return {"type": "Polygon", "coordinates": box(*corners)}


def point(x, y):
    return {"type": "Point", "coordinates": [x, y]}


class map_preview(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def draw(self, *layers, session=None, **arguments):
        """The answer, and the pixels [rows, columns, 3]."""
        result = (session or self.session).call("map_preview", {"layers": list(layers), **arguments})
        told = good(result)
        self.png = next(base64.b64decode(b["data"]) for b in result["content"] if b["type"] == "image")
        self.assertEqual(len(self.png), told["image_bytes"])
        self.assertLessEqual(len(self.png), 400_000)
        pixels = rasters.pixels_of(self.png)[:3].transpose(1, 2, 0).astype(int)
        self.assertEqual(pixels.shape[:2], (told["height"], told["width"]))
        return told, pixels

    def refused(self, *layers, **arguments):
        return problem(self.session.call("map_preview", {"layers": list(layers), **arguments}))

    def at(self, told, pixels, x, y, top=8):
        """The colour at map coordinates: the map begins 8 pixels from the left and `top` from above."""
        west, _, east, north = told["bounds"]["native"]
        frame = [c for c in range(pixels.shape[1]) if tuple(pixels[top, c]) == (120, 120, 120)]
        side = (east - west) / (max(frame) - min(frame) + 1)
        return tuple(pixels[top + int((north - y) / side), 8 + int((x - west) / side)])

    def near(self, color, expected, by=30):
        self.assertLess(max(abs(a - b) for a, b in zip(color, expected)), by, (color, expected))

    def golden(self, name):
        golden.compare(self, name, self.png)

    def three(self, path="a.gpkg", values=("meadow", "forest", None)):
        return layer(self.path(path), [(polygon(500000 + 1000 * i, 5000000, 501000 + 1000 * i, 5001000), [v]) for i, v in enumerate(values)],
                     fields=[("cover", ogr.OFTString)])

    def test_polygons_have_the_colours_of_their_categories_where_they_lie(self):
        self.three()
        told, pixels = self.draw({"uri": "a.gpkg", "field": "cover"}, title="Three squares")
        self.assertEqual(told["bounds"]["crs"], "EPSG:32633")
        self.assertEqual(told["crs_choice"], "the CRS of 'a'")
        self.near(self.at(told, pixels, 500500, 5000500, top=32), GREEN)  # categories by name: forest, meadow
        self.near(self.at(told, pixels, 501500, 5000500, top=32), RED)
        self.near(self.at(told, pixels, 502500, 5000500, top=32), (200, 200, 200))
        self.assertEqual(told["layers"], [{"name": "a: cover", "kind": "polygons", "feature_count": 3, "classes": "each value a class",
                                           "legend": ["#cc6677 forest: 1", "#332288 meadow: 1", "#c8c8c8 no value"]}])
        self.assertEqual(told["warnings"], ["a: cover: 1 feature without a value drawn in grey"])
        self.golden("map_categories")

    def test_a_field_without_any_value_is_warned_of(self):
        self.three(values=(None, None, None))
        told, _ = self.draw({"uri": "a.gpkg", "field": "cover"})
        self.assertIn("a: cover: no feature has a value, so the map shows none", told["warnings"])

    def test_numbers_are_classes_from_dark_to_light(self):
        layer(self.path("a.gpkg"), [(point(500000 + 100 * i, 5001140 - 60 * i), [i]) for i in range(20)], fields=[("n", ogr.OFTInteger)])
        told, pixels = self.draw({"uri": "a.gpkg", "field": "n"})
        self.assertEqual(told["layers"][0]["kind"], "points")
        self.assertEqual(told["layers"][0]["legend"], ["#440154 0 to 3: 4", "#3b518a 4 to 7: 4", "#23908c 8 to 11: 4", "#5fc761 12 to 15: 4", "#fde725 16 to 19: 4"])
        self.assertEqual(told["layers"][0]["classes"], "5 classes of about equal counts (quantiles)")
        self.near(self.at(told, pixels, 500000, 5001140), (68, 1, 84))
        self.near(self.at(told, pixels, 501900, 5000000), (253, 231, 37))

    def test_a_raster_lies_under_lines_transformed_to_its_crs(self):
        codes = numpy.ones((60, 90), "uint8")
        codes[:, 45:] = 2
        write(self.path("cover.tif"), [codes], gdal.GDT_Byte, epsg=UTM, transform=(500000, 30, 0, 5001800, 0, -30),
              palette={1: (10, 120, 20, 255), 2: (230, 220, 150, 255)})
        # The western edge of the right half, in degrees.
        to = osr.CoordinateTransformation(rasters.crs(UTM), rasters.crs(4326))
        line = [to.TransformPoint(501350, y)[:2] for y in (5000000, 5001800)]
        layer(self.path("border.gpkg"), [({"type": "LineString", "coordinates": [list(p) for p in line]}, [])], epsg=4326)
        told, pixels = self.draw("cover.tif", {"uri": "border.gpkg", "color": "#ff0000"})
        self.assertEqual(told["bounds"]["crs"], "EPSG:32633")
        self.near(self.at(told, pixels, 500700, 5000900), (10, 120, 20), 2)
        self.near(self.at(told, pixels, 502000, 5000900), (230, 220, 150), 2)
        across = [self.at(told, pixels, x, 5000900) for x in range(501345, 501356)]
        self.near(max(across, key=lambda c: c[0] - c[1]), (255, 0, 0), 80)
        self.assertEqual(told["layers"][0]["legend"], ["#0a7814 1", "#e6dc96 2"])
        self.assertEqual(told["layers"][1]["kind"], "lines")

    def test_the_order_of_layers_is_that_of_drawing(self):
        layer(self.path("below.gpkg"), [(polygon(500000, 5000000, 501000, 5001000), ["x"])], fields=[("v", ogr.OFTString)])
        layer(self.path("above.gpkg"), [(polygon(500400, 5000400, 500600, 5000600), [7])], fields=[("v", ogr.OFTInteger)])
        told, pixels = self.draw({"uri": "below.gpkg", "field": "v"}, {"uri": "above.gpkg", "field": "v"})
        self.near(self.at(told, pixels, 500200, 5000200), RED)
        self.near(self.at(told, pixels, 500500, 5000500), (38, 130, 142), 45)
        told, pixels = self.draw({"uri": "above.gpkg", "field": "v"}, {"uri": "below.gpkg", "field": "v"})
        self.near(self.at(told, pixels, 500500, 5000500), RED, 45)

    def test_degrees_are_drawn_equal_area_and_holes_stay_open(self):
        ring = [*box(10, 50, 12, 51), *box(10.5, 50.3, 11.5, 50.7)]
        layer(self.path("a.gpkg"), [({"type": "Polygon", "coordinates": ring}, ["x"])], epsg=4326, fields=[("v", ogr.OFTString)])
        told, pixels = self.draw({"uri": "a.gpkg", "field": "v"}, legend=False)
        self.assertEqual(told["bounds"]["crs"], "Lambert azimuthal equal-area around 50.5°N 11°E")
        drawn = (abs(pixels - numpy.array(RED)).max(axis=2) < 45).sum() * told["metres_per_pixel"] ** 2
        from pyproj import Geod
        area = abs(Geod(ellps="WGS84").polygon_area_perimeter(*zip(*ring[0]))[0]) - abs(Geod(ellps="WGS84").polygon_area_perimeter(*zip(*ring[1]))[0])
        self.assertAlmostEqual(drawn / area, 1, delta=0.03)

    def test_a_shown_area_chooses_the_extent_and_the_projection(self):
        world = [(polygon(-180 + 20 * i, -90, -160 + 20 * i, 90), [i]) for i in range(18)]
        layer(self.path("world.gpkg"), world, epsg=4326, fields=[("n", ogr.OFTInteger)])
        told, _ = self.draw({"uri": "world.gpkg", "field": "n"}, graticule=True)
        self.assertEqual(told["bounds"]["crs"], "Equal Earth around 0°")
        self.assertEqual(told["layers"][0]["feature_count"], 18)
        self.golden("map_world")
        told, _ = self.draw({"uri": "world.gpkg", "field": "n"}, geometry=[5, 40, 15, 50], geometry_crs="EPSG:4326")
        self.assertEqual(told["bounds"]["crs"], "Lambert azimuthal equal-area around 45°N 10°E")
        west, south, east, north = told["bounds"]["wgs84"]
        self.assertTrue(west < 5 < 15 < east < 17 and south < 40 < 50 < north < 52, told["bounds"])

    def test_across_the_antimeridian_neighbours_stay_together(self):
        layer(self.path("west.gpkg"), [(point(179, -17), [])], epsg=4326)
        layer(self.path("east.gpkg"), [(point(-179, -17), [])], epsg=4326)
        told, _ = self.draw("west.gpkg", "east.gpkg")
        self.assertIn("180°E", told["bounds"]["crs"])
        self.assertLess(told["bounds"]["native"][2] - told["bounds"]["native"][0], 250_000)

    def test_a_raster_without_a_place_is_named(self):
        more.without_grid(self.path("bare.tif"))
        p = self.refused({"uri": "bare.tif"})
        self.assertEqual(p["error"], "unsupported")
        self.assertIn("bare.tif has no geotransform: where its cells lie is unknown", p["message"])

    def test_one_point_in_a_national_grid_is_drawn(self):
        layer(self.path("one.gpkg"), [(point(530000, 180000), [])], epsg=27700)
        self.assertEqual(self.draw("one.gpkg")[0]["bounds"]["crs"], "EPSG:27700")

    def test_points_on_both_sides_of_180_degrees_at_the_equator_have_a_place(self):
        layer(self.path("line.gpkg"), [(point(x, 0), []) for x in (179.9, -179.9)], epsg=4326)
        west, _, east, _ = self.draw("line.gpkg")[0]["bounds"]["native"]
        self.assertLess(east - west, 250_000)

    def test_points_on_both_sides_of_180_degrees_fill_the_map(self):
        """Three points within 22 km, and on maps that end at 180 degrees at both ends of the world."""
        layer(self.path("fiji.gpkg"), [(point(x, -17), []) for x in (179.9, -179.9, -179.95)], epsg=4326)
        for crs, narrow in ((None, True), ("EPSG:3832", True), ("EPSG:3857", False), ("EPSG:4326", False)):
            told, _ = self.draw("fiji.gpkg", **({"crs": crs} if crs else {}))
            west, _, east, _ = told["bounds"]["native"]
            world = 360 if crs == "EPSG:4326" else 40e6
            self.assertEqual(east - west < 25_000 if narrow else east - west > 0.99 * world, True, (crs, told["bounds"]))
            self.assertEqual(told["layers"][0]["feature_count"], 3)

    def test_an_area_across_the_antimeridian_is_shown_in_one_piece(self):
        layer(self.path("fiji.gpkg"), [(polygon(177, -19, 180, -16), []), (polygon(-180, -19, -178, -16), [])], epsg=4326)
        told, _ = self.draw("fiji.gpkg", geometry=[175, -20, -176, -14])
        self.assertIn("179.5°E", told["bounds"]["crs"])
        self.assertLess(told["bounds"]["native"][2] - told["bounds"]["native"][0], 1_200_000)
        self.assertEqual(told["layers"][0]["feature_count"], 2)

    def test_a_map_ends_where_its_crs_does(self):
        layer(self.path("world.gpkg"), [(polygon(-180, -90, 180, 90), [])], epsg=4326)
        told, _ = self.draw("world.gpkg", crs="EPSG:3857")
        self.assertLess(max(map(abs, told["bounds"]["native"])), 21_500_000)

    def test_a_small_picture_has_room_for_its_map(self):
        self.three()
        told, _ = self.draw({"uri": "a.gpkg", "field": "cover"}, size=200)
        self.assertGreater(told["width"], 150)

    def test_long_texts_are_cut_before_they_are_measured(self):
        self.three(values=("é" * 100_000, "b", "c"))
        told, _ = self.draw({"uri": "a.gpkg", "field": "cover", "label": "cover"})
        self.assertLess(len(str(told["layers"])), 1000)

    def test_infinite_numbers_and_cells_without_data_are_said(self):
        layer(self.path("a.gpkg"), [(point(500000 + 100 * i, 5000000), [v]) for i, v in enumerate((1.0, 2.0, float("inf")))], fields=[("v", ogr.OFTReal)])
        told, _ = self.draw({"uri": "a.gpkg", "field": "v"})
        self.assertIn("a: v: 1 feature without a value drawn in grey", told["warnings"])
        write(self.path("none.tif"), [numpy.full((60, 90), -1, "float32")], gdal.GDT_Float32, epsg=UTM, transform=(500000, 30, 0, 5001800, 0, -30), nodata=-1)
        told, _ = self.draw("none.tif")
        self.assertEqual((told["layers"][0]["legend"], told["warnings"]), ([], ["none: no cell with data lies in the map"]))

    def world(self, name, west):
        """Cells of one degree, each of its longitude."""
        longitudes = numpy.tile(west + 0.5 + numpy.arange(360.0), (180, 1))
        return write(self.path(name), [longitudes], gdal.GDT_Float32, epsg=4326, transform=(west, 1, 0, 90, 0, -1))

    def test_a_world_ends_at_its_outline_whatever_the_longitudes_begin_with(self):
        edge = 17243959.062  # half the equator of Equal Earth, m
        for west in (-180, 0):
            self.world("world.tif", west)
            told, pixels = self.draw("world.tif", size=500)
            self.assertAlmostEqual(told["bounds"]["native"][2] / edge, 1.04, delta=1e-3)  # a margin on each side
            for x in (-1, 1):
                for y in (-1, 1):  # in the corners nothing is
                    self.near(self.at(told, pixels, x * 0.95 * edge, y * 7.5e6), (255, 255, 255))
            west_half, east_half = self.at(told, pixels, -edge / 2, 0), self.at(told, pixels, edge / 2, 0)
            for at in (west_half, east_half):
                self.assertGreater(max(at) - min(at), 30)  # both halves are coloured
            self.assertNotEqual(west_half, east_half)

    def test_what_crosses_the_edge_of_a_map_of_the_world_is_shown_whole(self):
        cells = numpy.tile(numpy.arange(26.0), (20, 1))
        write(self.path("fiji.tif"), [cells], gdal.GDT_Float32, epsg=4326, transform=(170, 1, 0, 10, 0, -1))
        self.world("world.tif", -180)
        for layers, crs in ((["fiji.tif", "world.tif"], None), (["fiji.tif"], "EPSG:8857")):
            told, pixels = self.draw(*layers, size=500, **({"crs": crs} if crs else {}))
            west, _, east, _ = told["bounds"]["native"]
            self.assertLess(west, -17.2e6)
            self.assertGreater(east, 17.2e6)

    def test_a_map_around_a_point_holds_the_whole_world(self):
        self.world("world.tif", -180)
        told, _ = self.draw("world.tif", size=500, crs="ESRI:54032")  # azimuthal equidistant
        west, south, east, north = told["bounds"]["native"]
        for reach in (-west, -south, east, north):
            self.assertGreater(reach, 20.0e6)  # half way around the Earth, with the margin

    def test_polygons_that_the_edge_of_the_map_cuts_are_on_both_sides_of_it(self):
        layer(self.path("a.gpkg"), [(polygon(-10, 20, 10, 40), []), (polygon(170, -30, 180, -10), [])], epsg=4326)
        told, pixels = self.draw("a.gpkg", size=500, crs="+proj=eqc +lon_0=180 +datum=WGS84 +type=crs")
        side = 20037508.34  # half the equator, m
        for x, y, filled in ((-0.97 * side, 3.4e6, True), (0.97 * side, 3.4e6, True), (0, 3.4e6, False), (-5e5, -2.2e6, True)):
            self.assertEqual(self.at(told, pixels, x, y) != (255, 255, 255), filled, (x, y))

    def test_a_map_around_a_pole_goes_on_at_180_degrees(self):
        layer(self.path("a.gpkg"), [(polygon(160, 60, 200, 80), [])], epsg=4326)
        told, pixels = self.draw("a.gpkg", size=500, crs="EPSG:3408")
        inside = [self.at(told, pixels, 0, y) for y in range(1400000, 3000000, 100000)]  # along the meridian of 180 degrees
        self.assertEqual(len(set(inside)), 1, "there is no line")
        self.assertNotEqual(inside[0], (255, 255, 255))

    def test_a_raster_around_a_pole_fills_nothing_beside_the_globe(self):
        write(self.path("north.tif"), [waves(200, 200, 0, 9)], gdal.GDT_Float32, epsg=3413, transform=(-3e6, 30000, 0, 3e6, 0, -30000))
        layer(self.path("a.gpkg"), [(polygon(-170, -80, 170, -60), [])], epsg=4326)
        told, pixels = self.draw("a.gpkg", "north.tif", size=500, crs="EPSG:8857")
        for x in (-14e6, -13e6, 13e6, 14e6):
            self.assertEqual(self.at(told, pixels, x, 7.9e6), (255, 255, 255))
        self.assertNotEqual(self.at(told, pixels, 0, 7.9e6), (255, 255, 255))

    def test_the_poles_inside_polar_rasters_are_on_a_map_of_the_world(self):
        for name, epsg in (("north.tif", 3413), ("south.tif", 3031)):
            write(self.path(name), [waves(260, 200, 0, 9)], gdal.GDT_Float32, epsg=epsg, transform=(-2600000, 20000, 0, 2000000, 0, -20000))
        told, _ = self.draw("north.tif", "south.tif", size=500)
        pole = 8392927.6  # y of Equal Earth's pole, m
        self.assertLess(told["bounds"]["native"][1], -pole)
        self.assertGreater(told["bounds"]["native"][3], pole)

    def test_degrees_are_written_where_their_lines_leave_a_map_around_a_pole(self):
        write(self.path("a.tif"), [numpy.full((60, 360), 7.0)], gdal.GDT_Float32, epsg=4326, transform=(-180, 1, 0, 90, 0, -1))
        told, pixels = self.draw("a.tif", crs="EPSG:6931", size=600, graticule=True)
        east = max(c for c in range(pixels.shape[1]) if tuple(pixels[8, c]) == (120, 120, 120))
        south = max(r for r in range(pixels.shape[0]) if tuple(pixels[r, 8]) == (120, 120, 120))

        def written(column, row):
            return (abs(pixels[row - 9:row + 9, column - 12:column + 12] - 60).max(axis=2) < 8).any()
        middle, centre = (8 + east) // 2, (8 + south) // 2
        self.assertEqual([written(*at) for at in ((middle, 18), (middle, south - 8), (22, centre - 5), (east - 14, centre - 5), (middle, centre))],
                         [True] * 4 + [False], "180, 0, 90 W, 90 E, and nothing on the pole")

    def test_another_planet_is_drawn_in_its_own_crs(self):
        write(self.path("mars.tif"), [waves(60, 90, 0, 9)], gdal.GDT_Float32, epsg=None, transform=(0, 0.1, 0, 6, 0, -0.1))
        file = gdal.Open(self.path("mars.tif"), gdal.GA_Update)
        file.SetProjection('GEOGCS["Mars",DATUM["Mars",SPHEROID["Mars",3396190,0]],PRIMEM["Reference",0],UNIT["degree",0.0174532925199433]]')
        file = None
        told, pixels = self.draw("mars.tif", size=300)
        self.assertIn("cannot relate to WGS 84", told["crs_choice"])
        self.assertNotEqual(self.at(told, pixels, 4.5, 3), (255, 255, 255))

    def test_an_alpha_band_hides_what_it_hides(self):
        cells, alpha = numpy.full((60, 90), 0, "uint8"), numpy.full((60, 90), 0, "uint8")
        cells[:, 45:] = 100 + numpy.arange(45)
        alpha[:, 45:] = 255
        write(self.path("a.tif"), [cells, alpha], gdal.GDT_Byte, epsg=UTM, transform=(500000, 30, 0, 5001800, 0, -30))
        file = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        file.GetRasterBand(2).SetColorInterpretation(gdal.GCI_AlphaBand)
        file = None
        told, pixels = self.draw("a.tif")
        self.near(self.at(told, pixels, 500700, 5000900), (255, 255, 255))
        self.assertRegex(told["layers"][0]["legend"][0], "^#000000 .*10[0-9]")

    def test_one_value_has_one_colour_whatever_resampling_makes_of_it(self):
        write(self.path("k.tif"), [numpy.full((300, 400), 7.25)], gdal.GDT_Float64, epsg=UTM, transform=(500000, 30, 0, 5009000, 0, -30))
        told, pixels = self.draw("k.tif")
        colours = {tuple(self.at(told, pixels, x, y)) for x in range(503000, 509000, 300) for y in range(5003500, 5008500, 300)}
        self.assertEqual(len(colours), 1)
        self.assertEqual([line.split()[1:] for line in told["layers"][0]["legend"]], [["7.25"], ["7.25"]])

    def test_nodata_lets_what_lies_below_through(self):
        layer(self.path("below.gpkg"), [(polygon(500000, 5000000, 502700, 5001800), ["x"])], fields=[("v", ogr.OFTString)])
        z = waves(90, 60, 10, 20).astype("float32")
        z[:, :45] = -9999
        write(self.path("z.tif"), [z], gdal.GDT_Float32, epsg=UTM, transform=(500000, 30, 0, 5001800, 0, -30), nodata=-9999)
        told, pixels = self.draw({"uri": "below.gpkg", "field": "v"}, "z.tif")
        self.near(self.at(told, pixels, 500700, 5000900), RED)
        self.assertEqual(told["layers"][1]["kind"], "ramp")

    def test_labels_stand_apart_and_the_rest_is_counted(self):
        layer(self.path("a.gpkg"), [(point(500000 + 10 * i, 5000000), [f"place {i}"]) for i in range(100)], fields=[("name", ogr.OFTString)])
        told, _ = self.draw({"uri": "a.gpkg", "label": "name"})
        self.assertRegex(str(told["warnings"]), r"a: \d labels drawn, \d\d left out for want of room")

    def test_labels_of_measured_numbers_have_four_digits(self):
        """As texts of the same words are drawn: 5 and 12.25 are short as they are, whole numbers keep all digits."""
        values = ((1094.98974262364, "1095"), (5.06888664696515, "5.069"), (5.0, "5"), (12.25, "12.25"), (123456.789, "123457"))
        places = [polygon(500000 + 1000 * i, 5000000, 501000 + 1000 * i, 5001000) for i in range(len(values))]
        layer(self.path("a.gpkg"), [(p, [n, t]) for p, (n, t) in zip(places, values)], fields=[("n", ogr.OFTReal), ("t", ogr.OFTString)])
        (_, numbers), (_, texts) = self.draw({"uri": "a.gpkg", "label": "n"}), self.draw({"uri": "a.gpkg", "label": "t"})
        self.assertTrue((numbers == texts).all())
        layer(self.path("b.gpkg"), [(places[0], [1234567890123, "1234567890123"])], fields=[("n", ogr.OFTInteger64), ("t", ogr.OFTString)])
        (_, numbers), (_, texts) = self.draw({"uri": "b.gpkg", "label": "n"}), self.draw({"uri": "b.gpkg", "label": "t"})
        self.assertTrue((numbers == texts).all())

    def test_few_whole_numbers_without_meaning_are_classes(self):
        """Codes in steps of one, as a surface has them: 3, 4, 5 in stripes; of 21 values no more."""
        how = {"epsg": UTM, "transform": (500000, 30, 0, 5001800, 0, -30)}
        write(self.path("codes.tif"), [numpy.repeat([[3, 4, 5]], 60, 0).repeat(30, 1).astype("uint8")], gdal.GDT_Byte, **how)
        told, _ = self.draw("codes.tif")
        self.assertEqual((told["layers"][0]["kind"], [line.split(" ", 1)[1] for line in told["layers"][0]["legend"]]), ("classes", ["3", "4", "5"]))
        write(self.path("steps.tif"), [numpy.repeat([range(21)], 60, 0).repeat(4, 1).astype("uint8")], gdal.GDT_Byte, **how)
        self.assertEqual(self.draw("steps.tif")[0]["layers"][0]["kind"], "ramp")

    def test_ends_of_a_stretched_ramp_say_what_lies_beyond(self):
        z = numpy.arange(100, dtype="float32").reshape(10, 10)
        how = {"epsg": UTM, "transform": (500000, 1000, 0, 5010000, 0, -1000)}
        z[0, 0], z[9, 9] = -500, 900
        write(self.path("z.tif"), [z], gdal.GDT_Float32, **how)
        low, high = (line.split(" ", 1)[1] for line in self.draw("z.tif")[0]["layers"][0]["legend"])
        self.assertEqual((low[:2], high[:2]), ("≤ ", "≥ "))
        half = numpy.zeros((10, 10), "float32")
        half[:, 5:] = 7
        write(self.path("half.tif"), [half], gdal.GDT_Float32, **how)
        near = self.draw({"uri": "half.tif"}, geometry={"type": "Polygon", "coordinates": box(500000, 5000000, 510000, 5010000)}, geometry_crs=f"EPSG:{UTM}")[0]
        self.assertEqual([line.split(" ", 1)[1] for line in near["layers"][0]["legend"]], ["0", "7"])

    def test_the_scale_is_that_of_the_ground(self):
        self.three()
        told, _ = self.draw("a.gpkg", crs="EPSG:3857")
        utm, _ = self.draw("a.gpkg")
        from pyproj import Geod
        west, _, east, _ = told["bounds"]["wgs84"]
        self.assertEqual(told["bounds"]["crs"], "EPSG:3857")
        # The same squares cover the same ground, whatever the units of the map.
        self.assertAlmostEqual(told["metres_per_pixel"] / utm["metres_per_pixel"], 1, delta=0.03)

    def test_without_crs_there_is_neither_scale_nor_north(self):
        layer(self.path("plan.gpkg"), [(polygon(0, 0, 10, 5), [])], epsg=None)
        told, _ = self.draw("plan.gpkg")
        self.assertEqual((told["bounds"]["crs"], told.get("metres_per_pixel")), ("", None))

    def test_photographs_stay_below_400_kb(self):
        rng = numpy.random.default_rng(3)
        bands = [rng.integers(0, 255, (900, 900)).astype("uint8") for _ in range(3)]
        write(self.path("a.tif"), bands, gdal.GDT_Byte, colours=(gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand))
        told, _ = self.draw("a.tif", size=1024)
        self.assertEqual(told["layers"][0]["kind"], "rgb")
        self.assertLess(told["width"], 600)

    def test_what_cannot_be_drawn_is_refused_with_the_way_out(self):
        self.three()
        layer(self.path("plan.gpkg"), [(polygon(0, 0, 10, 5), [])], epsg=None)
        write(self.path("z.tif"), [waves(9, 6, 0, 1).astype("float32")], gdal.GDT_Float32)
        for layers, arguments, words in (
                ([{"uri": "a.gpkg", "field": "covr"}], {}, "no field 'covr'"),
                ([{"uri": "a.gpkg", "band": 1}], {}, "'band' is given, but"),
                ([{"uri": "z.tif", "field": "cover"}], {}, "'field' is given, but"),
                ([{"uri": "z.tif", "band": 2}], {}, "band 2"),
                (["plan.gpkg", "a.gpkg"], {}, "'plan' has no CRS, but 'a' is in EPSG:32633"),
                (["plan.gpkg"], {"crs": "EPSG:4326"}, "the layers state no CRS"),
                (["nowhere.gpkg"], {}, "nowhere.gpkg"),
                ([{"uri": "a.gpkg", "color": "red"}], {}, "'color' is 'red'"),
                ([{"uri": "a.gpkg", "field": "v", "color": "#ff0000"}], {}, "'color' is given beside 'field'"),
                ([], {}, "layers"),
                (["a.gpkg"] * 7, {}, "layers"),
                (["a.gpkg"], {"crs": "EPSG:99999"}, "EPSG:99999")):
            with self.subTest(words):
                p = self.refused(*layers, **arguments)
                self.assertIn(words, p["message"] + p.get("at", ""))

    def strips(self, values, name="n.gpkg", second=None):
        """A strip 100 m wide for each value, from west to east."""
        rows = [(polygon(500000 + 100 * i, 5000000, 500100 + 100 * i, 5001000), [v] + ([second[i]] if second else [])) for i, v in enumerate(values)]
        return layer(self.path(name), rows, fields=[("v", ogr.OFTReal)] + ([("w", ogr.OFTReal)] if second else []))

    def styled(self, **style):
        return self.draw({"uri": "n.gpkg", "field": "v", **style})

    def counts(self, told):
        return [int(line.rsplit(": ", 1)[1]) for line in told["layers"][0]["legend"] if ": " in line]

    def test_natural_breaks_deviate_least(self):
        values = numpy.random.default_rng(8).gamma(1, 20, 40).round(2)
        self.strips(values.tolist())
        told, _ = self.styled(classes="natural_breaks", class_count=4)
        self.assertEqual(told["layers"][0]["classes"], "4 classes by natural breaks (Fisher-Jenks)")
        v = numpy.sort(values)
        least = min(itertools.combinations(range(1, 40), 3), key=lambda cut: sum(((part - part.mean())**2).sum() for part in numpy.split(v, cut)))
        self.assertEqual(self.counts(told), [len(part) for part in numpy.split(v, least)])

    def test_classes_of_equal_width_and_of_equal_counts_are_those_of_numpy(self):
        values = numpy.random.default_rng(9).gamma(2, 20, 60).round(2)
        self.strips(values.tolist())
        told, _ = self.styled(classes="equal_interval", class_count=7, unit="mm")
        self.assertEqual(self.counts(told), numpy.histogram(values, bins=7)[0].tolist())
        told, _ = self.styled(classes="quantile", class_count=6)
        self.assertEqual(self.counts(told), [10] * 6)

    def test_classes_by_standard_deviation_lie_around_the_mean(self):
        values = numpy.random.default_rng(10).normal(20, 4, 80).round(2)
        self.strips(values.tolist())
        told, _ = self.styled(classes="standard_deviation", unit="°C")
        edges = [-numpy.inf] + [values.mean() + k * values.std() for k in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)] + [numpy.inf]
        expected = numpy.histogram(values, bins=edges)[0].tolist()
        self.assertEqual(self.counts(told), [n for n in expected if n > 0])
        self.assertRegex(told["layers"][0]["classes"], r"^standard deviations \(sd [\d.]+\) from the mean [\d.]+$")
        self.golden("map_deviations")

    def test_a_midpoint_parts_blue_from_red(self):
        self.strips([48, 49, 49.5, 50, 51, 54])
        told, pixels = self.styled(midpoint=50, class_count=4)
        self.assertEqual([l.split(" ", 1)[1] for l in told["layers"][0]["legend"]], ["48 to 50: 3", "50 to 52: 2", "52 to 54: 1"])
        below, above = self.at(told, pixels, 500150, 5000500), self.at(told, pixels, 500550, 5000500)
        self.assertGreater(below[2], below[0])
        self.assertGreater(above[0], above[2])

    def test_two_fields_are_coloured_by_three_classes_each(self):
        v = [1, 2, 3, 4, 5, 6, 7, 8, 9]
        w = [10, 40, 70, 20, 50, 80, 30, 60, 90]
        self.strips(v, second=w)
        told, pixels = self.styled(second_field="w")
        self.assertEqual(told["layers"][0]["classes"], "3 × 3 classes of about equal counts (quantiles)")
        self.assertEqual(self.counts(told), [1] * 9)
        self.assertEqual(told["layers"][0]["legend"][5], "#5698b9 v 7 to 9, w 40 to 60: 1")
        self.near(self.at(told, pixels, 500050, 5000500), (232, 232, 232), 45)  # low, low
        self.near(self.at(told, pixels, 500250, 5000500), (190, 100, 172), 45)  # low, high
        self.near(self.at(told, pixels, 500650, 5000500), (90, 200, 200), 45)  # high, low
        self.golden("map_two_fields")

    def test_large_real_numbers_are_plain_and_the_unit_is_of_the_first_field(self):
        self.strips([702712.75, 800000.5, 1000000.5, 1306992.25], second=[60.5, 70.5, 65.5, None])
        told, _ = self.styled(classes="equal_interval", class_count=2, unit="m")
        self.assertEqual([line.split(" ", 1)[1] for line in told["layers"][0]["legend"]], ["702713 to 1004852: 3", "1004852 to 1306992: 1"])
        without, _ = self.styled(second_field="w")
        plain = self.png
        with_unit, _ = self.styled(second_field="w", unit="USD")
        self.assertEqual(with_unit["layers"], without["layers"])
        self.assertEqual(with_unit["layers"][0]["legend"][9:], ["#c8c8c8 no value"])
        self.assertNotEqual(self.png, plain)
        self.golden("map_two_fields_unit")

    def test_what_a_layer_lacks_is_told_with_the_dataset_and_its_place_in_the_call(self):
        layer(self.path("roads.gpkg"), [(point(500000, 5000000), ["x"])], fields=[("name", ogr.OFTString)])
        layer(self.path("sites.gpkg"), [(point(500000, 5000000), ["x"])], fields=[("name", ogr.OFTString)])
        for style, words in (({"field": "part"}, "layer 'a' has no field 'part'"), ({"label": "part"}, "layer 'a' has no field 'part'"),
                             ({"size_field": "name"}, "'size_field' needs numbers, but 'name' is String")):
            told = self.refused("roads.gpkg", {"uri": "sites.gpkg", **style})
            self.assertEqual(told["message"], f"/layers/1, sites.gpkg: {words}")
            self.assertIn("name (String)", told["hint"])

    def test_the_area_of_points_is_as_their_value(self):
        places = [(point(500000 + 1500 * i, 5001500 - 1500 * (i % 2)), [v, f"p{v}"]) for i, v in enumerate((100, 25, 50, None, -3))]
        layer(self.path("p.gpkg"), places, fields=[("pop", ogr.OFTInteger), ("name", ogr.OFTString)])
        told, pixels = self.draw({"uri": "p.gpkg", "size_field": "pop", "label": "name", "color": "#336699", "unit": "people"}, source="Census 2022")
        west, _, east, north = told["bounds"]["native"]
        frame = [c for c in range(pixels.shape[1]) if tuple(pixels[8, c]) == (120, 120, 120)]
        side = (east - west) / (max(frame) - min(frame) + 1)
        blue = abs(pixels - numpy.array((0x33, 0x66, 0x99))).max(axis=2) < 25
        areas = []
        for x, y in ((500000, 5001500), (501500, 5000000), (503000, 5001500)):
            row, column = 8 + int((north - y) / side), 8 + int((x - west) / side)
            areas.append(blue[max(0, row - 25):row + 25, max(0, column - 25):column + 25].sum())
        self.assertAlmostEqual(areas[1] / areas[0], 0.25, delta=0.05)
        self.assertAlmostEqual(areas[2] / areas[0], 0.5, delta=0.05)
        self.assertEqual(told["layers"][0]["legend"][1:], ["circle of 36 pixels: 100", "circle of 16.1 pixels: 20", "circle of 8.05 pixels: 5"])
        self.assertEqual(told["warnings"], ["p: 2 features without a size above zero not drawn"])
        self.golden("map_sizes")
        told, _ = self.draw({"uri": "p.gpkg", "size_field": "pop", "field": "pop"})
        self.assertEqual([line.split(" ", 1)[1] for line in told["layers"][0]["legend"][:3]], ["25: 1", "50: 1", "100: 1"])
        self.assertEqual((told["layers"][0]["feature_count"], told["warnings"]), (3, ["p: pop: 2 features without a size above zero not drawn"]))

    def test_opacity_lets_what_lies_below_through(self):
        layer(self.path("below.gpkg"), [(polygon(500000, 5000000, 501000, 5001000), ["x"])], fields=[("v", ogr.OFTString)])
        layer(self.path("above.gpkg"), [(polygon(500000, 5000000, 501000, 5001000), ["x"]), (polygon(500000, 5000000, 501000, 5001000), ["x"])],
              fields=[("v", ogr.OFTString)])
        below, above = {"uri": "below.gpkg", "field": "v"}, {"uri": "above.gpkg", "field": "v"}
        told, pixels = self.draw({**above, "opacity": 0.5})
        self.near(self.at(told, pixels, 500500, 5000500), tuple((c + 255) // 2 for c in RED), 12)  # two features, one layer
        write(self.path("z.tif"), [numpy.ones((60, 90), "uint8")], gdal.GDT_Byte, epsg=UTM, transform=(499000, 30, 0, 5001500, 0, -30), palette={1: (0, 0, 0, 255)})
        told, pixels = self.draw({"uri": "z.tif", "opacity": 0.25})
        self.near(self.at(told, pixels, 500500, 5000500), (191, 191, 191), 4)

    def test_areas_have_the_colours_of_their_legend_and_cover_what_lies_below(self):
        whole = polygon(500000, 5000000, 501000, 5001000)
        layer(self.path("below.gpkg"), [(whole, ["x"])], fields=[("v", ogr.OFTString)])
        layer(self.path("above.gpkg"), [(whole, ["x"])], fields=[("v", ogr.OFTString)])
        for above, shown in (({"color": "#0000ff", "opacity": 1}, (0, 0, 255)), ({"field": "v"}, RED)):
            told, pixels = self.draw({"uri": "below.gpkg", "color": "#00ff00", "opacity": 1}, {"uri": "above.gpkg", **above})
            self.assertEqual(self.at(told, pixels, 500500, 5000500), shown)

    def test_opacity_of_polygons_leaves_their_outlines(self):
        layer(self.path("in.gpkg"), [(polygon(500000, 5000000, 503000, 5003000), []), (polygon(501000, 5001000, 502000, 5002000), [])])
        told, pixels = self.draw({"uri": "in.gpkg", "color": "#000000", "opacity": 0.05})
        self.near(self.at(told, pixels, 501500, 5001500), (250, 250, 250), 10)
        across = [self.at(told, pixels, x, 5001500) for x in range(500980, 501021, 2)]
        self.near(min(across), (0, 0, 0), 80)

    def test_faint_areas_have_their_outline_in_the_legend(self):
        layer(self.path("in.gpkg"), [(polygon(500000, 5000000, 503000, 5003000), [])])
        told, pixels = self.draw({"uri": "in.gpkg", "color": "#ff0000", "opacity": 0.05})
        frame = [c for c in range(pixels.shape[1]) if tuple(pixels[8, c]) == (120, 120, 120)]
        beside = pixels[:, max(frame) + 2:]
        self.assertGreater(((beside[..., 0] > 200) & (beside[..., 1] < 130)).sum(), 30)

    def test_styles_that_contradict_are_refused_with_the_way_out(self):
        self.three()
        self.strips([1, 2, 3], second=[1, 1, 1])
        for style, words in (
                ({"classes": "quantile"}, "'classes' is given without 'field'"),
                ({"unit": "m"}, "'unit' is given without 'field' or 'size_field'"),
                ({"field": "v", "classes": "standard_deviation", "class_count": 3}, "'class_count' is given, but 'classes' is standard_deviation"),
                ({"field": "v", "second_field": "w", "midpoint": 1}, "'midpoint' is given, but two fields"),
                ({"field": "v", "second_field": "w"}, "too few different values"),
                ({"field": "v", "size_field": "v"}, "'size_field' is given, but 'a' has polygons"),
                ({"field": "v", "clases": "quantile"}, "'/layers/0' has no member 'clases'"),
                ({"field": "v", "classes": "fisher"}, "'/layers/0/classes' is \"fisher\"; it must be one of \"quantile\""),
                ({"field": "v", "opacity": 2}, "'/layers/0/opacity' is 2")):
            with self.subTest(words):
                self.assertIn(words, self.refused({"uri": "n.gpkg", **style})["message"])
        self.assertIn("'classes' needs numbers, but 'cover' is String", self.refused({"uri": "a.gpkg", "field": "cover", "classes": "quantile"})["message"])

    def test_an_area_without_features_is_drawn_empty_and_said(self):
        self.three()
        told, _ = self.draw("a.gpkg", geometry=[600000, 5000000, 601000, 5001000])
        self.assertEqual(told["layers"][0]["feature_count"], 0)
        self.assertIn("a: no feature lies in the map", told["warnings"])

    @unittest.skipUnless(DATA, "GDAL_MCP_TEST_DATA is not set")
    def test_an_extent_that_a_geopackage_states_wrongly_crops_nothing(self):
        for stated in ("500000, 5000000, 500100, 5000100", "0, 0, 9000000, 9000000", "NULL, NULL, NULL, NULL"):
            with self.subTest(stated):
                path = pathlib.Path(self.path("a.gpkg"))
                path.unlink(missing_ok=True)
                self.three()
                file = sqlite3.connect(path)
                file.execute("UPDATE gpkg_contents SET (min_x, min_y, max_x, max_y) = (" + stated + ")")
                file.commit()
                file.close()
                told, _ = self.draw("a.gpkg")
                west, _, east, _ = told["bounds"]["native"]
                self.assertAlmostEqual(west, 500000 - 0.02 * 3000, delta=20)
                self.assertAlmostEqual(east, 503000 + 0.02 * 3000, delta=20)
                (about, ) = good(self.session.call("vector_info", {"uri": "a.gpkg"}))["layers"]
                self.assertEqual(about["bounds"]["native"], [500000, 5000000, 503000, 5001000])

    def test_an_unknown_member_of_a_layer_is_named_with_the_known_ones(self):
        self.three()
        p = self.refused({"uri": "a.gpkg", "colour": "red"})
        self.assertIn("'/layers/0' has no member 'colour'", p["message"])
        self.assertIn("did you mean 'color'?", p["hint"])

    def test_real_layers_together(self):
        with Session(workspace=DATA) as s:
            told, _ = self.draw("zion/nlcd.tif", {"uri": "zion/zion.gpkg"}, "zion/zion_points.gpkg", session=s)
            self.assertEqual([(l["kind"], l.get("feature_count")) for l in told["layers"]], [("palette", None), ("polygons", 1), ("points", 30)])
            told, _ = self.draw({"uri": "world/naturalearth_lowres.shp", "field": "continent"}, session=s)
            self.assertEqual(told["layers"][0]["feature_count"], 177)
            self.assertEqual(sum(int(line.rsplit(": ", 1)[1]) for line in told["layers"][0]["legend"]), 177)


if __name__ == "__main__":
    session.main()
