"""What agents write for an argument: other case and separators, other words of the field, codes of CRSs, numbers as text."""
from osgeo import gdal
from pyproj import Transformer

import rasters
import session
from session import Claims, Session, fill_in, good, problem, skeleton_of

# tool, argument, what is given, what is meant
WORDS = [
    *((tool, "resampling", given, meant) for tool in ("raster_reproject", "raster_query") for given, meant in (
        ("near", "nearest"), ("Nearest-Neighbour", "nearest"), ("nearest neighbor", "nearest"), ("cubicspline", "cubic_spline"),
        ("Cubic Spline", "cubic_spline"), ("mean", "average"), ("AVG", "average"), ("linear", "bilinear"), ("Majority", "mode"))),
    ("raster_convert", "dtype", "uint8", "Byte"), ("raster_convert", "dtype", "byte", "Byte"),
    ("raster_convert", "dtype", "float32", "Float32"), ("raster_convert", "dtype", "UINT_16", "UInt16"),
    ("raster_convert", "compression", "deflate", "DEFLATE"), ("raster_convert", "compression", "lerc-zstd", "LERC_ZSTD"),
    ("raster_convert", "overview_resampling", "near", "nearest"), ("raster_convert", "overview_resampling", "avg", "average"),
    ("raster_preview", "colormap", "grey", "gray"), ("raster_preview", "colormap", "Greyscale", "gray"),
    ("raster_preview", "colormap", "Blue-Red", "blue_red"), ("raster_preview", "stretch", "min-max", "minmax"),
    ("aggregate_zonal", "coverage", "centre", "center"), ("aggregate_zonal", "coverage", "All Touched", "all_touched"),
    ("aggregate_zonal", "stats", ["avg"], ["mean"]), ("aggregate_zonal", "stats", ["Average", "std", "CV"],
                                                     ["mean", "stdev", "coefficient_of_variation"]),
    ("aggregate_zonal", "stats", ["standard deviation", "mode"], ["stdev", "majority"]),
    ("hydro_flow_direction", "method", "D-8", "d8"), ("hydro_flow_direction", "encoding", "ESRI", "esri"),
    ("hydro_condition", "method", "Fill", "fill"), ("hydro_flow_accumulation", "unit", "km²", "km2"),
    ("vector_query", "predicate", "intersect", "intersects"), ("vector_query", "predicate", "WITHIN", "within"),
    ("resampling_trial", "method", "near", "nearest"), ("toolsets", "action", "LIST", "list"),
]
SYNONYMS = {"near", "cubicspline", "std", "cv", "uint8", "avg", "grey", "centre"}
CRS = ["EPSG:4326", "epsg:4326", "EPSG 4326", "EPSG4326", "epsg-4326", "4326", " 4326", 4326, 4326.0]
# Of each argument a tool needs, one that is of the right form. No file of them exists.
NEEDED = {"dst_crs": "EPSG:3857", "src_crs": "EPSG:3857", "geometry": [0, 0, 1, 1], "stats": ["mean"], "output": "new.tif",
          "method": "nearest", "resampling": "nearest", "threshold": 1, "threshold_km2": 1}


def enums(schema):
    """The enums of a schema, below or beside it, each with what makes an argument of one of its values."""
    found = [(schema["enum"], lambda v: v)] if "enum" in schema else []
    if isinstance(schema.get("items"), dict):
        found += [(values, lambda v, make=make: [make(v)]) for values, make in enums(schema["items"])]
    if isinstance(schema.get("additionalProperties"), dict):
        found += [(values, lambda v, make=make: {"A": make(v)}) for values, make in enums(schema["additionalProperties"])]
    needed = {name: NEEDED.get(name, "missing.tif") for name in schema.get("required", [])}
    for name, sub in schema.get("properties", {}).items():
        found += [(values, lambda v, name=name, make=make: {**needed, name: make(v)}) for values, make in enums(sub)]
    for sub in schema.get("anyOf", []):
        found += enums(sub)
    return found


