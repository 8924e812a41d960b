#!/usr/bin/python3
"""An independent opinion about the evidence tools: python3 evidence.py <gdal-mcp>.

Distortion by integrating closed forms, trials by the gdalwarp and gdaldem programs, censuses by numpy, depressions by a
minimax relaxation, channels by walking up from each cell, zones that are rectangles by arithmetic.
"""
import math
import os
import subprocess
import sys
import tempfile

import numpy
from osgeo import gdal, osr

from session import Session, expect

gdal.UseExceptions()

NODATA = -9999
STEPS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
ESRI = {1: 0, 2: 1, 4: 2, 8: 3, 16: 4, 32: 5, 64: 6, 128: 7}


def write(path, values, kind, crs, transform, nodata=NODATA, unit=""):
    height, width = values.shape
    file = gdal.GetDriverByName("GTiff").Create(path, width, height, 1, kind)
    srs = osr.SpatialReference()
    srs.SetFromUserInput(crs)
    file.SetProjection(srs.ExportToWkt())
    file.SetGeoTransform(transform)
    if nodata is not None:
        file.GetRasterBand(1).SetNoDataValue(nodata)
    file.GetRasterBand(1).SetUnitType(unit)
    file.GetRasterBand(1).WriteArray(values)
    file.FlushCache()


def read(path):
    file = gdal.Open(path)
    return file.GetRasterBand(1).ReadAsArray()


def close(found, wanted, claim, relative=5e-6):  # evidence has six significant digits
    expect(math.isclose(found, wanted, rel_tol=relative, abs_tol=1e-12), f"{claim}: {found}, not {wanted}")


def run(*command):
    subprocess.run(command, check=True, capture_output=True)


def smooth_terrain(height, width):
    y, x = numpy.mgrid[0:height, 0:width]
    return 300 + 40 * numpy.sin(x / 9) + 30 * numpy.cos(y / 7) + 15 * numpy.sin((x + 2 * y) / 4)


# ---- crs_distortion

def mercator_area(south, north, steps=20000):
    """Mean areal scale of Mercator over a band of latitude, weighted by true area, by the midpoint rule."""
    f = 1 / 298.257223563
    e2 = f * (2 - f)
    phi = numpy.radians(south + (north - south) * (numpy.arange(steps) + 0.5) / steps)
    w = 1 - e2 * numpy.sin(phi) ** 2
    truth, scale = numpy.cos(phi) / w**2, w / numpy.cos(phi) ** 2
    return (truth * scale).sum() / truth.sum()


def check_distortion(session, folder):
    write(f"{folder}/degrees.tif", numpy.ones((40, 40)), gdal.GDT_Byte, "EPSG:4326", (5, 0.5, 0, 60, 0, -0.5), None)
    result = session.call("crs_distortion", uri="degrees.tif", crs="EPSG:3395")
    expect(result["coverage"] == "inside", "the area of use of World Mercator holds Europe")
    close(result["proposed"]["areal_scale_mean"], mercator_area(40, 60), "mean areal scale", 2e-3)
    close(result["proposed"]["areal_scale_max"], mercator_area(60 - 1e-6, 60), "greatest areal scale", 1e-5)
    close(result["proposed"]["areal_scale_min"], mercator_area(40, 40 + 1e-6), "smallest areal scale", 1e-5)
    for other in result["others"]:
        if other["role"] == "local_equal_area" or other["crs"] == "EPSG:6933":
            close(other["areal_scale_mean"], 1, f"areal scale of {other['crs']}")

    spread = result["spread"]
    close(spread["relative"], mercator_area(60 - 1e-6, 60) - 1, "greatest error of an area in Mercator", 1e-5)
    close(spread["high"], mercator_area(60 - 1e-6, 60), "the same piece of ground in Mercator", 1e-5)
    expect(spread["high_by"] == "EPSG:3395" and abs(spread["low"] - 1) < 1e-6, "Mercator is the largest, the truth is 1")
    result = session.call("crs_distortion", uri="degrees.tif", crs="EPSG:6933")
    expect(result["spread"]["relative"] > 0.1, "an equal-area CRS distorts lengths")
    for crs, why in (("EPSG:4326", "degrees"), ("EPSG:32633", "data outside of the area of use")):
        expect("spread" not in session.call("crs_distortion", uri="degrees.tif", crs=crs), f"nothing to compare: {why}")
    write(f"{folder}/zone.tif", numpy.ones((20, 20)), gdal.GDT_Byte, "EPSG:32633", (681000, 10, 0, 5600000, 0, -10), None)
    spread = session.call("crs_distortion", uri="zone.tif", crs="EPSG:25833")["spread"]
    # 181 km from the central meridian, where the scale of UTM is 1: k = 0.9996 (1 + x^2 / 2 R^2).
    expect(spread["relative"] < 1e-4, f"UTM is true 181 km from its central meridian: {spread}")
    expect(spread["candidates"] == ["EPSG:25833", "geodesic", "EPSG:32633", "local_equal_area"], "who is compared")

    check_override(session, folder)
    ring = [[10, 50], [12, 50], [12, 52], [10, 52], [10, 50]]
    with open(f"{folder}/box.geojson", "w", encoding="utf-8") as file:
        file.write('{"type":"FeatureCollection","features":[{"type":"Feature","properties":{},"geometry":'
                   f'{{"type":"Polygon","coordinates":[{ring}]}}}}]}}')
    result = session.call("crs_distortion", uri="box.geojson", crs="EPSG:3395")
    expect(result["polygons_measured"] == 1, "one polygon was measured")
    close(result["area_ratio"], mercator_area(50, 52), "area of a polygon", 1e-5)
    result = session.call("crs_distortion", uri="box.geojson", crs="EPSG:32633")
    expect(result["coverage"] == "partly", "zone 33 begins at 12 degrees, where the box ends")
    check_the_world(session, folder)
    check_beside_a_zone(session, folder)


