"""Pictures compared with those that a person has looked at; GDAL_MCP_ACCEPT_PICTURES=1 keeps new ones."""
import os
import pathlib

import rasters

FOLDER = pathlib.Path(__file__).resolve().parent / "pictures"


def compare(test, name, png):
    path = FOLDER / f"{name}.png"
    if os.environ.get("GDAL_MCP_ACCEPT_PICTURES"):
        path.write_bytes(png)
    now, then = rasters.pixels_of(png).astype(int), rasters.pixels_of(path.read_bytes()).astype(int)
    test.assertEqual(now.shape, then.shape, name)
    # Letters and edges are drawn a little differently by each version of FreeType and Cairo.
    off = (abs(now - then) > 40).any(axis=0).mean()
    test.assertLessEqual(off, 0.02, f"{name}: {off:.1%} of the pixels differ from {path}")
