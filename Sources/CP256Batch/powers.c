#include "field.h"
#include "multiples.h"

// The powers of one key by itself: an inversion for each doubling would cost more than the
// doubling.

/// A point (x / z^2, y / z^3), not at infinity.
typedef struct {
  p256_number x, y, z;
} jacobian;

/// Most points of one key that are kept: rows and doubles at the narrowest width.
enum { MOST_POWERS = 2 * 86 };

/// point = 2 point for a = -3 ("dbl-2001-b" of the Explicit-Formulas Database,
/// https://hyperelliptic.org/EFD/g1p/auto-shortw-jacobian-3.html; D. J. Bernstein, A software
/// implementation of NIST P-224, 2001).
static void jacobian_twice(jacobian *point) {
  p256_number delta, gamma, beta, alpha, sum, eight_beta;
  p256_field_square(&delta, &point->z);
  p256_field_square(&gamma, &point->y);
  p256_field_multiply(&beta, &point->x, &gamma);
  // alpha = 3 (x - delta) (x + delta)
  p256_field_subtract(&alpha, &point->x, &delta);
  p256_field_add(&sum, &point->x, &delta);
  p256_field_multiply(&sum, &alpha, &sum);
  p256_field_add(&alpha, &sum, &sum);
  p256_field_add(&alpha, &alpha, &sum);
  // z = (y + z)^2 - gamma - delta
  p256_field_add(&sum, &point->y, &point->z);
  p256_field_square(&sum, &sum);
  p256_field_subtract(&sum, &sum, &gamma);
  p256_field_subtract(&point->z, &sum, &delta);
  // x = alpha^2 - 8 beta
  p256_field_add(&beta, &beta, &beta);
  p256_field_add(&beta, &beta, &beta);
  p256_field_add(&eight_beta, &beta, &beta);
  p256_field_square(&sum, &alpha);
  p256_field_subtract(&point->x, &sum, &eight_beta);
  // y = alpha (4 beta - x) - 8 gamma^2
  p256_field_square(&gamma, &gamma);
  for (int i = 0; i < 3; i++) p256_field_add(&gamma, &gamma, &gamma);
  p256_field_subtract(&sum, &beta, &point->x);
  p256_field_multiply(&sum, &alpha, &sum);
  p256_field_subtract(&point->y, &sum, &gamma);
}

/// Brings a number from the Montgomery form of field.h into the kernel's.
static void enter_kernel(p256_number *number, const p256_kernel *kernel) {
  p256_field_leave(number, number);
  p256_field_multiply(number, number, &kernel->entering_factor);
}

/// The affine points of `count` Jacobian ones, with one inversion (Montgomery's trick).
static void store_affine(const jacobian *points, size_t count, p256_point *const *targets,
                         const p256_kernel *kernel) {
  p256_number prefixes[MOST_POWERS], product = P256_FIELD_ONE, inverse, inverse_z, power;
  for (size_t i = 0; i < count; i++) {
    prefixes[i] = product;
    p256_field_multiply(&product, &product, &points[i].z);
  }
  p256_field_invert(&inverse, &product);
  for (size_t i = count; i-- > 0;) {
    p256_field_multiply(&inverse_z, &inverse, &prefixes[i]);
    p256_field_multiply(&inverse, &inverse, &points[i].z);
    p256_field_square(&power, &inverse_z);
    p256_field_multiply(&targets[i]->x, &points[i].x, &power);
    p256_field_multiply(&power, &power, &inverse_z);
    p256_field_multiply(&targets[i]->y, &points[i].y, &power);
    enter_kernel(&targets[i]->x, kernel);
    enter_kernel(&targets[i]->y, kernel);
  }
}

/// Brings a number from the kernel's Montgomery form into that of field.h.
static p256_number leave_kernel(const p256_number *number, const p256_kernel *kernel) {
  p256_number result;
  p256_field_multiply(&result, number, &kernel->leaving_factor);
  p256_field_enter(&result, &result);
  return result;
}

void p256_powers_of_key(p256_multiples *multiples, size_t key, const p256_kernel *kernel) {
  unsigned width = multiples->width, digits = p256_digit_count(width);
  jacobian powers[MOST_POWERS];
  p256_point *targets[MOST_POWERS];
  p256_point *row = p256_multiples_key(multiples, key);
  jacobian point = {leave_kernel(&row->x, kernel), leave_kernel(&row->y, kernel), P256_FIELD_ONE};
  bool has_doubles = multiples->doubles != NULL;
  unsigned last = width * (digits - 1) + (has_doubles ? 1 : 0);
  size_t count = 0;
  for (unsigned bit = 1; bit <= last; bit++) {
    jacobian_twice(&point);
    unsigned index = bit / width;
    if (bit % width == 0) {
      targets[count] = row + index * multiples->row_points;
      powers[count++] = point;
    } else if (bit % width == 1 && has_doubles) {
      targets[count] = multiples->doubles + key * digits + index;
      powers[count++] = point;
    }
  }
  store_affine(powers, count, targets, kernel);
}
