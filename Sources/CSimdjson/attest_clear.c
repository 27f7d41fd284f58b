#define _GNU_SOURCE

#include <stdlib.h>
#include <string.h>

#include "steps.h"

enum {
  /// The letters and digits kept at a time, those by which a name is known, and those kept for later.
  window = 4096,
  most_letters = 100,
  overlap = 120,
  /// The shortest run of base64 that can be a text with a token, and the groups of ASCII in it: all tokens have more. The 64
  /// hex digits of a digest are none.
  least_run = 65,
  least_groups = 12,
  /// The characters that a token has at least, with its first name.
  least_token = 7,
  /// The characters that the beginning of a token in an array of numbers has at least.
  least_array = 16,
  /// How many texts in texts are decoded.
  most_wrappings = 3,
  text_count = most_wrappings + 2,
  /// The bytes that are decoded of each byte of a text; of any text, as many as this.
  work_per_byte = 256,
  least_work = 65536,
  /// The bytes of a text that is decoded without more room, and of one that is searched for names before.
  few = 1024,
  long_text = 1 << 14,
  /// The characters by which a known text is found.
  least_known = 16,
  /// In place of phases: there are other characters than those of base64.
  has_others = 16,
  /// A reading of base64: its symbols are dropped, too.
  only_letters = 1 << 16,
};

/// Whether four characters are base64 of ASCII.
static place_table texts;

__attribute__((constructor)) static void fill_texts(void) {
  // The bit of each character that is the highest of a byte.
  const uint32_t highest[4] = {32, 8, 2, 0};
  for (int character = 0; character < 128; character++) {
    const uint32_t value = base64_values[character];
    for (int place = 0; place < 4; place++) texts.bits[place][character] = (value & highest[place]) == 0;
  }
}

// MARK: Base64

INLINE size_t compact(const uint8_t *text, size_t length, unsigned reading, uint8_t *out, step_reader read, step_copier copy) {
  const uint8_t *const begin = out;
  for (size_t at = 0; at < length; at += step) {
    const step_masks masks = read(text + at, inside_of(length - at));
    const uint64_t symbols = (reading & only_letters) != 0 ? 0 : masks.symbol;
    const uint64_t kept = masks.letter | symbols | ((reading & ATTEST_SPACES_ARE_PLUS) != 0 ? masks.space : 0);
    copy(text + at, kept, out);
    out += __builtin_popcountll(kept);
  }
  return (size_t)(out - begin);
}

/// Copies a text with each code as the character that it stands for: escapes, or percent signs.
INLINE size_t decode(const uint8_t *text, size_t length, uint8_t *out, int is_escaped, step_reader read,
                     step_unescaper unescape) {
  const uint8_t *const begin = out, *const end = text + length;
  while (text < end) {
    const size_t left = (size_t)(end - text);
    size_t count = 0, taken = is_escaped && unescape != NULL ? unescape(text, left, out, &count) : 0;
    if (taken == 0) {
      const step_masks masks = read(text, inside_of(left));
      if ((is_escaped ? masks.backslash : masks.code) == 0) {
        memcpy(out, text, step);
        count = taken = left < step ? left : step;
      }
      for (; taken < step && taken < left; count++) {
        const size_t code = (is_escaped ? read_escape : read_percent)(text + taken, end, out + count);
        if (code == 0) out[count] = text[taken];
        taken += code == 0 ? 1 : code;
      }
    }
    out += count;
    text += taken;
  }
  return (size_t)(out - begin);
}

INLINE unsigned text_phases(const uint8_t *characters, size_t length, place_finder find) {
  unsigned phases = 0;
  for (size_t at = 0; at + 4 * least_groups <= length; at += step / 2) {
    // Eight groups in a row.
    uint64_t found = find(&texts, characters + at);
    for (int shift = 4; shift < step / 2; shift *= 2) found &= found >> shift;
    for (found &= UINT32_MAX; found != 0; found &= found - 1) {
      const size_t first = at + (size_t)__builtin_ctzll(found);
      if ((phases >> first % 4 & 1) != 0 || first + 4 * least_groups > length) continue;
      size_t group = 0;
      while (group < least_groups && bits_at(&texts, characters + first + 4 * group) != 0) group++;
      phases |= (unsigned)(group == least_groups) << first % 4;
    }
  }
  return phases;
}

