"""The build backend (PEP 517) of the wheel of `weft`: it builds with CMake and packs what that
installs. The wheel holds the package, libweft.so, its modules, the header and the CMake package, and
expects the libraries of Debian 12 that libweft.so names.

WEFT_BUILD: a folder that is configured already; else build/wheel is.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sysconfig
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[3]
TARGETS = ["weft_python", "weft_shared", "weft_simgrid", "weft_fluid_program"]
# Of a ZIP, whose time begins there: the same files make the same wheel.
EPOCH = (1980, 1, 1, 0, 0, 0)


def _version() -> str:
    text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(weft VERSION ([0-9.]+)", text)
    assert found, "CMakeLists.txt names no version"
    return found[1]


def _tag() -> str:
    python = "cp" + "".join(sysconfig.get_python_version().split("."))
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"{python}-{python}-{platform}"


def _metadata() -> str:
    readme = (SOURCE / "tools/python/README.md").read_text(encoding="utf-8")
    return (
        "Metadata-Version: 2.1\n"
        "Name: weft\n"
        f"Version: {_version()}\n"
        "Summary: a packet-level simulator of AI training fabrics\n"
        "License: Apache-2.0\n"
        "Requires-Python: >=3.11\n"
        "Requires-Dist: numpy>=1.24\n"
        "Requires-Dist: pandas>=1.5; extra == 'pandas'\n"
        "Provides-Extra: pandas\n"
        "Requires-External: libfmt9, libspdlog1.10, libyaml-cpp0.7, libssl3, libzstd1, libsimgrid3.32 (fluid engine)\n"
        "Description-Content-Type: text/markdown\n\n" + readme
    )


def _run(*command: str | pathlib.Path) -> None:
    subprocess.run([str(part) for part in command], check=True, cwd=SOURCE)


def _build() -> pathlib.Path:
    given = os.environ.get("WEFT_BUILD")
    build = pathlib.Path(given).resolve() if given else SOURCE / "build" / "wheel"
    if not (build / "build.ninja").exists():
        _run("cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release")
    _run("ninja", "-C", build, *TARGETS)
    return build


def _install(build: pathlib.Path, package: pathlib.Path) -> None:
    """The package, with a prefix of its own in it."""
    staging = package.parent / "staging"
    for component in ("library", "development", "python"):
        _run("cmake", "--install", build, "--prefix", staging, "--component", component, "--strip")
    shutil.move(next(staging.glob("**/*-packages/weft")), package)
    for folder in ("lib", "include"):
        if (staging / folder).exists():
            shutil.move(staging / folder, package / folder)
    shutil.rmtree(staging)
    for scenario in (SOURCE / "scenarios").rglob("*.yaml"):
        place = package / "scenarios" / scenario.relative_to(SOURCE / "scenarios")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(scenario, place)
    for empty in (package / "lib").glob("python*"):
        shutil.rmtree(empty)
    _without_links(package / "lib")


def _without_links(lib: pathlib.Path) -> None:
    """A wheel has no symbolic links: the library has the name that programs load, and a script for
    the linker has the one that it looks for."""
    whole = next(path for path in lib.glob("libweft.so.*.*") if not path.is_symlink())
    for link in lib.glob("libweft.so*"):
        if link.is_symlink():
            link.unlink()
    loaded = lib / (".".join(whole.name.split(".")[:3]))
    whole.rename(loaded)
    (lib / "libweft.so").write_text(f"INPUT({loaded.name})\n", encoding="ascii")
    for targets in lib.glob("cmake/weft/weftTargets-*.cmake"):
        text = targets.read_text(encoding="utf-8")
        targets.write_text(text.replace(whole.name, loaded.name), encoding="utf-8")


def _pack(folder: pathlib.Path, wheel: pathlib.Path, info: str) -> None:
    lines = []
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(p for p in folder.rglob("*") if p.is_file()):
            name = path.relative_to(folder).as_posix()
            data = path.read_bytes()
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            is_program = os.access(path, os.X_OK)
            entry.external_attr = (0o100755 if is_program else 0o100644) << 16
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(data)}")
        record = f"{info}/RECORD"
        entry = zipfile.ZipInfo(record, EPOCH)
        entry.external_attr = 0o100644 << 16
        archive.writestr(entry, "\n".join([*lines, f"{record},,"]) + "\n")


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, str] | None = None,
    metadata_directory: str | None = None,
) -> str:
    build = _build()
    name = f"weft-{_version()}-{_tag()}.whl"
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "wheel"
        folder.mkdir()
        _install(build, folder / "weft")
        info = f"weft-{_version()}.dist-info"
        (folder / info).mkdir()
        (folder / info / "METADATA").write_text(_metadata(), encoding="utf-8")
        (folder / info / "WHEEL").write_text(
            f"Wheel-Version: 1.0\nGenerator: weft_wheel\nRoot-Is-Purelib: false\nTag: {_tag()}\n",
            encoding="ascii",
        )
        shutil.copy(SOURCE / "LICENSE", folder / info / "LICENSE")
        # By a rename: an interrupt leaves no half of a wheel.
        unfinished = pathlib.Path(wheel_directory) / f".{name}.unfinished"
        try:
            _pack(folder, unfinished, info)
            unfinished.rename(pathlib.Path(wheel_directory) / name)
        finally:
            unfinished.unlink(missing_ok=True)
    return name


def build_sdist(sdist_directory: str, config_settings: dict[str, str] | None = None) -> str:
    _run(SOURCE / "tools/packaging/tarball", pathlib.Path(sdist_directory).resolve())
    return f"weft-{_version()}.tar.gz"