def check_the_world(session, folder):
    for name, south, north in (("world", -90, 90), ("inhabited", -60, 85), ("near_a_pole", -89.5, 80)):
        rows = round((north - south) * 2)
        write(f"{folder}/{name}.tif", numpy.ones((rows, 720)), gdal.GDT_Byte, "EPSG:4326", (-180, 0.5, 0, north, 0, -0.5), None)
        result = session.call("crs_distortion", uri=f"{name}.tif", crs="EPSG:3395")
        if name == "inhabited":
            close(result["proposed"]["areal_scale_mean"], mercator_area(south, north), "mean areal scale of a wide extent", 5e-3)
        elif name == "near_a_pole":
            close(result["proposed"]["areal_scale_mean"], mercator_area(south, north), "mean areal scale towards a pole", 0.2)
        else:
            expect("of the points measured they have no finite scale" in result["summary"], result["summary"])
            expect(result["proposed"]["areal_scale_max"] > 100, "near the poles Mercator knows no bound")


def check_beside_a_zone(session, folder):
    """Denmark's public data are in zone 32, Copenhagen, and in no zone of the other hemisphere. Fiji lies on both sides of 180 degrees."""
    points = ",".join('{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":[%g,%g]}}' % p for p in ((178.4, -18.1), (-179.5, -17.2)))
    with open(f"{folder}/fiji.geojson", "w", encoding="utf-8") as file:
        file.write(f'{{"type":"FeatureCollection","features":[{points}]}}')
    result = session.call("crs_distortion", uri="fiji.geojson", crs="EPSG:3460")
    expect(result["coverage"] == "inside" and result["extent"] == [178.4, -18.1, -179.5, -17.2], "Fiji lies in Fiji")
    close(result["proposed"]["areal_scale_mean"], 0.99985**2, "areal scale of Fiji's CRS", 1e-3)
    write(f"{folder}/copenhagen.tif", numpy.ones((20, 20)), gdal.GDT_Byte, "EPSG:4326", (12.5, 0.001, 0, 55.7, 0, -0.001), None)
    for crs, where in (("EPSG:25832", "partly"), ("EPSG:32733", "outside"), ("EPSG:2154", "outside")):
        expect(session.call("crs_distortion", uri="copenhagen.tif", crs=crs)["coverage"] == where, f"{crs}: {where}")


def check_override(session, folder):
    # The same metres in zone 33 and in zone 34 lie 6 degrees apart.
    result = session.call("crs_distortion", uri="zone.tif", crs="EPSG:3857", src_crs="EPSG:32634")
    expect(result["overrides_own_crs"], "zone 34 is not zone 33")
    expect((result["override"]["own"], result["override"]["given"]) == ("EPSG:32633", "EPSG:32634"), "both are named")
    places = []
    for crs in (32633, 32634):
        here, there = osr.SpatialReference(), osr.SpatialReference()
        here.ImportFromEPSG(crs)
        there.ImportFromEPSG(4326)
        there.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
        to = osr.CoordinateTransformation(here, there)
        places.append([to.TransformPoint(x, y) for x in (681000, 681200) for y in (5599800, 5600000)])
    apart = [parallel_arc(b[0] - a[0], a[1]) for a, b in zip(*places)]
    # The geodesic is shorter than the arc of the parallel by a share of (6 degrees * sin(latitude))^2 / 24.
    shorter = (math.radians(6) * math.sin(math.radians(50.5))) ** 2 / 24
    close(result["override"]["shift"], max(apart) * (1 - shorter), "metres between the zones", 1e-4)
    result = session.call("crs_distortion", uri="zone.tif", crs="EPSG:3857", src_crs="EPSG:4326")
    expect(result["override"] == {"own": "EPSG:32633", "given": "EPSG:4326", "effect": "no corner has a place in both"},
           f"metres are no degrees: {result['override']}")
    result = session.call("crs_distortion", uri="zone.tif", crs="EPSG:3857", src_crs="+proj=utm +zone=33 +datum=WGS84")
    expect(result["overrides_own_crs"] is False and "override" not in result, "another spelling replaces nothing")
    expect("overrides_own_crs" not in session.call("crs_distortion", uri="zone.tif", crs="EPSG:3857"), "without src_crs")


