"""Bearer tokens: access to the server, and isolation of tenants from each other."""
import hashlib
import json
import os
import shutil
import socket
import stat
import subprocess
import sys

import rasters
import session
from http_client import SESSIONS, TASKS, Handshake, OverHttp, Stateless, authorization, text_of
from session import PROGRAM, good, problem

INVALID_PARAMS = -32602


class Tokens(OverHttp):
    """alice and bob, each with a workspace and a raster of their own."""

    def setUp(self):
        super().setUp()
        self.tokens = os.path.join(self.folder.name, "tokens.yaml")
        self.secrets = {}
        for name in ("alice", "bob"):
            os.mkdir(self.path(name))
            rasters.byte(self.path(f"{name}/{name}.tif"))
            self.make(name)

    def program(self, *arguments, status=0):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GDAL_MCP_")}
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=session.HANG,
                              env=environment, cwd=self.workspace)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout if status == 0 else done.stderr

    def make(self, name, *more):
        told = self.program("token", name, "--tokens", self.tokens, "--workspace", self.path(name), *more)
        self.secrets[name] = told.strip()
        return self.secrets[name]

    def serve(self, *arguments, **how):
        return super().serve("--tokens", self.tokens, *arguments, workspace=None, **how)

    def clients(self, s, capabilities=None):
        return [Stateless(s, self.secrets[name], capabilities) for name in ("alice", "bob")]

    def file(self):
        with open(self.tokens) as f:
            return f.read()

    def write(self, text):
        """Replaces the token file atomically, as editors do."""
        with open(self.tokens + ".new", "w") as f:
            f.write(text)
        os.rename(self.tokens + ".new", self.tokens)

    def without(self, name):
        """The file without one of its tokens."""
        parts = self.file().split("  - name: ")
        return "  - name: ".join(p for p in parts if not p.startswith(name + "\n"))

    def status(self, s, token, path="/mcp"):
        return s.get(path, {"Authorization": "Bearer " + token} if token is not None else {}).status


class making(Tokens):
    def test_a_token_is_printed_once_and_only_its_digest_is_kept(self):
        secret = self.secrets["alice"]
        self.assertRegex(secret, "^[A-Za-z0-9_-]{43}$")
        self.assertNotIn(secret, self.file())
        self.assertIn(hashlib.sha256(secret.encode()).hexdigest(), self.file())
        self.assertNotEqual(secret, self.secrets["bob"])
        self.assertEqual(stat.S_IMODE(os.stat(self.tokens).st_mode) & 0o022, 0)

    def test_a_relative_workspace_means_the_folder_it_was_made_in(self):
        self.program("token", "carol", "--tokens", self.tokens, "--workspace", "alice:ro")
        self.assertIn(json.dumps(self.path("alice") + ":ro"), self.file())

    def test_what_is_wrong_is_said_and_changes_nothing(self):
        before = self.file()
        for arguments, said in ((("alice", "--workspace", self.workspace), "'alice' is given twice"),
                                (("a b", "--workspace", self.workspace), "name"), (("dave",), "no workspace is named")):
            with self.subTest(arguments):
                self.assertIn(said, self.program("token", arguments[0], "--tokens", self.tokens, *arguments[1:], status=2))
        self.assertIn("no token file", self.program("token", "dave", "--workspace", self.workspace, status=2))
        self.assertEqual(self.file(), before)


