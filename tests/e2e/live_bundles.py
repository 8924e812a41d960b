"""Bundles that are added, changed and removed while the server runs: clients are notified, running calls finish."""
import collections
import contextlib
import json
import os
import pathlib
import shutil
import sys
import threading
import time

import session
import tiny
from running_calls import children_of
from session import Claims, Session, good, problem

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "sandbox"))
from witnesses import processes_of_calls  # noqa: E402

SUBSCRIPTION = session.META + "subscriptionId"
SANITIZED = bool(os.environ.get("GDAL_MCP_SANITIZED"))
LISTS = ("tools", "prompts", "resources")


class Live(Claims):
    """A server that reads bundles from a folder of the test."""

    def setUp(self):
        super().setUp()
        self.top = pathlib.Path(self.workspace).parent
        self.directory = self.top / "bundles"
        self.elsewhere = self.top / "elsewhere"  # on the same file system, and not watched
        for folder in (self.directory, self.elsewhere):
            folder.mkdir(mode=0o755)

    def serve(self, *arguments, era="legacy"):
        s = Session("--bundles", str(self.directory), *arguments, workspace=self.workspace, era=era)
        if era == "modern":
            self.listen(s)
        return s

    def listen(self, s):
        s.listening = s.ask("subscriptions/listen", {"notifications": {f"{what}ListChanged": True for what in LISTS}})
        s.wait_for(lambda: any(n["method"] == "notifications/subscriptions/acknowledged" for n in s.notifications),
                   "the acknowledgement")

    def bundle(self, number=0):
        return self.directory / f"{tiny.name_of(number)}.bundle"

    def made(self, number=0, version=1, governed=None):
        """A complete bundle in an unwatched folder."""
        return tiny.write(self.elsewhere / f"{tiny.name_of(number)}-{version}", number, version, governed)

    def drop(self, number=0, version=1, governed=None):
        os.rename(self.made(number, version, governed), self.bundle(number))

    def told(self, s, what):
        return sum(n["method"] == f"notifications/{what}/list_changed" for n in s.notifications)

    def after(self, s, action, *lists):
        """Changes the bundles; returns once the client is notified that these lists changed."""
        before = {what: self.told(s, what) for what in lists}
        action()
        for what in lists:
            s.wait_for(lambda: self.told(s, what) > before[what], f"that the {what} changed")

    def until(self, s, condition, what):
        """Checks, and checks again after every notification of a change."""
        while True:
            before = self.told(s, "resources")  # notified after every reload of the bundles
            if condition():
                return
            s.wait_for(lambda: self.told(s, "resources") > before, what)

    def tools(self, s):
        return {t["name"]: t for t in s.request("tools/list")["result"]["tools"]}

    def prompts(self, s):
        return {p["name"]: p for p in s.request("prompts/list")["result"]["prompts"]}

    def report(self, s):
        contents = s.request("resources/read", {"uri": "bundles://"})["result"]["contents"]
        return json.loads(contents[0]["text"])

    def reason(self, s, number=0):
        """Why a bundle is in quarantine; None: it is not."""
        return {q["path"]: q["reason"] for q in self.report(s)["quarantined"]}.get(str(self.bundle(number)))

    def version(self, s, number=0):
        return good(s.call(tiny.name_of(number), {}))["version"]

    def is_unknown(self, s, number=0):
        return unknown(s.request("tools/call", {"name": tiny.name_of(number), "arguments": {}}))


def unknown(answer):
    """Whether a call failed because the tool does not exist."""
    if "error" in answer:
        return answer["error"]["code"] == -32602 and "nknown tool" in answer["error"]["message"]
    return answer["result"].get("isError", False) and problem(answer["result"])["error"] == "unknown_tool"