def parallel_arc(degrees, latitude):
    e2 = (2 - 1 / 298.257223563) / 298.257223563
    phi = math.radians(latitude)
    return abs(math.radians(degrees)) * 6378137 * math.cos(phi) / math.sqrt(1 - e2 * math.sin(phi) ** 2)


# ---- resampling_trial

def check_trial(session, folder):
    random = numpy.random.RandomState(4)
    classes = numpy.kron(random.choice([11, 21, 42, 81], (40, 40), p=[0.4, 0.3, 0.2, 0.1]), numpy.ones((3, 3)))
    grid = ("EPSG:32633", (500000, 10, 0, 4001200, 0, -10))
    write(f"{folder}/classes.tif", classes, gdal.GDT_Byte, *grid, None)
    terrain = smooth_terrain(120, 120)
    write(f"{folder}/terrain.tif", terrain, gdal.GDT_Float32, *grid, None)
    extent = ["-te", "500000", "4000000", "501200", "4001200"]
    for name, size in (("bilinear", 40), ("cubic", 25), ("mode", 30)):
        for raster in ("classes", "terrain"):
            for method in (name, "near"):
                run("gdalwarp", "-q", "-overwrite", "-r", method, "-tr", str(size), str(size), *extent,
                    f"{folder}/{raster}.tif", f"{folder}/{raster}-{method}.tif")
            out, nearest = read(f"{folder}/{raster}-{name}.tif"), read(f"{folder}/{raster}-near.tif")
            whole = read(f"{folder}/{raster}.tif")
            result = session.call("resampling_trial", uri=f"{raster}.tif", method=name, resolution=size)
            close(result["support"], (size / 10) ** 2, "input cells per output cell")
            row = result["methods"][0]
            expect(row["method"] == name and result["trial_output"] == out.size, f"{name} was tried on the whole raster")
            close(row["changed_share"], (out != nearest).mean(), f"cells changed by {name} at {size}")
            close(row["variance_kept"], out.astype(float).var() / whole.astype(float).var(), f"variance, {name}")
            close(row["max"], out.max(), f"greatest value, {name}")
            if raster == "classes":
                shares = {v: ((out == v).mean() / (whole == v).mean()) - 1 for v in numpy.unique(whole)}
                close(abs(row["class_change"]), max(abs(s) for s in shares.values()), f"change of a class, {name}")
                expect(row["foreign_share"] >= 1 - numpy.isin(out, numpy.unique(whole)).mean() - 1e-12,
                       "values that no cell has are foreign")
    check_trial_spread(session, folder, extent)
    slopes = []
    for raster in ("terrain", "terrain-near"):  # of the last size
        run("gdaldem", "slope", "-q", f"{folder}/{raster}.tif", f"{folder}/slope.tif", "-p")
        found = read(f"{folder}/slope.tif")
        slopes.append(numpy.sort(found[found != NODATA]))
    result = session.call("resampling_trial", uri="terrain.tif", method="nearest", resolution=30)
    p99 = [s[int(0.99 * (len(s) - 1))] for s in slopes]
    close(result["methods"][0]["p99_slope_change"], p99[1] / p99[0] - 1, "P99 of slope by gdaldem", 1e-4)


