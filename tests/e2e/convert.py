"""raster_convert: options are honoured or refused by name, the reported changes of values are true, and nothing lossy passes the gate."""
import json

import numpy
from osgeo import gdal

import rasters
from session import Claims, Session, good, main, problem, run

COLOURS = (gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand)


def receipts(result):
    return {r["domain"]: r for r in result["_meta"]["io.gdal-mcp/receipts"]}


def cells(path):
    return gdal.Open(str(path)).ReadAsArray()


class Converting(Claims):
    settings = ()

    def setUp(self):
        super().setUp()
        self.session = Session(*self.settings, workspace=self.workspace)
        self.addCleanup(self.session.close)

    def convert(self, uri, output="out.tif", **arguments):
        return self.session.call("raster_convert", {"uri": uri, "output": output, "overwrite": True, **arguments})

    def converted(self, uri, output="out.tif", **arguments):
        """The result of a call without questions."""
        return good(self.convert(uri, output, **arguments))

    def answered(self, uri, output="out.tif", **arguments):
        """The whole answer of a call after its questions are answered."""
        return run(self.session, "raster_convert", {"uri": uri, "output": output, "overwrite": True, **arguments})

    def refused(self, uri, output="out.tif", code="invalid_argument", **arguments):
        p = problem(self.convert(uri, output, **arguments))
        self.assertEqual(p["error"], code, p)
        return p

    def asked(self, uri, **arguments):
        """The text of the question."""
        answer = self.convert(uri, **arguments)
        self.assertEqual(problem(answer)["error"], "requires_epistemic_justification")
        return answer["content"][0]["text"]

    def agrees(self, answer, source, output="out.tif"):
        """lossless, changed_cells and the text agree with an independent comparison of the values."""
        got = good(answer)
        before, after = cells(self.path(source)), cells(self.path(output))
        changed = int((before.astype("float64") != after.astype("float64")).sum())
        self.assertEqual(got["changed_cells"], changed)
        self.assertEqual(got["lossless"], changed == 0)
        said = [w for w in got["warnings"] if "changed their value" in w]
        self.assertEqual([w.split()[0] for w in said], [str(changed)] if changed else [])
        for receipt in answer["_meta"]["io.gdal-mcp/receipts"]:
            if changed:
                self.assertNotIn("lossless, and the format keeps every fact", receipt["notes"])
        return got


