#ifndef ATTEST_AUDIT_CZLIB_SHIM_H
#define ATTEST_AUDIT_CZLIB_SHIM_H

#include <zlib.h>

/// Starts raw inflating (RFC 1951) with a window of 32 KiB; `inflateInit2` is a macro.
static inline int attest_inflate_init(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }

/// Starts a gzip member (RFC 1952) with the largest window and zlib's own memory level;
/// `deflateInit2` is a macro.
static inline int attest_deflate_init(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
