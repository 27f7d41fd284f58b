#ifndef CP256BATCH_LANES_KERNEL_H
#define CP256BATCH_LANES_KERNEL_H

#include "lanes_order.h"
#include "lanes_points.h"
#include "recode.h"

/// The operations of the eight-lane kernel; see kernel.h. kernel_ifma.c and kernel_emulated.c each
/// include this after their lanes.

static void lanes_load(p256_accumulators *accumulators, const p256_point **operands,
                       const uint8_t *negated, size_t count) {
  p256_point8 *blocks = accumulators;
  p256_fill_operands(operands, count);
  for (size_t first = 0; first < count; first += P256_LANES) {
    p256_point8 *block = &blocks[first / P256_LANES];
    p256_number8 x, y;
    p256_point8_read_operands(operands + first, negated + first, &x, &y);
    p256_lane_mask live = p256_live_lanes(first / P256_LANES, count);
    block->x = p256_number8_select(live, x, block->x);
    block->y = p256_number8_select(live, p256_number8_carry(y), block->y);
  }
}

/// How many blocks ahead operands are asked for: they lie anywhere in tables larger than the
/// caches.
enum { PREFETCH_BLOCKS = 16 };

static size_t lanes_add(p256_accumulators *accumulators, const p256_point **operands,
                        const uint8_t *negated, size_t count, uint8_t *flags) {
  p256_point8 *blocks = accumulators;
  p256_chains8 chains = p256_chains8_empty();
  const p256_number8 one = p256_number8_all(&P256_LANES_ONE);
  p256_fill_operands(operands, count);
  for (size_t first = 0; first < count; first += P256_LANES) {
    size_t ahead = first + PREFETCH_BLOCKS * P256_LANES, index = first / P256_LANES;
    for (size_t i = ahead; i < ahead + P256_LANES && i < count; i++) {
      __builtin_prefetch(operands[i]);
    }
    p256_point8 *block = &blocks[index];
    p256_number8 x, y;
    p256_point8_read_operands(operands + first, negated + first, &x, &y);
    p256_number8 difference = p256_number8_carry(p256_field8_subtract(x, block->x, 2));
    block->denominator = p256_number8_select(p256_live_lanes(index, count), difference, one);
    block->numerator = p256_number8_carry(p256_field8_subtract(y, block->y, 2));
    p256_chain_block(blocks, index, &chains);
  }
  return p256_finish_blocks(blocks, count, flags, chains, false);
}

static size_t lanes_twice(p256_accumulators *accumulators, size_t count, uint8_t *flags) {
  p256_point8 *blocks = accumulators;
  p256_chains8 chains = p256_chains8_empty();
  const p256_number8 one = p256_number8_all(&P256_LANES_ONE);
  for (size_t index = 0; index * P256_LANES < count; index++) {
    p256_point8 *block = &blocks[index];
    p256_number8 square = p256_field8_square_product(block->x);
    square = p256_field8_subtract(square, one, 1);
    p256_number8 triple = p256_number8_add(p256_number8_add(square, square), square);
    block->numerator = p256_number8_carry(triple);
    p256_number8 twice_y = p256_number8_carry(p256_number8_add(block->y, block->y));
    block->denominator = p256_number8_select(p256_live_lanes(index, count), twice_y, one);
    p256_chain_block(blocks, index, &chains);
  }
  return p256_finish_blocks(blocks, count, flags, chains, true);
}

static void lanes_store(const p256_accumulators *accumulators, p256_point *const *targets,
                        size_t count) {
  const p256_point8 *blocks = accumulators;
  for (size_t first = 0; first < count; first += P256_LANES) {
    const p256_point8 *block = &blocks[first / P256_LANES];
    p256_words8 x = p256_words8_from_number(p256_field8_canonical(block->x));
    p256_words8 y = p256_words8_from_number(p256_field8_canonical(block->y));
    p256_lanes row[P256_LANES];
    for (int i = 0; i < 4; i++) {
      row[i] = x.word[i];
      row[i + 4] = y.word[i];
    }
    p256_lanes_transpose(row);
    for (size_t i = 0; i < P256_LANES && first + i < count; i++) {
      p256_lanes_store((uint64_t *)(void *)targets[first + i], row[i]);
    }
  }
}

static void lanes_leave(const p256_accumulators *accumulators, p256_number *x, size_t count) {
  const p256_point8 *blocks = accumulators;
  const p256_number one = {{1}};
  for (size_t first = 0; first < count; first += P256_LANES) {
    p256_number8 number =
        p256_field8_multiply(blocks[first / P256_LANES].x, p256_number8_all(&one));
    p256_words8 words = p256_words8_from_number(p256_field8_canonical(number));
    uint64_t lanes[4][P256_LANES];
    for (int i = 0; i < 4; i++) p256_lanes_store(lanes[i], words.word[i]);
    for (size_t lane = 0; lane < P256_LANES && first + lane < count; lane++) {
      for (int i = 0; i < 4; i++) x[first + lane].word[i] = lanes[i][lane];
    }
  }
}

