"""What results of rasters keep of their sources: cells hidden by a mask, scale and unit, the names and dates of bands, totals, zeros."""
import os

import numpy
from osgeo import gdal, ogr

import rasters
import session
from rasters import write
from session import Claims, Session, good, problem

UTM32 = 32632
AT = (500000.0, 10.0, 0.0, 5200000.0, 0.0, -10.0)
BESIDE = (500040.0, 10.0, 0.0, 5200000.0, 0.0, -10.0)  # four columns on
gdal.SetConfigOption("GDAL_TIFF_INTERNAL_MASK", "YES")
DAYS = (0, 31, 59)  # since 2001-01-01


class raster_kept(Claims):
    def setUp(self):
        super().setUp()
        policy = os.path.join(self.folder.name, "policy.yaml")
        with open(policy, "w") as f:
            f.write("".join(f"{'domains:' if i == 0 else ''}\n  {name}: {{off: true}}" for i, name in
                            enumerate(("crs_datum", "resampling", "aggregation", "format_selection", "spatial_query"))) + "\n")
        self.server = Session("--toolsets", "all", "--policy", policy, workspace=self.workspace)
        self.addCleanup(self.server.close)

    def told(self, tool, **arguments):
        return good(self.server.call(tool, arguments))

    def refused(self, tool, **arguments):
        return problem(self.server.call(tool, arguments))

    def test_rows_in_another_order_and_cells_of_nan_are_no_loss(self):
        cells = numpy.arange(12, dtype="float32").reshape(3, 4)
        self.raster("up.tif", [cells], gdal.GDT_Float32, transform=(500000, 10, 0, 5199970, 0, 10))
        cells[0, 1] = numpy.nan
        self.raster("nan.tif", [cells], gdal.GDT_Float32, nodata=float("nan"))
        for source, output in (("up.tif", "up.asc"), ("up.tif", "up.nc"), ("nan.tif", "nan.gpkg")):
            made = self.told("raster_convert", uri=source, output=output)
            self.assertEqual((made["lossless"], made["changed_cells"]), (True, 0), output)
            # GDAL 3.10 says that the nodata value itself is not recorded.
            self.assertEqual([w for w in made["warnings"] if not w.startswith("A NaN nodata value cannot be recorded")], [], output)
        numpy.testing.assert_array_equal(gdal.Open(self.path("up.asc")).ReadAsArray()[::-1], gdal.Open(self.path("up.tif")).ReadAsArray())

    def test_filled_and_sieved_rasters_keep_their_dates(self):
        self.raster("a.tif", [[[1, 1, 0], [1, 1, 2], [1, 1, 2]]], nodata=0)
        file = gdal.Open(self.path("a.tif"), gdal.GA_Update)
        file.SetMetadataItem("TIFFTAG_DATETIME", "2010:06:01 00:00:00")
        del file
        self.told("raster_fill_nodata", uri="a.tif", output="filled.tif")
        self.told("raster_sieve", uri="a.tif", min_size=2, output="sieved.tif")
        for name in ("filled.tif", "sieved.tif"):
            self.assertEqual(gdal.Open(self.path(name)).GetMetadataItem("TIFFTAG_DATETIME"), "2010:06:01 00:00:00", name)

    def warning(self, made, *words):
        found = [w for w in made["warnings"] if all(word in w for word in words)]
        self.assertEqual(len(found), 1, made["warnings"])

    def raster(self, name, bands, dtype=gdal.GDT_Byte, transform=AT, names=(), scale=None, offset=None, unit="", mask=None, **how):
        write(self.path(name), [numpy.array(b) for b in bands], dtype, epsg=UTM32, transform=transform, options=(), **how)
        made = gdal.Open(self.path(name), gdal.GA_Update)
        for i in range(len(bands)):
            band = made.GetRasterBand(i + 1)
            if names:
                band.SetDescription(names[i])
            if scale is not None:
                band.SetScale(scale)
                band.SetOffset(offset)
            if unit:
                band.SetUnitType(unit)
        if mask is not None:
            made.CreateMaskBand(gdal.GMF_PER_DATASET)
            made.GetRasterBand(1).GetMaskBand().WriteArray(numpy.array(mask, "uint8"))
        made = None
        return name

    def cells(self, name, band=1):
        raster = gdal.Open(self.path(name))
        values = raster.GetRasterBand(band).ReadAsArray().astype("float64")
        values[raster.GetRasterBand(band).GetMaskBand().ReadAsArray() == 0] = numpy.nan
        return values

    def box(self, name, minx, miny, maxx, maxy, epsg=UTM32):
        shapes = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(name))
        layer = shapes.CreateLayer("box", rasters.crs(epsg), ogr.wkbPolygon)
        feature = ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POLYGON (({minx} {miny},{maxx} {miny},{maxx} {maxy},{minx} {maxy},{minx} {miny}))"))
        layer.CreateFeature(feature)
        del feature, layer, shapes
        return name

    def test_a_cutline_keeps_the_mask(self):
        """Of 4 x 4 cells 2 are hidden; the western half has 8, one of them hidden."""
        values = numpy.arange(1, 17).reshape(4, 4)
        hidden = numpy.full((4, 4), 255)
        hidden[0, 0] = hidden[3, 3] = 0
        kept = numpy.where(hidden == 0, numpy.nan, values.astype("float64"))
        kept[:, 2:] = numpy.nan
        self.box("west.gpkg", 500000, 5199960, 500020, 5200000)
        types = {"Byte": gdal.GDT_Byte, "Int16": gdal.GDT_Int16, "UInt32": gdal.GDT_UInt32, "Float32": gdal.GDT_Float32}
        for dtype, code in types.items():
            self.raster("masked.tif", [values], code, mask=hidden)
            same = {"uri": "masked.tif", "dst_crs": "EPSG:32632", "cutline": "west.gpkg", "output": "cut.tif", "overwrite": True}
            for how in ({"resampling": "nearest"}, {"resampling": "nearest", "resolution": [10]}, {"resampling": "average", "resolution": [10]}):
                with self.subTest(dtype=dtype, **how):
                    self.told("raster_reproject", **same, **how)
                    numpy.testing.assert_array_equal(self.cells("cut.tif"), kept)
                    made = gdal.Open(self.path("cut.tif"))
                    self.assertEqual(made.GetRasterBand(1).DataType, code)
            with self.subTest(dtype=dtype, tool="gdalwarp"):
                self.told("gdalwarp", src_datasets=["masked.tif"], t_srs="EPSG:32632", cutline="west.gpkg", dst_dataset="warped.tif", overwrite=True)
                numpy.testing.assert_array_equal(self.cells("warped.tif"), kept)
        # Where every value of the type occurs, the result has a mask as well.
        full = numpy.arange(256).reshape(16, 16)
        hidden = numpy.where(full < 32, 0, 255)
        self.raster("full.tif", [full], mask=hidden)
        self.box("part.gpkg", 500000, 5199840, 500080, 5200000)
        self.told("raster_reproject", uri="full.tif", dst_crs="EPSG:32632", resampling="nearest", cutline="part.gpkg", output="full_cut.tif")
        kept = numpy.where(hidden == 0, numpy.nan, full.astype("float64"))
        kept[:, 8:] = numpy.nan
        numpy.testing.assert_array_equal(self.cells("full_cut.tif"), kept)

    def test_several_sources_of_gdalwarp_keep_what_values_mean(self):
        for name, at in (("a.tif", AT), ("b.tif", BESIDE)):
            self.raster(name, [numpy.full((4, 4), 300), numpy.full((4, 4), 500)], gdal.GDT_UInt16, transform=at, names=("red", "nir"), scale=0.5,
                        offset=-100, unit="m")
        self.told("gdalwarp", src_datasets=["a.tif", "b.tif"], t_srs="EPSG:32632", tr=[10, 10], dst_dataset="both.tif")
        made = gdal.Open(self.path("both.tif"))
        for i, name in ((1, "red"), (2, "nir")):
            band = made.GetRasterBand(i)
            self.assertEqual((band.GetScale(), band.GetOffset(), band.GetUnitType(), band.GetDescription()), (0.5, -100, "m", name))
        figures = self.told("raster_stats", uri="both.tif")["bands"]
        self.assertEqual([b["mean"] for b in figures], [50, 150])

    def test_sums_of_a_mosaic_do_not_end_with_the_type(self):
        """Blocks of 4 cells of 100: 400, beyond a byte."""
        for name, at in (("a.tif", AT), ("b.tif", BESIDE)):
            self.raster(name, [numpy.full((4, 4), 100)], transform=at)
        made = self.told("raster_mosaic", uris=["a.tif", "b.tif"], resolution=[20], resampling="sum", output="sums.tif")
        numpy.testing.assert_array_equal(self.cells("sums.tif"), numpy.full((2, 4), 400.0))
        self.assertEqual(made["dtype"], "Float64")
        for name, at in (("c.tif", AT), ("d.tif", BESIDE)):
            self.raster(name, [numpy.full((4, 4), 100)], transform=at, scale=1, offset=10)
        for method in ("sum", "rms"):
            with self.subTest(method=method):
                p = self.refused("raster_mosaic", uris=["c.tif", "d.tif"], resolution=[20], resampling=method, output="no.tif")
                self.assertIn(f"c.tif has the offset 10, which {method} of the stored values would count once in place of once per cell", p["message"])
        p = self.refused("gdal_translate", src_dataset="c.tif", outsize=[2, 2], resample_alg="rms", dst_dataset="no.tif")
        self.assertIn("c.tif has the offset 10, which rms", p["message"])

    def test_fractions_that_a_mosaic_rounds_are_told(self):
        for name, at in (("a.tif", AT), ("b.tif", BESIDE)):
            self.raster(name, [numpy.tile([[0, 1, 0, 5]], (4, 1))], transform=at)
        made = self.told("raster_mosaic", uris=["a.tif", "b.tif"], resolution=[20], resampling="average", output="means.tif")
        self.warning(made, "band 1 of", "a.tif is Byte: what average computes is rounded to whole numbers")

    def test_a_nodata_value_that_the_data_have_is_told(self):
        zeros = [[0, 0, 1, 2], [3, 4, 5, 6]]
        self.raster("marked.tif", [zeros], gdal.GDT_Int16, nodata=-9999)
        self.raster("plain.tif", [zeros], gdal.GDT_Int16)
        asked = {"dst_crs": "EPSG:32632", "resampling": "nearest", "resolution": [10], "nodata": 0, "output": "out.tif"}
        p = self.refused("raster_reproject", uri="marked.tif", **asked)
        self.assertIn("2 cells of band 1 of", p["message"])
        self.assertIn("have the value 0, which marks cells without data in the result", p["message"])
        p = self.refused("gdalwarp", src_datasets=["marked.tif"], t_srs="EPSG:32632", dstnodata=0, dst_dataset="no.tif")
        self.assertIn("2 cells of band 1 of", p["message"])
        self.assertIn("'dstnodata'", p["hint"])
        made = self.told("raster_reproject", uri="plain.tif", **asked)  # that marks no others: it may declare them
        self.warning(made, "2 cells of band 1 of", "plain.tif have the value 0: such cells count as missing now")
        self.assertEqual(numpy.isnan(self.cells("out.tif")).sum(), 2)

    def test_computed_values_are_no_nodata(self):
        """1 and -1 are 0 on average, which is the nodata value."""
        signed = [[1, 1, -1, -1], [-1, -1, 1, 1]]
        kept = numpy.zeros((1, 2))
        for dtype in (gdal.GDT_Int16, gdal.GDT_Float32):
            self.raster("signed.tif", [signed], dtype, nodata=0)
            with self.subTest(dtype=dtype):
                made = self.told("raster_reproject", uri="signed.tif", dst_crs="EPSG:32632", resampling="average", resolution=[20], output="mean.tif",
                                 overwrite=True)
                numpy.testing.assert_array_equal(self.cells("mean.tif"), kept)
                self.warning(made, "average may make the nodata value 0 of", "signed.tif out of its data: the result has another one")
                self.told("raster_query", uri="signed.tif", geometry=[500000, 5199980, 500040, 5200000], resampling="average", resolution=[20],
                          output="part.tif", overwrite=True)
                numpy.testing.assert_array_equal(self.cells("part.tif"), kept)
                made = self.told("gdal_translate", src_dataset="signed.tif", dst_dataset="small.tif", resample_alg="average", outsize=[2, 1], overwrite=True)
                self.warning(made, "average may make the nodata value 0 of", "raster_reproject gives the result another one")
        self.raster("positive.tif", [[[1, 1, 2, 2], [1, 1, 2, 2]]], gdal.GDT_Int16, nodata=0)  # 0 lies beside them
        self.told("raster_reproject", uri="positive.tif", dst_crs="EPSG:32632", resampling="average", resolution=[20], output="mean.tif", overwrite=True)
        mean = gdal.Open(self.path("mean.tif"))
        self.assertEqual(mean.GetRasterBand(1).GetNoDataValue(), 0)

    def test_bands_in_another_order_are_told(self):
        red, nir = numpy.full((4, 4), 10), numpy.full((4, 4), 90)
        self.raster("a.tif", [red, nir], names=("red", "nir"))
        self.raster("b.tif", [nir, red], transform=BESIDE, names=("nir", "red"))
        self.raster("c.tif", [nir, red], names=("nir", "red"))
        words = "b.tif is 'nir', band 1 of", "a.tif 'red', and they were combined; raster_query with bands brings them into one order"
        self.warning(self.told("raster_mosaic", uris=["a.tif", "b.tif"], output="joined.tif"), *words)
        self.warning(self.told("raster_mosaic", uris=["a.tif", "b.tif"], mode="vrt", output="joined.vrt"), *words)
        self.warning(self.told("gdalwarp", src_datasets=["a.tif", "b.tif"], t_srs="EPSG:32632", dst_dataset="warped.tif"), *words)
        made = self.told("raster_compare", before="a.tif", after="c.tif", mode="difference", output="change.tif")
        self.warning(made, "c.tif is 'nir', band 1 of", "a.tif 'red', and they were combined")

    def cube(self):
        """Three months, of which each cell is the number."""
        made = gdal.GetDriverByName("MEM").Create("", 4, 3, 3, gdal.GDT_Float32)
        made.SetGeoTransform((5, 1, 0, 50, 0, -1))
        made.SetSpatialRef(rasters.crs(4326))
        made.SetMetadata({"NETCDF_DIM_EXTRA": "{time}", "NETCDF_DIM_time_DEF": "{3,6}", "NETCDF_DIM_time_VALUES": "{0,31,59}",
                          "time#units": "days since 2001-01-01", "time#calendar": "standard", "time#axis": "T"})
        for i, day in enumerate(DAYS):
            band = made.GetRasterBand(i + 1)
            band.WriteArray(numpy.full((3, 4), i + 1.0))
            band.SetMetadata({"NETCDF_DIM_time": str(day), "NETCDF_VARNAME": "tas"})
            band.SetNoDataValue(-999)
        gdal.GetDriverByName("netCDF").CreateCopy(self.path("cube.nc"), made)

    def months(self, name):
        """The value of each day."""
        cube = gdal.Open(self.path(name))
        return {float(cube.GetRasterBand(i + 1).GetMetadataItem("NETCDF_DIM_time")): cube.GetRasterBand(i + 1).ReadAsArray()[1, 1]
                for i in range(cube.RasterCount)}

    def test_dates_move_with_their_bands_to_netcdf(self):
        self.cube()
        self.told("raster_convert", uri="cube.nc", bands=[3, 2, 1], output="turned.nc")
        self.assertEqual(self.months("turned.nc"), {0: 1, 31: 2, 59: 3})
        self.told("raster_convert", uri="cube.nc", bands=[3, 2, 1], output="turned.tif")
        self.told("raster_convert", uri="turned.tif", output="again.nc")
        self.assertEqual(self.months("again.nc"), {0: 1, 31: 2, 59: 3})
        self.told("raster_convert", uri="cube.nc", bands=[1, 3], output="two.nc")
        self.assertEqual(self.months("two.nc"), {0: 1, 59: 3})
        self.told("raster_convert", uri="cube.nc", bands=[3], output="one.nc")
        self.assertEqual(self.months("one.nc"), {59: 3})

    def test_bands_that_netcdf_moves_on_two_axes_are_told(self):
        made = gdal.GetDriverByName("MEM").Create("", 4, 3, 4, gdal.GDT_Float32)
        made.SetGeoTransform((5, 1, 0, 50, 0, -1))
        made.SetSpatialRef(rasters.crs(4326))
        made.SetMetadata({"NETCDF_DIM_EXTRA": "{time,level}", "NETCDF_DIM_time_DEF": "{2,6}", "NETCDF_DIM_time_VALUES": "{0,31}",
                          "NETCDF_DIM_level_DEF": "{2,6}", "NETCDF_DIM_level_VALUES": "{850,500}", "time#units": "days since 2001-01-01",
                          "level#units": "hPa"})
        for i, (day, level) in enumerate(((0, 850), (0, 500), (31, 850), (31, 500))):
            band = made.GetRasterBand(i + 1)
            band.WriteArray(numpy.full((3, 4), i + 1.0))
            band.SetMetadata({"NETCDF_DIM_time": str(day), "NETCDF_DIM_level": str(level)})
        gdal.GetDriverByName("netCDF").CreateCopy(self.path("levels.nc"), made)
        made = self.told("raster_convert", uri="levels.nc", bands=[4, 3, 2, 1], output="turned.nc")
        self.warning(made, "netCDF did not keep the place of band 1 on other axes: level 500 hPa, time 2001-02-01")
        self.assertEqual(self.told("raster_convert", uri="levels.nc", output="same.nc")["warnings"], [])

    def test_stacked_months_keep_their_dates(self):
        self.cube()
        for name, bands in (("early.tif", [1]), ("late.tif", [2, 3])):
            self.told("raster_convert", uri="cube.nc", bands=bands, output=name)
        self.told("raster_mosaic", uris=["early.tif", "late.tif"], separate=True, output="all.tif")
        made = gdal.Open(self.path("all.tif"))
        self.assertEqual([made.GetRasterBand(i).GetDescription() for i in (1, 2, 3)], ["time 2001-01-01", "time 2001-02-01", "time 2001-03-01"])

    def test_a_part_keeps_tags_but_no_statistics(self):
        self.raster("scene.tif", [[[1, 2], [3, 4]]])
        scene = gdal.Open(self.path("scene.tif"), gdal.GA_Update)
        scene.SetMetadataItem("ACQ_DATE", "2024-05-01")
        scene.GetRasterBand(1).SetMetadataItem("wavelength", "0.665")
        scene.GetRasterBand(1).ComputeStatistics(False)
        scene = None
        self.told("raster_query", uri="scene.tif", geometry=[500000, 5199990, 500020, 5200000], output="part.tif")
        part = gdal.Open(self.path("part.tif"))
        self.assertEqual(part.GetMetadataItem("ACQ_DATE"), "2024-05-01")
        self.assertEqual(part.GetRasterBand(1).GetMetadata(), {"wavelength": "0.665"})

    def test_gdal_translate_keeps_the_unit_of_a_part(self):
        self.raster("feet.tif", [numpy.ones((4, 4))], gdal.GDT_Float32, unit="ft")
        for how in ({"projwin": [500000, 5200000, 500020, 5199980]}, {"outsize": [2, 2]}):
            with self.subTest(**how):
                self.told("gdal_translate", src_dataset="feet.tif", dst_dataset="part.tif", overwrite=True, **how)
                part = gdal.Open(self.path("part.tif"))
                self.assertEqual(part.GetRasterBand(1).GetUnitType(), "ft")

    def test_a_sample_estimates_sums_and_classes_of_the_whole(self):
        """40 x 40 cells of 2, of which every 4th row and column is read."""
        self.raster("twos.tif", [numpy.full((40, 40), 2)])
        made = self.told("raster_stats", uri="twos.tif", sample_size=100, classes=True)
        band = made["bands"][0]
        self.assertEqual((band["sum"], band["valid_count"], band["classes"][0]["count"]), (3200, 100, 1600))
        self.assertAlmostEqual(band["classes"][0]["area_m2"] / 160000, 1, 2)
        self.warning(made, "band 1", "100 of 1600 cells were read; sum, and counts and areas of classes, are estimates of the whole")

    def test_an_alpha_band_has_no_undeclared_nodata(self):
        alpha = numpy.zeros((4, 4))
        alpha[:2] = 255
        self.raster("picture.tif", [numpy.arange(16).reshape(4, 4) + 100] * 3 + [alpha],
                    colours=(gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand, gdal.GCI_AlphaBand))
        made = self.told("raster_stats", uri="picture.tif")
        self.assertEqual([w for w in made["warnings"] if "undeclared" in w], [])
        self.warning(made, "band 4 is the alpha band")

    def test_codes_of_scaled_values_are_told_to_be_stored_ones(self):
        self.raster("scaled.tif", [[[0, 0, 5, 5], [0, 0, 5, 5]]], gdal.GDT_Int16, scale=0.1, offset=5)
        self.raster("ones.tif", [numpy.ones((2, 4))])
        words = "codes are the stored values: scale 0.1 and offset 5 of band 1 of", "scaled.tif are not applied"
        self.warning(self.told("raster_stats", uri="scaled.tif", classes=True), *words)
        self.warning(self.told("raster_sieve", uri="scaled.tif", min_size=2, output="sieved.tif"), *words)
        self.warning(self.told("raster_polygonize", uri="scaled.tif", output="areas.gpkg"), *words)
        self.warning(self.told("raster_polygonize", uri="ones.tif", mask="scaled.tif", output="masked.gpkg"), *words)

    def test_a_cutline_east_of_greenwich_cuts_longitudes_to_360(self):
        write(self.path("ones.tif"), [numpy.ones((18, 36), "float32")], gdal.GDT_Float32, epsg=4326, transform=(0, 10, 0, 90, 0, -10))
        self.box("east.gpkg", 110, -40, 150, -10, 4326)
        self.box("west.gpkg", -80, -40, -40, -10, 4326)
        self.box("drawn.gpkg", 280, -40, 320, -10, 4326)
        asked = {"uri": "ones.tif", "dst_crs": "EPSG:4326", "resampling": "nearest", "output": "cut.tif", "overwrite": True}
        for name, first in (("east.gpkg", 11), ("drawn.gpkg", 28)):
            with self.subTest(name=name):
                self.told("raster_reproject", cutline=name, **asked)
                rows, columns = numpy.nonzero(numpy.isfinite(self.cells("cut.tif")))
                self.assertEqual((rows.min(), rows.max(), columns.min(), columns.max(), len(rows)), (10, 12, first, first + 3, 12))
        p = self.refused("raster_reproject", cutline="west.gpkg", **asked)
        self.assertIn("'cutline' reaches from longitude -80 to -40 and would miss the cells of", p["message"])

    def test_lines_are_added_once_to_a_cell(self):
        """A closed line around 3 x 3 cells has 8 of them; one that crosses itself meets a cell twice."""
        self.raster("grid.tif", [numpy.zeros((5, 5))])
        ring = [[500005, 5199995], [500025, 5199995], [500025, 5199975], [500005, 5199975], [500005, 5199995]]
        cross = [[500005, 5199995], [500045, 5199955], [500045, 5199995], [500005, 5199955]]
        for line, cells in ((ring, 8), (cross, 12)):
            with self.subTest(line=line):
                self.told("raster_rasterize", uri={"type": "LineString", "coordinates": line, "crs": {"type": "name", "properties": {"name": "EPSG:32632"}}},
                          align_to="grid.tif", combine="add", output="lines.tif", overwrite=True)
                values = self.cells("lines.tif")
                self.assertEqual((numpy.nansum(values), numpy.nanmax(values)), (cells, 1))

    def test_lost_ground_control_points_are_told(self):
        self.raster("scan.tif", [numpy.arange(16).reshape(4, 4)])
        source = gdal.Open(self.path("scan.tif"))
        placed = gdal.GetDriverByName("GTiff").Create(self.path("gcps.tif"), 4, 4, 1, gdal.GDT_Byte)
        placed.GetRasterBand(1).WriteArray(source.ReadAsArray())
        placed.SetGCPs([gdal.GCP(500000 + 10 * c, 5200000 - 10 * r, 0, c, r) for c in (0, 4) for r in (0, 4)], rasters.crs(UTM32).ExportToWkt())
        placed = None
        words = "gcps.tif is placed by ground control points, which the result does not keep"
        self.warning(self.told("raster_query", uri="gcps.tif", geometry=[0, 0, 2, 2], output="part.tif"), words)
        self.warning(self.told("raster_distance", uri="gcps.tif", unit="cells", output="far.tif"), words)
        self.warning(self.told("map_preview", layers=[{"uri": "gcps.tif"}]), words)


if __name__ == "__main__":
    session.main()
