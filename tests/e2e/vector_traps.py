"""Defects and properties of vector layers that make other programs return a wrong number that looks right."""
import math

from osgeo import ogr, osr

import session
from raster_traps import US_FOOT, metres_a_degree, zone_area
from traps import Family, Traps, case

ogr.UseExceptions()
osr.UseExceptions()
UTM = 32633


def ring(*corners):
    return "POLYGON ((" + ",".join(f"{x!r} {y!r}" for x, y in (*corners, corners[0])) + "))"


def box(west, south, east, north):
    return ring((west, south), (east, south), (east, north), (west, north))


def layer(*shapes, epsg=UTM, name="a", fields=(), values=(), driver="GPKG", append=False, kind=ogr.wkbUnknown):
    """shapes: WKT; values: of each shape, for `fields` of (name, type)."""
    def make(path):
        driver_ = ogr.GetDriverByName(driver)
        file = ogr.Open(path, 1) if append else driver_.CreateDataSource(path)
        srs = None
        if epsg:
            srs = osr.SpatialReference()
            srs.ImportFromEPSG(epsg)
            srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        made = file.CreateLayer(name, srs, kind)
        for field, of in fields:
            made.CreateField(ogr.FieldDefn(field, of))
        for i, wkt in enumerate(shapes):
            f = ogr.Feature(made.GetLayerDefn())
            f.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
            for (field, _), value in zip(fields, values[i] if values else ()):
                if value is not None:
                    f.SetField(field, value)
            made.CreateFeature(f)
        del made, file
    return make


def both(first, second):
    """A dataset, and beside it another that the question names."""
    def make(path):
        first(path)
        second(path.replace(".gpkg", "-second.gpkg"))
    return make


def pair(name):
    return {"target": name, "join": name.replace(".gpkg", "-second.gpkg")}


def area(told):
    return told.get("area_m2")


def count(told):
    return told.get("feature_count")


def joined(told):
    """The join feature of each target, in the output."""
    file = ogr.Open(told["output"]["path"])
    return [f["join_fid"] for f in file.GetLayer(0)]


def regular(sides, radius):
    """The area of a regular polygon in a circle."""
    return sides / 2 * radius ** 2 * math.sin(2 * math.pi / sides)


def mercator_y(latitude):
    return 6378137 * math.atanh(math.sin(math.radians(latitude)))  # EPSG:3857 is spherical


