#include "verifier.h"

#include <stdlib.h>
#include <string.h>

#include "field.h"

/// Multiples of which width are made for a key with so many signatures. From measurements: a wider
/// table costs twice as much to make, and saves a few additions for each signature.
typedef struct {
  size_t most_signatures;
  unsigned width;
} method_limit;

static const method_limit METHOD_LIMITS[] = {
    {28, P256_METHOD_BUCKETS}, {75, 5}, {400, 6}, {SIZE_MAX, 7}};

enum { METHOD_COUNT = sizeof METHOD_LIMITS / sizeof METHOD_LIMITS[0] };
enum { LEAST_CAPACITY = 256 };

static p256_signature_batch take_batch(p256_arena *arena, size_t capacity) {
  size_t blocks = capacity / P256_LANES;
  p256_signature_batch batch = {
      .scalars = p256_arena_take(arena, capacity * sizeof(p256_scalars)),
      .base_digits = p256_arena_take(arena, blocks * sizeof(p256_recoded)),
      .key_digits = p256_arena_take(arena, blocks * sizeof(p256_recoded)),
      .keys = p256_arena_take(arena, capacity * sizeof(p256_point *)),
      .signatures = p256_arena_take(arena, capacity * sizeof(size_t)),
      .undecided = p256_arena_take(arena, capacity),
      .x = p256_arena_take(arena, capacity * sizeof(p256_number)),
  };
  return batch;
}

/// Lays out a verifier; what the arena has left is for the keys' multiples.
static void take_verifier(p256_arena *arena, const p256_kernel *kernel, size_t capacity,
                          p256_verifier *verifier) {
  verifier->workspace = p256_workspace_take(arena, kernel, capacity);
  verifier->batch = take_batch(arena, capacity);
  verifier->buckets = p256_buckets_take(arena, capacity);
  verifier->groups = p256_arena_take(arena, capacity * sizeof(p256_key_group));
  verifier->points = p256_arena_take(arena, 0);
}

/// Bytes of a verifier without the keys' multiples.
static size_t bytes_at_capacity(const p256_kernel *kernel, size_t capacity) {
  p256_arena arena = {NULL, 0};
  p256_verifier verifier;
  take_verifier(&arena, kernel, capacity, &verifier);
  return arena.used;
}

/// The largest capacity that leaves half of an arena to the keys' multiples.
static size_t capacity_of_arena(const p256_kernel *kernel, size_t arena_bytes) {
  size_t capacity = kernel->best_capacity;
  while (capacity > LEAST_CAPACITY && bytes_at_capacity(kernel, capacity) > arena_bytes / 2) {
    capacity /= 2;
  }
  return capacity;
}

/// Bytes of the multiples of one key at the widest.
static size_t widest_key_bytes(void) {
  return p256_multiples_points(P256_METHOD_WIDEST, true) * sizeof(p256_point);
}

size_t p256_verifier_least_arena(p256_kernel_kind kind) {
  const p256_kernel *kernel = p256_kernel_of_kind(kind);
  if (kernel == NULL) return 0;
  return bytes_at_capacity(kernel, LEAST_CAPACITY) + widest_key_bytes();
}

size_t p256_verifier_best_arena(p256_kernel_kind kind) {
  const p256_kernel *kernel = p256_kernel_of_kind(kind);
  if (kernel == NULL) return 0;
  return bytes_at_capacity(kernel, kernel->best_capacity) + kernel->best_multiples_bytes;
}

p256_verifier *p256_verifier_create(const p256_tables *tables, size_t arena_bytes) {
  const p256_kernel *kernel = tables->kernel;
  size_t capacity = capacity_of_arena(kernel, arena_bytes);
  size_t fixed_bytes = bytes_at_capacity(kernel, capacity);
  if (arena_bytes < fixed_bytes + widest_key_bytes()) return NULL;
  p256_verifier *verifier = malloc(sizeof(p256_verifier));
  void *memory = aligned_alloc(64, arena_bytes / 64 * 64);
  if (verifier == NULL || memory == NULL) {
    free(verifier);
    free(memory);
    return NULL;
  }
  // The flags have to be 0, and no digit may be undefined.
  memset(memory, 0, fixed_bytes);
  p256_arena arena = {memory, 0};
  take_verifier(&arena, kernel, capacity, verifier);
  verifier->base = tables;
  verifier->memory = memory;
  verifier->point_count = (arena_bytes - fixed_bytes) / sizeof(p256_point);
  return verifier;
}

