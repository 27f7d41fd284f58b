#ifndef CP256BATCH_H
#define CP256BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Verification of many ECDSA signatures over P-256 (FIPS 186-5, 6.4.2) at once. Keys, signatures
/// and digests are public: running times and memory accesses depend on them.

/// The arithmetic that verifies.
typedef enum p256_kernel_kind {
  /// Four words of 64 bits, on any processor.
  P256_KERNEL_PORTABLE = 0,
  /// Eight lanes of AVX-512 IFMA.
  P256_KERNEL_IFMA = 1,
  /// The same eight lanes in plain C: slow, to test the eight-lane code on any processor.
  P256_KERNEL_EMULATED = 2,
} p256_kernel_kind;

/// Whether this build and this processor have a kernel.
bool p256_kernel_is_supported(p256_kernel_kind kind);

/// What is known of a signature.
enum p256_verdict {
  P256_INVALID = 0,
  P256_VALID = 1,
  /// An addition on the way had no affine formula, or the key is no point of the curve: another
  /// implementation has to decide.
  P256_UNDECIDED = 2,
};

/// How a key's multiples are made.
enum p256_method {
  /// By the number of its signatures.
  P256_METHOD_AUTOMATIC = 0,
  /// Digits of four bits gathered in buckets, no table of the key.
  P256_METHOD_BUCKETS = 1,
  /// From here to P256_METHOD_WIDEST: a table of the key, with digits of as many bits.
  P256_METHOD_NARROWEST = 3,
  P256_METHOD_WIDEST = 9,
};

/// Multiples of the base point for one kernel; immutable, for any number of threads.
typedef struct p256_tables p256_tables;

/// Digits of G of `width` bits, 4 to 14. NULL where memory is out or the kernel is not supported.
p256_tables *_Nullable p256_tables_create(p256_kernel_kind kind, unsigned width);
void p256_tables_destroy(p256_tables *_Nonnull tables);
/// Bytes held.
size_t p256_tables_bytes(const p256_tables *_Nonnull tables);

/// The memory of one worker, allocated once; for one thread at a time.
typedef struct p256_verifier p256_verifier;

/// The least arena a verifier can be made with, in bytes.
size_t p256_verifier_least_arena(p256_kernel_kind kind);
/// The arena with which a verifier is fastest, in bytes.
size_t p256_verifier_best_arena(p256_kernel_kind kind);

/// A verifier that holds `arena_bytes` of memory and allocates no more. NULL where memory is out or
/// the arena too small. `tables` must outlive it.
p256_verifier *_Nullable p256_verifier_create(const p256_tables *_Nonnull tables,
                                              size_t arena_bytes);
void p256_verifier_destroy(p256_verifier *_Nonnull verifier);

/// Bytes of a key: x, y, each 32 bytes, the most significant first (SEC 1, 2.3.3, without the 04).
#define P256_KEY_BYTES 64
/// Bytes of a signature: r, s and the SHA-256 digest, each 32 bytes, the most significant first.
#define P256_SIGNATURE_BYTES 96

/// Keys and their signatures.
typedef struct p256_batch {
  /// `key_count` keys of P256_KEY_BYTES; any bytes.
  const uint8_t *_Nullable keys;
  size_t key_count;
  /// How many signatures each key has; 0 is allowed.
  const uint32_t *_Nullable counts;
  /// The signatures, key after key, of P256_SIGNATURE_BYTES each; any bytes.
  const uint8_t *_Nullable signatures;
  /// One p256_verdict for each signature.
  uint8_t *_Nullable verdicts;
} p256_batch;

/// Fills in all verdicts. `method` is a p256_method.
void p256_verify(p256_verifier *_Nonnull verifier, const p256_batch *_Nonnull batch,
                 unsigned method);

#endif
