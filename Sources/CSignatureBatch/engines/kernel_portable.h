#ifndef CSIGNATUREBATCH_KERNEL_PORTABLE_H
#define CSIGNATUREBATCH_KERNEL_PORTABLE_H

#include "../numbers/elements.h"
#include "../numbers/field.h"
#include "../numbers/order.h"

/// The arithmetic for any processor: words of 64 bits, one point after the other; see elements.h.

/// An affine point: coordinates below p, in the form of field.h. One of P-256 is a cache line.
typedef struct {
#if SB_BITS == 256
  _Alignas(64)
#endif
      sb_number x;
  sb_number y;
} sb_point;

/// A running point and what one addition to it needs: lambda = numerator / denominator.
typedef struct {
  sb_number x, y;
  sb_number numerator, denominator;
  /// The product of the denominators of all points before.
  sb_number prefix;
} accumulator;

typedef struct {
  accumulator point[SB_LANES];
} sb_accumulators;

SB_FUNCTION sb_point sb_point_enter(const sb_number *x, const sb_number *y) {
  sb_point point;
  sb_field_enter(&point.x, x);
  sb_field_enter(&point.y, y);
  return point;
}

SB_FUNCTION void sb_point_leave(const sb_point *point, sb_number *x, sb_number *y) {
  sb_field_leave(x, &point->x);
  sb_field_leave(y, &point->y);
}

/// Returns y of a table's point, or p - y. Takes no branch, which would often be mispredicted. y is
/// not 0.
SB_INLINE sb_number operand_y(const sb_point *point, uint8_t negated) {
  sb_number y;
  sb_number_subtract(&y, &SB_PRIME, &point->y);
  sb_number_select(&y, negated != 0, &y, &point->y);
  return y;
}

SB_FUNCTION void sb_kernel_load(sb_accumulators *accumulators, const sb_point **operands,
                                const uint8_t *negated, size_t count) {
  accumulator *points = accumulators->point;
  for (size_t i = 0; i < count; i++) {
    points[i].x = operands[i]->x;
    points[i].y = operand_y(operands[i], negated[i]);
  }
}

SB_FUNCTION void sb_kernel_store(const sb_accumulators *accumulators, sb_point *const *targets,
                                 size_t count) {
  const accumulator *points = accumulators->point;
  for (size_t i = 0; i < count; i++) {
    targets[i]->x = points[i].x;
    targets[i]->y = points[i].y;
  }
}

SB_FUNCTION void sb_kernel_leave(const sb_accumulators *accumulators, sb_number *x, size_t count) {
  const accumulator *points = accumulators->point;
  for (size_t i = 0; i < count; i++) sb_field_leave(&x[i], &points[i].x);
}

// One inversion serves all denominators (Montgomery's trick; P. L. Montgomery, Speeding the Pollard
// and elliptic curve methods of factorization, 1987, 10.3.1). Points with even and with odd numbers
// have chains of products of their own: a multiplication takes longer than the processor could
// otherwise start the next one.

/// The product of the denominators of each chain.
typedef struct {
  sb_number product[2];
} chains;

static const chains EMPTY_CHAINS = {{SB_FIELD_ONE_WORDS, SB_FIELD_ONE_WORDS}};

SB_INLINE void chain_denominator(accumulator *points, size_t i, chains *chains) {
  sb_number *product = &chains->product[i % 2];
  points[i].prefix = *product;
  sb_field_multiply(product, product, &points[i].denominator);
}

/// Flags the points whose denominator is 0 and puts 1 in its place; makes the products again.
SB_FUNCTION size_t flag_exceptions(accumulator *points, size_t count, uint8_t *flags,
                                   chains *chains) {
  size_t flagged = 0;
  *chains = EMPTY_CHAINS;
  for (size_t i = 0; i < count; i++) {
    if (sb_number_is_zero(&points[i].denominator)) {
      points[i].denominator = SB_FIELD_ONE;
      flags[i] = 1;
      flagged++;
    }
    chain_denominator(points, i, chains);
  }
  return flagged;
}

/// Inverts the products, without any 0 among the denominators; returns how many were flagged.
SB_FUNCTION size_t invert_chains(accumulator *points, size_t count, uint8_t *flags,
                                 chains *chains) {
  sb_number both, inverse, even_inverse;
  size_t flagged = 0;
  sb_field_multiply(&both, &chains->product[0], &chains->product[1]);
  if (sb_number_is_zero(&both)) {
    flagged = flag_exceptions(points, count, flags, chains);
    sb_field_multiply(&both, &chains->product[0], &chains->product[1]);
  }
  sb_field_invert(&inverse, &both);
  sb_field_multiply(&even_inverse, &inverse, &chains->product[1]);
  sb_field_multiply(&chains->product[1], &inverse, &chains->product[0]);
  chains->product[0] = even_inverse;
  return flagged;
}

/// Computes slope = numerator / denominator, where `inverse` is 1 / (product up to this point).
/// Afterwards `inverse` is that up to the one before.
SB_INLINE void divide(const accumulator *point, sb_number *inverse, sb_number *slope) {
  sb_field_multiply(slope, inverse, &point->prefix);
  sb_field_multiply(inverse, inverse, &point->denominator);
  sb_field_multiply(slope, slope, &point->numerator);
}

