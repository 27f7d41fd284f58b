#define _GNU_SOURCE

#include <string.h>

#include "steps.h"

// How often the escapes of a text are decoded is told by its quotes: strings of JSON in strings of JSON are in quotes with one
// backslash, three, seven, and so on. An escape is one only for who decodes as often as its backslashes tell; to all others, its
// letters are characters of a token.

/// How many characters a code has, 0 if it is none; the one that it stands for; and how often escapes are decoded until then.
typedef struct {
  size_t length;
  uint8_t character;
  int decodings;
} nested_escape;

/// Reads the character at `at`, as it is or as an escape. Backslashes before a slash are no part of a token to any reader.
static nested_escape read_nested(const uint8_t *at, const uint8_t *end) {
  nested_escape read = {0, 0, 0};
  const uint8_t *sign = at;
  while (sign < end && *sign == '\\') sign++;
  const size_t count = (size_t)(sign - at);
  if (sign == end) return read;
  if (count == 0 || *sign == '"' || *sign == '/') {
    read = (nested_escape){count + 1, *sign, 0};
    // An even number of backslashes before a quote is text, and the quote ends it.
    if (*sign == '"') read.decodings = __builtin_ctzll(~(unsigned long long)count);
    return read;
  }
  // Each of several backslashes is decoded from two.
  if ((count & (count - 1)) != 0) return read;
  const size_t length = read_escape(sign - 1, end, &read.character);
  if (length != 0) read.length = count - 1 + length;
  read.decodings = __builtin_ctzll(count) + 1;
  return read;
}

/// Returns how often the quote before `at` is decoded until it is one, or -1 if there is none.
static int quote_before(const uint8_t *begin, const uint8_t *at) {
  const int is_code = at - begin > 5 && memcmp(at - 5, "u0022", 5) == 0;
  if (!is_code && (at == begin || at[-1] != '"')) return -1;
  const uint8_t *first = is_code ? at - 5 : at - 1;
  while (first > begin && first[-1] == '\\') first--;
  const nested_escape quote = read_nested(first, at);
  return quote.length == 0 ? -1 : quote.decodings;
}

/// Returns whether a text that is followed by something ends there for certain: what is there is neither a character of a token,
/// nor one that has to be decoded. `*quote` becomes how often it is decoded until it is a quote, or -1.
static int ends_at(const uint8_t *at, const uint8_t *end, int *quote) {
  const uint8_t *sign = at;
  *quote = -1;
  while (sign < end && *sign == '\\') sign++;
  if (sign == end) return 1;
  if (sign > at && memchr("nrt", *sign, 3) != NULL) return 1;
  const nested_escape read = read_nested(at, end);
  if (read.length == 0 || read.character == '%' || read.character == '\\') return 0;
  if (read.character == '"') *quote = read.decodings;
  return (base64_values[read.character] & other_character) != 0;
}

size_t attest_known_length(const uint8_t *begin, const uint8_t *at, const uint8_t *end, const uint8_t *known, size_t length,
                           int decodings) {
  const uint8_t *const first = at;
  int most = 0, quote;
  while (1) {
    const size_t left = length < (size_t)(end - at) ? length : (size_t)(end - at);
    const uint8_t *const sign = memchr(at, '\\', left);
    const size_t plain = sign == NULL ? left : (size_t)(sign - at);
    if (memcmp(at, known, plain) != 0) return 0;
    at += plain;
    known += plain;
    length -= plain;
    if (length == 0) break;
    const nested_escape read = read_nested(at, end);
    if (read.length == 0 || read.character != *known) return 0;
    if (read.decodings > most) most = read.decodings;
    at += read.length;
    known++;
    length--;
  }
  if (!ends_at(at, end, &quote)) return 0;
  const int is_told = most == 0 || most <= decodings;
  if (!is_told && (decodings < 0 || quote_before(begin, first) != quote || most > quote + 1)) return 0;
  return (size_t)(at - first);
}
