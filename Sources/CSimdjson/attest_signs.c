#include "attest_signs.h"
#include "text_tables.h"
#include "token_signs.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum {
  /// The bytes that are read at a time.
  step = 16,
  /// The shortest run of base64 that is a sign, and the shortest one before an escape that belongs to it.
  least_run = 64,
  least_part = 32,
  /// The characters by which a token can be told from a word, and the hex digits.
  least_token = 8,
  least_digits = 16,
};

/// The values that the second character of base64 can have after each first one: a map's head and a text's,
/// or a tag's head and what can follow it.
#define VALUES(low, high) ((UINT64_C(2) << (high)) - (UINT64_C(1) << (low)))
#define TEXT_AFTER(low) VALUES(16 * (low) + 6, 16 * (low) + 7)
#define HEAD_AFTER(low) VALUES(16 * (low) + 10, 16 * (low) + 13)
static const uint64_t second_values[256] = {
    // A2 and A3, A4, B8 to BB with the first byte of a length, BF.
    ['o'] = TEXT_AFTER(2) | TEXT_AFTER(3), ['p'] = TEXT_AFTER(0),
    ['u'] = VALUES(0, 0) | VALUES(16, 16) | VALUES(32, 32) | VALUES(48, 48), ['v'] = TEXT_AFTER(3),
    // C0 to D7.
    ['w'] = HEAD_AFTER(0) | HEAD_AFTER(1) | HEAD_AFTER(2) | HEAD_AFTER(3),
    ['x'] = HEAD_AFTER(0) | HEAD_AFTER(1) | HEAD_AFTER(2) | HEAD_AFTER(3),
    ['y'] = HEAD_AFTER(0) | HEAD_AFTER(1) | HEAD_AFTER(2) | HEAD_AFTER(3),
    ['z'] = HEAD_AFTER(0) | HEAD_AFTER(1) | HEAD_AFTER(2) | HEAD_AFTER(3),
    ['0'] = HEAD_AFTER(0) | HEAD_AFTER(1) | HEAD_AFTER(2) | HEAD_AFTER(3),
    ['1'] = HEAD_AFTER(0) | HEAD_AFTER(1) | HEAD_AFTER(2) | HEAD_AFTER(3),
    // D8, D9, DA and DB, with the first bits of the tag's number.
    ['2'] = VALUES(0, 31) | VALUES(32, 32) | VALUES(48, 48),
};
#undef HEAD_AFTER
#undef TEXT_AFTER
#undef VALUES

static int is_alphanumeric(uint8_t byte) {
  return (uint8_t)((byte | 0x20) - 'a') < 26 || (uint8_t)(byte - '0') < 10;
}

/// Returns the byte of two hex digits, or -1.
static int hex_byte(const uint8_t *at) {
  const unsigned high = hex_values[at[0]], low = hex_values[at[1]];
  return ((high | low) & 0x80) == 0 ? (int)(high << 4 | low) : -1;
}

/// Returns whether bytes that begin like this can be a token: the head of a map of two to four or of any
/// length, or a tag's.
static int can_begin(int byte) {
  return (byte >= 0xA2 && byte <= 0xA4) || (byte >= 0xB8 && byte <= 0xBB) || byte == 0xBF ||
         (byte >= 0xC0 && byte <= 0xDB);
}

/// Returns whether a byte is a character of base64, of either alphabet, or a line break in it.
static int is_run_character(uint8_t byte) {
  return is_alphanumeric(byte) || byte == '+' || byte == '/' || is_dash(byte) || byte == '\r' ||
         byte == '\n';
}

/// Returns whether base64 or hex digits of a token can begin at `at`.
static attest_sign sign_at(const uint8_t *at, const uint8_t *end) {
  if (end - at < least_token) return ATTEST_SIGN_NONE;
  const uint64_t allowed = second_values[at[0]];
  const uint32_t second = base64_values[at[1]];
  if (allowed != 0 && ((second & other_character) != 0 || (allowed >> (second & 63) & 1) != 0)) {
    size_t length = 1;
    while (length < least_token && (is_run_character(at[length]) || at[length] == '\\' || at[length] == '%')) {
      length++;
    }
    if (length == least_token) return ATTEST_SIGN_BASE64;
  }
  if (end - at < least_digits || !can_begin(hex_byte(at))) return ATTEST_SIGN_NONE;
  size_t length = 2;
  while (length < least_digits && (hex_values[at[length]] & 0x80) == 0) length++;
  return length == least_digits ? ATTEST_SIGN_HEX : ATTEST_SIGN_NONE;
}

