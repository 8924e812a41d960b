"""raster_stats, raster_info and raster_preview agree with numpy and Debian's GDAL."""
import base64
import gzip
import json
import math
import os
import shutil
import struct
import unittest

import numpy
import pyproj
import rasters
import session
from osgeo import gdal, osr
from session import Claims, Session, good, problem

PERCENTILES = [0, 2, 33.3, 50, 98, 100]


def write(path, values, dtype, epsg=32612, transform=(300000.0, 30.0, 0.0, 4150000.0, 0.0, -30.0), options=("TILED=YES",
          "BLOCKXSIZE=64", "BLOCKYSIZE=32"), **more):
    return rasters.write(path, [values], dtype, epsg=epsg, transform=transform, options=options, **more)


def true_areas(transform, shape, epsg):
    """Area of every cell in m²: corners in the cylindrical equal-area projection of WGS 84, shoelace formula."""
    rows, columns = shape
    corner_row, corner_column = numpy.mgrid[0:rows + 1, 0:columns + 1]
    x = transform[0] + corner_column * transform[1] + corner_row * transform[2]
    y = transform[3] + corner_column * transform[4] + corner_row * transform[5]
    equal_area = osr.SpatialReference()
    equal_area.SetFromUserInput("+proj=cea +ellps=WGS84 +units=m")
    to = osr.CoordinateTransformation(rasters.crs(epsg), equal_area)
    flat = numpy.array(to.TransformPoints(numpy.column_stack([x.ravel(), y.ravel()])))
    u, v = flat[:, 0].reshape(x.shape), flat[:, 1].reshape(x.shape)
    diagonals = ((u[1:, 1:] - u[:-1, :-1]) * (v[1:, :-1] - v[:-1, 1:]) -
                 (v[1:, 1:] - v[:-1, :-1]) * (u[1:, :-1] - u[:-1, 1:]))
    return numpy.abs(diagonals) / 2


class true_area_along_rows(Claims):
    """On the sea ice grid (EPSG:3413, cells of 25 km) the scale of the map changes within a row of equal cells."""

    def test_a_class_has_the_area_of_its_cells_however_long_their_runs_are(self):
        shape, size, left, top = (64, 304), 25000.0, -3850000.0, 800000.0
        # PROJ's areal scale at 5 x 5 places of each cell.
        place = (numpy.arange(5 * shape[1]) + 0.5) * size / 5 + left, top - (numpy.arange(5 * shape[0]) + 0.5) * size / 5
        x, y = numpy.meshgrid(*place)
        polar = pyproj.Proj("EPSG:3413")
        scale = polar.get_factors(*polar(x, y, inverse=True)).areal_scale
        areas = (size * size / 25 / scale).reshape(shape[0], 5, shape[1], 5).sum((1, 3))
        patchy = numpy.indices(shape).sum(0) // 3 % 2 + 1
        for name, codes in (("one", numpy.ones(shape)), ("halves", 1 + (numpy.indices(shape)[1] > 60)), ("patchy", patchy)):
            codes = codes.astype("uint8")
            rasters.write(self.path(f"{name}.tif"), [codes], gdal.GDT_Byte, epsg=3413, transform=(left, size, 0.0, top, 0.0, -size))
            rasters.write(self.path("other.tif"), [3 - codes], gdal.GDT_Byte, epsg=3413, transform=(left, size, 0.0, top, 0.0, -size))
            with self.subTest(name), Session(workspace=self.workspace) as s:
                (band,) = good(s.call("raster_stats", {"uri": f"{name}.tif", "classes": True}))["bands"]
                changed = good(s.call("raster_compare", {"before": f"{name}.tif", "after": "other.tif", "mode": "classes"}))
                for c in band["classes"]:
                    self.assertAlmostEqual(c["area_m2"] / areas[codes == c["value"]].sum(), 1, delta=5e-6)
                self.assertAlmostEqual(changed["changed_ha"] * 1e4 / areas.sum(), 1, delta=5e-6)


