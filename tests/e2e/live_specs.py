"""The program's own specs and prompts, edited while the server runs."""
import os
import pathlib
import shutil
import sys
import time

import rasters
import session
from session import Claims, Session, good, problem

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
        """Replaces the file as an editor does; returns when the server has looked."""
        before = self.told(s)
        path = self.share / file
        text = path.read_text()
        self.assertIn(old, text)
        fresh = path.with_suffix(".new")
        fresh.write_text(text.replace(old, new))
        os.rename(fresh, path)
        s.wait_for(lambda: self.told(s) > before, f"that {file} was read again")

    def told(self, s):
        return sum(n["method"] == "notifications/resources/list_changed" for n in s.notifications)

    def question(self, s):
        refused = problem(s.call("raster_reproject", {"uri": "a.tif", "dst_crs": "EPSG:3857", "resampling": "nearest"}))
        self.assertEqual(refused["error"], "requires_epistemic_justification")
        return {m["domain"]: m for m in refused["missing"]}

    def test_an_edited_spec_or_prompt_is_asked_at_once_and_a_broken_one_is_not(self):
        with Session(workspace=self.workspace, program=self.program) as s:
            before = self.question(s)["resampling"]
            self.edit(s, "reflection-specs/resampling.yaml", "risk: high", "risk: medium")
            self.assertEqual(self.question(s)["resampling"]["risk_class"], "medium")
            self.edit(s, "prompts/justify_resampling_method.md", "Think through:", "Think first:")
            after = self.question(s)["resampling"]
            self.assertIn("Think first:", after["question"])
            self.assertNotEqual(before["input_hash"], after["input_hash"])

            path = self.share / "reflection-specs/resampling.yaml"
            whole = path.read_text()
            path.write_text(whole.replace("risk: medium", "risk: huge"))
            deadline = time.monotonic() + session.HANG
            while "resampling.yaml, line " not in s.stderr():  # told on stderr only: nothing else to wait for
                self.assertEqual(self.question(s)["resampling"]["risk_class"], "medium")
                self.assertLess(time.monotonic(), deadline)
            self.assertEqual(self.question(s)["resampling"]["risk_class"], "medium")


if __name__ == "__main__":
    sys.exit(session.main())