/// Returns the phases of a text that is base64 of one character after another, or `has_others`.
INLINE unsigned run_phases(const uint8_t *text, size_t length, step_reader read, place_finder find) {
  for (size_t at = 0; at < length; at += step) {
    const uint64_t inside = inside_of(length - at);
    const step_masks masks = read(text + at, inside);
    if ((masks.letter | masks.symbol) != inside) return has_others;
  }
  return text_phases(text, length, find);
}

// MARK: Texts

/// Letters and digits that were not yet searched for names.
typedef struct {
  uint8_t bytes[window + 4 * step] __attribute__((aligned(64)));
  size_t count;
} letter_store;

/// All that the texts of a search share.
typedef struct {
  const uint8_t *known;
  size_t known_length;
  /// Whether all copies of the known token are passed over, and not only the first.
  int has_copies;
  /// The bytes that may be decoded yet.
  size_t work;
  /// The letters of the text, and of each that is decoded within another.
  letter_store letters[text_count];
} clear_search;

/// A text, or a part of one.
typedef struct {
  clear_search *search;
  /// The number of texts around it, and of those that are no escapes.
  int depth, wrappings;
  /// Whether it is one string, in which a quote ends nothing.
  int is_decoded;
  /// How often its escapes are decoded, whoever reads it (`attest_known_length`).
  int decodings;
  const uint8_t *begin, *end;
  /// Whether nothing in it is decoded, and whether it has backslashes.
  int is_plain, has_backslashes;
} clear_text;

typedef size_t (*decoder)(const uint8_t *text, size_t length, uint8_t *out);

/// Functions with one way to read a step.
typedef struct {
  int (*is_clear_part)(clear_text *text);
  int (*has_name)(letter_store *letters, size_t end);
  size_t (*compact)(const uint8_t *text, size_t length, unsigned reading, uint8_t *out);
  unsigned (*text_phases)(const uint8_t *characters, size_t length);
  unsigned (*run_phases)(const uint8_t *text, size_t length);
  size_t (*decode)(const uint8_t *text, size_t length, uint8_t *out, int is_escaped);
} variant;

static inline const variant *best(void);
static int is_clear(clear_text *text);
static int is_clear_of_names(letter_store *letters);

/// Returns whether a name begins in letters before a place.
INLINE int has_name(letter_store *letters, size_t end, place_finder find) {
  for (size_t at = 0; at < end; at += step) {
    uint64_t found = find(&attest_ways, letters->bytes + at) & inside_of(letters->count - at);
    for (; found != 0; found &= found - 1) {
      if (attest_name_at(letters->bytes, letters->count, at + (size_t)__builtin_ctzll(found))) return 1;
    }
  }
  return 0;
}

/// Decodes an array of numbers, up to the first that is surely no byte.
static size_t decode_array(const uint8_t *text, size_t length, uint8_t *out) {
  const uint8_t *const end = text + length;
  size_t count = 0;
  do {
    text++;
    while (text < end && (is_white(*text) || *text == '+' || *text == '-')) text++;
    const uint8_t *const first = text;
    unsigned value = 0;
    for (; text < end && (uint8_t)(*text - '0') < 10 && value < 256; text++) value = 10 * value + *text - '0';
    if (text == first || value > 255) break;
    out[count++] = (uint8_t)value;
    if (text < end && *text == '.') text++;
    while (text < end && (*text == '0' || is_white(*text) || *text == '+')) text++;
  } while (text < end && *text == ',');
  return count;
}

/// Returns whether a part of a text is clear after it is decoded, and after the escapes in that are.
static int is_clear_decoded(const clear_text *text, const uint8_t *from, const uint8_t *to, decoder decode) {
  clear_search *const search = text->search;
  size_t length = (size_t)(to - from);
  const int wrappings = text->wrappings + (decode != attest_decode_escapes);
  if (length < least_token) return 1;
  if (wrappings > most_wrappings) return decode != decode_array;
  // What is decoded, and what its escapes are decoded to: each in turn.
  uint8_t room[2 * (few + step)];
  uint8_t *const base = length <= few ? room : malloc(2 * (length + step));
  if (base == NULL) return 0;
  uint8_t *out = base, *other = base + length + step;
  int answer = 1;
  while (answer && (answer = length <= search->work)) {
    search->work -= length;
    const size_t count = decode(from, length, out);
    if (count == length) break;
    const int decodings = decode == attest_decode_escapes ? -1 : 0;
    clear_text inner = {search, text->depth + 1, wrappings, 1, decodings, out, out + count, 0, 0};
    answer = (decode != decode_array || attest_find_name(out, count) == count) && is_clear(&inner);
    if (!inner.has_backslashes) break;
    decode = attest_decode_escapes;
    from = out;
    length = count;
    out = other;
    other = (uint8_t *)(uintptr_t)from;
  }
  if (base != room) free(base);
  return answer;
}

