#ifndef CP256BATCH_TABLES_H
#define CP256BATCH_TABLES_H

#include "multiples.h"

/// The multiples of G, 2^(width j) (2 e + 1) G, in one kernel's Montgomery form.
struct p256_tables {
  const p256_kernel *kernel;
  p256_multiples multiples;
  void *memory;
  size_t bytes;
};

/// The point (x, y), not in Montgomery form, for a kernel's tables.
p256_point p256_point_enter(const p256_number *x, const p256_number *y, const p256_kernel *kernel);

#endif
