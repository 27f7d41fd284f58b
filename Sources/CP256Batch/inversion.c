#include "inversion.h"

// The inverse by division steps: D. J. Bernstein and B.-Y. Yang, Fast constant-time gcd computation
// and modular inversion, 2019 (https://gcd.cr.yp.to/safegcd-20190413.pdf), in the variable-time
// form with 62 steps at a time of P. Wuille's note on it in libsecp256k1
// (doc/safegcd_implementation.md).

static const uint64_t LIMB_MASK = UINT64_MAX >> 2;

/// Sixty-two division steps as a matrix of 2^62: f' = (u f + v g) / 2^62, g' = (q f + r g) / 2^62.
typedef struct {
  int64_t u, v, q, r;
} step_matrix;

static p256_signed62 signed62_from_number(const p256_number *number) {
  const uint64_t *word = number->word;
  p256_signed62 result = {{
      (int64_t)(word[0] & LIMB_MASK),
      (int64_t)((word[0] >> 62 | word[1] << 2) & LIMB_MASK),
      (int64_t)((word[1] >> 60 | word[2] << 4) & LIMB_MASK),
      (int64_t)((word[2] >> 58 | word[3] << 6) & LIMB_MASK),
      (int64_t)(word[3] >> 56),
  }};
  return result;
}

static p256_number number_from_signed62(const p256_signed62 *number) {
  uint64_t limb[5];
  for (int i = 0; i < 5; i++) limb[i] = (uint64_t)number->limb[i];
  p256_number result = {{
      limb[0] | limb[1] << 62,
      limb[1] >> 2 | limb[2] << 60,
      limb[2] >> 4 | limb[3] << 58,
      limb[3] >> 6 | limb[4] << 56,
  }};
  return result;
}

static bool signed62_is_zero(const p256_signed62 *number) {
  const int64_t *limb = number->limb;
  return (limb[0] | limb[1] | limb[2] | limb[3] | limb[4]) == 0;
}

/// Brings all limbs but the highest into 0 ..< 2^62; >> of a negative number rounds down.
static void signed62_carry(p256_signed62 *number) {
  for (int i = 0; i < 4; i++) {
    number->limb[i + 1] += number->limb[i] >> 62;
    number->limb[i] &= (int64_t)LIMB_MASK;
  }
}

static void signed62_add(p256_signed62 *number, const p256_signed62 *other) {
  for (int i = 0; i < 5; i++) number->limb[i] += other->limb[i];
  signed62_carry(number);
}

static void signed62_negate(p256_signed62 *number) {
  for (int i = 0; i < 5; i++) number->limb[i] = -number->limb[i];
  signed62_carry(number);
}

/// A multiple w of f with g + w f = 0 mod 2^bits, below 2^bits; f is odd, `bits` at most 6 where
/// `long_quotient`, else at most 4. 1 / f mod 2^6 is f (2 - f^2), mod 2^4 it is
/// f + 2 ((f + 1) & 4).
static uint64_t cancelling_multiple(uint64_t f, uint64_t g, int bits, bool long_quotient) {
  uint64_t negated_inverse = long_quotient ? f * (f * f - 2) : -(f + (((f + 1) & 4) << 1));
  uint64_t mask = (UINT64_MAX >> (64 - bits)) & (long_quotient ? 63 : 15);
  return (negated_inverse * g) & mask;
}

/// Makes 62 division steps on the lowest words of f and g. `eta` is minus delta of the paper; the
/// return value is eta after the steps.
static int64_t divide_62_steps(int64_t eta, uint64_t f, uint64_t g, step_matrix *matrix) {
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

/// (f, g) = matrix (f, g) / 2^62, which is exact.
static void update_f_g(p256_signed62 *f, p256_signed62 *g, const step_matrix *matrix) {
  p256_signed_wide sum_f = 0, sum_g = 0;
  for (int i = 0; i < 5; i++) {
    sum_f += (p256_signed_wide)matrix->u * f->limb[i] + (p256_signed_wide)matrix->v * g->limb[i];
    sum_g += (p256_signed_wide)matrix->q * f->limb[i] + (p256_signed_wide)matrix->r * g->limb[i];
    if (i > 0) {
      f->limb[i - 1] = (int64_t)((uint64_t)sum_f & LIMB_MASK);
      g->limb[i - 1] = (int64_t)((uint64_t)sum_g & LIMB_MASK);
    }
    sum_f >>= 62;
    sum_g >>= 62;
  }
  f->limb[4] = (int64_t)sum_f;
  g->limb[4] = (int64_t)sum_g;
}

/// (d, e) = matrix (d, e) / 2^62 mod the modulus, where d and e lie between -2 moduli and 1, before
/// and after.
static void update_d_e(p256_signed62 *d, p256_signed62 *e, const step_matrix *matrix,
                       const p256_inversion *inversion) {
  const int64_t u = matrix->u, v = matrix->v, q = matrix->q, r = matrix->r;
  int64_t sign_d = d->limb[4] >> 63, sign_e = e->limb[4] >> 63;
  // What of the modulus to add: first to make d and e positive, then to make the sums divisible.
  int64_t times_d = (u & sign_d) + (v & sign_e), times_e = (q & sign_d) + (r & sign_e);
  p256_signed_wide sum_d = 0, sum_e = 0;
  for (int i = 0; i < 5; i++) {
    sum_d += (p256_signed_wide)u * d->limb[i] + (p256_signed_wide)v * e->limb[i];
    sum_e += (p256_signed_wide)q * d->limb[i] + (p256_signed_wide)r * e->limb[i];
    if (i == 0) {
      uint64_t low_d = inversion->inverse62 * (uint64_t)sum_d + (uint64_t)times_d;
      uint64_t low_e = inversion->inverse62 * (uint64_t)sum_e + (uint64_t)times_e;
      times_d -= (int64_t)(low_d & LIMB_MASK);
      times_e -= (int64_t)(low_e & LIMB_MASK);
    }
    sum_d += (p256_signed_wide)inversion->modulus.limb[i] * times_d;
    sum_e += (p256_signed_wide)inversion->modulus.limb[i] * times_e;
    if (i > 0) {
      d->limb[i - 1] = (int64_t)((uint64_t)sum_d & LIMB_MASK);
      e->limb[i - 1] = (int64_t)((uint64_t)sum_e & LIMB_MASK);
    }
    sum_d >>= 62;
    sum_e >>= 62;
  }
  d->limb[4] = (int64_t)sum_d;
  e->limb[4] = (int64_t)sum_e;
}

void p256_invert(p256_number *result, const p256_number *number, const p256_inversion *inversion) {
  p256_signed62 d = {{0}}, e = {{1}}, f = inversion->modulus;
  p256_signed62 g = signed62_from_number(number);
  int64_t eta = -1;
  while (!signed62_is_zero(&g)) {
    step_matrix matrix;
    eta = divide_62_steps(eta, (uint64_t)f.limb[0], (uint64_t)g.limb[0], &matrix);
    update_d_e(&d, &e, &matrix, inversion);
    update_f_g(&f, &g, &matrix);
  }
  // Now f is 1 or -1, and d f the inverse.
  if (d.limb[4] < 0) signed62_add(&d, &inversion->modulus);
  if (f.limb[4] < 0) signed62_negate(&d);
  if (d.limb[4] < 0) signed62_add(&d, &inversion->modulus);
  *result = number_from_signed62(&d);
}