class coming(Live):
    def test_a_bundle_that_is_renamed_in_is_offered(self):
        for number, era in enumerate(("legacy", "modern")):
            with self.subTest(era=era), self.serve(era=era) as s:
                self.assertNotIn(tiny.name_of(number), self.tools(s))
                self.after(s, lambda: self.drop(number), "tools")
                self.assertIn(tiny.name_of(number), self.tools(s))
                self.assertEqual(self.version(s, number), "0.0.0001")

    def test_a_client_of_the_stateless_era_is_told_under_its_subscription_only(self):
        with self.serve(era="modern") as s:
            self.after(s, lambda: self.drop(governed="block"), "tools", "prompts")
            changes = [n for n in s.notifications if n["method"].endswith("/list_changed")]
            self.assertTrue(changes)
            for n in changes:
                self.assertEqual(n["params"]["_meta"][SUBSCRIPTION], s.listening, n)

    def test_a_bundle_that_is_copied_counts_when_its_manifest_is_there(self):
        with self.serve() as s:
            contents = tiny.files(0, governed="block")
            for file, text in contents.items():
                if file != "manifest.json":
                    tiny.write_file(self.bundle() / file, text)
            self.after(s, lambda: self.drop(1), "tools")  # the host has reloaded since
            self.assertNotIn(tiny.name_of(0), self.tools(s))
            self.assertEqual(self.report(s)["quarantined"], [])
            self.assertEqual([i["path"] for i in self.report(s)["incomplete"]], [str(self.bundle())])
            self.assertIn("no manifest.json", self.report(s)["incomplete"][0]["reason"])
            self.assertNotIn(str(self.bundle()), s.stderr())  # it may be being copied: no warning at each reload
            tiny.write_file(self.bundle() / "manifest.json", contents["manifest.json"])
            self.until(s, lambda: tiny.name_of(0) in self.tools(s), "the copied bundle")
            self.assertEqual(self.report(s)["quarantined"] + self.report(s)["incomplete"], [])

    def test_a_directory_may_be_made_later(self):
        self.directory = self.top / "not" / "yet" / "there"
        with self.serve() as s:
            # Others come and go beside it.
            (self.top / "other").mkdir()
            self.directory.mkdir(mode=0o755, parents=True)
            self.after(s, self.drop, "tools")
            self.assertEqual(self.version(s), "0.0.0001")

    def test_a_directory_may_be_named_relative_to_the_working_directory(self):
        with Session("--bundles", "not/yet/there", workspace=self.workspace, cwd=self.top) as s:
            self.directory = self.top / "not" / "yet" / "there"
            self.directory.mkdir(mode=0o755, parents=True)
            self.after(s, self.drop, "tools")
            self.assertEqual(self.version(s), "0.0.0001")

    def test_a_directory_may_go_and_come_again(self):
        self.drop()
        with self.serve() as s:
            away = self.top / "away"
            self.after(s, lambda: os.rename(self.directory, away), "tools")
            self.assertTrue(self.is_unknown(s))
            self.after(s, lambda: os.rename(away, self.directory), "tools")
            self.assertEqual(self.version(s), "0.0.0001")
            self.after(s, lambda: shutil.rmtree(self.directory), "tools")
            self.directory.mkdir(mode=0o755)
            self.after(s, lambda: self.drop(0, 2), "tools")
            self.assertEqual(self.version(s), "0.0.0002")

    def test_prompts_and_domains_come_and_go_with_their_bundle(self):
        with self.serve() as s:
            self.after(s, lambda: self.drop(governed="block"), "tools", "prompts")
            self.assertIn("justify_tiny_000", self.prompts(s))
            planned = good(s.call("preflight", {"tool": "tiny_000", "arguments": {"method": "one"}}))
            self.assertIn('"tiny_000"', json.dumps(planned["domains"]))
            self.assertEqual(problem(s.call("tiny_000", {"method": "one"}))["error"], "requires_epistemic_justification")
            self.assertIn("version 0.0.0001", s.request("prompts/get", {"name": "justify_tiny_000"})["result"]["messages"][0]["content"]["text"])
            self.after(s, lambda: shutil.rmtree(self.bundle()), "tools", "prompts")
            self.assertNotIn("justify_tiny_000", self.prompts(s))
            self.assertTrue(unknown({"result": s.call("preflight", {"tool": "tiny_000", "arguments": {}})}))

    def test_a_broken_bundle_takes_nothing_down(self):
        self.drop(1)
        with self.serve() as s:
            broken = self.made(0, governed="block")
            (broken / "manifest.json").write_text('{"schema_version": 1')
            os.rename(broken, self.bundle(0))
            self.until(s, lambda: self.reason(s), "the quarantine")
            self.assertIn("manifest.json", self.reason(s))
            self.assertIn(f"bundle {self.bundle()} is quarantined: ", s.stderr())
            self.assertEqual(self.version(s, 1), "0.0.0001")
            self.assertIn("raster_info", self.tools(s))
            self.after(s, lambda: self.drop(2), "tools")
            self.assertEqual(self.version(s, 2), "0.0.0001")


