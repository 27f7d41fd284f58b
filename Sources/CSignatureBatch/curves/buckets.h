#ifndef CSIGNATUREBATCH_BUCKETS_H
#define CSIGNATUREBATCH_BUCKETS_H

#include "../batch/signatures.h"

/// u Q without a table of Q: the points 2^(4 j) Q are gathered by their digits' absolute values
/// 2 e + 1, and the sums weighted (E. F. Brickell, D. M. Gordon, K. S. McCurley and D. B. Wilson,
/// Fast exponentiation with precomputation, 1992; the buckets of N. Pippenger). For a key with few
/// signatures this takes fewer additions than making a table and using it: 71 for a signature of
/// P-256.

/// Bits of a digit. Fewer make more additions, more make buckets that are empty too often.
enum { SB_BUCKET_WIDTH = 4 };
enum { SB_BUCKET_DIGITS = SB_BITS / SB_BUCKET_WIDTH };
enum { SB_BUCKETS = 8 };

/// The arrays that gathering works on, beside the workspace.
typedef struct {
  /// SB_BUCKETS points for each signature of a batch.
  sb_point *points;
  /// The entries of one round's signatures, SB_BUCKET_DIGITS each: the digit's number j, and 128
  /// where its sign is negative; bucket after bucket.
  uint8_t *entries;
  /// The starts of the buckets' entries in their signature's, and the numbers of these entries.
  uint8_t *starts, *lengths;
  /// The buckets of one round, the longest first.
  uint16_t *order;
} sb_buckets;

/// The sign of an entry; the bits below are the digit's number.
enum { NEGATIVE_ENTRY = 128 };

SB_FUNCTION sb_buckets sb_buckets_take(sb_arena *arena, size_t capacity) {
  size_t round = capacity / SB_BUCKETS;
  sb_buckets buckets = {
      .points = sb_arena_take(arena, capacity * SB_BUCKETS * sizeof(sb_point)),
      .entries = sb_arena_take(arena, round * SB_BUCKET_DIGITS),
      .starts = sb_arena_take(arena, capacity),
      .lengths = sb_arena_take(arena, capacity),
      .order = sb_arena_take(arena, capacity * sizeof(uint16_t)),
  };
  return buckets;
}

/// Sorts the digits of one signature by their buckets (counting sort).
SB_FUNCTION void sort_digits(const sb_buckets *buckets, size_t slot, const sb_recoded *recoded,
                             size_t lane) {
  uint8_t *entries = buckets->entries + slot * SB_BUCKET_DIGITS;
  uint8_t *starts = buckets->starts + slot * SB_BUCKETS;
  uint8_t *lengths = buckets->lengths + slot * SB_BUCKETS;
  uint8_t bucket_of[SB_BUCKET_DIGITS], entry_of[SB_BUCKET_DIGITS];
  memset(lengths, 0, SB_BUCKETS);
  for (unsigned j = 0; j < SB_BUCKET_DIGITS; j++) {
    uint64_t slice = sb_slice(recoded, lane, SB_BUCKET_WIDTH * j, SB_BUCKET_WIDTH);
    uint64_t negative;
    uint64_t bucket = sb_digit(slice, SB_BUCKET_WIDTH, &negative);
    negative ^= recoded->negated[lane];
    bucket_of[j] = (uint8_t)bucket;
    entry_of[j] = (uint8_t)(j | (negative ? NEGATIVE_ENTRY : 0));
    lengths[bucket]++;
  }
  uint8_t next[SB_BUCKETS], start = 0;
  for (int e = 0; e < SB_BUCKETS; e++) {
    starts[e] = next[e] = start;
    start = (uint8_t)(start + lengths[e]);
  }
  for (unsigned j = 0; j < SB_BUCKET_DIGITS; j++) entries[next[bucket_of[j]]++] = entry_of[j];
}

/// Sorts `count` buckets by length, the longest first; buckets_longer[k] becomes the number of
/// those with more than k entries.
SB_FUNCTION void order_buckets(const sb_buckets *buckets, size_t count,
                               size_t buckets_longer[SB_BUCKET_DIGITS + 1]) {
  size_t with_length[SB_BUCKET_DIGITS + 1] = {0}, next[SB_BUCKET_DIGITS + 1];
  for (size_t i = 0; i < count; i++) with_length[buckets->lengths[i]]++;
  size_t longer = 0;
  for (int length = SB_BUCKET_DIGITS; length >= 0; length--) {
    next[length] = buckets_longer[length] = longer;
    longer += with_length[length];
  }
  for (size_t i = 0; i < count; i++) {
    buckets->order[next[buckets->lengths[i]]++] = (uint16_t)i;
  }
}

/// Sets the operands of the first `count` ordered buckets to their entries number `index`.
SB_FUNCTION void select_entries(const sb_buckets *buckets, const sb_signature_batch *batch,
                                size_t first, size_t index, size_t count, sb_workspace *workspace) {
  for (size_t i = 0; i < count; i++) {
    size_t bucket = buckets->order[i], slot = bucket / SB_BUCKETS;
    const uint8_t *entries = buckets->entries + slot * SB_BUCKET_DIGITS;
    uint8_t entry = entries[buckets->starts[bucket] + index];
    workspace->operands[i] = batch->keys[first + slot] + entry % NEGATIVE_ENTRY;
    workspace->negated[i] = entry / NEGATIVE_ENTRY;
  }
}

