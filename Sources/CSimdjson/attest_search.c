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

/// Returns whether a token begins at `at`.
static int is_beginning(const uint8_t *at, const uint8_t *end) {
  if (end - at < 4 || (at[3] != 'm' && at[3] != 'h' && at[3] != 'z')) return 0;
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

/// The pieces of four characters that show a name of authenticator data in base64, by the number of
/// its bytes that come before the first whole group of characters.
static const struct {
  char text[5];
  /// The number of characters before the piece at which a group begins. The name begins in that
  /// group, or right before it.
  unsigned back;
  /// The byte of the name's first letter, counted from the group in front of that one.
  unsigned first;
} pieces[] = {
    {"YXV0", 0, 3},  // "aut", a group of its own
    {"F1dG", 2, 4},  // "?au" "th?": the third character and the next group's first three
    {"dXRo", 0, 2},  // "uth", a group of its own
};

/// Returns whether the key of an authenticator data, a text of CBOR, is in the base64 around `at`, where a piece
/// of it may stand: so is a token found in whatever map, and behind whatever else.
static int is_key(const uint8_t *text, const uint8_t *at, const uint8_t *end) {
  static const char names[][18] = {"authData", "authenticatorData"};
  enum { groups = 7 };
  for (size_t index = 0; index < sizeof pieces / sizeof *pieces; index++) {
    if ((size_t)(end - at) < 4 || memcmp(at, pieces[index].text, 4) != 0) continue;
    if ((size_t)(at - text) < pieces[index].back + 4) return 0;
    const uint8_t *from = at - pieces[index].back - 4;
    uint8_t bytes[3 * groups];
    size_t count = 0;
    for (; count < sizeof bytes && end - from >= 4; from += 4, count += 3) {
      const uint32_t a = base64_values[from[0]], b = base64_values[from[1]];
      const uint32_t c = base64_values[from[2]], d = base64_values[from[3]];
      if (((a | b | c | d) & other_character) != 0) break;
      const uint32_t bits = a << 18 | b << 12 | c << 6 | d;
      bytes[count] = (uint8_t)(bits >> 16);
      bytes[count + 1] = (uint8_t)(bits >> 8);
      bytes[count + 2] = (uint8_t)bits;
    }
    const size_t first = pieces[index].first;
    for (size_t name = 0; name < sizeof names / sizeof *names; name++) {
      const size_t length = strlen(names[name]);
      if (count < first + length || memcmp(bytes + first, names[name], length) != 0) continue;
      const uint8_t head = bytes[first - 1];
      if (head == (0x60 | length) || head == length) return 1;
    }
    return 0;
  }
  return 0;
}

static int is_hex(uint8_t character) { return (hex_values[character] & 0x80) == 0; }

/// Returns whether a letter or digit of ASCII.
static int is_word(uint8_t character) {
  return (uint8_t)(character - '0') <= 9 || (uint8_t)((character | 0x20) - 'a') <= 25;
}

/// Returns whether a character is written at `at`, which is a backslash, as `\u00xx`; the backslash may itself
/// be escaped, any number of times.
static int is_escaped_character(const uint8_t *at, const uint8_t *end) {
  return end - at >= 6 && at[1] == 'u' && at[2] == '0' && at[3] == '0' && is_hex(at[4]) &&
         is_hex(at[5]);
}

enum {
  /// The number of characters that a lenient look reads at first.
  usual_look = 256,
  /// The number of characters that the further looks of one text read, for each of its own and
  /// besides.
  further_factor = 8,
  further_least = 1 << 16,
};

/// A search through one text.
typedef struct {
  const uint8_t *end;
  /// The number of characters that further looks may still read.
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

/// Adds what stands at a place of any string: a usual beginning, a piece of a name, a percent sign, or a
/// backslash with a `u` behind it.
static void look_at_mark(search *search, const uint8_t *text, const uint8_t *at) {
  switch (*at) {
    case '\\':
      if (at + 1 < search->end && at[1] == 'u') look_at_escape(search, at);
      break;
    case '%':
      look_at_percent(search, at);
      break;
    case 'o':
      if (is_beginning(at, search->end)) search->result = ATTEST_SEARCH_TOKEN;
      break;
    case 'Y': case 'F': case 'd':
      if (is_key(text, at, search->end)) search->result = ATTEST_SEARCH_TOKEN;
      break;
    default:
      break;
  }
}

/// Looks at the text byte by byte.
static attest_search_result search_plainly(const uint8_t *text, const uint8_t *end) {
  search search = begin_search(text, end);
  for (const uint8_t *at = text; at < end && search.result != ATTEST_SEARCH_TOKEN; at++) {
    look_at_mark(&search, text, at);
    const int follows_word = at > text && is_word(at[-1]);
    const int follows_escape = at > text + 1 && at[-2] == '\\';
    if (follows_word && !follows_escape) continue;
    if (may_begin_token(at, end)) look_leniently(&search, at);
  }
  return search.result;
}

#if defined(__x86_64__)
/// The kinds of 32 bytes, a bit each.
typedef struct {
  /// Letters and digits, and backslashes.
  uint32_t words, backslashes;
  /// Characters that a token may begin with, and those of them whose next one may follow there.
  uint32_t firsts, pairs;
  /// The places that are looked at in any case: usual beginnings, pieces of names, percent signs,
  /// and backslashes with a `u` behind them.
  uint32_t marks;
} block_bits;

/// Looks what 32 bytes are.
///
/// The conjunction of what the upper and the lower four bits of a character may stand for tells what it
/// is: of what words are made of, digits, A to O and a to o, P to Z and p to z; of first characters, a
/// bit for each set of characters that may follow them, which has the same bit among second ones:
///
/// | bit | first | second |
/// |---|---|---|
/// | 0 | o to v (and a to f) | G, H, W, X |
/// | 1 | o | m, n, 2, 3 (and b, c) |
/// | 2 | p to v | the same |
/// | 3 | u | A to Z |
/// | 4 | u | g, w |
/// | 5 | w to z | a to d, q to t |
/// | 6 | w to z | K to N |
/// | 7 | 0, 1, 2 | letters |
__attribute__((target("avx2"))) static inline block_bits classify(const uint8_t *block) {
  const char n = (char)0x80;
#define TABLE(...) _mm256_broadcastsi128_si256(_mm_setr_epi8(__VA_ARGS__))
  const __m256i word_upper = TABLE(0, 0, 0, 1, 2, 4, 2, 4, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i word_lower = TABLE(5, 7, 7, 7, 7, 7, 7, 7, 7, 7, 6, 2, 2, 2, 2, 2);
  const __m256i first_upper = TABLE(0, 0, 0, n, 0, 0, 0x03, 0x7D, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i first_lower = TABLE((char)0x85, (char)0x85, (char)0x85, 0x05, 0x05, 0x1D, 0x05, 0x60,
                                    0x60, 0x60, 0x60, 0, 0, 0, 0, 0x03);
  const __m256i second_upper =
      TABLE(0, 0, 0, 0x06, (char)0xC9, (char)0x89, (char)0xB6, (char)0xB0, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m256i second_lower =
      TABLE((char)0x88, (char)0xA8, (char)0xAE, (char)0xAE, (char)0xA8, (char)0x88, (char)0x88,
            (char)0x99, (char)0x89, (char)0x88, (char)0x88, (char)0xC8, (char)0xC8, (char)0xCE,
            (char)0xCE, (char)0x88);
#undef TABLE
  const __m256i fifteen = _mm256_set1_epi8(15), zero = _mm256_setzero_si256();
  const __m256i here = _mm256_loadu_si256((const __m256i *)block);
  const __m256i next = _mm256_loadu_si256((const __m256i *)(block + 1));
  const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(here, 4), fifteen);
  const __m256i upper_next = _mm256_and_si256(_mm256_srli_epi16(next, 4), fifteen);
  // A character outside ASCII has none of these bits: its lower bits shuffle to zero.
  const __m256i word = _mm256_and_si256(_mm256_shuffle_epi8(word_upper, upper),
                                        _mm256_shuffle_epi8(word_lower, here));
  const __m256i first = _mm256_and_si256(_mm256_shuffle_epi8(first_upper, upper),
                                         _mm256_shuffle_epi8(first_lower, here));
  const __m256i second = _mm256_and_si256(_mm256_shuffle_epi8(second_upper, upper_next),
                                          _mm256_shuffle_epi8(second_lower, next));
  const __m256i pair = _mm256_and_si256(first, second);
#define IS(vector, character) _mm256_cmpeq_epi8(vector, _mm256_set1_epi8(character))
  const __m256i backslash = IS(here, '\\');
  const __m256i known = _mm256_cmpeq_epi8(_mm256_and_si256(pair, _mm256_set1_epi8(0x02)),
                                          _mm256_set1_epi8(0x02));
  const __m256i piece = _mm256_or_si256(
      _mm256_and_si256(_mm256_or_si256(IS(here, 'Y'), IS(here, 'd')), IS(next, 'X')),
      _mm256_and_si256(IS(here, 'F'), IS(next, '1')));
  const __m256i mark = _mm256_or_si256(
      _mm256_or_si256(known, piece),
      _mm256_or_si256(IS(here, '%'), _mm256_and_si256(backslash, IS(next, 'u'))));
#undef IS
  return (block_bits){
      .words = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(word, zero)),
      .backslashes = (uint32_t)_mm256_movemask_epi8(backslash),
      .firsts = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(first, zero)),
      .pairs = ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(pair, zero)),
      .marks = (uint32_t)_mm256_movemask_epi8(mark)};
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
    const uint32_t behind_escape = bits.backslashes << 2 | backslashes_before >> 30;
    words_before = bits.words;
    backslashes_before = bits.backslashes;
    // Where no letter or digit follows, another character may be passed over.
    const uint32_t firsts =
        (bits.pairs | (bits.firsts & ~(bits.words >> 1))) & (~behind_word | behind_escape);
    uint32_t mask = firsts | bits.marks;
    for (; mask != 0; mask &= mask - 1) {
      const uint8_t *const at = block + __builtin_ctz(mask);
      if (at >= end) break;
      const uint32_t bit = mask & -mask;
      if ((bits.marks & bit) != 0) look_at_mark(&search, text, at);
      if ((firsts & bit) != 0 && may_begin_token(at, end)) look_leniently(&search, at);
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

/// Returns the character that the one behind a backslash stands for, or 0 if the backslash is no
/// escape.
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
  const size_t shorter = sizeof attested - 1, longer = sizeof asserted - 1;
  for (size_t left = length; left >= shorter; left--, bytes++) {
    // Both begin with these four.
    if (memcmp(bytes, "auth", 4) != 0) continue;
    if (memcmp(bytes, attested, shorter) == 0) return 1;
    if (left >= longer && memcmp(bytes, asserted, longer) == 0) return 1;
  }
  return 0;
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
