"""Calls that each tool's schema allows, drawn at random, end in a result or a clear error: no crash, no hang, no half-written file.

GDAL_MCP_RANDOM_CALLS: calls of each tool (12; 3 under sanitizers). GDAL_MCP_RANDOM_SEED: another draw (1). GDAL_MCP_RANDOM_TOOL: of this tool only.
"""
import glob
import hashlib
import json
import os
import random

import numpy
from osgeo import gdal, ogr

import rasters
from rasters import UTM, waves, write
from session import PROGRAM, Claims, Session, problem, problem_text, run

CALLS = int(os.environ.get("GDAL_MCP_RANDOM_CALLS", "3" if os.environ.get("GDAL_MCP_SANITIZED") else "12"))
SEED = os.environ.get("GDAL_MCP_RANDOM_SEED", "1")
ONLY = os.environ.get("GDAL_MCP_RANDOM_TOOL", "")
# A defect of the program; whatever else an error says, the caller can mend.
DEFECTS = ("internal", "crashed", "deadline", "unknown_tool", "quarantined")

RASTERS = ("heights.tif", "classes.tif", "scene.tif", "degrees.tif", "directions.tif")
VECTORS = ("areas.gpkg", "points.gpkg", "lines.gpkg", "degrees.gpkg", "table.csv")
CRSS = ("EPSG:4326", f"EPSG:{UTM}", "EPSG:3857", "EPSG:5880", "EPSG:32725")
FIELDS = ("value", "name", "code", "when")
WEST, NORTH, CELL = 289000.0, 9121000.0, 28.5
ENDINGS = {"output-raster": ("tif", "tif", "png", "nc", "img"), "output-vector": ("gpkg", "gpkg", "geojson", "shp", "csv"),
           "output-table": ("csv", "gpkg"), "output-any": ("tif", "gpkg")}
# What a text without a role may hold, by the argument's name; else a field's name.
TEXTS = {"where": ("value > 3", "name = 'a2' and code < 5", "value is null", "when >= '2020-03-01'"), "expression": ("A * 2", "(A - B) / (A + B)", "where(A > 3, A, 0)"),
         "driver": ("GTiff", "COG", "PNG", "netCDF"), "output_format": ("GTiff", "COG", "JPEG", "CSV"), "purpose": ("display", "claim"),
         "layer": ("areas", "points"), "encoding": ("UTF-8", "CP1252"), "x": ("x", "value", "code"), "y": ("y", "value"), "title": ("A map",),
         "creation_options": ("COMPRESS=DEFLATE", "TILED=YES", "COMPRESS=JPEG"), "co": ("COMPRESS=LZW",), "order": ("value desc", "name"), "dates": ("2020-01-01", "2021-01-01"),
         "bands": ("1", "1", "2"), "fields": ("value * 2", "name", "code + 1"), "keys": ("code", "name"), "aggregate": ("sum", "mean", "first")}

# Numbers that fit the sources, by the argument's name.
NUMBERS = {"resolution": (30, 57, 90), "tr": (30, 57), "threshold_km2": (0.01, 0.05), "max_distance": (3, 300), "distance": (40, 250), "size": (3, 5), "interval": (10, 50),
           "tolerance": (5, 40), "bandwidth": (200, 400), "breaks": (2, 50, 100), "width": (40, 90), "height": (30, 70), "band": (1, 1, 1, 2), "bands": (1, 1, 1, 2)}
BOXES = ("bounds", "extent", "te", "projwin")
# How likely an optional argument is drawn: most contradict others, some are what a call is about.
OFTEN = {"resolution": 0.6, "align_to": 0.3, "threshold_km2": 0.7, "predicate": 0.5, "keys": 0.4, "method": 0.5, "breaks": 0.5, "bounds": 0.25, "mask": 0.5, "points": 0.5, "x": 0.6, "y": 0.6,
         "field": 0.4, "by": 0.4, "distance": 0.5, "n": 0.4, "output": 0.4}
SELDOM = ("subdataset", "layer", "_crs", "srs", "sheet", "encoding", "operation", "snap_distance", "known_area")


