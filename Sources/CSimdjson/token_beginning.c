#include "token_beginning.h"
#include "text_tables.h"

#include <stddef.h>

enum {
  /// The tag that says no more than that CBOR follows.
  self_described = 55799,
  /// The number of other tags that are read in front of a map.
  most_foreign_tags = 2,
  /// The value that stands for a quote, and for the end of the text.
  no_character = -1,
  /// The number of bytes of tags that are read in front of a map: 16 tags of the longest spelling.
  /// A longer row of them is taken for a token's.
  most_tag_bytes = 16 * 9,
  /// The number of chunks of a name that are read. A longer row of them is taken for a token.
  most_chunks = 64,
};

/// A number that nothing is counted to.
static const uint64_t without_number = UINT64_MAX;

/// A reader of the bytes that base64 in a string of JSON holds.
typedef struct {
  const uint8_t *at;
  const uint8_t *const end;
  /// The way in which spaces, percent signs, and `-` and `_` are taken.
  const int spaces_are_plus, decodes_percents, drops_dashes;
  /// Bits that no byte was made of yet, and how many.
  uint32_t bits;
  unsigned bit_count;
  /// The number of bytes that were read.
  unsigned byte_count;
  int has_space, has_percent, has_dash, has_escaped_backslash, met_end;
} base64_reader;

/// Returns the value of the four hex digits at `at`, or 0x10000 if they are not four hex digits.
static unsigned four_digits(const uint8_t *at, const uint8_t *end) {
  if (end - at < 4) return 0x10000;
  unsigned value = 0, seen = 0;
  for (size_t index = 0; index < 4; index++) {
    seen |= hex_values[at[index]];
    value = value << 4 | (hex_values[at[index]] & 15);
  }
  return (seen & 0x80) == 0 ? value : 0x10000;
}

/// Returns the next character of the string, its escapes decoded. Characters outside ASCII are
/// 0x80.
static int next_of_string(base64_reader *reader) {
  if (reader->at >= reader->end) {
    reader->met_end = 1;
    return no_character;
  }
  if (*reader->at == '"') return no_character;
  const uint8_t character = *reader->at++;
  if (character != '\\' || reader->at == reader->end) return character < 0x80 ? character : 0x80;
  const uint8_t kind = *reader->at++;
  switch (kind) {
    case 'n': case 'r': case 't': case 'b': case 'f':
      return '\n';
    case '\\':
      reader->has_escaped_backslash = 1;
      return kind;
    case '"': case '/':
      return kind;
    case 'u': {
      const unsigned unit = four_digits(reader->at, reader->end);
      if (unit > 0xFFFF) break;
      reader->at += 4;
      return unit < 0x80 ? (int)unit : 0x80;
    }
    default:
      break;
  }
  // No escape of JSON.
  reader->at--;
  return character;
}

/// Returns the next character, percent signs decoded if they are to be.
static int next_character(base64_reader *reader) {
  const int character = next_of_string(reader);
  if (character != '%') return character;
  reader->has_percent = 1;
  if (!reader->decodes_percents) return character;
  const uint8_t *const behind = reader->at;
  const int high = next_of_string(reader);
  const int low = high == no_character ? no_character : next_of_string(reader);
  if (low != no_character && ((hex_values[high] | hex_values[low]) & 0x80) == 0) {
    return hex_values[high] << 4 | hex_values[low];
  }
  reader->at = behind;
  return character;
}

/// Returns the value of the next character of either alphabet, or `no_character`. Others are passed
/// over, but no more than one before the first: a row of them is looked at from its last.
static int next_value(base64_reader *reader) {
  const int is_first = reader->byte_count == 0 && reader->bit_count == 0;
  for (unsigned passed = 0; !is_first || passed <= 1; passed++) {
    if (reader->at < reader->end) {
      // Most characters stand for themselves.
      const uint32_t value = base64_values[*reader->at];
      if ((value & other_character) == 0 && *reader->at != ' ' && !is_dash(*reader->at)) {
        reader->at++;
        return (int)(value & 63);
      }
    }
    const int character = next_character(reader);
    if (character == no_character) return character;
    if (character == ' ') {
      reader->has_space = 1;
      if (!reader->spaces_are_plus) continue;
    }
    if (is_dash(character)) {
      reader->has_dash = 1;
      if (reader->drops_dashes) continue;
    }
    const uint32_t value = base64_values[character];
    if ((value & other_character) == 0) return (int)(value & 63);
  }
  return no_character;
}

/// Returns the next byte, or `no_character`.
static int next_byte(base64_reader *reader) {
  while (reader->bit_count < 8) {
    const int value = next_value(reader);
    if (value == no_character) return value;
    reader->bits = reader->bits << 6 | (uint32_t)value;
    reader->bit_count += 6;
  }
  reader->bit_count -= 8;
  reader->byte_count++;
  return (uint8_t)(reader->bits >> reader->bit_count);
}

/// The head of a CBOR item (RFC 8949, section 3).
typedef struct {
  int major;
  int is_open;
  uint64_t argument;
} item_head;

static const int no_item = -1;

/// Reads the head of an item. Its major type is `no_item` if there is no item.
static item_head read_head(base64_reader *reader) {
  item_head head = {no_item, 0, 0};
  const int first = next_byte(reader);
  if (first == no_character) return head;
  const unsigned information = (unsigned)first & 31;
  if (information == 31) {
    head.is_open = 1;
  } else if (information < 24) {
    head.argument = information;
  } else if (information > 27) {
    return head;
  } else {
    for (unsigned left = 1u << (information - 24); left > 0; left--) {
      const int byte = next_byte(reader);
      if (byte == no_character) return head;
      head.argument = head.argument << 8 | (unsigned)byte;
    }
  }
  head.major = first >> 5;
  return head;
}

