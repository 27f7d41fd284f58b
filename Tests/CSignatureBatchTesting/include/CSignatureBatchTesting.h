#ifndef CSIGNATUREBATCHTESTING_H
#define CSIGNATUREBATCHTESTING_H

#include <stdint.h>

/// The arithmetic of CSignatureBatch, laid open to tests. Numbers have 32 or 48 bytes, the most
/// significant first, are below the modulus, and not in Montgomery form.

enum sb_testing_operation {
  SB_TESTING_ADD,
  SB_TESTING_SUBTRACT,
  SB_TESTING_MULTIPLY,
  SB_TESTING_SQUARE,
  /// Of the first operand, which is not 0.
  SB_TESTING_INVERT,
};

enum sb_testing_arithmetic {
  /// Mod p, on words.
  SB_TESTING_FIELD,
  /// Mod n, on words; multiplies or inverts.
  SB_TESTING_ORDER,
  /// Mod p, eight numbers one after the other, on emulated lanes.
  SB_TESTING_FIELD8,
  /// Mod n, eight numbers one after the other, on emulated lanes; multiplies or inverts.
  SB_TESTING_ORDER8,
};

typedef void sb_testing_function(unsigned arithmetic, unsigned operation, const uint8_t *left,
                                 const uint8_t *right, uint8_t *result);

sb_testing_function sb_testing_p256, sb_testing_p384;

#endif
