"""raster_mosaic as a VRT: the cells of the merged mosaic, relative names that hold where it is published, patterns, and what is refused."""
import os
import shutil
import subprocess
import xml.etree.ElementTree as xml

import numpy
from osgeo import gdal

import rasters
import session
from raster_mosaic import TYPES, at, cells, scene
from session import Claims, Session, good, problem, run


class raster_virtual_mosaic(Claims):
    def setUp(self):
        super().setUp()
        for folder in ("tiles", "out", "tiles/deep"):
            os.makedirs(self.path(folder))
        self.server = Session(workspace=self.workspace)
        self.addCleanup(self.server.close)

    def write(self, name, bands, dtype="Byte", transform=at(0, 0), epsg=32618, **how):
        rasters.write(self.path(name), [b.astype(TYPES[dtype]) for b in bands], getattr(gdal, "GDT_" + dtype), epsg, transform, **how)
        return name

    def both(self, names, output="out/all.vrt", **arguments):
        """The VRT, and what a merge and its reader see of it: the same values in the same cells."""
        linked = good(run(self.server, "raster_mosaic", {"uris": names, "mode": "vrt", "output": output, "overwrite": True, **arguments}))
        merged = good(run(self.server, "raster_mosaic", {"uris": names, "output": "merged.tif", "overwrite": True, **arguments}))
        self.assertEqual(linked["output"]["driver"], "VRT")
        for fact in ("transform", "width", "height", "band_count", "dtype", "overlap_count", "differing_count", "gap_share", "sources"):
            self.assertEqual(linked[fact], merged[fact], fact)
        virtual, real = gdal.Open(self.path(output)), gdal.Open(self.path("merged.tif"))
        self.assertEqual(virtual.GetGeoTransform(), real.GetGeoTransform())
        for b in range(1, real.RasterCount + 1):
            valid = real.GetRasterBand(b).GetMaskBand().ReadAsArray() > 0
            numpy.testing.assert_array_equal(virtual.GetRasterBand(b).GetMaskBand().ReadAsArray() > 0, valid)
            numpy.testing.assert_array_equal(cells(virtual, b)[valid], cells(real, b)[valid])
        return linked, virtual

    def refused(self, names, *words, **arguments):
        before = self.files()
        p = problem(run(self.server, "raster_mosaic", {"uris": names, "mode": "vrt", "output": "out/no.vrt", **arguments}))
        for word in words:
            self.assertIn(word, p["message"] + p["hint"])
        self.assertEqual(self.files(), before)

    def four(self, dtype="Byte", **how):
        for k, (column, row) in enumerate(((0, 0), (100, 0), (0, 80), (100, 80))):
            z = scene(90, 110, k)
            if "nodata" in how:
                z[10:20, 30:50] = how["nodata"]
            self.write(f"tiles/t{k}.tif", [z], dtype, at(column, row), **how)

    def test_overlaps_are_those_of_the_merge(self):
        for dtype, how in (("Byte", {"nodata": 0}), ("Int16", {"nodata": -32768}), ("Float32", {"nodata": -9999}), ("Float64", {})):
            with self.subTest(dtype=dtype):
                self.four(dtype, **how)
                self.refused([f"tiles/t{k}.tif" for k in range(4)], "different values", "overlap")
                first, virtual = self.both(["tiles/t*.tif"], overlap="first")
                seen = cells(virtual)[5, 105]
                last, virtual = self.both(["tiles/t*.tif"], overlap="last")
                self.assertGreater(first["differing_count"], 0)
                self.assertNotEqual(cells(virtual)[5, 105], seen)
        self.refused(["tiles/t*.tif"], "not their mean", overlap="mean")

    def test_gaps_and_differing_marks(self):
        self.write("tiles/a.tif", [scene(40, 50, 1)])
        self.write("tiles/b.tif", [scene(40, 50, 2)], transform=at(70, 20))
        self.both(["tiles/a.tif", "tiles/b.tif"], nodata=0)
        self.refused(["tiles/a.tif", "tiles/b.tif"], "cells of the VRT would differ", "'nodata'")
        self.write("tiles/f.tif", [scene(40, 50, 1)], "Float32")
        self.write("tiles/g.tif", [scene(40, 50, 2)], "Float32", at(70, 20))
        self.both(["tiles/f.tif", "tiles/g.tif"])
        rgba = [scene(40, 50, k) for k in range(3)] + [numpy.where(scene(40, 50, 1) > 100, 255, 0)]
        for name, column in (("tiles/p.tif", 0), ("tiles/q.tif", 30)):
            self.write(name, rgba, transform=at(column, 0))
            raster = gdal.Open(self.path(name), gdal.GA_Update)
            raster.GetRasterBand(4).SetColorInterpretation(gdal.GCI_AlphaBand)
            del raster
        self.both(["tiles/p.tif", "tiles/q.tif"], overlap="last")

    def test_names_are_relative_and_hold_where_the_folder_goes(self):
        self.four(nodata=0)
        self.write("tiles/deep/x & <y>.tif", [scene(90, 110, 7)], transform=at(200, 0), nodata=0)
        told, virtual = self.both(["tiles/t*.tif", "tiles/deep/x & <y>.tif"], overlap="first")
        expected = cells(virtual)
        names = [e for e in xml.parse(self.path("out/all.vrt")).iter("SourceFilename")]
        self.assertEqual({e.get("relativeToVRT") for e in names}, {"1"})
        self.assertEqual({e.text for e in names}, {f"../tiles/t{k}.tif" for k in range(4)} | {"../tiles/deep/x & <y>.tif"})
        with open(self.path("out/all.vrt"), encoding="utf-8") as written:
            self.assertNotIn(self.workspace, written.read())
        moved = self.path("moved")
        os.makedirs(moved)
        for folder in ("tiles", "out"):
            shutil.copytree(self.path(folder), os.path.join(moved, folder))
        shutil.rmtree(self.path("tiles"))
        numpy.testing.assert_array_equal(cells(gdal.Open(os.path.join(moved, "out/all.vrt"))), expected)
        stats = good(self.server.call("raster_stats", {"uri": "moved/out/all.vrt"}))
        self.assertAlmostEqual(stats["bands"][0]["mean"], expected[expected > 0].mean(), delta=1e-9)

    def test_cells_agree_with_gdalbuildvrt(self):
        self.four("Int16", nodata=-1)
        _, virtual = self.both(["tiles/t*.tif"], overlap="last")
        subprocess.run(["gdalbuildvrt", "-q", self.path("theirs.vrt"), *(self.path(f"tiles/t{k}.tif") for k in range(4))], check=True)
        numpy.testing.assert_array_equal(cells(virtual), cells(gdal.Open(self.path("theirs.vrt"))))

    def test_bands_and_their_meaning(self):
        colours = {1: (255, 0, 0, 255), 2: (0, 255, 0, 255)}
        for name, column in (("tiles/r.tif", 0), ("tiles/s.tif", 50)):
            self.write(name, [scene(40, 50, 1, 1, 3)], transform=at(column, 0), palette=colours)
        _, virtual = self.both(["tiles/r.tif", "tiles/s.tif"])
        self.assertEqual(virtual.GetRasterBand(1).GetColorTable().GetColorEntry(1), (255, 0, 0, 255))
        self.write("tiles/m.tif", [scene(40, 50, 1), scene(40, 50, 2)])
        self.write("tiles/n.tif", [scene(40, 50, 3), scene(40, 50, 4)], transform=at(50, 0))
        self.both(["tiles/m.tif", "tiles/n.tif"])
        self.both(["tiles/m.tif", "tiles/n.tif"], bands=[2])
        self.write("tiles/o.tif", [scene(40, 50, 3)])
        self.write("tiles/q.tif", [scene(40, 50, 4)])
        _, virtual = self.both(["tiles/q.tif", "tiles/o.tif"], separate=True)
        self.assertEqual([virtual.GetRasterBand(b).GetDescription() for b in (1, 2)], ["q", "o"])
        self.refused(["tiles/m.tif", "tiles/o.tif"], "one band", separate=True)

    def test_what_is_refused(self):
        self.write("tiles/a.tif", [scene(40, 50, 1)], nodata=0)
        self.write("tiles/b.tif", [scene(40, 50, 2)], transform=at(50, 0), nodata=255)
        self.write("tiles/c.tif", [scene(40, 50, 2)], "Int16", transform=at(50, 0), nodata=0)
        self.write("tiles/d.tif", [scene(40, 50, 2)], transform=at(50.5, 0), nodata=0)
        self.write("tiles/e.tif", [scene(40, 50, 2)], transform=at(50, 0), epsg=32617, nodata=0)
        self.write("tiles/f.tif", [scene(40, 50, 2)] * 2, transform=at(50, 0), nodata=0)
        self.write("tiles/u.tif", [scene(40, 50, 2)], transform=at(50, 0, south_up=40), nodata=0)
        self.refused(["tiles/a.tif", "tiles/b.tif"], "nodata values differ", "has 0", "has 255")
        self.refused(["tiles/a.tif", "tiles/c.tif"], "data types differ", "Byte", "Int16")
        self.refused(["tiles/a.tif", "tiles/d.tif"], "do not coincide", "merge", resampling="nearest")
        self.refused(["tiles/a.tif", "tiles/e.tif"], "EPSG:32618", "EPSG:32617")
        self.refused(["tiles/a.tif", "tiles/f.tif"], "numbers of bands differ")
        self.refused(["tiles/a.tif", "tiles/u.tif"], "south to north")
        self.refused(["tiles/a.tif", "tiles/a.tif"], ".vrt", output="out/x.tif")
        self.refused(["tiles/a.tif", "tiles/a.tif"], "mode", mode="merge")
        self.refused(["tiles/a.tif"], "nothing to join")
        self.refused(["tiles/none*.tif"], "no file matches")
        p = problem(self.server.call("raster_mosaic", {"uris": ["tiles/a.tif", "tiles/a.tif"], "mode": "vrt"}))
        self.assertIn("'output'", p["message"])
        held = good(run(self.server, "raster_calc", {"inputs": {"A": "tiles/a.tif"}, "expression": "A", "dtype": "Byte", "nodata": 0}))["output"]["uri"]
        self.refused(["tiles/a.tif", held], "not an input of the call in a workspace", "managed results")

    def test_an_input_is_not_replaced(self):
        self.four(nodata=0)
        self.both(["tiles/t*.tif"], overlap="first", output="out/all.vrt")
        p = problem(self.server.call("raster_mosaic", {"uris": ["out/all.vrt", "tiles/t0.tif"], "mode": "vrt", "output": "out/all.vrt", "overwrite": True, "overlap": "first"}))
        self.assertIn("input", p["message"])
        self.both(["out/all.vrt", "tiles/t0.tif"], overlap="first", output="out/nested.vrt")


if __name__ == "__main__":
    session.main()
