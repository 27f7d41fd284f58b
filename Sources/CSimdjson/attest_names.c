#include <stdlib.h>
#include <string.h>

#include "steps.h"

// A token has a name (`records.R53`), with its length before it, or in chunks. Decoders of base64 pass over what is neither a
// letter nor a digit, each of them over other characters. The characters of a name, in base64 or hex digits, are letters and
// digits: in a text of which all else is left out, they follow one another, whoever reads the text.

/// The ways in which a name begins, as bits: its first three bytes in base64, by the place of the first one in a group, the first
/// or second, or the third; the same of the head of a text or of bytes in chunks, what is in it and the byte after that; and the
/// first two of each in hex digits. At the third place the heads of a text and of bytes are two ways.
enum { ways_01 = 1, way_2 = 2, chunks_0 = 4, chunks_1 = 8, bytes_2 = 16, odd_chunks_2 = 32, hex = 64, hex_chunks = 128 };

/// The characters of each way. The last character of the head of a text in chunks is a slash at one place, and left out; what
/// it is then is in the way of a name at that place.
#define ENDS_01 "BFJNRVZdhlptx159"
static const char *const characters[8][4] = {
    {"ZYcGWm2HXn3", "mX2ZFN", "1RVlt0p", "0ndZ"},
    {ENDS_01, "mhzYZabc", "bdaGWm2HXn3", "XHWZNF"},
    {"fX", "0123", ENDS_01 "gkos", "ABCDEFGHIJKLMNOPQRYZabghijklmnopqrstuvwxz4567"},
    {"HXn3FVl1", "9", "ghijklmnopqrstuvwx4567ABCDEFGHIJKLMNOPQRYZab", "ABCDEYZabceQRSTUW"},
    {ENDS_01, "f", "QRSTUW", "AQgwBRhxEUk0FVl1GWm2HXn3"},
    {ENDS_01, "Ye", "ABQgwGH", ENDS_01 "AEIMQUYcgkosw048"},
    {"67", "136", "67", "dD459"},
    {"57", "fF", "4567", "0123456789abcdefABCDEF"},
};

place_table attest_ways;

__attribute__((constructor)) static void fill_ways(void) {
  for (int way = 0; way < 8; way++) {
    for (int place = 0; place < 4; place++) {
      for (const char *at = characters[way][place]; *at != 0; at++) {
        attest_ways.bits[place][(uint8_t)*at] |= (uint8_t)(1 << way);
      }
    }
  }
}

/// The names of which a token has one (`records.R53`), and the bytes by which a name is known; these few tell most others.
static const char *const names[] = {"fmt", "attStmt", "authData", "signature", "authenticatorData"};
enum { name_count = sizeof names / sizeof *names, longest_name = 17, most_name_bytes = 48, few_name_bytes = 3 };
/// The names of attestations and assertions, and one that is not read to its end, as bits.
enum { of_attestations = 7, of_assertions = 24, long_name = 1 << name_count };

INLINE int is_first(uint8_t byte) { return byte == 'f' || byte == 'a' || byte == 's'; }

/// How much of a name bytes are: from `name_is_whole` on, which name.
typedef enum { no_name, name_begins, name_is_whole } name_part;

/// Reads bytes as the head of a text, or its end, and a name of that length.
static name_part read_name(const uint8_t *bytes, size_t count) {
  if (count > 1 && !is_first(bytes[1])) return no_name;
  for (size_t index = 0; index < name_count && count > 0; index++) {
    const size_t length = strlen(names[index]), head = bytes[0] & 63, read = count - 1 < length ? count - 1 : length;
    if ((head == length || head == length + 32) && memcmp(bytes + 1, names[index], read) == 0) {
      return read == length ? name_is_whole + (name_part)index : name_begins;
    }
  }
  return no_name;
}