/// Passes over bytes. Returns 0 if there are not so many.
static int skip_bytes(base64_reader *reader, uint64_t count) {
  for (; count > 0; count--) {
    if (next_byte(reader) == no_character) return 0;
  }
  return 1;
}

/// Passes over an item and those in it. Returns 0 if it is no item, or holds an array or map
/// without a length.
static int skip_item(base64_reader *reader) {
  for (uint64_t left = 1; left > 0; left--) {
    item_head head = read_head(reader);
    switch (head.major) {
      case 0: case 1: case 7:
        if (head.is_open) return 0;
        break;
      case 2: case 3: {
        const int major = head.major;
        if (!head.is_open && !skip_bytes(reader, head.argument)) return 0;
        while (head.is_open) {
          const item_head chunk = read_head(reader);
          if (chunk.major == 7 && chunk.is_open) break;
          if (chunk.major != major || chunk.is_open) return 0;
          if (!skip_bytes(reader, chunk.argument)) return 0;
        }
        break;
      }
      case 6:
        left++;
        break;
      case 4: case 5:
        // There is not so much to read.
        if (head.is_open || head.argument > UINT32_MAX) return 0;
        left += head.argument << (head.major == 5);
        break;
      default:
        return 0;
    }
  }
  return 1;
}

/// The keys by which tokens are known.
static const struct {
  const char *text;
  size_t length;
} names[] = {{"fmt", 3}, {"attStmt", 7}, {"authData", 8}, {"signature", 9},
             {"authenticatorData", 17}};

enum { all_names = 0x1F, longest_name = 17 };

/// A text that is read piece by piece.
typedef struct {
  /// The bits of the names that it may be.
  unsigned candidates;
  size_t length;
} partial_name;

/// Reads `count` bytes more of a text. Returns 0 if there are not so many, or if one is not a
/// printable character of ASCII: honest texts that are not base64 come to such a one soon.
static int read_name(base64_reader *reader, uint64_t count, partial_name *name) {
  for (; count > 0; count--, name->length++) {
    const int byte = next_byte(reader);
    if (byte < ' ' || byte > '~') return 0;
    if (name->candidates == 0) continue;
    for (unsigned index = 0; index < sizeof names / sizeof *names; index++) {
      if (name->length < names[index].length && names[index].text[name->length] == (char)byte) {
        continue;
      }
      name->candidates &= ~(1u << index);
    }
  }
  return 1;
}

/// The kind of a key of a map.
typedef enum { no_key, foreign_key, token_key } key_kind;

/// Reads a text in one piece or in chunks, and tells whether it is a name by which tokens are known.
static key_kind read_key(base64_reader *reader) {
  partial_name name = {all_names, 0};
  const item_head head = read_head(reader);
  if (head.major != 3) return no_key;
  if (!head.is_open && !read_name(reader, head.argument, &name)) return no_key;
  for (unsigned chunks = 0; head.is_open; chunks++) {
    if (chunks == most_chunks) return token_key;
    const item_head chunk = read_head(reader);
    if (chunk.major == 7 && chunk.is_open) break;
    if (chunk.major != 3 || chunk.is_open) return no_key;
    if (!read_name(reader, chunk.argument, &name)) return no_key;
  }
  for (unsigned index = 0; index < sizeof names / sizeof *names; index++) {
    if ((name.candidates >> index & 1) != 0 && names[index].length == name.length) return token_key;
  }
  return foreign_key;
}

/// Returns whether a token begins where `reader` stands.
static int reads_token(base64_reader *reader) {
  item_head head;
  unsigned foreign_tags = 0;
  do {
    if (reader->byte_count > most_tag_bytes) return 1;
    head = read_head(reader);
    if (head.major == 6 && head.argument != self_described) foreign_tags++;
    if (foreign_tags > most_foreign_tags) return 0;
  } while (head.major == 6 && !head.is_open);
  if (head.major != 5) return 0;
  for (uint64_t left = head.is_open ? without_number : head.argument; left > 0; left--) {
    const key_kind key = read_key(reader);
    if (key != foreign_key) return key == token_key;
    if (!skip_item(reader)) return 0;
  }
  return 0;
}

token_look attest_look_for_token(const uint8_t *at, const uint8_t *end) {
  token_look look = {0, 0, 0};
  int has_space = 0, has_percent = 0, has_dash = 0;
  for (int way = 0; way < 8 && !look.is_token; way++) {
    const int spaces_are_plus = way & 1, percents_are_plain = way >> 1 & 1, drops_dashes = way >> 2;
    if (spaces_are_plus > has_space || percents_are_plain > has_percent) continue;
    if (drops_dashes > has_dash) continue;
    base64_reader reader = {.at = at,
                            .end = end,
                            .spaces_are_plus = spaces_are_plus,
                            .decodes_percents = !percents_are_plain,
                            .drops_dashes = drops_dashes};
    look.is_token = reads_token(&reader);
    look.has_escaped_backslash |= reader.has_escaped_backslash;
    look.is_undecided |= reader.met_end;
    has_space |= reader.has_space;
    has_percent |= reader.has_percent;
    has_dash |= reader.has_dash;
  }
  return look;
}
