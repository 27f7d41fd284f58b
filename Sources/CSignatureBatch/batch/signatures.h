#ifndef CSIGNATUREBATCH_SIGNATURES_H
#define CSIGNATUREBATCH_SIGNATURES_H

#include "../curves/multiples.h"
#include "../numbers/order.h"

/// The signatures whose steps are made together. Arrays have room for a multiple of eight; lanes
/// beyond the last signature follow the first.
typedef struct {
  size_t count;
  sb_scalars *scalars;
  /// u1 and u2, recoded.
  sb_recoded *base_digits, *key_digits;
  /// The first row of G's table, for each signature.
  const sb_point **bases;
  /// The first row of each signature's key.
  const sb_point **keys;
  /// The number of each signature in the call.
  size_t *signatures;
  uint8_t *undecided;
  sb_number *x;
} sb_signature_batch;

SB_FUNCTION sb_signature_batch sb_batch_take(sb_arena *arena, size_t capacity) {
  size_t blocks = capacity / SB_LANES;
  sb_signature_batch batch = {
      .scalars = sb_arena_take(arena, capacity * sizeof(sb_scalars)),
      .base_digits = sb_arena_take(arena, blocks * sizeof(sb_recoded)),
      .key_digits = sb_arena_take(arena, blocks * sizeof(sb_recoded)),
      .bases = sb_arena_take(arena, capacity * sizeof(sb_point *)),
      .keys = sb_arena_take(arena, capacity * sizeof(sb_point *)),
      .signatures = sb_arena_take(arena, capacity * sizeof(size_t)),
      .undecided = sb_arena_take(arena, capacity),
      .x = sb_arena_take(arena, capacity * sizeof(sb_number)),
  };
  return batch;
}

/// Adds a signature to a batch that is not full; false, and not added, where r or s is not in
/// range. `key` is the first row of its key's multiples.
SB_FUNCTION bool sb_batch_append(sb_signature_batch *batch, const uint8_t *bytes, size_t signature,
                                 const sb_point *key) {
  sb_scalars scalars = {.r = sb_number_from_bytes(bytes),
                        .s = sb_number_from_bytes(bytes + SB_BYTES)};
  if (!sb_order_is_in_range(&scalars.r) || !sb_order_is_in_range(&scalars.s)) return false;
  sb_number digest = sb_number_from_bytes(bytes + 2 * SB_BYTES);
  sb_order_reduce(&scalars.u1, &digest);
  batch->scalars[batch->count] = scalars;
  batch->keys[batch->count] = key;
  batch->signatures[batch->count] = signature;
  batch->count++;
  return true;
}

/// Returns the number of signatures, rounded up to whole blocks of lanes.
SB_INLINE size_t sb_batch_lanes(const sb_signature_batch *batch) {
  return (batch->count + SB_LANES - 1) / SB_LANES * SB_LANES;
}

/// Takes over the flags that an addition set, in some groups of accumulators, one after the other,
/// with one for each signature.
SB_FUNCTION void sb_mark_signatures(const sb_signature_batch *batch, sb_workspace *workspace,
                                    size_t groups) {
  size_t lanes = sb_batch_lanes(batch);
  for (size_t group = 0; group < groups; group++) {
    uint8_t *flags = workspace->flags + group * lanes;
    for (size_t i = 0; i < batch->count; i++) batch->undecided[i] |= flags[i];
    memset(flags, 0, lanes);
  }
}

#endif
