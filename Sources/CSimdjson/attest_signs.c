#define _GNU_SOURCE

#include "text_tables.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum {
  /// The bytes that are read at a time.
  step = 64,
  /// The shortest run of base64 that is a sign, and the groups of ASCII in it that can be a token: all tokens have more.
  least_run = 64,
  least_groups = 12,
  /// The characters and hex digits by which a token can be told from a word, and the bytes that are read for this.
  least_token = 8,
  least_digits = 16,
  most_bytes = 12,
  /// The characters before which a token cannot end that begins with a tag whose number has eight bytes.
  least_tagged = 14,
  /// The characters that a token in an unusual form has at least.
  least_unusual = 128,
  /// The characters that the beginning of a token in an array of numbers has at least.
  least_array = 16,
};

/// The readings of lenient decoders (`records.R34`, `records.R36`).
static const unsigned dropping[ATTEST_LENIENT_READINGS] = {
    ATTEST_OTHERS_DROPPED, ATTEST_OTHERS_DROPPED | ATTEST_SPACES_ARE_PLUS, ATTEST_OTHERS_DROPPED | ATTEST_DASHES_DROPPED,
    ATTEST_OTHERS_DROPPED | ATTEST_DASHES_DROPPED | ATTEST_SPACES_ARE_PLUS};
enum { readings = ATTEST_LENIENT_READINGS };

static int is_alphanumeric(uint8_t byte) {
  return (uint8_t)((byte | 0x20) - 'a') < 26 || (uint8_t)(byte - '0') < 10;
}

/// Returns the number of bytes of a map's head that a token can have, which is of two or more entries, or 0.
static size_t map_head(uint8_t byte) {
  if ((byte >= 0xA2 && byte <= 0xB7) || byte == 0xBF) return 1;
  return byte >= 0xB8 && byte <= 0xBB ? 1 + ((size_t)1 << (byte - 0xB8)) : 0;
}

/// Returns the number of bytes of a tag's head, or 0.
static size_t tag_head(uint8_t byte) {
  if (byte < 0xC0 || byte > 0xDB) return 0;
  return byte < 0xD8 ? 1 : 1 + ((size_t)1 << (byte - 0xD8));
}

/// Returns whether a byte is the head of a map of more entries than devices make. Words of text often begin so.
static int is_large(const uint8_t *at) { return *at >= 0xA5 && *at <= 0xB7; }

/// Returns whether a byte is the head of an item of CBOR.
static int is_head(uint8_t byte) {
  return (byte & 31) < 28 || ((byte & 31) == 31 && byte >> 5 >= 2 && byte >> 5 <= 5);
}

/// Returns whether the first bytes of a text rule out that it is a token.
static int cannot_begin(const uint8_t *bytes, size_t count) {
  size_t at = 0;
  while (at < count && tag_head(bytes[at]) != 0) at += tag_head(bytes[at]);
  if (at >= count) return 0;
  const size_t head = map_head(bytes[at]);
  return head == 0 || (at + head < count && !is_head(bytes[at + head]));
}

/// Returns whether a text whose first bytes these are can be a token: tags, the head of a map, and a key. If more bytes
/// decide, the answer is that for `count == most_bytes`, and 0 otherwise. It is `large` if the map has more entries than
/// devices make.
enum { large = 2 };
static int can_begin(const uint8_t *bytes, size_t count) {
  size_t at = 0;
  int answer = 1;
  while (at < count && tag_head(bytes[at]) != 0) at += tag_head(bytes[at]);
  if (at < count) {
    const size_t head = map_head(bytes[at]);
    if (head == 0) return 0;
    if (is_large(bytes + at) || (head > 1 && at + 1 < count && bytes[at + 1] > 4)) answer = large;
    at += head;
  }
  if (at >= count) return count == most_bytes;
  // A string of chunks begins with one of its kind.
  const int is_chunked = bytes[at] == 0x5F || bytes[at] == 0x7F;
  if (is_chunked && at + 1 < count && bytes[at + 1] != 0xFF && bytes[at + 1] >> 5 != bytes[at] >> 5) return 0;
  return is_head(bytes[at]) ? answer : 0;
}

/// Groups of the second characters of base64 or hex digits of a token, or of a prefix of hex digits. Of base64: three by
/// their values, those after which the number of entries of a map follows, and the heads of what is in a tag. Of hex digits:
/// three that are disjoint.
enum { low = 1, middle = 2, high = 4, counts = 8, tags = 16, hex_0 = 32, hex_8 = 64, hex_c = 128, any = 255 };
enum { all = low | middle | high, hex = hex_0 | hex_8 };
static const uint8_t seconds[128] __attribute__((aligned(64))) = {
    ['\t' ... '\r'] = any, [' '] = any, ['+'] = high, ['-'] = high, ['/'] = high, ['_'] = high,
    ['0' ... '5'] = high | hex_0, ['6' ... '7'] = high | tags | hex_0, ['8' ... '9'] = high | tags | hex_8,
    ['A' ... 'B'] = low | counts | hex_8, ['C' ... 'E'] = low | counts | hex_c, ['F'] = low | counts | hex_8,
    ['G' ... 'J'] = low | counts, ['K' ... 'N'] = low | counts | tags, ['O' ... 'P'] = low | counts, ['Q'] = middle | counts,
    ['R' ... 'W'] = middle, ['X'] = middle | tags, ['Y' ... 'Z'] = middle, ['a' ... 'b'] = middle | tags | hex_8,
    ['c' ... 'd'] = middle | tags | hex_c, ['e'] = middle | hex_c, ['f'] = middle | hex_8, ['g'] = high | counts,
    ['h' ... 'p'] = high, ['q' ... 't'] = high | tags, ['u' ... 'v'] = high, ['w'] = high | counts, ['x'] = high | tags,
    ['y' ... 'z'] = high,
};

