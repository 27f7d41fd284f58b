#define _GNU_SOURCE
#include "attest_search.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/// The base64 of how a token begins: whole characters, and then one of which only the first bits are
/// told, which is one of a few in a row of the alphabet.
typedef struct {
  const char *text;
  size_t length;
  char first_next, last_next;
} beginning;

#define BEGINNING(text, first_next, last_next) \
  { text, sizeof(text) - 1, first_next, last_next }

static const beginning beginnings[] = {
    BEGINNING("o2NmbX", 'Q', 'T'),                     // {3: "fmt"
    BEGINNING("o2dhdHRTdG10", 0, 0),                   // {3: "attStmt"
    BEGINNING("o2hhdXRoRGF0Y", 'Q', 'Z'),              // {3: "authData"
    BEGINNING("omlzaWduYXR1cm", 'U', 'X'),             // {2: "signature"
    BEGINNING("onFhdXRoZW50aWNhdG9yRGF0Y", 'Q', 'Z'),  // {2: "authenticatorData"
};

/// Whether a token begins at `at`.
static int is_beginning(const uint8_t *at, const uint8_t *end) {
  for (size_t index = 0; index < sizeof beginnings / sizeof *beginnings; index++) {
    const beginning *const known = &beginnings[index];
    const size_t needed = known->length + (known->first_next != 0);
    if ((size_t)(end - at) < needed || memcmp(at, known->text, known->length) != 0) continue;
    if (known->first_next == 0) return 1;
    const char next = (char)at[known->length];
    if (next >= known->first_next && next <= known->last_next) return 1;
    // 16 values in a row are Q to Z and a to f.
    if (known->last_next == 'Z' && next >= 'a' && next <= 'f') return 1;
  }
  return 0;
}

static int is_hex(uint8_t character) {
  return (uint8_t)(character - '0') <= 9 || (uint8_t)((character | 0x20) - 'a') <= 5;
}

/// The value of a hex digit.
static unsigned hex_value(uint8_t digit) {
  return digit <= '9' ? (unsigned)(digit - '0') : (unsigned)((digit | 0x20) - 'a' + 10);
}

static int is_letter_or_digit(unsigned scalar) {
  return (scalar >= '0' && scalar <= '9') || (scalar >= 'A' && scalar <= 'Z') ||
         (scalar >= 'a' && scalar <= 'z');
}

/// Whether a letter or digit is written at `at`, which is a backslash, as `\u00xx`; the backslash
/// may itself be escaped, any number of times.
static int is_escaped_letter(const uint8_t *at, const uint8_t *end) {
  if (end - at < 6 || at[1] != 'u' || at[2] != '0' || at[3] != '0') return 0;
  if (!is_hex(at[4]) || !is_hex(at[5])) return 0;
  // A backslash that is written so may hide what comes behind it.
  const unsigned scalar = hex_value(at[4]) << 4 | hex_value(at[5]);
  return is_letter_or_digit(scalar) || scalar == '\\';
}

/// Looks at one place.
static inline attest_search_result look(const uint8_t *at, const uint8_t *end) {
  if (*at == 'o') return is_beginning(at, end) ? ATTEST_SEARCH_TOKEN : ATTEST_SEARCH_NOTHING;
  return is_escaped_letter(at, end) ? ATTEST_SEARCH_ESCAPES : ATTEST_SEARCH_NOTHING;
}

/// Looks at the text byte by byte.
static attest_search_result search_plainly(const uint8_t *text, const uint8_t *end) {
  attest_search_result result = ATTEST_SEARCH_NOTHING;
  for (const uint8_t *at = text; at < end; at++) {
    if (*at != '\\' && *at != 'o') continue;
    const attest_search_result found = look(at, end);
    if (found == ATTEST_SEARCH_TOKEN) return found;
    if (found > result) result = found;
  }
  return result;
}

