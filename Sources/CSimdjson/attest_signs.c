#define _GNU_SOURCE

#include <string.h>

#include "steps.h"

enum {
  /// The shortest run of base64 that is a sign. The 64 hex digits of a digest are none.
  least_run = 65,
  /// The characters and hex digits by which a token can be told from a word, and the bytes that are read for this.
  least_token = 8,
  least_digits = 16,
  most_bytes = 12,
  /// The characters that a token in an unusual form has at least.
  least_unusual = 128,
};

/// The readings of lenient decoders (`records.R34`, `records.R36`).
static const unsigned dropping[ATTEST_LENIENT_READINGS] = {
    ATTEST_OTHERS_DROPPED, ATTEST_OTHERS_DROPPED | ATTEST_SPACES_ARE_PLUS, ATTEST_OTHERS_DROPPED | ATTEST_DASHES_DROPPED,
    ATTEST_OTHERS_DROPPED | ATTEST_DASHES_DROPPED | ATTEST_SPACES_ARE_PLUS};

/// Returns the number of bytes of a map's head that a token can have, which is of two or more entries, or 0.
static size_t map_head(uint8_t byte) {
  if ((byte >= 0xA2 && byte <= 0xB7) || byte == 0xBF) return 1;
  return byte >= 0xB8 && byte <= 0xBB ? 1 + ((size_t)1 << (byte - 0xB8)) : 0;
}

/// Returns the number of bytes of a tag's head, or 0.
static size_t tag_head(uint8_t byte) {
  if (byte < 0xC0 || byte > 0xDB) return 0;
  return byte < 0xD8 ? 1 : 1 + ((size_t)1 << (byte - 0xD8));
}

static int is_head(uint8_t byte) {
  return (byte & 31) < 28 || ((byte & 31) == 31 && byte >> 5 >= 2 && byte >> 5 <= 5);
}

/// Returns whether a text whose first bytes these are begins as a token does, with tags, the head of a map, and a key: more than
/// 0, less if not, and 0 if more bytes decide.
static int begins(const uint8_t *bytes, size_t count) {
  size_t at = 0;
  while (at < count && tag_head(bytes[at]) != 0) at += tag_head(bytes[at]);
  if (at >= count) return 0;
  const size_t head = map_head(bytes[at]);
  at += head;
  if (head == 0 || at >= count) return head == 0 ? -1 : 0;
  // A string of chunks begins with one of its kind.
  const int is_chunked = bytes[at] == 0x5F || bytes[at] == 0x7F;
  if (is_chunked && at + 1 < count && bytes[at + 1] != 0xFF && bytes[at + 1] >> 5 != bytes[at] >> 5) return -1;
  return is_head(bytes[at]) ? 1 : -1;
}

static int can_begin(const uint8_t *bytes, size_t count) { return begins(bytes, count) >= (count < most_bytes); }

/// Returns whether two letters or digits can be the first base64 of a token.
static int can_begin_with(const uint8_t *at) {
  const uint8_t byte = (uint8_t)(base64_values[at[0]] << 2 | (base64_values[at[1]] & 63) >> 4);
  return map_head(byte) != 0 || tag_head(byte) != 0;
}

/// Returns the end of the value that goes on at `at`: within a string of JSON its quote, and else the end of the text.
static const uint8_t *value_end(attest_scan *scan, const uint8_t *at) {
  if (scan->is_decoded) return scan->end;
  while (scan->quote < at || scan->quote == scan->begin) {
    const uint8_t *const quote = memchr(at, '"', (size_t)(scan->end - at));
    scan->quote = quote != NULL ? quote : scan->end;
    // An escaped quote is in the string.
    if (quote == NULL || quote == scan->begin || quote[-1] != '\\') break;
    at = quote + 1;
  }
  return scan->quote;
}

/// Returns whether the text at `at` is base64 of a token to lenient decoders, and not to strict ones (`records.R34`).
static int begins_dropped(attest_scan *scan, const uint8_t *at) {
  // The first characters of maps' and tags' heads are 'o' to 'z' and digits. No decoder drops a letter or digit.
  if ((uint8_t)(*at - 'o') > 'z' - 'o' && (uint8_t)(*at - '0') > 2) return 0;
  if (scan->end - at < least_unusual || (is_kind(at[1], letter) && !can_begin_with(at))) return 0;
  const uint8_t *const end = value_end(scan, at);
  if (end - at < least_unusual) return 0;
  for (unsigned turn = 0; turn < ATTEST_LENIENT_READINGS; turn++) {
    uint8_t bytes[most_bytes];
    size_t count = 0;
    unsigned seen = 0;
    attest_read_base64(at, (size_t)(end - at), dropping[turn], most_bytes, bytes, &count, &seen);
    const unsigned dropped = ATTEST_SEEN_OTHER | ((dropping[turn] & ATTEST_DASHES_DROPPED) != 0 ? ATTEST_SEEN_DASH : 0);
    if ((seen & dropped) != 0 && count == most_bytes && can_begin(bytes, count)) return 1;
    // The other readings are the same.
    if ((seen & (ATTEST_SEEN_SPACE | ATTEST_SEEN_DASH)) == 0) return 0;
  }
  return 0;
}