void p256_verifier_destroy(p256_verifier *verifier) {
  free(verifier->memory);
  free(verifier);
}

/// Makes the multiples of a chunk's keys and judges their signatures.
static void judge_chunk(p256_verifier *verifier, const p256_batch *call, size_t key_count,
                        unsigned width, bool whole_rows) {
  if (key_count == 0) return;
  p256_multiples multiples = p256_multiples_place(width, whole_rows, key_count, verifier->points);
  p256_multiples_make(&multiples, &verifier->workspace);
  for (size_t key = 0; key < key_count; key++) {
    p256_key_group group = verifier->groups[key];
    for (size_t i = 0; i < group.signature_count; i++) {
      size_t signature = group.first_signature + i;
      const uint8_t *bytes = call->signatures + signature * P256_SIGNATURE_BYTES;
      if (!p256_batch_append(&verifier->batch, bytes, signature,
                             p256_multiples_key(&multiples, key))) {
        call->verdicts[signature] = P256_INVALID;
      }
      if (verifier->batch.count == verifier->workspace.capacity) {
        p256_batch_judge(verifier, &multiples, call->verdicts);
      }
    }
  }
  p256_batch_judge(verifier, &multiples, call->verdicts);
}

/// Writes the key's point to the start of its multiples; false where it is not on the curve.
static bool place_key(const uint8_t *bytes, const p256_kernel *kernel, p256_point *target) {
  p256_number x = p256_number_from_bytes(bytes), y = p256_number_from_bytes(bytes + 32);
  if (!p256_field_is_on_curve(&x, &y)) return false;
  *target = p256_point_enter(&x, &y, kernel);
  return true;
}

/// Judges the signatures of all keys with `least` to `most` of them, as many keys at a time as
/// there is room for.
static void judge_keys(p256_verifier *verifier, const p256_batch *call, size_t least, size_t most,
                       unsigned method) {
  bool whole_rows = method != P256_METHOD_BUCKETS;
  unsigned width = whole_rows ? method : (unsigned)P256_BUCKET_WIDTH;
  size_t key_points = p256_multiples_points(width, whole_rows);
  size_t stride = p256_multiples_stride(width, whole_rows);
  size_t most_keys = verifier->point_count / key_points;
  if (most_keys > verifier->workspace.capacity) most_keys = verifier->workspace.capacity;
  size_t chunk_keys = 0, first = 0;
  for (size_t key = 0; key < call->key_count; key++) {
    size_t count = call->counts[key];
    if (count >= least && count <= most) {
      p256_point *target = verifier->points + chunk_keys * stride;
      if (place_key(call->keys + key * P256_KEY_BYTES, verifier->workspace.kernel, target)) {
        verifier->groups[chunk_keys++] = (p256_key_group){first, count};
      } else {
        memset(call->verdicts + first, P256_UNDECIDED, count);
      }
      if (chunk_keys == most_keys) {
        judge_chunk(verifier, call, chunk_keys, width, whole_rows);
        chunk_keys = 0;
      }
    }
    first += count;
  }
  judge_chunk(verifier, call, chunk_keys, width, whole_rows);
}

void p256_verify(p256_verifier *verifier, const p256_batch *batch, unsigned method) {
  if (method != P256_METHOD_AUTOMATIC) {
    bool is_width = method >= P256_METHOD_NARROWEST && method <= P256_METHOD_WIDEST;
    if (!is_width && method != P256_METHOD_BUCKETS) {
      size_t count = 0;
      for (size_t key = 0; key < batch->key_count; key++) count += batch->counts[key];
      memset(batch->verdicts, P256_UNDECIDED, count);
      return;
    }
    judge_keys(verifier, batch, 1, SIZE_MAX, method);
    return;
  }
  size_t least = 1;
  for (size_t i = 0; i < METHOD_COUNT; i++) {
    judge_keys(verifier, batch, least, METHOD_LIMITS[i].most_signatures, METHOD_LIMITS[i].width);
    least = METHOD_LIMITS[i].most_signatures + 1;
  }
}
