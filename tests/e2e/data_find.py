"""data_find: what it finds in the files of a workspace, why, and what it says of what it does not find."""
import glob
import os
import shutil
import threading
import time
import zipfile

import numpy
from osgeo import gdal, ogr

import rasters
import session
from rasters import write
from session import Claims, Session, good, problem

GEODATABASE = "odd/ogr/filegdb/featuredataset.gdb"
UTM33 = (399960.0, 100.0, 0.0, 5900040.0, 0.0, -100.0)  # x0, dx, rx, y0, ry, dy: near 13.5 east, 53.2 north


def raster(path, description="", categories=(), transform=UTM33, epsg=32633, metadata=None):
    write(path, [numpy.zeros((20, 20), "uint8")], gdal.GDT_Byte, epsg=epsg, transform=transform, options=())
    made = gdal.Open(path, gdal.GA_Update)
    if description:
        made.GetRasterBand(1).SetDescription(description)
    if categories:
        made.GetRasterBand(1).SetCategoryNames(list(categories))
    if metadata:
        made.SetMetadata(metadata)
    del made


def layer(path, name, fields, rows, driver="GPKG", geometry=ogr.wkbPoint, epsg=4326, append=False):
    """fields: (name, type). rows: values, then a WKT or None."""
    file = ogr.Open(path, 1) if append else ogr.GetDriverByName(driver).CreateDataSource(path)
    made = file.CreateLayer(name, rasters.crs(epsg) if epsg else None, geometry)
    for field, kind in fields:
        made.CreateField(ogr.FieldDefn(field, kind))
    for *values, wkt in rows:
        f = ogr.Feature(made.GetLayerDefn())
        for (field, _), value in zip(fields, values):
            f.SetField(field, value)
        if wkt:
            f.SetGeometry(ogr.CreateGeometryFromWkt(wkt))
        made.CreateFeature(f)