class spellings(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session("--toolsets", "all", workspace=self.workspace)
        self.addCleanup(self.session.close)
        self.tools = {t["name"]: t["inputSchema"] for t in self.session.request("tools/list")["result"]["tools"]}

    def arguments(self, tool, **more):
        schema = self.tools[tool]
        required = {name: NEEDED.get(name, "missing.tif") for name in schema.get("required", [])}
        for name, p in schema["properties"].items():
            if name in required and "enum" in p and required[name] not in p["enum"]:
                required[name] = p["enum"][0]
        return {**required, **more}

    def refused(self, tool, **more):
        """The refusal of a call without its files; nothing where it needs none and succeeds."""
        result = self.session.call(tool, self.arguments(tool, **more))
        return problem(result) if result.get("isError") else {"error": None, "message": ""}

    def test_other_words_are_understood(self):
        for tool, argument, given, meant in WORDS:
            with self.subTest(tool=tool, argument=argument, given=given):
                self.assertEqual(self.refused(tool, **{argument: given}), self.refused(tool, **{argument: meant}))
                self.assertNotEqual(self.refused(tool, **{argument: given})["error"], "invalid_argument")

    def test_every_value_is_understood_in_other_case_and_with_other_separators(self):
        for tool, schema in self.tools.items():
            for argument, declared in schema["properties"].items():
                if argument == "justification" or tool == "store_justification":
                    continue
                for value, make in {(v, make) for values, make in enums(declared) for v in values}:
                    for other in {value.upper(), value.title(), value.replace("_", "-"), value.replace("_", " ")}:
                        with self.subTest(tool=tool, argument=argument, given=make(other)):
                            self.assertEqual(self.refused(tool, **{argument: make(other)}), self.refused(tool, **{argument: make(value)}))

    def test_no_synonym_and_no_two_spellings_of_one_value_are_in_a_schema(self):
        for tool, schema in self.tools.items():
            for values, _ in enums(schema):
                if not tool.startswith("gdal"):  # those have the words of GDAL's programs
                    self.assertFalse(SYNONYMS & set(values), tool)
                folded = [v.lower().replace("_", "").replace("-", "").replace(" ", "") for v in values]
                self.assertEqual(len(folded), len(set(folded)), (tool, values))
            self.assertNotIn("x-gdalmcp", str(schema))

    def test_anything_else_is_refused_with_the_near_names_first(self):
        for tool, argument, given, near in (
                ("raster_reproject", "resampling", "neerest", "nearest"), ("raster_convert", "dtype", "Bytes", "Byte"),
                ("raster_query", "resampling", "averag", "average"), ("aggregate_zonal", "stats", ["meen"], "mean"),
                ("vector_query", "predicate", "intersecs", "intersects"), ("raster_preview", "colormap", "viridus", "viridis")):
            with self.subTest(tool=tool, given=given):
                p = self.refused(tool, **{argument: given})
                self.assertEqual(p["error"], "invalid_argument")
                self.assertTrue(p["hint"].startswith(f"did you mean '{near}'"), p)
        p = self.refused("raster_reproject", resamplng="nearest")
        self.assertTrue(p["hint"].startswith("did you mean 'resampling'? known members: "), p)

    def test_a_whole_number_is_an_integer_and_text_may_stand_for_it(self):
        for given in (1, 1.0, "1", "1.0", [1.0], ["1"], "[1]"):
            with self.subTest(given=given):
                self.assertEqual(self.refused("raster_stats", bands=given)["error"], "not_found")
        for given in (0, 1.5, "one"):
            with self.subTest(given=given):
                self.assertEqual(self.refused("raster_stats", bands=given)["error"], "invalid_argument")
        for argument, good_ones, bad in (("max_size", (512, 512.0, "512"), 512.5),):
            if argument in self.tools["raster_preview"]["properties"]:
                for given in good_ones:
                    self.assertEqual(self.refused("raster_preview", **{argument: given})["error"], "not_found")
                self.assertEqual(self.refused("raster_preview", **{argument: bad})["error"], "invalid_argument")
        for given in (True, "true", "True", "FALSE"):
            self.assertEqual(self.refused("raster_convert", unscale=given)["error"], "not_found")
        self.assertEqual(self.refused("raster_convert", unscale="perhaps")["error"], "invalid_argument")


class meaning(Claims):
    def missing(self, s, **arguments):
        told = good(s.call("preflight", {"tool": "raster_reproject", "arguments": {"uri": "a.tif", "resampling": "bilinear", **arguments}}))
        return {d["domain"]: d["missing"]["input_hash"] for d in told["domains"] if "missing" in d}

    def test_codes_of_a_crs_have_one_key_however_they_are_written(self):
        rasters.byte(self.path("a.tif"))
        with Session(workspace=self.workspace) as s:
            keys = [self.missing(s, dst_crs=given) for given in CRS]
            self.assertIn("crs_datum", keys[0])
            for given, key in zip(CRS, keys):
                with self.subTest(given=given):
                    self.assertEqual(key, keys[0])
            self.assertEqual(self.missing(s, dst_crs=4326, resampling="Near"), self.missing(s, dst_crs="4326", resampling="nearest"))
            p = problem(s.call("raster_reproject", {"uri": "a.tif", "dst_crs": 4326.5, "resampling": "nearest"}))
            self.assertEqual((p["error"], p["at"]), ("invalid_argument", "/dst_crs"))

    def test_a_deprecated_crs_is_what_its_code_says(self):
        # EPSG:3408 is on a sphere; its replacement EPSG:6931 has the same coordinates 10 km away at 66 degrees north.
        gdal.SetConfigOption("OSR_USE_NON_DEPRECATED", "NO")
        for name, code in (("ease.tif", 3408), ("popular.tif", 3785)):
            rasters.write(self.path(name), [rasters.waves(40, 30, 0, 9)], gdal.GDT_Float32, epsg=code, transform=(2e6, 1000, 0, 1e5, 0, -1000))
        gdal.SetConfigOption("OSR_USE_NON_DEPRECATED", None)
        call = {"dst_crs": "EPSG:4326", "resampling": "nearest", "output": "o.tif", "overwrite": True}
        with Session(workspace=self.workspace) as s:
            self.assertEqual(good(s.call("raster_info", {"uri": "ease.tif"}))["crs"]["code"], "EPSG:3408")
            p = problem(session.run(s, "raster_reproject", {"uri": "ease.tif", **call}))
            self.assertIn("from EPSG:3408 to EPSG:4326 only a ballpark transformation is known", p["message"])
            told = good(session.run(s, "raster_reproject", {"uri": "ease.tif", "allow_ballpark": True, **call}))
            to_degrees = Transformer.from_crs("EPSG:3408", "EPSG:4326", always_xy=True)
            corners = [to_degrees.transform(x, y) for x in (2e6, 2.04e6) for y in (7e4, 1e5)]
            for i, pick in enumerate((min, min, max, max)):
                self.assertAlmostEqual(told["bounds"]["native"][i], pick(c[i % 2] for c in corners), delta=0.01)
            # Of EPSG:3785 only the sphere below it was replaced: it means the same places as EPSG:3857.
            self.assertEqual(good(s.call("raster_info", {"uri": "popular.tif"}))["crs"]["code"], "EPSG:3857")
            told = good(session.run(s, "raster_reproject", {"uri": "popular.tif", **call}))
            self.assertEqual((told["src_crs"]["code"], told["transformation"]["ballpark"]), ("EPSG:3857", False))

    def test_a_geometry_in_the_crs_of_a_site_is_refused_with_the_way_out(self):
        rasters.write(self.path("a.tif"), [rasters.waves(40, 30, 0, 9)], gdal.GDT_Float32, epsg=32633, transform=(5e5, 10, 0, 5e6, 0, -10))
        with Session(workspace=self.workspace) as s:
            p = problem(s.call("raster_query", {"uri": "a.tif", "geometry": [0, 0, 10, 10], "geometry_crs": 'LOCAL_CS["site",UNIT["m",1]]'}))
        self.assertEqual(p["error"], "invalid_argument")
        self.assertIn("PROJ has no transformation to the dataset's EPSG:32633", p["message"])
        self.assertIn('"geometry_crs": "EPSG:32633"', p["hint"])

    def test_the_choice_of_a_justification_is_the_calls_however_it_is_written(self):
        rasters.byte(self.path("a.tif"))
        call = {"uri": "a.tif", "dst_crs": "EPSG:4326", "resampling": "cubic_spline"}
        spelled = {"resampling": ("Cubic Spline", "cubicspline", "CUBIC-SPLINE"), "crs_datum": ("epsg 4326", "4326", "EPSG4326")}
        with Session(workspace=self.workspace) as s:
            bounce = problem(s.call("raster_reproject", call))
            for missing in bounce["missing"]:
                submit = fill_in(missing["submit"]["arguments"], None)
                reason = fill_in(skeleton_of(bounce, missing), missing["answer_schema"])
                for given in spelled.pop(missing["domain"]):
                    with self.subTest(given=given):
                        reason["choice"]["method"] = given
                        stored = good(s.call("store_justification", {**submit, "justification": reason}))
                        self.assertEqual(stored["cache_key"], missing["input_hash"])
                reason["choice"]["method"] = "lanczos" if missing["domain"] == "resampling" else "EPSG:3857"
                wrong = s.call("store_justification", {**submit, "justification": reason})
                self.assertEqual(problem(wrong)["error"], "invalid_justification")
            self.assertEqual(spelled, {})


if __name__ == "__main__":
    session.main()
