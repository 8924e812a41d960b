#!/usr/bin/env python3
"""Whole calls of vector_buffer on 100 000 random points against ogr2ogr with SpatiaLite, in one run: buffers of 500 m as features, and
dissolved. By hand: buffers.py [--points N]; GDAL_MCP names the program (default: the release build)."""
import argparse
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import tempfile
import time

from osgeo import gdal, ogr, osr

PROGRAM = os.environ.get("GDAL_MCP", str(pathlib.Path(__file__).resolve().parents[2] / "build/release/bin/gdal-mcp"))


def make(path, code, place, points):
    file = gdal.GetDriverByName("GPKG").Create(path, 0, 0, 0, gdal.GDT_Unknown)
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(code)
    reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    layer = file.CreateLayer("p", reference, ogr.wkbPoint)
    file.StartTransaction()
    for _ in range(points):
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt("POINT (%.3f %.3f)" % place() if code != 4326 else "POINT (%.9f %.9f)" % place()))
        layer.CreateFeature(feature)
    file.CommitTransaction()


def timed(command):
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        def path(name):
            return os.path.join(folder, name)

        make(path("utm.gpkg"), 32633, lambda: (4e5 + 2e5 * random.random(), 5.5e6 + 2e5 * random.random()), options.points)
        make(path("degrees.gpkg"), 4326, lambda: (14 + 2 * random.random(), 49 + 2 * random.random()), options.points)

        def ours(source, **more):
            arguments = {"uri": source, "distance": 500, "output": "ours.gpkg", "overwrite": True, **more}
            return [PROGRAM, "call", "vector_buffer", "--workspace", folder, "--json", json.dumps(arguments)]

        def theirs(sql):
            if os.path.exists(path("theirs.gpkg")):
                os.remove(path("theirs.gpkg"))
            return ["ogr2ogr", "-dialect", "sqlite", "-sql", sql, path("theirs.gpkg"), path("utm.gpkg")]

        for what, sql, calls in (("features", "SELECT ST_Buffer(geom, 500, 16) AS geom FROM p", {}),
                                 ("dissolved", "SELECT ST_Union(ST_Buffer(geom, 500, 16)) AS geom FROM p", {"dissolve": True})):
            for source in ("utm.gpkg", "degrees.gpkg"):
                pairs = [(timed(ours(source, **calls)), timed(theirs(sql))) for _ in range(options.rounds)]
                mine, other = (statistics.median(p[i][0] for p in pairs) for i in (0, 1))
                busy = statistics.median(p[0][1] for p in pairs) / statistics.median(p[1][1] for p in pairs)
                print(f"{what}, {source}: {mine:.1f} s, SpatiaLite on utm.gpkg {other:.1f} s, ratio {mine / other:.2f}; processor time {busy:.2f}")


if __name__ == "__main__":
    main()
