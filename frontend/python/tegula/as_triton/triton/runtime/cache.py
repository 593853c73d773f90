# Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A cache of plain files, for programs that keep files of their own beside the kernels'.

Each key has a folder below `knobs.cache.dir`. Tegula itself keeps compiled kernels
in its own store (`tegula.cache`).
"""

import abc
import base64
import hashlib
import json
import os
import tempfile

from tegula import knobs

__all__ = ["CacheManager", "FileCacheManager", "RedisRemoteCacheBackend", "RemoteCacheBackend",
           "RemoteCacheManager", "get_cache_key", "get_cache_manager", "get_dump_manager",
           "get_override_manager", "triton_key"]


class CacheManager(abc.ABC):
    """Files by name, for one key."""

    def __init__(self, key, override=False, dump=False):
        self.key = key

    @abc.abstractmethod
    def get_file(self, filename):
        """The path of a file, or None."""

    @abc.abstractmethod
    def put(self, data, filename, binary=True):
        """Stores a file; returns its path."""

    @abc.abstractmethod
    def get_group(self, filename):
        """{name: path} of a group, or None."""

    @abc.abstractmethod
    def put_group(self, filename, group):
        """Stores a group of {name: path}."""


class FileCacheManager(CacheManager):
    """In the folder of the cache, or with `override` and `dump` in the folders for these."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key, override, dump)
        folders = knobs.cache
        base = folders.override_dir if override else folders.dump_dir if dump else folders.dir
        if not base:
            raise RuntimeError("expected a folder for the cache, got none; set TRITON_CACHE_DIR or "
                               "knobs.cache.dir")
        self.cache_dir = os.path.join(base, key)
        self.lock_path = None if override else os.path.join(self.cache_dir, "lock")
        if not override:
            os.makedirs(self.cache_dir, exist_ok=True)

    def _path(self, filename):
        return os.path.join(self.cache_dir, filename)

    def has_file(self, filename):
        return os.path.exists(self._path(filename))

    def get_file(self, filename):
        return self._path(filename) if self.has_file(filename) else None

    def put(self, data, filename, binary=True):
        """Stores text or bytes, whole or not at all, over what was there."""
        data = data if isinstance(data, bytes) else str(data).encode()
        handle, beside = tempfile.mkstemp(prefix=".put-", dir=self.cache_dir)
        try:
            with open(handle, "wb") as file:
                file.write(data)
            os.chmod(beside, 0o644)
            os.replace(beside, self._path(filename))
        except BaseException:
            os.unlink(beside)
            raise
        return self._path(filename)

    @staticmethod
    def _group(filename):
        return "__grp__" + filename

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": group}), self._group(filename))

    def get_group(self, filename):
        path = self.get_file(self._group(filename))
        if path is None:
            return None
        with open(path) as file:
            group = json.load(file).get("child_paths")
        return group and {name: p for name, p in group.items() if os.path.exists(p)}


class RemoteCacheBackend:
    """Where a remote cache has its files: a class of one's own derives from this."""

    def __init__(self, key):
        self.key = key

    def get(self, filenames):
        """{name: bytes} of those that are there."""
        raise NotImplementedError

    def put(self, filename, data):
        raise NotImplementedError


class RedisRemoteCacheBackend(RemoteCacheBackend):
    """Files in a Redis server; needs the module redis."""

    def __init__(self, key):
        import redis

        super().__init__(key)
        self._server = redis.Redis(host=knobs.redis.host, port=knobs.redis.port)

    def _name(self, filename):
        return knobs.redis.key_format.format(key=self.key, filename=filename)

    def get(self, filenames):
        found = self._server.mget([self._name(name) for name in filenames])
        return {name: data for name, data in zip(filenames, found) if data is not None}

    def put(self, filename, data):
        return self._server.set(self._name(filename), data)


class RemoteCacheManager(CacheManager):
    """Files of `knobs.cache.remote_manager_class`, copied to the folder when asked for."""

    def __init__(self, key, override=False, dump=False):
        super().__init__(key, override, dump)
        backend = knobs.cache.remote_manager_class
        if not backend:
            raise RuntimeError("expected TRITON_REMOTE_CACHE_BACKEND to name a class, got none")
        self._backend = None if override or dump else backend(key)
        self._local = FileCacheManager(key, override, dump)

    def get_file(self, filename):
        if self._backend is None:
            return self._local.get_file(filename)
        data = self._backend.get([filename]).get(filename)
        return None if data is None else self._local.put(data, filename)

    def put(self, data, filename, binary=True):
        if self._backend is not None:
            self._backend.put(filename, data if isinstance(data, bytes) else str(data).encode())
        return self._local.put(data, filename)

    def get_group(self, filename):
        if self._backend is None:
            return self._local.get_group(filename)
        path = self.get_file("__grp__" + filename)
        if path is None:
            return None
        with open(path) as file:
            names = json.load(file)["child_paths"]
        found = self._backend.get(list(names))
        return {name: self._local.put(data, name) for name, data in found.items()}

    def put_group(self, filename, group):
        return self.put(json.dumps({"child_paths": sorted(group)}), "__grp__" + filename)


def _manager(key, **options):
    """A manager for a key of any hexadecimal length; its folder has a shorter name."""
    cls = knobs.cache.manager_class or FileCacheManager
    return cls(base64.b32encode(bytes.fromhex(key)).decode().rstrip("="), **options)


def get_cache_manager(key):
    """The files of a key, a hexadecimal number."""
    return _manager(key)


def get_override_manager(key):
    return _manager(key, override=True)


def get_dump_manager(key):
    return _manager(key, dump=True)


def triton_key():
    """Text that differs between builds of the compiler."""
    import tegula

    with open(tegula._tegula.__file__, "rb") as file:
        return f"{tegula.__version__}-{hashlib.sha256(file.read()).hexdigest()}"


def get_cache_key(src, backend, backend_options, env_vars):
    """Text that differs between kernels that are not the same code."""
    return "-".join((triton_key(), src.hash(), backend.hash(), backend_options.hash(),
                     repr(sorted(env_vars.items()))))
