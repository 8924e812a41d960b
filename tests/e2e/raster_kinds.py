"""Kinds of raster data: stacks with axes of time and level, containers, scales, palettes, masks, and grids that are rotated, mirrored, or
placed by control points or RPCs. Each gives the number that numpy has of the stored cells, or a refusal that names the way out."""
import pathlib
import shutil

import numpy
from osgeo import gdal, osr

import rasters
import session
from rasters import write
from session import Claims, Session, good, problem, run

AXES = {"time": [0, 31, 59.25], "level": [850, 500], "lat": [48.5, 47.5, 46.5, 45.5], "lon": [10.5, 11.5, 12.5, 13.5, 14.5]}
UNITS = {"time": ("days since 1999-01-01", "time"), "level": ("hPa", "air_pressure"), "lat": ("degrees_north", "latitude"),
         "lon": ("degrees_east", "longitude")}
STORED = numpy.arange(120, dtype="int16").reshape(3, 2, 4, 5)  # value = stored × 0.1 + 250 K; the first cell is missing
LABELS = [f"time {date}, level {level} hPa" for date in ("1999-01-01", "1999-02-01", "1999-03-01T06:00") for level in (850, 500)]
HERE = (500000, 10, 0, 5000000, 0, -10)
TRIANGLE = {"type": "Polygon", "coordinates": [[[500050, 4999900], [500450, 4999900], [500250, 4999650], [500050, 4999900]]]}
PLANE = numpy.add.outer(2.0 * numpy.arange(40), numpy.arange(50.0)).astype("float32")


def stack(path, driver):
    """t2m[time, level, lat, lon], packed."""
    root = gdal.GetDriverByName(driver).CreateMultiDimensional(path)
    group = root.GetRootGroup()
    kinds = {"time": gdal.DIM_TYPE_TEMPORAL, "level": gdal.DIM_TYPE_VERTICAL, "lat": gdal.DIM_TYPE_HORIZONTAL_Y, "lon": gdal.DIM_TYPE_HORIZONTAL_X}
    dims = {name: group.CreateDimension(name, kinds[name], "", len(values)) for name, values in AXES.items()}
    for name, values in AXES.items():
        axis = group.CreateMDArray(name, [dims[name]], gdal.ExtendedDataType.Create(gdal.GDT_Float64))
        axis.Write(numpy.array(values, "float64"))
        for key, text in zip(("units", "standard_name"), UNITS[name]):
            axis.CreateAttribute(key, [], gdal.ExtendedDataType.CreateString()).Write(text)
        if driver == "Zarr":  # netCDF goes by names
            dims[name].SetIndexingVariable(axis)
    array = group.CreateMDArray("t2m", list(dims.values()), gdal.ExtendedDataType.Create(gdal.GDT_Int16))
    array.SetScale(0.1)
    array.SetOffset(250)
    array.SetUnit("K")
    array.SetNoDataValueDouble(-32768)
    cells = STORED.copy()
    cells[0, 0, 0, 0] = -32768
    array.Write(cells)
    array.SetSpatialRef(rasters.crs(4326))
    return group


def edited(path, edit):
    d = gdal.Open(path, gdal.GA_Update)
    edit(d)
    d.FlushCache()


def compound(code):
    reference = osr.SpatialReference()
    reference.SetFromUserInput(code)
    return reference


def control_points(d):
    """A sheared grid of metres, which no geotransform of its own tells."""
    d.SetGCPs([gdal.GCP(500000 + 10 * x + 3 * y, 5000000 - 10 * y, 0, x, y) for x in (0, 25, 50) for y in (0, 20, 40)],
              rasters.crs(32633).ExportToWkt())


def rational(d):
    terms = {"LINE_NUM_COEFF": "0 0 -1" + " 0" * 17, "LINE_DEN_COEFF": "1" + " 0" * 19, "SAMP_NUM_COEFF": "0 1" + " 0" * 18,
             "SAMP_DEN_COEFF": "1" + " 0" * 19}
    numbers = {"LINE_OFF": 20, "SAMP_OFF": 25, "LAT_OFF": 45, "LONG_OFF": 10, "HEIGHT_OFF": 0, "LINE_SCALE": 20, "SAMP_SCALE": 25,
               "LAT_SCALE": 0.01, "LONG_SCALE": 0.01, "HEIGHT_SCALE": 500}
    d.SetMetadata({**terms, **{k: str(v) for k, v in numbers.items()}}, "RPC")


def unplaced(path, cells, edit):
    made = gdal.GetDriverByName("GTiff").Create(path, cells.shape[1], cells.shape[0], 1, gdal.GDT_Float32)
    made.GetRasterBand(1).WriteArray(cells)
    edit(made)


