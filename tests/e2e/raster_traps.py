"""Defects and properties of rasters that make other programs return a wrong number that looks right."""
import math
import os

import numpy
from osgeo import gdal, ogr, osr

import rasters
import session
from traps import Family, Traps, case

A, F = 6378137.0, 1 / 298.257222101  # GRS 80, metres
E2 = F * (2 - F)
US_FOOT = 1200 / 3937
NOWHERE = (289000.0, 100.0, 0.0, 9121000.0, 0.0, -100.0)


def zone_area(south, north, degrees_of_longitude):
    """m² between two parallels, Snyder (1987) eq. 3-12."""
    def q(latitude):
        s, e = math.sin(math.radians(latitude)), math.sqrt(E2)
        return A * A * (1 - E2) / 2 * (s / (1 - E2 * s * s) + math.atanh(e * s) / e)
    return (q(north) - q(south)) * math.radians(degrees_of_longitude)


def metres_a_degree(latitude):
    """Of longitude, of latitude, on the ellipsoid."""
    w = 1 - E2 * math.sin(math.radians(latitude)) ** 2
    return (math.radians(1) * A / math.sqrt(w) * math.cos(math.radians(latitude)), math.radians(1) * A * (1 - E2) / w ** 1.5)


def plane(rows, columns, east, south=0.0, base=100.0):
    """Heights that rise by `east` from column to column and by `south` from row to row."""
    r, c = numpy.mgrid[0:rows, 0:columns]
    return (base + east * c + south * r).astype("float32")


