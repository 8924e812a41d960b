"""A client that knows nothing but MCP, and reads only the refusal, reaches execution in every domain. Which questions come when, and what
an operator may change, on real data where GDAL_MCP_TEST_DATA has it."""
import filecmp
import functools
import glob
import hashlib
import json
import math
import os
import re
import shutil
import subprocess
import unittest

import numpy

import rasters
import session
from session import Claims, PROGRAM, Session, good, problem, problem_text, skeleton_of

BLOCKED = "requires_epistemic_justification"
ERAS = ("legacy", "modern")
fill_in = functools.partial(session.fill_in, pick=lambda words: words[0])
follow = functools.partial(session.follow, pick=lambda words: words[0])


def real(name, instead):
    """How to put a file of GDAL_MCP_TEST_DATA at a path, or a small one made by script: where there is none, and under
    sanitizers, where measuring real data takes minutes."""
    source = os.path.join(rasters.TEST_DATA, name)
    there = rasters.TEST_DATA and os.path.exists(source) and not os.environ.get("GDAL_MCP_SANITIZED")
    return (lambda path: shutil.copy(source, path)) if there else instead


def middle(path):
    """The middle of a raster: a box in its own CRS, and that CRS."""
    raster = rasters.gdal.Open(path)
    x0, dx, _, y0, _, dy = raster.GetGeoTransform()
    w, h = dx * raster.RasterXSize, dy * raster.RasterYSize
    xs, ys = (x0 + 0.4 * w, x0 + 0.6 * w), (y0 + 0.4 * h, y0 + 0.6 * h)
    return [min(xs), min(ys), max(xs), max(ys)], f"EPSG:{raster.GetSpatialRef().GetAuthorityCode(None)}"


def polygon(minx, miny, maxx, maxy):
    return {"type": "Polygon", "coordinates": [[[minx, miny], [maxx, miny], [maxx, maxy], [minx, maxy], [minx, miny]]]}


def zone(raster):
    """The middle of a raster as zones of aggregate_zonal."""
    bounds, crs = middle(raster)
    return {"zones": polygon(*bounds), "zones_crs": crs}


DEM = real("dem/bigtujunga.tif", rasters.dem)
CLASSES = real("zion/nlcd.tif", rasters.palette)
SCENE = real("olinda/L7_ETMs.tif", rasters.rgba)
AREAS = real("world/nc_counties_nad27.gpkg", rasters.parcels)


# For each domain, a call that needs its reason and no other.

def crs_datum(folder):
    AREAS(os.path.join(folder, "areas.gpkg"))
    return "vector_reproject", {"uri": "areas.gpkg", "dst_crs": "EPSG:3857", "output": "out.gpkg"}


def resampling(folder):
    CLASSES(os.path.join(folder, "classes.tif"))
    _, crs = middle(os.path.join(folder, "classes.tif"))
    return "raster_reproject", {"uri": "classes.tif", "dst_crs": crs, "resampling": "mode", "resolution": 100, "output": "out.tif"}


def spatial_query(folder):
    DEM(os.path.join(folder, "dem.tif"))
    bounds, _ = middle(os.path.join(folder, "dem.tif"))
    return "raster_query", {"uri": "dem.tif", "geometry": bounds, "purpose": "height of the valley floor", "output": "out.tif"}


def hydrology(folder):
    """One method is on offer, so only what the data speak against is asked about: these look like a scene."""
    rasters.uint16(os.path.join(folder, "dem.tif"))
    return "hydro_condition", {"uri": "dem.tif", "band": 1, "method": "fill", "nodata_holes": "outlet", "output": "out.tif"}


def aggregation(folder):
    heights = os.path.join(folder, "heights.tif")
    rasters.write(heights, [rasters.waves(230, 170, 100, 900).astype("float32")], rasters.gdal.GDT_Float32)
    return "aggregate_zonal", {"raster": "heights.tif", **zone(heights), "stats": ["mean"], "output": "out.csv"}


def format_selection(folder):
    SCENE(os.path.join(folder, "scene.tif"))
    return "raster_convert", {"uri": "scene.tif", "bands": [1, 2, 3], "compression": "JPEG", "quality": 80, "output": "out.tif"}


DOMAINS = {make.__name__: make for make in (crs_datum, resampling, spatial_query, hydrology, aggregation, format_selection)}


def receipts(result):
    return {r["domain"]: r for r in result["_meta"]["io.gdal-mcp/receipts"]}


def decisions(result):
    return {domain: r["decision"] for domain, r in receipts(result).items()}


def filled(bounce):
    """The call to repeat after a bounce, with its empty strings filled in from the answer's schema alone."""
    schemas = {m["domain"]: m["answer_schema"] for m in bounce["missing"]}
    arguments = dict(bounce["retry"]["arguments"])
    arguments["justification"] = {d: fill_in(a, schemas[d]) for d, a in arguments["justification"].items()}
    return bounce["retry"]["tool"], arguments


def empty_places(skeleton, place=""):
    """The places of a skeleton that are empty strings, as a refusal names them: choice.rationale, alternatives[0].method."""
    if isinstance(skeleton, dict):
        return [p for k, v in skeleton.items() for p in empty_places(v, f"{place}.{k}" if place else k)]
    if isinstance(skeleton, list):
        return [p for i, v in enumerate(skeleton) for p in empty_places(v, f"{place}[{i}]")]
    return [place] if skeleton == "" else []


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