class going(Live):
    def test_a_removed_bundle_takes_its_tools_along_and_says_so(self):
        for era in ("legacy", "modern"):
            self.drop(0)
            self.drop(1)
            with self.subTest(era=era), self.serve(era=era) as s:
                self.assertEqual(self.version(s), "0.0.0001")
                self.after(s, lambda: shutil.rmtree(self.bundle(0)), "tools")
                self.assertNotIn(tiny.name_of(0), self.tools(s))
                self.assertTrue(self.is_unknown(s))
                self.assertEqual(self.version(s, 1), "0.0.0001")
            shutil.rmtree(self.bundle(1))

    def test_a_call_under_way_finishes_though_its_bundle_is_removed(self):
        self.drop()
        with self.serve() as s:
            go = os.path.join(self.workspace, "go")
            running = s.ask("tools/call", {"name": "tiny_000", "arguments": {"until": go}}, progress=True)
            s.wait_for(lambda: s.progress_of(running), "progress")
            self.after(s, lambda: shutil.rmtree(self.bundle()), "tools")
            self.assertTrue(self.is_unknown(s))
            self.assertNotIn(running, s.answers)
            open(go, "w").close()
            self.assertEqual(good(s.wait(running)["result"])["version"], "0.0.0001")

    def test_nothing_is_watched_of_a_bundle_that_was_moved_away(self):
        with self.serve() as s:
            before = watches(s.process.pid)
            for version in (1, 2, 3):
                self.after(s, lambda: self.drop(0, version, governed="block"), "tools")
                self.assertGreater(watches(s.process.pid), before)
                self.after(s, lambda: os.rename(self.bundle(), self.top / f"kept-{version}"), "tools")
                self.assertEqual(watches(s.process.pid), before)


class replacing(Live):
    def test_a_bundle_that_changes_places_with_another_version_is_the_other(self):
        self.drop(0, 1)
        with self.serve() as s:
            self.assertEqual(self.version(s), "0.0.0001")
            other = self.made(0, 2)
            self.after(s, lambda: tiny.exchange(self.bundle(), other), "tools")
            self.assertIn("0.0.0002", self.tools(s)["tiny_000"]["description"])
            self.assertEqual(self.version(s), "0.0.0002")

    def test_a_bundle_that_is_removed_and_renamed_in_again_is_the_other_version(self):
        self.drop(0, 1)
        with self.serve() as s:
            self.assertEqual(self.version(s), "0.0.0001")
            shutil.rmtree(self.bundle())
            self.drop(0, 2)
            self.until(s, lambda: "0.0.0002" in self.tools(s).get("tiny_000", {}).get("description", ""), "version 2")
            self.assertEqual(self.version(s), "0.0.0002")

    def test_a_replaced_bundle_serves_the_next_call_before_anybody_is_told(self):
        self.drop(0, 1)
        with self.serve() as s:
            self.assertEqual(self.version(s), "0.0.0001")
            other = self.made(0, 2)
            for version in ("0.0.0002", "0.0.0001") * (2 if SANITIZED else 10):
                tiny.exchange(self.bundle(), other)
                self.assertEqual(self.version(s), version)

    def test_a_bundle_that_is_replaced_again_and_again_meanwhile_serves_every_call(self):
        self.drop(0, 1)
        other = self.made(0, 2)
        enough = threading.Event()

        replaced = []

        def replace(pause):
            while not enough.wait(pause):
                tiny.exchange(self.bundle(), other)
                replaced.append(pause)

        with self.serve() as s:
            self.version(s)
            tiny.exchange(self.bundle(), other)
            started = time.monotonic()
            self.version(s)  # refused, the catalogue loaded, called again
            writer = threading.Thread(target=replace, args=(time.monotonic() - started,))
            writer.start()
            try:
                while len(replaced) < (10 if SANITIZED else 50):
                    self.assertIn(self.version(s), ("0.0.0001", "0.0.0002"))
            finally:
                enough.set()
                writer.join()

    def test_a_library_that_is_known_is_not_taken_for_that_of_another_version(self):
        self.drop(0, 1)
        with self.serve() as s:
            self.assertEqual(self.version(s), "0.0.0001")
            other = self.made(0, 2)
            self.after(s, lambda: tiny.exchange(self.bundle(), other), "tools")
            tiny.exchange(self.bundle(), other)
            self.assertEqual(self.version(s), "0.0.0001")


