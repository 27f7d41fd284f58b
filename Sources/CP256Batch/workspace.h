#ifndef CP256BATCH_WORKSPACE_H
#define CP256BATCH_WORKSPACE_H

#include "kernel.h"

/// Memory handed out piece by piece from one block; with a NULL block it only counts.
typedef struct {
  uint8_t *block;
  size_t used;
} p256_arena;

/// The next `bytes` of the arena, aligned to 64; NULL where it only counts.
void *p256_arena_take(p256_arena *arena, size_t bytes);

/// What a kernel's operations work on.
typedef struct {
  const p256_kernel *kernel;
  /// Accumulators, and elements of each array; a multiple of 64.
  size_t capacity;
  p256_accumulators *accumulators;
  const p256_point **operands;
  const p256_point **rows;
  p256_point **targets;
  uint8_t *negated;
  /// All 0 between the uses.
  uint8_t *flags;
} p256_workspace;

p256_workspace p256_workspace_take(p256_arena *arena, const p256_kernel *kernel, size_t capacity);

/// The kernel's operations on the workspace's own arrays, first for `count` of them.
void p256_workspace_load(p256_workspace *workspace, size_t count);
size_t p256_workspace_add(p256_workspace *workspace, size_t count);
size_t p256_workspace_twice(p256_workspace *workspace, size_t count);
void p256_workspace_store(p256_workspace *workspace, size_t count);

/// Sets `negated` to 0 for the first `count`.
void p256_workspace_clear_signs(p256_workspace *workspace, size_t count);

#endif