/// The groups after each first character: of maps of few entries and of tags; and of maps of more than devices make, and of a
/// prefix.
static const uint8_t firsts[128] __attribute__((aligned(64))) = {
    ['o'] = high, ['v'] = high, ['p'] = low, ['2'] = all, ['u'] = counts, ['w' ... 'z'] = tags, ['0' ... '1'] = tags,
    ['a'] = hex_0, ['A'] = hex_0, ['b'] = hex_8, ['B'] = hex_8, ['c'] = hex | hex_c, ['C'] = hex | hex_c,
    ['d'] = hex, ['D'] = hex,
};
static const uint8_t bigs[128] __attribute__((aligned(64))) = {
    ['p'] = middle | high, ['q' ... 't'] = all, ['a'] = hex_8 | hex_c, ['A'] = hex_8 | hex_c, ['b'] = hex_0, ['B'] = hex_0,
    ['x'] = all, ['X'] = all,
};

/// Returns whether two characters can be the first ones of a token, or of a prefix of hex digits.
static inline int can_begin_with(const uint8_t *at) {
  return ((at[0] | at[1]) & 0x80) == 0 && ((firsts[at[0]] | bigs[at[0]]) & seconds[at[1]]) != 0;
}

/// Returns whether a byte is a character of base64, of either alphabet, or white space in it.
static int is_run_character(uint8_t byte) {
  return is_alphanumeric(byte) || byte == '+' || byte == '/' || is_dash(byte) || is_white(byte);
}

/// Returns whether so many characters of base64 follow that a token in an unusual form can be among them.
static int is_long_run(const uint8_t *at, const uint8_t *end) {
  if (end - at < least_unusual) return 0;
  for (const uint8_t *const last = at + least_unusual; at < last; at++) {
    if (!is_run_character(*at)) return 0;
  }
  return 1;
}

/// Returns the end of the value that goes on at `at`: within a string of JSON its quote, and else the end of the text.
static const uint8_t *value_end(attest_scan *scan, const uint8_t *at) {
  if (scan->is_decoded) return scan->end;
  while (scan->quote < at || scan->quote == scan->begin) {
    const uint8_t *const quote = memchr(at, '"', (size_t)(scan->end - at));
    scan->quote = quote != NULL ? quote : scan->end;
    // An escaped quote is in the string.
    if (quote == NULL || quote == scan->begin || quote[-1] != '\\') break;
    at = quote + 1;
  }
  return scan->quote;
}

/// Returns whether a name of a token's member follows `at` before `end`, in whatever reading of lenient decoders.
static int is_followed_by_name(attest_scan *scan, const uint8_t *at, const uint8_t *end) {
  for (unsigned turn = 0; turn < readings; turn++) {
    attest_part *const part = &scan->parts[turn];
    if (at < part->from || at >= part->to) {
      size_t characters;
      part->from = at;
      part->seen = 0;
      part->to = 1 + attest_next_name(at, (size_t)(end - at), dropping[turn], &part->has_name, &characters, &part->seen);
    }
    if (part->has_name) return 1;
    // The other readings are the same.
    if ((part->seen & (ATTEST_SEEN_SPACE | ATTEST_SEEN_DASH)) == 0) return 0;
  }
  return 0;
}

/// Returns whether the text at `at` is base64 of a token to lenient decoders, and not to strict ones (`records.R34`).
static int begins_dropped(attest_scan *scan, const uint8_t *at) {
  // No decoder drops a letter or digit.
  if (scan->end - at < least_unusual || (is_alphanumeric(at[1]) && !can_begin_with(at))) return 0;
  const uint8_t *const end = value_end(scan, at);
  uint8_t character = 0;
  // The letter of an escape is no character.
  if (end - at < least_unusual || (at > scan->begin && attest_read_escape(at - 1, end, &character) != 0)) return 0;
  for (unsigned turn = 0; turn < readings; turn++) {
    uint8_t bytes[most_bytes];
    size_t count = 0;
    unsigned seen = 0;
    attest_read_base64(at, (size_t)(end - at), dropping[turn], most_bytes, bytes, &count, &seen);
    const unsigned dropped = ATTEST_SEEN_OTHER | ((dropping[turn] & ATTEST_DASHES_DROPPED) != 0 ? ATTEST_SEEN_DASH : 0);
    if ((seen & dropped) != 0 && count == most_bytes && can_begin(bytes, count)) return is_followed_by_name(scan, at, end);
    // The other readings are the same.
    if ((seen & (ATTEST_SEEN_SPACE | ATTEST_SEEN_DASH)) == 0) return 0;
  }
  return 0;
}

