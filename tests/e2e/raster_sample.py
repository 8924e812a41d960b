"""raster_sample against its published algorithm in numpy, cell by cell; estimates against the formulas of the design; points against GDAL."""
import json
import math
import os
import unittest

import numpy
from osgeo import gdal, ogr, osr

import rasters
import session
from raster_traps import zone_area
from rasters import write
from session import Claims, Session, good, problem, problem_text

WIDTH, HEIGHT = 230, 170


def surface(low, high, dtype="float32", seed=1):
    return rasters.waves(WIDTH, HEIGHT, low, high, seed).astype(dtype)


def numbers(seed, count):
    """SplitMix64: the first outputs of a seed."""
    with numpy.errstate(over="ignore"):
        z = numpy.uint64(seed) + (numpy.arange(count, dtype="uint64") + numpy.uint64(1)) * numpy.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        return z ^ (z >> numpy.uint64(31))


def drawn(seed, valid, n):
    """Cells, in row order: those of `valid` with the n smallest numbers."""
    order = numpy.argsort(numbers(seed, valid.size))
    return numpy.sort(order[valid.ravel()[order]][:n])


def holed(cells, value):
    cells = cells.copy()
    cells[10:60, 20:90] = value
    return cells


def inputs():
    """Name, bands, dtype, how they are written, the cells that can be drawn."""
    everywhere = numpy.ones((HEIGHT, WIDTH), bool)
    holes = holed(everywhere, False)
    for name, dtype, gdal_type, low, high in (("byte", "uint8", gdal.GDT_Byte, 0, 250), ("int16", "int16", gdal.GDT_Int16, -900, 900),
                                              ("uint16", "uint16", gdal.GDT_UInt16, 0, 60000), ("int32", "int32", gdal.GDT_Int32, -2e9, 2e9),
                                              ("float", "float32", gdal.GDT_Float32, -5, 5), ("double", "float64", gdal.GDT_Float64, -1e8, 1e8)):
        yield name, [surface(low, high, dtype)], gdal_type, {}, everywhere
    yield "nodata", [holed(surface(-900, 900, "int16"), -32768)], gdal.GDT_Int16, {"nodata": -32768}, holes
    yield "nan", [holed(surface(-5, 5), numpy.nan)], gdal.GDT_Float32, {}, holes
    yield "infinite", [holed(surface(-5, 5), numpy.inf)], gdal.GDT_Float32, {}, holes
    yield "bands", [holed(surface(-5, 5), -9999), surface(0, 9, seed=2)], gdal.GDT_Float32, {"nodata": -9999}, holes
    yield "geographic", [surface(-5, 5)], gdal.GDT_Float32, {"epsg": 4326, "transform": (-35, 0.001, 0, -7, 0, -0.001)}, everywhere
    yield "south up", [surface(-5, 5)], gdal.GDT_Float32, {"transform": (289000, 28.5, 0, 9116000, 0, 28.5)}, everywhere
    yield "turned", [surface(-5, 5)], gdal.GDT_Float32, {"transform": (289000, 20, 15, 9121000, 15, -20)}, everywhere


def layer_rows(path):
    layer = ogr.Open(path)
    return [(f.items(), f.GetGeometryRef() and (f.GetGeometryRef().GetX(), f.GetGeometryRef().GetY())) for f in layer.GetLayer(0)]


