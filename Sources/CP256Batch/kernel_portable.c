#include "field.h"
#include "kernel.h"
#include "order.h"
#include "recode.h"

// The kernel for any processor: four words of 64 bits, one point after the other.

/// A running point and what one addition to it needs: lambda = numerator / denominator.
typedef struct {
  p256_number x, y;
  p256_number numerator, denominator;
  /// The product of the denominators of all points before.
  p256_number prefix;
} accumulator;

static p256_number operand_y(const p256_point *point, uint8_t negated) {
  p256_number y = point->y;
  if (negated) p256_field_negate(&y, &y);
  return y;
}

static void portable_load(p256_accumulators *accumulators, const p256_point **operands,
                          const uint8_t *negated, size_t count) {
  accumulator *points = accumulators;
  for (size_t i = 0; i < count; i++) {
    points[i].x = operands[i]->x;
    points[i].y = operand_y(operands[i], negated[i]);
  }
}

static void portable_store(const p256_accumulators *accumulators, p256_point *const *targets,
                           size_t count) {
  const accumulator *points = accumulators;
  for (size_t i = 0; i < count; i++) {
    targets[i]->x = points[i].x;
    targets[i]->y = points[i].y;
  }
}

static void portable_leave(const p256_accumulators *accumulators, p256_number *x, size_t count) {
  const accumulator *points = accumulators;
  for (size_t i = 0; i < count; i++) p256_field_leave(&x[i], &points[i].x);
}

/// Multiplies the denominator of `point` to the product of those before (Montgomery's trick: one
/// inversion for all; Speeding the Pollard and elliptic curve methods of factorization, 1987,
/// 10.3.1).
P256_INLINE void chain_denominator(accumulator *point, p256_number *product) {
  point->prefix = *product;
  p256_field_multiply(product, product, &point->denominator);
}

/// The third point of a line through (x, y) and (x + shift, ...) with the slope numerator /
/// denominator, negated (SEC 1, 2.2.1): x3 = lambda^2 - x - (x + shift), y3 = lambda (x - x3) - y.
/// `inverse` is 1 / (product of the denominators up to this point); afterwards, up to the one
/// before.
P256_INLINE void finish_addition(accumulator *point, p256_number *inverse,
                                 const p256_number *shift) {
  p256_number slope, x3;
  p256_field_multiply(&slope, inverse, &point->prefix);
  p256_field_multiply(inverse, inverse, &point->denominator);
  p256_field_multiply(&slope, &slope, &point->numerator);
  p256_field_square(&x3, &slope);
  p256_field_subtract(&x3, &x3, &point->x);
  p256_field_subtract(&x3, &x3, &point->x);
  if (shift != NULL) p256_field_subtract(&x3, &x3, shift);
  p256_field_subtract(&point->x, &point->x, &x3);
  p256_field_multiply(&slope, &slope, &point->x);
  p256_field_subtract(&point->y, &slope, &point->y);
  point->x = x3;
}

/// Flags the points whose denominator is 0 and puts 1 in its place; gives the product anew.
static size_t flag_exceptions(accumulator *points, size_t count, uint8_t *flags,
                              p256_number *product) {
  size_t flagged = 0;
  *product = P256_FIELD_ONE;
  for (size_t i = 0; i < count; i++) {
    if (p256_number_is_zero(&points[i].denominator)) {
      points[i].denominator = P256_FIELD_ONE;
      flags[i] = 1;
      flagged++;
    }
    chain_denominator(&points[i], product);
  }
  return flagged;
}

/// How many operands ahead are asked for: they lie anywhere in tables larger than the caches.
enum { PREFETCH_DISTANCE = 12 };

