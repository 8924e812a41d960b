"""aggregate_temporal against numpy cell by cell, its dates, quality bands and extents, and what it refuses."""
import json
import math
import os
import warnings

import numpy
from osgeo import gdal, osr
from scipy import io, stats

import more
import rasters
import session
from session import Session, good, problem, run

DAYS_OF_A_YEAR = 365.25
NAN = numpy.nan


def noise(shape, seed, dtype="float32", low=0, high=1000):
    return numpy.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def dated(path, date, domain="IMAGERY", key="ACQUISITIONDATETIME"):
    raster = gdal.Open(path, gdal.GA_Update)
    raster.SetMetadataItem(key, date, domain)
    del raster


def in_degrees(path):
    raster = gdal.Open(path, gdal.GA_Update)
    raster.GetRasterBand(1).SetUnitType("deg")
    del raster


def percentile(stack, p):
    """numpy's default, cell by cell, over those that are not NaN."""
    ordered = numpy.sort(stack, axis=0)
    seen = (~numpy.isnan(stack)).sum(0)
    place = numpy.maximum(seen - 1, 0) * p / 100
    rank = numpy.floor(place).astype(int)
    low = numpy.take_along_axis(ordered, rank[None], 0)[0]
    high = numpy.take_along_axis(ordered, numpy.minimum(rank + 1, numpy.maximum(seen - 1, 0))[None], 0)[0]
    return numpy.where(seen > 0, numpy.where(place == rank, low, low + (high - low) * (place - rank)), NAN)


def last(stack):
    out = numpy.full(stack.shape[1:], NAN)
    for layer in stack:
        out = numpy.where(numpy.isnan(layer), out, layer)
    return out


def kendall(values):
    """p of the two-sided Mann-Kendall test, by the definition."""
    n = len(values)
    s = sum(numpy.sign(values[j] - values[i]) for i in range(n) for j in range(i + 1, n))
    ties = sum(t * (t - 1) * (2 * t + 5) for t in numpy.unique(values, return_counts=True)[1])
    variance = (n * (n - 1) * (2 * n + 5) - ties) / 18
    return 1.0 if s == 0 or variance <= 0 else math.erfc((abs(s) - 1) / math.sqrt(2 * variance))