#if defined(__x86_64__)
/// Looks at 32 bytes at a time for the first, second and fourth character of a beginning, or for the
/// first two of an escape.
__attribute__((target("avx2"))) static attest_search_result search_vectors(const uint8_t *text,
                                                                           const uint8_t *end) {
  attest_search_result result = ATTEST_SEARCH_NOTHING;
  const __m256i o = _mm256_set1_epi8('o'), two = _mm256_set1_epi8('2');
  const __m256i m = _mm256_set1_epi8('m'), n = _mm256_set1_epi8('n');
  const __m256i h = _mm256_set1_epi8('h'), z = _mm256_set1_epi8('z');
  const __m256i backslash = _mm256_set1_epi8('\\'), u = _mm256_set1_epi8('u');
  for (const uint8_t *block = text; block < end; block += 32) {
    const __m256i here = _mm256_loadu_si256((const __m256i *)block);
    const __m256i next = _mm256_loadu_si256((const __m256i *)(block + 1));
    const __m256i fourth = _mm256_loadu_si256((const __m256i *)(block + 3));
    const __m256i is_second = _mm256_or_si256(
        _mm256_cmpeq_epi8(next, two),
        _mm256_or_si256(_mm256_cmpeq_epi8(next, m), _mm256_cmpeq_epi8(next, n)));
    const __m256i is_fourth = _mm256_or_si256(
        _mm256_cmpeq_epi8(fourth, m),
        _mm256_or_si256(_mm256_cmpeq_epi8(fourth, h), _mm256_cmpeq_epi8(fourth, z)));
    const __m256i begins = _mm256_and_si256(_mm256_cmpeq_epi8(here, o),
                                            _mm256_and_si256(is_second, is_fourth));
    const __m256i escapes =
        _mm256_and_si256(_mm256_cmpeq_epi8(here, backslash), _mm256_cmpeq_epi8(next, u));
    unsigned mask = (unsigned)_mm256_movemask_epi8(_mm256_or_si256(begins, escapes));
    for (; mask != 0; mask &= mask - 1) {
      const uint8_t *const at = block + __builtin_ctz(mask);
      if (at >= end) break;
      const attest_search_result found = look(at, end);
      if (found == ATTEST_SEARCH_TOKEN) return found;
      if (found > result) result = found;
    }
  }
  return result;
}

attest_search_result attest_search(const uint8_t *text, size_t length) {
  return __builtin_cpu_supports("avx2") ? search_vectors(text, text + length)
                                        : search_plainly(text, text + length);
}
#else
attest_search_result attest_search(const uint8_t *text, size_t length) {
  return search_plainly(text, text + length);
}
#endif

/// What the character behind a backslash stands for; 0 for none but itself.
static uint8_t short_escape(uint8_t character) {
  switch (character) {
    case '"': case '\\': case '/': return character;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
  }
}

int attest_names_authenticator_data(const uint8_t *bytes, size_t length) {
  static const char attested[] = "authData", asserted[] = "authenticatorData";
  return memmem(bytes, length, attested, sizeof attested - 1) != NULL ||
         memmem(bytes, length, asserted, sizeof asserted - 1) != NULL;
}

size_t attest_unescape(const uint8_t *text, size_t length, uint8_t *out) {
  const uint8_t *at = text;
  const uint8_t *const end = text + length;
  uint8_t *to = out;
  while (at < end) {
    if (*at != '\\' || end - at < 2) {
      *to++ = *at++;
      continue;
    }
    const uint8_t plain = short_escape(at[1]);
    if (plain != 0) {
      *to++ = plain;
      at += 2;
    } else if (end - at >= 6 && at[1] == 'u' && at[2] == '0' && at[3] == '0' && is_hex(at[4]) &&
               is_hex(at[5])) {
      *to++ = (uint8_t)(hex_value(at[4]) << 4 | hex_value(at[5]));
      at += 6;
    } else {
      *to++ = *at++;
    }
  }
  return (size_t)(to - out);
}