/// Marks the signatures of the flagged ones of `count` ordered buckets.
SB_FUNCTION void mark_flagged(const sb_buckets *buckets, const sb_signature_batch *batch,
                              size_t first, size_t count, sb_workspace *workspace) {
  for (size_t i = 0; i < count; i++) {
    if (!workspace->flags[i]) continue;
    batch->undecided[first + buckets->order[i] / SB_BUCKETS] = 1;
    workspace->flags[i] = 0;
  }
}

/// Lessens u1 by what an empty bucket e gets: (2 e + 1) G, which counts (2 e + 1)^2 times in the
/// end.
SB_FUNCTION void pay_for_bucket(const sb_signature_batch *batch, size_t signature, size_t bucket) {
  sb_number *u1 = &batch->scalars[signature].u1;
  sb_number surplus = {{(2 * bucket + 1) * (2 * bucket + 1)}};
  if (sb_number_subtract(u1, u1, &surplus)) sb_number_add(u1, u1, &SB_ORDER);
}

/// Sums up the buckets of `count` signatures from number `first` on, and stores the sums.
SB_FUNCTION void gather_round(const sb_buckets *buckets, const sb_signature_batch *batch,
                              const sb_point *base, size_t first, size_t count,
                              sb_workspace *workspace) {
  for (size_t slot = 0; slot < count; slot++) {
    size_t signature = first + slot;
    sort_digits(buckets, slot, &batch->key_digits[signature / SB_LANES], signature % SB_LANES);
  }
  size_t longer[SB_BUCKET_DIGITS + 1];
  order_buckets(buckets, count * SB_BUCKETS, longer);
  select_entries(buckets, batch, first, 0, longer[0], workspace);
  sb_workspace_load(workspace, longer[0]);
  for (size_t index = 1; longer[index] > 0; index++) {
    select_entries(buckets, batch, first, index, longer[index], workspace);
    if (sb_workspace_add(workspace, longer[index]) > 0) {
      mark_flagged(buckets, batch, first, longer[index], workspace);
    }
  }
  sb_point *sums = buckets->points + first * SB_BUCKETS;
  for (size_t i = 0; i < longer[0]; i++) workspace->targets[i] = sums + buckets->order[i];
  sb_workspace_store(workspace, longer[0]);
  for (size_t i = longer[0]; i < count * SB_BUCKETS; i++) {
    size_t bucket = buckets->order[i];
    sums[bucket] = base[bucket % SB_BUCKETS];
    pay_for_bucket(batch, first + bucket / SB_BUCKETS, bucket % SB_BUCKETS);
  }
}

/// Makes bucket `bucket` of every signature the operand.
SB_FUNCTION void select_bucket(const sb_buckets *buckets, size_t bucket, size_t count,
                               sb_workspace *workspace) {
  for (size_t i = 0; i < count; i++) {
    workspace->operands[i] = workspace->targets[i] = buckets->points + i * SB_BUCKETS + bucket;
  }
}

SB_FUNCTION void add_bucket(const sb_buckets *buckets, const sb_signature_batch *batch,
                            size_t bucket, sb_workspace *workspace) {
  select_bucket(buckets, bucket, batch->count, workspace);
  if (sb_workspace_add(workspace, batch->count) > 0) sb_mark_signatures(batch, workspace, 1);
}

/// Computes the sum of (2 e + 1) B_e. With S_e = B_e + ... + B_7 it is 2 (S_1 + ... + S_7) + S_1 +
/// B_0.
SB_FUNCTION void weigh_buckets(const sb_buckets *buckets, const sb_signature_batch *batch,
                               sb_workspace *workspace) {
  const size_t top = SB_BUCKETS - 1;
  sb_workspace_clear_signs(workspace, batch->count);
  select_bucket(buckets, top, batch->count, workspace);
  sb_workspace_load(workspace, batch->count);
  for (size_t bucket = top - 1; bucket >= 1; bucket--) {
    add_bucket(buckets, batch, bucket, workspace);
    sb_workspace_store(workspace, batch->count);
  }
  select_bucket(buckets, top, batch->count, workspace);
  sb_workspace_load(workspace, batch->count);
  for (size_t bucket = top - 1; bucket >= 1; bucket--) {
    add_bucket(buckets, batch, bucket, workspace);
  }
  if (sb_workspace_twice(workspace, batch->count) > 0) sb_mark_signatures(batch, workspace, 1);
  add_bucket(buckets, batch, 1, workspace);
  add_bucket(buckets, batch, 0, workspace);
}

/// Leaves u2 Q of each signature, plus what u1 was lessened by times G, in the accumulators. `base`
/// has (2 e + 1) G at e; the digits of u2 have SB_BUCKET_WIDTH bits.
SB_FUNCTION void sb_buckets_sum(const sb_buckets *buckets, const sb_signature_batch *batch,
                                const sb_point *base, sb_workspace *workspace) {
  size_t round = workspace->capacity / SB_BUCKETS;
  for (size_t first = 0; first < batch->count; first += round) {
    size_t rest = batch->count - first;
    gather_round(buckets, batch, base, first, rest < round ? rest : round, workspace);
  }
  weigh_buckets(buckets, batch, workspace);
}

#endif
