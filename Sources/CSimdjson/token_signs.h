#ifndef ATTEST_AUDIT_TOKEN_SIGNS_H
#define ATTEST_AUDIT_TOKEN_SIGNS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Returns whether a text, which is not empty, begins as a token can. It must be followed by 64 readable bytes.
int attest_begins_token(const uint8_t *text, size_t length);

#ifdef __cplusplus
}
#endif

#endif
