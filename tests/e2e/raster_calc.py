"""raster_calc against numpy, cell by cell, and what it refuses."""
import json

import numpy
from osgeo import gdal, osr

import more
import rasters
import session
from rasters import write
from session import Claims, Session, good, problem


def surface(low, high, dtype="float64", seed=1):
    return rasters.waves(230, 170, low, high, seed).astype(dtype)


class raster_calc(Claims):
    def setUp(self):
        super().setUp()
        at = self.path
        gaps = surface(-50, 900, "int16")
        gaps[40:60, 20:90] = -32768
        self.cells = {"real": surface(-2, 2, "float32"), "red": surface(1, 200, "uint8"), "nir": surface(1, 250, "uint8", 2),
                      "gaps": numpy.ma.masked_equal(gaps, -32768), "big": surface(0, 3e9, "uint32"), "fine": surface(0, 1)}
        write(at("real.tif"), [self.cells["real"]], gdal.GDT_Float32)
        write(at("scene.tif"), [self.cells["red"], self.cells["nir"]], gdal.GDT_Byte)
        write(at("gaps.tif"), [gaps], gdal.GDT_Int16, nodata=-32768)
        write(at("big.tif"), [self.cells["big"]], gdal.GDT_UInt32)
        write(at("fine.tif"), [self.cells["fine"]], gdal.GDT_Float64)
        write(at("degrees.tif"), [self.cells["real"]], gdal.GDT_Float32, epsg=4326, transform=(-35, 0.001, 0, -7, 0, -0.001))
        self.inputs = {"real": "real.tif", "red": {"uri": "scene.tif", "band": 1}, "nir": {"uri": "scene.tif", "band": 2}, "gaps": "gaps.tif",
                       "big": "big.tif", "fine": "fine.tif"}

    def used(self, expression):
        return {name: uri for name, uri in self.inputs.items() if name in expression}

    def test_the_cells_of_numpy(self):
        c, np = self.cells, numpy
        f = {n: v.astype("float64") for n, v in c.items()}
        cases = [("(nir - red) / (nir + red)", (f["nir"] - f["red"]) / (f["nir"] + f["red"]), "Float32"),
                 ("real * 2 + 1", f["real"] * 2 + 1, "Float32"), ("sqrt(abs(real))", np.sqrt(np.abs(f["real"])), "Float32"),
                 ("gaps / 10", f["gaps"] / 10, "Float32"), ("gaps > 100 and real > 0", (f["gaps"] > 100) & (f["real"] > 0), "Byte"),
                 ("big * 2", f["big"] * 2, "Float64"), ("fine ^ 3 - log(fine + 1)", f["fine"] ** 3 - np.log(f["fine"] + 1), "Float64"),
                 ("where(gaps < 0, 0, gaps)", np.ma.where(f["gaps"] < 0, 0, f["gaps"]), "Float32"),
                 ("where(isnodata(gaps), -1, gaps)", f["gaps"].filled(-1), "Float32"), ("max(red, nir, 100)", np.maximum(np.maximum(f["red"], f["nir"]), 100), "Float32"),
                 ("round(real * 100)", np.round(f["real"] * 100), "Int16"), ("sin(rad(gaps)) + cos(real)", np.sin(np.radians(f["gaps"])) + np.cos(f["real"]), "Float64"),
                 ("bit(red, 2)", (c["red"] >> 2) & 1, "Byte")]
        with Session(workspace=self.workspace) as s:
            for expression, expected, dtype in cases:
                with self.subTest(expression=expression):
                    told = good(s.call("raster_calc", {"expression": expression, "inputs": self.used(expression), "dtype": dtype, "output": "out.tif", "overwrite": True}))
                    made = gdal.Open(self.path("out.tif"))
                    band = made.GetRasterBand(1)
                    valid = band.GetMaskBand().ReadAsArray() > 0
                    numpy.testing.assert_array_equal(valid, ~numpy.ma.getmaskarray(numpy.ma.asarray(expected)))
                    ours, theirs = band.ReadAsArray()[valid], numpy.ma.asarray(expected)[valid].data
                    numpy.testing.assert_allclose(ours, theirs.astype(ours.dtype), rtol=1e-6 if dtype == "Float32" else 1e-13, atol=1e-14)
                    self.assertEqual((told["valid_count"], told["nodata_count"]), (valid.sum(), (~valid).sum()))
                    self.assertAlmostEqual(told["mean"], ours.mean(dtype="float64"), delta=1e-9 * (1 + abs(told["max"])))
                    self.assertEqual((told["min"], told["max"]), (ours.min(), ours.max()))

    def test_a_mark_that_the_expression_takes_out_is_not_warned_of(self):
        marked = surface(5, 30, "float32")
        marked[:40] = -9999
        write(self.path("mark.tif"), [marked], gdal.GDT_Float32)
        for expression, doubted in (("where(A == -9999, nodata(), A)", False), ("where(A < -1000 or B > 5, nodata(), A - B)", False),
                                    ("sqrt(A) + B", False), ("A + B", True), ("where(A < 0, 0, A)", True),
                                    ("where(B > 0, nodata(), A)", True)):
            with self.subTest(expression), Session(workspace=self.workspace) as s:
                told = good(s.call("raster_calc", {"expression": expression, "inputs": {n: f for n, f in (("A", "mark.tif"), ("B", "real.tif")) if n in expression}}))
                self.assertEqual("undeclared nodata" in " ".join(told["warnings"]), doubted, told["warnings"])

    def test_the_advice_about_a_mark_names_the_input_as_the_call_does(self):
        marked = surface(5, 30, "float32")
        marked[:40] = -9999
        marked[50:60] = -1
        write(self.path("mark.tif"), [marked], gdal.GDT_Float32, nodata=-1)
        with Session(workspace=self.workspace) as s:
            told = good(s.call("raster_calc", {"expression": "A + B", "inputs": {"A": "real.tif", "B": "mark.tif"}}))
            self.assertIn("where(B == -9999, nodata(), B)", str(told["warnings"]))

    def test_a_unit_is_missed_in_values_only(self):
        d = gdal.Open(self.path("real.tif"), gdal.GA_Update)
        d.GetRasterBand(1).SetUnitType("m")
        del d
        with Session(workspace=self.workspace) as s:
            for expression, missed in (("real + 1", True), ("real > 1", False)):
                told = good(s.call("raster_calc", {"expression": expression, "inputs": {"real": "real.tif"}}))
                self.assertEqual(any("declares no unit" in w for w in told["warnings"]), missed, told["warnings"])

    def test_codes_that_are_chosen_between_stay_codes_of_their_classes(self):
        codes = numpy.array([[1, 2, 3], [3, 2, 255]], "uint8")
        names = ["none", "water", "sand", "reed"]

        def land(name, names_of_classes):
            write(self.path(name), [codes], gdal.GDT_Byte, palette={1: (0, 0, 200), 2: (200, 200, 0), 3: (0, 90, 0)})
            d = gdal.Open(self.path(name), gdal.GA_Update)
            d.GetRasterBand(1).SetCategoryNames(names_of_classes)

        land("land.tif", names)
        land("other.tif", ["none", "lake", "sand", "reed"])
        with Session(workspace=self.workspace) as s:
            def made(expression, inputs, **more):
                told = good(s.call("raster_calc", {"expression": expression, "inputs": inputs, "output": "out.tif", "overwrite": True, **more}))
                return told["warnings"], gdal.Open(self.path("out.tif"))

            _, d = made("where(C == 255, nodata(), C)", {"C": "land.tif"})
            table = d.GetRasterBand(1).GetDefaultRAT()
            self.assertEqual(table.GetTableType(), gdal.GRTT_THEMATIC)
            self.assertEqual([[table.GetValueAsString(r, c) for c in range(5)] for r in range(table.GetRowCount())],
                             [["0", "none", "0", "0", "0"], ["1", "water", "0", "0", "200"], ["2", "sand", "200", "200", "0"], ["3", "reed", "0", "90", "0"]])
            self.assertIn("holds class codes", " ".join(good(s.call("raster_stats", {"uri": "out.tif"}))["warnings"]))
            _, d = made("where(C == 3, 2, C)", {"C": "land.tif"}, dtype="Byte", nodata=0)
            # GDAL 3.6 reads the names of a GeoTIFF after its palette only.
            self.assertEqual((d.GetRasterBand(1).GetColorTable().GetColorEntry(1), d.GetRasterBand(1).GetCategoryNames()), ((0, 0, 200, 255), names))
            _, d = made("C == 2", {"C": "land.tif"})
            self.assertIsNone(d.GetRasterBand(1).GetDefaultRAT())
            warnings, d = made("where(C == 255, D, C)", {"C": "land.tif", "D": "other.tif"})
            self.assertIsNone(d.GetRasterBand(1).GetDefaultRAT())
            self.assertTrue(any("class names" in w and "differ" in w for w in warnings), warnings)
            with open(self.path("out.tif.provenance.json")) as f:
                self.assertEqual(json.load(f)["warnings"], warnings)

    def test_heights_beside_others_of_no_stated_surface_are_named(self):
        heights = numpy.full((4, 5), 500, "float32")
        for name, code in (("above.tif", "EPSG:32633+5773"), ("plain.tif", "EPSG:32633"), ("other.tif", "EPSG:32633+3855")):
            write(self.path(name), [heights], gdal.GDT_Float32, epsg=32633, transform=(400000, 100, 0, 5600000, 0, -100))
            d = gdal.Open(self.path(name), gdal.GA_Update)
            reference = osr.SpatialReference()
            reference.SetFromUserInput(code)
            d.SetSpatialRef(reference)
            del d
        with Session(workspace=self.workspace) as s:
            def called(expression, other):
                return s.call("raster_calc", {"expression": expression, "inputs": {"A": "above.tif", "B": other}})
            told = good(called("A - B", "plain.tif"))
            self.assertTrue(any("names no vertical CRS" in w for w in told["warnings"]), told["warnings"])
            self.assertEqual(told["crs"]["code"], "EPSG:32633")
            self.assertFalse(any("vertical" in w for w in good(called("where(B > 3, A, nodata())", "plain.tif"))["warnings"]))
            self.assertTrue(problem(called("A - B", "other.tif"))["message"])

    def test_the_type_follows_from_the_inputs(self):
        with Session(workspace=self.workspace) as s:
            for expression, dtype in (("red + 1", "Float32"), ("big + 1", "Float64"), ("fine + 1", "Float64"), ("red > 5", "Byte"), ("real", "Float32"),
                                      # Chosen from: whole, with a nodata value that no result can have.
                                      ("where(red > 5, 1, 0)", "Byte"), ("where(red > 5, red, nodata())", "UInt16"), ("where(real > 0, red, -1)", "Int16"),
                                      ("where(gaps < 0, nodata(), gaps)", "Int16"), ("where(gaps < 0, red, gaps)", "Int16"), ("gaps * (gaps > 100)", "Int16"),
                                      ("where(red > 5, 70000, red)", "Int32"), ("where(big > 5, big, 0)", "Float64"), ("where(red > 5, 0.5, red)", "Float32")):
                self.assertEqual(good(s.call("raster_calc", {"expression": expression, "inputs": self.used(expression)}))["dtype"], dtype, expression)

    def test_scale_and_offset_are_applied_and_said(self):
        raster = gdal.Open(self.path("gaps.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetScale(0.1)
        raster.GetRasterBand(1).SetOffset(-3)
        del raster
        with Session(workspace=self.workspace) as s:
            answer = s.call("raster_calc", {"expression": "A", "inputs": {"A": "gaps.tif"}})
            self.assertAlmostEqual(good(answer)["max"], self.cells["gaps"].max() * 0.1 - 3, delta=1e-4)
            self.assertIn("scale and offset of A are applied", session.problem_text(answer))

    def test_what_is_undefined_is_counted(self):
        zeros = self.cells["red"] < 100
        write(self.path("zeros.tif"), [numpy.where(zeros, 0, 4).astype("uint8")], gdal.GDT_Byte)
        with Session(workspace=self.workspace) as s:
            told = good(s.call("raster_calc", {"expression": "1 / A", "inputs": {"A": "zeros.tif"}}))
            self.assertEqual((told["undefined_count"], told["nodata_count"], told["mean"]), (zeros.sum(), zeros.sum(), 0.25))

    def test_a_raster_without_a_place_is_named(self):
        write(self.path("placed.tif"), [numpy.ones((30, 40), "uint8")], gdal.GDT_Byte)
        more.without_grid(self.path("bare.tif"))
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for tool, arguments in (("raster_calc", {"expression": "A + B", "inputs": {"A": "placed.tif", "B": "bare.tif"}, "output": "o.tif"}),
                                    ("raster_compare", {"mode": "difference", "before": "bare.tif", "after": "placed.tif"})):
                p = problem(session.run(s, tool, arguments))
                self.assertEqual(p["error"], "unsupported")
                self.assertRegex(p["message"], "bare.tif has no geotransform, so where its cells lie is unknown, and .*placed.tif has one")

    def test_what_a_type_cannot_hold_is_refused_with_its_count(self):
        with Session(workspace=self.workspace) as s:
            for expression, dtype, more, count, words in (
                    ("red * 2", "uint8", {}, (self.cells["red"].astype(int) * 2 > 255).sum(), "outside the range of Byte"),
                    ("gaps + 0.5", "Int16", {}, self.cells["gaps"].count(), "fractions"),
                    ("where(red > 50, 0, red)", "Byte", {"nodata": 0}, (self.cells["red"] > 50).sum(), "marks cells without data")):
                with self.subTest(expression=expression):
                    p = problem(s.call("raster_calc", {"expression": expression, "inputs": self.used(expression), "dtype": dtype, "output": "no.tif", **more}))
                    self.assertEqual(p["message"].split()[0], str(count))
                    self.assertIn(words, p["message"])
                    self.assertTrue(p["hint"])
        self.assertNotIn("no.tif", self.files())

    def test_infinite_cells_count_as_none(self):
        cells = numpy.array([[1, numpy.inf, -numpy.inf, 4]], "float32")
        write(self.path("infinite.tif"), [cells], gdal.GDT_Float32)
        with Session(workspace=self.workspace) as s:
            for expression, result in (("A > 2", [0, None, None, 1]), ("1 / (A + 1)", [0.5, None, None, 0.2])):
                told = good(s.call("raster_calc", {"expression": expression, "inputs": {"A": "infinite.tif"}, "output": "none.tif", "overwrite": True}))
                self.assertEqual((told["valid_count"], told["nodata_count"]), (2, 2))
                self.assertIn("infinite values", " ".join(told["warnings"]))
                file = gdal.Open(self.path("none.tif"))
                mask, kept = file.GetRasterBand(1).GetMaskBand().ReadAsArray()[0], file.ReadAsArray()[0]
                self.assertEqual([bool(m) for m in mask], [v is not None for v in result])
                for value, wanted in zip(kept, result):
                    if wanted is not None:
                        self.assertAlmostEqual(float(value), wanted, places=6)

    def unit(self, name, unit):
        file = gdal.Open(self.path(name), gdal.GA_Update)
        if unit is None:
            return file.GetRasterBand(1).GetUnitType()
        file.GetRasterBand(1).SetUnitType(unit)

    def test_values_that_only_move_within_their_unit_keep_it(self):
        write(self.path("sigma.tif"), [surface(-25, 0, "float32")], gdal.GDT_Float32)
        self.unit("sigma.tif", "dB")
        with Session(workspace=self.workspace) as s:
            for expression, unit in (("clip(A, -20, 0)", "dB"), ("round(A)", "dB"), ("A * 1", "dB"), ("10 ^ (A / 10)", ""), ("A + 3", "dB"), ("A - B", ""),
                                     ("10 * log10(10 ^ (A / 10) + 10 ^ (B / 10))", "dB")):
                good(s.call("raster_calc", {"expression": expression, "inputs": {n: "sigma.tif" for n in "AB" if n in expression}, "output": "out.tif", "overwrite": True}))
                self.assertEqual(self.unit("out.tif", None), unit, expression)
            for expression, warned in (("(A + B) / 2", True), ("A - B", False)):
                told = good(s.call("raster_calc", {"expression": expression, "inputs": {"A": "sigma.tif", "B": "sigma.tif"}, "output": "out.tif", "overwrite": True}))
                self.assertEqual("hold logarithms (unit dB)" in str(told["warnings"]), warned, expression)

    def test_what_holds_for_inputs_holds_for_what_is_made_of_them(self):
        for name, low, high, unit in (("women.tif", 0, 40, "persons"), ("men.tif", 0, 40, "persons"), ("road.tif", 40, 80, "dB"), ("rail.tif", 40, 80, "dB"),
                                      ("wind.tif", 0, 359, "degrees"), ("turns.tif", 0, 6.28, "rad"), ("warm.tif", 5, 30, "K")):
            write(self.path(name), [surface(low, high, "float32", 2 if name in ("men.tif", "rail.tif") else 1)], gdal.GDT_Float32)
            self.unit(name, unit)
        people, noise = {"A": "women.tif", "B": "men.tif"}, {"A": "road.tif", "B": "rail.tif"}
        with Session(workspace=self.workspace) as s:
            for expression, inputs, unit, conflict in (
                    ("A + B", people, "persons", "totals_not_summed"), ("A - B", people, "persons", "totals_not_summed"),
                    ("A * 1.05", people, "", "totals_not_summed"), ("where(A > 0, A / 2, 0)", people, "", "totals_not_summed"),
                    ("A / (28.5 ^ 2 / 1e6)", people, "", None),  # persons per km2
                    ("A - 3", noise, "dB", "mean_of_logarithms"), ("10 * log10(10 ^ (A / 10) + 10 ^ (B / 10))", noise, "dB", "mean_of_logarithms"),
                    ("10 ^ (A / 10)", noise, "", None), ("A + 2.5", {"A": "wind.tif"}, "degrees", "averaging_of_angles"),
                    ("deg(atan2(sin(rad(A)), cos(rad(A))))", {"A": "wind.tif"}, "degrees", "averaging_of_angles"),
                    ("rad(A)", {"A": "wind.tif"}, "rad", "averaging_of_angles"), ("deg(A)", {"A": "turns.tif"}, "degrees", "averaging_of_angles"),
                    ("rad(A)", {"A": "warm.tif"}, "", None),
                    ("A + B", {"A": "warm.tif", "B": "warm.tif"}, "", None), ("A - 273.15", {"A": "warm.tif"}, "", None)):
                with self.subTest(expression, inputs=inputs):
                    good(s.call("raster_calc", {"expression": expression, "inputs": {n: f for n, f in inputs.items() if n in expression}, "output": "out.tif", "overwrite": True}))
                    self.assertEqual(self.unit("out.tif", None), unit)
                    asked = problem(s.call("raster_reproject", {"uri": "out.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resolution": [90], "resampling": "average", "output": "wide.tif", "overwrite": True}))
                    self.assertEqual(next((c for c in ("totals_not_summed", "mean_of_logarithms", "averaging_of_angles") if c in str(asked)), None), conflict)
            # A total in a unit that is not known is named so, and stays one in what follows.
            good(s.call("raster_calc", {"expression": "A * 0.001", "inputs": {"A": "women.tif"}, "output": "thousands.tif"}))
            good(s.call("raster_calc", {"expression": "A + B", "inputs": {"A": "thousands.tif", "B": "thousands.tif"}, "output": "out.tif", "overwrite": True}))
            made = gdal.Open(self.path("out.tif"))
            self.assertEqual(made.GetRasterBand(1).GetDescription(), "total: A + B")

    def test_directions_have_no_mean(self):
        write(self.path("aspect.tif"), [surface(0, 359, "float32")], gdal.GDT_Float32)
        self.unit("aspect.tif", "degrees")
        with Session(workspace=self.workspace) as s:
            for expression, mean in (("mod(A + 10, 360)", False), ("A / 2", True)):
                told = good(s.call("raster_calc", {"expression": expression, "inputs": {"A": "aspect.tif"}, "output": "out.tif", "overwrite": True}))
                self.assertEqual("mean" in told, mean, expression)
            file = gdal.Open(self.path("aspect.tif"), gdal.GA_Update)
            file.GetRasterBand(1).SetDescription("slope")
            del file
            good(s.call("raster_calc", {"expression": "clip(A, 0, 45)", "inputs": {"A": "aspect.tif"}, "output": "out.tif", "overwrite": True}))
            self.assertNotIn("holds angles", str(good(s.call("raster_stats", {"uri": "out.tif"}))["warnings"]))

    def test_mistakes_are_named(self):
        with Session(workspace=self.workspace) as s:
            for arguments, words in (({"expression": "A + C", "inputs": {"A": "real.tif"}}, ("'C'", "inputs: A")),
                                     ({"expression": "A", "inputs": {"A": "scene.tif"}}, ("2 bands", "band")),
                                     ({"expression": "A - B", "inputs": {"A": "real.tif", "B": "degrees.tif"}}, ("real.tif", "degrees.tif", "align_to")),
                                     ({"expression": "clip(A, 1, -1)", "inputs": {"A": "real.tif"}}, ("1 and -1", "clip(x, lowest, highest)")),
                                     ({"expression": "A & 4", "inputs": {"A": "real.tif"}}, ("bit(A, n)",)),
                                     ({"expression": "A", "inputs": {"A": "gone.tif"}}, ("gone.tif",)),
                                     ({"expression": "A", "inputs": {"A": {"uri": "real.tif", "band": 2}}}, ("band",)),
                                     ({"expression": "A", "inputs": {"A": "real.tif"}, "dtype": "Byte", "nodata": 300}, ("300", "Byte")),
                                     ({"expression": "A", "inputs": {}}, ("inputs",))):
                with self.subTest(arguments=arguments):
                    p = problem(s.call("raster_calc", arguments))
                    for word in words:
                        self.assertIn(word, p["message"] + p["hint"])

    def test_inputs_may_be_results_and_text(self):
        with Session(workspace=self.workspace) as s:
            first = good(s.call("raster_calc", {"expression": "A * 2", "inputs": '{"A": "real.tif"}'}))["output"]["uri"]
            self.assertTrue(first.startswith("query://"))
            told = good(s.call("raster_calc", {"expression": "A / 2 - B", "inputs": {"A": first, "B": "real.tif"}}))
            self.assertEqual((told["min"], told["max"]), (0, 0))


if __name__ == "__main__":
    session.main()