class bounced(Claims):
    """Claims about calls that need a reason."""

    def session(self, *arguments, era="legacy"):
        return Session(*arguments, workspace=self.workspace, era=era)

    def refused(self, s, tool, arguments):
        """The bounce of a call, after checking what every bounce has."""
        result = s.call(tool, arguments)
        bounce = problem(result)
        self.assertEqual(bounce["error"], BLOCKED, problem_text(result))
        domains = len(bounce["missing"])
        self.assertLessEqual(len(result["content"][0]["text"]), 600 + 400 * domains)
        own = len(json.dumps(arguments)) + sum(2 * len(json.dumps(m["prompt_args"])) for m in bounce["missing"])
        self.assertLessEqual(len(result["content"][1]["text"].encode()) - own, 2200 * domains)
        self.assertEqual({m["domain"] for m in bounce["missing"]}, set(bounce["retry"]["arguments"]["justification"]))
        return bounce

    def accepted(self, s, tool, arguments):
        """The result of a refused call after following its `retry`."""
        result = s.call(*filled(self.refused(s, tool, arguments)))
        good(result)
        return result

    def policy(self, text):
        path = os.path.join(self.folder.name, "policy.yaml")
        with open(path, "w") as f:
            f.write(text)
        return "--policy", path

    def reflect(self, *arguments):
        done = subprocess.run([PROGRAM, "reflect", *arguments], capture_output=True, text=True, cwd=self.workspace,
                              stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def fresh(self, name):
        """A folder inside the workspace's temporary folder, as the workspace from now on."""
        self.workspace = os.path.join(os.path.realpath(self.folder.name), name)
        os.mkdir(self.workspace)
        return self.workspace


def in_every_domain_and_era(claim):
    """claim(self, domain, session, tool, arguments), each in a workspace of its own."""
    @functools.wraps(claim)
    def test(self):
        for domain, make in DOMAINS.items():
            for era in ERAS:
                with self.subTest(domain=domain, era=era):
                    tool, arguments = make(self.fresh(f"{domain}-{era}"))
                    with self.session(era=era) as s:
                        claim(self, domain, s, tool, arguments)
    return test


class every_domain(bounced):
    @in_every_domain_and_era
    def test_the_retry_filled_in_runs_and_the_second_call_is_not_asked(self, domain, s, tool, arguments):
        before = self.files()
        bounce = self.refused(s, tool, arguments)
        self.assertEqual([m["domain"] for m in bounce["missing"]], [domain])
        self.assertEqual(self.files(), before, "a refused call writes nothing")
        again, answered = filled(bounce)
        self.assertEqual({**answered, **arguments}, answered, "the retry is the call itself")
        first = s.call(again, answered)
        good(first)
        second = s.call(tool, {**arguments, "output": "second" + os.path.splitext(arguments["output"])[1]})
        good(second)
        self.assertEqual([decisions(r)[domain] for r in (first, second)], ["proceed", "proceed"])

    @in_every_domain_and_era
    def test_each_submit_filled_in_lets_the_call_run_as_it_was(self, domain, s, tool, arguments):
        follow(s, self.refused(s, tool, arguments))
        result = s.call(tool, arguments)
        good(result)
        receipt = receipts(result)[domain]
        self.assertEqual(receipt["decision"], "proceed")
        self.assertEqual(receipt["justification_ref"], f"justification://{domain}/{receipt['input_hash']}")
        kept = s.request("resources/read", {"uri": receipt["justification_ref"]})["result"]["contents"][0]["text"]
        self.assertEqual(json.loads(kept)["cache_key"], receipt["input_hash"])

    @in_every_domain_and_era
    def test_the_skeleton_sent_unchanged_is_refused_naming_each_empty_field(self, domain, s, tool, arguments):
        bounce = self.refused(s, tool, arguments)
        missing = bounce["missing"][0]
        skeleton, submit = skeleton_of(bounce, missing), missing["submit"]
        self.assertEqual(submit["arguments"]["justification"], {})
        for sent in (bounce["retry"], {**submit, "arguments": {**submit["arguments"], "justification": skeleton}}):
            refusal = problem(s.call(sent["tool"], sent["arguments"]))
            self.assertEqual(refusal["error"], "invalid_justification")
            places = empty_places(skeleton)
            self.assertGreaterEqual(len(places), 5)
            named = refusal["message"].split("empty in the justification: ")[1].split(", ")
            self.assertEqual(sorted(named), sorted(places))
        self.refused(s, tool, arguments)  # and nothing of it was kept

    @in_every_domain_and_era
    def test_what_the_user_chose_takes_fewer_words_and_is_recorded_as_such(self, domain, s, tool, arguments):
        bounce = self.refused(s, tool, arguments)
        answer = fill_in(skeleton_of(bounce, bounce["missing"][0]), bounce["missing"][0]["answer_schema"])
        answer |= {"chosen_by": "user", "alternatives": []}
        result = s.call(tool, {**arguments, "justification": {domain: answer}})
        good(result)
        self.assertIn("chosen by the user", " ".join(receipts(result)[domain]["notes"]))

    @in_every_domain_and_era
    def test_preflight_tells_the_same_question_and_the_same_retry(self, domain, s, tool, arguments):
        told = good(s.call("preflight", {"tool": tool, "arguments": arguments}))
        bounce = self.refused(s, tool, arguments)
        self.assertFalse(told["runs"])
        whole = [d["missing"] for d in told["domains"] if d["decision"] == "block"]
        for name in ("domain", "input_hash", "prompt_args", "methodology_ref"):
            self.assertEqual([m[name] for m in whole], [m[name] for m in bounce["missing"]])
        self.assertEqual(whole[0]["submit"]["arguments"]["justification"], {})
        self.assertLessEqual(len(canonical(told)), 6000)
        self.assertIn("description", whole[0]["answer_schema"]["properties"]["intent"])
        self.assertEqual(told["retry"]["arguments"]["justification"], bounce["retry"]["arguments"]["justification"])


class long_arguments(bounced):
    def test_an_outline_of_many_corners_is_not_repeated(self):
        heights = self.path("dem.tif")
        rasters.dem(heights)
        bounds, crs = middle(heights)
        x, y, radius = (bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2, (bounds[2] - bounds[0]) / 2
        ring = [[x + radius * math.cos(math.tau * i / 3000), y + radius * math.sin(math.tau * i / 3000)] for i in range(3000)]
        arguments = {"uri": "dem.tif", "geometry": {"type": "Polygon", "coordinates": [ring + ring[:1]]}, "geometry_crs": crs,
                     "purpose": "height of the valley floor", "output": "out.tif"}
        with self.session() as s:
            result = s.call("raster_query", arguments)
            bounce = problem(result)
            self.assertEqual(bounce["error"], BLOCKED)
            self.assertLessEqual(len(result["content"][1]["text"].encode()), 2200)
            self.assertIn("put back 'geometry'", bounce["hint"])
            told = good(s.call("preflight", {"tool": "raster_query", "arguments": arguments}))
            self.assertLessEqual(len(canonical(told)), 6000)
            # Sent as it is, the retry is another call's: it fails, and does not run on another area.
            tool, unfinished = filled(bounce)
            self.assertEqual(problem(s.call(tool, unfinished))["error"], "denied")
            good(s.call(tool, {**unfinished, "geometry": arguments["geometry"]}))

    def test_a_dataset_that_limits_a_query_is_named_and_its_digest_takes_no_room(self):
        CLASSES(self.path("classes.tif"))
        bounds, crs = middle(self.path("classes.tif"))
        made = rasters.ogr.GetDriverByName("GPKG").CreateDataSource(self.path("park.gpkg"))
        layer = made.CreateLayer("park", rasters.crs(int(crs.split(":")[1])), rasters.ogr.wkbPolygon)
        feature = rasters.ogr.Feature(layer.GetLayerDefn())
        feature.SetGeometry(rasters.ogr.CreateGeometryFromJson(json.dumps(polygon(*bounds))))
        layer.CreateFeature(feature)
        del feature, layer, made
        with self.session() as s:
            result = s.call("raster_query", {"uri": "classes.tif", "geometry": "park.gpkg", "purpose": "forest in the park"})
            self.assertIn("- spatial_query: extent park.gpkg (geometry)", result["content"][0]["text"])
            self.assertLessEqual(len(result["content"][1]["text"].encode()), 2200)

    def test_a_reason_of_another_place_and_a_conflict_take_no_more_room(self):
        rain = numpy.random.default_rng(31).gamma(1, 10, (120, 120)).astype("float32")
        for name, zone in (("here.tif", 32633), ("away.tif", 32618)):
            rasters.write(self.path(name), [rain], rasters.gdal.GDT_Float32, zone, (5e5, 30, 0, 5e6, 0, -30))
            made = rasters.gdal.Open(self.path(name), rasters.gdal.GA_Update)
            made.GetRasterBand(1).SetUnitType("mm")
            del made
        to_europe = {"dst_crs": "EPSG:3035", "resampling": "average", "resolution": [90, 90]}
        with self.session() as s:
            good(session.run(s, "raster_reproject", {"uri": "here.tif", "output": "a.tif", **to_europe}))
            result = s.call("raster_reproject", {"uri": "away.tif", "output": "b.tif", **to_europe})
            self.assertEqual([e["domain"] for e in problem(result)["missing"]], ["crs_datum"])
            self.assertIn("Conflict outside_area_of_use", result["content"][0]["text"])
            self.assertLessEqual(len(result["content"][1]["text"].encode()), 2200)

    def test_of_a_long_file_name_a_crowded_question_keeps_the_ends(self):
        name = "Landbedeckung_Nordrhein-Westfalen_Übersicht_2018_überarbeitet_v2_endgültig_korrigiert_klassen.tif"
        codes = numpy.kron(numpy.random.default_rng(1).integers(1, 9, (17, 23)), numpy.ones((10, 10))).astype("int16")
        codes[:70] = -9999
        rasters.write(self.path(name), [codes], rasters.gdal.GDT_Int16, 25832, (4e5, 30, 0, 5.7e6, 0, -30))
        with self.session() as s:
            call = {"uri": name, "dst_crs": "EPSG:25831", "resampling": "bilinear", "output": "o.tif"}
            text = s.call("raster_reproject", call)["content"][0]["text"]
        for said in ("Conflict undeclared_nodata: the value -9999 fills", "Landbedeckung_No…iert_klassen.tif and is not declared as nodata"):
            self.assertIn(said, text)
        self.assertLessEqual(len(text.encode()), 1400)

    def test_the_wkt_of_a_crs_without_a_code_is_named_in_sentences(self):
        CLASSES(self.path("classes.tif"))
        albers = rasters.osr.SpatialReference()
        albers.ImportFromProj4("+proj=aea +lat_1=30 +lat_2=40 +lat_0=35 +lon_0=-112 +datum=NAD83 +units=m")
        albers.SetProjCS("Albers of the park")
        wkt = albers.ExportToWkt(["FORMAT=WKT2_2019", "MULTILINE=NO"])
        self.assertGreater(len(wkt), 1000)
        with self.session() as s:
            for given in ({"dst_crs": wkt}, {"dst_crs": "EPSG:3857", "src_crs": wkt}):
                result = s.call("raster_reproject", {"uri": "classes.tif", "resampling": "mode", "output": "out.tif",
                                                     "overwrite": True, **given})
                bounce = problem(result)
                self.assertEqual(bounce["error"], BLOCKED, bounce)
                self.assertIn('CRS "Albers of the park" (sha256 ', result["content"][0]["text"])
                self.assertNotIn("PARAMETER", result["content"][0]["text"] + result["content"][1]["text"])
                self.assertLessEqual(len(result["content"][1]["text"].encode()), 2 * 2200 + 200)
                name, = given.keys() - ({"dst_crs"} if "src_crs" in given else set())
                tool, again = filled(bounce)
                good(s.call(tool, {**again, name: wkt}))

class two_domains(bounced):
    def test_the_skeleton_of_both_sent_unchanged_names_the_empty_fields_of_both(self):
        rasters.palette(self.path("classes.tif"))
        with self.session() as s:
            retry = self.refused(s, "raster_reproject", {"uri": "classes.tif", "dst_crs": "EPSG:3857", "resampling": "mode",
                                                         "output": "out.tif"})["retry"]
            refusal = problem(s.call(retry["tool"], retry["arguments"]))
            for domain, skeleton in retry["arguments"]["justification"].items():
                self.assertIn(f"{domain}: empty in the justification: ", refusal["message"])
                told = refusal["message"].split(f"{domain}: empty in the justification: ")[1].split("; ")[0]
                self.assertEqual(sorted(told.split(", ")), sorted(empty_places(skeleton)))

    def test_one_good_and_one_empty_answer_keep_nothing(self):
        rasters.palette(self.path("classes.tif"))
        with self.session() as s:
            bounce = self.refused(s, "raster_reproject", {"uri": "classes.tif", "dst_crs": "EPSG:3857", "resampling": "mode",
                                                          "output": "out.tif"})
            tool, arguments = filled(bounce)
            arguments["justification"]["resampling"] = bounce["retry"]["arguments"]["justification"]["resampling"]
            self.assertEqual(problem(s.call(tool, arguments))["error"], "invalid_justification")
            again = self.refused(s, tool, {k: v for k, v in arguments.items() if k != "justification"})
            self.assertEqual({m["domain"] for m in again["missing"]}, {"crs_datum", "resampling"})


class a_call_that_fails(bounced):
    def test_the_reason_sent_with_it_is_stored_and_the_answer_says_so(self):
        rasters.palette(self.path("classes.tif"))
        call = {"uri": "classes.tif", "dst_crs": "EPSG:3857", "resampling": "nearest", "resolution": 0.5, "output": "out.tif"}
        with self.session("--file-size", "1") as s:  # MiB, which no refusal before the question foresees
            tool, arguments = filled(self.refused(s, "raster_reproject", call))
            failed = problem(s.call(tool, arguments))
            self.assertEqual(failed["error"], "exhausted")
            self.assertIn("the reason sent with this call is stored (crs_datum, resampling): leave justification out", failed["hint"])

    def test_so_does_a_refusal_of_what_no_further_reason_would_let_run(self):
        rasters.palette(self.path("classes.tif"))
        call = {"uri": "classes.tif", "dst_crs": "EPSG:3857", "resampling": "mode", "output": "out.tif"}
        with self.session() as s:
            tool, arguments = filled(self.refused(s, "raster_reproject", call))
            del arguments["justification"]["resampling"]
            refusal = problem(s.call(tool, {**arguments, "bounds": [0, 0, 1000, 1000]}))
            self.assertEqual(refusal["error"], "invalid_argument")
            self.assertIn("bounds", refusal["message"] + refusal["hint"])
            self.assertIn("the reason sent with this call is stored (crs_datum): leave justification out", refusal["hint"])
            asked = self.refused(s, tool, call)
            self.assertEqual([m["domain"] for m in asked["missing"]], ["resampling"])


class what_is_not_asked(bounced):
    def test_the_same_crs_in_and_out(self):
        rasters.parcels(self.path("parcels.gpkg"))
        rasters.byte(self.path("scene.tif"))
        with self.session() as s:
            moved = s.call("vector_reproject", {"uri": "parcels.gpkg", "dst_crs": f"epsg:{rasters.UTM}", "output": "same.gpkg"})
            good(moved)
            self.assertEqual(decisions(moved), {"crs_datum": "not_needed"})
            asked = self.refused(s, "raster_reproject", {"uri": "scene.tif", "dst_crs": f"EPSG:{rasters.UTM}",
                                                         "resampling": "average", "resolution": 57, "output": "coarse.tif"})
            self.assertEqual([m["domain"] for m in asked["missing"]], ["resampling"])

    def test_counting_features_and_cells(self):
        rasters.parcels(self.path("parcels.gpkg"))
        rasters.byte(self.path("scene.tif"))
        with self.session() as s:
            box = [289000, 9116000, 292000, 9119000]
            found = s.call("vector_query", {"uri": "parcels.gpkg", "geometry": box})
            self.assertEqual(good(found)["feature_count"], 9)
            self.assertEqual(decisions(found), {"crs_datum": "not_needed", "spatial_query": "not_needed"})
            counted = s.call("aggregate_zonal", {"raster": "scene.tif", "zones": "parcels.gpkg", "stats": ["count", "min", "max"]})
            good(counted)
            self.assertEqual(decisions(counted), {"aggregation": "not_needed"})

    def test_what_admits_no_other_statistic(self):
        CLASSES(self.path("classes.tif"))
        rasters.dem(self.path("dem.tif"))
        with self.session() as s:
            for stats in (["frac"], ["frac", "count", "min"], ["majority"], ["mode", "variety", "minority", "frac"]):
                found = s.call("aggregate_zonal", {"raster": "classes.tif", **zone(self.path("classes.tif")), "stats": stats})
                good(found)
                self.assertEqual(decisions(found), {"aggregation": "not_needed"})
            for raster, stats in (("dem.tif", ["majority"]), ("classes.tif", ["majority", "median"])):
                self.refused(s, "aggregate_zonal", {"raster": raster, **zone(self.path(raster)), "stats": stats})


class kind_of_data(bounced):
    BOX = (289500, 9117000, 292000, 9119000)
    MEAN = {"raster": "scene.tif", "zones": polygon(*BOX), "zones_crs": f"EPSG:{rasters.UTM}"}

    def asks_for_kind(self, s, arguments):
        bounce = self.refused(s, "aggregate_zonal", arguments)
        return "kind" in bounce["missing"][0]["answer_schema"]["properties"].get("facts", {}).get("properties", {})

    def test_it_is_asked_once_and_known_after_a_restart_for_a_copy_and_for_another_domain(self):
        rasters.byte(self.path("scene.tif"))
        with self.session() as s:
            bounce = self.refused(s, "aggregate_zonal", {**self.MEAN, "stats": ["mean"]})
            tool, arguments = filled(bounce)
            answer = arguments["justification"]["aggregation"]
            self.assertEqual(list(answer["facts"]), ["kind"])
            answer["facts"]["kind"] = "ratio"
            good(s.call(tool, arguments))
            self.assertFalse(self.asks_for_kind(s, {**self.MEAN, "stats": ["median"]}))
        shutil.copy(self.path("scene.tif"), self.path("copy.tif"))
        with self.session() as s:
            for name in ("scene.tif", "copy.tif"):
                self.assertFalse(self.asks_for_kind(s, {**self.MEAN, "raster": name, "stats": ["stdev"]}), name)
            known = self.refused(s, "raster_query", {"uri": "copy.tif", "geometry": list(self.BOX), "resolution": 60,
                                                     "resampling": "average"})["missing"][0]
            self.assertEqual(known["submit"]["arguments"]["scope"]["kind"], "ratio")
            rasters.int16_nodata(self.path("other.tif"))
            self.assertTrue(self.asks_for_kind(s, {**self.MEAN, "raster": "other.tif", "stats": ["sum"]}))


    def test_two_vrts_of_one_text_are_as_many_datasets_as_their_sources(self):
        """Of rasters and, as an extent, of layers."""
        for folder, east in (("a", 0), ("b", 1000), ("moved", 0)):
            os.mkdir(self.path(folder))
            cells = rasters.waves(230, 170, 1, 250, 1 + east).astype("uint8")
            rasters.write(self.path(os.path.join(folder, "t.tif")), [cells], rasters.gdal.GDT_Byte)
            made = rasters.ogr.GetDriverByName("GPKG").CreateDataSource(self.path(os.path.join(folder, "z.gpkg")))
            layer = made.CreateLayer("z", rasters.crs(rasters.UTM), rasters.ogr.wkbPolygon)
            feature = rasters.ogr.Feature(layer.GetLayerDefn())
            feature.SetGeometry(rasters.ogr.CreateGeometryFromJson(json.dumps(polygon(289500 + east, 9118000, 290500 + east, 9119000))))
            layer.CreateFeature(feature)
            del feature, layer, made
            vrt = rasters.gdal.BuildVRT(self.path(os.path.join(folder, "t.vrt")), [self.path(os.path.join(folder, "t.tif"))])
            del vrt
            with open(self.path(os.path.join(folder, "z.vrt")), "w") as f:
                f.write('<OGRVRTDataSource><OGRVRTLayer name="z"><SrcDataSource relativeToVRT="1">z.gpkg</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>')
        for name in ("t.vrt", "z.vrt"):
            self.assertTrue(filecmp.cmp(*(self.path(os.path.join(folder, name)) for folder in ("a", "b")), shallow=False))
        for name in ("t.tif", "z.gpkg"):
            shutil.copy(self.path(os.path.join("a", name)), self.path(os.path.join("moved", name)))
        with self.session() as s:
            tool, arguments = filled(self.refused(s, "aggregate_zonal", {**self.MEAN, "raster": "a/t.vrt", "stats": ["mean"]}))
            arguments["justification"]["aggregation"]["facts"]["kind"] = "ratio"
            good(s.call(tool, arguments))
            for folder, asks in (("a", False), ("moved", False), ("b", True)):
                self.assertEqual(self.asks_for_kind(s, {**self.MEAN, "raster": folder + "/t.vrt", "stats": ["median"]}), asks, folder)
            park = {"uri": "a/t.tif", "purpose": "the park", "output": "o.tif", "overwrite": True}
            self.accepted(s, "raster_query", {**park, "geometry": "a/z.vrt"})
            good(s.call("raster_query", {**park, "geometry": "moved/z.vrt"}))
            self.refused(s, "raster_query", {**park, "geometry": "b/z.vrt"})


class other_circumstances(bounced):
    def test_a_reason_given_elsewhere_runs_and_is_looked_at_again_unless_the_error_there_is_twice_as_large(self):
        rasters.parcels(self.path("brazil.gpkg"))
        rasters.parcels(self.path("africa.gpkg"), epsg=32733)  # as far south
        rasters.parcels(self.path("arctic.gpkg"), epsg=32633, easting=500000)  # 82 N, where Web Mercator is 50 times too large
        with self.session() as s:
            call = {"uri": "brazil.gpkg", "dst_crs": "EPSG:3857", "output": "a.gpkg"}
            self.accepted(s, "vector_reproject", call)
            result = s.call("vector_reproject", {**call, "uri": "africa.gpkg", "output": "b.gpkg"})
            warnings = good(result)["warnings"]
            self.assertEqual(decisions(result), {"crs_datum": "revisit"})
            self.assertTrue(any("outside its scope: bbox is" in w for w in warnings), warnings)
            bounce = self.refused(s, "vector_reproject", {**call, "uri": "arctic.gpkg", "output": "c.gpkg"})
            self.assertIn("areal error is", " ".join(bounce["missing"][0]["changed"]))

    def test_a_reason_for_cells_of_the_same_size_is_looked_at_again_for_coarse_ones_however_they_are_named(self):
        rasters.byte(self.path("fine.tif"))
        source = rasters.gdal.Open(self.path("fine.tif"))
        columns, cell = source.RasterXSize, source.GetGeoTransform()[1]
        rasters.gdal.Translate(self.path("coarse.tif"), source, width=columns // 10, resampleAlg="nearest")
        call = {"uri": "fine.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resampling": "nearest", "overwrite": True, "output": "out.tif"}
        with self.session() as s:
            self.accepted(s, "raster_reproject", {**call, "resolution": 1.1 * cell})
            for grid in ({"resolution": [10 * cell]}, {"resolution": [10 * cell, 10 * cell]}, {"width": columns // 10},
                         {"align_to": "coarse.tif"}):
                with self.subTest(grid):
                    result = s.call("raster_reproject", {**call, **grid})
                    self.assertEqual(decisions(result)["resampling"], "revisit")
                    self.assertIn("64+", " ".join(good(result)["warnings"]))
                    bounce = self.refused(s, "raster_reproject", {**call, **grid, "resampling": "mode"})
                    said = next(m for m in bounce["missing"] if m["domain"] == "resampling")["evidence"]
                    support = next(e["figures"]["support"] for e in said if e["name"] == "resampling_trial")
                    self.assertAlmostEqual(support, 100, delta=3)

    def test_one_sentence_says_that_it_holds_there_too(self):
        rasters.parcels(self.path("brazil.gpkg"))
        rasters.parcels(self.path("arctic.gpkg"), epsg=32633, easting=500000)
        strict = self.policy("domains: {crs_datum: {revisit: block}}\n")
        with self.session(*strict) as s:
            call = {"uri": "brazil.gpkg", "dst_crs": "EPSG:3857", "output": "a.gpkg"}
            self.accepted(s, "vector_reproject", call)
            elsewhere = {**call, "uri": "arctic.gpkg", "output": "b.gpkg"}
            bounce = self.refused(s, "vector_reproject", elsewhere)
            self.assertIn("still_holds", bounce["retry"]["arguments"]["justification"]["crs_datum"])
            self.assertIn("bbox is", " ".join(bounce["missing"][0]["changed"]))
            self.assertEqual(decisions(s.call(*filled(bounce))), {"crs_datum": "proceed"})
            good(s.call("vector_reproject", {**call, "output": "c.gpkg"}))  # the first place is still covered
        self.assertIn("Confirmed by the agent", self.reflect("export", "--format", "markdown", self.path("b.gpkg")))
        self.reflect("revoke", bounce["missing"][0]["input_hash"])
        text = self.reflect("export", "--format", "markdown", self.path("b.gpkg"))
        self.assertIn("Confirmed by the agent", text)
        self.assertIn("This reason was withdrawn on 20", text)

    def test_a_confirmation_for_points_leaves_the_reason_for_cells_as_it_was(self):
        rasters.dem(self.path("dem.tif"))
        rasters.write(self.path("warm.tif"), [rasters.waves(230, 170, 5, 30)], rasters.gdal.GDT_Float64, epsg=rasters.UTM)
        file = rasters.gdal.Open(self.path("warm.tif"), rasters.gdal.GA_Update)
        file.GetRasterBand(1).SetUnitType("degC")
        del file
        points = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"v": n}, "geometry": {"type": "Point", "coordinates": [10 + n / 1000, 50]}} for n in range(9)]}
        with self.session("--toolsets", "all") as s:
            mean = lambda name: ("aggregate_zonal", {"raster": name, **zone(self.path(name)), "stats": ["mean"]})
            self.accepted(s, *mean("dem.tif"))
            good(s.call(*mean("warm.tif")))
            bounce = self.refused(s, "aggregate_grid", {"uri": points, "size": 1000, "statistic": "mean", "value": "v", "output": "grid.gpkg"})
            self.assertIn("still_holds", bounce["retry"]["arguments"]["justification"]["aggregation"])
            good(s.call(*filled(bounce)))
            self.assertEqual(decisions(s.call(*mean("warm.tif"))), {"aggregation": "revisit"})

    def test_a_record_somebody_edited_is_a_miss(self):
        rasters.parcels(self.path("parcels.gpkg"))
        call = {"uri": "parcels.gpkg", "dst_crs": "EPSG:3857", "output": "a.gpkg", "overwrite": True}
        with self.session() as s:
            reference = receipts(self.accepted(s, "vector_reproject", call))["crs_datum"]["justification_ref"]
        record = self.path(".preflight/justifications/crs_datum/" + reference.rsplit("/", 1)[1] + ".json")
        with open(record) as f:
            text = f.read()
        for what, changed in (("edited", text.replace("because", "perhaps")), ("cut", text[:200]), ("empty", "")):
            with self.subTest(what), open(record, "w") as f:
                f.write(changed)
                f.flush()
                with self.session() as s:
                    result = s.call("preflight", {"tool": "vector_reproject", "arguments": call})
                    told = good(result)["domains"][0]
                    self.assertEqual(told["decision"], "block")
                    self.assertTrue(any(reference.rsplit("/", 1)[1] in note for note in told["notes"]), told["notes"])
                    self.refused(s, "vector_reproject", call)
        with self.session() as s:
            self.accepted(s, "vector_reproject", call)  # a new answer takes its place

    def test_two_hosts_on_one_workspace_share_what_each_is_told(self):
        rasters.parcels(self.path("parcels.gpkg"))
        call = {"uri": "parcels.gpkg", "dst_crs": "EPSG:3857", "output": "a.gpkg", "overwrite": True}
        with self.session() as one, self.session(era="modern") as two:
            self.refused(two, "vector_reproject", call)
            key = receipts(self.accepted(one, "vector_reproject", call))["crs_datum"]["input_hash"]
            self.assertEqual(decisions(two.call("vector_reproject", call)), {"crs_datum": "proceed"})
            self.reflect("revoke", key)
            for s in (one, two):
                self.refused(s, "vector_reproject", call)


