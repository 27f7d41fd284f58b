#ifndef CP256BATCH_LANES_AVX512_H
#define CP256BATCH_LANES_AVX512_H

#include "kernel.h"

/// Eight words of 64 bits in one register of AVX-512: all that the eight-lane kernel asks of the
/// processor. lanes_emulated.h says what each operation does.

typedef __m512i p256_lanes;
typedef __mmask8 p256_lane_mask;

#define p256_lanes_shift_left(lanes, bits) _mm512_slli_epi64(lanes, bits)
#define p256_lanes_shift_right(lanes, bits) _mm512_srli_epi64(lanes, bits)
#define p256_lanes_shift_right_signed(lanes, bits) _mm512_srai_epi64(lanes, bits)

P256_INLINE p256_lanes p256_lanes_all(uint64_t word) { return _mm512_set1_epi64((long long)word); }

P256_INLINE p256_lanes p256_lanes_load(const uint64_t *words) { return _mm512_loadu_si512(words); }

P256_INLINE void p256_lanes_store(uint64_t *words, p256_lanes lanes) {
  _mm512_storeu_si512(words, lanes);
}

P256_INLINE p256_lanes p256_lanes_add(p256_lanes left, p256_lanes right) {
  return _mm512_add_epi64(left, right);
}

P256_INLINE p256_lanes p256_lanes_subtract(p256_lanes left, p256_lanes right) {
  return _mm512_sub_epi64(left, right);
}

P256_INLINE p256_lanes p256_lanes_and(p256_lanes left, p256_lanes right) {
  return _mm512_and_si512(left, right);
}

P256_INLINE p256_lanes p256_lanes_or(p256_lanes left, p256_lanes right) {
  return _mm512_or_si512(left, right);
}

P256_INLINE p256_lanes p256_lanes_multiply_low(p256_lanes sum, p256_lanes left, p256_lanes right) {
  return _mm512_madd52lo_epu64(sum, left, right);
}

P256_INLINE p256_lanes p256_lanes_multiply_high(p256_lanes sum, p256_lanes left, p256_lanes right) {
  return _mm512_madd52hi_epu64(sum, left, right);
}

P256_INLINE p256_lanes p256_lanes_interleave_even(p256_lanes left, p256_lanes right) {
  return _mm512_unpacklo_epi64(left, right);
}

P256_INLINE p256_lanes p256_lanes_interleave_odd(p256_lanes left, p256_lanes right) {
  return _mm512_unpackhi_epi64(left, right);
}

P256_INLINE p256_lanes p256_lanes_pick(p256_lanes left, p256_lanes index, p256_lanes right) {
  return _mm512_permutex2var_epi64(left, index, right);
}

P256_INLINE p256_lane_mask p256_lanes_are_negative(p256_lanes lanes) {
  return _mm512_cmplt_epi64_mask(lanes, _mm512_setzero_si512());
}

P256_INLINE p256_lane_mask p256_lanes_mask_of_bytes(const uint8_t *bytes) {
  __m512i words = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)bytes));
  return _mm512_test_epi64_mask(words, words);
}

P256_INLINE p256_lanes p256_lanes_select(p256_lane_mask mask, p256_lanes first, p256_lanes second) {
  return _mm512_mask_blend_epi64(mask, second, first);
}

#endif
