"""Vector files cut short, with bytes changed, or made to exhaust a reader."""
import collections
import json
import os
import sys
import zipfile

from osgeo import gdal, ogr, osr

import rasters
import session
from broken import Broken
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
        files, outcomes = self.of_formats(made_in, 12, seeds=(0, 100))
        self.assertGreaterEqual(files, 300)
        self.assertLessEqual(outcomes["crashed"], files // 50)

    def test_damaged_files_of_gdal_s_own_tests(self):
        files, outcomes = self.of_gdal(rasters.TEST_DATA, "vector")
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
