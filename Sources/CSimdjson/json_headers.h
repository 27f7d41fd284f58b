#ifndef ATTEST_AUDIT_JSON_HEADERS_H
#define ATTEST_AUDIT_JSON_HEADERS_H

#include "json_walk.h"

/// Headers in all the forms that loggers have for them.
namespace attest {

// Of the file that includes it alone: so it is inlined there.
namespace {

/// Returns whether a text is `word` but for the case of its letters; `word` has no capitals.
template <size_t Size>
inline bool is_word(const Text &text, const char (&word)[Size]) {
  static_assert(Size - 1 <= 16, "a word is compared as two of eight bytes");
  if (text.length != Size - 1) return false;
  // Behind every text as much can be read as names are compared by.
  char padded[16] = {};
  std::memcpy(padded, word, Size - 1);
  uint64_t wanted[2], found[2];
  std::memcpy(wanted, padded, sizeof wanted);
  std::memcpy(found, text.bytes, sizeof found);
  constexpr size_t first = Size - 1 < 8 ? Size - 1 : 8, second = Size - 1 - first;
  constexpr uint64_t masks[2] = {~UINT64_C(0) >> (64 - 8 * first),
                                 second == 0 ? 0 : ~UINT64_C(0) >> (64 - 8 * second)};
  return ((without_capitals(found[0]) ^ wanted[0]) & masks[0]) == 0 &&
         ((without_capitals(found[1]) ^ wanted[1]) & masks[1]) == 0;
}

inline bool is_name_member(const Text &name) { return is_word(name, "name") || is_word(name, "key"); }

inline bool is_value_member(const Text &name) {
  return is_word(name, "value") || is_word(name, "values") || is_word(name, "stringvalue") ||
         is_word(name, "intvalue") || is_word(name, "boolvalue") || is_word(name, "doublevalue") ||
         is_word(name, "bytesvalue") || is_word(name, "arrayvalue");
}

/// Returns the length of the name in a line `Name: value`, or 0. A name can begin with a colon.
inline size_t header_name_length(const uint8_t *line, size_t length) {
  if (length < 2) return 0;
  const void *colon = std::memchr(line + 1, ':', length - 1);
  return colon == nullptr ? 0 : static_cast<size_t>(static_cast<const uint8_t *>(colon) - line);
}

/// Takes the header in a line, if it is looked for. Returns its place, or NULL.
inline const Place *take_header_line(Reading &reading, const Node &node, const uint8_t *line,
                                     size_t length, size_t level) {
  const size_t name = header_name_length(line, length);
  if (name == 0) return nullptr;
  const Place *place = reading.tree.find_header(node, line, name);
  if (place == nullptr) return nullptr;
  const uint8_t *from = line + name + 1, *end = line + length;
  while (from < end && (*from == ' ' || *from == '\t')) from++;
  while (end > from && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
  if (reading.meet(*place)) {
    reading.take(*place, {from, static_cast<size_t>(end - from)}, level);
  }
  return place;
}

/// Takes the headers in a text of lines. A line that goes on with the one before it, which some
/// take for a part of that and others do not, makes that header ambiguous.
inline void take_header_lines(Reading &reading, const Node &node, const Text &text, size_t level) {
  const uint8_t *at = text.bytes, *const end = text.bytes + text.length;
  const Place *last = nullptr;
  while (at < end) {
    const void *found = std::memchr(at, '\n', static_cast<size_t>(end - at));
    const uint8_t *line_end = found == nullptr ? end : static_cast<const uint8_t *>(found);
    if (*at == ' ' || *at == '\t') {
      if (last != nullptr) reading.note_twice(*last);
    } else {
      last = take_header_line(reading, node, at, static_cast<size_t>(line_end - at), level);
    }
    at = line_end + 1;
  }
}

template <bool is_flat>
attest_json_status Walk<is_flat>::read_header_list(const Node &node, size_t depth) {
  /// Whether strings are whole lines, and false where they are names and values in turn.
  bool has_lines = false;
  const Place *named = nullptr;
  for (size_t element = 0;; element++) {
    attest_json_status status = ATTEST_JSON_OK;
    if (tokens_.peek() == '"' && (has_lines || element % 2 == 0)) {
      Text text;
      if (!tokens_.read_string(&text)) return ATTEST_JSON_MALFORMED;
      if (element == 0) has_lines = header_name_length(text.bytes, text.length) != 0;
      if (has_lines) {
        take_header_line(reading_, node, text.bytes, text.length, level_);
      } else {
        named = tree_.find_header(node, text.bytes, text.length);
      }
    } else if (named != nullptr) {
      status = read_value(*named, depth);
      named = nullptr;
    } else if (tokens_.peek() == '{') {
      if (!read_usual_header(node, depth)) status = read_header_object(node, depth);
    } else if (tokens_.peek() == '[') {
      status = read_header_pair(node, depth);
    } else {
      status = skip_value(depth);
    }
    if (status != ATTEST_JSON_OK) return status;
    bool is_last;
    if (!pass_comma(']', &is_last)) return ATTEST_JSON_MALFORMED;
    if (is_last) return ATTEST_JSON_OK;
  }
}

template <bool is_flat>
bool Walk<is_flat>::read_usual_header(const Node &node, size_t depth) {
  /// The tokens in front of the name, up to it, and those of the shortest element.
  constexpr size_t name_token = 3, least_tokens = 9;
  /// The objects and arrays of the deepest element.
  constexpr size_t levels = 5;
  if (!tokens_.has(least_tokens) || depth > ATTEST_JSON_MAXIMUM_DEPTH - levels) return false;
  if (!tokens_.stands(0, "{\"key\":\"") && !tokens_.stands(0, "{\"name\":\"")) return false;
  // Behind the name: where the value stands, and the tokens of the whole.
  size_t value_token, tokens;
  if (tokens_.stands(name_token + 1, ",\"value\":{\"stringValue\":\"")) {
    value_token = 10;
    tokens = 13;
    if (!tokens_.has(tokens) || tokens_.peek(11) != '}' || tokens_.peek(12) != '}') return false;
  } else if (tokens_.stands(name_token + 1, ",\"value\":\"")) {
    value_token = 7;
    tokens = 9;
    if (tokens_.peek(8) != '}') return false;
  } else if (tokens_.stands(name_token + 1,
                            ",\"value\":{\"arrayValue\":{\"values\":[{\"stringValue\":\"")) {
    value_token = 17;
    tokens = 23;
    if (!tokens_.has(tokens) || tokens_.peek(18) != '}' || tokens_.peek(19) != ']' ||
        tokens_.peek(20) != '}' || tokens_.peek(21) != '}' || tokens_.peek(22) != '}') {
      return false;
    }
  } else {
    return false;
  }
  Text name, value;
  if (!tokens_.is_plain_string(name_token, &name) || !tokens_.is_plain_string(value_token, &value)) {
    return false;
  }
  const Place *const place = tree_.find_header(node, name.bytes, name.length);
  if (place != nullptr) {
    // What asks for more than the text is read in the general way.
    uint64_t &met = reading_.met[place->own_word];
    if (place->node >= 0 || place->wants_raw || place->wrapping != 0 ||
        ((met | reading_.variants[place->own_word]) & place->own_bit) != 0) {
      return false;
    }
    met |= place->own_bit;
    fields_->sets.strings |= place->bit;
    fields_->values[place->slot] = {value.bytes, value.length};
  }
  tokens_.pass(tokens);
  return true;
}

template <bool is_flat>
attest_json_status Walk<is_flat>::read_header_object(const Node &node, size_t outside) {
  if (outside == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
  const size_t depth = outside + 1;
  uint8_t *const room = tokens_.room();
  const Place *place = nullptr;
  size_t names = 0, values = 0;
  bool is_read = false;
  Tokens::Position value = tokens_.position();
  tokens_.pass();
  bool is_last = tokens_.peek() == '}';
  if (is_last) tokens_.pass();
  while (!is_last) {
    Text member;
    if (!read_name(&member)) return ATTEST_JSON_MALFORMED;
    attest_json_status status = ATTEST_JSON_OK;
    if (is_name_member(member) && tokens_.peek() == '"') {
      Text name;
      if (!tokens_.read_string(&name)) return ATTEST_JSON_MALFORMED;
      const Place *found = tree_.find_header(node, name.bytes, name.length);
      // Of two names either may be meant.
      if (names++ > 0) {
        if (place != nullptr) reading_.note_twice(*place);
        if (found != nullptr) reading_.note_twice(*found);
      }
      if (place == nullptr) place = found;
    } else if (is_value_member(member) && values++ == 0) {
      value = tokens_.position();
      is_read = place != nullptr;
      status = is_read ? read_value(*place, depth) : skip_value(depth);
    } else {
      status = skip_value(depth);
    }
    if (status != ATTEST_JSON_OK) return status;
    if (!pass_comma('}', &is_last)) return ATTEST_JSON_MALFORMED;
  }
  if (place != nullptr && values > 1) reading_.note_twice(*place);
  if (is_read) return ATTEST_JSON_OK;
  // Nothing that was read so far is kept.
  const Tokens::Position behind = tokens_.position();
  tokens_.move(value, room);
  const attest_json_status status =
      place != nullptr && values > 0 ? read_value(*place, depth) : ATTEST_JSON_OK;
  tokens_.move(behind, tokens_.room());
  return status;
}

template <bool is_flat>
attest_json_status Walk<is_flat>::read_header_pair(const Node &node, size_t outside) {
  if (outside == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
  const size_t depth = outside + 1;
  const Place *place = nullptr;
  tokens_.pass();
  bool is_last = tokens_.peek() == ']';
  if (is_last) tokens_.pass();
  for (size_t element = 0; !is_last; element++) {
    attest_json_status status = ATTEST_JSON_OK;
    if (element == 0 && tokens_.peek() == '"') {
      Text name;
      if (!tokens_.read_string(&name)) return ATTEST_JSON_MALFORMED;
      place = tree_.find_header(node, name.bytes, name.length);
    } else if (element == 1 && place != nullptr) {
      status = read_value(*place, depth);
    } else {
      if (element > 1 && place != nullptr) reading_.note_twice(*place);
      status = skip_value(depth);
    }
    if (status != ATTEST_JSON_OK) return status;
    if (!pass_comma(']', &is_last)) return ATTEST_JSON_MALFORMED;
  }
  return ATTEST_JSON_OK;
}

template <bool is_flat>
attest_json_status Walk<is_flat>::read_wrapped(const Place &place, size_t outside, int wrappings) {
  const bool is_list = tokens_.peek() == '[';
  fields_->values[place.slot] = {nullptr, 0};
  // A schema may look for an element by its number, or for headers in headers.
  if (wrappings == 0 && place.node >= 0 && is_list &&
      (tree_.node(place.node).first_element >= 0 || tree_.node(place.node).has_headers)) {
    fields_->sets.others |= place.bit;
    return read_container(place, outside);
  }
  if (wrappings < wrappings_limit && outside < ATTEST_JSON_MAXIMUM_DEPTH) {
    const Tokens::Position start = tokens_.position();
    uint8_t *const room = tokens_.room();
    tokens_.pass();
    if (is_list) {
      if (tokens_.peek() != ']') return read_only_element(place, outside + 1, wrappings + 1);
    } else if (tokens_.peek() == '"') {
      Text name;
      if (!read_name(&name)) return ATTEST_JSON_MALFORMED;
      // What a schema looks for below a header goes before what may tell a type.
      const bool is_typed = (is_value_member(name) || is_name_member(name)) &&
                            (place.node < 0 || (!tree_.node(place.node).has_headers &&
                                                tree_.find(tree_.node(place.node), name.bytes,
                                                           name.length) == nullptr));
      if (is_typed) return read_typed(place, name, outside + 1, wrappings + 1);
    }
    tokens_.move(start, room);
  }
  fields_->sets.others |= place.bit;
  return wrappings == 0 && place.node >= 0 ? read_container(place, outside)
                                           : skip_container(outside);
}

template <bool is_flat>
attest_json_status Walk<is_flat>::read_only_element(const Place &place, size_t depth,
                                                    int wrappings) {
  attest_json_status status = read_header_value(place, depth, wrappings);
  if (status != ATTEST_JSON_OK) return status;
  bool is_last;
  if (!pass_comma(']', &is_last)) return ATTEST_JSON_MALFORMED;
  // Which of several values counts is nobody's guess.
  if (!is_last) reading_.note_twice(place);
  while (!is_last) {
    status = skip_value(depth);
    if (status != ATTEST_JSON_OK) return status;
    if (!pass_comma(']', &is_last)) return ATTEST_JSON_MALFORMED;
  }
  return ATTEST_JSON_OK;
}

template <bool is_flat>
attest_json_status Walk<is_flat>::read_typed(const Place &place, Text member, size_t depth,
                                            int wrappings) {
  size_t values = 0;
  bool is_last = false;
  while (true) {
    attest_json_status status;
    if (is_value_member(member) && values++ == 0) {
      status = read_header_value(place, depth, wrappings);
    } else {
      status = skip_value(depth);
    }
    if (status != ATTEST_JSON_OK) return status;
    if (!pass_comma('}', &is_last)) return ATTEST_JSON_MALFORMED;
    if (is_last) break;
    if (!read_name(&member)) return ATTEST_JSON_MALFORMED;
  }
  if (values > 1) reading_.note_twice(place);
  if (values == 0) fields_->sets.others |= place.bit;
  return ATTEST_JSON_OK;
}

template <bool is_flat>
attest_json_status Walk<is_flat>::read_header_value(const Place &place, size_t depth,
                                                    int wrappings) {
  return tokens_.peek() == '{' || tokens_.peek() == '[' ? read_wrapped(place, depth, wrappings)
                                                        : read_new_value(place, depth);
}

}  // namespace

}  // namespace attest

#endif
