"""A hostile tool has no effect outside its call. The host and the next call survive each attempt."""
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))
import session  # noqa: E402
from session import Claims, Session, good, problem  # noqa: E402
from witnesses import FileWatch, Loopback, UnixSocket, descendants, family, processes_of_calls, same_open_file, waits_for_a_call  # noqa: E402

BUNDLES = os.environ.get("GDAL_MCP_TEST_BUNDLES", "")
SUPERVISED = (sys.executable, str(pathlib.Path(__file__).with_name("supervised.py")))
SANITIZED = os.environ.get("GDAL_MCP_SANITIZED", "")


class Hostile(Claims):
    """A workspace beside a folder that no call was given, and a canary in each."""

    settings = ()

    def setUp(self):
        super().setUp()
        base = os.path.realpath(self.folder.name)
        self.outside = os.path.join(base, "outside")
        os.mkdir(self.outside)
        self.canary = os.path.join(self.outside, "canary.txt")
        self.neighbour = self.path("neighbour.txt")  # in the workspace, but no input of the call
        for path in (self.canary, self.neighbour):
            pathlib.Path(path).write_text("the canary sings\n")
            os.chmod(path, 0o640)
            os.utime(path, ns=(10**18, 10**18))
        self.session = Session("--bundles", BUNDLES, *self.settings, workspace=self.workspace,
                               env={**os.environ, "HOME": base})
        self.addCleanup(self.session.close)

    def tearDown(self):
        """After any attempt: the host lives, writes only JSON-RPC, and the next call works."""
        self.assertTrue(good(self.session.call("noop", {}))["done"])
        self.assertIsNone(self.session.process.poll(), "the host ended")
        self.assertEqual(self.session.garbage, [], "something but JSON-RPC is on stdout")
        for path in (self.canary, self.neighbour):
            state = os.stat(path)
            self.assertEqual(pathlib.Path(path).read_text(), "the canary sings\n")
            self.assertEqual(state.st_mode & 0o777, 0o640)
            self.assertEqual(state.st_mtime_ns, 10**18)

    def attempts(self, tool, arguments=None):
        """errno of every way the tool tried."""
        return good(self.session.call(tool, arguments or {}))["attempts"]

    def all_refused(self, tool, arguments=None):
        tried = self.attempts(tool, arguments)
        self.assertTrue(tried)
        self.assertEqual([way for way, error in tried.items() if error == 0], [], tried)

    def at_rest(self):
        """The processes there are between calls: one per runtime, which forks the calls. An answer may arrive before the process of its call exits, so this waits for it."""
        good(self.session.call("noop", {}))
        self.session.call("hostile_silent", {})
        deadline = time.monotonic() + 60
        while len(rest := set(descendants(self.session.process.pid))) > 2:
            self.assertLess(time.monotonic(), deadline, f"more than the two zygotes: {rest}")
            os.sched_yield()
        return rest

    def failed(self, tool, arguments=None, code=None):
        p = problem(self.session.call(tool, arguments or {}))
        if code:
            self.assertEqual(p["error"], code, p)
        return p


