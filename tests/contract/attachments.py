"""What a tool attaches reaches the client as the protocol's content, in the client's revision.
Usage: attachments.py FOLDER_OF_TEST_BUNDLES, with GDAL_MCP set"""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import session  # noqa: E402
from session import Claims, Session, good, problem  # noqa: E402

BUNDLES = sys.argv.pop()
ARGUMENTS = {"whole": 0, "word": "", "system": "x", "area": [0, 0, 1, 1], "object": {}, "numbers": [], "words": []}


class attachments(Claims):
    def content(self, version):
        with Session("--bundles", BUNDLES, workspace=self.workspace, version=version) as s:
            result = s.call("every_kind", ARGUMENTS)
            good(result)
            return result["content"]

    def test_texts_images_and_links_become_content(self):
        content = self.content(session.LEGACY)
        self.assertIn({"type": "text", "text": "a text"}, content)
        self.assertIn({"type": "image", "data": "iVBORw==", "mimeType": "image/png"}, content)
        self.assertIn({"type": "resource_link", "uri": "https://example.org/legend", "name": "Legend",
                       "description": "What the classes mean.", "mimeType": "text/html"}, content)

    def test_audio_and_resources_become_content(self):
        content = self.content(session.LEGACY)
        self.assertIn({"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"}, content)
        self.assertIn({"type": "resource", "resource": {"uri": "acme://legend", "mimeType": "application/geo+json",
                                                        "text": "{}"}}, content)
        self.assertIn({"type": "resource", "resource": {"uri": "acme://palette", "mimeType": "application/octet-stream",
                                                        "blob": "AP8="}}, content)

    def test_a_client_older_than_links_reads_them_as_text(self):
        content = self.content("2024-11-05")
        self.assertNotIn("resource_link", {b["type"] for b in content})
        self.assertTrue(any("https://example.org/legend" in b.get("text", "") for b in content), content)

    def test_a_forged_uri_is_refused_by_the_host(self):
        whole = {"kind": "done", "result": {"errno": 0, "attempts": {}}, "lines": [], "warnings": [], "expectations": {}}
        link = {"media_type": "", "name": "Legend", "description": ""}
        with Session("--bundles", BUNDLES, workspace=self.workspace) as s:
            def forged(attachment):
                return s.call("hostile_lingers", {"frame": json.dumps({**whole, "attachments": [attachment]})})

            honest = forged({**link, "link": "https://example.org/"})
            self.assertIn("resource_link", [block["type"] for block in honest["content"]], honest)
            for uri in ("file:///etc/passwd", ""):
                with self.subTest(uri=uri):
                    self.assertEqual(problem(forged({**link, "link": uri}))["error"], "denied")
            resource = {"media_type": "text/plain", "text": "x"}
            honest = forged({**resource, "resource": "acme://x"})
            self.assertIn("resource", [block["type"] for block in honest["content"]], honest)
            for uri in ("file:///etc/passwd", "query://result/r-1", ""):
                with self.subTest(resource=uri):
                    self.assertEqual(problem(forged({**resource, "resource": uri}))["error"], "denied")
            for wrong in ({**resource, "resource": 5}, {"media_type": "", "link": "https://example.org/"}, {**link, "link": 5}):
                with self.subTest(attachment=wrong):
                    self.assertEqual(problem(forged(wrong))["error"], "crashed")


if __name__ == "__main__":
    session.main()