/// Returns whether base64 of a token can begin at `at`. White space in it is passed over. What follows an escape or a
/// percent sign is not known.
static int begins_base64(const uint8_t *at, const uint8_t *end) {
  uint8_t bytes[most_bytes];
  uint32_t bits = 0;
  size_t count = 0, decoded = 0;
  int has_space = 0;
  const uint8_t *const begin = at;
  for (; at < end && decoded < most_bytes; at++) {
    if (is_white(*at)) {
      has_space |= *at == ' ';
      continue;
    }
    if (*at == '\\' || *at == '%') {
      return count >= 2 && !is_large(bytes) && (*at == '%' || at[1] != '"');
    }
    const uint32_t value = base64_values[*at];
    if ((value & other_character) != 0) break;
    bits = bits << 6 | (value & 63);
    if (++count == 2 && map_head((uint8_t)(bits >> 4)) == 0 && tag_head((uint8_t)(bits >> 4)) == 0) return 0;
    if (count % 4 == 1) continue;
    bytes[decoded++] = (uint8_t)(bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0));
    if (decoded == 1 && is_large(bytes) && !is_long_run(begin, end)) return 0;
    if (decoded == 3 && (bytes[0] < 0xD8 || !has_space) && cannot_begin(bytes, decoded)) return 0;
    // The first six bytes decide about nearly all words.
    if (decoded == 6 && tag_head(bytes[0]) == 0 && map_head(bytes[0]) < 6) break;
  }
  if (count < least_token) return 0;
  const int answer = can_begin(bytes, decoded);
  if (answer == large) return is_long_run(begin, end);
  // A space is a plus, too: the number of a tag can contain it.
  return answer || (has_space && bytes[0] >= 0xD8);
}

/// Returns whether hex digits of a token can begin at `at`.
static int begins_hex(const uint8_t *at, const uint8_t *end) {
  const uint8_t *const begin = at;
  uint8_t bytes[most_bytes];
  size_t decoded = 0;
  for (int byte = 0; decoded < most_bytes && (byte = hex_byte(at, end)) >= 0; at += 2) {
    bytes[decoded++] = (uint8_t)byte;
    if (decoded <= 2 && cannot_begin(bytes, decoded)) return 0;
  }
  if (decoded < least_digits / 2) return 0;
  const int answer = can_begin(bytes, decoded);
  return answer == large ? is_long_run(begin, end) : answer;
}

/// Returns whether base64 or hex digits of a token can begin at `at`.
static attest_sign sign_at(const uint8_t *at, const uint8_t *end) {
  if (end - at < least_token || !can_begin_with(at)) return ATTEST_SIGN_NONE;
  if (begins_base64(at, end)) return ATTEST_SIGN_BASE64;
  return begins_hex(at, end) ? ATTEST_SIGN_HEX : ATTEST_SIGN_NONE;
}

/// Returns whether a backslash before this character is an escape whose character can be one of a token's.
static int is_escape(uint8_t byte) {
  switch (byte) {
    case 'u': case 'x': case 'n': case 'r': case 't': case 'b': case 'f': case '/': return 1;
    default: return 0;
  }
}

/// Returns the bits of the first bytes of a step.
static inline uint64_t first_bits(size_t count) { return count < step ? (UINT64_C(1) << count) - 1 : UINT64_MAX; }

/// Returns whether a word at `at` cannot begin a token: its first characters are those of none, or it is too short, and
/// nothing is decoded at its end. `ends` are the bytes from `at` on that are not of a run, `white` those that are white space.
static inline int is_word(const uint8_t *at, const uint8_t *end, uint64_t ends, uint64_t white) {
  if (!can_begin_with(at)) return 1;
  if (ends == 0) return 0;
  const size_t length = (size_t)__builtin_ctzll(ends);
  const uint8_t *const stop = at + length;
  if (stop < end && (*stop == '\\' || *stop == '%')) return 0;
  // The number of a tag can contain a space. Such words are years.
  return length < least_token || (length < least_tagged && at[0] == '2' && (uint8_t)(at[1] - '0') < 10 &&
                                  (white & first_bits(length)) == 0);
}

/// Judges the character at `at`, before which there is something other than a letter or digit.
static attest_sign judge(attest_scan *scan, const uint8_t *at) {
  const uint8_t before = at > scan->begin ? at[-1] : 0;
  const int is_hex_escape = (*at | 0x20) == 'x' && before == '\\';
  scan->found = at;
  // The letter of an escape is no character, nor is the next escape.
  if (before == '\\' && *at == 'u' && scan->end - at > 5 && at[5] == '\\' && hex_byte(at + 1, at + 3) >= 0 &&
      hex_byte(at + 3, at + 5) >= 0) {
    return ATTEST_SIGN_NONE;
  }
  if (before == '%' && hex_byte(at, scan->end) >= 0) {
    scan->has_percents = 1;
    scan->found = at + 2;
  } else if (is_hex_escape || (*at == '0' && scan->end - at > 2 && (at[1] | 0x20) == 'x')) {
    const attest_sign sign = sign_at(at, scan->end);
    const uint8_t *const digits = is_hex_escape ? at + 1 : at + 2;
    if (sign != ATTEST_SIGN_NONE) {
      scan->digits = digits;
      return sign;
    }
    scan->found = digits;
  } else if (before == '[' || is_white(before)) {
    const uint8_t *bracket = at;
    while (bracket > scan->begin && is_white(bracket[-1])) bracket--;
    if (bracket > scan->begin && bracket[-1] == '[' && (uint8_t)(*at - '0') < 10) {
      scan->found = bracket - 1;
      return ATTEST_SIGN_ARRAY;
    }
  }
  return sign_at(scan->found, scan->end);
}

/// The kinds of a byte, as bits: a letter or digit; such a one that can be the first of a token or of a prefix; a character of
/// a run; white space; a backslash; a sign before what is decoded or an array; the first letter of a map of more entries than
/// devices make, whatever the second one is; and a quote.
enum { letter = 1, first = 2, run = 4, white = 8, backslash = 16, code = 32, big = 64, quote = 128 };