/// A part of a text.
typedef struct {
  const uint8_t *begin, *end;
} text_part;

/// Returns the string around a part of a text. An escaped quote is in the string.
static text_part string_around(const clear_text *text, const uint8_t *from, const uint8_t *to) {
  text_part string = {from, to};
  if (text->is_decoded) return (text_part){text->begin, text->end};
  // Nearly all runs are strings.
  const int is_begin = from - text->begin > 1 && from[-1] == '"' && from[-2] != '\\';
  if (is_begin && to < text->end && *to == '"' && to[-1] != '\\') return string;
  while ((from = memrchr(text->begin, '"', (size_t)(from - text->begin))) != NULL) {
    string.begin = from + 1;
    if (from == text->begin || from[-1] != '\\') break;
  }
  if (from == NULL) string.begin = text->begin;
  while ((to = memchr(to, '"', (size_t)(text->end - to))) != NULL && to[-1] == '\\') to++;
  string.end = to != NULL ? to : text->end;
  return string;
}

/// Returns whether the texts are clear that compacted base64 contains in some phases.
static int is_clear_of_phases(const clear_text *text, const uint8_t *characters, size_t count, unsigned phases) {
  for (size_t phase = 0; phase < 4; phase++) {
    if ((phases >> phase & 1) == 0) continue;
    if (!is_clear_decoded(text, characters + phase, characters + count, attest_decode_characters)) return 0;
  }
  return 1;
}

/// Returns whether the texts are clear that the base64 of a string contains, as lenient decoders read it.
static int is_clear_of_base64(const clear_text *text, const uint8_t *from, const uint8_t *to) {
  const size_t length = (size_t)(to - from);
  const unsigned phases = best()->run_phases(from, length);
  if (phases != has_others) return is_clear_of_phases(text, from, length, phases);
  uint8_t room[few + step];
  uint8_t *const characters = length <= few ? room : malloc(length + step);
  int answer = characters != NULL;
  // A space is dropped, or is a plus.
  size_t count = 0;
  for (int turn = 0; turn < 2 && answer; turn++) {
    const size_t before = count;
    count = attest_compact_run(from, length, turn == 0 ? 0 : ATTEST_SPACES_ARE_PLUS, characters);
    if (turn > 0 && count == before) break;
    answer = is_clear_of_phases(text, characters, count, attest_text_phases(characters, count));
  }
  if (characters != room) free(characters);
  return answer;
}

/// Returns whether the string around a run is clear, unless it was searched: runs before `*done` were in such a string.
static int is_clear_run(const clear_text *text, const uint8_t *from, const uint8_t *to, const uint8_t **done) {
  if (from < *done) return 1;
  const text_part string = string_around(text, from, to);
  *done = string.end;
  return is_clear_of_base64(text, string.begin, string.end);
}

/// Returns whether a string is clear after the codes in it are decoded, of which `code` is one, likewise.
static int is_clear_string(const clear_text *text, const uint8_t *code, const uint8_t **done, decoder decode) {
  if (code < *done) return 1;
  const text_part string = string_around(text, code, *code == '\\' ? code + 2 : code + 1);
  *done = string.end;
  return is_clear_decoded(text, string.begin, string.end, decode);
}

/// The ends of the strings that were searched last, each for codes of one kind, or runs.
typedef struct {
  const uint8_t *escapes, *percents, *runs;
} searched_ends;

/// Returns whether the array of numbers that a bracket begins is clear. An exponent is not read.
static int is_clear_array(const clear_text *text, const uint8_t *bracket) {
  const uint8_t *end = bracket + 1;
  int has_exponent = 0;
  for (; end < text->end; end++) {
    const int is_exponent = (*end | 0x20) == 'e';
    if (!is_exponent && (uint8_t)(*end - '+') > '9' - '+' && !is_white(*end)) break;
    has_exponent |= is_exponent;
  }
  return end - bracket <= least_array || (!has_exponent && is_clear_decoded(text, bracket, end, decode_array));
}

