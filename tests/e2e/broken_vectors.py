"""Vector files cut short, with bytes changed, or made to exhaust a reader."""
import collections
import json
import os
import sys
import zipfile

from osgeo import gdal, ogr, osr

import rasters
import session
from broken import Broken, mutants, tempfile_folder
from session import Session, good

# Extension, driver, options of the layer: whichever of them this copy of GDAL writes.
FORMATS = [("gpkg", "GPKG", []), ("shp.zip", "ESRI Shapefile", []), ("geojson", "GeoJSON", []), ("rfc.geojson", "GeoJSON", ["RFC7946=YES"]),
           ("geojsonl", "GeoJSONSeq", []), ("fgb", "FlatGeobuf", []), ("plain.fgb", "FlatGeobuf", ["SPATIAL_INDEX=NO"]),
           ("csv", "CSV", ["GEOMETRY=AS_WKT"]), ("kml", "KML", []), ("lib.kml", "LIBKML", []), ("gml", "GML", []), ("dxf", "DXF", []),
           ("mif", "MapInfo File", []), ("gpx", "GPX", []), ("sqlite", "SQLite", []), ("jml", "JML", []), ("dgn", "DGN", []), ("gmt", "OGR_GMT", []),
           ("map", "WAsP", []), ("sxf", "Selafin", []), ("ods", "ODS", []), ("xlsx", "XLSX", []), ("vrt", None, [])]


def made_in(folder):
    """A small layer in each format: extension, path."""
    gdal.UseExceptions()
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(4326)
    srs.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    for extension, driver, options in FORMATS:
        path = os.path.join(folder, f"a.{extension}")
        if driver is None:
            with open(path, "w") as f:
                f.write('<OGRVRTDataSource><OGRVRTLayer name="a"><SrcDataSource relativeToVRT="1">a.gpkg</SrcDataSource><SrcLayer>a</SrcLayer></OGRVRTLayer></OGRVRTDataSource>')
            yield extension, path
            continue
        try:
            made = ogr.GetDriverByName(driver).CreateDataSource(path)
            lines = driver in ("GPX", "WAsP", "DXF", "DGN")
            layer = made.CreateLayer("routes" if driver == "GPX" else "a", srs, ogr.wkbLineString if lines else ogr.wkbPolygon, options)
            if layer.TestCapability(ogr.OLCCreateField) and driver not in ("GPX", "DXF", "DGN", "WAsP"):
                layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
                layer.CreateField(ogr.FieldDefn("n", ogr.OFTInteger))
            for i in range(20):
                f = ogr.Feature(layer.GetLayerDefn())
                x, y = 10 + 0.1 * i, 50 - 0.05 * i
                corners = f"{x} {y},{x + 0.08} {y},{x + 0.08} {y + 0.04},{x} {y + 0.04},{x} {y}"
                f.SetGeometry(ogr.CreateGeometryFromWkt(f"LINESTRING ({corners})" if lines else f"POLYGON (({corners}))"))
                if f.GetFieldIndex("n") >= 0:
                    f["name"], f["n"] = f"place {i} é", i
                layer.CreateFeature(f)
            del layer, made
        except (RuntimeError, AttributeError):
            continue
        if os.path.isfile(path):
            yield extension, path
    gdal.PopErrorHandler()


