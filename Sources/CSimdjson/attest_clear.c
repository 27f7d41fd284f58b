#define _GNU_SOURCE

#include <string.h>

#include "text_tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// A token has a name (`records.R53`), with its length before it, or in chunks. Decoders of base64 pass over what is neither a
// letter nor a digit, each of them over other characters. The characters of a name, in base64 or hex digits, are letters and
// digits: in a text of which all else is left out, they follow one another, whoever reads the text.

enum {
  /// The bytes that are read at a time.
  step = 64,
  /// The letters and digits that are kept at a time; the last of them by which a name is known, and those that are kept for
  /// the next time.
  window = 4096,
  most_letters = 100,
  overlap = 120,
  /// The shortest run of base64 that can be a text with a token.
  least_run = 64,
  /// The characters that a token has at least, with its first name.
  least_token = 7,
  /// The characters that the beginning of a token in an array of numbers has at least.
  least_array = 16,
  /// How often a text is decoded, and the longest that is.
  most_decodings = 3,
  most_decoded = 8192,
  /// The characters by which a known text is found.
  least_known = 16,
};

/// The kinds of a byte, as bits: a letter or digit; a character of a run of base64; a backslash, and what makes an escape after
/// it; a sign before what is decoded, or an array.
enum { letter = 1, run = 2, backslash = 4, escape = 8, code = 16 };
enum { plain = letter | run, escaped = plain | escape };
static const uint8_t kinds[128] __attribute__((aligned(64))) = {
    ['\t' ... '\r'] = run, [' '] = run, ['+'] = run, ['-'] = run, ['/'] = run | escape, ['_'] = run, ['0' ... '9'] = plain,
    ['A' ... 'Z'] = plain, ['a'] = plain, ['b'] = escaped, ['c' ... 'e'] = plain, ['f'] = escaped, ['g' ... 'm'] = plain,
    ['n'] = escaped, ['o' ... 'q'] = plain, ['r'] = escaped, ['s'] = plain, ['t' ... 'u'] = escaped, ['v' ... 'w'] = plain,
    ['x'] = escaped, ['y' ... 'z'] = plain, ['\\'] = backslash, ['%'] = code, ['['] = code,
};

/// The ways in which a name begins, as bits: its first three bytes in base64, by the place of the first one in a group; the
/// same of the head of a text in chunks, what is in it and the byte after that; and the first two in hex digits.
enum { way_0 = 1, way_1 = 2, way_2 = 4, chunks_0 = 8, chunks_1 = 16, chunks_2 = 32, odd_chunks_2 = 64, hex = 128 };

/// The characters of each way. The last character of the head of chunks is a slash at one place, and left out.
#define ENDS_01 "BFJNRVZdhlptx159"
static const char *const characters[8][4] = {
    {"ZYc", "mX2", "1RVl", "0n"},
    {"GWm2HXn3", "ZFN", "t01p", "dZ"},
    {ENDS_01, "mhz", "bda", "XHW"},
    {"f", "23", ENDS_01 "gkos", "ABCDEFGHIJKLMNOPQRghijklmnopqrstuvwxz4567"},
    {"HXn3", "9", "ghijklmnopqrstuvwx4567", "ABCDEYZabce"},
    {ENDS_01, "YZabc", "GWm2HXn3", "ZFN"},
    {ENDS_01, "Ye", "ABQgwGH", ENDS_01 "AEIMQUYcgkosw048"},
    {"67", "136fF", "67", "0123456789abcdefABCDEF"},
};

/// The ways of each character at each of the four places.
static uint8_t ways[4][128] __attribute__((aligned(64)));

__attribute__((constructor)) static void fill_ways(void) {
  for (int way = 0; way < 8; way++) {
    for (int place = 0; place < 4; place++) {
      for (const char *at = characters[way][place]; *at != 0; at++) ways[place][(uint8_t)*at] |= (uint8_t)(1 << way);
    }
  }
}

static inline unsigned ways_at(const uint8_t *letters) {
  return ways[0][letters[0]] & ways[1][letters[1]] & ways[2][letters[2]] & ways[3][letters[3]];
}

// MARK: Names

