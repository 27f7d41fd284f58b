#include "csimdjson.h"

#include <simdjson.h>

#include <bitset>
#include <cstring>
#include <memory>
#include <new>

#include "json_text.h"
#include "json_tree.h"

namespace {

using namespace simdjson;
using attest::Node;
using attest::Place;
using attest::Tree;

static_assert(ATTEST_JSON_PADDING >= SIMDJSON_PADDING, "lines need simdjson's padding behind them");
static_assert(ATTEST_JSON_PADDING >= Tree::word_bytes, "names are compared in one piece");

/// Room for lines comes in multiples of this.
constexpr size_t room_step = 16384;

/// Room beyond this, which is 5 bytes for each byte of a line and one more for each level of strings
/// that hold JSON, is given back after the line.
constexpr size_t kept_room = 1 << 20;

/// A string's decoded content, or a number.
struct Text {
  const uint8_t *bytes;
  size_t length;
};

/// The tokens of a line by simdjson's index, which says where each begins: a bracket, a brace, a
/// colon, a comma, the quote that opens a string, or the first byte of a run of anything else; a
/// token ends where the next begins, but for white space. There is an index for valid UTF-8 only,
/// without control characters in strings, and with every string closed.
class Tokens {
 public:
  Tokens(const uint8_t *line, size_t length, const uint32_t *tokens, size_t count, uint8_t *room)
      : line_(line), end_(line + length), at_(tokens), last_(tokens + count), room_(room) {
    find_escape(line);
  }

  /// The first byte of the token at hand; 0, which begins no token of JSON, where there is none.
  uint8_t peek() const { return at_ < last_ ? line_[*at_] : 0; }

  /// Passes over a token of one byte.
  void pass() { at_++; }

  /// Whether all tokens were passed.
  bool is_done() const { return at_ == last_; }

  /// Where the token at hand begins; only where there is one.
  const uint8_t *begin() const { return line_ + *at_; }

  /// Where the token passed last ends.
  const uint8_t *end_of_last() const {
    const uint8_t *end = at_ < last_ ? line_ + *at_ : end_;
    while (attest::is_space(end[-1])) end--;
    return end;
  }

  /// Where the next decoded string would go.
  uint8_t *room() const { return room_; }

  /// Reads the string at hand; false for an escape that is none.
  bool read_string(Text *text) {
    const uint8_t *from = line_ + *at_ + 1;
    const uint8_t *end = token_end();
    at_++;
    if (end <= from || end[-1] != '"') return false;
    end--;
    if (escape_ >= end) {
      *text = {from, static_cast<size_t>(end - from)};
      return true;
    }
    if (escape_ < from) return false;
    const size_t plain = static_cast<size_t>(escape_ - from);
    std::memcpy(room_, from, plain);
    uint8_t *out = attest::unescape(escape_, end, room_ + plain);
    if (out == nullptr) return false;
    *text = {room_, static_cast<size_t>(out - room_)};
    room_ = out;
    find_escape(end);
    return true;
  }

  /// Reads a word or number that fills the token at hand.
  attest::Word read_word(Text *text) {
    const uint8_t *from = line_ + *at_;
    const uint8_t *end = token_end();
    at_++;
    const uint8_t *to = from;
    const attest::Word word = attest::read_word(&to, end);
    *text = {from, static_cast<size_t>(to - from)};
    return to == end ? word : attest::Word::none;
  }

 private:
  const uint8_t *const line_;
  const uint8_t *const end_;
  const uint32_t *at_;
  const uint32_t *const last_;
  /// Where the next string with escapes is decoded to: as much room as the line is long.
  uint8_t *room_;
  /// The first backslash that was not yet passed, or the end.
  const uint8_t *escape_;

  /// The end of the token at hand, without the white space behind it.
  const uint8_t *token_end() const {
    const uint8_t *end = at_ + 1 < last_ ? line_ + at_[1] : end_;
    while (attest::is_space(end[-1])) end--;
    return end;
  }

  void find_escape(const uint8_t *from) {
    const void *found = std::memchr(from, '\\', static_cast<size_t>(end_ - from));
    escape_ = found != nullptr ? static_cast<const uint8_t *>(found) : end_;
  }
};

/// Which places a line holds, and which of its strings may yet be looked into.
struct Reading {
  static constexpr size_t words = (ATTEST_JSON_MAXIMUM_PLACES + 63) / 64;

  /// A string with places below it.
  struct Closed {
    int place;
    /// How many strings this one lies in.
    size_t level;
    Text text;
  };

  const Tree &tree;
  attest_json_fields *fields;
  /// Places that were met, and those that were met again.
  uint64_t met[words], twice[words];
  Closed closed[ATTEST_JSON_MAXIMUM_PLACES];
  size_t closed_count = 0;

