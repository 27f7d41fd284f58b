#include "attest_text.h"
#include "text_tables.h"

/// Returns whether characters are all of one alphabet; `seen` is what they are of.
static inline int is_of_one_alphabet(uint32_t seen) {
  return (seen & other_character) == 0 && (seen & (STANDARD | URL)) != (STANDARD | URL);
}

/// Decodes four characters at a time; adds to `*seen` what the characters are of.
static int decode_plainly(const uint8_t *text, size_t length, uint8_t *out, uint32_t *seen) {
  for (; length >= 4; length -= 4, text += 4, out += 3) {
    const uint32_t a = base64_values[text[0]], b = base64_values[text[1]];
    const uint32_t c = base64_values[text[2]], d = base64_values[text[3]];
    *seen |= a | b | c | d;
    const uint32_t bits = a << 18 | b << 12 | c << 6 | d;
    out[0] = (uint8_t)(bits >> 16);
    out[1] = (uint8_t)(bits >> 8);
    out[2] = (uint8_t)bits;
  }
  if (length >= 2) {
    const uint32_t a = base64_values[text[0]], b = base64_values[text[1]];
    *seen |= a | b;
    out[0] = (uint8_t)(a << 2 | b >> 4);
    uint32_t spare = b & 15;
    if (length == 3) {
      const uint32_t c = base64_values[text[2]];
      *seen |= c;
      out[1] = (uint8_t)(b << 4 | c >> 2);
      spare = c & 3;
    }
    return spare == 0;
  }
  return 1;
}

int attest_hex_decode(const uint8_t *text, size_t count, uint8_t *out) {
  uint32_t seen = 0;
  for (size_t index = 0; index < count; index++) {
    const uint32_t high = hex_values[text[2 * index]], low = hex_values[text[2 * index + 1]];
    seen |= high | low;
    out[index] = (uint8_t)(high << 4 | low);
  }
  return (seen & 0x80) == 0;
}

#if defined(__x86_64__)
#include <immintrin.h>

/// Both halves of a vector as one.
__attribute__((target("avx2"))) static inline __m128i halves(__m256i vector) {
  return _mm_or_si128(_mm256_castsi256_si128(vector), _mm256_extracti128_si256(vector, 1));
}

/// Decodes the first characters, 32 and then 16 at a time, as far as whole vectors can be written
/// without touching what lies behind the output; tells how many, a multiple of 16.
///
/// After W. Muła and D. Lemire, "Faster Base64 Encoding and Decoding using AVX2 Instructions"
/// (2018): a character is valid where the sets of its upper and lower four bits have nothing in
/// common. The bits of `low` and `high` stand for the upper halves 2, 3, 4 and 6, 5, 7, and others.
__attribute__((target("avx2"))) static size_t decode_vectors(const uint8_t *text, size_t length,
                                                             uint8_t *out, uint32_t *seen) {
  const __m128i low = _mm_setr_epi8(0x24, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21,
                                    0x23, 0x3A, 0x3B, 0x3A, 0x3B, 0x32);
  const __m128i high = _mm_setr_epi8(0x20, 0x20, 0x01, 0x02, 0x04, 0x08, 0x04, 0x10, 0x20, 0x20,
                                     0x20, 0x20, 0x20, 0x20, 0x20, 0x20);
  // What is to be added to a character, by its upper half; and the values of those of 2, by the
  // lower half.
  const __m128i shift = _mm_setr_epi8(0, 0, 0, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m128i signs = _mm_setr_epi8(62, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 62, 0, 62, 0, 63);
  const __m128i order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m256i low2 = _mm256_broadcastsi128_si256(low), high2 = _mm256_broadcastsi128_si256(high);
  const __m256i shift2 = _mm256_broadcastsi128_si256(shift);
  const __m256i signs2 = _mm256_broadcastsi128_si256(signs);
  const __m256i order2 = _mm256_broadcastsi128_si256(order);
  __m256i bad2 = _mm256_setzero_si256();
  // Characters of base64 alone, and of base64url alone.
  __m256i standard2 = bad2, url2 = bad2;
  size_t from = 0, to = 0;
  const size_t room = length / 4 * 3;
  for (; from + 32 <= length && to + 32 <= room; from += 32, to += 24) {
    const __m256i characters = _mm256_loadu_si256((const __m256i *)(text + from));
    const __m256i lower = _mm256_and_si256(characters, _mm256_set1_epi8(15));
    const __m256i upper =
        _mm256_and_si256(_mm256_srli_epi16(characters, 4), _mm256_set1_epi8(15));
    bad2 = _mm256_or_si256(bad2, _mm256_and_si256(_mm256_shuffle_epi8(low2, lower),
                                                  _mm256_shuffle_epi8(high2, upper)));
    __m256i value = _mm256_add_epi8(characters, _mm256_shuffle_epi8(shift2, upper));
    const __m256i is_line = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8('_'));
    value = _mm256_add_epi8(value, _mm256_and_si256(is_line, _mm256_set1_epi8(33)));
    const __m256i is_sign = _mm256_cmpeq_epi8(upper, _mm256_set1_epi8(2));
    const __m256i is_dash = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8('-'));
    standard2 = _mm256_or_si256(standard2, _mm256_andnot_si256(is_dash, is_sign));
    url2 = _mm256_or_si256(url2, _mm256_or_si256(is_dash, is_line));
    value = _mm256_blendv_epi8(value, _mm256_shuffle_epi8(signs2, lower), is_sign);
    const __m256i pairs = _mm256_maddubs_epi16(value, _mm256_set1_epi32(0x01400140));
    const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i packed = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(fours, order2),
                                                       _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    _mm256_storeu_si256((__m256i *)(out + to), packed);
  }
  __m128i bad = halves(bad2), standard = halves(standard2), url = halves(url2);
  for (; from + 16 <= length && to + 16 <= room; from += 16, to += 12) {
    const __m128i characters = _mm_loadu_si128((const __m128i *)(text + from));
    const __m128i lower = _mm_and_si128(characters, _mm_set1_epi8(15));
    const __m128i upper = _mm_and_si128(_mm_srli_epi16(characters, 4), _mm_set1_epi8(15));
    bad = _mm_or_si128(bad, _mm_and_si128(_mm_shuffle_epi8(low, lower),
                                          _mm_shuffle_epi8(high, upper)));
    __m128i value = _mm_add_epi8(characters, _mm_shuffle_epi8(shift, upper));
    const __m128i is_line = _mm_cmpeq_epi8(characters, _mm_set1_epi8('_'));
    value = _mm_add_epi8(value, _mm_and_si128(is_line, _mm_set1_epi8(33)));
    const __m128i is_sign = _mm_cmpeq_epi8(upper, _mm_set1_epi8(2));
    const __m128i is_dash = _mm_cmpeq_epi8(characters, _mm_set1_epi8('-'));
    standard = _mm_or_si128(standard, _mm_andnot_si128(is_dash, is_sign));
    url = _mm_or_si128(url, _mm_or_si128(is_dash, is_line));
    value = _mm_blendv_epi8(value, _mm_shuffle_epi8(signs, lower), is_sign);
    const __m128i pairs = _mm_maddubs_epi16(value, _mm_set1_epi32(0x01400140));
    const __m128i fours = _mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000));
    _mm_storeu_si128((__m128i *)(out + to), _mm_shuffle_epi8(fours, order));
  }
  if (!_mm_testz_si128(bad, bad)) *seen |= other_character;
  if (!_mm_testz_si128(standard, standard)) *seen |= STANDARD;
  if (!_mm_testz_si128(url, url)) *seen |= URL;
  return from;
}