class crashes(Hostile):
    def test_a_crash_is_named_with_its_signal(self):
        p = self.failed("hostile_segfault", code="crashed")
        if SANITIZED:  # a sanitizer catches the signal and exits with a code
            self.assertIn("the process of the tool 'hostile_segfault' ended with exit code", p["message"])
        else:
            self.assertIn("the tool 'hostile_segfault' crashed", p["message"])
            self.assertRegex(p["message"], "(?i)segmentation|SIGSEGV|signal 11")

    def test_an_exception_across_the_border_ends_the_call_only(self):
        self.failed("hostile_throw", code="crashed")

    def test_a_tool_that_exits_has_not_succeeded(self):
        self.failed("hostile_exit", code="crashed")

    def test_ten_crashes_in_a_row(self):
        for _ in range(10):
            self.failed("hostile_segfault", code="crashed")

    def test_a_crash_beside_a_running_call_leaves_it_alone(self):
        running = self.session.ask("tools/call", {"name": "hostile_polite_loop", "arguments": {}}, progress=True)
        self.session.wait_for(lambda: self.session.progress_of(running), "progress of the running call")
        self.failed("hostile_segfault", code="crashed")
        seen = len(self.session.progress_of(running))
        self.session.wait_for(lambda: len(self.session.progress_of(running)) > seen, "more progress")
        self.session.notify("notifications/cancelled", {"requestId": running})

    def waiting(self):
        """The processes that wait for a call."""
        deadline = time.monotonic() + 60
        while not (found := [p for p in family(self.session.process.pid) if waits_for_a_call(p)]):
            self.assertLess(time.monotonic(), deadline, "none is forked ahead")
        return found

    def test_a_call_that_comes_while_its_process_dies_or_does_not_run_gets_another(self):
        before = self.at_rest()
        for fatal in [signal.SIGKILL] * 20 + [signal.SIGSTOP] * 2:
            for pid in self.waiting():
                os.kill(pid, fatal)
            good(self.session.call("noop", {}))
        self.assertEqual(before - set(family(self.session.process.pid)), set(), "the zygote was replaced")

    def test_a_process_that_waits_for_its_call_may_die(self):
        before = self.at_rest()
        for _ in range(3):
            deadline = time.monotonic() + 60
            waiting = self.waiting()
            for pid in waiting:
                os.kill(pid, signal.SIGKILL)
            while set(waiting) & set(family(self.session.process.pid)):
                self.assertLess(time.monotonic(), deadline, "it does not die")
            good(self.session.call("noop", {}))
        self.assertEqual(before - set(family(self.session.process.pid)), set(), "the zygote was replaced")


class open_files(Hostile):
    def test_a_call_shares_no_open_file_with_the_process_it_was_forked_from(self):
        """Locks, positions and flags belong to the open file and would outlive the call."""
        running = self.session.ask("tools/call", {"name": "hostile_polite_loop", "arguments": {}}, progress=True)
        self.session.wait_for(lambda: self.session.progress_of(running), "progress of the running call")
        (call,) = processes_of_calls(self.session.process.pid)
        zygote = int(pathlib.Path(f"/proc/{call}/stat").read_text().rpartition(")")[2].split()[1])
        shared = [(fd, other) for fd in os.listdir(f"/proc/{call}/fd") for other in os.listdir(f"/proc/{zygote}/fd")
                  if same_open_file(call, int(fd), zygote, int(other))]
        self.session.notify("notifications/cancelled", {"requestId": running})
        self.assertEqual(shared, [])


class stopping(Hostile):
    def gone(self, before):
        """Waits until no process is left that was not there before the call."""
        deadline = time.monotonic() + 60
        while set(descendants(self.session.process.pid)) - before:
            self.assertLess(time.monotonic(), deadline, "the process of the call is still there")
            os.sched_yield()

    def cancel_running(self, tool):
        before = self.at_rest()
        running = self.session.ask("tools/call", {"name": tool, "arguments": {}})
        while not set(descendants(self.session.process.pid)) - before:
            os.sched_yield()
        self.session.notify("notifications/cancelled", {"requestId": running})
        self.gone(before)
        good(self.session.call("noop", {}))
        self.assertNotIn(running, self.session.answers, "a cancelled request is not answered")

    def test_a_polite_loop_stops_when_cancelled(self):
        self.cancel_running("hostile_polite_loop")

    def test_a_loop_that_never_asks_is_killed_when_cancelled(self):
        self.cancel_running("hostile_loop")

    def test_a_tool_that_answers_and_stays_is_ended(self):
        before = self.at_rest()
        answer = {"kind": "done", "result": {"errno": 0, "attempts": {}}, "lines": [], "warnings": [],
                  "attachments": [], "expectations": {}}
        self.assertEqual(self.attempts("hostile_lingers", {"frame": json.dumps(answer)}), {})
        self.assertTrue(set(descendants(self.session.process.pid)) - before, "it did not stay")
        good(self.session.call("noop", {}))
        self.gone(before)

    def test_the_end_of_stdin_kills_what_runs(self):
        self.session.ask("tools/call", {"name": "hostile_loop", "arguments": {}})
        good(self.session.call("noop", {}))
        below = family(self.session.process.pid)
        self.assertTrue(below)
        self.session.process.stdin.close()
        self.session.process.wait(60)
        deadline = time.monotonic() + 60
        while any(os.path.exists(f"/proc/{pid}") for pid in below):
            self.assertLess(time.monotonic(), deadline, "a process outlived the host")
            os.sched_yield()
        self.session = Session("--bundles", BUNDLES, workspace=self.workspace)
        self.addCleanup(self.session.close)


