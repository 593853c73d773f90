# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which of Triton's tests apply here, and which of them a run takes.

A test has an id: `language/test_core.py::test_abs[int8]`. The list of tests that
do not apply, not_applicable_DEVICE.yaml, is reason -> file -> patterns. A pattern is the
name of a test function, for all its parameters, or `name[glob]`, where the glob
stands for what is between the brackets (`*`, `?` and nothing else are special).
"""

import collections
import re

FILES = (
    "language/test_core.py", "language/test_standard.py", "language/test_conversions.py",
    "language/test_random.py", "language/test_tuple.py", "language/test_block_pointer.py",
    "language/test_tensor_descriptor.py", "language/test_compile_errors.py",
    "runtime/test_autotuner.py", "runtime/test_cache.py", "language/test_decorator.py",
    "language/test_annotations.py",
)
REASONS = ("reads asm or Triton's IR", "needs the CUDA driver", "gated by GPU architecture")
MOST_LISTED = 0.35  # of all ids
LEAST_PASSED = 0.90  # of the ids that are not on the list


class ListError(ValueError):
    """The list says something that it cannot."""


class Entry:
    """One pattern of the list."""

    def __init__(self, reason, file, pattern):
        self.reason, self.file, self.pattern = reason, file, pattern
        name, bracket, parameters = pattern.partition("[")
        if not re.fullmatch(r"[\w:]+", name) or (bracket and not parameters.endswith("]")):
            raise ListError(f"expected a test or test[parameters], got {pattern!r} for {file}")
        expression = re.escape(name)
        if bracket:
            expression += r"\[" + "".join(
                {"*": ".*", "?": "."}.get(c) or re.escape(c) for c in parameters[:-1]) + r"\]"
        else:
            expression += r"(\[.*\])?"
        self._matches = re.compile(expression, re.DOTALL).fullmatch

    def __str__(self):
        return f"{self.file}::{self.pattern}"

    def matches(self, id):
        file, _, test = id.partition("::")
        return file == self.file and self._matches(test) is not None


def read_list(data):
    """The entries of the list, from what YAML gives."""
    entries = []
    for reason, files in (data or {}).items():
        if reason not in REASONS:
            raise ListError(f"expected one of the reasons {', '.join(map(repr, REASONS))}, got "
                            f"{reason!r}")
        for file, patterns in (files or {}).items():
            if file not in FILES:
                raise ListError(f"expected a file of {', '.join(FILES)}, got {file!r}")
            if not isinstance(patterns, list) or not all(isinstance(p, str) for p in patterns):
                raise ListError(f"expected a list of patterns for {file}, got {patterns!r}")
            entries += [Entry(reason, file, pattern) for pattern in patterns]
    seen = collections.Counter(str(entry) for entry in entries)
    twice = [text for text, count in seen.items() if count > 1]
    if twice:
        raise ListError(f"expected each pattern once, got {', '.join(twice)} again")
    return entries


def listed(ids, entries):
    """({id: reason} of those on the list, entries that match no id of a file that was read)."""
    by_file = collections.defaultdict(list)
    for entry in entries:
        by_file[entry.file].append(entry)
    found, used = {}, set()
    for id in ids:
        for entry in by_file[id.partition("::")[0]]:
            if entry.matches(id):
                used.add(entry)
                found.setdefault(id, entry.reason)
    files = {id.partition("::")[0] for id in ids}
    return found, [e for e in entries if e.file in files and e not in used]


def sample(ids, every):
    """Each `every`th of the ids in their alphabetical order: the same ones each time.

    They come in the order of `ids`, which is that of the file: some tests count on it.
    """
    ids = list(ids)
    taken = set(sorted(ids)[::every])
    return [id for id in ids if id in taken]


def shards(ids, jobs, most=1500):
    """The ids in consecutive parts, some per job, so that jobs end at about the same time."""
    size = min(most, max(25, -(-len(ids) // (jobs * 3))))
    return [ids[at:at + size] for at in range(0, len(ids), size)]


class Summary:
    """Counts of one file, or of all: collected, listed by reason, outcomes of what ran."""

    def __init__(self, name):
        self.name = name
        self.collected = 0
        self.listed = collections.Counter()
        self.outcomes = collections.Counter()

    def add(self, other):
        self.collected += other.collected
        self.listed += other.listed
        self.outcomes += other.outcomes

    @property
    def listed_share(self):
        return self.listed.total() / self.collected if self.collected else 0.0

    @property
    def passed_share(self):
        ran = self.outcomes.total()
        return self.outcomes["passed"] / ran if ran else 0.0

    def __str__(self):
        reasons = "; ".join(f"{self.listed[r]} {r}" for r in REASONS if self.listed[r])
        ran = self.outcomes
        return (f"{self.name}: {self.collected} collected, {self.listed.total()} not applicable "
                f"({100 * self.listed_share:.1f} %{': ' if reasons else ''}{reasons}); of the rest "
                f"{ran.total()} run: {ran['passed']} passed, {ran['failed']} failed, "
                f"{ran['skipped']} skipped, {100 * self.passed_share:.1f} % passed")


def problems(total, unmatched, passed_anyway):
    """What is wrong with a run, as texts."""
    found = [f"{entry} of the list matches no test" for entry in unmatched]
    found += [f"{id} is on the list, but passes" for id in passed_anyway]
    if total.listed_share > MOST_LISTED:
        found.append(f"expected at most {100 * MOST_LISTED:.0f} % of the tests on the list, got "
                     f"{100 * total.listed_share:.1f} %")
    if total.passed_share < LEAST_PASSED:
        found.append(f"expected at least {100 * LEAST_PASSED:.0f} % of the rest to pass, got "
                     f"{100 * total.passed_share:.1f} %")
    return found
