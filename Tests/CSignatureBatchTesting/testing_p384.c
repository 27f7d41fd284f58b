#define SB_BITS 384

#include "testing.h"

void sb_testing_p384(unsigned arithmetic, unsigned operation, const uint8_t *left,
                     const uint8_t *right, uint8_t *result) {
  test(arithmetic, operation, left, right, result);
}
