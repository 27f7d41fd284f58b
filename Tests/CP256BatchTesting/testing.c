#include "CP256BatchTesting.h"

#include "../../Sources/CP256Batch/lanes_emulated.h"
// The lanes have to be known before what is built on them.
#include "../../Sources/CP256Batch/lanes_field.h"
#include "../../Sources/CP256Batch/lanes_order.h"

static void write_number(const p256_number *number, uint8_t *bytes) {
  for (int i = 0; i < 32; i++) {
    bytes[i] = (uint8_t)(number->word[3 - i / 8] >> (56 - 8 * (i % 8)));
  }
}

void p256_testing_field(unsigned operation, const uint8_t *left, const uint8_t *right,
                        uint8_t *result) {
  p256_number a = p256_number_from_bytes(left), b = p256_number_from_bytes(right), c = {{0}};
  p256_field_enter(&a, &a);
  p256_field_enter(&b, &b);
  switch (operation) {
    case P256_TESTING_ADD:
      p256_field_add(&c, &a, &b);
      break;
    case P256_TESTING_SUBTRACT:
      p256_field_subtract(&c, &a, &b);
      break;
    case P256_TESTING_MULTIPLY:
      p256_field_multiply(&c, &a, &b);
      break;
    case P256_TESTING_SQUARE:
      p256_field_square(&c, &a);
      break;
    case P256_TESTING_INVERT:
      p256_field_invert(&c, &a);
      break;
  }
  p256_field_leave(&c, &c);
  write_number(&c, result);
}

void p256_testing_order(unsigned operation, const uint8_t *left, const uint8_t *right,
                        uint8_t *result) {
  p256_number a = p256_number_from_bytes(left), b = p256_number_from_bytes(right), c = {{0}};
  if (operation == P256_TESTING_MULTIPLY) {
    p256_order_multiply(&c, &a, &b);
    p256_order_multiply(&c, &c, &P256_ORDER_R2);
  } else {
    const p256_number one = {{1}};
    p256_order_invert(&c, &a);
    p256_order_multiply(&c, &c, &one);
  }
  write_number(&c, result);
}

static p256_number8 read_lanes(const uint8_t *bytes) {
  p256_number8 numbers;
  for (unsigned i = 0; i < P256_LANES; i++) {
    p256_number number = p256_number_from_bytes(bytes + 32 * i);
    p256_number8_set_lane(&numbers, i, &number);
  }
  return numbers;
}

static void write_lanes(const p256_number8 *numbers, const p256_number *modulus, uint8_t *bytes) {
  for (unsigned i = 0; i < P256_LANES; i++) {
    p256_number number = p256_number8_lane(numbers, i, modulus);
    write_number(&number, bytes + 32 * i);
  }
}

/// 2^520 mod p and mod n: R^2 of the lanes.
static const p256_number LANES_FIELD_R2 = {
    {0x0000000000000300, 0xFFFFFBFFFFFFFF00, 0xFFFFFFFFFFFFFEFF, 0x000004FFFFFFFDFF}};
static const p256_number LANES_ORDER_R2 = {
    {0x0845CC0DEA6DC3BA, 0x5571BB192A067D8A, 0x45B2392B6BEC5961, 0xE12D9559D9561FC2}};
static const p256_number ONE = {{1}};

void p256_testing_field8(unsigned operation, const uint8_t *left, const uint8_t *right,
                         uint8_t *result) {
  const p256_number8 r2 = p256_number8_all(&LANES_FIELD_R2);
  p256_number8 a = p256_field8_multiply(read_lanes(left), r2);
  p256_number8 b = p256_field8_multiply(read_lanes(right), r2), c = a;
  switch (operation) {
    case P256_TESTING_ADD:
      c = p256_field8_carry(p256_number8_add(a, b));
      break;
    case P256_TESTING_SUBTRACT:
      c = p256_field8_carry(p256_field8_subtract(a, b, 2));
      break;
    case P256_TESTING_MULTIPLY:
      c = p256_field8_multiply(a, b);
      break;
    case P256_TESTING_SQUARE:
      c = p256_number8_carry(p256_field8_square_product(a));
      break;
    case P256_TESTING_INVERT:
      p256_field8_invert(&c);
      break;
  }
  c = p256_field8_canonical(p256_field8_multiply(c, p256_number8_all(&ONE)));
  write_lanes(&c, &P256_PRIME, result);
}

void p256_testing_order8(unsigned operation, const uint8_t *left, const uint8_t *right,
                         uint8_t *result) {
  p256_number8 a = read_lanes(left), b = read_lanes(right);
  if (operation == P256_TESTING_MULTIPLY) {
    a = p256_order8_multiply(p256_order8_multiply(a, b), p256_number8_all(&LANES_ORDER_R2));
  } else {
    p256_order8_invert(&a);
    a = p256_order8_multiply(a, p256_number8_all(&ONE));
  }
  a = p256_number8_reduce_once(a, p256_number8_all(&P256_ORDER));
  write_lanes(&a, &P256_ORDER, result);
}
