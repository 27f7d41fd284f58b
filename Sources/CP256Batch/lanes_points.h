#ifndef CP256BATCH_LANES_POINTS_H
#define CP256BATCH_LANES_POINTS_H

#include "lanes_field.h"

/// The running points of the eight-lane kernel and their additions; the formulas are those of
/// kernel_portable.c.

/// Eight running points and what one addition to them needs.
typedef struct {
  p256_number8 x, y;
  p256_number8 numerator, denominator;
  /// The product of the denominators of all blocks of the chain before.
  p256_number8 prefix;
} p256_point8;

/// The product of the denominators of the even blocks and of the odd ones.
typedef struct {
  p256_number8 product[2];
} p256_chains8;

/// The lanes of block `block` that are among the first `count`.
P256_LANES_INLINE p256_lane_mask p256_live_lanes(size_t block, size_t count) {
  size_t rest = count - block * P256_LANES;
  return rest >= P256_LANES ? 0xFF : (p256_lane_mask)((1U << rest) - 1);
}

/// Points the operands of dead lanes to the first one, so that they can be read.
P256_LANES_INLINE void p256_fill_operands(const p256_point **operands, size_t count) {
  for (size_t i = count; i % P256_LANES != 0; i++) operands[i] = operands[0];
}

/// Eight points of tables.
P256_LANES_INLINE void p256_point8_read(const p256_point *const *points, p256_number8 *x,
                                        p256_number8 *y) {
  p256_lanes row[P256_LANES];
  for (int i = 0; i < P256_LANES; i++) {
    row[i] = p256_lanes_load((const uint64_t *)(const void *)points[i]);
  }
  p256_lanes_transpose(row);
  *x = p256_number8_from_words((p256_words8){{row[0], row[1], row[2], row[3]}});
  *y = p256_number8_from_words((p256_words8){{row[4], row[5], row[6], row[7]}});
}

/// Eight operands, negated where it says so: p - y, for a y below p; not carried.
P256_LANES_INLINE void p256_point8_read_operands(const p256_point **operands,
                                                 const uint8_t *negated, p256_number8 *x,
                                                 p256_number8 *y) {
  p256_point8_read(operands, x, y);
  p256_number8 negated_y = p256_number8_subtract(p256_number8_all(&P256_PRIME), *y);
  *y = p256_number8_select(p256_lanes_mask_of_bytes(negated), negated_y, *y);
}

P256_LANES_INLINE p256_chains8 p256_chains8_empty(void) {
  p256_number8 one = p256_number8_all(&P256_LANES_ONE);
  return (p256_chains8){{one, one}};
}

P256_LANES_INLINE void p256_chain_block(p256_point8 *blocks, size_t i, p256_chains8 *chains) {
  blocks[i].prefix = chains->product[i % 2];
  chains->product[i % 2] = p256_field8_multiply(chains->product[i % 2], blocks[i].denominator);
}

/// Flags the points whose denominator is 0 and puts 1 in its place; makes the products anew. Dead
/// lanes have the denominator 1.
static inline __attribute__((unused)) size_t p256_flag_blocks(p256_point8 *blocks,
                                                              size_t block_count, uint8_t *flags,
                                                              p256_chains8 *chains) {
  size_t flagged = 0;
  *chains = p256_chains8_empty();
  for (size_t i = 0; i < block_count; i++) {
    for (unsigned lane = 0; lane < P256_LANES; lane++) {
      p256_number value = p256_number8_lane(&blocks[i].denominator, lane, &P256_PRIME);
      if (!p256_number_is_zero(&value)) continue;
      p256_number8_set_lane(&blocks[i].denominator, lane, &P256_LANES_ONE);
      flags[i * P256_LANES + lane] = 1;
      flagged++;
    }
    p256_chain_block(blocks, i, chains);
  }
  return flagged;
}

/// Inverts the products, without any 0 among the denominators; returns how many were flagged.
static inline __attribute__((unused)) size_t p256_invert_blocks(p256_point8 *blocks,
                                                                size_t block_count, uint8_t *flags,
                                                                p256_chains8 *chains) {
  size_t flagged = 0;
  p256_number8 both = p256_field8_multiply(chains->product[0], chains->product[1]);
  if (!p256_field8_invert(&both)) {
    flagged = p256_flag_blocks(blocks, block_count, flags, chains);
    both = p256_field8_multiply(chains->product[0], chains->product[1]);
    p256_field8_invert(&both);
  }
  p256_number8 even_inverse = p256_field8_multiply(both, chains->product[1]);
  chains->product[1] = p256_field8_multiply(both, chains->product[0]);
  chains->product[0] = even_inverse;
  return flagged;
}