enum { plain = letter | run, begins = plain | first, space = run | white };
static const uint8_t kinds[128] __attribute__((aligned(64))) = {
    ['\t' ... '\r'] = space, [' '] = space, ['+'] = run, ['-'] = run, ['/'] = run, ['_'] = run,
    ['0' ... '9'] = begins, ['A' ... 'D'] = begins, ['E' ... 'Z'] = plain,
    ['a' ... 'd'] = begins, ['e' ... 'n'] = plain, ['o' ... 'p'] = begins, ['q' ... 't'] = begins | big, ['u' ... 'z'] = begins,
    ['\\'] = backslash, ['%'] = code, ['['] = code, ['"'] = quote,
};

/// The bytes of a step that are of each kind, a bit for each byte.
typedef struct {
  uint64_t letter, first, run, white, backslash, code, big, quote;
  /// Those that `can_begin_with` may hold of, other than `big` ones.
  uint64_t pair;
} step_masks;

/// Reads the `count` bytes of a step. The bits of all other bytes have no meaning.
typedef step_masks (*step_reader)(const uint8_t *, size_t count);

/// The code for any processor, and the same with vectors.
#define INLINE static inline __attribute__((always_inline))

INLINE step_masks read_plainly(const uint8_t *at, size_t count) {
  step_masks masks = {0};
  for (size_t index = 0; index < count; index++) {
    const uint64_t kind = at[index] < 128 ? kinds[at[index]] : 0;
    masks.letter |= (kind & letter) << index;
    masks.first |= (kind / first & 1) << index;
    masks.run |= (kind / run & 1) << index;
    masks.white |= (kind / white & 1) << index;
    masks.backslash |= (kind / backslash & 1) << index;
    masks.code |= (kind / code & 1) << index;
    masks.big |= (kind / big & 1) << index;
    masks.quote |= (kind / quote & 1) << index;
  }
  masks.pair = ~masks.big;
  return masks;
}

#if defined(__x86_64__)
#define VECTORS __attribute__((target("avx2,bmi")))

/// Returns the kinds of 32 bytes: each row of the table is of one upper half.
INLINE VECTORS __m256i kinds_of(__m256i bytes) {
  const __m256i half = _mm256_set1_epi8(15), low = _mm256_and_si256(bytes, half);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
  __m256i found = _mm256_setzero_si256();
  for (int row = 0; row < 8; row++) {
    if (row == 1) continue;
    const __m256i values = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(kinds + 16 * row)));
    found = _mm256_or_si256(found, _mm256_and_si256(_mm256_shuffle_epi8(values, low),
                                                    _mm256_cmpeq_epi8(high, _mm256_set1_epi8((char)row))));
  }
  return found;
}

INLINE VECTORS uint64_t bytes_of(__m256i low, __m256i high, int shift) {
  const uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(low, shift));
  return (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(high, shift)) << 32 | first;
}

INLINE VECTORS step_masks read_vectors(const uint8_t *at, size_t count) {
  const __m256i low = kinds_of(_mm256_loadu_si256((const __m256i *)at));
  const __m256i high =
      count > step / 2 ? kinds_of(_mm256_loadu_si256((const __m256i *)(at + step / 2))) : _mm256_setzero_si256();
  // Each kind's bit is brought to the highest place.
  const step_masks masks = {bytes_of(low, high, 7), bytes_of(low, high, 6), bytes_of(low, high, 5), bytes_of(low, high, 4),
                            bytes_of(low, high, 3), bytes_of(low, high, 2), bytes_of(low, high, 1), bytes_of(low, high, 0),
                            ~bytes_of(low, high, 1)};
  return masks;
}

#define WIDE __attribute__((target("avx512bw,avx512vbmi,bmi")))

/// Returns the entries of a table for 64 bytes, and 0 for bytes outside ASCII.
INLINE WIDE __m512i entries(const uint8_t *table, __m512i bytes) {
  return _mm512_maskz_permutex2var_epi8(
      ~_mm512_movepi8_mask(bytes), _mm512_load_si512(table), bytes, _mm512_load_si512(table + 64));
}

/// Does the same with whole tables at once.
INLINE WIDE step_masks read_wide(const uint8_t *at, size_t count) {
  (void)count;
  const __m512i bytes = _mm512_loadu_si512(at);
  const __m512i found = entries(kinds, bytes);
  const __m512i second = entries(seconds, _mm512_loadu_si512(at + 1));
  const step_masks masks = {
      _mm512_test_epi8_mask(found, _mm512_set1_epi8(letter)),     _mm512_test_epi8_mask(found, _mm512_set1_epi8(first)),
      _mm512_test_epi8_mask(found, _mm512_set1_epi8(run)),        _mm512_test_epi8_mask(found, _mm512_set1_epi8(white)),
      _mm512_test_epi8_mask(found, _mm512_set1_epi8(backslash)),  _mm512_test_epi8_mask(found, _mm512_set1_epi8(code)),
      _mm512_test_epi8_mask(entries(bigs, bytes), second),        _mm512_movepi8_mask(found),
      _mm512_test_epi8_mask(entries(firsts, bytes), second),
  };
  return masks;
}
#endif

/// Passes over `count` bytes of a step.
INLINE void pass(attest_scan *scan, const uint8_t *at, uint64_t ends, size_t count) {
  const uint64_t others = ends & first_bits(count);
  scan->at = at + count;
  if (others == 0) return;
  scan->run = at + (64 - __builtin_clzll(others));
  scan->is_run_found = 0;
}

/// Returns the bits from one of a step on, with those of the next step.
static inline uint64_t following(uint64_t bits, uint64_t next, size_t from) {
  return bits >> from | next << 1 << (step - 1 - from);
}