class options(Converting):
    def setUp(self):
        super().setUp()
        rasters.byte(self.path("byte.tif"))

    def stored(self, name="out.tif"):
        d = gdal.Open(self.path(name))
        return d.GetMetadata("IMAGE_STRUCTURE").get("COMPRESSION"), d.GetRasterBand(1).GetBlockSize()

    def test_an_option_wins_over_a_default(self):
        got = self.converted("byte.tif", creation_options=["COMPRESS=LZW"])
        self.assertEqual((got["compression"], self.stored()[0]), ("LZW", "LZW"))
        got = self.converted("byte.tif", creation_options=["TILED=NO"])
        self.assertEqual((got["driver"], self.stored()[1][0]), ("GTiff", 230))
        got = self.converted("byte.tif", creation_options=["COMPRESS=DEFLATE", "ZLEVEL=9", "BLOCKYSIZE=32", "BLOCKXSIZE=64"])
        self.assertEqual(self.stored(), ("DEFLATE", [64, 32]))
        self.assertEqual(len({o.split("=")[0] for o in got["creation_options"]}), len(got["creation_options"]))

    def test_an_option_that_contradicts_an_argument_is_refused_naming_both(self):
        for arguments, words in [({"compression": "ZSTD", "creation_options": ["COMPRESS=LZW"]}, ("'compression'", "ZSTD", "COMPRESS=LZW")),
                                 ({"tiled": True, "creation_options": ["TILED=NO"]}, ("'tiled'", "true", "TILED=false")),
                                 ({"block_size": 256, "creation_options": ["BLOCKSIZE=512"]}, ("'block_size'", "256", "BLOCKSIZE=512"))]:
            message = self.refused("byte.tif", **arguments)["message"]
            for word in words:
                self.assertIn(word, message)
        self.assertEqual(self.converted("byte.tif", compression="LZW", creation_options=["compress=lzw"])["compression"], "LZW")

    def test_what_is_not_understood_is_refused_by_name(self):
        p = self.refused("byte.tif", creation_options=["COMPRES=LZW"])
        self.assertIn("COMPRES", p["message"])
        self.assertIn("did you mean COMPRESS", p["hint"])
        self.assertIn("IF_SAFER", self.refused("byte.tif", creation_options=["BIGTIFF=MAYBE"])["hint"])
        self.assertIn("DEFLATE", self.refused("byte.tif", creation_options=["ZLEVEL=9"])["message"])
        self.assertIn("4 cannot hold", self.refused("byte.tif", creation_options=["NBITS=4"])["message"])
        self.assertEqual(self.files(), {"byte.tif"})

    def test_nothing_is_reprojected_or_resampled_past_the_gate(self):
        for option in ("TARGET_SRS=EPSG:3857", "TILING_SCHEME=GoogleMapsCompatible", "RES=100", "EXTENT=0,0,1,1",
                       "WARP_RESAMPLING=CUBIC", "ZOOM_LEVEL=3", "ALIGNED_LEVELS=2"):
            self.assertIn("raster_reproject", self.refused("byte.tif", creation_options=[option])["hint"])
        self.assertIn("'overview_resampling'", self.refused("byte.tif", creation_options=["OVERVIEW_RESAMPLING=CUBIC"])["hint"])
        self.assertEqual(self.files(), {"byte.tif"})

    def test_a_lossy_option_asks_what_the_argument_asks(self):
        def asked(**arguments):
            p = self.refused("byte.tif", code="requires_epistemic_justification", **arguments)
            return [(m["domain"], m["input_hash"]) for m in p["missing"]]

        jpeg = asked(compression="JPEG", quality=60)
        for spelling in (["COMPRESS=JPEG", "QUALITY=60"], [" compress = jpeg ", "quality=60"], ["COMPRESS=JPEG", "JPEG_QUALITY=60"]):
            self.assertEqual(asked(creation_options=spelling), jpeg)
        self.assertNotEqual(asked(creation_options=["COMPRESS=JPEG", "QUALITY=50"]), jpeg)
        self.assertEqual(asked(creation_options=["COMPRESS=LERC", "MAX_Z_ERROR=1.5"]), asked(compression="lerc", max_error=1.5))
        got = self.agrees(self.answered("byte.tif", creation_options=["COMPRESS=JPEG", "QUALITY=60"]), "byte.tif")
        self.assertEqual((got["compression"], got["lossless"]), ("JPEG", False))
        rasters.palette(self.path("classes.tif"))
        p = problem(self.answered("classes.tif", creation_options=["COMPRESS=JPEG"]))
        self.assertIn("palette", p["message"])

    def test_a_loss_of_other_formats_needs_a_quality(self):
        b = [rasters.waves(64, 64, 0, 255, seed=s).astype("uint8") for s in (1, 2, 3)]
        rasters.write(self.path("rgb.tif"), b, gdal.GDT_Byte, colours=COLOURS)
        for output in ("a.webp", "a.jp2", "a.gpkg"):
            got = good(self.answered("rgb.tif", output))
            self.assertEqual((got["driver"], got["changed_cells"]), (got["driver"], 0))
        self.assertIn("quality", problem(self.answered("rgb.tif", "a.webp", creation_options=["LOSSLESS=NO"]))["hint"])
        self.assertIn("quality", problem(self.answered("rgb.tif", "a.jp2", creation_options=["REVERSIBLE=NO"]))["hint"])
        self.agrees(self.answered("rgb.tif", "a.webp", quality=40), "rgb.tif", "a.webp")
        self.agrees(self.answered("rgb.tif", "a.jp2", creation_options=["QUALITY=20"]), "rgb.tif", "a.jp2")

    def test_what_loses_nothing_asks_nothing_in_any_spelling(self):
        b = [rasters.waves(64, 64, 0, 255, seed=s).astype("uint8") for s in (1, 2, 3)]
        rasters.write(self.path("rgb.tif"), b, gdal.GDT_Byte, colours=COLOURS)
        for output, options in [("a.tif", ["COMPRESS=DEFLATE", "ZLEVEL=9", "PREDICTOR=2", "NUM_THREADS=2"]),
                                ("a.tif", ["COMPRESS=LERC", "MAX_Z_ERROR=0"]), ("a.tif", ["COMPRESS=WEBP", "WEBP_LOSSLESS=YES"]),
                                ("a.tif", ["COMPRESS=ZSTD", "TILED=YES"]), ("a.png", []), ("a.png", ["ZLEVEL=9"]), ("a.webp", []),
                                ("a.jp2", ["QUALITY=100", "REVERSIBLE=YES"]), ("a.jp2", [])]:
            got = self.agrees(self.convert("rgb.tif", output, creation_options=options), "rgb.tif", output)
            self.assertTrue(got["lossless"], (output, options))
        for output, options in [("a.tif", ["COMPRESS=WEBP"]), ("a.tif", ["COMPRESS=WEBP", "WEBP_LOSSLESS=NO"]), ("a.jpg", []),
                                ("a.jp2", ["QUALITY=50"])]:
            self.refused("rgb.tif", output, code="requires_epistemic_justification", creation_options=options)
        self.assertIn("PNG refuses", self.refused("rgb.tif", "a.png", creation_options=["NBITS=4"])["message"])
        p = problem(self.answered("rgb.tif", compression="WEBP", quality=50, creation_options=["WEBP_LOSSLESS=YES"]))
        self.assertIn("WEBP_LOSSLESS=YES", p["message"])

    def test_words_of_gdal_and_numpy_are_taken_and_not_shown(self):
        got = self.converted("byte.tif", compression="lzw", dtype="uint16", overview_resampling="near", overviews=False,
                             justification=json.loads(REASON))
        self.assertEqual((got["compression"], got["dtype"]), ("LZW", "UInt16"))
        self.assertEqual(self.converted("byte.tif", dtype="ubyte")["dtype"], "Byte")
        self.assertEqual(self.converted("byte.tif", dtype="FLOAT_32")["dtype"], "Float32")
        listed = {t["name"]: t for t in self.session.request("tools/list")["result"]["tools"]}["raster_convert"]
        self.assertNotIn("synonyms", json.dumps(listed))
        self.assertIn("Byte", self.refused("byte.tif", dtype="nibble")["message"])

    def test_overviews_are_all_none_or_those_named_and_none_is_said(self):
        self.assertEqual(self.converted("byte.tif", overviews=[2, 4])["overviews_built"], ["115×85", "57×42"])
        self.assertEqual(self.converted("byte.tif", overviews=[2, 3], driver="GTiff")["overviews_built"], ["115×85", "77×57"])
        self.assertIn("GTiff", self.refused("byte.tif", overviews=[2, 3])["hint"])
        self.assertIn("rising", self.refused("byte.tif", overviews=[4, 2], driver="GTiff")["hint"])
        for driver in ("COG", "GTiff"):
            got = self.converted("byte.tif", overviews=True, driver=driver)
            self.assertEqual(got["overviews_built"], [])
            self.assertTrue(any("230 × 170" in w and "no overviews" in w for w in got["warnings"]), got["warnings"])
        self.assertEqual(self.converted("byte.tif", overviews=False)["warnings"], [])

    def test_overviews_of_few_whole_numbers_hold_values_of_the_raster_and_the_doubt_is_told(self):
        steps = rasters.waves(230, 170, 0, 8).astype("uint8")  # neighbours differ by one
        steps[steps == 4] = 3
        rasters.write(self.path("steps.tif"), [steps], gdal.GDT_Byte)
        got = self.converted("steps.tif", driver="COG", overviews=[2])
        self.assertEqual(got["overview_resampling"], "MODE")
        self.assertTrue(any("few whole numbers, which may be codes" in w for w in got["warnings"]), got["warnings"])
        made = gdal.Open(self.path("out.tif"))
        self.assertNotIn(4, made.GetRasterBand(1).GetOverview(0).ReadAsArray())
        self.assertEqual(self.converted("steps.tif")["warnings"], [])

    def test_overviews_that_are_not_built_are_not_warned_of(self):
        rasters.palette(self.path("classes.tif"))
        for more, warned in (({"overviews": [2]}, True), ({}, False)):
            told = good(self.answered("classes.tif", driver="COG", overview_resampling="average", **more))
            self.assertEqual("create classes that do not exist" in " ".join(told["warnings"]), warned, told["warnings"])

    def test_overviews_of_directions_take_one_of_them(self):
        north = numpy.where(numpy.indices((170, 230)).sum(0) % 2, 359.5, 0.5).astype("float32")  # a mean of 180 would point south
        rasters.write(self.path("aspect.tif"), [north], gdal.GDT_Float32)
        d = gdal.Open(self.path("aspect.tif"), gdal.GA_Update)
        d.GetRasterBand(1).SetUnitType("degrees")
        del d
        got = self.converted("aspect.tif", driver="COG", overviews=[2])
        self.assertEqual(got["overview_resampling"], "NEAREST")
        made = gdal.Open(self.path("out.tif"))
        self.assertLessEqual(set(made.GetRasterBand(1).GetOverview(0).ReadAsArray().ravel().tolist()), {0.5, 359.5})

    def test_a_vrt_is_no_result(self):
        p = problem(self.answered("byte.tif", "out.vrt"))
        self.assertIn("a VRT holds no cells", p["message"])
        p = problem(self.answered("byte.tif", driver="VRT"))
        self.assertIn("a VRT holds no cells", p["message"])
        self.assertEqual(self.files(), {"byte.tif"})


