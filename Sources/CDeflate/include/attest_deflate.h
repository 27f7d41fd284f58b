#ifndef ATTEST_AUDIT_DEFLATE_H
#define ATTEST_AUDIT_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The farthest that a match reaches back (RFC 1951).
#define ATTEST_DEFLATE_WINDOW 32768

/// The tables of one decoder; used by one thread at a time.
typedef struct attest_deflate_tables attest_deflate_tables;

/// Makes the tables; NULL where memory is out.
attest_deflate_tables *_Nullable attest_deflate_create(void);

/// Frees the tables.
void attest_deflate_destroy(attest_deflate_tables *_Nonnull tables);

/// Whole blocks that were decoded.
typedef struct attest_deflate_blocks {
  /// Bits of the input in front of the next block.
  size_t bits;
  /// Bytes written.
  size_t produced;
  /// Whether the last of them is the last of the stream.
  int is_last;
} attest_deflate_blocks;

/// Decodes as many whole blocks of raw deflate data (RFC 1951) as it can, of those that zlib
/// decodes too and in the same way. It stops in front of any other: one that is damaged, of a rare
/// form, not whole in the input, or larger than the room.
///
/// - `bit`: Bits of the first byte that belong to earlier blocks, at most 7.
/// - `out`: Where output goes; `history` bytes of earlier output lie right in front of it.
/// - `room`: The bytes that may be written; what lies behind `produced` is void.
attest_deflate_blocks attest_deflate_decode(attest_deflate_tables *_Nonnull tables,
                                            const uint8_t *_Nonnull input, size_t length,
                                            unsigned bit, uint8_t *_Nonnull out, size_t history,
                                            size_t room);

/// CRC-32 as gzip uses it (RFC 1952, 8) over what `sum` stands for, followed by `bytes`. The length
/// has to be a multiple of 16, and at least 64.
///
/// Returns 1; or 0, with the sum as it was, where the processor cannot multiply without carries.
int attest_crc32_quick(uint32_t *_Nonnull sum, const uint8_t *_Nonnull bytes, size_t length);

#ifdef __cplusplus
}
#endif

#endif
