#ifndef CSIGNATUREBATCH_INVERSION_H
#define CSIGNATUREBATCH_INVERSION_H

#include "number.h"

// The inverse by division steps: D. J. Bernstein and B.-Y. Yang, Fast constant-time gcd computation
// and modular inversion, 2019 (https://gcd.cr.yp.to/safegcd-20190413.pdf), in the variable-time
// form with 62 steps at a time of P. Wuille's note on it in libsecp256k1
// (doc/safegcd_implementation.md).

/// Limbs of 62 bits, with room for a sign and some multiples of the modulus.
enum { SB_LIMBS_62 = SB_BITS / 62 + 1, TOP_LIMB_62 = SB_LIMBS_62 - 1 };

/// A number with a sign, in limbs of 62 bits: the value is the sum of limb[i] 2^(62 i). All limbs
/// but the highest are in 0 ..< 2^62 unless a comment says otherwise.
typedef struct {
  int64_t limb[SB_LIMBS_62];
} sb_signed62;

/// An odd modulus and what its inversion needs.
typedef struct {
  sb_signed62 modulus;
  /// 1 / modulus mod 2^62.
  uint64_t inverse62;
} sb_inversion;

#if SB_BITS == 256
static const sb_inversion SB_INVERSION_PRIME = {
    {{0x3FFFFFFFFFFFFFFF, 0x3FFFFFFFF, 0, 0x3FFFFFC000000040, 0xFF}}, 0x3FFFFFFFFFFFFFFF};

static const sb_inversion SB_INVERSION_ORDER = {
    {{0x33B9CAC2FC632551, 0x339BEAB69C5E7A13, 0x3FFFFFFFFFFFFFFB, 0x3FFFFFC00000003F, 0xFF}},
    0x332E375511FF43B1};
#else
static const sb_inversion SB_INVERSION_PRIME = {
    {{0xFFFFFFFF, 0x3FFFFFFC00000000, 0x3FFFFFFFFFFFFFEF, 0x3FFFFFFFFFFFFFFF, 0x3FFFFFFFFFFFFFFF,
      0x3FFFFFFFFFFFFFFF, 0xFFF}},
    0x3FFFFFFEFFFFFFFF};

static const sb_inversion SB_INVERSION_ORDER = {
    {{0x2CEC196ACCC52973, 0x206836C922C29DEB, 0x3634D81F4372DDF5, 0x3FFFFFFFFFFFFFF1,
      0x3FFFFFFFFFFFFFFF, 0x3FFFFFFFFFFFFFFF, 0xFFF}},
    0x112B9F76177023BB};
#endif

static const uint64_t LIMB_MASK = UINT64_MAX >> 2;

/// Sixty-two division steps as a matrix of 2^62: f' = (u f + v g) / 2^62, g' = (q f + r g) / 2^62.
typedef struct {
  int64_t u, v, q, r;
} step_matrix;

SB_FUNCTION sb_signed62 signed62_from_number(const sb_number *number) {
  sb_signed62 result;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS_62; i++) {
    int bit = 62 * i, index = bit / 64, shift = bit % 64;
    uint64_t limb = number->word[index] >> shift;
    if (shift > 2 && index + 1 < SB_WORDS) limb |= number->word[index + 1] << (64 - shift);
    result.limb[i] = (int64_t)(limb & LIMB_MASK);
  }
  return result;
}

SB_FUNCTION sb_number number_from_signed62(const sb_signed62 *number) {
  sb_number result;
  SB_UNROLL
  for (int i = 0; i < SB_WORDS; i++) {
    int index = 64 * i / 62, shift = 64 * i - 62 * index;
    uint64_t word = (uint64_t)number->limb[index] >> shift;
    if (index + 1 < SB_LIMBS_62) word |= (uint64_t)number->limb[index + 1] << (62 - shift);
    result.word[i] = word;
  }
  return result;
}

SB_FUNCTION bool signed62_is_zero(const sb_signed62 *number) {
  int64_t bits = 0;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS_62; i++) bits |= number->limb[i];
  return bits == 0;
}

/// Brings all limbs but the highest into 0 ..< 2^62; >> of a negative number rounds down.
SB_FUNCTION void signed62_carry(sb_signed62 *number) {
  for (int i = 0; i < TOP_LIMB_62; i++) {
    number->limb[i + 1] += number->limb[i] >> 62;
    number->limb[i] &= (int64_t)LIMB_MASK;
  }
}

SB_FUNCTION void signed62_add(sb_signed62 *number, const sb_signed62 *other) {
  for (int i = 0; i < SB_LIMBS_62; i++) number->limb[i] += other->limb[i];
  signed62_carry(number);
}

SB_FUNCTION void signed62_negate(sb_signed62 *number) {
  for (int i = 0; i < SB_LIMBS_62; i++) number->limb[i] = -number->limb[i];
  signed62_carry(number);
}

/// Returns a multiple w of f with g + w f = 0 mod 2^bits, below 2^bits. f is odd, and `bits` is at
/// most 6 if `long_quotient`, else at most 4. 1 / f mod 2^6 is f (2 - f^2), mod 2^4 it is f + 2 ((f
/// + 1) & 4).
SB_FUNCTION uint64_t cancelling_multiple(uint64_t f, uint64_t g, int bits, bool long_quotient) {
  uint64_t negated_inverse = long_quotient ? f * (f * f - 2) : -(f + (((f + 1) & 4) << 1));
  uint64_t mask = (UINT64_MAX >> (64 - bits)) & (long_quotient ? 63 : 15);
  return (negated_inverse * g) & mask;
}

