# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes a staged tree as an archive for tar, or as a wheel for pip."""

import base64
import hashlib
import lzma
import os
import platform
import tarfile
import time
import tomllib
import zipfile

WHEEL_GLIBC = "2_36"
COMMANDS_MODULE = "_tegula_commands"
DICTIONARY = 1 << 26  # bytes; far apart in the two large libraries lies code that is alike


def build_time():
    """Seconds since 1970 that files get as their age: SOURCE_DATE_EPOCH, or now."""
    return int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))


def files_of(root):
    """All files, those of one kind together, which compresses better."""
    return sorted((p for p in root.rglob("*") if p.is_file()),
                  key=lambda p: (p.suffix == ".py", str(p.relative_to(root))))


def write_archive(root, name, output, level):
    """A .tar.xz whose only folder is `name`."""
    filters = [{"id": lzma.FILTER_LZMA2, "preset": level,
                "dict_size": DICTIONARY if level > 3 else 1 << 22}]
    if platform.machine() == "x86_64":
        filters.insert(0, {"id": lzma.FILTER_X86})

    def entry(info):
        info.uid = info.gid = 0
        info.uname = info.gname = "root"
        info.mtime = when
        return info

    when = build_time()
    with lzma.open(output, "wb", filters=filters, check=lzma.CHECK_CRC64) as stream, \
            tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path in files_of(root):
            archive.add(path, f"{name}/{path.relative_to(root)}", filter=entry)


def metadata(project, readme):
    """The text of METADATA for the table [project] of pyproject.toml."""
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}",
             f"Summary: {project['description']}", f"License: {project['license']['text']}",
             f"Requires-Python: {project['requires-python']}"]
    lines += [f"Requires-Dist: {need}" for need in project.get("dependencies", [])]
    for extra, needs in project.get("optional-dependencies", {}).items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need} ; extra == '{extra}'" for need in needs]
    lines.append("Description-Content-Type: text/markdown")
    return "\n".join(lines) + "\n\n" + readme


def entry_points(commands):
    """A console script for each tool."""
    lines = [f"{name} = {COMMANDS_MODULE}:{name.replace('-', '_')}" for name in commands]
    return "\n".join(["[console_scripts]", *lines]) + "\n"


def wheel_tag():
    """The limited API of 3.11 on this kind of processor."""
    return f"cp311-abi3-manylinux_{WHEEL_GLIBC}_{platform.machine()}"


def read_project(source):
    """The table [project]."""
    return tomllib.loads((source / "pyproject.toml").read_text())["project"]


def add_wheel_files(stage):
    """Everything of the wheel that is not in the tree yet, except RECORD."""
    project = read_project(stage.source)
    info = stage.root / f"{project['name']}-{project['version']}.dist-info"
    info.mkdir()
    readme = (stage.source / project["readme"]).read_text()
    (info / "METADATA").write_text(metadata(project, readme))
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nGenerator: tools/dev/package\n"
                                f"Root-Is-Purelib: false\nTag: {wheel_tag()}\n")
    (info / "entry_points.txt").write_text(entry_points(stage.commands()))
    (info / "top_level.txt").write_text(f"{COMMANDS_MODULE}\ntegula\n")
    # Where installers and auditors look for licences.
    (stage.prefix / "share/tegula/licences").rename(info / "licenses")
    commands = stage.source / "tools/dev/tegula_package/commands.py"
    stage.copy(commands, stage.root / f"{COMMANDS_MODULE}.py")
    return info


def write_wheel(stage, output, level):
    """A wheel; the tree gets its metadata first. RECORD comes last, as the format wants it."""
    info = add_wheel_files(stage)
    when = time.gmtime(max(build_time(), 315532800))[:6]  # zip begins with 1980
    record = f"{info.name}/RECORD"
    lines = []
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED if level else zipfile.ZIP_STORED,
                         compresslevel=level) as wheel:

        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = wheel.compression
            wheel.writestr(entry, data, compresslevel=level)

        last = [path for path in files_of(stage.root) if info in path.parents]
        for path in [p for p in files_of(stage.root) if info not in p.parents] + last:
            name, data = str(path.relative_to(stage.root)), path.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
            lines.append(f"{name},sha256={digest},{len(data)}\n")
            add(name, data, path.stat().st_mode & 0o777)
        add(record, "".join(lines) + f"{record},,\n", 0o644)
