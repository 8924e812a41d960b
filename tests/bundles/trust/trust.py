"""An operator's trust: signatures, hashes, modes of files; changed files are refused with the reason."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import shelf
from shelf import Shelf, edit, prompt, spec

PASSWORD = "correct horse"
HILL = "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 10\n1 2\n3 4\n"


def minisign(*words, said=""):
    done = subprocess.run(["minisign", *map(str, words)], input=said, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


class Signed(Shelf):
    """A bundle with a library, a prompt and a spec; keys of Debian's minisign."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("minisign"):
            raise unittest.SkipTest("minisign is not installed")
        holder = tempfile.TemporaryDirectory(prefix="gdal-mcp-keys-")
        cls.addClassCleanup(holder.cleanup)
        cls.keys = pathlib.Path(holder.name)
        for name in ("team", "stranger"):
            minisign("-G", "-W", "-p", cls.keys / f"{name}.pub", "-s", cls.keys / f"{name}.key")

    def setUp(self):
        super().setUp()
        self.bundle = self.write("acme", shelf.NOOP, {"why": prompt("justify_acme_why")},
                                 {"why": spec("acme_why", {"noop": "/x"}, missing="warn")})
        self.trusted = self.base / "keys"
        self.trust("team")
        self.signed = ("--trust", "signed", "--trust-keys", self.trusted)

    def public(self, name):
        return (self.keys / f"{name}.pub").read_text().splitlines()

    def trust(self, *names):
        self.trusted.write_text("# whom we trust\n\n" + "".join(f"{n} {self.public(n)[1]}\n" for n in names))

    def sign(self, name="team", comment="made for a test"):
        minisign("-S", "-s", self.keys / f"{name}.key", "-m", self.bundle / "manifest.json", "-t", comment)

    def refused(self, *words):
        """The reason why the bundle is not used; checks that everything else works."""
        tools = self.tools(*words)
        self.assertNotIn("noop", tools)
        self.assertIn("raster_info", tools)
        return self.reasons(*words)["acme.bundle"]


