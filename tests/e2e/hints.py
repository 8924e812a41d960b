"""Every advice and every alternative of the shipped specs is taken: the calls it recommends exist and run, without a question where it
says so, and without the conflict it was given for."""
import glob
import os
import re

import session
import what_is_asked
from session import Claims, Session, good, problem, problem_text
from what_is_asked import HERE, PART, composite, convert, fuse, query, reproject, zonal

SPECS = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), "reflection-specs")
FREE, WITH_REASON = "free", "with a reason"
LOOKS = [("raster_preview", {"uri": "warm.tif"}), ("raster_info", {"uri": "warm.tif"}), ("vector_info", {"uri": "parcels.gpkg"})]
SMALL = {"zones": {"type": "Polygon", "coordinates": [[[290000, 9117000], [290004, 9117000], [290004, 9117004], [290000, 9117004],
                                                       [290000, 9117000]]]}, "zones_crs": HERE}
FLOW = [("hydro_condition", {"uri": "heights.tif", "method": "fill", "output": "filled.tif"}),
        ("hydro_flow_direction", {"uri": "filled.tif", "method": "d8", "output": "d8.tif"})]

# The beginning of the text, whether it may ask, and the calls.
TAKEN = {
    'Where the tool has them, frac (share': (FREE, [zonal("classes.tif", "frac"), zonal("warm.tif", "count", "min", "max")]),
    'aggregate_zonal with stats ["frac"], or raster_stats': (FREE, [zonal("classes.tif", "frac"),
                                                                    ("raster_stats", {"uri": "classes.tif", "classes": True})]),
    "raster_stats with histogram_bins": (FREE, [("raster_stats", {"uri": "aspect.tif", "histogram_bins": 36})]),
    "stdev does not depend on it": (WITH_REASON, [zonal("warm.tif", "stdev")]),
    "A mean states the level": (WITH_REASON, [zonal("heights.tif", "mean")]),
    "raster_calc makes amounts of them, 10 ^ (A / 10) of dB, 10 ^ -A of pH; median": (WITH_REASON, [
        ("raster_calc", {"expression": "10 ^ (A / 10)", "inputs": {"A": "radar.tif"}}), zonal("radar.tif", "median")]),
    "raster_calc makes amounts of them, 10 ^ (A / 10) of dB, 10 ^ -A of pH; nearest": (WITH_REASON, [
        ("raster_calc", {"expression": "10 ^ -A", "inputs": {"A": "radar.tif"}}), reproject("radar.tif", HERE, "med", resolution=100)]),
    "mode for codes, sum for totals": (WITH_REASON, [fuse("classes.tif", "mode"), fuse("people.tif", "sum"), fuse("heights.tif", "average")]),
    "max gives what drains": (FREE, [zonal("heights.tif", "max")]),
    "raster_classify maps codes": (FREE, [("raster_classify", {"uri": "classes.tif", "rules": [{"min": 1, "max": 2, "value": 10}], "output": "o.tif"})]),
    "Find out the data's true CRS; src_crs names it": (WITH_REASON, [("vector_reproject", {"uri": "nowhere.gpkg", "src_crs": HERE, "dst_crs": "EPSG:6933",
                                                                  "output": "o.gpkg"})]),
    "raster_convert with dtype Float32": (WITH_REASON, [
        convert("photo.tif", "fractions.tif", dtype="Float32"),
        ("raster_reproject", {"uri": "fractions.tif", "dst_crs": HERE, "resampling": "average", "resolution": 40, "output": "shares.tif"})]),
    "raster_convert with nodata": (WITH_REASON, [
        convert("gaps.tif", "declared.tif", nodata=-9999), zonal("declared.tif", "mean"),
        ("raster_calc", {"expression": "where(A == -9999, nodata(), A)", "inputs": {"A": "gaps.tif"}, "output": "taken_out.tif"}), zonal("taken_out.tif", "mean")]),
    "Declare it in every raster": (WITH_REASON, [
        convert("gaps.tif", "declared.tif", nodata=-9999), composite("mean", "declared.tif", "warm.tif")]),
    "aggregate_temporal with last_valid or count": (FREE, [
        composite("last_valid", "classes.tif", "classes_2.tif", dates=["2023", "2024"]), composite("count", "classes.tif", "classes_2.tif")]),
    "aggregate_temporal with last_valid keeps directions": (FREE, [composite("last_valid", "aspect.tif", "aspect_2.tif", dates=["2023", "2024"])]),
    "Their values are those of single cells": (WITH_REASON, [("aggregate_zonal", {"raster": "warm.tif", **SMALL, "stats": ["mean"]})]),
    "raster_reproject with align_to": (WITH_REASON, [
        reproject("people.tif", HERE, "sum", resolution=285, output="coarse.tif"),
        reproject("coarse.tif", HERE, "sum", align_to="warm.tif", output="fine.tif"),
        ("aggregate_zonal", {"raster": "warm.tif", "zones": "parcels.gpkg", "stats": ["weighted_mean"], "weights": "fine.tif"})]),
    "Take the data from before that step": (WITH_REASON, [zonal("warm.tif", "mean")]),
    "Just looking? raster_preview": (FREE, LOOKS),
    "Leave out src_crs": (FREE, [reproject("warm.tif", HERE, "nearest")]),
    "Choose a CRS whose area of use": (WITH_REASON, [("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:32725"})]),
    "Check the distortion at the edges": (FREE, [("crs_distortion", {"uri": "parcels.gpkg", "crs": "EPSG:32724"})]),
    "Use a projected CRS, or a tool that measures": (WITH_REASON, [
        ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:6933"}), zonal("classes.tif", "frac")]),
    "Use an equal-area CRS, or": (WITH_REASON, [("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:6933"})]),
    "Use the UTM zone of the data; vector_measure": (WITH_REASON, [("vector_measure", {"uri": "parcels.gpkg"}),
                                                                  ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:32725"})]),
    "Use a conformal CRS, such as": (WITH_REASON, [reproject("heights.tif", "EPSG:32725", "bilinear")]),
    "raster_stats shows the least value": (WITH_REASON, [("raster_stats", {"uri": "gaps.tif"}), convert("gaps.tif", "declared.tif", nodata=-9999)]),
    "Lossless compression (deflate": (FREE, [convert("photo.tif", compression="DEFLATE"), convert("photo.tif", compression="ZSTD"),
                                             convert("photo.tif", compression="LZW", dtype="Float32")]),
    "Leave out 'dtype'": (FREE, [convert("warm.tif"), convert("warm.tif", dtype="Float64")]),
    "Give a nodata value that no cell has": (FREE, [convert("photo.tif"), convert("photo.tif", dtype="Int16", nodata=300)]),
    "Scale and offset declared": (FREE, [convert("warm.tif")]),
    "A palette needs Byte or UInt16": (FREE, [convert("warm.tif"), convert("classes.tif")]),
    "A lossless compression (deflate": (FREE, [convert("classes.tif", compression="DEFLATE")]),
    "Use a lossless compression, or accept": (WITH_REASON, [convert("heights.tif", compression="LZW"),
                                                          convert("heights.tif", compression="LERC", max_error=0.01)]),
    "For a look at the terrain": (FREE, [("raster_preview", {"uri": "heights.tif"}), ("raster_stats", {"uri": "heights.tif"})]),
    "breach cuts through what is narrow": (WITH_REASON, [("hydro_condition", {"uri": "heights.tif", "method": "breach"})]),
    "Use a digital elevation model": (WITH_REASON, [("hydro_condition", {"uri": "heights.tif", "method": "fill"})]),
    "raster_query without resolution": (FREE, [query("warm.tif", PART)]),
    "nearest keeps every code": (WITH_REASON, [query("classes.tif", PART, resolution=60, resampling="nearest"),
                                               query("classes.tif", PART, resolution=60, resampling="mode")]),
    "The average of isnodata(A)": (WITH_REASON, [
        ("raster_calc", {"expression": "isnodata(A)", "inputs": {"A": "gaps_marked.tif"}, "dtype": "Float32", "output": "missing.tif"}),
        reproject("missing.tif", HERE, "average", resolution=100)]),
    "nearest keeps the area": (WITH_REASON, [
        reproject("classes.tif", HERE, "nearest", resolution=100),
        ("raster_calc", {"expression": "where(isnodata(A), 0, A)", "inputs": {"A": "classes.tif"}, "output": "whole.tif"}),
        reproject("whole.tif", HERE, "mode", resolution=100)]),
    "nearest and mode keep directions": (WITH_REASON, [query("aspect.tif", PART, resolution=60, resampling="nearest"),
                                                       query("aspect.tif", PART, resolution=60, resampling="mode")]),
    "average keeps the level": (WITH_REASON, [query("heights.tif", PART, resolution=285, resampling="average")]),
    "sum keeps the total, on finer cells as well": (WITH_REASON, [query("people.tif", PART, resolution=285, resampling="sum")]),
    "Derive basins or streams on the grid": (WITH_REASON, [
        *FLOW, ("hydro_watershed", {"directions": "d8.tif", "output": "basins.tif"}),
        reproject("basins.tif", HERE, "mode", resolution=57, output="coarser.tif")]),
    "Take the elevation model from before that step, even": (WITH_REASON, [("hydro_condition", {"uri": "heights.tif", "method": "fill"})]),
    "vector_stats sums the features themselves": (FREE, [("vector_stats", {"uri": "parcels.gpkg", "fields": ["name"]})]),
    "hydro_condition removes them": (WITH_REASON, [
        FLOW[0], ("hydro_flow_accumulation", {"uri": "filled.tif", "method": "d8", "output": "flow.tif"})]),
    "Just looking? Leave out purpose": (FREE, [query("warm.tif", PART)]),
    "Choose an extent the data cover": (WITH_REASON, [query("warm.tif", PART, purpose="how warm the town is")]),
    "Choose an extent that has data": (WITH_REASON, [query("warm.tif", PART, purpose="how warm the town is")]),
    "sum gives what is in the zone": (WITH_REASON, [zonal("people.tif", "sum")]),
    "A tenth of the accuracy": (WITH_REASON, [convert("warm.tif", compression="LERC", max_error=0.01)]),
    "Use the elevation model that they were derived from": (WITH_REASON, [("hydro_condition", {"uri": "heights.tif", "method": "fill"})]),
    "Repair them with vector_validate": (WITH_REASON, [
        ("vector_validate", {"uri": "parcels.gpkg"}), ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:6933"})]),
}
# Conflicts that only warn, and that their advice says how to live with.
STAYS = {"Their values are those of single cells": "zones_smaller_than_a_cell", "Use a lossless compression, or accept": "loss_on_heights"}


def recommended():
    """The texts, from the YAML: a plain or a quoted scalar on one line."""
    for spec in sorted(glob.glob(os.path.join(SPECS, "*.yaml"))):
        with open(spec) as f:
            for line in f:
                found = re.match(r"\s*(?:- )?(?:advice|alternative): (.*)$", line)
                if found:
                    yield found[1].strip("'\n")


class hints(Claims):
    def test_each_recommended_call_runs(self):
        what_is_asked.make(self.workspace)
        texts = list(recommended())
        self.assertGreater(len(texts), 20)
        unused = set(TAKEN)
        for text in texts:
            with self.subTest(text):
                taken = [start for start in TAKEN if text.startswith(start)]
                self.assertEqual(len(taken), 1, "no calls show that this can be done")
                unused.discard(taken[0])
                how, calls = TAKEN[taken[0]]
                with Session("--toolsets", "all", workspace=self.workspace) as s:
                    for tool, arguments in calls:
                        result = self.answered(s, tool, {**arguments, **({"overwrite": True} if "output" in arguments else {})},
                                               how, STAYS.get(taken[0]))
                        good(result)
        self.assertEqual(unused, set(), "calls for texts that no spec has")

    def answered(self, s, tool, arguments, how, stays):
        result = s.call(tool, arguments)
        if result.get("isError") and problem(result)["error"] == "requires_epistemic_justification":
            self.assertEqual(how, WITH_REASON, problem_text(result))
            answers = problem(result)["retry"]["arguments"]["justification"].values()
            named = {c["name"] for a in answers for c in a.get("conflicts", ())}
            self.assertLessEqual(named, {stays}, "the advice leads into a conflict")
            return session.run(s, tool, arguments)
        return result


if __name__ == "__main__":
    session.main()
