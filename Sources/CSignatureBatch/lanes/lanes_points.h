#ifndef CSIGNATUREBATCH_LANES_POINTS_H
#define CSIGNATUREBATCH_LANES_POINTS_H

#include "lanes_field.h"

/// The points of the eight-lane arithmetic and their additions; the formulas are those of
/// kernel_portable.h.

/// An affine point: coordinates below p in the form of lanes_field.h. One of P-256 is a cache line,
/// in words of 64 bits; one of P-384 is two, in limbs of 52 bits, eight of which fill a line
/// anyway.
typedef struct {
#if SB_BITS == 256
  _Alignas(64) sb_number x;
  sb_number y;
#else
  _Alignas(64) uint64_t x[SB_LANES];
  uint64_t y[SB_LANES];
#endif
} sb_point;

SB_FUNCTION sb_point sb_point_enter(const sb_number *x, const sb_number *y) {
  sb_point point;
  sb_number form_x, form_y;
  sb_field_multiply(&form_x, x, &SB_LANES_ENTERING_FACTOR);
  sb_field_multiply(&form_y, y, &SB_LANES_ENTERING_FACTOR);
#if SB_BITS == 256
  point.x = form_x;
  point.y = form_y;
#else
  sb_limbs_of_number(point.x, &form_x);
  sb_limbs_of_number(point.y, &form_y);
#endif
  return point;
}

SB_FUNCTION void sb_point_leave(const sb_point *point, sb_number *x, sb_number *y) {
#if SB_BITS == 256
  *x = point->x;
  *y = point->y;
#else
  uint64_t top;
  *x = sb_number_of_limbs(point->x, &top);
  *y = sb_number_of_limbs(point->y, &top);
#endif
  sb_field_multiply(x, x, &SB_LANES_LEAVING_FACTOR);
  sb_field_multiply(y, y, &SB_LANES_LEAVING_FACTOR);
}

/// Eight running points and what one addition to them needs.
typedef struct {
  sb_number8 x, y;
  sb_number8 denominator;
  /// A factor.
  sb_number8 numerator;
  /// The product of the denominators of all blocks of the chain before: a factor.
  sb_number8 prefix;
} sb_accumulators;

/// The product of the denominators of the even blocks and of the odd ones: factors.
typedef struct {
  sb_number8 product[2];
} sb_chains8;

/// Returns the lanes of block `block` that are among the first `count`.
SB_LANES_INLINE sb_lane_mask sb_live_lanes(size_t block, size_t count) {
  size_t rest = count - block * SB_LANES;
  return rest >= SB_LANES ? 0xFF : (sb_lane_mask)((1U << rest) - 1);
}

/// Points the operands of dead lanes to the first one, so that they can be read.
SB_LANES_INLINE void sb_fill_operands(const sb_point **operands, size_t count) {
  for (size_t i = count; i % SB_LANES != 0; i++) operands[i] = operands[0];
}

/// Reads eight points of tables.
SB_LANES_INLINE void sb_point8_read(const sb_point *const *points, sb_number8 *x, sb_number8 *y) {
  sb_lanes row[SB_LANES];
#if SB_BITS == 256
  for (int i = 0; i < SB_LANES; i++) row[i] = sb_lanes_load(points[i]->x.word);
  sb_lanes_transpose(row);
  *x = sb_number8_from_words((sb_words8){{row[0], row[1], row[2], row[3]}});
  *y = sb_number8_from_words((sb_words8){{row[4], row[5], row[6], row[7]}});
#else
  for (int i = 0; i < SB_LANES; i++) row[i] = sb_lanes_load(points[i]->x);
  sb_lanes_transpose(row);
  for (int i = 0; i < SB_LANES; i++) x->limb[i] = row[i];
  for (int i = 0; i < SB_LANES; i++) row[i] = sb_lanes_load(points[i]->y);
  sb_lanes_transpose(row);
  for (int i = 0; i < SB_LANES; i++) y->limb[i] = row[i];
#endif
}

