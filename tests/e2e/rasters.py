"""Small datasets made by script (Debian's python3-gdal), and how two rasters are compared."""
import os
import shutil
import subprocess

import numpy
from osgeo import gdal, ogr, osr

gdal.UseExceptions()
ogr.UseExceptions()
osr.UseExceptions()

DEMO_DATA = os.environ.get("GDAL_MCP_DEMO_DATA", "")
TEST_DATA = os.environ.get("GDAL_MCP_TEST_DATA", "")

UTM = 31985  # SIRGAS 2000 / UTM zone 25S, metres


def real_months(test):
    """Copies a netCDF of twelve months of temperatures to real.nc in the workspace of a test, which is skipped without the data: its cells,
    NaN where there are none, and its geotransform."""
    path = os.path.join(TEST_DATA, "netcdf", "bcsd_obs_1999.nc")
    if not os.path.exists(path):
        test.skipTest("no real data")
    shutil.copy(path, test.path("real.nc"))
    raster = gdal.Open(f'NETCDF:"{path}":tas')
    stack = raster.ReadAsArray().astype("float64")
    stack[stack == raster.GetRasterBand(1).GetNoDataValue()] = numpy.nan
    return stack, raster.GetGeoTransform()


def crs(code):
    reference = osr.SpatialReference()
    reference.SetFromUserInput(code if isinstance(code, str) else f"EPSG:{code}")
    reference.SetAxisMappingStrategy(osr.OAMS_TRADITIONAL_GIS_ORDER)
    return reference


def waves(width, height, low, high, seed=1):
    """A surface with slopes in every direction and a little noise, within [low, high]."""
    y, x = numpy.mgrid[0:height, 0:width]
    z = numpy.sin(x / 17.0) + numpy.cos(y / 11.0) + numpy.sin((x + 2 * y) / 29.0)
    z += 0.05 * numpy.random.default_rng(seed).standard_normal(z.shape)
    z = (z - z.min()) / (z.max() - z.min())
    return low + z * (high - low)


def pixels_of(png):
    """The pixels of a PNG file's bytes, [4, rows, columns], whether it has a palette or not."""
    gdal.FileFromMemBuffer("/vsimem/picture.png", png)
    picture = gdal.Open("/vsimem/picture.png")
    cells = picture.ReadAsArray()
    palette = picture.GetRasterBand(1).GetColorTable()
    if palette:
        cells = numpy.array([palette.GetColorEntry(i) for i in range(palette.GetCount())], "uint8")[cells].transpose(2, 0, 1)
    del picture
    gdal.Unlink("/vsimem/picture.png")
    return cells


def write(path, bands, dtype, epsg=UTM, transform=(289000.0, 28.5, 0.0, 9121000.0, 0.0, -28.5), nodata=None, palette=None,
          colours=(), options=("TILED=YES", "COMPRESS=DEFLATE")):
    """bands: arrays of one shape. transform: GDAL's order (x0, dx, rx, y0, ry, dy)."""
    height, width = bands[0].shape
    made = gdal.GetDriverByName("GTiff").Create(str(path), width, height, len(bands), dtype, list(options))
    made.SetGeoTransform(transform)
    if epsg:
        made.SetSpatialRef(crs(epsg))
    for i, values in enumerate(bands, 1):
        band = made.GetRasterBand(i)
        if nodata is not None:
            band.SetNoDataValue(nodata)
        if palette:
            table = gdal.ColorTable()
            for code, colour in palette.items():
                table.SetColorEntry(code, colour)
            band.SetColorTable(table)
        if colours:
            band.SetColorInterpretation(colours[i - 1])
        band.WriteArray(values)
    made.FlushCache()
    del made
    return str(path)


def byte(path):
    return write(path, [waves(230, 170, 0, 255).astype("uint8")], gdal.GDT_Byte)


def uint16(path):
    return write(path, [waves(230, 170, 5000, 60000, seed=s).astype("uint16") for s in (1, 2, 3)], gdal.GDT_UInt16)


def int16_nodata(path):
    z = waves(230, 170, -200, 4000).astype("int16")
    z[60:90, 40:120] = -32768
    z[:, :5] = -32768
    return write(path, [z], gdal.GDT_Int16, nodata=-32768)


def float32_nodata(path):
    z = waves(230, 170, -1.5, 1.5).astype("float32")
    z[20:50, 100:140] = -9999
    return write(path, [z], gdal.GDT_Float32, nodata=-9999)