class signatures(Signed):
    def test_a_bundle_that_minisign_signed_is_used_and_says_by_whom(self):
        self.trust("stranger", "team")
        self.sign()
        self.assertEqual(self.used(*self.signed)["org.gdal-mcp.test.noop"]["signed_by"], "team")
        self.assertEqual(self.works("noop", {}, *self.signed)["done"], True)
        self.assertIn("signed by 'team'", self.ask("bundles", *self.signed).stdout)

    def test_what_bundle_sign_signs_is_trusted_here_and_by_minisign(self):
        made = self.run_program("bundle", "sign", self.bundle, "--key", self.keys / "team.key", "--comment", "for Ås")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.used(*self.signed)["org.gdal-mcp.test.noop"]["signed_by"], "team")
        seen = minisign("-V", "-p", self.keys / "team.pub", "-m", self.bundle / "manifest.json")
        self.assertIn("for Ås", seen.stdout)

    def test_what_is_not_signed_is_refused_with_the_next_step(self):
        self.assertRegex(self.refused(*self.signed), "not signed.*bundle sign")

    def test_a_key_nobody_trusts_is_named(self):
        self.sign("stranger")
        reason = self.refused(*self.signed)
        self.assertIn(self.public("stranger")[0].split()[-1], reason)
        self.assertIn("--trust-keys", reason)

    def test_changed_and_signed_again_by_somebody_else_is_refused(self):
        self.sign()
        edit(self.bundle / "manifest.json", lambda m: m.update(version="6.6.6"))
        self.sign("stranger")
        self.assertIn("not by one of the 1 trusted keys", self.refused(*self.signed))

    def change(self, file, old, new):
        path = self.bundle / file
        content = path.read_bytes()
        self.assertIn(old, content)
        path.write_bytes(content.replace(old, new, 1))

    def test_a_changed_manifest_prompt_spec_or_signature_is_refused_by_what_was_changed(self):
        changes = [("manifest.json", b'"1.0.0"', b'"1.0.1"', "its content is not what"),
                   ("manifest.json", b'"network":false', b'"network": false', "its content is not what"),
                   ("prompts/why.md", b"Why?", b"Why not?", "'prompts/why.md' has SHA-256"),
                   ("reflection/why.yaml", b"missing: warn", b"missing: block", "'reflection/why.yaml' has SHA-256"),
                   ("manifest.json.minisig", b"made for a test", b"made for a king", "trusted comment is not what"),
                   ("manifest.json.minisig", b"trusted comment", b"trusting comment", "not in minisign format")]
        for file, old, new, reason in changes:
            with self.subTest(file=file, new=new):
                self.sign()
                self.assertIn("org.gdal-mcp.test.noop", self.used(*self.signed))
                before = (self.bundle / file).read_bytes()
                self.change(file, old, new)
                self.assertIn(reason, self.refused(*self.signed))
                (self.bundle / file).write_bytes(before)

    def test_a_signature_with_other_bytes_is_refused(self):
        self.sign()
        lines = (self.bundle / "manifest.json.minisig").read_text().splitlines()
        self.sign(comment="of another time")
        other = (self.bundle / "manifest.json.minisig").read_text().splitlines()
        edit(self.bundle / "manifest.json", lambda m: m.update(version="1.0.1"))
        self.sign()
        newer = (self.bundle / "manifest.json.minisig").read_text().splitlines()
        for mixed, reason in (([*lines[:3], other[3]], "content is not what"), ([*newer[:3], other[3]], "trusted comment"),
                              ([newer[0], lines[1], *newer[2:]], "content is not what")):
            (self.bundle / "manifest.json.minisig").write_text("\n".join(mixed) + "\n")
            self.assertIn(reason, self.refused(*self.signed))

    def test_a_bad_signature_of_a_known_key_is_refused_whatever_is_asked_for(self):
        self.sign()
        self.change("manifest.json", b'"1.0.0"', b'"1.0.1"')
        self.assertIn("the signature by 'team'", self.refused("--trust", "any", "--trust-keys", self.trusted))

    def test_what_came_with_the_program_needs_no_signature(self):
        self.sign()
        self.assertEqual(set(self.reasons(*self.signed)), set())
        pathlib.Path(self.path("hill.asc")).write_text(HILL)
        self.assertEqual(self.works("raster_info", {"uri": "hill.asc"}, *self.signed)["width"], 2)

    def test_its_place_is_what_is_trusted_not_its_name(self):
        shutil.copytree(shelf.INSTALLED / "raster.bundle", self.shelf / "raster.bundle")
        reasons = self.reasons(*self.signed)
        self.assertIn("not signed", reasons["raster.bundle"])
        self.assertEqual(pathlib.Path(self.used(*self.signed)["org.gdal-mcp.raster"]["path"]).parent, shelf.INSTALLED)

    def test_signed_without_a_key_is_a_usage_error(self):
        done = self.ask("tools", "--trust", "signed")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--trust-keys FILE", done.stderr)
        self.assertEqual(self.ask("tools", "--trust", "blindly").returncode, 2)


