"""Bundles that come, change and go while the server runs: clients are told, calls under way finish."""
import collections
import json
import os
import pathlib
import shutil
import threading

import session
import tiny
from session import Claims, Session, good, problem

SUBSCRIPTION = session.META + "subscriptionId"
LISTS = ("tools", "prompts", "resources")


class Live(Claims):
    """A server that looks for bundles in a folder of the test's."""

    def setUp(self):
        super().setUp()
        self.top = pathlib.Path(self.workspace).parent
        self.directory = self.top / "bundles"
        self.elsewhere = self.top / "elsewhere"  # on the same file system, and looked at by nobody
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

    def made(self, number=0, version=1, governed=False):
        """A complete bundle where nobody looks."""
        return tiny.write(self.elsewhere / f"{tiny.name_of(number)}-{version}", number, version, governed)

    def drop(self, number=0, version=1, governed=False):
        os.rename(self.made(number, version, governed), self.bundle(number))

    def told(self, s, what):
        return sum(n["method"] == f"notifications/{what}/list_changed" for n in s.notifications)

    def after(self, s, action, *lists):
        """Does something to the bundles; returns when the client has been told that these lists changed."""
        before = {what: self.told(s, what) for what in lists}
        action()
        for what in lists:
            s.wait_for(lambda: self.told(s, what) > before[what], f"that the {what} changed")

    def until(self, s, condition, what):
        """Looks, and looks again whenever the client is told of a change."""
        while True:
            before = self.told(s, "resources")  # told after every look at the bundles
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
    """Whether a call was answered with: there is no such tool."""
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
            self.after(s, lambda: self.drop(governed=True), "tools", "prompts")
            changes = [n for n in s.notifications if n["method"].endswith("/list_changed")]
            self.assertTrue(changes)
            for n in changes:
                self.assertEqual(n["params"]["_meta"][SUBSCRIPTION], s.listening, n)

    def test_a_bundle_that_is_copied_counts_when_its_manifest_is_there(self):
        with self.serve() as s:
            contents = tiny.files(0, governed=True)
            for file, text in contents.items():
                if file != "manifest.json":
                    tiny.write_file(self.bundle() / file, text)
            self.after(s, lambda: self.drop(1), "tools")  # the host has looked since
            self.assertNotIn(tiny.name_of(0), self.tools(s))
            self.assertEqual(self.report(s)["quarantined"], [])
            tiny.write_file(self.bundle() / "manifest.json", contents["manifest.json"])
            self.until(s, lambda: tiny.name_of(0) in self.tools(s), "the copied bundle")
            self.assertEqual(self.report(s)["quarantined"], [])

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
            self.after(s, lambda: self.drop(governed=True), "tools", "prompts")
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
            broken = self.made(0, governed=True)
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
                self.after(s, lambda: self.drop(0, version, governed=True), "tools")
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
            for version in ("0.0.0002", "0.0.0001") * 10:
                tiny.exchange(self.bundle(), other)
                self.assertEqual(self.version(s), version)

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
                    self.after(s, lambda: self.drop(governed=True), "tools", "prompts")
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
        defect = r"tiny\.so has sha256:[0-9a-f]{64}, its manifest says sha256:[0-9a-f]{64}"
        library = self.bundle() / "lib/tiny.so"
        with self.serve() as s:
            self.assertEqual(self.version(s), "0.0.0001")
            sound = library.read_bytes()
            library.write_bytes(sound + b"\n")
            p = problem(s.call("tiny_000", {}))
            self.assertEqual(p["error"], "quarantined", p)
            self.assertRegex(p["message"], defect)
            self.until(s, lambda: "tiny_000" not in self.tools(s), "the end of the offer")
            self.assertRegex(self.reason(s), defect)
            self.assertIn(f"bundle {self.bundle()} is quarantined: {self.reason(s)}", s.stderr())
            self.assertEqual(self.version(s, 1), "0.0.0001")
            self.after(s, lambda: library.write_bytes(sound), "tools")
            self.assertEqual(self.version(s), "0.0.0001")


def watches(pid):
    """The inotify(7) watches of a process, by /proc/PID/fdinfo."""
    count = 0
    for fd in os.listdir(f"/proc/{pid}/fdinfo"):
        with open(f"/proc/{pid}/fdinfo/{fd}") as f:
            count += sum(line.startswith("inotify ") for line in f)
    return count


if __name__ == "__main__":
    session.main()
