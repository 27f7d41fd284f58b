#define _GNU_SOURCE

#include <stdlib.h>
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
  /// The shortest run of base64 that can be a text with a token, and the groups of ASCII in it: all tokens have more.
  least_run = 64,
  least_groups = 12,
  /// The characters that a token has at least, with its first name.
  least_token = 7,
  /// The characters that the beginning of a token in an array of numbers has at least.
  least_array = 16,
  /// How many texts in texts are decoded.
  most_wrappings = 3,
  text_count = most_wrappings + 2,
  /// The bytes that are decoded of each byte of a text; of any text, as many as this.
  work_per_byte = 256,
  least_work = 65536,
  /// The bytes of a text that is decoded without more room, and of one that is searched for names before.
  few = 1024,
  long_text = 1 << 14,
  /// The characters by which a known text is found.
  least_known = 16,
};

#define INLINE static inline __attribute__((always_inline))

/// The kinds of a byte, as bits: a letter or digit; another character of base64; a space, and other white space; a backslash,
/// and what makes an escape after it; a sign before what is decoded, or an array.
enum { letter = 1, symbol = 2, space = 4, white = 8, backslash = 16, escape = 32, code = 64 };
enum { escaped = letter | escape, run = letter | symbol | space | white };
static const uint8_t kinds[128] __attribute__((aligned(64))) = {
    ['\t' ... '\r'] = white, [' '] = space, ['+'] = symbol, ['-'] = symbol, ['/'] = symbol | escape, ['_'] = symbol,
    ['0' ... '9'] = letter, ['A' ... 'Z'] = letter, ['a'] = letter, ['b'] = escaped, ['c' ... 'e'] = letter, ['f'] = escaped,
    ['g' ... 'm'] = letter, ['n'] = escaped, ['o' ... 'q'] = letter, ['r'] = escaped, ['s'] = letter, ['t' ... 'u'] = escaped,
    ['v' ... 'w'] = letter, ['x'] = escaped, ['y' ... 'z'] = letter, ['\\'] = backslash, ['%'] = code, ['['] = code,
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

/// For each of four places, what a character can be there, as bits.
typedef struct {
  uint8_t bits[4][128] __attribute__((aligned(64)));
} place_table;

/// The ways of each character, and whether four can be the base64 of three bytes of ASCII.
static place_table ways, texts;

__attribute__((constructor)) static void fill_tables(void) {
  for (int character = 0; character < 128; character++) {
    const uint32_t value = base64_values[character];
    texts.bits[0][character] = (value & 32) == 0;
    texts.bits[1][character] = (value & 8) == 0;
    texts.bits[2][character] = (value & 2) == 0;
    texts.bits[3][character] = 1;
  }
  for (int way = 0; way < 8; way++) {
    for (int place = 0; place < 4; place++) {
      for (const char *at = characters[way][place]; *at != 0; at++) ways.bits[place][(uint8_t)*at] |= (uint8_t)(1 << way);
    }
  }
}

static inline unsigned bits_at(const place_table *table, const uint8_t *at) {
  return table->bits[0][at[0] & 127] & table->bits[1][at[1] & 127] & table->bits[2][at[2] & 127] & table->bits[3][at[3] & 127];
}

// MARK: Names

/// The names of which a token has one (`records.R53`), and the bytes by which a name is known; these few tell most others.
static const char *const names[] = {"fmt", "attStmt", "authData", "signature", "authenticatorData"};
enum { name_count = sizeof names / sizeof *names, longest_name = 17, most_name_bytes = 48, few_name_bytes = 4 };

/// How much of a name bytes are.
typedef enum { no_name, name_begins, name_is_whole } name_part;

/// Reads bytes as the head of a text, or its end, and a name of that length.
static name_part read_name(const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < name_count && count > 0; index++) {
    const size_t length = strlen(names[index]), head = bytes[0] & 63, read = count - 1 < length ? count - 1 : length;
    if ((head == length || head == length + 32) && memcmp(bytes + 1, names[index], read) == 0) {
      return read == length ? name_is_whole : name_begins;
    }
  }
  return no_name;
}

