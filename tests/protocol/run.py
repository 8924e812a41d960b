#!/usr/bin/env python3
"""Plays transcripts against a server program over stdio, a fresh process for each.

    run.py TRANSCRIPT... -- PROGRAM ARGUMENT...

Format: rules.md beside this file. Exit 0 when every exchange went as written and the program left with exit code 0 after
the end of its input, having said nothing else; 1 otherwise, with the place and the difference on stderr.
"""
import json
import queue
import re
import subprocess
import sys
import threading

ANSWER_SECONDS = 60  # for one line of the server; generous, since only a defect makes it matter
EXIT_SECONDS = 30


class Disagreement(Exception):
    pass


def read_transcript(path):
    """[(line number, mark, text)] with mark '>>', '<<' or 'eof'."""
    names, steps = {}, []
    with open(path, encoding="utf-8", newline="\n") as f:
        for number, line in enumerate(f.read().splitlines(), 1):
            def rest(start):
                text = line[start:]
                for name, value in names.items():
                    text = text.replace("$" + name, value)
                return text
            if not line or line.startswith("#"):
                continue
            if line.startswith("let "):
                equals = line.index(" = ")
                names[line[4:equals]] = rest(equals + 3)
            elif line[:2] in (">>", "<<"):
                steps.append((number, line[:2], rest(3)))
            elif line == "!! eof":
                steps.append((number, "eof", ""))
            else:
                raise Disagreement(f"{path}:{number}: no transcript line: {line}")
    return steps


def agrees(expected, got):
    if expected == "…":
        return True
    if isinstance(expected, str):
        pattern = ".*".join(re.escape(part) for part in expected.split("…"))
        return isinstance(got, str) and re.fullmatch(pattern, got, re.DOTALL) is not None
    if isinstance(expected, list):
        if not isinstance(got, list):
            return False
        more = bool(expected) and expected[-1] == "…"
        fixed = expected[:-1] if more else expected
        if len(got) < len(fixed) or (len(got) > len(fixed) and not more):
            return False
        return all(agrees(e, g) for e, g in zip(fixed, got))
    if isinstance(expected, dict):
        if not isinstance(got, dict):
            return False
        names = expected.keys() - {"…"}
        if "…" not in expected and names != got.keys():
            return False
        return all(n in got and agrees(expected[n], got[n]) for n in names)
    return type(expected) is type(got) and expected == got


class Server:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def say(self, text):
        self.process.stdin.write(text.encode() + b"\n")
        self.process.stdin.flush()

    def hear(self):
        try:
            return self.lines.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            raise Disagreement(f"nothing was said for {ANSWER_SECONDS} s") from None

    def end_input(self):
        if not self.process.stdin.closed:
            self.process.stdin.close()

    def leave(self):
        self.end_input()
        line = self.hear()
        if line is not None:
            raise Disagreement(f"the server also said {line.decode(errors='replace')}")
        if (code := self.process.wait(timeout=EXIT_SECONDS)) != 0:
            raise Disagreement(f"exit code {code}, 0 expected")


def compare(expected, line):
    if line is None:
        raise Disagreement("the server closed its output")
    try:
        got = json.loads(line)
    except ValueError as e:
        raise Disagreement(f"no JSON ({e}): {line.decode(errors='replace')}") from None
    if not agrees(json.loads(expected), got):
        raise Disagreement(f"expected {expected}\n     got {line.decode().rstrip()}")


def play(path, command):
    server, number = Server(command), 0
    try:
        for number, mark, text in read_transcript(path):
            if mark == ">>":
                server.say(text)
            elif mark == "<<":
                compare(text, server.hear())
            else:
                server.end_input()
        server.leave()
    except (Disagreement, OSError, subprocess.TimeoutExpired) as e:
        raise Disagreement(f"{path}:{number}: {e}") from None
    finally:
        server.process.kill()
        server.process.wait()


def main(arguments):
    if "--" not in arguments:
        sys.exit(__doc__)
    split = arguments.index("--")
    files, command = arguments[:split], arguments[split + 1:]
    if not files or not command:
        sys.exit(__doc__)
    failures = 0
    for path in files:
        try:
            play(path, command)
        except Disagreement as e:
            failures += 1
            print(e, file=sys.stderr)
    print(f"{len(files) - failures} of {len(files)} transcripts agree")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
