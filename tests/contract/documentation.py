"""The documentation and the examples are installed, and every link between pages leads to an installed one.
Usage: documentation.py SOURCE_TREE BUILD_TREE"""
import pathlib
import re
import sys
import tempfile

import installed

source, build = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
NEEDED = ["README.md", "LICENSE", "CHANGELOG.md", *(str(p.relative_to(source)) for folder in ("docs", "sdk/examples")
                                                   for p in (source / folder).rglob("*") if p.is_file())]

with tempfile.TemporaryDirectory(prefix="gdalmcp-documentation-") as prefix:
    installed.run("cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-DCMAKE_INSTALL_COMPONENT=documentation", "-P",
                  build / "cmake_install.cmake")
    pages = pathlib.Path(prefix, "share", "doc", "gdal-mcp")
    missing = [name for name in NEEDED if not (pages / name).is_file()]
    dead = [f"{page.relative_to(pages)}: {link}" for page in sorted(pages.rglob("*.md"))
            for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text())
            if not re.match("[a-z]+:", link) and not (page.parent / link).exists()]
    if missing or dead:
        sys.exit("FAILED: not installed: " + ", ".join(missing) + "; dead links: " + "; ".join(dead))
    print(f"{len(NEEDED)} files")
