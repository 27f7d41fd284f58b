#ifndef CSIGNATUREBATCH_LANES_AVX512_H
#define CSIGNATUREBATCH_LANES_AVX512_H

#include "../numbers/elements.h"

/// Eight words of 64 bits in one register of AVX-512: all that the eight-lane arithmetic asks of
/// the processor. lanes_emulated.h of the tests says what each operation does.

typedef __m512i sb_lanes;
typedef __mmask8 sb_lane_mask;

#define sb_lanes_shift_left(lanes, bits) _mm512_slli_epi64(lanes, bits)
#define sb_lanes_shift_right(lanes, bits) _mm512_srli_epi64(lanes, bits)
#define sb_lanes_shift_right_signed(lanes, bits) _mm512_srai_epi64(lanes, bits)

SB_INLINE sb_lanes sb_lanes_all(uint64_t word) { return _mm512_set1_epi64((long long)word); }

SB_INLINE sb_lanes sb_lanes_load(const uint64_t *words) { return _mm512_loadu_si512(words); }

SB_INLINE void sb_lanes_store(uint64_t *words, sb_lanes lanes) {
  _mm512_storeu_si512(words, lanes);
}

SB_INLINE sb_lanes sb_lanes_add(sb_lanes left, sb_lanes right) {
  return _mm512_add_epi64(left, right);
}

SB_INLINE sb_lanes sb_lanes_subtract(sb_lanes left, sb_lanes right) {
  return _mm512_sub_epi64(left, right);
}

SB_INLINE sb_lanes sb_lanes_and(sb_lanes left, sb_lanes right) {
  return _mm512_and_si512(left, right);
}

SB_INLINE sb_lanes sb_lanes_or(sb_lanes left, sb_lanes right) {
  return _mm512_or_si512(left, right);
}

SB_INLINE sb_lanes sb_lanes_multiply_low(sb_lanes sum, sb_lanes left, sb_lanes right) {
  return _mm512_madd52lo_epu64(sum, left, right);
}

SB_INLINE sb_lanes sb_lanes_multiply_high(sb_lanes sum, sb_lanes left, sb_lanes right) {
  return _mm512_madd52hi_epu64(sum, left, right);
}

SB_INLINE sb_lanes sb_lanes_interleave_even(sb_lanes left, sb_lanes right) {
  return _mm512_unpacklo_epi64(left, right);
}

SB_INLINE sb_lanes sb_lanes_interleave_odd(sb_lanes left, sb_lanes right) {
  return _mm512_unpackhi_epi64(left, right);
}

SB_INLINE sb_lanes sb_lanes_pick(sb_lanes left, sb_lanes index, sb_lanes right) {
  return _mm512_permutex2var_epi64(left, index, right);
}

SB_INLINE sb_lane_mask sb_lanes_are_negative(sb_lanes lanes) {
  return _mm512_cmplt_epi64_mask(lanes, _mm512_setzero_si512());
}

SB_INLINE sb_lane_mask sb_lanes_mask_of_bytes(const uint8_t *bytes) {
  __m512i words = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)bytes));
  return _mm512_test_epi64_mask(words, words);
}

SB_INLINE sb_lanes sb_lanes_select(sb_lane_mask mask, sb_lanes first, sb_lanes second) {
  return _mm512_mask_blend_epi64(mask, second, first);
}

#endif
