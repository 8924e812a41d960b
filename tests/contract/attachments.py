"""A tool's attachments reach the client as the protocol's content, in the client's revision.
Usage: attachments.py FOLDER_OF_TEST_BUNDLES, with GDAL_MCP set"""
import base64
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
import session  # noqa: E402
from session import Claims, Session, good, problem  # noqa: E402

BUNDLES = sys.argv.pop()
CONFORMANCE = os.path.join(os.path.dirname(BUNDLES), "test-conformance")  # with resources of its own
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
        self.assertIn({"type": "image", "data": "iVBORw0KGgo=", "mimeType": "image/png"}, content)
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

    def test_what_an_attachment_claims_is_true_or_it_is_refused(self):
        """Forged, so that only the host can refuse it; all at once, since the forger stays until it is killed."""
        resource = {"media_type": "text/plain", "text": "x"}
        cases = [({**resource, "resource": uri}, None) for uri in ("acme://x", "test://something-else")]
        cases += [({**resource, "resource": uri}, "denied") for uri in (
            "ui://page", "UI://page", "javascript:alert(1)", "data:text/html,x", "https://example.org/", "blob:x",
            "acme://\u202e", "acme:// x", "test://static-text")]  # the last is a resource of another bundle
        images = {"image/png": b"\x89PNG\r\n\x1a\n.", "image/jpeg": b"\xff\xd8\xff.", "image/gif": b"GIF89a.",
                  "image/webp": b"RIFF....WEBP.", "image/svg+xml": b"<svg/>"}
        for said, contents in images.items():
            cases += [({"media_type": said, "image": base64.b64encode(bytes).decode()}, error)
                      for bytes, error in ((contents, None), (b"<html>", "denied"))]
        png = base64.b64encode(images["image/png"]).decode()
        cases += [({"media_type": said, "image": png}, "denied") for said in ("image/jpeg", "image/tiff", "text/html", "")]
        cases += [(attachment, "denied") for attachment in (
            {"media_type": "image/png", "image": "no base64"}, {"media_type": "audio/wav", "audio": "?"},
            {"media_type": "x/y", "resource": "acme://x", "blob": "?"})]
        whole = {"kind": "done", "result": {"errno": 0, "attempts": {}}, "lines": [], "warnings": [], "expectations": {}}
        with Session("--bundles", BUNDLES, "--bundles", CONFORMANCE, "--parallel", "16", workspace=self.workspace) as s:
            asked = [s.ask("tools/call", {"name": "hostile_lingers", "arguments": {
                "frame": json.dumps({**whole, "attachments": [attachment]})}}) for attachment, _ in cases]
            for number, (attachment, error) in zip(asked, cases):
                with self.subTest(attachment=attachment):
                    result = s.wait(number)["result"]
                    self.assertEqual(problem(result)["error"] if result.get("isError") else None, error)


if __name__ == "__main__":
    session.main()
