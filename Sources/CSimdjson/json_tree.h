#ifndef ATTEST_AUDIT_JSON_TREE_H
#define ATTEST_AUDIT_JSON_TREE_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "csimdjson.h"

namespace attest {

inline uint8_t without_capitals(uint8_t byte) {
  return static_cast<uint8_t>(byte - 'A') <= 'Z' - 'A' ? byte | 0x20 : byte;
}

/// Does the same for eight bytes, by the top bits of sums.
inline uint64_t without_capitals(uint64_t bytes) {
  constexpr uint64_t ones = UINT64_C(0x0101010101010101);
  const uint64_t low = bytes & 0x7F * ones;
  const uint64_t from_a = low + (0x80 - 'A') * ones;
  const uint64_t behind_z = low + (0x7F - 'Z') * ones;
  return bytes | (((from_a ^ behind_z) & ~bytes & 0x80 * ones) >> 2);
}

/// Reads the next character of a name by Unicode's simple folding, as far as names in ASCII need
/// it: small letters, and the two characters beyond ASCII that fold to one. `*at` is moved behind
/// it.
inline uint8_t next_folded(const uint8_t **at, const uint8_t *end) {
  const uint8_t *from = *at;
  const ptrdiff_t left = end - from;
  if (left >= 3 && from[0] == 0xE2 && from[1] == 0x84 && from[2] == 0xAA) {
    *at = from + 3;
    return 'k';
  }
  if (left >= 2 && from[0] == 0xC5 && from[1] == 0xBF) {
    *at = from + 2;
    return 's';
  }
  *at = from + 1;
  return without_capitals(*from);
}

/// Returns whether two names differ in case alone, or not at all.
inline bool is_same_folded(const uint8_t *left, size_t left_length, const uint8_t *right,
                           size_t right_length) {
  const uint8_t *const left_end = left + left_length;
  const uint8_t *const right_end = right + right_length;
  while (left < left_end && right < right_end) {
    if (next_folded(&left, left_end) != next_folded(&right, right_end)) return false;
  }
  return left == left_end && right == right_end;
}

/// A place to look at, with its name in a form that is quickly compared.
struct Place {
  /// The first 16 bytes of the name as two words, and which of their bits count.
  uint64_t words[2], masks[2];
  const uint8_t *name;
  size_t length;
  /// The slots at this place and below it.
  uint64_t slots;
  /// The bit of the slot at this place, or 0.
  uint64_t bit;
  /// The bit of the place in the word of that index, in a set of places.
  uint64_t own_bit;
  uint32_t own_word;
  /// The slot at this place, or the one without meaning.
  uint32_t slot;
  /// The index of the node below this place, or -1.
  int16_t node;
  /// The next place in the same row of the node's table, or -1.
  int16_t next;
  /// The next place in the same row of the node's table of names without capitals, or -1.
  int16_t next_folded;
  /// The next place of the same node, or -1.
  int16_t next_of_node;
  /// The next place of the node that an array may have, in order of `element`, or -1.
  int16_t next_element;
  /// The number of steps from the outermost object.
  uint8_t steps;
  bool wants_raw;
  bool is_header;
  /// The wrapping of strings here, a flag of places, or 0.
  uint8_t wrapping;
  /// The bit of the slot that says whether the wrapping is there, or 0 if it always is.
  uint64_t switch_bit;
  uint32_t switch_slot;
  /// The index of the element of an array that this is.
  uint64_t element;
};

/// The places in one value, in a table by the length and first byte of their names.
struct Node {
  static constexpr size_t rows = 64;
  int16_t heads[rows];
  /// The same for names without capitals.
  int16_t folded_heads[rows];
  /// The place that was entered last, or -1.
  int16_t last_place;
  /// The place with the lowest index that an array may have, or -1.
  int16_t first_element;
  bool has_headers;
};

class Tree {
 public:
  /// Bytes behind a name that are compared with it in one piece.
  static constexpr size_t word_bytes = 16;

