#ifndef ATTEST_AUDIT_SIGNS_H
#define ATTEST_AUDIT_SIGNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A place of a text at which a token can be. Nothing is decided: a sign says where to look, and in which
/// form.
typedef enum attest_sign {
  ATTEST_SIGN_NONE = 0,
  /// Base64 of either alphabet begins here, as that of a CBOR map or tag does.
  ATTEST_SIGN_BASE64 = 1,
  /// Hex digits begin here, as those of a CBOR map or tag do.
  ATTEST_SIGN_HEX = 2,
  /// The bracket of an array of numbers that begins as a CBOR map or tag does.
  ATTEST_SIGN_ARRAY = 3,
  /// A long run of characters of base64, which can be the base64 of a text with a token.
  ATTEST_SIGN_RUN = 4,
} attest_sign;

/// A pass over a text. The text must be followed by 64 readable bytes.
typedef struct {
  const uint8_t *_Nonnull begin;
  const uint8_t *_Nonnull end;
  /// The place to go on from.
  const uint8_t *_Nonnull at;
  /// The sign that was found last.
  const uint8_t *_Nonnull found;
  /// The run of characters of base64 before `at`, and whether it was found. Whoever moves `at` moves the
  /// beginning of the run, too.
  const uint8_t *_Nonnull run;
  int is_run_found;
  /// Whether escapes of JSON, or percent signs, stand for characters that a token can begin with: then the
  /// text has to be decoded.
  int has_escapes, has_percents;
} attest_scan;

/// Starts a pass.
attest_scan attest_scan_start(const uint8_t *_Nonnull text, size_t length);

/// Returns the next sign. The time of a whole pass is linear in the text.
attest_sign attest_next_sign(attest_scan *_Nonnull scan);

/// Returns the end of the run of characters of base64 that begins at `from`; line breaks are part of it.
const uint8_t *_Nonnull attest_run_end(const uint8_t *_Nonnull from, const uint8_t *_Nonnull end);

/// Returns the offsets modulo four at which base64 of a text can begin in a run, a bit each: at its beginning, and
/// after a character that is neither letter nor digit if the bytes there are ASCII.
unsigned attest_run_phases(const uint8_t *_Nonnull from, const uint8_t *_Nonnull end);

/// Returns whether `authData` or `authenticatorData` is anywhere in some bytes.
int attest_names_authenticator_data(const uint8_t *_Nonnull bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
