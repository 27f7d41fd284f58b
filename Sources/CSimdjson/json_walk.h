#ifndef ATTEST_AUDIT_JSON_WALK_H
#define ATTEST_AUDIT_JSON_WALK_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "csimdjson.h"
#include "json_tokens.h"
#include "json_tree.h"

namespace attest {

// Of the file that includes it alone: so it is inlined there.
namespace {

/// The places that were met in a line. A string that cannot be read takes back what it added.
struct MetPlaces {
  static constexpr size_t words = (ATTEST_JSON_MAXIMUM_PLACES + 63) / 64;

  /// Places that were met, those that were met again, and those beside which is a name of another case.
  uint64_t met[words], twice[words], variants[words];
  /// The number of strings with places below them that were not yet read.
  size_t closed_count = 0;
};

/// The places that a line contains, and those of its strings that can yet be read.
struct Reading : MetPlaces {
  /// A string with places below it.
  struct Closed {
    int place;
    /// The number of strings around this one.
    size_t level;
    Text text;
  };

  const Tree &tree;
  attest_json_fields *fields;
  Closed closed[ATTEST_JSON_MAXIMUM_PLACES];

  explicit Reading(const Tree &tree) : tree(tree), fields(nullptr) {}

  void start(attest_json_fields *given) {
    fields = given;
    fields->sets = {};
    fields->sets.duplicate = -1;
    fields->tolerances = 0;
    closed_count = 0;
    const size_t used = (tree.count() + 63) / 64;
    for (size_t index = 0; index < used; index++) met[index] = twice[index] = variants[index] = 0;
  }

  /// Notes something at a place. Returns false if the place was met before.
  bool meet(const Place &place) {
    uint64_t &word = met[place.own_word];
    if ((word & place.own_bit) != 0) {
      note_twice(place);
      return false;
    }
    word |= place.own_bit;
    return true;
  }

  void note_twice(const Place &place) {
    twice[place.own_word] |= place.own_bit;
    fields->sets.duplicates |= place.slots;
    if (fields->sets.duplicate < 0) fields->sets.duplicate = tree.index(place);
  }

  /// Takes the text of a place. `level` is the number of strings around it.
  void take(const Place &place, const Text &text, size_t level) {
    fields->sets.strings |= place.bit;
    fields->values[place.slot] = {text.bytes, text.length};
    if (place.node >= 0 || place.wrapping != 0) close(place, text, level);
  }

  void close(const Place &place, const Text &text, size_t level) {
    // No place is closed twice; whatever a line has, nothing is written beyond the array.
    if (closed_count == ATTEST_JSON_MAXIMUM_PLACES) return;
    closed[closed_count++] = {tree.index(place), level, text};
    fields->sets.closed |= slots_within(place);
  }

  /// Returns the slots that are known only when a string at the place was looked into.
  static uint64_t slots_within(const Place &place) {
    return place.wrapping != 0 ? place.slots : place.slots & ~place.bit;
  }
};

/// A strict walk over the tokens of one JSON text. Where the tree is flat, with all its places in
/// the outermost object and none of them wanted raw, there is less to look at.
template <bool is_flat>
class Walk {
 public:
  /// Makes a walk. `level` is the number of strings around the text.
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

  uint8_t *room() const { return tokens_.room(); }

 private:
  /// Lists and typed objects around the value of a header.
  static constexpr int wrappings_limit = 4;

  Tokens tokens_;
  const Tree &tree_;
  Reading &reading_;
  attest_json_fields *const fields_;
  const size_t level_;
  /// The places of a flat tree that were met; it has no more of them than slots.
  uint64_t met_ = 0;
  /// The places among them that a name of another case stands beside.
  uint64_t variants_ = 0;

  /// Reads the object at hand. It and the levels around it are `depth` levels. As deep as the tree.
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
      attest_json_status status;
      if (place == nullptr) {
        const Place *variant = tree_.find_variant(node, name.bytes, name.length);
        if (__builtin_expect(variant != nullptr, 0)) note_variant(*variant);
        status = skip_value(depth);
      } else {
        status = read_value(*place, depth);
      }
      if (status != ATTEST_JSON_OK) return status;
      bool is_last;
      if (!pass_comma('}', &is_last)) return ATTEST_JSON_MALFORMED;
      if (is_last) return ATTEST_JSON_OK;
    }
  }