def families():
    degree = box(10, 60, 11, 61)
    truth = zone_area(60, 61, 1)
    x = [6378137 * math.radians(d) for d in (10, 11)]
    yield Family("area in Web Mercator", "mercator|distort", "vector_measure", {}, area,
                 case(layer(box(x[0], mercator_y(60), x[1], mercator_y(61)), epsg=3857), truth), case(layer(degree, epsg=4326), truth), 1e-6)
    yield Family("planar area of degrees", "degree", "vector_measure", {"mode": "planar"}, area,
                 case(layer(degree, epsg=4326), None), case(layer(box(500000, 5000000, 501000, 5002000)), 2e6), 1e-9)
    foot = (1000 * US_FOOT) ** 2
    yield Family("area in US survey feet", "feet|foot", "vector_measure", {"mode": "planar"}, area,
                 case(layer(box(2000000, 600000, 2001000, 601000), epsg=2264), foot), case(layer(box(500000, 5000000, 500100, 5000100)), 1e4), 1e-9)
    bow_tie = ring((500000, 5000000), (500200, 5000200), (500200, 5000000), (500000, 5000200))
    yield Family("area of a bow-tie", "invalid|intersect", "vector_measure", {"mode": "planar"}, area,
                 case(layer(bow_tie), 2e4), case(layer("MULTIPOLYGON (((500000 5000000,500100 5000100,500000 5000200,500000 5000000)),"
                                                       "((500200 5000200,500100 5000100,500200 5000000,500200 5000200)))"), 2e4), 1e-9)
    yield Family("area without a CRS", "CRS", "vector_measure", {}, area,
                 case(layer(degree, epsg=None), truth), case(layer(degree, epsg=4326), truth))
    yield Family("area across the antimeridian", "antimeridian", "vector_measure", {}, area,
                 case(layer("MULTIPOLYGON (((179 -18,180 -18,180 -17,179 -17,179 -18)),((-180 -18,-179 -18,-179 -17,-180 -17,-180 -18)))", epsg=4326),
                      zone_area(17, 18, 2)), case(layer(box(10, -18, 12, -17), epsg=4326), zone_area(17, 18, 2)))
    yield Family("area around the pole", "pole", "vector_measure", {}, area,
                 case(layer(box(-180, 80, 180, 90), epsg=4326), zone_area(80, 90, 360)), case(layer(box(0, 80, 90, 85), epsg=4326), zone_area(80, 85, 90)))
    yield Family("buffer distance on degrees", "degree", "vector_buffer", {"distance": 1000}, area,
                 case(layer("POINT (10 60)", epsg=4326), regular(64, 1000)), case(layer("POINT (500000 5000000)"), regular(64, 1000)), 2e-3)
    yield Family("buffer distance in Web Mercator", "mercator", "vector_buffer", {"distance": 1000}, area,
                 case(layer(f"POINT ({x[0]!r} {mercator_y(60)!r})", epsg=3857), regular(64, 1000)),
                 case(layer("POINT (10 60)", epsg=4326), regular(64, 1000)), 2e-3)
    yield Family("buffer across the antimeridian", "antimeridian", "vector_buffer", {"distance": 1000}, area,
                 case(layer("POINT (179.9999 0)", epsg=4326), regular(64, 1000)), case(layer("POINT (10 0)", epsg=4326), regular(64, 1000)), 2e-3)
    yield Family("buffers that overlap", "overlap", "vector_buffer", {"distance": 1000, "dissolve": True}, area,
                 case(layer("POINT (500000 5000000)", "POINT (500000 5000000)"), regular(64, 1000)),
                 case(layer("POINT (500000 5000000)", "POINT (510000 5000000)"), 2 * regular(64, 1000)), 2e-3)
    square, half = box(500000, 5000000, 500100, 5000100), box(500050, 5000000, 500150, 5000100)
    yield Family("area of a dissolve with overlaps", "overlap", "vector_dissolve", {}, area,
                 case(layer(square, half), 15000.0), case(layer(square, box(500100, 5000000, 500200, 5000100)), 20000.0), 1e-3)
    yield Family("a mask in another CRS", "CRS", "vector_clip", {"bounds": [10, 60, 10.5, 61], "bounds_crs": "EPSG:4326"}, lambda t: t["cut_count"],
                 case(layer(box(x[0], mercator_y(60), x[1], mercator_y(61)), epsg=3857), 1), case(layer(degree, epsg=4326), 1))
    yield Family("features simplified to nothing", "collaps|vanish|too small", "vector_simplify", {"tolerance": 100}, count,
                 case(layer(box(500000, 5000000, 500010, 5000010), box(500000, 5001000, 503000, 5004000)), 2),
                 case(layer(box(500000, 5000000, 503000, 5003000)), 1))
    yield Family("the layer of several", "layers", "vector_measure", {}, count,
                 case(lambda p: (layer(square)(p), layer(half, name="b", append=True)(p)), 1), case(layer(square), 1))
    yield Family("longitude and latitude swapped", "degrees|latitude|CRS", "vector_measure", {}, area,
                 case(layer(box(60, 170, 61, 171), epsg=4326), zone_area(60, 61, 1)), case(layer(box(170, 60, 171, 61), epsg=4326), truth))


