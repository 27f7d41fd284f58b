#ifndef CSIGNATUREBATCH_BATCH_H
#define CSIGNATUREBATCH_BATCH_H

#include "../curves/buckets.h"

/// The multiples of one scalar of each signature: digit j adds an entry of row j, or of the only
/// row.
typedef struct {
  sb_recoded *digits;
  /// The first row of each signature's table.
  const sb_point **rows;
  unsigned width;
  /// Points from one digit's row to the next's; 0 if there is only one.
  size_t row_points;
} sb_terms;

/// Makes the terms of u1 of G, or of u2 of each signature's key.
SB_FUNCTION sb_terms sb_make_terms(const sb_signature_batch *batch, const sb_multiples *multiples,
                                   bool is_key) {
  sb_terms terms = {is_key ? batch->key_digits : batch->base_digits,
                    is_key ? batch->keys : batch->bases, multiples->shape.width,
                    multiples->shape.rows > 1 ? multiples->shape.row_points : 0};
  for (size_t i = 0; i < sb_batch_lanes(batch); i++) {
    size_t signature = i < batch->count ? i : 0;
    const sb_scalars *scalars = &batch->scalars[signature];
    terms.rows[i] = is_key ? batch->keys[signature] : multiples->rows;
    sb_recode(&terms.digits[i / SB_LANES], i % SB_LANES, is_key ? &scalars->u2 : &scalars->u1,
              terms.width);
  }
  return terms;
}

/// Makes digit j of all signatures the operands of one group.
SB_FUNCTION void sb_select_terms(const sb_signature_batch *batch, const sb_terms *terms, unsigned j,
                                 sb_workspace *workspace, size_t group) {
  size_t lanes = sb_batch_lanes(batch), start = group * lanes;
  sb_select(terms->digits, j * terms->width, terms->width, terms->rows, j * terms->row_points,
            lanes, workspace->operands + start, workspace->negated + start);
}

/// Adds the groups of accumulators up into the first, in pairs; `room` is for as many points as
/// half of them are.
SB_FUNCTION void sb_join_groups(const sb_signature_batch *batch, sb_workspace *workspace,
                                size_t groups, sb_point *room) {
  size_t lanes = sb_batch_lanes(batch);
  while (groups > 1) {
    size_t kept = (groups + 1) / 2, count = (groups - kept) * lanes;
    for (size_t i = 0; i < count; i++) {
      workspace->targets[i] = room + i;
      workspace->operands[i] = room + i;
    }
    sb_kernel_store(workspace->accumulators + kept * lanes / SB_LANES, workspace->targets, count);
    sb_workspace_clear_signs(workspace, count);
    if (sb_workspace_add(workspace, count) > 0) {
      sb_mark_signatures(batch, workspace, groups - kept);
    }
    groups = kept;
  }
}

/// The least number of additions at once. With fewer, the inversion that they share costs more than
/// they do.
enum { LEAST_ADDITIONS = 512 };

/// Returns the number of groups of accumulators that a batch is dealt to.
SB_FUNCTION size_t sb_group_count(const sb_signature_batch *batch, const sb_workspace *workspace,
                                  unsigned terms) {
  size_t lanes = sb_batch_lanes(batch), groups = LEAST_ADDITIONS / lanes;
  if (groups > terms / 3) groups = terms / 3;
  if (groups > workspace->capacity / lanes) groups = workspace->capacity / lanes;
  return groups > 1 ? groups : 1;
}

/// Leaves u2 Q + u1 G of each signature in the accumulators. All signatures take one step at a
/// time; there are not doublings, since each digit has a row of its own. Few signatures are dealt
/// to several groups of accumulators, which take a digit each.
SB_FUNCTION void sb_sum_terms(const sb_signature_batch *batch, const sb_terms *key,
                              const sb_terms *base, sb_workspace *workspace, sb_point *room) {
  unsigned key_digits = sb_digit_count(key->width);
  unsigned all = key_digits + sb_digit_count(base->width);
  unsigned groups = (unsigned)sb_group_count(batch, workspace, all);
  for (unsigned first = 0; first < all; first += groups) {
    unsigned count = all - first < groups ? all - first : groups;
    for (unsigned group = 0; group < count; group++) {
      unsigned j = first + group;
      bool is_key = j < key_digits;
      sb_select_terms(batch, is_key ? key : base, is_key ? j : j - key_digits, workspace, group);
    }
    size_t additions = count * sb_batch_lanes(batch);
    if (first == 0) {
      sb_workspace_load(workspace, additions);
    } else if (sb_workspace_add(workspace, additions) > 0) {
      sb_mark_signatures(batch, workspace, count);
    }
  }
  sb_join_groups(batch, workspace, groups, room);
}