class raster_kinds(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def told(self, tool, uri, **arguments):
        return good(self.session.call(tool, {"uri": uri, **arguments}))

    def refused(self, tool, uri, **arguments):
        return problem(self.session.call(tool, {"uri": uri, **arguments}))

    def plane(self, name, **how):
        return write(self.path(name), [PLANE], gdal.GDT_Float32, epsg=32633, **{"transform": HERE, **how})

    def label_is(self, found, expected):
        """netCDF tells the axes in no certain order."""
        self.assertEqual(sorted(found.split(", ")), sorted(expected.split(", ")))

    def test_names_of_classes_survive_a_resampling_that_chooses(self):
        for name, give in (("names.tif", lambda band: band.SetCategoryNames(["water", "sand"])), ("table.tif", lambda band: rasters.class_table(band, ["water", "sand"]))):
            write(self.path(name), [numpy.ones((4, 4), "uint8")], gdal.GDT_Byte, epsg=32633, transform=HERE)
            d = gdal.Open(self.path(name), gdal.GA_Update)
            give(d.GetRasterBand(1))
            extent = [HERE[0], HERE[3] + 4 * HERE[5], HERE[0] + 4 * HERE[1], HERE[3]]
            del d
            with Session("--toolsets", "all", workspace=self.workspace) as s:
                coarse = 2 * HERE[1]
                for tool, arguments in (
                        ("raster_query", {"uri": name, "geometry": extent, "geometry_crs": "EPSG:32633", "resolution": coarse, "resampling": "mode", "output": "out.tif"}),
                        ("gdalwarp", {"src_datasets": [name], "t_srs": "EPSG:32633", "tr": [coarse, coarse], "r": "mode", "dst_dataset": "out.tif"})):
                    good(run(s, tool, {**arguments, "overwrite": True}))
                    made = gdal.Open(self.path("out.tif"))
                    band = made.GetRasterBand(1)
                    band.GetColorTable()  # GDAL 3.6 reads the names of a GeoTIFF after its palette only
                    table = band.GetDefaultRAT()
                    names = band.GetCategoryNames() or [table.GetValueAsString(r, table.GetColOfUsage(gdal.GFU_Name)) for r in range(2)]
                    self.assertEqual(names, ["water", "sand"], (name, tool))

    def test_colours_of_a_palette_last_where_only_a_table_holds_them(self):
        palette = gdal.ColorTable()
        palette.SetColorEntry(3, (255, 255, 0, 255))
        palette.SetColorEntry(4, (255, 0, 0, 255))
        write(self.path("land.tif"), [numpy.repeat([[3], [4]], 20, 0) * numpy.ones((1, 40), "uint8")], gdal.GDT_Byte, epsg=32633, transform=HERE)
        edited(self.path("land.tif"), lambda d: d.GetRasterBand(1).SetColorTable(palette))
        whole = [HERE[0], HERE[3] + 40 * HERE[5], HERE[0] + 40 * HERE[1], HERE[3]]
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            good(run(s, "raster_calc", {"expression": "where(A > 2, A, nodata())", "inputs": {"A": "land.tif"}, "output": "calc.tif"}))
            good(run(s, "raster_focal", {"uri": "calc.tif", "statistic": "majority", "output": "focal.tif"}))
            good(run(s, "raster_sieve", {"uri": "focal.tif", "min_size": 2, "output": "sieve.tif"}))
            good(run(s, "raster_query", {"uri": "sieve.tif", "geometry": whole, "geometry_crs": "EPSG:32633", "output": "cut.tif"}))
            made = gdal.Open(self.path("calc.tif"))
            self.assertEqual(made.GetRasterBand(1).DataType, gdal.GDT_UInt16)
            for name in ("land.tif", "calc.tif", "focal.tif", "sieve.tif", "cut.tif"):
                legend = good(s.call("raster_preview", {"uri": name}))["legend"]
                self.assertEqual([(c["value"], c["color"]) for c in legend["classes"]], [(3, "#ffff00ff"), (4, "#ff0000ff")], name)

    def test_bands_of_a_stack_are_labelled_and_their_values_unpacked(self):
        stack(self.path("stack.nc"), "netCDF")
        info = self.told("raster_info", "stack.nc")
        self.assertEqual(info["count"], 6)
        for band, label in zip(info["bands"], LABELS):
            self.label_is(band["description"], label)
            self.assertEqual((band["unit"], band["scale"], band["offset"], band["nodata"]), ("K", 0.1, 250, -32768))
        for band, label, cells in zip(self.told("raster_stats", "stack.nc")["bands"], LABELS, STORED.reshape(6, 20)):
            valid = cells[1:] if label == LABELS[0] else cells
            self.label_is(band["description"], label)
            self.assertEqual((band["unit"], band["valid_count"]), ("K", len(valid)))
            self.assertAlmostEqual(band["mean"], 250 + 0.1 * valid.mean(), delta=1e-9)
        legend = self.told("raster_preview", "stack.nc", bands=[4])["legend"]
        self.label_is(legend["channels"][0]["name"], LABELS[3])
        self.assertEqual(legend["unit"], "K")

    def test_a_format_without_axes_keeps_the_labels(self):
        stack(self.path("stack.nc"), "netCDF")
        for tool, arguments in (("raster_convert", {}), ("raster_query", {"geometry": [10, 45, 13, 49]})):
            answer = run(self.session, tool, {"uri": "stack.nc", "output": f"{tool}.tif", **arguments})
            good(answer)
            made = gdal.Open(self.path(f"{tool}.tif"))
            for i, label in enumerate(LABELS, 1):
                band = made.GetRasterBand(i)
                if tool == "raster_query":
                    self.label_is(band.GetDescription(), label)
                self.assertEqual((band.GetUnitType(), band.GetScale(), band.GetOffset()), ("K", 0.1, 250))
            for band, label in zip(self.told("raster_info", f"{tool}.tif")["bands"], LABELS):
                self.label_is(band["description"], label)

    def test_slices_of_a_zarr_array_are_labelled(self):
        stack(self.path("stack.zarr"), "Zarr")
        names = self.told("raster_info", "stack.zarr")["subdatasets"]
        if "/t2m:1:1" in names:  # GDAL before 3.8 has no bands for further axes
            band = self.told("raster_stats", "stack.zarr", subdataset="/t2m:1:1")["bands"][0]
            self.assertIn("/t2m:2:0", self.refused("raster_stats", "stack.zarr", subdataset="/t2m")["hint"])
        else:
            band = self.told("raster_stats", "stack.zarr", subdataset="/t2m")["bands"][3]
        self.label_is(band["description"], LABELS[3])
        self.assertAlmostEqual(band["mean"], 250 + 0.1 * STORED[1, 1].mean(), delta=1e-9)

    def test_a_container_asks_for_one_of_its_variables(self):
        group = stack(self.path("stack.zarr"), "Zarr")
        group.CreateMDArray("depth", group.GetDimensions()[-2:], gdal.ExtendedDataType.Create(gdal.GDT_Float32))  # GDAL 3.10 opens the only one
        del group
        for tool, arguments in (("raster_stats", {}), ("raster_preview", {}), ("raster_terrain", {"measure": "slope"}), ("raster_convert", {"output": "a.tif"})):
            p = self.refused(tool, "stack.zarr", **arguments)
            self.assertIn("subdataset", p["hint"])
            self.assertIn("/t2m", p["hint"])
        self.assertFalse([f for f in self.files() if f.startswith("a.")])
        # Tools without that argument take a URI, and raster_calc takes it with the input.
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for tool, arguments in (("aggregate_classes", {"uri": "stack.zarr"}), ("hydro_condition", {"uri": "stack.zarr", "method": "fill"}),
                                    ("gdal_translate", {"src_dataset": "stack.zarr", "dst_dataset": "a.tif"})):
                with self.subTest(tool):
                    p = session.problem(s.call(tool, arguments))
                    self.assertIn("subdatasets and none is named", p["message"])
                    self.assertRegex(p["hint"], "^name one as a URI: ZARR:.*; the others: /")
            p = session.problem(s.call("raster_calc", {"expression": "A", "inputs": {"A": "stack.zarr"}, "output": "a.tif"}))
            self.assertIn('give "A": {"uri": …, "subdataset": …}: ', p["hint"])

    def test_palette_names_and_the_point_convention_survive_a_conversion(self):
        codes = (PLANE % 4).astype("uint8")
        write(self.path("classes.tif"), [codes], gdal.GDT_Byte, epsg=32633, transform=HERE, palette={i: (50 * i, 100, 200, 255) for i in range(4)})
        edited(self.path("classes.tif"), lambda d: d.SetMetadataItem("AREA_OR_POINT", "Point"))
        edited(self.path("classes.tif"), lambda d: d.GetRasterBand(1).SetCategoryNames(["water", "forest", "urban", "crop"]))
        place = self.told("raster_info", "classes.tif")
        self.told("raster_convert", "classes.tif", output="copy.tif")
        copy = self.told("raster_info", "copy.tif")
        self.assertEqual(copy["area_or_point"], "Point")
        self.assertEqual((copy["transform"], copy["bands"][0]["palette"]), (place["transform"], place["bands"][0]["palette"]))
        self.assertEqual([c["name"] for c in self.told("raster_stats", "copy.tif")["bands"][0]["classes"]], ["water", "forest", "urban", "crop"])
        session.good(session.run(self.session, "raster_reproject", {"uri": "classes.tif", "dst_crs": "EPSG:3035", "resampling": "nearest", "output": "moved.tif"}))
        self.assertEqual([c["name"] for c in self.told("raster_stats", "moved.tif")["bands"][0]["classes"]], ["water", "forest", "urban", "crop"])

    def test_a_mask_band_and_alpha_mark_what_is_left_out(self):
        self.plane("mask.tif")
        mask = numpy.full(PLANE.shape, 255, "uint8")
        mask[:10] = 0
        edited(self.path("mask.tif"), lambda d: (d.CreateMaskBand(gdal.GMF_PER_DATASET), d.GetRasterBand(1).GetMaskBand().WriteArray(mask)))
        alpha = numpy.where(mask == 0, 0, 255).astype("uint8")
        write(self.path("alpha.tif"), [(PLANE % 251).astype("uint8"), alpha], gdal.GDT_Byte, epsg=32633, transform=HERE,
              colours=(gdal.GCI_GrayIndex, gdal.GCI_AlphaBand))
        for name, cells, kind in (("mask.tif", PLANE, "mask_band"), ("alpha.tif", PLANE % 251, "alpha")):
            self.assertEqual(self.told("raster_info", name)["bands"][0]["mask"], kind)
            band = self.told("raster_stats", name, bands=[1])["bands"][0]
            self.assertEqual((band["valid_count"], band["nodata_count"]), (1500, 500))
            self.assertAlmostEqual(band["mean"], cells[10:].mean(dtype="float64"), delta=1e-9)
            self.assertEqual(self.told("raster_preview", name)["transparent_share"], 0.25)
            self.told("raster_convert", name, output="copy.tif", overwrite=True)
            self.assertEqual(self.told("raster_stats", "copy.tif", bands=[1])["bands"][0]["valid_count"], 1500)

    def test_an_alpha_band_that_hides_nothing_is_said_and_never_marks_a_result(self):
        """GDALRasterBand::GetMaskBand: one of 2 or 4 bands, Byte or UInt16."""
        alpha = numpy.full(PLANE.shape, 255)
        for name, bands, dtype, kind in (("float.tif", 1, "float32", gdal.GDT_Float32), ("five.tif", 4, "uint8", gdal.GDT_Byte)):
            write(self.path(name), [numpy.full(PLANE.shape, 100, dtype)] * bands + [alpha.astype(dtype)], kind, epsg=32633, transform=HERE,
                  colours=(gdal.GCI_GrayIndex,) + (gdal.GCI_Undefined,) * (bands - 1) + (gdal.GCI_AlphaBand,))
            self.assertIn("counts as data", " ".join(self.told("raster_stats", name)["warnings"]))
            session.good(session.run(self.session, "raster_reproject", {"uri": name, "dst_crs": "EPSG:3035", "resampling": "nearest", "output": "moved.tif", "overwrite": True}))
            session.good(session.run(self.session, "raster_query", {"uri": name, "geometry": TRIANGLE, "geometry_crs": "EPSG:32633", "output": "cut.tif", "overwrite": True}))
            edited(self.path(shutil.copy(self.path(name), self.path("beside.tif"))), lambda d: d.SetGeoTransform((HERE[0] + 600, *HERE[1:])))
            session.good(session.run(self.session, "raster_mosaic", {"uris": [name, "beside.tif"], "output": "mosaic.tif", "overwrite": True}))
            for made in ("moved.tif", "cut.tif", "mosaic.tif"):
                band = self.told("raster_stats", made, bands=[1])["bands"][0]
                self.assertEqual((band["min"], band["max"]), (100, 100), (name, made))

    def test_an_alpha_band_or_nodata_value_that_gdal_ignores_is_said_and_ignored_by_all(self):
        cells = numpy.full(PLANE.shape, 100, "uint8")
        cells[:5], cells[-5:] = 7, 200
        alpha = numpy.where(cells == 200, 0, 255).astype("uint8")
        write(self.path("alpha.tif"), [cells, alpha], gdal.GDT_Byte, epsg=32633, transform=HERE, nodata=7, colours=(gdal.GCI_GrayIndex, gdal.GCI_AlphaBand))
        write(self.path("mask.tif"), [cells], gdal.GDT_Byte, epsg=32633, transform=HERE, nodata=7)
        edited(self.path("mask.tif"), lambda d: (d.CreateMaskBand(gdal.GMF_PER_DATASET), d.GetRasterBand(1).GetMaskBand().WriteArray(alpha)))
        for name, words, seen in (("alpha.tif", "for the nodata value", {100: 1500, 200: 250}), ("mask.tif", "cells of 7 that the mask shows", {7: 250, 100: 1500})):
            self.assertIn(words, " ".join(self.told("raster_stats", name)["warnings"]))
            same = {"resampling": "nearest", "resolution": 10, "bounds": [500000, 4999600, 500500, 5000000]}
            session.good(session.run(self.session, "raster_reproject", {"uri": name, "dst_crs": "EPSG:32633", "output": "moved.tif", "overwrite": True, **same}))
            session.good(session.run(self.session, "raster_query", {"uri": name, "geometry": [500000, 4999600, 500500, 5000000], "geometry_crs": "EPSG:32633", "bands": [1], "output": "cut.tif", "overwrite": True}))
            for made in (name, "moved.tif", "cut.tif"):
                d = gdal.Open(self.path(made))
                band = d.GetRasterBand(1)
                values, counts = numpy.unique(band.ReadAsArray()[band.GetMaskBand().ReadAsArray() > 0], return_counts=True)
                self.assertEqual(dict(zip(values.tolist(), counts.tolist())), seen, (name, made))

    def cells(self, name):
        file = gdal.Open(self.path(name))
        return file.ReadAsArray()

    def test_rows_around_the_poles_stay_where_a_crs_is_only_declared(self):
        # 73 rows of 2.5 degrees, the first and last centred on the poles, as of many climate models.
        cells = numpy.arange(73 * 144, dtype="int16").reshape(73, 144)
        rasters.write(self.path("model.tif"), [cells], gdal.GDT_Int16, epsg=None, transform=(-1.25, 2.5, 0, 91.25, 0, -2.5))
        told = good(run(self.session, "raster_reproject", {"uri": "model.tif", "src_crs": "OGC:CRS84", "dst_crs": "OGC:CRS84", "resampling": "nearest", "output": "o.tif"}))
        self.assertEqual((told["resampling"], told["width"], told["height"], told["transform"][5]), ("none", 144, 73, 91.25))
        numpy.testing.assert_array_equal(self.cells("o.tif"), cells)
        # To another datum the rows beyond the poles have no place; the others stay.
        told = good(run(self.session, "raster_reproject", {"uri": "o.tif", "dst_crs": "EPSG:4269", "resampling": "nearest", "output": "p.tif", "allow_ballpark": True}))
        self.assertEqual((told["height"], told["transform"][5]), (71, 88.75))
        self.assertIn("the rows whose cells reach beyond the poles are left out", told["warnings"])
        numpy.testing.assert_array_equal(self.cells("p.tif"), cells[1:-1])

    def test_rows_centred_on_the_poles_reach_the_ends_of_a_map(self):
        # Latitudes as of ERA5, a row on each pole: beyond 90 degrees GDAL finds no place, and would end a map at 81 degrees.
        latitudes = numpy.repeat(90 - numpy.arange(181.0)[:, None], 360, axis=1)
        for name, x0, rows, transform in (("east.tif", -0.5, latitudes, (90.5, -1)), ("half.tif", -180.5, latitudes, (90.5, -1)),
                                          ("south_up.tif", -180, latitudes[::-1].copy(), (-90.5, 1))):
            rasters.write(self.path(name), [rows], gdal.GDT_Float32, epsg=4326, transform=(x0, 1, 0, transform[0], 0, transform[1]))
            for crs, low, high in (("ESRI:54009", -89, 89), ("EPSG:3413", 48, 90), ("EPSG:3031", -90, -48)):
                with self.subTest(raster=name, crs=crs):
                    told = good(run(self.session, "raster_reproject", {"uri": name, "dst_crs": crs, "resampling": "nearest", "output": "o.tif", "overwrite": True}))
                    self.assertEqual(any("ends at its area of use" in w for w in told["warnings"]), crs != "ESRI:54009")
                    found = self.cells("o.tif")
                    self.assertAlmostEqual(numpy.nanmin(found), low, delta=1)
                    self.assertAlmostEqual(numpy.nanmax(found), high, delta=1)

    def test_twelve_bits_are_converted(self):
        rasters.write(self.path("few.tif"), [rasters.waves(300, 200, 0, 4095).astype("uint16")], gdal.GDT_UInt16, epsg=32633, options=("NBITS=12",))
        for output in ("cog.tif", "plain.tif"):
            told = good(run(self.session, "raster_convert", {"uri": "few.tif", "output": output, "driver": "COG" if output == "cog.tif" else "GTiff"}))
            self.assertEqual(told["warnings"], [])
            numpy.testing.assert_array_equal(self.cells(output), self.cells("few.tif"))

    def test_a_mask_whose_overviews_have_none_hides_what_it_hides(self):
        rasters.write(self.path("m.tif"), [numpy.add.outer(numpy.arange(512.0), numpy.arange(512.0))], gdal.GDT_Float32, epsg=32633)
        file = gdal.Open(self.path("m.tif"), gdal.GA_Update)
        file.BuildOverviews("AVERAGE", [2, 4, 8])
        del file
        file = gdal.Open(self.path("m.tif"))  # read only: the mask gets a file of its own
        file.CreateMaskBand(gdal.GMF_PER_DATASET)
        mask = numpy.full((512, 512), 255, "uint8")
        mask[:256, :256] = 0
        file.GetRasterBand(1).GetMaskBand().WriteArray(mask)
        del file
        told = good(self.session.call("raster_preview", {"uri": "m.tif", "size": 64}))
        self.assertEqual(told["transparent_share"], 0.25)

    def test_the_commonest_value_may_be_minus_one(self):
        """GDAL's mode of Int16 takes -1 for none."""
        codes = numpy.repeat(numpy.repeat(numpy.array([[-1, 3], [0, -1]], "int16"), 20, 0), 25, 1)
        write(self.path("change.tif"), [codes], gdal.GDT_Int16, epsg=32633, transform=HERE)
        for tool, arguments in (("raster_reproject", {"dst_crs": "EPSG:32633"}), ("raster_query", {"geometry": [500000, 4999600, 500500, 5000000], "geometry_crs": "EPSG:32633"})):
            session.good(session.run(self.session, tool, {"uri": "change.tif", "resampling": "mode", "resolution": 50, "output": "coarse.tif", "overwrite": True, **arguments}))
            numpy.testing.assert_array_equal(gdal.Open(self.path("coarse.tif")).ReadAsArray(), codes[::5, ::5], tool)
        write(self.path("ids.tif"), [numpy.full((40, 50), 2.0 ** 24 + 1)], gdal.GDT_Float64, epsg=32633, transform=HERE)
        p = session.problem(session.run(self.session, "raster_reproject", {"uri": "ids.tif", "dst_crs": "EPSG:32633", "resampling": "mode", "resolution": 50}))
        self.assertIn("16777217", p["message"])

    def test_nan_and_infinite_cells_spoil_no_neighbour(self):
        """2 x 2 cells to one. GDAL's warper leaves out what one mark says, and adds NaN and infinity to the rest."""
        nan, inf = numpy.nan, numpy.inf
        cells = numpy.array([[1, nan, -9, 4], [5, 9, inf, 8], [nan, nan, 2, 2], [nan, nan, 2, -9]], "float32")
        sums = numpy.array([[15, 12], [nan, 6]])
        write(self.path("declared.tif"), [cells], gdal.GDT_Float32, epsg=32633, transform=HERE, nodata=-9)
        write(self.path("masked.tif"), [cells], gdal.GDT_Float32, epsg=32633, transform=HERE)
        edited(self.path("masked.tif"), lambda d: (d.CreateMaskBand(gdal.GMF_PER_DATASET), d.GetRasterBand(1).GetMaskBand().WriteArray(numpy.where(cells == -9, 0, 255).astype("uint8"))))
        before = [pathlib.Path(self.path(name)).read_bytes() for name in ("declared.tif", "masked.tif")]
        whole = [500000, 4999960, 500040, 5000000]
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for name in ("declared.tif", "masked.tif"):
                for tool, arguments in (("raster_reproject", {"uri": name, "dst_crs": "EPSG:32633", "resampling": "sum", "resolution": 20, "output": "made.tif"}),
                                        ("raster_query", {"uri": name, "geometry": whole, "geometry_crs": "EPSG:32633", "resampling": "sum", "resolution": 20, "output": "made.tif"}),
                                        ("gdalwarp", {"src_datasets": [name], "dst_dataset": "made.tif", "t_srs": "EPSG:32633", "r": "sum", "tr": [20, 20]}),
                                        ("aggregate_fuse", {"uris": [name], "methods": ["sum"], "crs": "EPSG:32633", "bounds": whole, "resolution": 20, "output": "made.tif"})):
                    told = good(run(s, tool, {**arguments, "overwrite": True}))
                    self.assertRegex(" ".join(told["warnings"]), "infinite cells (of .* )?are taken for cells without data", tool)
                    d = gdal.Open(self.path("made.tif"))
                    band = d.GetRasterBand(1)
                    numpy.testing.assert_array_equal(numpy.where(band.GetMaskBand().ReadAsArray() > 0, band.ReadAsArray(), nan), sums, (tool, name))
            # Half a cell on, each cell is the mean of four, of those that are there; GDAL wants the lower right one.
            good(run(s, "raster_reproject", {"uri": "declared.tif", "dst_crs": "EPSG:32633", "resampling": "bilinear", "resolution": 10, "bounds": [500005, 4999965, 500035, 4999995], "output": "made.tif", "overwrite": True}))
            d = gdal.Open(self.path("made.tif"))
            numpy.testing.assert_allclose(d.ReadAsArray()[0], [5, -9, 6])
            good(run(s, "raster_mosaic", {"uris": ["declared.tif", "masked.tif"], "resampling": "average", "resolution": 20, "output": "made.tif", "overwrite": True}))
            d = gdal.Open(self.path("made.tif"))
            numpy.testing.assert_allclose(d.ReadAsArray()[0], [5, 6])
            told = good(run(s, "raster_mosaic", {"uris": ["declared.tif", "masked.tif"], "resampling": "average", "resolution": 20, "output": "again.tif"}))
            self.assertIn("infinite cells are taken for cells without data", told["warnings"])
            self.assertIn("NaN cells are taken for cells without data, as the declared ones are", told["warnings"])
            told = good(run(s, "raster_reproject", {"uri": "declared.tif", "dst_crs": "EPSG:32633", "resampling": "sum", "resolution": 20, "output": "made.tif", "overwrite": True}))
            self.assertNotIn("srcnodata", told["equivalent_command"])
            self.assertIn("take those around them along", " ".join(good(run(s, "raster_index", {"uri": "declared.tif", "levels": [2]}))["warnings"]))
        self.assertEqual([pathlib.Path(self.path(name)).read_bytes() for name in ("declared.tif", "masked.tif")], before)

    def test_infinite_cells_do_not_choose_a_nodata_value_and_are_no_data_by_themselves(self):
        cells = PLANE.copy()
        cells[3, 4] = numpy.inf
        for dtype in (gdal.GDT_Float32, gdal.GDT_Float64):
            write(self.path("far.tif"), [cells], dtype, epsg=32633, transform=HERE, nodata=1e30)
            for method in ("bilinear", "mode"):
                said = good(session.run(self.session, "raster_reproject", {"uri": "far.tif", "dst_crs": "EPSG:32634", "resampling": method, "output": "made.tif", "overwrite": True}))
                self.assertEqual([w for w in said["warnings"] if "nodata value" in w], [])
                made = gdal.Open(self.path("made.tif"))
                self.assertAlmostEqual(made.GetRasterBand(1).GetNoDataValue() / 1e30, 1, places=6)
        write(self.path("nothing.tif"), [numpy.full((40, 50), numpy.nan)], gdal.GDT_Float32, epsg=32633, transform=HERE)
        p = problem(session.run(self.session, "raster_reproject", {"uri": "nothing.tif", "dst_crs": "EPSG:32634", "resampling": "bilinear"}))
        self.assertRegex(p["message"], "no cell of .*nothing.tif is valid")

    def test_an_odd_cell_that_only_the_warp_meets_is_left_out(self):
        """Half a cell on, each cell is the mean of four, of those that are there."""
        rows, columns = 500, 600
        plane = numpy.add.outer(2.0 * numpy.arange(rows), numpy.arange(float(columns))).astype("float32")
        bounds = [HERE[0] + 5, HERE[3] - 10 * rows + 5, HERE[0] + 10 * columns - 5, HERE[3] - 5]
        for odd, nodata, told in ((None, None, ""), (numpy.nan, None, ""), (numpy.inf, None, "infinite"), (-numpy.inf, -9, "infinite"), (numpy.nan, -9, "NaN"),
                                  (numpy.nan, numpy.nan, "")):
            cells = plane.copy()
            if odd is not None:
                cells[-1, 0] = odd  # GDAL wants the lower right one of four
            write(self.path("odd.tif"), [cells], gdal.GDT_Float32, epsg=32633, transform=HERE, **({} if nodata is None else {"nodata": nodata}))
            said = good(session.run(self.session, "raster_reproject", {"uri": "odd.tif", "dst_crs": "EPSG:32633", "resampling": "bilinear", "resolution": 10,
                                                                       "bounds": bounds, "output": "made.tif", "overwrite": True}))
            warned = " ".join(said["warnings"])
            self.assertEqual(("infinite" in warned, "NaN cells" in warned), (told == "infinite", told == "NaN"), (odd, nodata, warned))
            there = numpy.where(numpy.isfinite(cells), cells, numpy.nan).astype("float64")
            means = numpy.nanmean([there[:-1, :-1], there[1:, :-1], there[:-1, 1:], there[1:, 1:]], 0)
            numpy.testing.assert_allclose(gdal.Open(self.path("made.tif")).ReadAsArray(), means, atol=1e-3, err_msg=f"{odd} {nodata}")

    def test_one_unit_may_be_spelled_in_two_ways(self):
        for name, unit, west in (("a.tif", "m", 500000), ("b.tif", "metre", 500500), ("c.tif", "ft", 501000)):
            self.plane(name, transform=(west, *HERE[1:]))
            edited(self.path(name), lambda d: d.GetRasterBand(1).SetUnitType(unit))
        good(session.run(self.session, "raster_mosaic", {"uris": ["a.tif", "b.tif"], "output": "ab.tif"}))
        self.assertIn("units differ (m and ft)", problem(session.run(self.session, "raster_mosaic", {"uris": ["a.tif", "c.tif"], "output": "ac.tif"}))["message"])

    def test_means_of_decibels_and_contours_of_directions_are_doubted(self):
        self.plane("power.tif")
        edited(self.path("power.tif"), lambda d: d.GetRasterBand(1).SetUnitType("dB"))
        self.plane("aspect.tif")
        edited(self.path("aspect.tif"), lambda d: d.GetRasterBand(1).SetDescription("aspect"))
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for statistic, doubted in (("mean", True), ("max", False)):
                told = good(run(s, "raster_focal", {"uri": "power.tif", "statistic": statistic, "output": statistic + ".tif"}))
                self.assertEqual("not that of the amounts" in " ".join(told["warnings"]), doubted)
            told = good(run(s, "raster_contour", {"uri": "aspect.tif", "interval": 10, "output": "lines.gpkg"}))
            self.assertIn("a direction is no level", " ".join(told["warnings"]))
            told = good(run(s, "raster_contour", {"uri": "power.tif", "interval": 10, "output": "levels.gpkg"}))
            self.assertEqual(told["warnings"], [])

    def test_an_offset_in_the_tags_of_whole_numbers_is_told_of(self):
        for name, dtype, offset, told in (("red", gdal.GDT_UInt16, "-1000", True), ("none", gdal.GDT_UInt16, "0", False), ("done", gdal.GDT_Float32, "-1000", False)):
            write(self.path(name + ".tif"), [PLANE], dtype, epsg=32633, transform=HERE)
            edited(self.path(name + ".tif"), lambda d: d.SetMetadata({"BOA_ADD_OFFSET": offset, "QUANTIFICATION_VALUE": "10000"}))
            with Session(workspace=self.workspace) as s:
                for tool, arguments in (("raster_calc", {"expression": "A / (A + 1)", "inputs": {"A": name + ".tif"}}), ("raster_info", {"uri": name + ".tif"})):
                    words = good(s.call(tool, arguments))
                    self.assertEqual(str((words["warnings"], words.get("hints"))).count("BOA_ADD_OFFSET = -1000"), told, (tool, name))

    def test_a_vrt_that_computes_its_cells_is_told_of(self):
        self.plane("plane.tif")
        source = self.path("plane.tif")
        for name, method in (("average", "average"), ("nearest", "nearest"), ("same", "average")):
            size = {} if name == "same" else {"resolution": "user", "xRes": 20, "yRes": 20}
            gdal.BuildVRT(self.path(name + ".vrt"), source, resampleAlg=method, **size).FlushCache()
        for name in ("bilinear", "near"):
            gdal.Warp(self.path(name + ".vrt"), source, format="VRT", dstSRS="EPSG:32632", resampleAlg=name).FlushCache()
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for name, told in (("average", True), ("bilinear", True), ("nearest", False), ("same", False), ("near", False)):
                words = f"resamples its sources by {name}: its cells are computed"
                for tool, more in (("raster_stats", {}), ("raster_terrain", {"measure": "slope", "output": "s.tif", "overwrite": True}), ("hydro_condition", {"method": "fill", "output": "f.tif", "overwrite": True})):
                    warnings = " ".join(good(run(s, tool, {"uri": name + ".vrt", **more}))["warnings"])
                    self.assertEqual(warnings.count(words), told, (tool, warnings))
                self.assertEqual(words in " ".join(good(s.call("raster_info", {"uri": name + ".vrt"}))["hints"]), told)

    def test_heights_in_feet_stay_feet_between_equal_heights(self):
        write(self.path("feet.tif"), [PLANE + 1000], gdal.GDT_Float32, transform=HERE)
        edited(self.path("feet.tif"), lambda d: (d.SetSpatialRef(compound("EPSG:32633+5773")), d.GetRasterBand(1).SetUnitType("ft")))
        session.good(session.run(self.session, "raster_reproject", {"uri": "feet.tif", "dst_crs": "EPSG:25833+5773", "resampling": "nearest", "output": "moved.tif"}))
        for tool, arguments in (("raster_calc", {"expression": "where(A > 1010, A, nodata())", "inputs": {"A": "feet.tif"}}), ("raster_focal", {"uri": "feet.tif", "statistic": "mean"})):
            with Session("--toolsets", "all", workspace=self.workspace) as s:
                told = good(run(s, tool, {**arguments, "output": tool + ".tif"}))
                self.assertFalse([w for w in told["warnings"] if "unit" in w], told["warnings"])
        for made in ("moved.tif", "raster_calc.tif", "raster_focal.tif"):
            d = gdal.Open(self.path(made))
            band = d.GetRasterBand(1)
            self.assertEqual(band.GetUnitType(), "ft", made)
            self.assertGreater(numpy.nanmin(band.ReadAsArray()), 999, made)

    def test_a_vertical_crs_makes_no_heights_of_codes_or_of_amounts(self):
        write(self.path("classes.tif"), [numpy.random.default_rng(4).choice([11, 41, 82], (40, 50)).astype("uint8")], gdal.GDT_Byte, epsg=32633, transform=HERE)
        self.plane("people.tif")
        edited(self.path("people.tif"), lambda d: d.GetRasterBand(1).SetUnitType("persons"))
        for name, why in (("classes.tif", "they are codes of classes"), ("people.tif", "their unit is 'persons'")):
            p = problem(run(self.session, "raster_reproject", {"uri": name, "dst_crs": "EPSG:25833+5773", "resampling": "nearest", "output": "o.tif"}))
            self.assertIn(why, p["message"])
            self.assertIn('name the horizontal CRS alone: "dst_crs": "EPSG:25833"', p["hint"])

    def test_heights_of_one_name_in_another_unit_are_converted(self):
        def heights(unit, metres):
            return osr.SpatialReference(f'COMPD_CS["own",{compound("EPSG:32633").ExportToWkt()},VERT_CS["own heights",VERT_DATUM["own datum",2005],UNIT["{unit}",{metres}],AXIS["Up",UP]]]')
        write(self.path("own.tif"), [PLANE + 1000], gdal.GDT_Float32, transform=HERE)
        session.good(session.run(self.session, "raster_reproject", {"uri": "own.tif", "src_crs": heights("metre", 1).ExportToWkt(), "dst_crs": heights("foot", 0.3048).ExportToWkt(), "resampling": "nearest", "output": "feet.tif"}))
        d = gdal.Open(self.path("feet.tif"))
        numpy.testing.assert_allclose(d.ReadAsArray(), (PLANE + 1000) / 0.3048, rtol=1e-5)

    def test_each_band_has_its_own_nodata(self):
        self.plane("a.tif")
        gdal.BuildVRT(self.path("two.vrt"), [self.path("a.tif")] * 2, separate=True).FlushCache()
        edited(self.path("two.vrt"), lambda d: (d.GetRasterBand(1).SetNoDataValue(0), d.GetRasterBand(2).SetNoDataValue(5)))
        expected = [int((PLANE != n).sum()) for n in (0, 5)]
        self.told("raster_convert", "two.vrt", output="two.tif")
        for name in ("two.vrt", "two.tif"):
            self.assertEqual([b["valid_count"] for b in self.told("raster_stats", name)["bands"]], expected, name)

    def test_south_up_and_mirrored_grids_have_north_up_pictures(self):
        def picture(name):
            return next(b["data"] for b in self.session.call("raster_preview", {"uri": name})["content"] if b["type"] == "image")
        self.plane("plain.tif")
        write(self.path("south.tif"), [PLANE[::-1]], gdal.GDT_Float32, epsg=32633, transform=(500000, 10, 0, 4999600, 0, 10))
        write(self.path("mirror.tif"), [PLANE[:, ::-1]], gdal.GDT_Float32, epsg=32633, transform=(500500, -10, 0, 5000000, 0, -10))
        unplaced(self.path("nowhere.tif"), PLANE, lambda d: None)
        for name in ("south.tif", "mirror.tif", "nowhere.tif"):
            self.assertEqual(picture(name), picture("plain.tif"), name)
        self.assertIn("mirrored", " ".join(self.told("raster_info", "mirror.tif")["hints"]))
        self.assertNotIn("south-up", " ".join(self.told("raster_info", "nowhere.tif")["hints"]))

    def test_rotated_grids_are_measured_and_not_taken_for_terrain(self):
        self.plane("rotated.tif", transform=(500000, 8, 6, 5000000, 6, -8))
        self.assertIn("rotated", " ".join(self.told("raster_info", "rotated.tif")["hints"]))
        self.assertAlmostEqual(self.told("raster_stats", "rotated.tif")["bands"][0]["mean"], PLANE.mean(dtype="float64"), delta=1e-9)
        shown = self.session.call("raster_preview", {"uri": "rotated.tif"})
        self.assertIn("rows and columns as stored", " ".join(c.get("text", "") for c in shown["content"]))
        p = self.refused("raster_terrain", "rotated.tif", measure="slope")
        self.assertIn("rotated", p["message"])
        self.assertIn("raster_reproject", p["hint"])
        for name, transform in (("rotated.tif", None), ("mirrored.tif", (500000, -8, 0, 5000000, 0, -8))):
            if transform:
                self.plane(name, transform=transform)
            session.good(session.run(self.session, "raster_reproject", {"uri": name, "dst_crs": "EPSG:32633", "resampling": "bilinear", "output": "up.tif", "overwrite": True}))
            transform = gdal.Open(self.path("up.tif")).GetGeoTransform()
            self.assertTrue(transform[1] > 0 and transform[2] == transform[4] == 0 and transform[5] < 0, transform)
            self.told("raster_terrain", "up.tif", measure="slope")
        self.assertTrue((gdal.Open(self.path("up.tif")).ReadAsArray() == PLANE[:, ::-1]).all())  # turned, not resampled

    def test_control_points_and_rpcs_are_kept_or_lead_to_a_regular_grid(self):
        for name, edit, words in (("gcp.tif", control_points, "ground control points"), ("rpc.tif", rational, "RPC")):
            unplaced(self.path(name), PLANE, edit)
            self.assertIn(words, " ".join(self.told("raster_info", name)["hints"]))
            self.assertAlmostEqual(self.told("raster_stats", name)["bands"][0]["mean"], PLANE.mean(dtype="float64"), delta=1e-9)
            p = self.refused("raster_terrain", name, measure="slope")
            self.assertIn(words, p["message"])
            self.assertIn("raster_reproject", p["hint"])
            self.told("raster_convert", name, output="copy.tif", overwrite=True)
            self.assertIn(words, " ".join(self.told("raster_info", "copy.tif")["hints"]))
            calculated = good(self.session.call("raster_calc", {"expression": "A + 1", "inputs": {"A": name}}))
            self.assertIn(words, " ".join(calculated["warnings"]))
        regular = good(run(self.session, "raster_reproject", {"uri": "gcp.tif", "dst_crs": "EPSG:32633", "resampling": "nearest", "output": "grid.tif"}))
        self.assertEqual(regular["output"]["crs"], "EPSG:32633")
        made = gdal.Open(self.path("grid.tif"))
        t, cells = made.GetGeoTransform(), made.ReadAsArray()
        x, y = 500000 + 10 * 20.5 + 3 * 30.5, 5000000 - 10 * 30.5  # the middle of column 20, row 30
        self.assertAlmostEqual(cells[int((y - t[3]) / t[5]), int((x - t[0]) / t[1])], PLANE[30, 20], delta=3.1)

    def test_whole_numbers_beyond_2_53_are_not_moved_to_another_grid(self):
        ids = numpy.arange(2 ** 53 + 1, 2 ** 53 + 101, dtype="int64").reshape(10, 10)
        write(self.path("ids.tif"), [ids], gdal.GDT_Int64, epsg=32633, transform=HERE)
        finer, box = {"resolution": HERE[1] / 2, "resampling": "nearest"}, [HERE[0], HERE[3] - 100, HERE[0] + 100, HERE[3]]
        with Session("--toolsets", "all", workspace=self.workspace) as server:
            for tool, arguments in (("raster_reproject", {"uri": "ids.tif", "dst_crs": "EPSG:32633", **finer}),
                                    ("raster_query", {"uri": "ids.tif", "geometry": box, "geometry_crs": "EPSG:32633", **finer}),
                                    ("gdalwarp", {"src_datasets": ["ids.tif"], "dst_dataset": "out.tif", "t_srs": "EPSG:32634"})):
                p = problem(run(server, tool, arguments))
                self.assertIn("beyond 2^53 (about 90071992547409", p["message"])
                self.assertIn("split them into smaller numbers", p["hint"])
        write(self.path("ids.tif"), [ids - 2 ** 53], gdal.GDT_Int64, epsg=32633, transform=HERE)
        self.told("raster_reproject", "ids.tif", dst_crs="EPSG:32633", output="finer.tif", **finer)
        numpy.testing.assert_array_equal(gdal.Open(self.path("finer.tif")).ReadAsArray()[::2, ::2], ids - 2 ** 53)

    def test_complex_cells_are_described_and_refused_with_the_way_out(self):
        made = gdal.GetDriverByName("GTiff").Create(self.path("complex.tif"), 50, 40, 1, gdal.GDT_CFloat32)
        made.SetGeoTransform(HERE)
        made.SetSpatialRef(rasters.crs(32633))
        made.GetRasterBand(1).WriteArray((PLANE + 1j * PLANE[::-1]).astype("complex64"))
        del made
        self.assertEqual(self.told("raster_info", "complex.tif")["bands"][0]["dtype"], "CFloat32")
        for tool, arguments in (("raster_stats", {}), ("raster_preview", {}), ("raster_terrain", {"measure": "slope"}),
                                ("raster_classify", {"method": "otsu"})):
            p = self.refused(tool, "complex.tif", **arguments)
            self.assertIn("complex", p["message"])
            self.assertIn("raster_convert", p["hint"])
        with Session("--toolsets", "all", workspace=self.workspace) as server:
            real = good(run(server, "raster_convert", {"uri": "complex.tif", "output": "real.tif", "dtype": "Float32"}))
            said = good(run(server, "gdal_translate", {"src_dataset": "complex.tif", "dst_dataset": "real_2.tif", "ot": "Float32"}))["warnings"]
        imaginary = numpy.count_nonzero(PLANE[::-1])
        self.assertEqual((real["lossless"], real["changed_cells"]), (False, imaginary))
        self.assertIn(f"{imaginary} cells changed their value; keep the source for measuring", said)
        self.assertAlmostEqual(self.told("raster_stats", "real.tif")["bands"][0]["mean"], PLANE.mean(dtype="float64"), delta=1e-9)


if __name__ == "__main__":
    session.main()
