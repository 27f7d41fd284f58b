#ifndef CSIGNATUREBATCH_H
#define CSIGNATUREBATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Verification of many ECDSA signatures (FIPS 186-5, 6.4.2) over P-256 and P-384 at once. Keys,
/// signatures and digests are public: running times and memory accesses depend on them.

typedef enum sb_curve {
  SB_P256 = 256,
  SB_P384 = 384,
} sb_curve;

/// The arithmetic that verifies.
typedef enum sb_arithmetic {
  /// Words of 64 bits, on any processor.
  SB_PORTABLE = 0,
  /// Eight lanes of AVX-512 IFMA.
  SB_IFMA = 1,
  /// The same eight lanes in plain C: slow, to test the eight-lane code on any processor.
  SB_EMULATED = 2,
} sb_arithmetic;

/// Returns whether this build and this processor have an arithmetic.
bool sb_is_supported(sb_arithmetic arithmetic);

/// Returns whether x, y, two numbers of the curve's length with the most significant byte first,
/// are a point of the curve other than the one at infinity (SEC 1, 3.2.2.1).
bool sb_is_point(sb_curve curve, const uint8_t *_Nonnull coordinates);

/// The result for a signature.
enum sb_verdict {
  SB_INVALID = 0,
  SB_VALID = 1,
  /// An addition on the way had no affine formula, or the key is not a point of the curve: another
  /// implementation has to decide.
  SB_UNDECIDED = 2,
};

/// The method by which the multiples of a key are made that has no table of its own.
enum sb_method {
  /// The choice by the number of its signatures.
  SB_METHOD_AUTOMATIC = 0,
  /// Digits of four bits gathered in buckets, no table of the key.
  SB_METHOD_BUCKETS = 1,
  /// A row of eight odd multiples of the key, and doublings for each signature.
  SB_METHOD_DOUBLINGS = 2,
  /// A table of the key, with digits of as many bits: the methods from here to SB_METHOD_WIDEST.
  SB_METHOD_NARROWEST = 3,
  SB_METHOD_WIDEST = 9,
};

/// Returns the method for a key with so many signatures.
unsigned sb_automatic_method(sb_curve curve, sb_arithmetic arithmetic, size_t signatures);

/// Multiples of one point, the base point or a key, for one curve and arithmetic; immutable, for
/// any number of threads.
typedef struct sb_tables sb_tables;

/// Bits of a table's digits.
enum { SB_NARROWEST_TABLES = 4, SB_WIDEST_TABLES = 14 };

/// Makes tables with digits of `width` bits of G. Returns NULL if memory is out or the arithmetic
/// is not supported.
sb_tables *_Nullable sb_tables_create(sb_curve curve, sb_arithmetic arithmetic, unsigned width);
/// Makes tables of a key, of the curve and the arithmetic of `base`. Returns NULL if memory is out
/// or the key is not a point of the curve.
sb_tables *_Nullable sb_tables_create_of_key(const sb_tables *_Nonnull base, unsigned width,
                                             const uint8_t *_Nonnull key);
void sb_tables_destroy(sb_tables *_Nonnull tables);
/// Returns the number of bytes held.
size_t sb_tables_bytes(const sb_tables *_Nonnull tables);

/// The memory of one worker, allocated once; for one thread at a time.
typedef struct sb_verifier sb_verifier;

/// Returns the least arena of a verifier, in bytes: one that judges by tables only, or one that can
/// make every key's multiples.
size_t sb_verifier_least_arena(const sb_tables *_Nonnull tables, bool for_keys);
/// Returns the arena with which a verifier is fastest, in bytes.
size_t sb_verifier_best_arena(const sb_tables *_Nonnull tables);

/// Makes a verifier that holds `arena_bytes` of memory and allocates no more. Returns NULL if
/// memory is out or the arena too small. `tables`, of the base point, must outlive it.
sb_verifier *_Nullable sb_verifier_create(const sb_tables *_Nonnull tables, size_t arena_bytes);
void sb_verifier_destroy(sb_verifier *_Nonnull verifier);

/// Keys and their signatures. A number has as many bytes as the curve: 32 or 48, the most
/// significant first.
typedef struct sb_batch {
  /// `key_count` keys of two numbers: x, y (SEC 1, 2.3.3, without the 04); any bytes.
  const uint8_t *_Nullable keys;
  size_t key_count;
  /// The number of signatures of each key, which may be 0.
  const uint32_t *_Nullable counts;
  /// The signatures, key after key, of three numbers each: r, s, and the leftmost bits of the
  /// digest; any bytes.
  const uint8_t *_Nullable signatures;
  /// One sb_verdict for each signature.
  uint8_t *_Nullable verdicts;
} sb_batch;

/// Fills in all verdicts. `method` is a sb_method. Where the arena has no room for a key's
/// multiples, its signatures are left undecided.
void sb_verify(sb_verifier *_Nonnull verifier, const sb_batch *_Nonnull batch, unsigned method);

/// Fills in the verdicts of `count` signatures of one key, by its tables.
void sb_verify_by_tables(sb_verifier *_Nonnull verifier, const sb_tables *_Nonnull key,
                         const uint8_t *_Nullable signatures, size_t count,
                         uint8_t *_Nullable verdicts);

#endif
