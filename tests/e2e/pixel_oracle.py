"""raster_reproject writes what Debian's gdalwarp program writes: same grid, same bands, every pixel."""
import os

import rasters
import session
from session import Claims, Session, good

# name: (maker, arguments of raster_reproject, options of gdalwarp)
CASES = {
    "byte": (rasters.byte, {"dst_crs": "EPSG:3857", "resampling": "bilinear"}, ["-t_srs", "EPSG:3857", "-r", "bilinear"]),
    "uint16_three_bands": (rasters.uint16, {"dst_crs": "EPSG:4326", "resampling": "lanczos"},
                           ["-t_srs", "EPSG:4326", "-r", "lanczos"]),
    "int16_with_nodata": (rasters.int16_nodata, {"dst_crs": "EPSG:3857", "resampling": "cubic"},
                          ["-t_srs", "EPSG:3857", "-r", "cubic"]),
    "float32_with_nodata_coarser": (rasters.float32_nodata, {"dst_crs": "EPSG:32724", "resampling": "average", "resolution": 90},
                                    ["-t_srs", "EPSG:32724", "-r", "average", "-tr", "90", "90"]),
    "palette": (rasters.palette, {"dst_crs": "EPSG:3857", "resampling": "nearest"}, ["-t_srs", "EPSG:3857", "-r", "near"]),
    "palette_coarser_by_mode": (rasters.palette, {"dst_crs": "EPSG:3857", "resampling": "mode", "resolution": 120},
                                ["-t_srs", "EPSG:3857", "-r", "mode", "-tr", "120", "120"]),
    "south_up": (rasters.south_up, {"dst_crs": "EPSG:3857", "resampling": "bilinear"}, ["-t_srs", "EPSG:3857", "-r", "bilinear"]),
    "alpha": (rasters.rgba, {"dst_crs": "EPSG:3857", "resampling": "cubic"}, ["-t_srs", "EPSG:3857", "-r", "cubic"]),
    "geographic_to_utm": (rasters.geographic, {"dst_crs": "EPSG:32725", "resampling": "cubic_spline"},
                          ["-t_srs", "EPSG:32725", "-r", "cubicspline"]),
    "bounds_in_another_crs": (rasters.uint16, {"dst_crs": "EPSG:3857", "resampling": "bilinear", "resolution": 30,
                                               "bounds": [-34.90, -7.97, -34.87, -7.95], "bounds_crs": "EPSG:4326"},
                              ["-t_srs", "EPSG:3857", "-r", "bilinear", "-tr", "30", "30", "-te", "-34.90", "-7.97", "-34.87",
                               "-7.95", "-te_srs", "EPSG:4326"]),
    "aligned_pixels": (rasters.int16_nodata, {"dst_crs": "EPSG:3857", "resampling": "nearest", "resolution": 30, "tap": True},
                       ["-t_srs", "EPSG:3857", "-r", "near", "-tr", "30", "30", "-tap"]),
    "width_and_height": (rasters.byte, {"dst_crs": "EPSG:3857", "resampling": "bilinear", "width": 100, "height": 80},
                         ["-t_srs", "EPSG:3857", "-r", "bilinear", "-ts", "100", "80"]),
    "nodata_given": (rasters.byte, {"dst_crs": "EPSG:3857", "resampling": "nearest", "nodata": 255},
                     ["-t_srs", "EPSG:3857", "-r", "near", "-dstnodata", "255"]),
}

MARKS = {"byte": "mask", "uint16_three_bands": "mask", "alpha": "alpha", "width_and_height": "mask",
         "bounds_in_another_crs": "none", "palette_coarser_by_mode": "none"}


class pixel_oracle(Claims):
    """One method per case, made below."""


def claim(name):
    maker, arguments, options = CASES[name]

    def test(self):
        source = maker(self.path("source.tif"))
        with Session(workspace=self.workspace) as s:
            written = good(session.run(s, "raster_reproject", {"uri": "source.tif", "output": "ours.tif", **arguments}))
        # Where gdalwarp leaves 0 outside the source, the tool marks the cells; the source's nodata and alpha serve both.
        mark = [] if written["outside"] != "nodata" else ["-dstnodata", str(written.get("nodata", "nan"))]
        theirs = rasters.gdalwarp(source, os.path.join(self.folder.name, "theirs.tif"), *options, *mark)
        collar = rasters.masked(written["count"]) if written["outside"] == "mask" else []
        self.assertEqual(rasters.differences(self.path("ours.tif"), theirs), collar)
        self.assertEqual(written["outside"], MARKS.get(name, "nodata"))
        x0, dx, rx, y0, ry, dy = rasters.gdal.Open(theirs).GetGeoTransform()
        self.assertEqual(written["transform"], [dx, rx, x0, ry, dy, y0], "the result tells the grid that was written")
    return test


for case in CASES:
    setattr(pixel_oracle, "test_" + case, claim(case))

if __name__ == "__main__":
    session.main()
