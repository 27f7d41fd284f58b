#ifndef ATTEST_AUDIT_CSIMDJSON_H
#define ATTEST_AUDIT_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Bytes that must be readable behind a line, whatever they are.
#define ATTEST_JSON_PADDING 64

/// Strict JSON: the deepest nesting of objects and arrays, the outermost being 1.
#define ATTEST_JSON_MAXIMUM_DEPTH 1024

/// The most values a parser looks for.
#define ATTEST_JSON_MAXIMUM_SLOTS 64

/// The most steps from the outermost object to a value that is looked for.
#define ATTEST_JSON_MAXIMUM_STEPS 16

/// The most places a parser knows.
#define ATTEST_JSON_MAXIMUM_PLACES (ATTEST_JSON_MAXIMUM_SLOTS * ATTEST_JSON_MAXIMUM_STEPS)

typedef struct attest_json_parser attest_json_parser;

/// A value: decoded UTF-8, the text of a number or word, or raw bytes. Valid until the next line.
typedef struct attest_json_value {
  const uint8_t *_Nullable bytes;
  size_t length;
} attest_json_value;

/// Returns a value without the zeros after the point of a whole number: some exporters write `200.0`.
static inline attest_json_value attest_json_whole(attest_json_value value) {
  size_t digits = 0, end = value.length;
  while (digits < end && (uint8_t)(value.bytes[digits] - '0') < 10) digits++;
  if (digits == 0 || end - digits < 2 || value.bytes[digits] != '.') return value;
  while (value.bytes[end - 1] == '0') end--;
  if (end == digits + 1) value.length = digits;
  return value;
}

/// A place in the tree of what a parser looks for: a member of an object or an element of an array.
typedef struct attest_json_place {
  /// The member's name in UTF-8, or an element's number in decimal digits; of headers without capitals.
  const uint8_t *_Nonnull name;
  size_t length;
  /// The place that holds this one, which has a lower index, or -1 for the outermost object.
  int32_t parent;
  /// The slot of the value at this place, or -1 for a place on the way to others.
  int32_t slot;
  /// A set of `ATTEST_JSON_HEADERS`, `ATTEST_JSON_RAW` and one of the wrappings.
  uint32_t flags;
  /// The slot whose value says whether the wrapping is there, or -1 if it always is.
  int32_t switch_slot;
} attest_json_place;

/// The flag of a place inside which names are told apart without regard to ASCII case, whatever its
/// form: an object, a list of objects with a `name` or `key` and a `value`, of pairs, or of names
/// and values in turn, or a text of lines with a colon. A value in a list of one is that value, and
/// so is one in an object that tells its type (`stringValue`).
#define ATTEST_JSON_HEADERS 1

/// The value's bytes as they stand are wanted, too.
#define ATTEST_JSON_RAW 2

/// A string here is the base64 of what it stands for.
#define ATTEST_JSON_BASE64 4

/// A string here has characters written as a percent sign and two hex digits.
#define ATTEST_JSON_PERCENT 8

/// A string here is the JSON of the string that it stands for.
#define ATTEST_JSON_STRING_IN_STRING 16

/// The deviations that strict JSON refuses and the second reading of a line tolerates (`records.R81`).
typedef enum attest_json_tolerance {
  ATTEST_JSON_NOT_UTF8 = 0,
  ATTEST_JSON_LONE_SURROGATE = 1,
  ATTEST_JSON_CONTROL_CHARACTER = 2,
  ATTEST_JSON_HEX_ESCAPE = 3,
  ATTEST_JSON_NOT_A_NUMBER = 4,
  ATTEST_JSON_BYTES_BEFORE = 5,
  ATTEST_JSON_TEXT_AFTER = 6,
} attest_json_tolerance;

/// The number of tolerances.
#define ATTEST_JSON_TOLERANCES 7

/// The contents of a line. Bit i of a set stands for slot i, and is set in one of the first four
/// where the value is there. Where a name occurs twice, the first that is not null counts.
typedef struct attest_json_sets {
  uint64_t strings, numbers, nulls, others;
  /// Slots on whose way a name occurs twice, or beside one that differs from it in case alone.
  uint64_t duplicates;
  /// Slots on whose way a name stands that differs from the one looked for in case alone.
  uint64_t variants;
  /// Slots on whose way a name occurs twice, spelled alike.
  uint64_t repeats;
  /// Slots on whose way a string stands that was not yet looked into; see `attest_json_open`.
  uint64_t closed;
  /// Slots on whose way a string stands that has not the wrapping that it should have.
  uint64_t broken;
  /// Slots whose unwrapped bytes are no UTF-8.
  uint64_t binary;
  /// Slots below a place with `null`, and below one with a string that stands for nothing.
  uint64_t under_null, under_blank;
  /// The first place found to stand twice, or -1.
  int32_t duplicate;
} attest_json_sets;