class hashes(Signed):
    def test_a_changed_library_is_refused_at_its_call_at_every_level(self):
        self.sign()
        for level in ("signed", "hashed", "any"):
            words = ("--trust", level, "--trust-keys", self.trusted)
            with self.subTest(level):
                library = self.bundle / "lib/noop.so"
                before = library.read_bytes()
                self.works("noop", {}, *words)
                library.write_bytes(before + b"\0")
                p = self.fails("noop", {}, *words)
                self.assertEqual(p["error"], "quarantined")
                self.assertRegex(p["message"], r"lib/noop\.so has sha256:.* its manifest has sha256:")
                verified = self.ask("bundles", "--verify", *words)
                self.assertEqual(verified.returncode, 3)
                self.assertIn("lib/noop.so has SHA-256", verified.stdout)
                library.write_bytes(before)

    def test_a_library_that_changes_under_a_running_host_is_refused_from_then_on(self):
        self.sign()
        s = self.session(*self.signed)
        self.assertTrue(shelf.session.good(s.call("noop", {}))["done"])
        library = self.bundle / "lib/noop.so"
        before = library.read_bytes()
        fresh = library.with_suffix(".new")
        fresh.write_bytes(before + b"\0")
        fresh.rename(library)
        self.assertEqual(shelf.session.problem(s.call("noop", {}))["error"], "quarantined")
        s.wait_for(lambda: "notifications/tools/list_changed" in [n["method"] for n in s.notifications], "that it is gone")
        self.assertNotIn("noop", [t["name"] for t in s.request("tools/list")["result"]["tools"]])

    def test_an_unsigned_bundle_is_used_when_hashes_are_what_is_asked_for(self):
        self.works("noop", {}, "--trust", "hashed")

    def test_a_changed_prompt_or_spec_is_refused_at_every_level(self):
        for level in ("hashed", "any"):
            for file in ("prompts/why.md", "reflection/why.yaml"):
                with self.subTest(level=level, file=file):
                    path = self.bundle / file
                    before = path.read_bytes()
                    path.write_bytes(before + b"\n")
                    self.assertIn(f"'{file}' has SHA-256", self.refused("--trust", level))
                    path.write_bytes(before)


class keys_file(Signed):
    def refusal(self):
        done = self.ask("tools", *self.signed)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_one_that_others_may_write_is_refused(self):
        for mode in (0o664, 0o646):
            self.trusted.chmod(mode)
            self.assertRegex(self.refusal(), "keys can be written by others\n.*chmod go-w")

    def test_a_line_that_is_no_name_and_key_is_named(self):
        key = self.public("team")[1]
        for line, reason in (("team", "line 2"), (f"team {key} {key}", "more than a name and a key"),
                             (key, "line 2"), (f"team {key[:-4]}", "line 2"), (f"team {key[:10]}", "line 2"),
                             (f"team {self.public('team')[0]}", "line 2")):
            with self.subTest(line):
                self.trusted.write_text(f"# keys\n{line}\n")
                refusal = self.refusal()
                self.assertIn("line 2", refusal)
                self.assertIn(reason, refusal)

    def test_one_that_is_not_there_is_an_error(self):
        self.trusted.unlink()
        self.assertIn(str(self.trusted), self.refusal())

    def test_the_environment_can_name_it(self):
        self.sign()
        env = {"GDAL_MCP_TRUST": "signed", "GDAL_MCP_TRUST_KEYS": str(self.trusted)}
        seen = self.ask("bundles", env=env)
        self.assertIn("signed by 'team'", seen.stdout)


class modes(Shelf):
    def test_files_and_folders_that_others_may_write_are_refused(self):
        bundle = self.place("carrier")
        (bundle / "prompts").mkdir()
        (bundle / "reflection").mkdir()
        (bundle / "prompts/why.md").write_text(prompt("justify_why"))
        (bundle / "reflection/why.yaml").write_text(spec("why", {"own_gdal_version": "{value: always}"}))
        self.assertEqual(shelf.describe(bundle).returncode, 0)
        self.assertEqual(self.reasons(), {})
        for file in (".", "manifest.json", "lib", "lib/carrier.so", "lib/libgdal.so.99", "prompts", "prompts/why.md",
                     "reflection", "reflection/why.yaml"):
            before = (bundle / file).stat().st_mode & 0o777
            for bit in (0o020, 0o002):
                with self.subTest(file, bit=bit):
                    (bundle / file).chmod(before | bit)
                    self.assertIn("others can write to it; chmod go-w it", self.reasons().get("carrier.bundle", "used"))
            (bundle / file).chmod(before)
        self.assertEqual(self.reasons(), {})

    def test_a_search_directory_that_others_may_write_is_refused_but_for_a_sticky_one(self):
        self.place("rare")
        for mode in (0o775, 0o757):
            self.shelf.chmod(mode)
            self.assertRegex(self.reasons()["rare.bundle"], f"shelf has mode 0{mode:o}: others can write to it")
        self.shelf.chmod(0o1777)
        self.assertEqual(self.reasons(), {})

    def test_files_outside_the_bundle_and_links_are_refused(self):
        bundle = self.place("carrier")
        carried = bundle / "lib/libgdal.so.99"
        carried.rename(self.base / "elsewhere.so")
        carried.symlink_to(self.base / "elsewhere.so")
        self.assertIn("symbolic link", self.reasons()["carrier.bundle"])
        carried.unlink()
        self.assertIn("'lib/libgdal.so.99' cannot be used", self.reasons()["carrier.bundle"])