class deadline(Hostile):
    settings = ("--timeout", "1")

    def test_a_loop_that_never_asks_is_killed(self):
        self.failed("hostile_loop", code="deadline")

    def test_a_polite_loop_is_told_to_stop(self):
        self.failed("hostile_polite_loop", code="deadline")


class limits(Hostile):
    settings = ("--memory", "768", "--file-size", "8")

    @unittest.skipIf(SANITIZED, "a sanitizer needs the whole address space, so memory is not limited in this build")
    def test_memory_ends_at_the_limit(self):
        got = good(self.session.call("hostile_memory", {}))
        self.assertEqual(got["errno"], 12)
        self.assertLess(got["bytes"], 768 << 20)

    def test_more_than_memory_said_at_once_is_told_as_such(self):
        self.assertIn("returned more than a call may", self.failed("hostile_greedy", code="exhausted")["message"])

    def test_what_a_call_says_is_bounded_by_what_it_says(self):
        for how, words in (("say", "1 MiB"), ("warn", "1 MiB"), ("attach", "7 MiB"), ("put", "16 MiB")):
            with self.subTest(how):
                p = self.failed("hostile_chatter", {"how": how}, code="exhausted")
                self.assertIn(words, p["message"])
        self.assertEqual(len(self.failed("hostile_chatter", {"how": "fail"}, code="internal")["message"]), 8192)
        good(self.session.call("hostile_chatter", {"how": "deep"}))  # it gets an error for the depth

    def test_a_file_ends_at_the_limit(self):
        p = problem(self.session.call("hostile_file_size", {"at": 64 << 20, "output": "big.gpkg"}))
        self.assertIn("larger than 8 MiB", p["message"])
        self.assertIn("--file-size", p["hint"])
        self.assertEqual(self.files(), {"neighbour.txt"})

    def test_limits_cannot_be_raised(self):
        self.all_refused("hostile_limits")