REASON = json.dumps({"resampling": {
    "intent": "overviews of a test", "alternatives": [{"method": "average", "why_not": "values between 2 codes"}],
    "choice": {"method": "nearest", "rationale": "keeps the 256 values", "tradeoffs": "thin lines may vanish"},
    "confidence": "high", "facts": {"kind": "continuous"}}})


class values(Converting):
    def test_what_a_narrower_type_rounds_is_counted_asked_and_never_called_lossless(self):
        z = rasters.waves(230, 170, 0, 4000).astype("float32")
        rasters.write(self.path("f.tif"), [z], gdal.GDT_Float32)
        text = self.asked("f.tif", dtype="int16")
        self.assertIn("Int16 does not hold every Float32 value of f.tif", text)
        got = self.agrees(self.answered("f.tif", dtype="int16"), "f.tif")
        self.assertEqual(got["changed_cells"], int((z != numpy.rint(z)).sum()))

    def test_a_narrower_type_that_holds_every_cell_asks_nothing_and_one_cell_outside_is_refused(self):
        z = (numpy.arange(230 * 170).reshape(170, 230) % 251).astype("uint16")
        rasters.write(self.path("small.tif"), [z], gdal.GDT_UInt16)
        answer = self.convert("small.tif", dtype="Byte")
        self.assertTrue(self.agrees(answer, "small.tif")["lossless"])
        z[7, 7] = 256
        rasters.write(self.path("small.tif"), [z], gdal.GDT_UInt16)
        self.assertIn("1 cell lies outside 0 to 255", self.refused("small.tif", dtype="Byte")["message"])

    def test_a_palette_stays_with_sixteen_bits(self):
        rasters.palette(self.path("classes.tif"))
        answer = self.convert("classes.tif", dtype="UInt16")
        self.agrees(answer, "classes.tif")
        before, after = gdal.Open(self.path("classes.tif")), gdal.Open(good(answer)["output"]["path"])
        colours = [[d.GetRasterBand(1).GetColorTable().GetColorEntry(i) for i in range(4)] for d in (before, after)]
        self.assertEqual(*colours)

    def test_facts_a_format_cannot_keep_are_a_conflict(self):
        rasters.palette(self.path("classes.tif"))
        text = self.asked("classes.tif", dtype="Int16")
        self.assertIn("GeoTIFF cannot keep the palette of band 1", text)
        self.assertIn("A palette needs Byte or UInt16", text)

    def test_a_wider_type_is_lossless_and_asks_nothing(self):
        rasters.uint16(self.path("u.tif"))
        answer = self.convert("u.tif", dtype="Float32")
        self.agrees(answer, "u.tif")
        self.assertEqual(receipts(answer)["format_selection"]["notes"], ["lossless, and the format keeps every fact"])

    def test_unscaled_values_are_lossless_where_the_type_holds_them(self):
        rasters.uint16(self.path("u.tif"))
        d = gdal.Open(self.path("u.tif"), gdal.GA_Update)
        for i in (1, 2, 3):
            d.GetRasterBand(i).SetScale(0.5)
        del d
        answer = self.convert("u.tif", unscale=True)
        got = good(answer)
        numpy.testing.assert_array_equal(cells(self.path("out.tif")), 0.5 * cells(self.path("u.tif")))
        self.assertEqual((got["lossless"], got["changed_cells"], got["warnings"]), (True, 0, []))
        self.assertIn("unscale", receipts(answer)["format_selection"]["notes"][0])
        odd = int((cells(self.path("u.tif")) % 2 == 1).sum())
        self.assertEqual(good(self.answered("u.tif", unscale=True, dtype="UInt16"))["changed_cells"], odd)

    def test_a_scale_that_only_gdal_finds_is_named(self):
        rasters.uint16(self.path("u.tif"))
        d = gdal.Open(self.path("u.tif"), gdal.GA_Update)
        d.GetRasterBand(1).SetScale(0.5)
        del d
        words = "AAIGrid has no place for scale and offset"
        self.assertIn(words, " ".join(good(self.answered("u.tif", "out.asc", bands=[1]))["warnings"]))
        for output, more in (("out.tif", {}), ("real.asc", {"unscale": True})):
            self.assertNotIn(words, " ".join(good(self.answered("u.tif", output, bands=[1], **more))["warnings"]))

    def test_cells_beyond_a_scale_are_counted_and_its_values_are_those_stored(self):
        rasters.write(self.path("s.tif"), [numpy.arange(200, 212).reshape(3, 4)], gdal.GDT_UInt16)
        d = gdal.Open(self.path("s.tif"), gdal.GA_Update)
        d.GetRasterBand(1).SetScale(0.01)
        del d
        told = " ".join(good(self.answered("s.tif", dtype="Byte", scale=[2, 2.1, 0, 100]))["warnings"])
        self.assertIn("12 cells lie outside 2 to 2.1, clamped to the ends; 'scale' is of the stored values: with 'unscale' it is of the real ones "
                      "(stored x 0.01 + 0)", told)
        told = " ".join(good(self.answered("s.tif", dtype="Byte", scale=[2, 2.1, 0, 100], unscale=True))["warnings"])
        self.assertIn("1 cell lies outside 2 to 2.1, clamped to the ends", told)
        self.assertNotIn("of the stored values", told)
        self.assertEqual(cells(self.path("out.tif")).ravel().tolist(), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 100])

    def test_cells_a_picture_cannot_mark_are_counted(self):
        # Nodata 0 in each band; a PNG marks colours: only cells that are 0 in all three.
        b = [rasters.waves(64, 64, 1, 255, seed=s).astype("uint8") for s in (1, 2, 3)]
        for band in b:
            band[:4, :5] = 0
        b[0][10, 10:17] = 0
        rasters.write(self.path("rgb.tif"), b, gdal.GDT_Byte, nodata=0, colours=COLOURS)
        got = good(self.answered("rgb.tif", "out.png"))
        self.assertEqual((got["changed_cells"], got["lossless"]), (7, False))
        self.assertTrue(any(w.startswith("7 cells without data in the source have a value now") for w in got["warnings"]))
        b[0][10, 10:17] = 9
        rasters.write(self.path("rgb.tif"), b, gdal.GDT_Byte, nodata=0, colours=COLOURS)
        got = good(self.answered("rgb.tif", "out.png"))
        self.assertEqual((got["changed_cells"], got["lossless"]), (0, True))


    def test_a_format_that_stores_each_band_as_a_raster_of_its_own_is_refused_for_several(self):
        rasters.write(self.path("two.tif"), [numpy.arange(12).reshape(3, 4)] * 2, gdal.GDT_Int16)
        p = problem(self.answered("two.tif", "two.nc"))
        self.assertEqual(p["error"], "unsupported", p)
        self.assertIn("2 bands", p["message"])
        self.assertIn("'bands'", p["hint"])
        good(self.answered("two.tif", "one.nc", bands=[2]))
        numpy.testing.assert_array_equal(cells(self.path("one.nc")), numpy.arange(12).reshape(3, 4))

    def test_a_type_the_format_does_not_have_is_refused(self):
        rasters.float32_nodata(self.path("f.tif"))
        p = problem(self.answered("f.tif", "out.png"))
        self.assertEqual(p["message"], "PNG stores Byte UInt16, but band 1 is Float32")
        self.assertIn("'scale'", p["hint"])
        self.assertEqual(good(self.answered("f.tif", "out.png", dtype="Byte", scale=[-2, 2, 1, 255], nodata=0))["dtype"], "Byte")

    def test_values_that_are_rescaled_have_no_unit(self):
        rasters.float32_nodata(self.path("f.tif"))
        source = gdal.Open(self.path("f.tif"), gdal.GA_Update)
        source.GetRasterBand(1).SetUnitType("m")
        del source
        for arguments, unit in (({"scale": [-2, 2, 1, 255], "dtype": "Byte", "nodata": 0}, ""), ({"compression": "DEFLATE"}, "m")):
            good(self.answered("f.tif", "out.tif", overwrite=True, **arguments))
            written = gdal.Open(self.path("out.tif"))
            self.assertEqual(written.GetRasterBand(1).GetUnitType(), unit)

    def test_a_source_that_cannot_be_read_is_the_reason(self):
        rasters.uint16(self.path("u.tif"))
        with open(self.path("u.tif"), "r+b") as f:
            size = f.seek(0, 2)
            f.seek(size // 3)
            f.write(bytes(size // 3))
        self.assertNotIn("IDAT", problem(self.answered("u.tif", "out.png"))["message"])
        self.assertEqual(self.files(), {"u.tif"})


class signed_bytes(Converting):
    CELLS = numpy.array([[-128, -1, 0, 1], [127, 126, -2, 5], [3, -100, 100, -50]], "int8")

    def write(self, name, nodata=None):
        """As gdal_translate -co PIXELTYPE=SIGNEDBYTE makes them."""
        d = gdal.GetDriverByName("GTiff").Create(self.path(name), 4, 3, 1, gdal.GDT_Byte, ["PIXELTYPE=SIGNEDBYTE"])
        d.SetGeoTransform((289000, 10, 0, 9121000, 0, -10))
        d.SetSpatialRef(rasters.crs(rasters.UTM))
        if nodata is not None:
            d.GetRasterBand(1).SetNoDataValue(nodata)
        d.GetRasterBand(1).WriteRaster(0, 0, 4, 3, self.CELLS.tobytes())
        del d

    def test_are_read_with_their_sign_everywhere(self):
        self.write("s8.tif", nodata=-1)
        band = good(self.session.call("raster_info", {"uri": "s8.tif"}))["bands"][0]
        self.assertEqual((band["dtype"], band["nodata"], band["mask"]), ("Int8", -1, "nodata"))
        valid = self.CELLS[self.CELLS != -1]
        stats = good(self.session.call("raster_stats", {"uri": "s8.tif"}))["bands"][0]
        self.assertEqual((stats["min"], stats["max"], stats["valid_count"], stats["sum"]), (-128, 127, 11, int(valid.sum())))
        answer = self.convert("s8.tif")
        got = good(answer)
        self.assertEqual((got["dtype"], got["lossless"], got["changed_cells"]), ("Int16", True, 0))
        self.assertTrue(any("signed bytes" in w for w in got["warnings"]))
        self.assertTrue((cells(self.path("out.tif")) == self.CELLS).all())
        box = [289000, 9121000 - 30, 289040, 9121000]
        good(run(self.session, "raster_query", {"uri": "s8.tif", "geometry": box, "output": "cut.tif"}))
        self.assertTrue((cells(self.path("cut.tif")) == self.CELLS).all())
        good(run(self.session, "raster_reproject", {"uri": "s8.tif", "dst_crs": "EPSG:31985", "resampling": "nearest", "output": "warped.tif"}))
        self.assertTrue((cells(self.path("warped.tif")) == self.CELLS).all())
        with open(self.path("zone.geojson"), "w") as f:
            json.dump({"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:31985"}},
                       "features": [{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [[
                           [box[0], box[1]], [box[2], box[1]], [box[2], box[3]], [box[0], box[3]], [box[0], box[1]]]]}}]}, f)
        zonal = json.dumps(good(run(self.session, "aggregate_zonal", {"raster": "s8.tif", "zones": "zone.geojson", "stats": ["min", "max"]})))
        self.assertIn("-128", zonal)

    def test_of_a_byte_type_that_cannot_hold_them_are_refused(self):
        self.write("s8.tif")
        p = problem(self.answered("s8.tif", dtype="uint8"))
        self.assertIn("5 cells lie outside 0 to 255", p["message"])


class limit(Converting):
    settings = ("--file-size", "1")

    def test_a_result_over_the_limit_names_the_limit_and_its_flag(self):
        noise = numpy.random.default_rng(5).integers(0, 65536, (1200, 1200), "uint16")
        rasters.write(self.path("noise.tif"), [noise], gdal.GDT_UInt16)
        for arguments in ({}, {"driver": "GTiff"}, {"output": "out.nc"}):
            p = problem(self.answered("noise.tif", **arguments))
            self.assertEqual(p["error"], "exhausted", p)
            self.assertIn("larger than 1 MiB", p["message"])
            self.assertIn("--file-size", p["hint"])
        self.assertEqual(self.files(), {"noise.tif"})


if __name__ == "__main__":
    main()
