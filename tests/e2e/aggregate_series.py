"""aggregate_series against numpy place by place: points, polygons by the shares of their cells, gaps, masks, runs, and what it refuses."""
import csv
import math

import numpy
from osgeo import gdal, ogr
from scipy import stats

import more
import rasters
import session
from session import good, problem, run

LEFT, TOP, SIDE = 1000000, 4000000, 100
CELLS = (LEFT, SIDE, 0, TOP, 0, -SIDE)
EQUAL_AREA = 6933
NAN = numpy.nan


def features(*shapes, **properties):
    """Shapes of GeoJSON; of each property the values in their order."""
    return {"type": "FeatureCollection",
            "features": [{"type": "Feature", "properties": {k: v[i] for k, v in properties.items()}, "geometry": shape} for i, shape in enumerate(shapes)]}


def point(column, row):
    """In columns and rows from the upper left corner of CELLS."""
    return {"type": "Point", "coordinates": [LEFT + SIDE * column, TOP - SIDE * row]}


def box(west, north, east, south):
    """In columns and rows as well."""
    corners = [(west, south), (east, south), (east, north), (west, north), (west, south)]
    return {"type": "Polygon", "coordinates": [[[LEFT + SIDE * x, TOP - SIDE * y] for x, y in corners]]}


def shares(shape, west, north, east, south):
    """Of each cell of a raster of this shape, the share that the box covers."""
    def along(low, high, count):
        return numpy.array([max(0, min(high, i + 1) - max(low, i)) for i in range(count)])
    return numpy.outer(along(north, south, shape[0]), along(west, east, shape[1]))


