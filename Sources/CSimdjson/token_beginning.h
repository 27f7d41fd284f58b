#ifndef ATTEST_AUDIT_TOKEN_BEGINNING_H
#define ATTEST_AUDIT_TOKEN_BEGINNING_H

#include "text_tables.h"

/// The result of a lenient look at one place of a line.
typedef struct {
  /// True where an attestation object or an assertion begins.
  int is_token;
  /// True where an escaped backslash was met: the string may stand in another, and mean something
  /// else there.
  int has_escaped_backslash;
  /// True where everything up to `end` was read and may be the beginning of a token.
  int is_undecided;
} token_look;

/// Looks whether base64 in a string of JSON begins as a token does, read as the most lenient decoder
/// reads it: behind any tags a map of any size with a key of a token among its first ones, in any place
/// that the look comes to, all CBOR in any spelling. The string ends at a quote, or at `end`.
token_look attest_look_for_token(const uint8_t *_Nonnull at, const uint8_t *_Nonnull end);

/// Bits of the values that the second character of a token may have behind each first one: those with
/// which a map's head is followed by a text's, or a tag's by another head or the tag's number.
#define VALUES(low, high) ((UINT64_C(2) << (high)) - (UINT64_C(1) << (low)))
#define TEXT_BEHIND(low) VALUES(16 * (low) + 6, 16 * (low) + 7)
#define HEAD_BEHIND(low) VALUES(16 * (low) + 10, 16 * (low) + 13)
// Of the tag 55799 in three lengths, which says no more than that CBOR follows.
#define SELF_DESCRIBED (VALUES(29, 29) | VALUES(32, 32) | VALUES(48, 48))
#define ANY_TEXT (TEXT_BEHIND(0) | TEXT_BEHIND(1) | TEXT_BEHIND(2) | TEXT_BEHIND(3))
// Behind the fourth tag of each first character digits would follow, as in many an honest number; behind
// the second one of a digit, hex digits.
#define FEW_HEADS (HEAD_BEHIND(0) | HEAD_BEHIND(2))
#define ANY_HEAD (FEW_HEADS | HEAD_BEHIND(1))
static const uint64_t second_values[256] = {
    // A1 to B7.
    ['o'] = TEXT_BEHIND(1) | TEXT_BEHIND(2) | TEXT_BEHIND(3), ['p'] = ANY_TEXT, ['q'] = ANY_TEXT,
    ['r'] = ANY_TEXT, ['s'] = ANY_TEXT, ['t'] = ANY_TEXT,
    // B8 to BB and the first byte of a length; BF.
    ['u'] = VALUES(0, 16) | VALUES(32, 32) | VALUES(48, 48), ['v'] = TEXT_BEHIND(3),
    // C0 to D7.
    ['w'] = ANY_HEAD, ['x'] = ANY_HEAD, ['y'] = ANY_HEAD, ['z'] = ANY_HEAD,
    ['0'] = FEW_HEADS, ['1'] = FEW_HEADS,
    // D8 and a tag of a byte, D9 and one of two; D9 D9, DA 00 and DB 00.
    ['2'] = VALUES(0, 25) | SELF_DESCRIBED,
};
#undef ANY_HEAD
#undef FEW_HEADS
#undef ANY_TEXT
#undef HEAD_BEHIND
#undef TEXT_BEHIND

/// Returns whether a token may begin with the character at `at`, to judge by those next to it; the characters
/// must be followed by one that is readable.
static inline int may_begin_token(const uint8_t *_Nonnull at, const uint8_t *_Nonnull end) {
  const uint8_t *const second = at + 1;
  uint64_t allowed = second_values[*at];
  if (allowed == 0) return 0;
  for (at = second; at < end && *at != '"'; at++) {
    if (*at == '\\' || *at == '%') return 1;
    const uint32_t value = base64_values[*at];
    if ((value & other_character) == 0 && *at != ' ') {
      // Honest numbers with something else behind them are many.
      if (second[-1] == '2' && at > second) allowed = SELF_DESCRIBED;
      if ((allowed >> (value & 63) & 1) == 0) {
        // Some decoders pass over a dash.
        if (is_dash(*at)) continue;
        return 0;
      }
      if (is_dash(*at)) return 1;
      // A key of up to 23 characters is no such key if its first character is outside ASCII.
      if (second[-1] < 'o' || second[-1] > 'v' || second[-1] == 'u' || at + 1 >= end) return 1;
      const uint32_t third = base64_values[at[1]];
      const int is_empty = (third & 60) == 0;
      const int is_short = !is_empty && ((value & 1) == 0 || (third & 63) < 32);
      return (third & other_character) != 0 || at[1] == ' ' || is_dash(at[1]) || !is_short ||
             (third & 2) == 0;
    }
  }
  return 0;
}

#undef SELF_DESCRIBED
#undef VALUES

#endif
