#ifndef CSIGNATUREBATCH_WORKSPACE_H
#define CSIGNATUREBATCH_WORKSPACE_H

#include <string.h>

#include "../numbers/elements.h"

/// Memory issued piece by piece from one block; with a NULL block it only counts.
typedef struct {
  uint8_t *block;
  size_t used;
} sb_arena;

/// Returns the next `bytes` of the arena, aligned to 64, or NULL if it only counts.
SB_FUNCTION void *sb_arena_take(sb_arena *arena, size_t bytes) {
  size_t start = arena->used;
  arena->used += (bytes + 63) / 64 * 64;
  return arena->block == NULL ? NULL : arena->block + start;
}

/// The arrays that the operations work on.
typedef struct {
  /// Accumulators, and elements of each array; a multiple of 64.
  size_t capacity;
  sb_accumulators *accumulators;
  const sb_point **operands;
  sb_point **targets;
  uint8_t *negated;
  /// All 0 between the uses.
  uint8_t *flags;
} sb_workspace;

SB_FUNCTION sb_workspace sb_workspace_take(sb_arena *arena, size_t capacity) {
  sb_workspace workspace = {
      .capacity = capacity,
      .accumulators = sb_arena_take(arena, capacity / SB_LANES * sizeof(sb_accumulators)),
      .operands = sb_arena_take(arena, capacity * sizeof(sb_point *)),
      .targets = sb_arena_take(arena, capacity * sizeof(sb_point *)),
      .negated = sb_arena_take(arena, capacity),
      .flags = sb_arena_take(arena, capacity),
  };
  return workspace;
}

/// Runs an operation on the workspace's own arrays, for the first `count` of their elements, as the
/// functions below do.
SB_FUNCTION void sb_workspace_load(sb_workspace *workspace, size_t count) {
  sb_kernel_load(workspace->accumulators, workspace->operands, workspace->negated, count);
}

SB_FUNCTION size_t sb_workspace_add(sb_workspace *workspace, size_t count) {
  return sb_kernel_add(workspace->accumulators, workspace->operands, workspace->negated, count,
                       workspace->flags);
}

SB_FUNCTION size_t sb_workspace_twice(sb_workspace *workspace, size_t count) {
  return sb_kernel_twice(workspace->accumulators, count, workspace->flags);
}

SB_FUNCTION void sb_workspace_store(sb_workspace *workspace, size_t count) {
  sb_kernel_store(workspace->accumulators, workspace->targets, count);
}

SB_FUNCTION void sb_workspace_clear_signs(sb_workspace *workspace, size_t count) {
  memset(workspace->negated, 0, count);
}

#endif
