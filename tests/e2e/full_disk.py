"""A full disk and a read-only one: mounts of our own, in a mount namespace of our own."""
import os
import subprocess
import sys

import rasters
import session
from session import Claims, Session, good, problem

WARP = {"uri": "source.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear"}


class full_disk(Claims):
    def setUp(self):
        super().setUp()
        self.small = os.path.join(os.path.realpath(self.folder.name), "small")
        os.mkdir(self.small)
        rasters.uint16(self.path("source.tif"))

    def mount(self, *options):
        subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", self.small], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.small])

    def left_behind(self):
        return [n for n in os.listdir(self.small) if n != "filler"]

    def test_a_full_disk_is_named_and_nothing_is_half_written(self):
        self.mount("size=400k")
        with Session(workspace=[self.workspace, self.small]) as s:
            target = os.path.join(self.small, "out.tif")
            session.follow(s, problem(s.call("raster_reproject", {**WARP, "output": target})))
            p = problem(s.call("raster_reproject", {**WARP, "width": 2000, "height": 1500, "output": target}))
            self.assertEqual(p["error"], "exhausted", p)
            self.assertIn(self.small, p["message"] + p["hint"])
            self.assertEqual(self.left_behind(), [])
            good(s.call("raster_info", {"uri": "source.tif"}))

    def test_a_disk_without_a_single_free_byte(self):
        self.mount("size=64k")
        with self.assertRaises(OSError), open(os.path.join(self.small, "filler"), "wb", buffering=0) as f:
            while True:
                f.write(b"x" * 4096)
        with Session(workspace=[self.workspace, self.small]) as s:
            target = os.path.join(self.small, "out.tif")
            session.follow(s, problem(s.call("raster_reproject", {**WARP, "output": target})))
            p = problem(s.call("raster_reproject", {**WARP, "output": target}))
            self.assertEqual(p["error"], "exhausted", p)
            self.assertEqual(self.left_behind(), [])
            good(s.call("raster_info", {"uri": "source.tif"}))

    def test_a_disk_that_cannot_be_written(self):
        self.mount("size=1m", "ro")
        with Session(workspace=[self.workspace, self.small]) as s:
            target = os.path.join(self.small, "out.tif")
            session.follow(s, problem(s.call("raster_reproject", {**WARP, "output": os.path.join(self.workspace, "x.tif")})))
            p = problem(s.call("raster_reproject", {**WARP, "output": target}))
            self.assertIn(p["error"], {"denied", "io"}, p)
            self.assertIn(self.small, p["message"] + p["hint"])
            self.assertEqual(self.files(), {"source.tif"})


def mounts_allowed(unshare):
    return subprocess.run([*unshare, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], capture_output=True).returncode == 0


if __name__ == "__main__":
    if os.environ.get("GDAL_MCP_OWN_MOUNTS"):
        session.main()
    for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
        if mounts_allowed(unshare):
            os.environ["GDAL_MCP_OWN_MOUNTS"] = "1"
            os.execvp(unshare[0], [*unshare, sys.executable, *sys.argv])
    print("SKIPPED full_disk: mounts of our own (unshare -m) are not allowed here")
    sys.exit(session.SKIPPED)