def families_of_two():
    texts, numbers = (("code", ogr.OFTString),), (("code", ogr.OFTInteger),)
    here, there = "POINT (500000 5000000)", "POINT (500010 5000000)"
    yield Family("keys 001 and 1", "text|number", "vector_join", {"keys": {"code": "code"}, "output": "keys.gpkg", "overwrite": True}, lambda t: t["matched"],
                 case(both(layer(here, fields=texts, values=[["001"]]), layer(there, fields=numbers, values=[[1]])), 0),
                 case(both(layer(here, fields=texts, values=[["001"]]), layer(there, fields=texts, values=[["001"]])), 1), inputs=pair)
    yield Family("keys that are null", "null", "vector_join", {"keys": {"code": "code"}, "output": "null.gpkg", "overwrite": True}, lambda t: t["matched"],
                 case(both(layer(here, fields=texts, values=[[None]]), layer(there, fields=texts, values=[[None]])), 0),
                 case(both(layer(here, fields=texts, values=[["a"]]), layer(there, fields=texts, values=[["a"]])), 1), inputs=pair)
    yield Family("rows multiplied by a join", "several matches", "vector_join",
                 {"keys": {"code": "code"}, "output": "many.gpkg", "overwrite": True}, count,
                 case(both(layer(here, fields=numbers, values=[[7]]), layer(here, there, fields=numbers, values=[[7], [7]])), 1),
                 case(both(layer(here, fields=numbers, values=[[7]]), layer(here, there, fields=numbers, values=[[7], [8]])), 1), inputs=pair)
    lon, lat = metres_a_degree(60)
    assert lon < 0.6 * lat  # by degrees the northern one is nearer, by metres the eastern one
    yield Family("nearest by degrees", "degree", "vector_join", {"predicate": "nearest", "output": "near.gpkg", "overwrite": True}, joined,
                 case(both(layer("POINT (10 60)", epsg=4326), layer("POINT (11 60)", "POINT (10 60.6)", epsg=4326)), [1]),
                 case(both(layer("POINT (500000 5000000)"), layer("POINT (500010 5000000)", "POINT (500000 5000020)")), [1]), inputs=pair)
    yield Family("nearest across the antimeridian", "antimeridian", "vector_join", {"predicate": "nearest", "output": "date.gpkg", "overwrite": True}, joined,
                 case(both(layer("POINT (179.9 0)", epsg=4326), layer("POINT (178 0)", "POINT (-179.9 0)", epsg=4326)), [2]),
                 case(both(layer("POINT (10 0)", epsg=4326), layer("POINT (13 0)", "POINT (11 0)", epsg=4326)), [2]), inputs=pair)
    yield Family("layers in different CRSs joined", "CRS", "vector_join", {"predicate": "within", "output": "crs.gpkg", "overwrite": True}, lambda t: t["matched"],
                 case(both(layer("POINT (15 45)", epsg=4326), layer(box(499000, 4980000, 501000, 4990000))), 1),
                 case(both(layer("POINT (500000 4985000)"), layer(box(499000, 4980000, 501000, 4990000))), 1), inputs=pair)
    yield Family("layers of which one has no CRS", "CRS", "vector_join", {"predicate": "within", "output": "no.gpkg", "overwrite": True}, lambda t: t["matched"],
                 case(both(layer("POINT (15 45)", epsg=None), layer(box(14, 44, 16, 46), epsg=4326)), 1),
                 case(both(layer("POINT (15 45)", epsg=4326), layer(box(14, 44, 16, 46), epsg=4326)), 1), inputs=pair)
    square, half = box(500000, 5000000, 500100, 5000100), box(500050, 5000000, 500150, 5000100)
    two = lambda name: {"a": name, "b": name.replace(".gpkg", "-second.gpkg")}  # noqa: E731
    yield Family("an overlay of a layer that overlaps itself", "overlap", "vector_overlay",
                 {"operation": "intersection", "output": "over.gpkg", "overwrite": True}, area,
                 case(both(layer(square, square), layer(half)), 5000.0), case(both(layer(square), layer(half)), 5000.0), 1e-3, inputs=two)
    bow_tie = ring((500000, 5000000), (500200, 5000200), (500200, 5000000), (500000, 5000200))
    yield Family("an overlay with a bow-tie", "invalid|repair", "vector_overlay",
                 {"operation": "intersection", "output": "tie.gpkg", "overwrite": True}, area,
                 case(both(layer(bow_tie), layer(box(500000, 5000000, 500200, 5000200))), 20000.0),
                 case(both(layer(square), layer(box(500000, 5000000, 500200, 5000200))), 10000.0), 1e-3, inputs=two)


class vector_traps(Traps):
    extension = ".gpkg"

    def test_no_wrong_number_looks_right(self):
        self.run_all((*families(), *families_of_two()))


if __name__ == "__main__":
    session.main()