class noise(Hostile):
    def test_printing_reaches_stderr_and_never_the_protocol(self):
        good(self.session.call("hostile_print", {}))
        self.assertIn("hostile", self.session.stderr())
        self.assertNotIn("printed", str(self.session.answers))

    def test_what_a_call_writes_to_the_log_is_limited_and_the_rest_counted(self):
        for how in ("print", "log"):
            with self.subTest(how):
                before = self.session.stderr_size()
                good(self.session.call("hostile_flood", {"how": how}))
                self.assertLess(self.session.stderr_size() - before, 80 << 10)
                said = self.session.stderr()
                self.assertRegex(said, r"hostile_flood wrote \d{8} more bytes to the log; one call may write 65536 bytes")
        told = [n for n in self.session.notifications if n["method"] == "notifications/message"]
        self.assertLess(len(told), 20)

    def test_no_word_of_a_tool_hides_anything_from_a_model_or_a_terminal(self):
        shown = "<U+001B>[2Jok<U+202E><U+E0041>"
        result = self.session.call("hostile_words", {"how": "say"})
        self.assertEqual(good(result)["warnings"], [shown])
        texts = [block["text"] for block in result["content"]]
        self.assertIn(shown, texts)
        for text in texts:  # the result itself stays as it is, written so that a reader sees it
            self.assertTrue(text.isprintable(), ascii(text))
        self.assertEqual(json.loads(texts[0])["text"], "\x1b[2Jok\u202e\U000e0041")
        p = self.failed("hostile_words", {"how": "fail"}, code="io")
        self.assertEqual((p["message"], p["hint"]), (shown, shown))
        self.assertIn(f"gdal-mcp info: hostile_words: {shown}\n", self.session.stderr())
        self.assertTrue(self.session.stderr().replace("\n", "").isprintable(), ascii(self.session.stderr()))

    def test_a_result_against_its_own_schema_is_a_failure(self):
        self.failed("hostile_result")

    def test_a_result_over_the_limit_is_a_failure(self):
        self.assertRegex(self.failed("hostile_big")["message"], "(?i)large|MiB|limit|bytes")

    def test_text_that_is_not_utf8_and_nan_do_not_break_the_protocol(self):
        result = good(self.session.call("hostile_text", {}))
        self.assertIn("M\ufffdnchen", result["text"])
        self.assertEqual(result["attempts"], {"nan": None, "infinite": None})

    def test_a_tool_that_fails_without_a_word_has_failed(self):
        self.failed("hostile_silent", code="invalid_argument")

    def test_an_error_left_in_gdal_is_a_warning_of_a_tool_that_reads_and_fails_one_that_writes(self):
        read = good(self.session.call("hostile_gdal_error", {}))
        self.assertEqual(read["warnings"], ["GDAL: half of the tiles are missing"])
        written = self.failed("hostile_gdal_error_writing", {"at": 1, "output": "out.gpkg"}, code="io")
        self.assertIn("half of the tiles are missing", written["message"])
        self.assertNotIn("space", written["hint"])


class forged_answers(Hostile):
    """A tool owns the descriptor of its answer: data from there is never trusted."""

    whole = {"kind": "done", "result": {"errno": 0}, "lines": [], "warnings": [], "attachments": [], "expectations": {},
             "stages": [0], "inputs": [], "times_ms": {}, "versions": {}, "library_state": ""}

    def forged(self, frame):
        result = self.session.call("hostile_frame", {"frame": frame, "output": "out.gpkg"})
        self.assertTrue(result.get("isError"), result)
        self.assertEqual(self.files(), {"neighbour.txt"})

    def test_bytes_that_are_no_frame(self):
        self.forged("")
        for text in ("{", "[]", "null", "[" * 3000, "{\"kind\":5}", "{}"):
            self.forged(text)

    def test_answers_with_members_missing_or_of_another_type(self):
        for name in self.whole:
            if name == "kind":
                continue
            for wrong in (None, 5, "x", [5], {"x": 5}, [None, [[]]], "absent"):
                frame = {**self.whole, name: wrong}
                if wrong == "absent":
                    del frame[name]
                with self.subTest(member=name, value=wrong):
                    self.forged(json.dumps(frame))
            good(self.session.call("noop", {}))

    def test_an_output_that_was_never_offered(self):
        for stages in ([], [1], [-1], [99], [2**62], [0, 0], [0.5]):
            with self.subTest(stages=stages):
                self.forged(json.dumps({**self.whole, "stages": stages}))

    def test_problems_without_sense(self):
        for wrong in (None, 5, [], {}, {"code": 5, "message": []}):
            with self.subTest(problem=wrong):
                self.forged(json.dumps({"kind": "done", "problem": wrong}))


    def test_a_problem_that_only_the_host_can_have(self):
        for code in ("policy", "quarantined", "requires_epistemic_justification", "busy", "made_up"):
            with self.subTest(code=code):
                frame = {"kind": "done", "problem": {"code": code, "message": "forged", "hint": "", "at": ""}}
                p = problem(self.session.call("hostile_frame", {"frame": json.dumps(frame), "output": "out.gpkg"}))
                self.assertEqual(p["error"], "internal", p)
                self.assertIn(code, p["message"])

    def test_members_of_a_result_that_are_the_hosts(self):
        for name in ("checks", "output", "warnings", "ok", "error"):
            with self.subTest(member=name):
                frame = {**self.whole, "result": {"errno": 0, name: ["crs"]}}
                p = problem(self.session.call("hostile_lingers", {"frame": json.dumps(frame)}))
                self.assertEqual(p["error"], "internal", p)
                self.assertIn(f"'{name}'", p["message"])


