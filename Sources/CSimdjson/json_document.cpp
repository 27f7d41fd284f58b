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

/// Room for texts comes in multiples of this.
constexpr size_t room_step = 16384;

}  // namespace

struct attest_json_document {
  std::unique_ptr<internal::dom_parser_implementation> stages;
  /// Decoded strings, together never longer than the text.
  std::vector<uint8_t> decoded;
  std::vector<attest_json_node> nodes;
  size_t room_bytes = 0;
  LenientText lenient;

  /// Makes room for a text. Returns false if memory is out.
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
    return read_values(tokens);
  }

  attest_json_status read_again(const uint8_t *text, size_t length) {
    lenient = LenientText();
    attest_json_status status = lenient.read(text, length, true);
    if (status != ATTEST_JSON_OK) return status;
    status = read(lenient.bytes(), lenient.length(), true);
    for (attest_json_node &node : nodes) lenient.restore(&node.raw);
    return status;
  }

  /// Reads the document without recursion.
  attest_json_status read_values(Tokens &tokens) {
    /// The objects and arrays that are open, by their indexes.
    std::vector<size_t> open;
    Text name = {nullptr, 0};
    while (true) {
      if (tokens.is_done()) return ATTEST_JSON_MALFORMED;
      const uint8_t first = tokens.peek();
      if (first == '{' || first == '[') {
        if (open.size() == ATTEST_JSON_MAXIMUM_DEPTH) return ATTEST_JSON_TOO_DEEP;
        add(first == '{' ? ATTEST_JSON_OBJECT : ATTEST_JSON_ARRAY, name, {nullptr, 0},
            tokens.begin());
        open.push_back(nodes.size() - 1);
        tokens.pass();
        name = {nullptr, 0};
        if (tokens.peek() != (first == '{' ? '}' : ']')) {
          if (first == '{' && !read_name(tokens, &name)) return ATTEST_JSON_MALFORMED;
          continue;
        }
      } else if (!read_scalar(tokens, name)) {
        return ATTEST_JSON_MALFORMED;
      }
      // Behind a value: further ones, or the ends of what holds it.
      while (true) {
        if (open.empty()) return tokens.is_done() ? ATTEST_JSON_OK : ATTEST_JSON_MALFORMED;
        attest_json_node &holder = nodes[open.back()];
        const bool is_object = holder.kind == ATTEST_JSON_OBJECT;
        const uint8_t byte = tokens.peek();
        if (byte != ',' && byte != (is_object ? '}' : ']')) return ATTEST_JSON_MALFORMED;
        tokens.pass();
        if (byte == ',') {
          name = {nullptr, 0};
          if (is_object && !read_name(tokens, &name)) return ATTEST_JSON_MALFORMED;
          break;
        }
        holder.size = nodes.size() - open.back();
        holder.raw.length = static_cast<size_t>(tokens.end_of_last() - holder.raw.bytes);
        open.pop_back();
      }
    }
  }

  void add(attest_json_kind kind, const Text &name, const Text &text, const uint8_t *from) {
    nodes.push_back({kind, 1, {name.bytes, name.length}, {text.bytes, text.length}, {from, 0}});
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

  /// Reads a member's name and passes over its colon.
  static bool read_name(Tokens &tokens, Text *name) {
    if (tokens.peek() != '"' || !tokens.read_string(name) || tokens.peek() != ':') return false;
    tokens.pass();
    return true;
  }
};

attest_json_document *attest_json_document_create(void) {
  return new (std::nothrow) attest_json_document();
}

void attest_json_document_destroy(attest_json_document *document) { delete document; }

attest_json_status attest_json_document_read(attest_json_document *document, const uint8_t *text,
                                             size_t length, int takes_odd,
                                             const attest_json_node **nodes, size_t *count) {
  *nodes = nullptr;
  *count = 0;
  try {
    attest_json_status status = document->read(text, length);
    if (status != ATTEST_JSON_OK && takes_odd) status = document->read_again(text, length);
    if (status != ATTEST_JSON_OK) return status;
  } catch (const std::bad_alloc &) {
    return ATTEST_JSON_NO_MEMORY;
  }
  *nodes = document->nodes.data();
  *count = document->nodes.size();
  return ATTEST_JSON_OK;
}
