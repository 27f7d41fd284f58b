#ifndef CSIGNATUREBATCH_LANES_KERNEL_H
#define CSIGNATUREBATCH_LANES_KERNEL_H

#include "lanes_order.h"
#include "lanes_points.h"

/// The operations of the eight-lane arithmetic; see elements.h. It is included after the lanes.

SB_FUNCTION void sb_kernel_load(sb_accumulators *blocks, const sb_point **operands,
                                const uint8_t *negated, size_t count) {
  sb_fill_operands(operands, count);
  for (size_t first = 0; first < count; first += SB_LANES) {
    sb_accumulators *block = &blocks[first / SB_LANES];
    sb_number8 x, y;
    sb_point8_read_operands(operands + first, negated + first, &x, &y);
    sb_lane_mask live = sb_live_lanes(first / SB_LANES, count);
    block->x = sb_number8_select(live, x, block->x);
    block->y = sb_number8_select(live, sb_number8_carry(y), block->y);
  }
}

/// The number of blocks ahead for which operands are asked for: they lie anywhere in tables larger
/// than the caches.
enum { PREFETCH_BLOCKS = 16 };

SB_FUNCTION size_t sb_kernel_add(sb_accumulators *blocks, const sb_point **operands,
                                 const uint8_t *negated, size_t count, uint8_t *flags) {
  sb_chains8 chains = sb_chains8_empty();
  const sb_number8 one = sb_number8_all(&SB_LANES_ONE);
  sb_fill_operands(operands, count);
  for (size_t first = 0; first < count; first += SB_LANES) {
    size_t ahead = first + PREFETCH_BLOCKS * SB_LANES, index = first / SB_LANES;
    for (size_t i = ahead; i < ahead + SB_LANES && i < count; i++) {
      sb_prefetch(operands[i]);
    }
    sb_accumulators *block = &blocks[index];
    sb_number8 x, y;
    sb_point8_read_operands(operands + first, negated + first, &x, &y);
    sb_number8 difference = sb_number8_carry(sb_field8_subtract(x, block->x, SB_PRIMES_ABOVE));
    block->denominator = sb_number8_select(sb_live_lanes(index, count), difference, one);
    block->numerator = sb_number8_factor(sb_field8_subtract(y, block->y, SB_PRIMES_ABOVE));
    sb_chain_block(blocks, index, &chains);
  }
  return sb_finish_blocks(blocks, count, flags, chains, false);
}

SB_FUNCTION size_t sb_kernel_twice(sb_accumulators *blocks, size_t count, uint8_t *flags) {
  sb_chains8 chains = sb_chains8_empty();
  const sb_number8 one = sb_number8_all(&SB_LANES_ONE);
  for (size_t index = 0; index * SB_LANES < count; index++) {
    sb_accumulators *block = &blocks[index];
    sb_number8 square = sb_field8_square_product(block->x);
    square = sb_field8_subtract(square, one, 1);
    sb_number8 triple = sb_number8_add(sb_number8_add(square, square), square);
    block->numerator = sb_number8_factor(triple);
    sb_number8 twice_y = sb_number8_carry(sb_number8_add(block->y, block->y));
    block->denominator = sb_number8_select(sb_live_lanes(index, count), twice_y, one);
    sb_chain_block(blocks, index, &chains);
  }
  return sb_finish_blocks(blocks, count, flags, chains, true);
}

SB_FUNCTION void sb_kernel_store(const sb_accumulators *blocks, sb_point *const *targets,
                                 size_t count) {
  for (size_t first = 0; first < count; first += SB_LANES) {
    const sb_accumulators *block = &blocks[first / SB_LANES];
    sb_point8_write(sb_field8_canonical(block->x), sb_field8_canonical(block->y), targets + first,
                    count - first);
  }
}

SB_FUNCTION void sb_kernel_leave(const sb_accumulators *blocks, sb_number *x, size_t count) {
  const sb_number one = {{1}};
  for (size_t first = 0; first < count; first += SB_LANES) {
    sb_number8 number = sb_field8_multiply(blocks[first / SB_LANES].x, sb_number8_all(&one));
    sb_words8 words = sb_words8_from_number(sb_field8_canonical(number));
    uint64_t lanes[SB_WORDS][SB_LANES];
    for (int i = 0; i < SB_WORDS; i++) sb_lanes_store(lanes[i], words.word[i]);
    for (size_t lane = 0; lane < SB_LANES && first + lane < count; lane++) {
      for (int i = 0; i < SB_WORDS; i++) x[first + lane].word[i] = lanes[i][lane];
    }
  }
}

