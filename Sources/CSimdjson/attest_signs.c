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
  /// The shortest run of base64 that is a sign, and the groups of ASCII in it that can be a token: all tokens have more.
  least_run = 64,
  least_groups = 12,
  /// The characters and hex digits by which a token can be told from a word, and the bytes that are read for this.
  least_token = 8,
  least_digits = 16,
  most_bytes = 12,
  /// The characters that a token in an unusual form has at least.
  least_unusual = 128,
  /// The most bytes of a text that is decoded to see whether it can contain a token.
  short_text = 64,
};

static int is_alphanumeric(uint8_t byte) {
  return (uint8_t)((byte | 0x20) - 'a') < 26 || (uint8_t)(byte - '0') < 10;
}

static int is_white(uint8_t byte) { return byte == ' ' || (uint8_t)(byte - '\t') < 5; }

/// Returns the byte of two hex digits, or -1.
static int hex_byte(const uint8_t *at, const uint8_t *end) {
  if (end - at < 2) return -1;
  const unsigned high = hex_values[at[0]], low = hex_values[at[1]];
  return ((high | low) & 0x80) == 0 ? (int)(high << 4 | low) : -1;
}

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

/// Returns whether a byte is the head of a map of more entries than devices make. Words of text often begin so.
static int is_large(const uint8_t *at) { return *at >= 0xA5 && *at <= 0xB7; }

/// Returns whether a text whose first bytes these are can be a token: tags, the head of a map, and a key that is a
/// number, bytes or a text. If more bytes decide, the answer is that for `count == most_bytes`, and 0 otherwise. It is
/// `large` if the map has more entries than devices make.
enum { large = 2 };
static int can_begin(const uint8_t *bytes, size_t count) {
  size_t at = 0;
  int answer = 1;
  while (at < count && tag_head(bytes[at]) != 0) at += tag_head(bytes[at]);
  if (at < count) {
    const size_t head = map_head(bytes[at]);
    if (head == 0) return 0;
    if (is_large(bytes + at) || (head > 1 && at + 1 < count && bytes[at + 1] > 4)) answer = large;
    at += head;
  }
  if (at >= count) return count == most_bytes;
  // A string of chunks begins with one of its kind.
  const int is_chunked = bytes[at] == 0x5F || bytes[at] == 0x7F;
  if (is_chunked && at + 1 < count && bytes[at + 1] != 0xFF && bytes[at + 1] >> 5 != bytes[at] >> 5) return 0;
  return bytes[at] < 0x80 ? answer : 0;
}

/// Returns whether a byte is a character of base64, of either alphabet, or white space in it.
static int is_run_character(uint8_t byte) {
  return is_alphanumeric(byte) || byte == '+' || byte == '/' || is_dash(byte) || is_white(byte);
}

/// Returns whether so many characters of base64 follow that a token in an unusual form can be among them.
static int is_long_run(const uint8_t *at, const uint8_t *end) {
  if (end - at < least_unusual) return 0;
  for (const uint8_t *const last = at + least_unusual; at < last; at++) {
    if (!is_run_character(*at)) return 0;
  }
  return 1;
}

/// Returns whether a string begins at `at`, after characters that lenient decoders drop, and is base64 of a token to
/// these, and not to strict ones (`records.R34`).
static int begins_dropped(const uint8_t *begin, const uint8_t *at, const uint8_t *end) {
  if (end - at < least_unusual) return 0;
  const uint8_t *quote = at;
  while (quote > begin && quote[-1] != '"' && ((base64_values[quote[-1]] & other_character) != 0 || is_white(quote[-1]))) {
    quote--;
  }
  if ((quote > begin && quote[-1] != '"') || memchr(at, '"', least_unusual) != NULL) return 0;
  uint8_t bytes[most_bytes];
  uint32_t bits = 0;
  size_t count = 0, decoded = 0;
  int has_others = 0;
  for (; at < end && decoded < most_bytes; at++) {
    const uint32_t value = base64_values[*at];
    if (is_white(*at)) continue;
    if ((value & other_character) != 0) {
      if (*at == '\\' || (*at == '%' && hex_byte(at + 1, end) >= 0)) return 0;
      has_others = 1;
      continue;
    }
    bits = bits << 6 | (value & 63);
    if (++count % 4 == 1) continue;
    bytes[decoded++] = (uint8_t)(bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0));
    if (decoded == 1 && map_head(bytes[0]) == 0) return 0;
  }
  return has_others && can_begin(bytes, decoded);
}