class admission(Tokens):
    def test_without_a_token_or_with_a_wrong_one_nothing_is_done(self):
        with self.serve() as s:
            secret = self.secrets["alice"]
            for given in (None, "Bearer", "Bearer ", "Bearer " + secret[:-1], f"Bearer {secret} x", "Basic " + secret, secret,
                          "Bearer " + hashlib.sha256(secret.encode()).hexdigest()):
                with self.subTest(given):
                    answer = Stateless(s).send("tools/list", fields={"Authorization": given}).whole()
                    self.assertEqual((answer.status, answer.fields["WWW-Authenticate"]), (401, 'Bearer realm="gdal-mcp"'))
                    self.assertNotIn(b"tools", answer.body)
            for path in ("/mcp", "/files/x", "/"):
                self.assertEqual(self.status(s, None, path), 401)
            self.assertEqual(self.status(s, None, "/healthz"), 200)
            self.assertEqual(Stateless(s).send("tools/list", fields={"Authorization": "bearer  " + secret}).status, 200)

    def test_without_a_valid_token_no_body_is_read(self):
        with self.serve() as s:
            for target, status in ((b"POST /mcp", b"401"), (b"POST /healthz", b"405"), (b"GET /healthz", b"200"), (b"PUT /metrics", b"401")):
                with self.subTest(target), socket.create_connection((s.host, s.port), 60) as raw:
                    raw.sendall(target + b" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n")
                    answer = raw.makefile("rb").read()  # to the end: the connection is closed
                    self.assertTrue(answer.startswith(b"HTTP/1.1 " + status), answer)
                    self.assertEqual(b"WWW-Authenticate: Bearer" in answer, status == b"401")

    def test_sessions_are_counted_for_each_token(self):
        with self.serve() as s:
            of_alice = [Handshake(s, self.secrets["alice"]) for _ in range(SESSIONS)]
            refused = Stateless(s).post('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}', authorization(self.secrets["alice"])).whole()
            self.assertEqual((refused.status, refused.fields["Retry-After"]), (503, "60"))
            self.assertEqual(Handshake(s, self.secrets["bob"]).request("ping")["result"], {})
            self.assertEqual(of_alice[0].request("ping")["result"], {})

    def test_a_server_for_other_machines_needs_tokens(self):
        for address in ("0.0.0.0:0", "[::]:0", "192.0.2.1:0"):
            with self.subTest(address):
                said = self.program("serve", "--http", address, "--workspace", self.workspace, status=2)
                self.assertIn(address + " is reachable from other machines", said)
                self.assertIn("gdal-mcp token", said)

    def test_with_tokens_it_may_listen_everywhere_and_says_what_that_means(self):
        with self.serve(address="0.0.0.0:0") as s:
            self.assertIn("unencrypted; put a TLS proxy in front", s.said())
            s.host = "127.0.0.1"
            self.assertEqual(Stateless(s, self.secrets["alice"]).send("tools/list").status, 200)

    def test_a_file_that_others_may_write_is_refused(self):
        for mode in (0o620, 0o602):
            os.chmod(self.tokens, mode)
            said = self.program("serve", "--http", "127.0.0.1:0", "--tokens", self.tokens, status=2)
            self.assertIn("is writable by other users", said)
            self.assertIn("chmod go-w " + self.tokens, said)

    def test_a_file_that_is_wrong_is_refused_by_its_line(self):
        good_text = self.file()
        for text, said in ((good_text.replace("name: bob", "name: alice"), ":6: the name 'alice' is given twice"),
                           (good_text.replace("metrics", "x") + "    colour: red\n", "colour"), ("tokens: {", "tokens.yaml"),
                           (good_text.replace(json.dumps(self.path("bob")), '"/no/such/folder"'), "/no/such/folder")):
            with self.subTest(said):
                self.write(text)
                self.assertIn(said, self.program("serve", "--http", "127.0.0.1:0", "--tokens", self.tokens, status=2))


