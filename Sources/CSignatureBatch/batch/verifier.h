#ifndef CSIGNATUREBATCH_VERIFIER_H
#define CSIGNATUREBATCH_VERIFIER_H

#include "batch.h"
#include "../curves/tables.h"

/// A key of the chunk at work, with its signatures' place in the call.
typedef struct {
  size_t first_signature;
  size_t signature_count;
} sb_key_group;

typedef struct {
  sb_verifier shared;
  /// The multiples of G.
  sb_multiples base;
  sb_workspace workspace;
  sb_signature_batch batch;
  sb_buckets buckets;
  /// The keys of a chunk, at most the workspace's capacity, and memory for their multiples.
  sb_key_group *groups;
  sb_point *points;
  size_t point_count;
} sb_worker;

enum { LEAST_CAPACITY = 256 };

/// Lays out a verifier; what the arena has left is for the keys' multiples.
SB_FUNCTION void sb_worker_take(sb_arena *arena, size_t capacity, sb_worker *worker) {
  worker->workspace = sb_workspace_take(arena, capacity);
  worker->batch = sb_batch_take(arena, capacity);
  worker->buckets = sb_buckets_take(arena, capacity);
  worker->groups = sb_arena_take(arena, capacity * sizeof(sb_key_group));
  worker->points = sb_arena_take(arena, 0);
}

/// Returns the bytes of a verifier without the keys' multiples.
SB_FUNCTION size_t sb_bytes_at_capacity(size_t capacity) {
  sb_arena arena = {NULL, 0};
  sb_worker worker;
  sb_worker_take(&arena, capacity, &worker);
  return arena.used;
}

/// Returns the largest capacity that leaves half of an arena to the keys' multiples.
SB_FUNCTION size_t sb_capacity_of_arena(size_t arena_bytes) {
  size_t capacity = SB_TUNING.capacity;
  while (capacity > LEAST_CAPACITY && sb_bytes_at_capacity(capacity) > arena_bytes / 2) {
    capacity /= 2;
  }
  return capacity;
}

SB_FUNCTION size_t sb_least_arena(bool for_keys) {
  size_t points = for_keys ? sb_multiples_points(sb_shape_of_table(SB_METHOD_WIDEST)) : 0;
  return sb_bytes_at_capacity(LEAST_CAPACITY) + points * sizeof(sb_point);
}

SB_FUNCTION size_t sb_best_arena(void) {
  return sb_bytes_at_capacity(SB_TUNING.capacity) + SB_TUNING.multiples_bytes;
}

SB_FUNCTION sb_verifier *sb_make_verifier(const sb_tables *base, size_t arena_bytes) {
  size_t capacity = sb_capacity_of_arena(arena_bytes);
  size_t fixed_bytes = sb_bytes_at_capacity(capacity);
  if (arena_bytes < fixed_bytes) return NULL;
  sb_worker *worker = malloc(sizeof(sb_worker));
  // The flags have to be 0, and no digit may be undefined. Pages that are not used are not touched.
  void *memory = calloc(1, arena_bytes + 63);
  if (worker == NULL || memory == NULL) {
    free(worker);
    free(memory);
    return NULL;
  }
  sb_arena arena = {(uint8_t *)(((uintptr_t)memory + 63) / 64 * 64), 0};
  sb_worker_take(&arena, capacity, worker);
  worker->shared = (sb_verifier){base->engine, memory};
  worker->base = sb_tables_multiples(base);
  worker->point_count = (arena_bytes / 64 * 64 - fixed_bytes) / sizeof(sb_point);
  return &worker->shared;
}

/// Judges what the batch holds; `keys` are the multiples of all its keys.
SB_FUNCTION void sb_judge_batch(sb_worker *worker, const sb_multiples *keys, uint8_t *verdicts) {
  sb_batch_judge(&worker->batch, keys, &worker->base, &worker->buckets, &worker->workspace,
                 verdicts);
}

/// Adds `count` signatures of a key, whose multiples begin at `row`, to the batch, and judges it
/// whenever it is full. `bytes` and `verdicts` are those of the whole call.
SB_FUNCTION void sb_append_signatures(sb_worker *worker, const sb_multiples *keys,
                                      const sb_point *row, sb_key_group group, const uint8_t *bytes,
                                      uint8_t *verdicts) {
  for (size_t i = 0; i < group.signature_count; i++) {
    size_t signature = group.first_signature + i;
    if (!sb_batch_append(&worker->batch, bytes + signature * 3 * SB_BYTES, signature, row)) {
      verdicts[signature] = SB_INVALID;
    }
    if (worker->batch.count == worker->workspace.capacity) sb_judge_batch(worker, keys, verdicts);
  }
}

/// Makes the multiples of a chunk's keys and judges their signatures.
SB_FUNCTION void sb_judge_chunk(sb_worker *worker, const sb_batch *call, size_t key_count,
                                sb_shape shape) {
  if (key_count == 0) return;
  sb_multiples multiples = sb_multiples_place(shape, key_count, worker->points);
  sb_multiples_make(&multiples, &worker->workspace);
  for (size_t key = 0; key < key_count; key++) {
    sb_append_signatures(worker, &multiples, sb_multiples_key(&multiples, key), worker->groups[key],
                         call->signatures, call->verdicts);
  }
  sb_judge_batch(worker, &multiples, call->verdicts);
}