/// Returns whether the numbers of a token can begin at `at`, after a bracket.
static int begins_array(const uint8_t *at) {
  const unsigned a = at[0] - '0', b = at[1] - '0', c = at[2] - '0';
  return a <= 2 && b <= 9 && c <= 9 && can_begin((int)(a * 100 + b * 10 + c));
}

/// Returns whether a run of base64 ends at `at`.
static int ends_run(const attest_scan *scan, const uint8_t *at) {
  if (at - scan->begin < least_part) return 0;
  for (size_t index = 1; index <= least_part; index++) {
    if (!is_run_character(at[-(ptrdiff_t)index])) return 0;
  }
  return 1;
}

/// Judges what follows a backslash or percent sign before `at`, and returns where the text goes on.
static const uint8_t *pass_escape(attest_scan *scan, const uint8_t *at) {
  int byte = -1;
  size_t length = 1;
  if (at[-1] == '%') {
    byte = hex_byte(at);
    if (byte < 0) return at;
    length = 2;
  } else if (*at == 'u' && hex_byte(at + 1) >= 0 && hex_byte(at + 3) >= 0) {
    byte = hex_byte(at + 1) == 0 ? hex_byte(at + 3) : 0;
    length = 5;
  } else if (*at == 'x') {
    byte = hex_byte(at + 1);
  } else if (*at == '/' || *at == 'r' || *at == 'n') {
    byte = *at == '/' ? '/' : '\n';
  }
  if (byte < 0) return at + length;
  const uint8_t character = (uint8_t)byte;
  const int is_telling = is_alphanumeric(character) || character == '\\' || character == '%';
  if (is_telling || ((is_run_character(character) || character == '=') && ends_run(scan, at - 1))) {
    if (at[-1] == '%') {
      scan->has_percents = 1;
    } else {
      scan->has_escapes = 1;
    }
  }
  return at + length;
}

/// The characters that a sign begins with.
static int is_first(uint8_t byte) {
  return second_values[byte] != 0 || (uint8_t)((byte | 0x20) - 'a') < 4;
}

/// Judges the character at `at`, before which there is something other than a letter or digit.
static attest_sign judge(attest_scan *scan, const uint8_t *at) {
  const uint8_t before = at > scan->begin ? at[-1] : 0;
  scan->found = at;
  if (before == '\\' || before == '%') {
    scan->found = pass_escape(scan, at);
    const attest_sign sign =
        scan->found < scan->end ? sign_at(scan->found, scan->end) : ATTEST_SIGN_NONE;
    if (sign != ATTEST_SIGN_NONE || before == '%') return sign;
    scan->found = at;
  } else if (begins_array(at)) {
    while (scan->found > scan->begin && scan->found[-1] == ' ') scan->found--;
    if (scan->found > scan->begin && scan->found[-1] == '[') {
      scan->found--;
      return ATTEST_SIGN_ARRAY;
    }
    scan->found = at;
  } else if (*at == '0' && (at[1] | 0x20) == 'x') {
    scan->found = at + 2;
    return scan->found < scan->end ? sign_at(scan->found, scan->end) : ATTEST_SIGN_NONE;
  }
  return sign_at(at, scan->end);
}

int attest_begins_token(const uint8_t *text, size_t length) {
  if (!is_first(*text) && *text != '\\') return 0;
  attest_scan scan = attest_scan_start(text, length);
  while (*text == '\\') text++;
  return judge(&scan, text) != ATTEST_SIGN_NONE;
}

/// The bytes of a step that are letters or digits, that are of runs, and that are backslashes.
typedef struct {
  uint32_t alphanumeric, run, backslash;
} step_masks;

static inline step_masks read_step(const uint8_t *at) {
  step_masks masks = {0, 0, 0};
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128((const __m128i *)at);
  const __m128i letter = _mm_sub_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
  const __m128i digit = _mm_sub_epi8(bytes, _mm_set1_epi8('0'));
  const __m128i alphanumeric =
      _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(letter, _mm_set1_epi8(25)), letter),
                   _mm_cmpeq_epi8(_mm_min_epu8(digit, _mm_set1_epi8(9)), digit));
  masks.alphanumeric = (uint32_t)_mm_movemask_epi8(alphanumeric);
  // Signs of base64 are rare in most texts, and most steps have other characters, too.
  const __m128i plus = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('+'));
  const __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('/'));
  const __m128i dash = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('-')),
                                    _mm_cmpeq_epi8(bytes, _mm_set1_epi8('_')));
  const __m128i end = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')),
                                   _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
  const __m128i signs = _mm_or_si128(_mm_or_si128(plus, slash), _mm_or_si128(dash, end));
  masks.run = masks.alphanumeric | (uint32_t)_mm_movemask_epi8(signs);
  masks.backslash = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
