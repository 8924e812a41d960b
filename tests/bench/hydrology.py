#!/usr/bin/python3
"""tests/bench/hydrology.py [--dem FILE] [--side N] [--only NAME ...] [--saga SAGA_CMD] [--rounds N] [--folder DIR] [--build DIR]: whole calls of the hydrology
tools on a DEM of N × N float32 cells, against SAGA where it does the same; interleaved, medians of time and of processor time (user and system),
which a busy machine changes less, with the ratio of the latter and the peak memory.

Calls are those of running sessions, one with the memory of the machine and one with so little that filling and accumulation work in tiles. The
DEM is new to the host each time, which hashes it; what the calls of the session wrote it knows. Each step reads what the one before wrote. SAGA reads its own grids, made from the same files before it is timed. Its fill slopes (MINSLOPE 0.001); it runs on one core, because its
threads wait busily.
"""
import argparse
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from osgeo import gdal, osr

from blocking_client import Server, answer_bounce, processor_seconds

gdal.UseExceptions()
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def fractal(path, side):
    """Diamond-square (H = 1) with a tilt, 3 cm of noise and a margin of nodata; cells of 10 m."""
    chance, power = numpy.random.default_rng(12345), 1
    while power < side:
        power *= 2
    z, step, amplitude = numpy.zeros((power + 1, power + 1), "float32"), power, 0.28 * power
    while step > 1:
        half = step // 2
        corners = z[::step, ::step]
        rough = lambda shape: chance.normal(0, amplitude, shape).astype("float32")
        z[half::step, half::step] = (corners[:-1, :-1] + corners[1:, :-1] + corners[:-1, 1:] + corners[1:, 1:]) / 4 + rough((power // step,) * 2)
        z[::step, half::step] = (corners[:, :-1] + corners[:, 1:]) / 2 + rough((power // step + 1, power // step))
        z[half::step, ::step] = (corners[:-1] + corners[1:]) / 2 + rough((power // step, power // step + 1))
        step, amplitude = half, amplitude / 2
    y, x = numpy.mgrid[0:side, 0:side].astype("float32")
    z = z[:side, :side] - z.min() + 0.1 * x + 0.2 * y + chance.normal(0, 0.03, (side, side)).astype("float32")
    margin = side // 60
    for edge in (z[:margin], z[-margin:], z[:, :margin], z[:, -margin:]):
        edge[...] = -9999
    file = gdal.GetDriverByName("GTiff").Create(path, side, side, 1, gdal.GDT_Float32)
    file.SetGeoTransform((500000 - 5 * side, 10, 0, 5000000 + 5 * side, 0, -10))
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32610)
    file.SetSpatialRef(srs)
    file.GetRasterBand(1).SetNoDataValue(-9999)
    file.GetRasterBand(1).WriteArray(z)


def cells_of(path):
    file = gdal.Open(path)
    return file.RasterXSize * file.RasterYSize


def largest_inland(path):
    """x and y of the cell with the largest accumulation that misses no inflow."""
    file = gdal.Open(path)
    flow = file.GetRasterBand(1).ReadAsArray()
    flow[file.GetRasterBand(2).ReadAsArray() != 0] = 0
    row, column = divmod(int(flow.argmax()), flow.shape[1])
    x, dx, _, y, _, dy = file.GetGeoTransform()
    return [x + (column + 0.5) * dx, y + (row + 0.5) * dy]


def session(folder, *more):
    program = os.path.join(options.build, "bin", "gdal-mcp")
    return Server(program, "serve", "--workspace", folder, "--toolsets", "all", *more).initialize()


def called(server, folder, tool, arguments):
    """Seconds, processor seconds and MiB, of the process of the tool."""
    os.utime(os.path.join(folder, "dem.tif"))
    before, begin = processor_seconds(server.process.pid), time.perf_counter()
    server.call(tool, arguments)
    took = time.perf_counter() - begin
    with open(os.path.join(folder, arguments["output"] + ".provenance.json"), encoding="utf-8") as provenance:
        peak = int(re.search(r'"max_rss_kib": ?(\d+)', provenance.read())[1])
    return took, processor_seconds(server.process.pid) - before, peak / 1024


def measured(command):
    """The same of a command, by time(1)."""
    begin = time.monotonic()
    done = subprocess.run(["/usr/bin/time", "-f", "cpu %U %S %M", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    took = time.monotonic() - begin
    found = re.search(r"cpu (\S+) (\S+) (\S+)", done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(" ".join(command)[:300] + "\n" + done.stdout[-1000:] + done.stderr[-1000:])
    user, system, peak = map(float, found.groups())
    return took, user + system, peak / 1024


def steps(folder):
    outlets = lambda: {"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32610"}}, "features": [
        {"type": "Feature", "properties": {}, "geometry": {"type": "Point", "coordinates": largest_inland(os.path.join(folder, "d8_flow.tif"))}}]}
    grid = lambda name: os.path.join(folder, name + ".sgrd")
    yield "fill", "hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "filled.tif"}, ("dem",), [
        "ta_preprocessor", "5", "-ELEV", grid("dem"), "-FILLED", grid("out"), "-MINSLOPE", "0.001"]
    yield "d8", "hydro_flow_direction", {"uri": "filled.tif", "method": "d8", "output": "d8.tif"}, (), None
    yield "d8 flow", "hydro_flow_accumulation", {"uri": "d8.tif", "output": "d8_flow.tif"}, ("filled",), [
        "ta_hydrology", "0", "-ELEVATION", grid("filled"), "-FLOW", grid("out"), "-METHOD", "0"]
    yield "dinf", "hydro_flow_direction", {"uri": "filled.tif", "method": "dinf", "output": "dinf.tif"}, (), None
    yield "dinf flow", "hydro_flow_accumulation", {"uri": "dinf.tif", "output": "dinf_flow.tif"}, ("filled",), [
        "ta_hydrology", "0", "-ELEVATION", grid("filled"), "-FLOW", grid("out"), "-METHOD", "3"]
    yield "basins", "hydro_watershed", {"directions": "d8.tif", "output": "basins.tif"}, (), None
    yield "delineate", "hydro_delineate", {"uri": "dem.tif", "method": "fill", "threshold_km2": 1, "outlets": outlets(), "output": "basins.gpkg"}, (), None


def run(folder):
    print(f"{'':12}{'time':>9}{'processor':>12}{'memory':>10}   of SAGA's time (processor time), of our fill's")
    fill = None
    # Where the process leaves 10 bytes for each cell, fewer than filling and accumulation take.
    whole, little = session(folder), session(folder, "--memory", str(512 + (10 * cells_of(os.path.join(folder, "dem.tif")) >> 20)))
    for name, tool, arguments, grids, saga in steps(folder):
        arguments["overwrite"] = True
        wanted = not options.only or name in options.only
        if not wanted and os.path.exists(os.path.join(folder, arguments["output"])):
            continue
        answer_bounce(whole, tool, arguments)
        if not wanted:
            called(whole, folder, tool, arguments)
            continue
        commands = {"gdal-mcp": lambda: called(whole, folder, tool, arguments)}
        if name in ("fill", "d8 flow"):
            commands["in tiles"] = lambda: called(little, folder, tool, arguments)
        if saga and options.saga:
            for g in grids:
                gdal.Translate(os.path.join(folder, g + ".sdat"), os.path.join(folder, g + ".tif"), format="SAGA")
            commands["SAGA"] = lambda: measured([options.saga, "-f=q", "-c=1", *saga])
        times = {who: [] for who in commands}
        for _ in range(options.rounds):
            for who, command in commands.items():
                times[who].append(command())
        median = {who: [statistics.median(t[k] for t in all_of) for k in range(3)] for who, all_of in times.items()}
        fill = fill or (median["gdal-mcp"][0] if name == "fill" else None)
        for who, (took, processor, peak) in median.items():
            ours = who != "SAGA"
            ratio = f"{took / median['SAGA'][0]:.3f} ({processor / median['SAGA'][1]:.3f})" if ours and "SAGA" in median else ""
            own = f"{took / fill:.2f}" if ours and fill else ""
            print(f"{name if who == 'gdal-mcp' else who:12}{took:7.1f} s{processor:10.1f} s{peak:6.0f} MiB   {ratio:>16}{own:>8}", flush=True)
    for server in (whole, little):
        server.exit()


parser = argparse.ArgumentParser()
parser.add_argument("--dem", help="GeoTIFF in a projected CRS, in place of a generated one")
parser.add_argument("--side", type=int, default=10_000)
parser.add_argument("--only", nargs="+", help="fill, d8, d8 flow, dinf, dinf flow, basins, delineate; of the others what they write is kept, or made")
parser.add_argument("--saga", help="saga_cmd")
parser.add_argument("--rounds", type=int, default=3)
parser.add_argument("--folder", help="keeps the rasters")
parser.add_argument("--build", default=str(ROOT / "build" / "release"))
options = parser.parse_args()
with tempfile.TemporaryDirectory() as temporary:
    place = options.folder or temporary
    if options.dem:
        gdal.Translate(os.path.join(place, "dem.tif"), options.dem)
    elif not os.path.exists(os.path.join(place, "dem.tif")):
        fractal(os.path.join(place, "dem.tif"), options.side)
    run(place)