class raster_figures(Claims):
    def test_a_sum_beyond_doubles_is_absent_and_said(self):
        write(self.path("big.tif"), numpy.array([[1e308, 1e308], [1e308, -1e308]]), gdal.GDT_Float64)
        with Session(workspace=self.workspace) as s:
            told = good(s.call("raster_stats", {"uri": "big.tif"}))
        (band,) = told["bands"]
        self.assertEqual((band["min"], band["max"], "sum" in band), (-1e308, 1e308, False))
        self.assertIn("beyond what a double holds", str(told["warnings"]))

    def test_bands_of_several_types_are_each_read_as_theirs(self):
        whole = numpy.arange(12, dtype="uint8").reshape(3, 4)
        parts = whole / 8 - 0.5
        write(self.path("whole.tif"), whole, gdal.GDT_Byte)
        write(self.path("parts.tif"), parts, gdal.GDT_Float64)
        sources = "".join(f'''<VRTRasterBand dataType="{t}" band="{n}"><SimpleSource><SourceFilename relativeToVRT="1">{f}</SourceFilename>
            <SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>''' for n, t, f in ((1, "Byte", "whole.tif"), (2, "Float64", "parts.tif")))
        with open(self.path("mixed.vrt"), "w") as f:
            f.write(f'<VRTDataset rasterXSize="4" rasterYSize="3"><SRS>EPSG:32612</SRS>'
                    f"<GeoTransform>300000, 30, 0, 4150000, 0, -30</GeoTransform>{sources}</VRTDataset>")
        bands = self.stats("mixed.vrt")["bands"]
        for band, cells in zip(bands, (whole, parts)):
            self.assertEqual((band["min"], band["max"], band["mean"]), (cells.min(), cells.max(), cells.mean()))

    @unittest.skipUnless(rasters.DEMO_DATA, "no demo data")
    def test_a_union_with_slivers_selects_what_it_covers(self):
        """Tracts whose borders leave slivers between them, which collapse in the CRS of the raster."""
        for name in os.listdir(rasters.DEMO_DATA):
            if name.startswith(("olinda1.", "L7_ETMs.")):
                shutil.copy(os.path.join(rasters.DEMO_DATA, name), self.path(name))
        told = self.stats("L7_ETMs.tif", geometry="olinda1.shp", bands=[1])
        # gdal_rasterize of the tracts themselves, each by its centres.
        mask = gdal.GetDriverByName("MEM").CreateCopy("", gdal.Open(self.path("L7_ETMs.tif")))
        mask.GetRasterBand(1).Fill(0)
        tracts = gdal.OpenEx(self.path("olinda1.shp"))
        moved = gdal.VectorTranslate("", tracts, format="Memory", dstSRS=mask.GetProjection(), reproject=True)
        gdal.RasterizeLayer(mask, [1], moved.GetLayer(0), burn_values=[1])
        covered = int((mask.GetRasterBand(1).ReadAsArray() == 1).sum())
        self.assertLess(abs(told["bands"][0]["valid_count"] - covered), 60)  # of 51 000: cells that a sliver holds

    def stats(self, name, **arguments):
        with Session(workspace=self.workspace) as s:
            return good(s.call("raster_stats", {"uri": name, **arguments}))

    def check(self, band, cells, name):
        """cells: those with data, as numpy has them."""
        with self.subTest(name):
            self.assertEqual(band["valid_count"], cells.size)
            self.assertEqual((band["min"], band["max"]), (cells.min(), cells.max()))
            for figure, expected in {"mean": cells.mean(dtype="longdouble"), "std": cells.std(dtype="longdouble"),
                                     "sum": cells.sum(dtype="longdouble"), "median": numpy.median(cells.astype("float64"))}.items():
                self.assertTrue(math.isclose(band[figure], expected, rel_tol=1e-12), (figure, band[figure], expected))
            for p in PERCENTILES:
                expected = numpy.percentile(cells.astype("float64"), p)
                self.assertTrue(math.isclose(band["percentiles"][f"{p:g}"], expected, rel_tol=1e-12), (p, expected))

    def test_every_type_has_the_figures_of_numpy(self):
        z = rasters.waves(900, 800, -120, 3000)
        for name, dtype in {"uint8": gdal.GDT_Byte, "int16": gdal.GDT_Int16, "uint16": gdal.GDT_UInt16, "int32": gdal.GDT_Int32,
                            "uint32": gdal.GDT_UInt32, "float32": gdal.GDT_Float32, "float64": gdal.GDT_Float64}.items():
            values = (z % 250 if name == "uint8" else z + 120 if name.startswith("u") else z).astype(name)
            write(self.path(name + ".tif"), values, dtype)
            said = self.stats(name + ".tif", percentiles=PERCENTILES)["bands"][0]
            self.check(said, values.ravel(), name)
            self.assertIs(said["approximate"], False)
            for end, place in (("min_at", values.argmin()), ("max_at", values.argmax())):
                row, column = divmod(int(place), values.shape[1])
                self.assertEqual((said[end]["row"], said[end]["column"]), (row, column), name)
                self.assertEqual((said[end]["x"], said[end]["y"]), (300000 + 30 * (column + 0.5), 4150000 - 30 * (row + 0.5)))

    def test_whole_numbers_beyond_doubles_are_told_as_such(self):
        for least, warned in ((2**53 - 1, False), (2**53 + 1, True)):
            write(self.path("wide.tif"), numpy.array([[1, least]], "int64"), gdal.GDT_Int64)
            self.assertEqual("beyond 2^53" in " ".join(self.stats("wide.tif")["warnings"]), warned, least)

    def test_holes_are_left_out(self):
        z = rasters.waves(900, 800, -120, 3000).astype("float32")
        holes = numpy.random.default_rng(3).random(z.shape)
        z[holes < 0.1] = -9999
        z[(holes > 0.1) & (holes < 0.11)] = numpy.nan
        z[(holes > 0.11) & (holes < 0.12)] = numpy.inf
        write(self.path("holes.tif"), z, gdal.GDT_Float32, nodata=-9999)
        said = self.stats("holes.tif", percentiles=PERCENTILES)["bands"][0]
        self.check(said, z[numpy.isfinite(z) & (z != -9999)], "holes")
        self.assertEqual(said["nodata_count"], (z == -9999).sum())
        self.assertEqual((said["nan_count"], said["infinite_count"]), (numpy.isnan(z).sum(), numpy.isinf(z).sum()))

    def test_a_box_has_the_figures_of_its_cells(self):
        z = rasters.waves(900, 800, -120, 3000).astype("float32")
        write(self.path("z.tif"), z, gdal.GDT_Float32)
        box = [300000 + 30 * 100, 4150000 - 30 * 700, 300000 + 30 * 850, 4150000 - 30 * 50]
        said = self.stats("z.tif", percentiles=PERCENTILES, geometry=box)["bands"][0]
        part = z[50:700, 100:850]
        self.check(said, part.ravel(), "box")
        row, column = divmod(int(part.argmax()), part.shape[1])
        self.assertEqual((said["max_at"]["row"], said["max_at"]["column"]), (50 + row, 100 + column))

    def test_classes_have_counts_and_true_areas(self):
        codes = (rasters.waves(300, 200, 0, 6.999) // 1).astype("uint8")
        codes[:20, :30] = 255
        for epsg, transform in ((32612, (300000.0, 300.0, 0.0, 4150000.0, 0.0, -300.0)),
                                (3857, (-1000000.0, 5000.0, 0.0, 8500000.0, 0.0, -5000.0)),
                                (4326, (5.0, 0.05, 0.0, 60.0, 0.0, -0.05)),
                                (4326, (5.0, 0.05, 0.01, 60.0, 0.01, -0.05))):
            with self.subTest(f"{epsg} {transform}"):
                write(self.path("c.tif"), codes, gdal.GDT_Byte, epsg=epsg, transform=transform, nodata=255,
                      palette={c: (40 * c, 90, 17 * c, 255) for c in range(7)})
                areas = true_areas(transform, codes.shape, epsg)
                said = self.stats("c.tif")
                rows = said["bands"][0]["classes"]
                self.assertEqual([r["value"] for r in rows], list(range(7)))
                for r in rows:
                    there = codes == r["value"]
                    self.assertEqual(r["count"], there.sum())
                    self.assertAlmostEqual(r["share"], there.sum() / (codes != 255).sum(), places=6)
                    self.assertTrue(math.isclose(r["area_m2"], areas[there].sum(), rel_tol=5e-5),
                                    (r, areas[there].sum()))
                    self.assertTrue(math.isclose(r["area_ha"], r["area_m2"] / 1e4, rel_tol=1e-5))
                self.assertIn("'classes'", " ".join(said["warnings"]))

    def test_classes_inside_a_geometry(self):
        codes = (rasters.waves(300, 200, 0, 6.999) // 1).astype("uint8")
        write(self.path("c.tif"), codes, gdal.GDT_Byte, palette={c: (40 * c, 90, 17 * c, 255) for c in range(7)})
        said = self.stats("c.tif", geometry=[300000 + 30 * 10, 4150000 - 30 * 150, 300000 + 30 * 250, 4150000 - 30 * 20],
                          classes=[3, 200])["bands"][0]
        self.assertEqual([(r["value"], r["count"]) for r in said["classes"]],
                         [(3, (codes[20:150, 10:250] == 3).sum()), (200, 0)])

    def test_classes_are_counted_when_asked_for_and_named_when_they_look_like_it(self):
        rng = numpy.random.default_rng(5)
        codes = numpy.kron(rng.choice([11, 21, 42, 81], (40, 50)), numpy.ones((8, 8))).astype("uint8")
        write(self.path("plain.tif"), codes, gdal.GDT_Byte)
        said = self.stats("plain.tif")
        self.assertNotIn("classes", said["bands"][0])
        self.assertIn('"classes": true', " ".join(said["warnings"]))
        rows = self.stats("plain.tif", classes=True)["bands"][0]["classes"]
        self.assertEqual({r["value"]: r["count"] for r in rows}, {c: (codes == c).sum() for c in (11, 21, 42, 81)})
        z = rasters.waves(100, 100, 0, 1).astype("float32")
        write(self.path("z.tif"), z, gdal.GDT_Float32)
        said = self.stats("z.tif", classes=True)
        self.assertNotIn("classes", said["bands"][0])
        self.assertIn("has no classes", " ".join(said["warnings"]))

    def test_many_classes_are_cut_short_and_said(self):
        codes = numpy.arange(200, dtype="uint8").repeat(100).reshape(200, 100)
        codes[0, :50] = 199
        write(self.path("many.tif"), codes, gdal.GDT_Byte, palette={c: (c, c, 0, 255) for c in range(200)})
        said = self.stats("many.tif")["bands"][0]
        self.assertEqual((len(said["classes"]), said["classes_total"], said["classes_truncated"]), (64, 200, True))
        self.assertIn(199, [r["value"] for r in said["classes"]], "the commonest is listed")

    def test_whole_numbers_get_a_bin_each_where_they_fit(self):
        codes = (rasters.waves(100, 80, 2, 8.999) // 1).astype("uint8")
        write(self.path("codes.tif"), codes, gdal.GDT_Byte)
        said = self.stats("codes.tif", histogram_bins=8)["bands"][0]["histogram"]
        self.assertEqual(said["kind"], "values")
        self.assertEqual(said["values"], [2, 3, 4, 5, 6, 7, 8])
        self.assertEqual(said["counts"], numpy.bincount(codes.ravel())[2:].tolist())
        z = rasters.waves(100, 80, 0, 5000).astype("int32")
        write(self.path("z.tif"), z, gdal.GDT_Int32)
        said = self.stats("z.tif", histogram_bins=10)["bands"][0]["histogram"]
        self.assertEqual(said["kind"], "equal")
        self.assertEqual(said["counts"], numpy.histogram(z, 10)[0].tolist())

    def test_a_mean_over_cells_of_unequal_area_names_the_statistic_that_weighs_by_area(self):
        write(self.path("north.tif"), rasters.waves(10, 80, 0, 9), gdal.GDT_Float64, epsg=4326, transform=(0, 1, 0, 80, 0, -1))
        [warning] = [w for w in self.stats("north.tif")["warnings"] if "ground" in w]
        self.assertIn("use weighted_mean with weight_by_area in aggregate_zonal, or an equal-area CRS", warning)

    def test_scale_and_offset_reach_every_figure(self):
        z = rasters.waves(100, 80, 0, 200).astype("uint8")
        path = write(self.path("scaled.tif"), z, gdal.GDT_Byte)
        raster = gdal.Open(path, gdal.GA_Update)
        raster.GetRasterBand(1).SetScale(-0.5)
        raster.GetRasterBand(1).SetOffset(10)
        del raster
        said = self.stats("scaled.tif", percentiles=PERCENTILES)["bands"][0]
        self.check(said, z.ravel() * -0.5 + 10, "scaled")
        self.assertEqual((said["scale"], said["offset"]), (-0.5, 10))
        row, column = divmod(int(z.argmax()), z.shape[1])
        self.assertEqual((said["min_at"]["row"], said["min_at"]["column"]), (row, column))

    def test_without_percentiles_there_is_no_median(self):
        write(self.path("z.tif"), rasters.waves(100, 80, 0, 1).astype("float32"), gdal.GDT_Float32)
        said = self.stats("z.tif", percentiles=[])["bands"][0]
        self.assertNotIn("median", said)
        self.assertNotIn("percentiles", said)
        self.assertIn("mean", said)

    def test_more_than_one_call_can_read_is_refused_with_a_way_out(self):
        rasters.large(self.path("huge.tif"), 400000)
        with Session(workspace=self.workspace) as s:
            p = problem(s.call("raster_stats", {"uri": "huge.tif"}))
        self.assertIn("400000 × 400000", p["message"])
        self.assertIn("sample_size", p["hint"])

    def test_a_sparse_giant_costs_nothing(self):
        rasters.large(self.path("sparse.tif"), 65536)
        said = self.stats("sparse.tif")["bands"][0]
        self.assertEqual((said["valid_count"], said["min"], said["max"]), (65536 ** 2, 0, 0))

    def test_a_truncated_file_is_an_error_that_names_the_rows(self):
        z = rasters.waves(2000, 2000, 0, 1).astype("float32")
        path = write(self.path("cut.tif"), z, gdal.GDT_Float32)
        os.truncate(path, os.path.getsize(path) // 2)
        with Session(workspace=self.workspace) as s:
            p = problem(s.call("raster_stats", {"uri": "cut.tif"}))
        self.assertRegex(p["message"], "cannot read rows [0-9]+ to [0-9]+ of band 1")

    def test_a_table_of_blocks_that_is_cut_off_is_an_error_at_once(self):
        """One strip for each of 294 967 296 rows, of which the file has the places of 64."""
        rows, table = 294967296, 8 + 2 + 10 * 12 + 4
        tags = [(256, 4, 1, 1), (257, 4, 1, rows), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, rows, table),
                (277, 3, 1, 1), (278, 4, 1, 1), (279, 4, rows, table), (339, 3, 1, 1)]
        with open(self.path("strips.tif"), "wb") as f:
            f.write(b"II*\0" + struct.pack("<IH", 8, len(tags)) + b"".join(struct.pack("<HHII", *t) for t in tags) + bytes(4))
            f.write(struct.pack("<I", table) * 64)
        with Session(workspace=self.workspace) as s:
            for tool in ("raster_stats", "raster_preview"):
                p = problem(s.call(tool, {"uri": "strips.tif"}))
                self.assertIn("cannot read", p["message"])
                self.assertIn("band 1", p["message"])

    def test_results_of_a_class_raster_are_small(self):
        codes = (rasters.waves(300, 200, 0, 6.999) // 1).astype("uint8")
        write(self.path("c.tif"), codes, gdal.GDT_Byte,
              palette={c: (40 * c, 90, 17 * c, 255) if c < 7 else (255, 255, 255, 255) for c in range(256)})
        with Session(workspace=self.workspace) as s:
            about = good(s.call("raster_info", {"uri": "c.tif"}))
            stats = good(s.call("raster_stats", {"uri": "c.tif"}))
            shown = good(s.call("raster_preview", {"uri": "c.tif"}))
        palette = about["bands"][0]["palette"]
        self.assertEqual([e["value"] for e in palette], list(range(7)), "without the colour that fills the table up")
        self.assertEqual(about["bands"][0]["palette_count"], 256)
        self.assertEqual(len(shown["legend"]["classes"]), 7)
        for said, limit in ((about, 3000), (stats, 4000), (shown, 2000)):
            self.assertLess(len(json.dumps(said)), limit, said)

    def test_a_crs_without_a_code_is_spelt_out_once(self):
        unnamed = osr.SpatialReference()
        unnamed.SetFromUserInput("+proj=tmerc +lat_0=0 +lon_0=-111.3 +k=0.9997 +x_0=500000 +ellps=intl +units=m")
        unnamed.SetProjCS("Grid of a Building Site")
        path = write(self.path("u.tif"), numpy.ones((20, 20), "uint8"), gdal.GDT_Byte)
        raster = gdal.Open(path, gdal.GA_Update)
        raster.SetSpatialRef(unnamed)
        del raster
        with Session(workspace=self.workspace) as s:
            about = s.call("raster_info", {"uri": "u.tif"})
        said = good(about)
        self.assertIn("PROJCRS", said["crs"]["code"])
        self.assertEqual(json.dumps(said).count("PROJCRS"), 1)
        self.assertIn("Grid of a Building Site", said["bounds"]["crs"])
        for block in about["content"]:
            if not session.is_json(block.get("text", "")):
                self.assertNotIn("PROJCRS", block.get("text", ""))

    def picture(self, name, **arguments):
        with Session(workspace=self.workspace) as s:
            result = s.call("raster_preview", {"uri": name, **arguments})
        good(result)
        png = next(base64.b64decode(b["data"]) for b in result["content"] if b["type"] == "image")
        return rasters.pixels_of(png), result["structuredContent"]

    def test_a_preview_reads_the_overview_and_nothing_else(self):
        """The overview differs from the raster: the picture shows which was read."""
        z = numpy.zeros((3000, 3000), "float32")
        z[:, 1500:] = 200
        path = write(self.path("o.tif"), z, gdal.GDT_Float32)
        raster = gdal.Open(path, gdal.GA_Update)
        raster.BuildOverviews("NEAREST", [4])
        raster.GetRasterBand(1).GetOverview(0).WriteArray(255 - z[::4, ::4])
        del raster
        pixels, _ = self.picture("o.tif", stretch="none", size=500)
        self.assertEqual((pixels[0][100, 100], pixels[0][100, 400]), (255, 55))

    def test_a_preview_keeps_holes_and_averages_the_rest(self):
        z = numpy.full((2000, 2000), 100, "float32")
        z[::2] = 200
        z[:500] = -9999
        write(self.path("h.tif"), z, gdal.GDT_Float32, nodata=-9999)
        pixels, said = self.picture("h.tif", stretch="none", size=200)
        self.assertTrue((pixels[3][:50] == 0).all())
        self.assertTrue((pixels[0][50:] == 150).all())
        self.assertEqual(said["transparent_share"], 0.25)

    def test_holes_keep_their_size_in_smaller_pictures(self):
        """Pixels have data where the cell in their middle has, also after the picture was made smaller again."""
        z = numpy.random.default_rng(2).uniform(0, 1000, (1201, 1201)).astype("float32")
        y, x = numpy.mgrid[0:1201, 0:1201]
        z[(x // 7 + y // 7) % 5 == 0] = -9999  # squares of 7 cells
        write(self.path("holes.tif"), z, gdal.GDT_Float32, nodata=-9999)
        for arguments in ({"colormap": "gray"}, {"colormap": "viridis"}):
            with self.subTest(**arguments):
                pixels, said = self.picture("holes.tif", **arguments)
                self.assertAlmostEqual(said["transparent_share"], (z == -9999).mean(), delta=0.01)

    def test_the_top_of_the_terrain_ramp_is_not_white(self):
        z = numpy.linspace(0, 1000, 200 * 200).reshape(200, 200).astype("float32")
        write(self.path("t.tif"), z, gdal.GDT_Float32)
        pixels, _ = self.picture("t.tif", colormap="terrain")
        self.assertLess(pixels[:3].min(axis=0).max(), 225, "no pixel is nearly white")

    def test_a_noisy_picture_is_made_smaller_without_being_read_again(self):
        z = numpy.random.default_rng(1).integers(0, 255, (1500, 1500), "uint8")
        write(self.path("n.tif"), z, gdal.GDT_Byte)
        _, said = self.picture("n.tif", size=1024)
        self.assertLessEqual(said["image_bytes"], 400000)
        self.assertGreater(said["image_bytes"], 340000)  # no smaller than it has to be


class real_data(Claims):
    def test_land_cover_of_zion(self):
        folder = os.path.join(rasters.TEST_DATA, "zion")
        if not rasters.TEST_DATA or not os.path.isdir(folder):
            self.skipTest("no GDAL_MCP_TEST_DATA/zion")
        raster = gdal.Open(os.path.join(folder, "nlcd.tif"))
        codes = raster.ReadAsArray()
        areas = true_areas(raster.GetGeoTransform(), codes.shape, 26912)
        with Session(workspace=folder) as s:
            said = good(s.call("raster_stats", {"uri": "nlcd.tif"}))
        rows = said["bands"][0]["classes"]
        self.assertEqual(sorted(r["value"] for r in rows), sorted(set(codes.ravel().tolist())))
        for r in rows:
            self.assertTrue(math.isclose(r["area_m2"], areas[codes == r["value"]].sum(), rel_tol=2e-5), r)


class bands_of_several_types(Claims):
    """A GeoTIFF has one type for all bands, which must hold those of each."""

    def test_no_band_is_clamped_to_the_type_of_the_first(self):
        quality = numpy.tile(numpy.array([[0, 1], [2, 1]], "uint8"), (10, 10))
        heights = numpy.tile(numpy.array([[-300, 0], [300, 3999]], "int16"), (10, 10))
        warmth = numpy.tile(numpy.array([[-38.5, -0.25], [0.5, 23.75]], "float32"), (10, 10))
        for name, band, kind in (("q.tif", quality, gdal.GDT_Byte), ("z.tif", heights, gdal.GDT_Int16), ("t.tif", warmth, gdal.GDT_Float32)):
            write(self.path(name), band, kind)
        gdal.BuildVRT(self.path("stack.vrt"), [self.path(n) for n in ("q.tif", "z.tif", "t.tif")], separate=True)
        box = [300000, 4149400, 300600, 4150000]
        own = {"dst_crs": "EPSG:32612", "resampling": "nearest", "uri": "stack.vrt"}
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for tool, arguments in (("raster_reproject", {**own, "bounds": box, "output": "a.tif"}), ("raster_reproject", {**own, "output": "a.tif"}),
                                    ("gdalwarp", {"src_datasets": ["stack.vrt"], "t_srs": "EPSG:32612", "te": box, "dst_dataset": "a.tif"}),
                                    ("raster_query", {"uri": "stack.vrt", "geometry": box, "geometry_crs": "EPSG:32612", "resolution": 30, "resampling": "nearest",
                                                      "output": "a.tif"})):
                with self.subTest(tool, **arguments):
                    made = s.call(tool, {**arguments, "overwrite": True})
                    good(made)
                    self.assertIn("differ in their data types: the result is Float32", session.problem_text(made))
                    for got, expected in zip(gdal.Open(self.path("a.tif")).ReadAsArray(), (quality, heights, warmth)):
                        self.assertTrue((got == expected).all())
            good(s.call("raster_query", {"uri": "stack.vrt", "geometry": box, "geometry_crs": "EPSG:32612", "bands": [2], "resolution": 30,
                                         "resampling": "nearest", "output": "b.tif"}))
            made = gdal.Open(self.path("b.tif"))
            self.assertEqual(made.GetRasterBand(1).DataType, gdal.GDT_Int16)
            self.assertTrue((made.ReadAsArray() == heights).all())

    def test_a_mean_is_not_rounded_to_the_type_of_one_band_where_the_result_is_of_another(self):
        quality = numpy.tile(numpy.array([[0, 1, 2, 2], [1, 2, 0, 0], [0, 0, 1, 2], [2, 1, 1, 0]], "uint8"), (15, 15))
        write(self.path("q.tif"), quality, gdal.GDT_Byte)
        write(self.path("t.tif"), (quality * 1.5).astype("float32"), gdal.GDT_Float32)
        gdal.BuildVRT(self.path("stack.vrt"), [self.path(n) for n in ("q.tif", "t.tif")], separate=True)
        mean = {"dst_crs": "EPSG:32612", "resampling": "average", "resolution": 90, "output": "a.tif"}
        box = {"geometry": [300000, 4148200, 301800, 4150000], "geometry_crs": "EPSG:32612", "resolution": 90, "resampling": "average"}
        with Session(workspace=self.workspace) as s:
            for tool, arguments, rounded in (("raster_reproject", {**mean, "uri": "stack.vrt"}, False), ("raster_reproject", {**mean, "uri": "q.tif"}, True),
                                             ("raster_query", {**box, "uri": "stack.vrt", "bands": [1, 2]}, False),
                                             ("raster_query", {**box, "uri": "stack.vrt", "bands": [1]}, True)):
                with self.subTest(tool, **arguments):
                    self.assertEqual("rounded_by_the_type" in json.dumps(problem(s.call(tool, arguments))), rounded)
            good(session.run(s, "raster_reproject", {**mean, "uri": "stack.vrt"}))
        self.assertAlmostEqual(gdal.Open(self.path("a.tif")).ReadAsArray()[0, 0, 0], (0 + 1 + 2 + 1 + 2 + 0 + 0 + 0 + 1) / 9, delta=1e-6)


class another_grid(Claims):
    """What raster_reproject says of cells that are copied, too large or far from their place."""
    CODES = numpy.tile(numpy.array([[1, 2, 8], [3, 5, 1], [8, 8, 2]], "uint8"), (14, 15))  # 42 rows, 45 columns

    def setUp(self):
        super().setUp()
        rasters.write(self.path("codes.tif"), [self.CODES], gdal.GDT_Byte, transform=(289000, 31.530, 0, 9121000, 0, -31.525))
        self.session = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def warned(self, **arguments):
        wish = {"uri": "codes.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resampling": "bilinear", "output": "out.tif", "overwrite": True}
        return " ".join(good(session.run(self.session, "raster_reproject", {**wish, **arguments}))["warnings"])

    def test_what_is_copied_is_not_rounded(self):
        self.assertNotIn("rounded to whole numbers", self.warned(align_to="codes.tif", error_threshold=5))
        self.assertTrue((gdal.Open(self.path("out.tif")).ReadAsArray() == self.CODES).all())
        self.assertIn("is rounded to whole numbers, here from 1 to 8", self.warned(resolution=20))
        part = {"uri": "codes.tif", "geometry": [289000, 9120000, 290000, 9121000], "resampling": "bilinear", "resolution": [31.530, 31.525]}
        self.assertNotIn("rounded", " ".join(good(session.run(self.session, "raster_query", part))["warnings"]))

    def test_a_trial_of_whole_parts_of_cells_has_all_of_them(self):
        trial = good(self.session.call("resampling_trial", {"uri": "codes.tif", "method": "nearest", "width": 90, "height": 84,
                                                            "dst_crs": f"EPSG:{rasters.UTM}"}))
        self.assertEqual((trial["trial_input"], trial["trial_output"]), (45 * 42, 90 * 84))
        self.assertEqual(trial["methods"][0]["class_change"], 0)
        # So large that GDAL's guess of its cells, which is square, would have another extent.
        large = numpy.tile(self.CODES, (33, 24))[:1359, :1073]
        rasters.write(self.path("large.tif"), [large], gdal.GDT_Byte, transform=(301903.344, 31.5302982, 0, 4154086.472, 0, -31.5246587))
        trial = good(self.session.call("resampling_trial", {"uri": "large.tif", "method": "nearest", "width": 2 * 1073, "height": 2 * 1359}))
        self.assertEqual((trial["trial_input"], trial["trial_output"]), (255 * 255, 510 * 510))
        self.assertEqual(trial["methods"][0]["class_change"], 0)

    def test_a_cell_larger_than_the_result_is_refused_with_its_unit_and_a_size_that_fits(self):
        wish = {"uri": "codes.tif", "dst_crs": "EPSG:4326", "resampling": "nearest", "output": "out.tif"}
        refused = problem(self.session.call("raster_reproject", {**wish, "resolution": 90}))
        self.assertIn("cells of 90 by 90 degree, the unit of EPSG:4326, are larger than the result, which is 0.01285 by 0.01199", refused["message"])
        self.assertIn("the raster's own cells are about 0.00028", refused["hint"])
        good(session.run(self.session, "raster_reproject", {**wish, "resolution": 0.00028}))

    def test_cells_of_degrees_asked_of_metres_are_refused_with_the_unit(self):
        p = problem(self.session.call("raster_query", {"uri": "codes.tif", "geometry": [289000, 9120000, 290000, 9121000], "resolution": 0.001,
                                                       "resampling": "nearest"}))
        self.assertIn("the result would have 1e+06 × 1e+06 cells, more than the 2e10", p["message"])
        self.assertIn("'resolution' is in metre, the unit of EPSG:31985; the raster's own cells are 31.53 by 31.52", p["hint"])

    def test_cells_that_may_come_from_afar_are_warned_of_whatever_reason_is_stored(self):
        for threshold, warned in ((None, False), (0.125, False), (0, False), (30, True), (30, True)):
            told = self.warned(dst_crs="EPSG:4326", resampling="nearest", **({} if threshold is None else {"error_threshold": threshold}))
            self.assertEqual("with error_threshold 30 the value of a cell may come from as many cells of the input away" in told, warned, told)


class fresh_files(Claims):
    def told(self, tool, arguments):
        with Session(workspace=self.workspace) as s:
            return s.call(tool, arguments)

    def test_codes_that_do_not_occur_are_named_with_those_that_do(self):
        rasters.palette(self.path("classes.tif"))
        told = good(self.told("raster_stats", {"uri": "classes.tif", "classes": [2, 41]}))
        self.assertIn("no cell here has the code 41; the codes present are 0, 1, 2, 3, 4, 5, 6", str(told["warnings"]))

    def test_a_packed_table_is_recognised_as_the_plain_one(self):
        with gzip.open(self.path("towns.csv.gz"), "wt") as f:
            f.write("id,lon,lat,n\n001,10.5,50,3\n002,11,51,4\n")
        layer = good(self.told("vector_info", {"uri": "towns.csv.gz"}))["layers"][0]
        self.assertEqual([f["type"] for f in layer["fields"]], ["String", "Real", "Real", "Integer"])
        self.assertEqual(layer["crs"]["code"], "OGC:CRS84")


if __name__ == "__main__":
    session.main()