/// Returns whether base64 of a token can begin at `at`. White space in it is passed over, of spaces those that are no `plus`;
/// `*has_space` becomes whether there are any. What follows an escape or a percent sign is not known.
static int begins_base64(const uint8_t *at, const uint8_t *end, uint8_t plus, int *has_space) {
  uint8_t bytes[most_bytes];
  uint32_t bits = 0;
  size_t count = 0, decoded = 0;
  for (; at < end && decoded < most_bytes; at++) {
    *has_space |= *at == ' ';
    if (is_white(*at) && *at != plus) continue;
    if (*at == '\\' || *at == '%') {
      return count >= 2 && (*at == '%' || at[1] != '"');
    }
    const uint32_t value = base64_values[*at];
    if ((value & other_character) != 0) break;
    bits = bits << 6 | (value & 63);
    if (++count == 2 && map_head((uint8_t)(bits >> 4)) == 0 && tag_head((uint8_t)(bits >> 4)) == 0) return 0;
    if (count % 4 == 1) continue;
    bytes[decoded++] = (uint8_t)(bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0));
    if (decoded == 3 && begins(bytes, decoded) < 0) return 0;
    // The first six bytes decide about nearly all words.
    if (decoded == 6 && tag_head(bytes[0]) == 0 && map_head(bytes[0]) < 6) break;
  }
  return count >= least_token && can_begin(bytes, decoded);
}

static int begins_hex(const uint8_t *at, const uint8_t *end) {
  uint8_t bytes[most_bytes];
  size_t decoded = 0;
  for (int byte = 0; decoded < most_bytes && (byte = hex_byte(at, end)) >= 0; at += 2) {
    bytes[decoded++] = (uint8_t)byte;
    if (decoded <= 2 && begins(bytes, decoded) < 0) return 0;
  }
  return decoded >= least_digits / 2 && can_begin(bytes, decoded);
}

static attest_sign sign_at(const uint8_t *at, const uint8_t *end) {
  if (end - at < least_token) return ATTEST_SIGN_NONE;
  int has_space = 0;
  if (begins_base64(at, end, 0, &has_space) || (has_space && begins_base64(at, end, ' ', &has_space))) return ATTEST_SIGN_BASE64;
  return begins_hex(at, end) ? ATTEST_SIGN_HEX : ATTEST_SIGN_NONE;
}

/// Judges the character at `at`, before which there is something other than a letter or digit.
static attest_sign judge(attest_scan *scan, const uint8_t *at) {
  const uint8_t before = at > scan->begin ? at[-1] : 0;
  const int is_hex_escape = (*at | 0x20) == 'x' && before == '\\';
  scan->found = at;
  // The letter of an escape is no character, nor is the next escape.
  if (before == '\\' && *at == 'u' && scan->end - at > 5 && at[5] == '\\' && hex_byte(at + 1, at + 3) >= 0 &&
      hex_byte(at + 3, at + 5) >= 0) {
    return ATTEST_SIGN_NONE;
  }
  if (before == '%' && hex_byte(at, scan->end) >= 0) {
    scan->has_percents = 1;
    scan->found = at + 2;
  } else if (is_hex_escape || (*at == '0' && scan->end - at > 2 && (at[1] | 0x20) == 'x')) {
    const attest_sign sign = sign_at(at, scan->end);
    const uint8_t *const digits = is_hex_escape ? at + 1 : at + 2;
    if (sign != ATTEST_SIGN_NONE) {
      scan->second = digits;
      return sign;
    }
    scan->found = digits;
  } else if (before == '[' || is_white(before)) {
    const uint8_t *bracket = at;
    while (bracket > scan->begin && is_white(bracket[-1])) bracket--;
    if (bracket > scan->begin && bracket[-1] == '[' && (uint8_t)(*at - '0') < 10) {
      scan->found = bracket - 1;
      scan->second = at;
      return ATTEST_SIGN_ARRAY;
    }
  }
  return sign_at(scan->found, scan->end);
}

attest_scan attest_scan_start(const uint8_t *text, size_t length, int is_decoded) {
  const attest_scan scan = {.begin = text, .end = text + length, .at = text, .run = text, .quote = text,
                            .is_decoded = is_decoded};
  return scan;
}

/// Returns whether a code that colours a terminal's text, such as `ESC[36m`, ends at `at`.
static int follows_colour(const uint8_t *begin, const uint8_t *at) {
  if (at[-1] != 'm') return 0;
  const uint8_t *code = at - 1;
  while (code > begin && ((uint8_t)(code[-1] - '0') < 10 || code[-1] == ';')) code--;
  return code > begin && code[-1] == '[';
}

