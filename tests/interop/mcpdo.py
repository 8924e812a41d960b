#!/usr/bin/env python3
"""A person at a shell answers a tool's question with mcpdo, from the question to the stored reason and the result."""
import json
import pathlib
import secrets
import sys
import tempfile

from inspector_program import MCPDO, Shell
import rasters
import session

CALL = ("tools/call", "vector_reproject", "uri:=parcels.gpkg", "dst_crs:=EPSG:3857", "output:=out.gpkg")
REASON = {"intent": "a web map", "rationale": "it joins the base map", "tradeoffs": "areas are too large",
          "confidence": "medium"}
# era -> how a question travels: pushed to a client of the handshake, in a result since 2026-07-28.
ORIGINS = {"legacy": "server-request", "modern": "input-required"}


class Person(Shell):
    def setUp(self):
        super().setUp()
        rasters.parcels(self.path("parcels.gpkg"))
        self.policy = self.path("../policy.yaml")
        with open(self.policy, "w") as f:
            f.write("domains: {crs_datum: {missing: person}}\n")
        folder = tempfile.TemporaryDirectory(prefix="mcpdo-")  # socket paths are limited in length
        self.addCleanup(folder.cleanup)
        self.environment |= {"MCP_INSPECTOR_DAEMON_DIR": folder.name, "MCP_INSPECTOR_DAEMON_TOKEN": secrets.token_urlsafe()}
        self.addCleanup(self.run_program, MCPDO, "daemon", "stop", "--format", "json")

    def say(self, *arguments):
        status, said, errors = self.run_program(MCPDO, *arguments)
        return status, said if said is not None else errors

    def connect(self, era):
        status, said = self.say("connect", "--era", era, "--elicit", "form", "--format", "json", "--", *self.server(
            "--policy", self.policy))
        self.assertEqual(status, 0, said)
        return "--connection", said["name"], "--format", "json"

    def ask(self, connection):
        status, said = self.say(*CALL, *connection)
        self.assertEqual(status, 0, said)
        return said["elicitationPending"]

    def respond(self, connection, question, *answer):
        return self.say("elicitation/respond", question["elicitationId"], *answer, *connection)

    def reasons(self):
        store = pathlib.Path(self.workspace, ".preflight/justifications/crs_datum")
        return [json.loads(p.read_text(encoding="utf-8")) for p in store.glob("sha256:*.json")]

    def test_an_accepted_question_is_a_stored_reason_and_a_result(self):
        for era, origin in ORIGINS.items():
            with self.subTest(era):
                connection = self.connect(era)
                question = self.ask(connection)
                self.assertEqual(question["origin"], origin)
                self.assertIn("EPSG:3857", question["message"])
                self.assertEqual(self.files(), {"parcels.gpkg"})
                status, result = self.respond(connection, question, *(f"{k}:={v}" for k, v in REASON.items()))
                self.assertEqual(status, 0, result)
                self.assertEqual(result["structuredContent"]["layers"][0]["feature_count"], 12)
                self.assertIn("out.gpkg", self.files())
                [record] = self.reasons()
                self.assertEqual(record["chosen_by"], "user")
                self.assertEqual(record["justification"]["choice"]["rationale"], REASON["rationale"])
                # and the question is asked only once
                status, again = self.say(*CALL, "overwrite:=true", *connection)
                self.assertEqual(status, 0, again)
                self.assertIn("structuredContent", again)
                self.say("disconnect", connection[1], "--format", "json")
                self.forget()

    def test_a_declined_question_refuses_the_call(self):
        for era in ORIGINS:
            with self.subTest(era):
                connection = self.connect(era)
                status, refused = self.respond(connection, self.ask(connection), "--decline")
                self.assertNotEqual(status, 0, refused)
                self.assertIn("declined EPSG:3857", json.dumps(refused))
                self.assertEqual((self.files(), self.reasons()), ({"parcels.gpkg"}, []))
                self.say("disconnect", connection[1], "--format", "json")

    def forget(self):
        for path in pathlib.Path(self.workspace).glob("out.gpkg*"):
            path.unlink()
        for path in pathlib.Path(self.workspace, ".preflight/justifications").glob("**/*.json"):
            path.unlink()


if __name__ == "__main__":
    sys.exit(session.main())
