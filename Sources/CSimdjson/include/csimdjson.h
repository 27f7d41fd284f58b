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

/// The most field names a parser looks for, and the longest of them in bytes.
#define ATTEST_JSON_MAXIMUM_NAMES 32
#define ATTEST_JSON_LONGEST_NAME 16

/// A parser with its buffers; used by one thread at a time.
typedef struct attest_json_parser attest_json_parser;

/// A field's value: the decoded UTF-8 of a string, or a number's text. Valid until the parser's
/// next line.
typedef struct attest_json_value {
  const uint8_t *_Nullable bytes;
  size_t length;
} attest_json_value;

/// A field name to look for: UTF-8, not terminated, at least one byte.
typedef struct attest_json_name {
  const uint8_t *_Nonnull bytes;
  size_t length;
} attest_json_name;

/// What a line's fields are: bit i of a set stands for name i, and is set in one of them where the
/// field is there. Where a field stands twice, the first counts.
typedef struct attest_json_fields {
  uint32_t strings, numbers, nulls, others;
  /// The first name found to stand twice, or -1.
  int32_t duplicate;
  /// The values of strings and numbers, by the index of the name; all others are stale.
  attest_json_value values[ATTEST_JSON_MAXIMUM_NAMES];
} attest_json_fields;

/// How the reading of a line ended.
typedef enum attest_json_status {
  ATTEST_JSON_OK = 0,
  ATTEST_JSON_MALFORMED = 1,
  ATTEST_JSON_NOT_AN_OBJECT = 2,
  ATTEST_JSON_TOO_DEEP = 3,
  ATTEST_JSON_NO_MEMORY = 4,
} attest_json_status;

/// Makes a parser that looks for `names`, which it copies; NULL where memory is out or a name
/// breaks the limits.
attest_json_parser *_Nullable attest_json_create(const attest_json_name *_Nonnull names,
                                                 size_t count);

/// Frees a parser.
void attest_json_destroy(attest_json_parser *_Nonnull parser);

/// Reads one line as one JSON object (RFC 8259, strictly, unknown fields too) and gives the values
/// of its top-level fields that have one of the parser's names.
///
/// `line` must be followed by ATTEST_JSON_PADDING readable bytes.
attest_json_status attest_json_read(attest_json_parser *_Nonnull parser,
                                    const uint8_t *_Nonnull line, size_t length,
                                    attest_json_fields *_Nonnull fields);

#ifdef __cplusplus
}
#endif

#endif
