"""Parts of bundles that need no code: resources, prompts with images and questions, icons."""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import sys

import rasters
import session
from session import Claims, Session

PROGRAM = pathlib.Path(session.PROGRAM).resolve()
CONFORMANCE = PROGRAM.parent.parent / "test-conformance"
PIXEL = (pathlib.Path(__file__).parent.parent / "bundles/conformance/resources/red.png").read_bytes()


# A domain that asks about the slopes of raster_terrain.
SPEC = """domain: house
title: measure
prompt: justify_house
risk: low
question: What is it for?
key: {product: lower}
tools: {raster_terrain: {product: /measure}}
"""
ASKS = """---
name: justify_house
title: House rule
description: Asks what the result is for.
arguments: [{name: product, description: the measure, required: true}]
---
What is {{product}} for?
"""


def listed(s, kind, what=None):
    return {item["name"]: item for item in s.request(kind)["result"][what or kind.split("/")[0]]}


def contents(s, uri):
    (only,) = s.request("resources/read", {"uri": uri})["result"]["contents"]
    return only


def said(s, prompt, **arguments):
    return s.request("prompts/get", {"name": prompt, "arguments": arguments})["result"]["messages"]


class ToldByBundles(Claims):
    def with_bundle(self, **how):
        return Session("--bundles", str(CONFORMANCE), workspace=self.workspace, **how)

    def test_resources_are_listed_and_read(self):
        for era in ("legacy", "modern"):
            with self.subTest(era=era), self.with_bundle(era=era) as s:
                about = listed(s, "resources/list")["static-text"]
                self.assertEqual(about, {"uri": "test://static-text", "name": "static-text", "title": "Static text", "size": 48,
                                         "description": "A text that never changes.", "mimeType": "text/plain"})
                self.assertEqual(contents(s, "test://static-text"),
                                 {"uri": "test://static-text", "mimeType": "text/plain",
                                  "text": "This is the content of the static text resource."})
                binary = contents(s, "test://static-binary")
                self.assertEqual((binary["mimeType"], base64.b64decode(binary["blob"])), ("image/png", PIXEL))
                self.assertEqual(s.request("resources/read", {"uri": "test://nothing"})["error"]["code"], -32602)

    def test_a_template_is_listed_and_filled_in(self):
        with self.with_bundle() as s:
            template = listed(s, "resources/templates/list", "resourceTemplates")["template"]
            self.assertEqual(template["uriTemplate"], "test://template/{id}/data")
            got = contents(s, "test://template/a%22b%20c/data")
            self.assertEqual(got["uri"], "test://template/a%22b%20c/data")
            self.assertEqual(json.loads(got["text"]), {"id": 'a"b c', "templateTest": True, "data": 'Data for ID: a"b c'})
            self.assertIn("error", s.request("resources/read", {"uri": "test://template/../data/data"}))

    def test_prompts_carry_images_and_resources(self):
        with self.with_bundle() as s:
            self.assertEqual(said(s, "test_prompt_with_arguments", arg1="hello", arg2="world")[0]["content"]["text"],
                             "Prompt with arguments: arg1='hello', arg2='world'\n")
            image, text = said(s, "test_prompt_with_image")
            self.assertEqual(image["content"], {"type": "image", "data": base64.b64encode(PIXEL).decode(), "mimeType": "image/png"})
            self.assertEqual(text["content"]["text"], "Please analyze the image above.\n")
            embedded, _ = said(s, "test_prompt_with_embedded_resource", resourceUri="test://example-resource")
            self.assertEqual(embedded["content"]["resource"], {"uri": "test://example-resource", "mimeType": "text/plain",
                                                               "text": "Embedded resource content for testing."})

    def test_a_prompt_asks_a_person_by_rounds(self):
        ask = {"name": "test_input_required_result_prompt"}
        with self.with_bundle(era="modern", capabilities={"elicitation": {"form": {}}}) as s:
            first = s.request("prompts/get", ask)["result"]
            self.assertEqual(first["resultType"], "input_required")
            self.assertEqual(first["inputRequests"]["user_context"]["params"]["message"], "What context should the prompt use?")
            again = {**ask, "requestState": first["requestState"]}
            answer = {"action": "accept", "content": {"context": "floods"}}
            done = s.request("prompts/get", {**again, "inputResponses": {"user_context": answer}})["result"]
            self.assertEqual(done["messages"][0]["content"]["text"], "Use this context: floods\n")
            wrong = {"action": "accept", "content": {"context": 7}}
            asked = s.request("prompts/get", {**again, "inputResponses": {"user_context": wrong}})["result"]
            self.assertEqual(asked["resultType"], "input_required")
            declined = s.request("prompts/get", {**again, "inputResponses": {"user_context": {"action": "decline"}}})["result"]
            self.assertEqual(declined["messages"][0]["content"]["text"], "Use this context: \n")
            forged = {**ask, "requestState": "x" + first["requestState"], "inputResponses": {"user_context": answer}}
            self.assertEqual(s.request("prompts/get", forged)["error"]["code"], -32602)

    def test_a_prompt_asks_a_person_by_a_request_of_the_server(self):
        def answer(method, params):
            self.assertEqual((method, params["message"]), ("elicitation/create", "What context should the prompt use?"))
            return {"action": "accept", "content": {"context": "floods"}}

        with self.with_bundle(capabilities={"elicitation": {}}, on_request=answer) as s:
            self.assertEqual(said(s, "test_input_required_result_prompt")[0]["content"]["text"], "Use this context: floods\n")

    def test_who_cannot_be_asked_or_has_said_it_already_is_not_asked(self):
        with self.with_bundle(era="modern") as s:
            self.assertEqual(said(s, "test_input_required_result_prompt")[0]["content"]["text"], "Use this context: \n")
        with self.with_bundle(era="modern", capabilities={"elicitation": {"form": {}}}) as s:
            told = said(s, "test_input_required_result_prompt", context="fires")
            self.assertEqual(told[0]["content"]["text"], "Use this context: fires\n")

    # ---- a copy that may be changed --------------------------------------------------------------------------------------

    def copy(self, folder):
        bundle = folder / "mine.bundle"
        shutil.copytree(CONFORMANCE / "conformance.bundle", bundle)
        return bundle

    def describe(self, bundle, *options, status=0):
        done = subprocess.run([PROGRAM.parent / "gdal-mcp-describe", *options, bundle], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        subprocess.run(["chmod", "-R", "go-w", bundle], check=True)
        return done.stderr

    def beside(self):
        folder = pathlib.Path(self.folder.name).resolve() / "bundles"
        folder.mkdir(mode=0o755)
        return folder

    def test_resources_come_and_go_with_their_bundle(self):
        folder = self.beside()

        def changes(s):
            return sum(n["method"] == "notifications/resources/list_changed" for n in s.notifications)

        with Session("--bundles", str(folder), workspace=self.workspace) as s:
            self.assertNotIn("static-text", listed(s, "resources/list"))
            before = changes(s)
            ready = self.copy(pathlib.Path(self.folder.name).resolve())
            os.rename(ready, folder / "mine.bundle")
            s.wait_for(lambda: changes(s) > before, "that the bundle was read")
            self.assertIn("static-text", listed(s, "resources/list"))
            before = changes(s)
            shutil.rmtree(folder / "mine.bundle")
            s.wait_for(lambda: changes(s) > before, "that the bundle is gone")
            self.assertNotIn("static-text", listed(s, "resources/list"))

    def test_a_bundles_icon_goes_with_its_tools_and_no_others(self):
        folder = self.beside()
        bundle = self.copy(folder)
        drawing = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0h8v8z"/></svg>\n'
        (bundle / "icon.svg").write_text(drawing)
        self.describe(bundle)
        with Session("--bundles", str(folder), workspace=self.workspace) as s:
            tools = listed(s, "tools/list")
            (icon,) = tools["test_simple_text"]["icons"]
            self.assertEqual((icon["mimeType"], icon["sizes"]), ("image/svg+xml", ["any"]))
            self.assertEqual(base64.b64decode(icon["src"].removeprefix("data:image/svg+xml;base64,")).decode(), drawing)
            self.assertNotIn("icons", tools["raster_info"])
            (own,) = s.server["serverInfo"]["icons"]
            self.assertIn(b"<svg", base64.b64decode(own["src"].removeprefix("data:image/svg+xml;base64,")))
            self.assertLess(len(own["src"]), 1024)

    def test_a_list_of_resources_that_cannot_be_read_says_its_line(self):
        bundle = self.copy(self.beside())
        entries = bundle / "resources/resources.yaml"
        whole = entries.read_text()
        entries.write_text(whole.replace("file: red.png", "file: blue.png"))
        self.assertIn("resources/resources.yaml, line 12: there is no file resources/blue.png", self.describe(bundle, status=1))
        entries.write_text(whole.replace("  file: red.png\n", ""))
        self.assertIn("resources/resources.yaml, line 7: the entry names no file", self.describe(bundle, status=1))
        entries.write_text(whole.replace("  mime_type:", "  mimetype:", 1))
        self.assertRegex(self.describe(bundle, status=1), r"resources/resources.yaml, line \d+: an entry has no member 'mimetype'; did you mean 'mime_type'\?")
        entries.write_text("uri: x\n")
        self.assertIn("resources/resources.yaml, line 1: this is not a list", self.describe(bundle, status=1))

    # ---- rules

    def house(self, folder, **specs):
        bundle = folder / "house.bundle"
        for part, files in (("reflection", specs), ("prompts", {"justify_house": ASKS})):
            (bundle / part).mkdir(parents=True)
            for name, text in files.items():
                (bundle / part / (name + (".yaml" if part == "reflection" else ".md"))).write_text(text)
        return bundle

    def terminal(self, *arguments):
        return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.workspace,
                              env={**os.environ, "XDG_STATE_HOME": os.path.join(self.folder.name, "state")})

    def test_a_call_without_the_rules_of_a_quarantined_bundle_says_so(self):
        folder = self.beside()
        bundle = self.house(folder, house=SPEC)
        self.describe(bundle, "--id", "org.example.house", "--version", "1.0.0", "--license", "CC0-1.0")
        rasters.write(self.path("dem.tif"), [rasters.waves(20, 20, 0, 90)], rasters.gdal.GDT_Float32)
        slope = ("raster_terrain", json.dumps({"uri": "dem.tif", "measure": "slope", "output": "slope.tif", "overwrite": True}))
        asked = self.terminal("call", slope[0], "--bundles", folder, "--json", slope[1])
        self.assertEqual(asked.returncode, 4, asked.stderr)
        without = "the rules of the bundle 'org.example.house' for raster_terrain were not applied: "
        with open(bundle / "reflection/house.yaml", "a") as f:
            f.write("# edited\n")
        for trust in ((), ("--trust", "signed", "--trust-keys", self.key())):
            with self.subTest(trust=trust):
                ran = self.terminal("call", slope[0], "--bundles", folder, "--json", slope[1], *trust)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                self.assertIn(without, ran.stderr)
                self.assertTrue(any(w.startswith(without) for w in json.loads(ran.stdout)["warnings"]), ran.stdout)
                explained = self.terminal("reflect", "explain", *slope, "--bundles", folder, *trust)
                self.assertIn(without, explained.stderr)
                other = self.terminal("call", "raster_info", "--bundles", folder, "--json", '{"uri": "dem.tif"}', *trust)
                self.assertNotIn("were not applied", other.stdout + other.stderr)

    def key(self):
        """A key that signed nothing here."""
        path = os.path.join(self.folder.name, "keys")
        with open(path, "w") as f:
            f.write("house RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3\n")
        return path

    def test_an_extension_with_a_mistake_is_judged_beside_the_domain_it_extends(self):
        wrong = "extends: resampling\ntools:\n  acme_metres: {nope: /foot}\n"
        found = self.terminal("reflect", "validate-specs", self.house(self.beside(), extension=wrong))
        self.assertIn("extension.yaml, line 3: /tools/acme_metres maps 'nope', which is not a key argument of resampling", found.stdout)
        self.assertIn("1 defect(s)", found.stdout)
        self.assertEqual(found.returncode, 3)

    def test_a_name_that_leads_nowhere_is_found_before_the_bundle_is_described_again(self):
        bundle = self.house(self.beside(), house=SPEC + "scope: {k: {fact: /input/knd, same: true}}\n")
        for folder in (bundle, bundle / "reflection"):
            found = self.terminal("reflect", "validate-specs", folder)
            self.assertIn("/scope/k names the fact '/input/knd', which there is not; did you mean '/input/kind'?", found.stdout)
            self.assertEqual(found.returncode, 3)


if __name__ == "__main__":
    sys.exit(session.main())
