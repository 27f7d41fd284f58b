#ifndef ATTEST_AUDIT_RUNS_H
#define ATTEST_AUDIT_RUNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns the number of characters of a text that are in runs of 128 or more characters of base64,
/// of whichever alphabet: text that a log holds in base64 may hold a token. Escaped slashes, line
/// breaks and percent codes are part of a run. The time is linear in `length`.
size_t attest_measure_runs(const uint8_t *_Nonnull text, size_t length);

/// Decodes those runs. Where one begins is not told by its characters alone, since a path may come
/// before it: it is decoded from each of its first four characters on. Behind each piece stands a
/// quote. `out` has room for four times as many bytes as ``attest_measure_runs`` counts. Returns
/// the number of bytes written.
size_t attest_decode_runs(const uint8_t *_Nonnull text, size_t length, uint8_t *_Nonnull out);

#ifdef __cplusplus
}
#endif

#endif