  bool fill(const attest_json_place *places, size_t count) {
    if (count > ATTEST_JSON_MAXIMUM_PLACES) return false;
    size_t bytes = 0, node_count = 1;
    for (size_t index = 0; index < count; index++) {
      bytes += places[index].length;
      if (places[index].parent >= static_cast<int32_t>(index) || places[index].parent < -1 ||
          places[index].slot >= ATTEST_JSON_MAXIMUM_SLOTS ||
          places[index].switch_slot >= ATTEST_JSON_MAXIMUM_SLOTS) {
        return false;
      }
    }
    places_.reset(new (std::nothrow) Place[count + 1]());
    nodes_.reset(new (std::nothrow) Node[count + 1]);
    names_.reset(new (std::nothrow) uint8_t[bytes + 1]);
    if (!places_ || !nodes_ || !names_) return false;
    count_ = count;
    uint8_t *name = names_.get();
    start(nodes_[0], false);
    for (size_t index = 0; index < count; index++) {
      const attest_json_place &given = places[index];
      Place &place = places_[index];
      std::memcpy(name, given.name, given.length);
      place.name = name;
      place.length = given.length;
      name += given.length;
      const size_t head = place.length < word_bytes ? place.length : word_bytes;
      std::memcpy(place.words, place.name, head);
      std::memset(place.masks, 0xFF, head);
      place.slot = given.slot < 0 ? ATTEST_JSON_MAXIMUM_SLOTS : static_cast<uint32_t>(given.slot);
      place.own_word = static_cast<uint32_t>(index / 64);
      place.own_bit = UINT64_C(1) << (index % 64);
      place.bit = given.slot < 0 ? 0 : UINT64_C(1) << given.slot;
      place.slots = place.bit;
      place.wants_raw = (given.flags & ATTEST_JSON_RAW) != 0 && given.slot >= 0;
      place.wrapping = given.flags &
                       (ATTEST_JSON_BASE64 | ATTEST_JSON_PERCENT | ATTEST_JSON_STRING_IN_STRING);
      place.switch_bit = given.switch_slot < 0 ? 0 : UINT64_C(1) << given.switch_slot;
      place.switch_slot = given.switch_slot < 0 ? 0 : static_cast<uint32_t>(given.switch_slot);
      place.node = -1;
      place.steps = 1;
      if (place.wants_raw || place.wrapping != 0 || given.parent >= 0) is_flat_ = false;
      Node *around = &nodes_[0];
      if (given.parent >= 0) {
        Place &parent = places_[static_cast<size_t>(given.parent)];
        if (parent.node < 0) {
          parent.node = static_cast<int16_t>(node_count);
          const bool has_headers = (places[given.parent].flags & ATTEST_JSON_HEADERS) != 0;
          start(nodes_[node_count++], has_headers);
        }
        around = &nodes_[parent.node];
        place.is_header = around->has_headers;
        if (parent.steps == ATTEST_JSON_MAXIMUM_STEPS) return false;
        place.steps = parent.steps + 1;
      }
      int16_t &first = around->heads[row(place.name, place.length)];
      place.next = first;
      first = static_cast<int16_t>(index);
      int16_t &first_folded = around->folded_heads[folded_row(place.name, place.length)];
      place.next_folded = first_folded;
      first_folded = static_cast<int16_t>(index);
      place.next_of_node = around->last_place;
      around->last_place = static_cast<int16_t>(index);
      if (place.length > longest_name_) longest_name_ = place.length;
      enter_element(*around, static_cast<int16_t>(index));
    }
    if (count > ATTEST_JSON_MAXIMUM_SLOTS) is_flat_ = false;
    // Parents come before the places inside them.
    for (size_t index = count; index-- > 0;) {
      if (places[index].parent >= 0) places_[places[index].parent].slots |= places_[index].slots;
    }
    return true;
  }

  size_t count() const { return count_; }
  int index(const Place &place) const { return static_cast<int>(&place - places_.get()); }
  const Place &place(int index) const { return places_[index]; }
  /// Returns whether all places are in the outermost object, and none is wanted raw.
  bool is_flat() const { return is_flat_; }
  const Node &root() const { return nodes_[0]; }
  const Node &node(int index) const { return nodes_[index]; }

  /// Returns the place of a member or NULL. After its name `word_bytes` bytes are readable.
  const Place *find(const Node &node, const uint8_t *name, size_t length) const {
    return node.has_headers ? find_header(node, name, length) : find_exactly(node, name, length);
  }

