#include "csimdjson.h"

#include <simdjson.h>

#include <bitset>
#include <cstring>
#include <memory>
#include <new>

#include "json_names.h"
#include "json_text.h"

namespace {

using namespace simdjson;
using attest::Names;

static_assert(ATTEST_JSON_PADDING >= SIMDJSON_PADDING, "lines need simdjson's padding behind them");
static_assert(ATTEST_JSON_PADDING >= ATTEST_JSON_LONGEST_NAME, "names are compared in one piece");

/// Room for lines comes in multiples of this.
constexpr size_t room_step = 16384;

/// Room beyond this, which is 5 bytes for each byte of a line, is given back after the line.
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
  Tokens(const uint8_t *line, size_t length, const uint32_t *tokens, size_t count,
                uint8_t *room)
      : line_(line), end_(line + length), at_(tokens), last_(tokens + count), room_(room) {
    find_escape(line);
  }

  /// The first byte of the token at hand; 0, which begins no token of JSON, where there is none.
  uint8_t peek() const { return at_ < last_ ? line_[*at_] : 0; }

  /// Passes over a token of one byte.
  void pass() { at_++; }

  /// Whether all tokens were passed.
  bool is_done() const { return at_ == last_; }

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

/// A strict walk over the tokens of one line, the first of which is a brace that opens.
class Walk {
 public:
  Walk(const Tokens &tokens, const Names &names, attest_json_fields *fields)
      : tokens_(tokens), names_(names), fields_(fields) {}

  attest_json_status read_object() {
    tokens_.pass();
    if (tokens_.peek() == '}') {
      tokens_.pass();
    } else {
      while (true) {
        const attest_json_status status = read_member();
        if (status != ATTEST_JSON_OK) return status;
        const uint8_t byte = tokens_.peek();
        if (byte != '}' && byte != ',') return ATTEST_JSON_MALFORMED;
        tokens_.pass();
        if (byte == '}') break;
      }
    }
    return tokens_.is_done() ? ATTEST_JSON_OK : ATTEST_JSON_MALFORMED;
  }

 private:
  Tokens tokens_;
  const Names &names_;
  attest_json_fields *const fields_;

  attest_json_status read_member() {
    Text name;
    if (!read_name(&name)) return ATTEST_JSON_MALFORMED;
    const int index = names_.find(name.bytes, name.length);
    if (index < 0) return skip_value();
    const uint32_t bit = UINT32_C(1) << index;
    if ((fields_->strings | fields_->numbers | fields_->nulls | fields_->others) & bit) {
      if (fields_->duplicate < 0) fields_->duplicate = index;
      return skip_value();
    }
    Text value;
    switch (tokens_.peek()) {
      case '"':
        if (!tokens_.read_string(&value)) return ATTEST_JSON_MALFORMED;
        fields_->strings |= bit;
        break;
      case '{': case '[':
        fields_->others |= bit;
        return skip_value();
      case 0: return ATTEST_JSON_MALFORMED;
      default:
        switch (tokens_.read_word(&value)) {
          case attest::Word::number: fields_->numbers |= bit; break;
          case attest::Word::null: fields_->nulls |= bit; return ATTEST_JSON_OK;
          case attest::Word::boolean: fields_->others |= bit; return ATTEST_JSON_OK;
          case attest::Word::none: return ATTEST_JSON_MALFORMED;
        }
    }
    fields_->values[index] = {value.bytes, value.length};
    return ATTEST_JSON_OK;
  }

  /// Reads a member's name and passes over its colon.
  bool read_name(Text *name) {
    if (tokens_.peek() != '"' || !tokens_.read_string(name) || tokens_.peek() != ':') return false;
    tokens_.pass();
    return true;
  }

  /// Passes over the value of a member of the outermost object, without recursion.
  attest_json_status skip_value() {
    if (tokens_.peek() == '{' || tokens_.peek() == '[') return skip_container();
    return skip_scalar() ? ATTEST_JSON_OK : ATTEST_JSON_MALFORMED;
  }

  bool skip_scalar() {
    Text ignored;
    switch (tokens_.peek()) {
      case '"': return tokens_.read_string(&ignored);
      case 0: return false;
      default: return tokens_.read_word(&ignored) != attest::Word::none;
    }
  }

  attest_json_status skip_container() {
    Text ignored;
    /// For each level whether it is an object; the line's own object is level 1.
    std::bitset<ATTEST_JSON_MAXIMUM_DEPTH + 1> is_object;
    size_t depth = 1;
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
        if (depth == 1) return ATTEST_JSON_OK;
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
  Names names;
  std::unique_ptr<internal::dom_parser_implementation> stages;
  /// Room for decoded strings.
  std::unique_ptr<uint8_t[]> strings;

  /// Makes room for a line of `length` bytes, and gives much of it back; false where memory is out.
  bool make_room(size_t length) {
    const size_t room = stages ? stages->capacity() : 0;
    if (length <= room && !(room > kept_room && length < kept_room)) return true;
    const size_t wanted = (length + room_step - 1) / room_step * room_step;
    strings.reset();
    // Names are compared in one piece, here too.
    uint8_t *bytes = new (std::nothrow) uint8_t[wanted + ATTEST_JSON_PADDING]();
    strings.reset(bytes);
    if (bytes == nullptr) {
      stages.reset();
      return false;
    }
    if (stages) return !stages->allocate(wanted, ATTEST_JSON_MAXIMUM_DEPTH);
    return !get_active_implementation()->create_dom_parser_implementation(
        wanted, ATTEST_JSON_MAXIMUM_DEPTH, stages);
  }
};

attest_json_parser *attest_json_create(const attest_json_name *names, size_t count) {
  attest_json_parser *parser = new (std::nothrow) attest_json_parser();
  if (parser != nullptr && !parser->names.fill(names, count)) {
    delete parser;
    return nullptr;
  }
  return parser;
}

void attest_json_destroy(attest_json_parser *parser) { delete parser; }

attest_json_status attest_json_read(attest_json_parser *parser, const uint8_t *line, size_t length,
                                    attest_json_fields *fields) {
  fields->strings = fields->numbers = fields->nulls = fields->others = 0;
  fields->duplicate = -1;
  if (length == 0) return ATTEST_JSON_MALFORMED;
  if (!parser->make_room(length)) return ATTEST_JSON_NO_MEMORY;
  internal::dom_parser_implementation &stages = *parser->stages;
  if (stages.stage1(line, length, stage1_mode::regular)) return ATTEST_JSON_MALFORMED;
  const uint32_t *index = stages.structural_indexes.get();
  const size_t count = stages.n_structural_indexes;
  if (count == 0) return ATTEST_JSON_MALFORMED;
  switch (line[index[0]]) {
    case '{': break;
    case '[': case '"': case 't': case 'f': case 'n': case '-': case '0': case '1': case '2':
    case '3': case '4': case '5': case '6': case '7': case '8': case '9':
      return ATTEST_JSON_NOT_AN_OBJECT;
    default: return ATTEST_JSON_MALFORMED;
  }
  if (line[index[count - 1]] != '}') return ATTEST_JSON_MALFORMED;
  const Tokens tokens(line, length, index, count, parser->strings.get());
  return Walk(tokens, parser->names, fields).read_object();
}
