"""Limits of a server over HTTP, and its shutdown: no answer is lost, nothing is left behind."""
import json
import os
import resource
import select
import shutil
import socket
import subprocess
import sys
import time

import rasters
import session
from http_client import DEADLINE, SESSIONS, TASKS, Exchange, Handshake, OverHttp, Stateless, text_of
from running_calls import state_of
from session import PROGRAM, problem

MIB = 1 << 20
MOST_BODY, MOST_HEADER = 16 * MIB, 64 << 10
QUEUE = 64


class limits(OverHttp):
    def head_only(self, s, *lines):
        """The status of a request that is never completed: only these lines are sent."""
        with socket.create_connection((s.host, s.port), 60) as raw:
            raw.sendall("\r\n".join(["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", *lines, "", ""]).encode())
            return int(raw.makefile("rb").readline().split()[1])

    def message(self, c, size):
        """A tools/list of exactly so many bytes."""
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": c.envelope(), "pad": ""}}
        message["params"]["pad"] = "x" * (size - len(json.dumps(message)))
        return json.dumps(message)

    def test_a_body_of_16_mib_is_read_and_one_byte_more_is_413(self):
        with self.serve() as s:
            c = Stateless(s)
            largest = c.post(self.message(c, MOST_BODY), c.repeated("tools/list", {}))
            self.assertIn("result", largest.message())
            self.assertEqual(self.head_only(s, f"Content-Length: {MOST_BODY + 1}"), 413)
            self.assertEqual(self.head_only(s, "Transfer-Encoding: chunked", "", f"{MOST_BODY + 1:x}"), 413)

    def test_too_many_fields_are_431(self):
        with self.serve() as s:
            self.assertEqual(self.head_only(s, "X: " + "y" * MOST_HEADER), 431)
            self.assertEqual(self.head_only(s, *[f"X-{n}: y" for n in range(MOST_HEADER // 8)]), 431)
            self.assertEqual(Stateless(s).send("tools/list", fields={"X-Long": "y" * (MOST_HEADER - 4096)}).whole().status, 200)

    def test_a_length_that_two_readers_could_understand_differently_is_400(self):
        with self.serve() as s:
            self.assertEqual(self.head_only(s, "Content-Length: 2", "Content-Length: 3", "", "{}"), 400)
            self.assertEqual(self.head_only(s, "Content-Length: 2", "Transfer-Encoding: chunked", "", "2"), 400)

    def test_more_sessions_than_there_may_be_are_refused(self):
        with self.serve() as s:
            first, *_ = [Handshake(s) for _ in range(SESSIONS)]
            refused = Exchange(s, "POST", "/mcp", '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}',
                               {"Content-Type": "application/json"}).whole()
            self.assertEqual((refused.status, refused.fields["Retry-After"]), (503, "60"))
            self.assertEqual(first.end(), 200)
            self.assertEqual(Handshake(s).request("ping")["result"], {})

    def test_the_limit_of_open_files_is_not_that_of_the_shell(self):
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        with self.serve() as s:
            with open(f"/proc/{s.process.pid}/limits") as f:
                soft = next(int(line.split()[3]) for line in f if line.startswith("Max open files"))
            self.assertEqual(soft, min(before[1], 65536))

    def test_more_calls_than_may_wait_are_refused_as_busy(self):
        with self.serve("--parallel", "2") as s:
            c = Stateless(s)
            at_work = [c.ask("slow_compute", {"seconds": 600}) for _ in range(2)]
            s.until(lambda: len(s.calls()) == 2, "both slots at work")
            waiting = [c.ask("slow_compute", {"seconds": 600}) for _ in range(QUEUE)]
            self.wait_waiting(s, QUEUE)
            refused = problem(c.call("greet", {"name": "World"}))
            self.assertEqual(refused["error"], "busy")
            self.assertIn(str(QUEUE), refused["message"])
            for call in waiting:
                call.hang_up()
            self.wait_waiting(s, 0)
            self.assertEqual(len(s.calls()), 2)  # still running: cancelling needs no slot
            greeting = c.ask("greet", {"name": "World"})
            self.wait_waiting(s, 1)
            for call in at_work:
                call.hang_up()
            self.assertEqual(text_of(greeting.message()["result"]), "Hello, World!")

    def wait_waiting(self, s, calls):
        s.until(lambda: f"gdal_mcp_calls_waiting {calls}\n" in s.get("/metrics").body.decode(), f"{calls} calls that wait")

    def test_an_answer_is_taken_though_the_queue_is_full(self):
        with self.serve("--parallel", "2") as s:
            c = Stateless(s, capabilities={**TASKS, "elicitation": {"form": {}}})
            asked = c.task("confirm_delete", {"filename": "a.txt"})
            c.wait_task(asked, "input_required")
            plain = Stateless(s)
            person = Stateless(s, capabilities={"elicitation": {"form": {}}})
            question = person.call("test_input_required_result_elicitation")
            at_work = [plain.ask("slow_compute", {"seconds": 600}) for _ in range(2)]
            s.until(lambda: len(s.calls()) == 2, "both slots at work")
            waiting = [plain.ask("slow_compute", {"seconds": 600}) for _ in range(QUEUE)]
            self.wait_waiting(s, QUEUE)
            c.request("tasks/update", {"taskId": asked, "inputResponses": {"confirm": {"action": "accept", "content": {"confirm": True}}}})
            self.wait_waiting(s, QUEUE + 1)
            again = person.ask("test_input_required_result_elicitation", requestState=question["requestState"],
                               inputResponses={"user_name": {"action": "accept", "content": {"name": "Ada"}}})
            self.wait_waiting(s, QUEUE + 2)
            for call in waiting + at_work:
                call.hang_up()
            self.assertEqual(text_of(c.wait_task(asked, "completed")["result"]), "Deleted a.txt")
            self.assertIn("Ada", text_of(again.message()["result"]))


class addresses(OverHttp):
    def refused(self, address):
        done = subprocess.run([PROGRAM, "serve", "--http", address, "--workspace", self.workspace], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_an_address_in_use_is_said(self):
        with self.serve() as s:
            said = self.refused(s.address)
            self.assertIn(f"cannot listen on {s.address}: Address already in use", said)
            self.assertIn("choose another port", said)

    def test_what_is_no_address_is_said(self):
        for address in ("8080", ":8080", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "127.0.0.1:-1"):
            with self.subTest(address):
                self.assertIn(f"--http {address} is not an address and a port", self.refused(address))

    def test_a_port_is_free_again_when_its_server_has_gone(self):
        with self.serve() as s:
            address = s.address
            self.assertIn("result", Stateless(s).request("tools/list"))
        with self.serve(address=address) as s:
            self.assertIn("result", Stateless(s).request("tools/list"))


class going(OverHttp):
    def settle(self, s):
        """With a managed result and a zygote of each kind; what the server has made so far."""
        self.managed(Stateless(s))
        Stateless(s).call("greet", {"name": "World"})
        memory = s.shared_memory()
        self.assertTrue(memory)
        return memory

    def assert_gone(self, s, below, memory, status=0):
        self.assertEqual(s.wait(), status, s.said())
        # The kernel kills what the server's processes leave behind, a moment after them.
        deadline = time.monotonic() + 10
        while (left := {p for p in below if state_of(p) not in ("Z", None)}) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(left, set())
        self.assertEqual((os.listdir(s.scratch), memory & set(os.listdir("/dev/shm"))), ([], set()))

    def keep_alive(self, s, path="/healthz"):
        """A persistent connection: a function that sends a GET on it and returns the status and the body."""
        exchange = Exchange(s, "GET", path, None, {})
        self.assertEqual(exchange.status, 200)
        exchange.reply.read()

        def again(target):
            exchange.connection.request("GET", target)
            reply = exchange.connection.getresponse()
            return reply.status, reply.read()
        again.exchange = exchange
        return again

    def test_calls_under_way_are_answered_and_new_ones_are_not_taken(self):
        with self.serve() as s:
            memory = self.settle(s)
            calls = [Stateless(s).ask("slow_compute", {"seconds": 2, "label": "tiles"}, progress=True),
                     Handshake(s).ask("slow_compute", {"seconds": 2, "label": "tiles"}, progress=True)]
            for call in calls:
                call.wait_for("notifications/progress")
            health, files = self.keep_alive(s), self.keep_alive(s)
            below = s.processes()
            s.leave()
            s.wait_said("shutting down")
            self.assertEqual(health("/healthz"), (503, b'{"status":"draining"}'))
            self.assertEqual(files("/files/x")[0], 503)
            with self.assertRaises(ConnectionRefusedError):
                socket.create_connection((s.host, s.port), 60)
            for call in calls:
                self.assertEqual(text_of(call.message()["result"]), "Computed tiles in 2 s")
            self.assert_gone(s, below, memory)

    def test_what_was_asked_before_can_still_be_answered_and_cancelled(self):
        with self.serve() as s:
            memory = self.settle(s)
            c = Handshake(s, capabilities={"elicitation": {"form": {}}})
            call, other = c.ask("test_elicitation", {"message": "Who?"}), c.ask("slow_compute", {"seconds": 600}, number="slow", progress=True)
            asked = call.wait_for("elicitation/create")
            other.wait_for("notifications/progress")
            connections = [self.keep_alive(s) for _ in range(3)]
            below = s.processes()
            s.leave()
            s.wait_said("shutting down")

            def post(send, message):
                exchange = send.exchange
                exchange.connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", **message}), c.fields())
                reply = exchange.connection.getresponse()
                reply.read()
                return reply.status
            self.assertEqual(post(connections[0], {"id": 77, "method": "tools/list"}), 503)
            self.assertEqual(post(connections[1], {"id": asked["id"], "result": {
                "action": "accept", "content": {"username": "ada", "email": "ada@example.org"}}}), 202)
            self.assertIn("ada@example.org", text_of(call.message()["result"]))
            self.assertEqual(post(connections[2], {"method": "notifications/cancelled", "params": {"requestId": "slow"}}), 202)
            self.assertEqual([m.get("method") for m in other.rest() if "id" in m], [])
            self.assert_gone(s, below, memory)

    def test_a_task_is_waited_for_too(self):
        with self.serve() as s:
            memory = self.settle(s)
            c = Stateless(s, capabilities=TASKS)
            task = c.task("slow_compute", {"seconds": 2, "label": "tiles"})
            stream = c.listen(taskIds=[task])
            asking = self.keep_alive(s)
            below = s.processes()
            s.leave()
            s.wait_said("shutting down")
            connection = asking.exchange.connection
            params = {"taskId": task, "_meta": c.envelope()}
            connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": params}),
                               {"Content-Type": "application/json", **c.repeated("tasks/get", params)})
            self.assertEqual(json.loads(connection.getresponse().read())["result"]["status"], "working")
            told = [m["params"]["status"] for m in stream.rest() if m.get("method") == "notifications/tasks"]
            self.assertEqual(told[-1:], ["completed"])
            self.assert_gone(s, below, memory)
            with open(os.path.join(self.workspace, ".preflight", "audit.jsonl")) as f:
                self.assertEqual([json.loads(line)["outcome"] for line in f if '"slow_compute"' in line], ["ok"])

    def test_who_polls_for_a_task_gets_its_result(self):
        with self.serve() as s:
            c = Stateless(s, capabilities=TASKS)
            params = {"taskId": c.task("slow_compute", {"seconds": 1, "label": "tiles"}), "_meta": c.envelope()}
            asking = self.keep_alive(s).exchange.connection
            s.leave()
            s.wait_said("shutting down")
            told = {"status": "working"}
            while told["status"] == "working":
                asking.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tasks/get", "params": params}),
                               {"Content-Type": "application/json", **c.repeated("tasks/get", params)})
                told = json.loads(asking.getresponse().read())["result"]
                time.sleep(told["pollIntervalMs"] / 1000)
            self.assertEqual(text_of(told["result"]), "Computed tiles in 1 s")

    def test_what_takes_longer_is_ended(self):
        with self.serve() as s:
            memory = self.settle(s)
            call = Stateless(s).ask("slow_compute", {"seconds": 600}, progress=True)
            call.wait_for("notifications/progress")
            Stateless(s, capabilities=TASKS).task("slow_compute", {"seconds": 600})
            below = s.processes()
            s.leave()
            self.assert_gone(s, below, memory)

    def test_told_twice_it_goes_at_once(self):
        with self.serve() as s:
            memory = self.settle(s)
            calls = [Stateless(s).ask("slow_compute", {"seconds": 600}, progress=True), Handshake(s).ask("slow_compute", {"seconds": 600}, progress=True)]
            for call in calls:
                call.wait_for("notifications/progress")
            Stateless(s, capabilities=TASKS).task("slow_compute", {"seconds": 600})
            below = s.processes()
            s.leave()
            s.wait_said("shutting down")
            s.leave()
            self.assert_gone(s, below, memory)

    def test_what_is_being_read_may_be_left(self):
        """Objects used by a reading must outlive it: detected by a sanitizer."""
        rasters.byte(self.path("0.tif"))
        for n in range(1, 200):
            shutil.copy(self.path("0.tif"), self.path(f"{n}.tif"))
        for uri in ("catalog://workspace/summary", "reference://crs/list/all", "reference://drivers/all"):
            for times in (1, 2):
                with self.subTest(uri, told=times), self.serve() as s:
                    reading = self.start_reading(s, uri)
                    for _ in range(times):
                        s.leave()
                    self.assertEqual(s.wait(), 0, s.said())
                    reading.hang_up()

    def start_reading(self, s, uri):
        """A request whose process was seen; asked again when the answer was faster than the look."""
        last = time.monotonic() + DEADLINE
        while True:
            reading = Stateless(s).send("resources/read", {"uri": uri})
            while not select.select([reading.connection.sock], [], [], 0)[0]:
                if s.calls():
                    return reading
            reading.whole()
            self.assertLess(time.monotonic(), last, "every reading was over before its process could be seen")

    def test_without_anything_under_way_it_goes_at_once_whatever_is_open(self):
        with self.serve() as s:
            memory = self.settle(s)
            session_of_a_client = Handshake(s)
            streams = [session_of_a_client.stream(), Stateless(s).listen(toolsListChanged=True)]
            self.keep_alive(s)
            half = socket.create_connection((s.host, s.port), 60)
            half.sendall(b"POST /mcp HTTP/1.1\r\nHost:")
            below = s.processes()
            s.leave()
            for stream in streams:
                self.assertEqual(stream.status, 200)
                stream.rest()
            self.assert_gone(s, below, memory)
            half.close()

    def test_a_question_nobody_answers_does_not_keep_it(self):
        with self.serve() as s:
            memory = self.settle(s)
            Handshake(s, capabilities={"elicitation": {"form": {}}}).ask("test_elicitation", {"message": "Who?"}).wait_for("elicitation/create")
            below = s.processes()
            s.leave()
            self.assert_gone(s, below, memory)


if __name__ == "__main__":
    sys.exit(session.main())
