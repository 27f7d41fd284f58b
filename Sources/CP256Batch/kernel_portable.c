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

/// y of a table's point, or p - y; without a branch, which would often be mispredicted. y is not 0.
P256_INLINE p256_number operand_y(const p256_point *point, uint8_t negated) {
  p256_number y;
  p256_number_subtract(&y, &P256_PRIME, &point->y);
  p256_number_select(&y, negated != 0, &y, &point->y);
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

// One inversion serves all denominators (Montgomery's trick; P. L. Montgomery, Speeding the Pollard
// and elliptic curve methods of factorization, 1987, 10.3.1). Points with even and with odd numbers
// have chains of products of their own: a multiplication takes longer than the processor could
// otherwise start the next one.

/// The product of the denominators of each chain.
typedef struct {
  p256_number product[2];
} chains;

static const chains EMPTY_CHAINS = {{P256_FIELD_ONE_WORDS, P256_FIELD_ONE_WORDS}};

P256_INLINE void chain_denominator(accumulator *points, size_t i, chains *chains) {
  p256_number *product = &chains->product[i % 2];
  points[i].prefix = *product;
  p256_field_multiply(product, product, &points[i].denominator);
}

/// Flags the points whose denominator is 0 and puts 1 in its place; makes the products anew.
static size_t flag_exceptions(accumulator *points, size_t count, uint8_t *flags, chains *chains) {
  size_t flagged = 0;
  *chains = EMPTY_CHAINS;
  for (size_t i = 0; i < count; i++) {
    if (p256_number_is_zero(&points[i].denominator)) {
      points[i].denominator = P256_FIELD_ONE;
      flags[i] = 1;
      flagged++;
    }
    chain_denominator(points, i, chains);
  }
  return flagged;
}

/// Inverts the products, without any 0 among the denominators; returns how many were flagged.
static size_t invert_chains(accumulator *points, size_t count, uint8_t *flags, chains *chains) {
  p256_number both, inverse, even_inverse;
  size_t flagged = 0;
  p256_field_multiply(&both, &chains->product[0], &chains->product[1]);
  if (p256_number_is_zero(&both)) {
    flagged = flag_exceptions(points, count, flags, chains);
    p256_field_multiply(&both, &chains->product[0], &chains->product[1]);
  }
  p256_field_invert(&inverse, &both);
  p256_field_multiply(&even_inverse, &inverse, &chains->product[1]);
  p256_field_multiply(&chains->product[1], &inverse, &chains->product[0]);
  chains->product[0] = even_inverse;
  return flagged;
}

/// slope = numerator / denominator, where `inverse` is 1 / (product up to this point); afterwards,
/// up to the one before.
P256_INLINE void divide(const accumulator *point, p256_number *inverse, p256_number *slope) {
  p256_field_multiply(slope, inverse, &point->prefix);
  p256_field_multiply(inverse, inverse, &point->denominator);
  p256_field_multiply(slope, slope, &point->numerator);
}

/// The x of the third point on the line through the points at x and other_x, and its distance from
/// x: x3 = slope^2 - x - other_x (SEC 1, 2.2.1).
P256_INLINE void finish_x(accumulator *point, const p256_number *slope, const p256_number *other_x,
                          p256_number *distance) {
  p256_number x3;
  p256_field_square(&x3, slope);
  p256_field_subtract(&x3, &x3, &point->x);
  p256_field_subtract(&x3, &x3, other_x);
  p256_field_subtract(distance, &point->x, &x3);
  point->x = x3;
}

/// The negated y of the third point: y3 = slope (x - x3) - y.
P256_INLINE void finish_y(accumulator *point, const p256_number *slope,
                          const p256_number *distance) {
  p256_number y3;
  p256_field_multiply(&y3, slope, distance);
  p256_field_subtract(&point->y, &y3, &point->y);
}

/// Finishes points[i] and points[i + 1], step by step in turn; i is even.
P256_INLINE void finish_pair(accumulator *points, size_t i, chains *inverses,
                             const p256_number *other_x0, const p256_number *other_x1) {
  p256_number slope0, slope1, distance0, distance1;
  divide(&points[i], &inverses->product[0], &slope0);
  divide(&points[i + 1], &inverses->product[1], &slope1);
  finish_x(&points[i], &slope0, other_x0, &distance0);
  finish_x(&points[i + 1], &slope1, other_x1, &distance1);
  finish_y(&points[i], &slope0, &distance0);
  finish_y(&points[i + 1], &slope1, &distance1);
}

/// Finishes points[i], the last of an odd number.
static void finish_last(accumulator *points, size_t i, chains *inverses,
                        const p256_number *other_x) {
  p256_number slope, distance;
  divide(&points[i], &inverses->product[0], &slope);
  finish_x(&points[i], &slope, other_x, &distance);
  finish_y(&points[i], &slope, &distance);
}

/// How many operands ahead are asked for: they lie anywhere in tables larger than the caches.
enum { PREFETCH_DISTANCE = 12 };

/// The line through (x, y) and (x2, y2) has the slope (y2 - y) / (x2 - x) (SEC 1, 2.2.1).
static size_t portable_add(p256_accumulators *accumulators, const p256_point **operands,
                           const uint8_t *negated, size_t count, uint8_t *flags) {
  accumulator *points = accumulators;
  chains chains = EMPTY_CHAINS;
  for (size_t i = 0; i < count; i++) {
    if (i + PREFETCH_DISTANCE < count) __builtin_prefetch(operands[i + PREFETCH_DISTANCE]);
    p256_number y = operand_y(operands[i], negated[i]);
    p256_field_subtract(&points[i].denominator, &operands[i]->x, &points[i].x);
    p256_field_subtract(&points[i].numerator, &y, &points[i].y);
    chain_denominator(points, i, &chains);
  }
  size_t flagged = invert_chains(points, count, flags, &chains);
  size_t last = count - count % 2;
  if (last < count) finish_last(points, last, &chains, &operands[last]->x);
  for (size_t i = last; i > 0; i -= 2) {
    finish_pair(points, i - 2, &chains, &operands[i - 2]->x, &operands[i - 1]->x);
  }
  return flagged;
}

/// The tangent has the slope (3 x^2 - 3) / (2 y) (SEC 1, 2.2.1).
static size_t portable_twice(p256_accumulators *accumulators, size_t count, uint8_t *flags) {
  accumulator *points = accumulators;
  chains chains = EMPTY_CHAINS;
  for (size_t i = 0; i < count; i++) {
    p256_number square;
    p256_field_square(&square, &points[i].x);
    p256_field_subtract(&square, &square, &P256_FIELD_ONE);
    p256_field_add(&points[i].numerator, &square, &square);
    p256_field_add(&points[i].numerator, &points[i].numerator, &square);
    p256_field_add(&points[i].denominator, &points[i].y, &points[i].y);
    chain_denominator(points, i, &chains);
  }
  size_t flagged = invert_chains(points, count, flags, &chains);
  size_t last = count - count % 2;
  if (last < count) {
    p256_number x = points[last].x;
    finish_last(points, last, &chains, &x);
  }
  for (size_t i = last; i > 0; i -= 2) {
    p256_number x0 = points[i - 2].x, x1 = points[i - 1].x;
    finish_pair(points, i - 2, &chains, &x0, &x1);
  }
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
