#!/usr/bin/python3
"""tests/bench/rasters.py [--only NAME …] [--markdown] [--size N] [--rounds N] [--folder DIR] [--build DIR]: whole calls of raster tools
against GDAL's programs, interleaved, as ratios of medians; `--only memory`: peak memory of calls on a large raster.

A call is one of a running session. Inputs of calls that write a whole raster are new to the host each time, so that it hashes
them; the raster that is looked at is one the session knows, and new in a row of its own. Beside the time stands processor
time (user and system, of all processes of the host), which a busy machine changes less.
"""
import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from osgeo import gdal, osr

from blocking_client import ROOT, Server, answer_bounce, machine, processor_seconds

gdal.UseExceptions()

CELL, WEST, NORTH = 1.0, 289000.0, 9121000.0
UTM = 31985  # SIRGAS 2000 / UTM zone 25S, metres
ONE_TYPE = {"Float32": gdal.GDT_Float32, "UInt16": gdal.GDT_UInt16, "Byte": gdal.GDT_Byte}


def surface(side, low, high, seed):
    """Waves and noise that no compression makes small, repeated where the raster is larger than the tile."""
    y, x = numpy.mgrid[0:side, 0:side]
    z = numpy.sin(2 * numpy.pi * x / 250) + numpy.cos(2 * numpy.pi * y / 125)
    z += 0.05 * numpy.random.default_rng(seed).standard_normal(z.shape)
    return low + (z - z.min()) / (z.max() - z.min()) * (high - low)


