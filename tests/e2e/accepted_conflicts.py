"""What a conflict between choice and data was accepted for, and what it is asked about again."""
import os

import rasters
import session
from rasters import gdal, ogr
from session import Claims, Session, fill_in, good, problem

ROWS, COLUMNS = 60, 60


def spoilt(share):
    """Temperatures of which a share is -9999, which nothing declares."""
    cells = rasters.waves(COLUMNS, ROWS, 5, 25).astype("float32")
    cells.flat[:int(share * cells.size)] = -9999
    return cells


def warm(path, *shares):
    rasters.write(path, [spoilt(share) for share in shares], gdal.GDT_Float32)
    raster = gdal.Open(path, gdal.GA_Update)
    for b in range(1, raster.RasterCount + 1):
        raster.GetRasterBand(b).SetUnitType("°C")


def classes(path, east=0, seed=1):
    patches = rasters.waves(COLUMNS, ROWS, 0, 3, seed=seed).round().astype("uint8")
    rasters.write(path, [patches], gdal.GDT_Byte, transform=(289000.0 + 28.5 * COLUMNS * east, 28.5, 0.0, 9121000.0, 0.0, -28.5),
                  palette={0: (0, 0, 0, 255), 1: (0, 0, 255, 255), 2: (0, 255, 0, 255), 3: (255, 0, 0, 255)})


def zones(path):
    made = ogr.GetDriverByName("GPKG").CreateDataSource(path)
    layer = made.CreateLayer("zones", rasters.crs(rasters.UTM), ogr.wkbPolygon)
    feature = ogr.Feature(layer.GetLayerDefn())
    feature.SetGeometry(ogr.CreateGeometryFromWkt("POLYGON ((289000 9120000, 290000 9120000, 290000 9121000, 289000 9121000, 289000 9120000))"))
    layer.CreateFeature(feature)


