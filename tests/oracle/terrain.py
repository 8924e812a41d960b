#!/usr/bin/python3
"""The gdaldem program's opinion about raster_terrain, bit by bit, and closed forms where gdaldem has none:
python3 terrain.py <gdal-mcp>.

gdaldem knows neither degrees nor units, so planes of known slope stand in for it on geographic grids, in feet, and in
projections that stretch lengths.
"""
import os
import subprocess
import sys
import tempfile

import numpy
from osgeo import gdal, osr

from session import Problem, Session, expect

gdal.UseExceptions()
gdal.PushErrorHandler("CPLQuietErrorHandler")

UTM = (500000, 30, 0, 4000000, 0, -30)
# name: (measure, arguments, the same for gdaldem)
MEASURES = {
    "slope": ("slope", {}, ["slope"]),
    "slope percent": ("slope", {"slope_unit": "percent"}, ["slope", "-p"]),
    "slope zevenbergen_thorne": ("slope", {"algorithm": "zevenbergen_thorne"}, ["slope", "-alg", "ZevenbergenThorne"]),
    "aspect": ("aspect", {}, ["aspect"]),
    "aspect zevenbergen_thorne": ("aspect", {"algorithm": "zevenbergen_thorne"}, ["aspect", "-alg", "ZevenbergenThorne"]),
    "hillshade": ("hillshade", {}, ["hillshade"]),
    "hillshade from the south": ("hillshade", {"azimuth": 200, "altitude": 30, "algorithm": "zevenbergen_thorne"},
                                 ["hillshade", "-az", "200", "-alt", "30", "-alg", "ZevenbergenThorne"]),
    "tri": ("tri", {}, ["TRI"]),
    "tri wilson": ("tri", {"algorithm": "wilson"}, ["TRI", "-alg", "Wilson"]),
    "tpi": ("tpi", {}, ["TPI"]),
    "roughness": ("roughness", {}, ["roughness"]),
}


def hills(width, height, low, high, seed=0):
    y, x = numpy.mgrid[0:height, 0:width]
    z = numpy.sin(x / 9.0 + seed) * numpy.cos(y / 7.0) + 0.2 * numpy.random.default_rng(seed).random((height, width))
    return low + (z - z.min()) / (z.max() - z.min()) * (high - low)


def with_hole(z, value):
    z = z.copy()
    z[10:14, 20:31] = value
    z[0, :5] = value
    z[-3:, -1] = value
    return z


def write(path, bands, dtype, crs="EPSG:32611", transform=UTM, nodata=None, unit="m", scale=None, mask=None):
    made = gdal.GetDriverByName("GTiff").Create(path, bands[0].shape[1], bands[0].shape[0], len(bands), dtype, ["TILED=YES"])
    made.SetGeoTransform(transform)
    if crs:
        reference = osr.SpatialReference()
        reference.SetFromUserInput(crs)
        made.SetSpatialRef(reference)
    for i, z in enumerate(bands, 1):
        band = made.GetRasterBand(i)
        band.WriteArray(z)
        band.SetUnitType(unit)
        if nodata is not None:
            band.SetNoDataValue(nodata)
        if scale is not None:
            band.SetScale(scale)
    if mask is not None:
        made.CreateMaskBand(gdal.GMF_PER_DATASET)
        made.GetRasterBand(1).GetMaskBand().WriteArray(mask)