def make(path, size, dtype, low, high, seed=1, options=("TILED=YES",)):
    if os.path.exists(path):
        return path
    side = 1000
    tile = surface(side, low, high, seed).astype({"Float32": "float32", "UInt16": "uint16", "Byte": "uint8"}[dtype])
    reference = osr.SpatialReference()
    reference.ImportFromEPSG(UTM)
    options = list(options) + ["BIGTIFF=IF_SAFER"]
    file = gdal.GetDriverByName("GTiff").Create(path + ".part", size, size, 1, ONE_TYPE[dtype], options)
    file.SetGeoTransform((WEST, CELL, 0, NORTH, 0, -CELL))
    file.SetSpatialRef(reference)
    row = numpy.tile(tile, (1, -(-size // side)))[:, :size]
    for at in range(0, size, side):
        file.GetRasterBand(1).WriteArray(row[:min(side, size - at)], 0, at)
    file = None
    os.rename(path + ".part", path)
    return path


def make_cog(path, size, source):
    if not os.path.exists(path):
        gdal.Translate(path + ".part", source, format="COG", creationOptions=["COMPRESS=DEFLATE", "NUM_THREADS=ALL_CPUS", "BIGTIFF=YES"])
        os.rename(path + ".part", path)
    return path


class Bench:
    def __init__(self, folder, build, size, rounds):
        self.folder, self.size, self.rounds = folder, size, rounds
        self.program = build / "bin/gdal-mcp"
        self.server = Server(self.program, "serve", "--workspace", folder, "--state-dir", os.path.join(folder, "state")).initialize()
        self.tools = set()
        page = {}
        while page is not None:
            answer = self.server.request("tools/list", page)
            self.tools |= {t["name"] for t in answer["tools"]}
            page = {"cursor": answer["nextCursor"]} if "nextCursor" in answer else None

    def path(self, name):
        return os.path.join(self.folder, name)

    def tool(self, name, inputs, arguments):
        clears = [arguments["output"]] if "output" in arguments else []

        def step():
            for path in inputs:
                os.utime(path)  # as new to the host
            for path in clears:  # as of the peer: to free the pages of a file takes its time
                if os.path.exists(path):
                    os.remove(path)
            before, begin = processor_seconds(self.server.process.pid), time.perf_counter()
            self.server.call(name, arguments)
            taken = time.perf_counter() - begin
            return taken, processor_seconds(self.server.process.pid) - before
        return step

    def peer(self, *command, clears=()):
        def step():
            for path in clears:
                if os.path.exists(path):
                    os.remove(path)
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            taken, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
            return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return step

    def compare(self, what, against, goal, ours, theirs):
        taken = {ours: [], theirs: []}
        for r in range(self.rounds):
            for step in ((ours, theirs), (theirs, ours))[r % 2]:
                taken[step].append(step())
        middle = {step: [statistics.median(column) for column in zip(*taken[step])] for step in taken}
        (a, a_cpu), (b, b_cpu) = middle[ours], middle[theirs]
        return what, a, against, b, a / b, a_cpu, b_cpu, a_cpu / b_cpu, goal

    def raster(self, dtype, seed=1):
        low, high = {"Float32": (1, 900), "UInt16": (100, 60000), "Byte": (1, 250)}[dtype]
        return make(self.path(f"{dtype}{seed}.tif"), self.size, dtype, low, high, seed)

    def cog(self, size=40000):
        plain = make(self.path(f"huge{size}.tif"), size, "Byte", 1, 250)
        return make_cog(self.path(f"huge{size}.cog.tif"), size, plain)


def reproject(b):
    source, target, theirs = b.raster("Float32"), b.path("ours.tif"), b.path("theirs.tif")
    arguments = {"uri": source, "dst_crs": "EPSG:3857", "resampling": "bilinear", "output": target, "overwrite": True}
    answer_bounce(b.server, "raster_reproject", arguments)
    yield b.compare("`raster_reproject`", "`gdalwarp -multi`", 1.0, b.tool("raster_reproject", [source], arguments),
                    b.peer("gdalwarp", "-q", "-multi", "-wo", "NUM_THREADS=ALL_CPUS", "-t_srs", "EPSG:3857", "-r", "bilinear", "-co", "TILED=YES",
                           "-co", "BIGTIFF=IF_SAFER", source, theirs, clears=[theirs]))


def cog(b):
    source, target, theirs = b.raster("Float32"), b.path("ours.cog.tif"), b.path("theirs.cog.tif")
    arguments = {"uri": source, "output": target, "driver": "COG", "overwrite": True}
    used = b.server.call("raster_convert", arguments)["structuredContent"]["creation_options"]
    same = [word for option in used for word in ("-co", option)]
    for name, options in (("", ["-co", "NUM_THREADS=ALL_CPUS"]), (" with the same options", same)):
        yield b.compare("`raster_convert` to a COG", "`gdal_translate -of COG`" + name, 1.0, b.tool("raster_convert", [source], arguments),
                        b.peer("gdal_translate", "-q", "-of", "COG", *options, source, theirs, clears=[theirs]))


def stats(b):
    for dtype in ("Float32", "UInt16", "Byte"):
        source = b.raster(dtype)
        theirs = b.peer("gdalinfo", "-stats", source, clears=[source + ".aux.xml"])
        for name, more, goal in (("without percentiles", {"percentiles": []}, 0.6), ("with the default percentiles", {}, 1.2)):
            yield b.compare(f"`raster_stats` {dtype}, {name}", "`gdalinfo -stats`", goal,
                            b.tool("raster_stats", [source], {"uri": source, **more}), theirs)
        if os.path.exists(source + ".aux.xml"):
            os.remove(source + ".aux.xml")


def slope(b):
    source, target, theirs = b.raster("Float32"), b.path("ours.tif"), b.path("theirs.tif")
    arguments = {"uri": source, "measure": "slope", "output": target, "overwrite": True}
    yield b.compare("`raster_terrain` slope", "`gdaldem slope`", 0.4, b.tool("raster_terrain", [source], arguments),
                    b.peer("gdaldem", "slope", "-q", "-co", "TILED=YES", source, theirs, clears=[theirs]))


def ndvi(b):
    red, infrared, target, theirs = b.raster("Float32"), b.raster("Float32", 2), b.path("ours.tif"), b.path("theirs.tif")
    arguments = {"expression": "(B-A)/(B+A)", "inputs": {"A": {"uri": red}, "B": {"uri": infrared}}, "output": target, "overwrite": True}
    yield b.compare("`raster_calc` NDVI", "`gdal_calc.py`", 0.35, b.tool("raster_calc", [red, infrared], arguments),
                    b.peer("gdal_calc.py", "--quiet", "-A", red, "-B", infrared, "--calc=(B-A)/(B+A)", "--type=Float32", "--co=TILED=YES",
                           f"--outfile={theirs}", clears=[theirs]))


def classify(b):
    source, target, theirs = b.raster("Float32"), b.path("ours.tif"), b.path("theirs.tif")
    breaks = [200, 400, 600]
    arguments = {"uri": source, "breaks": breaks, "output": target, "overwrite": True}
    yield b.compare("`raster_classify` 3 breaks", "`gdal_calc.py`", 0.5, b.tool("raster_classify", [source], arguments),
                    b.peer("gdal_calc.py", "--quiet", "-A", source, "--calc=1+" + "+".join(f"(A>={v})" for v in breaks), "--type=Byte",
                           "--co=TILED=YES", f"--outfile={theirs}", clears=[theirs]))


def preview(b):
    source, theirs = b.cog(), b.path("theirs.png")
    for known, inputs in (("", []), ("; new to the host", [source])):
        yield b.compare("`raster_preview` of 40 000² with overviews" + known, "`gdal_translate -of PNG -outsize 1024 0`", 0.7,
                        b.tool("raster_preview", inputs, {"uri": source, "size": 1024}),
                        b.peer("gdal_translate", "-q", "-of", "PNG", "-outsize", "1024", "0", source, theirs, clears=[theirs]))


def query(b):
    source, target, theirs = b.cog(), b.path("ours.tif"), b.path("theirs.tif")
    west, north = WEST + 17000 * CELL, NORTH - 21000 * CELL
    arguments = {"uri": source, "geometry": [west, north - 1000 * CELL, west + 1000 * CELL, north], "output": target, "overwrite": True}
    answer_bounce(b.server, "raster_query", arguments)
    theirs = b.peer("gdal_translate", "-q", "-co", "TILED=YES", "-projwin", *map(str, (west, north, west + 1000 * CELL, north - 1000 * CELL)),
                    source, theirs, clears=[theirs])
    kept = {name: arguments[name] for name in arguments if name not in ("output", "overwrite")}
    for what, inputs, asked in (("", [], arguments), (", kept in memory", [], kept), ("; new to the host", [source], arguments)):
        yield b.compare("`raster_query` of 1000² from it" + what, "`gdal_translate -projwin`", 0.6, b.tool("raster_query", inputs, asked), theirs)


TIMED = {f.__name__: (f, needs) for f, needs in ((reproject, "raster_reproject"), (cog, "raster_convert"), (stats, "raster_stats"),
                                                (slope, "raster_terrain"), (ndvi, "raster_calc"), (classify, "raster_classify"),
                                                (preview, "raster_preview"), (query, "raster_query"))}


def memory(b, size):
    """Peak memory of the largest process of a call, MiB, on a Byte raster of size²."""
    plain, whole = make(b.path(f"huge{size}.tif"), size, "Byte", 1, 250), [WEST, NORTH - size * CELL, WEST + size * CELL, NORTH]
    target = b.path("ours.tif")
    written = {"output": target, "overwrite": True}
    calls = [("raster_stats", {"uri": plain}, ""),
             ("raster_preview", {"uri": plain}, "without overviews"),
             ("raster_preview", {"uri": b.cog(size)}, "with overviews"),
             ("raster_query", {"uri": plain, "geometry": whole, **written}, "the whole raster"),
             ("raster_convert", {"uri": plain, "driver": "COG", **written}, "to a COG"),
             ("raster_convert", {"uri": plain, "dtype": "Int16", **written}, "to Int16"),
             ("raster_terrain", {"uri": plain, "measure": "slope", **written}, "slope"),
             ("raster_calc", {"expression": "A + 1", "inputs": {"A": {"uri": plain}}, **written}, "A + 1"),
             ("raster_classify", {"uri": plain, "breaks": [100, 200], **written}, "2 breaks"),
             ("raster_reproject", {"uri": plain, "dst_crs": "EPSG:3857", "resampling": "bilinear", **written}, "bilinear")]
    for tool, arguments, what in calls:
        if tool not in b.tools:
            continue
        if tool == "raster_reproject":
            answer_bounce(b.server, tool, arguments)
        begin = time.perf_counter()
        process = subprocess.Popen([b.program, "call", tool, "--json", json.dumps(arguments), "--workspace", b.folder, "--state-dir",
                                    b.path("state")], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        said = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        if status != 0:
            raise RuntimeError(f"{tool} {what}: {said.decode()[-2000:]}")
        if os.path.exists(target):
            os.remove(target)
        yield f"`{tool}` {what}".strip(), used.ru_maxrss / 1024, time.perf_counter() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=[*TIMED, "memory"], default=[*TIMED, "memory"])
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--size", type=int, default=10000, help="side of the rasters of the ratios")
    parser.add_argument("--huge", type=int, default=40000, help="side of the raster for memory")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--folder", help="keeps the rasters there for another run")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    asked = parser.parse_args()
    folder = asked.folder or tempfile.mkdtemp(prefix="gdal-mcp-bench-")
    os.makedirs(folder, exist_ok=True)
    b = Bench(folder, asked.build, asked.size, asked.rounds)
    missed = 0
    try:
        print(machine())
        for name in asked.only:
            if name == "memory":
                for what, peak, seconds in memory(b, asked.huge):
                    missed += peak > 600
                    print(f"| {what} | {peak:.0f} MiB | {seconds:.1f} s | ≤ 600 MiB |" if asked.markdown else
                          f"{what:<52} {peak:8.0f} MiB {seconds:8.1f} s", flush=True)
                continue
            measure, needs = TIMED[name]
            if needs not in b.tools:
                print(f"{name}: there is no {needs}")
                continue
            for what, a, against, c, ratio, a_cpu, c_cpu, cpu, goal in measure(b):
                missed += ratio > goal
                print(f"| {what} | {a * 1000:.0f} ms | {against} | {c * 1000:.0f} ms | {ratio:.2f} | {cpu:.2f} | ≤ {goal} |" if asked.markdown else
                      f"{what:<52} {a:7.2f} s ({a_cpu:6.2f})  {against:<40} {c:7.2f} s ({c_cpu:6.2f})  {ratio:5.2f} ({cpu:4.2f})  ≤ {goal}",
                      flush=True)
    finally:
        b.server.exit()
        if not asked.folder:
            shutil.rmtree(folder)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
