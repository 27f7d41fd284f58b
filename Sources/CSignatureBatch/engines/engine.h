#ifndef CSIGNATUREBATCH_ENGINE_H
#define CSIGNATUREBATCH_ENGINE_H

#include "../include/CSignatureBatch.h"

/// The functions of CSignatureBatch.h that one curve in one arithmetic offers.
typedef struct sb_engine {
  size_t (*least_arena)(bool for_keys);
  size_t (*best_arena)(void);
  unsigned (*automatic_method)(size_t signatures);
  bool (*is_point)(const uint8_t *coordinates);
  /// Makes the tables of a key, or of G if `key` is NULL.
  sb_tables *(*tables_create)(unsigned width, const uint8_t *key);
  sb_verifier *(*verifier_create)(const sb_tables *base, size_t arena_bytes);
  void (*verify)(sb_verifier *verifier, const sb_batch *batch, unsigned method);
  void (*verify_by_tables)(sb_verifier *verifier, const sb_tables *key, const uint8_t *signatures,
                           size_t count, uint8_t *verdicts);
} sb_engine;

/// The multiples 2^(width j) (2 e + 1) Q of a point Q.
struct sb_tables {
  const sb_engine *engine;
  unsigned width;
  /// Points, in the form of the engine's arithmetic.
  void *memory;
  size_t bytes;
};

/// The beginning of all engines' verifiers.
struct sb_verifier {
  const sb_engine *engine;
  void *memory;
};

extern const sb_engine sb_p256_portable, sb_p384_portable;
/// The engines of the tests, which only their program contains.
extern const sb_engine sb_p256_emulated __attribute__((weak)), sb_p384_emulated __attribute__((weak));

/// The engines that are not compiled in everywhere.
extern const sb_engine sb_p256_ifma_engine, sb_p384_ifma_engine;
/// The engines, or NULL if they are not compiled in.
extern const sb_engine *const sb_p256_ifma, *const sb_p384_ifma;

/// Returns whether this processor and its operating system can run AVX-512 IFMA code.
bool sb_cpu_has_ifma(void);

#endif