def check_trial_spread(session, folder, extent):
    def by_program(raster, method, size):
        run("gdalwarp", "-q", "-overwrite", "-r", "near" if method == "nearest" else method, "-tr", str(size), str(size),
            *extent, f"{folder}/{raster}.tif", f"{folder}/out.tif")
        return read(f"{folder}/out.tif").astype(float)

    for asked, size, methods in (("lanczos", 25, ("nearest", "bilinear", "cubic", "average", "lanczos")),
                                 ("cubic", 6, ("nearest", "bilinear", "cubic"))):
        found = session.call("resampling_trial", uri="terrain.tif", method=asked, resolution=size)["spread"]
        results = numpy.array([by_program("terrain", m, size) for m in methods])
        expect(sorted(found["candidates"]) == sorted(methods), f"candidates of {asked} at {size}: {found['candidates']}")
        means = dict(zip(methods, results.mean(axis=(1, 2))))
        close(found["low"], min(means.values()), f"lowest mean at {size}")
        close(found["high"], max(means.values()), f"highest mean at {size}")
        close(means[found["low_by"]], min(means.values()), f"method of the lowest mean at {size}")
        apart = (results.max(axis=0) - results.min(axis=0)) / numpy.minimum(abs(results).max(axis=0), results.max() - results.min())
        close(found["relative"], apart.max(), f"largest relative difference at {size}", 1e-5)
    found = session.call("resampling_trial", uri="classes.tif", method="bilinear", resolution=40)["spread"]
    results = [by_program("classes", m, 40) for m in ("nearest", "mode", "bilinear")]
    unlike = max((a != b).mean() for a in results for b in results)
    close(found["relative"], unlike, "share of cells with another code")
    close(found["high"], max((r != results[0]).mean() for r in results), "share that differs from nearest")

    grid = ("EPSG:32633", (500000, 10, 0, 4001200, 0, -10))
    flat = numpy.full((120, 120), 7.0)
    write(f"{folder}/flat.tif", flat, gdal.GDT_Float32, *grid, None)
    found = session.call("resampling_trial", uri="flat.tif", method="cubic", resolution=25)["spread"]
    expect(found["relative"] < 1e-6 and abs(found["high"] - 7) < 1e-6, "no method changes a constant raster")
    write(f"{folder}/plateau.tif", 3000 + numpy.tile(numpy.arange(120.0) % 3, (120, 1)), gdal.GDT_Float32, *grid, None)
    found = session.call("resampling_trial", uri="plateau.tif", method="bilinear", resolution=25)["spread"]
    expect(found["relative"] > 0.1, f"metres apart on a plateau of 2 m at 3000 m: {found}")
    ramp = numpy.tile(100 + numpy.arange(120.0), (120, 1))
    write(f"{folder}/ramp.tif", ramp, gdal.GDT_Float32, *grid, None)
    found = session.call("resampling_trial", uri="ramp.tif", method="bilinear", resolution=10)["spread"]
    expect(found["relative"] < 1e-6, "from the corner the call copies cells")
    for shift in (0, 5):  # metres, along the ramp
        found = session.call("resampling_trial", uri="ramp.tif", method="bilinear", resolution=10,
                             bounds=[500000 + shift, 4000000, 501190 + shift, 4001200])["spread"]
        # Half way between two cells their mean is half a step off either; cells differ by up to 118.5 within the bounds.
        expect(abs(found["relative"] - shift / 10 / 118.5) < 1e-3, f"bounds that lie {shift} m off the cells: {found}")
    write(f"{folder}/kelvin.tif", 2730 + numpy.tile(numpy.arange(120) % 3, (120, 1)), gdal.GDT_Int16, *grid, None)
    file = gdal.Open(f"{folder}/kelvin.tif", gdal.GA_Update)
    file.GetRasterBand(1).SetScale(0.1)
    file.GetRasterBand(1).SetOffset(-273)
    del file
    found = session.call("resampling_trial", uri="kelvin.tif", method="bilinear", resolution=25)["spread"]
    expect(found["relative"] > 0.1 and abs(found["high"]) < 0.3, f"0 to 0.2 degrees, stored as 2730 to 2732: {found}")
    large = numpy.full((700, 700), 7.0)
    large[:5] = 9
    write(f"{folder}/large.tif", large, gdal.GDT_Float32, *grid, None)
    expect("spread" not in session.call("resampling_trial", uri="large.tif", method="cubic", resolution=25),
           "a piece without differences settles nothing for the rest")
    bands = gdal.GetDriverByName("GTiff").Create(f"{folder}/bands.tif", 120, 120, 2, gdal.GDT_Float32)
    bands.SetGeoTransform(grid[1])
    bands.GetRasterBand(1).WriteArray(flat)
    bands.GetRasterBand(2).WriteArray(ramp)
    bands.FlushCache()
    expect("spread" not in session.call("resampling_trial", uri="bands.tif", method="cubic", resolution=25),
           "a band without differences settles nothing for the other")


# ---- raster_profile

def check_profile(session, folder):
    random = numpy.random.RandomState(9)
    values = random.randint(200, 900, (60, 80)).astype(float)
    values[:3] = -9999  # undeclared
    values[10:20, 40:] = -1  # declared
    write(f"{folder}/profile.tif", values, gdal.GDT_Int16, "EPSG:32633", (500000, 10, 0, 4000600, 0, -10), -1)
    result = session.call("raster_profile", uri="profile.tif", geometry=[500400, 4000400, 500900, 4000500])
    expect(result["kind"] == "continuous" and result["dtype"] == "Int16", "random heights are continuous")
    close(result["nodata_share"], (values == -1).mean(), "share of declared nodata")
    suspect, = result["suspected_nodata"]
    expect(suspect["value"] == -9999 and suspect["next"] == values[values > 0].min(), "-9999 is suspected")
    close(suspect["share"], (values == -9999).sum() / (values != -1).sum(), "share of the suspect")
    close(result["clipped_share"], 0.2, "the geometry reaches 100 of 500 m beyond the raster")
    close(result["geometry_nodata_share"], 1, "rows 10 to 19 from column 40 on are nodata")
    expect(not result["approximate"], "a small raster is read whole")


