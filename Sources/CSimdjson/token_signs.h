#ifndef ATTEST_AUDIT_TOKEN_SIGNS_H
#define ATTEST_AUDIT_TOKEN_SIGNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns whether a text can contain a token, or the beginning of one, after it is decoded. It must be followed by
/// 64 readable bytes.
int attest_can_contain_token(const uint8_t *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
