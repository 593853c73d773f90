/*===- bundle.h - Files of compiled kernels for several targets -----------===*\
|*
|* Part of the Tegula project, under the Apache License v2.0 with LLVM Exceptions.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*
|*
|* A bundle (.tgb, docs/bundle-format.md) holds kernels, each compiled for one or
|* more targets: its variants. All variants of a kernel have the same arguments. For
|* a device the runtime half of each variant's backend says how well it runs it, and
|* the best one is taken. Included by tegula.h, whose conventions hold. Nothing here
|* loads LLVM.
|*
\*===----------------------------------------------------------------------===*/

#ifndef TEGULA_BUNDLE_H
#define TEGULA_BUNDLE_H

#include "tegula/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/*===-- Reading ------------------------------------------------------------===*/

typedef struct tg_bundle tg_bundle;

/* Opens a file, or bytes in memory (copied); the file may change afterwards. All is
 * checked: sizes, checksums, the manifest; what is not understood is refused, never
 * guessed.
 *   Errors: INVALID ("wrong-bundle") for a file that is damaged or no bundle;
 *   INCOMPATIBLE ("bundle-version") for a newer version of the format. */
TG_API tg_status *tg_bundle_open(const char *path, tg_bundle **bundle);
TG_API tg_status *tg_bundle_from_bytes(const void *bytes, size_t size, tg_bundle **bundle);
TG_API size_t tg_bundle_num_kernels(const tg_bundle *bundle);
/* Null if there is no such index. */
TG_API const char *tg_bundle_kernel_name(const tg_bundle *bundle, size_t index);
/* The manifest of the whole bundle as JSON (docs/bundle-format.md). */
TG_API const char *tg_bundle_manifest(const tg_bundle *bundle);
/* Loads the best variant of a kernel for a device. The bundle may be freed after.
 *   device: null: the best device present that some variant runs on.
 *   Errors: NOT_FOUND ("bundle-kernel") lists the kernels; INCOMPATIBLE
 *   ("no-variant") shows the table of tg_bundle_explain. */
TG_API tg_status *tg_bundle_load(const tg_bundle *bundle, const char *kernel, tg_device *device,
                                 tg_kernel **loaded);
/* Why which variant is taken: a table as text, one row for each device (or the one
 * given) and variant, with score and reason. Lives until this thread's next call. */
TG_API tg_status *tg_bundle_explain(const tg_bundle *bundle, const char *kernel, tg_device *device,
                                    const char **text);
TG_API void tg_bundle_free(tg_bundle *bundle); /* null is ignored */

/*===-- Writing ------------------------------------------------------------===*/

typedef struct tg_bundle_writer tg_bundle_writer;

TG_API tg_status *tg_bundle_writer_new(tg_bundle_writer **writer);
/* Adds the object stage of an artifact as a variant of the kernel of that name.
 *   Errors: INVALID ("bundle-interface") if its arguments differ from those of the
 *   variants already there; ("bundle-variant") if a variant for the same target is. */
TG_API tg_status *tg_bundle_writer_add(tg_bundle_writer *writer,
                                       const struct tg_artifact *artifact);
/* Adds all variants of all kernels of a bundle, as if they were added in its order.
 *   Errors: as tg_bundle_writer_add; nothing is added then. */
TG_API tg_status *tg_bundle_writer_add_bundle(tg_bundle_writer *writer, const tg_bundle *bundle);
/* Writes to a file, in one step: readers see the old file or the whole new one. The
 * same artifacts give the same bytes in any order, but for that of the variants of one
 * kernel: of variants that fit a device equally well the first is taken.
 *   Errors: INVALID ("file-access"); ("bundle-interface") for a writer without kernels. */
TG_API tg_status *tg_bundle_writer_write(tg_bundle_writer *writer, const char *path);
/* The same bytes in memory. They live until the writer is used again or freed. */
TG_API tg_status *tg_bundle_writer_bytes(tg_bundle_writer *writer, const char **bytes,
                                         size_t *size);
TG_API void tg_bundle_writer_free(tg_bundle_writer *writer); /* null is ignored */

#ifdef __cplusplus
}
#endif

#endif /* TEGULA_BUNDLE_H */
