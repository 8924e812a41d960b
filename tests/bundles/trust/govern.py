"""A bundle's specs may require more of other bundles' tools, never less."""
import json
import shutil

import shelf
from inputs import raster
from session import Session, follow, problem
from shelf import edit, prompt, spec

REPROJECT = {"uri": "a.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear", "output": "b.tif"}
CORE = {"crs_datum", "resampling"}  # what the specs that ship ask of it
OWN = "house_rule"


def extension(domain, tool, key, more=""):
    return f"extends: {domain}\ntools:\n  {tool}: {{{key}}}\n{more}"


class Governing(shelf.Shelf):
    def setUp(self):
        super().setUp()
        raster(self.path("a.tif"))
        self.assertEqual(self.asked(), CORE)

    def asked(self, tool="raster_reproject", arguments=None):
        """The domains whose reasons a call lacks."""
        status, answer = self.call(tool, REPROJECT if arguments is None else arguments)
        self.assertEqual(status, 4, answer)
        return {m["domain"] for m in answer["missing"]}

    def rules(self, name="house", domain=OWN, **tools):
        """A bundle of one spec and its prompt, without code."""
        return self.write(name, prompts={domain: prompt(f"justify_{domain}")},
                          specs={domain: spec(domain, tools or {"raster_reproject": "/dst_crs"})})


class asking_more(Governing):
    def test_a_domain_over_a_core_tool_asks_beside_the_cores_own(self):
        self.rules()
        self.assertEqual(self.asked(), CORE | {OWN})
        self.assertEqual(self.used()["org.example.house"]["domains"], [OWN])

    def test_a_core_tool_that_is_never_asked_about_is_asked_about(self):
        self.works("raster_info", {"uri": "a.tif"})
        self.rules(raster_info="/uri")
        self.assertEqual(self.asked("raster_info", {"uri": "a.tif"}), {OWN})

    def test_a_rule_for_a_tool_of_a_later_bundle_holds(self):
        self.rules(noop="/x")  # not known when the rules are read; nor is there such an argument
        self.assertIn("no bundle has a tool 'noop'", self.reasons()["house.bundle"])
        self.write("zoo", shelf.NOOP)
        self.assertIn("no call of 'noop' can give the key argument 'method'", self.reasons()["house.bundle"])
        edit_spec = self.shelf / "house.bundle/reflection/house_rule.yaml"
        edit_spec.write_text(spec(OWN, {"noop": "{value: always}"}))
        shelf.describe(self.shelf / "house.bundle", "--id", "org.example.house", "--version", "1.0.0", "--license", "MIT")
        self.assertEqual(self.reasons(), {})
        self.assertEqual(self.asked("noop", {}), {OWN})

    def test_two_bundles_ask_side_by_side(self):
        self.rules()
        self.rules("more-rules", "other_rule")
        self.assertEqual(self.asked(), CORE | {OWN, "other_rule"})

    def test_an_answer_to_it_answers_nothing_else(self):
        self.rules()
        with Session(*self.options()[:2], workspace=self.workspace, env=self.env) as s:
            bounce = problem(s.call("raster_reproject", REPROJECT))
            own = [m for m in bounce["missing"] if m["domain"] == OWN]
            self.assertEqual(len(own), 1)
            follow(s, {**bounce, "missing": own})
            again = problem(s.call("raster_reproject", REPROJECT))
            self.assertEqual({m["domain"] for m in again["missing"]}, CORE)
            follow(s, again)
            self.assertFalse(s.call("raster_reproject", REPROJECT).get("isError"))

    def test_a_domain_that_only_warns_takes_no_question_away(self):
        self.write("lenient", prompts={OWN: prompt(f"justify_{OWN}")},
                   specs={OWN: spec(OWN, {"raster_reproject": "/dst_crs"}, missing="warn")})
        self.assertEqual(self.asked(), CORE)
        self.assertIn("org.example.lenient", self.used())

    def test_when_the_bundle_goes_its_question_goes(self):
        folder = self.rules()
        self.assertEqual(self.asked(), CORE | {OWN})
        folder.rename(self.base / "away")
        self.assertEqual(self.asked(), CORE)

    def test_it_may_put_its_own_tool_under_a_core_domain_and_say_when_that_is_not_needed(self):
        self.write("acme", shelf.NOOP, specs={"noop": extension(
            "crs_datum", "noop", "dst_crs: [{value: 'EPSG:3857'}]",
            "not_needed_when:\n  - {argument: /never, present: true, tool: noop}\n")})
        self.assertEqual(self.asked("noop", {}), {"crs_datum"})
        self.assertEqual(self.asked(), CORE)


