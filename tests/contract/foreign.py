"""sdk/template builds as a foreign project against an installed SDK, and its own test passes.
Usage: foreign.py SOURCE_TREE BUILD_TREE"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

source, build = (pathlib.Path(a).resolve() for a in sys.argv[1:3])


def run(*command, **how):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **how)
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


with tempfile.TemporaryDirectory(prefix="gdalmcp-foreign-") as folder:
    prefix, copy = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "acme")
    # Only what a third party needs: the SDK, and the programs from where they were built.
    run("cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", build / "sdk" / "cmake_install.cmake")
    (prefix / "bin").mkdir()
    for program in ("gdal-mcp", "gdal-mcp-worker", "gdal-mcp-worker-plain", "gdal-mcp-describe"):
        shutil.copy2(build / "bin" / program, prefix / "bin")
    share = prefix / "share" / "gdal-mcp"
    (share / "bundles").mkdir(parents=True)
    for data in ("reflection-specs", "prompts"):
        shutil.copytree(build / "share" / "gdal-mcp" / data, share / data)
    shutil.copytree(source / "sdk" / "template", copy)
    path = f"{prefix / 'bin'}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path}
    run("cmake", "-G", "Ninja", "-S", copy, "-B", copy / "build", f"-DCMAKE_PREFIX_PATH={prefix}", env=environment)
    run("cmake", "--build", copy / "build", env=environment)
    print(run("ctest", "--test-dir", copy / "build", "--output-on-failure", "--no-tests=error", env=environment))
    listed = run(prefix / "bin" / "gdal-mcp", "tools", "--bundles", copy / "build", cwd=copy, env=environment)
    if "acme_height_range" not in listed:
        sys.exit(f"FAILED: acme_height_range is not listed\n{listed}")