def palette(path, **how):
    classes = (waves(230, 170, 0, 6.999) // 1).astype("uint8")
    colours = {c: (40 * c, 255 - 30 * c, 17 * c, 255) for c in range(7)}
    return write(path, [classes], gdal.GDT_Byte, palette=colours, **how)


def south_up(path):
    """Row 0 is the southernmost."""
    z = waves(230, 170, 0, 100).astype("float32")
    return write(path, [z], gdal.GDT_Float32, transform=(289000.0, 28.5, 0.0, 9116000.0, 0.0, 28.5))


def rgba(path):
    bands = [waves(230, 170, 0, 255, seed=s).astype("uint8") for s in (1, 2, 3)]
    alpha = numpy.full((170, 230), 255, "uint8")
    alpha[30:70, 50:90] = 0
    return write(path, bands + [alpha], gdal.GDT_Byte,
                 colours=(gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand, gdal.GCI_AlphaBand))


def geographic(path):
    z = waves(240, 180, 0, 3000).astype("float32")
    return write(path, [z], gdal.GDT_Float32, epsg=4326, transform=(-35.1, 0.00025, 0.0, -7.9, 0.0, -0.00025), nodata=-9999)


def dem(path, width=320, height=260):
    """Elevations in metres with a river valley and pits; UTM, 10 m cells."""
    y, x = numpy.mgrid[0:height, 0:width]
    z = waves(width, height, 0, 60, seed=7) + 0.4 * abs(x - width / 2 - 30 * numpy.sin(y / 40.0)) + 0.5 * (height - y)
    pits = numpy.random.default_rng(11).integers(0, height * width, 150)
    z.flat[pits] -= 15
    made = write(path, [z.astype("float32")], gdal.GDT_Float32, epsg=32618, transform=(500000, 10, 0, 4200000, 0, -10),
                 nodata=-9999)
    raster = gdal.Open(made, gdal.GA_Update)
    raster.GetRasterBand(1).SetUnitType("m")
    del raster
    return made


def large(path, size=20000):
    """Warping it takes seconds, making it none: a sparse file reads as zeros."""
    made = gdal.GetDriverByName("GTiff").Create(str(path), size, size, 1, gdal.GDT_Float32, ["TILED=YES", "SPARSE_OK=TRUE"])
    made.SetGeoTransform((289000.0, 0.5, 0.0, 9121000.0, 0.0, -0.5))
    made.SetSpatialRef(crs(UTM))
    del made
    return str(path)


def parcels(path, epsg=UTM, easting=289500):
    """Twelve squares, by default over the rasters above, as a GeoPackage or a shapefile by suffix."""
    driver = ogr.GetDriverByName("ESRI Shapefile" if str(path).endswith(".shp") else "GPKG")
    made = driver.CreateDataSource(str(path))
    layer = made.CreateLayer("parcels", crs(epsg), ogr.wkbPolygon)
    layer.CreateField(ogr.FieldDefn("name", ogr.OFTString))
    for i in range(12):
        x, y = easting + 1200 * (i % 4), 9116500 + 1200 * (i // 4)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature["name"] = f"parcel {i:03}"
        ring = f"{x} {y}, {x} {y + 900}, {x + 900} {y + 900}, {x + 900} {y}, {x} {y}"
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POLYGON (({ring}))"))
        layer.CreateFeature(feature)
    del made
    return str(path)


def gdalwarp(source, target, *options):
    """Debian's program, not the library."""
    subprocess.run(["gdalwarp", "-q", "-overwrite", *options, str(source), str(target)], check=True)
    return str(target)


def differences(ours, theirs):
    """What differs between two rasters, in words; empty when they are the same in grid, bands and every pixel."""
    a, b = gdal.Open(str(ours)), gdal.Open(str(theirs))
    found = []
    if (a.RasterXSize, a.RasterYSize, a.RasterCount) != (b.RasterXSize, b.RasterYSize, b.RasterCount):
        return [f"shape {a.RasterXSize}x{a.RasterYSize}x{a.RasterCount} against {b.RasterXSize}x{b.RasterYSize}x{b.RasterCount}"]
    if a.GetGeoTransform() != b.GetGeoTransform():
        found.append(f"geotransform {a.GetGeoTransform()} against {b.GetGeoTransform()}")
    if not a.GetSpatialRef().IsSame(b.GetSpatialRef()):
        found.append(f"CRS {a.GetSpatialRef().GetName()} against {b.GetSpatialRef().GetName()}")
    for i in range(1, a.RasterCount + 1):
        p, q = a.GetRasterBand(i), b.GetRasterBand(i)
        for what, mine, other in [("dtype", p.DataType, q.DataType), ("nodata", p.GetNoDataValue(), q.GetNoDataValue()),
                                  ("colour", p.GetColorInterpretation(), q.GetColorInterpretation()),
                                  ("palette", entries(p), entries(q)), ("mask flags", p.GetMaskFlags(), q.GetMaskFlags())]:
            if mine != other and not (mine != mine and other != other):
                found.append(f"band {i}: {what} {mine} against {other}")
        u, v = p.ReadAsArray(), q.ReadAsArray()
        unequal = int((~((u == v) | (numpy.isnan(u) & numpy.isnan(v)))).sum()) if u.dtype.kind == "f" else int((u != v).sum())
        if unequal:
            found.append(f"band {i}: {unequal} of {u.size} pixels differ")
    return found


def masked(bands):
    """What differences() finds where ours marks its collar by a mask band and the same cells are 0 in theirs."""
    return [f"band {b}: mask flags {gdal.GMF_PER_DATASET} against {gdal.GMF_ALL_VALID}" for b in range(1, bands + 1)]


def class_table(band, names, first=1):
    """Gives a band a thematic raster attribute table: codes from `first` on, a name each."""
    table = gdal.RasterAttributeTable()
    table.CreateColumn("Value", gdal.GFT_Integer, gdal.GFU_MinMax)
    table.CreateColumn("Count", gdal.GFT_Integer, gdal.GFU_PixelCount)
    table.CreateColumn("Class", gdal.GFT_String, gdal.GFU_Name)
    for row, name in enumerate(names):
        table.SetValueAsInt(row, 0, first + row)
        table.SetValueAsInt(row, 1, 99)
        table.SetValueAsString(row, 2, name)
    table.SetTableType(gdal.GRTT_THEMATIC)
    band.SetDefaultRAT(table)


def entries(band):
    table = band.GetColorTable()
    return None if table is None else [table.GetColorEntry(i) for i in range(table.GetCount())]