/// Reads bytes as the chunks of a name.
static name_part read_chunks(const uint8_t *bytes, size_t count) {
  char name[longest_name];
  size_t known = 0;
  for (size_t at = 0; at < count;) {
    const uint8_t head = bytes[at++];
    if (head < 0x60 || head > 0x7B) return no_name;
    uint64_t length = (uint64_t)head - 0x60;
    if (head >= 0x78) {
      const size_t width = (size_t)1 << (head - 0x78);
      if (count - at < width) break;
      length = 0;
      for (size_t end = at + width; at < end; at++) length = length << 8 | bytes[at];
    }
    if (length > longest_name - known) return no_name;
    const size_t taken = length < count - at ? (size_t)length : count - at;
    memcpy(name + known, bytes + at, taken);
    known += taken;
    at += length;
    int begins = 0;
    for (size_t index = 0; index < name_count; index++) {
      if (known > strlen(names[index]) || memcmp(name, names[index], known) != 0) continue;
      if (known == strlen(names[index])) return name_is_whole;
      begins = 1;
    }
    if (!begins) return no_name;
  }
  return name_begins;
}

/// Returns whether so many bytes are a name, or begin one that more bytes than `most_name_bytes` decide.
static inline int is_name(name_part part, size_t count) {
  return part == name_is_whole || (part == name_begins && count + 2 >= most_name_bytes);
}

