"""Two lists, to be checked by eye: calls whose choice cannot matter, which run unasked, and calls that would change what numbers mean,
which are asked about or refused. Each line names the fact that decides."""
import json
import os
import re
import shutil

import numpy
import rasters
import session
from rasters import gdal, ogr, osr
from session import Claims, Session, good, problem, problem_text

HERE = f"EPSG:{rasters.UTM}"
SIZE = (230, 170)
WHOLE = [289000, 9116155, 295555, 9121000]
PART = [290000, 9117000, 292000, 9119000]
SQUARE = {"type": "Polygon", "coordinates": [[[-34.9, -8], [-34.8, -8], [-34.8, -7.9], [-34.9, -7.9], [-34.9, -8]]]}
COUNTED = {"zones": "parcels.gpkg"}


def surface(low, high, dtype="float32"):
    return rasters.waves(*SIZE, low, high).astype(dtype)


def single(path, values, kind, unit="", **how):
    rasters.write(path, [values], kind, **how)
    if unit:
        raster = gdal.Open(path, gdal.GA_Update)
        raster.GetRasterBand(1).SetUnitType(unit)
        del raster


def above_sea(path):
    single(path, surface(0, 900), gdal.GDT_Float32)
    raster = gdal.Open(path, gdal.GA_Update)
    compound = osr.SpatialReference()
    compound.SetFromUserInput(f"{HERE}+5773")
    raster.SetSpatialRef(compound)
    del raster