/// Writes the first `count` of eight points, whose coordinates are canonical, to tables.
SB_LANES_INLINE void sb_point8_write(sb_number8 x, sb_number8 y, sb_point *const *targets,
                                     size_t count) {
  sb_lanes row[SB_LANES];
  if (count > SB_LANES) count = SB_LANES;
#if SB_BITS == 256
  sb_words8 x_words = sb_words8_from_number(x), y_words = sb_words8_from_number(y);
  for (int i = 0; i < SB_WORDS; i++) {
    row[i] = x_words.word[i];
    row[i + SB_WORDS] = y_words.word[i];
  }
  sb_lanes_transpose(row);
  for (size_t i = 0; i < count; i++) sb_lanes_store(targets[i]->x.word, row[i]);
#else
  for (int i = 0; i < SB_LANES; i++) row[i] = x.limb[i];
  sb_lanes_transpose(row);
  for (size_t i = 0; i < count; i++) sb_lanes_store(targets[i]->x, row[i]);
  for (int i = 0; i < SB_LANES; i++) row[i] = y.limb[i];
  sb_lanes_transpose(row);
  for (size_t i = 0; i < count; i++) sb_lanes_store(targets[i]->y, row[i]);
#endif
}

/// Reads eight operands, negated where `negated` says so: p - y, for a y below p, not carried.
SB_LANES_INLINE void sb_point8_read_operands(const sb_point **operands, const uint8_t *negated,
                                             sb_number8 *x, sb_number8 *y) {
  sb_point8_read(operands, x, y);
  sb_number8 negated_y = sb_number8_subtract(sb_number8_all(&SB_PRIME), *y);
  *y = sb_number8_select(sb_lanes_mask_of_bytes(negated), negated_y, *y);
}

SB_LANES_INLINE sb_chains8 sb_chains8_empty(void) {
  sb_number8 one = sb_number8_all(&SB_LANES_ONE);
  return (sb_chains8){{one, one}};
}

SB_LANES_INLINE void sb_chain_block(sb_accumulators *blocks, size_t i, sb_chains8 *chains) {
  blocks[i].prefix = chains->product[i % 2];
  chains->product[i % 2] =
      sb_field8_multiply_factor(chains->product[i % 2], blocks[i].denominator);
}

/// Flags the points whose denominator is 0 and puts 1 in its place; makes the products again. Dead
/// lanes have the denominator 1.
SB_FUNCTION size_t sb_flag_blocks(sb_accumulators *blocks, size_t block_count, uint8_t *flags,
                                  sb_chains8 *chains) {
  size_t flagged = 0;
  *chains = sb_chains8_empty();
  for (size_t i = 0; i < block_count; i++) {
    for (unsigned lane = 0; lane < SB_LANES; lane++) {
      sb_number value = sb_number8_lane(&blocks[i].denominator, lane, &SB_PRIME);
      if (!sb_number_is_zero(&value)) continue;
      sb_number8_set_lane(&blocks[i].denominator, lane, &SB_LANES_ONE);
      flags[i * SB_LANES + lane] = 1;
      flagged++;
    }
    sb_chain_block(blocks, i, chains);
  }
  return flagged;
}

/// Inverts the products, without any 0 among the denominators; returns how many were flagged.
SB_FUNCTION size_t sb_invert_blocks(sb_accumulators *blocks, size_t block_count, uint8_t *flags,
                                    sb_chains8 *chains) {
  size_t flagged = 0;
  sb_number8 both = sb_field8_multiply(chains->product[0], chains->product[1]);
  if (!sb_field8_invert(&both)) {
    flagged = sb_flag_blocks(blocks, block_count, flags, chains);
    both = sb_field8_multiply(chains->product[0], chains->product[1]);
    sb_field8_invert(&both);
  }
  sb_number8 even_inverse = sb_field8_multiply(both, chains->product[1]);
  chains->product[1] = sb_field8_multiply(both, chains->product[0]);
  chains->product[0] = even_inverse;
  return flagged;
}

/// Returns 1 / denominator, where `inverse` is 1 / (product of the chain up to this block).
/// Afterwards `inverse` is that up to the one before. Both are factors.
SB_LANES_INLINE sb_number8 sb_invert_block(const sb_accumulators *block, sb_number8 *inverse) {
  sb_number8 own_inverse = sb_field8_multiply_factor(*inverse, block->prefix);
  *inverse = sb_field8_multiply_factor(*inverse, block->denominator);
  return own_inverse;
}