class bundle_verify(Signed):
    def verify(self, *words):
        return self.run_program("bundle", "verify", *words)

    def test_exit_codes(self):
        keys = ("--trust-keys", self.trusted)
        self.assertEqual(self.verify(self.bundle).returncode, 0)
        self.assertEqual(self.verify(self.bundle, *keys).returncode, 3)  # not signed
        self.sign("stranger")
        self.assertEqual(self.verify(self.bundle, *keys).returncode, 3)
        self.sign()
        done = self.verify(self.bundle, *keys)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("signed by 'team'", done.stdout)
        self.assertEqual(self.verify().returncode, 2)
        self.assertEqual(self.verify(self.base / "nowhere").returncode, 3)
        self.trusted.write_text("broken\n")
        self.assertEqual(self.verify(self.bundle, *keys).returncode, 3)

    def test_every_file_is_hashed_and_the_first_that_differs_is_named(self):
        for file in ("lib/noop.so", "prompts/why.md", "reflection/why.yaml"):
            path = self.bundle / file
            before = path.read_bytes()
            path.write_bytes(before + b"\n")
            done = self.verify(self.bundle)
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn(file, done.stderr)
            path.write_bytes(before)
        self.assertEqual(self.verify(self.bundle).returncode, 0)


class bundle_sign(Signed):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        minisign("-G", "-p", cls.keys / "locked.pub", "-s", cls.keys / "locked.key", said=f"{PASSWORD}\n{PASSWORD}\n")

    def sign_locked(self, password):
        return self.run_program("bundle", "sign", self.bundle, "--key", self.keys / "locked.key", said=password + "\n")

    def test_the_password_is_a_line_on_stdin_and_a_wrong_one_leaves_everything_as_it_was(self):
        signature = self.bundle / "manifest.json.minisig"
        wrong = self.sign_locked("wrong horse")
        self.assertEqual((wrong.returncode, wrong.stdout), (3, ""))
        self.assertIn("password", wrong.stderr)
        self.assertFalse(signature.exists())
        right = self.sign_locked(PASSWORD)
        self.assertEqual(right.returncode, 0, right.stderr)
        self.assertNotIn(PASSWORD, right.stdout + right.stderr)
        self.assertIn("org.gdal-mcp.test.noop 1.0.0", signature.read_text())
        self.trust("locked")
        self.assertEqual(self.used(*self.signed)["org.gdal-mcp.test.noop"]["signed_by"], "locked")

    def test_what_would_be_refused_is_not_signed(self):
        (self.bundle / "lib/noop.so").write_bytes(b"something else")
        done = self.run_program("bundle", "sign", self.bundle, "--key", self.keys / "team.key")
        self.assertEqual(done.returncode, 3)
        self.assertIn("lib/noop.so", done.stderr)
        self.assertFalse((self.bundle / "manifest.json.minisig").exists())

    def test_a_file_that_is_no_secret_key_is_refused(self):
        for file in (self.keys / "team.pub", self.base / "nowhere"):
            done = self.run_program("bundle", "sign", self.bundle, "--key", file)
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertFalse((self.bundle / "manifest.json.minisig").exists())


if __name__ == "__main__":
    shelf.main()
