#define _GNU_SOURCE
#include "attest_search.h"
#include "text_tables.h"
#include "token_beginning.h"

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

static int is_hex(uint8_t character) { return (hex_values[character] & 0x80) == 0; }

/// Whether a letter or digit of ASCII.
static int is_word(uint8_t character) {
  return (uint8_t)(character - '0') <= 9 || (uint8_t)((character | 0x20) - 'a') <= 25;
}

/// Whether a character is written at `at`, which is a backslash, as `\u00xx`; the backslash may itself
/// be escaped, any number of times.
static int is_escaped_character(const uint8_t *at, const uint8_t *end) {
  return end - at >= 6 && at[1] == 'u' && at[2] == '0' && at[3] == '0' && is_hex(at[4]) &&
         is_hex(at[5]);
}

enum {
  /// How many characters a lenient look reads at first.
  usual_look = 256,
  /// How many characters the further looks of one text read, for each of its own and besides.
  further_factor = 8,
  further_least = 1 << 16,
};

/// A search through one text.
typedef struct {
  const uint8_t *end;
  /// How many characters further looks may still read.
  size_t budget;
  attest_search_result result;
} search;

static search begin_search(const uint8_t *text, const uint8_t *end) {
  return (search){.end = end,
                  .budget = further_least + further_factor * (size_t)(end - text),
                  .result = ATTEST_SEARCH_NOTHING};
}

/// Looks on where a look could not decide: what is passed over can be of any length. A text that keeps
/// on being undecided is taken for one that holds a token: no honest one is like that.
static token_look look_further(search *search, const uint8_t *at) {
  token_look look = {.is_token = 0, .is_undecided = 1};
  size_t length = usual_look;
  while (look.is_undecided && length < (size_t)(search->end - at)) {
    length = length * 8 < (size_t)(search->end - at) ? length * 8 : (size_t)(search->end - at);
    if (search->budget < length) return (token_look){.is_token = 1};
    search->budget -= length;
    look = attest_look_for_token(at, at + length);
    if (look.is_token) break;
  }
  return look;
}

/// Adds what a lenient look at one place shows.
static void look_leniently(search *search, const uint8_t *at) {
  const int is_long = search->end - at > usual_look;
  token_look look = attest_look_for_token(at, is_long ? at + usual_look : search->end);
  if (__builtin_expect(is_long && look.is_undecided && !look.is_token, 0)) {
    look = look_further(search, at);
  }
  if (look.is_token) {
    search->result = ATTEST_SEARCH_TOKEN;
  } else if (look.has_escaped_backslash) {
    search->result = ATTEST_SEARCH_ESCAPES;
  }
}

/// Adds what a look at a backslash with a `u` behind it shows: a token may begin with the character
/// that is escaped, or right behind it.
static void look_at_escape(search *search, const uint8_t *at) {
  if (is_escaped_character(at, search->end)) search->result = ATTEST_SEARCH_ESCAPES;
  look_leniently(search, at);
}

/// Adds what a look at a percent sign shows: a token may begin with the character that is written so,
/// or right behind it.
static void look_at_percent(search *search, const uint8_t *at) {
  if (search->end - at < 4) return;
  // Digits that are escapes themselves are left to the look.
  if (at[1] != '\\' && at[2] != '\\' && at[3] != '\\') {
    if (!is_hex(at[1]) || !is_hex(at[2])) return;
    const uint8_t character = (uint8_t)(hex_values[at[1]] << 4 | hex_values[at[2]]);
    if (second_values[is_word(character) ? character : at[3]] == 0) return;
  }
  look_leniently(search, at);
}

