"""raster_preview against pictures that a person has looked at: tests/e2e/pictures/*.png, compared with tolerance.

GDAL_MCP_ACCEPT_PICTURES=1 writes what the program draws now. Look at each before it is committed.
"""
import base64
import os
import pathlib

import numpy
from osgeo import gdal, osr

import rasters
import session
from rasters import waves, write
from session import Claims, Session, good

GOLDEN = pathlib.Path(__file__).resolve().parent / "pictures"
SIDE = (96, 66)  # columns, rows: shown cell by cell
PLACE = {"transform": (289000.0, 28.5, 0.0, 9121000.0, 0.0, -28.5)}


def declare(path, unit=None, scale=None, offset=None, names=None, described=None):
    d = gdal.Open(path, gdal.GA_Update)
    band = d.GetRasterBand(1)
    if unit:
        band.SetUnitType(unit)
    if scale:
        band.SetScale(scale)
        band.SetOffset(offset)
    if names:
        band.SetCategoryNames(names)
    for i, text in enumerate(described or [], 1):
        d.GetRasterBand(i).SetDescription(text)
    return path


def three(high, dtype):
    """Bands that differ."""
    z = waves(*SIDE, 0, high)
    return [z.astype(dtype), z[::-1].astype(dtype), z[:, ::-1].astype(dtype)]


def hole(z, value):
    z = z.copy()
    z[18:33, 36:60] = value
    return z


def terrain(low, high):
    """Ridges and a valley."""
    y, x = numpy.mgrid[0:SIDE[1], 0:SIDE[0]]
    z = waves(*SIDE, 0, 1, seed=7) + 0.015 * abs(x - 48 - 10 * numpy.sin(y / 20.0)) + 0.1 * numpy.sin(x / 5.0) * numpy.sin(y / 6.0)
    return (low + (z - z.min()) / (z.max() - z.min()) * (high - low)).astype("float32")


