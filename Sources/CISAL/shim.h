#ifndef ATTEST_AUDIT_CISAL_SHIM_H
#define ATTEST_AUDIT_CISAL_SHIM_H

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/// The state of inflating one member, some 90 KiB; kept from Swift, which would see its tables as tuples.
typedef struct attest_inflate attest_inflate;

/// How a call of `attest_inflate_some` ended.
enum {
  /// More input or more room is needed.
  ATTEST_INFLATE_MORE = 0,
  /// The last block is complete, and all of it delivered.
  ATTEST_INFLATE_DONE = 1,
  ATTEST_INFLATE_DAMAGED = 2,
};

/// Begins a member of raw deflate data (RFC 1951).
static inline void attest_inflate_reset(attest_inflate *context) {
  isal_inflate_init((struct inflate_state *)(void *)context);
}

/// NULL where memory is out.
static inline attest_inflate *attest_inflate_new(void) {
  attest_inflate *context = (attest_inflate *)malloc(sizeof(struct inflate_state));
  if (context) attest_inflate_reset(context);
  return context;
}

static inline void attest_inflate_free(attest_inflate *context) { free(context); }

/// What a call took and gave.
typedef struct {
  int outcome;
  /// Negative at the end of the member, where bytes of an earlier call were not needed.
  int64_t consumed;
  size_t produced;
} attest_inflate_step;

/// Inflates as much of `input` as there is room for at `output`.
static inline attest_inflate_step attest_inflate_some(attest_inflate *context, const uint8_t *input,
                                                      uint32_t input_length, uint8_t *output,
                                                      uint32_t output_length) {
  struct inflate_state *state = (struct inflate_state *)(void *)context;
  state->next_in = (uint8_t *)(uintptr_t)input;
  state->avail_in = input_length;
  state->next_out = output;
  state->avail_out = output_length;
  int result = isal_inflate(state);
  attest_inflate_step step = {ATTEST_INFLATE_MORE, (int64_t)input_length - state->avail_in,
                              output_length - state->avail_out};
  if (result < 0) {
    step.outcome = ATTEST_INFLATE_DAMAGED;
  } else if (state->block_state == ISAL_BLOCK_FINISH) {
    step.outcome = ATTEST_INFLATE_DONE;
    // Whole bytes that were read ahead belong to what follows the member.
    step.consumed -= state->read_in_length / 8;
  }
  return step;
}

/// CRC-32 as gzip uses it (RFC 1952, 8) over what `sum` stands for, followed by `bytes`.
static inline uint32_t attest_crc32(uint32_t sum, const uint8_t *bytes, size_t length) {
  return crc32_gzip_refl(sum, bytes, length);
}

#endif
