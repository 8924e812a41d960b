#!/usr/bin/python3
"""tests/bench/vectors.py [--only NAME ...] [--python PYTHON] [--cells N] [--points N] [--rounds N] [--folder DIR] [--build DIR]: whole calls of vector_join,
vector_overlay, vector_dissolve, vector_query, vector_convert, vector_stats and vector_calc against ogr2ogr (with SpatiaLite's SQL) and, with a Python that has geopandas, against that; interleaved,
as ratios of medians of time and of processor time (user and system), which a busy machine changes less. A call is one of a running
session, and its inputs are new to the host.

Every program reads GeoPackages and writes one with its spatial index; vector_query keeps its as a managed result, and vector_stats returns a table.
"""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from osgeo import gdal, ogr, osr

from blocking_client import Server, processor_seconds

gdal.UseExceptions()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WEST, SOUTH, SIDE = 400000, 5100000, 500

GEOPANDAS = """
import os, sys, geopandas, warnings
warnings.simplefilter("ignore")
what, first, second, out = sys.argv[1:]
a = geopandas.read_file(first)
if what == "join":
    r = a.sjoin(geopandas.read_file(second), how="left", predicate="within")
elif what == "dissolve":
    r = a.dissolve(by="zone", aggfunc={"v": "sum"}).reset_index()
else:
    r = a.overlay(geopandas.read_file(second), how=what)
r.to_file(out)
"""
SPATIALITE = {
    "intersection": "SELECT a.name AS name, b.name AS name_b, CastToMultiPolygon(CollectionExtract(ST_Intersection(a.geom, b.geom), 3)) AS geom "
                    "FROM a JOIN b ON ST_Intersects(a.geom, b.geom) AND b.ROWID IN (SELECT id FROM rtree_b_geom WHERE minx <= ST_MaxX(a.geom) AND "
                    "maxx >= ST_MinX(a.geom) AND miny <= ST_MaxY(a.geom) AND maxy >= ST_MinY(a.geom))",
    "stats": "SELECT zone, COUNT(v) AS n, SUM(v) AS sum, AVG(v) AS mean, MIN(v) AS lowest, MAX(v) AS highest FROM points GROUP BY zone",
    "calc": "SELECT *, v * 2 + sqrt(v) AS w FROM points",
    "dissolve": "SELECT zone, SUM(v) AS v_sum, CastToMulti(ST_Union(geom)) AS geom FROM a GROUP BY zone",
}


def utm():
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    return srs


def cells(layer, n, seed, shift):
    """n × n quadrilaterals with bent edges that share them."""
    chance = numpy.random.default_rng(seed)
    jitter = lambda a, share: a + chance.uniform(-share, share, a.shape) * SIDE
    x, y = numpy.meshgrid(numpy.arange(n + 1) * SIDE + WEST + shift, numpy.arange(n + 1) * SIDE + SOUTH + shift)
    x, y = jitter(x, .3), jitter(y, .3)
    hx, hy = jitter((x[:, :-1] + x[:, 1:]) / 2, .1), jitter((y[:, :-1] + y[:, 1:]) / 2, .1)
    vx, vy = jitter((x[:-1] + x[1:]) / 2, .1), jitter((y[:-1] + y[1:]) / 2, .1)
    for name, kind in (("name", ogr.OFTString), ("zone", ogr.OFTInteger), ("v", ogr.OFTInteger)):
        layer.CreateField(ogr.FieldDefn(name, kind))
    for i in range(n):
        for j in range(n):
            ring = [(x[i, j], y[i, j]), (hx[i, j], hy[i, j]), (x[i, j + 1], y[i, j + 1]), (vx[i, j + 1], vy[i, j + 1]), (x[i + 1, j + 1], y[i + 1, j + 1]),
                    (hx[i + 1, j], hy[i + 1, j]), (x[i + 1, j], y[i + 1, j]), (vx[i, j], vy[i, j]), (x[i, j], y[i, j])]
            f = ogr.Feature(layer.GetLayerDefn())
            f["name"], f["zone"], f["v"] = f"{i}-{j}", i // 10 * 1000 + j // 10, i + j
            f.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((" + ",".join(f"{p:.3f} {q:.3f}" for p, q in ring) + "))"))
            layer.CreateFeature(f)


def points(layer, n, width):
    for name, kind in (("n", ogr.OFTInteger), ("zone", ogr.OFTString), ("v", ogr.OFTReal)):
        layer.CreateField(ogr.FieldDefn(name, kind))
    places = numpy.random.default_rng(9).uniform(0, width, (n, 2))
    for i, (x, y) in enumerate(places):
        f = ogr.Feature(layer.GetLayerDefn())
        f["n"], f["zone"], f["v"] = i, f"zone {i % 50}", x * y
        f.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({WEST + x:.3f} {SOUTH + y:.3f})"))
        layer.CreateFeature(f)


def star(width):
    """A polygon of 60 vertices over a quarter of the square."""
    angles = numpy.arange(60) * numpy.pi / 30
    reach = numpy.where(numpy.arange(60) % 2, .45, .25) * width
    ring = [[round(WEST + width / 2 + r * numpy.cos(a), 3), round(SOUTH + width / 2 + r * numpy.sin(a), 3)] for a, r in zip(angles, reach)]
    return {"type": "Polygon", "coordinates": [ring + ring[:1]]}


def make(path, layers):
    if os.path.exists(path):
        return
    file = ogr.GetDriverByName("GPKG").CreateDataSource(path + ".part.gpkg")
    file.StartTransaction()
    for name, kind, fill in layers:
        fill(file.CreateLayer(name, utm(), kind))
    file.CommitTransaction()
    file = None
    os.rename(path + ".part.gpkg", path)