class tenants(Tokens):
    def test_neither_reads_the_others_files(self):
        with self.serve() as s:
            for c, own, other in zip(self.clients(s), ("alice", "bob"), ("bob", "alice")):
                good(c.call("raster_info", {"uri": f"{own}.tif"}))
                for uri in (self.path(f"{other}/{other}.tif"), f"../{other}/{other}.tif", f"file://{self.path(other)}/{other}.tif"):
                    with self.subTest(own, uri=uri):
                        self.assertEqual(problem(c.call("raster_info", {"uri": uri}))["error"], "denied")
                told = json.dumps(c.read("catalog://workspace/all/"))
                self.assertIn(f"{own}.tif", told)
                self.assertNotIn(f"{other}.tif", told)
                answer = c.request("resources/read", {"uri": f"metadata://{self.path(other)}/{other}.tif/raster"})
                self.assertEqual(answer["error"]["code"], INVALID_PARAMS)

    def test_neither_sees_the_others_results(self):
        with self.serve() as s:
            alice, bob = self.clients(s)
            uri = self.managed(alice, "alice.tif")
            number = uri.rpartition("/")[2]
            listed = {r["uri"] for r in alice.request("resources/list")["result"]["resources"]}
            self.assertIn(uri, listed)
            self.assertEqual(alice.read(uri)["download"], f"http://{s.address}/files/{number}")
            self.assertEqual(self.status(s, alice.token, f"/files/{number}"), 200)

            self.assertNotIn(uri, {r["uri"] for r in bob.request("resources/list")["result"]["resources"]})
            for what in (uri, uri + "/data"):
                self.assertEqual(bob.request("resources/read", {"uri": what})["error"]["code"], INVALID_PARAMS)
            self.assertEqual(self.status(s, bob.token, f"/files/{number}"), 404)
            self.assertEqual(problem(bob.call("raster_info", {"uri": uri}))["error"], "expired")
            self.assertTrue(bob.call("release_result", {"uri": uri})["isError"])
            self.assertEqual(self.status(s, alice.token, f"/files/{number}"), 200)

    def test_neither_sees_the_others_tasks(self):
        with self.serve() as s:
            alice, bob = self.clients(s, TASKS)
            task = alice.task("slow_compute", {"seconds": 600})
            for method, more in (("tasks/get", {}), ("tasks/cancel", {}), ("tasks/update", {"inputResponses": {}})):
                with self.subTest(method):
                    told = bob.request(method, {"taskId": task, **more})["error"]
                    unknown = bob.request(method, {"taskId": "0" * 32, **more})["error"]
                    self.assertEqual(told["code"], INVALID_PARAMS)
                    self.assertEqual(told["message"].replace(task, ""), unknown["message"].replace("0" * 32, ""))
            stream = bob.listen(taskIds=[task])
            self.assertEqual(alice.task_state(task)["status"], "working")
            alice.request("tasks/cancel", {"taskId": task})
            self.assertEqual(alice.task_state(task)["status"], "cancelled")
            s.leave()
            self.assertEqual([m.get("method") for m in stream.rest()], ["notifications/subscriptions/acknowledged", None])

    def test_neither_uses_the_others_session(self):
        with self.serve() as s:
            alice, bob = Handshake(s, self.secrets["alice"]), Handshake(s, self.secrets["bob"])
            bob.id, own = alice.id, bob.id
            self.assertEqual(bob.send("tools/list").whole().status, 404)
            self.assertEqual((bob.stream().whole().status, bob.end()), (404, 404))
            self.assertIn("result", alice.request("tools/list"))
            bob.id = own
            self.assertIn("result", bob.request("tools/list"))

    def test_neither_knows_the_others_reasons_and_calls(self):
        with self.serve() as s:
            alice, bob = self.clients(s)
            warp = {"uri": "alice.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear"}
            done = session.run(alice, "raster_reproject", warp)
            refs = [r["justification_ref"] for r in done["_meta"]["io.gdal-mcp/receipts"]]
            self.assertEqual(len(refs), 2)
            for ref in refs:
                alice.read(ref)
                self.assertEqual(bob.request("resources/read", {"uri": ref})["error"]["code"], INVALID_PARAMS)
            missing = problem(bob.call("raster_reproject", {**warp, "uri": "bob.tif"}))["missing"]
            self.assertEqual({m["domain"] for m in missing}, {"crs_datum", "resampling"})
            self.assertEqual({o["tool"] for o in alice.read("history://operations")["operations"]}, {"raster_reproject", "store_justification"})
            self.assertEqual([o["tool"] for o in bob.read("history://operations")["operations"]], ["raster_reproject"])
            self.assertEqual(len(bob.read("receipts://recent")["calls"]), 1)

    def test_the_state_of_ones_question_is_no_state_of_the_others(self):
        with self.serve() as s:
            alice, bob = self.clients(s, {"elicitation": {"form": {}}})
            tool, answers = "test_input_required_result_elicitation", {"user_name": {"action": "accept", "content": {"name": "Ada"}}}
            state = alice.call(tool)["requestState"]
            refused = bob.ask(tool, requestState=state, inputResponses=answers).message()
            self.assertEqual(refused["error"]["code"], INVALID_PARAMS)
            self.assertEqual(text_of(alice.ask(tool, requestState=state, inputResponses=answers).message()["result"]), "Hello, Ada!")

    def test_neither_is_told_of_the_others_changes(self):
        with self.serve() as s:
            alice, bob = self.clients(s)
            uri = self.managed(alice, "alice.tif")
            theirs, his = alice.listen(resourceSubscriptions=[uri]), bob.listen(resourceSubscriptions=[uri], resourcesListChanged=True)
            good(alice.call("release_result", {"uri": uri}))
            theirs.wait_for("notifications/resources/updated")
            s.leave()
            self.assertEqual([m.get("method") for m in his.rest()], ["notifications/subscriptions/acknowledged", None])

    def test_neither_gets_the_toolsets_the_other_has_switched_on(self):
        with self.serve() as s:
            alice, bob = self.clients(s)
            good(alice.call("toolsets", {"action": "enable", "name": "evidence"}))
            for client, enabled in ((alice, True), (Stateless(s, self.secrets["alice"]), True), (bob, False)):
                listed = {t["name"] for t in client.request("tools/list")["result"]["tools"]}
                self.assertEqual("crs_distortion" in listed, enabled)

    def test_read_only_is_read_only(self):
        shutil.copytree(self.path("alice"), self.path("carol"))
        told = self.program("token", "carol", "--tokens", self.tokens, "--workspace", self.path("carol") + ":ro")
        with self.serve() as s:
            carol = Stateless(s, told.strip())
            good(carol.call("raster_info", {"uri": "alice.tif"}))
            refused = problem(session.run(carol, "raster_query", {"uri": "alice.tif", "geometry": [289500, 9117000, 292000, 9120000],
                                                                  "purpose": "a part", "output": "out.tif"}))
            self.assertEqual(refused["error"], "denied")
            self.assertEqual(os.listdir(self.path("carol")), ["alice.tif"])

    def test_two_tokens_of_one_workspace_share_its_reasons_and_nothing_else(self):
        told = self.program("token", "ann", "--tokens", self.tokens, "--workspace", self.path("alice"))
        with self.serve() as s:
            alice, ann = Stateless(s, self.secrets["alice"]), Stateless(s, told.strip())
            uri = self.managed(alice, "alice.tif")
            self.assertEqual(ann.request("resources/read", {"uri": uri})["error"]["code"], INVALID_PARAMS)
            warp = {"uri": "alice.tif", "dst_crs": "EPSG:3857", "resampling": "bilinear"}
            good(session.run(alice, "raster_reproject", warp))
            good(ann.call("raster_reproject", warp))
        self.program("audit", "verify", "--workspace", self.path("alice"))