class the_operators_word(Governing):
    """The policy file names the tools a bundle may govern beside its own."""

    def governing(self, text):
        policy = self.base / "policy.yaml"
        policy.write_text(text)
        status, answer = self.call("raster_reproject", REPROJECT, "--policy", policy)
        self.assertEqual(status, 4, answer)
        return {m["domain"] for m in answer["missing"]}, self.reasons("--policy", policy)

    def test_a_bundle_governs_what_it_may_and_is_refused_else_by_name(self):
        self.rules()
        for word in ("any", "[raster_reproject, raster_info]"):
            self.assertEqual(self.governing(f"govern: {{org.example.house: {word}}}\n"), (CORE | {OWN}, {}))
        for text in ("govern: {org.example.house: own}\n", "govern: {org.example.house: [raster_info]}\n",
                     "govern: {'*': own}\n"):
            with self.subTest(text):
                asked, reasons = self.governing(text)
                self.assertEqual(asked, CORE)
                self.assertRegex(reasons["house.bundle"], "does not let org.example.house govern 'raster_reproject'.*--policy")

    def test_its_own_tools_a_bundle_always_governs(self):
        self.write("acme", shelf.NOOP, {"why": prompt("justify_acme_why")}, {"why": spec("acme_why", {"noop": "/x"}, missing="warn")})
        self.assertEqual(self.governing("govern: {'*': own}\n"), (CORE, {}))

    def test_a_word_that_means_nothing_is_an_error(self):
        (self.base / "policy.yaml").write_text("govern: {org.example.house: none}\n")
        done = self.ask("bundles", "--policy", self.base / "policy.yaml")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("/govern/org.example.house", done.stderr)


