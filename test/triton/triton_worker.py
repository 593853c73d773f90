# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A plugin of pytest: takes the tests of a list, and says what becomes of each at once.

TRITON_TESTS_IDS names a file with an id a line; without it all tests are taken
and none is run. TRITON_TESTS_OUT names a file that gets a line of JSON for each
id collected, for each test that starts, and for each that ends.
"""

import json
import os
import time

import pytest


class Worker:
    def __init__(self, root):
        self.root = root
        self.out = open(os.environ["TRITON_TESTS_OUT"], "a", buffering=1)  # noqa: SIM115
        chosen = os.environ.get("TRITON_TESTS_IDS")
        self.ids = None
        if chosen:
            with open(chosen) as file:
                self.ids = file.read().splitlines()

    def say(self, **what):
        self.out.write(json.dumps(what) + "\n")

    def id(self, item):
        path = os.path.relpath(item.path, self.root).replace(os.sep, "/")
        return path + "::" + item.nodeid.partition("::")[2]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        if self.ids is None:
            for item in items:
                self.say(collected=self.id(item))
            items.clear()
            return
        chosen = set(self.ids)
        items[:] = [item for item in items if self.id(item) in chosen]

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item, nextitem):
        self.say(start=self.id(item))
        self.begin, self.outcome, self.text = time.monotonic(), "passed", ""
        result = yield
        self.say(end=self.id(item), outcome=self.outcome, text=self.text[-2000:],
                 seconds=round(time.monotonic() - self.begin, 2))
        return result

    def pytest_runtest_logreport(self, report):
        if report.failed:
            self.outcome = "failed"
            crash = getattr(report.longrepr, "reprcrash", None)
            self.text = crash.message if crash is not None else str(report.longrepr)
        elif report.skipped and self.outcome == "passed":
            self.outcome = "skipped"
            where = report.longrepr
            self.text = str(where[2] if isinstance(where, tuple) else where)


def pytest_configure(config):
    config.pluginmanager.register(Worker(os.environ["TRITON_TESTS_ROOT"]), "triton-worker")
