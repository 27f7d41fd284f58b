#ifndef ATTEST_AUDIT_STEPS_H
#define ATTEST_AUDIT_STEPS_H

#include <string.h>

#include "text_tables.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// Bytes are read in steps, as vectors where the processor can.

/// The bytes of a step.
enum { step = 64 };

#define INLINE static inline __attribute__((always_inline))

/// The characters that escapes of one letter stand for.
static const uint8_t escapes[256] = {['n'] = '\n', ['r'] = '\r', ['t'] = '\t',  ['b'] = '\b',
                                     ['f'] = '\f', ['"'] = '"',  ['\\'] = '\\', ['/'] = '/'};

INLINE size_t read_escape(const uint8_t *at, const uint8_t *end, uint8_t *character) {
  if (end - at < 2 || *at != '\\') return 0;
  if (at[1] == 'u') {
    const int high = hex_byte(at + 2, end), low = end - at < 6 ? -1 : hex_byte(at + 4, end);
    *character = high == 0 && low < 0x80 ? (uint8_t)low : '?';
    return (high | low) < 0 ? 0 : 6;
  }
  const int byte = at[1] == 'x' ? hex_byte(at + 2, end) : -1;
  *character = byte < 0 ? escapes[at[1]] : (uint8_t)byte;
  return byte >= 0 ? 4 : *character != 0 ? 2 : 0;
}

INLINE size_t read_percent(const uint8_t *at, const uint8_t *end, uint8_t *character) {
  const int byte = *at == '%' ? hex_byte(at + 1, end) : -1;
  *character = (uint8_t)byte;
  return byte < 0 ? 0 : 3;
}

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

static inline int is_kind(uint8_t byte, int some) { return byte < 128 && (kinds[byte] & some) != 0; }

/// Returns the bytes of a step before the end of a text.
INLINE uint64_t inside_of(size_t left) { return left < step ? (UINT64_C(1) << left) - 1 : UINT64_MAX; }

/// For each of four places, what a character can be there, as bits.
typedef struct {
  uint8_t bits[4][128] __attribute__((aligned(64)));
} place_table;

static inline unsigned bits_at(const place_table *table, const uint8_t *at) {
  return table->bits[0][at[0] & 127] & table->bits[1][at[1] & 127] & table->bits[2][at[2] & 127] & table->bits[3][at[3] & 127];
}

/// The ways in which each character can begin a name, as bits.
extern place_table attest_ways;

/// Returns which name can be at a place of letters and digits, as a bit, or 0.
int attest_name_at(const uint8_t *letters, size_t count, size_t index);

/// The bytes of a step that are of a kind, a bit for each byte.
typedef struct {
  uint64_t letter, symbol, space, run, backslash, escape, code;
} step_masks;

/// Returns the masks of the bytes of a step that are `inside` it.
typedef step_masks (*step_reader)(const uint8_t *at, uint64_t inside);

/// Copies bytes of a step. Behind them, as many bytes as a step has are written.
typedef void (*step_copier)(const uint8_t *at, uint64_t kept, uint8_t *out);

/// Copies the bytes of a step with each escape as the character that it stands for. Returns the number of bytes that were
/// read, or 0 if it cannot tell. `*count` becomes the number of those that were written.
typedef size_t (*step_unescaper)(const uint8_t *at, size_t left, uint8_t *out, size_t *count);
static const step_unescaper unescape_plainly = NULL, unescape_vectors = NULL;

/// Returns the places of a step at which a table has a bit for all four characters.
typedef uint64_t (*place_finder)(const place_table *table, const uint8_t *at);

#define MASKS(of) \
  ((step_masks){of(letter), of(symbol), of(space), of(run), of(backslash), of(escape), of(code)})