def halves(left, right, rows=20, columns=20):
    cells = numpy.full((rows, columns), float(left))
    cells[:, columns // 2:] = right
    return cells


def unit_of(path, unit):
    d = gdal.Open(path, gdal.GA_Update)
    d.GetRasterBand(1).SetUnitType(unit)


def mean(told):
    return told["bands"][0].get("mean")


def class_area(told):
    return next((c["area_m2"] for c in told["bands"][0].get("classes", []) if c["value"] == 1), None)


def grid(cells, dtype=gdal.GDT_Float32, **how):
    def make(path):
        rasters.write(path, [cells.astype(gdal_array_type(dtype))], dtype, **how)
    return make


def gdal_array_type(dtype):
    return {gdal.GDT_Byte: "uint8", gdal.GDT_Int16: "int16", gdal.GDT_UInt16: "uint16", gdal.GDT_UInt32: "uint32", gdal.GDT_Float32: "float32"}[dtype]


def then(make, more):
    def both(path):
        make(path)
        more(path)
    return both


def edited(change):
    def edit(path):
        d = gdal.Open(path, gdal.GA_Update)
        change(d)
        d.FlushCache()
    return edit


def scaled(d):
    d.GetRasterBand(1).SetScale(0.1)
    d.GetRasterBand(1).SetOffset(-5)


def hdf5(make, change):
    """A netCDF file that is named as an HDF5 file, whose driver reads scale and offset as attributes only."""
    def write(path):
        then(make, edited(change))(path)
        gdal.GetDriverByName("netCDF").CreateCopy(path + ".nc", gdal.Open(path), options=["FORMAT=NC4"])
        os.rename(path + ".nc", path.replace(".tif", ".h5"))
    return write


def point_convention(path):
    """The same cells, georeferenced by the centre of the first one, as GeoTIFF's PixelIsPoint does."""
    d = gdal.Open(path, gdal.GA_Update)
    d.SetMetadataItem("AREA_OR_POINT", "Point")


def world_file(path):
    """The georeferencing in sidecars only."""
    d = gdal.Open(path)
    cells, t, wkt = d.ReadAsArray(), d.GetGeoTransform(), d.GetProjection()
    made = gdal.GetDriverByName("MEM").Create("", d.RasterXSize, d.RasterYSize, 1, gdal.GDT_Byte)
    made.GetRasterBand(1).WriteArray(cells)
    del d
    os.remove(path)
    gdal.GetDriverByName("GTiff").CreateCopy(path, made, options=["PROFILE=BASELINE"])
    stem = os.path.splitext(path)[0]
    with open(stem + ".tfw", "w") as f:
        f.write("\n".join(map(repr, (t[1], t[4], t[2], t[5], t[0] + t[1] / 2, t[3] + t[5] / 2))))
    with open(stem + ".prj", "w") as f:
        f.write(wkt)


COUNTRY = 31985
FT = 2263  # NAD83 / New York Long Island (ftUS)
NY = (980000.0, 100.0, 0.0, 200000.0, 0.0, -100.0)
WIDE = halves(2, 5)
EAST_HALF = [290000, 9119000, 291000, 9121000]


def families():
    cells = halves(1, 7)
    yield Family("a predictor of TIFF", "predictor", "raster_stats", {}, mean,
                 case(grid(cells, gdal.GDT_UInt16, options=("COMPRESS=DEFLATE", "PREDICTOR=2")), 4.0),
                 case(grid(cells, gdal.GDT_UInt16, options=()), 4.0))
    holes = cells.copy()
    holes[:5] = -9999
    yield Family("nodata in a mean", "nodata", "raster_stats", {}, mean,
                 case(grid(holes), 4.0), case(grid(holes, nodata=-9999), 4.0))
    yield Family("a mean of directions", "angles", "raster_stats", {}, mean,
                 case(then(grid(halves(359, 1)), edited(lambda d: d.GetRasterBand(1).SetUnitType("degrees"))), 0.0), case(grid(halves(359, 1)), 180.0))
    yield Family("slopes where coordinates are degrees and the CRS is in metres", "does not fit its CRS", "raster_terrain", {"measure": "slope"}, lambda told: told["max"],
                 case(grid(plane(20, 20, 100), epsg=COUNTRY, transform=(-34.9, 0.001, 0, -8, 0, -0.001)), 45.0),
                 case(grid(plane(20, 20, 100), epsg=COUNTRY, transform=(289000, 100, 0, 9121000, 0, -100)), 45.0), tolerance=1e-4)
    yield Family("figures of an alpha band", "transparency", "raster_stats", {}, mean,
                 case(then(grid(cells, gdal.GDT_Byte), edited(lambda d: d.GetRasterBand(1).SetColorInterpretation(gdal.GCI_AlphaBand))), 0.0),
                 case(grid(cells, gdal.GDT_Byte), 4.0))
    yield Family("a point on a missing cell", "nodata", "raster_sample", {"strategy": "points", "points": {"type": "Point", "coordinates": [-34.91003, -7.95622]}},
                 lambda told: told["samples"][0]["values"]["1"], case(grid(numpy.where(cells == 1, -9999, cells), transform=NOWHERE), 0.0),
                 case(grid(cells, transform=NOWHERE), 1.0))
    for marker in (-999, -99, 9999, 99999):
        marked = cells.copy()
        marked[:5] = marker
        yield Family(f"missing cells marked by {marker}", "nodata", "raster_stats", {}, mean, case(grid(marked), 4.0), case(grid(marked, nodata=marker), 4.0))
    yield Family("the lowest value of a zone with missing cells", "nodata", "aggregate_zonal", {"stats": ["min"], "zones_crs": f"EPSG:{COUNTRY}", "zones": {
        "type": "Polygon", "coordinates": [[[289000, 9119000], [291000, 9119000], [291000, 9121000], [289000, 9121000], [289000, 9119000]]]}},
                 lambda told: told["rows"][0]["min"], case(grid(holes), 1.0), case(grid(holes, nodata=-9999), 1.0), inputs=lambda name: {"raster": name})
    yield Family("flags in bits", "flags|bits", "raster_stats", {}, mean,
                 case(then(grid(cells * 4096, gdal.GDT_UInt16), edited(lambda d: d.GetRasterBand(1).SetDescription("QA_PIXEL"))), 0.0),
                 case(grid(cells * 4096, gdal.GDT_UInt16), 4 * 4096.0))
    yield Family("scale and offset", "scale", "raster_stats", {}, mean,
                 case(then(grid(cells, gdal.GDT_Int16), edited(scaled)), 4 * 0.1 - 5), case(grid(cells * 0.1 - 5), -4.6), tolerance=1e-5)
    yield Family("attributes of scale that a driver leaves to the reader", "scale_factor", "raster_stats", {}, mean,
                 case(hdf5(grid(cells, gdal.GDT_Int16, epsg=4326, transform=(10, 1e-3, 0, 60, 0, -1e-3)), scaled), 4 * 0.1 - 5),
                 case(hdf5(grid(cells, gdal.GDT_Int16, epsg=4326, transform=(10, 1e-3, 0, 60, 0, -1e-3)), lambda d: None), 4.0), inputs=lambda name: {"uri": name.replace(".tif", ".h5")})
    def told_only(d):
        d.GetRasterBand(1).SetMetadata({"scale_factor": "0.1", "add_offset": "-5"})
    fours = grid(halves(4, 4), gdal.GDT_Int16, transform=NOWHERE)
    left = then(fours, edited(told_only))
    yield Family("the same, described", "scale_factor", "raster_info", {}, lambda told: told["bands"][0]["scale"], case(left, 0.1), case(fours, 1.0))
    yield Family("the same, sampled", "scale_factor", "raster_sample", {"strategy": "random", "n": 5},
                 lambda told: told["samples"][0]["values"]["1"], case(left, 4 * 0.1 - 5), case(fours, 4.0))
    def of_sentinel(d):
        d.SetMetadata({"BOA_ADD_OFFSET": "-1000", "QUANTIFICATION_VALUE": "10000"})
    dn = grid(halves(4, 8) * 1000, gdal.GDT_UInt16)
    yield Family("an offset in the tags of a Sentinel-2 product", "BOA_ADD_OFFSET", "raster_calc",
                 {"expression": "(A - 2000) / (A + 2000)", "output": "ndvi.tif", "overwrite": True}, lambda told: told["mean"],
                 case(then(dn, edited(of_sentinel)), (1000 / 5000 + 5000 / 9000) / 2), case(dn, (2000 / 6000 + 6000 / 10000) / 2),
                 inputs=lambda name: {"inputs": {"A": name}}, tolerance=1e-3)
    zone = {"type": "Polygon", "coordinates": [[[-34.915, -7.955], [-34.910, -7.955], [-34.910, -7.950], [-34.915, -7.950], [-34.915, -7.955]]]}
    yield Family("the same, in a zone", "scale_factor", "aggregate_zonal", {"stats": ["mean"], "zones": {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": zone}]}},
                 lambda told: told["rows"][0]["mean"], case(left, 4 * 0.1 - 5), case(fours, 4.0), inputs=lambda name: {"raster": name})
    latitude = numpy.cos(numpy.radians(numpy.linspace(89.5, -89.5, 180)))
    world = numpy.repeat(latitude[:, None], 360, 1)
    yield Family("a mean over cells of unequal area", "area|equal", "raster_stats", {}, mean,
                 case(grid(world, epsg=4326, transform=(-180, 1, 0, 90, 0, -1)), math.pi / 4),
                 case(grid(world[89:91], epsg=4326, transform=(-180, 1, 0, 1, 0, -1)), float(latitude[89])), tolerance=1e-3)
    classes = {0: (0, 0, 0, 255), 1: (255, 0, 0, 255)}
    square = numpy.zeros((20, 20))
    square[5:15, 5:15] = 1
    north = (0.0, 1000.0, 0.0, 8399737.889818357, 0.0, -1000.0)  # 60° N in Web Mercator
    corners = osr.CoordinateTransformation(rasters.crs(3857), rasters.crs(4326))
    w, n, _ = corners.TransformPoint(5000, north[3] - 5000)
    e, s, _ = corners.TransformPoint(15000, north[3] - 15000)
    yield Family("an area in Web Mercator", "area", "raster_stats", {"classes": True}, class_area,
                 case(grid(square, gdal.GDT_Byte, epsg=3857, transform=north, palette=classes), zone_area(s, n, e - w)),
                 case(grid(square, gdal.GDT_Byte, epsg=6933, transform=(0, 1000, 0, 5e6, 0, -1000), palette=classes), 1e8), tolerance=1e-4)
    yield Family("an area in degrees", "area", "raster_stats", {"classes": True}, class_area,
                 case(grid(square, gdal.GDT_Byte, epsg=4269, transform=(10, 0.1, 0, 61, 0, -0.1), palette=classes), zone_area(59.5, 60.5, 1)),
                 case(grid(square, gdal.GDT_Byte, epsg=3035, transform=(4321000, 100, 0, 3210000, 0, -100), palette=classes), 1e6), tolerance=1e-6)
    yield Family("an area in feet", "feet|foot", "raster_stats", {"classes": True}, class_area,
                 case(grid(square, gdal.GDT_Byte, epsg=FT, transform=NY, palette=classes), (1000 * US_FOOT) ** 2),
                 case(grid(square, gdal.GDT_Byte, epsg=32618, transform=(500000, 10, 0, 4500000, 0, -10), palette=classes), 1e4), tolerance=1e-3)
    slope = (lambda told: told["mean"])
    rise = plane(20, 20, 100 * US_FOOT)  # metres: 45° where a cell has 100 US feet
    yield Family("heights in metres over feet", "unit|z_factor", "raster_terrain", {"measure": "slope"}, slope,
                 case(grid(rise, epsg=FT, transform=NY), 45.0),
                 case(then(grid(rise, epsg=FT, transform=NY), lambda p: unit_of(p, "m")), 45.0), tolerance=1e-5)
    wide, high = metres_a_degree(60)
    yield Family("slopes in degrees", "geographic", "raster_terrain", {"measure": "slope"}, slope,
                 case(grid(plane(3, 20, wide / 100), epsg=4269, transform=(10, 0.01, 0, 60.015, 0, -0.01)), 45.0),
                 case(grid(plane(20, 20, 100), epsg=COUNTRY, transform=NOWHERE), 45.0), tolerance=1e-4)
    yield Family("a grid that is turned", "rotated", "raster_terrain", {"measure": "slope"}, slope,
                 case(grid(plane(20, 20, 100), epsg=COUNTRY, transform=(289000, 80, 60, 9121000, 60, -80)), 45.0),
                 case(grid(plane(20, 20, 0, 100), epsg=COUNTRY, transform=NOWHERE), 45.0), tolerance=1e-4)
    aspect = (lambda told: told["max"])
    yield Family("aspects of a grid whose first row is in the south", "south", "raster_terrain", {"measure": "aspect"}, aspect,
                 case(grid(plane(20, 20, 0, 10), epsg=COUNTRY, transform=(289000, 100, 0, 9119000, 0, 100)), 180.0),
                 case(grid(plane(20, 20, 0, 10), epsg=COUNTRY, transform=NOWHERE), 0.0))
    box = {"geometry": EAST_HALF}
    yield Family("a window of a grid whose first row is in the south", "south", "raster_stats", {"geometry": [289000, 9120000, 291000, 9121000]}, mean,
                 case(grid(halves(2, 5).T, epsg=COUNTRY, transform=(289000, 100, 0, 9119000, 0, 100)), 5.0),
                 case(grid(halves(2, 5).T, epsg=COUNTRY, transform=NOWHERE), 2.0))
    yield Family("PixelIsPoint", "point", "raster_stats", box, mean,
                 case(then(grid(WIDE, transform=NOWHERE), point_convention), 5.0), case(grid(WIDE, transform=NOWHERE), 5.0))
    yield Family("georeferencing in sidecars", "geotransform|CRS", "raster_stats", box, mean,
                 case(then(grid(WIDE, gdal.GDT_Byte, transform=NOWHERE), world_file), 5.0), case(grid(WIDE, gdal.GDT_Byte, transform=NOWHERE), 5.0))
    pacific = halves(2, 5, 10, 36)
    yield Family("longitudes beyond 180", "longitude|180|CRS", "raster_stats", {"geometry": {"type": "Polygon", "coordinates": [[[-170, -5], [-165, -5], [-165, 5], [-170, 5], [-170, -5]]]}}, mean,
                 case(grid(pacific, epsg=4326, transform=(0, 10, 0, 50, 0, -10)), 5.0),
                 case(grid(pacific, epsg=4326, transform=(-180, 10, 0, 50, 0, -10)), 2.0))
    ring = [[289000, 9119000], [291000, 9119000], [291000, 9121000], [289000, 9121000], [289000, 9119000]]
    hole = [[290100, 9119100], [290100, 9120900], [290900, 9120900], [290900, 9119100], [290100, 9119100]]
    utm = {"geometry_crs": f"EPSG:{COUNTRY}"}
    yield Family("a hole of a polygon", "hole", "raster_stats", {"geometry": {"type": "Polygon", "coordinates": [ring, hole]}, **utm}, mean,
                 case(grid(WIDE, transform=NOWHERE), (200 * 2 + 56 * 5) / 256), case(grid(halves(2, 2), transform=NOWHERE), 2.0))
    bow = [[289000, 9119000], [291000, 9121000], [291000, 9119000], [289000, 9121000], [289000, 9119000]]
    yield Family("a polygon that crosses itself", "intersect|invalid|cross", "raster_stats", utm, mean,
                 case(grid(WIDE, transform=NOWHERE), None, geometry={"type": "Polygon", "coordinates": [bow]}),
                 case(grid(WIDE, transform=NOWHERE), 3.5, geometry={"type": "Polygon", "coordinates": [ring]}))
    void = numpy.full((20, 20), -9999.0)
    yield Family("nothing there", "no cell|no valid|empty|nodata", "raster_stats", {}, lambda told: mean(told),
                 case(grid(void, nodata=-9999), None), case(grid(halves(0, 0), nodata=-9999), 0.0))
    yield Family("an area elsewhere", "outside|overlap", "raster_stats", {"geometry_crs": "EPSG:4326"}, mean,
                 case(grid(WIDE, transform=NOWHERE), None, geometry=[-7.96, -34.92, -7.94, -34.90]),
                 case(grid(WIDE, transform=NOWHERE), 3.5, geometry=[-34.95, -8.0, -34.85, -7.9]))
    codes = halves(1, 9)
    palette = {1: (255, 0, 0, 255), 9: (0, 255, 0, 255)}
    warp = {"dst_crs": "EPSG:3857", "resolution": 130}
    yield Family("codes that are smoothed", "code", "raster_reproject", {**warp, "uri": None}, lambda told: "resampled",
                 case(grid(codes, gdal.GDT_Byte, transform=NOWHERE, palette=palette), None, resampling="bilinear"),
                 case(grid(codes, gdal.GDT_Byte, transform=NOWHERE, palette=palette), "resampled", resampling="nearest"))
    def with_alpha(alpha):
        return lambda path: rasters.write(path, [halves(2, 5).astype("uint8"), alpha.astype("uint8")], gdal.GDT_Byte, transform=NOWHERE, options=("ALPHA=YES",))

    def mean_of_valid(told):
        d = gdal.Open(told["output"]["path"])
        return float(d.GetRasterBand(1).ReadAsArray()[d.GetRasterBand(1).GetMaskBand().ReadAsArray() != 0].mean())
    for tool, ask in (("raster_convert", {}), ("raster_query", {"geometry": [289000, 9119000, 291000, 9121000], **utm})):
        yield Family(f"bands taken by {tool} without the alpha band", "alpha|mask", tool, {**ask, "bands": [1], "output": "taken.tif", "overwrite": True}, mean_of_valid,
                     case(with_alpha(halves(0, 255)), 5.0), case(with_alpha(halves(255, 255)), 3.5))
    shares = grid(numpy.tile([[1, 0], [0, 0]], (10, 10)), gdal.GDT_Byte, transform=NOWHERE)
    coarser = {"resampling": "average", "resolution": 200}
    mean_of_file = (lambda told: float(gdal.Open(told["output"]["path"]).ReadAsArray().mean()))
    for tool, ask in (("raster_reproject", {"dst_crs": f"EPSG:{COUNTRY}"}), ("raster_query", {"geometry": [289000, 9119000, 291000, 9121000], **utm, "purpose": "green share"})):
        yield Family(f"shares of a mask by {tool}", "rounded", tool, {**coarser, **ask, "output": "shares.tif", "overwrite": True}, mean_of_file,
                     case(shares, 0.25), case(grid(numpy.tile([[1, 0], [0, 0]], (10, 10)), transform=NOWHERE), 0.25))
    yield Family("shares of classes in degrees", "alike", "raster_classify", {"breaks": [0.5]}, lambda told: told["classes"][1]["share"],
                 case(grid(halves(0, 1, 160, 2).T, epsg=4326, transform=(-180, 2.25, 0, 80, 0, -40)), None),
                 case(grid(halves(0, 1), transform=NOWHERE), 0.5))
    yield Family("a value that a type cannot hold", "clip|round|range|change|cells", "raster_convert", {"output": "out.tif", "overwrite": True}, lambda told: "converted",
                 case(grid(halves(1, 300), gdal.GDT_UInt16, transform=NOWHERE), None, dtype="Byte"),
                 case(grid(halves(1, 200), gdal.GDT_UInt16, transform=NOWHERE), "converted", dtype="Byte"))


def other(name):
    return name.replace(".tif", "-other.tif")


def pair(first, second):
    """Two files: the name of a case, and other() of it."""
    def make(path):
        first(path)
        second(other(path))
    return make


BOTH = (lambda name: {"before": name, "after": other(name)})
DIFFERENCE = (lambda told: told["bands"][0]["mean"])
PALETTE = {0: (0, 0, 0, 255), 1: (255, 0, 0, 255)}


def families_of_several():
    """Of tools that read two rasters, or points and a raster."""
    down = NOWHERE[:3] + (9119000.0, 0.0, 100.0)
    holes = halves(2, 5)
    holes[:5] = -9999
    yield Family("nodata in a difference", "nodata", "raster_compare", {"mode": "difference"}, DIFFERENCE,
                 case(pair(grid(halves(1, 1), transform=NOWHERE), grid(holes, transform=NOWHERE)), 2.5),
                 case(pair(grid(halves(1, 1), transform=NOWHERE), grid(holes, transform=NOWHERE, nodata=-9999)), 2.5), inputs=BOTH)
    yield Family("a difference of rasters in other CRSs", "CRS", "raster_compare", {"mode": "difference"}, DIFFERENCE,
                 case(pair(grid(WIDE, epsg=31985, transform=NOWHERE), grid(WIDE + 1, epsg=31984, transform=NOWHERE)), None),
                 case(pair(grid(WIDE, transform=NOWHERE), grid(WIDE + 1, transform=NOWHERE)), 1.0), inputs=BOTH)
    yield Family("a difference of rasters stored from other sides", "south", "raster_compare", {"mode": "difference"}, DIFFERENCE,
                 case(pair(grid(halves(2, 5).T, transform=NOWHERE), grid(halves(2, 5).T[::-1] + 1, transform=down)), 1.0),
                 case(pair(grid(halves(2, 5).T, transform=NOWHERE), grid(halves(2, 5).T + 1, transform=NOWHERE)), 1.0), inputs=BOTH)
    square = numpy.zeros((20, 20))
    square[5:15, 5:15] = 1
    degrees, metres = {"epsg": 4269, "transform": (10, 0.1, 0, 61, 0, -0.1)}, {"epsg": 3035, "transform": (4321000, 100, 0, 3210000, 0, -100)}
    empty = numpy.zeros((20, 20))
    yield Family("changes in degrees", "area", "raster_compare", {"mode": "classes"}, lambda told: told["changed_ha"],
                 case(pair(grid(empty, gdal.GDT_Byte, palette=PALETTE, **degrees), grid(square, gdal.GDT_Byte, palette=PALETTE, **degrees)), zone_area(59.5, 60.5, 1) / 1e4),
                 case(pair(grid(empty, gdal.GDT_Byte, palette=PALETTE, **metres), grid(square, gdal.GDT_Byte, palette=PALETTE, **metres)), 100.0), 1e-5, BOTH)
    value = (lambda told: told["samples"][0]["values"]["1"])
    at = {"strategy": "points", "points": {"type": "Point", "coordinates": [289550, 9119250], "crs": {"type": "name", "properties": {"name": "EPSG:31985"}}}}
    yield Family("a point on a raster stored from the south", "south", "raster_sample", at, value,
                 case(grid(plane(20, 20, 0, 1, 0), transform=down), 2.0), case(grid(plane(20, 20, 0, 1, 0), transform=NOWHERE), 17.0))
    yield Family("nodata at a point", "nodata|no value", "raster_sample", at, value,
                 case(grid(halves(-9999, -9999), transform=NOWHERE, nodata=-9999), None), case(grid(halves(3, 3), transform=NOWHERE, nodata=-9999), 3.0))
    yield Family("scale and offset at a point", "scale", "raster_sample", at, value,
                 case(then(grid(halves(40, 40), gdal.GDT_Int16, transform=NOWHERE), edited(scaled)), -1.0), case(grid(halves(40, 40), transform=NOWHERE), 40.0))
    joined = (lambda name: {"uris": [name, other(name)]})
    beside = (291000.0,) + NOWHERE[1:]

    def joined_mean(told):
        made = gdal.Open(told["output"]["path"])  # a band does not keep it open
        return float(made.GetRasterBand(1).ComputeStatistics(False)[2])
    merged = {"output": "merged.tif", "overwrite": True}
    yield Family("a mosaic of values that disagree", "overlap", "raster_mosaic", merged, joined_mean,
                 case(pair(grid(halves(2, 2), transform=NOWHERE), grid(halves(3, 3), transform=NOWHERE)), None),
                 case(pair(grid(halves(2, 2), transform=NOWHERE), grid(halves(3, 3), transform=beside)), 2.5), inputs=joined)
    yield Family("a mosaic of different marks of nodata", "nodata", "raster_mosaic", merged, joined_mean,
                 case(pair(grid(halves(2, -1), transform=NOWHERE, nodata=-1), grid(halves(-9, 4), transform=beside, nodata=-9)), 3.0),
                 case(pair(grid(halves(2, -1), transform=NOWHERE, nodata=-1), grid(halves(-1, 4), transform=beside, nodata=-1)), 3.0), inputs=joined)
    shifted = (289050.0,) + NOWHERE[1:]
    ramp = plane(20, 20, 5, 1, 0)
    yield Family("a mosaic of measurements and classes", "holds codes", "raster_mosaic", {**merged, "resampling": "bilinear", "overlap": "last"}, lambda told: "joined",
                 case(pair(grid(ramp, gdal.GDT_Byte, transform=NOWHERE), grid(halves(1, 9), gdal.GDT_Byte, transform=shifted, palette={1: (255, 0, 0, 255), 9: (0, 255, 0, 255)})), None),
                 case(pair(grid(ramp, gdal.GDT_Byte, transform=NOWHERE), grid(ramp, gdal.GDT_Byte, transform=shifted)), "joined"), inputs=joined)
    def nameless(path):
        rasters.write(path, [halves(2, 5)], gdal.GDT_Float32, epsg=None, transform=NOWHERE)
    yield Family("a calculation with a raster that has no CRS", "CRS", "raster_calc", {"expression": "B - A"}, lambda told: told["crs"]["code"],
                 case(pair(nameless, grid(WIDE + 1, transform=NOWHERE)), None), case(pair(grid(WIDE, transform=NOWHERE), grid(WIDE + 1, transform=NOWHERE)), f"EPSG:{COUNTRY}"),
                 inputs=lambda name: {"inputs": {"A": name, "B": other(name)}})
    ids = halves(20000001, 20000003)
    yield Family("identifiers in single precision", "Float32 rounds", "raster_calc", {"expression": "A", "dtype": "Float32"}, lambda told: told["min"],
                 case(lambda path: rasters.write(path, [ids.astype("int32")], gdal.GDT_Int32, transform=NOWHERE), 20000001.0),
                 case(lambda path: rasters.write(path, [halves(16000001, 3).astype("int32")], gdal.GDT_Int32, transform=NOWHERE), 3.0), 0, lambda name: {"inputs": {"A": name}})
    yield Family("a mosaic across CRSs", "CRS", "raster_mosaic", merged, joined_mean,
                 case(pair(grid(halves(2, 2), epsg=31985, transform=NOWHERE), grid(halves(3, 3), epsg=31984, transform=beside)), None),
                 case(pair(grid(halves(2, 2), transform=NOWHERE), grid(halves(4, 4), transform=beside)), 3.0), inputs=joined)


def families_of_more():
    """Of polygons, distances, costs, and of infinite values."""
    square = numpy.zeros((20, 20))
    square[5:15, 5:15] = 1
    outline = {"values": [1], "output": "outlines.gpkg", "overwrite": True}
    area = (lambda told: told["area_m2"])
    yield Family("polygons measured in degrees", "area", "raster_polygonize", outline, area,
                 case(grid(square, gdal.GDT_Byte, epsg=4269, transform=(10, 0.1, 0, 61, 0, -0.1)), zone_area(59.5, 60.5, 1)),
                 case(grid(square, gdal.GDT_Byte, epsg=3035, transform=(4321000, 100, 0, 3210000, 0, -100)), 1e6))
    ring = square.copy()
    ring[8:12, 8:12] = 0
    yield Family("a hole in an outlined patch", "hole", "raster_polygonize", outline, area,
                 case(grid(ring, gdal.GDT_Byte, epsg=3035, transform=(4321000, 100, 0, 3210000, 0, -100)), 84e4),
                 case(grid(square, gdal.GDT_Byte, epsg=3035, transform=(4321000, 100, 0, 3210000, 0, -100)), 1e6))
    target = numpy.zeros((20, 20))
    target[0, 0] = 1
    far = (lambda told: told["max"])
    corner = math.hypot(19, 19)
    yield Family("distances in degrees", "length", "raster_distance", {}, far,
                 case(grid(target, gdal.GDT_Byte, epsg=4269, transform=(10, 0.1, 0, 61, 0, -0.1)), None),
                 case(grid(target, gdal.GDT_Byte, transform=NOWHERE), 100 * corner))
    yield Family("distances in Web Mercator", "corrected", "raster_distance", {}, far,
                 case(grid(target, gdal.GDT_Byte, epsg=3857, transform=(0, 10, 0, 8399738, 0, -10)), 10 * corner * math.cos(math.radians(60))),
                 case(grid(target, gdal.GDT_Byte, epsg=32631, transform=(500000, 10, 0, 5000000, 0, -10)), 10 * corner), tolerance=1e-3)
    yield Family("distances in feet", "feet|foot", "raster_distance", {}, far,
                 case(grid(target, gdal.GDT_Byte, epsg=FT, transform=NY), 100 * US_FOOT * corner),
                 case(grid(target, gdal.GDT_Byte, epsg=32618, transform=(500000, 100, 0, 4500000, 0, -100)), 100 * corner))
    row = numpy.full((1, 11), 2.0)

    def start(x, y, epsg):
        return {"geometry": {"type": "Point", "coordinates": [x, y]}, "geometry_crs": f"EPSG:{epsg}"}
    yield Family("costs in feet", "feet|foot", "raster_cost", {}, far,
                 case(grid(row, epsg=FT, transform=NY), 2 * 1000 * US_FOOT, **start(980050, 199950, FT)),
                 case(grid(row, transform=NOWHERE), 2000.0, **start(289050, 9120950, COUNTRY)))
    gap = row.copy()
    gap[0, 5] = -9999
    yield Family("costs across a gap", "reached|barrier|nodata", "raster_cost", {}, far,
                 case(grid(gap, transform=NOWHERE, nodata=-9999), 800.0, **start(289050, 9120950, COUNTRY)),
                 case(grid(row, transform=NOWHERE, nodata=-9999), 2000.0, **start(289050, 9120950, COUNTRY)))
    endless = plane(20, 20, 100)
    endless[10, 10] = numpy.inf
    yield Family("infinite heights", "infinite", "raster_terrain", {"measure": "slope", "z_factor": 1}, far,
                 case(grid(endless, transform=NOWHERE), 45.0), case(grid(plane(20, 20, 100), transform=NOWHERE), 45.0))
    yield Family("infinite cells in a window", "infinite", "raster_focal", {"statistic": "max"}, far,
                 case(grid(endless, transform=NOWHERE), 2000.0), case(grid(plane(20, 20, 100), transform=NOWHERE), 2000.0))
    yield Family("infinite cells as targets", "infinite", "raster_distance", {}, lambda told: told["target_count"],
                 case(grid(numpy.where(target == 1, numpy.inf, square), transform=NOWHERE), 100.0), case(grid(square, transform=NOWHERE), 100.0))


def dem_with(value):
    """Heights that rise by 10 a column, 45° where a cell is 10 m wide, with a hole of `value` in place of a height."""
    heights = plane(20, 20, 10, 0, 1000)
    heights[5:9, 5:9] = value
    return heights


TEN = (289000.0, 10.0, 0.0, 9121000.0, 0.0, -10.0)


def least_of_file(told):
    d = gdal.Open(told["output"]["path"])
    cells = d.ReadAsArray()
    return float(cells[cells != d.GetRasterBand(1).GetNoDataValue()].min())


def families_of_marks():
    """A value that stands for nothing, without the tag that says so, and its twin with the tag."""
    most, mean_of = (lambda told: told["max"]), (lambda told: told.get("mean"))
    for value in (-9999, 0, -32768):
        bare, tagged = grid(dem_with(value), transform=TEN), grid(dem_with(value), transform=TEN, nodata=value)
        for tool, ask, read, truth in (("raster_terrain", {"measure": "slope"}, most, 45.0),
                                       ("raster_terrain", {"measure": "tri"}, most, math.sqrt(600)),
                                       ("raster_curvature", {"measure": "profile"}, most, 0.0),
                                       ("raster_focal", {"statistic": "range", "size": 3}, most, 20.0)):
            what = ask.get("measure") or ask["statistic"]
            yield Family(f"{what} beside {value} without a tag", "nodata", tool, ask, read, case(bare, truth), case(tagged, truth), 1e-5)
        yield Family(f"a sum with {value} without a tag", "nodata", "raster_calc", {"expression": "A + 1"}, lambda told: told["min"],
                     case(bare, 1001.0), case(tagged, 1001.0), inputs=lambda name: {"inputs": {"A": name}})
        for tool, ask, read, truth in (("raster_stats", {}, lambda told: told["bands"][0]["max"] - told["bands"][0]["min"], 190.0),
                                       ("raster_classify", {"breaks": [1100]}, lambda told: told["classes"][0]["count"], 184),
                                       ("raster_sample", {"strategy": "random", "n": 384}, lambda told: told["bands"][0]["min"], 1000.0)):
            yield Family(f"{tool} with {value} without a tag", "nodata", tool, ask, read, case(bare, truth), case(tagged, truth))
        yield Family(f"a difference with {value} without a tag", "nodata", "raster_compare", {"mode": "difference"}, lambda told: told["bands"][0]["max"],
                     case(pair(bare, grid(plane(20, 20, 10, 0, 1000), transform=TEN)), 0.0),
                     case(pair(tagged, grid(plane(20, 20, 10, 0, 1000), transform=TEN)), 0.0), inputs=BOTH)
        yield Family(f"a reprojection over {value} without a tag", "nodata", "raster_reproject",
                     {"dst_crs": f"EPSG:{COUNTRY}", "resolution": 5, "resampling": "bilinear", "output": "finer.tif", "overwrite": True},
                     least_of_file, case(bare, 1000.0), case(tagged, 1000.0), 1e-2)
    single = grid(plane(20, 1, 0, 10), transform=TEN)
    yield Family("the slope of one column", "3 × 3", "raster_terrain", {"measure": "slope"}, mean_of,
                 case(single, 45.0), case(grid(plane(20, 3, 0, 10), transform=TEN), 45.0), 1e-5)


def doubted(name, defect, tool, ask, trap, twin, inputs=lambda name: {"uri": name}):
    """A family in which nothing but the warning tells the trap from the twin, whose answer must be silent."""
    return Family(name, defect, tool, {"output": "out.tif", "overwrite": True, **ask}, lambda told: "done", (trap, None, {}), (twin, "done", {}), inputs=inputs, silent=True)


def declared(make, unit="", scale=None, name=""):
    def change(d):
        band = d.GetRasterBand(1)
        band.SetUnitType(unit)
        band.SetDescription(name)
        if scale:
            band.SetScale(scale)
    return then(make, edited(change))


def families_of_meaning():
    """Numbers that are not what a tool takes them for."""
    slow, held = plane(20, 20, 1, 1, 5), plane(20, 20, 1, 1, 5)
    held[5:9, 5:9] = 9999
    codes = grid(halves(1, 9), gdal.GDT_Byte, transform=NOWHERE, palette={1: (255, 0, 0, 255), 9: (0, 255, 0, 255)})
    patches = grid(numpy.random.default_rng(4).choice([11, 41, 82], (20, 20)), gdal.GDT_Byte, transform=NOWHERE)
    clean = grid(slow, transform=NOWHERE)
    angles = declared(clean, "degree")
    start = {"geometry": {"type": "Point", "coordinates": [289050, 9120950]}, "geometry_crs": f"EPSG:{COUNTRY}"}
    yield doubted("costs of 9999", "nodata", "raster_cost", start, grid(held, transform=NOWHERE), clean)
    yield doubted("costs that are angles", "direction", "raster_cost", start, angles, clean)
    yield doubted("costs that look like codes", "codes", "raster_cost", start, patches, clean)
    yield doubted("costs that are speeds", "speed", "raster_cost", start, declared(clean, "km/h"), declared(clean, "min/m"))
    zones = {"stats": ["weighted_mean"], "zones_crs": f"EPSG:{COUNTRY}", "zones": {
        "type": "Polygon", "coordinates": [[[289000, 9119000], [291000, 9119000], [291000, 9121000], [289000, 9121000], [289000, 9119000]]]}}
    weighed = (lambda name: {"raster": name, "weights": other(name), "output": "out.csv"})
    for kind, bad in (("codes", codes), ("direction", angles)):
        yield doubted(f"weights of a mean that are {kind}", f"{kind}.*no weight", "aggregate_zonal", zones, pair(clean, bad), pair(clean, clean), inputs=weighed)
    joined = (lambda name: {"uris": [name, other(name)]})
    hole = plane(20, 20, 1, 1, 500)
    hole[5:9, 5:9] = -9999
    whole = grid(plane(20, 20, 1, 1, 500), transform=NOWHERE)
    yield doubted("a mark averaged in an overlap", "nodata value", "raster_mosaic", {"overlap": "mean"}, pair(grid(hole, transform=NOWHERE), whole), pair(grid(hole, transform=NOWHERE, nodata=-9999), whole), joined)
    yield doubted("codes averaged in an overlap", "codes", "raster_mosaic", {"overlap": "mean"}, pair(patches, patches), pair(clean, clean), joined)

    def beside_codes(path):
        codes_2 = numpy.random.default_rng(4).choice([11, 41, 82], (20, 20))
        rasters.write(path, [slow.astype("uint8"), codes_2.astype("uint8")], gdal.GDT_Byte, transform=NOWHERE)
    yield doubted("codes of a second band averaged in an overlap", "band 2 of .*codes", "raster_mosaic", {"overlap": "mean"}, pair(beside_codes, beside_codes), pair(clean, clean), joined)

    east = grid(halves(1, 1), gdal.GDT_Byte, transform=NOWHERE)
    for kind, bad in (("nodata value", grid(hole, transform=NOWHERE)), ("no weight", codes), ("no weight", angles), ("below 0", grid(slow - 20, transform=NOWHERE))):
        yield doubted(f"weights of flow with {kind}", kind, "hydro_flow_accumulation", {"encoding": "esri"}, pair(east, bad), pair(east, clean), lambda name: {"uri": name, "weights": other(name)})
    yield doubted("wetness over a mark", "nodata value", "hydro_index", {"measure": "twi", "encoding": "esri"}, pair(east, grid(hole, transform=NOWHERE)), pair(east, whole), lambda name: {"directions": name, "dem": other(name)})

    def two(expression):
        return {"expression": expression}
    names = (lambda name: {"inputs": {"A": name, "B": other(name)}})
    one = (lambda name: {"inputs": {"A": name}})
    flags = declared(grid(halves(2048, 4096), gdal.GDT_UInt16, transform=NOWHERE), name="QA_PIXEL")
    mask = grid(halves(0, 1), gdal.GDT_Byte, transform=NOWHERE, palette={0: (0, 0, 0, 255), 1: (255, 0, 0, 255)})
    whole_numbers = grid(halves(3000, 7000), gdal.GDT_Int16, transform=NOWHERE)
    yield doubted("arithmetic with codes", "codes", "raster_calc", two("A * 1.5"), codes, clean, one)
    yield doubted("codes that are compared", "codes", "raster_calc", two("(A + B) / 2"), pair(codes, codes), pair(mask, mask), names)
    yield doubted("arithmetic with quality bits", "quality bits", "raster_calc", two("A * 2"), flags, clean, one)
    yield doubted("a mean of angles", "angles", "raster_calc", two("(A + B) / 2"), pair(angles, angles), pair(clean, clean), names)
    yield doubted("a sine of degrees", "radians", "raster_calc", two("sin(A)"), angles, declared(clean, "rad"), one)
    yield doubted("degrees Celsius from kelvins", "in K and °C", "raster_calc", two("A - B"), pair(declared(clean, "K"), declared(clean, "°C")), pair(declared(clean, "K"), declared(clean, "K")), names)
    yield doubted("metres and feet compared", "in m and ft", "raster_calc", two("A > B"), pair(declared(clean, "m"), declared(clean, "ft")), pair(declared(clean, "m"), declared(clean, "metre")), names)
    yield doubted("a scale applied twice", "applied already", "raster_calc", two("A * 0.001"), declared(whole_numbers, scale=0.001), whole_numbers, one)
    stored = pair(declared(whole_numbers, scale=0.001), whole_numbers)
    alike = pair(declared(whole_numbers, scale=0.001), declared(whole_numbers, scale=0.01))
    yield doubted("a scale on one side", "declares none", "raster_calc", two("A - B"), stored, alike, names)
    yield doubted("a scale on one side of a difference", "declares none", "raster_compare", {"mode": "difference"}, stored, alike, BOTH)
    yield doubted("a scale on one date", "declares none", "aggregate_temporal", {"statistic": "max"}, stored, alike, joined)
    density = {"statistic": "sum"}
    yield doubted("a sum of densities in a window", "per place", "raster_focal", density, declared(clean, "people/km2"), declared(clean, "people"))
    coarser = {"dst_crs": f"EPSG:{COUNTRY}", "resolution": 200, "resampling": "sum"}
    yield doubted("a sum of heights by resampling", "per place", "raster_reproject", coarser, declared(clean, "m"), declared(clean, "people"))
    overviews = {"overviews": [2], "overview_resampling": "average"}
    yield doubted("an average of marks in overviews", "nodata value", "raster_convert", overviews, grid(hole, transform=NOWHERE), grid(hole, transform=NOWHERE, nodata=-9999))
    yield doubted("an average of angles in overviews", "angles", "raster_convert", overviews, angles, clean)
    marked = numpy.random.default_rng(4).choice([11, 41, 82], (20, 20))
    marked[5:9, 5:9] = -9999
    bare, tagged = (grid(marked, gdal.GDT_Int16, transform=NOWHERE, **how) for how in ({}, {"nodata": -9999}))
    for what, tool, ask, inputs in (
            ("a majority of cells", "raster_focal", {"statistic": "majority", "size": 3}, None),
            ("outlines of cells", "raster_polygonize", {"output": "out.gpkg"}, None),
            ("the commonest of cells", "raster_reproject", {"dst_crs": f"EPSG:{COUNTRY}", "resolution": 200, "resampling": "mode"}, None),
            ("changes of cells", "raster_compare", {"mode": "classes"}, BOTH),
            ("a majority in a zone", "aggregate_zonal", {**zones, "stats": ["majority"], "output": "out.csv"}, lambda name: {"raster": name}),
            ("a count in a zone", "aggregate_zonal", {**zones, "stats": ["count"], "output": "out.csv"}, lambda name: {"raster": name})):
        a, b = (pair(bare, bare), pair(tagged, tagged)) if inputs is BOTH else (bare, tagged)
        yield doubted(f"{what} with a mark", "nodata value", tool, ask, a, b, **({"inputs": inputs} if inputs else {}))
    yield doubted("another value declared than the mark", "nodata value", "raster_convert", {"nodata": -99}, grid(hole, transform=NOWHERE), whole)

    def doubles(path):
        rasters.write(path, [1e7 + plane(20, 20, 0.01, 0.001, 0).astype(float)], gdal.GDT_Float64, transform=NOWHERE)
    yield doubted("small differences of large numbers", "steps of 1,", "raster_calc", {**two("A + 0"), "dtype": "Float32"}, doubles, clean, one)
    ids = [points_of([(289000 + 100 * i, 9119000, first + i) for i in range(5)]) for first in (9007199254740993, 1)]
    layer = (lambda name: {"uri": name.replace(".tif", ".gpkg")})
    yield doubted("numbers beyond 2^53 on a grid", "may become one", "raster_rasterize", {"attribute": "value", "resolution": 100}, *ids, layer)
    there = [points_of([(289000 + 100 * i, 5100000, i) for i in range(5)], crs) for crs in (3857, 32633)]
    yield doubted("distances in units of Web Mercator", "the scale of", "vector_buffer", {"distance": 10, "unit": "crs", "output": "out.gpkg"}, *there, layer)


def sum_of_file(told):
    made = gdal.Open(told["output"]["path"])
    return float(made.ReadAsArray().astype(float).sum())


def families_of_overviews():
    """Overviews are of another method than is asked for, or of an earlier time than the cells."""
    counts = numpy.arange(4096.0).reshape(64, 64)
    place = (289000.0, 10.0, 0.0, 9121000.0, 0.0, -10.0)

    def old_overviews(d):
        d.BuildOverviews("NEAREST", [2, 4])
        band = d.GetRasterBand(1)
        for i in range(band.GetOverviewCount()):
            band.GetOverview(i).Fill(-500)
    plain = grid(counts, transform=place)
    looked_up = then(plain, edited(old_overviews))
    written = {"output": "coarser.tif", "overwrite": True}
    box = [289000, 9120360, 289640, 9121000]
    for tool, ask, inputs in (
            ("raster_reproject", {"dst_crs": f"EPSG:{COUNTRY}", "resolution": 40, "resampling": "sum", **written}, lambda name: {"uri": name}),
            ("raster_query", {"geometry": box, "geometry_crs": f"EPSG:{COUNTRY}", "resolution": 40, "resampling": "sum", **written}, lambda name: {"uri": name})):
        yield Family(f"a total by {tool} over old overviews", "overview", tool, ask, sum_of_file, case(looked_up, 8386560.0), case(plain, 8386560.0), inputs=inputs)
    for tool, ask, inputs in (
            ("gdalwarp", {"t_srs": f"EPSG:{COUNTRY}", "tr": [40, 40], "r": "average", "dst_dataset": "coarser.tif", "overwrite": True}, lambda name: {"src_datasets": [name]}),
            ("gdal_translate", {"outsize": [16, 16], "resample_alg": "average", "dst_dataset": "coarser.tif", "overwrite": True}, lambda name: {"src_dataset": name})):
        yield Family(f"means by {tool} over old overviews", "overview", tool, ask, sum_of_file, case(looked_up, 8386560 / 16), case(plain, 8386560 / 16), inputs=inputs)


def families_of_directions():
    """Places beyond 180°, and a north that is not the map's."""
    def from_west(west):
        return grid(numpy.arange(72 * 60.0).reshape(60, 72), epsg=4326, transform=(west, 0.001, 0, -16.5, 0, -0.001))
    near, away = from_west(179.97), from_west(169.97)
    for west, east, twin, cells in ((179.98, -179.99, (169.98, 170.01), 600), (-179.99, -179.98, (170.01, 170.02), 200)):
        yield Family(f"a shape from {west} to {east} on a raster that ends at 180.04", "outside", "raster_stats", {"percentiles": []},
                     lambda told: told["bands"][0]["valid_count"], case(near, cells, geometry=[west, -16.53, east, -16.51]),
                     case(away, cells, geometry=[twin[0], -16.53, twin[1], -16.51]))
    steps = numpy.arange(400.0).reshape(20, 20)

    def span(told):
        cells = gdal.Open(told["output"]["path"]).ReadAsArray()
        return float(numpy.nanmax(cells) - numpy.nanmin(cells))
    for west in (820000, 500000):
        here = grid(steps, epsg=32760, transform=(west, 30, 0, 8167000, 0, -30))
        yield Family(f"from {west} m of UTM zone 60 to degrees", "antimeridian", "raster_reproject",
                     {"dst_crs": "EPSG:4326", "resampling": "nearest", "output": "degrees.tif", "overwrite": True}, span, case(here, 399.0), case(here, 399.0))
    corners = [gdal.GCP(289000 + 1000 * c, 9121000 - 1000 * r, 0, 10 * c, 10 * r) for c in (0, 2) for r in (0, 2)]

    def by_points(cells, dtype):
        def make(path):
            d = gdal.GetDriverByName("GTiff").Create(path, 20, 20, 1, dtype)
            d.GetRasterBand(1).WriteArray(cells)
            d.GetRasterBand(1).SetNoDataValue(0)
            reference = osr.SpatialReference()
            reference.ImportFromEPSG(COUNTRY)
            d.SetGCPs(corners, reference)
        return make
    codes, heights = (halves(1, 9), gdal.GDT_Byte), (plane(20, 20, 1.5, 0.3), gdal.GDT_Float32)
    for tool, ask, data in (("raster_focal", {"statistic": "majority", "size": 3}, codes), ("raster_sieve", {"min_size": 4}, codes),
                            ("raster_fill_nodata", {"max_distance": 3}, heights)):
        yield doubted(f"{tool} of cells placed by control points", "ground control points", tool, ask, by_points(*data), grid(*data, transform=NOWHERE, nodata=0))
    falling = plane(20, 20, 0, 10, 500)
    yield Family("aspect far from the central meridian", "true north", "raster_terrain", {"measure": "aspect", "output": "aspect.tif", "overwrite": True},
                 lambda told: float(gdal.Open(told["output"]["path"]).ReadAsArray()[10, 10]),
                 case(grid(falling, epsg=5070, transform=(-2000000, 100, 0, 3000000, 0, -100)), None), case(grid(falling, epsg=32633, transform=(500000, 100, 0, 5600000, 0, -100)), 0.0),
                 silent=True)


def families_of_heights():
    """Values that PROJ would shift by the geoid, 30 to 60 m here, though nobody asked."""
    def above(code):
        def change(d):
            reference = osr.SpatialReference()
            reference.SetFromUserInput(f"EPSG:32633+{code}")
            d.SetSpatialRef(reference)
        return edited(change)
    place = (400000.0, 100.0, 0.0, 5600000.0, 0.0, -100.0)
    flat = grid(numpy.full((20, 20), 500.0), epsg=32633, transform=place)
    egm96, egm2008 = then(flat, above(5773)), then(flat, above(3855))

    def first_of_file(told):
        return float(gdal.Open(told["output"]["path"]).ReadAsArray()[0, 0])
    to = {"resampling": "nearest", "output": "there.tif", "overwrite": True}
    for name, trap, crs in (("heights to a CRS without any", egm96, "EPSG:32633"), ("values to a CRS with heights", flat, "EPSG:32633+5773")):
        yield Family(name, "vertical", "raster_reproject", {"dst_crs": crs, **to}, first_of_file, case(trap, 500.0), case(flat, 500.0, dst_crs="EPSG:32633"))
    yield Family("heights by gdalwarp to a CRS without any", "vertical", "gdalwarp", {"t_srs": "EPSG:32633", "dst_dataset": "there.tif", "overwrite": True}, first_of_file,
                 case(egm96, 500.0), case(flat, 500.0), inputs=lambda name: {"src_datasets": [name]})
    for tool, ask, inputs, read in (
            ("raster_mosaic", {"overlap": "mean", "output": "there.tif", "overwrite": True}, lambda name: {"uris": [name, other(name)]}, first_of_file),
            ("aggregate_fuse", {"methods": ["copy", "nearest"], "output": "fused.tif", "overwrite": True}, lambda name: {"uris": [name, other(name)], "align_to": name},
             lambda told: float(gdal.Open(told["output"]["path"]).ReadAsArray()[1, 0, 0])),
            ("raster_compare", {"mode": "difference"}, BOTH, lambda told: told["bands"][0]["max"] + 500)):
        yield Family(f"{tool} of heights above two geoids", "different surfaces", tool, ask, read, case(pair(egm96, egm2008), None), case(pair(egm96, egm96), 500.0), inputs=inputs)


def families_of_stored_heights():
    """Transformations of heights that GDAL makes of stored values, or in another unit than the result declares."""
    def with_unit(unit):
        return edited(lambda d: d.GetRasterBand(1).SetUnitType(unit))

    west = {"epsg": 32611, "transform": (400000.0, 100.0, 0.0, 3800000.0, 0.0, -100.0)}

    def above_navd88(d):
        reference = osr.SpatialReference()
        reference.SetFromUserInput("EPSG:32611+5703")
        d.SetSpatialRef(reference)

    def first_with_unit(told):
        d = gdal.Open(told["output"]["path"])
        return f"{d.ReadAsArray()[0, 0]:.3f} {d.GetRasterBand(1).GetUnitType()}"
    to = {"resampling": "nearest", "output": "there.tif", "overwrite": True}
    heights = (lambda value: then(grid(numpy.full((20, 20), value), **west), edited(above_navd88)))
    metres = then(heights(500.0), with_unit("m"))
    in_feet = f"{500 / US_FOOT:.3f} US survey foot"
    for tool, ask, inputs in (("raster_reproject", {"dst_crs": "EPSG:32611+6360", **to}, lambda name: {"uri": name}),
                              ("gdalwarp", {"t_srs": "EPSG:32611+6360", "dst_dataset": "there.tif", "overwrite": True}, lambda name: {"src_datasets": [name]})):
        yield Family(f"{tool} to heights in feet", "unit", tool, ask, first_with_unit, case(metres, in_feet), case(metres, in_feet), inputs=inputs)
    yield Family("temperatures to a CRS of heights in feet", "though their unit is 'C'", "raster_reproject", {"dst_crs": "EPSG:32611+6360", **to}, first_with_unit,
                 case(then(heights(15.0), with_unit("C")), "15.000 C"), case(metres, in_feet))
    yield Family("heights in a unit that GDAL does not convert", "though their unit is 'cm'", "raster_reproject", {"dst_crs": "EPSG:32611+6360", **to}, first_with_unit,
                 case(then(heights(500.0), with_unit("cm")), "500.000 cm"), case(metres, in_feet))
    codes = then(heights(15.0), edited(lambda d: d.GetRasterBand(1).SetCategoryNames(["a", "b"])))
    yield Family("class codes to a CRS of heights in feet", "codes of classes", "raster_reproject", {"dst_crs": "EPSG:32611+6360", **to}, first_with_unit, case(codes, "15.000 "), case(metres, in_feet))

    def above_egm96(d):
        reference = osr.SpatialReference()
        reference.SetFromUserInput("EPSG:32633+5773")
        d.SetSpatialRef(reference)
    geoid = then(grid(numpy.full((20, 20), 500.0), epsg=32633, transform=(400000.0, 100.0, 0.0, 5600000.0, 0.0, -100.0)), edited(above_egm96))
    high = then(grid(numpy.full((20, 20), 230), gdal.GDT_Byte, epsg=32633, transform=(400000.0, 100.0, 0.0, 5600000.0, 0.0, -100.0)), edited(above_egm96))

    yield Family("heights beyond the type of whole numbers", "whole numbers", "raster_reproject", {"dst_crs": "EPSG:4979", **to},
                 lambda told: round(float(gdal.Open(told["output"]["path"]).ReadAsArray()[10, 10])), case(high, 275), case(geoid, 545))
    yield Family("stored heights to another vertical CRS", "stored values", "raster_reproject", {"dst_crs": "EPSG:4979", **to}, lambda told: "done",
                 case(then(geoid, edited(lambda d: (above_egm96(d), scaled(d)))), None), case(geoid, "done"))
    facing = grid(plane(20, 20, 10), transform=NOWHERE)
    yield doubted("directions in another CRS", "do so in the old CRS", "raster_reproject", {"dst_crs": "EPSG:3857", "resampling": "nearest"},
                  declared(facing, unit="degrees"), declared(facing, unit="m"))
    people = edited(lambda d: d.GetRasterBand(1).SetOffset(-10))
    counts = grid(numpy.full((20, 20), 30.0), transform=NOWHERE)
    for method, truth in (("sum", 120.0), ("rms", 30.0)):
        yield Family(f"{method} of stored values with an offset", "offset", "raster_reproject", {"dst_crs": "EPSG:31985", "resampling": method, "resolution": 200, "output": "there.tif", "overwrite": True},
                     lambda told: float(gdal.Open(told["output"]["path"]).ReadAsArray()[0, 0]), case(then(counts, people), None), case(counts, truth))
        if method == "sum":
            holed = numpy.full((20, 20), 30.0)
            holed[0, 0] = numpy.nan
            pooled = {"dst_crs": "EPSG:31985", "resampling": "sum", "resolution": 200, "output": "there.tif", "overwrite": True}
            yield Family("sums beside an undeclared NaN", "NaN", "raster_reproject", pooled, lambda told: float(gdal.Open(told["output"]["path"]).ReadAsArray()[0, 0]),
                         case(grid(holed, transform=NOWHERE), 90.0), case(counts, truth))
            yield Family("sums on cells that end before the raster", "totals there are lost", "raster_reproject", pooled, lambda told: "done",
                         case(counts, None, resolution=320), case(counts, "done"), silent=True)
            ids = numpy.repeat(numpy.repeat(numpy.arange(100).reshape(10, 10), 2, 0), 2, 1)
            yield Family("the commonest of ids that Float32 joins", "compares as Float32", "raster_reproject", {**pooled, "resampling": "mode"},
                         lambda told: float(gdal.Open(told["output"]["path"]).ReadAsArray()[0, 1] % 1000),
                         case(grid(ids + 2**24, gdal.GDT_UInt32, transform=NOWHERE), None), case(grid(ids, gdal.GDT_UInt32, transform=NOWHERE), 1.0))
            yield Family("sums that their type cannot hold", "beyond its type", "raster_reproject", {"dst_crs": "EPSG:31985", "resampling": "sum", "resolution": 200, "output": "there.tif", "overwrite": True},
                         lambda told: float(gdal.Open(told["output"]["path"]).ReadAsArray()[0, 0]), case(grid(numpy.full((20, 20), 10000), gdal.GDT_Int16, transform=NOWHERE), 40000.0), case(counts, truth))
        yield Family(f"{method} of stored values with an offset in a query", "offset", "raster_query", {"geometry": [289000, 9120000, 290000, 9121000], "geometry_crs": "EPSG:31985", "resampling": method, "resolution": 200, "output": "there.tif", "overwrite": True},
                     lambda told: float(gdal.Open(told["output"]["path"]).ReadAsArray()[0, 0]), case(then(counts, people), None), case(counts, truth))


def families_of_places():
    """Coordinates that do not fit their CRS: degrees under metres."""
    degrees = (-34.9, 0.001, 0, -8, 0, -0.001)
    heights, square = plane(20, 20, 10), numpy.zeros((20, 20))
    square[5:15, 5:15] = 1
    for tool, ask, cells in (("raster_contour", {"interval": 50, "output": "out.gpkg"}, heights), ("raster_curvature", {"measure": "profile"}, heights),
                             ("raster_distance", {}, square), ("hydro_condition", {"method": "fill"}, heights)):
        yield doubted(f"{tool} of degrees under metres", "does not fit its CRS", tool, ask, grid(cells, transform=degrees), grid(cells, transform=NOWHERE))
    away = points_of([(-34.9 + i / 1000, -8, i) for i in range(5)])
    near = points_of([(289000 + 100 * i, 9119000, i) for i in range(5)])
    layer = (lambda name: {"uri": name.replace(".tif", ".gpkg")})
    yield Family("points of degrees under metres on a grid", "fit its CRS", "raster_rasterize", {"attribute": "value", "output": "out.tif", "overwrite": True},
                 lambda told: "done", case(away, None, resolution=0.001), case(near, "done", resolution=100), inputs=layer, silent=True)
    yield doubted("buffers of degrees under metres", "fit their CRS", "vector_buffer", {"distance": 10, "output": "out.gpkg"}, away, near, layer)


def points_of(cells, crs=COUNTRY):
    """A layer of points (x, y, value)."""
    def make(path):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(path.replace(".tif", ".gpkg"))
        layer = made.CreateLayer("points", rasters.crs(crs), ogr.wkbPoint)
        layer.CreateField(ogr.FieldDefn("value", ogr.OFTReal))
        for x, y, value in cells:
            f = ogr.Feature(layer.GetLayerDefn())
            if value is not None:
                f["value"] = float(value)
            f.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x} {y})"))
            layer.CreateFeature(f)
        del made
    return make


def families_of_points():
    """Of interpolation: the values lie on a plane, which triangles reproduce."""
    def on_plane(east, north, unit=1.0):
        return [(east + 100 * c * unit, north + 100 * r * unit, 100 + 2 * c + r) for r in range(6) for c in range(6)]
    inside = (lambda told: told["max"])
    linear = {"attribute": "value", "method": "linear"}
    layer = (lambda name: {"uri": name.replace(".tif", ".gpkg")})
    metres = {"resolution": 100, "bounds": [289050, 9119050, 289450, 9119450]}
    flat = on_plane(289000, 9119000)
    yield Family("points in degrees", "not lengths|projected", "raster_interpolate", linear, inside,
                 case(points_of([(-35 + x / 1e4, -8 + y / 1e4, v) for x, y, v in on_plane(0, 0)], 4326), None, resolution=0.01),
                 case(points_of(flat), 112.0, **metres), inputs=layer)
    # The next point is half a diagonal away: 71 m, 22 m in feet, 35 m at 60° in Web Mercator.
    feet = {"resolution": 100, "bounds": [980000, 199000, 980400, 199400], "method": "nearest", "radius": 30}
    between = {"resolution": 100, "bounds": [289000, 9119000, 289400, 9119400], "method": "nearest", "radius": 80}
    yield Family("a radius in metres over feet", "feet|foot|nodata", "raster_interpolate", {"attribute": "value"}, lambda told: told["valid_count"],
                 case(points_of(on_plane(980000, 199000), FT), 16, **feet), case(points_of(flat), 16, **between), inputs=layer)
    twice = flat + [(x, y, v + 50) for x, y, v in flat[14:15]]
    yield Family("two values at one place", "share a place|averaged", "raster_interpolate", linear, inside,
                 case(points_of(twice), 112.0, **metres), case(points_of(flat + flat[:1]), 112.0, **metres), inputs=layer)
    marked = [(x, y, -9999 if i in (14, 21) else v) for i, (x, y, v) in enumerate(flat)]
    yield Family("a mark of missing values among points", "-9999|missing", "raster_interpolate", linear, lambda told: told["min"],
                 case(points_of(marked), 103.0, **metres), case(points_of([(x, y, None if v == -9999 else v) for x, y, v in marked]), 103.0, **metres), inputs=layer)
    mercator = {"resolution": 100, "bounds": [0, 8399738, 400, 8400138], "method": "nearest", "radius": 40}
    yield Family("a radius in Web Mercator", "corrected|stretch|metres|length", "raster_interpolate", {"attribute": "value"}, lambda told: told["valid_count"],
                 case(points_of(on_plane(0, 8399738), 3857), 16, **mercator), case(points_of(flat), 16, **between), inputs=layer)
    away = [(289000, 9119000, 1), (289100, 9119000, 2), (289000, 9119100, 3)]
    yield Family("cells outside the hull of the points", "hull|no cell", "raster_interpolate", linear, lambda told: told["valid_count"],
                 case(points_of(away), 0, resolution=10, bounds=[289200, 9119200, 289300, 9119300]), case(points_of(flat), 16, **metres), inputs=layer)


class raster_traps(Traps):
    def test_no_wrong_number_looks_right(self):
        self.run_all((*families(), *families_of_several(), *families_of_more(), *families_of_marks(), *families_of_points(), *families_of_meaning(), *families_of_places(), *families_of_overviews(), *families_of_heights(), *families_of_stored_heights(), *families_of_directions()))


if __name__ == "__main__":
    session.main()
