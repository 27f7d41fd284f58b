#include "attest_deflate.h"

#include <stdlib.h>
#include <string.h>

// Tables as libdeflate (E. Biggers, 2016) has them: a code is looked up by its first bits, and
// where it is longer, by the others in a table of its own. An entry is 0 where no code leads to it.
//
//   bits 0-7   what the code takes of the input, extra bits included; of a link, the first bits
//   bits 8-11  what the code alone takes; of a link, the bits of the table behind
//   bits 12-15 of a literal LITERAL, and PAIR where another stands behind it; else LINK or END; a
//              length or a distance has none of them
//   bits 16-31 the literals, the least length or distance, or where the table behind begins
enum {
  PAIR = 1 << 12,
  LITERAL = 1 << 13,
  LINK = 1 << 14,
  END = 1 << 15,
  LONGEST_CODE = 15,
  LITERAL_BITS = 12,
  DISTANCE_BITS = 8,
  CODE_BITS = 7,
  LITERAL_SYMBOLS = 288,
  DISTANCE_SYMBOLS = 32,
  CODE_SYMBOLS = 19,
  // Codes that need more entries are rare, and left to zlib.
  LITERAL_ENTRIES = (1 << LITERAL_BITS) + 512,
  DISTANCE_ENTRIES = (1 << DISTANCE_BITS) + 256,
  LONGEST_MATCH = 258,
};

struct attest_deflate_tables {
  uint32_t literals[LITERAL_ENTRIES];
  uint32_t distances[DISTANCE_ENTRIES];
  uint32_t codes[1 << CODE_BITS];
  uint32_t fixed_literals[LITERAL_ENTRIES];
  uint32_t fixed_distances[DISTANCE_ENTRIES];
  uint8_t lengths[LITERAL_SYMBOLS + DISTANCE_SYMBOLS];
};

