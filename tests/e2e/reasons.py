"""Stored reasons and the record of calls: `gdal-mcp reflect` and `gdal-mcp audit` show, withdraw, export and import them; team
libraries."""
import hashlib
import json
import os
import re
import shlex
import subprocess
import threading

import rasters
import session
from session import Claims, PROGRAM, Session, good, problem

WARP = {"uri": "source.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear", "output": "out.tif", "overwrite": True}
BLOCKED = "requires_epistemic_justification"


def answer(choice, said="the measured error is 1.6 % at 37 N"):
    return {"intent": "tiles that join a web map", "alternatives": [{"method": "something else", "why_not": said}],
            "choice": {"method": choice, "rationale": said, "tradeoffs": said}, "confidence": "medium"}


REASONS = {"crs_datum": answer("EPSG:3857"), "resampling": answer("bilinear")}


class reasons(Claims):
    def setUp(self):
        super().setUp()
        rasters.byte(self.path("source.tif"))
        self.other = os.path.join(self.folder.name, "other")
        os.mkdir(self.other)
        rasters.byte(os.path.join(self.other, "source.tif"))
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("GDAL_MCP_")}
        self.environment["XDG_STATE_HOME"] = os.path.join(self.folder.name, "state")

    def program(self, *arguments, status=0, cwd=None, env=None):
        """Runs the program in a workspace; returns its output."""
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=session.HANG,
                              env={**self.environment, **(env or {})}, cwd=cwd or self.workspace)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stdout + done.stderr

    def reflect(self, *arguments, **where):
        return self.program("reflect", *arguments, **where)

    def call(self, arguments=WARP, status=0, **where):
        return json.loads(self.program("call", "raster_reproject", "--json", json.dumps(arguments), status=status, **where).splitlines()[0])

    def justified(self, **where):
        """A call with both of its reasons, which stay."""
        return self.call({**WARP, "justification": REASONS}, **where)

    def listed(self, *arguments, **where):
        return json.loads(self.reflect("list", "--json", *arguments, **where))["records"]

    def key(self, domain, **where):
        return self.listed("--domain", domain, **where)[0]["cache_key"]

    def store(self, *parts):
        return os.path.join(self.workspace, ".preflight", *parts)

    # ---- the page

    def test_the_commands_of_the_page_run(self):
        with open(os.path.join(os.path.dirname(__file__), "../../docs/reflection.md"), encoding="utf-8") as page:
            section = page.read().split("\n## Commands\n")[1].split("\n## ")[0]
        self.justified()
        key = self.key("crs_datum")
        commands = re.search(r"```sh\n(.*?)```", section, re.S)[1].splitlines()
        for command in commands:
            with self.subTest(command=command):
                words = shlex.split(command.replace("KEY", key))
                self.assertEqual(words[0], "gdal-mcp")
                self.program(*words[1:])
        told = self.program("reflect", "--help")
        subcommands = set(re.findall(r"^  ([\w-]+) ", told.split("Subcommands:")[1], re.M))
        self.assertEqual(set(re.findall(r"^\| `([\w-]+)", section, re.M)), subcommands)

    # ---- looking

    def test_the_list_names_choice_confidence_chooser_and_key(self):
        self.justified()
        told = {r["domain"]: r for r in self.listed()}
        self.assertEqual({d: r["choice"] for d, r in told.items()}, {"crs_datum": "EPSG:3857", "resampling": "bilinear"})
        r = told["crs_datum"]
        self.assertEqual((r["confidence"], r["chosen_by"], r["stale"], r["found_in"]), ("medium", "agent", False, None))
        self.assertEqual(r["ref"], f"justification://crs_datum/{r['cache_key']}")
        for_people = self.reflect("list")
        self.assertIn("EPSG:3857", for_people)
        self.assertIn(r["cache_key"][7:19], for_people)
        self.assertEqual([r["domain"] for r in self.listed("--domain", "resampling")], ["resampling"])
        self.assertIn("resampling", self.reflect("list", "--domain", "resampelling", status=3))

    def test_the_list_tells_reasons_of_one_choice_apart_by_their_key(self):
        for quality in (60, 80):
            self.program("call", "store_justification", "--json", json.dumps(
                {"domain": "format_selection", "prompt_args": {"compression": "jpeg", "quality": quality},
                 "justification": answer("jpeg")}))
        told = self.reflect("list")
        for quality in (60, 80):
            self.assertIn(f"jpeg (quality {quality})", told)

    def test_no_word_of_an_agent_reaches_the_terminal_raw(self):
        raw, shown = "\x1b[2J\u202eok", "<U+001B>[2J<U+202E>ok"
        self.call({**WARP, "justification": {d: {**a, "intent": f"tiles {raw}", "choice": {**a["choice"], "tradeoffs": raw}}
                                             for d, a in REASONS.items()}})
        key = self.key("crs_datum")
        said = self.reflect("show", key)
        self.assertIn(f"tiles {shown}", said)
        for text in (said, self.reflect("list")):
            self.assertTrue(text.replace("\n", "").isprintable(), ascii(text))

    def test_a_reason_is_shown_by_its_ref_its_key_or_its_first_digits(self):
        self.justified()
        key = self.key("crs_datum")
        for name in (key, f"justification://crs_datum/{key}", key[7:19]):
            record = json.loads(self.reflect("show", name, "--json"))
            self.assertEqual(record["cache_key"], key)
        self.assertIn("tiles that join a web map", self.reflect("show", key))
        self.assertIn("there is no reason", self.reflect("show", "0" * 64, status=3))
        self.assertIn("there is no reason", self.reflect("show", "", status=3))

    def test_the_keys_of_a_call_can_be_recomputed_from_what_is_printed(self):
        call = json.dumps({**WARP, "dst_crs": "EPSG:900913"})
        told = {d["domain"]: d for d in json.loads(self.reflect("key", "raster_reproject", call, "--raw"))["domains"]}
        self.justified()
        for r in self.listed():
            of = told[r["domain"]]["keys"][0]
            self.assertEqual(of["cache_key"], r["cache_key"])
            self.assertEqual("sha256:" + hashlib.sha256(of["hashed"].encode()).hexdigest(), of["cache_key"])
            self.assertEqual("sha256:" + hashlib.sha256(of["question_hashed"].encode()).hexdigest(), of["question_hash"])
        self.assertEqual(told["crs_datum"]["key_arguments"],
                         [{"name": "dst_crs", "normal": "EPSG:3857", "given": "EPSG:900913", "source": "/dst_crs"}])
        for_people = self.reflect("key", "raster_reproject", call)
        self.assertIn('dst_crs = "EPSG:3857", from /dst_crs: "EPSG:900913"', for_people)
        self.assertIn(told["crs_datum"]["keys"][0]["hashed"], for_people)
        self.assertIn("no domain governs it", self.reflect("key", "raster_info", '{"uri": "source.tif"}'))
        self.reflect("key", "no_such_tool", "{}", status=3)

    def test_a_record_that_cannot_be_believed_is_a_warning(self):
        self.justified()
        file = self.store("justifications/crs_datum", self.key("crs_datum") + ".json")
        with open(file) as f:
            edited = f.read().replace("web map", "map")
        with open(file, "w") as f:
            f.write(edited)
        told = json.loads(self.reflect("list", "--json"))
        self.assertEqual([r["domain"] for r in told["records"]], ["resampling"])
        self.assertEqual(len(told["warnings"]), 1)
        self.assertIn("it was edited", told["warnings"][0])
        ref = "justification://crs_datum/" + os.path.basename(file)[:-5]
        self.assertIn("it was edited", self.reflect("show", ref, status=3))
        self.reflect("revoke", ref)
        self.assertEqual(json.loads(self.reflect("list", "--json"))["warnings"], [])

    def test_statistics_come_from_the_reasons_and_the_receipts(self):
        self.call(status=4)
        self.justified()
        self.call()
        told = json.loads(self.reflect("stats", "--json"))
        self.assertEqual(told["decisions"], {"block": 2, "proceed": 4})
        self.assertAlmostEqual(told["hit_rate"], 4 / 6)
        self.assertEqual(told["domains"]["crs_datum"], {"reasons": 1, "questions": 1, "decisions": {"block": 1, "proceed": 2}})
        self.assertEqual((told["reasons"], told["confidence"], told["chosen_by"]), (2, {"medium": 2}, {"agent": 2}))
        self.assertIn("67 %", self.reflect("stats"))

    def test_the_schema_is_the_resource(self):
        with Session(workspace=self.workspace) as s:
            resource = s.request("resources/read", {"uri": "schema://justification"})["result"]["contents"][0]["text"]
        self.assertEqual(json.loads(self.reflect("schema")), json.loads(resource))

    # ---- maintenance

    def test_what_is_revoked_is_asked_again_and_kept_aside(self):
        self.justified()
        key = self.key("crs_datum")
        told = self.reflect("revoke", key[7:19])
        text = self.reflect("export", "--format", "markdown", "out.tif")
        self.assertIn("This reason was withdrawn on 20", text)
        self.assertNotIn("no longer stored", text)
        self.assertIn("raster_reproject, vector_query, vector_reproject", told)
        self.assertEqual([m["domain"] for m in self.call(status=4)["missing"]], ["crs_datum"])
        aside = os.listdir(self.store("justifications/crs_datum/revoked"))
        self.assertEqual(len(aside), 1)
        with open(self.store("justifications/crs_datum/revoked", aside[0])) as f:
            self.assertEqual(json.load(f)["cache_key"], key)
        self.assertIn("there is no reason", self.reflect("revoke", key, status=3))

    def test_a_revocation_names_the_tools_that_ask_this_question(self):
        with Session(workspace=self.workspace) as s:
            for operation, tools in (("condition", "hydro_condition"), ("flow_direction", "hydro_flow_accumulation, hydro_flow_direction")):
                kept = good(s.call("store_justification", {"domain": "hydrology", "prompt_args": {"operation": operation, "method": "fill"},
                                                           "justification": answer("fill", "the pits are artefacts of the survey")}))
                self.assertIn("asked again: " + tools + "\n", self.reflect("revoke", kept["cache_key"]) + "\n")

    def test_a_better_reason_keeps_the_one_it_replaces(self):
        self.justified()
        first = json.loads(self.reflect("show", self.key("crs_datum"), "--json"))
        self.call({**WARP, "justification": {"crs_datum": answer("EPSG:3857", "the client's tiles have 0.6 m cells")}})
        self.assertEqual(len(self.listed("--domain", "crs_datum")), 1)
        self.assertIn("0.6 m cells", self.reflect("show", self.key("crs_datum")))
        with open(self.store("justifications/crs_datum/earlier", first["digest"] + ".json")) as f:
            self.assertEqual(json.load(f), first)

    def test_prune_erases_what_fits_every_criterion(self):
        self.justified()
        self.assertIn("criterion", self.reflect("prune", status=2))
        self.reflect("prune", "--older-than", "30")
        self.reflect("prune", "--stale")
        self.assertEqual(len(self.listed()), 2)
        self.assertIn("would erase", self.reflect("prune", "--older-than", "0", "--domain", "resampling", "--dry-run"))
        self.assertEqual(len(self.listed()), 2)
        self.reflect("prune", "--older-than", "0", "--domain", "resampling")
        self.assertEqual([r["domain"] for r in self.listed()], ["crs_datum"])

    # ---- export and import

    def test_exported_reasons_serve_in_another_workspace(self):
        self.justified()
        for form in ("json", "capsule"):
            with self.subTest(form=form):
                self.call(status=4, cwd=self.other)
                self.reflect("export", "--format", form, "--output", self.path(form))
                self.assertIn("would be imported", self.reflect("import", self.path(form), "--dry-run", cwd=self.other))
                self.call(status=4, cwd=self.other)
                self.assertEqual(self.reflect("import", self.path(form), cwd=self.other).count("imported: "), 2)
                self.call(cwd=self.other)
                self.assertEqual([(r["cache_key"], r["timestamp"]) for r in self.listed(cwd=self.other)],
                                 [(r["cache_key"], r["timestamp"]) for r in self.listed()])
                self.assertEqual(self.reflect("import", self.path(form), cwd=self.other).count("already present"), 2)
                self.reflect("revoke", *[r["cache_key"] for r in self.listed()], cwd=self.other)

    def test_reasons_just_exported_are_present(self):
        self.justified()
        for form in ("json", "capsule"):
            self.reflect("export", "--format", form, "--output", self.path(form))
            self.assertEqual(self.reflect("import", self.path(form)).count("already present"), 2, form)

    def test_an_export_replaces_no_file_unasked_and_nothing_but_a_file(self):
        self.justified()
        with open(self.path("source.tif"), "rb") as f:
            before = f.read()
        self.assertIn("source.tif exists", self.reflect("export", "--format", "json", "--output", self.path("source.tif"), status=3))
        with open(self.path("source.tif"), "rb") as f:
            self.assertEqual(f.read(), before)
        self.reflect("export", "--format", "json", "--output", self.path("reasons.json"))
        self.reflect("export", "--format", "json", "--output", self.path("reasons.json"), "--overwrite")
        os.symlink(self.path("reasons.json"), self.path("link.json"))
        os.mkfifo(self.path("pipe"))
        for name in ("link.json", "pipe"):
            self.assertIn("is not a plain file", self.reflect("export", "--format", "json", "--output", self.path(name), "--overwrite", status=3))
        self.assertTrue(os.path.islink(self.path("link.json")))

    def test_output_that_cannot_be_written_is_a_failure(self):
        self.justified()
        for words in (("call", "raster_info", "--json", '{"uri":"source.tif"}'), ("reflect", "export", "--format", "json"), ("tools", )):
            with open("/dev/full", "w") as full:
                done = subprocess.run([PROGRAM, *words], cwd=self.workspace, stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True)
            self.assertEqual(done.returncode, 3, words)
            self.assertIn("standard output could not be written: No space left on device", done.stderr)

    def test_a_foreign_record_is_refused_by_name_and_the_others_are_taken(self):
        self.justified()
        records = json.loads(self.reflect("export", "--format", "json"))
        records[0]["prompt_args"]["dst_crs"] = "EPSG:4326"
        with open(self.path("records.json"), "w") as f:
            json.dump(records, f)
        told = self.reflect("import", self.path("records.json"), cwd=self.other, status=3)
        self.assertIn(f"refused: number 1, {records[0]['cache_key']}: its digest does not match", told)
        self.assertEqual([r["domain"] for r in self.listed(cwd=self.other)], ["resampling"])
        self.assertIn("JSON", self.reflect("import", self.path("source.tif"), status=3))
        self.assertIn("absent.json", self.reflect("import", "absent.json", status=3))

    def test_a_newer_reason_stays_unless_forced(self):
        self.justified()
        self.reflect("export", "--format", "json", "--output", self.path("old.json"))
        self.call({**WARP, "justification": {"crs_datum": answer("EPSG:3857", "a newer reason, 2 m")}})
        newer = self.reflect("show", self.key("crs_datum"), "--json")
        self.assertIn("kept: ", self.reflect("import", self.path("old.json"), status=3))
        self.assertEqual(self.reflect("show", self.key("crs_datum"), "--json"), newer)
        self.reflect("import", self.path("old.json"), "--force")
        self.assertNotEqual(self.reflect("show", self.key("crs_datum"), "--json"), newer)

    def test_the_methods_text_quotes_the_records_and_its_command_makes_the_same_file(self):
        self.justified()
        text = self.reflect("export", "--format", "markdown", "out.tif")
        for words in ("tiles that join a web map", "Rejected: something else", "medium confidence", "chosen by the agent"):
            self.assertIn(words, text)
        for name in ("source.tif", "out.tif"):
            with open(self.path(name), "rb") as f:
                self.assertIn(f"SHA-256 `{hashlib.sha256(f.read()).hexdigest()}`", text)
        command = re.search(r"```sh\n(.*)\n```", text)[1]
        os.rename(self.path("out.tif"), self.path("before.tif"))
        self.program(*shlex.split(command)[1:])
        with open(self.path("out.tif"), "rb") as again, open(self.path("before.tif"), "rb") as before:
            self.assertEqual(again.read(), before.read())
        self.assertIn("# Reasons", self.reflect("export", "--format", "markdown"))
        self.assertIn("source.tif.provenance.json", self.reflect("export", "--format", "markdown", "source.tif", status=3))
        self.assertIn("takes no files", self.reflect("export", "--format", "json", "out.tif", status=2))

    def test_the_methods_text_of_a_step_quotes_the_reason_it_ran_on(self):
        self.justified()
        before = self.reflect("export", "--format", "markdown", "out.tif")
        self.call({**WARP, "output": "later.tif", "justification": {"crs_datum": answer("EPSG:3857", "a newer reason, 2 m")}})
        self.assertEqual(self.reflect("export", "--format", "markdown", "out.tif"), before)
        self.assertIn("a newer reason, 2 m", self.reflect("export", "--format", "markdown", "later.tif"))

    def test_a_compound_crs_is_named_by_the_codes_of_its_parts(self):
        target = "EPSG:32616+5773"
        self.call({**WARP, "dst_crs": target, "justification": {"crs_datum": answer(target), "resampling": answer("bilinear")}})
        self.assertIn(f"Target CRS (crs_datum): {target}\n\n{target} was chosen", self.reflect("export", "--format", "markdown", "out.tif"))
        key = self.key("crs_datum")
        for command in (("export", "--format", "markdown"), ("list",), ("show", key), ("revoke", key)):
            told = self.reflect(*command)
            self.assertIn(target, told)
            self.assertNotIn("projjson", told)

    def test_a_crs_without_a_code_is_named_in_the_methods_text(self):
        rasters.write(self.path("utm.tif"), [rasters.waves(230, 170, 5, 30)], rasters.gdal.GDT_Float32)
        own = rasters.osr.SpatialReference()
        own.ImportFromWkt('PROJCS["Grid of the park",GEOGCS["GRS 1980",DATUM["unknown",SPHEROID["GRS80",6378137,298.257222101],'
                          'TOWGS84[0,0,0,0,0,0,0]],PRIMEM["Greenwich",0],UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],'
                          'PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",-33],PARAMETER["scale_factor",0.9996],'
                          'PARAMETER["false_easting",500000],PARAMETER["false_northing",10000000],UNIT["metre",1]]')
        file = rasters.ogr.GetDriverByName("GPKG").CreateDataSource(self.path("park.gpkg"))
        layer = file.CreateLayer("park", own, rasters.ogr.wkbPolygon)
        park = rasters.ogr.Feature(layer.GetLayerDefn())
        park.SetGeometry(rasters.ogr.CreateGeometryFromWkt("POLYGON ((290000 9117000, 292000 9117000, 292000 9119000, 290000 9117000))"))
        layer.CreateFeature(park)
        del park, layer, file
        with Session(workspace=self.workspace) as s:
            good(session.run(s, "raster_query", {"uri": "utm.tif", "geometry": "park.gpkg", "purpose": "warmth", "output": "part.tif"}))
        text = self.reflect("export", "--format", "markdown", "part.tif")
        self.assertIn("geometry_crs = Grid of the park", text)
        self.assertNotIn("projjson", text)

    def test_the_methods_text_of_a_step_has_no_later_confirmation(self):
        self.justified()
        before = self.reflect("export", "--format", "markdown", "out.tif")
        rasters.geographic(self.path("far.tif"))
        self.call({**WARP, "uri": "far.tif", "output": "far_out.tif", "justification": {
            "crs_datum": {"still_holds": "the map now has another sheet, too"}}})
        self.assertIn("another sheet", self.reflect("export", "--format", "markdown", "far_out.tif"))
        self.assertEqual(self.reflect("export", "--format", "markdown", "out.tif"), before)

    # ---- team libraries

    def test_a_library_answers_after_the_workspace_and_is_never_written_to(self):
        self.justified(cwd=self.other)
        library = os.path.join(self.other, ".preflight")
        before = {f: os.stat(os.path.join(library, "justifications", f)).st_mtime_ns for f in os.listdir(library + "/justifications")}
        given = ("--justifications", library)
        self.call(status=4)
        self.program("call", "raster_reproject", "--json", json.dumps(WARP), *given)
        self.program("call", "raster_reproject", "--json", json.dumps(WARP), env={"GDAL_MCP_JUSTIFICATIONS": f"/no/such:{library}"})
        self.assertEqual({r["found_in"] for r in self.listed(*given)}, {library})
        self.assertIn(f"in {library}", self.reflect("list", *given))
        self.assertIn("read-only", self.reflect("revoke", self.key("crs_datum", cwd=self.other), *given, status=3))
        own = {"crs_datum": answer("EPSG:3857", "our own reason, 3 m")}
        self.call({**WARP, "justification": {**REASONS, **own}})
        self.assertEqual({r["found_in"] for r in self.listed(*given)}, {None})
        self.assertIn("still answers", self.reflect("revoke", self.key("crs_datum"), *given))
        after = {f: os.stat(os.path.join(library, "justifications", f)).st_mtime_ns for f in os.listdir(library + "/justifications")}
        self.assertEqual(after, before)

    def test_a_library_that_is_not_there_is_a_warning(self):
        with Session("--justifications", "/no/such/library", workspace=self.workspace) as s:
            good(s.call("raster_info", {"uri": "source.tif"}))
            self.assertIn("/no/such/library", s.stderr())

    # ---- the record of calls

    def test_every_call_is_in_the_history_and_governed_ones_have_receipts(self):
        with Session(workspace=self.workspace) as s:
            good(s.call("raster_info", {"uri": "source.tif"}))
            self.assertEqual(problem(s.call("raster_reproject", WARP))["error"], BLOCKED)
            good(s.call("raster_reproject", {**WARP, "justification": REASONS}))
            uris = {r["uri"] for r in s.request("resources/list")["result"]["resources"]}
            self.assertLessEqual({"receipts://recent", "history://operations"}, uris)

            def read(uri):
                return json.loads(s.request("resources/read", {"uri": uri})["result"]["contents"][0]["text"])
            done, refused, looked = read("history://operations")["operations"]
            governed = read("receipts://recent")["calls"]
        self.assertEqual((looked["tool"], looked["outcome"], looked["receipts"]), ("raster_info", "ok", []))
        self.assertEqual((refused["outcome"], [r["decision"] for r in refused["receipts"]]), (BLOCKED, ["block", "block"]))
        self.assertEqual((done["outcome"], done["outputs"]), ("ok", [os.path.realpath(self.path("out.tif"))]))
        self.assertEqual([r["decision"] for r in done["receipts"]], ["proceed", "proceed"])
        self.assertTrue(all(r["justification_ref"] for r in done["receipts"]))
        self.assertEqual(done["arguments"], refused["arguments"])
        self.assertEqual(governed, [done, refused])

    def test_the_audit_file_holds_no_arguments_and_shows_that_it_was_changed(self):
        self.justified()
        self.call()
        told = self.program("audit", "verify")
        self.assertIn("2 line(s), unbroken", told)
        with open(self.store("audit.jsonl")) as f:
            text = f.read()
        self.assertNotIn("1.6 % at 37 N", text)  # of an answer, no more than its intent, in the receipt
        self.assertNotIn("source.tif", text)
        self.assertNotIn("bilinear", text)
        self.assertIn(hashlib.sha256(text.splitlines()[-1].encode()).hexdigest(), told)
        with open(self.store("audit.jsonl"), "w") as f:
            f.write(text.replace("proceed", "blocked", 1))
        self.assertIn("line 2 of ", self.program("audit", "verify", status=3))
        os.remove(self.store("audit.jsonl"))
        self.assertIn("there is no ", self.program("audit", "verify", status=3))

    def test_two_servers_on_one_workspace_lose_no_reason_and_no_line(self):
        def store(s, codes):
            for code in codes:
                good(s.call("store_justification", {"domain": "crs_datum", "prompt_args": {"dst_crs": f"EPSG:{code}"},
                                                    "justification": answer(f"EPSG:{code}")}))
        codes = range(32601, 32641)
        with Session(workspace=self.workspace) as one, Session(workspace=self.workspace) as two:
            threads = [threading.Thread(target=store, args=(s, codes[i::2])) for s in (one, two) for i in (0, 1)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        self.assertEqual({r["choice"] for r in self.listed()}, {f"EPSG:{code}" for code in codes})
        self.assertIn(f"{2 * len(codes)} line(s), unbroken", self.program("audit", "verify"))

    def test_a_store_that_cannot_be_written_to_is_said_once_and_fails_no_call(self):
        with open(self.store(), "w"):
            pass
        with Session(workspace=self.workspace) as s:
            for _ in range(3):
                good(s.call("raster_info", {"uri": "source.tif"}))
            self.assertEqual(s.stderr().count("calls are not recorded"), 1)


if __name__ == "__main__":
    session.main()