class never_quiet(Live):
    def test_a_bundle_is_found_in_a_directory_that_never_rests(self):
        enough = threading.Event()

        def noise():
            while not enough.wait(0.02):  # a fraction of the time that changes are given to settle
                (self.directory / "noise").touch()

        with self.serve() as s:
            writer = threading.Thread(target=noise)
            writer.start()
            try:
                self.after(s, self.drop, "tools")
            finally:
                enough.set()
                writer.join()
            self.assertEqual(self.version(s), "0.0.0001")


class editing(Live):
    def test_a_document_edited_in_place_quarantines_its_bundle(self):
        self.drop(1)
        with self.serve() as s:
            for file, reason in (("prompts/tiny_000.md", "has SHA-256"), ("reflection/tiny_000.yaml", "has SHA-256"),
                                 ("manifest.json", "manifest.json: ")):
                with self.subTest(file):
                    self.after(s, lambda: self.drop(governed="block"), "tools", "prompts")
                    with open(self.bundle() / file, "a") as f:
                        self.after(s, lambda: print("}", file=f, flush=True) or f.close(), "tools", "prompts")
                    self.assertNotIn("tiny_000", self.tools(s))
                    self.assertIn(reason, self.reason(s))
                    self.assertIn(f"bundle {self.bundle()} is quarantined: {self.reason(s)}", s.stderr())
                    self.assertEqual(self.version(s, 1), "0.0.0001")
                    shutil.rmtree(self.bundle())
                    self.until(s, lambda: not self.reason(s), "the end of the quarantine")

    def test_a_library_edited_in_place_is_refused_at_the_next_call_and_quarantined_until_it_is_mended(self):
        self.drop(0)
        self.drop(1)
        library = self.bundle() / "lib/tiny.so"
        with self.serve() as s:
            self.assertEqual(self.version(s), "0.0.0001")
            sound = library.read_bytes()
            library.write_bytes(sound + b"\n")
            p = problem(s.call("tiny_000", {}))
            self.assertEqual(p["error"], "quarantined", p)
            self.assertRegex(p["message"], r"tiny\.so has sha256:[0-9a-f]{64}, its manifest has sha256:[0-9a-f]{64}")
            self.until(s, lambda: "tiny_000" not in self.tools(s), "the end of the offer")
            self.assertRegex(self.reason(s), r"'lib/tiny\.so' has SHA-256 [0-9a-f]{64}; the manifest lists [0-9a-f]{64}")
            self.assertIn(f"bundle {self.bundle()} is quarantined: {self.reason(s)}", s.stderr())
            self.assertEqual(self.version(s, 1), "0.0.0001")
            self.after(s, lambda: library.write_bytes(sound), "tools")
            self.assertEqual(self.version(s), "0.0.0001")


def watches(pid):
    """The inotify(7) watches of a process, by /proc/PID/fdinfo; its other descriptors come and go meanwhile."""
    count = 0
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with contextlib.suppress(FileNotFoundError), open(f"/proc/{pid}/fdinfo/{fd}") as f:
            count += sum(line.startswith("inotify ") for line in f)
    return count


