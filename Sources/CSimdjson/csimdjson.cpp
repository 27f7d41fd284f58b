#include "csimdjson.h"

#include <simdjson.h>

#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <vector>

#include "attest_signs.h"
#include "attest_text.h"
#include "json_headers.h"
#include "json_lenient.h"
#include "json_tokens.h"
#include "json_tree.h"
#include "json_walk.h"

namespace {

using namespace simdjson;
using attest::LenientText;
using attest::Node;
using attest::Place;
using attest::Reading;
using attest::Tokens;
using attest::Tree;
using attest::Walk;

static_assert(ATTEST_JSON_PADDING >= SIMDJSON_PADDING, "lines need simdjson's padding behind them");
static_assert(ATTEST_JSON_PADDING >= Tree::word_bytes, "names are compared in one piece");

/// Room for lines comes in multiples of this.
constexpr size_t room_step = 16384;

/// Strings in strings, each of which may be wrapped.
constexpr size_t level_limit = 2 * ATTEST_JSON_MAXIMUM_STEPS;

/// Room beyond this is given back after the line: a line takes 5 times its bytes and more.
constexpr size_t kept_room = 1 << 20;

/// The bytes of a string beyond which it is searched for tokens. A shorter one can contain the beginning of a token
/// only, and is searched if it has a sign of one. And the tokens of JSON in an array of numbers that is searched.
constexpr size_t least_part = 60;
constexpr size_t least_string = 8;
constexpr size_t least_array = 24;

}  // namespace

struct attest_json_parser {
  Tree tree;
  Reading reading{tree};
  std::unique_ptr<internal::dom_parser_implementation> stages;
  /// Room for decoded strings at each level of strings in strings: as much as the line is long.
  std::unique_ptr<uint8_t[]> rooms[level_limit];
  /// The place that the next string of a level is decoded to.
  uint8_t *free_room[level_limit];
  size_t levels = 0;
  /// The bytes in each room, but for the padding, or 0 if there is no room.
  size_t room_bytes = 0;
  /// The texts of the line at hand that were read with tolerances.
  std::deque<LenientText> lenient;
  /// The line at hand if its parts were not found yet.
  attest_json_value line = {nullptr, 0};
  /// The parts of the line at hand in which a token can be.
  std::vector<attest_json_value> parts;

  /// Makes room for a line of `length` bytes, and gives much of it back. Returns false without memory.
  bool make_room(size_t length) {
    if (length <= room_bytes && !(room_bytes > kept_room && length < kept_room)) return true;
    room_bytes = 0;
    const size_t wanted = (length + room_step - 1) / room_step * room_step;
    for (auto &room : rooms) room.reset();
    levels = 0;
    if (stages) {
      if (stages->allocate(wanted, ATTEST_JSON_MAXIMUM_DEPTH)) return false;
    } else if (get_active_implementation()->create_dom_parser_implementation(
                   wanted, ATTEST_JSON_MAXIMUM_DEPTH, stages)) {
      return false;
    }
    room_bytes = wanted;
    if (make_level(0)) return true;
    room_bytes = 0;
    return false;
  }

  bool make_level(size_t level) {
    if (rooms[level]) return true;
    // Names are compared in one piece, here too.
    rooms[level].reset(new (std::nothrow) uint8_t[room_bytes + ATTEST_JSON_PADDING]());
    if (rooms[level] && level >= levels) levels = level + 1;
    return rooms[level] != nullptr;
  }

  /// Finds the tokens of a text. Returns false if it has no tokens.
  bool index(const uint8_t *text, size_t length) {
    // A text that was read with tolerances can be longer than the line.
    if (length > stages->capacity() && stages->allocate(length, ATTEST_JSON_MAXIMUM_DEPTH)) {
      throw std::bad_alloc();
    }
    return length > 0 && !stages->stage1(text, length, stage1_mode::regular) &&
           stages->n_structural_indexes > 0;
  }