size_t attest_find_name(const uint8_t *bytes, size_t count) {
  for (size_t at = 0; at < count; at++) {
    if (read_name(bytes + at, count - at) == name_is_whole) return at;
    const size_t left = count - at - 1 < most_name_bytes ? count - at - 1 : most_name_bytes;
    if (bytes[at] == 0x7F && is_name(read_chunks(bytes + at + 1, left), left)) return at;
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
static size_t read_bits(const uint8_t *letters, size_t count, size_t bit, uint8_t *bytes, size_t most) {
  size_t read = 0;
  for (; read < most && bit + 8 <= 6 * count; bit += 8) bytes[read++] = byte_at(letters, bit);
  return read;
}

/// Reads hex digits of which the first is at a bit, if all had six. Returns the number of bytes.
static size_t read_digits(const uint8_t *letters, size_t count, size_t bit, uint8_t *bytes, size_t most) {
  const uint8_t *const end = letters + count, *at = letters + bit / 6;
  size_t read = 0;
  for (int byte; read < most && (byte = hex_byte(at, end)) >= 0; at += 2) bytes[read++] = (uint8_t)byte;
  return read;
}

/// Returns whether a name is at a bit of letters and digits.
INLINE int is_name_at(const uint8_t *letters, size_t count, size_t bit,
                      size_t (*read)(const uint8_t *, size_t, size_t, uint8_t *, size_t),
                      name_part (*part)(const uint8_t *, size_t)) {
  uint8_t bytes[most_name_bytes];
  if (part(bytes, read(letters, count, bit, bytes, few_name_bytes)) == no_name) return 0;
  const size_t bytes_read = read(letters, count, bit, bytes, most_name_bytes);
  return is_name(part(bytes, bytes_read), bytes_read);
}

/// Returns whether a name can be at a place of letters and digits.
static int names_at(const uint8_t *letters, size_t count, size_t index) {
  const unsigned found = bits_at(&ways, letters + index);
  for (size_t way = 0; way < 3; way++) {
    // The byte before the name is read, too.
    const size_t bit = 6 * index + 2 * way;
    if ((found & way_0 << way) != 0 && bit >= 8 && is_name_at(letters, count, bit - 8, read_bits, read_name)) return 1;
    // The head of chunks is before them; of one that ends with a slash there are two bits.
    const size_t chunks = way == 2 ? bit + 2 : bit + 8;
    const unsigned chunked = way == 2 ? chunks_2 | odd_chunks_2 : chunks_0 << way;
    if ((found & chunked) != 0 && is_name_at(letters, count, chunks, read_bits, read_chunks)) return 1;
  }
  if ((found & hex) == 0 || index < 2) return 0;
  if (is_name_at(letters, count, 6 * (index - 2), read_digits, read_name)) return 1;
  return (letters[index + 1] | 0x20) == 'f' && is_name_at(letters, count, 6 * (index + 2), read_digits, read_chunks);
}

// MARK: Steps

/// The bytes of a step that are of a kind, a bit for each byte.
typedef struct {
  uint64_t letter, symbol, space, run, backslash, escape, code;
} step_masks;

/// Returns the masks of the bytes of a step that are `inside` it.
typedef step_masks (*step_reader)(const uint8_t *at, uint64_t inside);

/// Copies bytes of a step. Behind them, as many bytes as a step has are written.
typedef void (*step_copier)(const uint8_t *at, uint64_t kept, uint8_t *out);

/// Returns the places of a step at which a table has a bit for all four characters.
typedef uint64_t (*place_finder)(const place_table *table, const uint8_t *at);

/// All masks, each by its kind.
#define MASKS(of) \
  ((step_masks){of(letter), of(symbol), of(space), of(run), of(backslash), of(escape), of(code)})

static inline uint64_t mask_plainly(const uint8_t *at, uint64_t inside, int some) {
  uint64_t found = 0;
  for (; inside != 0; inside &= inside - 1) {
    const int index = __builtin_ctzll(inside);
    found |= (uint64_t)(at[index] < 128 && (kinds[at[index]] & some) != 0) << index;
  }
  return found;
}

INLINE step_masks read_plainly(const uint8_t *at, uint64_t inside) {
#define OF(kind) mask_plainly(at, inside, kind)
  return MASKS(OF);
#undef OF
}

INLINE void copy_plainly(const uint8_t *at, uint64_t kept, uint8_t *out) {
  for (; kept != 0; kept &= kept - 1) *out++ = at[__builtin_ctzll(kept)];
}

INLINE uint64_t find_plainly(const place_table *table, const uint8_t *at) {
  uint64_t found = 0;
  for (size_t index = 0; index < step; index++) found |= (uint64_t)(bits_at(table, at + index) != 0) << index;
  return found;
}

#if defined(__x86_64__)
#define VECTORS __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define WIDE __attribute__((target("avx512bw,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

/// Returns the entries of a table of 128 for 32 bytes, and 0 for bytes outside ASCII: each row of the table is of one upper
/// half. There is nothing in the second row.
INLINE VECTORS __m256i half_entries(const uint8_t *table, const uint8_t *at) {
  const __m256i bytes = _mm256_loadu_si256((const __m256i *)at), half = _mm256_set1_epi8(15);
  const __m256i low = _mm256_and_si256(bytes, half), high = _mm256_and_si256(_mm256_srli_epi16(bytes, 4), half);
  __m256i found = _mm256_setzero_si256();
  for (int row = 0; row < 8; row++) {
    if (row == 1) continue;
    const __m256i values = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(table + 16 * row)));
    found = _mm256_or_si256(found, _mm256_and_si256(_mm256_shuffle_epi8(values, low),
                                                    _mm256_cmpeq_epi8(high, _mm256_set1_epi8((char)row))));
  }
  return found;
}

/// Returns which of 64 bytes have one of some bits.
INLINE VECTORS uint64_t having(__m256i low, __m256i high, uint8_t some) {
  const __m256i bits = _mm256_set1_epi8((char)some), none = _mm256_setzero_si256();
  const uint32_t first = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(low, bits), none));
  const uint32_t second = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(high, bits), none));
  return ~((uint64_t)second << 32 | first);
}