/// Computes x3 = slope^2 - 2 x - shift, where shift is x2 - x + SB_PRIMES_ABOVE p of an addition,
/// or 0 of a doubling. Returns x - x3 as a factor.
SB_LANES_INLINE sb_number8 sb_finish_block_x(sb_accumulators *block, sb_number8 slope,
                                             bool doubles) {
  sb_number8 x3 = sb_field8_square_product(slope);
  if (!doubles) x3 = sb_number8_subtract(x3, block->denominator);
  x3 = sb_number8_subtract(x3, block->x);
  x3 = sb_field8_carry(
      sb_field8_subtract(x3, block->x, doubles ? SB_PRIMES_ABOVE_TWICE : SB_PRIMES_ABOVE_SUM));
  sb_number8 distance = sb_number8_factor(sb_field8_subtract(block->x, x3, SB_PRIMES_ABOVE));
  block->x = x3;
  return distance;
}

/// Computes y3 = slope (x - x3) - y.
SB_LANES_INLINE void sb_finish_block_y(sb_accumulators *block, sb_number8 slope,
                                       sb_number8 distance) {
  sb_number8 negated_y = sb_field8_negate(block->y, SB_PRIMES_ABOVE);
  block->y = sb_field8_carry(sb_field8_product_plus(slope, distance, negated_y));
}

SB_LANES_INLINE void sb_finish_block(sb_accumulators *block, sb_number8 *inverse, bool doubles) {
  sb_number8 own_inverse = sb_invert_block(block, inverse);
  sb_number8 slope = sb_field8_multiply_factor(block->numerator, own_inverse);
  sb_finish_block_y(block, slope, sb_finish_block_x(block, slope, doubles));
}

/// Finishes two blocks of different chains, step by step in turn: one alone would leave the
/// multipliers waiting for its results.
SB_LANES_INLINE void sb_finish_block_pair(sb_accumulators *blocks, sb_chains8 *inverses,
                                          bool doubles) {
  sb_number8 inverse0 = sb_invert_block(&blocks[0], &inverses->product[0]);
  sb_number8 inverse1 = sb_invert_block(&blocks[1], &inverses->product[1]);
  sb_number8 slope0 = sb_field8_multiply_factor(blocks[0].numerator, inverse0);
  sb_number8 slope1 = sb_field8_multiply_factor(blocks[1].numerator, inverse1);
  sb_number8 distance0 = sb_finish_block_x(&blocks[0], slope0, doubles);
  sb_number8 distance1 = sb_finish_block_x(&blocks[1], slope1, doubles);
  sb_finish_block_y(&blocks[0], slope0, distance0);
  sb_finish_block_y(&blocks[1], slope1, distance1);
}

/// Turns numerators and denominators into sums, for the first `count` points. Lanes beyond keep
/// their points. The chains are a copy: their address is not taken where they are multiplied, so
/// that they stay in registers.
SB_LANES_INLINE size_t sb_finish_blocks(sb_accumulators *blocks, size_t count, uint8_t *flags,
                                        sb_chains8 chains, bool doubles) {
  size_t block_count = (count + SB_LANES - 1) / SB_LANES, last = block_count - 1;
  sb_chains8 inverted = chains;
  size_t flagged = sb_invert_blocks(blocks, block_count, flags, &inverted);
  chains = inverted;
  sb_number8 old_x = blocks[last].x, old_y = blocks[last].y;
  if (block_count % 2 != 0) sb_finish_block(&blocks[last], &chains.product[0], doubles);
  for (size_t i = block_count - block_count % 2; i > 0; i -= 2) {
    sb_finish_block_pair(&blocks[i - 2], &chains, doubles);
  }
  sb_lane_mask live = sb_live_lanes(last, count);
  blocks[last].x = sb_number8_select(live, blocks[last].x, old_x);
  blocks[last].y = sb_number8_select(live, blocks[last].y, old_y);
  return flagged;
}

#endif
