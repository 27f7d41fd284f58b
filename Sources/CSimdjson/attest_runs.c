#include "attest_runs.h"
#include "text_tables.h"

enum {
  /// The least length of a run. Fewer characters hold no text with a token in it.
  least_run = 128,
  /// The distance between two looks: one of them falls into the first half of each run.
  stride = least_run / 2,
  /// The number of characters that make a group.
  group = 4,
};

static int is_base64(uint8_t character) {
  return (base64_values[character] & other_character) == 0 && character != ' ';
}

/// Returns whether a character may stand in a run: one of base64, or of how strings write one.
static int may_be_in_run(uint8_t character) {
  return is_base64(character) || character == '\\' || character == '%' || character == '\r' ||
         character == '\n';
}

/// Reads the next character of base64 at `*at`, and passes over line breaks in front of it. Returns its
/// value, or -1 where another character is read, or none is left.
static int next_value(const uint8_t **at, const uint8_t *end) {
  while (*at < end) {
    uint8_t character = *(*at)++;
    if (character == '\\') {
      // A string in a string has more than one in front of what it escapes.
      while (*at < end && **at == '\\') (*at)++;
      if (*at == end) return -1;
      character = *(*at)++;
      if (character == 'n' || character == 'r') continue;
      if (character != '/') return -1;
    } else if (character == '%' && end - *at >= 2) {
      const uint8_t high = hex_values[(*at)[0]], low = hex_values[(*at)[1]];
      if (high > 15 || low > 15) return -1;
      character = (uint8_t)(high << 4 | low);
      *at += 2;
    }
    if (character == '\r' || character == '\n') continue;
    return is_base64(character) ? (int)(base64_values[character] & 63) : -1;
  }
  return -1;
}

/// Writes the bytes of a group of `count` characters, whose values are the lowest of `bits`. Returns where the
/// output goes on.
static uint8_t *write_group(uint32_t bits, unsigned count, uint8_t *out) {
  bits <<= 6 * (group - count);
  for (unsigned byte = 1; byte < count; byte++) *out++ = (uint8_t)(bits >> (24 - 8 * byte));
  return out;
}

attest_run attest_next_run(const uint8_t *from, const uint8_t *end) {
  const uint8_t *done = from;
  while (end - done >= least_run) {
    const uint8_t *const look = done + stride - 1;
    const uint8_t *last = look;
    while (last < end && may_be_in_run(*last)) last++;
    const uint8_t *first = look;
    while (first > done && last > look && may_be_in_run(first[-1])) first--;
    if (last - first >= least_run) return (attest_run){first, (size_t)(last - first)};
    done = last > look ? last : look + 1;
  }
  return (attest_run){end, 0};
}

size_t attest_decode_run(attest_run run, unsigned skipped, uint8_t *out) {
  const uint8_t *at = run.first, *const end = at + run.length;
  uint8_t *to = out;
  for (; skipped > 0; skipped--) (void)next_value(&at, end);
  uint32_t bits = 0;
  unsigned count = 0;
  while (at < end) {
    const int value = next_value(&at, end);
    if (value >= 0) {
      bits = bits << 6 | (uint32_t)value;
      count++;
    }
    // What is no character of base64 ends a group, as padding does.
    if (count < group && value >= 0 && at < end) continue;
    to = write_group(bits, count, to);
    bits = 0;
    count = 0;
  }
  *to++ = '"';
  return (size_t)(to - out);
}