class processes(Hostile):
    def setUp(self):
        super().setUp()
        self.victim = subprocess.Popen(["sleep", "600"])
        self.addCleanup(self.victim.wait)
        self.addCleanup(self.victim.kill)

    def test_no_process_is_started(self):
        self.all_refused("hostile_fork")

    def test_no_program_is_started(self):
        mark, program = self.path("mark"), self.path("program")
        pathlib.Path(program).write_text(f"#!/bin/sh\necho > {mark}\n")
        os.chmod(program, 0o755)
        for path in (program, "/bin/true"):
            self.all_refused("hostile_exec", {"path": path})
        self.assertFalse(os.path.exists(mark))

    def test_no_signal_leaves_the_process(self):
        below = self.at_rest()
        for pid in (self.victim.pid, self.session.process.pid):
            self.all_refused("hostile_kill", {"pid": pid})
        self.assertIsNone(self.victim.poll())
        self.assertEqual(below - set(descendants(self.session.process.pid)), set(), "the zygote was replaced")

    def test_no_other_process_is_looked_into(self):
        self.all_refused("hostile_ptrace", {"pid": self.victim.pid})
        status = pathlib.Path(f"/proc/{self.victim.pid}/status").read_text()
        self.assertIn("TracerPid:\t0\n", status)

    def test_threads_still_start(self):
        self.assertEqual(self.attempts("hostile_thread"), {"pthread_create": 0})
        started = good(self.session.call("hostile_threads", {"count": 400, "way": "wait"}))
        self.assertEqual(started["attempts"], {"pthread_create": 0})
        self.assertEqual(started["bytes"], 400)

    def test_a_call_that_starts_threads_without_end_is_ended_and_told_the_limit(self):
        before = self.at_rest()
        for way in ("wait", "breed"):
            p = self.failed("hostile_threads", {"count": 20000, "way": way}, code="exhausted")
            self.assertIn("more than 512 threads", p["message"])
            self.assertIn("--threads", p["hint"])
        self.assertEqual(self.at_rest(), before)

    def test_the_limit_on_threads_does_not_need_to_hear_of_each(self):
        """Where another program already supervises system calls, threads are counted at intervals."""
        for way in ("wait", "breed"):
            said = subprocess.run([*SUPERVISED, session.PROGRAM, "--bundles", BUNDLES, "call", "hostile_threads", "--json",
                                   json.dumps({"count": 20000, "way": way})], cwd=self.workspace, capture_output=True,
                                  text=True, check=False, timeout=session.HANG)
            self.assertIn("more than 512 threads", said.stdout + said.stderr)

    def test_doctor_says_how_threads_are_counted(self):
        for wrapper, means in (([], "each start is counted"), (SUPERVISED, "counted every 10 ms")):
            said = subprocess.run([*wrapper, session.PROGRAM, "doctor"], cwd=self.workspace, stdout=subprocess.PIPE,
                                  text=True, check=False, timeout=session.HANG).stdout
            self.assertRegex(said, f"ok +threads +512 a call, {means}")


