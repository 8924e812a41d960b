"""Signatures and keys of Debian's minisign against ours, both ways. Usage: minisign.py <sign_and_verify>"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

OURS = sys.argv.pop(1) if len(sys.argv) > 1 else sys.exit(__doc__)
SKIPPED = 77
PASSWORD = "correct horse"


def run(*words, said=""):
    return subprocess.run([str(w) for w in words], input=said, text=True, capture_output=True)


class both_ways(unittest.TestCase):
    """Each claim for one kind of secret key: without a password, and with one (scrypt)."""
    options, answers, password = ("-W",), "", ""

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="minisign-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.make_key("key")
        cls.message = cls.folder / "message.bin"
        cls.message.write_bytes(bytes(range(256)) * 5000 + b"\r\n")

    @classmethod
    def make_key(cls, name):
        made = run("minisign", "-G", *cls.options, "-p", cls.folder / f"{name}.pub", "-s", cls.folder / f"{name}.key",
                   said=cls.answers)
        assert made.returncode == 0, made.stderr

    def theirs(self, *options, comment="made by the program"):
        signature = self.folder / "theirs.minisig"
        made = run("minisign", "-S", *options, "-s", self.folder / "key.key", "-m", self.message, "-x", signature, "-t",
                   comment, said=self.answers)
        self.assertEqual(made.returncode, 0, made.stderr)
        return signature

    def ours(self, comment, password=None):
        return run(OURS, "sign", self.folder / "key.key", self.message, comment,
                   said=(self.password if password is None else password) + "\n")

    def verified_by_us(self, signature, key="key.pub"):
        return run(OURS, "verify", self.folder / key, self.message, signature)

    def test_what_the_program_signs_verifies_here(self):
        for options in ((), ("-l",)):
            with self.subTest(options=options):
                seen = self.verified_by_us(self.theirs(*options, comment="größer als nichts"))
                self.assertEqual((seen.returncode, seen.stdout), (0, "größer als nichts"), seen.stderr)

    def test_what_is_signed_here_verifies_by_the_program(self):
        made = self.ours("version 1.2.0")
        self.assertEqual(made.returncode, 0, made.stderr)
        signature = self.folder / "ours.minisig"
        signature.write_text(made.stdout)
        seen = run("minisign", "-V", "-Q", "-p", self.folder / "key.pub", "-m", self.message, "-x", signature)
        self.assertEqual((seen.returncode, seen.stdout), (0, "version 1.2.0\n"), seen.stderr)

    def test_both_refuse_changed_bytes_and_comments(self):
        signature = self.theirs()
        text = signature.read_text()
        for changed in (text.replace("made by", "faked by"), text.replace("\nRU", "\nRW")):
            signature.write_text(changed)
            self.assertNotEqual(run("minisign", "-V", "-p", self.folder / "key.pub", "-m", self.message, "-x",
                                    signature).returncode, 0)
            self.assertEqual(self.verified_by_us(signature).returncode, 1)

    def test_the_reason_names_both_keys_as_the_program_shows_them(self):
        self.make_key("other")
        seen = self.verified_by_us(self.theirs(), "other.pub")
        self.assertEqual(seen.returncode, 1)
        for name in ("key.pub", "other.pub"):
            self.assertIn((self.folder / name).read_text().split()[5], seen.stderr)


class with_password(both_ways):
    options, answers, password = (), f"{PASSWORD}\n{PASSWORD}\n", PASSWORD

    def test_a_wrong_password_signs_nothing(self):
        made = self.ours("version 1.2.0", password="wrong horse")
        self.assertEqual((made.returncode, made.stdout), (1, ""))
        self.assertIn("password", made.stderr)


if __name__ == "__main__":
    if not shutil.which("minisign"):
        print("SKIPPED: minisign is not installed")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