class pictures(Claims):
    def picture(self, uri, **arguments):
        with Session(workspace=self.workspace) as s:
            result = s.call("raster_preview", {"uri": uri, **arguments})
        told = good(result)
        png = next(base64.b64decode(b["data"]) for b in result["content"] if b["type"] == "image")
        self.assertEqual(len(png), told["image_bytes"])
        self.assertLessEqual(len(png), 400_000)
        return png, told

    def pixels(self, png):
        return rasters.pixels_of(png).astype("int16")

    def same(self, name, uri, **arguments):
        """The answer, once the picture is the golden one: no channel of more than 1 % of the pixels off by more than 6 of 255."""
        png, told = self.picture(uri, **arguments)
        golden = GOLDEN / f"{name}.png"
        if os.environ.get("GDAL_MCP_ACCEPT_PICTURES"):
            golden.parent.mkdir(exist_ok=True)
            golden.write_bytes(png)
        now, then = self.pixels(png), self.pixels(golden.read_bytes())
        self.assertEqual(now.shape, then.shape, name)
        off = (abs(now - then) > 6).any(axis=0).mean()
        self.assertLessEqual(off, 0.01, f"{name}: {off:.1%} of the pixels differ from {golden}")
        return told["legend"], now

    def test_one_band_of_numbers_is_grey(self):
        write(self.path("a.tif"), [waves(*SIDE, 0, 255).astype("uint8")], gdal.GDT_Byte)
        legend, _ = self.same("gray", "a.tif")
        self.assertEqual((legend["kind"], legend["colormap"]), ("ramp", "gray"))

    def test_a_measurement_with_a_unit_is_viridis_in_its_own_unit(self):
        z = hole(waves(*SIDE, 2500, 3000), -1).astype("int16")
        declare(write(self.path("a.tif"), [z], gdal.GDT_Int16, nodata=-1), "K", 0.1, 5)
        legend, pixels = self.same("measurement", "a.tif")
        self.assertEqual((legend["colormap"], legend["unit"]), ("viridis", "K"))
        low, high = (0.1 * numpy.percentile(z[z != -1], p) + 5 for p in (2, 98))
        self.assertAlmostEqual(legend["channels"][0]["low"], low, delta=0.2)
        self.assertAlmostEqual(legend["channels"][0]["high"], high, delta=0.2)
        self.assertTrue((pixels[3][36:66, 72:120] == 0).all(), "nodata is transparent")

    def test_values_around_zero_are_blue_and_red_with_zero_in_the_middle(self):
        write(self.path("a.tif"), [hole(waves(*SIDE, -0.5, 1.5), -9999).astype("float32")], gdal.GDT_Float32, nodata=-9999)
        legend, _ = self.same("around_zero", "a.tif")
        self.assertEqual(legend["colormap"], "blue_red")
        self.assertEqual(legend["channels"][0]["low"], -legend["channels"][0]["high"])

    def test_heights_are_tinted_and_shaded(self):
        declare(write(self.path("a.tif"), [hole(terrain(200, 2600), -9999)], gdal.GDT_Float32, nodata=-9999, **PLACE), "m")
        legend, _ = self.same("relief", "a.tif")
        self.assertEqual((legend["kind"], legend["colormap"], legend["unit"]), ("relief", "relief", "m"))

    def test_heights_below_the_sea_are_blue(self):
        declare(write(self.path("a.tif"), [terrain(-400, 600)], gdal.GDT_Float32, **PLACE), "m")
        self.same("relief_and_sea", "a.tif")

    def test_undeclared_heights_are_shaded_on_request(self):
        write(self.path("a.tif"), [terrain(200, 2600).astype("int16")], gdal.GDT_Int16, epsg=4326, transform=(10, 0.001, 0, 60, 0, -0.001))
        legend, _ = self.same("relief_in_degrees", "a.tif", colormap="hillshade")
        self.assertEqual(legend["kind"], "relief")

    def test_a_picture_without_data_says_so(self):
        write(self.path("none.tif"), [numpy.full((20, 30), -1, "float32")], gdal.GDT_Float32, epsg=32633, transform=(500000, 30, 0, 5000600, 0, -30), nodata=-1)
        with Session(workspace=self.workspace) as s:
            told = good(s.call("raster_preview", {"uri": "none.tif"}))
        self.assertIn("the picture is transparent throughout: it shows no data", told["warnings"])

    def test_a_south_up_raster_is_the_same_picture(self):
        z = terrain(200, 2600)
        declare(write(self.path("north.tif"), [z], gdal.GDT_Float32, **PLACE), "m")
        declare(write(self.path("south.tif"), [z[::-1]], gdal.GDT_Float32, transform=(289000.0, 28.5, 0.0, 9121000.0 - 28.5 * SIDE[1], 0.0, 28.5)), "m")
        north, south = (self.pixels(self.picture(f)[0]) for f in ("north.tif", "south.tif"))
        numpy.testing.assert_allclose(north, south, atol=1)

    def test_rows_too_thin_for_a_hillshade_are_drawn_without(self):
        for shape in ((1, 1), (1, 40), (40, 2)):
            declare(write(self.path("a.tif"), [numpy.arange(shape[0] * shape[1], dtype="float32").reshape(shape)], gdal.GDT_Float32, **PLACE), "m")
            _, told = self.picture("a.tif")
            self.assertEqual(told["legend"]["kind"], "relief")

    def test_classes_keep_their_palette_and_the_legend_has_those_present(self):
        codes = (waves(*SIDE, 0, 4.999) // 1).astype("uint8")
        write(self.path("a.tif"), [codes], gdal.GDT_Byte, palette={c: (40 * c, 255 - 30 * c, 17 * c, 255) for c in range(9)})
        legend, _ = self.same("palette", "a.tif")
        self.assertEqual(legend["kind"], "palette")
        self.assertEqual([c["value"] for c in legend["classes"]], list(range(5)))

    def test_classes_without_a_palette_get_distinct_colours(self):
        codes = 10 * (waves(*SIDE, 0, 6.999) // 1).astype("uint8")
        declare(write(self.path("a.tif"), [codes], gdal.GDT_Byte), names=[f"class {i}" for i in range(61)])
        legend, _ = self.same("classes", "a.tif")
        self.assertEqual([(c["value"], c["label"]) for c in legend["classes"]], [(10 * i, f"class {10 * i}") for i in range(7)])
        self.assertEqual(len({c["color"] for c in legend["classes"]}), 7)

    def test_of_many_classes_the_legend_has_the_commonest(self):
        codes = numpy.repeat(numpy.arange(60, dtype="uint8"), 100).reshape(60, 100)
        codes[:, 50:] = 59
        declare(write(self.path("a.tif"), [codes], gdal.GDT_Byte), names=[f"class {i}" for i in range(60)])
        _, told = self.picture("a.tif")
        self.assertEqual(told["legend"]["classes_total"], 60)
        self.assertEqual(len(told["legend"]["classes"]), 32)
        self.assertIn(59, [c["value"] for c in told["legend"]["classes"]])

    def test_red_green_and_blue_are_a_picture(self):
        rgb = three(255, "uint8")
        write(self.path("marked.tif"), rgb, gdal.GDT_Byte, colours=(gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand))
        legend, marked = self.same("rgb", "marked.tif")
        self.assertEqual([c["band"] for c in legend["channels"]], [1, 2, 3])
        write(self.path("plain.tif"), rgb, gdal.GDT_Byte, options=["PHOTOMETRIC=MINISBLACK"])
        numpy.testing.assert_array_equal(self.pixels(self.picture("plain.tif")[0]), marked)

    def test_an_alpha_band_is_transparency(self):
        alpha = hole(numpy.full(SIDE[::-1], 255, "uint8"), 0)
        write(self.path("a.tif"), [*three(255, "uint8"), alpha], gdal.GDT_Byte,
              colours=(gdal.GCI_RedBand, gdal.GCI_GreenBand, gdal.GCI_BlueBand, gdal.GCI_AlphaBand))
        _, pixels = self.same("rgba", "a.tif")
        self.assertTrue((pixels[3][36:66, 72:120] == 0).all())

    def test_of_two_and_of_many_bands_the_first_is_shown_and_three_can_be_named(self):
        for n in (2, 7):
            bands = (three(3000, "uint16") * 3)[:n]
            declare(write(self.path(f"{n}.tif"), bands, gdal.GDT_UInt16), described=[f"month {i}" for i in range(1, n + 1)])
            _, told = self.picture(f"{n}.tif")
            self.assertEqual([(c["band"], c["name"]) for c in told["legend"]["channels"]], [(1, "month 1")])
        legend, _ = self.same("bands", "7.tif", bands=[6, 2, 1])
        self.assertEqual([c["name"] for c in legend["channels"]], ["month 6", "month 2", "month 1"])

    def test_complex_values_are_refused_with_the_way_out(self):
        made = gdal.GetDriverByName("GTiff").Create(self.path("a.tif"), 20, 20, 1, gdal.GDT_CFloat32)
        crs = osr.SpatialReference()
        crs.ImportFromEPSG(32633)
        made.SetSpatialRef(crs)
        made.SetGeoTransform((500000, 10, 0, 5000000, 0, -10))
        del made
        with Session(workspace=self.workspace) as s:
            for tool, arguments in (("raster_preview", {}), ("raster_stats", {}), ("raster_terrain", {"measure": "slope"})):
                p = session.problem(s.call(tool, {"uri": "a.tif", **arguments}))
                self.assertIn("complex", p["message"])
                self.assertTrue(p["hint"])
            self.assertEqual(good(s.call("raster_info", {"uri": "a.tif"}))["bands"][0]["dtype"], "CFloat32")


if __name__ == "__main__":
    session.main()
