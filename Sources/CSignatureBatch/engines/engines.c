#include <stdlib.h>

#include "engine.h"

/// Returns the engine, or NULL if this build or this processor has none.
static const sb_engine *engine_of(sb_curve curve, sb_arithmetic arithmetic) {
  bool is_p256 = curve == SB_P256;
  switch (arithmetic) {
    case SB_PORTABLE:
      return is_p256 ? &sb_p256_portable : &sb_p384_portable;
    case SB_IFMA:
      return !sb_cpu_has_ifma() ? NULL : is_p256 ? sb_p256_ifma : sb_p384_ifma;
    case SB_EMULATED:
      return is_p256 ? &sb_p256_emulated : &sb_p384_emulated;
  }
  return NULL;
}

bool sb_is_supported(sb_arithmetic arithmetic) { return engine_of(SB_P256, arithmetic) != NULL; }

bool sb_is_point(sb_curve curve, const uint8_t *coordinates) {
  return engine_of(curve, SB_PORTABLE)->is_point(coordinates);
}

unsigned sb_automatic_method(sb_curve curve, sb_arithmetic arithmetic, size_t signatures) {
  const sb_engine *engine = engine_of(curve, arithmetic);
  return engine == NULL ? SB_METHOD_AUTOMATIC : engine->automatic_method(signatures);
}

static sb_tables *create_tables(const sb_engine *engine, unsigned width, const uint8_t *key) {
  if (engine == NULL || width < SB_NARROWEST_TABLES || width > SB_WIDEST_TABLES) return NULL;
  return engine->tables_create(width, key);
}

sb_tables *sb_tables_create(sb_curve curve, sb_arithmetic arithmetic, unsigned width) {
  return create_tables(engine_of(curve, arithmetic), width, NULL);
}

sb_tables *sb_tables_create_of_key(const sb_tables *base, unsigned width, const uint8_t *key) {
  return create_tables(base->engine, width, key);
}

void sb_tables_destroy(sb_tables *tables) {
  free(tables->memory);
  free(tables);
}

size_t sb_tables_bytes(const sb_tables *tables) { return tables->bytes + sizeof(sb_tables); }

size_t sb_verifier_least_arena(const sb_tables *tables, bool for_keys) {
  return tables->engine->least_arena(for_keys);
}

size_t sb_verifier_best_arena(const sb_tables *tables) { return tables->engine->best_arena(); }

sb_verifier *sb_verifier_create(const sb_tables *tables, size_t arena_bytes) {
  return tables->engine->verifier_create(tables, arena_bytes);
}

void sb_verifier_destroy(sb_verifier *verifier) {
  free(verifier->memory);
  free(verifier);
}

void sb_verify(sb_verifier *verifier, const sb_batch *batch, unsigned method) {
  verifier->engine->verify(verifier, batch, method);
}

void sb_verify_by_tables(sb_verifier *verifier, const sb_tables *key, const uint8_t *signatures,
                         size_t count, uint8_t *verdicts) {
  verifier->engine->verify_by_tables(verifier, key, signatures, count, verdicts);
}