def inputs(folder):
    """Name: (file, arguments, file for gdaldem, rows are reversed, cells are square). tests/e2e/raster_terrain.py has plainer ones."""
    def path(name):
        return os.path.join(folder, name + ".tif")
    z = hills(61, 47, 0, 900)
    float_z = z.astype("float32")
    write(path("byte_nodata"), [with_hole(hills(61, 47, 1, 255), 0).astype("uint8")], gdal.GDT_Byte, nodata=0)
    write(path("float32"), [float_z], gdal.GDT_Float32)
    write(path("float32_nodata"), [with_hole(float_z, -9999)], gdal.GDT_Float32, nodata=-9999)
    write(path("float32_nan"), [with_hole(float_z, numpy.nan)], gdal.GDT_Float32, nodata=numpy.nan)
    write(path("float64"), [with_hole(z, -1e30)], gdal.GDT_Float64, nodata=-1e30)
    write(path("oblong"), [float_z], gdal.GDT_Float32, transform=(500000, 31.53, 0, 4000000, 0, -20.25))
    write(path("south_up"), [float_z[::-1]], gdal.GDT_Float32, transform=(500000, 30, 0, 4000000 - 47 * 30, 0, 30))
    write(path("mask"), [float_z], gdal.GDT_Float32, mask=(with_hole(float_z, -9999) != -9999) * numpy.uint8(255))
    write(path("blocks"), [hills(2300, 1900, 0, 4000, seed=3).astype("float32")], gdal.GDT_Float32)
    write(path("no_crs"), [float_z], gdal.GDT_Float32, crs=None)
    plain = {name: (path(name), {}, path(name), False, True) for name in (
        "byte_nodata", "float32_nan", "float64", "blocks")}
    return {
        **plain,
        "oblong": (path("oblong"), {}, path("oblong"), False, False),
        "south_up": (path("south_up"), {}, path("float32"), True, True),
        "mask": (path("mask"), {}, path("float32_nodata"), False, True),
        "no_crs": (path("no_crs"), {"z_factor": 1}, path("no_crs"), False, True),
    }


def read(path):
    return gdal.Open(path).ReadAsArray()