/// Looks at the text byte by byte.
static attest_search_result search_plainly(const uint8_t *text, const uint8_t *end) {
  search search = begin_search(text, end);
  for (const uint8_t *at = text; at < end && search.result != ATTEST_SEARCH_TOKEN; at++) {
    if (*at == '\\' && at + 1 < end && at[1] == 'u') look_at_escape(&search, at);
    if (*at == '%') look_at_percent(&search, at);
    if (*at == 'o' && is_beginning(at, end)) return ATTEST_SEARCH_TOKEN;
    const int follows_word = at > text && is_word(at[-1]);
    const int follows_escape = at > text + 1 && at[-2] == '\\';
    if (follows_word && !follows_escape) continue;
    if (may_begin_token(at, end)) look_leniently(&search, at);
  }
  return search.result;
}

#if defined(__x86_64__)
/// What characters are, by their upper and lower four bits; the conjunction of the two tells.
enum {
  /// `o`; `u` to `z`; `0` to `2`.
  first_o = 0x01,
  first_letter = 0x02,
  first_digit = 0x04,
  percent = 0x08,
  backslash = 0x10,
  /// `0` to `9`; `A` to `O` and `a` to `o`; `P` to `Z` and `p` to `z`.
  digit = 0x20,
  early_letter = 0x40,
  late_letter = 0x80,
};

/// What 32 bytes are, a bit each.
typedef struct {
  uint32_t firsts, words, backslashes, percents, us, known;
} block_bits;

/// Looks what 32 bytes are; `known` are those where the most usual beginnings may stand.
__attribute__((target("avx2"))) static inline block_bits classify(const uint8_t *block) {
  const char e = early_letter, l = (char)late_letter, a = (char)(early_letter | late_letter);
  const char d = digit, c = (char)(first_digit | digit | a), s = (char)(first_letter | a);
  const __m256i upper_table = _mm256_broadcastsi128_si256(
      _mm_setr_epi8(0, 0, percent, first_digit | d, e, (char)(l | backslash), (char)(e | first_o),
                    (char)(l | first_letter), 0, 0, 0, 0, 0, 0, 0, 0));
  const __m256i lower_table = _mm256_broadcastsi128_si256(_mm_setr_epi8(
      (char)(first_digit | d | l), c, c, (char)(d | a), (char)(d | a),
      (char)(d | s | percent), (char)(d | s), (char)(d | s), (char)(d | s), (char)(d | s), s, e,
      (char)(e | backslash), e, e, (char)(e | first_o)));
  const __m256i fifteen = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
  const __m256i here = _mm256_loadu_si256((const __m256i *)block);
  const __m256i next = _mm256_loadu_si256((const __m256i *)(block + 1));
  const __m256i fourth = _mm256_loadu_si256((const __m256i *)(block + 3));
  const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(here, 4), fifteen);
  const __m256i lower = _mm256_and_si256(here, fifteen);
  const __m256i what = _mm256_and_si256(_mm256_shuffle_epi8(upper_table, upper),
                                        _mm256_shuffle_epi8(lower_table, lower));
  const __m256i first = _mm256_and_si256(what, _mm256_set1_epi8(first_o | first_letter | first_digit));
  const __m256i word =
      _mm256_and_si256(what, _mm256_set1_epi8((char)(digit | early_letter | late_letter)));
  const __m256i is_second = _mm256_or_si256(
      _mm256_cmpeq_epi8(next, _mm256_set1_epi8('2')),
      _mm256_or_si256(_mm256_cmpeq_epi8(next, _mm256_set1_epi8('m')),
                      _mm256_cmpeq_epi8(next, _mm256_set1_epi8('n'))));
  const __m256i is_fourth = _mm256_or_si256(
      _mm256_cmpeq_epi8(fourth, _mm256_set1_epi8('m')),
      _mm256_or_si256(_mm256_cmpeq_epi8(fourth, _mm256_set1_epi8('h')),
                      _mm256_cmpeq_epi8(fourth, _mm256_set1_epi8('z'))));
  const __m256i is_known = _mm256_and_si256(_mm256_cmpeq_epi8(here, _mm256_set1_epi8('o')),
                                            _mm256_and_si256(is_second, is_fourth));
  // The most usual of what cannot begin a token: numbers, and words with an `o`, `u` or `v`.
  const __m256i us = _mm256_cmpeq_epi8(here, _mm256_set1_epi8('u'));
  const __m256i opener =
      _mm256_or_si256(us, _mm256_or_si256(_mm256_cmpeq_epi8(here, _mm256_set1_epi8('o')),
                                          _mm256_cmpeq_epi8(here, _mm256_set1_epi8('v'))));
  const __m256i letter = _mm256_sub_epi8(next, _mm256_set1_epi8('a'));
  const __m256i is_letter =
      _mm256_cmpeq_epi8(_mm256_min_epu8(letter, _mm256_set1_epi8(25)), letter);
  const __m256i may_follow = _mm256_or_si256(
      is_second, _mm256_or_si256(_mm256_cmpeq_epi8(next, _mm256_set1_epi8('g')),
                                 _mm256_cmpeq_epi8(next, _mm256_set1_epi8('w'))));
  const __m256i bit =
      _mm256_cmpeq_epi8(_mm256_and_si256(here, _mm256_set1_epi8((char)0xFE)), _mm256_set1_epi8('0'));
  const __m256i figure = _mm256_sub_epi8(next, _mm256_set1_epi8('0'));
  const __m256i is_figure =
      _mm256_cmpeq_epi8(_mm256_min_epu8(figure, _mm256_set1_epi8(5)), figure);
  const __m256i is_usual =
      _mm256_or_si256(_mm256_and_si256(opener, _mm256_andnot_si256(may_follow, is_letter)),
                      _mm256_and_si256(bit, is_figure));
  return (block_bits){
      .firsts = ~(uint32_t)_mm256_movemask_epi8(
          _mm256_or_si256(is_usual, _mm256_cmpeq_epi8(first, zero))),
      .words = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(word, zero)),
      .backslashes = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(what, 3)),
      .percents = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(what, 4)),
      .us = (uint32_t)_mm256_movemask_epi8(us),
      .known = (uint32_t)_mm256_movemask_epi8(is_known)};
}