def source_files(folder):
    at = lambda name: os.path.join(folder, name)
    write(at("heights.tif"), [waves(60, 50, 0, 300).astype("float32")], gdal.GDT_Float32, nodata=-9999)
    write(at("classes.tif"), [numpy.floor(waves(60, 50, 1, 6)).astype("uint8")], gdal.GDT_Byte, nodata=0)
    write(at("scene.tif"), [waves(60, 50, 100, 9000, seed=s).astype("uint16") for s in (1, 2, 3)], gdal.GDT_UInt16)
    write(at("degrees.tif"), [waves(40, 30, -5, 25).astype("float32")], gdal.GDT_Float32, epsg=4326, transform=(-35.0, 0.002, 0, -7.9, 0, -0.002), nodata=-9999)
    for name, kind, epsg in (("areas", ogr.wkbPolygon, UTM), ("points", ogr.wkbPoint, UTM), ("lines", ogr.wkbLineString, UTM), ("degrees", ogr.wkbPolygon, 4326)):
        dataset = ogr.GetDriverByName("GPKG").CreateDataSource(at(name + ".gpkg"))
        layer = dataset.CreateLayer(name, rasters.crs(epsg), kind)
        for field, of in (("value", ogr.OFTReal), ("name", ogr.OFTString), ("code", ogr.OFTInteger), ("when", ogr.OFTDate)):
            layer.CreateField(ogr.FieldDefn(field, of))
        for i in range(9):
            x, y, side = WEST + 60 + 500 * (i % 3), NORTH - 450 - 430 * (i // 3), 300 + 40 * i
            if epsg == 4326:
                x, y, side = -34.99 + 0.02 * (i % 3), -7.95 + 0.015 * (i // 3), 0.012
            feature = ogr.Feature(layer.GetLayerDefn())
            for field, v in (("value", i * 1.5), ("name", f"a{i % 4}"), ("code", i), ("when", f"2020-0{i + 1}-01")):
                if not (field == "value" and i == 7):
                    feature[field] = v
            shape = {ogr.wkbPolygon: f"POLYGON (({x} {y},{x + side} {y},{x + side} {y + side},{x} {y + side},{x} {y}))", ogr.wkbPoint: f"POINT ({x} {y})",
                     ogr.wkbLineString: f"LINESTRING ({x} {y},{x + side} {y + side / 2},{x + side} {y + side})"}[kind]
            feature.SetGeometry(ogr.CreateGeometryFromWkt(shape))
            layer.CreateFeature(feature)
        del layer, dataset
    with open(at("table.csv"), "w", encoding="utf-8") as text:
        text.write("code,name,x,y,value\n" + "".join(f"{i},a{i % 4},{WEST + 70 * i},{NORTH - 50 * i},{i / 4}\n" for i in range(12)))


class Draw:
    """Values that a schema allows."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.outputs = 0

    def one(self, *of):
        return self.random.choice(of)

    def arguments(self, schema):
        required = schema.get("required", [])
        members = schema.get("properties", {})
        drawn = {}
        for name, of in members.items():
            if name == "justification" or name not in required and self.random.random() > OFTEN.get(name, 0.02 if name.endswith(SELDOM) else 0.2):
                continue
            while (v := self.value(of, name)) is None and name in required:
                pass
            drawn[name] = v
        return {k: v for k, v in drawn.items() if v is not None}

    def value(self, schema, name):
        if "x-gdalmcp" in schema:
            return self.of_role(schema["x-gdalmcp"], schema, name)
        if "enum" in schema:
            return self.one(*schema["enum"])
        if "examples" in schema and self.random.random() < 0.5:
            return self.one(*schema["examples"])
        if forms := schema.get("anyOf") or schema.get("oneOf"):
            return self.value(self.one(*forms), name)
        kind = schema.get("type", "string")
        kind = self.one(*kind) if isinstance(kind, list) else kind
        return getattr(self, "a_" + kind)(schema, name)

    def of_role(self, role, schema, name):
        if schema.get("type") == "array":
            return [self.of_role(role, {}, name) for _ in range(max(schema.get("minItems", 1), self.random.randint(1, 3)))]
        if role.startswith("output-") and role != "output-crs":
            self.outputs += 1
            return self.one(None, f"out{self.outputs}.{self.one(*ENDINGS[role])}")
        if role in ("crs", "output-crs"):
            return self.one(*CRSS)
        if role == "geometry":
            x, y, d = WEST + self.random.uniform(0, 900), NORTH - self.random.uniform(600, 1300), self.random.uniform(60, 600)
            return self.one([x, y, x + d, y + d], "areas.gpkg", "points.gpkg", [-34.99, -7.95, -34.95, -7.92],
                            {"type": "Point", "coordinates": [-34.9, -7.94]},
                            {"type": "Polygon", "coordinates": [[[-34.915, -7.945], [-34.905, -7.945], [-34.905, -7.955], [-34.915, -7.945]]]})
        if name in ("directions", "streams", "accumulation") and self.random.random() < 0.7:
            return "directions.tif"
        return self.one(*{"input-raster": RASTERS, "input-vector": VECTORS, "input-any": RASTERS + VECTORS}[role])

    def a_boolean(self, schema, name):
        return self.one(True, False)

    def a_null(self, schema, name):
        return None

    def a_number(self, schema, name):
        if name in NUMBERS and self.random.random() < 0.8:
            return self.one(*NUMBERS[name])
        low, high = schema.get("minimum", schema.get("exclusiveMinimum")), schema.get("maximum", schema.get("exclusiveMaximum"))
        if low is None or high is None:
            size = 10 ** self.random.uniform(-1, 3.5)
            v = size if low is not None or self.random.random() < 0.7 else -size
            v = max(v, low + 0.1) if low is not None else min(v, high - 0.1) if high is not None else v
        else:
            v = low + (high - low) * self.random.uniform(0.01, 0.99)
        return round(v, 2) if low is None or round(v, 2) > low else v

    def a_integer(self, schema, name):
        if name in NUMBERS and self.random.random() < 0.8:
            return self.one(*NUMBERS[name])
        low = schema.get("minimum", schema.get("exclusiveMinimum", -2) + 1)
        return self.random.randint(low, min(schema.get("maximum", low + 60), low + 60))

    def a_string(self, schema, name):
        return self.one(*TEXTS.get(name, FIELDS))

    def a_array(self, schema, name):
        if name in BOXES and self.random.random() < 0.9:
            x, y, d = WEST + 57 * self.random.randint(0, 9), NORTH - 57 * self.random.randint(12, 20), 57 * self.random.randint(3, 12)
            return [x, y + d, x + d, y] if name == "projwin" else [x, y, x + d, y + d]
        least = schema.get("minItems", 1)
        count = self.random.randint(least, max(least, min(schema.get("maxItems", least + 2), least + 2)))
        return [self.value(schema.get("items", {}), name) for _ in range(count)]

    def a_object(self, schema, name):
        if schema.get("properties"):
            return self.arguments(schema)
        of = schema.get("additionalProperties")
        of = of if isinstance(of, dict) else {"type": "string"}
        names = ("A", "B") if name == "inputs" else FIELDS[:3]
        return {k: self.value(of, name) for k in self.random.sample(names, self.random.randint(1, 2))}


def declared():
    """{tool: input schema with roles}, of the shipped bundles."""
    shelf = os.path.join(os.path.dirname(os.path.realpath(PROGRAM)), "../share/gdal-mcp/bundles")
    tools = {}
    for path in sorted(glob.glob(shelf + "/*.bundle/manifest.json")):
        with open(path, encoding="utf-8") as text:
            tools |= {t["name"]: t["input_schema"] for t in json.load(text)["tools"]}
    return tools


class random_calls(Claims):
    def digests(self):
        found = {}
        for name in self.files():
            if os.path.isfile(self.path(name)):
                with open(self.path(name), "rb") as file:
                    found[name] = hashlib.sha256(file.read()).hexdigest()
        return found

    def test_each_tool(self):
        source_files(self.workspace)
        tools = declared()
        self.assertGreater(len(tools), 60)
        with Session("--toolsets", "all", "--timeout", "60", "--file-size", "300", workspace=self.workspace) as s:
            self.assertFalse(run(s, "hydro_flow_direction", {"uri": "heights.tif", "method": "d8", "output": "directions.tif"}).get("isError"))
            sources, results = self.digests(), 0
            drawn = [t for t in tools if ONLY in ("", t)]
            for tool in drawn:
                results += self.check(s, tool, tools[tool], sources)
        if not ONLY:
            self.assertGreater(results, CALLS * len(drawn) / 4, "most calls are refused: the draw says little")

    def check(self, s, tool, schema, sources):
        draw, results = Draw(f"{SEED} {tool}"), 0
        for turn in range(CALLS):
            arguments = draw.arguments(schema)
            with self.subTest(tool=tool, turn=turn, arguments=json.dumps(arguments)):
                result = run(s, tool, arguments)
                now = self.digests()
                self.assertEqual({n: now.get(n) for n in sources}, sources, "an input was touched")
                written = set(now) - set(sources)
                if result.get("isError"):
                    p = problem(result)
                    self.assertNotIn(p["error"], DEFECTS, problem_text(result))
                    self.assertEqual(written, set(), "an error left files: " + p["message"])
                else:
                    results += 1
                    path = result["structuredContent"].get("output", {}).get("path")
                    self.assertEqual(bool(written), path is not None, f"{written}, {path}")
                for name in written:
                    os.remove(self.path(name))
        print(f"{tool}: {results} of {CALLS} calls gave a result", flush=True)
        return results


if __name__ == "__main__":
    import session
    session.main()
