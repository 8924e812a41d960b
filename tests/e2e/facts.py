"""Facts about real inputs reach the gate: read in a confined process, cached while the file is unchanged."""
import hashlib
import json
import os
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import session  # noqa: E402
import tiny  # noqa: E402
from osgeo import gdal, osr  # noqa: E402
from session import Claims, Session, problem  # noqa: E402

gdal.UseExceptions()

TEMPLATE = pathlib.Path(os.environ.get("GDAL_MCP_TEST_BUNDLES", "/nowhere"), "every_kind.bundle")
PROMPT = """---
name: justify_facts
title: Facts
description: Asks.
arguments:
{arguments}
---
Why?
"""
# A domain whose key is made of facts, so that a refused call shows them.
SPEC = """domain: facts
title: facts
prompt: justify_facts
risk: low
question: What is known?
key:
{key}
tools:
  every_dataset:
{tool}
policy: {{missing: block}}
"""
SHOWN = {"first": "/input/path", "kind": "/input/kind", "second": "/inputs/1/path", "at": "/inputs/1/pointer",
         "second_kind": "/inputs/1/kind", "crs": "/input/crs/normal"}


def raster(path, unit=None, palette=False):
    """8 × 8 bytes that climb by one, in UTM 33N."""
    d = gdal.GetDriverByName("GTiff").Create(str(path), 8, 8, 1, gdal.GDT_Byte)
    d.SetGeoTransform((500000, 10, 0, 4000000, 0, -10))
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(32633)
    d.SetProjection(srs.ExportToWkt())
    band = d.GetRasterBand(1)
    if unit:
        band.SetUnitType(unit)
    if palette:
        colours = gdal.ColorTable()
        colours.SetColorEntry(1, (255, 0, 0, 255))
        band.SetColorTable(colours)
    band.WriteRaster(0, 0, 8, 8, bytes(100 + x + y for y in range(8) for x in range(8)))


class facts(Claims):
    def setUp(self):
        super().setUp()
        bundle = pathlib.Path(os.path.realpath(self.folder.name), "bundles", "facts.bundle")
        manifest = json.loads((TEMPLATE / "manifest.json").read_text())
        manifest.update(id="org.gdal-mcp.test.facts", prompts=["prompts/justify_facts.md"], reflection=["reflection/facts.yaml"])
        inside = {
            "lib/every_kind.so": (TEMPLATE / "lib/every_kind.so").read_bytes(),
            "prompts/justify_facts.md": PROMPT.format(
                arguments="\n".join(f"  - {{name: {n}, description: A fact., required: true}}" for n in SHOWN)).encode(),
            "reflection/facts.yaml": SPEC.format(
                key="\n".join(f"  {n}: text" for n in SHOWN),
                tool="\n".join(f"    {n}: {{fact: {at}}}" for n, at in SHOWN.items())).encode()}
        manifest["files"] = {f: "sha256:" + hashlib.sha256(contents).hexdigest() for f, contents in inside.items()}
        for file, contents in {**inside, "manifest.json": json.dumps(manifest).encode()}.items():
            tiny.write_file(bundle / file, contents)
        self.session = Session("--bundles", str(bundle.parent), workspace=self.workspace)
        self.addCleanup(self.session.close)

    def shown(self, *scenes, dem="a.tif"):
        missing = problem(self.session.call("every_dataset", {"dem": dem, "scenes": list(scenes)}))["missing"]
        self.assertEqual([m["domain"] for m in missing], ["facts"])
        return missing[0]["prompt_args"]

    def test_every_input_is_known_by_its_path_as_given_and_its_argument(self):
        os.mkdir(self.path("sub"))
        raster(self.path("a.tif"), unit="m")
        raster(self.path("sub/b.tif"), palette=True)
        self.assertEqual(self.shown("sub/b.tif"), {"first": "a.tif", "kind": "elevation", "second": "sub/b.tif",
                                                   "at": "/scenes/0", "second_kind": "class", "crs": "EPSG:32633"})

    def test_one_file_under_two_names_is_shown_under_both(self):
        raster(self.path("a.tif"), unit="m")
        self.assertEqual(self.shown("a.tif")["at"], "/scenes/0")
        found = self.shown(self.path("a.tif"))
        self.assertEqual((found["first"], found["second"]), ("a.tif", self.path("a.tif")))
        self.assertEqual((found["kind"], found["second_kind"]), ("elevation", "elevation"))

    def test_a_file_that_changed_is_read_again(self):
        raster(self.path("a.tif"))
        raster(self.path("b.tif"))
        self.assertEqual(self.shown("b.tif")["kind"], "unknown")
        raster(self.path("new.tif"), palette=True)
        shutil.move(self.path("new.tif"), self.path("a.tif"))
        found = self.shown("b.tif")
        self.assertEqual((found["kind"], found["second_kind"]), ("class", "unknown"))

    def test_a_sidecar_that_appears_changes_or_vanishes_is_read_again(self):
        raster(self.path("a.tif"))
        self.assertEqual(self.shown("a.tif")["kind"], "unknown")
        described = "<PAMDataset><PAMRasterBand band=\"1\"><UnitType>{}</UnitType></PAMRasterBand></PAMDataset>"
        for unit, kind in (("m", "elevation"), ("degrees", "angle")):
            tiny.write_file(pathlib.Path(self.path("a.tif.aux.xml")), described.format(unit).encode())
            self.assertEqual(self.shown("a.tif")["kind"], kind)
        os.remove(self.path("a.tif.aux.xml"))
        self.assertEqual(self.shown("a.tif")["kind"], "unknown")

    def test_a_projection_beside_a_grid_is_read_again(self):
        raster(self.path("a.tif"))
        grid = "ncols 2\nnrows 2\nxllcorner 500000\nyllcorner 4000000\ncellsize 10\n1 2\n3 4\n"
        tiny.write_file(pathlib.Path(self.path("a.asc")), grid.encode())
        for code in (32633, 32616):
            srs = osr.SpatialReference()
            srs.ImportFromEPSG(code)
            tiny.write_file(pathlib.Path(self.path("a.prj")), srs.ExportToWkt().encode())
            self.assertEqual(self.shown("a.tif", dem="a.asc")["crs"], f"EPSG:{code}")

    def test_a_source_of_a_vrt_that_changed_is_read_again(self):
        raster(self.path("a.tif"))
        raster(self.path("tile.tif"))
        gdal.Translate(self.path("all.vrt"), self.path("tile.tif"), format="VRT").FlushCache()
        self.assertEqual(self.shown("a.tif", dem="all.vrt")["crs"], "EPSG:32633")
        codes = bytes(64 * [1, 1, 1, 9])[:64]
        tile = gdal.Open(self.path("tile.tif"), gdal.GA_Update)
        before = self.shown("a.tif", dem="all.vrt")["kind"]
        tile.GetRasterBand(1).WriteRaster(0, 0, 8, 8, codes)
        tile.FlushCache()
        self.assertEqual((before, self.shown("a.tif", dem="all.vrt")["kind"]), ("unknown", "class"))


if __name__ == "__main__":
    session.main()