def compare_with_gdaldem(session, folder):
    ours, theirs = os.path.join(folder, "ours.tif"), os.path.join(folder, "theirs.tif")
    compared = 0
    for name, (uri, arguments, source, reverse, square) in inputs(folder).items():
        for what, (measure, own, mode) in MEASURES.items():
            if name == "blocks" and what not in ("slope", "aspect", "hillshade", "tri", "tpi"):
                continue
            if measure == "aspect" and not square:
                continue  # gdaldem's aspect is that of square cells
            given = {k: v for k, v in arguments.items() if k != "z_factor" or measure in ("slope", "hillshade")}
            told = session.call("raster_terrain", uri=uri, measure=measure, output=ours, overwrite=True, **given, **own)
            subprocess.run(["gdaldem", mode[0], source, theirs, "-q", *mode[1:]], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            a, b = read(ours), read(theirs)
            if reverse:
                a = a[::-1]  # sums of three heights in another order: the last bits differ
                near = abs(a.astype("float64") - b) <= (1 if a.dtype == "uint8" else 1e-3)
                b = numpy.where(near | (measure == "aspect") & (abs(a - b) > 359.999), a, b)
            expect(a.dtype == b.dtype and a.shape == b.shape, f"{name}, {what}: {a.dtype} {a.shape}, not {b.dtype} {b.shape}")
            wrong = int((a != b).sum())
            expect(wrong == 0, f"{name}, {what}: {wrong} of {a.size} cells differ from gdaldem's")
            valid = b[b != told["nodata"]].astype("float64")
            expect(told["valid_count"] == valid.size, f"{name}, {what}: {told['valid_count']} valid, not {valid.size}")
            if valid.size:
                expect((told["min"], told["max"]) == (valid.min(), valid.max()), f"{name}, {what}: the range {told}")
            if valid.size and measure != "aspect":
                expect(abs(told["mean"] - valid.mean()) <= 1e-9 * max(1, abs(valid.mean())), f"{name}, {what}: the mean {told}")
            compared += 1
    print(f"{compared} results equal gdaldem's", flush=True)


def grids_without_inner_cells(session, folder):
    for height, width in ((1, 1), (1, 9), (9, 1), (2, 2), (5, 5)):
        uri, ours = os.path.join(folder, "small.tif"), os.path.join(folder, "ours.tif")
        z = numpy.full((height, width), -9999 if height == 5 else 7, "float32")
        write(uri, [z], gdal.GDT_Float32, nodata=-9999)
        for measure in ("slope", "aspect", "hillshade", "tri", "tpi", "roughness"):
            told = session.call("raster_terrain", uri=uri, measure=measure, output=ours, overwrite=True)
            expect(told["valid_count"] == 0 and "min" not in told and told["warnings"],
                   f"{height} x {width}: {measure} has no result, and says so: {told}")
            expect((read(ours) == told["nodata"]).all(), f"{height} x {width}: {measure} is nodata everywhere")


def plane(east, south, shape=(9, 11)):
    """Rises by `east` and `south` a cell."""
    y, x = numpy.mgrid[0:shape[0], 0:shape[1]]
    return (x * east + y * south).astype("float64")


def metres_per_degree(latitude):
    """East and north, on WGS 84: the radii of curvature in the prime vertical and in the meridian."""
    a, f = 6378137.0, 1 / 298.257223563
    e2, s = f * (2 - f), numpy.sin(numpy.radians(latitude))
    n, m = a / numpy.sqrt(1 - e2 * s * s), a * (1 - e2) / (1 - e2 * s * s) ** 1.5
    return numpy.radians(1) * n * numpy.cos(numpy.radians(latitude)), numpy.radians(1) * m


def closed_forms(session, folder):
    uri, ours = os.path.join(folder, "plane.tif"), os.path.join(folder, "ours.tif")

    def result(measure, z, dtype=gdal.GDT_Float64, about=None, **arguments):
        write(uri, [z], dtype, **(about or {}))
        told = session.call("raster_terrain", uri=uri, measure=measure, output=ours, overwrite=True, **arguments)
        return read(ours)[1:-1, 1:-1], told

    def near(found, wanted, claim, tolerance=1e-5):
        found, wanted = numpy.atleast_1d(found), numpy.atleast_1d(wanted)
        off = float(numpy.abs(found / wanted - 1).max())
        expect(off <= tolerance, f"{claim}: {found.ravel()[:3]} instead of {numpy.ravel(wanted)[:3]}")

    # Degrees: every row has its own metres; also at a pole, where the outer rows reach beyond the earth.
    for top, step in ((46.5, -1 / 1200), (89.75, -1 / 40), (-0.004, -1 / 1200), (-60, -1 / 1200), (-60.01, 1 / 1200)):
        about = {"crs": "EPSG:4326", "transform": (-121, abs(step), 0, top, 0, step)}
        east, north = metres_per_degree(top + (numpy.arange(1, 8) + 0.5) * step)
        dx, dy = 3 / (east * abs(step))[:, None], 2 / (north * step)[:, None]
        found, told = result("slope", plane(3, 2), about=about, slope_unit="percent")
        near(found, 100 * numpy.hypot(dx, dy) + 0 * found, f"a plane at {top} degrees", 2e-5)
        expect("geographic" in " ".join(told["warnings"]) and told["unit"] == "percent", f"the correction is said: {told}")
        found, told = result("aspect", plane(3, 2), about=about)
        near(found, numpy.degrees(numpy.arctan2(-dx, -dy)) % 360 + 0 * found, f"the aspect of a plane at {top} degrees", 2e-5)
    found, told = result("slope", plane(3, 2), about={"crs": "EPSG:4326", "transform": (-180, 1, 0, 90.5, 0, -1)})
    expect(told["valid_count"] == 63, f"a global grid of points reaches half a cell beyond the pole: {told}")

    # Feet: US survey and international, of the cells, of the heights, and of a vertical CRS.
    us, foot = 1200 / 3937, 0.3048
    cells = (1000000, 10, 0, 200000, 0, -10)
    for crs, unit, factor in (("EPSG:2263", "US survey foot", 1), ("EPSG:2263", "m", 1 / us), ("EPSG:2263", "ft", foot / us),
                              ("EPSG:2222", "ft", 1), ("EPSG:2222", "us-ft", us / foot), ("EPSG:2263+6360", "", 1),
                              ("EPSG:2263+5703", "", 1 / us), ("EPSG:2263+8228", "", foot / us), ("EPSG:32618", "ft", foot),
                              ("EPSG:32618+6360", "", us), ("EPSG:32618+5703", "", 1), ("EPSG:32618", "", 1), ("EPSG:32618", "cm", 0.01)):
        at = (500000, 10, 0, 4500000, 0, -10) if "32618" in crs else cells
        found, told = result("slope", plane(1, 0), about={"crs": crs, "transform": at, "unit": unit}, slope_unit="percent")
        near(found, 10 * factor + 0 * found, f"heights in '{unit}' on {crs}")
        near(told["z_factor"], factor, f"z_factor of '{unit}' on {crs}")
        expect((crs == "EPSG:32618" and unit == "") == ("taken as metres" in " ".join(told["warnings"])),
               f"metres are assumed once, and that is said: {crs}, '{unit}': {told['warnings']}")
    for crs, unit, arguments in (("EPSG:2263", "", {}), ("EPSG:2222", "", {}), ("EPSG:32618", "K", {}), ("EPSG:32618", "fathom", {}),
                                 (None, "m", {})):
        write(uri, [plane(1, 0)], gdal.GDT_Float32, crs=crs, transform=cells, unit=unit)
        for measure in ("slope", "hillshade"):
            try:
                session.call("raster_terrain", uri=uri, measure=measure, output=ours, overwrite=True, **arguments)
                expect(False, f"heights in '{unit}' on {crs} are refused")
            except Problem as refused:
                expect("z_factor" in str(refused), f"the refusal names z_factor: {refused}")
    found, told = result("slope", plane(1, 0), about={"crs": "EPSG:2263", "transform": cells, "unit": ""}, z_factor=1,
                         slope_unit="percent")
    near(found, 10 + 0 * found, "an undeclared unit with z_factor 1")
    found, told = result("slope", plane(1, 0), about={"unit": "ft"}, z_factor=2.5, slope_unit="percent")
    near(found, 250 / 30 + 0 * found, "z_factor 2.5")
    expect("0.3048" in " ".join(told["warnings"]), f"a z_factor against the declared unit is said: {told['warnings']}")

    # Scaled whole numbers.
    for measure, wanted in (("slope", 10.0), ("roughness", 6.0), ("tri", None)):
        found, told = result(measure, 30 * plane(1, 0), gdal.GDT_Int16, {"scale": 0.1}, **({"slope_unit": "percent"} if measure == "slope" else {}))
        if wanted:
            near(found, wanted + 0 * found, f"{measure} of heights stored in tenths")
        expect(told["unit"] == ("percent" if measure == "slope" else "m"), f"the unit of {measure} is the heights': {told}")

    # Web Mercator stretches: at 60 degrees north a cell of 100 is half as wide.
    y = 8399737.9  # 60 degrees north
    found, told = result("slope", plane(3, 0), about={"crs": "EPSG:3857", "transform": (0, 100, 0, y + 450, 0, -100)}, slope_unit="percent")
    east, _ = metres_per_degree(60)
    near(found, 300 / (100 / (numpy.radians(1) * 6378137) * east) + 0 * found, "Web Mercator at 60 degrees", 2e-4)
    expect("EPSG:3857" in " ".join(told["warnings"]), f"the correction is said: {told['warnings']}")
    write(uri, [plane(3, 0)], gdal.GDT_Float32, crs="ESRI:54009", transform=(-9e6, 1.6e6, 0, 6e6, 0, -1e6))
    try:
        session.call("raster_terrain", uri=uri, measure="slope", output=ours, overwrite=True)
        expect(False, "a world map, whose rows have no cell size, is refused")
    except Problem as refused:
        expect("along a row" in str(refused) and "raster_reproject" in str(refused), f"the refusal names the way out: {refused}")
    print("closed forms hold in degrees, feet, scaled numbers and stretched projections", flush=True)


def main():
    with tempfile.TemporaryDirectory(prefix="gdal-mcp-terrain-") as folder:
        session = Session(sys.argv[1], folder)
        closed_forms(session, folder)
        grids_without_inner_cells(session, folder)
        compare_with_gdaldem(session, folder)


if __name__ == "__main__":
    main()
