# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""transcripts.py PAGE [--show]: runs the transcripts of a page of docs/ and compares.

A block ```console holds commands after `$ ` and what they answer, both streams together.
In an answer `...` alone in a line stands for any lines, inside a line for any text. A
comment <!-- file: NAME --> ahead of a block makes the block that file. All of a page
runs in one folder, in order. --show prints the page's commands with their real answers.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"(?:<!-- file: (\S+) -->\n)?```(\w*)\n(.*?)```\n", re.S)


def pattern_of(answer):
    lines = []
    for line in answer:
        if line.strip() == "...":
            lines.append(r"(?:.*\n)*?")
        else:
            lines.append(".*?".join(re.escape(part) for part in line.split("...")) + r"\n")
    return re.compile("".join(lines))


def commands_of(text):
    """(command, expected lines) of a console block; a command ends a line with \\ to go on."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append([line[2:], []])
        elif found and not found[-1][1] and found[-1][0].endswith("\\"):
            found[-1][0] += "\n" + line
        else:
            found[-1][1].append(line)
    return found


def main():
    page = pathlib.Path(sys.argv[1]).resolve()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="transcripts-"))
    env = {**os.environ, "TEGULA_CACHE_DIR": str(folder / "cache")}
    env.pop("TEGULA_TARGET", None)
    plugin = os.environ.get("FAULTY_PLUGIN")
    if plugin:
        shutil.copy(plugin, folder)
    bad = ran = 0
    try:
        for name, kind, text in BLOCK.findall(page.read_text()):
            if name:
                (folder / name).write_text(text)
            if kind != "console":
                continue
            for command, answer in commands_of(text):
                done = subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=env,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                      check=False)
                got = done.stdout.replace(str(folder) + "/", "")
                ran += 1
                if "--show" in sys.argv:
                    print(f"$ {command}\n{got}", end="")
                elif not pattern_of(answer).fullmatch(got):
                    bad += 1
                    print(f"{page.name}: '{command}' answers\n{got}\ninstead of\n" +
                          "\n".join(answer) + "\n")
    finally:
        shutil.rmtree(folder)
    print(f"{ran} commands, {bad} answers differ")
    sys.exit(1 if bad or not ran else 0)


main()
