#ifndef CSIGNATUREBATCH_MULTIPLES_H
#define CSIGNATUREBATCH_MULTIPLES_H

#include "recode.h"
#include "../batch/workspace.h"

/// The points that a method has for each key: rows of points, whose first is 2^(width j) Q.
typedef struct {
  unsigned width;
  /// L = ceil(SB_BITS / width), one for each digit; or 1 if all digits look into the same row.
  size_t rows;
  /// 2^(width - 1) odd multiples (2 e + 1) 2^(width j) Q, or 1.
  size_t row_points;
} sb_shape;

/// Returns the shape of a table, which leaves no doublings to a signature.
SB_INLINE sb_shape sb_shape_of_table(unsigned width) {
  return (sb_shape){width, sb_digit_count(width), sb_digit_values(width)};
}

/// Returns the shape of the odd multiples of the key alone.
SB_INLINE sb_shape sb_shape_of_row(unsigned width) {
  return (sb_shape){width, 1, sb_digit_values(width)};
}

/// Returns the shape of the powers 2^(width j) Q alone.
SB_INLINE sb_shape sb_shape_of_powers(unsigned width) {
  return (sb_shape){width, sb_digit_count(width), 1};
}

/// Returns the number of doublings of a key that lead to the last point that is needed.
SB_INLINE unsigned sb_shape_doublings(sb_shape shape) {
  return shape.width * (unsigned)(shape.rows - 1) + (shape.row_points > 1 ? 1 : 0);
}

typedef struct {
  sb_shape shape;
  /// Points from one key's first row to the next's.
  size_t key_stride;
  size_t key_count;
  /// Row after row, key after key; the first point of each key's first row is the key itself.
  sb_point *rows;
  /// 2 times the first point of each row, needed to make the others. It is NULL if there are no
  /// others.
  sb_point *doubles;
} sb_multiples;

/// Returns the number of points that the rows of one key take. An odd number: with a power of two,
/// the same row of many keys would share a few sets of the caches.
SB_FUNCTION size_t sb_multiples_stride(sb_shape shape) { return shape.rows * shape.row_points | 1; }

/// Returns the number of points that rows and doubles of one key take together.
SB_FUNCTION size_t sb_multiples_points(sb_shape shape) {
  return sb_multiples_stride(shape) + (shape.row_points > 1 ? shape.rows : 0);
}

/// Lays out the multiples of `key_count` keys in `points`; the rows of key k start at k times the
/// stride.
SB_FUNCTION sb_multiples sb_multiples_place(sb_shape shape, size_t key_count, sb_point *points) {
  size_t stride = sb_multiples_stride(shape);
  sb_multiples multiples = {
      .shape = shape,
      .key_stride = stride,
      .key_count = key_count,
      .rows = points,
      .doubles = shape.row_points > 1 ? points + key_count * stride : NULL,
  };
  return multiples;
}

SB_INLINE sb_point *sb_multiples_key(const sb_multiples *multiples, size_t key) {
  return multiples->rows + key * multiples->key_stride;
}

#endif
