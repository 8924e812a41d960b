"""Requests that analysts make of rasters, on real data, through the gate where a choice needs a reason. Every number is computed again
with numpy and GDAL's programs, in the unit that the program states."""
import os
import subprocess

import numpy
from osgeo import gdal, osr
from scipy import ndimage

import rasters
import session
from raster_compare import areas_of
from session import Claims, Session, good, problem

LEGEND = ("water", "developed", "barren", "forest", "shrub", "herbaceous", "cultivated", "wetland")
# The codes of the National Land Cover Database that each of them brings together.
CODES = ((11,), (21, 22, 23), (31,), (41, 42, 43), (52,), (71,), (81, 82), (90, 95))
NORTH_AND_SOUTH = "where(isnodata(A), 0, where(A >= 315 or A < 45, 1, where(A >= 135 and A < 225, 2, 0)))"


class raster_stories(Claims):
    def setUp(self):
        super().setUp()
        if not rasters.TEST_DATA:
            self.skipTest("GDAL_MCP_TEST_DATA is not set")
        self.session = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def take(self, name, to=None):
        """A copy in the workspace; returns its cells and its grid."""
        to = to or os.path.basename(name)
        gdal.GetDriverByName("GTiff").CreateCopy(self.path(to), gdal.Open(os.path.join(rasters.TEST_DATA, name)))
        made = gdal.Open(self.path(to))
        return made.ReadAsArray(), made.GetGeoTransform()

    def told(self, tool, **arguments):
        return good(self.session.call(tool, arguments))

    def told_after_reasons(self, tool, domains, **arguments):
        """A call that the gate stops for exactly these reasons, and its result once they are given."""
        stopped = problem(self.session.call(tool, arguments))
        self.assertEqual(sorted(m["domain"] for m in stopped["missing"]), sorted(domains))
        session.follow(self.session, stopped)
        return good(self.session.call(tool, arguments))

    def cells(self, told):
        return gdal.Open(told["output"]["path"]).ReadAsArray()

    def test_how_much_of_this_image_is_urban_forest_or_water(self):
        cover, _ = self.take("zion/nlcd.tif")
        areas = areas_of(self.path("nlcd.tif"), cover.shape)
        found = {c["value"]: c for c in self.told("raster_stats", uri="nlcd.tif")["bands"][0]["classes"]}
        self.assertEqual(sorted(found), list(range(1, 9)))
        for code in found:
            hectares = areas[cover == code].sum() / 1e4
            self.assertAlmostEqual(found[code]["area_ha"] / hectares, 1, delta=1e-5)
            self.assertEqual(found[code]["count"], (cover == code).sum())
        self.assertAlmostEqual(sum(c["area_ha"] for c in found.values()) / (areas.sum() / 1e4), 1, delta=1e-6)

    def test_flat_land_near_here(self):
        """Of a box of 8 by 6 km: slope below 2 degrees, its true area and its mean slope."""
        self.take("dem/bigtujunga.tif")
        transform = gdal.Open(self.path("bigtujunga.tif")).GetGeoTransform()
        box = [transform[0] + 1000, transform[3] - 19000, transform[0] + 9000, transform[3] - 13000]
        near = self.told_after_reasons("raster_query", ["spatial_query"], uri="bigtujunga.tif", geometry=box, geometry_crs="EPSG:32611", output="near.tif")
        slope = self.told("raster_terrain", uri="near.tif", measure="slope", output="slope.tif")
        self.assertEqual(slope["unit"], "degrees")
        flat = self.told("raster_classify", uri="slope.tif", breaks=[2], output="flat.tif")
        mean = self.told("raster_calc", inputs={"S": "slope.tif"}, expression="where(S < 2, S, nodata())", output="flat_slope.tif")

        # The cells whose centre lies in the box.
        first = [int(numpy.floor(d / size + 0.5)) for d, size in ((1000, transform[1]), (13000, -transform[5]))]
        past = [int(numpy.floor(d / size + 0.5)) for d, size in ((9000, transform[1]), (19000, -transform[5]))]
        gdal.Translate(self.path("window.tif"), self.path("bigtujunga.tif"), srcWin=[*first, past[0] - first[0], past[1] - first[1]])
        numpy.testing.assert_array_equal(self.cells(near), gdal.Open(self.path("window.tif")).ReadAsArray())
        subprocess.run(["gdaldem", "slope", self.path("window.tif"), self.path("theirs.tif"), "-q"], check=True)
        theirs = gdal.Open(self.path("theirs.tif")).ReadAsArray()
        level = (theirs != -9999) & (theirs < 2)
        self.assertGreater(level.sum(), 1000)
        areas = areas_of(self.path("window.tif"), theirs.shape)
        below = flat["classes"][0]
        self.assertEqual((below["to"], below["count"]), (2, level.sum()))
        self.assertAlmostEqual(below["area_ha"] / (areas[level].sum() / 1e4), 1, delta=1e-6)
        self.assertEqual(mean["valid_count"], level.sum())
        self.assertAlmostEqual(mean["mean"], theirs[level].mean(dtype="float64"), delta=1e-9)

    def test_flat_land_in_pieces_of_a_hectare_as_polygons_with_their_mean_slope(self):
        self.take("dem/bigtujunga.tif")
        transform = gdal.Open(self.path("bigtujunga.tif")).GetGeoTransform()
        box = [transform[0] + 1000, transform[3] - 19000, transform[0] + 9000, transform[3] - 13000]
        self.told_after_reasons("raster_query", ["spatial_query"], uri="bigtujunga.tif", geometry=box, geometry_crs="EPSG:32611", output="near.tif")
        self.told("raster_terrain", uri="near.tif", measure="slope", output="slope.tif")
        self.told("raster_calc", inputs={"S": "slope.tif"}, expression="S < 2", output="flat.tif")
        pieces = self.told("raster_polygonize", uri="flat.tif", values=[1], connectedness=4, min_area=10000, output="flat.gpkg")
        zonal = self.told_after_reasons("aggregate_zonal", ["aggregation"], raster="slope.tif", zones="flat.gpkg", stats=["count", "mean"], output="flat.csv", limit=500)

        subprocess.run(["gdaldem", "slope", self.path("near.tif"), self.path("theirs.tif"), "-q"], check=True)
        theirs = gdal.Open(self.path("theirs.tif")).ReadAsArray()
        areas = areas_of(self.path("near.tif"), theirs.shape)
        numbers, _ = ndimage.label((theirs != -9999) & (theirs < 2))
        every = range(1, numbers.max() + 1)
        size = numpy.array(ndimage.sum(areas, numbers, every))
        large = [n for n, a in zip(every, size) if a >= 10000]
        self.assertGreater(len(large), 3)
        self.assertEqual((pieces["feature_count"], pieces["left_out_count"]), (len(large), len(size) - len(large)))
        self.assertAlmostEqual(pieces["area_m2"] / size[[n - 1 for n in large]].sum(), 1, delta=1e-6)
        expected = sorted((int((numbers == n).sum()), float(theirs[numbers == n].mean(dtype="float64"))) for n in large)
        found = sorted((round(row["count"]), row["mean"]) for row in zonal["rows"])
        self.assertEqual([n for n, _ in found], [n for n, _ in expected])
        numpy.testing.assert_allclose([m for _, m in found], [m for _, m in expected], rtol=1e-6)

    def test_how_much_of_the_forest_was_lost_judged_by_a_sample(self):
        """A map of changes, and a stratified sample of it that an analyst would look at: the strata's true sizes, and the sample's values."""
        before, _ = self.take("zion/nlcd.tif")
        after = before.copy()
        after[300:700, 200:600][before[300:700, 200:600] == 4] = 6
        self.take("zion/nlcd.tif", "later.tif")
        later = gdal.Open(self.path("later.tif"), gdal.GA_Update)
        later.GetRasterBand(1).WriteArray(after)
        del later
        told = self.told("raster_compare", before="nlcd.tif", after="later.tif", mode="classes")
        areas = areas_of(self.path("nlcd.tif"), before.shape)
        lost = (before == 4) & (after == 6)
        self.assertAlmostEqual(told["changed_ha"] / (areas[lost].sum() / 1e4), 1, delta=1e-5)
        map_of_change = self.told("raster_calc", inputs={"B": "nlcd.tif", "A": "later.tif"}, expression="where(B == 4, where(A == 6, 2, 1), 0)", dtype="Byte", output="change.tif")
        self.assertEqual(map_of_change["max"], 2)
        drawn = self.told("raster_sample", uri="later.tif", strategy="stratified", strata="change.tif", n=300, seed=7, min_per_stratum=50, show=200, output="sample.gpkg")
        strata = {s["value"]: s for s in drawn["strata"]}
        for value, cells in ((0, before != 4), (1, (before == 4) & ~lost), (2, lost)):
            self.assertEqual(strata[value]["cells"], cells.sum())
            self.assertAlmostEqual(strata[value]["area_ha"] / (areas[cells].sum() / 1e4), 1, delta=1e-5)
            self.assertGreaterEqual(strata[value]["n"], 50)
        for row in drawn["samples"]:
            self.assertEqual(row["values"]["1"], after[row["row"], row["column"]])
            self.assertEqual(row["stratum"], 0 if before[row["row"], row["column"]] != 4 else 2 if lost[row["row"], row["column"]] else 1)

    def test_what_changed_between_two_land_covers(self):
        """Of different legends, brought to one; the later one covers a part and has burnt."""
        before, _ = self.take("zion/nlcd.tif")
        detailed, transform = self.take("zion/nlcd2011.tif")
        burnt = detailed[200:1200, 100:900].copy()
        burnt[300:500, 200:500] = numpy.where(numpy.isin(burnt[300:500, 200:500], CODES[3]), 71, burnt[300:500, 200:500])
        corner = (transform[0] + 100 * transform[1], transform[1], 0, transform[3] + 200 * transform[5], 0, transform[5])
        rasters.write(self.path("later.tif"), [burnt], gdal.GDT_Byte, epsg=26912, transform=corner, nodata=255)
        one_legend = [{"min": c[0], "max": c[-1] + 1, "value": i, "label": name} for i, (name, c) in enumerate(zip(LEGEND, CODES), 1)]
        later = self.told("raster_classify", uri="later.tif", rules=one_legend, output="later_classes.tif")
        self.assertEqual(later["outside_count"], 0)
        told = self.told("raster_compare", before="nlcd.tif", after="later_classes.tif", mode="classes", output="changes.tif")

        after = numpy.zeros_like(burnt)
        for i, codes in enumerate(CODES, 1):
            after[numpy.isin(burnt, codes)] = i
        numpy.testing.assert_array_equal(self.cells(later), after)
        areas = areas_of(self.path("nlcd.tif"), before.shape)[200:1200, 100:900]
        before = before[200:1200, 100:900]
        window = told["window"]
        self.assertEqual([window[k] for k in ("before_column", "before_row", "width", "height")], [100, 200, 800, 1000])
        moved = {(c["from"], c["to"]): c for c in told["changes"]}
        self.assertEqual(set(moved), set(zip(*numpy.unique(numpy.stack([before.ravel(), after.ravel()]), axis=1).tolist())))
        for (a, b), change in moved.items():
            cells = (before == a) & (after == b)
            self.assertEqual(change["cells"], cells.sum())
            self.assertAlmostEqual(change["area_ha"] / (areas[cells].sum() / 1e4), 1, delta=2e-6)
        self.assertEqual([pair for pair in moved if pair[0] != pair[1]], [(4, 6)])
        self.assertEqual(moved[4, 6]["to_name"], "herbaceous")
        self.assertAlmostEqual(told["changed_ha"], moved[4, 6]["area_ha"], delta=1e-3)

    def test_whether_north_or_south_facing_slopes_are_greener(self):
        image, transform = self.take("olinda/L7_ETMs.tif")
        self.take("olinda/olinda_dem_utm25s.tif", "dem.tif")
        self.told("raster_terrain", uri="dem.tif", measure="aspect", output="aspect.tif")
        self.told("raster_calc", inputs={"A": "aspect.tif"}, expression=NORTH_AND_SOUTH, dtype="Byte", output="facing.tif")
        on_image = self.told_after_reasons("raster_reproject", ["resampling"], uri="facing.tif", dst_crs="EPSG:31985",
                                           resampling="nearest", align_to="L7_ETMs.tif", output="facing_there.tif")
        bands = {"N": {"uri": "L7_ETMs.tif", "band": 4}, "R": {"uri": "L7_ETMs.tif", "band": 3}, "F": on_image["output"]["uri"]}
        greenness = {side: self.told("raster_calc", inputs=bands, output=f"{side}.tif", expression=f"where(F == {code}, (N - R) / (N + R), nodata())")
                     for code, side in ((1, "north"), (2, "south"))}

        subprocess.run(["gdaldem", "aspect", self.path("dem.tif"), self.path("theirs.tif"), "-q"], check=True)
        aspect = gdal.Open(self.path("theirs.tif")).ReadAsArray()
        facing = numpy.where(aspect == -9999, 0, numpy.where((aspect >= 315) | (aspect < 45), 1, numpy.where((aspect >= 135) & (aspect < 225), 2, 0)))
        at = rasters.crs(31985), gdal.Open(self.path("dem.tif"))
        move = osr.CoordinateTransformation(at[0], at[1].GetSpatialRef())
        row, column = (n.ravel() + 0.5 for n in numpy.mgrid[0:image.shape[1], 0:image.shape[2]])
        places = numpy.stack([transform[0] + transform[1] * column, transform[3] + transform[5] * row], 1)
        x, y = numpy.array(move.TransformPoints(places.tolist()))[:, :2].T
        t = at[1].GetGeoTransform()
        i, k = numpy.floor((y - t[3]) / t[5]).astype(int), numpy.floor((x - t[0]) / t[1]).astype(int)
        inside = (i >= 0) & (i < facing.shape[0]) & (k >= 0) & (k < facing.shape[1])
        there = numpy.zeros(len(i), int)
        there[inside] = facing[i[inside], k[inside]]
        near_red, red = (image[b].astype("float64").ravel() for b in (3, 2))
        for code, side in ((1, "north"), (2, "south")):
            chosen = (there == code) & (near_red + red > 0)
            self.assertGreater(chosen.sum(), 5000)
            self.assertAlmostEqual(greenness[side]["valid_count"] / chosen.sum(), 1, delta=1e-3)
            expected = ((near_red - red)[chosen] / (near_red + red)[chosen]).mean()
            self.assertAlmostEqual(greenness[side]["mean"], expected, delta=1e-4, msg=side)

    def test_make_this_ready_for_qgis(self):
        for source, kind, predicted in (("landsat8/l8_B4.tif", "continuous", True), ("zion/nlcd.tif", "classes", False)):
            cells, transform = self.take(source, "source.tif")
            told = self.told("raster_convert", uri="source.tif", output="ready.tif", overwrite=True)
            self.assertEqual((told["driver"], told["kind"], told["lossless"], told["changed_cells"]), ("COG", kind, True, 0))
            self.assertEqual(told["size_bytes"], os.path.getsize(self.path("ready.tif")))
            made = gdal.Open(self.path("ready.tif"))
            self.assertEqual(made.GetMetadataItem("LAYOUT", "IMAGE_STRUCTURE"), "COG")
            self.assertIn(made.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE"), ("ZSTD", "DEFLATE"))
            self.assertEqual(made.GetMetadataItem("PREDICTOR", "IMAGE_STRUCTURE") == "2", predicted)
            numpy.testing.assert_array_equal(made.ReadAsArray(), cells)
            self.assertEqual(made.GetGeoTransform(), transform)
            band = made.GetRasterBand(1)
            self.assertGreater(band.GetOverviewCount(), 0)
            smallest = band.GetOverview(band.GetOverviewCount() - 1)
            self.assertLessEqual(max(smallest.XSize, smallest.YSize), 512)
            if kind == "classes":
                original = gdal.Open(self.path("source.tif"))
                self.assertEqual(band.GetColorTable().GetColorEntry(1), original.GetRasterBand(1).GetColorTable().GetColorEntry(1))
                self.assertLessEqual(set(numpy.unique(band.GetOverview(0).ReadAsArray())), set(numpy.unique(cells)))
            else:
                reduced = band.GetOverview(0).ReadAsArray().astype("float64")
                self.assertAlmostEqual(reduced.mean() / cells.mean(), 1, delta=2e-3)


if __name__ == "__main__":
    session.main()
