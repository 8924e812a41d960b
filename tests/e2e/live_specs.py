"""The program's own specs and prompts, and the operator's over them, edited while the server runs."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import rasters
import session
from session import Claims, Session, good

PROGRAM = pathlib.Path(session.PROGRAM).resolve()


class LiveSpecs(Claims):
    def setUp(self):
        super().setUp()
        top = pathlib.Path(self.workspace).parent / "installation"
        (top / "bin").mkdir(parents=True)
        for name in ("gdal-mcp", "gdal-mcp-worker", "gdal-mcp-worker-plain"):
            shutil.copy2(PROGRAM.parent / name, top / "bin" / name)
        shutil.copytree(PROGRAM.parent.parent / "share/gdal-mcp", top / "share/gdal-mcp")
        self.share = top / "share/gdal-mcp"
        self.program = str(top / "bin/gdal-mcp")
        rasters.write(self.path("a.tif"), [rasters.waves(64, 64, 0, 255)], rasters.gdal.GDT_Byte)

    def edit(self, s, file, old, new):
        """Replaces a file of the installation as an editor does; returns once the server has reloaded."""
        text = (self.share / file).read_text()
        self.assertIn(old, text)
        self.put(s, self.share / file, text.replace(old, new))

    def put(self, s, path, text):
        before = self.told(s)
        path.parent.mkdir(exist_ok=True)
        fresh = path.with_suffix(".new")
        fresh.write_text(text)
        os.rename(fresh, path)
        s.wait_for(lambda: self.told(s) > before, f"that {path} was read again")

    def put_wrong(self, s, path, text, complaint):
        """Writes a file the server refuses: it reports that on stderr and keeps its previous state."""
        path.write_text(text)
        deadline = time.monotonic() + session.HANG
        while complaint not in s.stderr():  # reported on stderr only: nothing else to wait for
            s.request("ping")
            self.assertLess(time.monotonic(), deadline, s.stderr())

    def told(self, s):
        return sum(n["method"] == "notifications/resources/list_changed" for n in s.notifications)

    def question(self, s):
        call = {"tool": "raster_reproject", "arguments": {"uri": "a.tif", "dst_crs": "EPSG:3857", "resampling": "nearest"}}
        told = good(s.call("preflight", call))
        self.assertFalse(told["runs"])
        return {d["domain"]: d["missing"] for d in told["domains"]}

    def wording(self, s):
        got = s.request("prompts/get", {"name": self.question(s)["resampling"]["prompt_name"], "arguments": {"method": "nearest"}})
        return got["result"]["messages"][-1]["content"]["text"]

    def test_an_edited_spec_or_prompt_is_asked_at_once_and_a_broken_one_is_not(self):
        with Session(workspace=self.workspace, program=self.program) as s:
            before = self.question(s)["resampling"]
            self.edit(s, "reflection-specs/resampling.yaml", "risk: high", "risk: medium")
            self.assertEqual(self.question(s)["resampling"]["risk_class"], "medium")
            self.edit(s, "prompts/justify_resampling_method.md", "Think through:", "Think first:")
            after = self.question(s)["resampling"]
            self.assertIn("Think first:", self.wording(s))
            self.assertNotEqual(before["input_hash"], after["input_hash"])

            path = self.share / "reflection-specs/resampling.yaml"
            self.put_wrong(s, path, path.read_text().replace("risk: medium", "risk: huge"), "resampling.yaml, line ")
            self.assertEqual(self.question(s)["resampling"]["risk_class"], "medium")

    def instructions(self, s):
        client = {"capabilities": {}, "clientInfo": {"name": "again", "version": "0"}}
        told = s.request("initialize", {"protocolVersion": session.LEGACY, **client})["result"]["instructions"]
        s.notify("notifications/initialized")
        return told

    def described(self, s, tool):
        return next(t for t in s.request("tools/list")["result"]["tools"] if t["name"] == tool)["description"]

    def prompts(self, s):
        return {p["name"]: p for p in s.request("prompts/list")["result"]["prompts"]}

    def test_instructions_and_tool_notes_are_told_anew_when_they_are_edited(self):
        with Session(workspace=self.workspace, program=self.program) as s:
            self.edit(s, "prompts/instructions.md", "Geospatial tools over GDAL.", "Maps, measured.")
            self.assertTrue(self.instructions(s).startswith("Maps, measured. Find data with data_find first"))
            self.assertNotIn("\n", self.instructions(s))
            self.edit(s, "prompts/tools/raster_query.md", "<!-- more -->", "Mind the gaps.\n<!-- more -->")
            self.assertIn("they need neighbours.\nMind the gaps.", self.described(s, "raster_query"))
            self.put_wrong(s, self.share / "prompts/instructions.md", "x" * 1501, "the instructions have 1501 characters")
            self.assertTrue(self.instructions(s).startswith("Maps, measured."))

    def test_what_stands_behind_more_is_read_on_demand(self):
        told = self.operator()
        (told / "tools").mkdir()
        (told / "tools/raster_query.md").write_text("Use band 4.\n<!-- more -->\nBands 5 and 6\nare empty.\n")
        with Session("--prompts", str(told), workspace=self.workspace, program=self.program) as s:
            self.assertTrue(self.described(s, "raster_query").endswith("they need neighbours.\nUse band 4."))
            page = s.request("resources/read", {"uri": "reference://tool/raster_query"})["result"]["contents"][0]["text"]
        self.assertEqual(json.loads(page)["advice"], "Use band 4.\nBands 5 and 6 are empty.")

    def operator(self):
        folder = pathlib.Path(self.folder.name).resolve() / "told"
        folder.mkdir()
        return folder

    def test_the_operators_files_stand_for_the_programs_and_add_roles(self):
        told = self.operator()
        with Session("--prompts", str(told), workspace=self.workspace, program=self.program) as s:
            own = self.wording(s)
            self.put(s, told / "justify_resampling_method.md", (self.share / "prompts/justify_resampling_method.md")
                     .read_text().replace("Think through:", "Our house asks:"))
            self.assertEqual(self.wording(s), own.replace("Think through:", "Our house asks:"))
            for uri in ("methodology://resampling", "methodology://hydrology", "bundles://"):
                self.assertEqual(s.request("resources/subscribe", {"uri": uri})["result"], {})
            self.put(s, told / "methodology/resampling.md", "# Our page\n")

            def updated():
                return {n["params"]["uri"] for n in s.notifications if n["method"] == "notifications/resources/updated"}
            s.wait_for(lambda: updated() == {"methodology://resampling", "bundles://"}, "what was updated")
            page = s.request("resources/read", {"uri": "methodology://resampling"})["result"]["contents"][0]
            self.assertEqual(page["text"], "# Our page\n")
            self.put(s, told / "surveyor.md", "---\nname: surveyor\ntitle: Surveyor\ndescription: Measures.\n---\nMeasure twice.\n")
            self.assertEqual(self.prompts(s)["surveyor"]["title"], "Surveyor")
            said = s.request("prompts/get", {"name": "surveyor"})["result"]["messages"]
            self.assertEqual(said, [{"role": "user", "content": {"type": "text", "text": "Measure twice.\n"}}])
            self.put(s, told / "instructions.md", "Ask the surveyor.\n")
            self.assertEqual(self.instructions(s), "Ask the surveyor.")
            before = self.told(s)
            os.unlink(told / "instructions.md")
            s.wait_for(lambda: self.told(s) > before, "that the operator's instructions are gone")
            self.assertTrue(self.instructions(s).startswith("Geospatial tools over GDAL."))

    def test_a_broken_file_of_the_operator_leaves_what_was(self):
        told = self.operator()
        role = "---\nname: surveyor\ntitle: Surveyor\ndescription: Measures.\n---\n"
        (told / "surveyor.md").write_text(role + "Measure twice.\n")
        with Session("--prompts", str(told), workspace=self.workspace, program=self.program) as s:
            self.put_wrong(s, told / "surveyor.md", role + "Measure\n{{often}}.\n",
                           f"{told}/surveyor.md, line 7: the text uses {{{{often}}}}")
            said = s.request("prompts/get", {"name": "surveyor"})["result"]["messages"]
            self.assertEqual(said[0]["content"]["text"], "Measure twice.\n")

    def test_what_is_told_to_nobody_is_warned_of(self):
        told = self.operator()
        (told / "tools").mkdir()
        (told / "methodology").mkdir()
        (told / "tools/raster_qeury.md").write_text("Mind.\n")
        (told / "tools/raster_info.md").write_text("x" * 990)
        (told / "tools/raster_query.md").write_text("<!-- not here -->\n")
        (told / "methodology/resampilng.md").write_text("Mind.\n")
        with Session("--prompts", str(told), workspace=self.workspace, program=self.program) as s:
            self.assertNotIn("xxx", self.described(s, "raster_info"))
            self.assertTrue(self.described(s, "raster_query").endswith("they need neighbours."))
            n = len(self.described(s, "raster_info")) + 1 + 990
        self.assertIn(f"{told}/tools/raster_qeury.md: there is no tool 'raster_qeury'", s.stderr())
        self.assertIn(f"{told}/methodology/resampilng.md: replaces no page", s.stderr())
        self.assertIn(f"raster_info.md: left out: the description of 'raster_info' would have {n} characters; "
                      "the limit is 1000", s.stderr())

    def test_an_agent_cannot_be_given_the_pen(self):
        inside = pathlib.Path(self.workspace) / "told"
        inside.mkdir()
        inside.joinpath("rules").write_text("")
        pens = [("--prompts", p) for p in (inside, inside.parent, inside.parent.parent)]
        for flag, at in pens + [(f, inside / "rules") for f in ("--policy", "--trust-keys", "--tokens")]:
            refused = subprocess.run([self.program, "--workspace", self.workspace, flag, str(at), "tools"],
                                     capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual(refused.returncode, 2, (flag, at))
            self.assertIn("overlap: an agent could rewrite its own rules", refused.stderr)


if __name__ == "__main__":
    sys.exit(session.main())