/// One number of eight signatures, at `offset` bytes in each; dead lanes get 1.
P256_LANES_INLINE p256_number8 lanes_gather(const p256_scalars *signatures, size_t offset,
                                            size_t live) {
  uint64_t lanes[4][P256_LANES] = {{1, 1, 1, 1, 1, 1, 1, 1}};
  p256_words8 words;
  for (size_t lane = 0; lane < P256_LANES && lane < live; lane++) {
    const uint8_t *signature = (const uint8_t *)&signatures[lane];
    const p256_number *number = (const p256_number *)(const void *)(signature + offset);
    for (int i = 0; i < 4; i++) lanes[i][lane] = number->word[i];
  }
  for (int i = 0; i < 4; i++) words.word[i] = p256_lanes_load(lanes[i]);
  return p256_number8_from_words(words);
}

/// Writes one number of eight signatures, made canonical, at `offset` bytes in each.
P256_LANES_INLINE void lanes_scatter(p256_scalars *signatures, size_t offset, size_t live,
                                     p256_number8 number) {
  uint64_t lanes[4][P256_LANES];
  number = p256_number8_reduce_once(number, p256_number8_all(&P256_ORDER));
  p256_words8 words = p256_words8_from_number(number);
  for (int i = 0; i < 4; i++) p256_lanes_store(lanes[i], words.word[i]);
  for (size_t lane = 0; lane < P256_LANES && lane < live; lane++) {
    uint8_t *signature = (uint8_t *)&signatures[lane];
    p256_number *target = (p256_number *)(void *)(signature + offset);
    for (int i = 0; i < 4; i++) target->word[i] = lanes[i][lane];
  }
}

/// What `lanes_scalars` remembers of eight signatures.
typedef struct {
  p256_number8 s, prefix;
} scalar_block;

/// u1 = digest / s and u2 = r / s mod n, with one inversion for the s of all; see portable_scalars.
static void lanes_scalars(p256_scalars *signatures, size_t count, p256_accumulators *room) {
  scalar_block *blocks = room;
  const p256_number one = {{1}};
  p256_number8 product = p256_number8_all(&one);
  for (size_t first = 0; first < count; first += P256_LANES) {
    scalar_block *block = &blocks[first / P256_LANES];
    block->s = lanes_gather(signatures + first, offsetof(p256_scalars, s), count - first);
    block->prefix = product;
    product = p256_order8_multiply(product, block->s);
  }
  p256_order8_invert(&product);
  p256_number8 inverse = product;
  for (size_t index = (count + P256_LANES - 1) / P256_LANES; index-- > 0;) {
    size_t first = index * P256_LANES, live = count - first;
    p256_number8 factor = p256_order8_multiply(inverse, blocks[index].prefix);
    inverse = p256_order8_multiply(inverse, blocks[index].s);
    p256_scalars *part = signatures + first;
    p256_number8 digest = lanes_gather(part, offsetof(p256_scalars, u1), live);
    p256_number8 r = lanes_gather(part, offsetof(p256_scalars, r), live);
    lanes_scatter(part, offsetof(p256_scalars, u1), live, p256_order8_multiply(digest, factor));
    lanes_scatter(part, offsetof(p256_scalars, u2), live, p256_order8_multiply(r, factor));
  }
}

static void lanes_select(const p256_recoded *recoded, unsigned bit, unsigned width,
                         const p256_point *const *rows, size_t row_offset, size_t count,
                         const p256_point **operands, uint8_t *negated) {
  for (size_t i = 0; i < count; i += P256_LANES) {
    p256_select_block(&recoded[i / P256_LANES], bit, width, rows + i, row_offset, operands + i,
                      negated + i);
  }
}

/// What a kernel_....c defines its kernel with.
#define P256_LANES_KERNEL                                                                  \
  {                                                                                        \
      .accumulator_block_bytes = sizeof(p256_point8), /* 2^516 and 1 / 2^4: R is 2^260. */ \
      .entering_factor = {{0x0000000000000030, 0xFFFFFFBFFFFFFFF0, 0xFFFFFFFFFFFFFFEF,     \
                           0x0000004FFFFFFFDF}},                                           \
      .leaving_factor = {{0x0000000000000000, 0x0000000010000000, 0x1000000000000000,      \
                          0x0FFFFFFFF0000000}},                                            \
      .least_keys_together = 16,                                                           \
      .best_capacity = 4096,                                                               \
      .best_multiples_bytes = 8 << 20,                                                     \
      .load = lanes_load,                                                                  \
      .add = lanes_add,                                                                    \
      .twice = lanes_twice,                                                                \
      .store = lanes_store,                                                                \
      .leave = lanes_leave,                                                                \
      .scalars = lanes_scalars,                                                            \
      .select = lanes_select,                                                              \
  }

#endif
