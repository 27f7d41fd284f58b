#ifndef ATTEST_AUDIT_JSON_LENIENT_H
#define ATTEST_AUDIT_JSON_LENIENT_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "csimdjson.h"
#include "json_tokens.h"

namespace attest {

namespace {

/// Returns the length of the UTF-8 sequence at `at` (RFC 3629), or 0 if it is not one.
inline size_t utf8_length(const uint8_t *at, const uint8_t *end) {
  const uint8_t first = *at;
  if (first < 0x80) return 1;
  const size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || static_cast<size_t>(end - at) < length) return 0;
  const uint8_t least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const uint8_t most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (at[1] < least || at[1] > most) return 0;
  for (size_t index = 2; index < length; index++) {
    if ((at[index] & 0xC0) != 0x80) return 0;
  }
  return length;
}

/// Returns whether a second text contains an object, or an array with content. `*at` moves to it.
inline bool has_second_value(const uint8_t **at, const uint8_t *end) {
  const uint8_t *last = end;
  while (last > *at && last[-1] != ']') last--;
  for (; *at < end; ++*at) {
    if (**at == '{') return true;
    if (**at != '[') continue;
    const uint8_t *inside = *at + 1;
    while (inside < end && is_space(*inside)) inside++;
    if (inside < last && *inside != ']') return true;
  }
  return false;
}

/// The second reading of a text that the first reading refused: it checks the grammar of JSON with the
/// tolerances of `records.R81`, and writes the text again so that the strict walk reads it.
///
/// A byte that strict JSON does not allow in a string becomes a private escape of three bytes: a
/// backslash and the UTF-8 of U+0100 plus the byte. `write_escape` decodes it if it is told so.
class LenientText {
 public:
  /// Reads a text. It must be an object, or, if `takes_arrays`, an object or array.
  attest_json_status read(const uint8_t *text, size_t length, bool takes_arrays) {
    begin_ = at_ = text;
    end_ = text + length;
    if (length > UINT32_MAX / 8) return ATTEST_JSON_NO_MEMORY;
    out_.reserve(length + length / 8 + ATTEST_JSON_PADDING);
    pass_leading();
    if (at_ == end_) return ATTEST_JSON_ENDS_EARLY;
    if (*at_ != '{' && !(takes_arrays && *at_ == '[')) return ATTEST_JSON_MALFORMED;
    Values values{*this};
    const attest_json_status status = walk_value(*this, 0, values);
    if (status == ATTEST_JSON_MALFORMED && at_ == end_) return ATTEST_JSON_ENDS_EARLY;
    if (status != ATTEST_JSON_OK) return status;
    length_ = out_.size();
    out_.resize(length_ + ATTEST_JSON_PADDING);
    pass_space();
    if (at_ == end_) return ATTEST_JSON_OK;
    tolerate(ATTEST_JSON_TEXT_AFTER);
    if (!has_second_value(&at_, end_)) return ATTEST_JSON_OK;
    return *at_ == '{' ? ATTEST_JSON_SECOND_OBJECT : ATTEST_JSON_MALFORMED;
  }

  // The tokens that `walk_value` reads. A text that ends too early is read to its end.

  /// Returns the first byte of the token at hand, or 0 if there is none.
  uint8_t peek() {
    pass_space();
    return at_ < end_ ? *at_ : 0;
  }

  void pass() { copy(1); }

  /// Reads a member's name, and passes over its colon.
  bool read_name(Text *) {
    if (peek() != '"' || !read_string() || peek() != ':') return false;
    pass();
    return true;
  }

  /// The text that strict JSON takes, with padding after it.
  const uint8_t *bytes() const { return out_.data(); }
  size_t length() const { return length_; }

  size_t failed_at() const { return static_cast<size_t>(at_ - begin_); }

  /// Adds the tolerances that were needed to `fields`, unless they were needed before.
  void note(attest_json_fields *fields) const {
    for (size_t index = 0; index < ATTEST_JSON_TOLERANCES; index++) {
      const uint32_t bit = UINT32_C(1) << index;
      if ((tolerances_ & bit) != 0 && (fields->tolerances & bit) == 0) {
        fields->tolerated_at[index] = tolerated_at_[index];
      }
    }
    fields->tolerances |= tolerances_;
  }

  /// Moves a value in the written text to its place in the original one.
  void restore(attest_json_value *value) const {
    if (value->bytes < bytes() || value->bytes >= bytes() + length_) return;
    const size_t from = original(static_cast<size_t>(value->bytes - bytes()));
    const size_t to = original(static_cast<size_t>(value->bytes - bytes()) + value->length);
    *value = {begin_ + from, to - from};
  }

 private:
  /// A visitor that reads the values in objects and arrays.
  struct Values {
    LenientText &text;

    void begin(uint8_t, const Text &) {}
    void end() {}
    bool scalar(const Text &) { return text.peek() == '"' ? text.read_string() : text.read_word(); }
  };

  /// A place after which both texts agree until the next such place.
  struct Step {
    uint32_t written, original;
  };