#else
  for (uint32_t index = 0; index < step; index++) {
    masks.alphanumeric |= (uint32_t)is_alphanumeric(at[index]) << index;
    masks.run |= (uint32_t)is_run_character(at[index]) << index;
    masks.backslash |= (uint32_t)(at[index] == '\\') << index;
  }
#endif
  return masks;
}

/// Passes over `count` bytes whose set of characters of runs is `run`.
static inline void pass(attest_scan *scan, const uint8_t *at, uint32_t run, unsigned count) {
  const uint32_t others = ~run & ((UINT32_C(1) << count) - 1);
  scan->at = at + count;
  if (others == 0) return;
  scan->run = at + (32 - __builtin_clz(others));
  scan->is_run_found = 0;
}

attest_scan attest_scan_start(const uint8_t *text, size_t length) {
  const attest_scan scan = {text, text + length, text, text, text, 0, 0, 0};
  return scan;
}

attest_sign attest_next_sign(attest_scan *scan) {
  while (scan->at < scan->end) {
    const uint8_t *const at = scan->at;
    const unsigned count = scan->end - at < step ? (unsigned)(scan->end - at) : step;
    const step_masks masks = read_step(at);
    const uint32_t inside = (UINT32_C(1) << count) - 1;
    const uint32_t before = at > scan->begin && is_alphanumeric(at[-1]);
    uint32_t starts = masks.alphanumeric & ~(masks.alphanumeric << 1 | before) & inside;
    for (; starts != 0; starts &= starts - 1) {
      const unsigned index = (unsigned)__builtin_ctz(starts);
      const uint8_t *const start = at + index;
      const uint8_t last = start > scan->begin ? start[-1] : 0;
      if (!is_first(*start) && last != '\\' && last != '%') continue;
      const attest_sign sign = judge(scan, start);
      if (sign == ATTEST_SIGN_NONE) continue;
      pass(scan, at, masks.run, index + 1);
      return sign;
    }
    for (uint32_t left = masks.backslash & inside; left != 0; left &= left - 1) {
      const uint8_t *const escape = at + __builtin_ctz(left) + 1;
      if (*escape == '/' && !scan->has_escapes) (void)pass_escape(scan, escape);
    }
    pass(scan, at, masks.run, count);
    if (!scan->is_run_found && scan->at - scan->run >= least_run) {
      scan->is_run_found = 1;
      scan->found = scan->run;
      return ATTEST_SIGN_RUN;
    }
  }
  return ATTEST_SIGN_NONE;
}

const uint8_t *attest_run_end(const uint8_t *from, const uint8_t *end) {
  while (from < end && is_run_character(*from)) from++;
  return from;
}

unsigned attest_run_phases(const uint8_t *from, const uint8_t *end) {
  unsigned phases = 1;
  for (const uint8_t *at = from; end - at > least_part; at++) {
    if (is_alphanumeric(*at)) continue;
    // The highest bits of three bytes.
    const uint32_t first = base64_values[at[1]], second = base64_values[at[2]], third = base64_values[at[3]];
    const int is_text = (first & 32) == 0 && (second & 8) == 0 && (third & 2) == 0;
    if (is_text) phases |= 1u << ((at + 1 - from) & 3);
  }
  return phases;
}

int attest_names_authenticator_data(const uint8_t *bytes, size_t length) {
  static const char attested[] = "authData", asserted[] = "authenticatorData";
  const size_t shorter = sizeof attested - 1, longer = sizeof asserted - 1;
  for (size_t left = length; left >= shorter; left--, bytes++) {
    // Both begin with these four.
    if (memcmp(bytes, "auth", 4) != 0) continue;
    if (memcmp(bytes, attested, shorter) == 0) return 1;
    if (left >= longer && memcmp(bytes, asserted, longer) == 0) return 1;
  }
  return 0;
}