def square(path, count):
    """Zones of one cell each but the last, which covers a slope."""
    made = ogr.GetDriverByName("GPKG").CreateDataSource(path)
    layer = made.CreateLayer("zones", rasters.crs(rasters.UTM), ogr.wkbPolygon)
    for i in range(count):
        x, y, side = (289000 + 28.5 * (i % 200), 9121000 - 28.5 * (i // 200 + 1), 28.5) if i < count - 1 else PART[:2] + [2000]
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(
            f"POLYGON (({x} {y}, {x} {y + side}, {x + side} {y + side}, {x + side} {y}, {x} {y}))"))
        layer.CreateFeature(feature)


def make(folder):
    def at(name):
        return os.path.join(folder, name)

    single(at("warm.tif"), surface(5, 30), gdal.GDT_Float32, "°C")
    single(at("flat.tif"), numpy.full(SIZE[::-1], 7, "float32"), gdal.GDT_Float32, "mm")
    single(at("tenths.tif"), numpy.round(surface(0, 300)), gdal.GDT_Float32, "mm")
    single(at("aspect.tif"), surface(0, 359), gdal.GDT_Float32, "degrees")
    single(at("people.tif"), surface(0, 40), gdal.GDT_Float32, "persons")
    single(at("heights.tif"), surface(0, 900), gdal.GDT_Float32, "m")
    single(at("photo.tif"), surface(0, 255, "uint8"), gdal.GDT_Byte)
    single(at("photo_16.tif"), surface(0, 255, "int16"), gdal.GDT_Int16)
    single(at("plain.tif"), surface(5, 30), gdal.GDT_Float32)
    gdal.Translate(at("marked.tif"), at("photo.tif"), noData=7)
    gdal.GetDriverByName("GTiff").Create(at("lost.tif"), 20, 20, 1)
    single(at("gaps.tif"), numpy.where(surface(0, 1) < 0.2, -9999, surface(5, 30)), gdal.GDT_Float32, "°C")
    single(at("zeros.tif"), numpy.where(surface(0, 1) < 0.2, 0, surface(200, 900)), gdal.GDT_Float32, "m")
    gdal.Translate(at("gaps_marked.tif"), at("gaps.tif"), noData=-9999)
    rasters.palette(at("classes.tif"))
    single(at("named.tif"), numpy.full(SIZE[::-1], 2, "uint8"), gdal.GDT_Byte)
    named = gdal.Open(at("named.tif"), gdal.GA_Update)
    rasters.class_table(named.GetRasterBand(1), ["water", "sand"])
    del named
    single(at("mask01.tif"), (numpy.indices(SIZE[::-1]).sum(0) % 3 == 0).astype("uint8"), gdal.GDT_Byte)
    patches = numpy.array([11, 42, 81, 52])[(numpy.indices(SIZE[::-1]).sum(0) // 9) % 4]
    single(at("codes_in_floats.tif"), patches.astype("float32"), gdal.GDT_Float32)
    single(at("gaps_999.tif"), numpy.where(surface(0, 1) < 0.2, -999, surface(5, 30)), gdal.GDT_Float32, "°C")
    single(at("density.tif"), surface(0, 4000), gdal.GDT_Float32, "persons/km2")
    single(at("radar.tif"), surface(-25, 0), gdal.GDT_Float32, "dB")
    single(at("radar_2.tif"), surface(-20, 0), gdal.GDT_Float32, "dB")
    single(at("holes.tif"), numpy.where(surface(0, 1) < 0.2, -9999, surface(5, 30)), gdal.GDT_Float32, "m")
    ogr.GetDriverByName("GPKG").CreateDataSource(at("nothing.gpkg")).CreateLayer("nothing", rasters.crs(rasters.UTM), ogr.wkbPolygon)
    made = ogr.GetDriverByName("GPKG").CreateDataSource(at("degrees.gpkg"))
    layer = made.CreateLayer("degrees", rasters.crs(rasters.UTM), ogr.wkbPolygon)
    feature = ogr.Feature(layer.GetLayerDefn())
    feature.SetGeometry(ogr.CreateGeometryFromJson(json.dumps(SQUARE)))
    layer.CreateFeature(feature)
    del feature, layer, made
    for name, code in (("nad27.gpkg", 4267), ("nad83.gpkg", 4269)):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(at(name))
        layer = made.CreateLayer("towns", rasters.crs(code), ogr.wkbPoint)
        for x, y in ((-80, 35), (-79, 36)):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({x} {y})"))
            layer.CreateFeature(feature)
        del feature, layer, made
    scattered = numpy.random.default_rng(5).random(SIZE[::-1]) < 0.3
    rasters.write(at("mask_gaps.tif"), [scattered.astype("uint8")], gdal.GDT_Byte, nodata=0, palette={1: (0, 99, 0, 255)})
    rasters.write(at("warm_gaps.tif"), [numpy.where(scattered, surface(5, 30), -9999)], gdal.GDT_Float32, nodata=-9999)
    rasters.rgba(at("scene.tif"))
    rasters.parcels(at("parcels.gpkg"))
    rasters.palette(at("utm32.tif"), epsg=32632, transform=(500000, 30, 0, 5500000, 0, -30))
    rasters.write(at("people32.tif"), [rasters.waves(60, 60, 0, 9)], gdal.GDT_Float64, epsg=32632, transform=(500000, 100, 0, 5500000, 0, -100))
    people = gdal.Open(at("people32.tif"), gdal.GA_Update)
    people.GetRasterBand(1).SetUnitType("persons")
    del people
    with open(at("table.csv"), "w") as f:
        f.write("name,persons\neast,7\n")
    # A second page in another CRS, whose values are not those of the first.
    rasters.write(at("page.tif"), [surface(0, 7, "uint8")], gdal.GDT_Byte, epsg=31984)
    gdal.Translate(at("pages.tif"), at("flat.tif"))
    gdal.Translate(at("pages.tif"), at("page.tif"), creationOptions=["APPEND_SUBDATASET=YES"])
    gdal.Translate(at("pages.tif"), at("classes.tif"), creationOptions=["APPEND_SUBDATASET=YES"])
    rasters.write(at("two.tif"), [surface(5, 30), surface(0, 359)], gdal.GDT_Float32)
    # 1 to 8 in steps of one: small whole heights, or the numbers of the eight neighbours.
    single(at("eight.tif"), numpy.round(surface(1, 8)).astype("int16"), gdal.GDT_Int16)
    single(at("drained.tif"), surface(0, 2e5), gdal.GDT_Float32)
    single(at("tenth.tif"), surface(50, 300, "int16"), gdal.GDT_Int16)
    single(at("ids.tif"), 2 ** 53 + surface(0, 9, "int64"), gdal.GDT_Int64)
    single(at("radar_wave.tif"), surface(0, 9) * (1 + 1j), gdal.GDT_CFloat32)
    tenth = gdal.Open(at("tenth.tif"), gdal.GA_Update)
    tenth.GetRasterBand(1).SetScale(0.1)
    del tenth
    single(at("millions.tif"), 2 ** 24 + numpy.arange(SIZE[0] * SIZE[1]).reshape(SIZE[::-1]), gdal.GDT_Int32)
    single(at("masked.tif"), surface(0, 900, "int16"), gdal.GDT_Int16)
    masked = gdal.Open(at("masked.tif"), gdal.GA_Update)
    masked.CreateMaskBand(gdal.GMF_PER_DATASET)
    mask = numpy.full(SIZE[::-1], 255, "uint8")
    mask[:10] = 0
    masked.GetRasterBand(1).GetMaskBand().WriteArray(mask)
    del masked
    single(at("full.tif"), numpy.where(surface(0, 1) > 0.99, 65535, surface(0, 900)).astype("uint16"), gdal.GDT_UInt16)
    holes = surface(0, 1) < 0.2
    rasters.write(at("gappy.tif"), [numpy.where(holes, -9999, surface(5, 30)), numpy.where(holes, -9999, surface(50, 90))],
                  gdal.GDT_Float32)
    few = surface(5, 30)
    few[100, 100] = -9999  # data, as far as a look can tell
    rasters.write(at("halfgappy.tif"), [numpy.where(holes, -9999, surface(5, 30)), few], gdal.GDT_Float32)
    lower = numpy.where(holes, -9999, surface(5, 30))
    lower[100, 100:103] = -32768
    single(at("twogaps.tif"), lower, gdal.GDT_Float32, "°C")
    # 20 million cells, of which 4 would be read: the file itself says what they reach.
    for name, statistics in (("large.tif", {}), ("sampled.tif", {"APPROXIMATE": "YES"}), ("wrong.tif", {"MINIMUM": "1", "MAXIMUM": "2"})):
        large = gdal.GetDriverByName("GTiff").Create(at(name), 5000, 4000, 1, gdal.GDT_Byte, ["TILED=YES", "COMPRESS=DEFLATE"])
        large.SetProjection(rasters.crs(rasters.UTM).ExportToWkt())
        large.SetGeoTransform((289000, 10, 0, 9121000, 0, -10))
        large.GetRasterBand(1).Fill(7)
        large.GetRasterBand(1).SetMetadata({f"STATISTICS_{k}": v for k, v in (
            {"MINIMUM": "7", "MAXIMUM": "7", "MEAN": "7", "STDDEV": "0"} | statistics).items()})
        del large
    wide = gdal.GetDriverByName("GTiff").Create(at("wide.tif"), 5000, 4000, 1, gdal.GDT_Int16, ["TILED=YES", "COMPRESS=DEFLATE"])
    wide.SetProjection(rasters.crs(rasters.UTM).ExportToWkt())
    wide.SetGeoTransform((289000, 10, 0, 9121000, 0, -10))
    wide.GetRasterBand(1).Fill(255)
    del wide
    # One cell of 20 million is 256.
    gdal.Translate(at("wider.tif"), at("wide.tif"), creationOptions=["TILED=YES", "COMPRESS=DEFLATE"])
    wider = gdal.Open(at("wider.tif"), gdal.GA_Update)
    wider.GetRasterBand(1).WriteArray(numpy.full((1, 1), 256, "int16"), 4321, 1234)
    del wider
    huge = gdal.GetDriverByName("GTiff").Create(at("huge.tif"), 60000, 60000, 1, gdal.GDT_Byte, ["TILED=YES", "SPARSE_OK=TRUE"])
    huge.SetProjection(rasters.crs(rasters.UTM).ExportToWkt())
    huge.SetGeoTransform((289000, 1, 0, 9121000, 0, -1))
    del huge
    # Hundredths of numbers up to 2^31: Float32 has 24 bits.
    single(at("steps.tif"), 2 ** 30 + numpy.arange(SIZE[0] * SIZE[1]).reshape(SIZE[::-1]), gdal.GDT_Int32)
    steps = gdal.Open(at("steps.tif"), gdal.GA_Update)
    steps.GetRasterBand(1).SetScale(0.01)
    del steps
    rasters.write(at("six.tif"), [surface(0, 255, "uint8")] * 6, gdal.GDT_Byte)
    for name in ("classes", "aspect", "warm"):
        shutil.copy(at(name + ".tif"), at(name + "_2.tif"))
    gdal.Translate(at("coarse.tif"), at("warm.tif"), width=115, height=85)
    rasters.write(at("nowhere.tif"), [surface(5, 30)], gdal.GDT_Float32, epsg=None)
    for name in ("a", "b"):
        gdal.VectorTranslate(at("layers.gpkg"), at("parcels.gpkg"), accessMode="update" if name == "b" else None, layerName=name)
    gdal.VectorTranslate(at("mixed.gpkg"), at("parcels.gpkg"), layerName="parcels")
    gdal.VectorTranslate(at("mixed.gpkg"), at("degrees.gpkg"), accessMode="update", layerName="degrees")
    gdal.VectorTranslate(at("nowhere.gpkg"), at("parcels.gpkg"), options=["-a_srs", "None"])
    gdal.VectorTranslate(at("spots.gpkg"), at("parcels.gpkg"), SQLStatement="SELECT ST_Centroid(geom) AS geom FROM parcels", SQLDialect="SQLITE")
    two = gdal.Open(at("two.tif"), gdal.GA_Update)
    two.GetRasterBand(2).SetUnitType("degrees")
    del two
    square(at("many.gpkg"), 2500)
    rasters.write(at("earth.tif"), [surface(5, 30)], gdal.GDT_Float32, epsg=4326, transform=(-35, 0.001, 0, -8, 0, -0.001))
    above_sea(at("sea.tif"))
    rasters.write(at("zone.tif"), [surface(5, 30)], gdal.GDT_Float32, epsg=32725, transform=(289000, 30, 0, 9120000, 0, -30))
    gdal.VectorTranslate(at("earth.gpkg"), at("parcels.gpkg"), options=["-t_srs", "EPSG:4326"])


def fuse(raster, method):
    return "aggregate_fuse", {"uris": ["warm.tif", raster], "methods": ["average", method], "resolution": [285], "crs": HERE, "output": "o.tif"}


def zonal(raster, *stats, **more):
    return "aggregate_zonal", {"raster": raster, **COUNTED, "stats": list(stats), **more}


def composite(statistic, *uris, **more):
    return "aggregate_temporal", {"uris": list(uris), "statistic": statistic, **more}


def reproject(uri, crs, method, **more):
    return "raster_reproject", {"uri": uri, "dst_crs": crs, "resampling": method, "output": "out.tif", **more}


def query(uri, box, **more):
    return "raster_query", {"uri": uri, "geometry": box, **more}


def convert(uri, output="out.tif", **more):
    return "raster_convert", {"uri": uri, "output": output, **more}


POINTLESS = [
    ("no feature to transform", ("vector_reproject", {"uri": "nothing.gpkg", "dst_crs": "EPSG:3857", "output": "o.gpkg"})),
    ("no feature to choose from", ("vector_query", {"uri": "nothing.gpkg", "geometry": [289000, 9111000, 290000, 9112000], "geometry_crs": HERE, "output": "o.gpkg"})),
    ("its own CRS and grid", reproject("warm.tif", HERE, "nearest")),
    ("degrees of a datum whose coordinates are the same", ("vector_reproject", {"uri": "nad83.gpkg", "dst_crs": "EPSG:4326", "output": "o.gpkg"})),
    ("its own CRS and grid, whatever the method", reproject("warm.tif", HERE, "cubic")),
    ("its own CRS in another spelling", reproject("warm.tif", "epsg 31985", "bilinear")),
    ("its own CRS as a PROJ string", reproject("zone.tif", "+proj=utm +zone=25 +south +datum=WGS84", "bilinear")),
    ("its own CRS as a PROJ string, of a datum by name", reproject("zone.tif", "+proj=utm +zone=25 +south +datum=WGS84 +units=m +no_defs", "bilinear",
                                                                   src_crs="EPSG:32725")),
    ("its own compound CRS, by the codes of its parts", reproject("sea.tif", f"{HERE}+5773", "nearest")),
    ("its own compound CRS, by the codes of its parts", reproject("sea.tif", f"epsg:{rasters.UTM}+epsg:5773", "bilinear", src_crs=f"{HERE}+5773")),
    ("its own cell size", reproject("warm.tif", HERE, "bilinear", resolution=28.5)),
    ("whole cells of its own grid", reproject("warm.tif", HERE, "average", resolution=28.5,
                                              bounds=[289285, 9117010, 291850, 9119005])),
    ("whole cells, and its own CRS by name", reproject("warm.tif", HERE, "average", src_crs=HERE, bounds_crs=HERE,
                                                       bounds=[289285, 9117010, 291850, 9119005])),
    ("totals in the same cells", reproject("people32.tif", "EPSG:25832", "nearest")),
    ("another CRS of the same coordinates", reproject("utm32.tif", "EPSG:25832", "nearest")),
    ("the grid of a raster on the same cells", reproject("warm.tif", HERE, "average", align_to="flat.tif")),
    ("a table has no geometries", ("vector_reproject", {"uri": "table.csv", "dst_crs": "EPSG:3857", "output": "o.gpkg"})),
    ("the CRS the layer has", ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": HERE, "output": "out.gpkg"})),
    ("the same CRS, x first", reproject("earth.tif", "OGC:CRS84", "bilinear")),
    ("the same CRS, x first", ("vector_reproject", {"uri": "earth.gpkg", "dst_crs": "OGC:CRS84", "output": "o.gpkg"})),
    ("the same CRS as a PROJ string", ("vector_reproject", {"uri": "earth.gpkg", "dst_crs": "+proj=longlat +datum=WGS84 +no_defs", "output": "o.gpkg"})),
    ("GeoJSON text sequences are in OGC:CRS84", ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "OGC:CRS84", "output": "o.geojsonl"})),
    ("KML is in longitude and latitude", ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:4326", "output": "o.kml"})),
    ("GeoJSON is in OGC:CRS84", ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "OGC:CRS84", "output": "out.geojson"})),
    ("inline features are in OGC:CRS84", ("vector_reproject", {"uri": SQUARE, "dst_crs": "OGC:CRS84", "output": "o.gpkg"})),
    ("a CRS true within 0.1 % there", ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:32725", "output": "o.gpkg"})),
    ("the raster's own cells", query("warm.tif", PART, resolution=28.5, resampling="cubic")),
    ("cells that are all 7", query("flat.tif", PART, resolution=100, resampling="average")),
    ("the whole raster", query("warm.tif", WHOLE, purpose="how warm the town is")),
    ("the whole layer", ("vector_query", {"uri": "parcels.gpkg", "geometry": WHOLE, "purpose": "how many parcels"})),
    ("no claim and nothing kept", query("warm.tif", PART)),
    ("no extent", ("vector_query", {"uri": "parcels.gpkg", "where": "name = 'parcel 001'", "output": "one.gpkg"})),
    ("lossless", convert("warm.tif", creation_options=["COMPRESS=DEFLATE", "PREDICTOR=3"])),
    ("lossless", convert("photo.tif", compression="ZSTD", creation_options=["PREDICTOR=2", "ZSTD_LEVEL=9"])),
    ("no error allowed", convert("heights.tif", compression="LERC", max_error=0)),
    ("an error below 1 of whole numbers, which LERC keeps then", convert("classes.tif", compression="LERC", max_error=0.5)),
    ("lossless WebP", convert("scene.tif", bands=[1, 2, 3], compression="WEBP", creation_options=["WEBP_LOSSLESS=YES"])),
    ("PNG keeps bytes", convert("photo.tif", "out.png")),
    ("netCDF where no cell has its nodata value", convert("tenth.tif", "out.nc")),
    ("raw cells beside a header", convert("photo.tif", "out.img", driver="ENVI")),
    ("a text grid of whole numbers", convert("photo.tif", "out.asc")),
    ("a text grid of every digit", convert("plain.tif", "out.asc")),
    ("a GeoPackage of bytes", convert("photo.tif", "out.gpkg")),
    ("a GeoPackage of fractions", convert("plain.tif", "out.gpkg")),
    ("a GeoPackage of what becomes bytes", convert("photo_16.tif", "out.gpkg", dtype="Byte")),
    ("a wider type", convert("photo.tif", dtype="Float32")),
    ("a nodata value that no cell has", convert("photo.tif", dtype="Int16", nodata=300)),
    ("a nodata value that no cell has, on its own grid", reproject("warm.tif", HERE, "nearest", nodata=-5)),
    ("nodata for cells that already stood for none", convert("gaps.tif", nodata=-9999)),
    ("nodata for cells of each band that already stood for none", convert("gappy.tif", nodata=-9999)),
    ("that nodata on its own grid", reproject("gaps.tif", HERE, "nearest", nodata=-9999)),
    ("a nodata value outside the file's own statistics", convert("large.tif", nodata=255)),
    ("a nodata value that only statistics of a sample leave out, and no cell has", convert("sampled.tif", nodata=255)),
    ("a nodata value that wrong statistics leave out, and no cell has", convert("wrong.tif", nodata=255)),
    ("a narrower type that holds each of 20 million values", convert("wide.tif", dtype="Byte")),
    ("real values of stored tenths", convert("tenth.tif", unscale=True)),
    ("real values of stored tenths in Float32, which tells them apart", convert("tenth.tif", unscale=True, dtype="Float32")),
    ("a mark of missing values declared as such", convert("gaps_999.tif", nodata=-999)),
    ("no overviews, so no method for them", convert("warm.tif", overviews=False, overview_resampling="average")),
    ("no overviews of so small a raster", convert("classes.tif", overview_resampling="nearest")),
    ("nor averages in them", convert("classes.tif", overview_resampling="average")),
    ("overviews by the mean, as without naming it", convert("warm.tif", overviews=[2, 4], overview_resampling="average")),
    ("overviews by the commonest code, as without naming it", convert("classes.tif", overviews=[2, 4], overview_resampling="mode")),
    ("a narrower type that holds every value there is", convert("tenths.tif", dtype="Int16")),
    ("shares of classes", zonal("classes.tif", "frac", "count")),
    ("the commonest class", zonal("classes.tif", "majority")),
    ("one value per zone of classes", zonal("classes.tif", "minority", "variety", "frac")),
    ("counts and extremes", zonal("warm.tif", "count", "min", "max")),
    ("mean and median of equal cells", zonal("flat.tif", "mean")),
    ("the spread of equal cells", zonal("flat.tif", "mean", "stdev")),
    ("a fusion of rasters that have the grid of the target", ("aggregate_fuse", {"uris": ["warm.tif", "flat.tif"], "methods": ["average", "mode"], "align_to": "warm.tif", "output": "o.tif"})),
    ("the highest of two times", composite("max", "warm.tif", "warm_2.tif")),
    ("the last class of each cell", composite("last_valid", "classes.tif", "classes_2.tif", dates=["2023", "2024"])),
    ("how often a cell was seen", composite("count", "classes.tif", "classes_2.tif")),
]

DANGEROUS = [
    ("codes smoothed", reproject("classes.tif", "EPSG:3857", "bilinear"), "smoothing_of_codes"),
    ("codes smoothed on their own grid", reproject("classes.tif", HERE, "cubic", resolution=100), "smoothing_of_codes"),
    ("codes averaged", query("classes.tif", PART, resolution=100, resampling="average"), "smoothing_of_codes"),
    ("codes summed", reproject("classes.tif", "EPSG:3857", "sum"), "smoothing_of_codes"),
    ("an angle averaged in overviews", convert("aspect.tif", overviews=[2, 4], overview_resampling="average"), "averaging_of_angles"),
    ("codes averaged in overviews", convert("classes.tif", overviews=[2, 4], overview_resampling="average"), "smoothing_of_codes"),
    ("a mark of missing cells mixed with measurements", query("gaps.tif", PART, resolution=100, resampling="average"), "undeclared_nodata"),
    ("shares of a mask in whole numbers", reproject("mask01.tif", HERE, "average", resolution=100), "rounded_by_the_type"),
    ("angles averaged", query("aspect.tif", PART, resolution=100, resampling="average"), "averaging_of_angles"),
    ("totals not added up", query("people.tif", PART, resolution=285, resampling="average"), "totals_not_summed"),
    ("totals divided among finer cells", query("people.tif", PART, resolution=10, resampling="nearest"), "totals_not_summed"),
    ("totals in another CRS", reproject("people.tif", "EPSG:3857", "bilinear"), "totals_not_summed"),
    ("whole numbers added up, which are written in doubles", reproject("photo.tif", HERE, "sum", resolution=100), ""),
    ("decibels added up", reproject("radar.tif", HERE, "sum", resolution=100), "sum_of_levels"),
    ("heights added up", reproject("heights.tif", HERE, "sum", resolution=100), "sum_of_levels"),
    ("densities added up", reproject("density.tif", HERE, "sum", resolution=100), "sum_of_levels"),
    ("heights smoothed", reproject("heights.tif", HERE, "average", resolution=100), ""),
    ("values between coarser cells", query("warm.tif", PART, resolution=285, resampling="nearest"), ""),
    ("Web Mercator", ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:3857", "output": "o.gpkg"}), ""),
    ("codes stored as floating point", reproject("codes_in_floats.tif", "EPSG:3857", "bilinear"), "smoothing_of_codes"),
    ("Web Mercator", reproject("warm.tif", "EPSG:3857", "nearest"), ""),
    ("Web Mercator of inline features", ("vector_reproject", {"uri": {"type": "Polygon", "coordinates": [[
        [10, 60], [11, 60], [11, 61], [10, 61], [10, 60]]]}, "dst_crs": "EPSG:3857", "output": "o.gpkg"}), ""),
    ("a CRS of another continent", ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:32633", "output": "o.gpkg"}),
     "outside_area_of_use"),
    ("several layers at once", ("vector_reproject", {"uri": "layers.gpkg", "dst_crs": "EPSG:3857", "output": "o.gpkg"}), ""),
    ("degrees", reproject("warm.tif", "EPSG:4326", "nearest"), ""),
    ("another CRS than the file's", reproject("warm.tif", HERE, "nearest", src_crs="EPSG:31984"), "overrides_own_crs"),
    ("heights taken for those of another datum", reproject("sea.tif", f"{HERE}+3855", "nearest", src_crs=f"{HERE}+3855"), "overrides_own_crs"),
    ("another CRS than the layer's", ("vector_reproject", {"uri": "parcels.gpkg", "src_crs": "EPSG:31984", "dst_crs": HERE,
                                                           "output": "o.gpkg"}), "overrides_own_crs"),
    ("a mask that grows where cells without data lie in a coarser one", reproject("mask_gaps.tif", HERE, "mode", resolution=85.5), "fills_missing"),
    ("a mean that fills cells without data", query("warm_gaps.tif", PART, resolution=85.5, resampling="average"), ""),
    ("degrees of a datum whose coordinates are others", ("vector_reproject", {"uri": "nad27.gpkg", "dst_crs": "EPSG:4269", "output": "o.gpkg"}), ""),
    ("directions averaged in a fusion", fuse("aspect.tif", "average"), "method_against_kind"),
    ("totals averaged in a fusion", fuse("people.tif", "average"), "method_against_kind"),
    ("densities added up in a fusion", fuse("density.tif", "sum"), "method_against_kind"),
    ("-9999 in a fusion", fuse("gaps.tif", "average"), "method_against_kind"),
    ("the mean of codes", zonal("classes.tif", "mean"), "arithmetic_on_codes"),
    ("the sum of codes beside shares", zonal("classes.tif", "frac", "sum"), "arithmetic_on_codes"),
    ("the mean of angles", zonal("aspect.tif", "mean"), "arithmetic_on_angles"),
    ("-9999 in a mean", zonal("gaps.tif", "mean"), "undeclared_nodata"),
    ("-9999 in a quantile", zonal("gaps.tif", "quantile", quantiles=[0.1]), "undeclared_nodata"),
    ("mean or median", zonal("warm.tif", "mean"), ""),
    ("which spread", zonal("warm.tif", "stdev"), ""),
    ("a sum of temperatures", zonal("warm.tif", "sum"), "sum_of_levels"),
    ("a variation that depends on where the scale begins", zonal("warm.tif", "coefficient_of_variation"), "variation_without_a_zero"),
    ("a sum of heights", zonal("heights.tif", "sum", "count"), "sum_of_levels"),
    ("a sum of decibels", zonal("radar.tif", "sum"), "sum_of_levels"),
    ("how directions vary", zonal("aspect.tif", "coefficient_of_variation"), "arithmetic_on_angles"),
    ("a sum of a density", zonal("density.tif", "sum"), "sum_of_levels"),
    ("a mean of decibels", zonal("radar.tif", "mean"), "mean_of_logarithms"),
    ("decibels averaged", reproject("radar.tif", HERE, "average", resolution=100), "mean_of_logarithms"),
    ("decibels averaged in a fusion", fuse("radar.tif", "average"), "method_against_kind"),
    ("a mean of decibels over time", composite("mean", "radar.tif", "radar_2.tif"), "mean_of_logarithms"),
    ("the median of decibels", zonal("radar.tif", "median"), ""),
    ("a median over time", composite("median", "warm.tif", "warm_2.tif"), ""),
    ("the mean of classes over time", composite("mean", "classes.tif", "classes_2.tif"), "composite_of_codes"),
    ("the medoid of classes", composite("medoid", "classes.tif", "classes_2.tif"), "composite_of_codes"),
    ("the median of directions", composite("median", "aspect.tif", "aspect_2.tif"), "composite_of_angles"),
    ("-9999 in a mean over time", composite("mean", "gaps.tif", "warm.tif"), "undeclared_nodata_over_time"),
    ("codes on another scale", convert("classes.tif", scale=[0, 255, 0, 100]), "rescaled_codes"),
    ("directions as heights", ("hydro_condition", {"uri": "aspect.tif", "method": "fill"}), "unit_of_no_height"),
    ("rain as heights", ("hydro_condition", {"uri": "tenths.tif", "method": "fill"}), "unit_of_no_height"),
    ("directions by number as heights", ("hydro_condition", {"uri": "eight.tif", "method": "fill"}), "may_be_no_heights"),
    ("drained areas as heights", ("hydro_condition", {"uri": "drained.tif", "method": "fill"}), "deeper_than_any_terrain"),
    ("temperatures as heights", ("hydro_condition", {"uri": "warm.tif", "method": "fill"}), "unit_of_no_height"),
    ("-9999 as a height", ("hydro_condition", {"uri": "holes.tif", "method": "fill"}), "undeclared_nodata"),
    ("coordinates in degrees under a CRS in metres", ("vector_reproject", {"uri": "degrees.gpkg", "dst_crs": "EPSG:4674",
                                                                           "output": "o.gpkg"}), "misplaced_data"),
    ("one such layer of two", ("vector_reproject", {"uri": "mixed.gpkg", "dst_crs": "EPSG:4674", "output": "o.gpkg"}), "misplaced_data"),
    ("that layer by name", ("vector_reproject", {"uri": "mixed.gpkg", "layer": "degrees", "dst_crs": "EPSG:4674",
                                                 "output": "o.gpkg"}), "misplaced_data"),
    ("JPEG of classes", convert("classes.tif", "out.jpg"), "loss_on_codes"),
    ("a text grid of one decimal", convert("plain.tif", "out.asc", creation_options=["DECIMAL_PRECISION=1"]), ""),
    ("a GeoPackage of JPEG", convert("photo.tif", "out.gpkg", creation_options=["TILE_FORMAT=JPEG"]), ""),
    ("JPEG of a scene", convert("scene.tif", bands=[1, 2, 3], compression="JPEG", quality=75), ""),
    ("fractions cut off", convert("warm.tif", dtype="Int16"), "narrower_type"),
    ("fractions within the type", convert("warm.tif", dtype="Byte"), "narrower_type"),
    ("tenths cut off what stored numbers stand for", convert("tenth.tif", unscale=True, dtype="Int16"), "narrower_type"),
    ("every second whole number above 16 million", convert("millions.tif", dtype="Float32"), "narrower_type"),
    ("ids beyond 2^53 in doubles", convert("ids.tif", dtype="Float64"), "narrower_type"),
    ("the imaginary parts of a wave left out", convert("radar_wave.tif", dtype="Float64"), "narrower_type"),
    ("nodata for cells that stood for none in one band of two", convert("halfgappy.tif", nodata=-9999), "hides_data"),
    ("another nodata than what stood for none", convert("twogaps.tif", nodata=-32768), "hides_data"),
    ("nodata within the file's own statistics", convert("large.tif", nodata=7), "hides_data"),
    ("a nodata value in a raster too large to be counted", convert("huge.tif", nodata=255), ""),
    ("stored steps that Float32 does not tell apart", convert("steps.tif", unscale=True, dtype="Float32"), "narrower_type"),
    ("nodata that cells have as data", convert("photo.tif", nodata=100), "hides_data"),
    ("nodata that cells of its own grid have as data", reproject("photo.tif", HERE, "nearest", nodata=100), "hides_data"),
    ("nodata that cells have as data, on another grid", reproject("photo.tif", "EPSG:3857", "nearest", nodata=100), "hides_data"),
    ("values rescaled", convert("warm.tif", scale=[0, 100, 0, 255]), "rescaled_values"),
    ("heights with an error", convert("heights.tif", compression="LERC", max_error=0.5), "loss_on_heights"),
    ("an error as large as the values differ by", convert("warm.tif", compression="LERC", max_error=5), "bound_near_the_spread"),
    ("that as a creation option", convert("warm.tif", creation_options=["COMPRESS=LERC", "MAX_Z_ERROR=5"]), "bound_near_the_spread"),
    ("that of GDAL's program", ("gdal_translate", {"src_dataset": "warm.tif", "dst_dataset": "o.tif", "co": ["COMPRESS=LERC", "MAX_Z_ERROR=5"]}),
     "bound_near_the_spread"),
    ("an error far below that", convert("warm.tif", compression="LERC", max_error=0.01), ""),
    ("the palette left out", convert("classes.tif", dtype="Int16"), "drops_facts"),
    ("the names of a class table that netCDF does not hold", convert("named.tif", "out.nc"), "drops_facts"),
    ("a mask that netCDF does not hold", convert("masked.tif", "out.nc"), "drops_facts"),
    ("a value that netCDF takes for nodata", convert("full.tif", "out.nc"), ""),
    ("a claim about a part", query("warm.tif", PART, purpose="how warm the town is"), ""),
    ("a part kept", ("vector_query", {"uri": "parcels.gpkg", "geometry": PART, "output": "part.gpkg"}), ""),
    ("another page in another CRS", reproject("pages.tif", HERE, "bilinear", subdataset="2"), ""),
    ("codes on another page smoothed", query("pages.tif", PART, subdataset="3", resolution=100, resampling="bilinear"), "smoothing_of_codes"),
    ("another page than the constant one", query("pages.tif", PART, subdataset="2", resolution=100, resampling="average"), ""),
    ("a shift of a millimetre", reproject("warm.tif", HERE, "max", resolution=28.5,
                                          bounds=[289285.001, 9117010.001, 291850.001, 9119005.001]), ""),
    ("one zone of 2500 that differs", ("aggregate_zonal", {"raster": "warm.tif", "zones": "many.gpkg", "stats": ["mean"]}), ""),
    ("the second band is an angle", query("two.tif", PART, bands=[2], resolution=100, resampling="average"), "averaging_of_angles"),
    ("another CRS than the layer's, for its features", ("vector_query", {
        "uri": "parcels.gpkg", "src_crs": "EPSG:31984", "output": "o.gpkg"}), "overrides_own_crs"),
    ("angles as heights", ("hydro_condition", {"uri": "aspect.tif", "method": "fill"}), "codes_are_no_heights"),
]

# Calls that no reason would let run, and a word of the refusal.
IMPOSSIBLE = [
    ("a cell size and a size in cells", reproject("warm.tif", "EPSG:3857", "average", resolution=50, width=100),
     "invalid_argument", "both 'resolution' and 'width'/'height'"),
    ("multiples of no resolution", reproject("warm.tif", "EPSG:3857", "average", tap=True), "invalid_argument", "'tap' needs 'resolution'"),
    ("the grid of another raster, and a cell size", reproject("warm.tif", HERE, "average", align_to="coarse.tif", resolution=50),
     "invalid_argument", "'align_to' fixes the grid"),
    ("a grid in another CRS", reproject("warm.tif", "EPSG:3857", "average", align_to="coarse.tif"), "invalid_argument", "'align_to' is in"),
    ("the CRS of no bounds", reproject("warm.tif", "EPSG:3857", "average", bounds_crs="OGC:CRS84"), "invalid_argument", "without 'bounds'"),
    ("bounds upside down", reproject("warm.tif", "EPSG:3857", "average", bounds=[-35, -7, -34, -8], bounds_crs="OGC:CRS84"),
     "invalid_argument", "has no area"),
    ("a layer the file does not have", ("vector_reproject", {"uri": "parcels.gpkg", "layer": "roads", "dst_crs": "EPSG:3857",
                                                             "output": "o.gpkg"}), "not_found", "roads"),
    ("a condition on a field the layer does not have", ("vector_query", {"uri": "parcels.gpkg", "where": "pop > 5", "geometry": PART,
                                                                         "purpose": "dense parcels"}), "invalid_argument", "pop"),
    ("a field to keep that the layer does not have", ("vector_query", {"uri": "parcels.gpkg", "attributes": ["name", "pop"],
                                                                       "geometry": PART, "output": "part.gpkg"}), "not_found", "pop"),
    ("such a field of features in another CRS", ("vector_query", {"uri": "parcels.gpkg", "attributes": ["pop"], "src_crs": "EPSG:31984",
                                                                  "output": "o.gpkg"}), "not_found", "pop"),
    ("zones named by a field they do not have", zonal("warm.tif", "mean", zone_id="pop"), "not_found", "pop"),
    ("zones of a layer the file does not have", zonal("warm.tif", "mean", layer="roads"), "not_found", "roads"),
    ("a layer to cut from", ("vector_query", {"uri": "parcels.gpkg", "layer": "roads", "geometry": PART, "purpose": "streets"}),
     "not_found", "roads"),
    ("a band the raster does not have", query("warm.tif", PART, bands=[3], purpose="how warm"), "not_found", "no band 3"),
    ("a page the file does not have", query("pages.tif", PART, subdataset="9", purpose="how warm"), "not_found", "'9'"),
    ("a page to reproject", reproject("pages.tif", "EPSG:3857", "nearest", subdataset="9"), "not_found", "1, 2, 3"),
    ("weights on another grid", zonal("warm.tif", "weighted_mean", weights="coarse.tif"), "invalid_argument", "grid"),
    ("six bands in a GeoPackage", convert("six.tif", "out.gpkg"), "invalid_argument", "GPKG refuses the raster"),
    ("JPEG of more than bytes, which clips values above 4095", convert("full.tif", "out.jpg"), "invalid_argument", "4095"),
    ("values beyond the type", convert("heights.tif", dtype="Byte"), "invalid_argument", "'scale': [from, to, to_from, to_to]"),
    ("a nodata value beyond the type", convert("gaps.tif", dtype="Byte", nodata=-9999), "invalid_argument", "nodata -9999"),
    ("a narrower type that one cell of 20 million exceeds", convert("wider.tif", dtype="Byte"), "invalid_argument",
     "1 cell lies outside 0 to 255"),
    ("a nodata value of the raster beyond the type", convert("gaps_marked.tif", dtype="UInt16"), "invalid_argument",
     "give 'nodata' a value from 0 to 65535 that no cell has, or a 'dtype' that holds -9999"),
    ("that, where the data fill the type", convert("gaps_marked.tif", dtype="Byte"), "invalid_argument", "'scale' can leave a value free"),
    ("a raster that states no CRS", reproject("nowhere.tif", "EPSG:3857", "nearest"), "invalid_argument", "src_crs"),
    ("a layer that states no CRS", ("vector_reproject", {"uri": "nowhere.gpkg", "dst_crs": "EPSG:3857", "output": "o.gpkg"}),
     "invalid_argument", "src_crs"),
    ("weighted without weights", zonal("warm.tif", "weighted_mean"), "invalid_argument", "no weights are given"),
    ("a nodata value that cells hold where others are marked", convert("marked.tif", nodata=100), "invalid_argument", "does not occur"),
    ("latitude 95.4", ("vector_reproject", {"uri": {"type": "Point", "coordinates": [-34, 95.4]}, "dst_crs": "EPSG:3857",
                                            "output": "o.gpkg"}), "invalid_argument", "no place in EPSG:3857"),
    ("neither CRS nor geotransform", reproject("lost.tif", "EPSG:3857", "nearest"), "invalid_argument", "lost.tif"),
    ("an unknown CRS, by the argument that holds it", ("vector_query", {"uri": "parcels.gpkg", "src_crs": "EPSG:99999"}),
     "invalid_argument", "src_crs"),
    ("a band to narrow", convert("warm.tif", dtype="Int16", bands=[7]), "not_found", "no band 7"),
    ("a GeoPackage on the grid of a map service", convert("photo.tif", "out.gpkg", creation_options=[
        "TILING_SCHEME=GoogleMapsCompatible"]), "invalid_argument", "moves the cells"),
    ("a place where no data are", query("warm.tif", [0, 0, 1, 1], purpose="how warm"), "invalid_argument", "EPSG:31985"),
    ("JPEG of numbers with fractions", convert("warm.tif", compression="JPEG"), "invalid_argument", "Float32"),
    ("codes as heights", ("hydro_condition", {"uri": "classes.tif", "method": "fill"}), "invalid_argument", "class codes"),
    ("a DEM as a picture", ("hydro_condition", {"uri": "heights.tif", "method": "fill", "output": "o.png"}), "unsupported", ".png"),
    ("a length of paths that filling does not cut", ("hydro_condition", {"uri": "heights.tif", "method": "fill", "max_length": 100}),
     "invalid_argument", "fill cuts no path"),
    ("an exponent of a method that has none", ("hydro_flow_direction", {"uri": "heights.tif", "method": "d8", "exponent": 2}),
     "invalid_argument", "exponent"),
    ("a composite as a table", ("aggregate_temporal", {"uris": ["warm.tif", "warm_2.tif"], "statistic": "median", "output": "o.gpkg"}),
     "unsupported", ".gpkg"),
    ("units that differ", composite("median", "warm.tif", "flat.tif"), "invalid_argument", "mm"),
    ("no datum shift known", ("vector_reproject", {"uri": "degrees.gpkg", "dst_crs": "EPSG:4326", "output": "o.gpkg"}),
     "invalid_argument", "ballpark"),
    ("sides of a million cells", reproject("warm.tif", "EPSG:3857", "nearest", width=1000000, height=1000000), "invalid_argument",
     "smaller 'width' and 'height'"),
    ("a raster of a thousand million million cells", reproject("warm.tif", "EPSG:3857", "nearest", resolution=1e-4), "invalid_argument",
     "more than the 2e10"),
    ("a cutline of points", reproject("warm.tif", "EPSG:3857", "average", cutline="spots.gpkg"), "io", "Cutline not of polygon type"),
    ("a .jpg of numbers with fractions", convert("warm.tif", "out.jpg"), "invalid_argument", "Float32"),
]


def numbers_in(value, name=""):
    """Every number that is not whole, with the name of its member."""
    if isinstance(value, float):
        yield name, value
    for key, inner in value.items() if isinstance(value, dict) else ((name, v) for v in value) if isinstance(value, list) else ():
        yield from numbers_in(inner, key)


class lists(Claims):
    def test_there_are_as_many_as_promised(self):
        self.assertGreaterEqual(len(POINTLESS), 25)
        self.assertGreaterEqual(len(DANGEROUS), 25)

    def test_what_cannot_matter_runs_unasked(self):
        make(self.workspace)
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for fact, (tool, arguments) in POINTLESS:
                with self.subTest(fact, tool=tool, arguments=arguments):
                    result = s.call(tool, {**arguments, "overwrite": True})
                    good(result)
                    for r in result["_meta"]["io.gdal-mcp/receipts"]:
                        self.assertIn(r["decision"], ("not_needed", "only_option", "immaterial"), r)

    def test_what_is_called_lossless_returns_every_value(self):
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            for source, output, more in (("photo.tif", "a.asc", {}), ("plain.tif", "b.asc", {}), ("photo.tif", "a.gpkg", {}),
                                         ("plain.tif", "b.gpkg", {}), ("photo_16.tif", "c.gpkg", {}),
                                         ("photo_16.tif", "d.gpkg", {"dtype": "Byte"})):
                with self.subTest(source=source, output=output):
                    good(s.call(*convert(source, output, **more)))
                    before, after = (gdal.Open(os.path.join(self.workspace, f)).ReadAsArray() for f in (source, output))
                    self.assertTrue((before == after).all())

    def test_a_receipt_says_which_crs_the_features_are_written_in(self):
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            for output, words in (("all.geojson", "OGC:CRS84"), ("all.gpkg", "stay in their CRS")):
                made = s.call("vector_query", {"uri": "parcels.gpkg", "output": output})
                good(made)
                notes = {r["domain"]: r["notes"] for r in made["_meta"]["io.gdal-mcp/receipts"]}
                self.assertIn(words, " ".join(notes["crs_datum"]))

    def test_what_would_change_the_numbers_is_asked_about(self):
        make(self.workspace)
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for fact, (tool, arguments), conflict in DANGEROUS:
                with self.subTest(fact, tool=tool, arguments=arguments):
                    p = problem(s.call(tool, {**arguments, "overwrite": True}))
                    self.assertEqual(p["error"], "requires_epistemic_justification", p["message"])
                    room = 2200 * len(p["missing"])  # bytes, the caller's arguments included
                    self.assertLessEqual(len(json.dumps(p, ensure_ascii=False, separators=(",", ":")).encode()), room)
                    answers = p["retry"]["arguments"]["justification"].values()
                    named = [c["name"] for a in answers for c in a.get("conflicts", ())]
                    self.assertEqual(conflict in named, bool(conflict), named)

    def test_a_total_in_a_zone_smaller_than_a_cell_has_its_share(self):
        make(self.workspace)
        zone = {"type": "Polygon", "coordinates": [[[500010, 5499910], [500060, 5499910], [500060, 5499960], [500010, 5499960], [500010, 5499910]]]}
        call = {"raster": "people32.tif", "zones": zone, "zones_crs": "EPSG:32632"}
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for more, doubted in (({"stats": ["sum"]}, False), ({"stats": ["sum"], "coverage": "all_touched"}, True), ({"stats": ["sum", "mean"]}, True)):
                told = good(session.run(s, "aggregate_zonal", {**call, **more}))["warnings"]
                self.assertEqual("smaller than one cell" in str(told), doubted, (more, told))

    def test_points_have_distances_and_no_areas(self):
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            asked = problem_text(s.call("vector_reproject", {"uri": "nad83.gpkg", "dst_crs": "EPSG:3857", "output": "o.gpkg"}))
            self.assertIn("It matters here: distance of the same points", asked)
            self.assertNotIn("piece of ground", asked)

    def test_a_method_of_a_fusion_is_judged_by_the_raster_it_is_for(self):
        make(self.workspace)
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            p = problem(s.call("aggregate_fuse", {"uris": ["utm32.tif", "people32.tif"], "methods": ["copy", "sum"], "align_to": "utm32.tif", "output": "o.tif"}))
            self.assertEqual(p["missing"][0].get("conflicts", []), [])
            self.assertEqual(p["missing"][0]["submit"]["arguments"]["scope"]["kind"], "count")

    def test_nodata_that_stood_for_missing_cells_hides_no_data(self):
        """A 0 far from other heights may be data all the same, and is asked about; nobody claims that it is."""
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            mixed = problem(s.call(*reproject("zeros.tif", "EPSG:3857", "bilinear")))
            self.assertIn("undeclared_nodata", [c["name"] for c in mixed["retry"]["arguments"]["justification"]["resampling"]["conflicts"]])
            declared = convert("zeros.tif", nodata=0)
            p = problem(s.call(*declared))
            self.assertNotIn("conflicts", p["retry"]["arguments"]["justification"]["format_selection"])
            self.assertIn("as missing, all that hold it", p["missing"][0]["evidence"][0]["summary"])
            session.follow(s, p)
            told = good(s.call(*declared))["warnings"]
            self.assertTrue([w for w in told if "with the value declared as nodata count as missing now" in w], told)
            self.assertFalse([w for w in told if "as data" in w], told)

    def test_units_that_add_up_to_nothing(self):
        with Session(workspace=self.workspace) as s:
            rasters.parcels(self.path("parcels.gpkg"))
            for unit, adds_up in (("persons/km^2", False), ("persons per sq km", False), ("mm/day", False), ("fraction", False), ("ppm", False), ("mm", False), ("cm", False),
                                  ("sq km", True), ("t", True), ("n/a", True)):
                single(self.path("u.tif"), surface(1, 40), gdal.GDT_Float32, unit)
                with self.subTest(unit=unit):
                    p = problem(s.call(*zonal("u.tif", "sum")))
                    named = [c["name"] for c in p["retry"]["arguments"]["justification"]["aggregation"].get("conflicts", ())]
                    self.assertEqual(named, [] if adds_up else ["sum_of_levels"])

    def test_a_band_that_was_not_looked_at_is_of_no_kind(self):
        rasters.write(self.path("stack.tif"), [surface(5, 30)] * 18, gdal.GDT_Float32)
        with Session(workspace=self.workspace) as s:
            for band, asked in ((16, False), (18, True)):
                p = problem(s.call(*query("stack.tif", PART, bands=[band], resolution=100, resampling="average")))
                self.assertEqual("kind" in p["retry"]["arguments"]["justification"]["resampling"].get("facts", {}), asked)

    def test_a_raster_without_a_crs_is_tried_where_the_call_places_it(self):
        rasters.write(self.path("nowhere.tif"), [surface(5, 30)], gdal.GDT_Float32, epsg=None)
        with Session(workspace=self.workspace) as s:
            p = problem(s.call(*reproject("nowhere.tif", HERE, "average", src_crs=HERE, resolution=57)))
            (missing,) = p["missing"]
            self.assertIn("4.00 input cells per output cell", missing["evidence"][0]["summary"])
            scope = missing["submit"]["arguments"]["scope"]
            self.assertEqual((scope["direction"], scope["ratio_class"]), ("down", "4"))

    def test_a_crs_that_moves_nothing_is_no_conflict(self):
        """SIRGAS 2000 and WGS 84 differ by nothing that PROJ knows."""
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            p = problem(s.call(*reproject("warm.tif", "EPSG:3857", "nearest", src_crs="EPSG:32725")))
            self.assertNotIn("conflicts", json.dumps(p["retry"]))
            told = good(s.call(*reproject("warm.tif", "EPSG:32725", "nearest", src_crs="EPSG:32725")))
            self.assertEqual(told["resampling"], "none")

    def test_what_no_answer_would_let_run_is_refused_at_once(self):
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            for output, words in (("out.png", "PNG may change values"), ("out.xyz123", "names no format to write")):
                p = problem(s.call("raster_reproject", {"uri": "warm.tif", "dst_crs": "EPSG:3857", "resampling": "nearest", "output": output}))
                self.assertEqual(p["error"], "invalid_argument")
                self.assertIn(words, p["message"])
            p = problem(s.call("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:5773", "output": "o.gpkg"}))
            self.assertEqual((p["error"], "a CRS of heights alone" in p["message"]), ("invalid_argument", True), p)
            for output in ("o.geojson", "o.kml"):
                p = problem(s.call("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:3857", "output": output}))
                self.assertEqual(p["error"], "invalid_argument")
                self.assertIn("holds WGS 84 only", p["message"])

    def test_what_is_tried_before_a_question_leaves_nothing(self):
        make(self.workspace)
        before = {f: os.stat(os.path.join(self.workspace, f)).st_mtime_ns for f in os.listdir(self.workspace)}
        with Session(workspace=self.workspace) as s:
            self.assertEqual(problem(s.call(*reproject("warm.tif", "EPSG:3857", "nearest", output="new.tif")))["error"], "requires_epistemic_justification")
            self.assertEqual(good(s.call("raster_info", {"uri": "warm.tif"}))["driver"], "GTiff")
        after = {f: os.stat(os.path.join(self.workspace, f)).st_mtime_ns for f in os.listdir(self.workspace) if f != ".preflight"}
        self.assertEqual(after, before)

    def test_advice_names_the_arguments_of_the_called_tool(self):
        make(self.workspace)
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            translate = {"src_dataset": "warm.tif", "dst_dataset": "o.tif", "ot": "Int16"}
            for (tool, arguments), name, other in ((("gdal_translate", translate), "'ot'", "dtype"), (convert("warm.tif", dtype="Int16"), "'dtype'", "'ot'")):
                told = problem_text(s.call(tool, arguments)).split("{")[0]
                self.assertIn(f"Leave out {name}", told)
                self.assertNotIn(other, told)

    def test_data_are_judged_where_src_crs_places_them(self):
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            p = problem(s.call("vector_reproject", {"uri": "degrees.gpkg", "src_crs": "OGC:CRS84", "dst_crs": "EPSG:3857"}))
            answer = p["retry"]["arguments"]["justification"]["crs_datum"]
            self.assertEqual([c["name"] for c in answer["conflicts"]], ["overrides_own_crs"])
            self.assertEqual(p["missing"][0]["submit"]["arguments"]["scope"]["bbox"], [-34.9, -8, -34.8, -7.9])
            shift = re.search(r"the same coordinates shift by ([0-9.]+) million m", p["missing"][0]["conflicts"][0]["text"])
            # From the origin of zone 25 S, far in the south-west, where a hundred metres stand for degrees.
            self.assertGreater(float(shift[1]), 5)

    def test_several_layers_are_measured_together(self):
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            p = problem(s.call("vector_reproject", {"uri": "layers.gpkg", "src_crs": "EPSG:31984", "dst_crs": "EPSG:3857"}))
            self.assertIn("the same coordinates shift by 6", p["missing"][0]["conflicts"][0]["text"])  # a zone, 660 km
            told = good(s.call("preflight", {"tool": "vector_reproject", "arguments": {"uri": "layers.gpkg", "dst_crs": "EPSG:3857"}}))
            one = good(s.call("preflight", {"tool": "vector_reproject", "arguments": {"uri": "parcels.gpkg", "dst_crs": "EPSG:3857"}}))
            together, alone = (t["domains"][0]["missing"]["evidence"][0] for t in (told, one))
            self.assertEqual(together["extent"], alone["extent"])
            self.assertEqual(together["proposed"], alone["proposed"])

    def test_a_conflict_is_accepted_for_one_file(self):
        single(self.path("low.tif"), surface(0, 100), gdal.GDT_Float32, "mm")
        single(self.path("high.tif"), surface(0, 200), gdal.GDT_Float32, "mm")
        beyond = {name: int((gdal.Open(self.path(name)).ReadAsArray() > 90).sum()) for name in ("low.tif", "high.tif")}
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            def scaled(name):
                return convert(name, dtype="Byte", scale=[0, 90, 0, 255], overwrite=True)

            asked = problem(s.call(*scaled("low.tif")))["retry"]
            for a in asked["arguments"]["justification"].values():
                a |= {"intent": "a picture of the rain", "chosen_by": "user", "alternatives": [], "confidence": "high"}
                a["choice"] |= {"rationale": "more than 90 mm is one colour", "tradeoffs": "the heaviest rain is not told apart"}
                a["conflicts"][0]["why_accepted"] = "nobody reads numbers off the picture"
                a["facts"] = {name: {"role": "preview", "kind": "continuous"}[name] for name in a.get("facts", ())}
            good(s.call(asked["tool"], asked["arguments"]))
            good(s.call(*scaled("low.tif")))
            for index in ({"levels": [2]}, {"drop": True}):  # beside the file, whose content stays
                good(s.call("raster_index", {"uri": "low.tif", **index}))
                good(s.call(*scaled("low.tif")))
            p = problem(s.call(*scaled("high.tif")))
            self.assertEqual(p["error"], "requires_epistemic_justification")
            self.assertIn(f"rescaled_values was accepted for low.tif ({beyond['low.tif']} cells), "
                          f"not for high.tif ({beyond['high.tif']} cells)", p["missing"][0]["changed"])

    def test_lengths_and_slopes_that_a_crs_distorts_are_asked_about_by_what_they_are_for(self):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("roads.gpkg"))
        road = ogr.Feature(made.CreateLayer("roads", rasters.crs(32633), ogr.wkbLineString).GetLayerDefn())
        road.SetGeometry(ogr.CreateGeometryFromWkt("LINESTRING (500000 6650000, 505000 6650000)"))
        made.GetLayer(0).CreateFeature(road)
        del road, made
        rasters.write(self.path("dem.tif"), [surface(0, 900)], gdal.GDT_Float32, epsg=32633, transform=(500000, 30, 0, 6650000, 0, -30))
        calls = (("vector_reproject", {"uri": "roads.gpkg", "dst_crs": "EPSG:6933", "output": "o.gpkg"}, "measure", "lengths_off_for_measuring"),
                 ("raster_reproject", {"uri": "dem.tif", "dst_crs": "EPSG:6933", "resampling": "bilinear", "output": "o.tif"}, "terrain",
                  "angles_off_for_terrain"),
                 ("raster_reproject", {"uri": "dem.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear", "output": "o.tif"}, "terrain", None),
                 ("vector_reproject", {"uri": "roads.gpkg", "dst_crs": "EPSG:6933", "output": "o.gpkg"}, "exchange", None))
        with Session(workspace=self.workspace) as s:
            for tool, arguments, use, conflict in calls:
                with self.subTest(tool, use=use, **arguments):
                    p = problem(s.call(tool, arguments))
                    call = p["retry"]["arguments"]
                    for m in p["missing"]:
                        answer = session.fill_in(session.skeleton_of(p, m), m["answer_schema"])
                        answer["facts"] = answer.get("facts", {}) | ({"use": use} if m["domain"] == "crs_datum" else {})
                        call["justification"][m["domain"]] = answer
                    answered = s.call(tool, call)
                    if conflict:
                        self.assertIn(f"Conflict {conflict}: ", problem_text(answered))
                    else:
                        good(answered)

    def test_a_declared_crs_whose_area_of_use_misses_the_coordinates_is_asked_about(self):
        rasters.write(self.path("degrees.tif"), [surface(0, 900)], gdal.GDT_Float32, epsg=None, transform=(15, 0.01, 0, 45, 0, -0.01))
        with Session(workspace=self.workspace) as s:
            def declared(code):
                return s.call("raster_reproject", {"uri": "degrees.tif", "src_crs": code, "dst_crs": code, "resampling": "nearest", "output": "o.tif"})
            self.assertIn("Conflict misplaced_data: degrees.tif does not fit EPSG:32633: ", problem_text(declared("EPSG:32633")))
            good(declared("EPSG:4326"))

    def test_inline_features_and_parts_of_a_raster_are_measured_for_their_crs(self):
        square = {"type": "Polygon", "coordinates": [[[10, 60], [11, 60], [11, 61], [10, 61], [10, 60]]]}
        world = gdal.GetDriverByName("GTiff").Create(self.path("world.tif"), 360, 170, 1, gdal.GDT_Byte)
        world.SetProjection(rasters.crs(4326).ExportToWkt())
        world.SetGeoTransform((-180, 1, 0, 85, 0, -1))
        del world
        with Session(workspace=self.workspace) as s:
            def proposed(tool, **arguments):
                told = good(s.call("preflight", {"tool": tool, "arguments": {"dst_crs": "EPSG:3857", **arguments}}))
                return told["domains"][0]["missing"]["evidence"][0]

            # At 60 degrees Web Mercator shows areas four times as large, at the equator as they are.
            self.assertAlmostEqual(proposed("vector_reproject", uri=square)["area_ratio"], 4.07, delta=0.05)
            world = {"uri": "world.tif", "resampling": "nearest"}
            self.assertGreater(proposed("raster_reproject", **world)["proposed"]["areal_scale_max"], 100)
            part = {"bounds": [10, -5, 20, 5], "bounds_crs": "OGC:CRS84"}
            self.assertLess(proposed("raster_reproject", **world, **part)["proposed"]["areal_scale_max"], 1.02)

    def test_numbers_of_evidence_have_six_digits(self):
        make(self.workspace)
        of_the_data = ("extent", "area_of_use", "min", "max", "input_min", "input_max", "latitude")
        with Session(workspace=self.workspace) as s:
            told = good(s.call("preflight", {"tool": "raster_reproject", "arguments": {
                "uri": "warm.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear"}}))
            for domain in told["domains"]:
                for measured in domain["missing"]["evidence"]:
                    for name, value in numbers_in(measured):
                        if name not in of_the_data:
                            self.assertEqual(value, float(f"{value:.6g}"), (measured["name"], name))

    def test_what_no_reason_would_let_run_is_not_asked_about(self):
        make(self.workspace)
        with Session(workspace=self.workspace) as s:
            for fact, (tool, arguments), code, word in IMPOSSIBLE:
                with self.subTest(fact, tool=tool, arguments=arguments):
                    p = problem(s.call(tool, {**arguments, "overwrite": True}))
                    self.assertEqual(p["error"], code, p["message"])
                    self.assertIn(word, p["message"] + p["hint"])
            rasters.byte(os.path.join(self.workspace, "taken.tif"))
            p = problem(s.call(*reproject("warm.tif", "EPSG:3857", "nearest", output="taken.tif")))
            self.assertEqual(p["error"], "exists")


if __name__ == "__main__":
    session.main()
