#include "text_tables.h"

/// Returns what characters are that were decoded; `seen` is what they are of.
static inline attest_base64_form form(uint32_t seen) {
  const uint32_t both = standard_character | url_character;
  if ((seen & other_character) != 0 || (seen & both) == both) return ATTEST_BASE64_NONE;
  return (seen & space_character) != 0 ? ATTEST_BASE64_WITH_SPACES : ATTEST_BASE64_PLAIN;
}

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

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static inline __m128i halves(__m256i vector) {
  return _mm_or_si128(_mm256_castsi256_si128(vector), _mm256_extracti128_si256(vector, 1));
}

/// Decodes the first characters, 32 at a time, as far as there are so many; tells how many. Writes the bytes that they hold,
/// and no more.
///
/// After W. Muła and D. Lemire, "Faster Base64 Encoding and Decoding using AVX2 Instructions"
/// (2018): a character is valid where the sets of its upper and lower four bits have nothing in
/// common. The lower bits of `low` and `high` stand for the upper halves 2, 3, 4 and 6, 5, 7, and
/// others; the two highest are common to space, plus and slash, and to dashes.
__attribute__((target("avx2"))) static size_t decode_vectors(const uint8_t *text, size_t length,
                                                             uint8_t *out, uint32_t *seen) {
  const __m128i low = _mm_setr_epi8(0x64, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21, 0x21,
                                    0x23, 0x7A, 0x3B, (char)0xBA, 0x3B, 0x72);
  const __m128i high = _mm_setr_epi8(0x20, 0x20, (char)0xC1, 0x02, 0x04, 0x08, 0x04, 0x10, 0x20,
                                     0x20, 0x20, 0x20, 0x20, 0x20, 0x20, 0x20);
  // What is to be added to a character, by its upper half; and the values of those of 2, by the
  // lower half.
  const __m128i shift = _mm_setr_epi8(0, 0, 0, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0);
  const __m128i signs = _mm_setr_epi8(62, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 62, 0, 62, 0, 63);
  const __m128i order = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
  const __m256i low2 = _mm256_broadcastsi128_si256(low), high2 = _mm256_broadcastsi128_si256(high);
  const __m256i shift2 = _mm256_broadcastsi128_si256(shift);
  const __m256i signs2 = _mm256_broadcastsi128_si256(signs);
  const __m256i order2 = _mm256_broadcastsi128_si256(order);
  // What the sets of characters have in common, where a character is `_`, and where it is a space.
  __m256i common2 = _mm256_setzero_si256(), line2 = common2, space2 = common2;
  size_t from = 0;
  for (; from + 32 <= length; from += 32, out += 24) {
    const __m256i characters = _mm256_loadu_si256((const __m256i *)(text + from));
    const __m256i lower = _mm256_and_si256(characters, _mm256_set1_epi8(15));
    const __m256i upper =
        _mm256_and_si256(_mm256_srli_epi16(characters, 4), _mm256_set1_epi8(15));
    common2 = _mm256_or_si256(common2, _mm256_and_si256(_mm256_shuffle_epi8(low2, lower),
                                                        _mm256_shuffle_epi8(high2, upper)));
    space2 = _mm256_or_si256(space2, _mm256_cmpeq_epi8(characters, _mm256_set1_epi8(' ')));
    __m256i value = _mm256_add_epi8(characters, _mm256_shuffle_epi8(shift2, upper));
    const __m256i is_line = _mm256_cmpeq_epi8(characters, _mm256_set1_epi8('_'));
    line2 = _mm256_or_si256(line2, is_line);
    value = _mm256_add_epi8(value, _mm256_and_si256(is_line, _mm256_set1_epi8(33)));
    const __m256i is_sign = _mm256_cmpeq_epi8(upper, _mm256_set1_epi8(2));
    value = _mm256_blendv_epi8(value, _mm256_shuffle_epi8(signs2, lower), is_sign);
    const __m256i pairs = _mm256_maddubs_epi16(value, _mm256_set1_epi32(0x01400140));
    const __m256i fours = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i packed = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(fours, order2),
                                                       _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(packed));
    _mm_storel_epi64((__m128i *)(out + 16), _mm256_extracti128_si256(packed, 1));
  }
  const __m128i common = halves(common2), line = halves(line2), space = halves(space2);
  const __m128i standard = _mm_set1_epi8(standard_sign), dash = _mm_set1_epi8((char)dash_sign);
  const __m128i bad = _mm_set1_epi8((char)~(standard_sign | dash_sign));
  if (!_mm_testz_si128(common, bad)) *seen |= other_character;
  if (!_mm_testz_si128(common, standard)) *seen |= standard_character;
  if (!_mm_testz_si128(_mm_or_si128(_mm_and_si128(common, dash), line), dash)) *seen |= url_character;
  if (!_mm_testz_si128(space, space)) *seen |= space_character;
  return from;
}

