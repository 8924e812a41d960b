"""docs/tools.md: the reference of every tool, written from what the program lists, and an example call of each, which runs here.

    reference.py            the page is current, and its calls run in its order on the demo's data
    reference.py --write    writes the page
"""
import glob
import json
import os
import re
import shutil
import sys

import rasters
import session
from session import Claims, Session, good, problem_text

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
PAGE = os.path.join(ROOT, "docs/tools.md")

# By bundle in the order of the page; a call may use what an earlier one wrote.
EXAMPLES = {
    "(host)": {
        "data_find": {"terms": ["population"]},
        "preflight": {"tool": "vector_reproject", "arguments": {"uri": "nc.gpkg", "dst_crs": "EPSG:32119"}},
        "store_justification": None,  # its arguments are those that a refused call shows
        "toolsets": {"action": "enable", "name": "vector-more"},
        "release_result": None,  # its URI is another with each call
    },
    "raster": {
        "raster_info": {"uri": "L7_ETMs.tif"},
        "raster_stats": {"uri": "elev.tif", "percentiles": [5, 50, 95]},
        "raster_query": {"uri": "elev.tif", "geometry": [5.9, 49.8, 6.2, 50.0], "output": "north.tif"},
        "raster_sample": {"uri": "elev.tif", "strategy": "random", "n": 50, "seed": 1, "output": "heights.gpkg"},
        "raster_calc": {"expression": "(N - R) / (N + R)", "inputs": {"N": {"uri": "L7_ETMs.tif", "band": 4}, "R": {"uri": "L7_ETMs.tif", "band": 3}},
                        "output": "ndvi.tif"},
        "raster_classify": {"uri": "ndvi.tif", "breaks": [0, 0.2], "output": "cover.tif"},
        "raster_compare": {"before": "cover.tif", "after": "cover.tif", "mode": "classes"},
        "raster_terrain": {"uri": "elev.tif", "measure": "slope"},
        "raster_mosaic": {"uris": ["elev.tif", "north.tif"], "output": "both.tif"},
        "raster_reproject": {"uri": "elev.tif", "dst_crs": "EPSG:2169", "resampling": "bilinear", "resolution": 500, "output": "dem.tif"},
        "raster_convert": {"uri": "L7_ETMs.tif", "driver": "COG", "output": "scene.tif"},
        "raster_preview": {"uri": "L7_ETMs.tif", "bands": [3, 2, 1]},
    },
    "raster-more": {
        "raster_rasterize": {"uri": "lux.shp", "attribute": "ID_2", "align_to": "elev.tif", "output": "cantons.tif"},
        "raster_polygonize": {"uri": "cantons.tif"},
        "raster_contour": {"uri": "elev.tif", "interval": 50},
        "raster_cost": {"uri": "dem.tif", "geometry": {"type": "Point", "coordinates": [6.13, 49.61]}},
        "raster_curvature": {"uri": "dem.tif", "measure": "profile"},
        "raster_distance": {"uri": "cover.tif", "values": [3]},
        "raster_fill_nodata": {"uri": "elev.tif", "max_distance": 3},
        "raster_focal": {"uri": "elev.tif", "statistic": "mean", "size": 5},
        "raster_index": {"uri": "dem.tif", "levels": [2, 4]},
        "raster_interpolate": {"uri": "heights.gpkg", "attribute": "band_1", "method": "idw", "align_to": "dem.tif"},
        "raster_sieve": {"uri": "cover.tif", "min_size": 8},
        "raster_viewshed": {"uri": "dem.tif", "geometry": {"type": "Point", "coordinates": [6.13, 49.61]}, "max_distance": 10000},
    },
    "vector": {
        "vector_info": {"uri": "nc.gpkg"},
        "vector_query": {"uri": "nc.gpkg", "where": "BIR74 > 10000", "attributes": ["NAME", "BIR74"], "order": ["BIR74 desc"]},
        "vector_convert": {"uri": "lux.shp", "output": "lux.gpkg"},
        "vector_measure": {"uri": "lux.shp"},
        "vector_stats": {"uri": "world.gpkg", "fields": ["lifeExp"], "by": ["continent"]},
        "vector_calc": {"uri": "nc.gpkg", "fields": {"rate": "1000 * SID74 / BIR74"}, "output": "rates.gpkg"},
        "vector_join": {"target": "world.gpkg", "join": "worldbank_df.csv", "keys": {"iso_a2": "iso_a2"}, "fields": ["literacy"]},
        "vector_overlay": {"a": "lux.shp", "b": {"type": "Polygon", "coordinates": [[[5.9, 49.6], [6.3, 49.6], [6.3, 49.9], [5.9, 49.9], [5.9, 49.6]]]},
                           "operation": "intersection"},
        "vector_dissolve": {"uri": "lux.shp", "by": ["NAME_1"], "aggregate": {"POP": "sum"}, "output": "districts.gpkg"},
        "vector_clip": {"uri": "lux.shp", "bounds": [5.9, 49.6, 6.3, 49.9]},
        "vector_buffer": {"uri": "cycle_hire.geojson", "distance": 300, "dissolve": True},
        "vector_reproject": {"uri": "cycle_hire.geojson", "dst_crs": "EPSG:27700", "output": "stations.gpkg"},
    },
    "vector-more": {
        "vector_derive": {"uri": "lux.shp", "operation": "point_on_surface", "output": "inside.gpkg"},
        "vector_index": {"uri": "lux.shp"},
        "vector_simplify": {"uri": "lux.shp", "tolerance": 200},
        "vector_validate": {"uri": "world.gpkg"},
    },
    "maps": {
        "map_preview": {"layers": [{"uri": "elev.tif"}, {"uri": "lux.shp"}], "title": "Luxembourg"},
        "chart_preview": {"uri": "world.gpkg", "kind": "scatter", "x": "gdpPercap", "y": "lifeExp"},
    },
    "hydrology": {
        "hydro_condition": {"uri": "dem.tif", "method": "fill", "output": "filled.tif"},
        "hydro_flow_direction": {"uri": "filled.tif", "method": "d8", "output": "directions.tif"},
        "hydro_flow_accumulation": {"uri": "directions.tif", "unit": "km2", "output": "area.tif"},
        "hydro_streams": {"directions": "directions.tif", "threshold_km2": 10, "output": "streams.tif"},
        "hydro_watershed": {"directions": "directions.tif", "output": "basins.gpkg"},
    },
    "hydrology-delineation": {
        "hydro_delineate": {"uri": "dem.tif", "outlets": {"type": "Point", "coordinates": [6.21, 49.86]}, "method": "fill", "threshold_km2": 20,
                            "snap": "max_accumulation", "snap_distance": 2000},
    },
    "hydrology-more": {
        "hydro_index": {"measure": "hand", "directions": "directions.tif", "dem": "filled.tif", "streams": "streams.tif"},
    },
    "aggregation": {
        "aggregate_zonal": {"raster": "elev.tif", "zones": "lux.shp", "stats": ["mean", "max", "count"]},
        "aggregate_classes": {"uri": "cantons.tif"},
        "aggregate_temporal": {"uris": ["elev.tif", "both.tif"], "statistic": "max"},
    },
    "aggregation-more": {
        "aggregate_grid": {"uri": "cycle_hire.geojson", "size": 1000, "statistic": "sum", "value": "nbikes"},
        "aggregate_density": {"uri": "cycle_hire.geojson", "bandwidth": 500},
        "aggregate_fuse": {"uris": ["elev.tif"], "methods": ["average"], "resolution": 1000, "crs": "EPSG:2169", "output": "fused.tif"},
        "aggregate_series": {"uris": ["elev.tif", "both.tif"], "dates": ["2010", "2020"], "at": "lux.shp", "place_id": "NAME_2", "statistic": "mean",
                             "above": 300},
    },
    "gdal": {
        "gdalinfo": {"dataset": "elev.tif", "json": True, "stats": True},
        "gdal_translate": {"src_dataset": "elev.tif", "dst_dataset": None, "output_format": "COG"},
        "gdalwarp": {"src_datasets": ["elev.tif"], "t_srs": "EPSG:2169", "r": "bilinear", "tr": [500, 500]},
        "gdalbuildvrt": {"src_datasets": ["elev.tif", "north.tif"], "dst_vrt": "mosaic.vrt"},
        "gdal_rasterize": {"src_vector": "lux.shp", "burn_value": 1, "width": 90, "height": 95, "extent": [5.7, 49.4, 6.6, 50.2], "a": "ID_2"},
        "gdal2xyz": {"dataset": "elev.tif", "skip_nodata": True},
        "gdal_merge": {"src_datasets": ["elev.tif", "north.tif"]},
        "gdal_polygonize": {"src_dataset": "cantons.tif", "field_name": "canton"},
    },
    "evidence": {
        "fused_kinds": {"uris": ["elev.tif", "north.tif"], "methods": ["average", "sum"]},
        "zone_support": {"raster": "elev.tif", "zones": "lux.shp"},
        "dem_depressions": {"uri": "dem.tif"},
        "stream_threshold": {"uri": "dem.tif"},
        "conversion_loss": {"uri": "elev.tif", "driver": "GTiff", "dtype": "Byte"},
        "crs_distortion": {"uri": "nc.gpkg", "crs": "EPSG:3857"},
        "raster_profile": {"uri": "elev.tif"},
        "resampling_trial": {"uri": "elev.tif", "method": "bilinear", "resolution": 0.02},
        "vector_profile": {"uri": "nc.gpkg", "where": "BIR74 > 10000"},
    },
}

