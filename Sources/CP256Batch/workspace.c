#include "workspace.h"

#include <string.h>

void *p256_arena_take(p256_arena *arena, size_t bytes) {
  size_t start = arena->used;
  arena->used += (bytes + 63) / 64 * 64;
  return arena->block == NULL ? NULL : arena->block + start;
}

p256_workspace p256_workspace_take(p256_arena *arena, const p256_kernel *kernel, size_t capacity) {
  size_t blocks = capacity / P256_LANES;
  p256_workspace workspace = {
      .kernel = kernel,
      .capacity = capacity,
      .accumulators = p256_arena_take(arena, blocks * kernel->accumulator_block_bytes),
      .operands = p256_arena_take(arena, capacity * sizeof(p256_point *)),
      .rows = p256_arena_take(arena, capacity * sizeof(p256_point *)),
      .targets = p256_arena_take(arena, capacity * sizeof(p256_point *)),
      .negated = p256_arena_take(arena, capacity),
      .flags = p256_arena_take(arena, capacity),
  };
  return workspace;
}

void p256_workspace_load(p256_workspace *workspace, size_t count) {
  workspace->kernel->load(workspace->accumulators, workspace->operands, workspace->negated, count);
}

size_t p256_workspace_add(p256_workspace *workspace, size_t count) {
  return workspace->kernel->add(workspace->accumulators, workspace->operands, workspace->negated,
                                count, workspace->flags);
}

size_t p256_workspace_twice(p256_workspace *workspace, size_t count) {
  return workspace->kernel->twice(workspace->accumulators, count, workspace->flags);
}

void p256_workspace_store(p256_workspace *workspace, size_t count) {
  workspace->kernel->store(workspace->accumulators, workspace->targets, count);
}

void p256_workspace_clear_signs(p256_workspace *workspace, size_t count) {
  memset(workspace->negated, 0, count);
}
