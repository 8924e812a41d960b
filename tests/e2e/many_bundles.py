"""A hundred bundles in one folder: all are offered, and a library is opened at the first call of its tool, not before."""
import os
import pathlib
import sys

import session
import tiny
from session import Claims, Session, good

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "sandbox"))
from witnesses import FileWatch  # noqa: E402

COUNT = 100


class many_bundles(Claims):
    def setUp(self):
        super().setUp()
        self.directory = pathlib.Path(self.workspace).parent / "bundles"
        for n in range(COUNT):
            tiny.write(self.directory / f"{tiny.name_of(n)}.bundle", n, governed="block" if n % 2 else None)
        self.watches = {tiny.name_of(n): FileWatch(self.directory / f"{tiny.name_of(n)}.bundle/lib") for n in range(COUNT)}
        for w in self.watches.values():
            self.addCleanup(w.close)

    def opened(self):
        """The bundles whose library was opened, read or written since the last call of this function."""
        return {name for name, watch in self.watches.items() if watch.names()}

    def test_the_watches_see_a_library_that_is_opened(self):
        os.close(os.open(self.directory / "tiny_042.bundle/lib/tiny.so", os.O_RDONLY))
        self.assertEqual(self.opened(), {"tiny_042"})

    def test_all_are_offered_and_no_library_is_opened_before_its_first_call(self):
        with Session("--bundles", str(self.directory), workspace=self.workspace) as s:
            offered = {t["name"] for t in everything(s, "tools")}
            self.assertLessEqual(set(self.watches), offered)
            asked = {p["name"] for p in everything(s, "prompts")}
            self.assertLessEqual({f"justify_{tiny.name_of(n)}" for n in range(1, COUNT, 2)}, asked)
            s.request("resources/read", {"uri": "bundles://"})
            good(s.call("preflight", {"tool": "tiny_001", "arguments": {"method": "one"}}))
            self.assertEqual(self.opened(), set())
            for number in (0, 98, 42):
                self.assertEqual(good(s.call(tiny.name_of(number), {}))["version"], "0.0.0001")
                self.assertEqual(self.opened(), {tiny.name_of(number)})


def everything(s, what):
    """All pages of a list."""
    found, cursor = [], None
    while True:
        page = s.request(f"{what}/list", {"cursor": cursor} if cursor else {})["result"]
        found += page[what]
        cursor = page.get("nextCursor")
        if not cursor:
            return found


if __name__ == "__main__":
    session.main()
