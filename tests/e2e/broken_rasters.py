"""Rasters cut short, with bytes changed, or made to exhaust a reader."""
import collections
import gzip
import os
import sqlite3
import struct
import sys

import numpy
from osgeo import gdal

import rasters
import session
from broken import Broken
from session import Session, good, problem

# Extension, driver, creation options, bands: whichever of them this copy of GDAL writes.
FORMATS = [("tif", "GTiff", [], 2), ("deflate.tif", "GTiff", ["COMPRESS=DEFLATE", "PREDICTOR=2", "TILED=YES", "BLOCKXSIZE=16", "BLOCKYSIZE=16"], 1),
           ("lzw.tif", "GTiff", ["COMPRESS=LZW"], 1), ("zstd.tif", "GTiff", ["COMPRESS=ZSTD"], 1), ("jpeg.tif", "GTiff", ["COMPRESS=JPEG"], 1),
           ("big.tif", "GTiff", ["BIGTIFF=YES"], 1), ("cog.tif", "COG", ["BLOCKSIZE=128"], 1), ("png", "PNG", [], 1), ("jpg", "JPEG", [], 1),
           ("gif", "GIF", [], 1), ("bmp", "BMP", [], 1), ("img", "HFA", [], 2), ("nc", "netCDF", ["FORMAT=NC4"], 1),
           ("classic.nc", "netCDF", ["FORMAT=NC"], 1), ("jp2", "JP2OpenJPEG", [], 1), ("webp", "WEBP", ["LOSSLESS=YES"], 3),
           ("gpkg", "GPKG", [], 1), ("ntf", "NITF", [], 1), ("pix", "PCIDSK", [], 1), ("asc", "AAIGrid", [], 1), ("sdat", "SAGA", [], 1),
           ("rst", "RST", [], 1), ("vrt", "VRT", [], 1), ("rsw", "RMF", [], 1), ("mbtiles", "MBTiles", [], 1)]


def made_in(folder):
    """A small raster in each format: name, path."""
    gdal.UseExceptions()
    gdal.PushErrorHandler("CPLQuietErrorHandler")
    cells = [rasters.waves(90, 70, 1, 254, seed=s).astype("uint8") for s in (1, 2, 3)]
    for extension, driver, options, bands in FORMATS:
        source = rasters.write(os.path.join(folder, "source.tif"), cells[:bands], gdal.GDT_Byte, epsg=3857, nodata=0)
        path = os.path.join(folder, f"a.{extension}")
        try:
            gdal.GetDriverByName(driver).CreateCopy(path, gdal.Open(source), 0, options)
        except (RuntimeError, AttributeError):
            continue
        yield extension, path
    gdal.PopErrorHandler()


def tiff(tags, after=b""):
    """A little-endian TIFF of one directory. tags: (tag, type, count, value or offset)."""
    entries = b"".join(struct.pack("<HHII", *t) for t in sorted(tags))
    return b"II*\0" + struct.pack("<IH", 8, len(tags)) + entries + struct.pack("<I", 0) + after


def write_records(path, records):
    """A classic netCDF file of a variable v(time, y, x) with so many records of 2 x 3 floats."""
    name = lambda text: struct.pack(">I", len(text)) + text.encode() + bytes(-len(text) % 4)
    dimensions = b"".join(name(n) + struct.pack(">I", size) for n, size in (("time", 0), ("y", 2), ("x", 3)))
    variable = name("v") + struct.pack(">4I", 3, 0, 1, 2) + bytes(8) + struct.pack(">2I", 5, 24)  # no attributes, float, size
    head = b"CDF\1" + struct.pack(">I", records) + struct.pack(">2I", 10, 3) + dimensions + bytes(8) + struct.pack(">2I", 11, 1) + variable
    with open(path, "wb") as f:
        f.write(head + struct.pack(">I", len(head) + 4) + b"".join(struct.pack(">6f", *range(6 * r, 6 * r + 6)) for r in range(records)))


SHORT, LONG = 3, 4