/// Returns whether a token can begin at `at`, whatever is before it.
static int is_beginning(attest_scan *scan, const uint8_t *at) {
  while (scan->beginning_count > 0 && scan->begin + *scan->beginnings < at) {
    scan->beginnings++;
    scan->beginning_count--;
  }
  return scan->beginning_count > 0 && scan->begin + *scan->beginnings == at;
}

attest_sign attest_next_sign(attest_scan *scan) {
  if (scan->second != NULL) {
    scan->found = scan->second;
    scan->second = NULL;
    const attest_sign sign = sign_at(scan->found, scan->end);
    if (sign != ATTEST_SIGN_NONE) return sign;
  }
  while (1) {
    const uint8_t *const at = scan->at;
    // A run before the place of a sign is found before it.
    if (!scan->is_run_found && at - scan->run >= least_run) {
      scan->is_run_found = 1;
      scan->found = scan->run;
      return ATTEST_SIGN_RUN;
    }
    if (at == scan->end) return ATTEST_SIGN_NONE;
    scan->at++;
    if (!is_kind(*at, run)) {
      scan->run = scan->at;
      scan->is_run_found = 0;
      continue;
    }
    const uint8_t before = at > scan->begin ? at[-1] : 0;
    if (before == '\\') scan->has_escapes |= is_kind(*at, escape);
    if (!is_kind(*at, letter)) continue;
    if (is_kind(before, letter) && !follows_colour(scan->begin, at) && !is_beginning(scan, at)) continue;
    const attest_sign sign = judge(scan, at);
    if (sign != ATTEST_SIGN_NONE) return sign;
    if (begins_dropped(scan, at)) {
      scan->found = at;
      return ATTEST_SIGN_BASE64;
    }
  }
}

const uint8_t *attest_run_end(const uint8_t *from, const uint8_t *end, int *has_white) {
  for (*has_white = 0; from < end && is_kind(*from, run); from++) *has_white |= is_white(*from);
  return from;
}

size_t attest_decode_characters(const uint8_t *text, size_t length, uint8_t *out) {
  attest_base64_decode(text, length - (length % 4 == 1), out);
  return length / 4 * 3 + (length % 4 * 3) / 4;
}

int attest_is_decoded(const uint8_t *at, const uint8_t *end) {
  const uint8_t *letter = at;
  while (letter < end && *letter == '\\') letter++;
  if (letter == at || letter == end || !is_kind(*letter, escape)) return 0;
  uint8_t character = 0;
  return letter - at > 1 || read_escape(at, end, &character) != 0;
}

/// Does what `attest_read_base64` does. `*group` becomes the number of characters after the last group of four.
static size_t read_base64(const uint8_t *text, size_t length, unsigned reading, size_t most, uint8_t *out, size_t *count,
                          unsigned *seen, unsigned *group) {
  const uint8_t *const end = text + length;
  const uint8_t *at = text;
  uint32_t bits = 0;
  // Characters of the group at hand, and the padding after them.
  unsigned padding = 0;
  *group = 0;
  for (*count = 0; at < end && *count < most; at++) {
    uint8_t character = *at;
    const int byte = character == '%' && (reading & ATTEST_PERCENTS_DECODED) != 0 ? hex_byte(at + 1, end) : -1;
    if (byte >= 0) {
      character = (uint8_t)byte;
      at += 2;
    }
    const int value = base64_value(character, reading, seen);
    if (value == is_other) {
      if ((reading & ATTEST_OTHERS_DROPPED) == 0 || (character == '=' && *group >= 2 && *group + ++padding >= 4)) break;
    }
    if (value < 0) continue;
    bits = bits << 6 | (uint32_t)value;
    padding = 0;
    if (*group != 0) out[(*count)++] = (uint8_t)(bits >> (*group == 1 ? 4 : *group == 2 ? 2 : 0));
    *group = (*group + 1) & 3;
  }
  return (size_t)(at - text);
}

size_t attest_read_base64(const uint8_t *text, size_t length, unsigned reading, size_t most, uint8_t *out, size_t *count,
                          unsigned *seen) {
  unsigned group;
  return read_base64(text, length, reading, most, out, count, seen, &group);
}

size_t attest_base64_decode_loosely(const uint8_t *text, size_t length, unsigned reading, uint8_t *out, size_t *left_over) {
  size_t count;
  unsigned seen = 0, group;
  read_base64(text, length, reading | ATTEST_OTHERS_DROPPED, SIZE_MAX, out, &count, &seen, &group);
  *left_over = group == 1;
  return count;
}

size_t attest_count_base64(const uint8_t *text, size_t length, unsigned reading) {
  size_t count = 0;
  unsigned seen = 0;
  for (size_t at = 0; at < length; at++) count += base64_value(text[at], reading, &seen) >= 0;
  return count;
}

int attest_names_authenticator_data(const uint8_t *bytes, size_t length) {
  return memmem(bytes, length, "authData", 8) != NULL || memmem(bytes, length, "authenticatorData", 17) != NULL;
}