class accepted(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(self.session.close)

    def accept(self, conflict, tool, **arguments):
        """A call that is asked about this conflict, and runs once that is accepted."""
        p = problem(self.session.call(tool, arguments))
        self.assertIn("retry", p, p)
        retry = p["retry"]
        for missing in p["missing"]:
            answer = retry["arguments"]["justification"][missing["domain"]]
            if conflict in [c["name"] for c in answer.get("conflicts", ())]:
                self.found = missing
            retry["arguments"]["justification"][missing["domain"]] = fill_in(answer, missing["answer_schema"])
        self.assertIn(conflict, [c["name"] for a in retry["arguments"]["justification"].values() for c in a.get("conflicts", ())])
        return good(self.session.call(retry["tool"], {**arguments, **retry["arguments"]}))

    def runs(self, tool, **arguments):
        return good(self.session.call(tool, arguments))

    def asked(self, words, tool, **arguments):
        p = problem(self.session.call(tool, arguments))
        self.assertEqual(p["error"], "requires_epistemic_justification", p)
        self.assertIn(words, " ".join(c for m in p["missing"] for c in m.get("changed", ())))

    def test_it_is_of_the_raster_of_a_list_that_has_it(self):
        for name, share in (("a.tif", 0), ("b.tif", 0), ("few.tif", 0.005), ("many.tif", 0.6)):
            warm(self.path(name), share)
        mean = {"statistic": "mean", "output": "mean.tif", "overwrite": True}
        self.accept("undeclared_nodata_over_time", "aggregate_temporal", uris=["a.tif", "b.tif", "few.tif"], **mean)
        self.runs("aggregate_temporal", uris=["b.tif", "a.tif", "few.tif"], **mean)
        self.asked("undeclared_nodata_over_time was accepted for other data, not for many.tif",
                   "aggregate_temporal", uris=["a.tif", "b.tif", "many.tif"], **mean)
        warm(self.path("few.tif"), 0.6)
        self.asked("undeclared_nodata_over_time was accepted for other data, not for few.tif",
                   "aggregate_temporal", uris=["a.tif", "b.tif", "few.tif"], **mean)

    def test_it_is_of_the_band(self):
        warm(self.path("bands.tif"), 0.005, 0.6)
        zones(self.path("zones.gpkg"))
        mean = {"raster": "bands.tif", "zones": "zones.gpkg", "stats": ["mean"]}
        self.accept("undeclared_nodata", "aggregate_zonal", bands=[1], **mean)
        self.runs("aggregate_zonal", bands=[1], **mean)
        self.asked("undeclared_nodata was accepted for other data, not for bands.tif", "aggregate_zonal", bands=[2], **mean)

    def test_it_is_of_the_zones(self):
        warm(self.path("few.tif"), 0.005)
        zones(self.path("here.gpkg"))
        zones(self.path("there.gpkg"))
        mean = {"raster": "few.tif", "stats": ["mean"]}
        self.accept("undeclared_nodata", "aggregate_zonal", zones="here.gpkg", **mean)
        self.runs("aggregate_zonal", zones="here.gpkg", **mean)
        self.asked("undeclared_nodata was accepted for other data, not for few.tif and 1 more", "aggregate_zonal", zones="there.gpkg", **mean)

    def test_it_is_of_the_subdataset(self):
        warm(self.path("few.tif"), 0.005)
        warm(self.path("many.tif"), 0.6)
        gdal.Translate(self.path("pages.tif"), self.path("few.tif"))
        gdal.Translate(self.path("pages.tif"), self.path("many.tif"), creationOptions=["APPEND_SUBDATASET=YES"])
        coarse = {"uri": "pages.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resolution": 85.5, "resampling": "average", "output": "out.tif",
                  "overwrite": True}
        self.accept("undeclared_nodata", "raster_reproject", subdataset="1", **coarse)
        self.runs("raster_reproject", subdataset="1", **coarse)
        self.asked('undeclared_nodata was accepted for other data, not for pages.tif, subdataset "2"',
                   "raster_reproject", subdataset="2", **coarse)

    def test_it_is_of_what_a_vrt_of_vrts_and_the_chunks_of_a_folder_hold(self):
        coarse = {"dst_crs": f"EPSG:{rasters.UTM}", "resolution": 85.5, "resampling": "average", "output": "out.tif", "overwrite": True}
        warm(self.path("one.tif"), 0.005)
        for name, source in (("some.vrt", "one.tif"), ("all.vrt", "some.vrt")):
            gdal.BuildVRT(self.path(name), [self.path(source)]).FlushCache()
        gdal.Translate(self.path("all.zarr"), self.path("one.tif"), format="Zarr")
        for name in ("all.vrt", "all.zarr"):
            self.accept("undeclared_nodata", "raster_reproject", uri=name, **coarse)
            self.runs("raster_reproject", uri=name, **coarse)
        warm(self.path("one.tif"), 0.6)
        os.mkdir(self.path("new"))
        gdal.Translate(self.path("new/all.zarr"), self.path("one.tif"), format="Zarr")
        for folder, _, names in os.walk(self.path("new/all.zarr")):
            for name in names:  # in place: no folder changes
                with open(os.path.join(folder, name), "rb") as new, open(os.path.join(folder.replace("new/all.zarr", "all.zarr"), name), "wb") as old:
                    old.write(new.read())
        for name in ("all.vrt", "all.zarr"):
            self.asked("undeclared_nodata was accepted for", "raster_reproject", uri=name, **coarse)

    def test_it_is_of_every_raster_that_is_joined(self):
        for name, seed in (("one.tif", 1), ("two.tif", 2), ("three.tif", 3)):
            classes(self.path(name), seed=seed)
        joined = {"mode": "merge", "overlap": "first", "resolution": 20, "resampling": "bilinear", "output": "out.tif", "overwrite": True}
        self.accept("smoothing_of_codes", "raster_mosaic", uris=["one.tif", "two.tif"], **joined)
        self.runs("raster_mosaic", uris=["one.tif", "two.tif"], **joined)
        self.asked("smoothing_of_codes was accepted for other data, not for one.tif and 1 more",
                   "raster_mosaic", uris=["one.tif", "three.tif"], **joined)

    def test_one_answer_suffices_for_all_sources_of_a_warp(self):
        sources = [f"tile_{i}.tif" for i in range(18)]
        for i, name in enumerate(sources):
            classes(self.path(name), east=i, seed=i)
        warp = {"t_srs": f"EPSG:{rasters.UTM}", "tr": [20, 20], "r": "cubic", "dst_dataset": "out.tif", "overwrite": True}
        self.accept("smoothing_of_codes", "gdalwarp", src_datasets=sources, **warp)
        self.runs("gdalwarp", src_datasets=sources, **warp)
        self.asked("smoothing_of_codes was accepted for other data, not for tile_0.tif",
                   "gdalwarp", src_datasets=sources[:1], **warp)

    def test_a_warp_tells_the_conflict_of_any_source(self):
        warm(self.path("even.tif"), 0)
        rasters.write(self.path("aspect.tif"), [rasters.waves(COLUMNS, ROWS, 0, 359).astype("float32")], gdal.GDT_Float32,
                      transform=(289000.0 + 28.5 * COLUMNS, 28.5, 0.0, 9121000.0, 0.0, -28.5))
        raster = gdal.Open(self.path("aspect.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetDescription("aspect")
        del raster
        warp = {"t_srs": f"EPSG:{rasters.UTM}", "tr": [20, 20], "r": "cubic", "dst_dataset": "out.tif", "overwrite": True}
        self.accept("averaging_of_angles", "gdalwarp", src_datasets=["even.tif", "aspect.tif"], **warp)
        made = self.session.call("gdalwarp", {"src_datasets": ["even.tif", "aspect.tif"], **warp})
        good(made)
        named = [name for r in made["_meta"]["io.gdal-mcp/receipts"] for name in r.get("conflicts", ())]
        self.assertEqual(named, ["averaging_of_angles"])
        self.assertIn("averaging_of_angles", session.problem_text(self.session.call("raster_stats", {"uri": "out.tif"})))

    def test_it_is_remembered_when_the_files_between_are_gone(self):
        rasters.write(self.path("people.tif"), [rasters.waves(COLUMNS, ROWS, 0, 40).astype("float32")], gdal.GDT_Float32)
        raster = gdal.Open(self.path("people.tif"), gdal.GA_Update)
        raster.GetRasterBand(1).SetUnitType("persons")
        del raster
        self.accept("totals_not_summed", "raster_reproject", uri="people.tif", dst_crs=f"EPSG:{rasters.UTM}", resolution=85.5, resampling="average",
                    output="a.tif")
        self.runs("raster_calc", inputs={"A": "a.tif"}, expression="A * 1", output="b.tif")
        self.runs("raster_calc", inputs={"A": "b.tif"}, expression="A + 0", output="c.tif")

        def told():
            return session.problem_text(self.session.call("raster_stats", {"uri": "c.tif"}))
        self.assertIn("in spite of totals_not_summed", told())
        self.runs("raster_calc", inputs={"A": "people.tif"}, expression="A * 2", output="b.tif", overwrite=True)
        self.assertIn("in spite of totals_not_summed", told())
        for name in ("a.tif", "b.tif"):
            os.remove(self.path(name))
            os.remove(self.path(name + ".provenance.json"))
        self.assertIn("in spite of totals_not_summed", told())


if __name__ == "__main__":
    session.main()
