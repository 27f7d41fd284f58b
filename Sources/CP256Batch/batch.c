#include <string.h>

#include "order.h"
#include "verifier.h"

bool p256_batch_append(p256_signature_batch *batch, const uint8_t *bytes, size_t signature,
                       const p256_point *key) {
  p256_scalars scalars = {.r = p256_number_from_bytes(bytes),
                          .s = p256_number_from_bytes(bytes + 32)};
  if (!p256_order_is_in_range(&scalars.r) || !p256_order_is_in_range(&scalars.s)) return false;
  p256_number digest = p256_number_from_bytes(bytes + 64);
  p256_order_reduce(&scalars.u1, &digest);
  batch->scalars[batch->count] = scalars;
  batch->keys[batch->count] = key;
  batch->signatures[batch->count] = signature;
  batch->count++;
  return true;
}

/// Recodes u1 or u2 of the batch.
static void recode_batch(const p256_signature_batch *batch, bool takes_base, unsigned width,
                         p256_recoded *recoded) {
  for (size_t i = 0; i < batch->count; i++) {
    const p256_scalars *scalars = &batch->scalars[i];
    const p256_number *scalar = takes_base ? &scalars->u1 : &scalars->u2;
    p256_recode(&recoded[i / P256_LANES], i % P256_LANES, scalar, width);
  }
}

/// Takes over the flags that an addition set.
static void mark_signatures(const p256_signature_batch *batch, p256_workspace *workspace) {
  for (size_t i = 0; i < batch->count; i++) {
    batch->undecided[i] |= workspace->flags[i];
    workspace->flags[i] = 0;
  }
}

/// Adds, digit by digit, the multiples that `recoded` stands for, of the points whose first rows
/// are in the workspace's `rows`. All signatures take one step at a time; there are no doublings,
/// since each digit has a row of its own. Starts anew with the first digit where `starts`.
static void add_multiples(const p256_signature_batch *batch, const p256_recoded *recoded,
                          const p256_multiples *multiples, bool starts, p256_workspace *workspace) {
  unsigned width = multiples->width, digits = p256_digit_count(width);
  for (unsigned j = 0; j < digits; j++) {
    workspace->kernel->select(recoded, j * width, width, workspace->rows, j * multiples->row_points,
                              batch->count, workspace->operands, workspace->negated);
    if (starts && j == 0) {
      p256_workspace_load(workspace, batch->count);
    } else if (p256_workspace_add(workspace, batch->count) > 0) {
      mark_signatures(batch, workspace);
    }
  }
}

/// Points all rows of the batch, up to a whole block, at one row, or at each signature's key.
static void set_rows(const p256_signature_batch *batch, const p256_point *row,
                     p256_workspace *workspace) {
  size_t whole = (batch->count + P256_LANES - 1) / P256_LANES * P256_LANES;
  for (size_t i = 0; i < whole; i++) {
    workspace->rows[i] = row != NULL ? row : batch->keys[i < batch->count ? i : 0];
  }
}

/// Leaves u2 Q of each signature in the accumulators.
static void sum_key_part(p256_verifier *verifier, const p256_multiples *multiples) {
  p256_signature_batch *batch = &verifier->batch;
  recode_batch(batch, false, multiples->width, batch->key_digits);
  if (multiples->row_points > 1) {
    set_rows(batch, NULL, &verifier->workspace);
    add_multiples(batch, batch->key_digits, multiples, true, &verifier->workspace);
    return;
  }
  p256_bucket_batch bucket_batch = {
      .count = batch->count,
      .recoded = batch->key_digits,
      .scalars = batch->scalars,
      .powers = batch->keys,
      .undecided = batch->undecided,
      .base = verifier->base->multiples.rows,
  };
  p256_buckets_sum(&verifier->buckets, &bucket_batch, &verifier->workspace);
}

/// Adds u1 G.
static void sum_base_part(p256_verifier *verifier) {
  p256_signature_batch *batch = &verifier->batch;
  const p256_multiples *multiples = &verifier->base->multiples;
  recode_batch(batch, true, multiples->width, batch->base_digits);
  set_rows(batch, multiples->rows, &verifier->workspace);
  add_multiples(batch, batch->base_digits, multiples, false, &verifier->workspace);
}

/// Whether x mod n = r (FIPS 186-5, 6.4.2, step 7). x is below p and so below 2 n.
static bool is_equal_mod_order(const p256_number *x, const p256_number *r) {
  p256_number reduced;
  p256_order_reduce(&reduced, x);
  return p256_number_equals(&reduced, r);
}

void p256_batch_judge(p256_verifier *verifier, const p256_multiples *multiples, uint8_t *verdicts) {
  p256_signature_batch *batch = &verifier->batch;
  p256_workspace *workspace = &verifier->workspace;
  const p256_kernel *kernel = workspace->kernel;
  if (batch->count == 0) return;
  memset(batch->undecided, 0, batch->count);
  kernel->scalars(batch->scalars, batch->count, workspace->accumulators);
  sum_key_part(verifier, multiples);
  sum_base_part(verifier);
  kernel->leave(workspace->accumulators, batch->x, batch->count);
  for (size_t i = 0; i < batch->count; i++) {
    bool is_valid = is_equal_mod_order(&batch->x[i], &batch->scalars[i].r);
    verdicts[batch->signatures[i]] = batch->undecided[i] ? P256_UNDECIDED
                                     : is_valid          ? P256_VALID
                                                         : P256_INVALID;
  }
  batch->count = 0;
}
