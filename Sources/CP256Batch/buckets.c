#include "buckets.h"

#include <string.h>

#include "order.h"

/// The sign of an entry; the bits below are the digit's number.
enum { NEGATIVE_ENTRY = 64 };

p256_buckets p256_buckets_take(p256_arena *arena, size_t capacity) {
  size_t round = capacity / P256_BUCKETS;
  p256_buckets buckets = {
      .points = p256_arena_take(arena, capacity * P256_BUCKETS * sizeof(p256_point)),
      .entries = p256_arena_take(arena, round * P256_BUCKET_DIGITS),
      .starts = p256_arena_take(arena, capacity),
      .lengths = p256_arena_take(arena, capacity),
      .order = p256_arena_take(arena, capacity * sizeof(uint16_t)),
  };
  return buckets;
}

/// Sorts the digits of one signature by their buckets (counting sort).
static void sort_digits(const p256_buckets *buckets, size_t slot, const p256_recoded *recoded,
                        size_t lane) {
  uint8_t *entries = buckets->entries + slot * P256_BUCKET_DIGITS;
  uint8_t *starts = buckets->starts + slot * P256_BUCKETS;
  uint8_t *lengths = buckets->lengths + slot * P256_BUCKETS;
  uint8_t bucket_of[P256_BUCKET_DIGITS], entry_of[P256_BUCKET_DIGITS];
  memset(lengths, 0, P256_BUCKETS);
  for (unsigned j = 0; j < P256_BUCKET_DIGITS; j++) {
    uint64_t slice = p256_slice(recoded, lane, P256_BUCKET_WIDTH * j, P256_BUCKET_WIDTH);
    uint64_t negative;
    uint64_t bucket = p256_digit(slice, P256_BUCKET_WIDTH, &negative);
    negative ^= recoded->negated[lane];
    bucket_of[j] = (uint8_t)bucket;
    entry_of[j] = (uint8_t)(j | (negative ? NEGATIVE_ENTRY : 0));
    lengths[bucket]++;
  }
  uint8_t next[P256_BUCKETS], start = 0;
  for (int e = 0; e < P256_BUCKETS; e++) {
    starts[e] = next[e] = start;
    start = (uint8_t)(start + lengths[e]);
  }
  for (unsigned j = 0; j < P256_BUCKET_DIGITS; j++) entries[next[bucket_of[j]]++] = entry_of[j];
}

/// Sorts `count` buckets by length, the longest first; buckets_longer[k] becomes the number of
/// those with more than k entries.
static void order_buckets(const p256_buckets *buckets, size_t count,
                          size_t buckets_longer[P256_BUCKET_DIGITS + 1]) {
  size_t with_length[P256_BUCKET_DIGITS + 1] = {0}, next[P256_BUCKET_DIGITS + 1];
  for (size_t i = 0; i < count; i++) with_length[buckets->lengths[i]]++;
  size_t longer = 0;
  for (int length = P256_BUCKET_DIGITS; length >= 0; length--) {
    next[length] = buckets_longer[length] = longer;
    longer += with_length[length];
  }
  for (size_t i = 0; i < count; i++) {
    buckets->order[next[buckets->lengths[i]]++] = (uint16_t)i;
  }
}

/// Sets the operands of the first `count` ordered buckets to their entries number `index`.
static void select_entries(const p256_buckets *buckets, const p256_bucket_batch *batch,
                           size_t first, size_t index, size_t count, p256_workspace *workspace) {
  for (size_t i = 0; i < count; i++) {
    size_t bucket = buckets->order[i], slot = bucket / P256_BUCKETS;
    const uint8_t *entries = buckets->entries + slot * P256_BUCKET_DIGITS;
    uint8_t entry = entries[buckets->starts[bucket] + index];
    workspace->operands[i] = batch->powers[first + slot] + entry % NEGATIVE_ENTRY;
    workspace->negated[i] = entry / NEGATIVE_ENTRY;
  }
}

/// Marks the signatures of the flagged ones of `count` ordered buckets.
static void mark_flagged(const p256_buckets *buckets, const p256_bucket_batch *batch, size_t first,
                         size_t count, p256_workspace *workspace) {
  for (size_t i = 0; i < count; i++) {
    if (!workspace->flags[i]) continue;
    batch->undecided[first + buckets->order[i] / P256_BUCKETS] = 1;
    workspace->flags[i] = 0;
  }
}