def hostile(folder):
    """Names of files that are well formed, or nearly so, and made to cost much."""
    def put(name, content):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return name

    size = [(258, SHORT, 1, 8), (259, SHORT, 1, 1), (262, SHORT, 1, 1), (277, SHORT, 1, 1)]
    yield put("huge.tif", tiff([(256, LONG, 1, 2**31 - 1), (257, LONG, 1, 2**31 - 1), (273, LONG, 1, 8), (278, LONG, 1, 1), (279, LONG, 1, 1)] + size))
    yield put("huge-strip.tif", tiff([(256, LONG, 1, 2**31 - 1), (257, LONG, 1, 1), (273, LONG, 1, 8), (278, LONG, 1, 1), (279, LONG, 1, 2**32 - 1)] + size))
    yield put("negative.tif", tiff([(256, LONG, 1, 2**32 - 1), (257, LONG, 1, 2**32 - 1), (273, LONG, 1, 8), (278, LONG, 1, 1), (279, LONG, 1, 1)] + size))
    yield put("tiny-tiles.tif", tiff([(256, LONG, 1, 2_000_000), (257, LONG, 1, 2_000_000), (322, SHORT, 1, 16), (323, SHORT, 1, 16), (324, LONG, 2**30, 200), (325, LONG, 2**30, 200)] + size))
    yield put("itself.tif", tiff([(256, LONG, 1, 4), (257, LONG, 1, 4), (273, LONG, 1, 8), (278, LONG, 1, 4), (279, LONG, 1, 16)] + size)[:-4] + struct.pack("<I", 8))
    yield put("many-bands.tif", tiff([(256, LONG, 1, 4), (257, LONG, 1, 4), (273, LONG, 1, 8), (278, LONG, 1, 4), (279, LONG, 1, 16), (258, SHORT, 1, 8), (259, SHORT, 1, 1), (262, SHORT, 1, 1), (277, SHORT, 1, 65535)]))
    yield put("huge.asc", "ncols 2000000000\nnrows 2000000000\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n")
    yield put("huge.pgm", "P5\n2000000000 2000000000\n255\n" + "x" * 100)
    yield put("metadata.vrt", '<VRTDataset rasterXSize="2" rasterYSize="2"><Metadata>' + "".join(f'<MDI key="k{i}">{"v" * 200}</MDI>' for i in range(60_000)) +
              '</Metadata><VRTRasterBand dataType="Byte" band="1"/></VRTDataset>')
    source = "<SimpleSource><SourceFilename relativeToVRT=\"1\">{0}</SourceFilename><SourceBand>1</SourceBand></SimpleSource>"
    band = '<VRTDataset rasterXSize="100" rasterYSize="100"><VRTRasterBand dataType="Byte" band="1">{}</VRTRasterBand></VRTDataset>'
    yield put("itself.vrt", band.format(source.format("itself.vrt")))
    put("other.vrt", band.format(source.format("one.vrt")))
    yield put("one.vrt", band.format(source.format("other.vrt")))
    put("chain0.vrt", band.format(""))
    for i in range(1, 200):
        put(f"chain{i}.vrt", band.format(source.format(f"chain{i - 1}.vrt")))
    yield "chain199.vrt"
    put("fan0.vrt", band.format(""))
    for i in range(1, 12):
        put(f"fan{i}.vrt", band.format(source.format(f"fan{i - 1}.vrt") * 10))
    yield "fan11.vrt"
    yield put("deep.vrt", "<VRTDataset rasterXSize='1' rasterYSize='1'>" + "<a>" * 50_000)
    yield put("entities.vrt", '<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><VRTDataset rasterXSize="1" rasterYSize="1"><Metadata><MDI key="x">&b;</MDI></Metadata></VRTDataset>')
    yield put("network.vrt", band.format(source.format("/vsicurl/http://127.0.0.1:9/x.tif").replace('"1"', '"0"')))
    yield put("pixels.vrt", '<VRTDataset rasterXSize="10" rasterYSize="10"><VRTRasterBand dataType="Byte" band="1" subClass="VRTDerivedRasterBand"><PixelFunctionLanguage>Python</PixelFunctionLanguage>'
              "<PixelFunctionType>f</PixelFunctionType><PixelFunctionCode>import os; os.abort()</PixelFunctionCode></VRTRasterBand></VRTDataset>")


