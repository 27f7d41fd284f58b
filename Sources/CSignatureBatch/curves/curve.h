#ifndef CSIGNATUREBATCH_CURVE_H
#define CSIGNATUREBATCH_CURVE_H

#include "../numbers/number.h"

/// The curve that is compiled: y^2 = x^3 - 3x + b over the integers mod p, with the base point G of
/// prime order n.

#if SB_BITS == 256
/// The constants of P-256 (NIST SP 800-186, 3.2.1.3).

/// p = 2^256 - 2^224 + 2^192 + 2^96 - 1.
static const sb_number SB_PRIME = {
    {0xFFFFFFFFFFFFFFFF, 0x00000000FFFFFFFF, 0x0000000000000000, 0xFFFFFFFF00000001}};

static const sb_number SB_ORDER = {
    {0xF3B9CAC2FC632551, 0xBCE6FAADA7179E84, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFF00000000}};

static const sb_number SB_BASE_X = {
    {0xF4A13945D898C296, 0x77037D812DEB33A0, 0xF8BCE6E563A440F2, 0x6B17D1F2E12C4247}};

static const sb_number SB_BASE_Y = {
    {0xCBB6406837BF51F5, 0x2BCE33576B315ECE, 0x8EE7EB4A7C0F9E16, 0x4FE342E2FE1A7F9B}};

#else
/// The constants of P-384 (NIST SP 800-186, 3.2.1.4).

/// p = 2^384 - 2^128 - 2^96 + 2^32 - 1.
static const sb_number SB_PRIME = {{0x00000000FFFFFFFF, 0xFFFFFFFF00000000, 0xFFFFFFFFFFFFFFFE,
                                    0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}};

static const sb_number SB_ORDER = {{0xECEC196ACCC52973, 0x581A0DB248B0A77A, 0xC7634D81F4372DDF,
                                    0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF}};

static const sb_number SB_BASE_X = {{0x3A545E3872760AB7, 0x5502F25DBF55296C, 0x59F741E082542A38,
                                     0x6E1D3B628BA79B98, 0x8EB1C71EF320AD74, 0xAA87CA22BE8B0537}};

static const sb_number SB_BASE_Y = {{0x7A431D7C90EA0E5F, 0x0A60B1CE1D7E819D, 0xE9DA3113B5F0B8C0,
                                     0xF8F41DBD289A147C, 0x5D9E98BF9292DC29, 0x3617DE4A96262C6F}};

#endif

#endif