/// Gathers one number of eight signatures, at `offset` bytes in each. Dead lanes get 1.
SB_LANES_INLINE sb_number8 lanes_gather(const sb_scalars *signatures, size_t offset, size_t live) {
  uint64_t lanes[SB_WORDS][SB_LANES] = {{1, 1, 1, 1, 1, 1, 1, 1}};
  sb_words8 words;
  for (size_t lane = 0; lane < SB_LANES && lane < live; lane++) {
    const uint8_t *signature = (const uint8_t *)&signatures[lane];
    const sb_number *number = (const sb_number *)(const void *)(signature + offset);
    for (int i = 0; i < SB_WORDS; i++) lanes[i][lane] = number->word[i];
  }
  for (int i = 0; i < SB_WORDS; i++) words.word[i] = sb_lanes_load(lanes[i]);
  return sb_number8_from_words(words);
}

/// Writes one number of eight signatures, made canonical, at `offset` bytes in each.
SB_LANES_INLINE void lanes_scatter(sb_scalars *signatures, size_t offset, size_t live,
                                   sb_number8 number) {
  uint64_t lanes[SB_WORDS][SB_LANES];
  number = sb_number8_reduce_once(number, sb_number8_all(&SB_ORDER));
  sb_words8 words = sb_words8_from_number(number);
  for (int i = 0; i < SB_WORDS; i++) sb_lanes_store(lanes[i], words.word[i]);
  for (size_t lane = 0; lane < SB_LANES && lane < live; lane++) {
    uint8_t *signature = (uint8_t *)&signatures[lane];
    sb_number *target = (sb_number *)(void *)(signature + offset);
    for (int i = 0; i < SB_WORDS; i++) target->word[i] = lanes[i][lane];
  }
}

/// The numbers of eight signatures that `sb_kernel_scalars` remembers.
typedef struct {
  sb_number8 s, prefix;
} scalar_block;

/// Computes u1 = digest / s and u2 = r / s mod n, with one inversion for the s of all; see
/// kernel_portable.h.
SB_FUNCTION void sb_kernel_scalars(sb_scalars *signatures, size_t count, sb_accumulators *room) {
  scalar_block *blocks = (scalar_block *)(void *)room;
  const sb_number one = {{1}};
  sb_number8 product = sb_number8_all(&one);
  for (size_t first = 0; first < count; first += SB_LANES) {
    scalar_block *block = &blocks[first / SB_LANES];
    block->s = lanes_gather(signatures + first, offsetof(sb_scalars, s), count - first);
    block->prefix = product;
    product = sb_order8_multiply(product, block->s);
  }
  sb_order8_invert(&product);
  sb_number8 inverse = product;
  for (size_t index = (count + SB_LANES - 1) / SB_LANES; index-- > 0;) {
    size_t first = index * SB_LANES, live = count - first;
    sb_number8 factor = sb_order8_multiply(inverse, blocks[index].prefix);
    inverse = sb_order8_multiply(inverse, blocks[index].s);
    sb_scalars *part = signatures + first;
    sb_number8 digest = lanes_gather(part, offsetof(sb_scalars, u1), live);
    sb_number8 r = lanes_gather(part, offsetof(sb_scalars, r), live);
    lanes_scatter(part, offsetof(sb_scalars, u1), live, sb_order8_multiply(digest, factor));
    lanes_scatter(part, offsetof(sb_scalars, u2), live, sb_order8_multiply(r, factor));
  }
}

static const sb_tuning SB_TUNING = {
    .least_keys_together = 16,
    .capacity = SB_BITS == 256 ? 4096 : 2048,
    .multiples_bytes = 8 << 20,
    .methods = {{1, SB_METHOD_DOUBLINGS},
                {28, SB_METHOD_BUCKETS},
                {75, 5},
                {400, 6},
                {SB_BITS == 256 ? 700 : SIZE_MAX, 7},
                {SIZE_MAX, 8}},
};

#endif