# ---- conversion_loss

def check_conversion(session, folder):
    random = numpy.random.RandomState(3)
    grid = ("EPSG:32633", (500000, 10, 0, 4001000, 0, -10))
    values = numpy.round(random.uniform(-5, 300, (80, 90)), 1).astype("float32")
    values[:2] = NODATA
    values[2, :7] = numpy.nan
    write(f"{folder}/loss.tif", values, gdal.GDT_Float32, *grid)
    real = values[(values != NODATA) & ~numpy.isnan(values)].astype(float)

    def loss(**arguments):
        return session.call("conversion_loss", uri="loss.tif", **arguments)

    for dtype, lowest, highest in (("Byte", 0, 255), ("Int16", -32768, 32767)):
        found = loss(dtype=dtype)
        run("gdal_translate", "-q", "-ot", dtype, f"{folder}/loss.tif", f"{folder}/as.tif")
        stored = read(f"{folder}/as.tif")[(values != NODATA) & ~numpy.isnan(values)]
        outside = (real < lowest) | (real > highest)
        expect(found["changed_cells"] == (stored != real).sum() + 7, f"cells changed by {dtype}: {found['changed_cells']}")
        expect(found["nan_lost"] == 7, "seven cells are not a number")
        expect(found["cells_outside"] == outside.sum() + 7, f"cells outside {dtype}: {found['cells_outside']}")
        close(found["greatest_change"], abs(stored - real)[~outside].max(), f"greatest change by {dtype}")
        expect(found["cells_read"] == values.size and not found["approximate"], "a small raster is compared whole")
    found = loss(dtype="Float64")
    expect((found["changed_cells"], found["cells_read"], found["facts_dropped"]) == (0, 0, 0), f"Float64 holds all: {found}")
    found = loss(scale=[0, 200, 0, 100])
    scaled = numpy.clip(real / 2, 0, 100).astype("float32")
    expect(found["changed_cells"] == (scaled != real).sum(), f"cells moved by a scale: {found['changed_cells']}")
    write(f"{folder}/bare.tif", values, gdal.GDT_Float32, *grid, None)
    rounded = float(numpy.round(real[100], 1))
    hidden = (values == numpy.float32(rounded)).sum()
    found = session.call("conversion_loss", uri="bare.tif", nodata=float(numpy.float32(rounded)))
    expect(found["hidden_cells"] == found["changed_cells"] == hidden > 0, f"cells that are {rounded}: {found['hidden_cells']}, not {hidden}")
    found = session.call("conversion_loss", uri="bare.tif", nodata=-5000)
    expect((found["hidden_cells"], found["cells_read"]) == (0, values.size), "a value that no cell has hides none")
    check_facts_kept(session, folder, grid)


def check_facts_kept(session, folder, grid):
    codes = numpy.arange(80 * 90).reshape(80, 90) % 5
    write(f"{folder}/codes.tif", codes, gdal.GDT_Byte, *grid, None)
    file = gdal.Open(f"{folder}/codes.tif", gdal.GA_Update)
    colours = gdal.ColorTable()
    colours.SetColorEntry(1, (255, 0, 0, 255))
    file.GetRasterBand(1).SetColorTable(colours)
    del file

    def kept(**arguments):
        found = session.call("conversion_loss", uri="codes.tif", **arguments)
        return found["facts_dropped"], found.get("dropped", ""), found["codec_lossless"]

    expect(kept(target="b.png") == (0, "", True), f"PNG keeps a palette: {kept(target='b.png')}")
    expect(kept(dtype="Int16")[:2] == (1, "the palette of band 1"), f"Int16 has no palette: {kept(dtype='Int16')}")
    for target, options, lossless in (
            ("b.tif", ["COMPRESS=DEFLATE", "PREDICTOR=2", "ZLEVEL=9", "NUM_THREADS=2"], True),
            ("b.tif", ["COMPRESS=LERC", "MAX_Z_ERROR=0"], True), ("b.tif", ["COMPRESS=LERC", "MAX_Z_ERROR=1"], False),
            ("b.tif", ["COMPRESS=LZW", "TILED=YES"], True), ("b.tif", ["NBITS=4"], False), ("b.png", ["NBITS=4"], False),
            ("b.jp2", [], True), ("b.jp2", ["QUALITY=100", "REVERSIBLE=YES"], True), ("b.jp2", ["QUALITY=30"], False),
            ("b.jpg", [], False)):
        found = session.call("conversion_loss", uri="codes.tif", target=target, creation_options=options)
        expect(found["codec_lossless"] == lossless, f"{target} {options}: {found['summary']}")
    bands = gdal.GetDriverByName("GTiff").Create(f"{folder}/five.tif", 70, 70, 5, gdal.GDT_Byte)
    bands.FlushCache()
    found = session.call("conversion_loss", uri="five.tif", target="b.png")
    expect("5 bands" in found["refusal"] and "facts_dropped" not in found, f"PNG has no five bands: {found}")
    large = gdal.GetDriverByName("GTiff").Create(f"{folder}/huge.tif", 50000, 40000, 1, gdal.GDT_Float32,
                                                 ["SPARSE_OK=YES", "TILED=YES"])
    large.FlushCache()
    found = session.call("conversion_loss", uri="huge.tif", dtype="Byte")
    expect(found["approximate"] and found["changed_cells"] == 0, f"a large raster is sampled: {found}")
    expect(found == session.call("conversion_loss", uri="huge.tif", dtype="Byte"), "the sample is always the same")