  /// Reads an object or array whose tokens were found. It is inside `level` strings.
  attest_json_status walk(const uint8_t *text, size_t length, const Node &node, size_t level,
                          bool is_lenient = false) {
    const Tokens tokens(text, length, stages->structural_indexes.get(),
                        stages->n_structural_indexes, free_room[level], is_lenient);
    return tree.is_flat() ? walk<true>(tokens, node, level) : walk<false>(tokens, node, level);
  }

  template <bool is_flat>
  attest_json_status walk(const Tokens &tokens, const Node &node, size_t level) {
    Walk<is_flat> walk(tokens, reading, level);
    const attest_json_status status = walk.read_all(node);
    free_room[level] = walk.room();
    return status;
  }

  bool start_level(size_t level) {
    if (rooms[level]) return true;
    if (!make_level(level)) return false;
    free_room[level] = rooms[level].get();
    return true;
  }

  /// Returns whether the wrapping of a place's strings is there in the line at hand.
  bool is_wrapped(const Place &place) const {
    if (place.switch_bit == 0) return true;
    const attest_json_fields &fields = *reading.fields;
    if (((fields.sets.strings | fields.sets.numbers | fields.sets.others) & place.switch_bit) == 0) return false;
    const attest_json_value value = attest_json_whole(fields.values[place.switch_slot]);
    const attest::Text text = {value.bytes, value.length};
    return attest::is_word(text, "true") || attest::is_word(text, "1") ||
           attest::is_word(text, "base64");
  }

  /// Decodes a wrapped string into the room of `level`. Returns false if it is not wrapped so.
  bool unwrap(const Place &place, attest::Text *text, size_t level) {
    uint8_t *const out = free_room[level];
    size_t length = text->length;
    if (place.wrapping == ATTEST_JSON_BASE64) {
      while (length > 0 && text->length - length < 2 && text->bytes[length - 1] == '=') length--;
      if (length != text->length && text->length % 4 != 0) return false;
      if (length % 4 == 1) return false;
      if (attest_base64_decode(text->bytes, length, out) == ATTEST_BASE64_NONE) return false;
      length = length / 4 * 3 + (length % 4 == 0 ? 0 : length % 4 - 1);
    } else if (place.wrapping == ATTEST_JSON_PERCENT) {
      const uint8_t *end = attest::decode_percents(text->bytes, text->bytes + length, out);
      if (end == nullptr) return false;
      length = static_cast<size_t>(end - out);
    } else {
      if (!index(text->bytes, length) || stages->n_structural_indexes != 1) return false;
      Tokens tokens(text->bytes, length, stages->structural_indexes.get(), 1, out);
      if (tokens.peek() != '"' || !tokens.read_string(text)) return false;
      free_room[level] = tokens.room();
      return true;
    }
    *text = {out, length};
    free_room[level] = out + length;
    return true;
  }

  /// Unwraps a string, and looks into it. An empty one stands for itself.
  attest_json_status open(const Reading::Closed &string) {
    const Place &place = reading.tree.place(string.place);
    if (place.wrapping == 0 || string.text.length == 0 || !is_wrapped(place)) {
      return place.node < 0 ? ATTEST_JSON_OK : look_into(string);
    }
    Reading::Closed plain = string;
    plain.level++;
    if (plain.level >= level_limit) return ATTEST_JSON_OK;
    if (!start_level(plain.level)) return ATTEST_JSON_NO_MEMORY;
    attest_json_fields &fields = *reading.fields;
    if (!unwrap(place, &plain.text, plain.level)) {
      fields.sets.broken |= place.slots;
      return ATTEST_JSON_OK;
    }
    if (!validate_utf8(reinterpret_cast<const char *>(plain.text.bytes), plain.text.length)) {
      fields.sets.binary |= place.bit;
    }
    fields.values[place.slot] = {plain.text.bytes, plain.text.length};
    return place.node < 0 ? ATTEST_JSON_OK : look_into(plain);
  }