INLINE VECTORS step_masks read_vectors(const uint8_t *at, uint64_t inside) {
  const __m256i low = half_entries(kinds, at), high = half_entries(kinds, at + step / 2);
#define OF(kind) (having(low, high, kind) & inside)
  return MASKS(OF);
#undef OF
}

INLINE VECTORS void copy_vectors(const uint8_t *at, uint64_t kept, uint8_t *out) {
  for (int index = 0; index < step; index += 8) {
    const uint64_t some = kept >> index & 255;
    uint64_t bytes;
    memcpy(&bytes, at + index, sizeof bytes);
    bytes = _pext_u64(bytes, _pdep_u64(some, UINT64_C(0x0101010101010101)) * 255);
    memcpy(out, &bytes, sizeof bytes);
    out += __builtin_popcountll(some);
  }
}

INLINE VECTORS uint64_t find_vectors(const place_table *table, const uint8_t *at) {
  __m256i low = _mm256_set1_epi8(-1), high = low;
  for (int place = 0; place < 4; place++) {
    low = _mm256_and_si256(low, half_entries(table->bits[place], at + place));
    high = _mm256_and_si256(high, half_entries(table->bits[place], at + step / 2 + place));
  }
  return having(low, high, 255);
}

/// Returns the entries of a table of 128 for 64 bytes, and 0 for bytes outside ASCII.
INLINE WIDE __m512i entries(const uint8_t *table, __m512i bytes) {
  return _mm512_maskz_permutex2var_epi8(
      ~_mm512_movepi8_mask(bytes), _mm512_load_si512(table), bytes, _mm512_load_si512(table + 64));
}

INLINE WIDE step_masks read_wide(const uint8_t *at, uint64_t inside) {
  const __m512i found = entries(kinds, _mm512_maskz_loadu_epi8(inside, at));
#define OF(kind) _mm512_test_epi8_mask(found, _mm512_set1_epi8(kind))
  return MASKS(OF);
#undef OF
}

INLINE WIDE void copy_wide(const uint8_t *at, uint64_t kept, uint8_t *out) {
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, _mm512_maskz_loadu_epi8(kept, at)));
}

INLINE WIDE uint64_t find_wide(const place_table *table, const uint8_t *at) {
  const __m512i first = entries(table->bits[0], _mm512_loadu_si512(at));
  const __m512i second = entries(table->bits[1], _mm512_loadu_si512(at + 1));
  const __m512i third = entries(table->bits[2], _mm512_loadu_si512(at + 2));
  const __m512i fourth = entries(table->bits[3], _mm512_loadu_si512(at + 3));
  return _mm512_test_epi8_mask(_mm512_and_si512(first, second), _mm512_and_si512(third, fourth));
}
#endif

/// Returns the bytes of a step before the end of a text.
INLINE uint64_t inside_of(size_t left) { return left < step ? (UINT64_C(1) << left) - 1 : UINT64_MAX; }

// MARK: Base64

INLINE size_t compact(const uint8_t *text, size_t length, unsigned reading, uint8_t *out, step_reader read, step_copier copy) {
  const uint8_t *const begin = out;
  for (size_t at = 0; at < length; at += step) {
    const step_masks masks = read(text + at, inside_of(length - at));
    const uint64_t kept = masks.letter | masks.symbol | ((reading & ATTEST_SPACES_ARE_PLUS) != 0 ? masks.space : 0);
    copy(text + at, kept, out);
    out += __builtin_popcountll(kept);
  }
  return (size_t)(out - begin);
}