# ---- hydrology

def relaxed_fill(dem):
    """The lowest surface without pits, by relaxation until nothing changes. Outside and nodata are outlets."""
    padded = numpy.pad(dem, 1, constant_values=NODATA)
    filled = numpy.where(padded == NODATA, -numpy.inf, numpy.inf)
    while True:
        lowest = numpy.min([numpy.roll(filled, s, (0, 1)) for s in STEPS], axis=0)
        better = numpy.where(padded == NODATA, -numpy.inf, numpy.maximum(padded, numpy.minimum(filled, lowest)))
        if (better == filled).all():
            return numpy.where(dem == NODATA, NODATA, filled[1:-1, 1:-1])
        filled = better


def regions(mask):
    left, found = set(zip(*numpy.nonzero(mask))), []
    while left:
        todo, region = [left.pop()], []
        while todo:
            cell = todo.pop()
            region.append(cell)
            for dr, dc in STEPS:
                n = (cell[0] + dr, cell[1] + dc)
                if n in left:
                    left.remove(n)
                    todo.append(n)
        found.append(region)
    return found


CELL = 30 * 20 / 0.9996 ** 2  # m2 on the ground of a cell at the central meridian of UTM


def check_a_part(session, folder):
    """Of a large DEM the middle is measured, which the summary says; its unit is known."""
    for rows, columns, part in ((2048, 2048, ""), (2100, 2200, "of the middle 2048 x 2048 cells of 2200 x 2100 cells; ")):
        z = numpy.repeat(3000 - numpy.arange(rows, dtype="float32")[:, None], columns, 1)
        write(f"{folder}/large.tif", z, gdal.GDT_Float32, "EPSG:32633", (500000, 30, 0, 5600000, 0, -30), None, unit="m")
        result = session.call("dem_depressions", uri="large.tif")
        expect(result["approximate"] == bool(part) and result["height_unit"] == "m", f"what was read of {rows} rows: {result}")
        expect(result["summary"] == (part + "no depressions" if part else "No depressions: every cell already drains"), result["summary"])
        z[1000:1004, 1000:1160] -= 20
        write(f"{folder}/large.tif", z, gdal.GDT_Float32, "EPSG:32633", (500000, 30, 0, 5600000, 0, -30), None, unit="m")
        result = session.call("dem_depressions", uri="large.tif")
        expect(result["summary"].startswith(part + "1 depressions") and result["depth_unit"] == "m", result["summary"])
        # The rim below the trench is as high as its last row was, less 1: 16 to 19 deep.
        close(result["volume_m3"], 30 * 30 / 0.9996 ** 2 * 160 * (16 + 17 + 18 + 19), "volume of the trench", 1e-3)
    os.unlink(f"{folder}/large.tif")


def check_depressions(session, folder):
    random = numpy.random.RandomState(2)
    dem = numpy.round(smooth_terrain(50, 60) + random.normal(0, 2, (50, 60)), 1)
    dem[20:23, 30:34] = NODATA
    write(f"{folder}/dem.tif", dem, gdal.GDT_Float64, "EPSG:32633", (500000, 30, 0, 4001000, 0, -20))
    file = gdal.Open(f"{folder}/dem.tif", gdal.GA_Update)
    file.GetRasterBand(1).SetUnitType("m")
    del file
    check_a_part(session, folder)
    result = session.call("dem_depressions", uri="dem.tif", vertical_accuracy_m=2, noise_correlation=0.5)
    depth = relaxed_fill(dem) - dem
    found = regions(depth > 0)
    depths = sorted(max(depth[c] for c in region) for region in found)
    expect(result["count"] == len(found), f"{result['count']} depressions, not {len(found)}")
    close(result["area_m2"], (depth > 0).sum() * CELL, "area of depressions")
    close(result["volume_m3"], depth.sum() * CELL, "volume of depressions")
    close(result["deepest"], depths[-1], "deepest depression")
    close(result["median_depth"], numpy.median(depths), "median depth")
    close(result["largest_area_m2"], max(len(r) for r in found) * CELL, "largest depression")
    row, = result["noise"]
    close(row["depth_limit_m"], 1.645 * 2, "noise of depths")
    close(row["share_below"], numpy.mean([d < 1.645 * 2 for d in depths]), "share within noise")