/// The names of which a token has one (`records.R53`), and the bytes by which a name in chunks is known.
static const char *const names[] = {"fmt", "attStmt", "authData", "signature", "authenticatorData"};
enum { name_count = sizeof names / sizeof *names, longest_name = 17, most_name_bytes = 48 };

/// Returns whether bytes are the head of a text, or its end, and a name of that length.
static int is_name(const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < name_count; index++) {
    const size_t length = strlen(names[index]), head = bytes[0] & 63;
    if ((head == length || head == length + 32) && count > length && memcmp(bytes + 1, names[index], length) == 0) return 1;
  }
  return 0;
}

/// Returns whether bytes are the chunks of a name, or more bytes than `most_name_bytes` decide.
static int are_chunks(const uint8_t *bytes, size_t count) {
  char name[longest_name];
  size_t known = 0;
  for (size_t at = 0; at < count;) {
    const uint8_t head = bytes[at++];
    if (head < 0x60 || head > 0x7B) return 0;
    uint64_t length = (uint64_t)head - 0x60;
    if (head >= 0x78) {
      const size_t width = (size_t)1 << (head - 0x78);
      if (count - at < width) break;
      length = 0;
      for (size_t end = at + width; at < end; at++) length = length << 8 | bytes[at];
    }
    if (length > longest_name - known) return 0;
    const size_t taken = length < count - at ? (size_t)length : count - at;
    memcpy(name + known, bytes + at, taken);
    known += taken;
    at += length;
    int begins = 0;
    for (size_t index = 0; index < name_count; index++) {
      if (known > strlen(names[index]) || memcmp(name, names[index], known) != 0) continue;
      if (known == strlen(names[index])) return 1;
      begins = 1;
    }
    if (!begins) return 0;
  }
  return count + 2 >= most_name_bytes;
}

size_t attest_find_name(const uint8_t *bytes, size_t count) {
  for (size_t at = 0; at < count; at++) {
    if (is_name(bytes + at, count - at)) return at;
    if (bytes[at] == 0x7F && are_chunks(bytes + at + 1, count - at - 1 < most_name_bytes ? count - at - 1 : most_name_bytes)) {
      return at;
    }
  }
  return count;
}

/// Returns the byte of base64 that begins at a bit.
static inline uint8_t byte_at(const uint8_t *letters, size_t bit) {
  const uint8_t *const at = letters + bit / 6;
  const uint32_t bits = (base64_values[at[0]] & 63) << 12 | (base64_values[at[1]] & 63) << 6 | (base64_values[at[2]] & 63);
  return (uint8_t)(bits >> (10 - bit % 6));
}

/// Reads base64 from a bit on. Returns the number of bytes.
static size_t read_bits(const uint8_t *letters, size_t count, size_t bit, uint8_t *bytes) {
  size_t read = 0;
  for (; read < most_name_bytes && bit + 8 <= 6 * count; bit += 8) bytes[read++] = byte_at(letters, bit);
  return read;
}

static size_t read_digits(const uint8_t *at, const uint8_t *end, uint8_t *bytes) {
  size_t read = 0;
  for (int byte; read < most_name_bytes && (byte = hex_byte(at, end)) >= 0; at += 2) bytes[read++] = (uint8_t)byte;
  return read;
}

/// Returns whether the last bits of the head of a text are those of a name.
static inline int is_head(int byte) {
  const uint64_t lengths = 1 << 3 | 1 << 7 | 1 << 8 | 1 << 9 | 1 << 17;
  return byte >= 0 && ((lengths | lengths << 32) >> (byte & 63) & 1) != 0;
}

/// Returns whether a name can be at a place of letters and digits.
static int names_at(const uint8_t *letters, size_t count, size_t index) {
  const unsigned found = ways_at(letters + index);
  uint8_t bytes[most_name_bytes];
  for (size_t way = 0; way < 3; way++) {
    // The byte before the name is read, too.
    const size_t bit = 6 * index + 2 * way;
    if ((found & way_0 << way) != 0 && bit >= 8 && is_head(byte_at(letters, bit - 8)) &&
        is_name(bytes, read_bits(letters, count, bit - 8, bytes))) {
      return 1;
    }
    // The head of chunks is before them; of one that ends with a slash there are two bits.
    const size_t chunks = way == 2 ? bit + 2 : bit + 8;
    const unsigned chunked = way == 2 ? chunks_2 | odd_chunks_2 : chunks_0 << way;
    if ((found & chunked) != 0 && are_chunks(bytes, read_bits(letters, count, chunks, bytes))) return 1;
  }
  if ((found & hex) == 0 || index < 2) return 0;
  const uint8_t *const digits = letters + index, *const end = letters + count;
  if (is_head(hex_byte(digits - 2, end)) && is_name(bytes, read_digits(digits - 2, end, bytes))) return 1;
  return (digits[1] | 0x20) == 'f' && are_chunks(bytes, read_digits(digits + 2, end, bytes));
}