static const uint16_t length_base[29] = {3,  4,  5,  6,  7,  8,  9,  10,  11,  13,
                                         15, 17, 19, 23, 27, 31, 35, 43,  51,  59,
                                         67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                         2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[30] = {
    1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
    193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extra[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                           6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

/// What a symbol of the literal alphabet says, but for its code; 0 for one that may not be used.
static uint32_t literal_entry(unsigned symbol) {
  if (symbol < 256) return (uint32_t)symbol << 16 | LITERAL;
  if (symbol == 256) return END;
  if (symbol > 285) return 0;
  return (uint32_t)length_base[symbol - 257] << 16 | length_extra[symbol - 257];
}

static uint32_t distance_entry(unsigned symbol) {
  return symbol > 29 ? 0 : (uint32_t)distance_base[symbol] << 16 | distance_extra[symbol];
}

static uint32_t code_entry(unsigned symbol) { return (uint32_t)symbol << 16 | LITERAL; }

/// The entry of a symbol whose code is `length` bits long, of which `passed` were looked up before.
static inline uint32_t with_length(uint32_t entry, unsigned length, unsigned passed) {
  return entry == 0 ? 0 : entry + ((length - passed) << 8) + (length - passed);
}

/// Makes the table of a code that is given by its lengths (RFC 1951, 3.2.2); 0 where the code is
/// not complete, or needs more room.
static int make_table(uint32_t *table, unsigned table_bits, size_t room, const uint8_t *lengths,
                      unsigned count, uint32_t (*entry_of)(unsigned)) {
  unsigned counts[LONGEST_CODE + 1] = {0}, starts[LONGEST_CODE + 2];
  for (unsigned symbol = 0; symbol < count; symbol++) counts[lengths[symbol]]++;
  counts[0] = 0;
  uint32_t space = 0;
  starts[0] = starts[1] = 0;
  for (unsigned length = 1; length <= LONGEST_CODE; length++) {
    space = space * 2 + counts[length];
    starts[length + 1] = starts[length] + counts[length];
  }
  if (space != 1u << LONGEST_CODE) return 0;
  uint16_t sorted[LITERAL_SYMBOLS];
  for (unsigned symbol = 0; symbol < count; symbol++) {
    if (lengths[symbol] > 0) sorted[starts[lengths[symbol]]++] = (uint16_t)symbol;
  }
  // Codes are read from their first bit on: `code` is the next one with its bits reversed.
  unsigned code = 0, next = 0;
  const unsigned used = starts[LONGEST_CODE];
  unsigned end = 1u << table_bits, sub_start = 0, sub_bits = 0, prefix = ~0u;
  for (unsigned length = 1; length <= LONGEST_CODE; length++) {
    for (unsigned left = counts[length]; left > 0; left--) {
      const uint32_t entry = entry_of(sorted[next++]);
      if (length <= table_bits) {
        const uint32_t filled = with_length(entry, length, 0);
        for (unsigned at = code; at < 1u << table_bits; at += 1u << length) table[at] = filled;
      } else {
        if ((code & ((1u << table_bits) - 1)) != prefix) {
          prefix = code & ((1u << table_bits) - 1);
          sub_start = end;
          sub_bits = length - table_bits;
          // As many bits as the codes with this prefix need to fill it.
          uint32_t filled = left;
          while (filled < 1u << sub_bits) {
            sub_bits++;
            filled = filled * 2 + counts[table_bits + sub_bits];
          }
          end = sub_start + (1u << sub_bits);
          if (end > room) return 0;
          table[prefix] = (uint32_t)sub_start << 16 | LINK | sub_bits << 8 | table_bits;
        }
        const uint32_t filled = with_length(entry, length, table_bits);
        for (unsigned at = code >> table_bits; at < 1u << sub_bits;
             at += 1u << (length - table_bits)) {
          table[sub_start + at] = filled;
        }
      }
      if (next == used) return 1;
      const unsigned top = 1u << (31 - __builtin_clz(code ^ ((1u << length) - 1)));
      code = (code & (top - 1)) | top;
    }
  }
  return 1;
}

/// Joins two literals to one entry where the first bits hold the codes of both.
static void make_pairs(uint32_t *table) {
  // From the back, so that what stands behind a literal is not joined yet. Without branches, which
  // could not be foretold.
  for (unsigned index = (1u << LITERAL_BITS); index-- > 0;) {
    const uint32_t entry = table[index];
    const uint32_t behind = table[index >> (entry & 15)];
    const unsigned both = (entry & 0xFF) + (behind & 0xFF);
    const uint32_t joined =
        (behind & 0xFF0000) << 8 | (entry & 0xFF0000) | LITERAL | PAIR | both;
    const int is_pair = ((entry & LITERAL) != 0) & ((behind & (LITERAL | PAIR)) == LITERAL) &
                        (both <= LITERAL_BITS);
    table[index] = is_pair ? joined : entry;
  }
}

attest_deflate_tables *attest_deflate_create(void) {
  attest_deflate_tables *tables = calloc(1, sizeof *tables);
  if (tables == NULL) return NULL;
  // The fixed codes (RFC 1951, 3.2.6).
  uint8_t lengths[LITERAL_SYMBOLS];
  memset(lengths, 8, 144);
  memset(lengths + 144, 9, 112);
  memset(lengths + 256, 7, 24);
  memset(lengths + 280, 8, 8);
  make_table(tables->fixed_literals, LITERAL_BITS, LITERAL_ENTRIES, lengths, LITERAL_SYMBOLS,
             literal_entry);
  make_pairs(tables->fixed_literals);
  memset(lengths, 5, DISTANCE_SYMBOLS);
  make_table(tables->fixed_distances, DISTANCE_BITS, DISTANCE_ENTRIES, lengths, DISTANCE_SYMBOLS,
             distance_entry);
  return tables;
}

void attest_deflate_destroy(attest_deflate_tables *tables) { free(tables); }

/// A position in the input. Bits in `held` above `count` may be set already, by what they will be.
typedef struct {
  const uint8_t *at, *end;
  uint64_t held;
  unsigned count;
} bit_reader;

static inline uint64_t load64(const uint8_t *bytes) {
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap64(word);
#endif
  return word;
}

/// Makes 56 bits or more available, or all that are left.
static inline void refill(bit_reader *reader) {
  if (__builtin_expect(reader->end - reader->at >= 8, 1)) {
    reader->held |= load64(reader->at) << reader->count;
    reader->at += (63 - reader->count) >> 3;
    reader->count |= 56;
    return;
  }
  while (reader->count < 56 && reader->at < reader->end) {
    reader->held |= (uint64_t)*reader->at++ << reader->count;
    reader->count += 8;
  }
}

/// Passes over bits that are available; no more than `count`, which is checked by the caller.
static inline void pass(bit_reader *reader, unsigned bits) {
  reader->held >>= bits;
  reader->count -= bits;
}

/// The next bits, at most 32; 0 in `*ok` where there are not so many.
static inline uint32_t take(bit_reader *reader, unsigned bits, int *ok) {
  refill(reader);
  if (reader->count < bits) {
    *ok = 0;
    return 0;
  }
  const uint32_t value = (uint32_t)(reader->held & ((UINT64_C(1) << bits) - 1));
  pass(reader, bits);
  return value;
}

/// Reads the codes of a block (RFC 1951, 3.2.7); 0 where there is anything that zlib does not take,
/// or that is rare.
static int read_codes(attest_deflate_tables *tables, bit_reader *reader) {
  static const uint8_t order[CODE_SYMBOLS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
  int ok = 1;
  const unsigned literals = 257 + take(reader, 5, &ok), distances = 1 + take(reader, 5, &ok);
  const unsigned codes = 4 + take(reader, 4, &ok);
  if (!ok || literals > 286 || distances > 30) return 0;
  uint8_t code_lengths[CODE_SYMBOLS] = {0};
  for (unsigned index = 0; index < codes; index++) {
    code_lengths[order[index]] = (uint8_t)take(reader, 3, &ok);
  }
  if (!ok || !make_table(tables->codes, CODE_BITS, 1 << CODE_BITS, code_lengths, CODE_SYMBOLS,
                         code_entry)) {
    return 0;
  }
  uint8_t *lengths = tables->lengths;
  for (unsigned index = 0; index < literals + distances;) {
    refill(reader);
    const uint32_t entry = tables->codes[reader->held & ((1 << CODE_BITS) - 1)];
    if (entry == 0 || reader->count < (entry & 0xFF)) return 0;
    pass(reader, entry & 0xFF);
    const unsigned symbol = entry >> 16;
    if (symbol < 16) {
      lengths[index++] = (uint8_t)symbol;
      continue;
    }
    uint8_t repeated = 0;
    unsigned times;
    if (symbol == 16) {
      if (index == 0) return 0;
      repeated = lengths[index - 1];
      times = 3 + take(reader, 2, &ok);
    } else {
      times = symbol == 17 ? 3 + take(reader, 3, &ok) : 11 + take(reader, 7, &ok);
    }
    if (!ok || times > literals + distances - index) return 0;
    memset(lengths + index, repeated, times);
    index += times;
  }
  if (lengths[256] == 0 ||
      !make_table(tables->literals, LITERAL_BITS, LITERAL_ENTRIES, lengths, literals,
                  literal_entry) ||
      !make_table(tables->distances, DISTANCE_BITS, DISTANCE_ENTRIES, lengths + literals, distances,
                  distance_entry)) {
    return 0;
  }
  make_pairs(tables->literals);
  return 1;
}

/// Copies a match of 3 to 258 bytes from `distance` bytes back; as much as 32 bytes behind it may
/// be written.
static inline void copy_match(uint8_t *out, size_t distance, size_t length) {
  const uint8_t *from = out - distance;
  uint8_t *const end = out + length;
  if (distance >= 16) {
    do {
      memcpy(out, from, 16);
      out += 16;
      from += 16;
    } while (out < end);
  } else if (distance >= 8) {
    do {
      memcpy(out, from, 8);
      out += 8;
      from += 8;
    } while (out < end);
  } else if (distance == 1) {
    memset(out, *from, length);
  } else {
    do *out++ = *from++; while (out < end);
  }
}

/// Writes one or two literals, and perhaps a byte more.
static inline uint8_t *put_literals(bit_reader *reader, uint32_t entry, uint8_t *out) {
  pass(reader, entry & 0xFF);
  out[0] = (uint8_t)(entry >> 16);
  out[1] = (uint8_t)(entry >> 24);
  return out + 1 + (entry >> 12 & 1);
}

enum { INPUT_MARGIN = 16, OUTPUT_MARGIN = LONGEST_MATCH + 32 + 16 };

/// Decodes the symbols of a block up to its end; NULL where it cannot. `first` is where the history
/// begins, `end` where the room ends.
static uint8_t *read_symbols(bit_reader *given, const uint32_t *literals,
                             const uint32_t *distances, const uint8_t *first, uint8_t *out,
                             uint8_t *end) {
  bit_reader reader = *given;
  const uint64_t literal_mask = (1 << LITERAL_BITS) - 1, distance_mask = (1 << DISTANCE_BITS) - 1;
  uint8_t *const fast_end = end - out > OUTPUT_MARGIN ? end - OUTPUT_MARGIN : out;
  while (1) {
    const int is_fast = out < fast_end && reader.end - reader.at > INPUT_MARGIN;
    refill(&reader);
    uint32_t entry = literals[reader.held & literal_mask];
    if (is_fast) {
      // 56 bits are there: for three entries of literals, at most 12 bits each, and one of 20.
      for (int index = 0; index < 3 && entry & LITERAL; index++) {
        out = put_literals(&reader, entry, out);
        entry = literals[reader.held & literal_mask];
      }
      if (entry & LITERAL) {
        out = put_literals(&reader, entry, out);
        continue;
      }
    }
    if (entry & LINK) {
      if (reader.count < LITERAL_BITS) return NULL;
      pass(&reader, LITERAL_BITS);
      entry = literals[(entry >> 16) + (reader.held & ((1u << (entry >> 8 & 15)) - 1))];
    }
    const unsigned bits = entry & 0xFF;
    if (entry == 0 || reader.count < bits) return NULL;
    const uint64_t before = reader.held;
    pass(&reader, bits);
    if (entry & LITERAL) {
      if (end - out < 2) return NULL;
      *out++ = (uint8_t)(entry >> 16);
      if (entry & PAIR) *out++ = (uint8_t)(entry >> 24);
      continue;
    }
    if (entry & END) {
      *given = reader;
      return out;
    }
    const size_t length =
        (entry >> 16) + ((before & ((UINT64_C(1) << bits) - 1)) >> (entry >> 8 & 15));
    refill(&reader);
    entry = distances[reader.held & distance_mask];
    if (entry & LINK) {
      if (reader.count < DISTANCE_BITS) return NULL;
      pass(&reader, DISTANCE_BITS);
      entry = distances[(entry >> 16) + (reader.held & ((1u << (entry >> 8 & 15)) - 1))];
    }
    const unsigned distance_bits = entry & 0xFF;
    if (entry == 0 || reader.count < distance_bits) return NULL;
    const size_t distance =
        (entry >> 16) +
        ((reader.held & ((UINT64_C(1) << distance_bits) - 1)) >> (entry >> 8 & 15));
    pass(&reader, distance_bits);
    if (distance > (size_t)(out - first)) return NULL;
    if (is_fast) {
      copy_match(out, distance, length);
    } else {
      if (length > (size_t)(end - out)) return NULL;
      const uint8_t *const from = out - distance;
      for (size_t index = 0; index < length; index++) out[index] = from[index];
    }
    out += length;
  }
}

/// Reads a block that is stored (RFC 1951, 3.2.4); NULL where it cannot.
static uint8_t *read_stored(bit_reader *reader, uint8_t *out, const uint8_t *end) {
  // What is held in whole bytes goes back.
  pass(reader, reader->count & 7);
  reader->at -= reader->count >> 3;
  reader->held = reader->count = 0;
  if (reader->end - reader->at < 4) return NULL;
  const size_t length = (size_t)(reader->at[0] | reader->at[1] << 8);
  if (length != ((size_t)(reader->at[2] | reader->at[3] << 8) ^ 0xFFFF)) return NULL;
  reader->at += 4;
  if (length > (size_t)(reader->end - reader->at) || length > (size_t)(end - out)) return NULL;
  memcpy(out, reader->at, length);
  reader->at += length;
  return out + length;
}

attest_deflate_blocks attest_deflate_decode(attest_deflate_tables *tables, const uint8_t *input,
                                            size_t length, unsigned bit, uint8_t *out,
                                            size_t history, size_t room) {
  attest_deflate_blocks blocks = {bit, 0, 0};
  bit_reader reader = {input, input + length, 0, 0};
  refill(&reader);
  if (reader.count < bit) return blocks;
  pass(&reader, bit);
  const uint8_t *const first = out - history;
  uint8_t *const start = out, *const end = out + room;
  size_t largest = 0;
  // A block that hardly fits would be decoded in vain.
  while ((size_t)(end - out) >= largest) {
    int ok = 1;
    const uint32_t is_last = take(&reader, 1, &ok), type = take(&reader, 2, &ok);
    if (!ok) break;
    uint8_t *after = NULL;
    if (type == 0) {
      after = read_stored(&reader, out, end);
    } else if (type == 1) {
      after = read_symbols(&reader, tables->fixed_literals, tables->fixed_distances, first, out,
                           end);
    } else if (type == 2 && read_codes(tables, &reader)) {
      after = read_symbols(&reader, tables->literals, tables->distances, first, out, end);
    }
    if (after == NULL) break;
    if ((size_t)(after - out) > largest) largest = (size_t)(after - out);
    out = after;
    blocks.bits = (size_t)(reader.at - input) * 8 - reader.count;
    blocks.produced = (size_t)(out - start);
    blocks.is_last = (int)is_last;
    if (is_last) break;
  }
  return blocks;
}
