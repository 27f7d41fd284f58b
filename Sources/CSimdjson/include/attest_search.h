#ifndef ATTEST_AUDIT_SEARCH_H
#define ATTEST_AUDIT_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The signs of App Attest tokens in a text.
typedef enum attest_search_result {
  /// No token, and nothing that could hide one.
  ATTEST_SEARCH_NOTHING = 0,
  /// No token, but a character that is written as an escape of JSON, as one of a token may be.
  ATTEST_SEARCH_ESCAPES = 1,
  /// Base64 that begins as an attestation object or an assertion does.
  ATTEST_SEARCH_TOKEN = 2,
} attest_search_result;

/// Looks for the base64 of tokens. Where it is written as usual, wherever it stands: that of an
/// attestation object or assertion as apps make them, and of the keys `authData` and
/// `authenticatorData`, in whatever CBOR. Behind what is no letter or digit, in whatever way a lenient
/// decoder takes: that of a map of any size with the key `fmt`, `attStmt`, `authData`, `signature` or
/// `authenticatorData`, behind tags and other entries.
///
/// The text must be followed by 64 readable bytes. The time is linear in its length.
attest_search_result attest_search(const uint8_t *_Nonnull text, size_t length);

/// Returns whether `authData` or `authenticatorData` stands anywhere in some bytes.
int attest_names_authenticator_data(const uint8_t *_Nonnull bytes, size_t length);

/// Decodes the escapes of JSON wherever they stand, quotes or not, and leaves all else as it is; what
/// is no escape, too. The output, which may be the text itself, is no longer. Returns its length.
size_t attest_unescape(const uint8_t *_Nonnull text, size_t length, uint8_t *_Nonnull out);

#ifdef __cplusplus
}
#endif

#endif