def receivers(directions):
    found = {}
    for cell in zip(*numpy.nonzero(directions != 255)):
        dr, dc = STEPS[ESRI[int(directions[cell])]]
        n = (cell[0] + dr, cell[1] + dc)
        inside = 0 <= n[0] < directions.shape[0] and 0 <= n[1] < directions.shape[1]
        found[cell] = n if inside and directions[n] != 255 else None
    return found


def network(to, heights, area, threshold, size):
    """Links, Strahler streams as (order, drop) and total length, by recursion from each cell upwards."""
    channel = {c for c in to if area[c] >= threshold}
    donors = {c: [] for c in channel}
    for c in channel:
        if to[c] in channel:
            donors[to[c]].append(c)
    order = {}

    def order_of(c):
        if c not in order:
            above = sorted((order_of(d) for d in donors[c]), reverse=True)
            order[c] = 1 if not above else above[0] + (len(above) > 1 and above[0] == above[1])
        return order[c]

    streams = []
    for c in channel:
        if any(order_of(d) == order_of(c) for d in donors[c]):
            continue  # not where a stream begins
        end = c
        while to[end] in channel and order_of(to[end]) == order_of(c):
            end = to[end]
        mouth = to[end] if to[end] in channel else end
        streams.append((order_of(c), heights[c] - heights[mouth]))
    length = sum(math.hypot((to[c][1] - c[1]) * size[0], (to[c][0] - c[0]) * size[1]) for c in channel if to[c] in channel)
    return sum(len(d) != 1 for d in donors.values()), streams, length


def student_t(first, others):
    n, m = len(first), len(others)
    pooled = (numpy.var(first) * n + numpy.var(others) * m) / (n + m - 2)
    return (numpy.mean(first) - numpy.mean(others)) / math.sqrt(pooled * (1 / n + 1 / m))


def check_streams(session, folder):
    random = numpy.random.RandomState(5)
    y, x = numpy.mgrid[0:70, 0:60]
    dem = smooth_terrain(70, 60) / 4 + 0.8 * y + 0.3 * x + random.normal(0, 1, (70, 60))
    write(f"{folder}/hills.tif", dem, gdal.GDT_Float64, "EPSG:32633", (500000, 30, 0, 4001000, 0, -20))
    result = session.call("stream_threshold", uri="hills.tif", thresholds_km2=[0.012, 0.03, 0.06])
    session.call("hydro_condition", uri="hills.tif", method="fill", output="filled.tif")
    session.call("hydro_flow_direction", uri="filled.tif", method="d8", encoding="esri", output="directions.tif")
    directions, heights = read(f"{folder}/directions.tif"), read(f"{folder}/filled.tif")
    to = receivers(directions)
    area = numpy.zeros(dem.shape)
    for cell in to:
        while cell is not None:
            area[cell] += CELL / 1e6
            cell = to[cell]
    expect(len(result["networks"]) == 3, "one network per threshold")
    for row in result["networks"]:
        links, streams, length = network(to, heights, area, row["threshold_km2"] - 1e-9, (30, 20))
        claim = f"at {row['threshold_km2']} km2"
        expect(row["links"] == links, f"links {claim}: {row['links']}, not {links}")
        expect(row["highest_order"] == max(o for o, _ in streams), f"order {claim}")
        first, others = [d for o, d in streams if o == 1], [d for o, d in streams if o > 1]
        expect((row["first_order_streams"], row["higher_order_streams"]) == (len(first), len(others)), f"streams {claim}")
        close(row["length_m"], length, f"length {claim}")
        close(row["drainage_density"], length / 1000 / (dem.size * CELL / 1e6), f"density {claim}")
        if len(first) > 1 and len(others) > 1:
            close(row["drop_t"], student_t(first, others), f"t {claim}")
    passing = []
    for tried in result["tried_km2"]:
        _, streams, _ = network(to, heights, area, tried - 1e-9, (30, 20))
        first, others = [d for o, d in streams if o == 1], [d for o, d in streams if o > 1]
        if len(first) > 1 and len(others) > 1 and abs(student_t(first, others)) < 2:
            passing.append(tried)
    expect(result.get("suggested_km2") == (passing[0] if passing else None), f"suggested {result.get('suggested_km2')}")


