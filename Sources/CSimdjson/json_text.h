#ifndef ATTEST_AUDIT_JSON_TEXT_H
#define ATTEST_AUDIT_JSON_TEXT_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "text_tables.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Numbers and escapes of JSON (RFC 8259, sections 6 and 7).
namespace attest {

inline bool is_space(uint8_t byte) {
  return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

inline bool is_digit(uint8_t byte) { return static_cast<uint8_t>(byte - '0') <= 9; }

/// Returns the end of the number, of any size, that begins at `at`, or NULL if there is none.
inline const uint8_t *number_end(const uint8_t *at, const uint8_t *end) {
  if (at < end && *at == '-') at++;
  if (at == end || !is_digit(*at)) return nullptr;
  if (*at == '0') {
    at++;
  } else {
    while (at < end && is_digit(*at)) at++;
  }
  if (at < end && *at == '.') {
    at++;
    if (at == end || !is_digit(*at)) return nullptr;
    while (at < end && is_digit(*at)) at++;
  }
  if (at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    if (at == end || !is_digit(*at)) return nullptr;
    while (at < end && is_digit(*at)) at++;
  }
  return at;
}

/// Returns whether the text begins with that word.
template <size_t Size>
inline bool begins_with(const uint8_t *at, const uint8_t *end, const char (&word)[Size]) {
  return end - at >= static_cast<ptrdiff_t>(Size - 1) && std::memcmp(at, word, Size - 1) == 0;
}

/// The kind of a value that is no string, object or array.
enum class Word { none, number, null, boolean };

/// Reads the word at `*at`, which is moved behind it.
inline Word read_word(const uint8_t **at, const uint8_t *end) {
  const uint8_t *from = *at;
  if (begins_with(from, end, "null")) {
    *at = from + 4;
    return Word::null;
  }
  if (begins_with(from, end, "true")) {
    *at = from + 4;
    return Word::boolean;
  }
  if (begins_with(from, end, "false")) {
    *at = from + 5;
    return Word::boolean;
  }
  const uint8_t *behind = number_end(from, end);
  if (behind == nullptr) return Word::none;
  *at = behind;
  return Word::number;
}

/// Returns the number of the 16 bytes at `text` that come before a backslash.
inline size_t run_before_escape(const uint8_t *text) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(text));
  const int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
  return mask == 0 ? 16 : static_cast<size_t>(__builtin_ctz(static_cast<unsigned>(mask)));
#else
  size_t length = 0;
  while (length < 16 && text[length] != '\\') length++;
  return length;
#endif
}

/// Returns the value of four hex digits, or a number above 0xFFFF.
inline uint32_t four_digits(const uint8_t *digits) {
  const int high = hex_byte(digits, digits + 2), low = hex_byte(digits + 2, digits + 4);
  return static_cast<uint32_t>((high | low) < 0 ? -1 : high << 8 | low);
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
/// output goes on, or NULL for what is not an escape: a surrogate without its pair, too. The private
/// escapes of `LenientText` count only if `is_lenient`.
inline uint8_t *write_escape(const uint8_t **at, const uint8_t *end, uint8_t *out, bool is_lenient) {
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
    default:
      if (!is_lenient || end - from < 3 || (from[1] & 0xFC) != 0xC4) return nullptr;
      *at = from + 3;
      *out = static_cast<uint8_t>(from[1] << 6 | (from[2] & 0x3F));
      return out + 1;
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

/// Decodes the rest of a string, from its first backslash to the quote at `end`, where nothing
/// between them is a quote without a backslash. Returns the end of the output, or NULL for an
/// escape that does not exist.
///
/// Behind `end`, and behind as much room for output as there is input, 16 bytes more are touched.
inline uint8_t *unescape(const uint8_t *from, const uint8_t *end, uint8_t *out, bool is_lenient) {
  while (from < end) {
    if (*from == '\\') {
      out = write_escape(&from, end, out, is_lenient);
      if (out == nullptr) return nullptr;
      continue;
    }
    const size_t left = static_cast<size_t>(end - from);
    size_t length = run_before_escape(from);
    if (length > left) length = left;
    std::memcpy(out, from, 16);
    from += length;
    out += length;
  }
  return out;
}

/// Decodes percent codes to `out`. Returns its end, or NULL for a percent sign without hex digits.
inline uint8_t *decode_percents(const uint8_t *from, const uint8_t *end, uint8_t *out) {
  while (from < end) {
    const bool is_code = *from == '%';
    const int byte = is_code ? hex_byte(from + 1, end) : *from;
    if (byte < 0) return nullptr;
    *out++ = static_cast<uint8_t>(byte);
    from += is_code ? 3 : 1;
  }
  return out;
}

}  // namespace attest

#endif
