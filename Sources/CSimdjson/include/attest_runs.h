#ifndef ATTEST_AUDIT_RUNS_H
#define ATTEST_AUDIT_RUNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A run of 128 or more characters of base64, of whichever alphabet: text that a log holds in base64 may hold a
/// token. Escaped slashes, line breaks and percent codes are part of a run.
typedef struct {
  const uint8_t *_Nonnull first;
  /// The number of characters, or 0 where there is no run.
  size_t length;
} attest_run;

enum {
  /// The number of first characters of a run from each of which it is decoded, since where one begins is not
  /// told by its characters alone: a path may come before it.
  ATTEST_RUN_BEGINNINGS = 4,
};

/// Returns the first run between `from` and `end`. The time that it takes to find all of them, each from the
/// end of the one before, is linear in the text.
attest_run attest_next_run(const uint8_t *_Nonnull from, const uint8_t *_Nonnull end);

/// Decodes a run without its first `skipped` characters, and writes a quote behind it. `out` has room for one
/// byte more than the run has characters. Returns the number of bytes written.
size_t attest_decode_run(attest_run run, unsigned skipped, uint8_t *_Nonnull out);

#ifdef __cplusplus
}
#endif

#endif
