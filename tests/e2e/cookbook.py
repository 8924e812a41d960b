"""docs/cookbook.md: its calls run in their order, ask what the page says, and give its numbers and pictures.

    cookbook.py            compares
    cookbook.py --write    writes the numbers and pictures that the program gives into the page
"""
import base64
import json
import os
import re
import sys
import tempfile

import numpy
from osgeo import gdal

import rasters
import reference
import session
from session import Claims, Session, good, problem, problem_text

PAGE = os.path.join(reference.ROOT, "docs/cookbook.md")
PARTS = re.compile(r"^```json\n(?P<call>.*?)\n```$|^```text\n(?P<told>.*?)\n```$|^!\[.*?\]\((?P<picture>.*?)\)$", re.M | re.S)


def member(value, pointer):
    for name in pointer.strip("/").split("/"):
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def shown(value):
    return str(value) if not isinstance(value, float) else f"{value:.0f}" if abs(value) >= 1e6 else f"{value:.6g}"


def pixels(data):
    gdal.FileFromMemBuffer("/vsimem/picture.png", data)
    return gdal.Open("/vsimem/picture.png").ReadAsArray().astype(float)


class walk:
    """Goes through the page and makes its calls; what differs is in `wrong`, the page as it should be in `text`."""

    def __init__(self, text, workspace, pictures):
        self.wrong, self.pictures = [], pictures
        with open(PAGE, encoding="utf-8") as page:
            calls = PARTS.finditer(text or page.read())
            parts = list(calls)
        with Session("--toolsets", "all", workspace=workspace) as self.session:
            self.changes = []
            for i, part in enumerate(parts):
                if part["call"]:
                    following = parts[i + 1]["told"] if i + 1 < len(parts) and parts[i + 1]["told"] else ""
                    self.call(json.loads(part["call"]), following.splitlines())
                elif part["told"]:
                    lines = [self.line(l) for l in part["told"].splitlines()]
                    self.changes.append((part.span("told"), "\n".join(lines)))
                else:
                    self.picture(part["picture"])

    def call(self, call, told):
        asked = [l[2:].split(": ", 1) for l in told if l.startswith("? ")]
        answers = [l[2:] for l in told if l.startswith("! ")]
        result = self.session.call(call["name"], call["arguments"])
        questions = []
        if result.get("isError") and problem(result)["error"] == "requires_epistemic_justification":
            bounce = problem(result)
            questions = [[m["domain"], m["question"]] for m in bounce["missing"]]
            session.follow(self.session, bounce, said=" ".join(answers) or "no answer in the page")
            result = self.session.call(call["name"], call["arguments"])
        if questions != asked:
            self.wrong.append(f"{call['name']} asks {questions}, not {asked}")
        if result.get("isError"):
            self.wrong.append(f"{call}: {problem_text(result)}")
        self.result = result

    def line(self, line):
        if not line.startswith("/"):
            return line
        pointer, expected = re.fullmatch(r"(/\S+) = (.*)", line).groups()
        found = shown(member(good(self.result), pointer))
        if found != expected:
            self.wrong.append(f"{pointer} is {found}, not {expected}")
        return f"{pointer} = {found}"

    def picture(self, name):
        good(self.result)
        image, = (base64.b64decode(c["data"]) for c in self.result["content"] if c["type"] == "image")
        path = os.path.join(os.path.dirname(PAGE), name)
        if self.pictures:
            with open(path, "wb") as file:
                file.write(image)
            return
        with open(path, "rb") as file:
            kept, drawn = pixels(file.read()), pixels(image)
        if kept.shape != drawn.shape or numpy.abs(kept - drawn).mean() > 4:  # of 255: other versions of the fonts
            self.wrong.append(f"{name} is drawn otherwise: {drawn.shape}, not {kept.shape}")


class the_cookbook(Claims):
    def test_its_calls_give_what_it_says(self):
        reference.prepared(self.workspace)
        self.assertEqual(walk(None, self.workspace, pictures=False).wrong, [])

    def test_it_has_ten_tasks_each_with_calls_a_number_and_a_picture(self):
        with open(PAGE, encoding="utf-8") as page:
            tasks = re.split(r"^## \d+\. ", page.read(), flags=re.M)[1:]
        self.assertEqual(len(tasks), 10)
        for task in tasks:
            self.assertTrue("```json" in task and re.search(r"^/\S+ = [\d.]+$", task, re.M) and "![" in task, task)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(rasters.DEMO_DATA, "elev.tif")):
        print("SKIPPED cookbook: the demo's data is not there (packaging/deps --demo)")
        sys.exit(session.SKIPPED)
    if "--write" in sys.argv:
        with open(PAGE, encoding="utf-8") as page:
            text = page.read()
        with tempfile.TemporaryDirectory() as folder:
            reference.prepared(folder)
            done = walk(text, os.path.realpath(folder), pictures=True)
        for (start, end), new in reversed(done.changes):
            text = text[:start] + new + text[end:]
        with open(PAGE, "w", encoding="utf-8") as page:
            page.write(text)
        sys.exit("\n".join(w for w in done.wrong))
    session.main()