/// Makes 62 division steps on the lowest words of f and g. `eta` is minus delta of the paper; the
/// return value is eta after the steps.
SB_FUNCTION int64_t divide_62_steps(int64_t eta, uint64_t f, uint64_t g, step_matrix *matrix) {
  uint64_t u = 1, v = 0, q = 0, r = 1;
  int remaining = 62;
  for (;;) {
    // The bits above the remaining steps stop the count of zeros.
    int zeros = __builtin_ctzll(g | UINT64_MAX << remaining);
    g >>= zeros;
    u <<= zeros;
    v <<= zeros;
    eta -= zeros;
    remaining -= zeros;
    if (remaining == 0) break;
    bool swaps = eta < 0;
    if (swaps) {
      uint64_t old_f = f, old_u = u, old_v = v;
      eta = -eta;
      f = g;
      g = -old_f;
      u = q;
      q = -old_u;
      v = r;
      r = -old_v;
    }
    // Up to eta + 1 further steps need no swap: their bits are cancelled together.
    int steps = eta + 1 > remaining ? remaining : (int)eta + 1;
    uint64_t multiple = cancelling_multiple(f, g, steps, swaps);
    g += f * multiple;
    q += u * multiple;
    r += v * multiple;
  }
  *matrix = (step_matrix){(int64_t)u, (int64_t)v, (int64_t)q, (int64_t)r};
  return eta;
}

/// Computes (f, g) = matrix (f, g) / 2^62, which is exact.
SB_FUNCTION void update_f_g(sb_signed62 *f, sb_signed62 *g, const step_matrix *matrix) {
  sb_signed_wide sum_f = 0, sum_g = 0;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS_62; i++) {
    sum_f += (sb_signed_wide)matrix->u * f->limb[i] + (sb_signed_wide)matrix->v * g->limb[i];
    sum_g += (sb_signed_wide)matrix->q * f->limb[i] + (sb_signed_wide)matrix->r * g->limb[i];
    if (i > 0) {
      f->limb[i - 1] = (int64_t)((uint64_t)sum_f & LIMB_MASK);
      g->limb[i - 1] = (int64_t)((uint64_t)sum_g & LIMB_MASK);
    }
    sum_f >>= 62;
    sum_g >>= 62;
  }
  f->limb[TOP_LIMB_62] = (int64_t)sum_f;
  g->limb[TOP_LIMB_62] = (int64_t)sum_g;
}

/// Computes (d, e) = matrix (d, e) / 2^62 mod the modulus, where d and e are between -2 moduli and
/// 1, before and after.
SB_FUNCTION void update_d_e(sb_signed62 *d, sb_signed62 *e, const step_matrix *matrix,
                            const sb_inversion *inversion) {
  const int64_t u = matrix->u, v = matrix->v, q = matrix->q, r = matrix->r;
  int64_t sign_d = d->limb[TOP_LIMB_62] >> 63, sign_e = e->limb[TOP_LIMB_62] >> 63;
  // What of the modulus to add: first to make d and e positive, then to make the sums divisible.
  int64_t times_d = (u & sign_d) + (v & sign_e), times_e = (q & sign_d) + (r & sign_e);
  sb_signed_wide sum_d = 0, sum_e = 0;
  SB_UNROLL
  for (int i = 0; i < SB_LIMBS_62; i++) {
    sum_d += (sb_signed_wide)u * d->limb[i] + (sb_signed_wide)v * e->limb[i];
    sum_e += (sb_signed_wide)q * d->limb[i] + (sb_signed_wide)r * e->limb[i];
    if (i == 0) {
      uint64_t low_d = inversion->inverse62 * (uint64_t)sum_d + (uint64_t)times_d;
      uint64_t low_e = inversion->inverse62 * (uint64_t)sum_e + (uint64_t)times_e;
      times_d -= (int64_t)(low_d & LIMB_MASK);
      times_e -= (int64_t)(low_e & LIMB_MASK);
    }
    sum_d += (sb_signed_wide)inversion->modulus.limb[i] * times_d;
    sum_e += (sb_signed_wide)inversion->modulus.limb[i] * times_e;
    if (i > 0) {
      d->limb[i - 1] = (int64_t)((uint64_t)sum_d & LIMB_MASK);
      e->limb[i - 1] = (int64_t)((uint64_t)sum_e & LIMB_MASK);
    }
    sum_d >>= 62;
    sum_e >>= 62;
  }
  d->limb[TOP_LIMB_62] = (int64_t)sum_d;
  e->limb[TOP_LIMB_62] = (int64_t)sum_e;
}

/// Computes result = 1 / number mod the modulus, for 0 < number < modulus.
SB_FUNCTION void sb_invert(sb_number *result, const sb_number *number,
                           const sb_inversion *inversion) {
  sb_signed62 d = {{0}}, e = {{1}}, f = inversion->modulus;
  sb_signed62 g = signed62_from_number(number);
  int64_t eta = -1;
  while (!signed62_is_zero(&g)) {
    step_matrix matrix;
    eta = divide_62_steps(eta, (uint64_t)f.limb[0], (uint64_t)g.limb[0], &matrix);
    update_d_e(&d, &e, &matrix, inversion);
    update_f_g(&f, &g, &matrix);
  }
  // Now f is 1 or -1, and d f the inverse.
  if (d.limb[TOP_LIMB_62] < 0) signed62_add(&d, &inversion->modulus);
  if (f.limb[TOP_LIMB_62] < 0) signed62_negate(&d);
  if (d.limb[TOP_LIMB_62] < 0) signed62_add(&d, &inversion->modulus);
  *result = number_from_signed62(&d);
}

#endif