  const uint8_t *begin_ = nullptr, *end_ = nullptr, *at_ = nullptr;
  std::vector<uint8_t> out_;
  std::vector<Step> steps_;
  size_t length_ = 0;
  uint32_t tolerances_ = 0;
  size_t tolerated_at_[ATTEST_JSON_TOLERANCES] = {};

  void tolerate(attest_json_tolerance tolerance) {
    const uint32_t bit = UINT32_C(1) << tolerance;
    if ((tolerances_ & bit) == 0) tolerated_at_[tolerance] = failed_at();
    tolerances_ |= bit;
  }

  size_t original(size_t written) const {
    size_t low = 0, high = steps_.size();
    while (low < high) {
      const size_t middle = (low + high) / 2;
      if (steps_[middle].written <= written) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == 0 ? written : steps_[low - 1].original + (written - steps_[low - 1].written);
  }

  void copy(size_t count) {
    out_.insert(out_.end(), at_, at_ + count);
    at_ += count;
  }

  /// Writes other bytes instead of the next `count` ones.
  void replace(size_t count, attest_json_tolerance tolerance, const char *text, size_t length) {
    tolerate(tolerance);
    out_.insert(out_.end(), text, text + length);
    at_ += count;
    steps_.push_back({static_cast<uint32_t>(out_.size()), static_cast<uint32_t>(at_ - begin_)});
  }

  void replace(size_t count, attest_json_tolerance tolerance, uint8_t byte) {
    const char escape[] = {'\\', static_cast<char>(0xC4 | byte >> 6),
                           static_cast<char>(0x80 | (byte & 0x3F))};
    replace(count, tolerance, escape, sizeof escape);
  }

  void pass_leading() {
    while (at_ < end_) {
      if (is_space(*at_)) {
        copy(1);
      } else if (*at_ == 0) {
        replace(1, ATTEST_JSON_BYTES_BEFORE, "", 0);
      } else if (begins_with(at_, end_, "\xEF\xBB\xBF")) {
        replace(3, ATTEST_JSON_BYTES_BEFORE, "", 0);
      } else {
        return;
      }
    }
  }

  void pass_space() {
    while (at_ < end_ && is_space(*at_)) copy(1);
  }

  bool read_word() {
    for (const char *word : {"NaN", "Infinity", "-Infinity"}) {
      const size_t length = std::strlen(word);
      if (static_cast<size_t>(end_ - at_) >= length && std::memcmp(at_, word, length) == 0) {
        replace(length, ATTEST_JSON_NOT_A_NUMBER, "null", 4);
        return true;
      }
    }
    const uint8_t *to = at_;
    if (attest::read_word(&to, end_) != Word::none) {
      copy(static_cast<size_t>(to - at_));
      return true;
    }
    // A word or number without its end.
    while (to < end_ && (is_digit(*to) || ((*to | 0x20) >= 'a' && (*to | 0x20) <= 'z') ||
                         *to == '-' || *to == '+' || *to == '.')) {
      to++;
    }
    if (to == end_) at_ = end_;
    return false;
  }

  bool read_string() {
    copy(1);
    while (at_ < end_) {
      const uint8_t byte = *at_;
      if (byte == '"') {
        copy(1);
        return true;
      }
      if (byte == '\\') {
        if (!read_escape()) return false;
      } else if (byte < 0x20) {
        replace(1, ATTEST_JSON_CONTROL_CHARACTER, byte);
      } else if (const size_t length = utf8_length(at_, end_)) {
        copy(length);
      } else {
        replace(1, ATTEST_JSON_NOT_UTF8, byte);
      }
    }
    return false;
  }

  bool read_escape() {
    if (end_ - at_ < 2) return ends();
    const uint8_t kind = at_[1];
    if (kind != 0 && std::strchr("\"\\/bfnrt", kind) != nullptr) {
      copy(2);
    } else if (kind == 'x') {
      if (end_ - at_ < 4) return ends();
      const int byte = hex_byte(at_ + 2, end_);
      if (byte < 0) return false;
      replace(4, ATTEST_JSON_HEX_ESCAPE, static_cast<uint8_t>(byte));
    } else if (kind == 'u') {
      if (end_ - at_ < 6) return ends();
      const uint32_t unit = four_digits(at_ + 2);
      if (unit > 0xFFFF) return false;
      const bool has_pair = unit >= 0xD800 && unit < 0xDC00 && end_ - at_ >= 12 && at_[6] == '\\' &&
                            at_[7] == 'u' && (four_digits(at_ + 8) & ~0x3FFu) == 0xDC00;
      if (unit < 0xD800 || unit > 0xDFFF || has_pair) {
        copy(has_pair ? 12 : 6);
      } else {
        replace(6, ATTEST_JSON_LONE_SURROGATE, "\xEF\xBF\xBD", 3);
      }
    } else {
      return false;
    }
    return true;
  }

  bool ends() {
    at_ = end_;
    return false;
  }
};

}  // namespace

}  // namespace attest

#endif
