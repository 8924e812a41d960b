#!/usr/bin/python3
"""Single-threaded gdalwarp's opinion about raster_reproject: python3 warp.py <gdal-mcp> [--all] [--width 3600] [--runs 3].

Every case is warped by the program, with one thread or two, and three times by the gdalwarp program: as it is; with
an alpha band, which says what the source reaches; and by the command that the result calls equivalent. Cells that the
source reaches must be the plain program's, the others must be marked.
"""
import argparse
import os
import shlex
import subprocess
import tempfile

import numpy
from osgeo import gdal, osr

from session import Session, expect

gdal.UseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")

WORLD = (-180, -90, 180, 90)
# name: (box in degrees, data type, target CRS, resampling, more arguments, the same for gdalwarp, marks that are right)
CASES = {
    "equal_earth": (WORLD, "Float32", "EPSG:8857", "nearest", {}, [], "nodata"),
    "equal_earth_bilinear": (WORLD, "Int16", "EPSG:8857", "bilinear", {}, [], "nodata"),
    "sinusoidal": (WORLD, "UInt16", "ESRI:54008", "nearest", {}, [], "nodata"),
    "eckert_4": (WORLD, "Byte", "+proj=eck4 +datum=WGS84 +type=crs", "nearest", {}, [], "mask"),
    "winkel_tripel": (WORLD, "Float32", "+proj=wintri +datum=WGS84 +type=crs", "bilinear", {}, [], "nodata"),
    "natural_earth": (WORLD, "Int16", "+proj=natearth +datum=WGS84 +type=crs", "cubic", {}, [], "nodata"),
    "mollweide": (WORLD, "Float32", "ESRI:54009", "cubic", {}, [], "nodata"),
    "robinson_average": (WORLD, "UInt16", "ESRI:54030", "average", {"resolution": 90000}, ["-tr", "90000", "90000"], "nodata"),
    "homolosine": (WORLD, "Float32", "+proj=igh +datum=WGS84 +type=crs", "nearest", {}, [], "nodata"),
    "arctic": ((-180, 40, 180, 90), "Float32", "EPSG:6931", "bilinear", {}, [], "nodata"),
    "antarctica": ((-180, -90, 180, -55), "Int16", "EPSG:3031", "nearest", {}, [], "nodata"),
    "europe_laea": ((-25, 34, 45, 72), "Byte", "EPSG:3035", "bilinear", {}, [], "mask"),
    "europe_conic": ((-25, 34, 45, 72), "Float32", "EPSG:3034", "lanczos", {}, [], "nodata"),
    "africa_albers": ((-20, -36, 52, 38), "UInt16", "ESRI:102022", "mode", {}, [], "nodata"),
    "north_america_conic": ((-180, 0, 180, 90), "Float32", "+proj=lcc +lat_1=30 +lat_2=60 +datum=WGS84 +type=crs", "nearest", {}, [],
                            "nodata"),
    "south_america": ((-82, -56, -34, 13), "Int16", "ESRI:102033", "bilinear", {}, [], "nodata"),
    "australia": ((112, -44, 154, -10), "Float32", "EPSG:3577", "cubic_spline", {}, [], "nodata"),
    "utm": ((12, 40, 18, 50), "UInt16", "EPSG:32633", "bilinear", {}, [], "nodata"),
    "web_mercator": ((60, 5, 100, 40), "Byte", "EPSG:3857", "cubic", {}, [], "none"),
    "within_asia": ((60, 5, 100, 40), "UInt16", "EPSG:3857", "cubic", {"bounds": [8e6, 1e6, 1e7, 3e6], "resolution": 9000},
                    ["-te", "8000000", "1000000", "10000000", "3000000", "-tr", "9000", "9000"], "none"),
    "pacific": ((120, -50, 290, 60), "Float32", "EPSG:3832", "bilinear", {}, None, "none"),
}
QUICK = ["equal_earth", "sinusoidal", "north_america_conic", "europe_laea", "within_asia"]