/// Returns whether base64 of a token can begin at `at`. White space in it is passed over. What follows an escape or a
/// percent sign is not known.
static int begins_base64(const uint8_t *at, const uint8_t *end) {
  uint8_t bytes[most_bytes];
  uint32_t bits = 0;
  size_t count = 0, decoded = 0;
  int has_space = 0;
  const uint8_t *const begin = at;
  for (; at < end && decoded < most_bytes; at++) {
    if (is_white(*at)) {
      has_space |= *at == ' ';
      continue;
    }
    if (*at == '\\' || *at == '%') {
      return count >= 2 && !is_large(bytes) && (*at == '%' || at[1] != '"');
    }
    const uint32_t value = base64_values[*at];
    if ((value & other_character) != 0) break;
    bits = bits << 6 | (value & 63);
    if (++count == 2 && map_head((uint8_t)(bits >> 4)) == 0 && tag_head((uint8_t)(bits >> 4)) == 0) return 0;
    if (count % 4 == 1) continue;
    bytes[decoded++] = (uint8_t)(bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0));
    // The first six bytes decide about nearly all words.
    if (decoded == 6 && tag_head(bytes[0]) == 0 && map_head(bytes[0]) < 6) break;
  }
  if (count < least_token) return 0;
  const int answer = can_begin(bytes, decoded);
  if (answer == large) return is_long_run(begin, end);
  // A space is a plus, too: the number of a tag can contain it.
  return answer || (has_space && bytes[0] >= 0xD8);
}

/// Returns whether hex digits of a token can begin at `at`.
static int begins_hex(const uint8_t *at, const uint8_t *end) {
  uint8_t bytes[most_bytes];
  size_t decoded = 0;
  for (int byte = 0; decoded < most_bytes && (byte = hex_byte(at, end)) >= 0; at += 2) {
    bytes[decoded++] = (uint8_t)byte;
  }
  if (decoded < least_digits / 2) return 0;
  const int answer = can_begin(bytes, decoded);
  if (answer != large) return answer;
  return end - at >= least_unusual && hex_byte(at + least_unusual - 2, end) >= 0;
}

/// The values of base64 that the second character can have after each one with which base64 or hex digits of a token, or
/// a prefix of hex digits, begin: a map's head and a key's, or a tag's head and what can follow it.
#define VALUES(low, high) ((UINT64_C(2) << (high)) - (UINT64_C(1) << (low)))
#define KEY_AFTER(low) VALUES(16 * (low), 16 * (low) + 7)
#define KEYS (KEY_AFTER(0) | KEY_AFTER(1) | KEY_AFTER(2) | KEY_AFTER(3))
#define HEAD_AFTER(low) VALUES(16 * (low) + 10, 16 * (low) + 13)
#define TAGS (HEAD_AFTER(0) | HEAD_AFTER(1) | HEAD_AFTER(2) | HEAD_AFTER(3))
#define DIGITS(low, high) VALUES(52 + (low), 52 + (high))
#define HEX(character) (UINT64_C(1) << (character - 'A') | UINT64_C(1) << (character - 'A' + 26))
#define HEX_HEADS (HEX('A') | HEX('B'))
#define HEX_LETTERS (HEX_HEADS | HEX('C') | HEX('D') | HEX('E') | HEX('F'))
static const uint64_t second_values[256] = {
    // A2 and A3, A4 to B7, B8 to BB with the first byte of a length, BF.
    ['o'] = KEY_AFTER(2) | KEY_AFTER(3), ['p'] = KEYS, ['q'] = KEYS, ['r'] = KEYS, ['s'] = KEYS, ['t'] = KEYS,
    ['v'] = KEY_AFTER(3), ['u'] = VALUES(0, 15) | VALUES(16, 16) | VALUES(32, 32) | VALUES(48, 48),
    // C0 to D7, and D8 to DB with any number.
    ['w'] = TAGS, ['x'] = TAGS, ['y'] = TAGS, ['z'] = TAGS, ['1'] = TAGS,
    ['0'] = TAGS | HEX('X'), ['2'] = ~UINT64_C(0),
    ['a'] = DIGITS(2, 9) | HEX_LETTERS, ['A'] = DIGITS(2, 9) | HEX_LETTERS,
    ['b'] = DIGITS(0, 9) | HEX_HEADS | HEX('F'), ['B'] = DIGITS(0, 9) | HEX_HEADS | HEX('F'),
    ['c'] = DIGITS(0, 9) | HEX_HEADS | VALUES(2, 5) | VALUES(28, 31),
    ['C'] = DIGITS(0, 9) | HEX_HEADS | VALUES(2, 5) | VALUES(28, 31),
    ['d'] = DIGITS(0, 9) | HEX_HEADS, ['D'] = DIGITS(0, 9) | HEX_HEADS,
};
#undef VALUES
#undef KEY_AFTER
#undef HEAD_AFTER
#undef TAGS
#undef DIGITS
#undef HEX
#undef HEX_HEADS
#undef HEX_LETTERS
#undef KEYS

