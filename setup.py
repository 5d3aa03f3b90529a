# SPDX-License-Identifier: Apache-2.0
"""Builds the Python package for `pip install .`: CMake compiles its module taper._core."""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

import setuptools
from setuptools.command.build_ext import build_ext

SOURCE = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    """Builds an extension by the CMake target taper_python."""

    def build_extension(self, extension):
        build = pathlib.Path(self.build_temp).resolve()
        module = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        options = {
            "CMAKE_BUILD_TYPE": "Release",
            "Python3_EXECUTABLE": sys.executable,
            "Taper_ENABLE_PYTHON": "ON",
            "Taper_ENABLE_TESTS": "OFF",
            "Taper_ENABLE_PERF": "OFF",
            "Taper_ENABLE_GECODE": "OFF",
        }
        try:
            import pybind11  # of PyPI; CMake finds that of a distribution
        except ImportError:
            pass
        else:
            options["pybind11_DIR"] = pybind11.get_cmake_dir()
        settings = [f"-D{name}={value}" for name, value in options.items()]
        settings += shlex.split(os.environ.get("CMAKE_ARGS", ""))
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
        run("CMake", "cmake", *generator, "-S", SOURCE, "-B", build, *settings)
        run("CMake", "cmake", "--build", build, "--target", "taper_python", "--parallel", jobs)
        place = ["--component", "python", "--prefix", module.parents[1]]
        run("CMake", "cmake", "--install", build, *place)
        load = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
        run("Python, which loads the new module,", sys.executable, "-c", load, module)


def run(name, *command):
    """Runs a command. Ends the build if it fails."""
    if subprocess.run(command).returncode != 0:
        raise SystemExit(f"taper: {name} failed; its message is above")


version = re.search(r"^  VERSION ([0-9.]+)$", (SOURCE / "CMakeLists.txt").read_text(), re.M)
setuptools.setup(
    version=version[1],
    ext_modules=[setuptools.Extension("taper._core", [])],
    cmdclass={"build_ext": CMakeBuild},
)
