"""Ways to be wrong, each with a trap and a clean twin whose true answers are known in closed form. A trap passes by the true number, or by
a refusal or warning that names the defect; the twin only by the number."""
import json
import math
import re
import sys

import session
from session import Claims, Session, good, problem


class Family:
    """One way to be wrong. make(path) writes the data of a case; ask: tool, arguments; read: the number in the answer; inputs: the arguments
    that name the data, by the name of the first file; silent: the twin's answer must not name the defect."""

    def __init__(self, name, defect, tool, ask, read, trap, twin, tolerance=1e-6, inputs=lambda name: {"uri": name}, silent=False):
        self.name, self.defect, self.tool, self.ask, self.read = name, defect, tool, ask, read
        self.trap, self.twin, self.tolerance = trap, twin, tolerance
        self.inputs = inputs
        self.silent = silent


def case(make, truth, **arguments):
    return make, truth, arguments


class Traps(Claims):
    """Of datasets whose names end in `extension`."""
    extension = ".tif"

    def outcome(self, s, family, of, kind):
        make, truth, more = of
        name = re.sub("[^a-z]+", "-", family.name.lower()) + f"-{kind}{self.extension}"
        make(self.path(name))
        arguments = {**family.ask, **more, **family.inputs(name)}
        answer = s.call(family.tool, arguments)
        asked = answer.get("isError") and problem(answer)["error"] == "requires_epistemic_justification"
        if asked and (kind == "twin" or not re.search(family.defect, json.dumps(problem(answer), ensure_ascii=False), re.I)):
            answer = session.run(s, family.tool, arguments)
        if answer.get("isError"):
            p = problem(answer)
            text = json.dumps(p, ensure_ascii=False)
            return "refused" if re.search(family.defect, text, re.I) else f"refused without the reason: {p['message']}"
        told = good(answer)
        if kind == "twin" and family.silent and re.search(family.defect, " ".join(told["warnings"]), re.I):
            return f"warned without reason: {told['warnings']}"
        value = family.read(told)
        if value == truth or (isinstance(value, (int, float)) and isinstance(truth, float) and math.isclose(value, truth, rel_tol=family.tolerance, abs_tol=1e-9)):
            return "right"
        if re.search(family.defect, " ".join(told["warnings"]), re.I):
            return "warned"
        return f"wrong in silence: {value}, not {truth}"

    def run_all(self, families):
        """Prints a line each, the rate of silent errors (must be 0) and of completed twins (must be 1)."""
        rows, silent, completed = [], 0, 0
        with Session("--toolsets", "all", workspace=self.workspace) as s:
            for family in families:
                trap, twin = self.outcome(s, family, family.trap, "trap"), self.outcome(s, family, family.twin, "twin")
                silent += trap.startswith("wrong") + twin.startswith("wrong")
                completed += twin == "right"
                rows.append((family.name, trap, twin))
        for row in rows:
            print("{:52} trap: {:10} twin: {}".format(*row), file=sys.stderr)
        print(f"silent_error_rate {silent / (2 * len(rows)):.3f}, completion_rate {completed / len(rows):.3f}", file=sys.stderr)
        self.assertEqual([r for r in rows if r[1] not in ("right", "refused", "warned") or r[2] != "right"], [])