# What people ask for, and the tools that answer it, in the order of their calls.
TASKS = [
    ("which of my files has …", "data_find"),
    ("the area, length or perimeter of …", "vector_measure"),
    ("the area of each class of a raster, or in zones", "aggregate_classes"),
    ("the mean (sum, share of a class) of a raster in polygons", "aggregate_zonal"),
    ("the value at these points", "raster_sample"),
    ("totals by group of a table", "vector_stats"),
    ("these countries with that table's numbers", "vector_join map_preview"),
    ("what lies within 500 m of …", "vector_buffer vector_query"),
    ("the nearest … to each …, and how far", "vector_join"),
    ("what two layers have in common", "vector_overlay"),
    ("what changed between two rasters", "raster_compare"),
    ("an index of two bands (NDVI)", "raster_calc"),
    ("slopes, steep or flat land", "raster_terrain raster_classify"),
    ("basins and streams above an outlet", "hydro_delineate"),
    ("a composite or trend of many dates", "aggregate_temporal"),
    ("values over time at stations or in zones", "aggregate_series"),
    ("how many points in each square kilometre", "aggregate_grid"),
    ("where points are dense", "aggregate_density"),
    ("rasters of different grids on one", "aggregate_fuse"),
    ("data in another CRS", "vector_reproject raster_reproject"),
    ("a file for QGIS or the web", "raster_convert vector_convert"),
    ("one of GDAL's programs, by its own arguments", "gdalinfo gdal_translate gdalwarp gdalbuildvrt gdal_rasterize gdal2xyz gdal_merge gdal_polygonize"),
    ("pictures and windows of a large file to be quick", "raster_index vector_index"),
    ("a picture of it", "map_preview raster_preview chart_preview"),
]