/// Reads bytes as the chunks of a name.
static name_part read_chunks(const uint8_t *bytes, size_t count) {
  char name[longest_name];
  size_t known = 0;
  const size_t first = bytes[0] & 31;
  if (count > 1 && first > 0 && first < 24 && !is_first(bytes[1])) return no_name;
  for (size_t at = 0; at < count;) {
    // Of a text or of bytes.
    const uint8_t head = bytes[at++] & 0xDF;
    if (head < 0x40 || head > 0x5B) return no_name;
    uint64_t length = (uint64_t)head - 0x40;
    if (head >= 0x58) {
      const size_t width = (size_t)1 << (head - 0x58);
      if (count - at < width) break;
      length = 0;
      for (size_t end = at + width; at < end; at++) length = length << 8 | bytes[at];
    }
    if (length > longest_name - known) return no_name;
    const size_t taken = length < count - at ? (size_t)length : count - at;
    memcpy(name + known, bytes + at, taken);
    known += taken;
    at += length;
    int begins = 0;
    for (size_t index = 0; index < name_count; index++) {
      if (known > strlen(names[index]) || memcmp(name, names[index], known) != 0) continue;
      if (known == strlen(names[index])) return name_is_whole + (name_part)index;
      begins = 1;
    }
    if (!begins) return no_name;
  }
  return name_begins;
}

/// Returns which name so many bytes are, or begin if more bytes than `most_name_bytes` decide, as a bit, or 0.
static inline int name_of(name_part part, size_t count) {
  if (part >= name_is_whole) return 1 << (part - name_is_whole);
  return part == name_begins && count + 2 >= most_name_bytes ? long_name : 0;
}

size_t attest_find_name(const uint8_t *bytes, size_t count) {
  for (size_t at = 0; at < count; at++) {
    if (read_name(bytes + at, count - at) >= name_is_whole) return at;
    const size_t left = count - at - 1 < most_name_bytes ? count - at - 1 : most_name_bytes;
    if ((bytes[at] | 0x20) == 0x7F && name_of(read_chunks(bytes + at + 1, left), left)) return at;
  }
  return count;
}

/// Reads base64 from a bit on. Returns the number of bytes.
static size_t read_bits(const uint8_t *letters, size_t count, size_t bit, uint8_t *bytes, size_t most) {
  size_t read = 0;
  uint32_t bits = 0;
  int known = -(int)(bit % 6);
  for (const uint8_t *at = letters + bit / 6; at < letters + count && read < most; at++) {
    bits = bits << 6 | (base64_values[*at] & 63);
    known += 6;
    if (known >= 8) bytes[read++] = (uint8_t)(bits >> (known -= 8));
  }
  return read;
}

/// Reads hex digits of which the first is at a bit, if all had six. Returns the number of bytes.
static size_t read_digits(const uint8_t *letters, size_t count, size_t bit, uint8_t *bytes, size_t most) {
  const uint8_t *const end = letters + count, *at = letters + bit / 6;
  size_t read = 0;
  for (int byte; read < most && (byte = hex_byte(at, end)) >= 0; at += 2) bytes[read++] = (uint8_t)byte;
  return read;
}

/// Returns which name is at a bit of letters and digits.
INLINE int name_at_bit(const uint8_t *letters, size_t count, size_t bit,
                      size_t (*read)(const uint8_t *, size_t, size_t, uint8_t *, size_t),
                      name_part (*part)(const uint8_t *, size_t)) {
  uint8_t bytes[most_name_bytes];
  if (part(bytes, read(letters, count, bit, bytes, few_name_bytes)) == no_name) return 0;
  const size_t bytes_read = read(letters, count, bit, bytes, most_name_bytes);
  return name_of(part(bytes, bytes_read), bytes_read);
}

