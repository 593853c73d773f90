#!/usr/bin/env python3
# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A second reader and writer of bundles, from docs/bundle-format.md alone.

usage: tgb.py check FILE               fail unless the file is as the document says
       tgb.py manifest FILE            print the manifest
       tgb.py edit FROM TO CODE        run CODE on the manifest `m` and the list of code
                                       `c`, then write what they are as a right bundle
       tgb.py patch FROM TO AT BYTE    set one byte; a negative AT counts from the end
       tgb.py cut FROM TO SIZE         keep the first SIZE bytes
"""

import hashlib
import json
import struct
import sys

MAGIC = b"\x89TGB\r\n\x1a\n"
HEADER = struct.Struct("<8sIIQQQ24s32s")
assert HEADER.size == 96


def align(size):
    return -size % 64 + size


def variants(manifest):
    return [v for kernel in manifest["kernels"] for v in kernel["variants"]]


def dump(manifest):
    # Sorted by code points, which is the order of UTF-8 bytes, too.
    return json.dumps(manifest, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def read(data):
    magic, version, header, size, manifest_size, start, zeros, digest = HEADER.unpack(data[:96])
    assert magic == MAGIC and version == 1 and header == 96 and size == len(data), "header"
    text = data[96 : 96 + manifest_size]
    assert len(text) == manifest_size and start == align(96 + manifest_size), "manifest size"
    assert zeros == bytes(24) and hashlib.sha256(data[:64] + text).digest() == digest, "digest"
    manifest = json.loads(text)
    assert dump(manifest) == text and manifest["schema"] == "tegula.bundle/v1", "form"
    code, end = [], 96 + manifest_size
    for variant in variants(manifest):
        begin = align(end)
        assert data[end:begin] == bytes(begin - end) and variant["offset"] == begin - start, "place"
        end = begin + variant["size"]
        code.append(data[begin:end])
        assert hashlib.sha256(code[-1]).hexdigest() == variant["sha256"], "code"
    assert end == len(data), "end"
    return manifest, code


def write(manifest, code):
    body = b""
    for variant, bytes_ in zip(variants(manifest), code, strict=True):
        body += bytes(align(len(body)) - len(body))
        variant["offset"] = len(body)
        variant["size"] = len(bytes_)
        variant["sha256"] = hashlib.sha256(bytes_).hexdigest()
        body += bytes_
    text = dump(manifest)
    start = align(96 + len(text))
    head = HEADER.pack(MAGIC, 1, 96, start + len(body), len(text), start, bytes(24), bytes(32))[:64]
    digest = hashlib.sha256(head + text).digest()
    return (head + digest + text).ljust(start, b"\0") + body


def main():
    action, source, *rest = sys.argv[1:]
    with open(source, "rb") as file:
        data = file.read()
    if action in ("check", "manifest"):
        manifest, code = read(data)
        assert write(manifest, code) == data, "the same again"
        if action == "manifest":
            sys.stdout.buffer.write(dump(manifest) + b"\n")
        return
    target = rest[0]
    if action == "edit":
        manifest, code = read(data)
        exec(rest[1], {"m": manifest, "c": code})
        data = write(manifest, code)
    elif action == "patch":
        at = int(rest[1]) % len(data)
        data = data[:at] + bytes([int(rest[2], 0)]) + data[at + 1 :]
    elif action == "cut":
        data = data[: int(rest[1])]
    else:
        sys.exit(__doc__)
    with open(target, "wb") as file:
        file.write(data)


if __name__ == "__main__":
    main()
