#ifndef CP256BATCH_MULTIPLES_H
#define CP256BATCH_MULTIPLES_H

#include "recode.h"
#include "workspace.h"

/// The multiples of some keys, with digits of `width` bits. Each key has L = ceil(256 / width)
/// rows, one for each digit.
typedef struct {
  unsigned width;
  /// Points of a row: 2^(width - 1) odd multiples (2 e + 1) 2^(width j) Q, or 1.
  size_t row_points;
  /// Points from one key's first row to the next's.
  size_t key_stride;
  size_t key_count;
  /// Row after row, key after key; the first point of each key's first row is the key itself.
  p256_point *rows;
  /// 2 times the first point of each row, needed to make the others; NULL where there are none.
  p256_point *doubles;
} p256_multiples;

/// Points that the rows of one key take. An odd number: with a power of two, the same row of many
/// keys would share a few sets of the caches.
size_t p256_multiples_stride(unsigned width, bool whole_rows);

/// Points that rows and doubles of one key take together.
size_t p256_multiples_points(unsigned width, bool whole_rows);

/// Lays out the multiples of `key_count` keys in `points`; the rows of key k start at k times the
/// stride.
p256_multiples p256_multiples_place(unsigned width, bool whole_rows, size_t key_count,
                                    p256_point *points);

/// The first row of a key.
P256_INLINE p256_point *p256_multiples_key(const p256_multiples *multiples, size_t key) {
  return multiples->rows + key * multiples->key_stride;
}

/// Fills in all rows from their keys. No addition in it is exceptional, since each is of two
/// different multiples of a point of order n below n.
void p256_multiples_make(p256_multiples *multiples, p256_workspace *workspace);

/// The first point of each row of one key, and its double where there are doubles: by doublings in
/// Jacobian coordinates. For few keys; `multiples` may hold others.
void p256_powers_of_key(p256_multiples *multiples, size_t key, const p256_kernel *kernel);

#endif