INLINE unsigned text_phases(const uint8_t *characters, size_t length, place_finder find) {
  unsigned phases = 0;
  for (size_t at = 0; at + 4 * least_groups <= length; at += step / 2) {
    // Eight groups in a row.
    uint64_t found = find(&texts, characters + at);
    for (int shift = 4; shift < step / 2; shift *= 2) found &= found >> shift;
    for (found &= UINT32_MAX; found != 0; found &= found - 1) {
      const size_t first = at + (size_t)__builtin_ctzll(found);
      if ((phases >> first % 4 & 1) != 0 || first + 4 * least_groups > length) continue;
      size_t group = 0;
      while (group < least_groups && bits_at(&texts, characters + first + 4 * group) != 0) group++;
      phases |= (unsigned)(group == least_groups) << first % 4;
    }
  }
  return phases;
}

// MARK: Texts

/// Letters and digits that were not yet searched for names.
typedef struct {
  uint8_t bytes[window + 4 * step] __attribute__((aligned(64)));
  size_t count;
} letter_store;

/// All that the texts of a search share.
typedef struct {
  const uint8_t *known;
  size_t known_length;
  /// Whether all copies of the known token are passed over, and not only the first.
  int has_copies;
  /// The bytes that may be decoded yet.
  size_t work;
  /// The letters of the text, and of each that is decoded within another.
  letter_store letters[text_count];
} clear_search;

/// A text, or a part of one.
typedef struct {
  clear_search *search;
  /// The number of texts around it, and of those that are no escapes.
  int depth, wrappings;
  /// Whether it is one string, in which a quote ends nothing.
  int is_decoded;
  const uint8_t *begin, *end;
  /// Whether nothing in it is decoded.
  int is_plain;
} clear_text;

/// Decodes a text. Returns the number of bytes.
typedef size_t (*decoder)(const uint8_t *text, size_t length, uint8_t *out);

static int is_clear(clear_text *text);
static int is_clear_of_names(letter_store *letters);

/// Returns whether a name begins in letters before a place.
INLINE int has_name(letter_store *letters, size_t end, place_finder find) {
  memset(letters->bytes + letters->count, 0, step + 4);
  for (size_t at = 0; at < end; at += step) {
    for (uint64_t found = find(&ways, letters->bytes + at); found != 0; found &= found - 1) {
      if (names_at(letters->bytes, letters->count, at + (size_t)__builtin_ctzll(found))) return 1;
    }
  }
  return 0;
}

/// Decodes an array of numbers, up to the first that is surely no byte.
static size_t decode_array(const uint8_t *text, size_t length, uint8_t *out) {
  const uint8_t *const end = text + length;
  size_t count = 0;
  do {
    text++;
    while (text < end && (is_white(*text) || *text == '+' || *text == '-')) text++;
    const uint8_t *const first = text;
    unsigned value = 0;
    for (; text < end && (uint8_t)(*text - '0') < 10 && value < 256; text++) value = 10 * value + *text - '0';
    if (text == first || value > 255) break;
    out[count++] = (uint8_t)value;
    if (text < end && *text == '.') text++;
    while (text < end && (*text == '0' || is_white(*text) || *text == '+')) text++;
  } while (text < end && *text == ',');
  return count;
}

/// Returns whether a part of a text is clear after it is decoded, and after the escapes in that are.
static int is_clear_decoded(const clear_text *text, const uint8_t *from, const uint8_t *to, decoder decode) {
  clear_search *const search = text->search;
  size_t length = (size_t)(to - from);
  const int wrappings = text->wrappings + (decode != attest_decode_escapes);
  if (length < least_token) return 1;
  if (wrappings > most_wrappings) return decode != decode_array;
  // What is decoded, and what its escapes are decoded to: each in turn.
  uint8_t room[2 * (few + step)];
  uint8_t *const base = length <= few ? room : malloc(2 * (length + step));
  if (base == NULL) return 0;
  uint8_t *out = base, *other = base + length + step;
  int answer = 1;
  while (answer && (answer = length <= search->work)) {
    search->work -= length;
    const size_t count = decode(from, length, out);
    if (count == length) break;
    memset(out + count, 0, step);
    clear_text inner = {search, text->depth + 1, wrappings, 1, out, out + count, 0};
    answer = (decode != decode_array || attest_find_name(out, count) == count) && is_clear(&inner);
    if (memchr(out, '\\', count) == NULL) break;
    decode = attest_decode_escapes;
    from = out;
    length = count;
    out = other;
    other = (uint8_t *)(uintptr_t)from;
  }
  if (base != room) free(base);
  return answer;
}

