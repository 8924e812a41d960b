"""The demo tells the whole story on real data and ends with a configuration that works."""
import json
import os
import re
import shutil
import subprocess
import sys

import rasters
import session
from session import Claims, PROGRAM, Session, good


class demo(Claims):
    def test_it_runs_to_the_end_and_its_configuration_starts_a_working_server(self):
        for name in os.listdir(rasters.DEMO_DATA):
            shutil.copy(os.path.join(rasters.DEMO_DATA, name), self.workspace)
        done = subprocess.run([PROGRAM, "demo", "--data", self.workspace], capture_output=True, text=True, timeout=session.HANG,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for word in ("raster_info", "raster_reproject", "crs_datum", "resampling", "store_justification", "vector_reproject", "datum"):
            self.assertIn(word, done.stdout)

        blocks = re.findall(r"^\{\n.*?^\}", done.stdout, re.M | re.S)
        configuration = json.loads(blocks[-1])["mcpServers"]["gdal-mcp"]
        self.assertTrue(os.path.isabs(configuration["command"]))
        arguments = [a for a in configuration["args"] if a != "serve"]
        with Session(*arguments, program=configuration["command"]) as s:
            self.assertEqual(good(s.call("raster_info", {"uri": os.path.join(self.workspace, "L7_ETMs.tif")}))["count"], 6)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(rasters.DEMO_DATA, "olinda1.shp")):
        print("SKIPPED demo: its data is not there (packaging/deps --demo)")
        sys.exit(session.SKIPPED)
    session.main()
