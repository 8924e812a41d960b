"""Files that plain GDAL opens are opened here, with the same facts, or refused by a documented policy. The files are GDAL's own test
data, of nearly every driver; each comes with plain GDAL's report on it."""
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import time

from osgeo import gdal, ogr

import session
from session import Claims, Session, good, problem

TEST_DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")
FOLDER = os.path.join(TEST_DATA, "odd")
LONGEST = 30 if os.environ.get("GDAL_MCP_SANITIZED") else 10  # seconds of one call
SHIFTED = {"ogr/csv/csv_with_utf8_bom.csv"}  # four values below three names, which are read as R's
LAYERS = 6  # of a dataset that are compared


def facts_of_raster(width, height, bands, subdatasets):
    return f"{width}x{height}x{bands} subdatasets={subdatasets}"


def plain(path, kind):
    """GDAL's report on a file in this copy, which may lack siblings; None where GDAL cannot read it. In a process of its own:
    GDAL 3.10 crashes over some of these files."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            report = read_plainly(gdal.OpenEx(path, gdal.OF_RASTER if kind == "raster" else gdal.OF_VECTOR), kind)
            os.write(writing, pickle.dumps(report))
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        report = pipe.read()
    os.waitpid(child, 0)
    return pickle.loads(report) if report else None


def read_plainly(d, kind):
    if kind == "raster":
        inner = d.GetSubDatasets()
        if d.RasterCount == 0 and len(inner) == 1:  # a container, of which the program describes the content
            d = gdal.OpenEx(inner[0][0], gdal.OF_RASTER)
        return facts_of_raster(d.RasterXSize, d.RasterYSize, d.RasterCount, len(inner))
    layers = [d.GetLayer(i) for i in range(min(d.GetLayerCount(), LAYERS))]
    def count(layer):
        stated = layer.GetFeatureCount()  # -1 of an .osm, which holds several layers in one stream
        return stated if stated >= 0 else sum(1 for _ in layer)
    return [d.GetLayerCount()] + [
        (layer.GetName(), count(layer), layer.GetLayerDefn().GetFieldCount(),
         re.sub(r"[^a-z]", "", ogr.GeometryTypeToName(layer.GetGeomType()).lower().replace("unknown (any)", "any")
                .replace("3d ", "").replace("measured ", "").replace("none", "")))
        for layer in layers]


def ours(told, kind):
    if kind == "raster":
        return facts_of_raster(told["width"], told["height"], told["count"], len(told["subdatasets"]))
    return [told["layer_count"]] + [
        (layer["name"], layer["feature_count"], len(layer["fields"]),
         re.sub(r"[^a-z]", "", re.sub(r" Z?M?$", "", layer["geometry_type"]).lower().replace("none", "")))
        for layer in told["layers"][:LAYERS]]


class odd_files(Claims):
    def test_the_same_facts_as_plain_gdal(self):
        if not os.path.exists(os.path.join(FOLDER, "expected.tsv")):
            self.skipTest("SKIPPED: no odd/expected.tsv in GDAL_MCP_TEST_DATA")
        gdal.UseExceptions()
        gdal.PushErrorHandler("CPLQuietErrorHandler")
        copy = os.path.join(self.folder.name, "plain")  # plain GDAL writes beside what it reads
        shutil.copytree(FOLDER, copy)
        os.system(f"chmod -R u+w '{copy}'")
        with open(os.path.join(FOLDER, "expected.tsv")) as f:
            rows = [line.rstrip("\n").split("\t")[:2] for line in f][1:]
        differ, refused, compared = [], [], 0
        with Session(workspace=FOLDER) as s:
            for path, kind in rows:
                expected = plain(os.path.join(copy, path), kind)
                if expected is None or path in SHIFTED:
                    continue
                compared += 1
                began = time.monotonic()
                answer = s.call("raster_info" if kind == "raster" else "vector_info", {"uri": path})
                took = time.monotonic() - began
                if took > LONGEST:
                    differ.append(f"{path}: {took:.0f} s")
                elif answer.get("isError"):
                    p = problem(answer)
                    (refused if p["error"] == "denied" else differ).append(f"{path}: {p['message']}")
                elif ours(good(answer), kind) != expected:
                    differ.append(f"{path}: {ours(good(answer), kind)}, plain GDAL says {expected}")
        print(f"{compared} datasets, {len(differ)} differ, {len(refused)} refused", *differ, *refused, sep="\n  ",
              file=sys.stderr)
        self.assertGreater(compared, 300)
        self.assertLessEqual(len(differ) + len(refused), 0.02 * compared, differ)

    def test_features_of_openstreetmap_are_counted_by_layer(self):
        """Two nodes, one of them with tags, and a way of both: a point and a line."""
        with open(self.path("map.osm"), "w") as f:
            f.write('<osm version="0.6"><node id="1" lat="50" lon="8" version="1"><tag k="shop" v="bakery"/></node>'
                    '<node id="2" lat="50" lon="8.01" version="1"/>'
                    '<way id="10" version="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="path"/></way></osm>')
        with Session(workspace=self.workspace) as s:
            counts = {layer["name"]: layer["feature_count"] for layer in good(s.call("vector_info", {"uri": "map.osm"}))["layers"]}
        self.assertEqual({n: c for n, c in counts.items() if c}, {"points": 1, "lines": 1})
        self.assertEqual(set(counts.values()), {0, 1})

    def mapinfo(self, name, projection, *points):
        with open(self.path(name + ".mif"), "w") as f:
            f.write(f'Version 450\nCharset "WindowsLatin1"\nDelimiter ","\nCoordSys Earth Projection {projection}\nColumns 1\n  name Char(20)\nData\n\n'
                    + "".join(f"Point {x} {y}\n" for x, y in points))
        with open(self.path(name + ".mid"), "w") as f:
            f.write('"a"\n' * len(points))

    def test_a_false_origin_of_mapinfo_in_us_feet_is_read_as_such(self):
        """New York Long Island: a point at the false easting lies on the central meridian, -74."""
        self.mapinfo("li", '3, 74, "survey ft", -74, 40.1666666667, 40.6666666667, 41.0333333333, 984250, 0', (984250, 182000), (990000, 195000))
        with Session(workspace=self.workspace) as s:
            told = good(s.call("vector_info", {"uri": "li.mif"}))
            good(session.run(s, "vector_convert", {"uri": "li.mif", "output": "li.geojson"}))
        (layer,) = told["layers"]
        self.assertEqual((layer["crs"]["code"], layer["bounds"]["wgs84"][0]), ("EPSG:2263", -74))
        for warning in told["warnings"]:  # none where GDAL reads it right
            self.assertIn("as metres, which is in feet", warning)
        with open(self.path("li.geojson")) as f:
            self.assertEqual(json.load(f)["features"][0]["geometry"]["coordinates"][0], -74)

    def test_a_false_origin_of_mapinfo_in_international_feet_is_read_as_such(self):
        """Oregon North: a point at the false easting lies on the central meridian, -120.5."""
        self.mapinfo("or", '3, 74, "ft", -120.5, 43.6666666667, 44.3333333333, 46, 8202099.737533, 0', (8202099.737533, 182000), (8302099, 195000))
        with Session(workspace=self.workspace) as s:
            (layer,) = good(s.call("vector_info", {"uri": "or.mif"}))["layers"]
        self.assertEqual((layer["crs"]["code"], round(layer["bounds"]["wgs84"][0], 6)), ("EPSG:2269", -120.5))

    def test_a_line_of_gdal_beside_data_is_a_warning(self):
        with open(self.path("a.csv"), "w") as f:
            f.write("id,WKT\n1,POINT (1 2)\n2,NONSENSE (1 2)\n")
        with Session(workspace=self.workspace) as s:
            answer = s.call("vector_info", {"uri": "a.csv", "check_geometries": True})
            self.assertEqual(good(answer)["layers"][0]["feature_count"], 2)

    def town(self):
        """towns.shp of one point."""
        made = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(self.path("towns.shp"))
        layer = made.CreateLayer("towns", None, ogr.wkbPoint)
        layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT (1 2)"))
        layer.CreateFeature(feature)
        del feature, layer, made

    def test_the_lost_index_of_a_shapefile_is_named_with_the_way_to_make_it(self):
        self.town()
        os.remove(self.path("towns.shx"))
        with Session(workspace=self.workspace) as s:
            told = problem(s.call("vector_info", {"uri": "towns.shp"}))
            self.assertIn("lacks its file towns.shx", told["message"])
            command = "ogrinfo --config SHAPE_RESTORE_SHX YES towns.shp"
            self.assertIn(command, told["hint"])
            subprocess.run(command.split(), cwd=self.workspace, check=True, capture_output=True)
            self.assertEqual(good(s.call("vector_info", {"uri": "towns.shp"}))["layers"][0]["feature_count"], 1)

    def test_a_shapefile_without_its_table_is_read_without_attributes_aloud(self):
        self.town()
        notice = "towns.shp has no .dbf beside it: its features have no attributes"
        with Session(workspace=self.workspace) as s:
            for told in (False, True):
                answer = good(s.call("vector_info", {"uri": "towns.shp"}))
                self.assertEqual((answer["layers"][0]["feature_count"], notice in str(answer)), (1, told))
                if not told:
                    os.remove(self.path("towns.dbf"))

    def test_a_zipped_shapefile_is_read_in_place(self):
        made = ogr.GetDriverByName("ESRI Shapefile").CreateDataSource(self.path("towns.shp"))
        layer = made.CreateLayer("towns", None, ogr.wkbPoint)
        layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["name"] = "Ipanema"
        feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT (1 2)"))
        layer.CreateFeature(feature)
        del layer, made
        shutil.make_archive(self.path("towns"), "zip", self.workspace, ".")
        for part in ("shp", "shx", "dbf"):
            os.remove(self.path(f"towns.{part}"))
        with Session(workspace=self.workspace) as s:
            told = good(s.call("vector_query", {"uri": "towns.zip"}))
            self.assertEqual(told["feature_count"], 1)
            self.assertIn("Ipanema", str(told["features"]))
            named = good(s.call("vector_query", {"uri": "towns.zip/towns.shp"}))
            self.assertEqual(named["feature_count"], 1)
            missing = problem(s.call("vector_query", {"uri": "towns.zip/villages.shp"}))
            self.assertEqual(missing["error"], "io")


if __name__ == "__main__":
    try:
        session.main()
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code)  # GDAL 3.10 crashes in its destructors after some of these files
