#ifndef CP256BATCH_BUCKETS_H
#define CP256BATCH_BUCKETS_H

#include "multiples.h"

/// u Q without a table of Q: the points 2^(4 j) Q are gathered by their digits' absolute values
/// 2 e + 1, and the sums weighted (E. F. Brickell, D. M. Gordon, K. S. McCurley and D. B. Wilson,
/// Fast exponentiation with precomputation, 1992; the buckets of N. Pippenger). For a key with few
/// signatures this takes fewer additions than making a table and using it: 71 for a signature.

/// Bits of a digit. Fewer make more additions, more make buckets that are empty too often.
enum { P256_BUCKET_WIDTH = 4 };
/// Digits of a scalar.
enum { P256_BUCKET_DIGITS = 64 };
/// Buckets of a signature.
enum { P256_BUCKETS = 8 };

/// What gathering works on, beside the workspace.
typedef struct {
  /// P256_BUCKETS points for each signature of a batch.
  p256_point *points;
  /// The entries of one round's signatures, P256_BUCKET_DIGITS each: the digit's number j, and 64
  /// where its sign is negative; bucket after bucket.
  uint8_t *entries;
  /// Where a bucket's entries start in its signature's, and how many there are.
  uint8_t *starts, *lengths;
  /// The buckets of one round, the longest first.
  uint16_t *order;
} p256_buckets;

p256_buckets p256_buckets_take(p256_arena *arena, size_t capacity);

/// The signatures of a batch as the buckets see them.
typedef struct {
  size_t count;
  /// The scalars u2, recoded with P256_BUCKET_WIDTH.
  const p256_recoded *recoded;
  /// u1, from which an empty bucket takes what is put in it.
  p256_scalars *scalars;
  /// The powers 2^(4 j) Q of each signature's key.
  const p256_point *const *powers;
  /// Set to 1 for signatures with an exceptional addition.
  uint8_t *undecided;
  /// (2 e + 1) G at e.
  const p256_point *base;
} p256_bucket_batch;

/// Leaves u2 Q of each signature, plus what u1 was lessened by times G, in the accumulators.
void p256_buckets_sum(const p256_buckets *buckets, const p256_bucket_batch *batch,
                      p256_workspace *workspace);

#endif
