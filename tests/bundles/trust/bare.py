"""A bare library in a folder of bundles is run once, confined, to describe itself; whatever it does, nothing else fails."""
import os
import pathlib
import re
import shutil

import shelf
from session import good
from witnesses import Loopback, UnixSocket, processes_of_calls

LIBRARY = shelf.BUILT / "bare.so"
PLACE, SIZE = b"@SETTINGS@", 1024


class Bare(shelf.Shelf):
    def setUp(self):
        super().setUp()
        self.outside = self.base / "outside"
        self.outside.mkdir()
        self.canary = self.outside / "canary.txt"

    def drop(self, name, mode="sit", port=1, unix="/nowhere", into=None):
        """A library that does `mode` when it is loaded and else offers one tool."""
        settings = f"{mode} {name} {self.canary} {port} {unix}".encode()
        code = LIBRARY.read_bytes()
        at = code.index(PLACE)
        file = (into or self.shelf) / f"{name}.so"
        file.write_bytes(code[:at] + settings.ljust(SIZE, b"\0") + code[at + SIZE:])
        return file

    def runs(self, name, stderr):
        """How often the library's code ran, by its own count."""
        return stderr.count(f"the code of {name} runs")

    def starts(self, *words):
        """The tools of a start, and what it wrote to stderr."""
        done = self.ask("tools", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("raster_info", done.stdout)
        return {line.split()[0] for line in done.stdout.splitlines() if line.strip()}, done.stderr

    def quarantined(self, name, *words):
        """The reason; the other libraries and the core work."""
        self.drop("neighbour")
        self.assertLessEqual({"neighbour", "raster_info"}, self.tools(*words))
        self.assertTrue(self.works("neighbour", {}, *words)["done"])
        return self.reasons(*words)[f"{name}.so"]


class described(Bare):
    def test_its_tool_is_offered_and_works(self):
        file = self.drop("modest")
        about = self.used()["org.example.modest"]
        self.assertEqual((about["path"], about["runtime"], about["tools"]), (str(file), "plain", ["modest"]))
        self.assertTrue(self.works("modest")["done"])

    def test_it_runs_once_and_is_known_by_its_hash_from_then_on(self):
        file = self.drop("modest")
        tools, said = self.starts()
        self.assertEqual((self.runs("modest", said), "modest" in tools), (1, True))
        file.rename(self.shelf / "renamed.so")
        os.utime(self.shelf / "renamed.so", (1, 1))
        tools, said = self.starts()
        self.assertEqual((self.runs("modest", said), "modest" in tools), (0, True))
        shutil.rmtree(self.state)
        self.assertEqual(self.runs("modest", self.starts()[1]), 1)

    def test_another_library_of_the_same_name_is_described_anew(self):
        file = self.drop("modest")
        self.starts()
        file.write_bytes(file.read_bytes() + b"\0")
        tools, said = self.starts()
        self.assertEqual((self.runs("modest", said), "modest" in tools), (1, True))

    def test_a_damaged_memory_is_made_anew(self):
        self.drop("modest")
        self.starts()
        kept, = (self.state / "described").iterdir()
        for damage in ("", "[1]", "{"):
            kept.write_text(damage)
            tools, said = self.starts()
            self.assertEqual((self.runs("modest", said), "modest" in tools), (1, True), damage)

    def test_one_dropped_into_a_running_host_is_offered(self):
        host = self.session()
        self.drop("late", into=self.base).rename(self.shelf / "late.so")
        host.wait_for(lambda: any(n["method"] == "notifications/tools/list_changed" for n in host.notifications), "late.so")
        self.assertTrue(good(host.call("late", {}))["done"])


class confined(Bare):
    def test_what_it_reaches_for_while_it_is_described_stays_as_it_was(self):
        with Loopback() as internet, UnixSocket(str(self.outside / "socket")) as local:
            self.drop("grabber", "reach", internet.port, self.outside / "socket")
            host = self.session()
            left = processes_of_calls(host.process.pid)
            tried = self.definitions()["grabber"]["description"]
        self.assertEqual((internet.count, local.count), (0, 0))
        self.assertFalse(self.canary.exists())
        self.assertEqual(left, [], "it is gone")
        attempts = dict(re.findall(r"([a-z]+\.[a-z]+)=(\d+)", tried))
        self.assertEqual(set(attempts), {f"{when}.{what}" for when in ("constructor", "entry")
                                         for what in ("write", "tcp", "udp", "unix", "fork", "exec")})
        self.assertNotIn("0", attempts.values(), tried)

    def test_the_same_attempts_succeed_where_nothing_confines_them(self):
        """Proves that the claim above can fail."""
        with Loopback() as internet, UnixSocket(str(self.outside / "socket")) as local:
            self.drop("grabber", "reach", internet.port, self.outside / "socket")
            self.run_program("bundles", "--no-sandbox", *self.options(), "--state-dir", self.state)
        self.assertGreaterEqual(internet.count, 2)
        self.assertGreaterEqual(local.count, 1)
        self.assertIn("bare", self.canary.read_text())

    def test_it_writes_neither_beside_itself_nor_into_the_workspace_nor_the_state(self):
        for folder in (self.shelf, pathlib.Path(self.workspace), self.state):
            folder.mkdir(exist_ok=True)
            self.canary = folder / "canary.txt"
            self.drop("grabber", "reach")
            self.assertIn("constructor.write=13", self.definitions()["grabber"]["description"])
            self.assertFalse(self.canary.exists(), folder)


class broken(Bare):
    def test_one_that_crashes_is_quarantined(self):
        for mode in ("crash", "crash_late"):
            with self.subTest(mode):
                self.drop("clumsy", mode)
                self.assertRegex(self.quarantined("clumsy"), r"clumsy\.so, while being described: the tool crashed: Aborted")

    def test_one_that_hangs_does_not_hang_the_start(self):
        """A call may take 600 s; this test fails after 300."""
        self.drop("sleepy", "hang_late")
        self.drop("neighbour")
        host = self.session()
        self.assertEqual(processes_of_calls(host.process.pid), [], "the process that hung is gone")
        self.assertTrue(good(host.call("neighbour", {}))["done"])
        listed = host.request("resources/read", {"uri": "bundles://"})["result"]["contents"][0]["text"]
        self.assertRegex(listed, r"sleepy\.so did not return its manifest within 5 s")

    def test_one_that_hangs_is_not_waited_for_again(self):
        self.drop("sleepy", "hang")
        host = self.session()
        for name in ("one", "two"):
            before = len(host.notifications)
            self.drop(name, into=self.base).rename(self.shelf / f"{name}.so")
            host.wait_for(lambda: any(n["method"] == "notifications/tools/list_changed" for n in host.notifications[before:]),
                          name)
        self.assertTrue(good(host.call("two", {}))["done"])
        self.assertEqual(self.runs("sleepy", host.stderr()), 1, host.stderr())

    def test_one_that_speaks_in_the_workers_place_is_quarantined(self):
        self.drop("liar", "forge")
        self.assertIn("liar.so sent an answer without a manifest", self.quarantined("liar"))

    def test_what_is_no_plugin_is_quarantined_with_what_is_wrong(self):
        (self.shelf / "text.so").write_text("#!/bin/sh\n")
        shutil.copy(shelf.BUILT / "carrier.bundle/lib/libgdal.so.99", self.shelf / "lib.so")
        self.drop("picky", "none")
        self.assertIn("no ELF header", self.quarantined("text"))
        self.assertIn("does not export gdalmcp_plugin_v1", self.quarantined("lib"))
        self.assertIn("cannot serve a host of ABI minor", self.quarantined("picky"))

    def test_a_name_that_is_taken_is_refused(self):
        bundle = self.drop("modest", into=self.base)
        bundle.rename(self.shelf / "a.so")
        shutil.copy(self.shelf / "a.so", self.shelf / "b.so")
        self.assertIn("'org.example.modest' is taken", self.quarantined("b"))


class not_trusted(Bare):
    """Their code is not run at all."""

    def untouched(self, name, *words):
        self.drop(name)
        shutil.rmtree(self.state, ignore_errors=True)
        done = self.ask("bundles", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.runs(name, done.stderr), 0, done.stderr)
        self.assertNotIn(name, self.tools(*words))
        return done.stdout

    def test_under_hashed_and_signed_it_is_listed_with_the_next_step(self):
        shown = self.untouched("modest", "--trust", "hashed")
        self.assertRegex(shown, r"(?s)modest\.so  QUARANTINED.*--trust any.*gdal-mcp-describe")
        keys = self.base / "keys"
        keys.write_text("team RWQf3ihPJ04cfi8S0/f1AgnqvrMbpTgym66ubq+e0yoMph6uGzoexz++\n")
        self.assertRegex(self.untouched("modest", "--trust", "signed", "--trust-keys", keys), "gdal-mcp-describe.*sign")

    def test_the_next_step_works(self):
        self.write("modest", self.drop("modest", into=self.base))
        self.assertEqual(self.reasons("--trust", "hashed"), {})
        self.assertTrue(self.works("modest", {}, "--trust", "hashed")["done"])

    def test_where_others_may_have_changed_it(self):
        file = self.drop("modest")
        for change, back in ((lambda: file.chmod(0o666), lambda: file.chmod(0o644)),
                             (lambda: self.shelf.chmod(0o777), lambda: self.shelf.chmod(0o755))):
            change()
            done = self.ask("bundles")
            self.assertEqual(self.runs("modest", done.stderr), 0)
            self.assertIn("others can write to it", done.stdout)
            back()
        moved = self.base / "elsewhere.so"
        file.rename(moved)
        file.symlink_to(moved)
        done = self.ask("bundles")
        self.assertEqual(self.runs("modest", done.stderr), 0)
        self.assertIn("symbolic link", done.stdout)


if __name__ == "__main__":
    shelf.main()