  explicit Reading(const Tree &tree) : tree(tree), fields(nullptr) {}

  void start(attest_json_fields *given) {
    fields = given;
    fields->strings = fields->numbers = fields->nulls = fields->others = 0;
    fields->duplicates = fields->closed = 0;
    fields->duplicate = -1;
    closed_count = 0;
    const size_t used = (tree.count() + 63) / 64;
    for (size_t index = 0; index < used; index++) met[index] = twice[index] = 0;
  }
};

/// A strict walk over the tokens of one JSON text. Where the tree is flat, with all its places in the
/// outermost object and none of them wanted raw, there is less to look at.
template <bool is_flat>
class Walk {
 public:
  /// `level` is the number of strings that the text lies in.
  Walk(const Tokens &tokens, Reading &reading, size_t level)
      : tokens_(tokens), tree_(reading.tree), reading_(reading), fields_(reading.fields),
        level_(level) {}

  /// Reads the whole text, which is an object, or, for a string's text, an array.
  attest_json_status read_all(const Node &node) {
    const attest_json_status status =
        !is_flat && tokens_.peek() == '[' ? read_array(node, 1) : read_object(node, 1);
    if (status != ATTEST_JSON_OK) return status;
    return tokens_.is_done() ? ATTEST_JSON_OK : ATTEST_JSON_MALFORMED;
  }

  /// Where the next decoded string would go.
  uint8_t *room() const { return tokens_.room(); }

 private:
  Tokens tokens_;
  const Tree &tree_;
  Reading &reading_;
  attest_json_fields *const fields_;
  const size_t level_;
  /// The places of a flat tree that were met; it has no more of them than slots.
  uint64_t met_ = 0;

  /// Reads the object at hand; what it lies in and itself are `depth` levels. As deep as the tree.
  attest_json_status read_object(const Node &node, size_t depth) {
    tokens_.pass();
    if (tokens_.peek() == '}') {
      tokens_.pass();
      return ATTEST_JSON_OK;
    }
    while (true) {
      Text name;
      if (!read_name(&name)) return ATTEST_JSON_MALFORMED;
      const Place *place = is_flat ? tree_.find_exactly(node, name.bytes, name.length)
                                   : tree_.find(node, name.bytes, name.length);
      const attest_json_status status =
          place == nullptr ? skip_value(depth) : read_value(*place, depth);
      if (status != ATTEST_JSON_OK) return status;
      const uint8_t byte = tokens_.peek();
      if (byte != '}' && byte != ',') return ATTEST_JSON_MALFORMED;
      tokens_.pass();
      if (byte == '}') return ATTEST_JSON_OK;
    }
  }

  attest_json_status read_array(const Node &node, size_t depth) {
    tokens_.pass();
    if (tokens_.peek() == ']') {
      tokens_.pass();
      return ATTEST_JSON_OK;
    }
    int wanted = node.first_element;
    for (uint64_t element = 0;; element++) {
      attest_json_status status;
      if (wanted >= 0 && tree_.place(wanted).element == element) {
        status = read_value(tree_.place(wanted), depth);
        wanted = tree_.place(wanted).next_element;
      } else {
        status = skip_value(depth);
      }
      if (status != ATTEST_JSON_OK) return status;
      const uint8_t byte = tokens_.peek();
      if (byte != ']' && byte != ',') return ATTEST_JSON_MALFORMED;
      tokens_.pass();
      if (byte == ']') return ATTEST_JSON_OK;
    }
  }

  attest_json_status read_value(const Place &place, size_t depth) {
    uint64_t &met = is_flat ? met_ : reading_.met[place.own_word];
    if (__builtin_expect((met & place.own_bit) != 0, 0)) {
      reading_.twice[place.own_word] |= place.own_bit;
      fields_->duplicates |= place.slots;
      if (fields_->duplicate < 0) fields_->duplicate = tree_.index(place);
      return skip_value(depth);
    }
    met |= place.own_bit;
    if (is_flat || !place.wants_raw) return read_new_value(place, depth);
    if (tokens_.is_done()) return ATTEST_JSON_MALFORMED;
    const uint8_t *from = tokens_.begin();
    const attest_json_status status = read_new_value(place, depth);
    if (status == ATTEST_JSON_OK) {
      fields_->raws[place.slot] = {from, static_cast<size_t>(tokens_.end_of_last() - from)};
    }
    return status;
  }