/// Returns whether two characters can be the first ones of a token, or of a prefix of hex digits.
static inline int can_begin_with(const uint8_t *at) {
  const uint64_t allowed = second_values[at[0]];
  if (allowed == 0) return 0;
  const uint32_t second = base64_values[at[1]];
  if ((second & (other_character | space_character)) != 0) return is_white(at[1]);
  return (allowed >> (second & 63) & 1) != 0;
}

/// Returns whether base64 or hex digits of a token can begin at `at`.
static attest_sign sign_at(const uint8_t *at, const uint8_t *end) {
  if (end - at < least_token || !can_begin_with(at)) return ATTEST_SIGN_NONE;
  if (begins_base64(at, end)) return ATTEST_SIGN_BASE64;
  return begins_hex(at, end) ? ATTEST_SIGN_HEX : ATTEST_SIGN_NONE;
}

/// Returns whether a backslash before this character is an escape whose character can be one of a token's.
static int is_escape(uint8_t byte) {
  switch (byte) {
    case 'u': case 'x': case 'n': case 'r': case 't': case 'b': case 'f': case '/': return 1;
    default: return 0;
  }
}

/// Judges the character at `at`, before which there is something other than a letter or digit.
static attest_sign judge(attest_scan *scan, const uint8_t *at) {
  const uint8_t before = at > scan->begin ? at[-1] : 0;
  const int is_hex_escape = (*at | 0x20) == 'x' && before == '\\';
  scan->found = at;
  if (before == '\\' && is_escape(*at)) scan->has_escapes = 1;
  if (before == '%' && hex_byte(at, scan->end) >= 0) {
    scan->has_percents = 1;
    scan->found = at + 2;
  } else if (is_hex_escape || (*at == '0' && scan->end - at > 2 && (at[1] | 0x20) == 'x')) {
    const attest_sign sign = sign_at(at, scan->end);
    if (sign != ATTEST_SIGN_NONE) return sign;
    scan->found = is_hex_escape ? at + 1 : at + 2;
  } else if (before == '[' || is_white(before)) {
    const uint8_t *bracket = at;
    while (bracket > scan->begin && is_white(bracket[-1])) bracket--;
    if (bracket > scan->begin && bracket[-1] == '[' && (uint8_t)(*at - '0') < 3) {
      scan->found = bracket - 1;
      return ATTEST_SIGN_ARRAY;
    }
  }
  return sign_at(scan->found, scan->end);
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
  const __m128i control = _mm_sub_epi8(bytes, _mm_set1_epi8('\t'));
  const __m128i white = _mm_or_si128(_mm_cmpeq_epi8(_mm_min_epu8(control, _mm_set1_epi8(4)), control),
                                     _mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')));
  const __m128i signs = _mm_or_si128(_mm_or_si128(plus, slash), _mm_or_si128(dash, white));
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

/// Passes over `count` bytes of a step.
static inline void pass(attest_scan *scan, const uint8_t *at, const step_masks *masks, unsigned count) {
  const uint32_t inside = (UINT32_C(1) << count) - 1;
  const uint32_t others = ~masks->run & inside;
  scan->at = at + count;
  // Other escapes are of letters, which are judged.
  for (uint32_t left = masks->backslash & inside; left != 0; left &= left - 1) {
    const uint8_t *const escape = at + __builtin_ctz(left) + 1;
    if (escape < scan->end && *escape == '/') scan->has_escapes = 1;
  }
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
      const int is_code = last == '\\' || last == '%';
      const int is_number = (uint8_t)(*start - '0') < 3 && (last == '[' || is_white(last));
      attest_sign sign = ATTEST_SIGN_NONE;
      if (is_code || is_number || can_begin_with(start)) sign = judge(scan, start);
      if (sign == ATTEST_SIGN_NONE) {
        // The first characters of the maps' heads are 'o' to 'v'.
        if ((uint8_t)(*start - 'o') > 'v' - 'o' || !begins_dropped(scan->begin, start, scan->end)) continue;
        scan->found = start;
        sign = ATTEST_SIGN_BASE64;
      }
      pass(scan, at, &masks, index + 1);
      return sign;
    }
    pass(scan, at, &masks, count);
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

size_t attest_compact_run(const uint8_t *from, const uint8_t *end, int drops_spaces, uint8_t *out) {
  uint8_t *const begin = out;
  for (; from < end; from++) {
    if (!is_white(*from)) {
      *out++ = *from;
    } else if (*from == ' ' && !drops_spaces) {
      *out++ = '+';
    }
  }
  return (size_t)(out - begin);
}

/// Returns whether four characters are the base64 of three bytes of ASCII.
static int is_text(const uint8_t *at) {
  return (base64_values[at[0]] & 32) == 0 && (base64_values[at[1]] & 8) == 0 && (base64_values[at[2]] & 2) == 0;
}

int attest_next_streak(const uint8_t *characters, size_t length, attest_streak *streak) {
  for (; streak->phase < 4; streak->phase++, streak->next = streak->phase) {
    size_t at = streak->next;
    while (length >= 4 && at <= length - 4) {
      const size_t from = at;
      while (at <= length - 4 && is_text(characters + at)) at += 4;
      if (at - from >= 4 * least_groups) {
        // The bytes before and after it can be in a group with others.
        streak->from = from >= 4 ? from - 4 : from;
        streak->length = (length - at < 4 ? length : at + 4) - streak->from;
        streak->next = at + 4;
        return 1;
      }
      at += 4;
    }
  }
  return 0;
}

size_t attest_decode_characters(const uint8_t *text, size_t length, uint8_t *out) {
  const uint8_t *const begin = out;
  uint32_t bits = 0;
  unsigned count = 0;
  for (size_t at = 0; at < length; at++) {
    bits = bits << 6 | (base64_values[text[at]] & 63);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    *out++ = (uint8_t)(bits >> count);
  }
  return (size_t)(out - begin);
}

size_t attest_read_escape(const uint8_t *at, const uint8_t *end, uint8_t *character) {
  if (end - at < 2 || *at != '\\') return 0;
  switch (at[1]) {
    case 'n': *character = '\n'; return 2;
    case 'r': *character = '\r'; return 2;
    case 't': *character = '\t'; return 2;
    case 'b': *character = '\b'; return 2;
    case 'f': *character = '\f'; return 2;
    case '"': case '\\': case '/': *character = at[1]; return 2;
    case 'x': {
      const int byte = hex_byte(at + 2, end);
      *character = (uint8_t)byte;
      return byte < 0 ? 0 : 4;
    }
    case 'u': {
      const int high = hex_byte(at + 2, end), low = end - at < 6 ? -1 : hex_byte(at + 4, end);
      *character = high == 0 && low < 0x80 ? (uint8_t)low : '?';
      return high < 0 || low < 0 ? 0 : 6;
    }
    default: return 0;
  }
}

int attest_is_decoded(const uint8_t *at, const uint8_t *end) {
  const uint8_t *letter = at;
  while (letter < end && *letter == '\\') letter++;
  if (letter == at || letter == end || !is_escape(*letter)) return 0;
  uint8_t character = 0;
  return letter - at > 1 || attest_read_escape(at, end, &character) != 0;
}

static size_t read_percent(const uint8_t *at, const uint8_t *end, uint8_t *character) {
  const int byte = hex_byte(at + 1, end);
  *character = (uint8_t)byte;
  return byte < 0 ? 0 : 3;
}

/// Copies a text with each code that begins with `first` as the character that `read` finds.
static size_t decode(const uint8_t *text, size_t length, uint8_t *out, uint8_t first,
                     size_t (*read)(const uint8_t *, const uint8_t *, uint8_t *)) {
  const uint8_t *const begin = out, *const end = text + length;
  while (text < end) {
    const uint8_t *const found = memchr(text, first, (size_t)(end - text));
    const size_t plain = (size_t)((found != NULL ? found : end) - text);
    memcpy(out, text, plain);
    out += plain;
    text += plain;
    if (text == end) break;
    uint8_t character = 0;
    const size_t code = read(text, end, &character);
    *out++ = code == 0 ? *text : character;
    text += code == 0 ? 1 : code;
  }
  return (size_t)(out - begin);
}

size_t attest_decode_escapes(const uint8_t *text, size_t length, uint8_t *out) {
  return decode(text, length, out, '\\', attest_read_escape);
}

size_t attest_decode_percents(const uint8_t *text, size_t length, uint8_t *out) {
  return decode(text, length, out, '%', read_percent);
}

/// Returns whether a short text can contain a token after it is decoded as often as that is possible.
static __attribute__((noinline)) int can_contain_decoded(const uint8_t *text, size_t length, int has_escapes) {
  uint8_t texts[2][2 * short_text];
  for (unsigned turn = 0;; turn ^= 1) {
    memset(texts[turn], 0, sizeof texts[turn]);
    const size_t decoded =
        (has_escapes ? attest_decode_escapes : attest_decode_percents)(text, length, texts[turn]);
    if (decoded == length) return 0;
    attest_scan scan = attest_scan_start(texts[turn], decoded);
    if (attest_next_sign(&scan) != ATTEST_SIGN_NONE) return 1;
    if (!scan.has_escapes && !scan.has_percents) return 0;
    text = texts[turn];
    length = decoded;
    has_escapes = scan.has_escapes;
  }
}

int attest_can_contain_token(const uint8_t *text, size_t length) {
  attest_scan scan = attest_scan_start(text, length);
  if (length > short_text || attest_next_sign(&scan) != ATTEST_SIGN_NONE) return 1;
  return (scan.has_escapes || scan.has_percents) && can_contain_decoded(text, length, scan.has_escapes);
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