# ---- zone_support

def check_zones(session, folder):
    random = numpy.random.RandomState(8)
    values = random.gamma(0.5, 10, (40, 50))
    values[30:, :] = NODATA
    write(f"{folder}/gamma.tif", values, gdal.GDT_Float64, "EPSG:32633", (500000, 10, 0, 4000400, 0, -10))
    boxes = [(0, 0, 10, 10), (20.5, 2.5, 24.5, 8.5), (30.2, 10.2, 30.8, 10.7), (5, 25, 15, 35)]  # in cells
    features = []
    for x0, y0, x1, y1 in boxes:
        ring = [[500000 + 10 * x, 4000400 - 10 * y] for x, y in ((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0))]
        features.append({"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [ring]}})
    collection = {"type": "FeatureCollection", "features": features}
    result = session.call("zone_support", raster="gamma.tif", zones=collection, zones_crs="EPSG:32633")
    areas = [(x1 - x0) * (y1 - y0) for x0, y0, x1, y1 in boxes]
    expect(result["zones_measured"] == 4 and result["zones_below_one_cell"] == 1, "four zones, one below a cell")
    close(result["cells_median"], numpy.median(areas), "median size")
    close(result["cells_min"], min(areas), "least size")
    # Borders cut no cell; 4 x 6 shifted by half a cell cuts the 5 x 7 ring; the smallest lies in one cell.
    shares = [0, (5 * 7 - 3 * 5) / (24 + (5 * 7 - 3 * 5) / 2), 1, 0]
    close(result["boundary_share_median"], numpy.median(shares), "boundary share")
    under = numpy.zeros(values.shape, bool)
    for x0, y0, x1, y1 in boxes:
        under[math.floor(y0):math.ceil(y1), math.floor(x0):math.ceil(x1)] = True
    close(result["nodata_share"], (values[under] == NODATA).mean(), "share without a value")
    valid = values[under & (values != NODATA)]
    close(result["skew"], (valid.mean() - numpy.median(valid)) / valid.std(), "skew")
    check_zone_spread(session, collection, values, boxes)
    top = numpy.sort(valid)[-max(1, len(valid) // 100):]
    close(result["top_share"], top.sum() / valid.sum(), "share of the greatest hundredth")


def check_zone_spread(session, collection, values, boxes):
    def overlap(a0, a1, b):
        return max(0.0, min(a1, b + 1) - max(a0, b))

    most = None
    for x0, y0, x1, y1 in boxes:
        cells = sorted((values[r, c], overlap(x0, x1, c) * overlap(y0, y1, r))
                       for r in range(values.shape[0]) for c in range(values.shape[1])
                       if values[r, c] != NODATA and overlap(x0, x1, c) * overlap(y0, y1, r) > 0)
        if not cells:
            continue
        value, share = (numpy.array(column) for column in zip(*cells))
        reached = numpy.concatenate([[0], share.cumsum()])
        # Cell i of n stands at i w + (n - 1) (sum of the shares before it): https://stats.stackexchange.com/a/13223
        places = numpy.arange(len(value)) * share + (len(value) - 1) * reached[:-1]
        kept = numpy.clip(reached, 0.1 * reached[-1], 0.9 * reached[-1])
        found = {"mean": numpy.average(value, weights=share), "trimmed_mean": numpy.average(value, weights=numpy.diff(kept)),
                 "median": numpy.interp(0.5 * (len(value) - 1) * reached[-1], places, value)}
        relative = (max(found.values()) - min(found.values())) / max(abs(v) for v in found.values())
        if most is None or relative > most[0]:
            most = relative, found
    call = dict(raster="gamma.tif", zones=collection, zones_crs="EPSG:32633")
    for statistic in ("mean", "mean+median", ["median"]):
        spread = session.call("zone_support", statistic=statistic, **call)["spread"]
        close(spread["relative"], most[0], "largest relative difference of a zone's value")
        close(spread["low"], min(most[1].values()), "lowest value of that zone")
        close(spread["high"], max(most[1].values()), "highest value of that zone")
        close(most[1][spread["high_by"]], spread["high"], "statistic of the highest value")
    for statistic in ("sum", ["mean", "stdev"], "majority+mean"):
        expect("spread" not in session.call("zone_support", statistic=statistic, **call), f"{statistic} is not compared")
    expect("spread" not in session.call("zone_support", **call), "nothing is compared unless statistics are named")


def main():
    with tempfile.TemporaryDirectory() as folder:
        session = Session(os.path.abspath(sys.argv[1]), folder, toolsets="all")
        for check in (check_distortion, check_trial, check_profile, check_conversion, check_depressions, check_streams, check_zones):
            check(session, folder)
    print("evidence: seven tools equal the oracle")


main()