static inline uint64_t mask_plainly(const uint8_t *at, uint64_t inside, int some) {
  uint64_t found = 0;
  for (; inside != 0; inside &= inside - 1) {
    const int index = __builtin_ctzll(inside);
    found |= (uint64_t)is_kind(at[index], some) << index;
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

/// Returns the entries of a table of 128 for 32 bytes, and 0 outside ASCII. The second row is empty.
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

/// Returns the entries of a table of 128 for 64 bytes of ASCII.
INLINE WIDE __m512i entries(const uint8_t *table, __m512i bytes) {
  return _mm512_permutex2var_epi8(_mm512_loadu_si512(table), bytes, _mm512_loadu_si512(table + 64));
}

INLINE WIDE step_masks read_wide(const uint8_t *at, uint64_t inside) {
  const __m512i bytes = _mm512_loadu_si512(at);
  const __m512i found = _mm512_maskz_mov_epi8(~_mm512_movepi8_mask(bytes), entries(kinds, bytes));
#define OF(kind) (_mm512_test_epi8_mask(found, _mm512_set1_epi8(kind)) & inside)
  return MASKS(OF);
#undef OF
}

INLINE WIDE void copy_wide(const uint8_t *at, uint64_t kept, uint8_t *out) {
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, _mm512_loadu_si512(at)));
}

/// Returns the bytes that follow those of a step after some, and zeros after the end of the text.
INLINE WIDE __m512i following(const uint8_t *at, size_t left, size_t some) {
  return _mm512_maskz_loadu_epi8(left > some ? inside_of(left - some) : 0, at + some);
}

/// Returns the values of hex digits. Those that are none are added to `*others`.
INLINE WIDE __m512i digits(__m512i bytes, uint64_t *others) {
  const __m512i values = entries(hex_values, bytes);
  *others |= _mm512_movepi8_mask(_mm512_or_si512(bytes, values));
  return values;
}

INLINE WIDE size_t unescape_wide(const uint8_t *at, size_t left, uint8_t *out, size_t *count) {
  const __m512i bytes = following(at, left, 0), next = following(at, left, 1);
  const uint64_t signs = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
  // Which of several backslashes are one, and numbers that JSON does not have, are told one by one.
  if ((signs & (signs << 1 | _mm512_cmpeq_epi8_mask(next, _mm512_set1_epi8('x')))) != 0) return 0;
  uint64_t others = 0;
  const __m512i high = _mm512_or_si512(digits(following(at, left, 2), &others), digits(following(at, left, 3), &others));
  const __m512i low = _mm512_or_si512(_mm512_slli_epi16(digits(following(at, left, 4), &others), 4),
                                      digits(following(at, left, 5), &others));
  const uint64_t numbers = signs & _mm512_cmpeq_epi8_mask(next, _mm512_set1_epi8('u')) & ~others;
  const uint64_t is_ascii = _mm512_testn_epi8_mask(high, high) & ~_mm512_movepi8_mask(low);
  const __m512i characters = _mm512_mask_mov_epi8(_mm512_set1_epi8('?'), is_ascii, low);
  const __m512i letters = _mm512_maskz_mov_epi8(~_mm512_movepi8_mask(next), entries(escapes, next));
  const uint64_t singles = signs & _mm512_test_epi8_mask(letters, letters);
  const uint64_t one = numbers << 1, two = one | one << 1;
  const uint64_t kept = inside_of(left) & ~(singles << 1 | two | two << 2 | one << 4);
  const __m512i all = _mm512_mask_mov_epi8(_mm512_mask_mov_epi8(bytes, numbers, characters), singles, letters);
  _mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, all));
  *count = (size_t)__builtin_popcountll(kept);
  // The last code can end after the step.
  const size_t end = numbers >> 58 != 0 ? (size_t)(69 - __builtin_clzll(numbers)) : step + (singles >> 63);
  return left < end ? left : end;
}

INLINE WIDE uint64_t find_wide(const place_table *table, const uint8_t *at) {
  const __m512i first = entries(table->bits[0], _mm512_loadu_si512(at));
  const __m512i second = entries(table->bits[1], _mm512_loadu_si512(at + 1));
  const __m512i third = entries(table->bits[2], _mm512_loadu_si512(at + 2));
  const __m512i fourth = entries(table->bits[3], _mm512_loadu_si512(at + 3));
  return _mm512_test_epi8_mask(_mm512_and_si512(first, second), _mm512_and_si512(third, fourth));
}
#endif

#endif