class Load:
    """Threads that call tools again and again, and how every call ended."""

    def __init__(self, s, tools, threads_each=2):
        self.s = s
        self.outcomes = {tool: collections.Counter() for tool in tools}
        self.counted = threading.Condition()
        self.stopped = False
        self.threads = [threading.Thread(target=self.call, args=(tool,)) for tool in tools for _ in range(threads_each)]

    def call(self, tool):
        while not self.stopped:
            try:
                number = self.s.ask("tools/call", {"name": tool, "arguments": {"method": "one"}})
                ending = ending_of(self.s.wait(number))
                del self.s.answers[number]  # a long soak keeps none
            except (AssertionError, OSError) as e:
                ending = f"no answer: {e}"
                self.stopped = True
            with self.counted:
                self.outcomes[tool][ending] += 1
                self.counted.notify_all()
                if ending == "unknown tool":  # refusals, which start no process, would take the time of the other calls
                    seen = self.answered()
                    self.counted.wait_for(lambda: self.stopped or self.answered() > seen)

    def answered(self):
        return sum(seen["answered"] for seen in self.outcomes.values())

    def go_on(self, calls):
        """Until every tool was answered so many more times."""
        with self.counted:
            wanted = {tool: seen.total() + calls for tool, seen in self.outcomes.items()}
            self.counted.wait_for(
                lambda: self.stopped or all(self.outcomes[tool].total() >= n for tool, n in wanted.items()), session.HANG)
        assert not self.stopped, self.outcomes

    def __enter__(self):
        for t in self.threads:
            t.start()
        return self

    def __exit__(self, *_):
        with self.counted:
            self.stopped = True
            self.counted.notify_all()
        for t in self.threads:
            t.join()


def ending_of(answer):
    """How a call ended: one word for an expected outcome, otherwise the message."""
    if unknown(answer):
        return "unknown tool"
    if "error" in answer:
        return f"refused: {answer['error']}"
    if answer["result"].get("isError"):
        p = problem(answer["result"])
        return "quarantined" if p["error"] == "quarantined" else f"failed: {p}"
    good(answer["result"])
    return "answered"