/// The contents of a line, with the tolerances that were needed for it.
typedef struct attest_json_fields {
  attest_json_sets sets;
  /// The tolerances that were needed, bit i for the tolerance i.
  uint32_t tolerances;
  /// The byte of the first use of each, in the line or in JSON in a string. The others are stale.
  size_t tolerated_at[ATTEST_JSON_TOLERANCES];
  /// The byte of the line at which it is not one JSON object, after a failure.
  size_t failed_at;
  /// The texts of strings, numbers and booleans, and the JSON of objects and arrays, by slot.
  /// All others are stale. There is one more than there are slots, without meaning.
  attest_json_value values[ATTEST_JSON_MAXIMUM_SLOTS + 1];
  /// The values with `ATTEST_JSON_RAW` as they stand in the line, or in the string that holds them.
  attest_json_value raws[ATTEST_JSON_MAXIMUM_SLOTS];
} attest_json_fields;

typedef enum attest_json_status {
  ATTEST_JSON_OK = 0,
  ATTEST_JSON_MALFORMED = 1,
  /// The text ends before the object does.
  ATTEST_JSON_ENDS_EARLY = 2,
  ATTEST_JSON_TOO_DEEP = 3,
  ATTEST_JSON_NO_MEMORY = 4,
  /// An object follows the first one.
  ATTEST_JSON_SECOND_OBJECT = 5,
} attest_json_status;

/// Makes a parser that looks for `places`, which it copies, or returns NULL.
attest_json_parser *_Nullable attest_json_create(const attest_json_place *_Nonnull places,
                                                 size_t count);

void attest_json_destroy(attest_json_parser *_Nonnull parser);

/// Reads one line as one JSON object and gives the values at the parser's places. Strings with
/// places below them stay closed. The first reading is strict (RFC 8259, unknown fields too); a
/// line that it refuses is read again with tolerances, which `fields` names.
///
/// `line` must be followed by ATTEST_JSON_PADDING readable bytes.
attest_json_status attest_json_read(attest_json_parser *_Nonnull parser,
                                    const uint8_t *_Nonnull line, size_t length,
                                    attest_json_fields *_Nonnull fields);

/// Returns the parts of the line that was read last in which a token can be: strings of 60 bytes or
/// more, and shorter ones with a sign of a token, as they are written in the line, and arrays of numbers. They are valid as long as the line is there, and
/// until the parser's next line. A part that is an array begins with its bracket.
const attest_json_value *_Nullable attest_json_parts(attest_json_parser *_Nonnull parser,
                                                     size_t *_Nonnull count);

/// Reads, as JSON, the strings that stand on the way to the `wanted` slots in the line read last,
/// and gives the values found in them; one that is no JSON, or nested too deep, holds none. The
/// line must still be there.
///
/// Returns ATTEST_JSON_OK or ATTEST_JSON_NO_MEMORY.
attest_json_status attest_json_open(attest_json_parser *_Nonnull parser, uint64_t wanted,
                                    attest_json_fields *_Nonnull fields);

/// Returns the first place that occurs twice on the way to one of the `wanted` slots, or -1.
int32_t attest_json_twice(const attest_json_parser *_Nonnull parser, uint64_t wanted);

typedef enum attest_json_kind {
  ATTEST_JSON_STRING = 0,
  ATTEST_JSON_NUMBER = 1,
  ATTEST_JSON_BOOLEAN = 2,
  ATTEST_JSON_NULL = 3,
  ATTEST_JSON_OBJECT = 4,
  ATTEST_JSON_ARRAY = 5,
} attest_json_kind;

/// A value of a document. Values are in the order of the text, an object or array before its content.
typedef struct attest_json_node {
  attest_json_kind kind;
  /// The number of values that it is, with those in it: the distance to the next one beside it.
  size_t size;
  /// The number of elements of an array that it is.
  size_t elements;
  /// The decoded name of a member, or NULL for elements and for the whole document.
  attest_json_value name;
  /// The decoded UTF-8 of a string, or the text of a number or boolean, or empty for all else.
  attest_json_value text;
  /// The value as it stands in the text.
  attest_json_value raw;
} attest_json_node;

typedef struct attest_json_document attest_json_document;

/// Makes a reader. Returns NULL if memory is out.
attest_json_document *_Nullable attest_json_document_create(void);

void attest_json_document_destroy(attest_json_document *_Nonnull document);

/// How a document is read, as bits: an object or array also with tolerances; numbers that follow one another in an
/// array as one value, without which a long array has many times the memory of its text.
enum { ATTEST_JSON_TAKES_ODD = 1, ATTEST_JSON_JOINED_NUMBERS = 2 };

/// Reads a text as one JSON value (RFC 8259, strictly), nested as deep as ATTEST_JSON_MAXIMUM_DEPTH. On
/// ATTEST_JSON_OK `nodes` are its values, valid until the next call and as long as the text is
/// there; the first is the whole.
///
/// `text` must be followed by ATTEST_JSON_PADDING readable bytes.
attest_json_status attest_json_document_read(
    attest_json_document *_Nonnull document, const uint8_t *_Nonnull text, size_t length,
    unsigned reading, const attest_json_node *_Nullable *_Nonnull nodes, size_t *_Nonnull count);

#ifdef __cplusplus
}
#endif

#endif