// MARK: Steps

/// The bytes of a step that are of a kind, a bit for each byte.
typedef struct {
  uint64_t run, backslash, escape, code;
} step_masks;

/// Letters and digits that were not yet searched for names.
typedef struct {
  uint8_t bytes[window + 4 * step] __attribute__((aligned(64)));
  size_t count;
} letter_store;

/// Reads the bytes of a step that are `inside` it, and keeps those that are letters and digits.
typedef step_masks (*step_reader)(const uint8_t *at, uint64_t inside, letter_store *letters);

/// Returns the places of a step at which a name begins in one of the ways.
typedef uint64_t (*name_finder)(const uint8_t *letters);

#define INLINE static inline __attribute__((always_inline))

INLINE step_masks read_plainly(const uint8_t *at, uint64_t inside, letter_store *letters) {
  step_masks masks = {0};
  uint8_t *out = letters->bytes + letters->count;
  for (size_t index = 0; index < step && (inside >> index & 1) != 0; index++) {
    const uint64_t kind = at[index] < 128 ? kinds[at[index]] : 0;
    *out = at[index];
    out += kind & letter;
    masks.run |= (kind / run & 1) << index;
    masks.backslash |= (kind / backslash & 1) << index;
    masks.escape |= (kind / escape & 1) << index;
    masks.code |= (kind / code & 1) << index;
  }
  letters->count = (size_t)(out - letters->bytes);
  return masks;
}

INLINE uint64_t find_plainly(const uint8_t *letters) {
  uint64_t found = 0;
  for (size_t index = 0; index < step; index++) found |= (uint64_t)(ways_at(letters + index) != 0) << index;
  return found;
}

#if defined(__x86_64__)
#define VECTORS __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define WIDE __attribute__((target("avx512bw,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

/// Returns the entries of a table of 128 for 32 bytes, and 0 for bytes outside ASCII: each row of the table is of one upper
/// half. There is nothing in the second row.
INLINE VECTORS __m256i half_entries(const uint8_t *table, __m256i bytes) {
  const __m256i half = _mm256_set1_epi8(15), low = _mm256_and_si256(bytes, half);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
  __m256i found = _mm256_setzero_si256();
  for (int row = 0; row < 8; row++) {
    if (row == 1) continue;
    const __m256i values = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(table + 16 * row)));
    found = _mm256_or_si256(found, _mm256_and_si256(_mm256_shuffle_epi8(values, low),
                                                    _mm256_cmpeq_epi8(high, _mm256_set1_epi8((char)row))));
  }
  return found;
}

/// Returns a bit of each of 64 bytes, `shift` places below the highest one.
INLINE VECTORS uint64_t bits_of(__m256i low, __m256i high, int shift) {
  const uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(low, shift));
  return (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(high, shift)) << 32 | first;
}

/// Returns the entries of a table of 128 for 64 bytes, and 0 for bytes outside ASCII.
INLINE WIDE __m512i entries(const uint8_t *table, __m512i bytes) {
  return _mm512_maskz_permutex2var_epi8(
      ~_mm512_movepi8_mask(bytes), _mm512_load_si512(table), bytes, _mm512_load_si512(table + 64));
}

