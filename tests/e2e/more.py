"""Calls of the tools of raster-more, which are off by default, and the rasters they are tried on."""
import os
import shutil
import subprocess

import numpy
from osgeo import gdal

import rasters
from rasters import waves, write
from session import Claims, Session, good, problem


class MoreClaims(Claims):
    tool = ""
    output = "out.tif"

    def session(self):
        return Session("--toolsets", "all", workspace=self.workspace)

    def told(self, name, **arguments):
        """The result of one call, written to `output`."""
        with self.session() as s:
            return good(s.call(self.tool, {"uri": name, "output": self.output, "overwrite": True, **arguments}))

    def cells(self, name=None, band=1):
        raster = gdal.Open(self.path(name or self.output))  # a band does not keep it open
        return raster.GetRasterBand(band).ReadAsArray()

    def program(self, *words):
        """Runs one of Debian's programs in the workspace."""
        subprocess.run([str(w) for w in words], cwd=self.workspace, check=True, stdout=subprocess.DEVNULL)

    def refused(self, cases):
        """cases: arguments and words of the message. Nothing may be written."""
        before = self.files()
        with self.session() as s:
            for arguments, words in cases:
                with self.subTest(arguments=arguments):
                    p = problem(s.call(self.tool, {"output": "refused.tif" if self.output.endswith(".tif") else "refused.gpkg", **arguments}))
                    self.assertIn(words, p["message"])
                    self.assertTrue(p["hint"])
        self.assertEqual(self.files(), before)


def cut_short(whole, broken):
    """A file of which the end is missing."""
    shutil.copy(whole, broken)
    os.truncate(broken, os.path.getsize(whole) // 2)


def beyond_doubles(path):
    """Int64 values of which a double does not have each."""
    raster = gdal.GetDriverByName("GTiff").Create(path, 40, 30, 1, gdal.GDT_Int64)
    raster.SetGeoTransform((289000, 30, 0, 9121000, 0, -30))
    raster.SetSpatialRef(rasters.crs(31985))
    raster.GetRasterBand(1).WriteArray(numpy.full((30, 40), 2 ** 53 + 1, "int64"))
    del raster


def without_grid(path, dtype=gdal.GDT_Byte):
    """Ones without a geotransform or a CRS."""
    raster = gdal.GetDriverByName("GTiff").Create(path, 40, 30, 1, dtype)
    raster.GetRasterBand(1).WriteArray(numpy.ones((30, 40)))
    del raster


def patches(width, height, classes, seed):
    """Class codes in patches of all sizes, with speckle."""
    codes = (waves(width, height, 0, classes - 0.001, seed=seed) // 1).astype("int32")
    speckle = numpy.random.default_rng(seed).random(codes.shape) < 0.05
    codes[speckle] = (codes[speckle] + 1) % classes
    return codes


def class_rasters(folder):
    """Names of rasters of class codes: every integer type, nodata, a mask, geographic, south-up, a second band, a row."""
    names = []

    def add(name, codes, dtype, **how):
        write(folder + "/" + name, codes if isinstance(codes, list) else [codes], dtype, **how)
        names.append(name)

    add("byte.tif", patches(230, 170, 7, 1).astype("uint8"), gdal.GDT_Byte)
    add("uint16.tif", (patches(130, 270, 4, 2) * 9000).astype("uint16"), gdal.GDT_UInt16)
    add("int16.tif", (patches(97, 61, 5, 3) - 2).astype("int16"), gdal.GDT_Int16)
    add("int32.tif", patches(230, 170, 3, 4) * 1000000007 - 1000000007, gdal.GDT_Int32)
    add("uint32.tif", patches(230, 170, 3, 5).astype("uint32") + 5, gdal.GDT_UInt32)
    holes = patches(230, 170, 6, 6).astype("uint8")
    holes[40:70, 20:90] = 255
    holes[:, 200:] = 255
    add("nodata.tif", holes, gdal.GDT_Byte, nodata=255)
    gaps = patches(230, 170, 6, 7).astype("int16")
    gaps[numpy.random.default_rng(7).random(gaps.shape) < 0.1] = -32768
    add("speckled_nodata.tif", gaps, gdal.GDT_Int16, nodata=-32768)
    add("geographic.tif", patches(240, 180, 5, 8).astype("uint8"), gdal.GDT_Byte, epsg=4326,
        transform=(-35.1, 0.00025, 0, -7.9, 0, -0.00025))
    add("south_up.tif", patches(120, 90, 5, 9).astype("uint8"), gdal.GDT_Byte, transform=(289000.0, 30, 0, 9116000.0, 0, 30))
    add("row.tif", patches(400, 1, 3, 10).astype("uint8"), gdal.GDT_Byte)
    add("one_class.tif", numpy.full((50, 60), 4, "uint8"), gdal.GDT_Byte)
    add("second_band.tif", [patches(80, 70, 2, 11).astype("uint8"), patches(80, 70, 6, 12).astype("uint8")], gdal.GDT_Byte)
    return names


def band_of(name):
    return 2 if name.startswith("second_band") else 1