/// Looks at 32 bytes at a time for where a token may begin, and at those places alone.
__attribute__((target("avx2"))) static attest_search_result search_vectors(const uint8_t *text,
                                                                           const uint8_t *end) {
  search search = begin_search(text, end);
  // The characters in front of a block, the nearest in the uppermost bit.
  uint32_t words_before = 0, backslashes_before = 0;
  for (const uint8_t *block = text; block < end; block += 32) {
    const block_bits bits = classify(block);
    const uint32_t behind_word = bits.words << 1 | words_before >> 31;
    const uint32_t behind_backslash = bits.backslashes << 1 | backslashes_before >> 31;
    const uint32_t behind_escape = bits.backslashes << 2 | backslashes_before >> 30;
    words_before = bits.words;
    backslashes_before = bits.backslashes;
    const uint32_t firsts = bits.firsts & (~behind_word | behind_escape);
    const uint32_t escapes = bits.us & behind_backslash;
    uint32_t mask = firsts | bits.known | bits.percents | escapes;
    for (; mask != 0; mask &= mask - 1) {
      const uint8_t *const at = block + __builtin_ctz(mask);
      if (at >= end) break;
      const uint32_t bit = mask & -mask;
      if ((bits.known & bit) != 0 && is_beginning(at, end)) return ATTEST_SEARCH_TOKEN;
      if ((firsts & bit) != 0 && may_begin_token(at, end)) look_leniently(&search, at);
      if ((bits.percents & bit) != 0) look_at_percent(&search, at);
      if ((escapes & bit) != 0) look_at_escape(&search, at - 1);
      if (search.result == ATTEST_SEARCH_TOKEN) return search.result;
    }
  }
  return search.result;
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
      *to++ = (uint8_t)(hex_values[at[4]] << 4 | hex_values[at[5]]);
      at += 6;
    } else {
      *to++ = *at++;
    }
  }
  return (size_t)(to - out);
}