INLINE VECTORS step_masks read_vectors(const uint8_t *at, uint64_t inside, letter_store *letters) {
  const __m256i low = half_entries(kinds, _mm256_loadu_si256((const __m256i *)at));
  const __m256i high = half_entries(kinds, _mm256_loadu_si256((const __m256i *)(at + step / 2)));
  const uint64_t kept = bits_of(low, high, 7) & inside;
  uint8_t *out = letters->bytes + letters->count;
  for (int index = 0; index < step; index += 8) {
    const uint64_t few = kept >> index & 255;
    uint64_t bytes;
    memcpy(&bytes, at + index, sizeof bytes);
    bytes = _pext_u64(bytes, _pdep_u64(few, UINT64_C(0x0101010101010101)) * 255);
    memcpy(out, &bytes, sizeof bytes);
    out += __builtin_popcountll(few);
  }
  letters->count = (size_t)(out - letters->bytes);
  const step_masks masks = {
      bits_of(low, high, 6), bits_of(low, high, 5) & inside, bits_of(low, high, 4), bits_of(low, high, 3) & inside};
  return masks;
}

INLINE VECTORS __m256i half_ways(const uint8_t *letters) {
  __m256i found = _mm256_set1_epi8(-1);
  for (int place = 0; place < 4; place++) {
    found = _mm256_and_si256(found, half_entries(ways[place], _mm256_loadu_si256((const __m256i *)(letters + place))));
  }
  return _mm256_cmpeq_epi8(found, _mm256_setzero_si256());
}

INLINE VECTORS uint64_t find_vectors(const uint8_t *letters) {
  return ~bits_of(half_ways(letters), half_ways(letters + step / 2), 0);
}

INLINE WIDE step_masks read_wide(const uint8_t *at, uint64_t inside, letter_store *letters) {
  const __m512i bytes = _mm512_maskz_loadu_epi8(inside, at);
  const __m512i found = entries(kinds, bytes);
  const uint64_t kept = _mm512_test_epi8_mask(found, _mm512_set1_epi8(letter));
  _mm512_storeu_si512(letters->bytes + letters->count, _mm512_maskz_compress_epi8(kept, bytes));
  letters->count += (size_t)__builtin_popcountll(kept);
  const step_masks masks = {
      _mm512_test_epi8_mask(found, _mm512_set1_epi8(run)), _mm512_test_epi8_mask(found, _mm512_set1_epi8(backslash)),
      _mm512_test_epi8_mask(found, _mm512_set1_epi8(escape)), _mm512_test_epi8_mask(found, _mm512_set1_epi8(code))};
  return masks;
}

INLINE WIDE uint64_t find_wide(const uint8_t *letters) {
  const __m512i first = entries(ways[0], _mm512_loadu_si512(letters));
  const __m512i second = entries(ways[1], _mm512_loadu_si512(letters + 1));
  const __m512i third = entries(ways[2], _mm512_loadu_si512(letters + 2));
  const __m512i fourth = entries(ways[3], _mm512_loadu_si512(letters + 3));
  return _mm512_test_epi8_mask(_mm512_and_si512(first, second), _mm512_and_si512(third, fourth));
}
#endif

// MARK: Texts

/// A text without the known token.
typedef struct {
  const uint8_t *begin, *end;
  /// The known token, if it was not found yet.
  const uint8_t *known;
  size_t known_length;
  /// Whether the text is one string, in which a quote ends nothing.
  int is_decoded;
  /// How often the text may be decoded yet.
  int decodings;
  /// The letters of texts that were decoded as often; after them, those of what is decoded once more.
  letter_store *letters;
} clear_text;

/// Decodes a text. Returns the number of bytes.
typedef size_t (*decoder)(const uint8_t *text, size_t length, uint8_t *out);

static int is_clear(const clear_text *text);
static int is_clear_of_names(letter_store *letters);

/// Returns whether a name begins in letters before a place.
INLINE int has_name(letter_store *letters, size_t end, name_finder find) {
  memset(letters->bytes + letters->count, 0, step + 4);
  for (size_t at = 0; at < end; at += step) {
    for (uint64_t found = find(letters->bytes + at); found != 0; found &= found - 1) {
      if (names_at(letters->bytes, letters->count, at + (size_t)__builtin_ctzll(found))) return 1;
    }
  }
  return 0;
}

/// Returns whether a part of a text is clear after it is decoded.
static int is_clear_decoded(const clear_text *text, const uint8_t *from, const uint8_t *to, decoder decode) {
  const size_t length = (size_t)(to - from);
  if (text->decodings == 0 || length > most_decoded) return 0;
  uint8_t decoded[most_decoded + step];
  const size_t count = decode(from, length, decoded);
  memset(decoded + count, 0, step);
  const clear_text inner = {
      decoded, decoded + count, text->known, text->known_length, 1, text->decodings - 1, text->letters + 1};
  return count == length || is_clear(&inner);
}

