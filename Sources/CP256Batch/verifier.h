#ifndef CP256BATCH_VERIFIER_H
#define CP256BATCH_VERIFIER_H

#include "buckets.h"
#include "tables.h"

/// A key of the chunk at work, with its signatures' place in the call.
typedef struct {
  size_t first_signature;
  size_t signature_count;
} p256_key_group;

/// The signatures whose steps are made together.
typedef struct {
  size_t count;
  p256_scalars *scalars;
  /// u1 and u2, recoded.
  p256_recoded *base_digits, *key_digits;
  /// The first row of each signature's key.
  const p256_point **keys;
  /// The number of each signature in the call.
  size_t *signatures;
  uint8_t *undecided;
  p256_number *x;
} p256_signature_batch;

struct p256_verifier {
  const p256_tables *base;
  void *memory;
  p256_workspace workspace;
  p256_signature_batch batch;
  p256_buckets buckets;
  /// The keys of a chunk, at most the workspace's capacity, and memory for their multiples.
  p256_key_group *groups;
  p256_point *points;
  size_t point_count;
};

/// Adds a signature of P256_SIGNATURE_BYTES to a batch that is not full; false, and not added,
/// where r or s is not in range. `key` is the first row of its key's multiples.
bool p256_batch_append(p256_signature_batch *batch, const uint8_t *bytes, size_t signature,
                       const p256_point *key);

/// Judges the signatures of the batch and empties it; `multiples` are those of all its keys.
void p256_batch_judge(p256_verifier *verifier, const p256_multiples *multiples, uint8_t *verdicts);

#endif
