#!/usr/bin/env python3
"""In a bundle GDAL is read and written in files named gdal_* and ogr_*: algorithms know arrays only, tools hand datasets on."""
import re

import tree

HEADER = re.compile(r'^\s*#\s*include\s+[<"]((?:gdal|ogr|cpl|vrt|proj|geodesic|memdataset)[a-z0-9_]*\.h|gdalmcp/gdal[a-z_]*\.hpp)[>"]', re.M)
OWN = re.compile(r'^\s*#\s*include\s+[<"]((?:[a-z]+/)?[a-z0-9_]+\.hpp)[>"]', re.M)
TOOL = re.compile(r"^namespace gdalmcp_\w+::(\w+) \{$(?=.*^const gdalmcp::tool tool\{)", re.M | re.S)
# Of GDAL's interface what opens, reads, writes or transforms. Asking a dataset for a property is none of it.
WORK = re.compile(r"\b(RasterIO|Open(?:Ex)?|Create(?:Copy|Layer|Feature)?|GetGDALDriverManager|BuildOverviews|GetNextFeature|"
                  r"OGRCreateCoordinateTransformation|GDAL(?:Open|Translate|Warp|Create)\w*|VSI\w+|GDALCopyWords)\(")
# What the tools of a bundle share: arguments, results and the order of the work, around files named gdal_* and ogr_*.
BESIDE_TOOLS = {
    "raster/arguments.hpp", "raster_more/arguments.hpp", "raster/convert_arguments.hpp", "gdal/arguments.hpp", "vector/arguments.hpp", "hydrology/terrain.hpp",
    "hydrology/terrain.cpp", "hydrology/flow_grid.hpp", "hydrology/flow_grid.cpp", "hydrology/conditioning.hpp",
    "hydrology/conditioning.cpp", "hydrology/basin_outlets.hpp", "hydrology/basin_outlets.cpp",
    "hydrology_delineation/routed_terrain.hpp", "hydrology_delineation/routed_terrain.cpp", "hydrology/evidence_dem.hpp", "hydrology/evidence_dem.cpp", "aggregation/zonal_report.hpp",
    "aggregation/zonal_report.cpp", "aggregation/zone_book.hpp", "aggregation/zone_book.cpp",
    "aggregation/class_report.hpp", "aggregation/class_report.cpp",
}

sources = {p.relative_to(tree.ROOT / "plugins").as_posix(): p.read_text()
           for p in tree.files(".cpp", ".hpp", under="plugins/")}


def knows_gdal(name):
    """By its name; or a header it includes does."""
    return name.split("/")[-1].startswith(("gdal_", "ogr_"))


def included(name):
    folder = name.split("/")[0]
    for header in OWN.findall(sources[name]):
        path = header if "/" in header else f"{folder}/{header}"
        if path in sources:
            yield path


def gdal_in(name, seen=()):
    """The first way from a file to GDAL: its own header, or a file that knows it."""
    if own := HEADER.search(sources[name]):
        return [name, own.group(1)]
    for other in included(name):
        if knows_gdal(other):
            return [name, other]
        if other not in seen and (way := gdal_in(other, (*seen, name))):
            return [name, *way]
    return []


findings, seen = [], 0
for name, text in sources.items():
    if knows_gdal(name):
        continue
    seen += 1
    is_tool = name.split("/")[-1].removesuffix(".cpp") in TOOL.findall(text)
    if not is_tool and name not in BESIDE_TOOLS:
        if way := gdal_in(name):
            findings.append(f"plugins/{way[0]}: reaches GDAL ({' > '.join(way[1:])}); call it gdal_* or ogr_*, or take arrays")
        continue
    findings += [f"plugins/{name}: includes {h}; a file named gdal_* or ogr_* does" for h in HEADER.findall(text)
                 if not h.startswith("gdalmcp/")]
    findings += [f"plugins/{name}: {w}() is work for a file named gdal_* or ogr_*" for w in WORK.findall(text)]
findings += [f"plugins/{name}: named in BESIDE_TOOLS, but not there" for name in BESIDE_TOOLS - set(sources)]
tree.report(findings, seen)