  attest_json_status read_array(const Node &node, size_t depth) {
    tokens_.pass();
    if (tokens_.peek() == ']') {
      tokens_.pass();
      return ATTEST_JSON_OK;
    }
    if (!is_flat && node.has_headers) return read_header_list(node, depth);
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
      bool is_last;
      if (!pass_comma(']', &is_last)) return ATTEST_JSON_MALFORMED;
      if (is_last) return ATTEST_JSON_OK;
    }
  }

  attest_json_status read_value(const Place &place, size_t depth) {
    uint64_t &met = is_flat ? met_ : reading_.met[place.own_word];
    const uint64_t variants = is_flat ? variants_ : reading_.variants[place.own_word];
    if (__builtin_expect(((met | variants) & place.own_bit) != 0, 0)) {
      reading_.note_twice(place);
      if ((met & place.own_bit) != 0) {
        fields_->sets.repeats |= place.slots;
        // Only a value after `null` alone is read, so that a place is read twice at most.
        const uint64_t others = fields_->sets.strings | fields_->sets.numbers | fields_->sets.others;
        if ((fields_->sets.nulls & ~others & place.bit) == 0) return skip_value(depth);
      }
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

  /// Notes a member whose name differs from a place's in case alone: with that, it occurs twice.
  void note_variant(const Place &place) {
    fields_->sets.variants |= place.slots;
    (is_flat ? variants_ : reading_.variants[place.own_word]) |= place.own_bit;
    const uint64_t met = is_flat ? met_ : reading_.met[place.own_word];
    if ((met & place.own_bit) != 0) reading_.note_twice(place);
  }

  attest_json_status read_new_value(const Place &place, size_t depth) {
    Text value = {nullptr, 0};
    switch (tokens_.peek()) {
      case '"':
        if (!tokens_.read_string(&value)) return ATTEST_JSON_MALFORMED;
        fields_->sets.strings |= place.bit;
        if (!is_flat && (place.node >= 0 || place.wrapping != 0)) {
          reading_.close(place, value, level_);
        }
        break;
      case '{':
      case '[':
        if (!is_flat && place.is_header) return read_wrapped(place, depth, 0);
        return read_container_value(place, depth);
      case 0:
        return ATTEST_JSON_MALFORMED;
      default:
        switch (tokens_.read_word(&value)) {
          case Word::number:
            fields_->sets.numbers |= place.bit;
            break;
          case Word::null:
            fields_->sets.nulls |= place.bit;
            if (!is_flat) fields_->sets.under_null |= place.slots & ~place.bit;
            return ATTEST_JSON_OK;
          case Word::boolean:
            fields_->sets.others |= place.bit;
            break;
          case Word::none:
            return ATTEST_JSON_MALFORMED;
        }
    }
    fields_->values[place.slot] = {value.bytes, value.length};
    return ATTEST_JSON_OK;
  }

  attest_json_status read_container_value(const Place &place, size_t depth) {
    const uint8_t *const from = tokens_.begin();
    fields_->sets.others |= place.bit;
    const attest_json_status status =
        !is_flat && place.node >= 0 ? read_container(place, depth) : skip_container(depth);
    if (status == ATTEST_JSON_OK) {
      fields_->values[place.slot] = {from, static_cast<size_t>(tokens_.end_of_last() - from)};
    }
    return status;
  }

  attest_json_status read_container(const Place &place, size_t depth) {
    if (depth == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
    const Node &node = tree_.node(place.node);
    return tokens_.peek() == '[' ? read_array(node, depth + 1) : read_object(node, depth + 1);
  }

  // Headers: json_headers.h.

  /// Reads what follows the bracket of a list of headers, in which something stands.
  attest_json_status read_header_list(const Node &node, size_t depth);
  /// Reads an element in a usual form without space and escapes, or returns false and reads nothing.
  bool read_usual_header(const Node &node, size_t depth);
  attest_json_status read_header_object(const Node &node, size_t depth);
  attest_json_status read_header_pair(const Node &node, size_t depth);
  /// Reads a header's value in up to `wrappings_limit` lists of one and typed objects.
  attest_json_status read_wrapped(const Place &place, size_t depth, int wrappings);
  /// Reads what follows the bracket of a list of values, in which something stands.
  attest_json_status read_only_element(const Place &place, size_t depth, int wrappings);
  /// Reads the members of a typed object from the value of `member` on.
  attest_json_status read_typed(const Place &place, Text member, size_t depth, int wrappings);
  attest_json_status read_header_value(const Place &place, size_t depth, int wrappings);
  /// Passes over what stands between elements; `*is_last` tells whether a bracket ended the list.
  bool pass_comma(uint8_t end, bool *is_last) {
    const uint8_t byte = tokens_.peek();
    if (byte != end && byte != ',') return false;
    tokens_.pass();
    *is_last = byte == end;
    return true;
  }

  bool read_name(Text *name) { return tokens_.read_name(name); }

  /// Passes over a value that lies `depth` levels deep, without recursion.
  attest_json_status skip_value(size_t depth) {
    if (tokens_.peek() == '{' || tokens_.peek() == '[') return skip_container(depth);
    return skip_scalar() ? ATTEST_JSON_OK : ATTEST_JSON_MALFORMED;
  }

  /// A visitor that only checks the values that are passed over.
  struct Passing {
    Tokens &tokens;

    void begin(uint8_t, const Text &) {}
    void end() {}
    bool scalar(const Text &) {
      Text ignored;
      return tokens.peek() == '"' ? tokens.read_string(&ignored)
                                  : tokens.peek() != 0 && tokens.read_word(&ignored) != Word::none;
    }
  };

  bool skip_scalar() { return Passing{tokens_}.scalar({nullptr, 0}); }

  attest_json_status skip_container(const size_t outside) {
    Passing passing{tokens_};
    return walk_value(tokens_, outside, passing);
  }
};

}  // namespace

}  // namespace attest

#include "json_headers.h"

#endif
