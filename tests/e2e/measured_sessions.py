"""Three sessions of ten calls, as an agent would make them that answers every question from the refusal alone. How often it is asked,
and what it reads for that, is printed and bounded."""
import os

import rasters
import session
from session import Claims, Session, fill_in, good, problem

MAX_QUESTIONS, MAX_TOKENS = 2, 2500  # of refusals, in each session
BOX = [290000, 9117000, 292000, 9119000]
VALLEY = [500500, 4198000, 502500, 4199500]


def land_cover(folder):
    rasters.palette(os.path.join(folder, "cover.tif"))
    rasters.byte(os.path.join(folder, "photo.tif"))
    rasters.parcels(os.path.join(folder, "parcels.gpkg"))
    equal_area = {"dst_crs": "EPSG:6933", "resampling": "nearest"}
    return [("raster_info", {"uri": "cover.tif"}),
            ("raster_preview", {"uri": "cover.tif", "size": 128}),
            ("vector_info", {"uri": "parcels.gpkg"}),
            ("raster_stats", {"uri": "cover.tif", "classes": True}),
            ("aggregate_zonal", {"raster": "cover.tif", "zones": "parcels.gpkg", "stats": ["frac"], "output": "shares.csv"}),
            ("aggregate_zonal", {"raster": "cover.tif", "zones": "parcels.gpkg", "stats": ["majority", "variety"]}),
            ("raster_reproject", {"uri": "cover.tif", **equal_area, "output": "equal.tif"}),
            ("raster_reproject", {"uri": "cover.tif", **equal_area, "bounds": BOX, "bounds_crs": "EPSG:31985"}),
            ("raster_stats", {"uri": "equal.tif", "classes": True}),
            ("raster_convert", {"uri": "equal.tif", "driver": "COG", "compression": "DEFLATE", "output": "cog.tif"})]


def hydrology(folder):
    rasters.dem(os.path.join(folder, "dem.tif"))
    to_degrees = rasters.osr.CoordinateTransformation(rasters.crs(32618), rasters.crs(4326))
    outlet, other = ({"type": "Point", "coordinates": to_degrees.TransformPoint(*place)[:2]} for place in ((501500, 4198700), (502000, 4198300)))
    chain = {"uri": "dem.tif", "method": "fill", "threshold_km2": 0.05, "snap": "max_accumulation", "snap_distance": 350}
    return [("raster_info", {"uri": "dem.tif"}),
            ("raster_preview", {"uri": "dem.tif", "size": 128}),
            ("hydro_delineate", {**chain, "outlets": outlet, "output": "basins.gpkg"}),
            ("vector_info", {"uri": "basins.gpkg"}),
            ("hydro_delineate", {**chain, "outlets": other, "output": "others.gpkg"}),
            ("raster_stats", {"uri": "dem.tif"}),
            ("raster_query", {"uri": "dem.tif", "geometry": VALLEY, "purpose": "how high the valley floor lies", "output": "v.tif"}),
            ("aggregate_zonal", {"raster": "dem.tif", "zones": "basins.gpkg", "layer": "basins", "stats": ["count", "min", "max"]}),
            ("map_preview", {"layers": ["dem.tif", {"uri": "basins.gpkg", "layer": "streams"}]}),
            ("raster_convert", {"uri": "v.tif", "compression": "ZSTD", "output": "small.tif"})]


def hydrology_by_steps(folder):
    """Each of the two steps has several methods, so that each is a choice."""
    rasters.dem(os.path.join(folder, "dem.tif"))
    zone = {"type": "Polygon", "coordinates": [[[500500, 4198000], [502500, 4198000], [502500, 4199500], [500500, 4199500],
                                                [500500, 4198000]]]}
    return [("raster_info", {"uri": "dem.tif"}),
            ("raster_preview", {"uri": "dem.tif", "size": 128}),
            ("hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "filled.tif"}),
            ("hydro_flow_direction", {"uri": "filled.tif", "method": "d8", "output": "d8.tif"}),
            ("hydro_flow_accumulation", {"uri": "d8.tif", "unit": "km2", "output": "area.tif"}),
            ("raster_stats", {"uri": "area.tif"}),
            ("raster_query", {"uri": "dem.tif", "geometry": VALLEY, "purpose": "how high the valley floor lies", "output": "v.tif"}),
            ("aggregate_zonal", {"raster": "dem.tif", "zones": zone, "zones_crs": "EPSG:32618", "stats": ["mean", "min", "max"]}),
            ("aggregate_zonal", {"raster": "filled.tif", "zones": zone, "zones_crs": "EPSG:32618", "stats": ["mean"]}),
            ("raster_convert", {"uri": "area.tif", "compression": "ZSTD", "output": "small.tif"})]


def vector(folder):
    rasters.parcels(os.path.join(folder, "parcels.gpkg"))
    return [("vector_info", {"uri": "parcels.gpkg"}),
            ("vector_query", {"uri": "parcels.gpkg", "where": "name = 'parcel 003'"}),
            ("vector_query", {"uri": "parcels.gpkg", "geometry": BOX}),
            ("vector_query", {"uri": "parcels.gpkg", "geometry": BOX, "purpose": "parcels within the reserve"}),
            ("vector_query", {"uri": "parcels.gpkg", "geometry": BOX, "purpose": "parcels within the reserve", "output": "in.gpkg"}),
            ("vector_reproject", {"uri": "in.gpkg", "dst_crs": "EPSG:3857", "output": "web.gpkg"}),
            ("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:3857", "output": "all_web.gpkg"}),
            ("vector_reproject", {"uri": "in.gpkg", "dst_crs": "OGC:CRS84", "output": "in.geojson"}),
            ("vector_reproject", {"uri": "in.gpkg", "dst_crs": "EPSG:32725", "output": "wgs84.gpkg"}),
            ("vector_info", {"uri": "in.geojson"})]


def read_tokens(result):
    return sum(len(c.get("text", "")) for c in result["content"]) / 4


class sessions(Claims):
    def run_through(self, name, calls):
        questions, refusals, results = 0, 0, 0
        with Session(workspace=self.workspace) as s:
            for tool, arguments in calls:
                result = s.call(tool, arguments)
                if result.get("isError"):
                    p = problem(result)
                    self.assertEqual(p["error"], "requires_epistemic_justification", p["message"])
                    questions += len(p["missing"])
                    refusals += read_tokens(result)
                    schemas = {m["domain"]: m["answer_schema"] for m in p["missing"]}
                    again = dict(p["retry"]["arguments"])
                    again["justification"] = {d: fill_in(a, schemas[d]) for d, a in again["justification"].items()}
                    result = s.call(tool, again)
                good(result)
                results += read_tokens(result)
        print(f"{name:12} {len(calls)} calls, {questions} questions, {refusals:.0f} tokens of refusals, {results:.0f} of results")
        return questions, refusals

    def test_an_agent_is_asked_twice_at_most_and_reads_little_for_it(self):
        for make in (land_cover, hydrology, vector):
            with self.subTest(make.__name__):
                calls = make(self.workspace)
                self.assertEqual(len(calls), 10)
                questions, tokens = self.run_through(make.__name__, calls)
                self.assertLessEqual(questions, MAX_QUESTIONS)
                self.assertLessEqual(tokens, MAX_TOKENS)

    def test_hydrology_by_steps_is_asked_about_each_choice_of_a_method(self):
        questions, tokens = self.run_through("by steps", hydrology_by_steps(self.workspace))
        self.assertLessEqual(questions, 4)
        self.assertLessEqual(tokens, 3000)


if __name__ == "__main__":
    session.main()