class broken_rasters(Broken):
    tools = ("raster_info", "raster_stats")

    def test_cells_whose_places_were_cut_off_are_not_read_as_zeros(self):
        made = gdal.GetDriverByName("GTiff").Create(self.path("whole.tif"), 700, 800, 1, gdal.GDT_Byte)
        made.GetRasterBand(1).Fill(7)
        del made
        with open(self.path("whole.tif"), "rb") as f:
            start = f.read(400)
        with open(self.path("cut.tif"), "wb") as f:
            f.write(start)
        self.assertIsNotNone(gdal.Open(self.path("cut.tif")))  # GDAL opens it
        with Session(workspace=self.workspace) as s:
            for tool, arguments in (("raster_calc", {"expression": "A + 1", "inputs": {"A": "cut.tif"}}), ("raster_preview", {"uri": "cut.tif"}),
                                    ("raster_classify", {"uri": "cut.tif", "breaks": [3]}), ("raster_stats", {"uri": "cut.tif"}),
                                    ("raster_convert", {"uri": "cut.tif", "output": "out.tif"})):
                with self.subTest(tool):
                    p = problem(s.call(tool, arguments))
                    self.assertEqual(p["error"], "io")
                    self.assertIn("cut.tif", p["message"])

    def test_a_damaged_block_is_named_where_gdal_decodes_in_threads(self):
        for compression in ("DEFLATE", "LZW"):
            name = compression + ".tif"
            unread = name + ".*IReadBlock failed" if int(gdal.VersionInfo()) < 3100000 else "cannot read rows 0 to 511 of band 1"
            rasters.write(self.path(name), [numpy.random.default_rng(1).random((512, 512))], gdal.GDT_Float32, epsg=32633,
                          transform=(500000, 10, 0, 5500000, 0, -10), options=("TILED=YES", "COMPRESS=" + compression))
            with open(self.path(name), "r+b") as f:
                f.seek(os.path.getsize(self.path(name)) // 2)
                damage = bytes(255 - b for b in f.read(3000))
                f.seek(-3000, os.SEEK_CUR)
                f.write(damage)
            with Session("--toolsets", "all", workspace=self.workspace) as s:
                for tool, arguments in (("raster_stats", {}), ("raster_preview", {}), ("raster_polygonize", {"output": "o.gpkg"}),
                                        ("raster_convert", {"output": "o.tif"}), ("raster_terrain", {"measure": "slope", "output": "o.tif"}),
                                        ("raster_query", {"geometry": [500000, 5494880, 505120, 5500000], "output": "o.tif"})):
                    with self.subTest(compression + " " + tool):
                        self.named(problem(s.call(tool, {"uri": name, **arguments})), unread)
                self.named(problem(session.run(s, "raster_reproject", {"uri": name, "dst_crs": "EPSG:3857", "resampling": "bilinear", "output": "o.tif"})), unread)
                self.named(problem(s.call("map_preview", {"layers": [{"uri": name}]})), unread)
        gdal.BuildVRT(self.path("a.vrt"), [self.path("LZW.tif")])
        os.remove(self.path("LZW.tif"))
        with Session(workspace=self.workspace) as s:
            self.named(problem(s.call("raster_convert", {"uri": "a.vrt", "output": "o.tif"})), "LZW.tif: No such file")

    def test_a_tile_that_cannot_be_decoded_is_no_tile_of_nodata(self):
        cells = rasters.waves(600, 600, 1, 254).astype("uint8")
        rasters.write(self.path("whole.tif"), [cells], gdal.GDT_Byte, epsg=32633, transform=(500000, 10, 0, 5500000, 0, -10))
        for driver, tiles, kind in (("GPKG", "a", "PNG"), ("GPKG", "a", "JPEG"), ("MBTiles", "tiles", "PNG")):
            for damage in ("substr(tile_data, 1, length(tile_data) / 2)", "randomblob(500)", "x''"):
                name = f"a.{driver.lower()}"
                gdal.Translate(self.path(name), self.path("whole.tif"), format=driver, creationOptions=["TILE_FORMAT=" + kind])
                with self.subTest(f"{driver} {kind} {damage}"), Session(workspace=self.workspace) as s:
                    good(s.call("raster_stats", {"uri": name}))
                    with sqlite3.connect(self.path(name)) as db:
                        zoom, count = db.execute(f"SELECT max(zoom_level), count(*) FROM {tiles}").fetchone()
                        self.assertGreater(count, 3)
                        db.execute(f"UPDATE {tiles} SET tile_data = {damage} WHERE rowid = (SELECT max(rowid) FROM {tiles} WHERE zoom_level = {zoom})")
                    db.close()
                    gdal.BuildVRT(self.path("over.vrt"), [self.path(name)])
                    for tool, arguments in (("raster_stats", {}), ("raster_convert", {"output": "o.tif"}), ("raster_preview", {}), ("raster_terrain", {"measure": "roughness", "output": "o.tif"}),
                                            ("raster_reproject", {"dst_crs": "EPSG:4326", "resampling": "nearest", "output": "o.tif"})):
                        for uri in (name, "over.vrt"):
                            p = problem(session.run(s, tool, {"uri": uri, **arguments}))
                            self.lost(p, uri.replace(".", "[.]") + " cannot be decoded: (libpng|libjpeg|Cannot parse)")
                            self.assertFalse(os.path.exists(self.path("o.tif")))
                os.remove(self.path(name))

    def test_what_a_decoder_says_of_other_things_ends_no_call(self):
        rasters.write(self.path("whole.tif"), [rasters.waves(30, 30, 1, 254).astype("uint8")], gdal.GDT_Byte)
        gdal.Translate(self.path("a.png"), self.path("whole.tif"), format="PNG")
        with open(self.path("a.png"), "rb") as f:
            png = f.read()
        comment = b"tEXt" + b"Comment" + bytes(1) + b"a"
        with open(self.path("a.png"), "wb") as f:  # before the cells, with a wrong checksum
            f.write(png[:33] + struct.pack(">I", len(comment) - 4) + comment + bytes(4) + png[33:])
        with Session(workspace=self.workspace) as s:
            told = good(s.call("raster_convert", {"uri": "a.png", "output": "o.tif"}))
            self.assertEqual(told["lossless"], True)
            self.assertIn("libpng: tEXt: CRC error", str(told["warnings"]))

    def test_a_picture_that_ends_early_has_no_mean(self):
        rasters.write(self.path("whole.tif"), [rasters.waves(300, 300, 1, 254).astype("uint8")], gdal.GDT_Byte)
        gdal.Translate(self.path("a.jpg"), self.path("whole.tif"), format="JPEG")
        self.cut("a.jpg", 0.6)
        with Session(workspace=self.workspace) as s:
            for tool, arguments in (("raster_stats", {}), ("raster_convert", {"output": "o.png"}), ("raster_preview", {})):
                self.lost(problem(s.call(tool, {"uri": "a.jpg", **arguments})), "a.jpg cannot be decoded: libjpeg: Premature end of JPEG file$")

    def cut(self, name, share):
        os.truncate(self.path(name), int(os.path.getsize(self.path(name)) * share))

    def test_files_that_are_shorter_than_their_headers_declare(self):
        cells = rasters.waves(200, 300, -500, 500).astype("int16")
        rasters.write(self.path("whole.tif"), [cells, cells + 1], gdal.GDT_Int16, epsg=32633, transform=(500000, 10, 0, 5500000, 0, -10))
        made = {"classic.nc": ("netCDF", ["FORMAT=NC"]), "offsets.nc": ("netCDF", ["FORMAT=NC2"]), "a.img": ("ENVI", []), "suffix.dat": ("ENVI", ["SUFFIX=ADD"]), "a.pix": ("PCIDSK", [])}
        with Session(workspace=self.workspace) as s:
            for name, (driver, options) in made.items():
                gdal.Translate(self.path(name), self.path("whole.tif"), format=driver, creationOptions=options)
                size = os.path.getsize(self.path(name))
                gdal.BuildVRT(self.path("over.vrt"), [f'NETCDF:"{self.path(name)}":Band1' if driver == "netCDF" else self.path(name)])
                with self.subTest(name):
                    for uri in (name, "over.vrt"):
                        self.assertNotIn("declares", str(s.call("raster_stats", {"uri": uri})))
                    self.cut(name, 0.6)
                    for uri in (name, "over.vrt"):
                        told = s.call("raster_stats", {"uri": uri})
                        said = f"{name} has {int(size * 0.6)} bytes, and its header declares {size}: "
                        if driver == "netCDF":
                            self.lost(problem(told), said + "values are missing")
                        else:
                            self.assertIn(said + "cells that are missing are read as 0, or as anything", str(good(told)["warnings"]))
            gdal.Translate(self.path("tiles.pix"), self.path("whole.tif"), format="PCIDSK", creationOptions=["INTERLEAVING=TILED", "COMPRESSION=RLE"])
            self.assertEqual(good(s.call("raster_stats", {"uri": "tiles.pix"}))["warnings"], [])
            gdal.Translate(self.path("z.img"), self.path("whole.tif"), format="ENVI")
            with open(self.path("z.img"), "rb") as f, open(self.path("z.hdr"), "a") as header:
                cells = f.read()
                header.write("file compression = 1\n")
            for share in (1, 0.6):
                with open(self.path("z.img"), "wb") as f:
                    packed = gzip.compress(cells)
                    f.write(packed[:int(len(packed) * share)])
                told = s.call("raster_stats", {"uri": "z.img"})
                self.assertEqual(good(told)["warnings"], []) if share == 1 else self.lost(problem(told), "z.img cannot be decoded: .*decompression failed")
            # A record variable, of which the last record is cut, and one that has no records yet.
            write_records(self.path("r.nc"), 3)
            good(s.call("raster_stats", {"uri": "r.nc"}))
            os.truncate(self.path("r.nc"), os.path.getsize(self.path("r.nc")) - 4)
            self.lost(problem(s.call("raster_stats", {"uri": "r.nc"})), "values are missing")
            write_records(self.path("none.nc"), 0)
            self.assertNotIn("are missing", str(s.call("raster_info", {"uri": "none.nc"})))

    def lost(self, p, text):
        self.assertEqual((p["error"], p["hint"]), ("io", "get an intact copy of the file"), p)
        self.assertRegex(p["message"], text)

    def named(self, p, text):
        self.assertEqual(p["error"], "io")
        self.assertRegex(p["message"], text)
        self.assertIn("inputs are complete and undamaged", p["hint"])

    def test_damaged_files_of_many_formats(self):
        files, outcomes = self.of_formats(made_in, 12)
        self.assertGreaterEqual(files, 240)
        self.assertLessEqual(outcomes["crashed"], files // 50)

    def test_damaged_files_of_gdal_s_own_tests(self):
        files, outcomes = self.of_gdal(rasters.TEST_DATA, "raster")
        self.assertGreater(files, 100)
        self.assertLessEqual(outcomes["crashed"], files // 25)

    def test_files_made_to_exhaust_a_reader(self):
        outcomes = collections.Counter()
        with Session("--timeout", "8", workspace=self.workspace) as s:
            for name in hostile(self.workspace):
                with self.subTest(name=name):
                    self.tried(s, name, outcomes)
            rasters.byte(self.path("good.tif"))
            self.assertEqual(good(s.call("raster_info", {"uri": "good.tif"}))["count"], 1)
        print(f"made to exhaust: {dict(outcomes)}", file=sys.stderr)
        self.assertEqual(outcomes["crashed"], 0)


if __name__ == "__main__":
    session.main()