/// 1 / denominator, where `inverse` is 1 / (product of the chain up to this block); afterwards, up
/// to the one before.
P256_LANES_INLINE p256_number8 p256_invert_block(const p256_point8 *block, p256_number8 *inverse) {
  p256_number8 own_inverse = p256_field8_multiply(*inverse, block->prefix);
  *inverse = p256_field8_multiply(*inverse, block->denominator);
  return own_inverse;
}

/// x3 = slope^2 - 2 x - shift, where shift is x2 - x + 2 p of an addition, or 0 of a doubling,
/// below 5 p with 2 x. Returns x - x3, carried and below 4 p.
P256_LANES_INLINE p256_number8 p256_finish_block_x(p256_point8 *block, p256_number8 slope,
                                                   bool doubles) {
  p256_number8 x3 = p256_field8_square_product(slope);
  if (!doubles) x3 = p256_number8_subtract(x3, block->denominator);
  x3 = p256_number8_subtract(x3, block->x);
  x3 = p256_field8_carry(p256_field8_subtract(x3, block->x, doubles ? 3 : 6));
  p256_number8 distance = p256_number8_carry(p256_field8_subtract(block->x, x3, 2));
  block->x = x3;
  return distance;
}

/// y3 = slope (x - x3) - y.
P256_LANES_INLINE void p256_finish_block_y(p256_point8 *block, p256_number8 slope,
                                           p256_number8 distance) {
  p256_number8 product = p256_field8_product(slope, distance);
  block->y = p256_field8_carry(p256_field8_subtract(product, block->y, 2));
}

P256_LANES_INLINE void p256_finish_block(p256_point8 *block, p256_number8 *inverse, bool doubles) {
  p256_number8 own_inverse = p256_invert_block(block, inverse);
  p256_number8 slope = p256_field8_multiply(block->numerator, own_inverse);
  p256_finish_block_y(block, slope, p256_finish_block_x(block, slope, doubles));
}

/// Finishes two blocks of different chains, step by step in turn: one alone would leave the
/// multipliers waiting for its results.
P256_LANES_INLINE void p256_finish_block_pair(p256_point8 *blocks, p256_chains8 *inverses,
                                              bool doubles) {
  p256_number8 inverse0 = p256_invert_block(&blocks[0], &inverses->product[0]);
  p256_number8 inverse1 = p256_invert_block(&blocks[1], &inverses->product[1]);
  p256_number8 slope0 = p256_field8_multiply(blocks[0].numerator, inverse0);
  p256_number8 slope1 = p256_field8_multiply(blocks[1].numerator, inverse1);
  p256_number8 distance0 = p256_finish_block_x(&blocks[0], slope0, doubles);
  p256_number8 distance1 = p256_finish_block_x(&blocks[1], slope1, doubles);
  p256_finish_block_y(&blocks[0], slope0, distance0);
  p256_finish_block_y(&blocks[1], slope1, distance1);
}

/// Turns numerators and denominators into sums, for the first `count` points. Lanes beyond keep
/// their points. The chains are a copy: their address is not taken where they are multiplied, so
/// that they stay in registers.
P256_LANES_INLINE size_t p256_finish_blocks(p256_point8 *blocks, size_t count, uint8_t *flags,
                                            p256_chains8 chains, bool doubles) {
  size_t block_count = (count + P256_LANES - 1) / P256_LANES, last = block_count - 1;
  p256_chains8 inverted = chains;
  size_t flagged = p256_invert_blocks(blocks, block_count, flags, &inverted);
  chains = inverted;
  p256_number8 old_x = blocks[last].x, old_y = blocks[last].y;
  if (block_count % 2 != 0) p256_finish_block(&blocks[last], &chains.product[0], doubles);
  for (size_t i = block_count - block_count % 2; i > 0; i -= 2) {
    p256_finish_block_pair(&blocks[i - 2], &chains, doubles);
  }
  p256_lane_mask live = p256_live_lanes(last, count);
  blocks[last].x = p256_number8_select(live, blocks[last].x, old_x);
  blocks[last].y = p256_number8_select(live, blocks[last].y, old_y);
  return flagged;
}

#endif