class network(Hostile):
    def test_no_packet_reaches_the_loopback(self):
        with Loopback() as witness:
            self.all_refused("hostile_udp", {"port": witness.port})
        self.assertEqual(witness.count, 0)

    def test_no_unix_socket_is_reached(self):
        for folder in (self.outside, self.workspace):
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                path = os.path.join(folder, f"socket{kind}")
                with UnixSocket(path, kind) as witness:
                    self.all_refused("hostile_unix", {"path": path})
                self.assertEqual(witness.count, 0, path)

    def test_no_abstract_socket_is_reached(self):
        name = f"gdal-mcp-test-{os.getpid()}"
        with UnixSocket("\0" + name) as witness:
            self.all_refused("hostile_abstract", {"name": name})
        self.assertEqual(witness.count, 0)

    def test_gdal_fetches_nothing(self):
        with Loopback() as witness:
            self.all_refused("hostile_fetch", {"url": f"http://127.0.0.1:{witness.port}/a.tif"})
        self.assertEqual(witness.count, 0)


class files(Hostile):
    def test_nothing_outside_the_grant_is_read(self):
        link = self.path("link.txt")
        os.symlink(self.canary, link)
        detour = os.path.join(self.workspace, "..", "outside", "canary.txt")
        with FileWatch(self.outside) as outside, FileWatch(self.workspace) as inside:
            for path in (self.canary, detour, link, self.neighbour):
                result = good(self.session.call("hostile_read", {"path": path}))
                self.assertNotIn("text", result, path)
                self.assertNotIn(0, result["attempts"].values(), path)
            self.assertEqual(outside.names(), set())
            self.assertEqual(inside.names(), set())

    def test_secrets_of_the_machine_are_not_read(self):
        for path in ("/etc/passwd", "/proc/1/environ", f"/proc/{self.session.process.pid}/environ",
                     f"/proc/{self.session.process.pid}/mem"):
            result = good(self.session.call("hostile_read", {"path": path}))
            self.assertNotIn(0, result["attempts"].values(), path)

    def test_nothing_outside_the_grant_is_written(self):
        library = next(pathlib.Path(BUNDLES).glob("hostile.bundle/lib/*.so"))
        before = library.read_bytes()
        for path in (self.canary, self.neighbour, self.path("new.txt"), str(library), "/tmp/gdal-mcp-hostile"):
            self.all_refused("hostile_write", {"path": path})
        self.assertEqual(self.files(), {"neighbour.txt"})
        self.assertFalse(os.path.exists("/tmp/gdal-mcp-hostile"))
        self.assertEqual(library.read_bytes(), before)

    def test_no_mode_owner_time_or_attribute_is_changed(self):
        for path in (self.canary, self.neighbour):
            self.all_refused("hostile_chmod", {"path": path})

    def test_nothing_is_removed_moved_or_linked(self):
        for path in (self.canary, self.neighbour):
            self.all_refused("hostile_unlink", {"path": path})

    def test_an_output_that_points_outside_is_not_delivered(self):
        for target in (self.canary, self.neighbour, "/etc/passwd"):
            self.assertTrue(self.session.call("hostile_symlink", {"target": target, "output": "out.gpkg"})["isError"])
            self.assertEqual(self.files(), {"neighbour.txt"})

    def test_other_output_than_was_asked_for_is_not_delivered(self):
        p = problem(self.session.call("hostile_file_size", {"at": 100, "output": "out.gpkg"}))
        self.assertTrue(p["message"])
        self.assertEqual(self.files(), {"neighbour.txt"})


class unconfined(Hostile):
    """The same tools without the sandbox do reach out: the claims above can fail."""

    settings = ("--no-sandbox",)

    def test_what_the_sandbox_stops_succeeds_without_it(self):
        read = good(self.session.call("hostile_read", {"path": self.canary}))
        self.assertEqual(read["text"], "the canary sings\n")
        with Loopback() as witness:
            self.assertEqual(self.attempts("hostile_udp", {"port": witness.port}), {"udp": 0, "tcp": 0})
        self.assertEqual(witness.count, 2)
        written = self.path("written.txt")
        self.attempts("hostile_write", {"path": written})
        self.assertTrue(os.path.exists(written))


if __name__ == "__main__":
    if not BUNDLES:
        sys.exit("set GDAL_MCP_TEST_BUNDLES to the folder of the test bundles")
    session.main()