  attest_json_status read_new_value(const Place &place, size_t depth) {
    Text value = {nullptr, 0};
    switch (tokens_.peek()) {
      case '"':
        if (!tokens_.read_string(&value)) return ATTEST_JSON_MALFORMED;
        fields_->strings |= place.bit;
        if (!is_flat && place.node >= 0) close(place, value);
        break;
      case '{':
      case '[':
        fields_->others |= place.bit;
        fields_->values[place.slot] = {nullptr, 0};
        if (!is_flat && place.node >= 0) return read_container(place, depth);
        return skip_container(depth);
      case 0:
        return ATTEST_JSON_MALFORMED;
      default:
        switch (tokens_.read_word(&value)) {
          case attest::Word::number:
            fields_->numbers |= place.bit;
            break;
          case attest::Word::null:
            fields_->nulls |= place.bit;
            return ATTEST_JSON_OK;
          case attest::Word::boolean:
            fields_->others |= place.bit;
            break;
          case attest::Word::none:
            return ATTEST_JSON_MALFORMED;
        }
    }
    fields_->values[place.slot] = {value.bytes, value.length};
    return ATTEST_JSON_OK;
  }

  attest_json_status read_container(const Place &place, size_t depth) {
    if (depth == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
    const Node &node = tree_.node(place.node);
    return tokens_.peek() == '[' ? read_array(node, depth + 1) : read_object(node, depth + 1);
  }

  /// Keeps a string that may be looked into.
  void close(const Place &place, const Text &text) {
    reading_.closed[reading_.closed_count++] = {tree_.index(place), level_, text};
    fields_->closed |= place.slots & ~place.bit;
  }

  /// Reads a member's name and passes over its colon.
  bool read_name(Text *name) {
    if (tokens_.peek() != '"' || !tokens_.read_string(name) || tokens_.peek() != ':') return false;
    tokens_.pass();
    return true;
  }

  /// Passes over a value that lies `depth` levels deep, without recursion.
  attest_json_status skip_value(size_t depth) {
    if (tokens_.peek() == '{' || tokens_.peek() == '[') return skip_container(depth);
    return skip_scalar() ? ATTEST_JSON_OK : ATTEST_JSON_MALFORMED;
  }

  bool skip_scalar() {
    Text ignored;
    switch (tokens_.peek()) {
      case '"':
        return tokens_.read_string(&ignored);
      case 0:
        return false;
      default:
        return tokens_.read_word(&ignored) != attest::Word::none;
    }
  }

  attest_json_status skip_container(const size_t outside) {
    Text ignored;
    /// For each level whether it is an object; the text's own object is level 1.
    std::bitset<ATTEST_JSON_MAXIMUM_DEPTH + 1> is_object;
    size_t depth = outside;
    while (true) {
      const uint8_t open = tokens_.peek();
      if (open == '{' || open == '[') {
        if (depth == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
        depth++;
        is_object[depth] = open == '{';
        tokens_.pass();
        if (tokens_.peek() != (open == '{' ? '}' : ']')) {
          if (open == '{' && !read_name(&ignored)) return ATTEST_JSON_MALFORMED;
          continue;
        }
        tokens_.pass();
        depth--;
      } else if (!skip_scalar()) {
        return ATTEST_JSON_MALFORMED;
      }
      // Behind a value: further ones, or the ends of what holds it.
      while (true) {
        if (depth == outside) return ATTEST_JSON_OK;
        const uint8_t byte = tokens_.peek();
        if (byte != ',' && byte != (is_object[depth] ? '}' : ']')) return ATTEST_JSON_MALFORMED;
        tokens_.pass();
        if (byte == ',') break;
        depth--;
      }
      if (is_object[depth] && !read_name(&ignored)) return ATTEST_JSON_MALFORMED;
    }
  }
};

}  // namespace

struct attest_json_parser {
  Tree tree;
  Reading reading{tree};
  std::unique_ptr<internal::dom_parser_implementation> stages;
  /// Room for decoded strings, by the number of strings that they lie in: at each level as much as
  /// the line is long, for what is decoded never is longer than what it is decoded from.
  std::unique_ptr<uint8_t[]> rooms[ATTEST_JSON_MAXIMUM_STEPS];
  /// Where the next string of a level is decoded to.
  uint8_t *free_room[ATTEST_JSON_MAXIMUM_STEPS];
  /// The bytes in each room, but for the padding; 0: there is none.
  size_t room_bytes = 0;