class aggregate_series(more.MoreClaims):
    tool = "aggregate_series"
    output = "out.csv"

    def write(self, name, cells, dtype=gdal.GDT_Float32, **how):
        bands = cells if isinstance(cells, list) and getattr(cells[0], "ndim", 0) == 2 else [numpy.array(cells)]
        return rasters.write(self.path(name), bands, dtype, **{"epsg": EQUAL_AREA, "transform": CELLS, **how})

    def series(self, at, uris=("v_*.tif",), **arguments):
        """The result of one call, its question answered. Places of inline GeoJSON are in the CRS of the rasters."""
        with self.session() as s:
            return good(run(s, self.tool, {"uris": list(uris), "at": at, **({"crs": f"EPSG:{EQUAL_AREA}"} if isinstance(at, dict) else {}),
                                           "output": self.output, "overwrite": True, **arguments}))

    def table(self):
        """Columns of the output, "" as None and all but names and dates as numbers."""
        with open(self.path(self.output), newline="") as file:
            rows = list(csv.DictReader(file))
        return {name: [None if r[name] == "" else r[name] if name in ("place", "date") else float(r[name]) for r in rows] for name in rows[0]}

    def months(self, count, shape=(40, 50), gaps=0.2, dtype=gdal.GDT_Int16, **how):
        """v_2023-01.tif …; their values with NaN as [time, row, column]."""
        random = numpy.random.default_rng(count)
        stack = random.integers(0, 500, (count, *shape)).astype("float64")
        stack[random.random(stack.shape) < gaps] = -1
        for i, scene in enumerate(stack):
            self.write(f"v_{2023 + i // 12}-{i % 12 + 1:02}.tif", [scene], dtype, nodata=-1, **how)
        stack[stack == -1] = NAN
        return stack

    def refuse(self, *cases, **common):
        self.refused([({"output": "refused.csv", **common, **arguments}, words) for arguments, words in cases])

    def test_two_points_by_eye(self):
        for day, cells in (("01", [[1, 9], [5, -1]]), ("02", [[3, -1], [5, -1]]), ("05", [[2, 4], [8, -1]])):
            self.write(f"v_2024-01-{day}.tif", cells, gdal.GDT_Int16, nodata=-1)
        told = self.series(features(point(1.5, 0.5), point(1.2, 1.9), name=["upper", "lower"]), place_id="name", above=5)
        self.assertEqual([(r["place"], r["date"], r.get("value")) for r in told["rows"]],
                         [("upper", "2024-01-01", 9), ("upper", "2024-01-02", None), ("upper", "2024-01-05", 4),
                          ("lower", "2024-01-01", None), ("lower", "2024-01-02", None), ("lower", "2024-01-05", None)])
        upper, lower = told["places"]
        self.assertEqual(upper, {"place": "upper", "valid_count": 2, "first_date": "2024-01-01", "last_date": "2024-01-05", "mean": 6.5, "min": 4,
                                 "min_date": "2024-01-05", "max": 9, "max_date": "2024-01-01", "beyond_count": 1, "run_count": 1,
                                 "longest": {"first_date": "2024-01-01", "last_date": "2024-01-01", "observations": 1, "days": 0}})
        self.assertEqual(lower, {"place": "lower", "valid_count": 0, "beyond_count": 0, "run_count": 0})
        self.assertEqual((told["observation_count"], told["first_date"], told["last_date"], told["place_count"], told["outside_count"], told["empty_count"],
                          told["matched_total"], told["truncated"]), (3, "2024-01-01", "2024-01-05", 2, 0, 1, 6, False))
        self.assertTrue(any("1 place lies on cells without a value in every observation, which is not 0" in w for w in told["warnings"]), told["warnings"])
        self.assertEqual(self.table(), {"place": ["upper"] * 3 + ["lower"] * 3, "observation": [1, 2, 3] * 2, "date": ["2024-01-01", "2024-01-02", "2024-01-05"] * 2,
                                        "value": [9, None, 4, None, None, None], "run": [1, None, None, None, None, None]})

    def test_points_have_the_values_of_their_cells_whatever_the_blocks(self):
        stack = self.months(7, shape=(300, 400), options=("TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=64"))
        self.write("v_2023-03.tif", [numpy.nan_to_num(stack[2], nan=-1)], gdal.GDT_Int16, nodata=-1, options=("TILED=NO",))
        random = numpy.random.default_rng(5)
        column, row = random.uniform(0, 400, 300), random.uniform(0, 300, 300)
        told = self.series(features(*map(point, column, row)))
        expected = stack[:, row.astype(int), column.astype(int)].T.ravel()
        numpy.testing.assert_array_equal(numpy.array(self.table()["value"], "float64"), expected)
        self.assertEqual((told["truncated"], len(told["places"]), len(told["rows"]), told["matched_total"]), (True, 50, 50, 2100))
        for i, place in enumerate(told["places"]):
            values = stack[:, int(row[i]), int(column[i])]
            self.assertEqual((place["valid_count"], place.get("min"), place.get("max")),
                             ((~numpy.isnan(values)).sum(), *((numpy.nanmin(values), numpy.nanmax(values)) if (~numpy.isnan(values)).any() else (None, None))))
            self.assertAlmostEqual(place["mean"], numpy.nanmean(values))

    def test_a_point_on_an_edge_lies_in_the_cell_of_the_greater_column_and_row(self):
        self.write("v_2024-01.tif", [[1, 2], [3, 4]])
        self.write("v_2024-02.tif", [[5, 6], [7, 8]])
        told = self.series(features(point(1, 0.5), point(0.5, 1), point(1, 1), point(0, 0), point(2, 0.5), point(0.5, 2), point(-0.001, 0.5)))
        self.assertEqual(self.table()["value"], [2, 6, 3, 7, 4, 8, 1, 5] + [None] * 6)
        self.assertEqual((told["outside_count"], told["empty_count"]), (3, 3))
        self.assertEqual([p.get("problem") for p in told["places"]], [None] * 4 + ["it lies outside the rasters"] * 3)
        self.assertTrue(any("3 places lie outside the rasters and have no value, which is not 0" in w for w in told["warnings"]), told["warnings"])

    def test_places_in_another_crs_are_transformed_and_this_is_reported(self):
        stack = self.months(3)
        driver = ogr.GetDriverByName("GPKG")
        made = driver.CreateDataSource(self.path("stations.gpkg"))
        layer = made.CreateLayer("stations", rasters.crs(4326), ogr.wkbPoint)
        layer.CreateField(ogr.FieldDefn("code", ogr.OFTString))
        way = rasters.osr.CoordinateTransformation(rasters.crs(EQUAL_AREA), rasters.crs(4326))
        for i in range(5):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature["code"] = f"station {i}"
            longitude, latitude, _ = way.TransformPoint(LEFT + SIDE * (5.5 + i), TOP - SIDE * (20.25 + i))
            feature.SetGeometry(ogr.CreateGeometryFromWkt(f"POINT ({longitude} {latitude})"))
            layer.CreateFeature(feature)
        del feature, layer, made
        told = self.series("stations.gpkg", place_id="code")
        numpy.testing.assert_array_equal(numpy.array(self.table()["value"], "float64"), numpy.concatenate([stack[:, 20 + i, 5 + i] for i in range(5)]))
        self.assertEqual(told["places"][3]["place"], "station 3")
        self.assertTrue(any(f"the places were transformed from EPSG:4326 to the raster's EPSG:{EQUAL_AREA}" in w for w in told["warnings"]), told["warnings"])

    def test_polygons_count_cells_by_the_share_inside(self):
        """A box over half of the left column and a quarter of the middle cell, by hand."""
        self.write("v_2024-01-01.tif", [[2, 6, 1], [4, 8, 1]])
        self.write("v_2024-01-02.tif", [[2, -1, 1], [4, 8, 1]], nodata=-1)
        zone = features(box(0.5, 0, 1.5, 1.5))  # shares 0.5 0.5 / 0.25 0.25
        sums = [0.5 * 2 + 0.5 * 6 + 0.25 * 4 + 0.25 * 8, 0.5 * 2 + 0.25 * 4 + 0.25 * 8]
        for statistic, expected in (("sum", sums), ("count", [1.5, 1]), ("mean", [sums[0] / 1.5, sums[1] / 1]), ("min", [2, 2]), ("max", [8, 8])):
            with self.subTest(statistic=statistic):
                told = self.series(zone, statistic=statistic)
                numpy.testing.assert_allclose([r["value"] for r in told["rows"]], expected, rtol=1e-12)
                self.assertEqual(told["rows"][0]["data_share"], 1)
                self.assertAlmostEqual(told["rows"][1]["data_share"], 2 / 3)
        self.assertEqual(list(self.table()), ["place", "observation", "date", "value", "data_share"])

    def test_many_polygons_and_dates_are_those_of_numpy(self):
        for how in (("TILED=YES", "BLOCKXSIZE=32", "BLOCKYSIZE=32"), ("TILED=NO",)):
            stack = self.months(9, shape=(120, 150), options=how)
            random = numpy.random.default_rng(8)
            boxes = [(w, n, w + random.uniform(0.1, 60), n + random.uniform(0.1, 50)) for w, n in random.uniform(-5, 115, (40, 2))]
            told = self.series(features(*(box(*b) for b in boxes)), statistic="mean", limit=1000)
            value, share = numpy.array(self.table()["value"], "float64").reshape(40, 9), numpy.array(self.table()["data_share"]).reshape(40, 9)
            for i, b in enumerate(boxes):
                weights = shares((120, 150), *b)
                area = (b[2] - b[0]) * (b[3] - b[1])
                for t in range(9):
                    seen = weights * ~numpy.isnan(stack[t])
                    expected = (seen * numpy.nan_to_num(stack[t])).sum() / seen.sum() if seen.sum() > 0 else NAN
                    numpy.testing.assert_allclose(value[i, t], expected, rtol=1e-9)
                    numpy.testing.assert_allclose(share[i, t], seen.sum() / area, rtol=1e-7, atol=1e-9)
            self.assertEqual([p["valid_count"] for p in told["places"]], (~numpy.isnan(value)).sum(1).tolist())

    def test_observations_whose_blocks_do_not_fit_in_memory_together(self):
        """Each is one block of 2 million cells, and 16.8 million are read at once."""
        stack = self.months(9, shape=(1000, 2000), options=("TILED=NO", "BLOCKYSIZE=1000"))
        boxes = ((0, 0, 2000, 1000), (10.25, 20.5, 900.75, 480), (1990.5, 990.5, 2000, 1000))
        told = self.series(features(*(box(*b) for b in boxes)), statistic="sum")
        expected = [(shares((1000, 2000), *b) * numpy.nan_to_num(scene)).sum() for b in boxes for scene in stack]
        numpy.testing.assert_allclose([r["value"] for r in told["rows"]], expected, rtol=1e-12)

    def test_a_median_is_that_of_the_covered_shares(self):
        self.write("v_2024-01.tif", [[5, 1, 9]])
        self.write("v_2024-02.tif", [[5, 1, 2]])
        told = self.series(features(box(0, 0, 3, 1)), statistic="median")
        self.assertEqual([r["value"] for r in told["rows"]], [5, 2])

    def test_polygons_partly_or_wholly_outside(self):
        self.write("v_2024-01.tif", [[3, 5]])
        self.write("v_2024-02.tif", [[4, 6]])
        bow_tie = {"type": "Polygon", "coordinates": [[[LEFT, TOP], [LEFT + 100, TOP - 100], [LEFT + 100, TOP], [LEFT, TOP - 100], [LEFT, TOP]]]}
        told = self.series(features(box(1, 0, 3, 1), box(7, 0, 8, 1), bow_tie), statistic="mean")
        self.assertEqual([(p["valid_count"], p.get("mean")) for p in told["places"]], [(2, 5.5), (0, None), (0, None)])
        self.assertEqual([r["data_share"] for r in told["rows"]], [0.5, 0.5, 0, 0, 0, 0])
        self.assertIn("outside", told["places"][1]["problem"])
        self.assertIn("invalid", told["places"][2]["problem"])
        self.assertEqual((told["outside_count"], told["empty_count"]), (1, 2))
        # A hook around the rasters, whose box alone meets them.
        around = {"type": "Polygon", "coordinates": [[[LEFT - 300, TOP + 300], [LEFT + 900, TOP + 300], [LEFT + 900, TOP - 900],
                                                      [LEFT + 800, TOP - 900], [LEFT + 800, TOP + 200], [LEFT - 300, TOP + 200],
                                                      [LEFT - 300, TOP + 300]]]}
        beside = self.series(features(box(0, 0, 2, 1), around), statistic="mean", overwrite=True)
        self.assertEqual((beside["outside_count"], beside["empty_count"]), (1, 1))
        self.assertIn("1 place lies outside the rasters and has no value, which is not 0", beside["warnings"])
        self.assertTrue(any("1 place could not be used, the first is 2: its outline is invalid" in w for w in told["warnings"]), told["warnings"])

    def test_runs_end_at_gaps_and_at_other_values(self):
        values = [31, 35, -1, 40, 50, 60, 30, 31, -1]
        days = ["01-01", "01-03", "01-04", "01-10", "01-11", "01-12", "02-01", "02-10", "03-01"]
        for day, v in zip(days, values):
            self.write(f"v_2024-{day}.tif", [[v]], gdal.GDT_Int16, nodata=-1)
        told = self.series(features(point(0.5, 0.5)), above=30)
        self.assertEqual([(r["first_date"], r["last_date"], r["observations"], r["days"]) for r in told["runs"]],
                         [("2024-01-01", "2024-01-03", 2, 2), ("2024-01-10", "2024-01-12", 3, 2), ("2024-02-10", "2024-02-10", 1, 0)])
        [place] = told["places"]
        self.assertEqual((place["beyond_count"], place["run_count"], place["longest"]["first_date"]), (6, 3, "2024-01-10"))
        self.assertEqual(self.table()["run"], [1, 1, None, 2, 2, 2, None, 3, None])
        told = self.series(features(point(0.5, 0.5)), below=40)
        self.assertEqual([(r["first_date"], r["last_date"], r["observations"], r["days"]) for r in told["runs"]],
                         [("2024-01-01", "2024-01-03", 2, 2), ("2024-02-01", "2024-02-10", 2, 9)])
        self.assertEqual(told["places"][0]["longest"]["days"], 9)
        self.assertEqual(self.series(features(point(0.5, 0.5)), above=60)["runs"], [])
        self.assertNotIn("runs", self.series(features(point(0.5, 0.5))))

    def test_a_trend_is_that_of_theil_and_sen_and_of_mann_and_kendall(self):
        stack = self.months(15, gaps=0.3)
        places = [(c, r) for c in range(3, 13) for r in range(4, 8)]
        told = self.series(features(*(point(c + 0.5, r + 0.5) for c, r in places)))
        dates = [r["date"] for r in told["rows"]][:15]
        years = numpy.array([(numpy.datetime64(d + "-01") - numpy.datetime64("1970-01-01")).astype("timedelta64[D]").astype(float) for d in dates]) / 365.25
        for (column, row), place in zip(places, told["places"]):
            v = stack[:, row, column]
            there = ~numpy.isnan(v)
            if there.sum() < 4:
                self.assertNotIn("slope_per_year", place)
                continue
            numpy.testing.assert_allclose(place["slope_per_year"], stats.theilslopes(v[there], years[there])[0], rtol=1e-9)
            numpy.testing.assert_allclose(place["p"], self.kendall(v[there]), rtol=1e-9)

    def kendall(self, values):
        n = len(values)
        s = sum(numpy.sign(values[j] - values[i]) for i in range(n) for j in range(i + 1, n))
        ties = sum(t * (t - 1) * (2 * t + 5) for t in numpy.unique(values, return_counts=True)[1])
        variance = (n * (n - 1) * (2 * n + 5) - ties) / 18
        return 1.0 if s == 0 or variance <= 0 else math.erfc((abs(s) - 1) / math.sqrt(2 * variance))

    def test_a_mask_takes_values_out_and_the_share_is_reported(self):
        """Quality 8 is cloud, 255 nodata of the quality."""
        for i, (values, quality) in enumerate((([[1, 2], [3, 4]], [[8, 0], [0, 0]]), ([[5, -1], [7, 9]], [[0, 8], [0, 255]]))):
            self.write(f"v_2024010{i + 1}.tif", values, gdal.GDT_Int16, nodata=-1)
            self.write(f"q_2024010{i + 1}.tif", quality, gdal.GDT_Byte, nodata=255)
        mask = {"uris": ["q_*.tif"], "values": [8]}
        told = self.series(features(*(point(c + 0.5, r + 0.5) for r in (0, 1) for c in (0, 1))), mask=mask)
        self.assertEqual(self.table()["value"], [None, 5, 2, None, 3, 7, 4, None])
        self.assertEqual(self.table()["excluded"], [1, 0, 0, 0, 0, 0, 0, 1])  # where there was a value
        self.assertTrue(any("1 values were taken out because their quality is nodata" in w for w in told["warnings"]), told["warnings"])
        told = self.series(features(box(0, 0, 2, 2)), mask=mask, statistic="mean")
        self.assertEqual([(r["value"], r["data_share"], r["excluded"]) for r in told["rows"]], [(3, 0.75, 0.25), (6, 0.5, 0.25)])
        told = self.series(features(point(0.5, 0.5)), mask={"uris": ["q_*.tif"], "values": [77]})
        self.assertTrue(any("'mask' excluded no cell" in w for w in told["warnings"]), told["warnings"])
        # A quality band of the files themselves is none to aggregate.
        for i, quality in enumerate(([[8, 0]], [[0, 0]])):
            self.write(f"both_2024010{i + 1}.tif", [numpy.array([[i + 1, i + 1]]), numpy.array(quality)], gdal.GDT_UInt16)
        self.series(features(point(0.5, 0.5), point(1.5, 0.5)), ["both_*.tif"], mask={"band": 2, "bits": [3]})
        self.assertEqual(self.table()["value"], [None, 2, 1, 2])

    def test_values_are_scaled_and_nan_and_infinite_ones_are_gaps(self):
        for name, scale, offset in (("v_2024-01.tif", 0.5, 0), ("v_2024-02.tif", 2, -5)):
            self.write(name, [[10, 20]], gdal.GDT_Int16)
            raster = gdal.Open(self.path(name), gdal.GA_Update)
            raster.GetRasterBand(1).SetScale(scale)
            raster.GetRasterBand(1).SetOffset(offset)
            del raster
        self.series(features(point(0.5, 0.5), point(1.5, 0.5)))
        self.assertEqual(self.table()["value"], [5, 15, 10, 35])
        self.series(features(box(0, 0, 2, 1)), statistic="sum")
        self.assertEqual(self.table()["value"], [15, 50])
        self.write("n_2024-01.tif", [[NAN, numpy.inf, 3]])
        self.write("n_2024-02.tif", [[1, 2, 3]])
        told = self.series(features(*(point(c + 0.5, 0.5) for c in range(3))), ["n_*.tif"])
        self.assertEqual(self.table()["value"], [None, 1, None, 2, 3, 3])
        self.assertTrue(any("infinite" in w for w in told["warnings"]), told["warnings"])
        told = self.series(features(box(0, 0, 3, 1)), ["n_*.tif"], statistic="mean")
        self.assertEqual([(r["value"], round(r["data_share"], 6)) for r in told["rows"]], [(3, 0.333333), (2, 1)])

    def test_dates_order_observations_and_unknown_ones_leave_the_order_as_given(self):
        for name, v in (("c", 3), ("a", 1), ("b", 2)):
            self.write(f"{name}.tif", [[v]])
        told = self.series(features(point(0.5, 0.5)), ["a.tif", "b.tif", "c.tif"], dates=["2024-03-01", "2024-01-01", "2024-02-01"], above=0)
        self.assertEqual([(r["date"], r["value"]) for r in told["rows"]], [("2024-01-01", 2), ("2024-02-01", 3), ("2024-03-01", 1)])
        self.assertEqual(told["places"][0]["longest"]["days"], 60)
        told = self.series(features(point(0.5, 0.5)), ["c.tif", "a.tif", "b.tif"], above=0)
        self.assertEqual([(r["date"], r["value"]) for r in told["rows"]], [("#1", 3), ("#2", 1), ("#3", 2)])
        self.assertEqual(told["places"][0]["longest"], {"first_date": "#1", "last_date": "#3", "observations": 3})
        self.assertNotIn("first_date", told)
        [said] = [w for w in told["warnings"] if "no date is known of" in w]
        self.assertIn("observations are in the order given: give 'dates'", said)
        # Two of one day have no order, so no trend; their days are known.
        for i in range(5):
            self.write(f"d{i}.tif", [[i]])
        told = self.series(features(point(0.5, 0.5)), [f"d{i}.tif" for i in range(5)], dates=["2024-01-01", "2024-01-02", "2024-01-02", "2024-01-03", "2024-01-04"], above=-1)
        self.assertTrue(any("cannot be put in the order of time, so trends are left out" in w for w in told["warnings"]), told["warnings"])
        self.assertEqual(told["places"][0]["longest"]["days"], 3)
        self.assertNotIn("slope_per_year", told["places"][0])

    def test_names_that_state_more_than_a_year_are_read_or_named(self):
        places = features(point(0.5, 0.5))

        def named(*names):
            for name in names:
                self.write(name, [[1]])
            told = self.series(places, names)
            return [r["date"] for r in told["rows"]], [w for w in told["warnings"] if "date" in w]
        self.assertEqual(named("a_31.12.2020.tif", "a_01.01.2021.tif", "a_05May2022.tif"), (["2020-12-31", "2021-01-01", "2022-05-05"], []))
        dates, warnings = named("b_2020_Q3.tif", "b_2021_Q1.tif")
        self.assertEqual(dates, ["2020", "2021"])
        self.assertIn("only the year of '2020_Q3' in its name is read", warnings[0])
        self.assertIn("is not certain; so days and trends are left out: give 'dates'", warnings[-1])
        dates, warnings = named("c_03.04.2020.tif", "c_05.04.2021.tif")
        self.assertIn("only the year of '03.04.2020' in its name is read", warnings[0])
        dates, warnings = named("d_2020_13.tif", "d_2021_7.tif")
        self.assertEqual((dates, warnings), (["2020", "2021"], ["the names d_2020_13.tif and d_2021_7.tif are read as years and differ in more: "
                                                                 "if the rest is part of a date, give 'dates'"]))
        self.assertEqual(named("e_2020_v1.tif", "e_2021_v1.tif")[1], [])

    def test_dates_count_where_a_unit_of_time_has_no_fixed_length(self):
        self.write("months.tif", [numpy.array([[v]]) for v in (1, 2)])
        stack = gdal.Open(self.path("months.tif"), gdal.GA_Update)
        stack.SetMetadataItem("time#units", "months since 1990-01-01")
        for band in (1, 2):
            stack.GetRasterBand(band).SetMetadataItem("NETCDF_DIM_time", str(band))
        del stack
        told = self.series(features(point(0.5, 0.5)), ["months.tif"])
        self.assertIn("'time 1 months since 1990-01-01' counts in no unit of fixed length", " ".join(told["warnings"]))
        told = self.series(features(point(0.5, 0.5)), ["months.tif"], dates=["1990-02", "1990-03"])
        self.assertEqual(([r["date"] for r in told["rows"]], told["warnings"]), (["1990-02", "1990-03"], []))

    def test_a_stack_of_real_months(self):
        stack, (x0, dx, _, y0, _, dy) = rasters.real_months(self)
        row, column = 10, 20
        with open(self.path("places.csv"), "w") as file:  # without a CRS, as the stack
            file.write(f"name,x,y\nhill,{x0 + dx * (column + 0.3)},{y0 + dy * (row + 0.6)}\n")
        told = self.series("places.csv", ["real.nc"], subdataset="tas", place_id="name")
        self.assertTrue(any("neither the places nor the raster has a CRS" in w for w in told["warnings"]), told["warnings"])
        self.assertEqual([r["date"] for r in told["rows"]][::11], ["1999-01-31", "1999-12-31"])
        numpy.testing.assert_allclose(self.table()["value"], stack[:, row, column], rtol=1e-14)  # of 15 digits
        self.assertEqual([r["value"] for r in told["rows"]], stack[:, row, column].tolist())
        self.assertEqual(told["places"][0]["max"], numpy.nanmax(stack[:, row, column]))

    def test_extents_that_differ_by_whole_cells_are_united_where_asked(self):
        self.write("v_2024-01.tif", [[1, 2, 3]])
        self.write("v_2024-02.tif", [[4, 5]], transform=(LEFT + SIDE, SIDE, 0, TOP, 0, -SIDE))
        places = features(point(0.5, 0.5), point(2.5, 0.5))
        self.series(places, align="union")
        self.assertEqual(self.table()["value"], [1, None, 3, 5])
        self.series(features(box(0, 0, 3, 1)), align="union", statistic="sum")
        self.assertEqual(self.table()["value"], [6, 9])
        self.refuse(({"uris": ["v_*.tif"], "at": places, "crs": f"EPSG:{EQUAL_AREA}"}, "the extents differ"))

    def test_what_means_nothing_or_is_unequal_is_warned_of(self):
        for month in (1, 2):
            self.write(f"p_2024-0{month}.tif", [[1, 2]], gdal.GDT_Byte, palette={1: (1, 2, 3), 2: (4, 5, 6)})
            self.write(f"g_2024-0{month}.tif", [[1.5]] * 80, epsg=4326, transform=(0, 10, 0, 80, 0, -1))
        told = self.series(features(point(0.5, 0.5)), ["p_*.tif"])
        self.assertTrue(any("holds codes (it has a palette): mean and trend of them mean nothing" in w for w in told["warnings"]), told["warnings"])
        for month in (1, 2):
            self.write(f"c_2024-0{month}.tif", [[211, 211, 311, 311, 112]] * 4, gdal.GDT_Int16)
        for places, statistic, text in ((features(point(0.5, 0.5)), {}, "mean and trend of them mean nothing"), (features(box(0, 0, 3, 3)), {"statistic": "max"}, "max of them means nothing")):
            told = self.series(places, ["c_*.tif"], **statistic)
            self.assertTrue(any("looks like codes (few whole numbers" in w and f"if so, {text}" in w for w in told["warnings"]), told["warnings"])
        zone = features({"type": "Polygon", "coordinates": [[[0, 0], [10, 0], [10, 80], [0, 80], [0, 0]]]})
        told = self.series(zone, ["g_*.tif"], statistic="mean", crs="EPSG:4326")
        self.assertTrue(any("in place 0 the largest cell covers" in w and "counts alike in mean; for one date, aggregate_zonal has weighted_mean with weight_by_area" in w for w in told["warnings"]), told["warnings"])
        for statistic in ("max", "count"):
            told = self.series(zone, ["g_*.tif"], statistic=statistic, crs="EPSG:4326")
            self.assertFalse(any("counts alike" in w for w in told.get("warnings", [])), told.get("warnings"))

    def test_what_is_rough_or_small_is_warned_of_and_what_is_masked_is_not(self):
        def warnings(place, words, **more):
            return [w for w in self.series(features(place), **more)["warnings"] if words in w]
        for year in (2019, 2020, 2021, 2022):
            self.write(f"v_{year}.tif", [[year - 2000.0] * 40] * 39 + [[-9999.0] * 40])
        self.assertEqual(warnings(point(0.5, 0.5), "rough"), ["p of 4 observations or fewer is rough: the normal approximation is meant for 10 or more"])
        self.assertEqual(warnings(point(0.5, 0.5), "rough", uris=["v_2019.tif", "v_2020.tif"]), [])
        self.assertEqual(len(warnings(box(0.2, 0.2, 0.8, 0.8), "1 place is smaller than one cell, the first is 0", statistic="max")), 1)
        self.assertEqual(warnings(box(0, 0, 1, 1), "smaller", statistic="max"), [])
        self.assertEqual(len(warnings(point(0.5, 0.5), "undeclared nodata")), 1)
        self.assertEqual(warnings(point(0.5, 0.5), "undeclared nodata", mask={"uris": ["v_*.tif"], "values": [-9999]}), [])

    def test_what_a_later_raster_holds_is_named(self):
        for year, row in ((2019, [1.5] * 40), (2020, [2.5] * 40), (2021, [-9999.0] * 40), (2022, [3.5] * 40)):
            self.write(f"v_{year}.tif", [[year - 2000.25] * 40] * 39 + [row])
        self.write("a_2023.tif", [[10.5] * 40] * 40)
        angles = gdal.Open(self.path("a_2023.tif"), gdal.GA_Update)
        angles.GetRasterBand(1).SetUnitType("degrees")
        del angles
        for place, more in ((point(0.5, 0.5), {}), (box(0, 0, 4, 4), {"statistic": "min"})):
            warnings = self.series(features(place), ["v_20*.tif", "a_2023.tif"], **more)["warnings"]
            self.assertTrue(any("of band 1 of " in w and "v_2021.tif are -9999" in w for w in warnings), warnings)
            self.assertTrue(any("a_2023.tif holds angles (its unit is 'degrees'): values of different kinds cannot be combined" in w for w in warnings), warnings)

    def test_only_a_statistic_of_polygons_is_asked_about(self):
        self.write("v_2024-01.tif", [[1.5, 2.25]])
        self.write("v_2024-02.tif", [[3.5, 4.25]])
        common = {"uris": ["v_*.tif"], "crs": f"EPSG:{EQUAL_AREA}"}
        with self.session() as s:
            asked = s.call(self.tool, {**common, "at": features(box(0, 0, 1, 1)), "statistic": "mean"})
            self.assertEqual([m["domain"] for m in problem(asked)["missing"]], ["aggregation"])
            for statistic in ("count", "min", "max"):
                good(s.call(self.tool, {**common, "at": features(box(0, 0, 1, 1)), "statistic": statistic}))
            good(s.call(self.tool, {**common, "at": features(point(0.5, 0.5))}))

    def test_mistakes_are_named(self):
        for month in (1, 2):
            self.write(f"v_2024-0{month}.tif", [[1, 2]])
            self.write(f"bare_2024-0{month}.tif", [[1, 2]], epsg=None)
        self.write("half_2024-03.tif", [[1, 2]], transform=(LEFT + SIDE / 2, SIDE, 0, TOP, 0, -SIDE))
        self.write("two_2024-01.tif", [numpy.ones((1, 2)), numpy.ones((1, 2))])
        self.write("two_2024-02.tif", [numpy.ones((1, 2)), numpy.ones((1, 2))])
        line = {"type": "LineString", "coordinates": [[LEFT, TOP], [LEFT + 100, TOP]]}
        several = {"type": "MultiPoint", "coordinates": [[LEFT, TOP], [LEFT + 100, TOP]]}
        far = {"type": "Point", "coordinates": [LEFT + 1e6, TOP]}
        here, whole = features(point(0.5, 0.5)), features(box(0, 0, 1, 1))
        self.refuse(({"uris": ["v_2024-01.tif"]}, "one observation only"),
                    ({"uris": ["v_2024-01.tif", "half_2024-03.tif"]}, "fraction of a cell"),
                    ({"uris": ["two_*.tif"]}, "has 2 bands, and a series is of one"),
                    ({"at": features(line)}, "place 0 is a LINESTRING, neither a point nor a polygon"),
                    ({"at": features(point(0.5, 0.5), box(0, 0, 1, 1))}, "place 1 is a POLYGON, but place 0 is a POINT"),
                    ({"at": features(several)}, "place 0 has 2 points"),
                    ({"at": features(far)}, "no place lies on the rasters: the places reach"),
                    ({"at": whole}, "'statistic' does not say"),
                    ({"statistic": "max"}, "'statistic' is max, but the places are points"),
                    ({"place_id": "name"}, "there is no field 'name' in the layer"),
                    ({"at": features(point(0.5, 0.5), point(1.5, 0.5), name=["a", "a"]), "place_id": "name"}, "'a' occurs more than once in 'name'"),
                    ({"at": features(point(0.5, 0.5), point(1.5, 0.5), name=["a", None]), "place_id": "name"}, "the place with FID 1 has no value in 'name'"),
                    ({"uris": ["bare_*.tif"]}, "and the raster has no CRS"),
                    ({"crs": "EPSG:4326"}, "the places reach"),
                    ({"above": 1, "below": 3}, "both 'above' (1) and 'below' (3) are given"),
                    ({"output": "out.gpkg"}, "not written into a file named .gpkg"),
                    uris=["v_*.tif"], at=here, crs=f"EPSG:{EQUAL_AREA}")

    def test_broken_inputs_fail_by_name(self):
        self.write("v_2024-01.tif", [rasters.waves(500, 400, 0, 9)])
        more.cut_short(self.path("v_2024-01.tif"), self.path("v_2024-02.tif"))
        self.refuse(({"uris": ["v_*.tif"], "at": features(*(point(c, 395.5) for c in range(1, 500, 9))), "crs": f"EPSG:{EQUAL_AREA}"}, "v_2024-02.tif"))


if __name__ == "__main__":
    session.main()