/// Returns the string around a part of a text. An escaped quote is in the string.
static clear_text string_around(const clear_text *text, const uint8_t *from, const uint8_t *to) {
  clear_text string = *text;
  if (text->is_decoded) return string;
  while ((from = memrchr(text->begin, '"', (size_t)(from - text->begin))) != NULL) {
    string.begin = from + 1;
    if (from == text->begin || from[-1] != '\\') break;
  }
  if (from == NULL) string.begin = text->begin;
  while ((to = memchr(to, '"', (size_t)(text->end - to))) != NULL && to[-1] == '\\') to++;
  if (to != NULL) string.end = to;
  return string;
}

/// Returns whether the texts are clear that the base64 of the string around a run contains, as lenient decoders read it.
/// Runs before `*done` were in a string that was searched; it becomes the end of the string.
static int is_clear_run(const clear_text *text, const uint8_t *from, const uint8_t *to, const uint8_t **done) {
  if (from < *done) return 1;
  const clear_text string = string_around(text, from, to);
  *done = string.end;
  const size_t length = (size_t)(string.end - string.begin);
  uint8_t room[few + step];
  uint8_t *const characters = length <= few ? room : malloc(length + step);
  int answer = characters != NULL;
  // A space is a plus, or is dropped.
  const int turns = memchr(string.begin, ' ', length) == NULL ? 1 : 2;
  for (int turn = 0; turn < turns && answer; turn++) {
    const unsigned reading = turn == 0 ? ATTEST_SPACES_ARE_PLUS : 0;
    const size_t count = attest_compact_run(string.begin, length, reading, characters);
    const unsigned phases = attest_text_phases(characters, count);
    for (int phase = 0; phase < 4 && answer; phase++) {
      if ((phases >> phase & 1) == 0) continue;
      answer = is_clear_decoded(text, characters + phase, characters + count, attest_decode_characters);
    }
  }
  if (characters != room) free(characters);
  return answer;
}

/// Returns whether a string is clear after the codes in it are decoded, of which `code` is one, likewise.
static int is_clear_string(const clear_text *text, const uint8_t *code, const uint8_t **done, decoder decode) {
  if (code < *done) return 1;
  const clear_text string = string_around(text, code, *code == '\\' ? code + 2 : code + 1);
  *done = string.end;
  return is_clear_decoded(&string, string.begin, string.end, decode);
}

/// The ends of the strings that were searched last, each for codes of one kind, or runs.
typedef struct {
  const uint8_t *escapes, *percents, *runs;
} searched_ends;

/// Returns whether the array of numbers that a bracket begins is clear. An exponent is not read.
static int is_clear_array(const clear_text *text, const uint8_t *bracket) {
  const uint8_t *end = bracket + 1;
  int has_exponent = 0;
  for (; end < text->end; end++) {
    const int is_exponent = (*end | 0x20) == 'e';
    if (!is_exponent && (uint8_t)(*end - '+') > '9' - '+' && !is_white(*end)) break;
    has_exponent |= is_exponent;
  }
  return end - bracket <= least_array || (!has_exponent && is_clear_decoded(text, bracket, end, decode_array));
}

/// Returns whether what is at a sign in a text is clear: an array, or a string with a code or an escape.
static int is_clear_at(const clear_text *text, const uint8_t *sign, searched_ends *done) {
  switch (*sign) {
    case '[': return is_clear_array(text, sign);
    case '%': return hex_byte(sign + 1, text->end) < 0 || is_clear_string(text, sign, &done->percents, attest_decode_percents);
    default: return is_clear_string(text, sign - 1, &done->escapes, attest_decode_escapes);
  }
}

