#!/usr/bin/python3
"""Zonal statistics against exactextract: python3 zonal.py <gdal-mcp> <exactextract>, built with TBB, or else <python with exactextract, geopandas,
rasterio>. The program runs raster-parallel on two threads, the Python package raster-sequential.

Disjoint zones in a GeoPackage over a tiled Float32 raster of 10000 x 10000 cells with nodata; count, sum, mean, min and max. Prints
processor time (user and system), time, and peak memory of each, interleaved, and the medians of their ratios.
"""
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from osgeo import gdal, ogr, osr

gdal.UseExceptions()
ogr.UseExceptions()

SIDE, CELL, WEST, NORTH = 10000, 10, 400000, 5100000
PEER = """
import sys, geopandas
from exactextract import exact_extract
zones = geopandas.read_file(sys.argv[2])
exact_extract(sys.argv[1], zones, ["count", "sum", "mean", "min", "max"], include_cols=["name"], output="pandas",
              strategy="raster-sequential").to_csv(sys.argv[3])
"""


def utm():
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    return srs


def make_raster(path):
    random = numpy.random.RandomState(1)
    file = gdal.GetDriverByName("GTiff").Create(path, SIDE, SIDE, 1, gdal.GDT_Float32, ["TILED=YES"])
    file.SetProjection(utm().ExportToWkt())
    file.SetGeoTransform((WEST, CELL, 0, NORTH, 0, -CELL))
    file.GetRasterBand(1).SetNoDataValue(-9999)
    for row in range(0, SIDE, 500):
        values = (random.rand(500, SIDE) * 100).astype("float32")
        values[random.rand(500, SIDE) < 0.001] = -9999
        file.GetRasterBand(1).WriteArray(values, 0, row)


def make_zones(path, count):
    """Convex polygons of up to 14 vertices, one in each square of a lattice."""
    random = numpy.random.RandomState(2)
    file = ogr.GetDriverByName("GPKG").CreateDataSource(path)
    layer = file.CreateLayer("zones", utm(), ogr.wkbPolygon)
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    across = math.ceil(math.sqrt(count))
    step = SIDE * CELL / across
    layer.StartTransaction()
    for n in range(count):
        points = ogr.Geometry(ogr.wkbMultiPoint)
        x, y = WEST + (n % across + 0.5) * step, NORTH - (n // across + 0.5) * step
        for angle in random.rand(14) * 2 * math.pi:
            point = ogr.Geometry(ogr.wkbPoint)
            point.AddPoint_2D(x + 0.5 * step * math.cos(angle), y + 0.5 * step * math.sin(angle))
            points.AddGeometry(point)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(points.ConvexHull())
        feature["name"] = f"zone {n}"
        layer.CreateFeature(feature)
    layer.CommitTransaction()


def measured(command):
    """Processor time and time in seconds, peak memory of the largest process in MiB."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, time.monotonic() - start, after.ru_maxrss / 1024


def command_of(other, raster, zones, table):
    if "python" in os.path.basename(other):
        return [other, "-c", PEER, raster, zones, table]
    statistics_wanted = [word for name in ("count", "sum", "mean", "min", "max") for word in ("-s", f"{name}(v)")]
    return [other, "-r", f"v:{raster}", "-p", zones, "-f", "name", "-o", table, *statistics_wanted, "--strategy", "raster-parallel", "--threads", "2"]


def main():
    program, other = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
        policy.write("domains: {aggregation: {off: true}}\n")  # means and sums need a reason
        policy.flush()
        make_raster(f"{folder}/values.tif")
        for count, rounds in ((1000, 3), (10000, 3), (200000, 1)):
            make_zones(f"{folder}/zones{count}.gpkg", count)
            call = json.dumps({"raster": "values.tif", "zones": f"zones{count}.gpkg", "stats": ["count", "sum", "mean", "min", "max"],
                               "output": "table.csv", "overwrite": True})
            runs = []
            for _ in range(rounds):
                ours = measured([program, "call", "aggregate_zonal", "--json", call, "--workspace", folder, "--state-dir",
                                 f"{folder}/state", "--policy", policy.name])
                with open(f"{folder}/table.csv.provenance.json") as f:
                    memory = json.load(f)["times_ms"]["max_rss_kib"] / 1024
                peer = measured(command_of(other, f"{folder}/values.tif", f"{folder}/zones{count}.gpkg", f"{folder}/peer.csv"))
                runs.append((ours[0] / peer[0], ours[1] / peer[1]))
                print(f"{count} zones: {ours[0]:.1f} s of processor, {ours[1]:.1f} s, {memory:.0f} MiB; exactextract {peer[0]:.1f} s, {peer[1]:.1f} s; "
                      f"largest process so far {max(ours[2], peer[2]):.0f} MiB", flush=True)
            print(f"{count} zones: ratio of processor time {statistics.median(r[0] for r in runs):.2f}, of time {statistics.median(r[1] for r in runs):.2f}")


if __name__ == "__main__":
    main()
