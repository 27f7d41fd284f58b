#include "csimdjson.h"

#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>
#include <string_view>

namespace {

using namespace simdjson;

static_assert(ATTEST_JSON_PADDING >= SIMDJSON_PADDING, "lines need simdjson's padding behind them");

/// Room for lines comes in multiples of this.
constexpr size_t room_step = 16384;

/// Room beyond this, which is 6 bytes for each byte of a line, is given back after the line.
constexpr size_t kept_room = 1 << 20;

/// The token without the white space that simdjson leaves behind it (RFC 8259, section 2).
std::string_view trimmed(std::string_view token) {
  while (!token.empty()) {
    const char last = token.back();
    if (last != ' ' && last != '\t' && last != '\n' && last != '\r') break;
    token.remove_suffix(1);
  }
  return token;
}

bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

/// Whether the token is a number by the grammar of RFC 8259, section 6, of any size.
bool is_number(std::string_view token) {
  size_t at = 0;
  const size_t end = token.size();
  if (at < end && token[at] == '-') at++;
  if (at == end || !is_digit(token[at])) return false;
  if (token[at] == '0') {
    at++;
  } else {
    while (at < end && is_digit(token[at])) at++;
  }
  if (at < end && token[at] == '.') {
    at++;
    if (at == end || !is_digit(token[at])) return false;
    while (at < end && is_digit(token[at])) at++;
  }
  if (at < end && (token[at] == 'e' || token[at] == 'E')) {
    at++;
    if (at < end && (token[at] == '+' || token[at] == '-')) at++;
    if (at == end || !is_digit(token[at])) return false;
    while (at < end && is_digit(token[at])) at++;
  }
  return at == end;
}

/// Whether the decoded string holds a surrogate in UTF-8's clothes (ED A0..BF): what an escaped
/// lone surrogate becomes where the library lets it through.
bool holds_surrogate(std::string_view text) {
  size_t at = 0;
  while ((at = text.find('\xED', at)) != std::string_view::npos) {
    if (at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) >= 0xA0) return true;
    at++;
  }
  return false;
}

/// The content of a string token without escapes, in place: simdjson's first stage has already
/// refused control characters and what is not UTF-8. False where the token needs decoding.
bool plain_string(std::string_view token, std::string_view &text) {
  token = trimmed(token);
  if (token.size() < 2 || token.front() != '"' || token.back() != '"') return false;
  text = token.substr(1, token.size() - 2);
  return text.empty() || std::memchr(text.data(), '\\', text.size()) == nullptr;
}

/// A member's name, decoded; false where it is malformed.
bool read_key(ondemand::field &field, std::string_view &key) {
  const char *raw = field.key().raw();
  size_t length = 0;
  while (raw[length] != '"' && raw[length] != '\\') length++;
  if (raw[length] == '"') {
    key = std::string_view(raw, length);
    return true;
  }
  return !field.unescaped_key().get(key) && !holds_surrogate(key);
}

/// Where the value of a known field goes; null for everything else.
using Slot = attest_json_value *;

attest_json_status read_object(ondemand::object object, unsigned depth,
                               const attest_json_name *names, size_t count,
                               attest_json_value *values, int *duplicate);

attest_json_status read_array(ondemand::array array, unsigned depth);