/// Returns whether what is at the codes and escapes of a step is clear: arrays, and strings with codes or escapes.
static __attribute__((noinline)) int is_clear_at(const clear_text *text, const uint8_t *at, uint64_t codes, uint64_t escapes,
                                                 searched_ends *done) {
  for (int answer; codes != 0; codes &= codes - 1) {
    const uint8_t *const sign = at + __builtin_ctzll(codes);
    if (*sign == '[') {
      answer = is_clear_array(text, sign);
    } else {
      answer = hex_byte(sign + 1, text->end) < 0 || is_clear_string(text, sign, &done->percents, attest_decode_percents);
    }
    if (!answer) return 0;
  }
  while (1) {
    // Those of a string are decoded together.
    if (done->escapes > at) escapes &= ~inside_of((size_t)(done->escapes - at));
    if (escapes == 0) return 1;
    if (!is_clear_string(text, at + __builtin_ctzll(escapes) - 1, &done->escapes, attest_decode_escapes)) return 0;
  }
}

INLINE int is_clear_part(clear_text *text, step_reader read, step_copier copy) {
  letter_store *const letters = text->search->letters + text->depth;
  const uint8_t *const end = text->end, *from = text->begin;
  searched_ends done = {from, from, from};
  // The escapes of a text that is decoded are decoded next.
  const uint64_t wanted = text->depth > 0 ? 0 : UINT64_MAX;
  uint64_t pending = 0, backslashes = 0;
  for (const uint8_t *at = from; at < end; at += step) {
    if (letters->count >= window && !is_clear_of_names(letters)) return 0;
    const uint64_t inside = inside_of((size_t)(end - at));
    const step_masks masks = read(at, inside);
    copy(at, masks.letter, letters->bytes + letters->count);
    letters->count += (size_t)__builtin_popcountll(masks.letter);
    backslashes |= masks.backslash;
    const uint64_t others = ~masks.run & inside;
    // A sign before what is decoded has a character of a run after it.
    const uint64_t codes = masks.code & (masks.run >> 1 | UINT64_C(1) << (step - 1));
    const uint64_t escapes = (masks.backslash << 1 | pending) & masks.escape & wanted;
    pending = masks.backslash >> 63;
    if (text->is_plain) continue;
    if ((codes | escapes) != 0 && !is_clear_at(text, at, codes, escapes, &done)) return 0;
    if (others == 0) continue;
    const uint8_t *const last = at + __builtin_ctzll(others);
    if (last - from >= least_run && !is_clear_run(text, from, last, &done.runs)) return 0;
    from = at + (64 - __builtin_clzll(others));
  }
  text->has_backslashes |= backslashes != 0;
  return text->is_plain || end - from < least_run || is_clear_run(text, from, end, &done.runs);
}

#define VARIANT(name, target, way)                                                                                 \
  target static int name##_is_clear_part(clear_text *text) { return is_clear_part(text, read_##way, copy_##way); } \
  target static int name##_has_name(letter_store *letters, size_t end) { return has_name(letters, end, find_##way); } \
  target static size_t name##_compact(const uint8_t *text, size_t length, unsigned reading, uint8_t *out) {        \
    return compact(text, length, reading, out, read_##way, copy_##way);                                             \
  }                                                                                                                \
  target static unsigned name##_text_phases(const uint8_t *characters, size_t length) {                            \
    return text_phases(characters, length, find_##way);                                                            \
  }                                                                                                                \
  target static unsigned name##_run_phases(const uint8_t *text, size_t length) {                                    \
    return run_phases(text, length, read_##way, find_##way);                                                       \
  }                                                                                                                \
  target static size_t name##_decode(const uint8_t *text, size_t length, uint8_t *out, int is_escaped) {           \
    return decode(text, length, out, is_escaped, read_##way, unescape_##way);                                      \
  }                                                                                                                \
  static const variant name = {name##_is_clear_part, name##_has_name, name##_compact, name##_text_phases, name##_run_phases, name##_decode};

VARIANT(of_bytes, , plainly)
#if defined(__x86_64__)
VARIANT(of_vectors, VECTORS, vectors)
VARIANT(of_lines, WIDE, wide)
#endif

static inline const variant *best(void) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512vbmi2")) return &of_lines;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return &of_vectors;
#endif
  return &of_bytes;
}

size_t attest_compact_run(const uint8_t *text, size_t length, unsigned reading, uint8_t *out) {
  return best()->compact(text, length, reading, out);
}

size_t attest_decode_escapes(const uint8_t *text, size_t length, uint8_t *out) {
  return best()->decode(text, length, out, 1);
}

size_t attest_decode_percents(const uint8_t *text, size_t length, uint8_t *out) {
  return best()->decode(text, length, out, 0);
}