class asking_less(Governing):
    """Each of these is refused with the reason; the bundle beside it is used, and the core's questions are unchanged."""

    def refused(self, reason, library=None, prompts=None, specs=None, afterwards=None):
        """afterwards: files changed as if the manifest were not written by gdal-mcp-describe."""
        shutil.rmtree(self.shelf)
        self.shelf.mkdir()
        self.rules()
        bundle = self.write("loose", library, prompts=prompts, specs=specs)
        for file, text in (afterwards or {}).items():
            (bundle / file).write_text(text)
            edit(bundle / "manifest.json", lambda m: m["files"].update({file: shelf.digest(bundle / file)}))
        reasons = self.reasons()
        self.assertEqual(set(reasons), {"loose.bundle"})
        self.assertRegex(reasons["loose.bundle"], reason)
        self.assertEqual(self.asked(), CORE | {OWN})
        used = self.used()
        self.assertEqual({b for b in used if not b.startswith("org.gdal-mcp.")}, {"org.example.house"})

    def test_a_core_domain_is_not_extended_to_somebody_elses_tool(self):
        for tool in ("raster_info", "vector_reproject", "no_such_tool"):
            with self.subTest(tool):
                self.refused(f"/tools/{tool} is not a tool of org.example.loose.*domain of your own",
                                      specs={"x": extension("crs_datum", tool, "dst_crs: /uri")})

    def test_nor_by_a_bundle_that_has_tools_of_its_own(self):
        self.refused("/tools/raster_info is not a tool of org.gdal-mcp.test.noop", shelf.NOOP,
                     specs={"x": "extends: crs_datum\ntools:\n  noop: {dst_crs: [{value: a}]}\n"
                                 "  raster_info: {dst_crs: /uri}\n"})
        self.assertNotIn("noop", self.tools())

    def test_a_core_tool_is_not_excused(self):
        mine = "dst_crs: [{value: 'EPSG:3857'}]"
        for condition in ("{argument: /uri, present: true, tool: raster_reproject}", "{argument: /uri, present: true}",
                          "{all: [{argument: /uri, present: true, tool: noop}]}",
                          "{any: [{argument: /uri, present: true}], tool: raster_reproject}"):
            with self.subTest(condition):
                self.refused("condition of an extension must name, as `tool`, a tool of the same file", shelf.NOOP,
                                      specs={"x": extension("crs_datum", "noop", mine, f"not_needed_when:\n  - {condition}\n")})

    def test_policy_and_key_of_a_core_domain_are_not_for_an_extension_to_change(self):
        for field in ("policy: {missing: warn}", "key: {dst_crs: text}", "prompt: justify_mine", "risk: low"):
            with self.subTest(field):
                name = field.partition(":")[0]
                sound = extension("crs_datum", "noop", "dst_crs: [{value: a}]")
                self.refused(name, shelf.NOOP, specs={"x": sound}, afterwards={"reflection/x.yaml": sound + field + "\n"})

    def test_a_core_domain_is_not_defined_again(self):
        self.refused("there is a domain 'crs_datum' already", prompts={"mine": prompt("justify_mine")},
                     specs={"crs": spec("crs_datum", {"raster_reproject": "/dst_crs"}, "justify_mine", missing="warn")})

    def test_a_core_prompt_is_not_replaced(self):
        self.refused("there is a prompt 'justify_crs_selection' already",
                     prompts={"crs": prompt("justify_crs_selection", "Any reason will do.")})
        status, answer = self.call("raster_reproject", REPROJECT)
        self.assertEqual(status, 4)
        self.assertNotIn("Any reason will do.", json.dumps(answer))

    def test_the_domain_and_prompt_of_another_bundle_are_not_replaced_either(self):
        self.refused(f"there is a prompt 'justify_{OWN}' already", prompts={"x": prompt(f"justify_{OWN}", "Any.")})
        self.shelf.joinpath("loose.bundle").rename(self.base / "loose")
        self.write("zoose", prompts={"x": prompt("justify_x")}, specs={"x": spec(OWN, {"raster_info": "/uri"}, "justify_x")})
        self.assertIn(f"there is a domain '{OWN}' already", self.reasons()["zoose.bundle"])

    def test_a_core_tools_name_cannot_be_taken(self):
        """Installed bundles keep their names, whatever folder is searched first."""
        core = json.loads((shelf.INSTALLED / "raster.bundle/manifest.json").read_text())
        definition = next(t for t in core["tools"] if t["name"] == "raster_reproject")
        folder = self.write("taker", shelf.NOOP)
        edit(folder / "manifest.json", lambda m: m.update(id="org.example.taker", tools=[definition]))
        self.assertIn("'raster_reproject' is already offered by bundle 'org.gdal-mcp.raster'", self.reasons()["taker.bundle"])
        self.assertEqual(self.asked(), CORE)

    def test_of_a_bundle_that_is_refused_nothing_stays(self):
        """Its first spec is valid and its prompt new; neither remains."""
        self.refused("there is a domain 'crs_datum' already", prompts={"fine": prompt("justify_fine")},
                     specs={"a_fine": spec("fine", {"raster_info": "/uri"}),
                            "b_core": spec("crs_datum", {"raster_reproject": "/dst_crs"}, "justify_fine")})
        self.works("raster_info", {"uri": "a.tif"})
        with Session(*self.options()[:2], workspace=self.workspace, env=self.env) as s:
            offered = {p["name"] for p in s.request("prompts/list")["result"]["prompts"]}
        self.assertIn(f"justify_{OWN}", offered)
        self.assertNotIn("justify_fine", offered)


if __name__ == "__main__":
    shelf.main()
