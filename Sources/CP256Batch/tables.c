#include "tables.h"

#include <stdlib.h>
#include <string.h>

#include "field.h"

/// Additions made at once while the table of G is filled.
enum { TABLE_CAPACITY = 1024 };
enum { NARROWEST_BASE = 4, WIDEST_BASE = 14 };

const p256_kernel *p256_kernel_of_kind(p256_kernel_kind kind) {
  switch (kind) {
    case P256_KERNEL_PORTABLE:
      return &p256_kernel_portable;
    case P256_KERNEL_IFMA:
      return p256_cpu_has_ifma() ? p256_kernel_ifma() : NULL;
    case P256_KERNEL_EMULATED:
      return &p256_kernel_emulated;
  }
  return NULL;
}

bool p256_kernel_is_supported(p256_kernel_kind kind) { return p256_kernel_of_kind(kind) != NULL; }

p256_point p256_point_enter(const p256_number *x, const p256_number *y, const p256_kernel *kernel) {
  p256_point point;
  p256_field_multiply(&point.x, x, &kernel->entering_factor);
  p256_field_multiply(&point.y, y, &kernel->entering_factor);
  return point;
}

/// Fills in the table; false where memory is out.
static bool make_table(p256_multiples *multiples, const p256_kernel *kernel) {
  p256_arena arena = {NULL, 0};
  p256_workspace_take(&arena, kernel, TABLE_CAPACITY);
  uint8_t *block = aligned_alloc(64, (arena.used + 63) / 64 * 64);
  if (block == NULL) return false;
  arena = (p256_arena){block, 0};
  p256_workspace workspace = p256_workspace_take(&arena, kernel, TABLE_CAPACITY);
  // Lanes without a signature are read, too.
  memset(block, 0, arena.used);
  *multiples->rows = p256_point_enter(&P256_BASE_X, &P256_BASE_Y, kernel);
  p256_multiples_make(multiples, &workspace);
  free(block);
  return true;
}

p256_tables *p256_tables_create(p256_kernel_kind kind, unsigned width) {
  const p256_kernel *kernel = p256_kernel_of_kind(kind);
  if (kernel == NULL || width < NARROWEST_BASE || width > WIDEST_BASE) return NULL;
  size_t bytes = p256_multiples_points(width, true) * sizeof(p256_point);
  p256_tables *tables = malloc(sizeof(p256_tables));
  p256_point *points = aligned_alloc(64, bytes);
  if (tables != NULL && points != NULL) {
    *tables = (p256_tables){kernel, p256_multiples_place(width, true, 1, points), points, bytes};
    if (make_table(&tables->multiples, kernel)) return tables;
  }
  free(points);
  free(tables);
  return NULL;
}

void p256_tables_destroy(p256_tables *tables) {
  free(tables->memory);
  free(tables);
}

size_t p256_tables_bytes(const p256_tables *tables) { return tables->bytes + sizeof(p256_tables); }