/// Computes the x of the third point on the line through the points at x and other_x, and its
/// distance from x: x3 = slope^2 - x - other_x (SEC 1, 2.2.1).
SB_INLINE void finish_x(accumulator *point, const sb_number *slope, const sb_number *other_x,
                        sb_number *distance) {
  sb_number x3;
  sb_field_square(&x3, slope);
  sb_field_subtract(&x3, &x3, &point->x);
  sb_field_subtract(&x3, &x3, other_x);
  sb_field_subtract(distance, &point->x, &x3);
  point->x = x3;
}

/// Computes the negated y of the third point: y3 = slope (x - x3) - y.
SB_INLINE void finish_y(accumulator *point, const sb_number *slope, const sb_number *distance) {
  sb_number y3;
  sb_field_multiply(&y3, slope, distance);
  sb_field_subtract(&point->y, &y3, &point->y);
}

/// Finishes points[i] and points[i + 1], step by step in turn; i is even.
SB_INLINE void finish_pair(accumulator *points, size_t i, chains *inverses,
                           const sb_number *other_x0, const sb_number *other_x1) {
  sb_number slope0, slope1, distance0, distance1;
  divide(&points[i], &inverses->product[0], &slope0);
  divide(&points[i + 1], &inverses->product[1], &slope1);
  finish_x(&points[i], &slope0, other_x0, &distance0);
  finish_x(&points[i + 1], &slope1, other_x1, &distance1);
  finish_y(&points[i], &slope0, &distance0);
  finish_y(&points[i + 1], &slope1, &distance1);
}

/// Finishes points[i], the last of an odd number.
SB_FUNCTION void finish_last(accumulator *points, size_t i, chains *inverses,
                             const sb_number *other_x) {
  sb_number slope, distance;
  divide(&points[i], &inverses->product[0], &slope);
  finish_x(&points[i], &slope, other_x, &distance);
  finish_y(&points[i], &slope, &distance);
}

/// The number of operands ahead that are asked for: they lie anywhere in tables larger than the
/// caches.
enum { PREFETCH_DISTANCE = 12 };

/// Adds by the line through (x, y) and (x2, y2), which has the slope (y2 - y) / (x2 - x) (SEC 1,
/// 2.2.1).
SB_FUNCTION size_t sb_kernel_add(sb_accumulators *accumulators, const sb_point **operands,
                                 const uint8_t *negated, size_t count, uint8_t *flags) {
  accumulator *points = accumulators->point;
  chains chains = EMPTY_CHAINS;
  for (size_t i = 0; i < count; i++) {
    if (i + PREFETCH_DISTANCE < count) sb_prefetch(operands[i + PREFETCH_DISTANCE]);
    sb_number y = operand_y(operands[i], negated[i]);
    sb_field_subtract(&points[i].denominator, &operands[i]->x, &points[i].x);
    sb_field_subtract(&points[i].numerator, &y, &points[i].y);
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

/// Doubles by the tangent, which has the slope (3 x^2 - 3) / (2 y) (SEC 1, 2.2.1).
SB_FUNCTION size_t sb_kernel_twice(sb_accumulators *accumulators, size_t count, uint8_t *flags) {
  accumulator *points = accumulators->point;
  chains chains = EMPTY_CHAINS;
  for (size_t i = 0; i < count; i++) {
    sb_number square;
    sb_field_square(&square, &points[i].x);
    sb_field_subtract(&square, &square, &SB_FIELD_ONE);
    sb_field_add(&points[i].numerator, &square, &square);
    sb_field_add(&points[i].numerator, &points[i].numerator, &square);
    sb_field_add(&points[i].denominator, &points[i].y, &points[i].y);
    chain_denominator(points, i, &chains);
  }
  size_t flagged = invert_chains(points, count, flags, &chains);
  size_t last = count - count % 2;
  if (last < count) {
    sb_number x = points[last].x;
    finish_last(points, last, &chains, &x);
  }
  for (size_t i = last; i > 0; i -= 2) {
    sb_number x0 = points[i - 2].x, x1 = points[i - 1].x;
    finish_pair(points, i - 2, &chains, &x0, &x1);
  }
  return flagged;
}

/// Computes u1 = digest / s and u2 = r / s mod n (FIPS 186-5, 6.4.2, steps 3 and 4), with one
/// inversion for all s. The products P_i = s_0 ... s_i / R^(i + 1) take the place of u2 on the way:
/// from R / P_i follow R / s_i and R / P_(i-1).
SB_FUNCTION void sb_kernel_scalars(sb_scalars *signatures, size_t count, sb_accumulators *room) {
  (void)room;
  sb_number product = {{1}}, inverse, factor;
  for (size_t i = 0; i < count; i++) {
    signatures[i].u2 = product;
    sb_order_multiply(&product, &product, &signatures[i].s);
  }
  sb_order_invert(&inverse, &product);
  for (size_t i = count; i-- > 0;) {
    sb_scalars *signature = &signatures[i];
    sb_order_multiply(&factor, &inverse, &signature->u2);
    sb_order_multiply(&inverse, &inverse, &signature->s);
    sb_order_multiply(&signature->u1, &signature->u1, &factor);
    sb_order_multiply(&signature->u2, &signature->r, &factor);
  }
}

static const sb_tuning SB_TUNING = {
    .least_keys_together = 32,
    .capacity = 1024,
    .multiples_bytes = 4 << 20,
    .methods = {{1, SB_METHOD_DOUBLINGS},
                {28, SB_METHOD_BUCKETS},
                {75, 5},
                {400, 6},
                {SB_BITS == 256 ? 900 : SIZE_MAX, 7},
                {SIZE_MAX, 8}},
};

#endif
