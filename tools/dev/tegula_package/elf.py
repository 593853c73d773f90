# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads what the loader reads of a 64-bit little-endian ELF file, and renames in place.

Names of libraries and search paths are overwritten where they stand, with names that are no
longer: no section moves, so that build ids, notes and everything else stay as they were linked.
"""

import dataclasses
import mmap
import struct

PT_LOAD, PT_DYNAMIC = 1, 2
DT_NEEDED, DT_STRTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 5, 14, 15, 29
SHT_DYNSYM, SHT_VERDEF, SHT_VERNEED, SHT_VERSYM = 11, 0x6FFFFFFD, 0x6FFFFFFE, 0x6FFFFFFF
OBJECT = 1  # the type of a symbol that is data
WEAK = 2


class ElfError(Exception):
    """A file that is not what is expected."""


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A dynamic symbol. `version` and, of an undefined one, `library` may be empty."""

    name: str
    defined: bool
    weak: bool
    data: bool
    size: int
    version: str
    library: str


def is_elf(path):
    """Whether the file begins as ELF files do."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


class Elf:
    """One file; `write` makes the changes, and until then it is read as it was."""

    def __init__(self, path):
        self.path = path
        self._changes = []  # (offset, bytes)
        with open(path, "rb") as file:
            empty = file.seek(0, 2) == 0
            self.data = b"" if empty else mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise ElfError(f"{path}: expected a 64-bit little-endian ELF file")
        self._segments = self._table(32, 54, "<IIQQQQQQ")
        self._sections = self._table(40, 58, "<IIQQQQIIQQ")
        dynamic = next((s for s in self._segments if s[0] == PT_DYNAMIC), None)
        if dynamic is None:
            raise ElfError(f"{path}: expected a dynamically linked file")
        offset, size = dynamic[2], dynamic[5]
        self._dynamic = list(struct.iter_unpack("<qQ", self.data[offset:offset + size]))
        self._strings = self._file_offset(self._values(DT_STRTAB)[0])

    def _table(self, offset_field, size_field, form):
        """Program or section headers: the file's header says where they are and how many."""
        start = struct.unpack_from("<Q", self.data, offset_field)[0]
        size, count = struct.unpack_from("<HH", self.data, size_field)
        return [struct.unpack_from(form, self.data, start + i * size) for i in range(count)]

    def _values(self, tag):
        return [value for found, value in self._dynamic if found == tag]

    def _file_offset(self, address):
        for kind, _, offset, start, _, size, _, _ in self._segments:
            if kind == PT_LOAD and start <= address < start + size:
                return address - start + offset
        raise ElfError(f"{self.path}: no segment has the address {address:#x}")

    def _string_at(self, start):
        return self.data[start:self.data.find(b"\0", start)].decode()

    def _string(self, index):
        return self._string_at(self._strings + index)

    @property
    def needed(self):
        """Names of the libraries that this one asks the loader for."""
        return [self._string(index) for index in self._values(DT_NEEDED)]

    @property
    def soname(self):
        """The name under which the loader knows this library, or an empty one."""
        return "".join(self._string(index) for index in self._values(DT_SONAME)[:1])

    @property
    def runpath(self):
        """Where the loader looks for what is needed, as one text."""
        found = self._values(DT_RUNPATH) or self._values(DT_RPATH)
        return self._string(found[0]) if found else ""

    def _section(self, kind):
        return next((s for s in self._sections if s[1] == kind), None)

    def versions_needed(self):
        """{library: [version, ...]} of what must be there when this file is loaded."""
        return {library: sorted(set(names.values()))
                for library, names in self._needed_by_index().items()}

    def _needed_by_index(self):
        section, found = self._section(SHT_VERNEED), {}
        at = section[4] if section else None
        while at is not None:
            _, _, file, first, following = struct.unpack_from("<HHIII", self.data, at)
            names, entry = found.setdefault(self._string(file), {}), at + first
            while True:
                _, _, index, name, more = struct.unpack_from("<IHHII", self.data, entry)
                names[index & 0x7FFF] = self._string(name)
                if not more:
                    break
                entry += more
            at = at + following if following else None
        return found

    def _versions_by_index(self):
        """{index: (version, library)} for both kinds of versions."""
        found = {index: (name, library) for library, names in self._needed_by_index().items()
                 for index, name in names.items()}
        section = self._section(SHT_VERDEF)
        at = section[4] if section else None
        while at is not None:
            _, _, index, _, _, first, following = struct.unpack_from("<HHHHIII", self.data, at)
            name = struct.unpack_from("<I", self.data, at + first)[0]
            found[index & 0x7FFF] = (self._string(name), "")
            at = at + following if following else None
        return found

    def symbols(self):
        """All dynamic symbols, one after the other."""
        table, versions = self._section(SHT_DYNSYM), self._section(SHT_VERSYM)
        if table is None:
            return
        known = self._versions_by_index()
        start, end = table[4], table[4] + table[5]
        entries = struct.iter_unpack("<IBBHQQ", self.data[start:end])
        for number, (name, info, _, section, _, size) in enumerate(entries):
            index = 0
            if versions:
                index = struct.unpack_from("<H", self.data, versions[4] + 2 * number)[0] & 0x7FFF
            version, library = known.get(index, ("", ""))
            if name:
                yield Symbol(self._string(name), section != 0, info >> 4 == WEAK,
                             info & 15 == OBJECT, size, version, library)

    def _overwrite(self, index, text):
        start = self._strings + index
        room = len(self._string_at(start).encode())
        new = text.encode()
        if len(new) > room:
            raise ElfError(f"{self.path}: expected room for '{text}', got that of "
                           f"'{self._string_at(start)}'")
        self._changes.append((start, new.ljust(room, b"\0")))

    def rename_libraries(self, name_of):
        """Gives this library and those it needs the names that `name_of(old)` says."""
        for index in set(self._values(DT_NEEDED) + self._values(DT_SONAME)):
            self._overwrite(index, name_of(self._string(index)))

    def set_runpath(self, text):
        """Replaces the search path; a file without one cannot get one."""
        found = self._values(DT_RUNPATH) or self._values(DT_RPATH)
        if not found:
            raise ElfError(f"{self.path}: expected a RUNPATH to replace")
        self._overwrite(found[0], text)

    def write(self):
        """Makes the changes in the file."""
        with open(self.path, "r+b") as file:
            for offset, data in self._changes:
                file.seek(offset)
                file.write(data)
        self._changes.clear()