class data_find(Claims):
    def setUp(self):
        super().setUp()
        self.session = self.begin()

    def begin(self, *arguments, **how):
        s = Session(*arguments, workspace=self.workspace, **how)
        self.addCleanup(s.close)
        return s

    def find(self, *terms, session=None, **arguments):
        if terms:
            arguments["terms"] = list(terms)
        return good((session or self.session).call("data_find", arguments))

    def whys(self, *terms, **arguments):
        return {m["uri"]: m["why"] for m in self.find(*terms, **arguments)["matches"]}

    def mixed(self):
        raster(self.path("lc_2018.tif"), "land cover", ["", "Wälder", "Water bodies"])
        layer(self.path("water.gpkg"), "rivers", [("name", ogr.OFTString), ("surveyed", ogr.OFTDate)],
              [("Rhône", "2009/03/01", "LINESTRING (4.8 43.9, 6.1 46.2)"), ("Aare", "2011/07/15", "LINESTRING (7 47, 8 47)")],
              geometry=ogr.wkbLineString)
        layer(self.path("water.gpkg"), "gauge_readings", [("station", ogr.OFTString)], [("Basel", None)],
              geometry=ogr.wkbNone, append=True)
        with open(self.path("towns.csv"), "w", encoding="utf-8") as f:
            f.write("name,lon,lat,year\nMünchen,11.58,48.14,2015\nLyon,4.84,45.76,2017\n")
        layer(self.path("old.shp"), "old", [("OWNER", ogr.OFTString)], [("crown", "POINT (500000 5800000)")],
              driver="ESRI Shapefile", epsg=None)

    def test_the_reason_names_what_matches(self):
        self.mixed()
        self.assertEqual(self.whys("rivers"), {"water.gpkg": "layer 'rivers'"})
        self.assertEqual(self.whys("rhone"), {"water.gpkg": "value 'Rhône' of 'rivers.name'"})
        self.assertEqual(self.whys("STATION"), {"water.gpkg": "field 'station' of 'gauge_readings'"})
        self.assertEqual(self.whys("LandCover 2018"), {"lc_2018.tif": "band 'land cover' of 'band 1' + path 'lc_2018.tif'"})
        self.assertEqual(self.whys("walder"), {"lc_2018.tif": "category 'Wälder' of 'band 1'"})
        self.assertEqual(self.whys("munchen"), {"towns.csv": "value 'München' of 'towns.name'"})
        self.assertEqual(self.whys("crown"), {"old.shp": "value 'crown' of 'old.OWNER'"})
        self.assertEqual(self.whys("stattion"), {"water.gpkg": "field 'station' of 'gauge_readings' (near)"})

    def test_tables_of_tabs_and_bars_are_searched_as_those_of_commas(self):
        for name, mark in (("a.csv", ","), ("b.tsv", "\t"), ("C.TSV", "\t"), ("d.psv", "|")):
            with open(self.path(name), "w") as f:
                f.write(f"zebra{mark}quux\n1{mark}2\n")
        self.assertEqual([m["uri"] for m in self.find("zebra")["matches"]], ["C.TSV", "a.csv", "b.tsv", "d.psv"])

    def test_an_absence_is_said_with_what_was_searched(self):
        self.mixed()
        told = self.find("lithium", "cobalt")
        self.assertEqual(told["answer"], "Not in these workspaces: none of 4 datasets matches; in vain: 'lithium', 'cobalt'")
        self.assertEqual((told["matches"], told["matched_total"], told["complete"], told["searched"]), ([], 0, True, 4))
        told = self.find("lithium", "rivers")
        self.assertEqual((told["matched_total"], told["not_found"]), (1, ["lithium"]))

    def test_places_are_those_of_the_extents_in_wgs84(self):
        self.mixed()
        self.assertEqual(set(self.whys(geometry=[5, 44, 5.1, 46])), {"water.gpkg", "towns.csv"})
        inside = gdal.Info(self.path("lc_2018.tif"), format="json")["wgs84Extent"]["coordinates"][0][0]
        there = self.whys(geometry={"type": "Point", "coordinates": [inside[0] + 0.01, inside[1] - 0.005]})
        self.assertEqual(set(there), {"lc_2018.tif"})
        told = self.find("crown", geometry=[5, 44, 5.1, 45])
        self.assertEqual((told["matched_total"], told["unplaced"]), (0, 1))
        self.assertIn("1 other states no CRS or position", told["answer"])
        with open(self.path("snow.csv"), "w") as f:
            f.write("station,depth\nBergen,12\n")
        told = self.find("Bergen", geometry=[4, 60, 6, 61])
        self.assertEqual((told["matched_total"], told["unplaced"]), (0, 1))
        self.assertNotIn("outside the place", told["answer"])

    def test_a_site_and_a_point_in_a_national_grid_have_a_place(self):
        for name, shape in (("site.gpkg", "POLYGON ((530000 180000,530400 180000,530400 180400,530000 180000))"), ("one.gpkg", "POINT (530000 180000)")):
            layer(self.path(name), "a", [("n", ogr.OFTString)], [("x", shape)], epsg=27700, geometry=ogr.wkbUnknown)
        told = self.find(geometry=[-1, 51, 1, 52])
        self.assertEqual(({m["uri"] for m in told["matches"]}, told.get("unplaced", 0)), ({"site.gpkg", "one.gpkg"}, 0))
        for name in ("site.gpkg", "one.gpkg"):
            bounds = good(self.session.call("vector_info", {"uri": name}))["layers"][0]["bounds"]["wgs84"]
            self.assertEqual([round(v, 2) for v in bounds], [-0.13, 51.5, -0.12 if name == "site.gpkg" else -0.13, 51.51 if name == "site.gpkg" else 51.5])

    def test_times_come_from_fields_names_and_metadata(self):
        self.mixed()
        raster(self.path("scene.tif"), metadata={"ACQUISITION_DATE": "2013-04-15", "DATE_CREATED": "2022-01-01"})
        self.assertEqual(self.whys(time="2010"), {"water.gpkg": "date 2009-03-01/2011-07-15 (field rivers.surveyed)"})
        self.assertEqual(self.whys(time="2018-03"), {"lc_2018.tif": "date 2018-01-01/2018-12-31 (file name)"})
        self.assertEqual(self.whys(time="2016/2017"), {"towns.csv": "date 2015-01-01/2017-12-31 (field towns.year)"})
        self.assertEqual(self.whys(time="2013-04-15"), {"scene.tif": "date 2013-04-15 (ACQUISITION_DATE)"})
        told = self.find(time="2022")
        self.assertEqual((told["matched_total"], told["undated"]), (0, 1))

    def test_kinds(self):
        self.mixed()
        self.assertEqual(set(self.whys(kind="raster")), {"lc_2018.tif"})
        self.assertEqual(set(self.whys(kind="table")), {"water.gpkg"})
        self.assertEqual(set(self.whys(kind="vector")), {"water.gpkg", "towns.csv", "old.shp"})

    def test_the_time_axis_and_the_variables_of_a_netcdf_file(self):
        made = gdal.GetDriverByName("netCDF").CreateMultiDimensional(self.path("climate.nc"))
        root = made.GetRootGroup()
        numbers = gdal.ExtendedDataType.Create(gdal.GDT_Float64)
        axes = []
        for name, kind, values, units in (("time", gdal.DIM_TYPE_TEMPORAL, [0, 364], "days since 2001-01-01"),
                                          ("lat", gdal.DIM_TYPE_HORIZONTAL_Y, [10.5, 9.5], "degrees_north"),
                                          ("lon", gdal.DIM_TYPE_HORIZONTAL_X, [20.5, 21.5, 22.5], "degrees_east")):
            axis = root.CreateDimension(name, kind, None, len(values))
            positions = root.CreateMDArray(name, [axis], numbers)
            positions.Write(numpy.array(values, "float64"))
            positions.SetUnit(units)
            axes.append(axis)
        for name, long_name in (("tas", "Near-Surface Air Temperature"), ("pr", "Precipitation")):
            array = root.CreateMDArray(name, axes, numbers)
            array.CreateAttribute("long_name", [], gdal.ExtendedDataType.CreateString()).Write(long_name)
            array.Write(numpy.zeros((2, 2, 3)))
        del array, positions, axis, axes, root, made
        self.assertIn("variable 'tas'", self.whys("tas")["climate.nc"])
        self.assertIn("Temperature", self.whys("air temperature")["climate.nc"])
        self.assertIn("date 2001-01-01/2001-12-31 (axis time)", self.whys(time="2001-06")["climate.nc"])
        self.assertEqual(self.whys(time="2002"), {})

    def test_broken_files_are_counted_and_named(self):
        self.mixed()
        with open(self.path("broken.tif"), "wb") as f:
            f.write(b"II*\0" + b"\xff" * 100)
        told = self.find("rivers")
        self.assertEqual(told["unreadable"], {"count": 1, "files": ["broken.tif"]})
        self.assertEqual((told["searched"], told["complete"]), (4, True))
        named = self.find("broken")
        self.assertFalse(named["complete"])
        self.assertIn("not opened, and by name what is looked for: 'broken.tif'", named["answer"])

    def test_records_of_indexes_and_replayed_copies_are_no_datasets(self):
        self.mixed()
        for name in ("lc_2018.tif.ovr", "old.qix"):
            for file in (name, name + ".provenance.json"):
                with open(self.path(file), "w") as f:
                    f.write("{}")
        for folder in ("water.gpkg.replay", "water.gpkg.replay-2", "other.replay"):  # the last is no replay: no file 'other'
            os.makedirs(self.path(folder))
            shutil.copy(self.path("water.gpkg"), self.path(folder))
        told = self.find("rivers")
        self.assertNotIn("unreadable", told)
        self.assertEqual(told["searched"], 5)
        self.assertEqual(sorted(m["uri"] for m in told["matches"]), ["other.replay/water.gpkg", "water.gpkg"])

    def test_archives_and_geodatabases(self):
        self.mixed()
        with zipfile.ZipFile(self.path("packed.zip"), "w") as z:
            z.writestr("springs.geojson", '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": '
                       '{"name": "Blautopf"}, "geometry": {"type": "Point", "coordinates": [9.78, 48.41]}}]}')
        self.assertEqual(self.whys("blautopf"), {"packed.zip": "value 'Blautopf' of 'springs.name'"})
        sample = os.path.join(rasters.TEST_DATA, GEODATABASE)
        if rasters.TEST_DATA and os.path.isdir(sample):
            shutil.copytree(sample, self.path("sample.gdb"))
            layers = [l.GetName() for l in ogr.Open(self.path("sample.gdb"))]
            self.assertIn("sample.gdb", self.whys(layers[0]))

    def test_changes_removals_and_renames_are_seen(self):
        self.mixed()
        self.assertEqual(set(self.whys("crown", "rivers")), {"old.shp", "water.gpkg"})
        layer(self.path("water.gpkg"), "lakes", [("name", ogr.OFTString)], [("Léman", "POINT (6.5 46.4)")], append=True)
        self.assertEqual(self.whys("leman"), {"water.gpkg": "value 'Léman' of 'lakes.name'"})
        for file in glob.glob(self.path("old.*")):
            os.remove(file)
        os.rename(self.path("towns.csv"), self.path("places.csv"))
        self.assertEqual(self.find("crown")["not_found"], ["crown"])
        self.assertEqual(set(self.whys("lyon")), {"places.csv"})

    def test_rows_still_in_the_journal_of_a_geopackage_are_found(self):
        layer(self.path("live.gpkg"), "points", [("name", ogr.OFTString)], [("first", "POINT (0 0)")])
        writer = ogr.Open(self.path("live.gpkg"), 1)
        writer.ExecuteSQL("PRAGMA journal_mode = WAL")
        f = ogr.Feature(writer.GetLayer(0).GetLayerDefn())
        f.SetField("name", "second")
        writer.GetLayer(0).CreateFeature(f)
        writer.FlushCache()
        self.assertTrue(os.path.getsize(self.path("live.gpkg-wal")))
        self.assertEqual(self.whys("second"), {"live.gpkg": "value 'second' of 'points.name'"})

    def test_values_that_the_index_leaves_out_are_looked_for_in_the_file(self):
        rows = [(f"Place {i} of many", "x" * 100 + " sandstone" if i == 900 else "-", "POINT (1 1)") for i in range(1000)]
        layer(self.path("places.gpkg"), "places", [("name", ogr.OFTString), ("remarks", ogr.OFTString)], rows + [("Zürich", "-", "POINT (8 47)")])
        self.assertEqual(self.whys("zurich"), {"places.gpkg": "value 'Zürich' of 'places.name'"})
        self.assertIn("of 'places.remarks'", self.whys("sandstone")["places.gpkg"])
        told = self.find("lithium")
        self.assertEqual((told["matched_total"], told["complete"], told["not_found"]), (0, True, ["lithium"]))

    def test_a_table_of_a_megabyte_with_dates_is_read_to_its_end(self):
        with open(self.path("series.csv"), "w") as f:
            f.write("place,date,value\n" + "".join(f"{i % 100},{2001 + i // 100 % 20}-01-{1 + i % 28:02},{i / 7}\n" for i in range(24000)) + "sea,2031-05-01,1\n")
        self.assertEqual(self.find("lithium")["complete"], True)
        told = self.find(time="2031")
        self.assertEqual(([m["uri"] for m in told["matches"]], told["complete"]), (["series.csv"], True))

    def test_dates_that_were_not_read_leave_a_search_by_time_incomplete_and_say_of_what(self):
        with open(self.path("long.csv"), "w") as f:
            f.write("date,value\n" + "2001-01-01,1\n" * 210000)
        self.assertEqual(self.find("lithium")["complete"], True)
        told = self.find(time="2031")
        self.assertEqual((told["matches"], told["complete"]), ([], False))
        self.assertIn("not searched: of 'long.csv' the dates of all rows of 'long': look with raster_info, vector_info or vector_stats", told["answer"])

    def test_twenty_matches_at_most_are_listed_and_all_are_counted(self):
        for i in range(25):
            raster(self.path(f"dem_{i:02}.tif"))
        told = self.find("dem")
        self.assertEqual((len(told["matches"]), told["matched_total"], told["truncated"]), (20, 25, True))

    def test_wrong_arguments_are_refused_with_their_place(self):
        for arguments, at in (({"time": "last year"}, "/time"), ({"geometry": [1, 2, 3]}, "/geometry"),
                              ({"geometry": [389000, 5800000, 400000, 5900000]}, "/geometry"), ({"kind": "cloud"}, "/kind"),
                              ({"terms": [""]}, "/terms/0")):
            p = problem(self.session.call("data_find", arguments))
            self.assertEqual((p["error"], p["at"]), ("invalid_argument", at))

    def test_only_files_of_the_workspaces_are_searched(self):
        self.mixed()
        outside = os.path.join(self.folder.name, "secret.csv")
        with open(outside, "w") as f:
            f.write("name\nplutonium\n")
        os.symlink(outside, self.path("link.csv"))
        os.makedirs(self.path(".preflight"), exist_ok=True)
        with open(self.path(".preflight/own.csv"), "w") as f:
            f.write("name\nplutonium\n")
        with open(self.path("list.vrt"), "w") as f:
            f.write(f'<OGRVRTDataSource><OGRVRTLayer name="secret"><SrcDataSource>{outside}</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>')
        self.assertEqual(self.find("plutonium")["matched_total"], 0)

    def test_several_workspaces(self):
        self.mixed()
        other = os.path.join(os.path.realpath(self.folder.name), "other")
        os.mkdir(other)
        raster(os.path.join(other, "dem.tif"), "elevation")
        s = Session(workspace=[self.workspace, other + ":ro"])
        self.addCleanup(s.close)
        self.assertEqual([m["uri"] for m in self.find("elevation", session=s)["matches"]], [os.path.join(other, "dem.tif")])
        self.assertEqual([m["uri"] for m in self.find("rivers", session=s)["matches"]], ["water.gpkg"])

    def test_servers_share_the_index_and_survive_its_damage(self):
        self.mixed()
        state = os.path.join(self.folder.name, "state")
        servers = [self.begin("--state-dir", state) for _ in range(3)]
        found = [None] * 3

        def ask(i):
            found[i] = self.find("rhone", session=servers[i])["matched_total"]
        threads = [threading.Thread(target=ask, args=[i]) for i in range(3)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertEqual(found, [1, 1, 1])
        [index] = glob.glob(os.path.join(state, "datasets", "*.index"))
        size = os.path.getsize(index)
        os.truncate(index, size // 2)
        self.assertEqual(self.find("rhone", session=servers[0])["matched_total"], 1)
        self.assertEqual(self.find("rhone", session=self.begin("--state-dir", state))["matched_total"], 1)
        self.assertEqual(os.path.getsize(index), size)

    def test_ten_thousand_files(self):
        count = 1_000 if os.environ.get("GDAL_MCP_SANITIZED") else 10_000
        for i in range(100):
            os.mkdir(self.path(f"d{i:02}"))
        raster(self.path("one.tif"), "needle in a haystack")
        raster(self.path("many.tif"), "hay")
        with open(self.path("many.tif"), "rb") as f:
            data = f.read()
        for i in range(count - 2):
            with open(self.path(f"d{i % 100:02}/t{i}.tif"), "wb") as f:
                f.write(data)
        begun = time.monotonic()
        calls = 1
        told = self.find("needle")
        while not told["complete"]:
            self.assertGreater(told["not_read_yet"], 0)
            self.assertIn("call again", told["answer"])
            told = self.find("needle")
            calls += 1
        built = time.monotonic() - begun
        begun = time.monotonic()
        self.assertEqual([m["uri"] for m in self.find("needle")["matches"]], ["one.tif"])
        again = time.monotonic() - begun
        begun = time.monotonic()
        self.assertEqual(self.find("neeedle")["matched_total"], 1)
        near = time.monotonic() - begun
        size = sum(os.path.getsize(f) for f in glob.glob(os.path.join(self.session.state.name, "datasets", "*")))
        print(f"{count} files: index built in {built:.1f} s and {calls} calls ({size >> 10} KiB), "
              f"searched in {again:.2f} s, for a near word in {near:.2f} s", flush=True)
        self.assertLess(again, 60)

    def test_progress_is_reported_and_a_cancelled_call_loses_nothing(self):
        for i in range(300):
            raster(self.path(f"dem_{i}.tif"))
        call = {"name": "data_find", "arguments": {"terms": ["dem"]}}
        number = self.session.ask("tools/call", call, progress=True)
        self.session.wait_for(lambda: self.session.progress_of(number), "progress")
        self.assertIn("of 300 new or changed files", self.session.progress_of(number)[0]["message"])
        self.session.notify("notifications/cancelled", {"requestId": number})
        told = self.find("dem")
        self.assertEqual((told["matched_total"], told["complete"]), (300, True))
        self.assertNotIn(number, self.session.answers)


if __name__ == "__main__":
    session.main()
