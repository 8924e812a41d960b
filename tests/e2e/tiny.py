"""Bundles made of the test bundle `tiny` under other names and versions: both are overwritten, at the same length, in the
library and in its manifest, so that each is a library of its own and nothing is compiled."""
import ctypes
import hashlib
import json
import os
import pathlib

TEMPLATE = pathlib.Path(os.environ.get("GDAL_MCP_TEST_BUNDLES", "/nowhere"), "tiny.bundle")

PROMPT = """---
name: justify_{name}
title: A choice of version {version}
description: Asks.
arguments: []
---
Why, in version {version}?
"""
SPEC = """domain: {name}
title: a choice
prompt: justify_{name}
risk: low
question: Why this one?
key: {{method: text}}
choice: method
tools:
  {name}: {{method: [/method]}}
policy: {{missing: {missing}, stale: warn, revisit: warn, min_confidence: low, max_age_days: null}}
"""


def name_of(number):
    return f"tiny_{number:03}"


def version_of(version):
    assert version <= 9999, "a longer version would not fit where the template's stands"
    return f"0.0.{version:04}"


def files(number=0, version=1, governed=None, template=None):
    """The files of such a bundle, path -> bytes, the manifest last. Governed: with a prompt and a spec of its own, which says
    what a call without a reason gets, "block" or "warn"."""
    name, said = name_of(number), version_of(version)

    def renamed(contents):
        return contents.replace(b"tiny_000", name.encode()).replace(b"0.0.0000", said.encode())

    template = template or TEMPLATE
    inside = {"lib/tiny.so": renamed((template / "lib/tiny.so").read_bytes())}
    manifest = json.loads(renamed((template / "manifest.json").read_bytes()))
    if governed:
        inside[f"prompts/{name}.md"] = PROMPT.format(name=name, version=said).encode()
        inside[f"reflection/{name}.yaml"] = SPEC.format(name=name, missing=governed).encode()
        manifest.update(prompts=[f"prompts/{name}.md"], reflection=[f"reflection/{name}.yaml"])
    manifest["files"] = {file: "sha256:" + hashlib.sha256(contents).hexdigest() for file, contents in inside.items()}
    return {**inside, "manifest.json": json.dumps(manifest).encode()}


def write(folder, number=0, version=1, governed=None, template=None):
    """The bundle in `folder`, file by file."""
    for file, contents in files(number, version, governed, template).items():
        write_file(pathlib.Path(folder, file), contents)
    return pathlib.Path(folder)


def write_file(path, contents):
    """A file that only we may write, as required of bundles."""
    for folder in reversed(path.parents):
        if not folder.exists():
            folder.mkdir(mode=0o755)
    path.write_bytes(contents)
    path.chmod(0o644)


libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, RENAME_EXCHANGE = -100, 2


def exchange(one, other):
    """Exchanges two paths atomically: renameat2(2)."""
    if libc.renameat2(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) != 0:
        raise OSError(ctypes.get_errno(), f"cannot exchange {one} and {other}")
