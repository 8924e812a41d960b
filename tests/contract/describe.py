"""gdal-mcp-describe: what a manifest says, and what it refuses to say.
Usage: describe.py GDAL_MCP_DESCRIBE PLAIN_LIBRARY GDAL_LIBRARY EVERY_KIND_LIBRARY"""
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

DESCRIBE, PLAIN, WITH_GDAL, EVERY_KIND = sys.argv[1:5]
IDENTITY = ["--id", "org.example.rules", "--version", "2.1.0", "--license", "CC0-1.0"]


class Describing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gdalmcp-describe-")
        self.addCleanup(folder.cleanup)
        self.bundle = pathlib.Path(folder.name, "acme.bundle")
        self.bundle.mkdir()

    def put(self, name, content):
        file = self.bundle / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(content)

    def put_library(self, library=PLAIN):
        (self.bundle / "lib").mkdir(exist_ok=True)
        shutil.copy2(library, self.bundle / "lib")

    def describe(self, *options):
        return subprocess.run([DESCRIBE, *options, str(self.bundle)], text=True, capture_output=True)

    def manifest(self, *options):
        done = self.describe(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.bundle / "manifest.json").read_text())

    def refusal(self, *options, status=1):
        done = self.describe(*options)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertFalse((self.bundle / "manifest.json").exists())
        return done.stderr

    def test_a_library_says_its_own_identity_and_tools(self):
        self.put_library()
        m = self.manifest()
        self.assertEqual([t["name"] for t in m["tools"]], ["noop"])
        self.assertEqual(m["library"], "lib/noop.so")
        self.assertEqual(m["abi"]["major"], 1)
        self.assertEqual(m["needs"], {"runtime": "plain", "network": False})
        self.assertNotIn("toolset", m)

    def test_a_library_linked_to_gdal_needs_the_gdal_runtime(self):
        self.put_library(WITH_GDAL)
        needs = self.manifest()["needs"]
        self.assertEqual(needs["runtime"], "gdal")
        self.assertRegex(needs["libgdal"], r"^libgdal\.so\.\d+$")

    def test_what_is_said_of_an_argument_reaches_the_model(self):
        self.put_library(EVERY_KIND)
        inputs = {t["name"]: t["input_schema"] for t in self.manifest()["tools"]}
        arguments = inputs["every_kind"]["properties"]
        self.assertEqual(arguments["real"],
                         {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e9, "description": "A number. [m]",
                          "default": 0.5, "examples": [2.5, 30]})
        self.assertEqual(arguments["whole"],
                         {"type": "integer", "minimum": 0, "maximum": 9.1e15, "description": "An integer. [cells]"})
        self.assertEqual(arguments["word"], {"type": "string", "minLength": 0, "maxLength": 40, "pattern": "^[^;]*$",
                                             "description": "Text."})
        self.assertEqual(arguments["words"]["items"], {"type": "string", "maxLength": 9})
        self.assertEqual(arguments["pick"], {"type": "string", "enum": ["left", "right"], "description": "One of two.",
                                             "default": "left"})
        self.assertEqual(arguments["bands"]["default"], "all")
        self.assertEqual(arguments["system"]["examples"], ["EPSG:3857"])
        window = arguments["window"]
        self.assertEqual(window["description"], "The part to read.")
        self.assertEqual(window["default"], {"left": 0})
        self.assertEqual(window["properties"]["left"], {"type": "integer", "minimum": 0, "default": 0,
                                                        "description": "First column. [cells]"})
        classes = arguments["classes"]
        self.assertEqual((classes["minItems"], classes["maxItems"]), (1, 9))
        self.assertEqual(classes["items"]["required"], ["label"])
        self.assertEqual(inputs["every_kind"]["required"], ["whole", "word", "system", "area", "object", "numbers", "words"])
        roles = {name: a.get("x-gdalmcp", a.get("items", {}).get("x-gdalmcp"))
                 for name, a in inputs["every_dataset"]["properties"].items()}
        self.assertEqual(roles, {"dem": "input-raster", "scenes": "input-raster", "zones": "input-vector",
                                 "others": "input-any", "output": "output-any"})

    def test_a_toolset_and_the_network_are_said_on_the_command_line(self):
        self.put_library()
        self.assertEqual(self.manifest("--toolset", "terrain")["toolset"], {"name": "terrain", "default": True})
        m = self.manifest("--toolset", "terrain", "--off-by-default", "--network")
        self.assertEqual(m["toolset"], {"name": "terrain", "default": False})
        self.assertTrue(m["needs"]["network"])

    def test_a_bundle_without_code_is_told_who_it_is_and_lists_its_files(self):
        self.put("prompts/why.md", "why\n")
        self.put("reflection/why.yaml", "domain: why\n")
        self.put("reflection/notes.txt", "not part of the bundle\n")
        m = self.manifest(*IDENTITY)
        self.assertEqual((m["id"], m["version"], m["license"]), ("org.example.rules", "2.1.0", "CC0-1.0"))
        self.assertEqual(m["tools"], [])
        self.assertNotIn("library", m)
        self.assertNotIn("abi", m)
        self.assertEqual(m["needs"]["runtime"], "plain")
        self.assertEqual(m["files"], {name: "sha256:" + hashlib.sha256((self.bundle / name).read_bytes()).hexdigest()
                                      for name in ("prompts/why.md", "reflection/why.yaml")})

    def test_a_bundle_without_code_must_be_told_who_it_is(self):
        self.put("prompts/why.md", "why\n")
        self.assertIn("--id, --version and --license", self.refusal())
        self.refusal("--id", "org.example.rules", status=2)

    def test_nobody_but_the_library_says_who_it_is(self):
        self.put_library()
        self.assertIn("says its own", self.refusal(*IDENTITY))

    def test_an_empty_folder_and_two_libraries_are_refused(self):
        self.assertIn("no library, prompt, spec or resource", self.refusal(*IDENTITY))
        self.put_library()
        shutil.copy2(PLAIN, self.bundle / "lib" / "second.so")
        self.assertIn("holds 2 libraries", self.refusal())

    def put_code(self, code):
        (self.bundle / "lib").mkdir(exist_ok=True)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.bundle / "lib" / "leaving.so", "-x", "c", "-"], check=True, text=True,
                       input="#include <stdlib.h>\n#include <unistd.h>\n" + code)

    def test_a_library_that_ends_the_process_is_no_success(self):
        for end, how in (("exit(0)", "exit code 0"), ("_exit(0)", "exit code 0"), ("exit(7)", "exit code 7"),
                         ("abort()", "signal 6")):
            for code in (f"__attribute__((constructor)) static void leave(void) {{ {end}; }}",
                         f"const void* gdalmcp_plugin_v1(unsigned m) {{ (void)m; {end}; return 0; }}"):
                with self.subTest(end=end, code=code):
                    self.put_code(code)
                    said = self.refusal()
                    self.assertIn(f"the library in {self.bundle}/lib", said)
                    self.assertIn(how, said)
                    self.assertIn("static constructors", said)

    def test_the_list_of_resources_is_vouched_for_like_the_files_it_lists(self):
        self.put("resources/page.txt", "a page\n")
        self.put("resources/resources.yaml",
                 "- {uri: 'acme://page', name: page, description: A page., mime_type: text/plain, file: page.txt}\n")
        self.assertEqual(sorted(self.manifest(*IDENTITY)["files"]), ["resources/page.txt", "resources/resources.yaml"])

    def test_a_list_of_resources_in_the_wrong_place_or_missing_is_told_its_place(self):
        self.put("prompts/why.md", "why\n")
        self.put("resources/page.txt", "a page\n")
        self.assertIn("list the files in resources/ there", self.refusal(*IDENTITY))
        self.put("resources.yaml", "[]\n")
        self.assertIn(f"move it to {self.bundle}/resources/resources.yaml", self.refusal(*IDENTITY))

    def test_off_by_default_is_said_of_a_toolset(self):
        self.put_library()
        self.refusal("--off-by-default", status=2)


unittest.main(argv=sys.argv[:1], verbosity=2)