static size_t portable_add(p256_accumulators *accumulators, const p256_point **operands,
                           const uint8_t *negated, size_t count, uint8_t *flags) {
  accumulator *points = accumulators;
  p256_number product = P256_FIELD_ONE;
  for (size_t i = 0; i < count; i++) {
    if (i + PREFETCH_DISTANCE < count) __builtin_prefetch(operands[i + PREFETCH_DISTANCE]);
    p256_number y = operand_y(operands[i], negated[i]);
    p256_field_subtract(&points[i].denominator, &operands[i]->x, &points[i].x);
    p256_field_subtract(&points[i].numerator, &y, &points[i].y);
    chain_denominator(&points[i], &product);
  }
  size_t flagged = 0;
  if (p256_number_is_zero(&product)) flagged = flag_exceptions(points, count, flags, &product);
  p256_number inverse;
  p256_field_invert(&inverse, &product);
  for (size_t i = count; i-- > 0;) {
    p256_number shift = points[i].denominator;
    finish_addition(&points[i], &inverse, &shift);
  }
  return flagged;
}

/// The tangent's slope is (3 x^2 - 3) / (2 y) (SEC 1, 2.2.1).
static size_t portable_twice(p256_accumulators *accumulators, size_t count, uint8_t *flags) {
  accumulator *points = accumulators;
  p256_number product = P256_FIELD_ONE, inverse;
  for (size_t i = 0; i < count; i++) {
    p256_number square;
    p256_field_square(&square, &points[i].x);
    p256_field_subtract(&square, &square, &P256_FIELD_ONE);
    p256_field_add(&points[i].numerator, &square, &square);
    p256_field_add(&points[i].numerator, &points[i].numerator, &square);
    p256_field_add(&points[i].denominator, &points[i].y, &points[i].y);
    chain_denominator(&points[i], &product);
  }
  size_t flagged = 0;
  if (p256_number_is_zero(&product)) flagged = flag_exceptions(points, count, flags, &product);
  p256_field_invert(&inverse, &product);
  for (size_t i = count; i-- > 0;) finish_addition(&points[i], &inverse, NULL);
  return flagged;
}

/// u1 = digest / s and u2 = r / s mod n (FIPS 186-5, 6.4.2, steps 3 and 4), with one inversion for
/// all s. The products P_i = s_0 ... s_i / R^(i + 1) take the place of u2 on the way: from R / P_i
/// follow R / s_i and R / P_(i-1).
static void portable_scalars(p256_scalars *signatures, size_t count, p256_accumulators *room) {
  (void)room;
  p256_number product = {{1}}, inverse, factor;
  for (size_t i = 0; i < count; i++) {
    signatures[i].u2 = product;
    p256_order_multiply(&product, &product, &signatures[i].s);
  }
  p256_order_invert(&inverse, &product);
  for (size_t i = count; i-- > 0;) {
    p256_scalars *signature = &signatures[i];
    p256_order_multiply(&factor, &inverse, &signature->u2);
    p256_order_multiply(&inverse, &inverse, &signature->s);
    p256_order_multiply(&signature->u1, &signature->u1, &factor);
    p256_order_multiply(&signature->u2, &signature->r, &factor);
  }
}

static void portable_select(const p256_recoded *recoded, unsigned bit, unsigned width,
                            const p256_point *const *rows, size_t row_offset, size_t count,
                            const p256_point **operands, uint8_t *negated) {
  for (size_t i = 0; i < count; i += P256_LANES) {
    p256_select_block(&recoded[i / P256_LANES], bit, width, rows + i, row_offset, operands + i,
                      negated + i);
  }
}

const p256_kernel p256_kernel_portable = {
    .accumulator_block_bytes = P256_LANES * sizeof(accumulator),
    .entering_factor = {{0x0000000000000003, 0xFFFFFFFBFFFFFFFF, 0xFFFFFFFFFFFFFFFE,
                         0x00000004FFFFFFFD}},  // 2^512: R is 2^256.
    .leaving_factor = {{1}},
    .least_keys_together = 32,
    .best_capacity = 1024,
    .best_multiples_bytes = 4 << 20,
    .load = portable_load,
    .add = portable_add,
    .twice = portable_twice,
    .store = portable_store,
    .leave = portable_leave,
    .scalars = portable_scalars,
    .select = portable_select,
};