/// An empty bucket e gets (2 e + 1) G, which counts (2 e + 1)^2 times in the end: u1 gets that much
/// less.
static void fill_empty_bucket(const p256_bucket_batch *batch, size_t signature, size_t bucket,
                              p256_point *point) {
  *point = batch->base[bucket];
  p256_number *u1 = &batch->scalars[signature].u1;
  p256_number surplus = {{(2 * bucket + 1) * (2 * bucket + 1)}};
  if (p256_number_subtract(u1, u1, &surplus)) p256_number_add(u1, u1, &P256_ORDER);
}

/// Sums up the buckets of `count` signatures from number `first` on, and stores the sums.
static void gather_round(const p256_buckets *buckets, const p256_bucket_batch *batch, size_t first,
                         size_t count, p256_workspace *workspace) {
  for (size_t slot = 0; slot < count; slot++) {
    size_t signature = first + slot;
    sort_digits(buckets, slot, &batch->recoded[signature / P256_LANES], signature % P256_LANES);
  }
  size_t longer[P256_BUCKET_DIGITS + 1];
  order_buckets(buckets, count * P256_BUCKETS, longer);
  select_entries(buckets, batch, first, 0, longer[0], workspace);
  p256_workspace_load(workspace, longer[0]);
  for (size_t index = 1; longer[index] > 0; index++) {
    select_entries(buckets, batch, first, index, longer[index], workspace);
    if (p256_workspace_add(workspace, longer[index]) > 0) {
      mark_flagged(buckets, batch, first, longer[index], workspace);
    }
  }
  p256_point *sums = buckets->points + first * P256_BUCKETS;
  for (size_t i = 0; i < longer[0]; i++) workspace->targets[i] = sums + buckets->order[i];
  p256_workspace_store(workspace, longer[0]);
  for (size_t i = longer[0]; i < count * P256_BUCKETS; i++) {
    size_t bucket = buckets->order[i];
    fill_empty_bucket(batch, first + bucket / P256_BUCKETS, bucket % P256_BUCKETS, sums + bucket);
  }
}

/// Marks the flagged ones of the batch's signatures.
static void mark_signatures(const p256_bucket_batch *batch, p256_workspace *workspace) {
  for (size_t i = 0; i < batch->count; i++) {
    batch->undecided[i] |= workspace->flags[i];
    workspace->flags[i] = 0;
  }
}

/// Makes bucket `bucket` of every signature the operand.
static void select_bucket(const p256_buckets *buckets, size_t bucket, size_t count,
                          p256_workspace *workspace) {
  for (size_t i = 0; i < count; i++) {
    workspace->operands[i] = workspace->targets[i] = buckets->points + i * P256_BUCKETS + bucket;
  }
}

static void add_bucket(const p256_buckets *buckets, const p256_bucket_batch *batch, size_t bucket,
                       p256_workspace *workspace) {
  select_bucket(buckets, bucket, batch->count, workspace);
  if (p256_workspace_add(workspace, batch->count) > 0) mark_signatures(batch, workspace);
}

/// The sum of (2 e + 1) B_e. With S_e = B_e + ... + B_7 it is 2 (S_1 + ... + S_7) + S_1 + B_0.
static void weigh_buckets(const p256_buckets *buckets, const p256_bucket_batch *batch,
                          p256_workspace *workspace) {
  const size_t top = P256_BUCKETS - 1;
  p256_workspace_clear_signs(workspace, batch->count);
  select_bucket(buckets, top, batch->count, workspace);
  p256_workspace_load(workspace, batch->count);
  for (size_t bucket = top - 1; bucket >= 1; bucket--) {
    add_bucket(buckets, batch, bucket, workspace);
    p256_workspace_store(workspace, batch->count);
  }
  select_bucket(buckets, top, batch->count, workspace);
  p256_workspace_load(workspace, batch->count);
  for (size_t bucket = top - 1; bucket >= 1; bucket--) {
    add_bucket(buckets, batch, bucket, workspace);
  }
  if (p256_workspace_twice(workspace, batch->count) > 0) mark_signatures(batch, workspace);
  add_bucket(buckets, batch, 1, workspace);
  add_bucket(buckets, batch, 0, workspace);
}

void p256_buckets_sum(const p256_buckets *buckets, const p256_bucket_batch *batch,
                      p256_workspace *workspace) {
  size_t round = workspace->capacity / P256_BUCKETS;
  for (size_t first = 0; first < batch->count; first += round) {
    size_t rest = batch->count - first;
    gather_round(buckets, batch, first, rest < round ? rest : round, workspace);
  }
  weigh_buckets(buckets, batch, workspace);
}
