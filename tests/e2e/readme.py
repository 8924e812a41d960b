"""README.md is true: its commands run, its JSON parses, its list of tools is the program's."""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys

import rasters
import session
from session import Claims, PROGRAM, Session, good, problem, problem_text

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as page:
    README = page.read()


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


class readme(Claims):
    def setUp(self):
        super().setUp()
        for name in os.listdir(rasters.DEMO_DATA):
            shutil.copy(os.path.join(rasters.DEMO_DATA, name), self.workspace)

    def test_its_commands_run(self):
        commands = [line for block in blocks("sh") for line in block.splitlines() if "bin/gdal-mcp" in line]
        self.assertTrue(commands)
        for line in commands:
            with self.subTest(command=line):
                words = shlex.split(line)
                self.assertEqual(words[0], "build/release/bin/gdal-mcp")
                done = subprocess.run([PROGRAM, *words[1:]], cwd=self.workspace, capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, timeout=session.HANG)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_its_session_happens_as_it_is_told(self):
        told = blocks("text")[0].splitlines()
        with Session(workspace=self.workspace) as s:
            for asked, answered in zip(told[::2], told[1::2]):
                with self.subTest(asked):
                    _, tool, arguments = asked.split(" ", 2)
                    arguments = json.loads(arguments.replace("{…}", "{}"))
                    reasoned = arguments.pop("justification", None)
                    result = s.call(tool, arguments)
                    if reasoned:
                        bounce = problem(result)
                        self.assertEqual({m["domain"] for m in bounce["missing"]}, set(reasoned))
                        session.follow(s, bounce)
                        result = s.call(tool, arguments)
                    if arguments["output"] in answered:
                        self.assertEqual(os.path.basename(good(result)["output"]["path"]), arguments["output"])
                    else:
                        self.assertIn(answered.removeprefix("← "), problem_text(result))

    def test_its_configuration_has_the_shape_clients_read(self):
        configuration = json.loads(blocks("json")[0])["mcpServers"]["gdal-mcp"]
        self.assertEqual(set(configuration), {"command", "args"})
        self.assertEqual(configuration["args"][:2], ["serve", "--workspace"])

    def test_its_scripts_exist(self):
        for name in re.findall(r"packaging/\w+", README):
            self.assertTrue(os.access(os.path.join(ROOT, name), os.X_OK), name)

    def test_its_tools_are_those_of_the_program(self):
        table = README[README.index("## Tools"):README.index("Without `output`, a tool keeps")]
        named, off = set(), {}
        for row in table.splitlines():
            tools = set(re.findall(r"`([a-z0-9_]+)`", row))
            if "(off by default)" in row:
                off[row.strip("| ").split()[0]] = tools
            else:
                named |= tools
        with Session(workspace=self.workspace) as s:
            offered = {t["name"] for t in s.request("tools/list")["result"]["tools"]}
            others = good(s.call("toolsets", {"action": "list"}))["toolsets"]
        self.assertEqual(named, offered)
        self.assertEqual(off, {t["name"]: set(t["tools"]) for t in others if t["name"] in off})


class operations(Claims):
    def test_each_tool_of_the_table_exists_and_is_marked_where_it_is_off(self):
        with open(os.path.join(ROOT, "docs/operations.md"), encoding="utf-8") as page:
            rows = re.findall(r"^\| (\d+) \| (.+) \| (.+) \|$", page.read(), re.M)
        self.assertEqual([int(number) for number, _, _ in rows], list(range(1, 53)))
        with Session(workspace=self.workspace) as s:
            on = {t["name"] for t in s.request("tools/list")["result"]["tools"]}
            known = {n for t in good(s.call("toolsets", {"action": "list"}))["toolsets"] for n in t["tools"]} | on
        for number, _, tools in rows:
            named = re.findall(r"`([a-z0-9_]+)`(°?)", tools)
            self.assertEqual(not named, tools == "*not here*", number)
            for name, off in named:
                self.assertIn(name, known, number)
                self.assertEqual(off == "", name in on, name)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(rasters.DEMO_DATA, "nc.gpkg")):
        print("SKIPPED readme: the demo's data is not there (packaging/deps --demo)")
        sys.exit(session.SKIPPED)
    session.main()
