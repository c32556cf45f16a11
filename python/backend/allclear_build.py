"""Builds wheels of allclear with CMake: a PEP 517 backend of the project's own.

Debian has no scikit-build-core for every release that this project supports, and what is needed is
little: configure, build one target, install one component, and put the files into a wheel.

    pip install --no-build-isolation .
    pip install --no-build-isolation --config-settings=build-dir=build/release .

With `build-dir` the files of an existing build are taken, and nothing is compiled.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAME = "allclear"


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into the folder and returns its file name."""
    build = built(config_settings or {})
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    tag = f"{tag}-{tag}-{platform}"
    info = f"{NAME}-{version()}.dist-info"
    with tempfile.TemporaryDirectory() as prefix:
        run("cmake", "--install", str(build), "--component", "python", "--prefix", prefix)
        package = next(Path(prefix).rglob(f"{NAME}/__init__.py")).parent
        files = {f"{NAME}/{p.relative_to(package).as_posix()}": p.read_bytes()
                 for p in sorted(package.rglob("*")) if p.is_file()}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = (f"Wheel-Version: 1.0\nGenerator: allclear_build\n"
                              f"Root-Is-Purelib: false\nTag: {tag}\n").encode()
    files[f"{info}/RECORD"] = record(files, f"{info}/RECORD").encode()
    name = f"{NAME}-{version()}-{tag}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # a fixed date: the same files give the same wheel
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("allclear is installed from its source tree: no source archives")


def built(config_settings):
    """A build folder that has the compiled module for this Python."""
    if config_settings.get("build-dir"):
        return ROOT / config_settings["build-dir"]
    build = ROOT / "build" / f"python-{sys.version_info[0]}.{sys.version_info[1]}"
    run("cmake", "-S", str(ROOT), "-B", str(build), "-DCMAKE_BUILD_TYPE=Release",
        "-DALLCLEAR_WITH_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}",
        "-DALLCLEAR_BUILD_TESTS=OFF", "-DALLCLEAR_BUILD_EXAMPLES=OFF")
    run("cmake", "--build", str(build), "--target", "allclear_python", "-j",
        str(os.cpu_count() or 1))
    return build


def run(*command):
    subprocess.run(command, check=True)


def version():
    text = (ROOT / "CMakeLists.txt").read_text()
    return re.search(r"project\(allclear VERSION ([\d.]+)", text)[1]


def metadata():
    text = (ROOT / "pyproject.toml").read_text()

    def field(key):
        return re.search(rf'^{key} = "(.*)"', text, re.M)[1]

    return (f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version()}\n"
            f"Summary: {field('description')}\nLicense: Apache-2.0\n"
            f"Requires-Python: {field('requires-python')}\nRequires-Dist: numpy\n"
            "Description-Content-Type: text/markdown\n\n" + (ROOT / "README.md").read_text())


def record(files, own_name):
    lines = []
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(content)}")
    return "\n".join([*lines, f"{own_name},,"]) + "\n"