INLINE int is_clear_part(const clear_text *text, step_reader read, step_copier copy) {
  letter_store *const letters = text->search->letters + text->depth;
  const uint8_t *const end = text->end, *from = text->begin;
  searched_ends done = {from, from, from};
  size_t count = letters->count;
  uint64_t pending = 0;
  for (const uint8_t *at = from; at < end; at += step) {
    const uint64_t inside = inside_of((size_t)(end - at));
    const step_masks masks = read(at, inside);
    uint64_t signs = masks.code, ends = ~masks.run & inside;
    // They are counted here, so that no vector has to wait in memory for calls.
    __asm__("" : "+r"(signs), "+r"(ends));
    copy(at, masks.letter, letters->bytes + count);
    count += (size_t)__builtin_popcountll(masks.letter);
    if (count >= window) {
      letters->count = count;
      if (!is_clear_of_names(letters)) return 0;
      count = letters->count;
    }
    if (text->is_plain) continue;
    // Those of a text that is decoded are decoded next.
    if ((masks.backslash | pending) != 0 && text->depth == 0) {
      signs |= (masks.backslash << 1 | pending) & masks.escape;
      pending = masks.backslash >> 63;
    }
    for (; signs != 0; signs &= signs - 1) {
      if (!is_clear_at(text, at + __builtin_ctzll(signs), &done)) return 0;
    }
    if (ends == 0) continue;
    const uint8_t *const last = at + __builtin_ctzll(ends);
    if (last - from >= least_run && !is_clear_run(text, from, last, &done.runs)) return 0;
    from = at + (64 - __builtin_clzll(ends));
  }
  letters->count = count;
  return text->is_plain || end - from < least_run || is_clear_run(text, from, end, &done.runs);
}

/// The same functions, with one way to read a step.
typedef struct {
  int (*is_clear_part)(const clear_text *text);
  int (*has_name)(letter_store *letters, size_t end);
  size_t (*compact)(const uint8_t *text, size_t length, unsigned reading, uint8_t *out);
  unsigned (*text_phases)(const uint8_t *characters, size_t length);
} variant;

