"""The tools on offer: toolsets on by default, those an operator names, and their number."""
import shelf
from shelf import edit
from session import problem

HOST_TOOLS = {"store_justification", "preflight", "release_result", "data_find", "toolsets"}
CORE = "raster_info"
GOOD_NAMES = ("a", "rare-tools", "x2", "a" * 64)
BAD_NAMES = ("Rare", "2x", "-rare", "rare_tools", "rare tools", "rare,tools", "rare:tools", "é", "a" * 65, "all\n")


class Toolsets(shelf.Shelf):
    def setUp(self):
        super().setUp()
        self.place("rare")   # TOOLSET rare-tools OFF_BY_DEFAULT
        self.place("plain")  # none: its toolset is the last word of its id


class offered(Toolsets):
    def test_one_that_is_off_by_default_is_not_listed_and_says_how_to_switch_it_on(self):
        tools = self.tools()
        self.assertNotIn("rare_tool", tools)
        self.assertLessEqual({"plain_wait", CORE}, tools)
        p = self.fails("rare_tool")
        self.assertEqual(p["error"], "denied")
        self.assertIn("'rare-tools', which is off", p["message"])
        self.assertIn("--toolsets rare-tools", p["hint"])
        self.assertIn("off; --toolsets rare-tools turns it on", self.ask("bundles").stdout)
        self.assertEqual(self.reasons(), {})

    def test_a_session_does_not_list_it_and_refuses_its_call_the_same_way(self):
        s = self.session()
        names, cursor = set(), None
        while True:
            page = s.request("tools/list", {"cursor": cursor} if cursor else {})["result"]
            names |= {t["name"] for t in page["tools"]}
            if not (cursor := page.get("nextCursor")):
                break
        self.assertNotIn("rare_tool", names)
        self.assertIn("plain_wait", names)
        p = problem(s.call("rare_tool", {}))
        self.assertIn('toolsets with {"action": "enable", "name": "rare-tools"}', p["hint"])
        self.assertIn("--toolsets rare-tools", p["hint"])

    def test_those_that_are_named_are_offered_and_no_others(self):
        self.assertEqual(self.tools("--toolsets", "rare-tools") - HOST_TOOLS, {"rare_tool"})
        both = self.tools("--toolsets", "rare-tools,raster")
        self.assertLessEqual({"rare_tool", CORE}, both)
        self.assertFalse({t for t in both if t.startswith(("plain_", "vector_"))}, both)
        self.assertEqual(self.works("rare_tool", {}, "--toolsets", "rare-tools,raster")["attempts"], {"run": 0})
        self.assertIn("which is off", self.fails("plain_internet", {"port": 1}, "--toolsets", "rare-tools")["message"])

    def test_a_name_nobody_answers_to_is_said_in_the_log(self):
        s = self.session("--toolsets", "raster,nosuch")
        s.request("tools/list")
        self.assertIn("no bundle belongs to the toolset 'nosuch'", s.stderr())
        self.assertNotIn("toolset 'raster'", s.stderr())

    def test_all_means_all(self):
        self.assertEqual(self.tools("--toolsets", "all"), self.tools() | {"rare_tool"} | self.tools("--toolsets", "evidence,raster-more,vector-more,hydrology-more,aggregation-more,gdal"))

    def test_the_environment_can_name_them(self):
        listed = self.ask("tools", env={"GDAL_MCP_TOOLSETS": "rare-tools:vector"}).stdout
        self.assertIn("rare_tool", listed)
        self.assertIn("vector_info", listed)
        self.assertNotIn(CORE, listed)

    def test_what_is_off_keeps_its_name(self):
        """Otherwise switching it on would remove another bundle's tools."""
        other = self.write("zealous", shelf.BUILT / "rare.bundle/lib/rare.so")
        edit(other / "manifest.json", lambda m: m.update(id="org.example.zealous"))
        self.assertIn("'rare_tool' is already offered by bundle 'org.gdal-mcp.test.rare'", self.reasons()["zealous.bundle"])

    def test_the_installation_offers_at_most_forty_tools(self):
        listed = self.run_program("tools", "--workspace", self.workspace).stdout.splitlines()
        self.assertIn(CORE, "".join(listed))
        self.assertLessEqual(len(listed), 40, listed)


class names(Toolsets):
    def test_whoever_describes_a_bundle_is_told_of_a_bad_one(self):
        bundle = self.shelf / "rare.bundle"
        for name in BAD_NAMES:
            with self.subTest(name):
                done = shelf.describe(bundle, f"--toolset={name}")
                self.assertEqual(done.returncode, 1, done.stderr)
                self.assertIn("[a-z][a-z0-9-]{0,63}", done.stderr)
        for name in GOOD_NAMES:
            done = shelf.describe(bundle, "--toolset", name)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("rare_tool", self.tools("--toolsets", name))

    def test_a_manifest_with_a_bad_one_is_refused(self):
        for name in (*BAD_NAMES, ""):
            with self.subTest(name):
                edit(self.shelf / "rare.bundle/manifest.json", lambda m: m["toolset"].update(name=name))
                self.assertIn("/toolset/name", self.reasons()["rare.bundle"])


if __name__ == "__main__":
    shelf.main()