  /// Returns the place of a header, compared without case, or NULL, likewise.
  const Place *find_header(const Node &node, const uint8_t *name, size_t length) const {
    uint64_t words[2];
    std::memcpy(words, name, sizeof words);
    const uint64_t seen = words[0] | words[1];
    words[0] = without_capitals(words[0]);
    words[1] = without_capitals(words[1]);
    const uint8_t first = length == 0 ? 0 : without_capitals(name[0]);
    for (int index = node.heads[row(&first, length)]; index >= 0; index = places_[index].next) {
      const Place &place = places_[index];
      if (place.length != length || ((words[0] ^ place.words[0]) & place.masks[0]) != 0 ||
          ((words[1] ^ place.words[1]) & place.masks[1]) != 0) {
        continue;
      }
      size_t at = length < word_bytes ? length : word_bytes;
      while (at < length && without_capitals(name[at]) == place.name[at]) at++;
      if (at == length) return &place;
    }
    if (__builtin_expect(length > word_bytes || (seen & UINT64_C(0x8080808080808080)) != 0, 0)) {
      return find_folded(node, name, length);
    }
    return nullptr;
  }

  /// Does the same where names are told apart by every byte.
  const Place *find_exactly(const Node &node, const uint8_t *name, size_t length) const {
    uint64_t words[2];
    std::memcpy(words, name, sizeof words);
    for (int index = node.heads[row(name, length)]; index >= 0; index = places_[index].next) {
      const Place &place = places_[index];
      if (place.length == length && ((words[0] ^ place.words[0]) & place.masks[0]) == 0 &&
          ((words[1] ^ place.words[1]) & place.masks[1]) == 0 &&
          (length <= word_bytes || std::memcmp(name, place.name, length) == 0)) {
        return &place;
      }
    }
    return nullptr;
  }

  /// Returns the place whose name differs only in case from a member without a place, or NULL.
  const Place *find_variant(const Node &node, const uint8_t *name, size_t length) const {
    // Header names are told apart without regard to case anyway.
    if (node.has_headers || length == 0) return nullptr;
    for (int index = node.folded_heads[folded_row(name, length)]; index >= 0;
         index = places_[index].next_folded) {
      const Place &place = places_[index];
      if (place.length == length && is_same_folded(name, length, place.name, length)) return &place;
    }
    return find_folded(node, name, length);
  }

 private:
  size_t count_ = 0;
  size_t longest_name_ = 0;
  bool is_flat_ = true;
  std::unique_ptr<Place[]> places_;
  std::unique_ptr<Node[]> nodes_;
  std::unique_ptr<uint8_t[]> names_;

  static size_t row(const uint8_t *name, size_t length) {
    return length == 0 ? 0 : (name[0] + 6 * length) % Node::rows;
  }

  static size_t folded_row(const uint8_t *name, size_t length) {
    return length == 0 ? 0 : (without_capitals(name[0]) + 6 * length) % Node::rows;
  }

  /// Returns the place of a name in another case with characters outside ASCII, or NULL.
  const Place *find_folded(const Node &node, const uint8_t *name, size_t length) const {
    if (!needs_folding(name, length)) return nullptr;
    for (int index = node.last_place; index >= 0; index = places_[index].next_of_node) {
      const Place &place = places_[index];
      if (is_same_folded(name, length, place.name, place.length)) return &place;
    }
    return nullptr;
  }

  /// Returns whether a name can contain a character outside ASCII that folds into it.
  bool needs_folding(const uint8_t *name, size_t length) const {
    if (length > 3 * longest_name_) return false;
    uint64_t seen = 0;
    for (size_t at = 0; at < length; at += 8) {
      uint64_t word;
      std::memcpy(&word, name + at, sizeof word);
      if (length - at < 8) word &= ~UINT64_C(0) >> (64 - 8 * (length - at));
      seen |= word;
    }
    return (seen & UINT64_C(0x8080808080808080)) != 0;
  }

  static void start(Node &node, bool has_headers) {
    std::memset(node.heads, -1, sizeof node.heads);
    std::memset(node.folded_heads, -1, sizeof node.folded_heads);
    node.last_place = -1;
    node.first_element = -1;
    node.has_headers = has_headers;
  }

  /// Puts a place whose name is an index by RFC 6901, section 4, among the elements of its node.
  void enter_element(Node &node, int16_t index) {
    Place &place = places_[index];
    place.next_element = -1;
    // No line has as many elements as 18 digits say.
    if (place.length == 0 || place.length > 18 || (place.name[0] == '0' && place.length > 1)) return;
    uint64_t element = 0;
    for (size_t at = 0; at < place.length; at++) {
      const uint8_t digit = static_cast<uint8_t>(place.name[at] - '0');
      if (digit > 9) return;
      element = element * 10 + digit;
    }
    place.element = element;
    int16_t *link = &node.first_element;
    while (*link >= 0 && places_[*link].element < element) link = &places_[*link].next_element;
    place.next_element = *link;
    *link = index;
  }
};

}  // namespace attest

#endif