unsigned attest_text_phases(const uint8_t *characters, size_t length) { return best()->text_phases(characters, length); }

static int is_clear_of_names(letter_store *letters) {
  if (best()->has_name(letters, letters->count - most_letters)) return 0;
  memmove(letters->bytes, letters->bytes + letters->count - overlap, overlap);
  letters->count = overlap;
  return 1;
}

/// Returns the place at which the known token is a string in a text, or NULL. `*after` becomes its end.
static const uint8_t *known_string(const clear_text *text, const uint8_t **after) {
  clear_search *const search = text->search;
  const size_t length = search->known_length, needle = length < least_known ? length : least_known;
  const uint8_t *at = text->begin;
  const int is_inside = search->known >= at && search->known < text->end && !search->has_copies;
  if (length == 0 || (text->depth > 0 && !search->has_copies)) return NULL;
  for (; (size_t)(text->end - at) > length; at++) {
    // A search for few characters is quick.
    at = is_inside ? search->known : memmem(at, (size_t)(text->end - at), search->known, needle);
    if (at == NULL || length > search->work) return NULL;
    search->work -= length;
    const size_t copy = is_inside ? length
        : attest_known_length(text->begin, at, text->end, search->known, length, text->decodings);
    *after = at + copy;
    // What is before it is not read with it.
    const int is_begin = at == text->begin || (base64_values[at[-1]] & other_character) != 0 || at[-1] == ' ';
    if (copy > 0 && is_begin && *after < text->end) return at;
    if (is_inside) return NULL;
  }
  return NULL;
}

size_t attest_end_of_names(const uint8_t *text, size_t length) {
  letter_store letters;
  letters.count = 0;
  size_t last = 0;
  for (size_t at = 0; at < length; at += window) {
    const size_t left = length - at, size = left < window ? left : window;
    letters.count += best()->compact(text + at, size, only_letters, letters.bytes + letters.count);
    const size_t end = left == size ? letters.count : letters.count < most_letters ? 0 : letters.count - most_letters;
    if (best()->has_name(&letters, end)) last = at + size;
    const size_t kept = letters.count < overlap ? letters.count : overlap;
    memmove(letters.bytes, letters.bytes + letters.count - kept, kept);
    letters.count = kept;
  }
  return last;
}

static int is_clear_of_last(letter_store *letters) {
  return letters->count == 0 || !best()->has_name(letters, letters->count);
}

static int is_clear(clear_text *text) {
  // What has a name shows that best before anything is decoded.
  if (text->end - text->begin > long_text && !text->is_plain) {
    clear_text plain = *text;
    plain.is_plain = 1;
    if (!is_clear(&plain) || !is_clear_of_last(text->search->letters + text->depth)) return 0;
  }
  const uint8_t *const end = text->end, *after;
  for (const uint8_t *known; (known = known_string(text, &after)) != NULL;) {
    text->end = known;
    if (!best()->is_clear_part(text)) return 0;
    text->begin = after;
    text->end = end;
    if (!text->search->has_copies) break;
  }
  return best()->is_clear_part(text);
}

static int is_clear_throughout(clear_search *search, const attest_searched_text *texts, size_t count, int is_decoded) {
  for (int index = 0; index < text_count; index++) search->letters[index].count = 0;
  for (size_t index = 0; index < count; index++) {
    const uint8_t *const begin = texts[index].text;
    clear_text text = {search, 0, 0, is_decoded, !is_decoded, begin, begin + texts[index].length, 0, 0};
    search->known = texts[index].known;
    search->known_length = search->known == NULL ? 0 : texts[index].known_length;
    if (!is_clear(&text)) return 0;
  }
  for (int index = 0; index < text_count; index++) {
    if (!is_clear_of_last(search->letters + index)) return 0;
  }
  return 1;
}

int attest_is_clear(const attest_searched_text *texts, size_t count, int is_decoded, size_t *work) {
  clear_search search;
  search.has_copies = 0;
  search.work = least_work;
  for (size_t index = 0; index < count; index++) search.work += work_per_byte * texts[index].length;
  if (work != NULL) search.work = *work;
  int answer = is_clear_throughout(&search, texts, count, is_decoded);
  // Few texts have copies. What else a token contains is not passed over in them.
  if (!answer && count == 1 && search.known_length > 0 && !attest_has_further_names(texts->known, texts->known_length)) {
    search.has_copies = 1;
    answer = is_clear_throughout(&search, texts, count, is_decoded);
  }
  if (work != NULL) *work = search.work;
  return answer;
}
