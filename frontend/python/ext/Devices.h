//===- Devices.h - Devices of arrays, and their streams ---------------------===//
//
// Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices have small numbers here, so that one is part of a key and compared at no
// cost. Libraries other than ours own the arrays and the streams; none of them is
// imported, only asked where a program has imported it.
//
//===----------------------------------------------------------------------===//

#ifndef TEGULA_PYTHON_DEVICES_H
#define TEGULA_PYTHON_DEVICES_H

#include "Extension.h"

namespace tegula::python {

/// The number of a device, kNowhere for one that is not there. May let other threads
/// run, as drivers may be opened.
DeviceNumber findDevice(const char *kind, long ordinal);

/// The same of a text such as "cuda:1"; "cuda" is the current one.
DeviceNumber findDevice(const std::string &text);

/// The same of a device of DLPack.
DeviceNumber findDLPackDevice(long kind, long ordinal);

/// Of a number from findDevice: "cuda", 1, "cuda:1", and the device, null for the host.
const char *deviceKind(DeviceNumber number);
int deviceOrdinal(DeviceNumber number);
std::string deviceName(DeviceNumber number);
tg_device *deviceHandle(DeviceNumber number);

/// The device in whose memory an address is, by the driver of the GPUs of `kind`;
/// kNowhere if none of them knows it.
DeviceNumber ownerOfAddress(const char *kind, uint64_t address);

/// Whether a device reaches an address of the host: page-locked or managed memory.
bool reachesHostAddress(DeviceNumber number, uint64_t address);

/// The device that torch works on, where a program has imported torch and used its
/// GPUs; else kHost.
DeviceNumber torchDevice();

/// The stream on which a program has torch (else CuPy) put its work on a device; null
/// is the default one. False with an exception.
bool currentStream(DeviceNumber number, void *&stream);

/// last_device() of the module.
PyObject *describeLastDevice(PyObject *module, PyObject *args);

/// The stream that `stream=` of a launch names: an address, or an object of a library.
/// 1 if it is one; 0, with no exception, if it is none; -1.
int readStream(PyObject *object, void *&stream);

/// Has what is queued in `stream` from now on wait for `producer`, of the same device.
/// False with an exception.
bool waitForStream(DeviceNumber number, void *producer, void *stream);

} // namespace tegula::python

#endif // TEGULA_PYTHON_DEVICES_H