/// Returns the string around a part of a text, which contains escaped quotes.
static clear_text string_around(const clear_text *text, const uint8_t *from, const uint8_t *to) {
  clear_text string = *text;
  if (text->is_decoded) return string;
  for (string.begin = from; string.begin > text->begin; string.begin--) {
    if (string.begin[-1] == '"' && (string.begin - text->begin < 2 || string.begin[-2] != '\\')) break;
  }
  for (string.end = to; string.end < text->end; string.end++) {
    if (*string.end == '"' && string.end[-1] != '\\') break;
  }
  return string;
}

/// Returns whether the texts are clear that are in characters of base64.
static int are_clear_texts(const clear_text *text, const uint8_t *characters, size_t count) {
  for (unsigned phase = 0; (phase = attest_text_phase(characters, count, phase)) < 4; phase++) {
    if (!is_clear_decoded(text, characters + phase, characters + count, attest_decode_characters)) return 0;
  }
  return 1;
}

/// Returns whether some characters are none of base64.
static int are_others(const uint8_t *from, const uint8_t *to) {
  while (from < to && (base64_values[*from] & other_character) != 0) from++;
  return from == to;
}

/// Returns whether the texts are clear that a run of base64 contains, or the base64 of the whole string, which lenient decoders
/// read.
static int is_clear_run(const clear_text *text, const uint8_t *from, const uint8_t *to) {
  const clear_text string = string_around(text, from, to);
  int has_white = 0;
  for (const uint8_t *at = from; at < to; at++) has_white |= is_white(*at);
  if (!has_white && are_others(string.begin, from) && are_others(to, string.end)) {
    return are_clear_texts(text, from, (size_t)(to - from));
  }
  const size_t length = (size_t)(string.end - string.begin);
  if (length > most_decoded) return 0;
  uint8_t compact[most_decoded];
  size_t count = attest_compact_run(string.begin, length, ATTEST_SPACES_ARE_PLUS, compact);
  if (!are_clear_texts(text, compact, count)) return 0;
  if (memchr(string.begin, ' ', length) == NULL) return 1;
  count = attest_compact_run(string.begin, length, 0, compact);
  return are_clear_texts(text, compact, count);
}

/// Returns whether a string is clear after the codes in it are decoded, of which `code` is one. Those before `*done` were
/// decoded, which becomes the end of the string.
static int is_clear_string(const clear_text *text, const uint8_t *code, const uint8_t **done, decoder decode) {
  if (code < *done) return 1;
  const clear_text string = string_around(text, code, code + 1 < text->end && *code == '\\' ? code + 2 : code + 1);
  *done = string.end;
  return string.end - string.begin < least_token || is_clear_decoded(text, string.begin, string.end, decode);
}

/// Returns whether an array of numbers begins that is long enough for the beginning of a token.
static int is_long_array(const uint8_t *bracket, const uint8_t *end) {
  if (end - bracket <= least_array) return 0;
  const uint8_t *first = bracket + 1;
  while (first < end && is_white(*first)) first++;
  if (first == end || (uint8_t)(*first - '0') > 9) return 0;
  for (const uint8_t *at = bracket + 1; at < bracket + least_array; at++) {
    const int is_sign = *at == ',' || *at == '.' || *at == '+' || *at == '-' || is_white(*at);
    if (!is_sign && (uint8_t)(*at - '0') > 9 && (*at | 0x20) != 'e') return 0;
  }
  return 1;
}