class measured_facts(unittest.TestCase):
    def test_every_measured_fact_a_spec_speaks_of_is_one_that_its_provider_tells(self):
        share = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(PROGRAM))), "share/gdal-mcp")
        tools = {}
        for manifest in glob.glob(os.path.join(share, "bundles/*/manifest.json")):
            with open(manifest) as f:
                tools.update({t["name"]: t for t in json.load(f)["tools"]})
        spoken_of = 0
        for spec in glob.glob(os.path.join(share, "reflection-specs/*.yaml")):
            with open(spec) as f:
                text = f.read()
                renamed = dict(re.findall(r"- name: (\w+)\n +tool: (\w+)", text))
                for provider, path in re.findall(r"/evidence/([a-z_]+)/([a-z_/]+)", text):
                    with self.subTest(spec=os.path.basename(spec), fact=f"/evidence/{provider}/{path}"):
                        told = tools[renamed.get(provider, provider)]["output_schema"]
                        for name in path.split("/"):
                            self.assertIn(name, told["properties"])
                            told = told["properties"][name]
                    spoken_of += 1
        self.assertGreater(spoken_of, 5)


class conflicts(bounced):
    """A choice that contradicts the data is reported at once, with the two facts that disagree; a reason that accepts it counts."""

    def check(self, name, tool, arguments, *facts):
        with self.session() as s:
            bounce = self.refused(s, tool, arguments)
            found = {c["check"]: c["text"] for m in bounce["missing"] for c in m.get("conflicts", [])}
            self.assertEqual(list(found), [name])
            for fact in facts:
                self.assertIn(fact, found[name])
            result = s.call(*filled(bounce))
            warnings = good(result)["warnings"]
            self.assertTrue(any(found[name] in w for w in warnings), warnings)
            again = s.call(tool, {**arguments, "overwrite": True})
            self.assertTrue(any(found[name] in w for w in good(again)["warnings"]))
            self.assertTrue(any(found[name] in note for r in receipts(again).values() for note in r["notes"]))

    def test_smoothing_a_raster_with_a_palette(self):
        CLASSES(self.path("classes.tif"))
        self.check("smoothing_of_codes", "raster_reproject", {"uri": "classes.tif", "dst_crs": "EPSG:3857",
                                                              "resampling": "bilinear", "output": "out.tif"},
                   "classes.tif holds codes (it has a palette)", "bilinear treats codes as quantities")

    def test_coarser_cells_that_fill_what_has_no_data(self):
        """Of 3 x 3 cells of which 30 % have data, hardly any block has none: 1 - 0.7^9 = 96 %, 3.2 times as many."""
        forest = (rasters.numpy.random.default_rng(5).random((300, 300)) < 0.3).astype("uint8")
        rasters.write(self.path("forest.tif"), [forest], rasters.gdal.GDT_Byte, nodata=0, palette={1: (0, 99, 0, 255)})
        call = {"uri": "forest.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resolution": 85.5, "output": "out.tif"}
        self.check("fills_missing", "raster_reproject", {**call, "resampling": "mode"}, "mode gives values to 3.2", "x as many cells of forest.tif")
        made = rasters.gdal.Open(self.path("out.tif")).ReadAsArray()
        nearest = forest[1::3, 1::3]
        self.assertAlmostEqual((made == 1).sum() / (nearest == 1).sum(), 3.2, delta=0.1)
        # Of measurements the mean of what data there are is told, not asked about.
        rasters.write(self.path("warm.tif"), [rasters.numpy.where(forest == 1, rasters.waves(300, 300, 5, 30), -9999)], rasters.gdal.GDT_Float32, nodata=-9999)
        with self.session() as s:
            made = session.run(s, "raster_reproject", {**call, "uri": "warm.tif", "resampling": "average", "output": "mean.tif"})
            self.assertIn("average gives values to 3.2", " ".join(good(made)["warnings"]))
            bounce = self.refused(s, "raster_reproject", {**call, "resampling": "nearest", "output": "other.tif"})
            self.assertEqual([m.get("conflicts", []) for m in bounce["missing"]], [[]])

    def test_the_mean_of_class_codes(self):
        CLASSES(self.path("classes.tif"))
        self.check("arithmetic_on_codes", "aggregate_zonal", {"raster": "classes.tif", **zone(self.path("classes.tif")),
                                                              "stats": ["mean"], "output": "out.csv"},
                   "classes.tif holds codes (it has a palette)", "mean does arithmetic")

    def test_jpeg_for_classes(self):
        CLASSES(self.path("classes.tif"))
        self.check("loss_on_codes", "raster_convert", {"uri": "classes.tif", "driver": "JPEG", "output": "out.jpg"},
                   "classes.tif holds codes (it has a palette)", "jpeg may change them")

    def test_a_conflict_by_another_name_or_as_a_text(self):
        CLASSES(self.path("classes.tif"))
        call = {"raster": "classes.tif", **zone(self.path("classes.tif")), "stats": ["mean"], "output": "out.csv"}
        with self.session() as s:
            tool, complete = filled(self.refused(s, "aggregate_zonal", call))
            answer = complete["justification"]["aggregation"]
            for change, words in (({"conflicts": [{"name": "codes", "why_accepted": "the codes of this map rise with the height of the trees"}]},
                                   "`conflicts`: arithmetic_on_codes, not 'codes'"),
                                  ({"conflicts": ["arithmetic_on_codes"]}, '{"name": "…", "why_accepted": "…"}'),
                                  ({"alternatives": ["median: it is no code either"]}, '{"method": "…", "why_not": "…"}')):
                p = s.call(tool, {**complete, "justification": {"aggregation": {**answer, **change}}})
                self.assertIn(words, problem_text(p).splitlines()[0] + problem(p)["hint"])

    def test_a_mark_beside_a_declared_one_under_stored_numbers(self):
        cells = rasters.waves(40, 40, 100, 300).astype("int16")
        cells[:10] = -999
        rasters.write(self.path("tenths.tif"), [cells], rasters.gdal.GDT_Int16, nodata=-99)
        made = rasters.gdal.Open(self.path("tenths.tif"), rasters.gdal.GA_Update)
        made.GetRasterBand(1).SetScale(0.1)
        x, step, _, y, _, down = made.GetGeoTransform()
        del made
        self.check("undeclared_nodata", "aggregate_zonal", {"raster": "tenths.tif", "zones": polygon(x, y + 40 * down, x + 40 * step, y), "zones_crs": f"EPSG:{rasters.UTM}",
                                                            "stats": ["mean"], "output": "out.csv"}, "-999 fills 25 %", "25 % (400 of 1600) of the cells under the zones")

    def test_zones_smaller_than_a_cell(self):
        rasters.dem(self.path("dem.tif"))
        x, y = 500805, 4199195
        small, large = polygon(x, y, x + 4, y + 4), polygon(x, y, x + 400, y + 400)
        both = {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {}, "geometry": g} for g in (small, large)]}
        call = {"raster": "dem.tif", "zones_crs": "EPSG:32618", "output": "out.csv"}
        said = "zones are smaller than one cell of dem.tif"
        with self.session() as s:  # one cell is its mean, its median, and has no spread; that it is one cell is said
            for one in ("mean", "stdev"):
                result = s.call("aggregate_zonal", {**call, "zones": small, "stats": [one], "overwrite": True})
                self.assertEqual(decisions(result), {"aggregation": "immaterial"})
                self.assertTrue(any("1 of 1 " + said in w for w in good(result)["warnings"]))
        os.remove(self.path("out.csv"))
        os.remove(self.path("out.csvt"))
        self.check("zones_smaller_than_a_cell", "aggregate_zonal", {**call, "zones": both, "stats": ["stdev"]}, "1 of 2 " + said)

    def test_a_mean_over_nodata_that_nobody_declared(self):
        heights = rasters.waves(230, 170, 100, 900).astype("float32")
        heights[30:60, 20:90] = -9999
        rasters.write(self.path("heights.tif"), [heights], rasters.gdal.GDT_Float32)
        self.check("undeclared_nodata", "aggregate_zonal", {"raster": "heights.tif", **zone(self.path("heights.tif")), "stats": ["mean"],
                                                            "output": "out.csv"},
                   "-9999 fills 5.37 % of the sampled cells of heights.tif", "not declared as nodata; mean would count it")

    def test_an_extent_mostly_beside_the_data(self):
        rasters.dem(self.path("dem.tif"))
        x0, y1 = 500000, 4200000
        self.check("mostly_without_data", "raster_query", {"uri": "dem.tif", "geometry": [x0 - 3000, y1 - 2000, x0 + 1000, y1 - 1000],
                                                           "purpose": "height of the valley floor", "output": "out.tif"},
                   "75 % of the extent lies outside of dem.tif", "height of the valley floor")


    def test_measuring_where_areas_are_off(self):
        rasters.parcels(self.path("parcels.gpkg"))
        call = "vector_reproject", {"uri": "parcels.gpkg", "dst_crs": "EPSG:3857", "output": "out.gpkg"}
        with self.session() as s:
            bounce = self.refused(s, *call)
            self.assertNotIn("conflicts", bounce["missing"][0])  # nobody said that it is for measuring
            answer = fill_in(skeleton_of(bounce, bounce["missing"][0]), bounce["missing"][0]["answer_schema"])
            answer["facts"]["use"] = "measure"
            bounce = self.refused(s, call[0], {**call[1], "justification": {"crs_datum": answer}})
            (conflict,) = skeleton_of(bounce, bounce["missing"][0])["conflicts"]
            self.assertEqual(conflict["name"], "areas_off_for_measuring")
            answer["conflicts"] = [{**conflict, "why_accepted": "the areas of the map are wanted, not those of the ground"}]
            result = s.call(call[0], {**call[1], "justification": {"crs_datum": answer}})
            # 1/cos²(8°) is 1.020; on the ellipsoid 1.026
            self.assertTrue(any("areas here are off by up to 2.63 %." in w for w in good(result)["warnings"]), good(result)["warnings"])


    def test_measuring_polygons_that_the_projection_tears(self):
        """A cone around 96 degrees west is cut at 84 degrees east."""
        with open(self.path("asia.geojson"), "w") as f:
            json.dump(polygon(60, 40, 100, 70), f)
        call = "vector_reproject", {"uri": "asia.geojson", "dst_crs": "+proj=aea +lat_1=29.5 +lat_2=45.5 +lon_0=-96 +datum=WGS84", "output": "out.gpkg"}
        with self.session() as s:
            tool, arguments = filled(self.refused(s, *call))
            arguments["justification"]["crs_datum"]["facts"]["use"] = "measure"
            refused = s.call(tool, arguments)
            bounce = problem(refused)
            named = [c["name"] for c in bounce["retry"]["arguments"]["justification"]["crs_datum"]["conflicts"]]
            self.assertEqual(named, ["polygons_off_for_measuring"])
            self.assertIn("the polygons add up to 2.43 x their true area", problem_text(refused))