/// Bits of a digit where each signature has doublings of its own.
enum { SB_DOUBLING_WIDTH = 4 };

/// Returns what a method makes of each key.
SB_FUNCTION sb_shape sb_shape_of_method(unsigned method) {
  switch (method) {
    case SB_METHOD_BUCKETS: return sb_shape_of_powers(SB_BUCKET_WIDTH);
    case SB_METHOD_DOUBLINGS: return sb_shape_of_row(SB_DOUBLING_WIDTH);
    default: return sb_shape_of_table(method);
  }
}

/// Returns the number of keys with `least` to `most` signatures.
SB_FUNCTION size_t sb_count_keys(const sb_batch *call, size_t least, size_t most) {
  size_t count = 0;
  for (size_t key = 0; key < call->key_count; key++) {
    count += call->counts[key] >= least && call->counts[key] <= most;
  }
  return count;
}

/// Returns how many of `count` keys to take at a time, at most `most`. No small rest is left, since
/// keys share the inversions of their multiples.
SB_FUNCTION size_t sb_even_share(size_t count, size_t most) {
  if (most == 0 || count <= most) return most;
  size_t chunks = (count + most - 1) / most;
  return (count + chunks - 1) / chunks;
}

/// Judges the signatures of all keys with `least` to `most` of them, as many keys at a time as
/// there is room for.
SB_FUNCTION void sb_judge_keys(sb_worker *worker, const sb_batch *call, size_t least, size_t most,
                               unsigned method) {
  sb_shape shape = sb_shape_of_method(method);
  size_t stride = sb_multiples_stride(shape);
  size_t most_keys = worker->point_count / sb_multiples_points(shape);
  if (most_keys > worker->workspace.capacity) most_keys = worker->workspace.capacity;
  most_keys = sb_even_share(sb_count_keys(call, least, most), most_keys);
  size_t chunk_keys = 0, first = 0;
  for (size_t key = 0; key < call->key_count; key++) {
    size_t count = call->counts[key];
    if (count >= least && count <= most) {
      sb_point *target = worker->points + chunk_keys * stride;
      if (most_keys > 0 && sb_read_key(call->keys + key * 2 * SB_BYTES, target)) {
        worker->groups[chunk_keys++] = (sb_key_group){first, count};
      } else {
        memset(call->verdicts + first, SB_UNDECIDED, count);
      }
      if (chunk_keys == most_keys) {
        sb_judge_chunk(worker, call, chunk_keys, shape);
        chunk_keys = 0;
      }
    }
    first += count;
  }
  sb_judge_chunk(worker, call, chunk_keys, shape);
}

SB_FUNCTION unsigned sb_method_of(size_t signatures) {
  const sb_method_limit *limit = SB_TUNING.methods;
  while (signatures > limit->most_signatures) limit++;
  return limit->width;
}

SB_FUNCTION void sb_verify_batch(sb_verifier *verifier, const sb_batch *batch, unsigned method) {
  sb_worker *worker = (sb_worker *)(void *)verifier;
  if (method != SB_METHOD_AUTOMATIC) {
    sb_judge_keys(worker, batch, 1, SIZE_MAX, method);
    return;
  }
  size_t least = 1;
  for (const sb_method_limit *limit = SB_TUNING.methods;; limit++) {
    sb_judge_keys(worker, batch, least, limit->most_signatures, limit->width);
    if (limit->most_signatures == SIZE_MAX) return;
    least = limit->most_signatures + 1;
  }
}

SB_FUNCTION void sb_verify_by_key_tables(sb_verifier *verifier, const sb_tables *key,
                                         const uint8_t *signatures, size_t count,
                                         uint8_t *verdicts) {
  sb_worker *worker = (sb_worker *)(void *)verifier;
  if (key->engine != verifier->engine) {
    memset(verdicts, SB_UNDECIDED, count);
    return;
  }
  sb_multiples multiples = sb_tables_multiples(key);
  sb_append_signatures(worker, &multiples, multiples.rows, (sb_key_group){0, count}, signatures,
                       verdicts);
  sb_judge_batch(worker, &multiples, verdicts);
}

/// The definition of an engine `name`.
#define SB_DEFINE_ENGINE(name)                                          \
  static sb_tables *name##_tables(unsigned width, const uint8_t *key) { \
    return sb_make_tables(&name, width, key);                           \
  }                                                                     \
  const sb_engine name = {                                              \
      .least_arena = sb_least_arena,                                    \
      .best_arena = sb_best_arena,                                      \
      .automatic_method = sb_method_of,                                 \
      .is_point = sb_is_key,                                            \
      .tables_create = name##_tables,                                   \
      .verifier_create = sb_make_verifier,                              \
      .verify = sb_verify_batch,                                        \
      .verify_by_tables = sb_verify_by_key_tables,                      \
  }

#endif
