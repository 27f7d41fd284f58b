#include "csimdjson.h"

#include <simdjson.h>

#include <memory>
#include <new>
#include <vector>

#include "json_lenient.h"
#include "json_tokens.h"

namespace {

using namespace simdjson;
using attest::LenientText;
using attest::Text;
using attest::Tokens;
using attest::Word;
using attest::walk_value;

/// Room for texts comes in multiples of this.
constexpr size_t room_step = 16384;

}  // namespace

struct attest_json_document {
  std::unique_ptr<internal::dom_parser_implementation> stages;
  /// Decoded strings, together never longer than the text.
  std::vector<uint8_t> decoded;
  std::vector<attest_json_node> nodes;
  size_t room_bytes = 0;
  /// Whether numbers that follow one another in an array are one value.
  bool joins_numbers = false;
  LenientText lenient;

  bool make_room(size_t length) {
    if (length <= room_bytes) return true;
    room_bytes = 0;
    const size_t wanted = (length + room_step - 1) / room_step * room_step;
    if (stages) {
      if (stages->allocate(wanted, ATTEST_JSON_MAXIMUM_DEPTH)) return false;
    } else if (get_active_implementation()->create_dom_parser_implementation(
                   wanted, ATTEST_JSON_MAXIMUM_DEPTH, stages)) {
      return false;
    }
    decoded.resize(wanted + ATTEST_JSON_PADDING);
    room_bytes = wanted;
    return true;
  }

  attest_json_status read(const uint8_t *text, size_t length, bool is_lenient = false) {
    nodes.clear();
    if (length == 0) return ATTEST_JSON_MALFORMED;
    if (!make_room(length)) return ATTEST_JSON_NO_MEMORY;
    if (stages->stage1(text, length, stage1_mode::regular) || stages->n_structural_indexes == 0) {
      return ATTEST_JSON_MALFORMED;
    }
    Tokens tokens(text, length, stages->structural_indexes.get(), stages->n_structural_indexes,
                  decoded.data(), is_lenient);
    Visitor visitor{*this, tokens, {}};
    const attest_json_status status = walk_value(tokens, 0, visitor);
    return status == ATTEST_JSON_OK && !tokens.is_done() ? ATTEST_JSON_MALFORMED : status;
  }

  attest_json_status read_again(const uint8_t *text, size_t length) {
    lenient = LenientText();
    attest_json_status status = lenient.read(text, length, true);
    if (status != ATTEST_JSON_OK) return status;
    status = read(lenient.bytes(), lenient.length(), true);
    for (attest_json_node &node : nodes) lenient.restore(&node.raw);
    return status;
  }

  void add(attest_json_kind kind, const Text &name, const Text &text, const uint8_t *from) {
    nodes.push_back({kind, 1, 1, {name.bytes, name.length}, {text.bytes, text.length}, {from, 0}});
  }

  struct Visitor {
    attest_json_document &document;
    Tokens &tokens;
    /// The objects and arrays that are open, by their indexes.
    std::vector<size_t> open;
    /// Whether the value before the one at hand is a number of the same array.
    bool follows_number = false;

    void begin(uint8_t bracket, const Text &name) {
      follows_number = false;
      open.push_back(document.nodes.size());
      document.add(bracket == '{' ? ATTEST_JSON_OBJECT : ATTEST_JSON_ARRAY, name, {nullptr, 0},
                   tokens.begin());
    }

    void end() {
      attest_json_node &holder = document.nodes[open.back()];
      holder.size = document.nodes.size() - open.back();
      holder.raw.length = static_cast<size_t>(tokens.end_of_last() - holder.raw.bytes);
      open.pop_back();
      follows_number = false;
    }

    bool scalar(const Text &name) {
      if (tokens.is_done() || !document.read_scalar(tokens, name)) return false;
      const bool is_number = document.nodes.back().kind == ATTEST_JSON_NUMBER && name.bytes == nullptr;
      if (is_number && follows_number && document.joins_numbers) document.join_last();
      follows_number = is_number;
      return true;
    }
  };

  void join_last() {
    const attest_json_value raw = nodes.back().raw;
    nodes.pop_back();
    attest_json_node &joined = nodes.back();
    joined.elements++;
    joined.raw.length = static_cast<size_t>(raw.bytes + raw.length - joined.raw.bytes);
  }

  bool read_scalar(Tokens &tokens, const Text &name) {
    const uint8_t *from = tokens.begin();
    Text text = {nullptr, 0};
    attest_json_kind kind = ATTEST_JSON_STRING;
    if (*from == '"') {
      if (!tokens.read_string(&text)) return false;
    } else {
      switch (tokens.read_word(&text)) {
        case Word::number:
          kind = ATTEST_JSON_NUMBER;
          break;
        case Word::boolean:
          kind = ATTEST_JSON_BOOLEAN;
          break;
        case Word::null:
          kind = ATTEST_JSON_NULL;
          text = {nullptr, 0};
          break;
        case Word::none:
          return false;
      }
    }
    add(kind, name, text, from);
    nodes.back().raw.length = static_cast<size_t>(tokens.end_of_last() - from);
    return true;
  }
};

attest_json_document *attest_json_document_create(void) {
  return new (std::nothrow) attest_json_document();
}

void attest_json_document_destroy(attest_json_document *document) { delete document; }

attest_json_status attest_json_document_read(attest_json_document *document, const uint8_t *text,
                                             size_t length, unsigned reading,
                                             const attest_json_node **nodes, size_t *count) {
  *nodes = nullptr;
  *count = 0;
  document->joins_numbers = (reading & ATTEST_JSON_JOINED_NUMBERS) != 0;
  try {
    attest_json_status status = document->read(text, length);
    if (status != ATTEST_JSON_OK && (reading & ATTEST_JSON_TAKES_ODD) != 0) status = document->read_again(text, length);
    if (status != ATTEST_JSON_OK) return status;
  } catch (const std::bad_alloc &) {
    return ATTEST_JSON_NO_MEMORY;
  }
  *nodes = document->nodes.data();
  *count = document->nodes.size();
  return ATTEST_JSON_OK;
}