/// Returns the bits of a step with the seven bits before each, and before each of the next step.
static inline uint64_t few_before(uint64_t bits, uint64_t next) {
  for (size_t few = 1; few < 8; few *= 2) {
    const uint64_t shifted = next >> few;
    bits |= following(bits, next, few);
    next |= shifted;
  }
  return bits;
}

/// Returns the bits after the last one.
static inline uint64_t after_last(uint64_t bits) {
  return bits == 0 ? UINT64_MAX : UINT64_MAX << 1 << (63 - __builtin_clzll(bits));
}

attest_scan attest_scan_start(const uint8_t *text, size_t length, int is_decoded) {
  const attest_scan scan = {.begin = text, .end = text + length, .at = text, .run = text, .quote = text,
                            .is_decoded = is_decoded};
  return scan;
}

/// Returns the number of bytes of the step at `at`.
static inline size_t count_at(const attest_scan *scan, const uint8_t *at) {
  return scan->end - at < step ? (size_t)(scan->end - at) : step;
}

INLINE attest_sign next_sign(attest_scan *scan, step_reader read) {
  if (scan->digits != NULL) {
    scan->found = scan->digits;
    scan->digits = NULL;
    if (begins_hex(scan->found, scan->end)) return ATTEST_SIGN_HEX;
  }
  if (scan->at >= scan->end) return ATTEST_SIGN_NONE;
  step_masks next = read(scan->at, count_at(scan, scan->at));
  while (scan->at < scan->end) {
    const uint8_t *const at = scan->at;
    const size_t count = count_at(scan, at), next_count = count_at(scan, at + count);
    const step_masks masks = next;
    if (next_count > 0) next = read(at + step, next_count);
    const uint8_t last = at > scan->begin ? at[-1] : 0;
    const uint64_t inside = first_bits(count), ends = ~masks.run & inside;
    // The end of the text ends all.
    const uint64_t after = first_bits(next_count), all_ends = ends | ~inside, next_ends = ~(next.run & after);
    const uint64_t escapes = masks.backslash << 1 | (last == '\\'), coding = masks.code << 1 | (last == '%' || last == '[');
    const uint64_t codes = (escapes & (masks.pair | masks.big)) | coding;
    const uint64_t words = masks.letter & ~(masks.letter << 1 | (uint64_t)is_alphanumeric(last)) & inside;
    // Words that end within a few characters, at something that is not decoded, are no token.
    const uint64_t decoded = (masks.backslash | masks.code) & inside, next_decoded = (next.backslash | next.code) & after;
    const uint64_t brief = few_before(all_ends & ~decoded, next_ends & ~next_decoded) & ~few_before(decoded, next_decoded);
    // A string that ends in this step or in the next one is too short for a big map, and for what only lenient decoders read.
    const uint64_t quotes = scan->is_decoded ? 0 : masks.quote & ~escapes & inside;
    const uint64_t next_quotes = scan->is_decoded ? 0 : next.quote & ~(next.backslash << 1 | masks.backslash >> 63) & after;
    const uint64_t open = next_quotes != 0 || next_count < step ? 0 : after_last(quotes);
    // A number can be the first of an array after white space.
    const uint64_t spaced = (masks.white + (codes & masks.white)) | (is_white(last) ? masks.white + 1 : 0);
    const uint64_t coded = codes | (spaced & ~masks.white);
    for (uint64_t left = escapes & masks.run & inside; left != 0 && !scan->has_escapes; left &= left - 1) {
      scan->has_escapes = is_escape(at[__builtin_ctzll(left)]);
    }
    // The bytes of this step that belong to the run before it.
    const size_t run = ends == 0 ? count : (size_t)__builtin_ctzll(ends);
    const int is_long = !scan->is_run_found && at + run - scan->run >= least_run;
    // A big map is in a run that ends neither in this step nor in the next one.
    const uint64_t tail = next_ends == 0 ? after_last(ends) : 0;
    const uint64_t starting = (masks.first & masks.pair & ~brief) | (masks.big & tail);
    const uint64_t next_letter = following(masks.letter, next.letter & after, 1);
    const uint64_t lenient = masks.first & (masks.pair | masks.big | ~next_letter);
    uint64_t starts = words & (coded | starting | (lenient & open));
    for (; starts != 0; starts &= starts - 1) {
      const size_t index = (size_t)__builtin_ctzll(starts);
      const uint64_t bit = UINT64_C(1) << index;
      attest_sign sign = ATTEST_SIGN_NONE;
      if ((coded & bit) != 0 || ((starting & bit) != 0 && !is_word(at + index, scan->end, following(all_ends, next_ends, index),
                                                                          following(masks.white, next.white, index)))) {
        sign = judge(scan, at + index);
      }
      if (sign == ATTEST_SIGN_NONE) {
        // The first characters of maps' and tags' heads are 'o' to 'z' and digits.
        if ((open & bit) == 0 || ((uint8_t)(at[index] - 'o') > 'z' - 'o' && (uint8_t)(at[index] - '0') > 2)) continue;
        if (!begins_dropped(scan, at + index)) continue;
        scan->found = at + index;
        sign = ATTEST_SIGN_BASE64;
      }
      if (index > run && is_long) break;
      pass(scan, at, ends, index + 1);
      return sign;
    }
    // A run before the place of a sign is found before it.
    const uint8_t *const found = scan->run;
    if (starts == 0) pass(scan, at, ends, count);
    if (is_long) {
      if (starts != 0 || run == count) scan->is_run_found = 1;
      scan->found = found;
      return ATTEST_SIGN_RUN;
    }
  }
  return ATTEST_SIGN_NONE;
}

