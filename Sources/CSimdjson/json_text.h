#ifndef ATTEST_AUDIT_JSON_TEXT_H
#define ATTEST_AUDIT_JSON_TEXT_H

#include <cstddef>
#include <cstdint>
#include <cstring>

/// Numbers and escapes of JSON (RFC 8259, sections 6 and 7).
namespace attest {

inline bool is_space(uint8_t byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

inline bool is_digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') <= 9; }

/// Whether the text is a number by the grammar, of any size.
inline bool is_number(const uint8_t *at, const uint8_t *end) {
  if (at < end && *at == '-') at++;
  if (at == end || !is_digit(*at)) return false;
  if (*at == '0') {
    at++;
  } else {
    while (at < end && is_digit(*at)) at++;
  }
  if (at < end && *at == '.') {
    at++;
    if (at == end || !is_digit(*at)) return false;
    while (at < end && is_digit(*at)) at++;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (at == end || !is_digit(*at)) return false;
    while (at < end && is_digit(*at)) at++;
  }
  return at == end;
}

/// Whether the text is that word.
template <size_t Size>
inline bool is_word(const uint8_t *at, size_t length, const char (&word)[Size]) {
  return length == Size - 1 && std::memcmp(at, word, Size - 1) == 0;
}

/// The value of four hex digits, or a number above 0xFFFF.
inline uint32_t four_digits(const uint8_t *digits) {
  uint32_t value = 0;
  for (int index = 0; index < 4; index++) {
    const uint8_t byte = digits[index];
    const uint8_t letter = byte | 0x20;
    if (is_digit(byte)) {
      value = value << 4 | static_cast<uint32_t>(byte - '0');
    } else if (letter >= 'a' && letter <= 'f') {
      value = value << 4 | static_cast<uint32_t>(letter - 'a' + 10);
    } else {
      return UINT32_MAX;
    }
  }
  return value;
}

inline uint8_t *write_utf8(uint32_t scalar, uint8_t *out) {
  if (scalar < 0x80) {
    *out++ = static_cast<uint8_t>(scalar);
    return out;
  }
  if (scalar < 0x800) {
    *out++ = static_cast<uint8_t>(0xC0 | scalar >> 6);
  } else {
    if (scalar < 0x10000) {
      *out++ = static_cast<uint8_t>(0xE0 | scalar >> 12);
    } else {
      *out++ = static_cast<uint8_t>(0xF0 | scalar >> 18);
      *out++ = static_cast<uint8_t>(0x80 | (scalar >> 12 & 0x3F));
    }
    *out++ = static_cast<uint8_t>(0x80 | (scalar >> 6 & 0x3F));
  }
  *out++ = static_cast<uint8_t>(0x80 | (scalar & 0x3F));
  return out;
}

/// Decodes the escape whose backslash `*at` points at, and moves `*at` behind it. Returns where the
/// output goes on, or NULL for what is no escape: a surrogate that is no pair, too.
inline uint8_t *write_escape(const uint8_t **at, const uint8_t *end, uint8_t *out) {
  const uint8_t *from = *at;
  if (end - from < 2) return nullptr;
  *at = from + 2;
  switch (from[1]) {
    case '"': case '\\': case '/': *out = from[1]; return out + 1;
    case 'b': *out = '\b'; return out + 1;
    case 'f': *out = '\f'; return out + 1;
    case 'n': *out = '\n'; return out + 1;
    case 'r': *out = '\r'; return out + 1;
    case 't': *out = '\t'; return out + 1;
    case 'u': break;
    default: return nullptr;
  }
  if (end - from < 6) return nullptr;
  uint32_t scalar = four_digits(from + 2);
  if (scalar > 0xFFFF) return nullptr;
  *at = from + 6;
  if (scalar >= 0xD800 && scalar <= 0xDFFF) {
    if (scalar >= 0xDC00 || end - from < 12 || from[6] != '\\' || from[7] != 'u') return nullptr;
    const uint32_t low = four_digits(from + 8);
    if (low < 0xDC00 || low > 0xDFFF) return nullptr;
    scalar = 0x10000 + ((scalar - 0xD800) << 10) + (low - 0xDC00);
    *at = from + 12;
  }
  return write_utf8(scalar, out);
}

/// Decodes the content of a string, which has `first` as its first backslash, to `out`, where there
/// is room for as many bytes as it has. Returns the end of the output, or NULL for an escape that
/// is none.
inline uint8_t *unescape(const uint8_t *from, const uint8_t *first, const uint8_t *end,
                         uint8_t *out) {
  const uint8_t *escape = first;
  while (true) {
    std::memcpy(out, from, static_cast<size_t>(escape - from));
    out += escape - from;
    if (escape == end) return out;
    from = escape;
    out = write_escape(&from, end, out);
    if (out == nullptr) return nullptr;
    // Escapes often stand side by side, or soon again.
    escape = from;
    while (escape < end && *escape != '\\') escape++;
  }
}

}  // namespace attest

#endif
