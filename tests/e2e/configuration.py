"""docs/configuration.md lists the flags the program has, and each can be given in three ways, the nearest winning."""
import json
import os
import re
import subprocess

import session
from session import Claims, PROGRAM

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
with open(os.path.join(ROOT, "docs/configuration.md"), encoding="utf-8") as page:
    PAGE = page.read()

# flag: (a value that is not the default, what --print-config then says)
VALUES = {"state-dir": ("/tmp/state", "/tmp/state"), "scratch": ("/tmp", "/tmp"), "confirm": ("never", "never"),
          "log-level": ("debug", "debug"), "timeout": ("77", 77), "memory": ("1024", 1024), "file-size": ("77", 77),
          "cache": ("77", 77), "digest-limit": ("77", 77), "parallel": ("7", 7), "trust": ("hashed", "hashed"), "trust-keys": ("/tmp/keys", "/tmp/keys"),
          "prompts": ("/srv/told", "/srv/told"),
          "threads": ("7", 7), "no-sandbox": ("true", True)}


class configuration(Claims):
    def settings(self, *arguments, env=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("GDAL_MCP_")}
        done = subprocess.run([PROGRAM, *arguments, "--print-config"], capture_output=True, text=True, env={**clean, **(env or {})},
                              stdin=subprocess.DEVNULL, timeout=session.HANG)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def file(self, text):
        with open(self.path("settings.ini"), "w") as f:
            f.write(text)
        return self.path("settings.ini")

    def test_the_page_lists_the_flags_of_the_help(self):
        told = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout
        offered = set(re.findall(r"^  (?:-\w,)?--([a-z-]+)", told, re.M)) - {"help", "version", "print-config"}
        self.assertEqual(set(re.findall(r"^\| `--([a-z-]+)", PAGE, re.M)), offered)
        variables = dict(re.findall(r"--([a-z-]+)[^\n]*\(Env:(\w+)\)", told))
        self.assertTrue(variables)
        for flag, variable in variables.items():
            self.assertRegex(PAGE, rf"`--{flag}[^|]*\| `{variable}`")

    def test_each_setting_works_as_flag_as_variable_and_in_the_file(self):
        for flag, (given, seen) in VALUES.items():
            with self.subTest(flag=flag):
                variable = "GDAL_MCP_" + flag.upper().replace("-", "_")
                self.assertEqual(self.settings(f"--{flag}={given}")[flag], seen)
                self.assertEqual(self.settings(env={variable: given})[flag], seen)
                self.assertEqual(self.settings("--config", self.file(f"{flag}={given}\n"))[flag], seen)

    def test_lists_are_separated_by_colons_in_variables(self):
        both = ["/tmp:ro", "/var"]
        self.assertEqual(self.settings("--workspace", both[0], "--workspace", both[1])["workspace"], both)
        self.assertEqual(self.settings(env={"GDAL_MCP_WORKSPACES": "/tmp:ro:/var"})["workspace"], both)
        self.assertEqual(self.settings("--config", self.file('workspace=["/tmp:ro", "/var"]\n'))["workspace"], both)
        folders = ["/tmp", "/var"]
        self.assertEqual(self.settings("--justifications", "/tmp", "--justifications", "/var")["justifications"], folders)
        self.assertEqual(self.settings(env={"GDAL_MCP_JUSTIFICATIONS": "/tmp:/var"})["justifications"], folders)

    def test_words_are_separated_by_colons_in_variables_and_by_commas_on_the_command_line(self):
        self.assertEqual(self.settings("--toolsets", "raster,gdal")["toolsets"], ["raster", "gdal"])
        self.assertEqual(self.settings(env={"GDAL_MCP_TOOLSETS": "raster:gdal"})["toolsets"], ["raster", "gdal"])
        self.assertEqual(self.settings(env={"GDAL_MCP_ALLOW_NETWORK": "org.a:org.b"})["allow-network"], ["org.a", "org.b"])

    def test_the_command_line_wins_over_the_environment_and_that_over_the_file(self):
        file = self.file("timeout=1\n")
        self.assertEqual(self.settings("--config", file)["timeout"], 1)
        self.assertEqual(self.settings("--config", file, env={"GDAL_MCP_TIMEOUT": "2"})["timeout"], 2)
        self.assertEqual(self.settings("--config", file, "--timeout", "3", env={"GDAL_MCP_TIMEOUT": "2"})["timeout"], 3)

    def test_the_file_shown_on_the_page_is_understood(self):
        shown = re.search(r"```ini\n(.*?)```", PAGE, re.S)[1]
        told = self.settings("--config", self.file(shown))
        self.assertEqual((told["workspace"], told["timeout"], told["log-level"]),
                         (["/data/projects:rw", "/data/reference:ro"], 1800, "warning"))

    def test_a_setting_that_cannot_be_is_told_with_the_place_it_was_read_from(self):
        file = self.file("timeout=abc\n")
        for words, env, told in ((("--config", file), {}, f"{file}: --timeout: Value abc"), ((), {"GDAL_MCP_TIMEOUT": "0"}, "GDAL_MCP_TIMEOUT: --timeout: Value 0"),
                                 (("--timeout", "0"), {}, "gdal-mcp: --timeout: Value 0")):
            done = subprocess.run([PROGRAM, *words, "version"], capture_output=True, text=True, env={**os.environ, **env}, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 2)
            self.assertIn(told, done.stderr)
        file = self.file("tiemout=1\n")
        done = subprocess.run([PROGRAM, "--config", file, "version"], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        self.assertIn(f"{file}: there is no setting 'tiemout'; did you mean 'timeout'?", done.stderr)

    def test_a_word_that_is_no_setting_is_a_usage_error(self):
        done = subprocess.run([PROGRAM, "--config", self.file("tiemout=1\n"), "version"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 2)
        self.assertIn("tiemout", done.stderr)


if __name__ == "__main__":
    session.main()
