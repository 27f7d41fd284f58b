#ifndef CP256BATCHTESTING_H
#define CP256BATCHTESTING_H

#include <stdint.h>

/// The arithmetic of CP256Batch, laid open to tests. Numbers are 32 bytes, the most significant
/// first, below the modulus, and not in Montgomery form.

enum p256_testing_operation {
  P256_TESTING_ADD,
  P256_TESTING_SUBTRACT,
  P256_TESTING_MULTIPLY,
  P256_TESTING_SQUARE,
  /// Of the first operand, which is not 0.
  P256_TESTING_INVERT,
};

/// Mod p, on four words.
void p256_testing_field(unsigned operation, const uint8_t *left, const uint8_t *right,
                        uint8_t *result);

/// Mod n, on four words; multiplies or inverts.
void p256_testing_order(unsigned operation, const uint8_t *left, const uint8_t *right,
                        uint8_t *result);

/// Mod p, eight numbers one after the other, on emulated lanes.
void p256_testing_field8(unsigned operation, const uint8_t *left, const uint8_t *right,
                         uint8_t *result);

/// Mod n, eight numbers one after the other, on emulated lanes; multiplies or inverts.
void p256_testing_order8(unsigned operation, const uint8_t *left, const uint8_t *right,
                         uint8_t *result);

#endif