/// Reads one value whole, strictly, and keeps it where a slot is given.
attest_json_status read_value(ondemand::value value, unsigned depth, Slot slot) {
  ondemand::json_type type;
  if (value.type().get(type)) return ATTEST_JSON_MALFORMED;
  if (slot != nullptr) slot->kind = ATTEST_JSON_OTHER;
  switch (type) {
    case ondemand::json_type::object: {
      if (depth == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
      ondemand::object object;
      if (value.get_object().get(object)) return ATTEST_JSON_MALFORMED;
      return read_object(object, depth + 1, nullptr, 0, nullptr, nullptr);
    }
    case ondemand::json_type::array: {
      if (depth == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
      ondemand::array array;
      if (value.get_array().get(array)) return ATTEST_JSON_MALFORMED;
      return read_array(array, depth + 1);
    }
    case ondemand::json_type::string: {
      std::string_view text;
      if (plain_string(value.raw_json_token(), text)) {
        // Consumes the token: left alone, it could pass for the name in front of a colon.
        ondemand::raw_json_string raw;
        if (value.get_raw_json_string().get(raw)) return ATTEST_JSON_MALFORMED;
      } else {
        if (value.get_string().get(text)) return ATTEST_JSON_MALFORMED;
        if (holds_surrogate(text)) return ATTEST_JSON_MALFORMED;
      }
      if (slot != nullptr) {
        slot->kind = ATTEST_JSON_STRING;
        slot->bytes = reinterpret_cast<const uint8_t *>(text.data());
        slot->length = text.size();
      }
      return ATTEST_JSON_OK;
    }
    default: {
      const std::string_view token = trimmed(value.raw_json_token());
      if (token == "true" || token == "false") return ATTEST_JSON_OK;
      if (token == "null") {
        if (slot != nullptr) slot->kind = ATTEST_JSON_NULL;
        return ATTEST_JSON_OK;
      }
      if (!is_number(token)) return ATTEST_JSON_MALFORMED;
      if (slot != nullptr) {
        slot->kind = ATTEST_JSON_NUMBER;
        slot->bytes = reinterpret_cast<const uint8_t *>(token.data());
        slot->length = token.size();
      }
      return ATTEST_JSON_OK;
    }
  }
}

attest_json_status read_array(ondemand::array array, unsigned depth) {
  for (auto element : array) {
    ondemand::value value;
    if (element.get(value)) return ATTEST_JSON_MALFORMED;
    const attest_json_status status = read_value(value, depth, nullptr);
    if (status != ATTEST_JSON_OK) return status;
  }
  return ATTEST_JSON_OK;
}

attest_json_status read_object(ondemand::object object, unsigned depth,
                               const attest_json_name *names, size_t count,
                               attest_json_value *values, int *duplicate) {
  for (auto member : object) {
    ondemand::field field;
    if (std::move(member).get(field)) return ATTEST_JSON_MALFORMED;
    std::string_view key;
    if (!read_key(field, key)) return ATTEST_JSON_MALFORMED;
    Slot slot = nullptr;
    attest_json_value second = {};
    for (size_t index = 0; index < count; index++) {
      if (names[index].length != key.size()) continue;
      if (std::memcmp(names[index].bytes, key.data(), key.size()) != 0) continue;
      slot = &values[index];
      if (slot->kind != ATTEST_JSON_ABSENT) {
        if (*duplicate < 0) *duplicate = static_cast<int>(index);
        slot = &second;
      }
      break;
    }
    const attest_json_status status = read_value(field.value(), depth, slot);
    if (status != ATTEST_JSON_OK) return status;
  }
  return ATTEST_JSON_OK;
}

}  // namespace

struct attest_json_parser {
  ondemand::parser parser;
};

attest_json_parser *attest_json_create(void) { return new (std::nothrow) attest_json_parser(); }

void attest_json_destroy(attest_json_parser *parser) { delete parser; }

attest_json_status attest_json_read(attest_json_parser *parser, const uint8_t *line, size_t length,
                                    const attest_json_name *names, size_t count,
                                    attest_json_value *values, int *duplicate) {
  for (size_t index = 0; index < count; index++) values[index] = attest_json_value{};
  *duplicate = -1;
  // One level more than is taken: the library asserts that there is.
  const size_t room = parser->parser.capacity();
  if (length > room || (room > kept_room && length < kept_room)) {
    const size_t wanted = (length + room_step - 1) / room_step * room_step;
    if (parser->parser.allocate(wanted, ATTEST_JSON_MAXIMUM_DEPTH + 8)) {
      return ATTEST_JSON_NO_MEMORY;
    }
  }
  ondemand::document document;
  const error_code failure =
      parser->parser
          .iterate(reinterpret_cast<const char *>(line), length, length + ATTEST_JSON_PADDING)
          .get(document);
  if (failure == MEMALLOC) return ATTEST_JSON_NO_MEMORY;
  if (failure) return ATTEST_JSON_MALFORMED;
  ondemand::json_type type;
  if (document.type().get(type)) return ATTEST_JSON_MALFORMED;
  if (type != ondemand::json_type::object) return ATTEST_JSON_NOT_AN_OBJECT;
  ondemand::object object;
  if (document.get_object().get(object)) return ATTEST_JSON_MALFORMED;
  const attest_json_status status = read_object(object, 1, names, count, values, duplicate);
  if (status != ATTEST_JSON_OK) return status;
  // Only white space may follow: then there is no token left to point at.
  const char *behind;
  return document.current_location().get(behind) ? ATTEST_JSON_OK : ATTEST_JSON_MALFORMED;
}
