#ifndef ATTEST_AUDIT_JSON_NAMES_H
#define ATTEST_AUDIT_JSON_NAMES_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "csimdjson.h"

namespace attest {

/// The names to look for, in a table by length and first byte.
struct Names {
  /// A name's bytes as two words, and which of their bits count.
  struct Entry {
    uint64_t words[2], masks[2];
    size_t length;
    /// The next name in the same place of the table, or -1.
    int8_t next;
  };
  static constexpr size_t places = 64;
  int8_t heads[places];
  Entry entries[ATTEST_JSON_MAXIMUM_NAMES];

  static size_t place(const uint8_t *name, size_t length) {
    return (name[0] + 6 * length) % places;
  }

  bool fill(const attest_json_name *names, size_t count) {
    if (count > ATTEST_JSON_MAXIMUM_NAMES) return false;
    std::memset(heads, -1, sizeof heads);
    for (size_t index = 0; index < count; index++) {
      const size_t length = names[index].length;
      if (length == 0 || length > ATTEST_JSON_LONGEST_NAME) return false;
      Entry &entry = entries[index];
      std::memset(&entry, 0, sizeof entry);
      std::memcpy(entry.words, names[index].bytes, length);
      std::memset(entry.masks, 0xFF, length);
      entry.length = length;
      int8_t &head = heads[place(names[index].bytes, length)];
      entry.next = head;
      head = static_cast<int8_t>(index);
    }
    return true;
  }

  /// The index of a name, behind which `ATTEST_JSON_LONGEST_NAME` bytes are readable; -1 for none.
  int find(const uint8_t *name, size_t length) const {
    if (length == 0 || length > ATTEST_JSON_LONGEST_NAME) return -1;
    uint64_t words[2];
    std::memcpy(words, name, sizeof words);
    for (int index = heads[place(name, length)]; index >= 0; index = entries[index].next) {
      const Entry &entry = entries[index];
      if (entry.length == length && ((words[0] ^ entry.words[0]) & entry.masks[0]) == 0 &&
          ((words[1] ^ entry.words[1]) & entry.masks[1]) == 0) {
        return index;
      }
    }
    return -1;
  }
};

}  // namespace attest

#endif