class soak(Live):
    """Bundles dropped, replaced and deleted under a running load of calls. Longer with --long. Rounds come in fours, which
    differ; a sanitizer, which needs seconds for a round, sees each kind of round twice after the warm-up. Memory at rest goes
    up and down by 5 MiB, its peak by one: the peaks of several rests are compared."""
    warm_up, rounds, between_rests = (4, 8, 4) if SANITIZED else (100, 200, 20)
    STABLE, REPLACED, COMING = 0, 1, 2  # the last one also goes
    REMAINS = {"descriptors", "threads", "processes", "watches", "scratch"}
    MEMORY = ("host_mib", "worker_mib")

    def test_no_call_is_lost_and_nothing_is_left_behind(self):
        self.drop(self.STABLE)
        self.drop(self.REPLACED, governed="warn")
        self.latest = 1
        (self.top / "scratch").mkdir()
        with self.serve("--scratch", str(self.top / "scratch")) as s:
            self.take_every_slot(s)
            before, _ = self.run_rounds(s, self.warm_up)
            after, (stable, replaced, coming) = self.run_rounds(s, self.rounds, before)
            print(f"\n  {self.rounds} rounds; stable: {dict(stable)}; replaced: {dict(replaced)}; coming and going: "
                  f"{dict(coming)}; before: {before}; after: {after}", flush=True)
            with self.subTest("calls of the stable bundle all succeed"):
                self.assertEqual(set(stable), {"answered"})
            with self.subTest("calls of the bundle that is replaced all succeed"):
                self.assertEqual(set(replaced), {"answered"})
            with self.subTest("calls of the bundle that comes and goes succeed or say why not"):
                self.assertLessEqual(set(coming), {"answered", "unknown tool", "quarantined"})
                self.assertIn("answered", coming)
                self.assertIn("unknown tool", coming)
            with self.subTest("descriptors, threads, processes, watches and scratch folders are what they were"):
                self.assertEqual({k: after[k] for k in self.REMAINS}, {k: before[k] for k in self.REMAINS})
            with self.subTest("memory"):
                if SANITIZED:
                    self.skipTest("a sanitizer keeps freed memory")
                for kind in self.MEMORY:
                    self.assertLess(after[kind] - before[kind], 4, kind)

    def take_every_slot(self, s):
        """As many calls at once as there can be: what is kept for calls (threads, scratch folders) is all there then."""
        go = os.path.join(self.workspace, "go")
        calls = [s.ask("tools/call", {"name": tiny.name_of(self.STABLE), "arguments": {"until": go}}, progress=True)
                 for _ in range(4 + 2 * (os.cpu_count() or 1))]
        s.wait_for(lambda: any(s.progress_of(n) or n in s.answers for n in calls), "a running call")
        open(go, "w").close()
        for n in calls:
            good(s.wait(n)["result"])

    def run_rounds(self, s, rounds, expected=None):
        """What the host holds at the end, with the most memory it had at rest, and how the calls of each bundle ended."""
        peaks, outcomes = collections.Counter(), [collections.Counter() for _ in range(3)]
        for _ in range(rounds // self.between_rests):
            for seen, more in zip(outcomes, self.load_rounds(s, self.between_rests)):
                seen.update(more)
            held = self.at_rest(s, expected)
            peaks |= {kind: held[kind] for kind in self.MEMORY}
        return {**held, **peaks}, outcomes

    def load_rounds(self, s, rounds):
        with Load(s, [tiny.name_of(n) for n in (self.STABLE, self.REPLACED, self.COMING)]) as load:
            for n in range(rounds):
                self.replace()
                if n % 2 == 0:
                    self.come(copied=n % 4 == 0)
                else:
                    shutil.rmtree(self.bundle(self.COMING))
                if n % 4 in (0, 3):  # the other changes come while the host has not looked yet, or is looking
                    self.until(s, lambda: (tiny.name_of(self.COMING) in self.tools(s)) == (n % 2 == 0), "the last change")
                load.go_on(3)
            shutil.rmtree(self.bundle(self.COMING), ignore_errors=True)
        return load.outcomes.values()

    def replace(self):
        self.latest += 1
        other = self.made(self.REPLACED, self.latest, governed="warn")
        tiny.exchange(self.bundle(self.REPLACED), other)
        shutil.rmtree(other)

    def come(self, copied):
        if copied:
            tiny.write(self.bundle(self.COMING), self.COMING, self.latest, governed="warn")
        else:
            self.drop(self.COMING, self.latest, governed="warn")

    def at_rest(self, s, expected=None):
        """What the host holds when it has looked at the bundles and the processes of all calls are gone; when something is
        expected, it is looked for until it is there or long enough."""
        self.after(s, lambda: self.drop(3), "tools")
        self.after(s, lambda: shutil.rmtree(self.bundle(3)), "tools")
        for _ in range(2000):
            seen = self.held(s.process.pid)
            if expected is None and not processes_of_calls(s.process.pid) or \
                    expected and all(seen[k] == expected[k] for k in self.REMAINS):
                break
            s.request("tools/list")
        return seen

    def held(self, pid):
        workers = children_of(pid)
        return {"descriptors": len(os.listdir(f"/proc/{pid}/fd")), "threads": len(os.listdir(f"/proc/{pid}/task")),
                "processes": len(workers), "watches": watches(pid), "scratch": sum(1 for _ in (self.top / "scratch").rglob("*")),
                "host_mib": resident_mib(pid), "worker_mib": sum(map(resident_mib, workers))}


def resident_mib(pid):
    """Memory in use, by /proc/PID/status; 0 when the process has gone."""
    try:
        with open(f"/proc/{pid}/status") as f:
            return next((int(line.split()[1]) / 1024 for line in f if line.startswith("VmRSS")), 0)
    except OSError:
        return 0


if __name__ == "__main__":
    if "--long" in sys.argv:
        sys.argv.remove("--long")
        soak.rounds = 5000
    session.main()
