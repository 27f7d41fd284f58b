#ifndef CSIGNATUREBATCHTESTING_TESTING_H
#define CSIGNATUREBATCHTESTING_TESTING_H

#include "CSignatureBatchTesting.h"

// With checks of undefined behaviour in each of the eight steps of an operation, what is built on them takes
// a compiler a quarter of an hour: that code itself is checked, the steps are not.
#pragma clang attribute push(__attribute__((no_sanitize("undefined"))), apply_to = function)
#include "lanes_emulated.h"
#pragma clang attribute pop
// The lanes have to be known before what is built on them.
#include "../../Sources/CSignatureBatch/lanes/lanes_field.h"
#include "../../Sources/CSignatureBatch/lanes/lanes_order.h"

static void write_number(const sb_number *number, uint8_t *bytes) {
  for (int i = 0; i < SB_BYTES; i++) {
    bytes[i] = (uint8_t)(number->word[SB_WORDS - 1 - i / 8] >> (56 - 8 * (i % 8)));
  }
}

static void test_field(unsigned operation, const uint8_t *left, const uint8_t *right,
                       uint8_t *result) {
  sb_number a = sb_number_from_bytes(left), b = sb_number_from_bytes(right), c = {{0}};
  sb_field_enter(&a, &a);
  sb_field_enter(&b, &b);
  switch (operation) {
    case SB_TESTING_ADD:
      sb_field_add(&c, &a, &b);
      break;
    case SB_TESTING_SUBTRACT:
      sb_field_subtract(&c, &a, &b);
      break;
    case SB_TESTING_MULTIPLY:
      sb_field_multiply(&c, &a, &b);
      break;
    case SB_TESTING_SQUARE:
      sb_field_square(&c, &a);
      break;
    case SB_TESTING_INVERT:
      sb_field_invert(&c, &a);
      break;
  }
  sb_field_leave(&c, &c);
  write_number(&c, result);
}

static void test_order(unsigned operation, const uint8_t *left, const uint8_t *right,
                       uint8_t *result) {
  sb_number a = sb_number_from_bytes(left), b = sb_number_from_bytes(right), c = {{0}};
  if (operation == SB_TESTING_MULTIPLY) {
    sb_order_multiply(&c, &a, &b);
    sb_order_multiply(&c, &c, &SB_ORDER_R2);
  } else {
    const sb_number one = {{1}};
    sb_order_invert(&c, &a);
    sb_order_multiply(&c, &c, &one);
  }
  write_number(&c, result);
}

static sb_number8 read_lanes(const uint8_t *bytes) {
  sb_number8 numbers;
  for (unsigned i = 0; i < SB_LANES; i++) {
    sb_number number = sb_number_from_bytes(bytes + SB_BYTES * i);
    sb_number8_set_lane(&numbers, i, &number);
  }
  return numbers;
}

static void write_lanes(const sb_number8 *numbers, const sb_number *modulus, uint8_t *bytes) {
  for (unsigned i = 0; i < SB_LANES; i++) {
    sb_number number = sb_number8_lane(numbers, i, modulus);
    write_number(&number, bytes + SB_BYTES * i);
  }
}

/// R^2 mod p and mod n, of the lanes.
#if SB_BITS == 256
static const sb_number LANES_FIELD_R2 = {
    {0x0000000000000300, 0xFFFFFBFFFFFFFF00, 0xFFFFFFFFFFFFFEFF, 0x000004FFFFFFFDFF}};
static const sb_number LANES_ORDER_R2 = {
    {0x0845CC0DEA6DC3BA, 0x5571BB192A067D8A, 0x45B2392B6BEC5961, 0xE12D9559D9561FC2}};
#else
static const sb_number LANES_FIELD_R2 = {{0x0000000000000000, 0xFFFFFFFE00000001,
                                          0x0000000200000000, 0xFFFFFFFE00000000,
                                          0x0000000200000000, 0x0000000000000001}};
static const sb_number LANES_ORDER_R2 = {{0xD8D34124F50DDB2D, 0xBFD3CCC974971BD0,
                                          0xBE80721782118942, 0xBF030606DE609F43,
                                          0xD40D49174AAB1CC5, 0x3FB05B7A28266895}};
#endif
static const sb_number ONE = {{1}};

static void test_field8(unsigned operation, const uint8_t *left, const uint8_t *right,
                        uint8_t *result) {
  const sb_number8 r2 = sb_number8_all(&LANES_FIELD_R2);
  sb_number8 a = sb_field8_multiply(read_lanes(left), r2);
  sb_number8 b = sb_field8_multiply(read_lanes(right), r2), c = a;
  switch (operation) {
    case SB_TESTING_ADD:
      c = sb_field8_carry(sb_number8_add(a, b));
      break;
    case SB_TESTING_SUBTRACT:
      c = sb_field8_carry(sb_field8_subtract(a, b, SB_PRIMES_ABOVE));
      break;
    case SB_TESTING_MULTIPLY:
      c = sb_field8_multiply(a, b);
      break;
    case SB_TESTING_SQUARE:
      c = sb_number8_carry(sb_field8_square_product(a));
      break;
    case SB_TESTING_INVERT:
      sb_field8_invert(&c);
      break;
  }
  c = sb_field8_canonical(sb_field8_multiply(c, sb_number8_all(&ONE)));
  write_lanes(&c, &SB_PRIME, result);
}

static void test_order8(unsigned operation, const uint8_t *left, const uint8_t *right,
                        uint8_t *result) {
  sb_number8 a = read_lanes(left), b = read_lanes(right);
  if (operation == SB_TESTING_MULTIPLY) {
    a = sb_order8_multiply(sb_order8_multiply(a, b), sb_number8_all(&LANES_ORDER_R2));
  } else {
    sb_order8_invert(&a);
    a = sb_order8_multiply(a, sb_number8_all(&ONE));
  }
  a = sb_number8_reduce_once(a, sb_number8_all(&SB_ORDER));
  write_lanes(&a, &SB_ORDER, result);
}

static void test(unsigned arithmetic, unsigned operation, const uint8_t *left, const uint8_t *right,
                 uint8_t *result) {
  switch (arithmetic) {
    case SB_TESTING_FIELD:
      test_field(operation, left, right, result);
      break;
    case SB_TESTING_ORDER:
      test_order(operation, left, right, result);
      break;
    case SB_TESTING_FIELD8:
      test_field8(operation, left, right, result);
      break;
    case SB_TESTING_ORDER8:
      test_order8(operation, left, right, result);
      break;
  }
}

#endif