  /// Reads the JSON in a string. A string that is not JSON contains no values, except headers in lines.
  attest_json_status look_into(const Reading::Closed &string) {
    const Node &node = reading.tree.node(reading.tree.place(string.place).node);
    const size_t level = string.level + 1;
    if (level >= level_limit) return ATTEST_JSON_OK;
    const uint8_t *const text = string.text.bytes;
    const size_t length = string.text.length;
    size_t first = 0;
    while (first < length && (attest::is_space(text[first]) || text[first] == 0)) first++;
    if (attest::begins_with(text + first, text + length, "\xEF\xBB\xBF")) first += 3;
    if (first == length || (text[first] != '{' && text[first] != '[')) {
      if (length == 0 || attest::is_word(string.text, "-") || attest::is_word(string.text, "null")) {
        const Place &place = reading.tree.place(string.place);
        reading.fields->sets.under_blank |= place.slots & ~place.bit;
      }
      if (node.has_headers) attest::take_header_lines(reading, node, string.text, string.level);
      return ATTEST_JSON_OK;
    }
    if (!start_level(level)) return ATTEST_JSON_NO_MEMORY;
    const attest::MetPlaces met_before = reading;
    const attest_json_sets sets_before = reading.fields->sets;
    uint8_t *const room = free_room[level];
    if (index(text, length) && walk(text, length, node, level) == ATTEST_JSON_OK) {
      return ATTEST_JSON_OK;
    }
    static_cast<attest::MetPlaces &>(reading) = met_before;
    reading.fields->sets = sets_before;
    free_room[level] = room;
    LenientText &again = lenient.emplace_back();
    if (again.read(text, length, true) != ATTEST_JSON_OK) {
      lenient.pop_back();
      return ATTEST_JSON_OK;
    }
    return walk(again, node, level);
  }

  static bool is_clear(const uint8_t *text, size_t length) {
    const attest_searched_text searched = {text, length, nullptr, 0};
    return attest_is_clear(&searched, 1, 0, nullptr) != 0;
  }

  /// Finds the parts of a text in which a token can be, by its tokens. The escapes of a text that was read with
  /// tolerances are its own: of such a text, all strings can contain a token.
  void find_parts(const uint8_t *text, size_t text_length, bool is_lenient) {
    const uint32_t *const index = stages->structural_indexes.get();
    const size_t count = stages->n_structural_indexes;
    for (size_t at = 0; at < count; at++) {
      const uint32_t from = index[at];
      if (text[from] == '"') {
        const size_t length = (at + 1 < count ? index[at + 1] : text_length) - from;
        if (length > least_part ||
            (length > least_string &&
             (is_lenient || !is_clear(text + from + 1, length - 1)))) {
          parts.push_back({text + from + 1, length - 1});
        }
      } else if (text[from] == '[' && count - at > least_array) {
        at = find_array(text, at);
      }
    }
  }

  /// Adds an array of numbers, and returns its last token.
  size_t find_array(const uint8_t *text, size_t at) {
    const uint32_t *const index = stages->structural_indexes.get();
    if (!attest::is_digit(text[index[at + 1]])) return at;
    size_t last = at + 1;
    while (last + 1 < stages->n_structural_indexes) {
      const uint8_t first = text[index[last]];
      if (!attest::is_digit(first) && first != ',' && first != '-') break;
      last++;
    }
    if (last - at <= least_array) return last - 1;
    parts.push_back({text + index[at], index[last] + 1 - index[at]});
    return last - 1;
  }

  attest_json_status read(const uint8_t *line, size_t length) {
    if (length == 0) return ATTEST_JSON_MALFORMED;
    if (!make_room(length)) return ATTEST_JSON_NO_MEMORY;
    if (!index(line, length)) return ATTEST_JSON_MALFORMED;
    const uint32_t *index = stages->structural_indexes.get();
    if (line[index[0]] != '{' || line[index[stages->n_structural_indexes - 1]] != '}') {
      return ATTEST_JSON_MALFORMED;
    }
    for (size_t level = 0; level < levels; level++) free_room[level] = rooms[level].get();
    const attest_json_status status = walk(line, length, tree.root(), 0);
    if (status == ATTEST_JSON_OK) this->line = {line, length};
    return status;
  }

