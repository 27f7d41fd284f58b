#ifndef CP256BATCH_KERNEL_H
#define CP256BATCH_KERNEL_H

#include "include/CP256Batch.h"
#include "number.h"

/// Lanes of a vector of 64-bit words in AVX-512. What is laid out for vectors is so for all
/// kernels.
enum { P256_LANES = 8 };

/// An affine point as tables hold it, in one cache line: coordinates below p, in the Montgomery
/// form of the kernel.
typedef struct {
  _Alignas(64) p256_number x;
  p256_number y;
} p256_point;

/// The numbers of one signature, all below n.
typedef struct {
  p256_number r;
  p256_number s;
  /// The digest, and after `scalars` digest / s: the multiple of G.
  p256_number u1;
  /// After `scalars` r / s: the multiple of the key.
  p256_number u2;
} p256_scalars;

/// The recoded scalars of eight signatures; see recode.h.
typedef struct {
  _Alignas(64) uint64_t word[5][P256_LANES];
  /// 1 where the digits stand for minus the scalar.
  uint64_t negated[P256_LANES];
} p256_recoded;

/// A kernel's running points ("accumulators"), in a form of its own.
typedef void p256_accumulators;

/// One field arithmetic with the few operations that verification is made of. All work on whole
/// arrays, so that additions share an inversion. Operand i is the point at operands[i], negated
/// where negated[i] is 1. Arrays have room for a multiple of eight; accumulators from `count` on
/// keep their points.
typedef struct p256_kernel {
  /// Bytes of eight accumulators.
  size_t accumulator_block_bytes;
  /// What brings a number into the kernel's Montgomery form, by p256_field_multiply.
  p256_number entering_factor;
  /// What takes a number out of the kernel's Montgomery form, by p256_field_multiply.
  p256_number leaving_factor;
  /// Below this number of keys, the powers of their points are made one key at a time.
  size_t least_keys_together;
  /// Signatures, and additions, to work on at once.
  size_t best_capacity;
  /// Bytes to have for keys' multiples.
  size_t best_multiples_bytes;

  /// accumulators[i] = operand i.
  void (*load)(p256_accumulators *accumulators, const p256_point **operands, const uint8_t *negated,
               size_t count);
  /// accumulators[i] += operand i. Where that is no addition of two points with different x, it
  /// sets flags[i] and leaves some other point of no meaning. Returns how many it flagged.
  size_t (*add)(p256_accumulators *accumulators, const p256_point **operands,
                const uint8_t *negated, size_t count, uint8_t *flags);
  /// accumulators[i] += accumulators[i]; the rest as for `add`. No point of the curve has y = 0,
  /// but what a flagged addition leaves may.
  size_t (*twice)(p256_accumulators *accumulators, size_t count, uint8_t *flags);
  /// *targets[i] = accumulators[i].
  void (*store)(const p256_accumulators *accumulators, p256_point *const *targets, size_t count);
  /// x[i] = the x coordinate of accumulators[i], an ordinary number below p.
  void (*leave)(const p256_accumulators *accumulators, p256_number *x, size_t count);
  /// Fills in u1 and u2; `room` are unused accumulators for as many signatures.
  void (*scalars)(p256_scalars *signatures, size_t count, p256_accumulators *room);
  /// operands[i], negated[i] = the entry of the table row at rows[i] that the digit of recoded
  /// scalar i at `bit`, `width` bits long, stands for.
  void (*select)(const p256_recoded *recoded, unsigned bit, unsigned width,
                 const p256_point *const *rows, size_t row_offset, size_t count,
                 const p256_point **operands, uint8_t *negated);
} p256_kernel;

extern const p256_kernel p256_kernel_portable;
extern const p256_kernel p256_kernel_emulated;

/// NULL where it is not compiled in.
const p256_kernel *p256_kernel_ifma(void);

/// NULL where this build or this processor has none.
const p256_kernel *p256_kernel_of_kind(p256_kernel_kind kind);

/// Whether this processor and its operating system can run AVX-512 IFMA code.
bool p256_cpu_has_ifma(void);

#endif