class raster_sample(Claims):
    def sample(self, s, strategy, uri="a.tif", **more):
        return s.call("raster_sample", {"uri": uri, "strategy": strategy, "output": "out.gpkg", "overwrite": True, **more})

    def check_cells(self, expected, bands, transform):
        rows = layer_rows(self.path("out.gpkg"))
        self.assertEqual([r["cell_row"] * WIDTH + r["cell_col"] for r, _ in rows], expected.tolist())
        for fields, place in rows:
            r, c = fields["cell_row"], fields["cell_col"]
            self.assertEqual([fields[f"band_{b + 1}"] for b in range(len(bands))], [float(b[r, c]) for b in bands])
            x, y = gdal.ApplyGeoTransform(transform, c + 0.5, r + 0.5)
            self.assertAlmostEqual(place[0], x, delta=1e-6)
            self.assertAlmostEqual(place[1], y, delta=1e-6)
            self.assertEqual((fields["x"], fields["y"]), place)

    def test_random_cells_are_those_of_the_published_algorithm(self):
        with Session(workspace=self.workspace) as s:
            for name, bands, dtype, how, valid in inputs():
                with self.subTest(name=name):
                    write(self.path("a.tif"), bands, dtype, **how)
                    told = good(self.sample(s, "random", n=300, seed=7))
                    expected = drawn(7, valid, 300)
                    self.check_cells(expected, bands, gdal.Open(self.path("a.tif")).GetGeoTransform())
                    self.assertEqual((told["matched_total"], told["truncated"], len(told["samples"]), told["cell_count"]), (300, True, 10, valid.sum()))
                    for cells, row in zip(bands, told["bands"]):
                        values = cells.ravel()[expected].astype("float64")
                        self.assertAlmostEqual(row["mean"], values.mean(), delta=1e-12 * numpy.abs(values).max())
                        self.assertAlmostEqual(row["stdev_sample"], values.std(ddof=1), delta=1e-12 * numpy.abs(values).max())
                        error = math.sqrt((1 - 300 / valid.sum()) * values.var(ddof=1) / 300)
                        self.assertAlmostEqual(row["standard_error"], error, delta=1e-12 * numpy.abs(values).max())
                    first = told["samples"][0]
                    self.assertEqual(first["row"] * WIDTH + first["column"], expected[0])
                    self.assertEqual(first["values"]["1"], float(bands[0].ravel()[expected[0]]))

    def test_blocks_and_threads_do_not_matter(self):
        a = rasters.waves(1500, 1100, -5, 5).astype("float32")
        seen = []
        for options in (("TILED=YES",), (), ("TILED=YES", "BLOCKXSIZE=64", "BLOCKYSIZE=16")):
            for threads in ("1", "2"):
                write(self.path("a.tif"), [a], gdal.GDT_Float32, options=options)
                with Session(workspace=self.workspace, env={**os.environ, "GDAL_NUM_THREADS": threads}) as s:
                    good(self.sample(s, "random", n=500, seed=3))
                seen.append(layer_rows(self.path("out.gpkg")))
        self.assertTrue(all(rows == seen[0] for rows in seen))

    def test_strata_have_their_shares_and_errors(self):
        values = holed(surface(-5, 5), numpy.nan)
        classes = (rasters.waves(WIDTH, HEIGHT, 0, 3.999, 5) // 1).astype("uint8") + 1
        classes[:2, :3] = 9  # a class of six cells
        write(self.path("a.tif"), [values], gdal.GDT_Float32, epsg=4269, transform=(10, 0.01, 0, 61, 0, -0.01))
        write(self.path("classes.tif"), [classes], gdal.GDT_Byte, epsg=4269, transform=(10, 0.01, 0, 61, 0, -0.01), nodata=1)
        rows = numpy.array([zone_area(61 - 0.01 * (r + 1), 61 - 0.01 * r, 0.01) for r in range(HEIGHT)])
        areas = numpy.repeat(rows[:, None], WIDTH, 1)
        valid = ~numpy.isnan(values) & (classes != 1)
        with Session(workspace=self.workspace) as s:
            told = good(self.sample(s, "stratified", n=400, seed=11, strata="classes.tif", min_per_stratum=5))
        strata = {r["value"]: r for r in told["strata"]}
        self.assertEqual(sorted(strata), [2, 3, 4, 9])
        self.assertEqual(strata[9]["n"], 5)
        self.assertNotIn("stdev_sample", told["bands"][0])  # strata are sampled in other shares than they cover
        self.assertEqual(sum(r["n"] for r in told["strata"]), 400)
        total, mean, variance, expected = valid.sum(), 0.0, 0.0, []
        for code, row in strata.items():
            here = valid & (classes == code)
            cells = drawn(11, here, row["n"])
            expected += cells.tolist()
            got = values.ravel()[cells].astype("float64")
            self.assertEqual(row["cells"], here.sum())
            self.assertAlmostEqual(row["area_m2"] / areas[here].sum(), 1, delta=1e-8)
            if code != 9:
                self.assertAlmostEqual(row["n"], 395 * here.sum() / (total - 6), delta=1)
            error = math.sqrt((1 - row["n"] / here.sum()) * got.var(ddof=1) / row["n"])
            self.assertAlmostEqual(row["bands"][0]["mean"], got.mean(), delta=1e-12)
            self.assertAlmostEqual(row["bands"][0]["standard_error"], error, delta=1e-12)
            mean += here.sum() / total * got.mean()
            variance += (here.sum() / total) ** 2 * error ** 2
        self.assertAlmostEqual(told["bands"][0]["mean"], mean, delta=1e-12)
        self.assertAlmostEqual(told["bands"][0]["standard_error"], math.sqrt(variance), delta=1e-12)
        self.check_cells(numpy.sort(expected), [values], (10, 0.01, 0, 61, 0, -0.01))

    def test_classes_of_the_raster_itself(self):
        rasters.palette(self.path("a.tif"))
        with Session(workspace=self.workspace) as s:
            answer = self.sample(s, "stratified", n=50)
            told = good(answer)
            self.assertEqual([r["value"] for r in told["strata"]], list(range(7)))
            self.assertNotIn("mean", told["bands"][0])
            self.assertIn("holds codes", problem_text(answer))
            self.assertTrue(all(r["values"]["1"] == r["stratum"] for r in told["samples"]))

    def test_errors_are_those_of_repeated_samples(self):
        """The spread of the means of 60 samples agrees with the standard error that each reports."""
        a = surface(-5, 5)
        write(self.path("a.tif"), [a], gdal.GDT_Float32)
        means, errors = [], []
        with Session(workspace=self.workspace) as s:
            for seed in range(60):
                row = good(self.sample(s, "random", n=200, seed=seed, show=0))["bands"][0]
                means.append(row["mean"])
                errors.append(row["standard_error"])
        self.assertAlmostEqual(numpy.std(means, ddof=1) / numpy.mean(errors), 1, delta=0.3)
        self.assertLess(abs(numpy.mean(means) - a.mean(dtype="float64")), 4 * numpy.mean(errors) / math.sqrt(60))

    def test_a_systematic_sample_is_a_lattice_without_an_error(self):
        values = holed(surface(-5, 5), numpy.nan)
        write(self.path("a.tif"), [values], gdal.GDT_Float32)
        with Session(workspace=self.workspace) as s:
            answer = self.sample(s, "systematic", n=400, seed=5)
        told, step = good(answer), good(answer)["step"]
        self.assertEqual(step, round(math.sqrt((~numpy.isnan(values)).sum() / 400)))
        row, column = (int(n) * step >> 64 for n in numbers(5, 2))
        lattice = numpy.zeros(values.shape, bool)
        lattice[row::step, column::step] = True
        self.check_cells(numpy.flatnonzero(lattice & ~numpy.isnan(values)), [values], gdal.Open(self.path("a.tif")).GetGeoTransform())
        self.assertNotIn("standard_error", told["bands"][0])
        self.assertIn("no unbiased standard error", problem_text(answer))

    def test_means_of_directions_and_decibels_are_named(self):
        for name, unit, words in (("aspect.tif", "", "holds angles (it is called 'aspect')"), ("db.tif", "dB", "holds logarithms (unit dB)")):
            write(self.path(name), [surface(0, 359)], gdal.GDT_Float32)
            edited = gdal.Open(self.path(name), gdal.GA_Update)
            edited.GetRasterBand(1).SetUnitType(unit)
            del edited
            with Session(workspace=self.workspace) as s:
                told = good(s.call("raster_sample", {"uri": name, "strategy": "random", "n": 5}))
                self.assertIn("band 1 " + words, " ".join(told["warnings"]))

    def test_only_cells_inside_a_geometry(self):
        values = surface(-5, 5)
        write(self.path("a.tif"), [values], gdal.GDT_Float32)
        box = [289000 + 28.5 * 20, 9121000 - 28.5 * 90, 289000 + 28.5 * 120, 9121000 - 28.5 * 30]
        inside = numpy.zeros(values.shape, bool)
        inside[30:90, 20:120] = True
        with Session(workspace=self.workspace) as s:
            told = good(self.sample(s, "random", n=50, geometry=box))
        self.assertEqual(told["cell_count"], 6000)
        self.check_cells(drawn(1, inside, 50), [values], gdal.Open(self.path("a.tif")).GetGeoTransform())

    def points(self, places, path="points.gpkg", epsg=4326):
        made = ogr.GetDriverByName("GPKG").CreateDataSource(self.path(path))
        layer = made.CreateLayer("points", rasters.crs(epsg), ogr.wkbUnknown)
        for i, wkt in enumerate(places):
            feature = ogr.Feature(layer.GetLayerDefn())
            feature.SetFID(100 + i)
            if wkt:
                feature.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
            layer.CreateFeature(feature)
        del made
        return path

    def test_points_have_the_values_of_their_cells(self):
        values = holed(surface(-900, 900, "int16"), -32768)
        write(self.path("a.tif"), [values], gdal.GDT_Int16, nodata=-32768)
        t = gdal.Open(self.path("a.tif")).GetGeoTransform()
        places = numpy.random.default_rng(3).uniform((-10, -10), (WIDTH + 10, HEIGHT + 10), (200, 2))
        xy = [(t[0] + t[1] * c, t[3] + t[5] * r) for c, r in places]
        to_degrees = osr.CoordinateTransformation(rasters.crs(rasters.UTM), rasters.crs(4326))
        self.points([f"POINT ({lon!r} {lat!r})" for lon, lat, _ in (to_degrees.TransformPoint(*p) for p in xy)])
        with Session(workspace=self.workspace) as s:
            answer = self.sample(s, "points", points="points.gpkg", show=200)
        told = good(answer)
        self.assertEqual((told["matched_total"], told["truncated"]), (200, False))
        outside = nodata = 0
        for i, ((c, r), row) in enumerate(zip(places, told["samples"])):
            self.assertEqual(row["point_id"], 100 + i)
            if 0 <= c < WIDTH and 0 <= r < HEIGHT:
                self.assertEqual((row["column"], row["row"]), (int(c), int(r)))
                value = int(values[int(r), int(c)])
                nodata += value == -32768
                self.assertEqual(row["values"]["1"], None if value == -32768 else value)
            else:
                outside += 1
                self.assertNotIn("column", row)
                self.assertIsNone(row["values"]["1"])
            self.assertAlmostEqual(row["x"], xy[i][0], delta=1e-3)
        self.assertGreater(nodata, 5)
        self.assertEqual((told["outside_count"], told["bands"][0]["null_count"]), (outside, outside + nodata))
        self.assertNotIn("standard_error", told["bands"][0])
        warnings = " ".join(told["warnings"])
        self.assertIn("transformed from EPSG:4326 to the raster's EPSG:31985", warnings)
        self.assertIn(f"{outside} of 200 points", warnings)
        self.assertEqual([f["point_id"] for f, _ in layer_rows(self.path("out.gpkg"))], list(range(100, 300)))

    def test_points_of_other_kinds(self):
        write(self.path("a.tif"), [numpy.arange(36, dtype="float32").reshape(1, 36)], gdal.GDT_Float32, epsg=4326, transform=(0, 10, 0, 5, 0, -10))
        with Session(workspace=self.workspace) as s:
            # Longitudes of the other turn; a multipoint; no geometry; GeoJSON.
            self.points(["POINT (-170 0)", "MULTIPOINT (5 0, 15 0)", None])
            told = good(self.sample(s, "points", points="points.gpkg"))
            self.assertEqual([(r["point_id"], r["values"]["1"]) for r in told["samples"]], [(100, 19), (101, 0), (101, 1), (102, None)])
            text = json.dumps({"type": "FeatureCollection", "features": [
                {"type": "Feature", "id": 5, "properties": {}, "geometry": {"type": "Point", "coordinates": [25, 1]}}]})
            told = good(self.sample(s, "points", points=text))
            self.assertEqual([r["values"]["1"] for r in told["samples"]], [2])
            self.points(["POINT (5 0)", "LINESTRING (0 0, 1 1)"], "lines.gpkg")
            self.assertIn("101", problem(self.sample(s, "points", points="lines.gpkg"))["message"])

    def test_points_keep_their_attributes(self):
        write(self.path("a.tif"), [numpy.arange(36, dtype="float32").reshape(1, 36)], gdal.GDT_Float32, epsg=4326, transform=(0, 10, 0, 5, 0, -10))
        at = lambda lon, **p: {"type": "Feature", "properties": p, "geometry": {"type": "Point", "coordinates": [lon, 1]}}
        with open(self.path("p.geojson"), "w", encoding="utf-8") as f:
            json.dump({"type": "FeatureCollection", "features": [at(25, id="b7", x="west", day="2024-05-01"), at(5, id="b9", x="east", day=None)]}, f)
        with Session(workspace=self.workspace) as s:
            good(self.sample(s, "points", points="p.geojson", output="kept.gpkg"))
        rows = [fields for fields, _ in layer_rows(self.path("kept.gpkg"))]
        self.assertEqual([(r["id"], r["x_point"], r["day"], r["band_1"]) for r in rows], [("b7", "west", "2024/05/01", 2), ("b9", "east", None, 0)])

    def test_heights_of_points_are_left_out_aloud(self):
        write(self.path("a.tif"), [numpy.arange(36, dtype="float32").reshape(1, 36)], gdal.GDT_Float32, epsg=4326, transform=(0, 10, 0, 5, 0, -10))
        with Session(workspace=self.workspace) as s:
            for wkt, told in (("POINT Z (5 0 7)", True), ("POINT (5 0)", False)):
                self.points([wkt])
                warnings = good(self.sample(s, "points", points="points.gpkg"))["warnings"]
                self.assertEqual("heights (z) of the points are left out" in warnings, told, wkt)

    def test_a_sample_of_what_looks_like_codes_says_so(self):
        codes = numpy.random.default_rng(1).choice([111, 211, 311, 512], (20, 20)).repeat(5, 0).repeat(5, 1).astype("int16")
        write(self.path("corine.tif"), [codes], gdal.GDT_Int16)
        with Session(workspace=self.workspace) as s:
            for told in (self.sample(s, "random", uri="corine.tif", n=50), s.call("raster_stats", {"uri": "corine.tif"})):
                self.assertIn("looks like class codes", str(good(told)["warnings"]))

    def test_other_formats_of_the_output(self):
        write(self.path("a.tif"), [surface(-5, 5)], gdal.GDT_Float32)
        with Session(workspace=self.workspace) as s:
            for name in ("out.geojson", "out.shp", "out.fgb"):
                told = good(s.call("raster_sample", {"uri": "a.tif", "strategy": "random", "n": 5, "output": name}))
                rows = sorted(layer_rows(self.path(name)), key=lambda r: (r[0]["cell_row"], r[0]["cell_col"]))
                for (fields, place), row in zip(rows, told["samples"]):
                    self.assertEqual((fields["cell_row"], fields["cell_col"]), (row["row"], row["column"]))
                    expected = (row["longitude"], row["latitude"]) if name == "out.geojson" else (row["x"], row["y"])
                    self.assertAlmostEqual(place[0], expected[0], delta=1e-6)
                    self.assertAlmostEqual(place[1], expected[1], delta=1e-6)

    @unittest.skipUnless(rasters.TEST_DATA, "GDAL_MCP_TEST_DATA is not set")
    def test_points_of_zion(self):
        """Thirty points in another CRS than the elevation model, against gdallocationinfo's rule in numpy."""
        zion = os.path.join(rasters.TEST_DATA, "zion")
        dem = gdal.Open(os.path.join(zion, "srtm.tif"))
        gdal.GetDriverByName("GTiff").CreateCopy(self.path("srtm.tif"), dem)
        gdal.VectorTranslate(self.path("p.gpkg"), os.path.join(zion, "zion_points.gpkg"))
        source = ogr.Open(self.path("p.gpkg"))
        layer = source.GetLayer(0)
        to_dem = osr.CoordinateTransformation(layer.GetSpatialRef(), rasters.crs(4326))
        t, cells, expected = dem.GetGeoTransform(), dem.ReadAsArray(), []
        for f in layer:
            x, y, _ = to_dem.TransformPoint(f.GetGeometryRef().GetX(), f.GetGeometryRef().GetY())
            expected.append(int(cells[int((y - t[3]) / t[5]), int((x - t[0]) / t[1])]))
        with Session(workspace=self.workspace) as s:
            told = good(s.call("raster_sample", {"uri": "srtm.tif", "strategy": "points", "points": "p.gpkg", "show": 30}))
        self.assertEqual([r["values"]["1"] for r in told["samples"]], expected)

    def test_what_is_refused(self):
        write(self.path("a.tif"), [surface(-5, 5)], gdal.GDT_Float32)
        write(self.path("empty.tif"), [numpy.full((5, 5), -1, "int16")], gdal.GDT_Int16, nodata=-1)
        write(self.path("other.tif"), [numpy.ones((5, 5), "uint8")], gdal.GDT_Byte)
        rasters.palette(self.path("classes.tif"))
        self.points(["POINT (5 0)"])
        before = self.files()
        with Session(workspace=self.workspace) as s:
            for arguments, words in (({"strategy": "random", "n": 39101}, ("39101", "39100")),
                                     ({"strategy": "random", "n": 0}, ("n",)),
                                     ({"strategy": "random", "points": "points.gpkg"}, ("'points'",)),
                                     ({"strategy": "points"}, ("'points'",)),
                                     ({"strategy": "points", "points": "points.gpkg", "n": 5}, ("'n'",)),
                                     ({"strategy": "random", "strata": "classes.tif"}, ("'strata'",)),
                                     ({"strategy": "stratified"}, ("Float32", "raster_classify")),
                                     ({"strategy": "stratified", "strata": "other.tif"}, ("a.tif", "other.tif")),
                                     ({"strategy": "stratified", "strata": "classes.tif", "n": 10}, ("7 strata", "14")),
                                     ({"strategy": "random", "uri": "empty.tif"}, ("empty.tif", "no cell")),
                                     ({"strategy": "random", "bands": [2]}, ("band 2",)),
                                     ({"strategy": "random", "geometry": [0, 0, 10, 10], "geometry_crs": "EPSG:31985"}, ("overlap",)),
                                     ({"strategy": "random", "output": "no.xyz"}, ("xyz",)),
                                     ({"strategy": "points", "points": "gone.gpkg"}, ("gone.gpkg",))):
                with self.subTest(arguments=arguments):
                    p = problem(s.call("raster_sample", {"uri": "a.tif", "output": "no.gpkg", **arguments}))
                    for word in words:
                        self.assertIn(word, p["message"] + p["hint"])
        self.assertEqual(self.files(), before)


if __name__ == "__main__":
    session.main()