  attest_json_status read_again(const uint8_t *line, size_t length) {
    LenientText &text = lenient.emplace_back();
    const attest_json_status status = text.read(line, length, false);
    reading.fields->failed_at = text.failed_at();
    if (status != ATTEST_JSON_OK) return status;
    if (!make_room(text.length())) return ATTEST_JSON_NO_MEMORY;
    for (size_t level = 0; level < levels; level++) free_room[level] = rooms[level].get();
    const attest_json_status walked = walk(text, tree.root(), 0);
    find_parts(text.bytes(), text.length(), true);
    for (attest_json_value &part : parts) text.restore(&part);
    const attest_json_fields &fields = *reading.fields;
    if ((fields.tolerances & 1u << ATTEST_JSON_TEXT_AFTER) != 0) {
      const size_t after = fields.tolerated_at[ATTEST_JSON_TEXT_AFTER];
      parts.push_back({line + after, length - after});
    }
    return walked;
  }

  /// Reads a text that was read with tolerances, for its values.
  attest_json_status walk(const LenientText &text, const Node &node, size_t level) {
    text.note(reading.fields);
    if (!index(text.bytes(), text.length())) return ATTEST_JSON_MALFORMED;
    const attest_json_status status = walk(text.bytes(), text.length(), node, level, true);
    for (attest_json_value &raw : reading.fields->raws) text.restore(&raw);
    return status;
  }
};

attest_json_parser *attest_json_create(const attest_json_place *places, size_t count) {
  attest_json_parser *parser = new (std::nothrow) attest_json_parser();
  if (parser != nullptr && !parser->tree.fill(places, count)) {
    delete parser;
    return nullptr;
  }
  return parser;
}

void attest_json_destroy(attest_json_parser *parser) { delete parser; }

attest_json_status attest_json_read(attest_json_parser *parser, const uint8_t *line, size_t length,
                                    attest_json_fields *fields) {
  parser->reading.start(fields);
  parser->line = {nullptr, 0};
  parser->parts.clear();
  if (!parser->lenient.empty()) {
    // The room for long texts is given back.
    parser->lenient.clear();
    parser->room_bytes = 0;
  }
  try {
    const attest_json_status status = parser->read(line, length);
    if (status == ATTEST_JSON_OK || status == ATTEST_JSON_NO_MEMORY) return status;
    parser->reading.start(fields);
    return parser->read_again(line, length);
  } catch (const std::bad_alloc &) {
    return ATTEST_JSON_NO_MEMORY;
  }
}

const attest_json_value *attest_json_parts(attest_json_parser *parser, size_t *count) {
  const attest_json_value line = parser->line;
  parser->line = {nullptr, 0};
  // The tokens of the line can have been replaced by those of a string in it.
  if (line.bytes != nullptr && parser->index(line.bytes, line.length)) {
    parser->find_parts(line.bytes, line.length, false);
  }
  *count = parser->parts.size();
  return parser->parts.data();
}

attest_json_status attest_json_open(attest_json_parser *parser, uint64_t wanted,
                                    attest_json_fields *fields) {
  Reading &reading = parser->reading;
  reading.fields = fields;
  // A string that is read can contain further ones, which follow those known.
  size_t kept = 0;
  uint64_t closed = 0;
  for (size_t next = 0; next < reading.closed_count; next++) {
    const Reading::Closed string = reading.closed[next];
    const Place &place = reading.tree.place(string.place);
    const uint64_t below = Reading::slots_within(place);
    if ((below & wanted) == 0) {
      closed |= below;
      reading.closed[kept++] = string;
      continue;
    }
    try {
      const attest_json_status status = parser->open(string);
      if (status != ATTEST_JSON_OK) return status;
    } catch (const std::bad_alloc &) {
      return ATTEST_JSON_NO_MEMORY;
    }
  }
  reading.closed_count = kept;
  fields->sets.closed = closed;
  return ATTEST_JSON_OK;
}

int32_t attest_json_twice(const attest_json_parser *parser, uint64_t wanted) {
  const Tree &tree = parser->reading.tree;
  for (size_t index = 0; index < tree.count(); index++) {
    if ((parser->reading.twice[index >> 6] >> (index & 63) & 1) != 0 &&
        (tree.place(static_cast<int>(index)).slots & wanted) != 0) {
      return static_cast<int32_t>(index);
    }
  }
  return -1;
}