class aggregate_temporal(more.MoreClaims):
    tool = "aggregate_temporal"

    def composed(self, uris, statistic, **arguments):
        """The result of one call, its question answered."""
        with self.session() as s:
            return good(run(s, self.tool, {"uris": uris, "statistic": statistic, "output": self.output, "overwrite": True, **arguments}))

    def months(self, count, shape=(40, 50), bands=1, dtype=gdal.GDT_Int16, nodata=-1, gaps=0.3, **how):
        """m_2023-01.tif …, each with gaps of its own; their values with NaN as [time, band, row, column]."""
        random = numpy.random.default_rng(count)
        stack = random.integers(0, 500, (count, bands) + shape).astype("float64")
        stack[random.random(stack.shape) < gaps] = nodata
        for i, scene in enumerate(stack):
            rasters.write(self.path(f"m_{2023 + i // 12}-{i % 12 + 1:02}.tif"), list(scene), dtype, nodata=nodata, **how)
        stack[stack == nodata] = NAN
        return stack

    def test_two_by_two_cells_by_eye(self):
        for name, cells in (("2024-01.tif", [[1, 9], [5, -1]]), ("2024-02.tif", [[3, -1], [5, -1]]), ("2024-03.tif", [[2, 4], [8, -1]])):
            rasters.write(self.path(name), [numpy.array(cells, "int16")], gdal.GDT_Int16, nodata=-1)
        for statistic, expected in (("max", [[3, 9], [8, -1]]), ("min", [[1, 4], [5, -1]]), ("last_valid", [[2, 4], [8, -1]]), ("count", [[3, 2], [3, 0]])):
            told = self.composed(["2024-*.tif"], statistic)
            self.assertEqual(self.cells().tolist(), expected, statistic)
            self.assertEqual(told["dtype"], "UInt16" if statistic == "count" else "Int16")
        for statistic, expected in (("mean", [[2, 6.5], [6, NAN]]), ("median", [[2, 6.5], [5, NAN]])):
            told = self.composed(["2024-*.tif"], statistic)
            numpy.testing.assert_array_equal(self.cells(), numpy.array(expected, "float32"))
        band = told["bands"][0]
        self.assertEqual((band["valid_count"], band["min"], band["max"], band["observations_min"], band["observations_median"], band["observations_max"],
                          band["unobserved_count"]), (3, 2, 6.5, 0, 2.5, 3, 1))
        self.assertEqual([(o["date"], o["date_from"]) for o in told["observations"]], [(f"2024-0{i}", "file name") for i in (1, 2, 3)])
        self.assertEqual((told["observation_count"], told["width"], told["height"], told["crs"]["code"]), (3, 2, 2, "EPSG:31985"))

    def test_every_statistic_is_that_of_numpy(self):
        # Cells without an observation included: a corner is never seen.
        stack = self.months(13, bands=2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of all-NaN cells
            expected = {"max": numpy.nanmax(stack, 0), "min": numpy.nanmin(stack, 0), "mean": numpy.nansum(stack, 0) / (~numpy.isnan(stack)).sum(0),
                        "median": percentile(stack, 50), "count": (~numpy.isnan(stack)).sum(0)}
        for statistic, cells in expected.items():
            with self.subTest(statistic=statistic):
                self.composed(["m_*.tif"], statistic)
                for b in (0, 1):
                    found = self.cells(band=b + 1).astype("float64")
                    found[found == -1] = NAN
                    numpy.testing.assert_array_equal(found, cells[b].astype("float32").astype("float64"))
        for p in (0, 10, 33.3, 90, 100):
            self.composed(["m_*.tif"], "percentile", percentile=p)
            numpy.testing.assert_array_equal(self.cells(band=2), percentile(stack[:, 1], p).astype("float32"))

    def test_last_valid_and_medoid_take_whole_observations(self):
        stack = self.months(7, bands=3, gaps=0.15)
        whole = numpy.where(numpy.isnan(stack).any(1)[:, None], NAN, stack)
        self.composed(["m_*.tif"], "last_valid")
        for b in range(3):
            numpy.testing.assert_array_equal(self.cells(band=b + 1), numpy.nan_to_num(last(whole[:, b]), nan=-1))
        self.composed(["m_*.tif"], "medoid")
        distances = numpy.sqrt(((whole[:, None] - whole[None]) ** 2).sum(2))  # NaN where one of the two is missing
        sums = numpy.where(numpy.isnan(whole[:, 0]), numpy.inf, numpy.nansum(distances, 1))
        nearest = numpy.argmin(sums, 0)
        for b in range(3):
            picked = numpy.take_along_axis(whole[:, b], nearest[None], 0)[0]
            numpy.testing.assert_array_equal(self.cells(band=b + 1), numpy.nan_to_num(picked, nan=-1))

    def test_a_trend_is_that_of_theil_and_sen_and_of_mann_and_kendall(self):
        stack = self.months(15, shape=(9, 8), gaps=0.2)[:, 0]
        told = self.composed(["m_*.tif"], "trend")
        days = [(numpy.datetime64(o["date"] + "-01") - numpy.datetime64("1970-01-01")).astype("timedelta64[D]").astype(float) for o in told["observations"]]
        years = numpy.array(days) / DAYS_OF_A_YEAR
        for row in range(9):
            for column in range(8):
                v = stack[:, row, column]
                there = ~numpy.isnan(v)
                slope, p = (stats.theilslopes(v[there], years[there])[0], kendall(v[there])) if there.sum() > 3 else (NAN, NAN)
                numpy.testing.assert_allclose((self.cells()[row, column], self.cells(band=2)[row, column]), (slope, p), rtol=2e-7)
        self.assertEqual([b["name"] for b in told["bands"]], ["slope per year", "p"])
        self.assertIn("the observations span 14 months: a slope per year from them is that of the season as much as of the years", told["warnings"])

    def test_threads_and_blocks_do_not_matter(self):
        options = {"one.tif": ("TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64"), "two.tif": ("COMPRESS=LZW", "INTERLEAVE=PIXEL"), "three.tif": ("TILED=NO",)}
        for i, (name, how) in enumerate(options.items()):
            rasters.write(self.path(name), [noise((700, 900), 10 * i + b, "uint16") for b in range(4)], gdal.GDT_UInt16, options=how)
        made = {}
        for threads in ("1", "2", "4"):
            with Session(workspace=self.workspace, env={**os.environ, "GDAL_NUM_THREADS": threads}) as s:
                good(run(s, self.tool, {"uris": list(options), "statistic": "mean", "output": "out.tif", "overwrite": True}))
            made[threads] = gdal.Open(self.path("out.tif")).ReadAsArray()
        stack = numpy.stack([gdal.Open(self.path(n)).ReadAsArray() for n in options]).astype("float64")
        for cells in made.values():
            numpy.testing.assert_array_equal(cells, (stack.sum(0) / 3).astype("float32"))

    def test_scale_and_offset_are_each_rasters_own(self):
        a, b = noise((20, 30), 1, "int16"), noise((20, 30), 2, "int16")
        rasters.write(self.path("a.tif"), [a], gdal.GDT_Int16)
        rasters.write(self.path("b.tif"), [b], gdal.GDT_Int16)
        for name, scale, offset in (("a.tif", 0.0001, 0), ("b.tif", 0.01, -5)):
            raster = gdal.Open(self.path(name), gdal.GA_Update)
            raster.GetRasterBand(1).SetScale(scale)
            raster.GetRasterBand(1).SetOffset(offset)
            del raster
        with self.session() as s:
            answer = s.call(self.tool, {"uris": ["a.tif", "b.tif"], "statistic": "max", "output": "out.tif"})
        good(answer)
        numpy.testing.assert_array_equal(self.cells(), numpy.maximum(a * 0.0001, b * 0.01 - 5).astype("float32"))
        self.assertIn("scale and offset differ", str(answer))

    def test_quality_bits_and_values_exclude(self):
        values = [noise((20, 30), i) for i in range(3)]
        quality = [noise((20, 30), 10 + i, "uint16", 0, 64) for i in range(3)]
        for i in range(3):
            rasters.write(self.path(f"s_2024010{i + 1}.tif"), [values[i], quality[i].astype("float32") * 0 + values[i]], gdal.GDT_Float32)
            rasters.write(self.path(f"q_2024010{i + 1}.tif"), [quality[i]], gdal.GDT_UInt16)
            rasters.write(self.path(f"both_2024010{i + 1}.tif"), [values[i].astype("uint16"), quality[i]], gdal.GDT_UInt16)
        cloudy = [(q & 0b11000) != 0 for q in quality]
        stack = numpy.stack([numpy.where(c, NAN, v) for c, v in zip(cloudy, values)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = numpy.nanmax(stack, 0).astype("float32")
        self.composed(["both_*.tif"], "max", mask={"band": 2, "bits": [3, 4]})
        numpy.testing.assert_array_equal(self.cells(), expected)
        self.assertEqual(gdal.Open(self.path("out.tif")).RasterCount, 1)
        self.composed(["s_*.tif"], "max", bands=[1], mask={"uris": ["q_*.tif"], "bits": [3, 4]})
        numpy.testing.assert_array_equal(self.cells(), expected)
        told = self.composed(["both_*.tif"], "count", mask={"band": 2, "values": [0, 7, 63]})
        numpy.testing.assert_array_equal(self.cells(), sum(~numpy.isin(q, (0, 7, 63)) for q in quality))
        self.assertEqual(told["bands"][0]["observations_max"], 3)
        one = "is of 2024-01-02 and excludes the same cells from all 3 observations"
        self.assertIn(one, str(self.composed(["s_*.tif"], "max", bands=[1], mask={"uris": ["q_20240102.tif"], "bits": [3]})["warnings"]))
        os.rename(self.path("q_20240102.tif"), self.path("land.tif"))
        self.composed(["s_20240101.tif", "s_20240102.tif"], "count", bands=[1], mask={"uris": ["land.tif", "land.tif"], "bits": [3, 4]})
        numpy.testing.assert_array_equal(self.cells(), 2 * ~cloudy[1])
        self.assertNotIn(one, str(self.composed(["s_*.tif"], "max", bands=[1], mask={"uris": ["land.tif"], "bits": [3]})["warnings"]))

    def test_what_the_mask_takes_out_is_counted_and_a_mask_without_effect_is_named(self):
        for i, (values, quality) in enumerate((([[1, 2], [3, 4]], [[8, 0], [0, 0]]), ([[5, -1], [7, 8]], [[8, 8], [0, 255]]))):
            rasters.write(self.path(f"v_2024010{i + 1}.tif"), [numpy.array(values, "float32")], gdal.GDT_Float32, nodata=-1)
            rasters.write(self.path(f"q_2024010{i + 1}.tif"), [numpy.array(quality, "uint8")], gdal.GDT_Byte, nodata=255)
        # Both values of the first cell by their code; the 8 because its quality is nodata. The -1 had no value before.
        told = self.composed(["v_*.tif"], "max", mask={"uris": ["q_*.tif"], "values": [8]})
        self.assertEqual((numpy.nan_to_num(self.cells(), nan=-1).tolist(), told["masked_count"]), ([[-1, 2], [7, 4]], 3))
        self.assertEqual(told["warnings"], ["1 values were taken out because their quality is nodata"])
        told = self.composed(["v_*.tif"], "max", mask={"uris": ["q_*.tif"], "values": [99], "bits": [1, 2]})
        self.assertEqual(told["masked_count"], 1)
        [none] = [w for w in told["warnings"] if "excluded no cell" in w]
        self.assertIn("bits 1, 2 or values 99 in band 1 of", none)
        self.assertIn("q_20240101.tif and 1 others", none)
        self.assertNotIn("masked_count", self.composed(["v_*.tif"], "max"))

    def test_of_two_observations_of_one_date_the_later_named_is_taken_and_said(self):
        for name, value in (("a", 1), ("b", 2), ("c", 3)):
            rasters.write(self.path(f"{name}.tif"), [numpy.full((1, 2), value, "int16")], gdal.GDT_Int16)
        told = self.composed(["b.tif", "a.tif", "c.tif"], "last_valid", dates=["2024-01-02", "2024-01-02", "2024-01-01"])
        self.assertEqual(self.cells().tolist(), [[1, 1]])
        [warning] = told["warnings"]
        self.assertRegex(warning, r"1 observation has the date of another, the first pair being .*b.tif and .*a.tif \(2024-01-02\)")
        self.assertEqual(self.composed(["a.tif", "b.tif"], "last_valid", dates=["2024-01-01", "2024-01-02"]).get("warnings", []), [])

    def test_legends_that_differ_are_named(self):
        for name, second in (("a", "water"), ("b", "forest"), ("c", "WATER")):
            rasters.write(self.path(f"{name}.tif"), [numpy.full((1, 2), 1, "uint8")], gdal.GDT_Byte)
            d = gdal.Open(self.path(f"{name}.tif"), gdal.GA_Update)
            d.GetRasterBand(1).SetCategoryNames(["none", second])
            del d
        dates = ["2024-01-01", "2024-01-02"]
        [warning] = self.composed(["a.tif", "b.tif"], "last_valid", dates=dates)["warnings"]
        self.assertRegex(warning, "the legends differ: code 1 is 'water' in .*a.tif and 'forest' in .*b.tif")
        self.assertEqual(self.composed(["a.tif", "c.tif"], "last_valid", dates=dates).get("warnings", []), [])
        for name, first in (("d", 1), ("e", 7)):
            rasters.write(self.path(f"{name}.tif"), [numpy.full((1, 2), first, "uint8")], gdal.GDT_Byte)
            d = gdal.Open(self.path(f"{name}.tif"), gdal.GA_Update)
            rasters.class_table(d.GetRasterBand(1), ["water"], first)
            del d
        [warning] = self.composed(["d.tif", "e.tif"], "last_valid", dates=dates)["warnings"]
        self.assertRegex(warning, "e.tif names classes that .*d.tif does not")

    def test_heights_beside_others_of_no_stated_surface_are_named(self):
        for name, code in (("a", "EPSG:32633+5773"), ("b", "EPSG:32633")):
            rasters.write(self.path(f"{name}.tif"), [numpy.full((2, 2), 500, "float32")], gdal.GDT_Float32, epsg=32633, transform=(400000, 100, 0, 5600000, 0, -100))
            d = gdal.Open(self.path(f"{name}.tif"), gdal.GA_Update)
            reference = osr.SpatialReference()
            reference.SetFromUserInput(code)
            d.SetSpatialRef(reference)
            del d
        dates = ["2024-01-01", "2024-01-02"]
        self.assertIn("b.tif names no vertical CRS", " ".join(self.composed(["a.tif", "b.tif"], "max", dates=dates)["warnings"]))
        self.assertEqual(self.composed(["a.tif", "b.tif"], "count", dates=dates)["crs"]["code"], "EPSG:32633")

    def test_a_trend_of_fewer_than_four_observations_is_refused_before_anything_is_written(self):
        for i in (1, 2, 3):
            rasters.write(self.path(f"x_2024010{i}.tif"), [noise((3, 4), i, "float32")], gdal.GDT_Float32)
        before = self.files()
        with self.session() as s:
            p = problem(session.run(s, "aggregate_temporal", {"uris": ["x_*.tif"], "statistic": "trend", "output": "refused.tif"}))
        self.assertIn("a trend needs 4 observations, but there are 3", p["message"])
        self.assertEqual(self.files(), before)

    def test_a_unit_that_one_does_not_state_is_said_and_another_refused(self):
        for name, unit in (("a.tif", "degC"), ("a2.tif", "degC"), ("b.tif", ""), ("c.tif", "K")):
            rasters.write(self.path(name), [noise((4, 5), 1, "int16")], gdal.GDT_Int16)
            d = gdal.Open(self.path(name), gdal.GA_Update)
            d.GetRasterBand(1).SetUnitType(unit)
            del d
        for order in (["a.tif", "b.tif"], ["b.tif", "a.tif"]):
            self.assertIn("b.tif states no unit; it was taken to be degC", " ".join(self.composed(order, "max")["warnings"]))
        self.assertNotIn("unit", " ".join(self.composed(["a.tif", "a2.tif"], "max")["warnings"]))
        with self.session() as s:
            p = problem(run(s, self.tool, {"uris": ["b.tif", "a.tif", "c.tif"], "statistic": "max", "output": self.output, "overwrite": True}))
        self.assertIn("a.tif is in 'degC', c.tif in 'K'", p["message"].replace(self.workspace + "/", ""))

    def test_extents_are_united_or_cut_where_cells_coincide(self):
        whole = noise((30, 40), 1, "int16"), noise((30, 40), 2, "int16")
        x0, step, y0 = 289000.0, 28.5, 9121000.0
        # The first has rows 0 to 19, columns 0 to 29; the second rows 5 to 29, columns 10 to 39.
        rasters.write(self.path("a.tif"), [whole[0][:20, :30]], gdal.GDT_Int16, transform=(x0, step, 0, y0, 0, -step))
        rasters.write(self.path("b.tif"), [whole[1][5:, 10:]], gdal.GDT_Int16, transform=(x0 + 10 * step, step, 0, y0 - 5 * step, 0, -step))
        stack = numpy.full((2, 30, 40), NAN)
        stack[0, :20, :30] = whole[0][:20, :30]
        stack[1, 5:, 10:] = whole[1][5:, 10:]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            highest = numpy.nanmax(stack, 0)
        told = self.composed(["a.tif", "b.tif"], "max", align="union")
        self.assertNotIn("undeclared nodata", " ".join(told["warnings"]))  # what the union adds is no data
        self.assertEqual((told["width"], told["height"], told["bands"][0]["unobserved_count"]), (40, 30, int(numpy.isnan(highest).sum())))
        numpy.testing.assert_array_equal(self.cells(), highest.astype("float32"))
        self.assertEqual(gdal.Open(self.path("out.tif")).GetGeoTransform(), (x0, step, 0, y0, 0, -step))
        for order in (["a.tif", "b.tif"], ["b.tif", "a.tif"]):
            told = self.composed(order, "max", align="intersection")
            self.assertEqual((told["width"], told["height"]), (20, 15))
            numpy.testing.assert_array_equal(self.cells(), highest[5:20, 10:30].astype("float32"))
            self.assertEqual(gdal.Open(self.path("out.tif")).GetGeoTransform(), (x0 + 10 * step, step, 0, y0 - 5 * step, 0, -step))

    def test_a_raster_from_the_south_is_turned_whole_as_the_refusal_says(self):
        """Two rows, and four that reach beyond them on all sides, stored from the south; whichever comes first."""
        wide = numpy.arange(1, 25, dtype="int16").reshape(4, 6)
        rasters.write(self.path("a.tif"), [numpy.full((2, 2), 99, "int16")], gdal.GDT_Int16, transform=(289060, 30, 0, 9120970, 0, -30))
        rasters.write(self.path("b.tif"), [wide[::-1]], gdal.GDT_Int16, transform=(289000, 30, 0, 9120880, 0, 30))
        for order in (["a.tif", "b.tif"], ["b.tif", "a.tif"]):
            with self.session() as s:
                hint = problem(run(s, self.tool, {"uris": order, "statistic": "max", "align": "union", "output": self.output, "overwrite": True}))["hint"]
                turned = good(run(s, "raster_reproject", json.loads(hint[hint.index("{"):hint.index("}") + 1])))["output"]["uri"]
                good(run(s, self.tool, {"uris": ["a.tif", turned], "statistic": "max", "align": "union", "output": self.output, "overwrite": True}))
            expected = wide.copy()
            expected[1:3, 2:4] = 99
            self.assertEqual(self.cells().tolist(), expected.tolist())

    def test_a_shifted_raster_is_brought_whole_to_the_union_as_the_refusal_says(self):
        """Of 4 x 6 cells a quarter of a cell to the east of those of a raster of 2 x 2 cells, which they reach beyond."""
        wide = numpy.arange(1, 25, dtype="int16").reshape(4, 6)
        rasters.write(self.path("a.tif"), [numpy.full((2, 2), 99, "int16")], gdal.GDT_Int16, transform=(289060, 30, 0, 9120970, 0, -30), nodata=-1)
        rasters.write(self.path("b.tif"), [wide], gdal.GDT_Int16, transform=(289007.5, 30, 0, 9121000, 0, -30), nodata=-1)
        with self.session() as s:
            hint = problem(run(s, self.tool, {"uris": ["a.tif", "b.tif"], "statistic": "max", "align": "union", "output": self.output}))["hint"]
            moved = good(run(s, "raster_reproject", json.loads(hint[hint.index("{"):hint.index("}") + 1])))["output"]["uri"]
            good(run(s, self.tool, {"uris": ["a.tif", moved], "statistic": "max", "align": "union", "output": self.output, "overwrite": True}))
        cells = wide.copy()
        cells[1:3, 2:4] = 99
        self.assertEqual(self.cells()[:, :6].tolist(), cells.tolist())

    def test_what_any_raster_of_several_holds_is_named(self):
        """-9999 in one of four, degrees or classes in one of two: whichever it is, and whatever was reasoned before."""
        height = noise((20, 30), 1) / 7
        holes = numpy.where(numpy.arange(600).reshape(20, 30) % 50 == 0, -9999, height).astype("float32")
        for year, cells in ((2010, height), (2011, height + 1), (2012, holes), (2013, height + 3)):
            rasters.write(self.path(f"mk_{year}.tif"), [cells], gdal.GDT_Float32)
            rasters.write(self.path(f"ok_{year}.tif"), [numpy.where(cells == -9999, 0, cells)], gdal.GDT_Float32)
        rasters.write(self.path("stack.tif"), [height, height + 1, holes, height + 3], gdal.GDT_Float32)
        rasters.write(self.path("aspect.tif"), [height], gdal.GDT_Float32)
        in_degrees(self.path("aspect.tif"))
        rasters.write(self.path("classes.tif"), [numpy.repeat([[11, 21, 41]], 20, 0).repeat(10, 1)], gdal.GDT_Byte, palette={11: (1, 2, 3)})
        rasters.write(self.path("codes.tif"), [numpy.repeat([[11, 21, 41]], 20, 0).repeat(10, 1).astype("float32")], gdal.GDT_Float32)
        marked = "2 % of the cells of band {} of .*{}.* are -9999, far from the next value .*declare it with raster_convert"
        for uris, statistic, band, file in ((["mk_201*.tif"], "mean", 1, "mk_2012.tif"), (["mk_201*.tif"], "min", 1, "mk_2012.tif"),
                                            (["mk_2010.tif", "mk_2011.tif", "mk_2012.tif"], "max", 1, "mk_2012.tif"), (["stack.tif"], "min", 3, "stack.tif"),
                                            (["mk_201*.tif"], "count", 1, "mk_2012.tif"), (["mk_201*.tif"], "last_valid", 1, "mk_2012.tif")):
            with self.subTest(uris=uris, statistic=statistic):
                dates = {"dates": ["2010", "2011", "2012", "2013"]} if uris == ["stack.tif"] else {}
                warning = self.composed(uris, statistic, **dates)["warnings"][0]
                self.assertRegex(warning, marked.format(band, file))
        rasters.write(self.path("mk_2010.tif"), [holes], gdal.GDT_Float32)
        for order in (["mk_2010.tif", "mk_2012.tif"], ["mk_2012.tif", "mk_2010.tif"]):
            [warning] = self.composed(order, "min")["warnings"]
            self.assertRegex(warning, r"of band 1 of .*mk_2010.tif \(the first of 2 bands with this value\) are -9999")
        self.assertEqual(self.composed(["ok_201*.tif"], "min").get("warnings", []), [])  # 0 is data in the others
        for other, held in (("aspect.tif", r"holds angles \(its unit is 'deg'\)"), ("classes.tif", r"holds codes \(it has a palette\)"),
                            ("codes.tif", r"looks like codes \(few whole numbers")):
            for uris in (["ok_2010.tif", other], [other, "ok_2010.tif"]):
                with self.subTest(uris=uris):
                    for statistic in ("mean", "last_valid"):
                        warning = self.composed(uris, statistic, dates=["2001", "2002"])["warnings"][0]
                        self.assertRegex(warning, f"{other} {held}.*values of different kinds cannot be combined")
                        self.assertRegex(warning, r"ok_2010.tif holds measurements \(its values are floating point\)")
                    self.assertEqual(self.composed(uris, "count", dates=["2001", "2002"]).get("warnings", []), [])
        rasters.write(self.path("land_2.tif"), [numpy.repeat([[21, 41, 11]], 20, 0).repeat(10, 1)], gdal.GDT_Int16)
        for statistic, warned in (("max", True), ("min", True), ("last_valid", False)):
            told = self.composed(["codes.tif", "land_2.tif"], statistic, dates=["2001", "2002"])["warnings"]
            self.assertEqual(told, [told[0]] if warned else [])
            if warned:
                self.assertRegex(told[0], rf"codes.tif looks like codes \(few whole numbers .*: if so, {statistic} of them means nothing")

    def test_the_question_names_the_worst_of_the_rasters(self):
        height = noise((20, 30), 1) / 7
        holes = numpy.where(numpy.arange(600).reshape(20, 30) % 50 == 0, -9999, height).astype("float32")
        for name, cells in (("t_2010", height), ("t_2011", height + 1), ("t_2012", holes)):
            rasters.write(self.path(f"{name}.tif"), [cells], gdal.GDT_Float32)
        rasters.write(self.path("aspect_2013.tif"), [height], gdal.GDT_Float32)
        in_degrees(self.path("aspect_2013.tif"))
        for uris, named in ((["t_201*.tif"], "the value -9999 fills 2 % of the sampled cells of .*t_2012.tif"),
                            (["t_2010.tif", "t_2011.tif", "aspect_2013.tif"], "aspect_2013.tif holds angles")):
            with self.session() as s:
                p = problem(s.call(self.tool, {"uris": uris, "statistic": "mean"}))
                self.assertRegex(" ".join(c["text"] for m in p["missing"] for c in m["conflicts"]), named)

    def test_a_landsat_scene_has_the_date_it_was_acquired(self):
        for name, date in (("first", "2015-08-04"), ("second", "2015-07-19")):
            rasters.write(self.path(f"{name}.tif"), [numpy.full((4, 4), 1, "int16")], gdal.GDT_Int16)
            dated(self.path(f"{name}.tif"), "1970-01-01 00:00:00")
            dated(self.path(f"{name}.tif"), date, "IMD", "L1_METADATA_FILE.PRODUCT_METADATA.DATE_ACQUIRED")
        told = self.composed(["first.tif", "second.tif"], "last_valid")
        self.assertEqual([(o["date"], o["date_from"]) for o in told["observations"]], [("2015-07-19", "DATE_ACQUIRED"), ("2015-08-04", "DATE_ACQUIRED")])

    def test_dates_come_from_metadata_before_names(self):
        for name, value in (("c.tif", 3), ("a.tif", 1), ("b.tif", 2)):
            rasters.write(self.path(name), [numpy.full((4, 4), value, "int16")], gdal.GDT_Int16)
        dated(self.path("a.tif"), "2024-05-01 10:11:12")
        dated(self.path("b.tif"), "2024:04:01 00:00:00", None, "TIFFTAG_DATETIME")
        dated(self.path("c.tif"), "2024-03-01", None, "DATE_ACQUIRED")
        told = self.composed(["a.tif", "b.tif", "c.tif"], "last_valid")
        self.assertEqual([(os.path.basename(o["path"]), o["date"], o["date_from"]) for o in told["observations"]],
                         [("c.tif", "2024-03-01", "DATE_ACQUIRED"), ("b.tif", "2024-04-01", "TIFFTAG_DATETIME"), ("a.tif", "2024-05-01T10:11:12", "ACQUISITIONDATETIME")])
        self.assertEqual(self.cells()[0, 0], 1)
        told = self.composed(["a.tif", "b.tif", "c.tif"], "last_valid", dates=["2020", "2021-06", "2022-01-01"])
        self.assertEqual(self.cells()[0, 0], 3)
        self.assertEqual({o["date_from"] for o in told["observations"]}, {"given"})

    def test_of_two_dates_in_a_name_the_one_taken_is_said_and_what_needs_dates_refuses_it(self):
        uris = [f"ndvi_2024{month}01_2024{month}15.tif" for month in ("01", "02")]
        for name in uris:
            rasters.write(self.path(name), [numpy.full((4, 4), 1, "int16")], gdal.GDT_Int16)
        told = self.composed(uris, "max")
        self.assertEqual([o["date"] for o in told["observations"]], ["2024-01-01", "2024-02-01"])
        [told] = [w for w in told["warnings"] if "date of" in w]
        self.assertRegex(told, "states 2024-01-01, which was taken, and 2024-01-15; 1 more dates")
        self.refused((({"uris": uris, "statistic": "last_valid"}, "is not certain: its name states 2024-01-01"),))

    def test_a_variable_without_grid_mapping_is_named(self):
        with io.netcdf_file(self.path("bare.nc"), "w") as f:
            for name, values in (("time", [15, 46]), ("lat", [50, 49, 48]), ("lon", [1, 2, 3, 4])):
                f.createDimension(name, len(values))
                f.createVariable(name, "d", (name,))[:] = values
            f.variables["time"].units = "days since 2020-01-01"
            f.createVariable("tas", "f", ("time", "lat", "lon"))[:] = numpy.arange(24).reshape(2, 3, 4)
        told = self.composed(["bare.nc"], "last_valid")
        self.assertEqual([o["date"] for o in told["observations"]], ["2020-01-16", "2020-02-16"])
        self.assertTrue(any("grid_mapping" in w for w in told["warnings"]), told["warnings"])

    def test_a_stack_of_real_months(self):
        stack, _ = rasters.real_months(self)
        told = self.composed(["real.nc"], "median", subdataset="tas")
        self.assertEqual([o["date"] for o in told["observations"]][::11], ["1999-01-31", "1999-12-31"])
        numpy.testing.assert_array_equal(self.cells(), percentile(stack, 50).astype("float32"))
        self.composed(["real.nc"], "trend", subdataset="tas")
        row, column = 10, 20
        numpy.testing.assert_allclose(self.cells(band=2)[row, column], kendall(stack[:, row, column]), rtol=1e-6)

    def test_mistakes_are_named(self):
        plain = numpy.arange(12, dtype="int16").reshape(3, 4)
        far = (289000.0 + 28.5 * 100, 28.5, 0, 9121000.0, 0, -28.5)
        for name in ("a.tif", "b.tif", "x_20240101.tif", "y_20240101.tif", "z_20240101_20240201.tif"):
            rasters.write(self.path(name), [plain], gdal.GDT_Int16)
        rasters.write(self.path("two.tif"), [plain, plain], gdal.GDT_Int16)
        rasters.write(self.path("wide.tif"), [noise((3, 5), 1, "int16")], gdal.GDT_Int16)
        rasters.write(self.path("half.tif"), [plain], gdal.GDT_Int16, transform=(289000 + 14.0, 28.5, 0, 9121000, 0, -28.5))
        rasters.write(self.path("far.tif"), [plain], gdal.GDT_Int16, transform=far)
        rasters.write(self.path("other.tif"), [plain], gdal.GDT_Int16, epsg=32633)
        rasters.write(self.path("q_20240102.tif"), [plain], gdal.GDT_Int16)
        rasters.write(self.path("float.tif"), [plain.astype("float32")], gdal.GDT_Float32)
        rasters.write(self.path("doubted_20240101.tif"), [plain], gdal.GDT_Int16)
        dated(self.path("doubted_20240101.tif"), "2024:03:05 00:00:00", None, "TIFFTAG_DATETIME")
        pair = ["a.tif", "b.tif"]
        self.refused((
            ({"uris": ["a.tif"], "statistic": "max"}, "one observation only"),
            ({"uris": ["a.tif", "a.tif"], "statistic": "max"}, "given twice"),
            ({"uris": ["a.tif", "two.tif"], "statistic": "max"}, "numbers of bands differ"),
            ({"uris": ["a.tif", "wide.tif"], "statistic": "max"}, "the extents differ"),
            ({"uris": ["a.tif", "half.tif"], "statistic": "max", "align": "union"}, "fraction of a cell"),
            ({"uris": ["a.tif", "other.tif"], "statistic": "max"}, "CRSs differ"),
            ({"uris": ["a.tif", "far.tif"], "statistic": "max", "align": "intersection"}, "no cell belongs to all"),
            ({"uris": pair, "statistic": "last_valid"}, "no date is known of"),
            ({"uris": ["a.tif", "z_20240101_20240201.tif"], "statistic": "last_valid"}, "no date is known of"),
            ({"uris": ["x_20240101.tif", "doubted_20240101.tif"], "statistic": "last_valid"}, "is not certain: file name states 2024-01-01, TIFFTAG_DATETIME 2024-03-05"),
            ({"uris": pair, "statistic": "last_valid", "dates": ["2024-01", "2024-01-15"]}, "cannot be put in the order of time"),
            ({"uris": pair, "statistic": "last_valid", "dates": ["2024-01"]}, "has 1 entries, but there are 2"),
            ({"uris": pair, "statistic": "last_valid", "dates": ["2024-01", "2024-02-30"]}, "'2024-02-30' of 'dates' is no date"),
            ({"uris": pair, "statistic": "max", "percentile": 5}, "'percentile' is given"),
            ({"uris": pair, "statistic": "max", "mask": {"uris": ["q_20240102.tif"]}}, "neither 'bits' nor 'values'"),
            ({"uris": pair, "statistic": "max", "mask": {"bits": [1]}}, "neither 'band' nor 'uris'"),
            ({"uris": pair, "statistic": "max", "mask": {"band": 1, "bits": [1]}}, "no band besides"),
            ({"uris": pair, "statistic": "max", "mask": {"uris": ["float.tif"], "bits": [1]}}, "is Float32"),
            ({"uris": pair, "statistic": "max", "mask": {"uris": ["q_20240102.tif"], "bits": [16]}}, "names bit 16"),
            ({"uris": ["x_20240101.tif", "a.tif"], "statistic": "max", "mask": {"uris": ["q_20240102.tif", "b.tif"], "bits": [1]}}, "is of 2024-01-01, its quality raster"),
        ))

    def test_a_trend_needs_one_raster_a_date_and_a_percentile_its_number(self):
        for name in ("x_20240101.tif", "y_20240101.tif"):
            rasters.write(self.path(name), [noise((3, 4), 1, "int16")], gdal.GDT_Int16)
        with self.session() as s:
            p = problem(run(s, self.tool, {"uris": ["*_20240101.tif"], "statistic": "trend"}))
            which = problem(run(s, self.tool, {"uris": ["*_20240101.tif"], "statistic": "percentile"}))
        self.assertIn("'percentile' does not say which", which["message"])
        self.assertIn("x_20240101.tif (2024-01-01) and", p["message"])
        self.assertIn("raster_mosaic", p["hint"])

    def test_broken_inputs_fail_by_name(self):
        rasters.write(self.path("a.tif"), [noise((400, 500), 1)], gdal.GDT_Float32)
        more.cut_short(self.path("a.tif"), self.path("cut.tif"))
        self.refused((({"uris": ["a.tif", "cut.tif"], "statistic": "max"}, "cut.tif"),))

    def test_a_crs_that_lacks_a_datum_name_is_that_of_the_first(self):
        """The same cells, in a CRS that only names the projection."""
        for name, definition in (("a.tif", "EPSG:26912"), ("b.tif", "+proj=utm +zone=12 +ellps=GRS80 +units=m +type=crs")):
            rasters.write(self.path(name), [numpy.array([[1.0, 2.0]])], gdal.GDT_Float32, transform=(300000, 30, 0, 4154000, 0, -30), epsg=None)
            raster = gdal.Open(self.path(name), gdal.GA_Update)
            reference = osr.SpatialReference()
            reference.SetFromUserInput(definition)
            raster.SetSpatialRef(reference)
            del raster
        told = self.composed(["a.tif", "b.tif"], "last_valid", dates=["2001", "2011"])
        self.assertEqual((told["width"], told["height"]), (2, 1))

    def test_bands_of_one_quality_file_need_a_name(self):
        for i in range(3):
            rasters.write(self.path(f"s_2020-0{i + 1}-01.tif"), [numpy.array([[1.0 + i]])], gdal.GDT_Float32)
        rasters.write(self.path("qa.tif"), [numpy.array([[0]]), numpy.array([[1]])], gdal.GDT_Byte)
        with self.session() as s:
            refused = problem(s.call(self.tool, {"uris": [f"s_2020-0{i + 1}-01.tif" for i in range(3)], "statistic": "max", "output": self.output,
                                                 "mask": {"uris": ["qa.tif"], "bits": [0]}}))
        self.assertIn("name the quality band as 'band' of 'mask'", refused["hint"])

    def test_days_before_1900_and_after_2099_are_dates(self):
        years = (1850, 1900, 2000, 2150)
        for year in years:
            rasters.write(self.path(f"y{year}.tif"), [numpy.array([[float(year)]])], gdal.GDT_Float32)
        told = self.composed([f"y{y}.tif" for y in years], "trend", dates=[f"{y}-01-01" for y in years])
        self.assertEqual(told["observations"][0]["date"], "1850-01-01")
        self.assertAlmostEqual(gdal.Open(self.path(self.output)).ReadAsArray()[0][0, 0], 1, delta=1e-3)

    def test_parts_of_months_and_years_of_two_digits_are_no_dates(self):
        for names, part in (([f"c_2015.01.{i}.tif" for i in (1, 2, 3, 4)], "2015.01.1"), ([f"c_190{i}05.tif" for i in (1, 2, 3, 4)], "190105")):
            for i, name in enumerate(names):
                rasters.write(self.path(name), [numpy.array([[1.0 + i]])], gdal.GDT_Float32)
            with self.session() as s:
                refused = problem(run(s, self.tool, {"uris": names, "statistic": "trend", "output": self.output}))
            self.assertIn(part, refused["message"])

    def test_grids_of_two_turns_are_not_united(self):
        for name, west in (("a.tif", -180), ("b.tif", 0)):
            rasters.write(self.path(name), [numpy.ones((2, 36))], gdal.GDT_Float32, epsg=4326, transform=(west, 10, 0, 10, 0, -10))
        for align in ("union", "intersection"):
            with self.session() as s:
                refused = problem(run(s, self.tool, {"uris": ["a.tif", "b.tif"], "statistic": "max", "align": align, "output": self.output}))
            self.assertIn("540 degrees wide", refused["message"])

    def test_bands_in_another_order_are_named(self):
        for name, order in (("a.tif", ("red", "nir")), ("b.tif", ("nir", "red"))):
            file = rasters.write(self.path(name), [numpy.ones((2, 2)), numpy.ones((2, 2))], gdal.GDT_Float32)
            file = gdal.Open(self.path(name), gdal.GA_Update)
            for i, title in enumerate(order):
                file.GetRasterBand(i + 1).SetDescription(title)
            del file
        self.assertRegex(" ".join(self.composed(["a.tif", "b.tif"], "max")["warnings"]), "band 1 of [^ ]*b.tif is 'nir', band 1 of [^ ]*a.tif 'red'")

    def test_rasters_placed_by_control_points_are_refused(self):
        for name in ("a.tif", "b.tif"):
            made = gdal.GetDriverByName("GTiff").Create(self.path(name), 2, 2, 1, gdal.GDT_Byte)
            made.SetGCPs([gdal.GCP(x, y, 0, x, y) for x, y in ((0, 0), (2, 0), (0, 2))], rasters.crs(4326).ExportToWkt())
            del made
        with self.session() as s:
            refused = problem(run(s, self.tool, {"uris": ["a.tif", "b.tif"], "statistic": "max", "output": self.output}))
        self.assertIn("ground control points", refused["message"])


if __name__ == "__main__":
    session.main()
