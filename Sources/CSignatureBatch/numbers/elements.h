#ifndef CSIGNATUREBATCH_ELEMENTS_H
#define CSIGNATUREBATCH_ELEMENTS_H

#include "../curves/curve.h"
#include "../include/CSignatureBatch.h"

/// The interface that every arithmetic implements. An arithmetic is one of kernel_portable.h and
/// lanes_kernel.h. It defines the types sb_point, an affine point as tables hold it, and
/// sb_accumulators, eight running points in a form of its own, SB_TUNING, and the operations below.
///
/// All work on whole arrays, so that additions share an inversion. Operand i is the point at
/// operands[i], negated where negated[i] is 1. Arrays have room for a multiple of eight;
/// accumulators from `count` on keep their points.
///
/// - sb_point_enter makes a point of two ordinary coordinates, sb_point_leave the reverse.
/// - sb_kernel_load: accumulators[i] = operand i.
/// - sb_kernel_add: accumulators[i] += operand i. Where that is not an addition of two points with
///   different x, it sets flags[i] and leaves some other point of no meaning. It returns how many
///   it flagged.
/// - sb_kernel_twice: accumulators[i] += accumulators[i]; the rest as for the addition. No point of
///   the curve has y = 0, but what a flagged addition leaves may.
/// - sb_kernel_store: *targets[i] = accumulators[i].
/// - sb_kernel_leave: x[i] = the x coordinate of accumulators[i], an ordinary number below p.
/// - sb_kernel_scalars fills in u1 and u2; `room` are unused accumulators for as many signatures.

/// Lanes of a vector of 64-bit words in AVX-512. What is laid out for vectors is so for all
/// arithmetics.
enum { SB_LANES = 8 };

/// The numbers of one signature, all below n.
typedef struct {
  sb_number r;
  sb_number s;
  /// The digest, and after sb_kernel_scalars digest / s: the multiple of G.
  sb_number u1;
  /// The number r / s after sb_kernel_scalars: the multiple of the key.
  sb_number u2;
} sb_scalars;

/// Multiples of which width are made for a key with so many signatures. From measurements: a wider
/// table costs twice as much to make, and saves a few additions for each signature.
typedef struct {
  size_t most_signatures;
  unsigned width;
} sb_method_limit;

enum { SB_METHOD_LIMITS = 6 };

/// Asks for the cache lines of a point.
#define sb_prefetch(point)                                       \
  do {                                                           \
    for (size_t byte = 0; byte < sizeof(*(point)); byte += 64) { \
      __builtin_prefetch((const uint8_t *)(point) + byte);       \
    }                                                            \
  } while (0)

/// The settings with which an arithmetic is fastest.
typedef struct {
  /// The number of keys below which the powers of their points are made one key at a time.
  size_t least_keys_together;
  /// Signatures, and additions, to work on at once.
  size_t capacity;
  /// Bytes to have for keys' multiples.
  size_t multiples_bytes;
  /// The methods by the number of a key's signatures; the last one's limit is SIZE_MAX.
  sb_method_limit methods[SB_METHOD_LIMITS];
} sb_tuning;

#endif