  /// Makes room for a line of `length` bytes, and gives much of it back; false where memory is out.
  bool make_room(size_t length) {
    if (length <= room_bytes && !(room_bytes > kept_room && length < kept_room)) return true;
    room_bytes = 0;
    const size_t wanted = (length + room_step - 1) / room_step * room_step;
    for (auto &room : rooms) room.reset();
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

  /// Makes room for decoded strings at a level, where there is none.
  bool make_level(size_t level) {
    if (rooms[level]) return true;
    // Names are compared in one piece, here too.
    rooms[level].reset(new (std::nothrow) uint8_t[room_bytes + ATTEST_JSON_PADDING]());
    return rooms[level] != nullptr;
  }

  /// Finds the tokens of a text; false where there are none to be found.
  bool index(const uint8_t *text, size_t length) {
    return length > 0 && !stages->stage1(text, length, stage1_mode::regular) &&
           stages->n_structural_indexes > 0;
  }

  /// Reads an object or array whose tokens were found; what it lies in is `level` strings.
  attest_json_status walk(const uint8_t *text, size_t length, const Node &node, size_t level) {
    const Tokens tokens(text, length, stages->structural_indexes.get(),
                        stages->n_structural_indexes, free_room[level]);
    return tree.is_flat() ? walk<true>(tokens, node, level) : walk<false>(tokens, node, level);
  }

  template <bool is_flat>
  attest_json_status walk(const Tokens &tokens, const Node &node, size_t level) {
    Walk<is_flat> walk(tokens, reading, level);
    const attest_json_status status = walk.read_all(node);
    free_room[level] = walk.room();
    return status;
  }

  /// Looks into a string; one that is no JSON has nothing below it.
  attest_json_status look_into(const Reading::Closed &string) {
    const size_t level = string.level + 1;
    const uint8_t *text = string.text.bytes;
    if (!index(text, string.text.length)) return ATTEST_JSON_OK;
    const uint8_t first = text[stages->structural_indexes[0]];
    if (first != '{' && first != '[') return ATTEST_JSON_OK;
    if (!rooms[level]) {
      if (!make_level(level)) return ATTEST_JSON_NO_MEMORY;
      free_room[level] = rooms[level].get();
    }
    attest_json_fields *fields = reading.fields;
    const attest_json_fields *const was = fields;
    const uint64_t strings = was->strings, numbers = was->numbers, nulls = was->nulls,
                   others = was->others, duplicates = was->duplicates, closed = was->closed;
    const int32_t duplicate = was->duplicate;
    const size_t closed_count = reading.closed_count;
    uint64_t twice[Reading::words];
    std::memcpy(twice, reading.twice, sizeof twice);
    const Place &place = reading.tree.place(string.place);
    if (walk(text, string.text.length, reading.tree.node(place.node), level) != ATTEST_JSON_OK) {
      fields->strings = strings;
      fields->numbers = numbers;
      fields->nulls = nulls;
      fields->others = others;
      fields->duplicates = duplicates;
      fields->closed = closed;
      fields->duplicate = duplicate;
      reading.closed_count = closed_count;
      std::memcpy(reading.twice, twice, sizeof twice);
    }
    return ATTEST_JSON_OK;
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
  if (length == 0) return ATTEST_JSON_MALFORMED;
  if (!parser->make_room(length)) return ATTEST_JSON_NO_MEMORY;
  if (!parser->index(line, length)) return ATTEST_JSON_MALFORMED;
  const uint32_t *index = parser->stages->structural_indexes.get();
  switch (line[index[0]]) {
    case '{':
      break;
    case '[': case '"': case 't': case 'f': case 'n': case '-': case '0': case '1': case '2':
    case '3': case '4': case '5': case '6': case '7': case '8': case '9':
      return ATTEST_JSON_NOT_AN_OBJECT;
    default:
      return ATTEST_JSON_MALFORMED;
  }
  if (line[index[parser->stages->n_structural_indexes - 1]] != '}') return ATTEST_JSON_MALFORMED;
  for (size_t level = 0; level < ATTEST_JSON_MAXIMUM_STEPS; level++) {
    parser->free_room[level] = parser->rooms[level].get();
  }
  return parser->walk(line, length, parser->tree.root(), 0);
}

attest_json_status attest_json_open(attest_json_parser *parser, uint64_t wanted,
                                    attest_json_fields *fields) {
  Reading &reading = parser->reading;
  reading.fields = fields;
  // Looking into a string may show further ones, behind those known.
  size_t kept = 0;
  uint64_t closed = 0;
  for (size_t next = 0; next < reading.closed_count; next++) {
    const Reading::Closed string = reading.closed[next];
    const Place &place = reading.tree.place(string.place);
    const uint64_t below = place.slots & ~place.bit;
    if ((below & wanted) == 0) {
      closed |= below;
      reading.closed[kept++] = string;
      continue;
    }
    const attest_json_status status = parser->look_into(string);
    if (status != ATTEST_JSON_OK) return status;
  }
  reading.closed_count = kept;
  fields->closed = closed;
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