class steps_before(bounced):
    """What the steps behind an input mean for a call, also when its reason is stored."""

    def conflict(self, s, tool, arguments):
        return {m["domain"]: [c["check"] for c in m.get("conflicts", [])]
                for m in self.refused(s, tool, arguments)["missing"]}

    def zonal(self, zones):
        return {"raster": "heights.tif", "zones": zones, "stats": ["mean"], "output": "out.csv", "overwrite": True}

    def test_statistics_on_zones_made_for_display(self):
        heights = self.path("heights.tif")
        rasters.write(heights, [rasters.waves(230, 170, 100, 900).astype("float32")], rasters.gdal.GDT_Float32)
        rasters.parcels(self.path("zones.gpkg"))
        with self.session() as s:
            self.accepted(s, "aggregate_zonal", self.zonal("zones.gpkg"))
            good(s.call("aggregate_zonal", self.zonal("zones.gpkg")))
            # fill_in takes the first word: use = display.
            for output in ({"output": "web.gpkg"}, {}):
                made = s.call("vector_reproject", {"uri": "zones.gpkg", "dst_crs": "EPSG:3857", **output})
                if made.get("isError"):
                    made = s.call(*filled(problem(made)))
                shown = good(made)["output"]["uri"] if not output else "web.gpkg"
                text = problem_text(s.call("aggregate_zonal", self.zonal(shown)))
                self.assertIn(f"{shown} was reprojected to EPSG:3857 for display (vector_reproject)", text)
                self.assertEqual(self.conflict(s, "aggregate_zonal", self.zonal(shown)), {"aggregation": ["made_for_display"]})
            further = good(s.call("vector_query", {"uri": "web.gpkg", "limit": 5, "output": "few.gpkg"}))
            self.assertTrue(further["output"]["uri"].endswith("few.gpkg"))
            self.assertEqual(self.conflict(s, "aggregate_zonal", self.zonal("few.gpkg")), {"aggregation": ["made_for_display"]})
            self.accepted(s, "aggregate_zonal", self.zonal("few.gpkg"))
            good(s.call("aggregate_zonal", self.zonal("few.gpkg")))
        with self.session() as s:  # the answer that names the conflict holds after a restart, too
            good(s.call("aggregate_zonal", self.zonal("few.gpkg")))

    def test_every_measure_on_a_map_made_for_display_names_it(self):
        rasters.write(self.path("heights.tif"), [rasters.waves(230, 170, 100, 900).astype("float32")], rasters.gdal.GDT_Float32)
        rasters.palette(self.path("classes.tif"))
        rasters.parcels(self.path("zones.gpkg"))
        with self.session() as s:
            made = []
            for uri, tool, more in (("classes.tif", "raster_reproject", {"resampling": "nearest"}), ("zones.gpkg", "vector_reproject", {}),
                                    ("heights.tif", "raster_reproject", {"resampling": "nearest"})):
                answer = s.call(tool, {"uri": uri, "dst_crs": "EPSG:3857", "output": "web_" + uri, **more})
                made.append(good(s.call(*filled(problem(answer))) if answer.get("isError") else answer)["output"]["uri"])
            classes, zones, heights = made
            good(s.call("toolsets", {"action": "enable", "name": "raster-more"}))
            for tool, arguments in [("raster_stats", {"uri": classes, "classes": True}),
                                    ("raster_stats", {"uri": "classes.tif", "geometry": zones}),
                                    ("raster_sample", {"uri": heights, "strategy": "random", "n": 5}),
                                    ("raster_terrain", {"uri": heights, "measure": "slope"}),
                                    ("raster_polygonize", {"uri": classes}),
                                    ("raster_classify", {"uri": heights, "breaks": [500]}),
                                    ("vector_measure", {"uri": zones, "mode": "planar"}),
                                    ("aggregate_zonal", {"raster": "classes.tif", "zones": zones, "stats": ["frac"]}),
                                    ("aggregate_zonal", {"raster": classes, "zones": "zones.gpkg", "stats": ["count"]})]:
                with self.subTest(tool=tool, arguments=arguments):
                    warned = good(s.call(tool, arguments))["warnings"]
                    self.assertTrue([w for w in warned if "EPSG:3857 for display" in w], warned)
            for tool, arguments in [("raster_info", {"uri": classes}), ("raster_stats", {"uri": "classes.tif", "classes": True})]:
                self.assertFalse([w for w in good(s.call(tool, arguments))["warnings"] if "display" in w])

    def warned(self, s, tool, arguments):
        return " ".join(good(session.run(s, tool, arguments))["warnings"])

    def test_a_measure_names_the_conflict_that_a_step_before_ran_in_spite_of(self):
        rasters.write(self.path("people.tif"), [rasters.waves(230, 170, 0, 40).astype("float32")], rasters.gdal.GDT_Float32)
        people = rasters.gdal.Open(self.path("people.tif"), rasters.gdal.GA_Update)
        people.GetRasterBand(1).SetUnitType("persons")
        del people
        rasters.palette(self.path("classes.tif"))
        with self.session() as s:
            for uri, method, conflict in (("people.tif", "average", "totals_not_summed"), ("classes.tif", "cubic", "smoothing_of_codes")):
                self.accepted(s, "raster_reproject", {"uri": uri, "dst_crs": "EPSG:31985", "resampling": method, "resolution": 85.5, "output": "out_" + uri})
                told = self.warned(s, "raster_stats", {"uri": "out_" + uri})
                self.assertIn(f"out_{uri} goes back to a step (raster_reproject) that ran in spite of {conflict}, because because the agent", told)
                self.assertNotIn("in spite of", self.warned(s, "raster_stats", {"uri": uri}))
            self.assertIn("in spite of smoothing_of_codes", self.warned(s, "aggregate_classes", {"uri": "out_classes.tif"}))

    def test_a_measure_names_a_preview(self):
        rasters.write(self.path("warm.tif"), [rasters.waves(230, 170, 5, 30).astype("float32")], rasters.gdal.GDT_Float32)
        with self.session() as s:
            for role, words in (("preview", "goes back to a preview (raster_convert)"), ("archive", "")):
                output = role + ".tif"
                bounce = self.refused(s, "raster_convert", {"uri": "warm.tif", "output": output, "compression": "LERC", "max_error": 5 if words else 1})
                tool, arguments = filled(bounce)
                arguments["justification"]["format_selection"]["facts"]["role"] = role
                good(s.call(tool, arguments))
                told = self.warned(s, "raster_stats", {"uri": output})
                self.assertEqual("goes back to a preview" in told, bool(words), told)
        text = self.reflect("export", "--format", "markdown", self.path("preview.tif"))
        self.assertIn("role = preview", text)

    def test_totals_stay_totals_in_what_is_made_of_them(self):
        rasters.write(self.path("cells.tif"), [rasters.waves(230, 170, 1, 499).astype("int32")], rasters.gdal.GDT_Int32)
        coarser = {"dst_crs": "EPSG:31985", "resampling": "sum", "resolution": 57}
        with self.session() as s:
            tool, arguments = filled(self.refused(s, "raster_reproject", {"uri": "cells.tif", **coarser, "output": "sums.tif"}))
            arguments["justification"]["resampling"]["facts"]["kind"] = "count"
            good(s.call(tool, arguments))
            for uri, size in (("cells.tif", 85.5), ("sums.tif", 171)):
                means = {"uri": uri, **coarser, "resampling": "average", "resolution": size, "output": "means.tif"}
                self.assertEqual(self.conflict(s, "raster_reproject", means)["resampling"], ["totals_not_summed"])

    def test_what_is_made_of_a_terrain_is_none(self):
        rasters.dem(self.path("dem.tif"))
        with self.session() as s:
            good(s.call("raster_terrain", {"uri": "dem.tif", "measure": "tri", "output": "tri.tif"}))
            text = problem_text(s.call("hydro_condition", {"uri": "tri.tif", "method": "fill", "output": "out.tif"}))
            self.assertIn('tri.tif was made by raster_terrain', text)

    def test_a_reason_for_a_field_of_points_is_none_for_another(self):
        points = rasters.ogr.GetDriverByName("GPKG").CreateDataSource(self.path("p.gpkg"))
        layer = points.CreateLayer("p", rasters.crs(rasters.UTM), rasters.ogr.wkbPoint)
        for name in ("people", "share_pct"):
            layer.CreateField(rasters.ogr.FieldDefn(name, rasters.ogr.OFTReal))
        for i in range(9):
            feature = rasters.ogr.Feature(layer.GetLayerDefn())
            feature["people"], feature["share_pct"] = 10 * i, 5 * i
            feature.SetGeometry(rasters.ogr.CreateGeometryFromWkt(f"POINT ({290000 + 30 * i} 9120000)"))
            layer.CreateFeature(feature)
        del layer, points
        with self.session("--toolsets", "all") as s:
            def summed(field):
                return "aggregate_grid", {"uri": "p.gpkg", "size": 100, "shape": "square", "value": field, "statistic": ["sum"], "output": field + ".gpkg",
                                          "overwrite": True}

            self.accepted(s, *summed("people"))
            self.assertNotIn("is summed", " ".join(good(s.call(*summed("people")))["warnings"]))
            self.assertIn("value is share_pct, the reason was given for people", self.refused(s, *summed("share_pct"))["missing"][0]["changed"])
            self.assertIn("'share_pct' is summed, but is called a share", self.warned(s, *summed("share_pct")))

    def test_a_reason_for_one_quantile_is_shown_with_another(self):
        rasters.write(self.path("heights.tif"), [rasters.waves(230, 170, 100, 900).astype("float32")], rasters.gdal.GDT_Float32)
        zones = {"raster": "heights.tif", **zone(self.path("heights.tif")), "stats": ["quantile"], "output": "out.csv", "overwrite": True}
        with self.session() as s:
            self.accepted(s, "aggregate_zonal", {**zones, "quantiles": [0.5]})
            told = self.warned(s, "aggregate_zonal", {**zones, "quantiles": [0.99]})
            self.assertIn("quantiles is [0.99], the reason was given for [0.5]", told)

    def test_the_methods_text_of_a_program_names_what_was_chosen(self):
        rasters.write(self.path("warm.tif"), [rasters.waves(230, 170, 5, 30).astype("float32")], rasters.gdal.GDT_Float32)
        with self.session("--toolsets", "all") as s:
            self.accepted(s, "gdal_translate", {"src_dataset": "warm.tif", "dst_dataset": "out.tif", "ot": "Int16"})
        self.assertIn("### 1. Data type Int16 (format_selection)", self.reflect("export", "--format", "markdown", self.path("out.tif")))

    def test_a_conflict_is_accepted_for_a_file_however_it_is_spelled(self):
        rasters.palette(self.path("classes.tif"))
        with self.session() as s:
            def smoothed(uri):
                return "raster_reproject", {"uri": uri, "dst_crs": "EPSG:31985", "resampling": "cubic", "resolution": 100, "output": "out.tif", "overwrite": True}

            self.accepted(s, *smoothed("classes.tif"))
            for uri in ("./classes.tif", self.path("classes.tif"), "file://" + self.path("classes.tif")):
                good(s.call(*smoothed(uri)))

    def test_a_reason_for_a_terrain_of_few_depressions_is_shown_with_one_of_many(self):
        rasters.dem(self.path("dem.tif"))
        dem = rasters.gdal.Open(self.path("dem.tif"))
        cells = dem.ReadAsArray().astype("float32")
        karst = rasters.gdal.GetDriverByName("GTiff").CreateCopy(self.path("karst.tif"), dem)
        cells[cells.shape[0] // 4:-cells.shape[0] // 4, cells.shape[1] // 4:-cells.shape[1] // 4] -= 300  # one pit of a quarter of it
        karst.GetRasterBand(1).WriteArray(cells)
        del dem, karst
        with self.session() as s:
            good(session.run(s, "hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "a.tif"}))
            told = self.warned(s, "hydro_condition", {"uri": "karst.tif", "method": "fill", "output": "b.tif"})
            self.assertIn("depression share is", told)

    def test_an_extent_of_cells_without_values_is_a_conflict(self):
        cells = rasters.waves(230, 170, 100, 900).astype("float32")
        cells[:100] = -1
        rasters.write(self.path("half.tif"), [cells], rasters.gdal.GDT_Float32, nodata=-1)
        north = {"uri": "half.tif", "geometry": [290000, 9118400, 294000, 9120900], "purpose": "the north"}
        with self.session() as s:
            self.assertEqual(self.conflict(s, "raster_query", north)["spatial_query"], ["mostly_without_values"])

    def test_a_reason_for_a_scale_is_none_for_unscaling_as_well(self):
        rasters.write(self.path("tenths.tif"), [rasters.waves(230, 170, 0, 300).astype("int16")], rasters.gdal.GDT_Int16)
        tenths = rasters.gdal.Open(self.path("tenths.tif"), rasters.gdal.GA_Update)
        tenths.GetRasterBand(1).SetScale(0.1)
        del tenths
        scaled = {"uri": "tenths.tif", "scale": [0, 300, 0, 100], "dtype": "Byte", "output": "scaled.tif", "overwrite": True}
        with self.session() as s:
            self.accepted(s, "raster_convert", scaled)
            good(s.call("raster_convert", scaled))
            self.assertEqual(problem(s.call("raster_convert", {**scaled, "unscale": True}))["error"], BLOCKED)

    def test_flow_directions_are_not_moved_to_another_grid(self):
        rasters.dem(self.path("dem.tif"))
        coarser = {"dst_crs": "EPSG:3857", "resampling": "nearest", "resolution": 60}
        with self.session() as s:
            directions = good(session.run(s, "hydro_flow_direction", {"uri": "dem.tif", "method": "d8"}))["output"]["uri"]
            text = problem_text(s.call("raster_reproject", {"uri": directions, **coarser}))
            self.assertIn(f"{directions} holds flow directions", text)
            self.assertEqual(self.conflict(s, "raster_reproject", {"uri": directions, **coarser})["resampling"],
                             ["flow_directions"])
            flow = good(session.run(s, "hydro_flow_accumulation", {"uri": directions}))["output"]["uri"]
            good(s.call("hydro_flow_accumulation", {"uri": directions, "method": "d8"}))  # which says no more
            zones = {"raster": flow, **zone(self.path("dem.tif"))}
            bounce = self.refused(s, "aggregate_zonal", {**zones, "stats": ["mean"]})
            named = [c["name"] for c in skeleton_of(bounce, bounce["missing"][0])["conflicts"]]
            self.assertEqual(named, ["accumulation_counts_again"])
            good(s.call("aggregate_zonal", {**zones, "stats": ["max"]}))
            self.assertEqual(self.conflict(s, "raster_reproject", {"uri": flow, **coarser})["resampling"], [])
            for tool, arguments, named in [("hydro_watershed", {"directions": directions, "output": "basins.tif"}, []),
                                           ("hydro_watershed", {"directions": directions, "output": "basins.gpkg"}, None),
                                           ("raster_query", {"uri": directions, "geometry": "basins.gpkg", "output": "cut.tif"}, ["flow_directions"]),
                                           ("raster_query", {"uri": "basins.tif", "geometry": "basins.gpkg", "output": "basin.tif"}, []),
                                           ("hydro_streams", {"directions": directions, "threshold_km2": 0.05, "output": "streams.gpkg"}, None),
                                           ("vector_buffer", {"uri": "streams.gpkg", "distance": 300, "dissolve": True, "output": "banks.gpkg"}, None),
                                           ("raster_query", {"uri": directions, "geometry": "banks.gpkg", "output": "along.tif"}, ["flow_directions"]),
                                           ("raster_query", {"uri": "dem.tif", "geometry": "basins.gpkg", "output": "heights.tif"}, []),
                                           *[("hydro_flow_direction", {"uri": "heights.tif", "method": method, "output": method + ".tif"}, ["flow_directions"])
                                             for method in ("dinf", "mfd")]]:
                made = good(session.run(s, tool, arguments))["output"]["uri"]
                if named is not None:
                    self.assertEqual(self.conflict(s, "raster_reproject", {"uri": made, **coarser})["resampling"], named, made)


class the_kind_of_values(bounced):
    def test_what_was_said_of_a_raster_holds_for_the_one_made_from_it(self):
        heights = rasters.waves(230, 170, 100, 900).astype("int16")  # whole numbers, which may be anything
        rasters.write(self.path("heights.tif"), [heights], rasters.gdal.GDT_Int16)
        with self.session() as s:
            for output in ({"output": "coarse.tif"}, {}):
                call = {"uri": "heights.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resampling": "average", "resolution": 57, **output}
                made = s.call("raster_reproject", call)
                if made.get("isError"):
                    tool, arguments = filled(problem(made))
                    arguments["justification"]["resampling"]["facts"]["kind"] = "elevation"
                    made = s.call(tool, arguments)
                coarse = good(made)["output"]["uri"]
                bounce = self.refused(s, "aggregate_zonal", {"raster": coarse, **zone(self.path("heights.tif")), "stats": ["sum"]})
                answer = skeleton_of(bounce, bounce["missing"][0])
                self.assertNotIn("facts", answer)
                self.assertEqual([c["name"] for c in answer["conflicts"]], ["sum_of_levels"])

    def test_what_a_dem_shows_is_said_once_for_it_and_for_what_is_made_from_it(self):
        rasters.write(self.path("dem.tif"), [rasters.waves(230, 170, 100, 900).astype("float32")], rasters.gdal.GDT_Float32)
        with self.session() as s:
            asked = []
            for tool, call in (("hydro_condition", {"uri": "dem.tif", "method": "fill", "output": "filled.tif"}),
                               ("hydro_condition", {"uri": "dem.tif", "method": "breach", "output": "cut.tif"}),
                               ("hydro_flow_direction", {"uri": "cut.tif", "method": "d8", "output": "directions.tif"})):
                bounce = self.refused(s, tool, call)
                asked.append("surface" in json.dumps(skeleton_of(bounce, bounce["missing"][0])))
                good(s.call(*filled(bounce)))
            self.assertEqual(asked, [True, False, False])

    def averaged(self, s, uri, kind=None, output="out.tif"):
        """The receipt of resampling of an average, answered with the kind."""
        call = {"uri": uri, "dst_crs": f"EPSG:{rasters.UTM}", "resampling": "average", "resolution": 57, "output": output, "overwrite": True}
        made = s.call("raster_reproject", call)
        if made.get("isError"):
            tool, arguments = filled(problem(made))
            if kind:
                arguments["justification"]["resampling"]["facts"] = {"kind": kind}
            made = s.call(tool, arguments)
        good(made)
        return self.receipt(made, "resampling")

    @staticmethod
    def receipt(made, domain):
        return next(r for r in made["_meta"]["io.gdal-mcp/receipts"] if r["domain"] == domain)

    def test_a_receipt_calls_stated_what_an_answer_stated(self):
        rasters.write(self.path("rain.tif"), [rasters.waves(230, 170, 0, 90).astype("float32")], rasters.gdal.GDT_Float32)
        rain = rasters.gdal.Open(self.path("rain.tif"), rasters.gdal.GA_Update)
        rain.GetRasterBand(1).SetUnitType("mm")
        del rain
        rasters.write(self.path("whole.tif"), [rasters.waves(230, 170, 100, 900).astype("int16")], rasters.gdal.GDT_Int16)
        with self.session() as s:
            self.assertEqual(self.averaged(s, "whole.tif", "continuous", "b.tif")["stated"], {"kind": "continuous"})
            shown = self.averaged(s, "rain.tif", output="a.tif")
            self.assertEqual((shown["kind"], shown.get("stated")), ("continuous", None))
        self.assertNotIn("stated", self.reflect("export", "--format", "markdown", self.path("a.tif")))
        self.assertIn("stated: kind = continuous", self.reflect("export", "--format", "markdown", self.path("b.tif")))

    def test_a_statement_about_a_raster_is_corrected_by_a_later_one_and_what_the_data_show_is_not(self):
        rasters.write(self.path("whole.tif"), [rasters.waves(230, 170, 100, 900).astype("int16")], rasters.gdal.GDT_Int16)
        rasters.write(self.path("rain.tif"), [rasters.waves(230, 170, 0, 90).astype("float32")], rasters.gdal.GDT_Float32)
        coarser = {"dst_crs": f"EPSG:{rasters.UTM}", "resolution": 57, "overwrite": True}
        with self.session() as s:
            self.averaged(s, "whole.tif", "continuous", "a.tif")
            bounce = self.refused(s, "raster_reproject", {"uri": "whole.tif", "resampling": "bilinear", "output": "b.tif", **coarser})
            tool, arguments = filled(bounce)
            answer = arguments["justification"]["resampling"]
            answer["facts"] = {"kind": "class"}
            alone = s.call("store_justification", {**bounce["missing"][0]["submit"]["arguments"], "justification": answer})
            self.assertIn("facts.kind = class, but scope says continuous", problem_text(alone))
            refused = s.call(tool, arguments)
            self.assertIn("does not name a conflict of choice and data in `conflicts`: smoothing_of_codes", problem_text(refused))
            # What a refused answer states is said anew, and what an accepted one states holds in its own call.
            tool, arguments = filled(problem(refused))
            self.assertEqual(arguments["justification"]["resampling"]["facts"], {"kind": "class"})
            made = s.call(tool, arguments)
            good(made)
            self.assertEqual(self.receipt(made, "resampling")["stated"], {"kind": "class"})
            self.assertIn("codes", problem_text(s.call("raster_reproject", {"uri": "whole.tif", "resampling": "lanczos", "output": "d.tif", **coarser})))
            tool, arguments = filled(self.refused(s, "raster_reproject", {"uri": "rain.tif", "resampling": "cubic", "output": "c.tif", **coarser}))
            arguments["justification"]["resampling"]["facts"] = {"kind": "class"}
            told = " ".join(good(s.call(tool, arguments))["warnings"])
            self.assertIn("facts.kind = class does not count: the data show continuous", told)

    def test_a_conflict_with_what_an_answer_states_is_asked_about_however_it_is_sent(self):
        accepted = [{"name": "smoothing_of_codes", "why_accepted": "only a picture for a slide is made of it"}]
        for name, method, named in (("a.tif", "average", []), ("b.tif", "bilinear", accepted)):
            rasters.write(self.path(name), [rasters.waves(230, 170, 100, 900 + len(named)).astype("int16")], rasters.gdal.GDT_Int16)
            call = {"uri": name, "dst_crs": f"EPSG:{rasters.UTM}", "resampling": method, "resolution": 57, "output": "o.tif", "overwrite": True}
            with self.subTest(named=named), self.session() as s:
                (missing,) = self.refused(s, "raster_reproject", call)["missing"]
                answer = filled(self.refused(s, "raster_reproject", call))[1]["justification"]["resampling"]
                answer["facts"] = {"kind": "class"}
                if named:
                    answer["conflicts"] = named
                good(s.call("store_justification", {**missing["submit"]["arguments"], "justification": answer}))
                after = s.call("raster_reproject", call)
                self.assertEqual(bool(after.get("isError")), not named)
                if not named:
                    self.assertIn("smoothing_of_codes", problem_text(after))

    def test_the_methods_text_names_the_file_that_an_area_was_given_by(self):
        rasters.palette(self.path("classes.tif"))
        rasters.parcels(self.path("parcels.gpkg"))
        with self.session() as s:
            self.accepted(s, "raster_query", {"uri": "classes.tif", "geometry": "parcels.gpkg", "purpose": "the parcels", "output": "p.tif"})
        text = self.reflect("export", "--format", "markdown", self.path("p.tif"))
        self.assertIn("Extent (spatial_query): `parcels.gpkg`", text)
        self.assertNotIn("dataset-sha256", text)

    def test_an_area_taken_for_a_look_is_named_where_a_table_is_kept(self):
        rasters.palette(self.path("classes.tif"))
        rasters.parcels(self.path("parcels.gpkg"))
        with self.session() as s:
            part = good(s.call("raster_query", {"uri": "classes.tif", "geometry": [290000, 9117400, 292000, 9118900]}))["output"]["uri"]
            told = [" ".join(good(session.run(s, "aggregate_classes", {"uri": part, **to}))["warnings"]) for to in ({}, {"output": "kept.csv"})]
            self.assertNotIn("a look", told[0])
            named = good(s.call("vector_query", {"uri": "parcels.gpkg", "where": "name = 'parcel 003'"}))["output"]["uri"]  # no area is chosen
            self.assertNotIn("a look", " ".join(good(session.run(s, "vector_measure", {"uri": named, "output": "measured.gpkg"}))["warnings"]))
            self.assertIn("goes back to an extent taken for a look (raster_query without purpose or output): what is claimed of it needs that "
                          "call with a 'purpose'", told[1])

    def test_what_was_said_of_a_raster_holds_in_a_fusion(self):
        for name in ("a.tif", "b.tif"):
            rasters.write(self.path(name), [rasters.waves(230, 170, 0, 299).astype("int16")], rasters.gdal.GDT_Int16)
        with self.session("--toolsets", "all") as s:
            tool, arguments = filled(self.refused(s, "raster_reproject", {"uri": "a.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resampling": "mode",
                                                                          "resolution": 57, "output": "coarse.tif"}))
            arguments["justification"]["resampling"]["facts"] = {"kind": "class"}
            good(s.call(tool, arguments))
            fuse = {"uris": ["a.tif", "b.tif"], "resolution": 85.5, "crs": f"EPSG:{rasters.UTM}", "output": "fused.tif"}
            for methods, named in ((["average", "average"], ["codes_averaged"]), (["mode", "average"], [])):
                (missing,) = self.refused(s, "aggregate_fuse", {**fuse, "methods": methods})["missing"]
                self.assertEqual([c["check"] for c in missing.get("conflicts", [])], named)

    def test_a_reason_for_a_temperature_says_nothing_of_rain(self):
        for name, unit, high in (("warm.tif", "°C", 30), ("cold.tif", "degC", 10), ("rain.tif", "mm", 90)):
            rasters.write(self.path(name), [rasters.waves(230, 170, 0, high).astype("float32")], rasters.gdal.GDT_Float32)
            made = rasters.gdal.Open(self.path(name), rasters.gdal.GA_Update)
            made.GetRasterBand(1).SetUnitType(unit)
            del made
        with self.session() as s:
            good(session.run(s, "aggregate_zonal", {"raster": "warm.tif", "stats": ["mean"], **zone(self.path("warm.tif"))}))
            said = {name: " ".join(good(s.call("aggregate_zonal", {"raster": name, "stats": ["mean"], **zone(self.path(name))}))["warnings"])
                    for name in ("cold.tif", "rain.tif")}
            self.assertNotIn("scope", said["cold.tif"])
            self.assertIn("outside its scope: unit is mm, the reason was given for °C", said["rain.tif"])

    def test_a_raster_made_of_features_is_named_where_it_is_summed(self):
        rasters.parcels(self.path("parcels.gpkg"))
        parcels = rasters.ogr.Open(self.path("parcels.gpkg"), 1)
        parcels.GetLayer(0).CreateField(rasters.ogr.FieldDefn("people", rasters.ogr.OFTInteger))
        parcels.ExecuteSQL("UPDATE parcels SET people = 600")
        del parcels
        with self.session("--toolsets", "all") as s:
            def told(raster):
                return " ".join(good(session.run(s, "aggregate_zonal", {"raster": raster, "zones": "parcels.gpkg", "stats": ["sum"]}))["warnings"])
            words = "come from raster_rasterize: where a feature covers several, each holds its whole number"
            good(session.run(s, "raster_rasterize", {"uri": "parcels.gpkg", "attribute": "people", "resolution": 100, "output": "people.tif"}))
            self.assertIn(words, told("people.tif"))
            good(session.run(s, "raster_calc", {"inputs": {"A": "people.tif"}, "expression": "A / 81", "output": "shared.tif"}))
            good(session.run(s, "raster_rasterize", {"uri": "parcels.gpkg", "value": 1, "resolution": 100, "output": "mask.tif"}))
            for raster in ("shared.tif", "mask.tif"):
                self.assertNotIn(words, told(raster))
            good(session.run(s, "vector_calc", {"uri": "parcels.gpkg", "fields": {"poor": "people * 0.3"}, "output": "poor.gpkg"}))
            good(session.run(s, "raster_rasterize", {"uri": "poor.gpkg", "attribute": "poor", "resolution": 100, "output": "poor.tif"}))
            self.assertIn(words, told("poor.tif"))

    def test_what_was_said_of_one_terrain_is_not_said_of_another(self):
        """The reason for filling covers both; that the surface is bare ground was said of the first."""
        for name, low in (("first.tif", 100), ("second.tif", 150)):
            rasters.write(self.path(name), [rasters.waves(230, 170, low, 900).astype("float32")], rasters.gdal.GDT_Float32)
        with self.session() as s:
            self.accepted(s, "hydro_condition", {"uri": "first.tif", "method": "fill", "output": "a.tif"})
            good(s.call("hydro_condition", {"uri": "second.tif", "method": "fill", "output": "b.tif"}))
            for name, asked in (("a.tif", False), ("b.tif", True)):
                bounce = self.refused(s, "hydro_flow_direction", {"uri": name, "method": "d8", "output": "directions.tif"})
                self.assertEqual("surface" in json.dumps(skeleton_of(bounce, bounce["missing"][0])), asked, name)

    def test_a_reason_for_imagery_does_not_serve_whole_numbers_that_may_be_codes(self):
        rasters.rgba(self.path("scene.tif"))
        steps = (rasters.waves(230, 170, 0, 8)).astype("uint8")  # neighbours differ by one, as those of a count or of codes may
        rasters.write(self.path("steps.tif"), [steps], rasters.gdal.GDT_Byte)
        call = {"dst_crs": f"EPSG:{rasters.UTM}", "resampling": "bilinear", "resolution": 57, "overwrite": True, "output": "out.tif"}
        with self.session() as s:
            self.accepted(s, "raster_reproject", {"uri": "scene.tif", **call})
            bounce = self.refused(s, "raster_reproject", {"uri": "steps.tif", **call})
            self.assertIn("may be codes is true, the reason was given for false", " ".join(bounce["missing"][0]["changed"]))

    def test_an_answer_that_states_the_kind_of_what_may_be_codes_holds_in_its_own_call(self):
        steps = rasters.waves(230, 170, 0, 8).astype("uint8")
        rasters.write(self.path("steps.tif"), [steps], rasters.gdal.GDT_Byte)
        call = {"uri": "steps.tif", "dst_crs": f"EPSG:{rasters.UTM}", "resampling": "nearest", "resolution": 57, "overwrite": True, "output": "out.tif"}
        with self.session() as s:
            tool, arguments = filled(self.refused(s, "raster_reproject", call))
            arguments["justification"]["resampling"]["facts"] = {"kind": "class"}
            good(s.call(tool, arguments))
            good(s.call("raster_reproject", call))


class operators_policy(bounced):
    def setUp(self):
        super().setUp()
        rasters.parcels(self.path("parcels.gpkg"))
        self.call = {"uri": "parcels.gpkg", "dst_crs": "EPSG:3857", "output": "a.gpkg", "overwrite": True}

    def test_off_asks_nothing_and_is_in_receipt_and_provenance(self):
        with self.session(*self.policy("domains: {crs_datum: {off: true}}\n")) as s:
            result = s.call("vector_reproject", self.call)
            good(result)
        receipt = receipts(result)["crs_datum"]
        self.assertEqual(receipt["decision"], "off")
        self.assertIn("switched off by the operator", receipt["notes"][0])
        with open(self.path("a.gpkg.provenance.json")) as f:
            self.assertIn(receipt, json.load(f)["decisions"])
        with self.session() as s:
            self.refused(s, "vector_reproject", self.call)

    def test_a_check_that_refuses_stops_the_call_whatever_the_reason(self):
        rasters.palette(self.path("classes.tif"))
        call = {"uri": "classes.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear", "output": "out.tif"}
        with self.session() as s:
            self.accepted(s, "raster_reproject", call)
        with self.session(*self.policy("domains: {resampling: {checks: {smoothing_of_codes: refuse}}}\n")) as s:
            before = self.files()
            result = s.call("raster_reproject", {**call, "output": "again.tif"})
            refusal = problem(result)
            self.assertEqual(refusal["error"], "policy")
            self.assertIn("bilinear treats codes as quantities", refusal["message"])
            self.assertIn("smoothing_of_codes", refusal["hint"])
            refused = receipts(result)["resampling"]
            self.assertEqual(refused["decision"], "block")
            self.assertIn("refused by the policy (check smoothing_of_codes)", " ".join(refused["notes"]))
            with open(self.path(".preflight/audit.jsonl")) as f:
                recorded = json.loads(f.read().splitlines()[-1])
            self.assertEqual((recorded["outcome"], recorded["receipts"]),
                             ("policy", result["_meta"]["io.gdal-mcp/receipts"]))
            self.assertEqual(self.files(), before)
            nearest = {**call, "resampling": "nearest", "output": "nearest.tif"}
            self.accepted(s, "raster_reproject", nearest)

    def test_the_log_has_a_line_for_every_decision(self):
        with self.session("--log-level", "debug") as s:
            self.accepted(s, "vector_reproject", self.call)
            s.call("vector_reproject", self.call)
            lines = [line for line in s.stderr().splitlines() if "vector_reproject, crs_datum: " in line]
        self.assertEqual([re.search(r"crs_datum: (\w+, [\w ]+), sha256:", line)[1] for line in lines],
                         ["block, miss", "proceed, hit", "proceed, hit"])

    def test_a_thin_answer_runs_and_its_result_says_what_it_lacks(self):
        with self.session() as s:
            tool, arguments = filled(self.refused(s, "vector_reproject", self.call))
            arguments["justification"]["crs_datum"]["choice"]["tradeoffs"] = "none"
            self.assertIn("choice.tradeoffs names none", " ".join(good(s.call(tool, arguments))["warnings"]))

    def test_person_takes_no_agents_word(self):
        with self.session(*self.policy("domains: {crs_datum: {missing: person}}\n")) as s:
            bounce = self.refused(s, "vector_reproject", self.call)
            self.assertTrue(bounce["missing"][0]["person"])
            tool, arguments = filled(bounce)
            self.assertEqual(problem(s.call(tool, arguments))["error"], BLOCKED)
            arguments["justification"]["crs_datum"]["chosen_by"] = "user"
            good(s.call(tool, arguments))
            self.assertEqual(decisions(s.call("vector_reproject", self.call)), {"crs_datum": "proceed"})

    def test_max_age_asks_again_or_says_how_old_the_reason_is(self):
        with self.session() as s:
            reference = receipts(self.accepted(s, "vector_reproject", self.call))["crs_datum"]["justification_ref"]
        record = self.path(".preflight/justifications/crs_datum/" + reference.rsplit("/", 1)[1] + ".json")
        with open(record) as f:
            aged = json.load(f)
        year = int(aged["timestamp"][:4])
        aged["timestamp"] = f"{year - 2}{aged['timestamp'][4:]}"
        del aged["digest"]
        aged["digest"] = "sha256:" + hashlib.sha256(canonical(aged).encode()).hexdigest()
        with open(record, "w") as f:
            f.write(canonical(aged))
        with self.session() as s:
            self.assertEqual(decisions(s.call("vector_reproject", self.call)), {"crs_datum": "proceed"}, "reasons do not age by themselves")
        with self.session(*self.policy("domains: {crs_datum: {max_age_days: 365}}\n")) as s:
            result = s.call("vector_reproject", self.call)
            self.assertEqual(decisions(result), {"crs_datum": "warn"})
            self.assertTrue(any("days old, the policy allows 365" in w for w in good(result)["warnings"]))
        with self.session(*self.policy("domains: {crs_datum: {max_age_days: 365, stale: block}}\n")) as s:
            result = s.call(*filled(self.refused(s, "vector_reproject", self.call)))
            good(result)
            self.assertEqual(decisions(s.call("vector_reproject", self.call)), {"crs_datum": "proceed"})

    def test_a_workspace_may_have_its_own_policy(self):
        words = f"domains: {{crs_datum: {{off: true}}}}\nworkspaces: {{{self.workspace}: {{crs_datum: {{off: false}}}}}}\n"
        with self.session(*self.policy(words)) as s:
            self.refused(s, "vector_reproject", self.call)

    def test_a_policy_names_a_workspace_by_a_link_too(self):
        link = os.path.join(os.path.dirname(self.workspace), "link")
        os.symlink(self.workspace, link)
        with self.session(*self.policy(f"workspaces: {{{link}: {{crs_datum: {{off: true}}}}, /no/such/folder: {{}}}}\n")) as s:
            good(s.call("vector_reproject", self.call))
            self.assertIn("the policy names the workspace '/no/such/folder', which is not a folder", s.stderr())

    def test_a_policy_for_a_domain_nobody_has_is_a_warning(self):
        with self.session(*self.policy("domains: {crs_data: {off: true}}\n")) as s:
            self.refused(s, "vector_reproject", self.call)
            self.assertIn("the policy names the unknown domain 'crs_data'", s.stderr())

    def test_a_policy_nobody_can_read_stops_the_start_naming_the_field(self):
        done = subprocess.run([PROGRAM, "call", "raster_info", "--json", "{}", *self.policy("domains: {crs_datum: {missing: perhaps}}\n")],
                              capture_output=True, text=True, cwd=self.workspace, stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("crs_datum", done.stderr)
        self.assertIn("missing", done.stderr)


if __name__ == "__main__":
    session.main()