/// Adds u1 G of each signature to the accumulators.
SB_FUNCTION void sb_add_base(const sb_signature_batch *batch, const sb_multiples *base,
                             sb_workspace *workspace) {
  sb_terms terms = sb_make_terms(batch, base, false);
  for (unsigned j = 0; j < sb_digit_count(terms.width); j++) {
    sb_select_terms(batch, &terms, j, workspace, 0);
    if (sb_workspace_add(workspace, batch->count) > 0) sb_mark_signatures(batch, workspace, 1);
  }
}

/// Leaves u2 Q + u1 G of each signature in the accumulators where the keys have buckets.
SB_FUNCTION void sb_sum_buckets(const sb_signature_batch *batch, const sb_buckets *buckets,
                                const sb_multiples *base, sb_workspace *workspace) {
  sb_buckets_sum(buckets, batch, base->rows, workspace);
  // Empty buckets have changed u1.
  sb_add_base(batch, base, workspace);
}

/// Does the same where the keys have one row of odd multiples. The digits of u2 are added from the
/// highest on, and between two of them the sums are doubled (Horner's rule).
SB_FUNCTION void sb_sum_doublings(const sb_signature_batch *batch, const sb_terms *key,
                                  const sb_multiples *base, sb_workspace *workspace) {
  unsigned top = sb_digit_count(key->width) - 1;
  for (unsigned j = top + 1; j-- > 0;) {
    for (unsigned bit = 0; j < top && bit < key->width; bit++) {
      if (sb_workspace_twice(workspace, batch->count) > 0) sb_mark_signatures(batch, workspace, 1);
    }
    sb_select_terms(batch, key, j, workspace, 0);
    if (j == top) {
      sb_workspace_load(workspace, batch->count);
    } else if (sb_workspace_add(workspace, batch->count) > 0) {
      sb_mark_signatures(batch, workspace, 1);
    }
  }
  sb_add_base(batch, base, workspace);
}

/// Returns whether x mod n = r (FIPS 186-5, 6.4.2, step 7). x is below p and so below 2 n.
SB_FUNCTION bool sb_is_equal_mod_order(const sb_number *x, const sb_number *r) {
  sb_number reduced;
  sb_order_reduce(&reduced, x);
  return sb_number_equals(&reduced, r);
}

/// Judges the signatures of the batch and empties it; `keys` are the multiples of all its keys, and
/// `base` those of G.
SB_FUNCTION void sb_batch_judge(sb_signature_batch *batch, const sb_multiples *keys,
                                const sb_multiples *base, const sb_buckets *buckets,
                                sb_workspace *workspace, uint8_t *verdicts) {
  if (batch->count == 0) return;
  memset(batch->undecided, 0, batch->count);
  sb_kernel_scalars(batch->scalars, batch->count, workspace->accumulators);
  sb_terms key = sb_make_terms(batch, keys, true);
  if (keys->shape.row_points == 1) {
    sb_sum_buckets(batch, buckets, base, workspace);
  } else if (keys->shape.rows == 1) {
    sb_sum_doublings(batch, &key, base, workspace);
  } else {
    sb_terms multiples_of_base = sb_make_terms(batch, base, false);
    sb_sum_terms(batch, &key, &multiples_of_base, workspace, buckets->points);
  }
  sb_kernel_leave(workspace->accumulators, batch->x, batch->count);
  for (size_t i = 0; i < batch->count; i++) {
    bool is_valid = sb_is_equal_mod_order(&batch->x[i], &batch->scalars[i].r);
    verdicts[batch->signatures[i]] = batch->undecided[i] ? SB_UNDECIDED
                                     : is_valid          ? SB_VALID
                                                         : SB_INVALID;
  }
  batch->count = 0;
}

#endif