def called(server, tool, arguments, inputs):
    for each in inputs:
        os.utime(each)
    before, begin = processor_seconds(server.process.pid), time.monotonic()
    server.call(tool, arguments)
    return time.monotonic() - begin, processor_seconds(server.process.pid) - before


def measured(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    took = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(" ".join(command)[:300] + "\n" + done.stdout[-1000:] + done.stderr[-1000:])
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--only", nargs="+", help="join, intersection, union, dissolve, query, convert, stats, calc")
    options.add_argument("--python", help="a Python with geopandas")
    options.add_argument("--cells", type=int, default=224, help="along a side of each of two layers")
    options.add_argument("--points", type=int, default=1_000_000)
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--folder", help="keeps the layers")
    options.add_argument("--build", default=str(ROOT / "build" / "release"))
    o = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = o.folder or temporary
        path = lambda name: os.path.join(folder, name)
        make(path("both.gpkg"), [("a", ogr.wkbPolygon, lambda l: cells(l, o.cells, 2, 0)), ("b", ogr.wkbPolygon, lambda l: cells(l, o.cells, 3, 211))])
        for name in "ab":
            if not os.path.exists(path(name + ".gpkg")):
                gdal.VectorTranslate(path(name + ".gpkg"), path("both.gpkg"), layers=[name])
        side = max(1, o.cells // 2)
        make(path("zones.gpkg"), [("zones", ogr.wkbPolygon, lambda l: cells(l, side, 4, 0))])
        make(path("points.gpkg"), [("points", ogr.wkbPoint, lambda l: points(l, o.points, side * SIDE))])
        calls = {
            "join": ("vector_join", {"target": "points.gpkg", "join": "zones.gpkg", "predicate": "within"}, "points.gpkg", "zones.gpkg"),
            "intersection": ("vector_overlay", {"a": "a.gpkg", "b": "b.gpkg", "operation": "intersection"}, "a.gpkg", "b.gpkg"),
            "union": ("vector_overlay", {"a": "a.gpkg", "b": "b.gpkg", "operation": "union"}, "a.gpkg", "b.gpkg"),
            "dissolve": ("vector_dissolve", {"uri": "a.gpkg", "by": ["zone"], "aggregate": {"v": "sum"}}, "a.gpkg", "a.gpkg"),
            "query": ("vector_query", {"uri": "points.gpkg", "geometry": star(side * SIDE), "geometry_crs": "EPSG:32633", "clip": True},
                      "points.gpkg", "points.gpkg"),
            "convert": ("vector_convert", {"uri": "points.gpkg"}, "points.gpkg", "points.gpkg"),
            "stats": ("vector_stats", {"uri": "points.gpkg", "fields": ["v"], "by": ["zone"], "statistics": ["count", "sum", "mean", "min", "max"]},
                      "points.gpkg", "points.gpkg"),
            "calc": ("vector_calc", {"uri": "points.gpkg", "fields": {"w": "v * 2 + sqrt(v)"}}, "points.gpkg", "points.gpkg"),
        }
        server = Server(os.path.join(o.build, "bin", "gdal-mcp"), "serve", "--workspace", folder, "--state-dir", path("state")).initialize()
        print(f"{'':24}{'time':>10}{'processor':>12}   ratio of time, of processor time")
        for what, (tool, arguments, first, second) in calls.items():
            if o.only and what not in o.only:
                continue
            name = "out.fgb" if what == "convert" else "out.gpkg"
            out = path(name)
            ours = {**arguments, **({} if what in ("stats", "query") else {"output": name})}
            peers = {}
            if what in ("stats", "calc"):
                peers["ogr2ogr"] = ["ogr2ogr", out, path("points.gpkg"), "-dialect", "sqlite", "-sql", SPATIALITE[what], "-nln", "out"]
            elif what in SPATIALITE:
                peers["SpatiaLite"] = ["ogr2ogr", out, path("both.gpkg"), "-sql", SPATIALITE[what], "-nln", "out", "-a_srs", "EPSG:32633"]
            if what == "query":
                shape = ogr.CreateGeometryFromJson(json.dumps(arguments["geometry"]))
                peers["ogr2ogr"] = ["ogr2ogr", out, path("points.gpkg"), "-spat", *(str(shape.GetEnvelope()[i]) for i in (0, 2, 1, 3)), "-clipsrc", shape.ExportToWkt()]
            if what == "convert":
                peers["ogr2ogr"] = ["ogr2ogr", out, path("points.gpkg")]
            if o.python and what not in ("query", "convert", "stats", "calc"):
                peers["geopandas"] = [o.python, "-c", GEOPANDAS, what, path(first), path(second), out]
            times = {name: [] for name in ["gdal-mcp", *peers]}
            for _ in range(o.rounds):
                for name, command in [("gdal-mcp", None), *peers.items()]:
                    if os.path.exists(out):
                        os.remove(out)
                    times[name].append(measured(command) if command else called(server, tool, ours, {path(first), path(second)}))
            median = {name: [statistics.median(t[k] for t in all_of) for k in (0, 1)] for name, all_of in times.items()}
            for name, (took, processor) in median.items():
                ratios = "" if name == "gdal-mcp" else f"   {median['gdal-mcp'][0] / took:.2f}, {median['gdal-mcp'][1] / processor:.2f}"
                print(f"{what:13}{name:11}{took:8.2f} s{processor:10.2f} s{ratios}", flush=True)
        server.exit()


if __name__ == "__main__":
    main()
