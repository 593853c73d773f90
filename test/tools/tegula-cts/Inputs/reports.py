# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what tegula-cts has written about the small table: JSON and JUnit."""

import json
import sys
import xml.etree.ElementTree as xml

with open(sys.argv[1], encoding="utf-8") as file:
    report = json.load(file)
assert report["backend"] == "cpu" and report["failed"] is True, report
assert report["groups"]["numerics"] == {
    "passed": 2, "ran": 4, "skipped": 1, "unsupported": 1, "xfail": 0, "surprise": 0}, report
states = {test["name"]: test["state"] for test in report["tests"]}
assert states == {
    "tiny/add[T=int32]": "pass", "tiny/add[T=float32]": "fail", "tiny/sum[T=float32]": "pass",
    "tiny/sum[T=float64]": "fail", "tiny/lonely": "skip", "tiny/other": "unsupported"}, states

suite, = xml.parse(sys.argv[2]).getroot()
assert suite.attrib["tests"] == "6" and suite.attrib["failures"] == "2", suite.attrib
assert suite.attrib["skipped"] == "2", suite.attrib
kinds = {case.attrib["name"]: [child.tag for child in case] for case in suite}
assert kinds["tiny/add[T=float32]"] == ["failure"], kinds
assert kinds["tiny/lonely"] == ["skipped"] and kinds["tiny/add[T=int32]"] == [], kinds
