"""An installation as a third party has it: the SDK, the programs and the core's bundles, specs and prompts, and no source tree."""
import os
import pathlib
import shutil
import subprocess
import sys

WARNINGS = "-Wall -Wextra -Wpedantic -Wconversion"


def run(*command, **how):
    """Runs a command and returns its output. The test ends if it fails."""
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, **how)
    if done.returncode:
        sys.exit(f"FAILED: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def install(build, prefix):
    """Fills `prefix` from a build tree; the environment in which its programs are found first."""
    build, prefix = pathlib.Path(build).resolve(), pathlib.Path(prefix)
    run("cmake", f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", build / "sdk" / "cmake_install.cmake")
    (prefix / "bin").mkdir()
    for program in ("gdal-mcp", "gdal-mcp-worker", "gdal-mcp-worker-plain", "gdal-mcp-describe"):
        shutil.copy2(build / "bin" / program, prefix / "bin")
    for data in ("bundles", "reflection-specs", "prompts"):
        shutil.copytree(build / "share" / "gdal-mcp" / data, prefix / "share" / "gdal-mcp" / data)
    return {**os.environ, "PATH": f"{prefix / 'bin'}:{os.environ['PATH']}", "GDAL_MCP_BUNDLES": ""}


def build_and_test(project, prefix, environment):
    """Builds a foreign project against the installation, runs its own tests and returns their output."""
    run("cmake", "-G", "Ninja", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON", f"-DCMAKE_C_FLAGS={WARNINGS}", f"-DCMAKE_CXX_FLAGS={WARNINGS}", env=environment)
    run("cmake", "--build", project / "build", env=environment)
    tests = ["ctest", "--test-dir", project / "build", "--output-on-failure", "--no-tests=error"]
    return run(*tests, env=environment) + run(*tests, env=environment)  # twice: they leave nothing that changes them