#define VARIANT(name, target, way)                                                                                 \
  target static int name##_is_clear_part(const clear_text *text) { return is_clear_part(text, read_##way, copy_##way); } \
  target static int name##_has_name(letter_store *letters, size_t end) { return has_name(letters, end, find_##way); } \
  target static size_t name##_compact(const uint8_t *text, size_t length, unsigned reading, uint8_t *out) {        \
    return compact(text, length, reading, out, read_##way, copy_##way);                                             \
  }                                                                                                                \
  target static unsigned name##_text_phases(const uint8_t *characters, size_t length) {                            \
    return text_phases(characters, length, find_##way);                                                            \
  }                                                                                                                \
  static const variant name = {name##_is_clear_part, name##_has_name, name##_compact, name##_text_phases};

VARIANT(of_bytes, , plainly)
#if defined(__x86_64__)
VARIANT(of_vectors, VECTORS, vectors)
VARIANT(of_lines, WIDE, wide)
#endif

static inline const variant *best(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vbmi2")) return &of_lines;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return &of_vectors;
#endif
  return &of_bytes;
}

size_t attest_compact_run(const uint8_t *text, size_t length, unsigned reading, uint8_t *out) {
  return best()->compact(text, length, reading, out);
}

unsigned attest_text_phases(const uint8_t *characters, size_t length) { return best()->text_phases(characters, length); }

static int is_clear_of_names(letter_store *letters) {
  if (best()->has_name(letters, letters->count - most_letters)) return 0;
  memmove(letters->bytes, letters->bytes + letters->count - overlap, overlap);
  letters->count = overlap;
  return 1;
}

/// Returns the end of a known text, each character of which is as it is or an escape, or NULL if another text begins at `at`.
static const uint8_t *end_of_known(const uint8_t *at, const uint8_t *end, const uint8_t *known, size_t length) {
  while (1) {
    const size_t most = length < (size_t)(end - at) ? length : (size_t)(end - at);
    const uint8_t *const sign = memchr(at, '\\', most);
    const size_t plain = sign == NULL ? most : (size_t)(sign - at);
    if (memcmp(at, known, plain) != 0) return NULL;
    at += plain;
    known += plain;
    length -= plain;
    if (length == 0) return at;
    // Within strings of JSON in strings of JSON, an escape begins with several backslashes.
    while (end - at > 1 && at[0] == '\\' && at[1] == '\\') at++;
    uint8_t character = 0;
    const size_t escaped = attest_read_escape(at, end, &character);
    if (escaped == 0 || character != *known) return NULL;
    at += escaped;
    known++;
    length--;
  }
}

/// Returns the place at which the known token is a string in a text, or NULL. `*after` becomes its end.
static const uint8_t *known_string(const clear_text *text, const uint8_t **after) {
  clear_search *const search = text->search;
  const size_t length = search->known_length, needle = length < least_known ? length : least_known;
  const uint8_t *at = text->begin;
  const int is_inside = search->known >= at && search->known < text->end && !search->has_copies;
  if (length == 0 || (text->depth > 0 && !search->has_copies)) return NULL;
  for (; (size_t)(text->end - at) > length; at++) {
    // A search for few characters is quick.
    at = is_inside ? search->known : memmem(at, (size_t)(text->end - at), search->known, needle);
    if (at == NULL || length > search->work) return NULL;
    search->work -= length;
    *after = is_inside ? at + length : end_of_known(at, text->end, search->known, length);
    if (at > text->begin && at[-1] == '"' && *after != NULL && *after < text->end && (**after == '"' || **after == '\\')) {
      return at;
    }
    if (is_inside) return NULL;
  }
  return NULL;
}

/// Returns whether all letters are clear of names that were not yet searched.
static int is_clear_of_last(letter_store *letters) {
  return letters->count == 0 || !best()->has_name(letters, letters->count);
}

static int is_clear(clear_text *text) {
  // What has a name shows that best before anything is decoded.
  if (text->end - text->begin > long_text && !text->is_plain) {
    clear_text plain = *text;
    plain.is_plain = 1;
    if (!is_clear(&plain) || !is_clear_of_last(text->search->letters + text->depth)) return 0;
  }
  const uint8_t *const end = text->end, *after;
  for (const uint8_t *known; (known = known_string(text, &after)) != NULL;) {
    text->end = known;
    if (!best()->is_clear_part(text)) return 0;
    text->begin = after;
    text->end = end;
    if (!text->search->has_copies) break;
  }
  return best()->is_clear_part(text);
}

/// Returns whether a text is clear, and all that it contains.
static int is_clear_throughout(clear_search *search, clear_text text) {
  for (int index = 0; index < text_count; index++) search->letters[index].count = 0;
  int answer = is_clear(&text);
  for (int index = 0; index < text_count && answer; index++) answer = is_clear_of_last(search->letters + index);
  return answer;
}

int attest_is_clear(const uint8_t *text, size_t length, int is_decoded, const uint8_t *known, size_t known_length,
                    size_t *work) {
  clear_search search;
  const clear_text all = {&search, 0, 0, is_decoded, text, text + length, 0};
  search.known = known;
  search.known_length = known == NULL ? 0 : known_length;
  search.has_copies = 0;
  search.work = work == NULL ? least_work + work_per_byte * length : *work;
  int answer = is_clear_throughout(&search, all);
  if (!answer && search.known_length > 0) {
    // Few texts have copies.
    search.has_copies = 1;
    answer = is_clear_throughout(&search, all);
  }
  if (work != NULL) *work = search.work;
  return answer;
}