int attest_base64_decode(const uint8_t *text, size_t length, uint8_t *out) {
  uint32_t seen = 0;
  size_t done = 0;
  if (length >= 32 && __builtin_cpu_supports("avx2")) {
    done = decode_vectors(text, length, out, &seen);
  }
  const int is_plain = decode_plainly(text + done, length - done, out + done / 4 * 3, &seen);
  return is_plain & is_of_one_alphabet(seen);
}
#else
int attest_base64_decode(const uint8_t *text, size_t length, uint8_t *out) {
  uint32_t seen = 0;
  return decode_plainly(text, length, out, &seen) & is_of_one_alphabet(seen);
}
#endif

size_t attest_base64_decode_loosely(const uint8_t *text, size_t length, unsigned reading,
                                    uint8_t *out, size_t *left_over) {
  uint32_t bits = 0;
  // Characters of the group at hand, and the padding behind them.
  unsigned group = 0, padding = 0;
  uint8_t *to = out;
  for (size_t at = 0; at < length; at++) {
    uint8_t character = text[at];
    if (character == '%' && (reading & ATTEST_PERCENTS_DECODED) != 0 && length - at > 2) {
      const uint32_t high = hex_values[text[at + 1]], low = hex_values[text[at + 2]];
      if (((high | low) & 0x80) == 0) {
        character = (uint8_t)(high << 4 | low);
        at += 2;
      }
    }
    if (character == '=') {
      if (group >= 2 && group + ++padding >= 4) break;
      continue;
    }
    const uint32_t value = base64_values[character];
    if ((value & other_character) != 0) continue;
    if (character == ' ' && (reading & ATTEST_SPACES_ARE_PLUS) == 0) continue;
    padding = 0;
    bits = bits << 6 | (value & 63);
    if (++group < 4) continue;
    *to++ = (uint8_t)(bits >> 16);
    *to++ = (uint8_t)(bits >> 8);
    *to++ = (uint8_t)bits;
    group = 0;
  }
  if (group == 2) *to++ = (uint8_t)(bits >> 4);
  if (group == 3) {
    *to++ = (uint8_t)(bits >> 10);
    *to++ = (uint8_t)(bits >> 2);
  }
  *left_over = group == 1;
  return (size_t)(to - out);
}