def hostile(folder):
    """Names of files that are well formed, or nearly so, and made to cost much."""
    def put(name, content):
        with open(os.path.join(folder, name), "w") as f:
            f.write(content)
        return name

    yield put("deep.geojson", '{"type":"Polygon","coordinates":' + "[" * 100_000 + "]" * 100_000 + "}")
    yield put("nested.geojson", '{"type":"GeometryCollection","geometries":[' * 5000 + "]}" * 5000)
    yield put("infinite.geojson", '{"type":"LineString","coordinates":[[1e999,0],[0,-1e999],[NaN,1]]}')
    yield put("distant.geojson", '{"type":"Polygon","coordinates":[[[1e300,0],[1e300,1e300],[-1e300,1e300],[1e300,0]]]}')
    yield put("many.geojson", json.dumps({"type": "MultiPoint", "coordinates": [[i % 180, i % 90] for i in range(300_000)]}))
    yield put("wide.csv", ",".join(f"c{i}" for i in range(20_000)) + "\n" + ",".join("1" for _ in range(20_000)) + "\n")
    yield put("quote.csv", 'a,b\n"' + "x" * 3_000_000)
    yield put("long.csv", "WKT\n" + '"POLYGON ((' + ",".join(f"{i} {i % 7}" for i in range(100_000)) + '))"\n')
    yield put("entities.gml", '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + "".join(f'<!ENTITY {chr(98 + i)} "{("&" + chr(97 + i) + ";") * 10}">' for i in range(9)) +
              ']><gml:FeatureCollection xmlns:gml="http://www.opengis.net/gml"><gml:featureMember><a>&j;</a></gml:featureMember></gml:FeatureCollection>')
    yield put("deep.kml", '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>' + "<Folder>" * 20_000 + "</Folder>" * 20_000 + "</Document></kml>")
    vrt = "<OGRVRTDataSource><OGRVRTLayer name=\"a\"><SrcDataSource{}>{}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
    yield put("itself.vrt", vrt.format(" relativeToVRT=\"1\"", "itself.vrt"))
    yield put("outside.vrt", vrt.format("", "/etc/passwd"))
    yield put("network.vrt", vrt.format("", "/vsicurl/http://127.0.0.1:9/x.geojson"))
    put("zero.dbf", "")
    yield put("zero.shp", "")
    with zipfile.ZipFile(os.path.join(folder, "bomb.shp.zip"), "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("a.shp", b"\0" * 400_000_000)
    yield "bomb.shp.zip"


class broken_vectors(Broken):
    tools = ("vector_info", "vector_measure")

    def names(self, text, name):
        return super().names(text, name) or "layer" in text

    def test_damaged_files_of_many_formats(self):
        formats, files, outcomes = [], 0, collections.Counter()
        with tempfile_folder(self) as folder, Session(workspace=self.workspace) as s:
            for seed, (extension, path) in enumerate(made_in(folder)):
                formats.append(extension)
                with open(path, "rb") as f:
                    whole = f.read()
                for i, content in enumerate([*mutants(whole, seed), *mutants(whole, seed + 100)]):
                    name = f"{i}.{extension}"
                    with open(self.path(name), "wb") as f:
                        f.write(content)
                    self.tried(s, name, outcomes)
                    files += 1
            good(s.call("vector_info", {"uri": {"type": "Point", "coordinates": [1, 2]}}))
        print(f"{files} damaged files of {len(formats)} formats ({', '.join(formats)}): {dict(outcomes)}", file=sys.stderr)
        self.assertGreaterEqual(len(formats), 12)
        self.assertGreaterEqual(files, 300)
        self.assertLessEqual(outcomes["crashed"], files // 50)

    def test_damaged_files_of_gdal_s_own_tests(self):
        folder = os.path.join(rasters.TEST_DATA, "odd")
        if not os.path.exists(os.path.join(folder, "expected.tsv")):
            self.skipTest("SKIPPED: no odd/expected.tsv in GDAL_MCP_TEST_DATA")
        with open(os.path.join(folder, "expected.tsv")) as f:
            rows = [line.rstrip("\n").split("\t")[:2] for line in f][1:]
        files, outcomes = 0, collections.Counter()
        with Session(workspace=self.workspace) as s:
            for seed, (path, kind) in enumerate(rows):
                whole = os.path.join(folder, path)
                if kind != "vector" or not os.path.isfile(whole) or os.path.getsize(whole) > 200_000:
                    continue
                with open(whole, "rb") as f:
                    damaged = list(mutants(f.read(), seed))
                name = f"{seed}-{os.path.basename(path)}"
                with open(self.path(name), "wb") as f:
                    f.write(damaged[seed % len(damaged)])
                self.tried(s, name, outcomes)
                files += 1
        print(f"{files} damaged files of GDAL's tests: {dict(outcomes)}", file=sys.stderr)
        self.assertGreater(files, 50)
        self.assertLessEqual(outcomes["crashed"], files // 25)

    def test_files_made_to_exhaust_a_reader(self):
        outcomes = collections.Counter()
        with Session("--timeout", "8", workspace=self.workspace) as s:
            for name in hostile(self.workspace):
                with self.subTest(name=name):
                    self.tried(s, name, outcomes)
            good(s.call("vector_info", {"uri": {"type": "Point", "coordinates": [1, 2]}}))
        print(f"made to exhaust: {dict(outcomes)}", file=sys.stderr)
        self.assertEqual(outcomes["crashed"], 0)


if __name__ == "__main__":
    session.main()