class editing(Tokens):
    def test_a_token_that_is_added_works_at_once(self):
        with self.serve() as s:
            os.mkdir(self.path("carol"))
            rasters.byte(self.path("carol/carol.tif"))
            carol = Stateless(s, self.make("carol"))
            uri = self.managed(carol, "carol.tif")
            self.assertEqual(carol.read(uri)["download"], f"http://{s.address}/files/" + uri.rpartition("/")[2])

    def test_a_token_that_is_taken_away_is_401_and_what_it_had_ends(self):
        with self.serve() as s:
            alice, bob = self.clients(s, TASKS)
            waits = Stateless(s, alice.token)  # a client without tasks
            session_of_alice = Handshake(s, alice.token)
            uri = self.managed(alice, "alice.tif")
            task = alice.task("slow_compute", {"seconds": 600})
            streams = [alice.listen(toolsListChanged=True, taskIds=[task]), session_of_alice.stream(),
                       session_of_alice.ask("slow_compute", {"seconds": 600}, progress=True),
                       waits.ask("slow_compute", {"seconds": 600}, progress=True)]
            others = bob.listen(toolsListChanged=True)
            streams[2].wait_for("notifications/progress")
            self.assertEqual(streams[1].status, 200)
            self.assertTrue(s.calls())
            self.write(self.without("alice"))
            for stream in streams:  # without another request: the server checks by itself
                stream.rest()
            s.until(lambda: not s.calls(), "the end of the calls' processes")
            self.assertEqual(self.status(s, alice.token), 401)
            self.assertEqual(self.status(s, alice.token, "/files/" + uri.rpartition("/")[2]), 401)
            self.assertEqual(session_of_alice.send("tools/list").whole().status, 401)
            self.assertIn("result", bob.request("tools/list"))
            before = s.processes()
            s.until(lambda: not s.shared_memory() and len(s.processes()) < len(before), "the end of the results and the processes of alice")
            self.assertIn("result", bob.request("tools/list"))
            s.leave()
            self.assertEqual(len(others.rest()), 2)

    def test_a_token_that_is_replaced_by_another_is_401_and_its_streams_end(self):
        with self.serve() as s:
            alice = Stateless(s, self.secrets["alice"])
            uri = self.managed(alice, "alice.tif")
            stream = alice.listen(toolsListChanged=True)
            new = "a secret that was made elsewhere"
            self.write(self.file().replace(hashlib.sha256(alice.token.encode()).hexdigest(), hashlib.sha256(new.encode()).hexdigest()))
            stream.rest()
            self.assertEqual(self.status(s, alice.token), 401)
            self.assertEqual(Stateless(s, new).read(uri)["uri"], uri)

    def test_other_workspaces_count_at_once(self):
        with self.serve() as s:
            alice, bob = self.clients(s)
            good(bob.call("raster_info", {"uri": "bob.tif"}))
            number = self.managed(bob, "bob.tif").rpartition("/")[2]
            self.write(self.file().replace(json.dumps(self.path("bob")), json.dumps(self.path("alice"))))
            self.assertEqual(self.status(s, bob.token, f"/files/{number}"), 404)
            self.assertEqual(problem(bob.call("raster_info", {"uri": self.path("bob/bob.tif")}))["error"], "denied")
            good(bob.call("raster_info", {"uri": "alice.tif"}))

    def test_a_file_that_has_become_wrong_changes_nothing_and_is_said(self):
        with self.serve() as s:
            alice, bob = self.clients(s)
            for text, said in (("tokens: {", "the tokens are unchanged"), (self.file().replace("name: bob", "name: alice"), "given twice"),
                               (self.file().replace(json.dumps(self.path("bob")), '"/no/such/folder"'), "/no/such/folder")):
                with self.subTest(said):
                    self.write(text)
                    for c in (alice, bob):
                        self.assertEqual(c.send("tools/list").status, 200)
                    s.wait_said(said)
            os.remove(self.tokens)
            self.assertEqual(alice.send("tools/list").status, 200)


if __name__ == "__main__":
    sys.exit(session.main())
