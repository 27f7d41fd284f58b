#ifndef CSIGNATUREBATCH_FILLING_H
#define CSIGNATUREBATCH_FILLING_H

#include "../numbers/powers.h"

/// Stores the accumulators, one for each key, as the points number `index` of steps of `stride`.
SB_FUNCTION void store_powers(sb_workspace *workspace, size_t key_count, sb_point *first,
                              size_t stride) {
  for (size_t key = 0; key < key_count; key++) workspace->targets[key] = first + key * stride;
  sb_workspace_store(workspace, key_count);
}

/// Makes 2^(width j) Q for all keys and j, by doublings of all keys together.
SB_FUNCTION void make_powers_together(sb_multiples *multiples, sb_workspace *workspace) {
  sb_shape shape = multiples->shape;
  size_t count = multiples->key_count, stride = multiples->key_stride;
  for (size_t key = 0; key < count; key++) {
    workspace->operands[key] = sb_multiples_key(multiples, key);
  }
  sb_workspace_clear_signs(workspace, count);
  sb_workspace_load(workspace, count);
  bool has_doubles = multiples->doubles != NULL;
  unsigned last = sb_shape_doublings(shape);
  for (unsigned bit = 1; bit <= last; bit++) {
    sb_workspace_twice(workspace, count);
    size_t row = bit / shape.width;
    if (bit % shape.width == 0) {
      store_powers(workspace, count, multiples->rows + row * shape.row_points, stride);
    } else if (bit % shape.width == 1 && has_doubles) {
      store_powers(workspace, count, multiples->doubles + row, shape.rows);
    }
  }
}

/// Makes the other points of `count` rows from number `first` on, counted over all keys. Each is
/// the one before plus the double.
SB_FUNCTION void fill_rows(sb_multiples *multiples, sb_workspace *workspace, size_t first,
                           size_t count) {
  size_t rows = multiples->shape.rows, row_points = multiples->shape.row_points;
  for (size_t i = 0; i < count; i++) {
    sb_point *key = sb_multiples_key(multiples, (first + i) / rows);
    workspace->targets[i] = key + (first + i) % rows * row_points;
    workspace->operands[i] = workspace->targets[i];
  }
  sb_workspace_clear_signs(workspace, count);
  sb_workspace_load(workspace, count);
  for (size_t i = 0; i < count; i++) workspace->operands[i] = multiples->doubles + first + i;
  for (size_t entry = 1; entry < row_points; entry++) {
    for (size_t i = 0; i < count; i++) workspace->targets[i]++;
    sb_workspace_add(workspace, count);
    sb_workspace_store(workspace, count);
  }
}

/// Fills in all rows from their keys. No addition in it is exceptional, since each is of two
/// different multiples of a point of order n below n.
SB_FUNCTION void sb_multiples_make(sb_multiples *multiples, sb_workspace *workspace) {
  if (multiples->key_count < SB_TUNING.least_keys_together) {
    for (size_t key = 0; key < multiples->key_count; key++) {
      sb_powers_of_key(multiples, key);
    }
  } else {
    make_powers_together(multiples, workspace);
  }
  if (multiples->doubles == NULL) return;
  size_t rows = multiples->key_count * multiples->shape.rows;
  for (size_t first = 0; first < rows; first += workspace->capacity) {
    size_t rest = rows - first;
    fill_rows(multiples, workspace, first, rest < workspace->capacity ? rest : workspace->capacity);
  }
}

#endif