INLINE const uint8_t *run_end(const uint8_t *from, const uint8_t *end, int *has_white, step_reader read) {
  for (*has_white = 0; from < end; from += step) {
    const size_t count = end - from < step ? (size_t)(end - from) : step;
    const step_masks masks = read(from, count);
    const uint64_t ends = ~masks.run & first_bits(count);
    const size_t length = ends == 0 ? count : (size_t)__builtin_ctzll(ends);
    *has_white |= (masks.white & first_bits(length)) != 0;
    if (length < step) return from + length;
  }
  return end;
}

/// The same functions, with one way to read a step.
typedef struct {
  attest_sign (*next_sign)(attest_scan *scan);
  const uint8_t *(*run_end)(const uint8_t *from, const uint8_t *end, int *has_white);
} variant;

#define VARIANT(name, target, read)                                                                     \
  target static attest_sign name##_next_sign(attest_scan *scan) { return next_sign(scan, read); }       \
  target static const uint8_t *name##_run_end(const uint8_t *from, const uint8_t *end, int *has_white) { \
    return run_end(from, end, has_white, read);                                                         \
  }                                                                                                     \
  static const variant name = {name##_next_sign, name##_run_end};

VARIANT(of_bytes, , read_plainly)
#if defined(__x86_64__)
VARIANT(of_vectors, VECTORS, read_vectors)
VARIANT(of_lines, WIDE, read_wide)
#endif

static inline const variant *best(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vbmi")) return &of_lines;
  if (__builtin_cpu_supports("avx2")) return &of_vectors;
#endif
  return &of_bytes;
}

attest_sign attest_next_sign(attest_scan *scan) { return best()->next_sign(scan); }

const uint8_t *attest_run_end(const uint8_t *from, const uint8_t *end, int *has_white) {
  return best()->run_end(from, end, has_white);
}

size_t attest_compact_run(const uint8_t *text, size_t length, unsigned reading, uint8_t *out) {
  uint8_t *const begin = out;
  for (const uint8_t *at = text; at < text + length; at++) {
    if (*at == ' ' && (reading & ATTEST_SPACES_ARE_PLUS) != 0) {
      *out++ = '+';
    } else if ((base64_values[*at] & (other_character | space_character)) == 0) {
      *out++ = *at;
    }
  }
  return (size_t)(out - begin);
}

/// Returns whether four characters are the base64 of three bytes of ASCII.
static int is_text(const uint8_t *at) {
  return (base64_values[at[0]] & 32) == 0 && (base64_values[at[1]] & 8) == 0 && (base64_values[at[2]] & 2) == 0;
}

unsigned attest_text_phase(const uint8_t *characters, size_t length, unsigned phase) {
  for (; phase < 4; phase++) {
    size_t at = phase;
    while (at + 4 * least_groups <= length) {
      // From the last group back: one that is none rules out all places before it.
      int group = least_groups - 1;
      while (group >= 0 && is_text(characters + at + 4 * group)) group--;
      if (group < 0) return phase;
      at += 4 * (size_t)(group + 1);
    }
  }
  return phase;
}

size_t attest_decode_characters(const uint8_t *text, size_t length, uint8_t *out) {
  const uint8_t *const begin = out;
  uint32_t bits = 0;
  unsigned count = 0;
  for (size_t at = 0; at < length; at++) {
    bits = bits << 6 | (base64_values[text[at]] & 63);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    *out++ = (uint8_t)(bits >> count);
  }
  return (size_t)(out - begin);
}

size_t attest_read_escape(const uint8_t *at, const uint8_t *end, uint8_t *character) {
  if (end - at < 2 || *at != '\\') return 0;
  switch (at[1]) {
    case 'n': *character = '\n'; return 2;
    case 'r': *character = '\r'; return 2;
    case 't': *character = '\t'; return 2;
    case 'b': *character = '\b'; return 2;
    case 'f': *character = '\f'; return 2;
    case '"': case '\\': case '/': *character = at[1]; return 2;
    case 'x': {
      const int byte = hex_byte(at + 2, end);
      *character = (uint8_t)byte;
      return byte < 0 ? 0 : 4;
    }
    case 'u': {
      const int high = hex_byte(at + 2, end), low = end - at < 6 ? -1 : hex_byte(at + 4, end);
      *character = high == 0 && low < 0x80 ? (uint8_t)low : '?';
      return high < 0 || low < 0 ? 0 : 6;
    }
    default: return 0;
  }
}

int attest_is_decoded(const uint8_t *at, const uint8_t *end) {
  const uint8_t *letter = at;
  while (letter < end && *letter == '\\') letter++;
  if (letter == at || letter == end || !is_escape(*letter)) return 0;
  uint8_t character = 0;
  return letter - at > 1 || attest_read_escape(at, end, &character) != 0;
}

size_t attest_read_base64(const uint8_t *text, size_t length, unsigned reading, size_t most, uint8_t *out, size_t *count,
                          unsigned *seen) {
  const uint8_t *const end = text + length;
  const uint8_t *at = text;
  uint32_t bits = 0;
  // Characters of the group at hand, and the padding after them.
  unsigned group = 0, padding = 0;
  size_t written = 0;
  for (; at < end && written < most; at++) {
    const int value = base64_value(*at, reading, seen);
    if (value == is_other) {
      if ((reading & ATTEST_OTHERS_DROPPED) == 0 || (*at == '=' && group >= 2 && group + ++padding >= 4)) break;
    }
    if (value < 0) continue;
    bits = bits << 6 | (uint32_t)value;
    padding = 0;
    if (group != 0) out[written++] = (uint8_t)(bits >> (group == 1 ? 4 : group == 2 ? 2 : 0));
    group = (group + 1) & 3;
  }
  *count = written;
  return (size_t)(at - text);
}

/// Characters of base64 in one reading, as bits.
typedef struct {
  const uint8_t *at, *end;
  unsigned reading;
  /// The last characters, and how many bits of them are not used yet.
  uint64_t bits;
  unsigned left, seen;
} base64_bits;

/// Adds the next character, or returns 0 at the end.
static inline int next_character(base64_bits *text) {
  for (; text->at < text->end; text->at++) {
    const int value = base64_value(*text->at, text->reading, &text->seen);
    if (value == is_other && (text->reading & ATTEST_OTHERS_DROPPED) == 0) return 0;
    if (value < 0) continue;
    text->bits = text->bits << 6 | (uint32_t)value;
    text->left += 6;
    text->at++;
    return 1;
  }
  return 0;
}

static int next_byte(base64_bits *text) {
  while (text->left < 8) {
    if (!next_character(text)) return -1;
  }
  text->left -= 8;
  return (uint8_t)(text->bits >> text->left);
}

/// The names of which a token has one (`records.R53`).
static const char *const names[] = {"fmt", "attStmt", "authData", "signature", "authenticatorData"};
enum { name_count = sizeof names / sizeof *names, longest_name = 17 };

/// Returns whether a text in chunks that is a name follows its head.
static int has_chunked_name(base64_bits text) {
  char name[longest_name + 1] = {0};
  size_t count = 0;
  int byte = 0;
  while ((byte = next_byte(&text)) != 0xFF) {
    if (byte < 0x60 || byte > 0x7B) return 0;
    uint64_t length = (uint64_t)byte - 0x60;
    if (byte >= 0x78) {
      length = 0;
      for (int left = 1 << (byte - 0x78); left > 0; left--) {
        if ((byte = next_byte(&text)) < 0) return 0;
        length = length << 8 | (uint64_t)byte;
      }
    }
    if (length > longest_name - count) return 0;
    for (; length > 0; length--) {
      if ((byte = next_byte(&text)) < 0) return 0;
      name[count++] = (char)byte;
    }
  }
  for (size_t index = 0; index < name_count; index++) {
    if (strlen(names[index]) == count && memcmp(names[index], name, count) == 0) return 1;
  }
  return 0;
}

static int names_member(const uint8_t *bytes, size_t length) {
  for (size_t index = 0; index < name_count; index++) {
    if (memmem(bytes, length, names[index], strlen(names[index])) != NULL) return 1;
  }
  return 0;
}

/// Returns whether bytes end with a name, or with its last seven bytes.
static int ends_name(uint64_t bytes) {
  for (size_t index = 0; index < name_count; index++) {
    const size_t length = strlen(names[index]), least = length < 7 ? length : 7;
    size_t same = 0;
    while (same < least && (uint8_t)(bytes >> 8 * same) == (uint8_t)names[index][length - 1 - same]) same++;
    if (same == least) return 1;
  }
  return 0;
}

const uint8_t *attest_next_name(const uint8_t *text, size_t length, unsigned reading, int *has_name, size_t *characters,
                                unsigned *seen) {
  // A name's last bytes, and the head of a text in chunks.
  static const uint8_t telling[256] = {['t'] = 1, ['a'] = 1, ['e'] = 1, [0x7F] = 1};
  base64_bits bits = {text, text + length, reading, 0, 0, 0};
  for (*characters = 0; next_character(&bits); ++*characters) {
    // A byte ends in any pair of bits of a character.
    for (unsigned shift = 0; shift < 6; shift += 2) {
      const uint64_t bytes = bits.bits >> shift;
      if (!telling[(uint8_t)bytes]) continue;
      base64_bits rest = bits;
      rest.left = shift;
      if ((uint8_t)bytes == 0x7F ? has_chunked_name(rest) : ends_name(bytes)) {
        *has_name = 1;
        return bits.at - 1;
      }
    }
  }
  *has_name = 0;
  *seen |= bits.seen;
  return bits.at;
}

static size_t read_percent(const uint8_t *at, const uint8_t *end, uint8_t *character) {
  const int byte = hex_byte(at + 1, end);
  *character = (uint8_t)byte;
  return byte < 0 ? 0 : 3;
}

/// Copies a text with each code that begins with `first` as the character that `read` finds.
static size_t decode(const uint8_t *text, size_t length, uint8_t *out, uint8_t first,
                     size_t (*read)(const uint8_t *, const uint8_t *, uint8_t *)) {
  const uint8_t *const begin = out, *const end = text + length;
  while (text < end) {
    // Codes are often near each other.
    const uint8_t *const near = end - text < step ? end : text + step;
    while (text < near && *text != first) *out++ = *text++;
    if (text == near && text < end) {
      const uint8_t *const found = memchr(text, first, (size_t)(end - text));
      const size_t plain = (size_t)((found != NULL ? found : end) - text);
      memcpy(out, text, plain);
      out += plain;
      text += plain;
    }
    if (text == end) break;
    uint8_t character = 0;
    const size_t code = read(text, end, &character);
    *out++ = code == 0 ? *text : character;
    text += code == 0 ? 1 : code;
  }
  return (size_t)(out - begin);
}

size_t attest_decode_escapes(const uint8_t *text, size_t length, uint8_t *out) {
  return decode(text, length, out, '\\', attest_read_escape);
}

size_t attest_decode_percents(const uint8_t *text, size_t length, uint8_t *out) {
  return decode(text, length, out, '%', read_percent);
}

/// Returns whether an array of numbers is long enough for the beginning of a token.
static int is_long_array(const uint8_t *bracket, const uint8_t *end) {
  if (end - bracket <= least_array) return 0;
  for (const uint8_t *at = bracket + 1; at < bracket + least_array; at++) {
    const int is_sign = *at == ',' || *at == '.' || *at == '+' || *at == '-' || is_white(*at);
    if (!is_sign && (uint8_t)(*at - '0') > 9 && (*at | 0x20) != 'e') return 0;
  }
  return 1;
}

/// Returns whether a token can go on at its sign: it has the name of a member there, or after it is decoded.
static int has_name(attest_scan *scan, attest_sign sign) {
  if (sign == ATTEST_SIGN_BASE64) return is_followed_by_name(scan, scan->found, value_end(scan, scan->found));
  if (sign == ATTEST_SIGN_ARRAY) return is_long_array(scan->found, scan->end);
  uint8_t bytes[step];
  size_t count = 0;
  int byte;
  const uint8_t *at = scan->found;
  for (; (byte = hex_byte(at, scan->end)) >= 0; at += 2) {
    // A name in parts begins with this byte.
    if (count == step || byte == 0x7F) return 1;
    bytes[count++] = (uint8_t)byte;
  }
  return names_member(bytes, count);
}

/// Returns whether a text has no sign, also when the strings in it are decoded so many times.
enum { most_decodings = 3, most_decoded = 4096 };
static int has_no_sign(const uint8_t *text, size_t length, int decodings);

/// Returns the same about a text, at most `most_decoded` bytes, that is decoded first.
static int has_no_decoded_sign(const uint8_t *text, size_t length, int decodings,
                               size_t (*decode)(const uint8_t *, size_t, uint8_t *)) {
  uint8_t decoded[most_decoded + step];
  const size_t count = decode(text, length, decoded);
  memset(decoded + count, 0, step);
  return count == length || has_no_sign(decoded, count, decodings);
}

/// Returns the next escape, or percent sign, by which a character of a token can be written.
static const uint8_t *next_code(const uint8_t *at, const uint8_t *end, int is_escaped) {
  while ((at = memchr(at, is_escaped ? '\\' : '%', (size_t)(end - at))) != NULL && is_escaped && !is_escape(at[1])) at++;
  return at;
}

static int has_no_sign(const uint8_t *text, size_t length, int decodings) {
  attest_scan scan = attest_scan_start(text, length, decodings < most_decodings);
  attest_sign sign;
  while ((sign = attest_next_sign(&scan)) != ATTEST_SIGN_NONE) {
    if (sign != ATTEST_SIGN_RUN) {
      if (has_name(&scan, sign)) return 0;
      continue;
    }
    int has_white;
    const size_t run = (size_t)(attest_run_end(scan.found, scan.end, &has_white) - scan.found);
    if (has_white) return 0;
    // Lenient decoders read the base64 of a whole string.
    const uint8_t *after = scan.found + run;
    while (after < scan.end && *after == '=') after++;
    const int is_string = (scan.found == scan.begin || scan.found[-1] == '"') &&
                          (after == scan.end || *after == '"' || (*after == '\\' && after[1] == '"'));
    for (unsigned phase = 0; (phase = attest_text_phase(scan.found, run, phase)) < 4; phase++) {
      if (!is_string || decodings == 0 || run > most_decoded) return 0;
      if (!has_no_decoded_sign(scan.found + phase, run - phase, decodings - 1, attest_decode_characters)) return 0;
    }
  }
  if (!scan.has_escapes && !scan.has_percents) return 1;
  if (decodings == 0 || (scan.has_escapes && scan.has_percents)) return 0;
  const uint8_t *from = text, *at;
  while ((at = next_code(from, scan.end, scan.has_escapes)) != NULL) {
    // A decoded text is not in strings.
    const uint8_t *quote = scan.is_decoded ? NULL : memrchr(from, '"', (size_t)(at - from));
    while (quote != NULL && quote > from && quote[-1] == '\\') quote = memrchr(from, '"', (size_t)(quote - from));
    if (quote != NULL) from = quote + 1;
    scan.quote = from;
    const uint8_t *const end = value_end(&scan, at + (scan.has_escapes && scan.end - at > 1 ? 2 : 1));
    if (end - from > most_decoded) return 0;
    if (!has_no_decoded_sign(from, (size_t)(end - from), decodings - 1,
                             scan.has_escapes ? attest_decode_escapes : attest_decode_percents)) return 0;
    from = end;
  }
  return 1;
}

int attest_is_clear(const uint8_t *text, size_t length, const uint8_t *known, size_t known_length) {
  if (known == NULL || known_length == 0) return has_no_sign(text, length, most_decodings);
  // A search for few characters is quick.
  const uint8_t *const found = known >= text && known < text + length
      ? known : memmem(text, length, known, known_length < least_digits ? known_length : least_digits);
  if (found == NULL || found == text || found[-1] != '"' || known_length >= (size_t)(text + length - found)) return 0;
  const uint8_t *const end = found + known_length;
  if ((found != known && memcmp(found, known, known_length) != 0) || (*end != '"' && *end != '\\')) return 0;
  return has_no_sign(text, (size_t)(found - text), most_decodings) &&
         has_no_sign(end, (size_t)(text + length - end), most_decodings);
}

int attest_names_authenticator_data(const uint8_t *bytes, size_t length) {
  return memmem(bytes, length, "authData", 8) != NULL || memmem(bytes, length, "authenticatorData", 17) != NULL;
}
