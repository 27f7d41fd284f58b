#include "multiples.h"

size_t p256_multiples_stride(unsigned width, bool whole_rows) {
  size_t digits = p256_digit_count(width);
  return (whole_rows ? digits * p256_digit_values(width) : digits) | 1;
}

size_t p256_multiples_points(unsigned width, bool whole_rows) {
  size_t doubles = whole_rows ? p256_digit_count(width) : 0;
  return p256_multiples_stride(width, whole_rows) + doubles;
}

p256_multiples p256_multiples_place(unsigned width, bool whole_rows, size_t key_count,
                                    p256_point *points) {
  size_t stride = p256_multiples_stride(width, whole_rows);
  p256_multiples multiples = {
      .width = width,
      .row_points = whole_rows ? p256_digit_values(width) : 1,
      .key_stride = stride,
      .key_count = key_count,
      .rows = points,
      .doubles = whole_rows ? points + key_count * stride : NULL,
  };
  return multiples;
}

/// Stores the accumulators, one for each key, as the points number `index` of steps of `stride`.
static void store_powers(p256_workspace *workspace, size_t key_count, p256_point *first,
                         size_t stride) {
  for (size_t key = 0; key < key_count; key++) workspace->targets[key] = first + key * stride;
  p256_workspace_store(workspace, key_count);
}

/// 2^(width j) Q for all keys and j, by doublings of all keys together.
static void make_powers_together(p256_multiples *multiples, p256_workspace *workspace) {
  unsigned width = multiples->width, digits = p256_digit_count(width);
  size_t count = multiples->key_count, stride = multiples->key_stride;
  for (size_t key = 0; key < count; key++) {
    workspace->operands[key] = p256_multiples_key(multiples, key);
  }
  p256_workspace_clear_signs(workspace, count);
  p256_workspace_load(workspace, count);
  bool has_doubles = multiples->doubles != NULL;
  unsigned last = width * (digits - 1) + (has_doubles ? 1 : 0);
  for (unsigned bit = 1; bit <= last; bit++) {
    p256_workspace_twice(workspace, count);
    size_t row = bit / width;
    if (bit % width == 0) {
      store_powers(workspace, count, multiples->rows + row * multiples->row_points, stride);
    } else if (bit % width == 1 && has_doubles) {
      store_powers(workspace, count, multiples->doubles + row, digits);
    }
  }
}

/// The other points of `count` rows from number `first` on, counted over all keys: each is the one
/// before plus the double.
static void fill_rows(p256_multiples *multiples, p256_workspace *workspace, size_t first,
                      size_t count) {
  size_t digits = p256_digit_count(multiples->width);
  for (size_t i = 0; i < count; i++) {
    p256_point *key = p256_multiples_key(multiples, (first + i) / digits);
    workspace->targets[i] = key + (first + i) % digits * multiples->row_points;
    workspace->operands[i] = workspace->targets[i];
  }
  p256_workspace_clear_signs(workspace, count);
  p256_workspace_load(workspace, count);
  for (size_t i = 0; i < count; i++) workspace->operands[i] = multiples->doubles + first + i;
  for (size_t entry = 1; entry < multiples->row_points; entry++) {
    for (size_t i = 0; i < count; i++) workspace->targets[i]++;
    p256_workspace_add(workspace, count);
    p256_workspace_store(workspace, count);
  }
}

void p256_multiples_make(p256_multiples *multiples, p256_workspace *workspace) {
  if (multiples->key_count < workspace->kernel->least_keys_together) {
    for (size_t key = 0; key < multiples->key_count; key++) {
      p256_powers_of_key(multiples, key, workspace->kernel);
    }
  } else {
    make_powers_together(multiples, workspace);
  }
  if (multiples->doubles == NULL) return;
  size_t rows = multiples->key_count * p256_digit_count(multiples->width);
  for (size_t first = 0; first < rows; first += workspace->capacity) {
    size_t rest = rows - first;
    fill_rows(multiples, workspace, first, rest < workspace->capacity ? rest : workspace->capacity);
  }
}
