#ifndef ATTEST_AUDIT_SIGNS_H
#define ATTEST_AUDIT_SIGNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// A place of a text at which a token can be. A sign decides nothing.
typedef enum attest_sign {
  ATTEST_SIGN_NONE = 0,
  /// Base64 of either alphabet begins here, as that of a CBOR map or tag does.
  ATTEST_SIGN_BASE64 = 1,
  /// Hex digits begin here, as those of a CBOR map or tag do.
  ATTEST_SIGN_HEX = 2,
  /// The bracket of an array of numbers.
  ATTEST_SIGN_ARRAY = 3,
  /// A long run of characters of base64 and white space, which can be the base64 of a text with a token.
  ATTEST_SIGN_RUN = 4,
} attest_sign;

/// The number of ways in which lenient decoders read base64.
enum { ATTEST_LENIENT_READINGS = 4 };

/// A pass over a text. The text must be followed by 64 readable bytes.
typedef struct {
  const uint8_t *_Nonnull begin;
  const uint8_t *_Nonnull end;
  /// The place to go on from.
  const uint8_t *_Nonnull at;
  /// The sign that was found last.
  const uint8_t *_Nonnull found;
  /// The run of characters of base64 before `at`, and whether it was found. Moves with `at`.
  const uint8_t *_Nonnull run;
  int is_run_found;
  /// Whether the text contains escapes (except of quotes) or percent codes, and has to be decoded.
  int has_escapes, has_percents;
  /// The place where a sign of another form can be, which is judged next. Whoever moves `at` clears it.
  const uint8_t *_Nullable second;
  /// Whether the text is not strings of JSON, so that a quote ends nothing; the quote found last.
  int is_decoded;
  const uint8_t *_Nonnull quote;
  /// Further places of the text at which a token can begin, whatever is before them, in their order.
  const size_t *_Nullable beginnings;
  size_t beginning_count;
} attest_scan;

/// Starts a pass. The strings of a decoded text have no end.
attest_scan attest_scan_start(const uint8_t *_Nonnull text, size_t length, int is_decoded);

/// Returns the next sign. The time of a whole pass is linear in the text.
attest_sign attest_next_sign(attest_scan *_Nonnull scan);

/// A text that can contain tokens, and a token in it that is known. 64 readable bytes must follow the text.
typedef struct {
  const uint8_t *_Nonnull text;
  size_t length;
  const uint8_t *_Nullable known;
  size_t known_length;
} attest_searched_text;

/// Returns whether some texts surely contain no token, in whatever form, other than the known one of each, and in a single text
/// copies of that: nearly all lines show that at once. Each string of JSON is read for itself, or all of a text if `is_decoded`.
/// At most `*work` bytes are decoded or compared with a known token, of which those that are left remain; texts that need more
/// are not clear.
int attest_is_clear(const attest_searched_text *_Nonnull texts, size_t count, int is_decoded, size_t *_Nullable work);

/// Returns the end of the run of characters of base64 and white space that begins at `from`. `*has_white` becomes whether
/// it has white space. The text must be followed by 64 readable bytes.
const uint8_t *_Nonnull attest_run_end(const uint8_t *_Nonnull from, const uint8_t *_Nonnull end,
                                       int *_Nonnull has_white);

/// Beside `attest_base64_reading`: characters outside base64 are dropped; else they end the text.
enum { ATTEST_OTHERS_DROPPED = 8 };

/// The characters in base64 that different decoders read differently, as bits.
enum { ATTEST_SEEN_SPACE = 1, ATTEST_SEEN_DASH = 2, ATTEST_SEEN_OTHER = 4 };

/// Decodes the base64 that begins a text, at most `most` bytes, to `out`. Line breaks and tabs are passed over. Returns
/// the place after their characters: what is there is not read in this way, or was not wanted.
/// `*count` becomes the number of bytes, and the characters that were met are added to `*seen`.
size_t attest_read_base64(const uint8_t *_Nonnull text, size_t length, unsigned reading, size_t most,
                          uint8_t *_Nonnull out, size_t *_Nonnull count, unsigned *_Nonnull seen);

/// Returns the place of the first name of a token's members with its head, or `count`.
size_t attest_find_name(const uint8_t *_Nullable bytes, size_t count);

/// Returns a place of a text after which no name of a token is in base64 or hex digits, so that none begins there. The text must
/// be followed by 64 readable bytes.
size_t attest_end_of_names(const uint8_t *_Nonnull text, size_t length);

/// Returns whether a token's text has more names than its members: it can contain another token.
int attest_has_further_names(const uint8_t *_Nonnull text, size_t length);

/// Returns the number of characters of base64 in a text, in one reading.
size_t attest_count_base64(const uint8_t *_Nonnull text, size_t length, unsigned reading);

/// Copies the characters of base64 in a text to `out`, which has room for 64 bytes more. A space is kept as a plus, or is
/// dropped (`ATTEST_SPACES_ARE_PLUS`); all other characters are dropped. Returns the number of characters. The text must be
/// followed by 64 readable bytes.
size_t attest_compact_run(const uint8_t *_Nonnull text, size_t length, unsigned reading,
                          uint8_t *_Nonnull out);

/// Returns the numbers of characters, of 0 to 3, before the base64 of a text in a compacted run, as bits: where it begins is not
/// known, and what comes before and after it may be no text. A part of it that is long enough for a token is ASCII. The run
/// must be followed by 64 readable bytes.
unsigned attest_text_phases(const uint8_t *_Nonnull characters, size_t length);

/// Decodes valid characters of either alphabet. `out` has as much room as the text. Returns the bytes.
size_t attest_decode_characters(const uint8_t *_Nonnull text, size_t length, uint8_t *_Nonnull out);

/// Copies a text with escapes of JSON decoded, those outside ASCII as question marks.
/// `out` has room for 64 bytes more than the text, which 64 readable bytes follow.
size_t attest_decode_escapes(const uint8_t *_Nonnull text, size_t length, uint8_t *_Nonnull out);

/// Copies a text with each percent sign and its two hex digits as the byte that they stand for, likewise.
size_t attest_decode_percents(const uint8_t *_Nonnull text, size_t length, uint8_t *_Nonnull out);

/// Returns the length of a known text at `at`, within a text that begins at `begin`, or 0 if another one is there, or if what
/// follows it can be a part of it. Its characters are as they are, or escapes of JSON. These are decoded as often as the quotes
/// around the known text tell, and at least `decodings` times: once in a line, never in a text without quotes around it; if
/// that is less than 0, they were decoded before, and none counts.
size_t attest_known_length(const uint8_t *_Nonnull begin, const uint8_t *_Nonnull at, const uint8_t *_Nonnull end,
                           const uint8_t *_Nonnull known, size_t length, int decodings);

/// Returns whether `attest_decode_escapes` finds an escape at `at` that can be a character of a token.
int attest_is_decoded(const uint8_t *_Nonnull at, const uint8_t *_Nonnull end);

/// Returns whether `authData` or `authenticatorData` is anywhere in some bytes.
int attest_names_authenticator_data(const uint8_t *_Nonnull bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
