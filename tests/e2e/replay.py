"""`gdal-mcp replay`: a chain of calls is made again from its provenance, bit for bit, or what changed is named."""
import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
import subprocess
import zipfile

from osgeo import gdal

import rasters
import session
from reasons import REASONS, WARP
from session import Claims, PROGRAM, Session, good, run

DRAINED = "Höhe neu/abfluß é.tif"  # a path with blanks and accents


def sha256(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class replay(Claims):
    def setUp(self):
        super().setUp()
        self.state = os.path.join(self.folder.name, "state")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("GDAL_MCP_")}
        self.environment["XDG_STATE_HOME"] = self.state

    def program(self, *arguments, cwd=None):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=session.HANG,
                              env=self.environment, cwd=cwd or self.workspace)

    def call(self, tool, arguments):
        done = self.program("call", tool, "--json", json.dumps(arguments))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def replay(self, *arguments, status=0, cwd=None):
        done = self.program("replay", "--json", *arguments, cwd=cwd)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return json.loads(done.stdout)

    def outcomes(self, told):
        return [s["outcome"] for s in told["steps"]]

    def edit(self, name, change):
        """Changes the provenance record of an output."""
        path = self.path(name + ".provenance.json")
        with open(path) as f:
            record = json.load(f)
        change(record)
        with open(path, "w") as f:
            json.dump(record, f)

    def test_an_original_that_is_no_longer_the_recorded_one_is_named(self):
        rasters.byte(self.path("in.tif"))
        self.call("raster_convert", {"uri": "in.tif", "output": "out.tif"})
        self.assertEqual(self.replay("--plan", "out.tif")["steps"][0]["originals"], [])
        with open(self.path("out.tif"), "r+b") as f:
            f.seek(-1, os.SEEK_END)
            last = f.read(1)[0]
            f.seek(-1, os.SEEK_END)
            f.write(bytes([last ^ 1]))
        planned = self.replay("--plan", "out.tif")["steps"][0]
        self.assertIn("out.tif has changed: sha256 ", planned["originals"][0])
        self.assertEqual(planned["obstacles"], [])
        told = self.replay("out.tif")["steps"][0]
        self.assertEqual((told["outcome"], told["notes"]), ("same", planned["originals"]))
        os.remove(self.path("out.tif"))
        self.assertEqual(len(self.replay("--plan", "out.tif")["steps"][0]["originals"]), 1)
        rasters.parcels(self.path("parcels.gpkg"))
        self.call("vector_buffer", {"uri": "parcels.gpkg", "distance": 5, "output": "a.shp"})
        with open(self.path("a.dbf"), "ab") as f:
            f.write(b" ")
        self.assertIn("a.dbf has changed", self.replay("--plan", "a.shp")["steps"][0]["originals"][0])

    def chain(self):
        """Eight tools of six bundles, one of them off by default, from an elevation model to a table."""
        rasters.dem(self.path("dem.tif"))
        os.mkdir(self.path("Höhe neu"))
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            def step(tool, **arguments):
                return good(run(s, tool, arguments))["output"]["uri"]
            part = step("raster_query", uri="dem.tif", geometry=[500300, 4197700, 502900, 4199700])
            filled = step("hydro_condition", uri=part, method="fill", nodata_holes="outlet")
            directions = step("hydro_flow_direction", uri=filled, method="d8")
            step("hydro_flow_accumulation", uri=directions, output=DRAINED)
            lines = step("raster_contour", uri=filled, interval=20)
            areas = step("vector_buffer", uri=lines, distance=40)
            step("vector_calc", uri=areas, fields={"ha": "$area_m2 / 10000"}, output="areas.gpkg")
            step("aggregate_zonal", raster=DRAINED, bands=[1], zones="areas.gpkg", stats=["count", "max", "mean"], output="zones.csv")

    # ---- a chain

    def test_a_chain_of_eight_tools_comes_out_the_same(self):
        self.chain()
        before = {name: sha256(self.path(name)) for name in self.files() if os.path.isfile(self.path(name))}
        plan = self.replay("--plan", "zones.csv")
        self.assertTrue(plan["can_run"], plan)
        tools = [s["tool"] for s in plan["steps"]]
        self.assertEqual(set(tools), {"raster_query", "hydro_condition", "hydro_flow_direction", "hydro_flow_accumulation", "raster_contour",
                                      "vector_buffer", "vector_calc", "aggregate_zonal"})
        for number, step in enumerate(plan["steps"], 1):
            self.assertTrue(all(i.get("from_step", 0) < number for i in step["inputs"]), plan)
        self.assertEqual(set(before), {n for n in self.files() if os.path.isfile(self.path(n))}, "a plan writes nothing")

        told = self.replay("zones.csv")
        self.assertEqual(self.outcomes(told), ["same"] * 8, told)
        self.assertTrue(told["same"])
        self.assertEqual(told["into"], self.path("zones.csv.replay"))
        for name in ("zones.csv", "areas.gpkg", DRAINED):
            self.assertEqual(sha256(os.path.join(told["into"], os.path.basename(name))), before[name], name)
        self.assertEqual({name: sha256(self.path(name)) for name in before}, before, "the originals are untouched")

        again = self.program("replay", "zones.csv.provenance.json")
        self.assertEqual(again.returncode, 0, again.stdout + again.stderr)
        self.assertIn("8 of 8 step(s) gave the same, in " + self.path("zones.csv.replay-2"), again.stdout)

        with open(self.path("dem.tif"), "r+b") as f:
            f.seek(-1, os.SEEK_END)
            last = f.read(1)[0]
            f.seek(-1, os.SEEK_END)
            f.write(bytes([last ^ 1]))
        changed = self.replay("zones.csv", status=3)
        self.assertEqual(self.outcomes(changed), ["not_run"] * 8)
        first = next(s for s in changed["steps"] if s["tool"] == "raster_query")
        for digest in (before["dem.tif"], sha256(self.path("dem.tif"))):
            self.assertIn(digest, first["notes"][0])
        self.assertIn("gave no result", changed["steps"][-1]["notes"][0])
        self.assertFalse(os.path.exists(self.path("zones.csv.replay-3")), "an empty folder is removed")
        self.assertFalse(self.replay("--plan", "zones.csv", status=3)["can_run"])

    def test_files_in_between_are_made_again_though_they_are_gone_or_changed(self):
        self.chain()
        os.remove(self.path(DRAINED))
        with open(self.path("areas.gpkg"), "ab") as f:
            f.write(b"more")
        self.assertEqual(self.outcomes(self.replay("zones.csv")), ["same"] * 8)

    def test_a_workspace_that_was_moved_is_enough(self):
        self.chain()
        moved = os.path.join(self.folder.name, "moved")
        shutil.move(self.workspace, moved)
        self.assertEqual(self.outcomes(self.replay("zones.csv", cwd=moved)), ["same"] * 8)

    def test_more_steps_than_json_has_levels(self):
        rasters.dem(self.path("dem.tif"), 40, 30)
        with Session(workspace=self.workspace) as s:
            uri = "dem.tif"
            for _ in range(24):
                uri = good(s.call("raster_calc", {"inputs": {"A": uri}, "expression": "A + 1"}))["output"]["uri"]
            good(s.call("raster_calc", {"inputs": {"A": uri}, "expression": "A * 2", "output": "last.tif"}))
        self.assertEqual(self.outcomes(self.replay("last.tif")), ["same"] * 25)

    # ---- inputs

    def test_a_pattern_stands_for_the_files_it_stood_for(self):
        os.mkdir(self.path("tiles"))
        for k in range(3):
            rasters.write(self.path(f"tiles/{k}.tif"), [rasters.waves(20, 20, 0, 9, seed=k)], gdal.GDT_Float32,
                          transform=(289000 + 200 * k, 10, 0, 9121000, 0, -10))
        self.call("raster_mosaic", {"uris": ["tiles/*.tif"], "output": "all.tif"})
        shutil.copy(self.path("tiles/0.tif"), self.path("tiles/3.tif"))
        told = self.replay("all.tif")
        self.assertEqual(self.outcomes(told), ["same"])
        self.assertEqual(len(told["steps"][0]["inputs"]), 3)

    def test_a_file_in_an_archive_and_two_outputs_of_one_name(self):
        rasters.parcels(self.path("parcels.shp"))
        with zipfile.ZipFile(self.path("parcels.zip"), "w") as z:
            for suffix in ("shp", "dbf", "shx", "prj"):
                z.write(self.path("parcels." + suffix), "in/parcels." + suffix)
        os.mkdir(self.path("other"))
        self.call("vector_query", {"uri": "parcels.zip/in/parcels.shp", "where": "name < 'parcel 006'", "output": "a.gpkg"})
        self.call("vector_buffer", {"uri": "a.gpkg", "distance": 5, "output": "other/a.gpkg"})
        told = self.replay("other/a.gpkg", "--into", "again")
        self.assertEqual(self.outcomes(told), ["same"] * 2, told)
        self.assertEqual([s["outputs"][0]["uri"] for s in told["steps"]], [self.path("again/1/a.gpkg"), self.path("again/a.gpkg")])

    def test_a_file_beside_an_input_that_was_not_there_is_named(self):
        rasters.byte(self.path("in.tif"))
        self.call("raster_calc", {"inputs": {"A": "in.tif"}, "expression": "A + 1", "output": "out.tif"})
        raster = gdal.Open(self.path("in.tif"))
        raster.GetRasterBand(1).SetNoDataValue(100)  # in in.tif.aux.xml
        del raster
        told = self.replay("out.tif", status=3)
        self.assertEqual(self.outcomes(told), ["differs"])
        self.assertIn("in.tif.aux.xml was read now, and not then", told["steps"][0]["notes"])

    # ---- versions, records, tools

    def test_a_plan_names_a_sidecar_that_appeared_since(self):
        with open(self.path("in.csv"), "w") as f:
            f.write("code,v\n7,1\n")
        self.call("vector_convert", {"uri": "in.csv", "output": "out.gpkg"})
        self.assertEqual(self.replay("--plan", "out.gpkg")["steps"][0]["remarks"], [])
        with open(self.path("in.csvt"), "w") as f:
            f.write("String,Integer\n")
        self.assertEqual(self.replay("--plan", "out.gpkg")["steps"][0]["remarks"], [self.path("in.csvt") + " lies beside the input, and was not read then"])

    def test_another_version_is_named_whether_or_not_the_result_differs(self):
        rasters.byte(self.path("in.tif"))
        self.call("raster_calc", {"inputs": {"A": "in.tif"}, "expression": "A + 1", "output": "out.tif"})

        def older(record):
            record["bundle"] = "org.gdal-mcp.raster 0.0.1"
            record["versions"]["gdal"] = "2.4.0"
        self.edit("out.tif", older)
        remarks = self.replay("--plan", "out.tif")["steps"][0]["remarks"]
        self.assertIn("org.gdal-mcp.raster 0.0.1 then, org.gdal-mcp.raster", remarks[0])
        self.assertEqual(self.outcomes(self.replay("out.tif")), ["same"])
        digest = sha256(self.path("out.tif"))
        self.edit("out.tif", lambda record: record["output"].update(sha256="0" * 64))
        told = self.replay("out.tif", status=3)["steps"][0]
        self.assertEqual(told["outcome"], "differs")
        self.assertIn(f"sha256 {'0' * 64} is recorded, {digest} is made now", told["outputs"][0]["differences"][0])
        self.assertRegex("\n".join(told["notes"]), r"gdal 2\.4\.0 then, \d+\.\d+\.\d+\S* now")

    def test_a_record_that_is_missing_damaged_or_of_something_else_is_refused(self):
        rasters.byte(self.path("in.tif"))
        self.call("raster_calc", {"inputs": {"A": "in.tif"}, "expression": "A + 1", "output": "out.tif"})

        def refused(*arguments, status=3):
            done = self.program("replay", *arguments)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertFalse(any(".replay" in name for name in self.files()))
            return done.stderr
        self.assertIn("there is no provenance record " + self.path("in.tif.provenance.json"), refused("in.tif"))
        self.edit("out.tif", lambda record: record.pop("arguments"))
        self.assertIn("lacks the arguments", refused("out.tif"))
        for text in ("{", "[]", '{"tool": 7}', ""):
            with open(self.path("out.tif.provenance.json"), "w") as f:
                f.write(text)
            self.assertIn("is not a provenance record", refused("out.tif"))
        refused(status=2)

    def test_an_index_beside_its_input_is_not_made_again(self):
        rasters.byte(self.path("in.tif"))
        done = self.program("call", "raster_index", "--toolsets", "all", "--json", json.dumps({"uri": "in.tif", "levels": [2]}))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("it lies beside the input", self.replay("in.tif.ovr", status=3)["steps"][0]["notes"][0])

    def test_a_tool_that_is_gone_and_arguments_it_does_not_have(self):
        rasters.byte(self.path("in.tif"))
        self.call("raster_calc", {"inputs": {"A": "in.tif"}, "expression": "A + 1", "output": "out.tif"})
        self.edit("out.tif", lambda record: record["inputs"][0].update(argument="/uris/0"))
        self.assertIn("the record was edited", self.replay("out.tif", status=3)["steps"][0]["notes"][0])
        self.edit("out.tif", lambda record: record["inputs"][0].update(argument="/inputs/A"))
        self.edit("out.tif", lambda record: record["arguments"].update(expression="A +"))
        self.assertEqual(self.outcomes(self.replay("out.tif", status=3)), ["not_run"])
        self.edit("out.tif", lambda record: record.update(tool="raster_calculator"))
        for plan in (["--plan"], []):
            told = self.replay("out.tif", *plan, status=3)["steps"][0]
            self.assertIn("raster_calculator", (told["obstacles"] if plan else told["notes"])[0])

    # ---- reasons

    def test_a_governed_call_uses_its_stored_reasons_and_names_one_that_is_gone(self):
        rasters.byte(self.path("source.tif"))
        self.call("raster_reproject", {**WARP, "justification": REASONS})
        self.assertEqual(self.outcomes(self.replay("out.tif")), ["same"])
        listed = json.loads(self.program("reflect", "list", "--json", "--domain", "crs_datum").stdout)["records"]
        self.assertEqual(self.program("reflect", "revoke", listed[0]["ref"]).returncode, 0)
        planned = self.replay("--plan", "out.tif", status=3)
        self.assertFalse(planned["can_run"])
        self.assertIn(f"the reason {listed[0]['ref']} is not stored in {self.workspace}", planned["steps"][0]["obstacles"][0])
        told = self.replay("out.tif", status=3)["steps"][0]
        self.assertEqual(told["outcome"], "not_run")
        self.assertIn(listed[0]["ref"], " ".join(told["notes"]))

    # ---- formats that state a time

    def test_formats_that_state_a_time_state_that_of_the_first_call(self):
        rasters.parcels(self.path("parcels.gpkg"))
        for name in ("a.gpkg", "a.shp"):
            with self.subTest(name):
                self.call("vector_buffer", {"uri": "parcels.gpkg", "distance": 5, "output": name})
                again = self.replay(name)
                self.assertEqual(self.outcomes(again), ["same"])
                self.assertEqual(self.outcomes(self.replay(os.path.join(again["into"], name))), ["same"], "a replay of a replay")
                self.edit(name, lambda record: record.update(started="2001-02-03T04:05:06.789Z"))
                told = self.replay(name, "--into", name + ".other", status=3)
                other = os.path.join(told["into"], name)
                if name.endswith(".shp"):
                    self.assertIn("a.dbf has another content", told["steps"][0]["outputs"][0]["differences"][0])
                    with open(other[:-3] + "dbf", "rb") as f:
                        self.assertEqual(tuple(f.read(4)[1:]), (101, 2, 3))
                else:
                    with sqlite3.connect(other) as db:
                        self.assertEqual(db.execute("SELECT last_change FROM gpkg_contents").fetchall(), [("2001-02-03T04:05:06.789Z", )])

    def test_a_netcdf_file_does_not_name_the_time_of_its_writing_and_a_vrt_names_its_sources(self):
        rasters.byte(self.path("in.tif"))
        with Session(workspace=self.workspace) as s:
            good(run(s, "raster_convert", {"uri": "in.tif", "output": "out.nc"}))
        self.assertNotIn("NC_GLOBAL#history", gdal.Open(self.path("out.nc")).GetMetadata())
        self.assertEqual(self.outcomes(self.replay("out.nc")), ["same"])
        shutil.copy(self.path("in.tif"), self.path("same.tif"))
        self.call("raster_mosaic", {"uris": ["in.tif", "same.tif"], "overlap": "first", "mode": "vrt", "output": "out.vrt"})
        self.assertEqual(self.outcomes(self.replay("out.vrt", status=3)), ["differs"])

    # ---- where the outputs go

    def test_outputs_go_into_a_new_or_empty_folder_only(self):
        rasters.byte(self.path("in.tif"))
        self.call("raster_calc", {"inputs": {"A": "in.tif"}, "expression": "A + 1", "output": "out.tif", "overwrite": True})
        for folder in (".", "out.tif"):
            done = self.program("replay", "out.tif", "--into", folder)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            self.assertIn("exists and is not an empty folder", done.stderr)
        elsewhere = os.path.join(self.folder.name, "elsewhere")
        self.assertEqual(self.replay("out.tif", "--into", elsewhere)["into"], elsewhere)
        self.assertEqual(sorted(os.listdir(elsewhere)), ["out.tif", "out.tif.provenance.json"])
        self.assertEqual(self.program("replay", "out.tif", "--into", "no/such/folder").returncode, 2)

    def test_data_outside_the_workspaces_are_not_read(self):
        rasters.byte(self.path("in.tif"))
        self.call("raster_calc", {"inputs": {"A": "in.tif"}, "expression": "A + 1", "output": "out.tif"})
        other = os.path.join(self.folder.name, "other")
        os.mkdir(other)
        told = self.replay(self.path("out.tif"), status=3, cwd=other)
        self.assertIn("outside the workspaces", told["steps"][0]["notes"][0])

    def test_interrupted_it_leaves_nothing_half_written(self):
        rasters.large(self.path("large.tif"))
        rasters.byte(self.path("small.tif"))
        self.call("raster_calc", {"inputs": {"A": "small.tif"}, "expression": "A + 1", "output": "part.tif"})
        shutil.move(self.path("large.tif"), self.path("small.tif"))
        self.edit("part.tif", lambda record: record["inputs"][0].update(sha256=sha256(self.path("small.tif"))))
        before = self.files()
        process = subprocess.Popen([PROGRAM, "replay", "part.tif"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   stdin=subprocess.DEVNULL, env=self.environment, cwd=self.workspace)
        while process.poll() is None and not any(".gdal-mcp" in name for name in self.files()):
            pass  # until the tool writes
        process.send_signal(signal.SIGINT)
        told, error = process.communicate(timeout=session.HANG)
        self.assertEqual(process.returncode, 3, told + error)
        self.assertRegex(told, "not run\n.*cancelled")
        self.assertEqual(self.files(), before)

    # ---- the page

    def test_the_commands_of_the_page_run(self):
        with open(os.path.join(os.path.dirname(__file__), "../../docs/replay.md"), encoding="utf-8") as page:
            text = page.read()
        self.chain()
        commands = re.search(r"```sh\n(.*?)```", text, re.S)[1].splitlines()
        self.assertGreater(len(commands), 2)
        for command in commands:
            with self.subTest(command=command):
                words = shlex.split(command)
                self.assertEqual(words[0], "gdal-mcp")
                done = self.program(*words[1:])
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    session.main()