/// Returns which name is at a place of letters and digits at which ways were `found`.
static __attribute__((noinline)) int name_at(const uint8_t *letters, size_t count, size_t index, unsigned found) {
  int name = 0;
  for (size_t way = 0; way < 3 && name == 0; way++) {
    // The byte before the name is read, too.
    const size_t bit = 6 * index + 2 * way;
    const unsigned named = way == 2 ? way_2 : ways_01;
    if ((found & named) != 0 && bit >= 8) name = name_at_bit(letters, count, bit - 8, read_bits, read_name);
    // The head of chunks is before them; of one that ends with a slash there are two bits.
    const unsigned chunked = chunks_0 << way;
    if (name == 0 && (found & chunked) != 0) name = name_at_bit(letters, count, bit + 8, read_bits, read_chunks);
    const int is_slash = way == 2 && (found & (way_2 | odd_chunks_2)) != 0;
    if (name == 0 && is_slash) name = name_at_bit(letters, count, bit + 2, read_bits, read_chunks);
  }
  if (name == 0 && (found & hex) != 0 && index >= 2) {
    name = name_at_bit(letters, count, 6 * (index - 2), read_digits, read_name);
  }
  if (name != 0 || (found & hex_chunks) == 0) return name;
  return name_at_bit(letters, count, 6 * (index + 2), read_digits, read_chunks);
}

/// Returns whether two bytes can be the head of a chunk of a name, and what is in it or the head of the next one.
INLINE int can_be_chunk(uint64_t bytes) {
  const unsigned length = bytes >> 8 & 31, next = bytes & 255;
  // An empty chunk, or one whose length is the next byte, or more bytes of which the first is zero.
  const int is_odd = (length == 0 && next >> 6 == 1) | (length == 24 && next <= longest_name) |
                     ((0x0E000000 >> length & 1) && next == 0);
  return (bytes >> 14 & 3) == 1 && (is_odd | ((length <= longest_name) & is_first((uint8_t)next)));
}

/// Returns whether the lower bits of a byte are the length of a name.
INLINE int is_length(uint64_t byte) { return 0x20388 >> (byte & 31) & 1; }

/// Returns whether what is around a place at which ways were `found` allows a name there.
static int can_be_name(const uint8_t *letters, size_t index, unsigned found) {
  const uint8_t *const at = letters + index;
  if ((found & hex) != 0 && index >= 2 && is_length((uint64_t)hex_byte(at - 2, at))) return 1;
  const uint64_t head = (uint64_t)hex_byte(at + 2, at + 4), first = (uint8_t)hex_byte(at + 4, at + 6);
  if ((found & hex_chunks) != 0 && can_be_chunk(head << 8 | first)) return 1;
  uint64_t bits = index == 0 ? 0 : base64_values[at[-1]] & 63;
  for (size_t next = 0; next < 8; next++) bits = bits << 6 | (base64_values[at[next]] & 63);
  const int is_name = (is_length(bits >> 48) | is_length(bits >> 46)) & (found & ways_01);
  return is_name | ((found & way_2) != 0 && is_length(bits >> 44)) | ((found & chunks_0) != 0 && can_be_chunk(bits >> 24)) |
         ((found & chunks_1) != 0 && can_be_chunk(bits >> 22)) | ((found & bytes_2) != 0 && can_be_chunk(bits >> 20)) |
         ((found & (way_2 | odd_chunks_2)) != 0 && can_be_chunk(bits >> 26));
}

int attest_name_at(const uint8_t *letters, size_t count, size_t index) {
  const unsigned found = bits_at(&attest_ways, letters + index);
  return can_be_name(letters, index, found) ? name_at(letters, count, index, found) : 0;
}

int attest_has_further_names(const uint8_t *text, size_t length) {
  uint8_t *const letters = calloc(length + step, 1);
  size_t count = 0, last = 0;
  int seen = 0, answer = letters == NULL;
  for (size_t at = 0; at < length && !answer; at++) {
    if (is_kind(text[at], letter)) letters[count++] = text[at];
  }
  for (size_t at = 0; at < count && !answer; at++) {
    const int name = attest_name_at(letters, count, at);
    if (name == 0) continue;
    // A name in one piece can be read as one in chunks, too.
    answer = name == long_name || ((name & seen) != 0 && at - last > 3);
    seen |= name;
    last = at;
  }
  free(letters);
  return answer || ((seen & of_attestations) != 0 && (seen & of_assertions) != 0);
}
