#ifndef CSIGNATUREBATCH_POWERS_H
#define CSIGNATUREBATCH_POWERS_H

#include "field.h"
#include "../curves/multiples.h"

// The powers of one key on its own: an inversion for each doubling would cost more than the
// doubling.

/// A point (x / z^2, y / z^3), not at infinity.
typedef struct {
  sb_number x, y, z;
} jacobian;

/// Most points of one key that are kept: rows and doubles at the narrowest width.
enum { MOST_POWERS = 2 * (SB_BITS / 3 + 1) };

/// Computes point = 2 point for a = -3 ("dbl-2001-b" of the Explicit-Formulas Database,
/// https://hyperelliptic.org/EFD/g1p/auto-shortw-jacobian-3.html; D. J. Bernstein, A software
/// implementation of NIST P-224, 2001).
SB_FUNCTION void jacobian_twice(jacobian *point) {
  sb_number delta, gamma, beta, alpha, sum, eight_beta;
  sb_field_square(&delta, &point->z);
  sb_field_square(&gamma, &point->y);
  sb_field_multiply(&beta, &point->x, &gamma);
  // alpha = 3 (x - delta) (x + delta)
  sb_field_subtract(&alpha, &point->x, &delta);
  sb_field_add(&sum, &point->x, &delta);
  sb_field_multiply(&sum, &alpha, &sum);
  sb_field_add(&alpha, &sum, &sum);
  sb_field_add(&alpha, &alpha, &sum);
  // z = (y + z)^2 - gamma - delta
  sb_field_add(&sum, &point->y, &point->z);
  sb_field_square(&sum, &sum);
  sb_field_subtract(&sum, &sum, &gamma);
  sb_field_subtract(&point->z, &sum, &delta);
  // x = alpha^2 - 8 beta
  sb_field_add(&beta, &beta, &beta);
  sb_field_add(&beta, &beta, &beta);
  sb_field_add(&eight_beta, &beta, &beta);
  sb_field_square(&sum, &alpha);
  sb_field_subtract(&point->x, &sum, &eight_beta);
  // y = alpha (4 beta - x) - 8 gamma^2
  sb_field_square(&gamma, &gamma);
  for (int i = 0; i < 3; i++) sb_field_add(&gamma, &gamma, &gamma);
  sb_field_subtract(&sum, &beta, &point->x);
  sb_field_multiply(&sum, &alpha, &sum);
  sb_field_subtract(&point->y, &sum, &gamma);
}

/// Stores the affine points of `count` Jacobian ones, with one inversion (Montgomery's trick).
SB_FUNCTION void store_affine(const jacobian *points, size_t count, sb_point *const *targets) {
  sb_number prefixes[MOST_POWERS], product = SB_FIELD_ONE, inverse, inverse_z, power, x, y;
  for (size_t i = 0; i < count; i++) {
    prefixes[i] = product;
    sb_field_multiply(&product, &product, &points[i].z);
  }
  sb_field_invert(&inverse, &product);
  for (size_t i = count; i-- > 0;) {
    sb_field_multiply(&inverse_z, &inverse, &prefixes[i]);
    sb_field_multiply(&inverse, &inverse, &points[i].z);
    sb_field_square(&power, &inverse_z);
    sb_field_multiply(&x, &points[i].x, &power);
    sb_field_multiply(&power, &power, &inverse_z);
    sb_field_multiply(&y, &points[i].y, &power);
    sb_field_leave(&x, &x);
    sb_field_leave(&y, &y);
    *targets[i] = sb_point_enter(&x, &y);
  }
}

/// Makes the first point of each row of one key, and its double if there are doubles, by doublings
/// in Jacobian coordinates. It is for few keys. `multiples` may hold others.
SB_FUNCTION void sb_powers_of_key(sb_multiples *multiples, size_t key) {
  sb_shape shape = multiples->shape;
  jacobian powers[MOST_POWERS];
  sb_point *targets[MOST_POWERS];
  sb_point *row = sb_multiples_key(multiples, key);
  jacobian point = {.z = SB_FIELD_ONE};
  sb_point_leave(row, &point.x, &point.y);
  sb_field_enter(&point.x, &point.x);
  sb_field_enter(&point.y, &point.y);
  bool has_doubles = multiples->doubles != NULL;
  unsigned last = sb_shape_doublings(shape);
  size_t count = 0;
  for (unsigned bit = 1; bit <= last; bit++) {
    jacobian_twice(&point);
    unsigned index = bit / shape.width;
    if (bit % shape.width == 0) {
      targets[count] = row + index * shape.row_points;
      powers[count++] = point;
    } else if (bit % shape.width == 1 && has_doubles) {
      targets[count] = multiples->doubles + key * shape.rows + index;
      powers[count++] = point;
    }
  }
  store_affine(powers, count, targets);
}

#endif
