#ifndef CSIGNATUREBATCH_TABLES_H
#define CSIGNATUREBATCH_TABLES_H

#include <stdlib.h>

#include "../engines/engine.h"
#include "filling.h"

/// Additions made at once while a table is filled.
enum { TABLE_CAPACITY = 1024 };

SB_INLINE sb_multiples sb_tables_multiples(const sb_tables *tables) {
  return sb_multiples_place(sb_shape_of_table(tables->width), 1, tables->memory);
}

SB_FUNCTION bool sb_is_key(const uint8_t *bytes) {
  sb_number x = sb_number_from_bytes(bytes), y = sb_number_from_bytes(bytes + SB_BYTES);
  return sb_field_is_on_curve(&x, &y);
}

/// Reads the point of a key's bytes. Returns false if it is not on the curve.
SB_FUNCTION bool sb_read_key(const uint8_t *bytes, sb_point *point) {
  sb_number x = sb_number_from_bytes(bytes), y = sb_number_from_bytes(bytes + SB_BYTES);
  if (!sb_field_is_on_curve(&x, &y)) return false;
  *point = sb_point_enter(&x, &y);
  return true;
}

/// Fills in the multiples of the first point. Returns false if memory is out.
SB_FUNCTION bool fill_table(sb_multiples *multiples) {
  sb_arena arena = {NULL, 0};
  sb_workspace_take(&arena, TABLE_CAPACITY);
  uint8_t *block = aligned_alloc(64, (arena.used + 63) / 64 * 64);
  if (block == NULL) return false;
  // Lanes without a signature are read, too.
  memset(block, 0, arena.used);
  arena = (sb_arena){block, 0};
  sb_workspace workspace = sb_workspace_take(&arena, TABLE_CAPACITY);
  sb_multiples_make(multiples, &workspace);
  free(block);
  return true;
}

SB_FUNCTION sb_tables *sb_make_tables(const sb_engine *engine, unsigned width, const uint8_t *key) {
  sb_point first = sb_point_enter(&SB_BASE_X, &SB_BASE_Y);
  if (key != NULL && !sb_read_key(key, &first)) return NULL;
  size_t bytes = (sb_multiples_points(sb_shape_of_table(width)) * sizeof(sb_point) + 63) / 64 * 64;
  sb_tables *tables = malloc(sizeof(sb_tables));
  sb_point *points = aligned_alloc(64, bytes);
  if (tables != NULL && points != NULL) {
    *tables = (sb_tables){engine, width, points, bytes};
    sb_multiples multiples = sb_tables_multiples(tables);
    *multiples.rows = first;
    if (fill_table(&multiples)) return tables;
  }
  free(points);
  free(tables);
  return NULL;
}

#endif
