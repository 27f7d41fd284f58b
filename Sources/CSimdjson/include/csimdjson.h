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

/// A parser with its buffers; used by one thread at a time.
typedef struct attest_json_parser attest_json_parser;

/// What a field's value is.
typedef enum attest_json_kind {
  ATTEST_JSON_ABSENT = 0,
  ATTEST_JSON_NULL = 1,
  ATTEST_JSON_STRING = 2,
  ATTEST_JSON_NUMBER = 3,
  ATTEST_JSON_OTHER = 4,
} attest_json_kind;

/// A field's value: the decoded UTF-8 of a string, or a number's text. Valid until the parser's
/// next line.
typedef struct attest_json_value {
  const uint8_t *_Nullable bytes;
  size_t length;
  attest_json_kind kind;
} attest_json_value;

/// A field name to look for: UTF-8, not terminated.
typedef struct attest_json_name {
  const uint8_t *_Nonnull bytes;
  size_t length;
} attest_json_name;

/// How the reading of a line ended.
typedef enum attest_json_status {
  ATTEST_JSON_OK = 0,
  ATTEST_JSON_MALFORMED = 1,
  ATTEST_JSON_NOT_AN_OBJECT = 2,
  ATTEST_JSON_TOO_DEEP = 3,
  ATTEST_JSON_NO_MEMORY = 4,
} attest_json_status;

/// Makes a parser, or returns NULL where memory is out.
attest_json_parser *_Nullable attest_json_create(void);

/// Frees a parser.
void attest_json_destroy(attest_json_parser *_Nonnull parser);

/// Reads one line as one JSON object (RFC 8259, strictly, unknown fields too) and gives the values
/// of its top-level fields that are named in `names`.
///
/// `line` must be followed by ATTEST_JSON_PADDING readable bytes. `values` holds `count` values.
/// `*duplicate` becomes the index of the first name that stands twice, or -1.
attest_json_status attest_json_read(attest_json_parser *_Nonnull parser,
                                    const uint8_t *_Nonnull line, size_t length,
                                    const attest_json_name *_Nonnull names, size_t count,
                                    attest_json_value *_Nonnull values, int *_Nonnull duplicate);

#ifdef __cplusplus
}
#endif

#endif