/// Decodes all characters, 64 at a time; returns what `attest_base64_decode` does.
///
/// A table of 128 bytes gives a character's value and its sets in one step; where fewer than 64 are left,
/// the others are read as `A`, which has no bit set. Writes the bytes that the text holds, and no more.
__attribute__((target("avx512bw,avx512vbmi"))) static attest_base64_form decode_wide(
    const uint8_t *text, size_t length, uint8_t *out) {
  const __m512i first = _mm512_loadu_si512(base64_bytes);
  const __m512i second = _mm512_loadu_si512(base64_bytes + 64);
  // Three bytes of each four, the highest first.
  const __m512i order = _mm512_setr_epi32(
      0x06000102, 0x090A0405, 0x0C0D0E08, 0x16101112, 0x191A1415, 0x1C1D1E18, 0x26202122,
      0x292A2425, 0x2C2D2E28, 0x36303132, 0x393A3435, 0x3C3D3E38, 0, 0, 0, 0);
  __m512i sets = _mm512_setzero_si512();
  __mmask64 others = 0, spaces = 0;
  const uint32_t last = length == 0 ? 0 : base64_bytes[text[length - 1] & 0x7F];
  const uint32_t spare = length % 4 == 2 ? last & 15 : length % 4 == 3 ? last & 3 : 0;
  for (size_t count = length * 3 / 4; length > 0; text += 64, out += 48) {
    const size_t characters = length < 64 ? length : 64, bytes = count < 48 ? count : 48;
    const __m512i read = _mm512_mask_loadu_epi8(_mm512_set1_epi8('A'),
                                                ~UINT64_C(0) >> (64 - characters), text);
    const __m512i found = _mm512_permutex2var_epi8(first, read, second);
    others |= _mm512_movepi8_mask(read);
    spaces |= _mm512_cmpeq_epi8_mask(read, _mm512_set1_epi8(' '));
    sets = _mm512_or_si512(sets, found);
    const __m512i value = _mm512_and_si512(found, _mm512_set1_epi8(63));
    const __m512i pairs = _mm512_maddubs_epi16(value, _mm512_set1_epi32(0x01400140));
    const __m512i fours = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
    _mm512_mask_storeu_epi8(out, (UINT64_C(1) << bytes) - 1, _mm512_permutexvar_epi8(order, fours));
    length -= characters;
    count -= bytes;
  }
  const int is_standard = _mm512_test_epi8_mask(sets, _mm512_set1_epi8(standard_sign)) != 0;
  const int is_dashed = _mm512_test_epi8_mask(sets, _mm512_set1_epi8((char)dash_sign)) != 0;
  if (others != 0 || spare != 0 || (is_standard && is_dashed)) return ATTEST_BASE64_NONE;
  return spaces != 0 ? ATTEST_BASE64_WITH_SPACES : ATTEST_BASE64_PLAIN;
}

#endif

attest_base64_form attest_base64_decode_narrowly(attest_base64_width widest, const uint8_t *text,
                                                 size_t length, uint8_t *out) {
  uint32_t seen = 0;
  size_t done = 0;
  (void)widest;
#if defined(__x86_64__)
  if (widest >= ATTEST_BASE64_LINE && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vbmi")) {
    return decode_wide(text, length, out);
  }
  if (widest >= ATTEST_BASE64_HALF_LINE && length >= 32 && __builtin_cpu_supports("avx2")) {
    done = decode_vectors(text, length, out, &seen);
  }
#endif
  const int is_plain = decode_plainly(text + done, length - done, out + done / 4 * 3, &seen);
  return is_plain ? form(seen) : ATTEST_BASE64_NONE;
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

attest_base64_form attest_base64_decode(const uint8_t *text, size_t length, uint8_t *out) {
  return attest_base64_decode_narrowly(ATTEST_BASE64_LINE, text, length, out);
}
