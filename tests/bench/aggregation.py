#!/usr/bin/python3
"""tests/bench/aggregation.py [--only NAME ...] [--saga SAGA_CMD] [--rasterio PYTHON] [--rounds N] [--folder DIR] [--build DIR]: whole calls of the
aggregation tools, interleaved with what they are measured against; medians of time, of processor time, and the peak memory.

median     median and variety of 1000 and 10 000 zones on 10 000 × 10 000 cells, against the five plain statistics
saga       the five statistics, against SAGA's Grid Statistics for Polygons, weighted by area
bands      25 bands of 4000 × 4000 cells and 10 000 zones, against one of them
composite  the median of 24 scenes of 5000 × 5000 cells and 4 bands, against rasterio and numpy by windows
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

import numpy
from osgeo import gdal

import zonal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FIVE = ["count", "sum", "mean", "min", "max"]
PEER = """
import sys, numpy, rasterio
from rasterio.windows import Window
files = [rasterio.open(f) for f in sys.argv[2:]]
with rasterio.open(sys.argv[1], "w", **{**files[0].profile, "dtype": "float32"}) as out:
    for _, w in files[0].block_windows(1):
        whole = Window(0, w.row_off, files[0].width, w.height)
        if w.col_off == 0:
            for band in range(1, files[0].count + 1):
                cube = numpy.stack([f.read(band, window=whole, masked=True).filled(0).astype("float32") for f in files])
                cube[cube == 0] = numpy.nan
                out.write(numpy.nan_to_num(numpy.nanmedian(cube, axis=0)).astype("float32"), band, window=whole)
"""


def make_scenes(folder):
    """Whole numbers with 30 % of nodata (0), in blocks of 256 × 256."""
    random, side = numpy.random.default_rng(3), 5000
    for n in range(24):
        path = f"{folder}/scene_2024{n // 2 + 1:02}{n % 2 * 14 + 1:02}.tif"
        if not os.path.exists(path):
            file = gdal.GetDriverByName("GTiff").Create(path, side, side, 4, gdal.GDT_UInt16, ["TILED=YES"])
            file.SetProjection(zonal.utm().ExportToWkt())
            file.SetGeoTransform((zonal.WEST, 10, 0, zonal.NORTH, 0, -10))
            for band in range(4):
                file.GetRasterBand(band + 1).SetNoDataValue(0)
                values = random.integers(1, 10000, (side, side), "uint16")
                values[random.random((side, side), "float32") < 0.3] = 0
                file.GetRasterBand(band + 1).WriteArray(values)
        yield path


def make_bands(path):
    random, side = numpy.random.default_rng(4), 4000
    file = gdal.GetDriverByName("GTiff").Create(path, side, side, 25, gdal.GDT_Float32, ["TILED=YES", "INTERLEAVE=BAND"])
    file.SetProjection(zonal.utm().ExportToWkt())
    file.SetGeoTransform((zonal.WEST, zonal.SIDE * zonal.CELL / side, 0, zonal.NORTH, 0, -zonal.SIDE * zonal.CELL / side))
    for band in range(25):
        file.GetRasterBand(band + 1).WriteArray(random.random((side, side), "float32"))


def comparisons(folder, call):
    """Name, and the commands to compare: the first against the last."""
    zones = lambda raster, count, stats, **more: call("aggregate_zonal", {"raster": raster, "zones": f"zones{count}.gpkg", "stats": stats, **more})
    for count in (1000, 10000):
        yield "median", f"median and variety of {count} zones", {"ours": zones("values.tif", count, ["median", "variety"]), "five": zones("values.tif", count, FIVE)}
        if options.saga:
            yield "saga", f"five statistics of {count} zones", {"ours": zones("values.tif", count, FIVE), "SAGA": [
                options.saga, "-f=q", "shapes_grid", "2", "-GRIDS", f"{folder}/values.sgrd", "-POLYGONS", f"{folder}/zones{count}.shp", "-RESULT",
                f"{folder}/saga.shp", "-METHOD", "3", "-PARALLELIZED", "1", "-RANGE", "0", "-VAR", "0", "-STDDEV", "0"]}
    yield "bands", "25 bands", {"all": zones("bands.tif", 10000, FIVE), "one": zones("bands.tif", 10000, FIVE, bands=[1])}
    if options.rasterio:
        scenes = [os.path.basename(s) for s in make_scenes(folder)]
        yield "composite", "median of 24 scenes", {"ours": call("aggregate_temporal", {"uris": scenes, "statistic": "median", "output": "median.tif"}),
            "rasterio": [options.rasterio, "-c", PEER, f"{folder}/peer.tif", *(f"{folder}/{s}" for s in scenes)]}


def main(folder):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as policy:
        policy.write("domains: {aggregation: {off: true}}\n")
        policy.flush()
        call = lambda tool, arguments: [os.path.join(options.build, "bin", "gdal-mcp"), "call", tool, "--workspace", folder, "--policy", policy.name,
                                        "--json", json.dumps({"output": "table.csv", **arguments, "overwrite": True})]
        if not os.path.exists(f"{folder}/values.tif"):
            zonal.make_raster(f"{folder}/values.tif")
            make_bands(f"{folder}/bands.tif")
            for count in (1000, 10000):
                zonal.make_zones(f"{folder}/zones{count}.gpkg", count)
        if options.saga and not os.path.exists(f"{folder}/values.sdat"):
            gdal.Translate(f"{folder}/values.sdat", f"{folder}/values.tif", format="SAGA")
            for count in (1000, 10000):
                subprocess.run(["ogr2ogr", f"{folder}/zones{count}.shp", f"{folder}/zones{count}.gpkg"], check=True)
        for name, title, commands in comparisons(folder, call):
            if options.only and name not in options.only:
                continue
            taken = {who: [] for who in commands}
            for _ in range(options.rounds):
                for who, command in commands.items():
                    taken[who].append(zonal.measured(command))
            for who, times in taken.items():
                print(f"{title:36}{who:10}" + "{1:8.2f} s{0:8.2f} s of processor".format(*(statistics.median(t[k] for t in times) for k in range(2))))
            first, *_, last = commands
            print(f"{title:36}ratio {statistics.median(a[1] / b[1] for a, b in zip(taken[first], taken[last])):8.2f}"
                  f"{statistics.median(a[0] / b[0] for a, b in zip(taken[first], taken[last])):10.2f}", flush=True)


parser = argparse.ArgumentParser()
parser.add_argument("--only", nargs="+", choices=("median", "saga", "bands", "composite"))
parser.add_argument("--saga")
parser.add_argument("--rasterio", help="a Python that has rasterio and numpy")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--folder", help="to keep the data in")
parser.add_argument("--build", default=ROOT / "build" / "release", type=pathlib.Path)
options = parser.parse_args()
if options.folder:
    main(options.folder)
else:
    with tempfile.TemporaryDirectory() as temporary:
        main(temporary)