def make(path, box, dtype, width, overviews=False):
    height = round(width * (box[3] - box[1]) / (box[2] - box[0]))
    kind = getattr(gdal, "GDT_" + dtype)
    made = gdal.GetDriverByName("GTiff").Create(path, width, height, 1, kind, ["TILED=YES"])
    made.SetGeoTransform((box[0], (box[2] - box[0]) / width, 0, box[3], 0, -(box[3] - box[1]) / height))
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(4326)
    made.SetSpatialRef(crs)
    y, x = numpy.mgrid[0:height, 0:width]
    # Neighbours differ everywhere, so that one cell of difference in place shows; bytes hold each of their values.
    z = 1 + (x * 7 + y * 13) % 250 if dtype != "Byte" else (x * 7 + y * 13) % 256
    made.GetRasterBand(1).WriteArray(z)
    if overviews:
        made.BuildOverviews("AVERAGE", [2, 4])


def gdalwarp(source, target, *options):
    environment = {**os.environ, "GDAL_NUM_THREADS": "1"}
    # GDAL 3.10 cuts the work by the output's tiles, and approximates each piece on its own.
    subprocess.run(["gdalwarp", "-q", "-overwrite", "-co", "TILED=YES", *options, source, target], check=True, env=environment,
                   stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    return gdal.Open(target)


def cells(dataset, band=1):
    return dataset.GetRasterBand(band).ReadAsArray()


def compare(name, folder, answer, source, options):
    """Differences of the result from what the program makes, and the share of its cells that no data reaches. options: None: those that the
    answer states, where gdalwarp by itself has another grid because the source crosses 180 degrees."""
    words = shlex.split(answer["equivalent_command"])[1:-2]
    options = options or words
    ours = gdal.Open(os.path.join(folder, "ours.tif"))
    plain = gdalwarp(source, os.path.join(folder, "plain.tif"), *options)
    reach = gdalwarp(source, os.path.join(folder, "reach.tif"), "-dstalpha", *options)
    expect(ours.GetGeoTransform() == plain.GetGeoTransform(), f"{name}: the grid is gdalwarp's")
    expect(ours.RasterCount == plain.RasterCount, f"{name}: the bands are the source's")
    a, b, reached = cells(ours), cells(plain), cells(reach, 2) > 0
    valid = ours.GetRasterBand(1).GetMaskBand().ReadAsArray() > 0
    wrong = int((valid != reached).sum()) + int((a[reached] != b[reached]).sum())
    again = gdalwarp(source, os.path.join(folder, "again.tif"), *words)
    same = numpy.array_equal(a, cells(again), equal_nan=a.dtype.kind == "f")
    expect(same or answer["outside"] == "mask", f"{name}: {answer['equivalent_command']} gives the same cells")
    return wrong, 1 - reached.mean()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true", help="all cases, with one thread too; else the quickest that matter")
    parser.add_argument("--width", type=int, default=720, help="columns of the sources; threads take 65536 cells each")
    parser.add_argument("--runs", type=int, default=1, help="with two threads")
    asked = parser.parse_args()
    for name, (box, dtype, crs, method, arguments, options, mark) in CASES.items():
        if not asked.all and name not in QUICK:
            continue
        with tempfile.TemporaryDirectory(prefix="gdal-mcp-warp-") as folder:
            # The second time with overviews, which are not to be used.
            for overviews in (False, True) if name in ("sinusoidal", "utm") else (False,):
                source = os.path.join(folder, "source.tif")
                make(source, box, dtype, asked.width, overviews)
                method_of_gdal = {"nearest": "near", "cubic_spline": "cubicspline"}.get(method, method)
                for threads in ("1", "2") if asked.all else ("2",):
                    os.environ["GDAL_MCP_THREADS"] = threads
                    session = Session(asked.program, folder)
                    for _ in range(asked.runs if threads == "2" else 1):
                        answer = session.call("raster_reproject", uri="source.tif", output="ours.tif", overwrite=True,
                                              dst_crs=crs, resampling=method, **arguments)
                        wrong, out = compare(name, folder, answer, source,
                                             options if options is None else ["-t_srs", crs, "-r", method_of_gdal, "-ovr", "NONE", *options])
                        claim = f"{name}, {threads} threads, overviews {overviews}"
                        print(f"{claim}: {wrong} cells differ, {out:.1%} outside: {answer['outside']}", flush=True)
                        expect(wrong == 0, f"{claim}: {wrong} cells differ from gdalwarp's")
                        expect(answer["outside"] == mark, f"{claim}: outside is {answer['outside']}, not {mark}")


if __name__ == "__main__":
    main()