INLINE int is_clear_part(const clear_text *text, const uint8_t *begin, const uint8_t *end, step_reader read) {
  const uint8_t *from = begin;
  /// The ends of the last strings that were decoded.
  const uint8_t *escaped_end = begin, *percent_end = begin;
  uint64_t pending = 0;
  for (const uint8_t *at = begin; at < end; at += step) {
    const size_t left = (size_t)(end - at);
    const uint64_t inside = left < step ? (UINT64_C(1) << left) - 1 : UINT64_MAX;
    const step_masks masks = read(at, inside, text->letters);
    if (text->letters->count >= window && !is_clear_of_names(text->letters)) return 0;
    for (uint64_t escapes = (masks.backslash << 1 | pending) & masks.escape; escapes != 0; escapes &= escapes - 1) {
      const uint8_t *const sign = at + __builtin_ctzll(escapes) - 1;
      if (!is_clear_string(text, sign, &escaped_end, attest_decode_escapes)) return 0;
    }
    pending = masks.backslash >> 63;
    for (uint64_t codes = masks.code; codes != 0; codes &= codes - 1) {
      const uint8_t *const sign = at + __builtin_ctzll(codes);
      if (*sign == '[' ? is_long_array(sign, end)
                       : hex_byte(sign + 1, end) >= 0 && !is_clear_string(text, sign, &percent_end, attest_decode_percents)) {
        return 0;
      }
    }
    const uint64_t ends = ~masks.run & inside;
    if (ends == 0) continue;
    const uint8_t *const last = at + __builtin_ctzll(ends);
    if (last - from >= least_run && !is_clear_run(text, from, last)) return 0;
    from = at + (64 - __builtin_clzll(ends));
  }
  return end - from < least_run || is_clear_run(text, from, end);
}

/// The same functions, with one way to read a step.
typedef struct {
  int (*is_clear_part)(const clear_text *text, const uint8_t *begin, const uint8_t *end);
  int (*has_name)(letter_store *letters, size_t end);
} variant;

#define VARIANT(name, target, read, find)                                                                  \
  target static int name##_has_name(letter_store *letters, size_t end) { return has_name(letters, end, find); } \
  target static int name##_is_clear_part(const clear_text *text, const uint8_t *begin, const uint8_t *end) { \
    return is_clear_part(text, begin, end, read);                                                          \
  }                                                                                                        \
  static const variant name = {name##_is_clear_part, name##_has_name};

VARIANT(of_bytes, , read_plainly, find_plainly)
#if defined(__x86_64__)
VARIANT(of_vectors, VECTORS, read_vectors, find_vectors)
VARIANT(of_lines, WIDE, read_wide, find_wide)
#endif

static inline const variant *best(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vbmi2")) return &of_lines;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return &of_vectors;
#endif
  return &of_bytes;
}

static int is_clear_of_names(letter_store *letters) {
  if (best()->has_name(letters, letters->count - most_letters)) return 0;
  memmove(letters->bytes, letters->bytes + letters->count - overlap, overlap);
  letters->count = overlap;
  return 1;
}

/// Returns the place at which the known token is a string in a text, or NULL.
static const uint8_t *known_string(const clear_text *text) {
  const size_t length = (size_t)(text->end - text->begin), known = text->known_length;
  if (known == 0) return NULL;
  // A search for few characters is quick.
  const uint8_t *const found = text->known >= text->begin && text->known < text->end
      ? text->known : memmem(text->begin, length, text->known, known < least_known ? known : least_known);
  if (found == NULL || found == text->begin || found[-1] != '"' || known >= (size_t)(text->end - found)) return NULL;
  if ((found[known] != '"' && found[known] != '\\') || memcmp(found, text->known, known) != 0) return NULL;
  return found;
}

static int is_clear(const clear_text *text) {
  const uint8_t *const known = known_string(text);
  if (known == NULL) return best()->is_clear_part(text, text->begin, text->end);
  clear_text part = *text;
  part.known_length = 0;
  part.end = known;
  if (!best()->is_clear_part(&part, text->begin, known)) return 0;
  part.begin = known + text->known_length;
  part.end = text->end;
  return best()->is_clear_part(&part, part.begin, part.end);
}

int attest_is_clear(const uint8_t *text, size_t length, int is_decoded, const uint8_t *known, size_t known_length) {
  letter_store letters[most_decodings + 1];
  for (int index = 0; index <= most_decodings; index++) letters[index].count = 0;
  const clear_text all = {text, text + length, known, known == NULL ? 0 : known_length, is_decoded, most_decodings, letters};
  int answer = is_clear(&all);
  for (int index = 0; index <= most_decodings && answer; index++) {
    if (letters[index].count > 0) answer = !best()->has_name(letters + index, letters[index].count);
  }
  return answer;
}