def domains():
    """{tool: [domain]} of the specs."""
    found = {}
    for path in sorted(glob.glob(ROOT + "/reflection-specs/*.yaml") + glob.glob(ROOT + "/plugins/*/reflection/*.yaml")):
        with open(path, encoding="utf-8") as spec:
            text = spec.read()
        domain = re.search(r"^(?:domain|extends): (\w+)$", text, re.M)
        tools = re.search(r"^tools:\n((?:  .*\n|\n)+)", text, re.M)
        if domain and tools:
            for tool in re.findall(r"^  (\w+):", tools[1], re.M):
                found.setdefault(tool, []).append(domain[1])
    return found


def cell(text):
    return re.sub(r"\s+", " ", text).replace("|", "\\|").strip()


def kind_of(schema):
    if "enum" in schema:
        return " ".join(f"`{json.dumps(v) if not isinstance(v, str) else v}`" for v in schema["enum"])
    types = schema.get("type") or [s.get("type", "value") for s in schema.get("anyOf", schema.get("oneOf", []))] or "value"
    text = " or ".join(dict.fromkeys([types] if isinstance(types, str) else types))
    if schema.get("type") == "array" and "items" in schema and schema["items"].get("type"):
        text = f"array of {kind_of(schema['items'])}"
    least, above, most, below = (schema.get(k) for k in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"))
    bounds = [f"{sign} {value}" for sign, value in (("≥", least), (">", above), ("≤", most), ("<", below)) if value is not None]
    return text + (f", {', '.join(bounds)}" if bounds else "")


def nested(name, schema):
    """The schemas within that have members, each with what their names begin with."""
    for inner, place in ((schema, "."), (schema.get("items"), "[]."), (schema.get("additionalProperties"), ".*.")):
        if isinstance(inner, dict):
            for one in (inner, *(inner.get("anyOf", []) if inner is not schema else [])):
                if "properties" in one:
                    yield name + place, one


def argument_rows(properties, required, within=""):
    """A row for each argument, and below one for each member of an object, or of the objects it holds."""
    for name, schema in properties.items():
        default = f" Default: `{json.dumps(schema['default'])}`." if "default" in schema else ""
        meaning = schema.get("description", "").rstrip(".") + "." + default
        yield f"| `{within}{name}`{' (required)' if name in required else ''} | {cell(kind_of(schema))} | {cell(meaning)} |"
        if name != "justification":
            for prefix, inner in nested(within + name, schema):
                yield from argument_rows(inner["properties"], inner.get("required", []), prefix)


def section(tool, example, asked):
    yield f"### {tool['name']}"
    yield tool["description"]
    yield ""
    if asked:
        yield f"May ask for a reason: {', '.join(asked)}."
        yield ""
    required = tool["inputSchema"].get("required", [])
    properties = {k: v for k, v in tool["inputSchema"]["properties"].items() if k != "justification" or k in required}
    yield "| argument | type | meaning |"
    yield "|---|---|---|"
    yield from argument_rows(properties, required)
    yield ""
    yield "| result | type | meaning |"
    yield "|---|---|---|"
    for name, schema in tool["outputSchema"]["properties"].items():
        yield f"| `{name}` | {cell(kind_of(schema))} | {cell(schema.get('description', ''))} |"
    yield ""
    if example is not None:
        yield "```json"
        yield json.dumps({"name": tool["name"], "arguments": example}, ensure_ascii=False)
        yield "```"
        yield ""


def page(tools, off):
    named, asked = {t["name"]: t for t in tools}, domains()
    yield "# Tools"
    yield ""
    yield ("<!-- Written by tests/e2e/reference.py --write from what the program lists; do not edit. -->")
    yield ""
    yield ("Every tool with its arguments, its result and an example call. The calls run in this order on the data that "
           "`packaging/start` unpacks; a question about a method comes first where the tool may ask for a reason "
           "([reflection.md](reflection.md)); its answer goes into one more argument, `justification`. [operations.md](operations.md) lists what analysts ask for by operation, "
           "[cookbook.md](cookbook.md) shows whole tasks.")
    yield ""
    yield "| I want … | tools |"
    yield "|---|---|"
    for task, wanted in TASKS:
        yield f"| {task} | {' '.join(f'[{t}](#{t})' for t in wanted.split())} |"
    yield ""
    for bundle, examples in EXAMPLES.items():
        yield f"## {bundle.strip('()')}"
        if bundle in off:
            yield f"Off by default; `toolsets` {{\"action\": \"enable\", \"name\": \"{bundle}\"}} switches it on for the session."
            yield ""
        for name, example in examples.items():
            yield from section(named[name], example, asked.get(name))


def prepared(folder):
    for name in os.listdir(rasters.DEMO_DATA):
        if not name.startswith("."):
            shutil.copy(os.path.join(rasters.DEMO_DATA, name), folder)


def listed(s):
    tools, cursor = [], None
    while True:
        result = s.request("tools/list", {"cursor": cursor} if cursor else {})["result"]
        tools += result["tools"]
        cursor = result.get("nextCursor")
        if not cursor:
            return tools


def current_page(workspace):
    with Session(workspace=workspace) as s:
        off = {t["name"] for t in good(s.call("toolsets", {"action": "list"}))["toolsets"] if not t["on"]}
    with Session("--toolsets", "all", workspace=workspace) as s:
        return "\n".join(page(listed(s), off))


class the_reference(Claims):
    def test_it_is_what_the_program_lists(self):
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            offered = {t["name"] for t in listed(s)}
        self.assertEqual({t for examples in EXAMPLES.values() for t in examples}, offered)
        with open(PAGE, encoding="utf-8") as file:
            self.assertEqual(file.read(), current_page(self.workspace), "run tests/e2e/reference.py --write")

    def test_its_calls_run(self):
        prepared(self.workspace)
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for tool, arguments in (e for examples in EXAMPLES.values() for e in examples.items()):
                if arguments is None:
                    continue
                with self.subTest(tool):
                    result = session.run(s, tool, arguments)
                    self.assertFalse(result.get("isError"), problem_text(result))


if __name__ == "__main__":
    if "--write" in sys.argv:
        import tempfile
        with tempfile.TemporaryDirectory() as empty:
            text = current_page(os.path.realpath(empty))
        with open(PAGE, "w", encoding="utf-8") as file:
            file.write(text)
        sys.exit()
    if not os.path.exists(os.path.join(rasters.DEMO_DATA, "elev.tif")):
        print("SKIPPED reference: the demo's data is not there (packaging/deps --demo)")
        sys.exit(session.SKIPPED)
    session.main()
