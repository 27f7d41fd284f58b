#ifndef CSIGNATUREBATCH_MULTIPLES_H
#define CSIGNATUREBATCH_MULTIPLES_H

#include "recode.h"
#include "../batch/workspace.h"

/// The multiples of some keys, with digits of `width` bits. Each key has L = ceil(SB_BITS / width)
/// rows, one for each digit.
typedef struct {
  unsigned width;
  /// Points of a row: 2^(width - 1) odd multiples (2 e + 1) 2^(width j) Q, or 1.
  size_t row_points;
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
SB_FUNCTION size_t sb_multiples_stride(unsigned width, bool whole_rows) {
  size_t digits = sb_digit_count(width);
  return (whole_rows ? digits * sb_digit_values(width) : digits) | 1;
}

/// Returns the number of points that rows and doubles of one key take together.
SB_FUNCTION size_t sb_multiples_points(unsigned width, bool whole_rows) {
  size_t doubles = whole_rows ? sb_digit_count(width) : 0;
  return sb_multiples_stride(width, whole_rows) + doubles;
}

/// Lays out the multiples of `key_count` keys in `points`; the rows of key k start at k times the
/// stride.
SB_FUNCTION sb_multiples sb_multiples_place(unsigned width, bool whole_rows, size_t key_count,
                                            sb_point *points) {
  size_t stride = sb_multiples_stride(width, whole_rows);
  sb_multiples multiples = {
      .width = width,
      .row_points = whole_rows ? sb_digit_values(width) : 1,
      .key_stride = stride,
      .key_count = key_count,
      .rows = points,
      .doubles = whole_rows ? points + key_count * stride : NULL,
  };
  return multiples;
}

/// Returns the first row of a key.
SB_INLINE sb_point *sb_multiples_key(const sb_multiples *multiples, size_t key) {
  return multiples->rows + key * multiples->key_stride;
}

#endif
