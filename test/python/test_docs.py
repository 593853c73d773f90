# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs in the documents run, and answer as the documents say."""

import linecache
import re
import subprocess

import pytest
import wrong_programs

PAGES = ["autotuning.md", "benchmarking.md", "compared-with-triton.md", "host.md"]
BLOCK = re.compile(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.S)


def programs(page):
    """(number, program, answer or None) of a page."""
    text = (wrong_programs.ROOT / "docs" / page).read_text()
    return [(n, m[1], m[2]) for n, m in enumerate(BLOCK.finditer(text))]


ALL = [(page, *program) for page in PAGES for program in programs(page)]


def run(program):
    """The exception that ends a program, as its answer, or None."""
    file = "example.py"
    linecache.cache[file] = (len(program), None, program.splitlines(keepends=True), file)
    try:
        exec(compile(program, file, "exec"), {"__name__": "example"})  # pylint: disable=exec-used
    except AssertionError:
        raise
    except Exception as error:  # pylint: disable=broad-except
        return f"{type(error).__name__}: {error}".rstrip("\n") + "\n"
    return None


@pytest.mark.parametrize("page, number, program, answer", ALL,
                         ids=[f"{page}-{number}" for page, number, _, _ in ALL])
def test_program(page, number, program, answer):
    assert run(program) == answer


def test_language_reference_is_complete():
    done = subprocess.run([wrong_programs.ROOT / "tools/dev/language-reference", "--check"],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 0


@pytest.mark.parametrize("page", PAGES)
def test_pages_have_programs(page):
    assert len(programs(page)) >= 2
