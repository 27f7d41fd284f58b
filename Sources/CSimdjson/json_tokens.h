#ifndef ATTEST_AUDIT_JSON_TOKENS_H
#define ATTEST_AUDIT_JSON_TOKENS_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "csimdjson.h"
#include "json_text.h"

namespace attest {

// Of the file that includes it alone: so it is inlined there.
namespace {

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
  /// `is_lenient` tells whether the line is one that `LenientText` has written.
  Tokens(const uint8_t *line, size_t length, const uint32_t *tokens, size_t count, uint8_t *room,
         bool is_lenient = false)
      : line_(line), end_(line + length), at_(tokens), last_(tokens + count), room_(room),
        is_lenient_(is_lenient) {
    find_escape(line);
  }

  /// Returns the first byte of the token at hand, or 0 if there is none.
  uint8_t peek() const { return at_ < last_ ? line_[*at_] : 0; }

  void pass() { at_++; }

  void pass(size_t count) { at_ += count; }

  bool has(size_t count) const { return static_cast<size_t>(last_ - at_) >= count; }

  /// Returns the first byte of the token that is so many further on. That token must exist.
  uint8_t peek(size_t ahead) const { return line_[at_[ahead]]; }

  /// Returns whether these bytes stand from the token on that is so many further on, at most
  /// `ATTEST_JSON_PADDING` bytes. There must be as many tokens as they look like.
  template <size_t Size>
  bool stands(size_t ahead, const char (&bytes)[Size]) const {
    static_assert(Size - 1 <= ATTEST_JSON_PADDING, "no more can be read behind a line");
    return std::memcmp(line_ + at_[ahead], bytes, Size - 1) == 0;
  }

  /// Returns whether the token that is so many further on is a string without escapes, right behind
  /// which the next one stands, with its text; only where there are both.
  bool is_plain_string(size_t ahead, Text *text) const {
    const uint8_t *const from = line_ + at_[ahead] + 1;
    const uint8_t *const behind = line_ + at_[ahead + 1];
    if (behind <= from || from[-1] != '"' || behind[-1] != '"' || escape_ < behind) return false;
    *text = {from, static_cast<size_t>(behind - 1 - from)};
    return true;
  }

  bool is_done() const { return at_ == last_; }

  const uint8_t *begin() const { return line_ + *at_; }

  /// Returns the end of the token passed last.
  const uint8_t *end_of_last() const {
    const uint8_t *end = at_ < last_ ? line_ + *at_ : end_;
    while (is_space(end[-1])) end--;
    return end;
  }

  /// Returns the place where the next decoded string would go.
  uint8_t *room() const { return room_; }

  struct Position {
    const uint32_t *token;
    const uint8_t *escape;
  };

  Position position() const { return {at_, escape_}; }

  /// Goes to a token, and decodes the next string to `room`.
  void move(const Position &position, uint8_t *room) {
    at_ = position.token;
    escape_ = position.escape;
    room_ = room;
  }

  /// Reads the string at hand. Returns false if it has an escape that does not exist.
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
    uint8_t *out = unescape(escape_, end, room_ + plain, is_lenient_);
    if (out == nullptr) return false;
    *text = {room_, static_cast<size_t>(out - room_)};
    room_ = out;
    find_escape(end);
    return true;
  }

  /// Reads a member's name and passes over its colon.
  bool read_name(Text *name) {
    if (peek() != '"' || !read_string(name) || peek() != ':') return false;
    pass();
    return true;
  }

  /// Reads a word or number that fills the token at hand.
  Word read_word(Text *text) {
    const uint8_t *from = line_ + *at_;
    const uint8_t *end = token_end();
    at_++;
    const uint8_t *to = from;
    const Word word = attest::read_word(&to, end);
    *text = {from, static_cast<size_t>(to - from)};
    return to == end ? word : Word::none;
  }

 private:
  const uint8_t *const line_;
  const uint8_t *const end_;
  const uint32_t *at_;
  const uint32_t *const last_;
  /// The place that the next string with escapes is decoded to. It has room for all of the line.
  uint8_t *room_;
  /// The first backslash that was not yet passed, or the end.
  const uint8_t *escape_;
  const bool is_lenient_;

  /// Returns the end of the token at hand, without the white space behind it.
  const uint8_t *token_end() const {
    const uint8_t *end = at_ + 1 < last_ ? line_ + at_[1] : end_;
    while (is_space(end[-1])) end--;
    return end;
  }

  void find_escape(const uint8_t *from) {
    const void *found = std::memchr(from, '\\', static_cast<size_t>(end_ - from));
    escape_ = found != nullptr ? static_cast<const uint8_t *>(found) : end_;
  }
};

/// Walks over the value at hand and everything in it, without recursion. It lies `outside` levels deep; the text's own
/// object is level 1. `visitor` is told where objects and arrays begin and end, and reads all other values; names are
/// empty outside of objects.
template <typename Source, typename Visitor>
attest_json_status walk_value(Source &tokens, const size_t outside, Visitor &visitor) {
  /// True for each level that is an object. A level is read after it was written only.
  bool is_object[ATTEST_JSON_MAXIMUM_DEPTH + 1];
  size_t depth = outside;
  Text name = {nullptr, 0};
  while (true) {
    const uint8_t open = tokens.peek();
    if (open == '{' || open == '[') {
      if (depth == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
      is_object[++depth] = open == '{';
      visitor.begin(open, name);
      tokens.pass();
      name = {nullptr, 0};
      if (tokens.peek() != (open == '{' ? '}' : ']')) {
        if (open == '{' && !tokens.read_name(&name)) return ATTEST_JSON_MALFORMED;
        continue;
      }
    } else if (!visitor.scalar(name)) {
      return ATTEST_JSON_MALFORMED;
    }
    // Behind a value, or at the bracket of an empty one: further ones, or the ends of what holds it.
    while (true) {
      if (depth == outside) return ATTEST_JSON_OK;
      const uint8_t byte = tokens.peek();
      if (byte != ',' && byte != (is_object[depth] ? '}' : ']')) return ATTEST_JSON_MALFORMED;
      tokens.pass();
      if (byte == ',') break;
      visitor.end();
      depth--;
    }
    name = {nullptr, 0};
    if (is_object[depth] && !tokens.read_name(&name)) return ATTEST_JSON_MALFORMED;
  }
}

}  // namespace

}  // namespace attest

#endif
