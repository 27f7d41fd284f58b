#ifndef ATTEST_AUDIT_COPENSSL_SHIM_H
#define ATTEST_AUDIT_COPENSSL_SHIM_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// SHA-256 (FIPS 180-4) of `first` followed by `second` into 32 bytes at `out`. The low-level
/// functions need no context object and no fetch, which cost more than a short message does.
static inline void attest_sha256(const uint8_t *first, size_t first_length, const uint8_t *second,
                                 size_t second_length, uint8_t *out) {
  SHA256_CTX context;
  SHA256_Init(&context);
  if (first_length > 0) SHA256_Update(&context, first, first_length);
  if (second_length > 0) SHA256_Update(&context, second, second_length);
  SHA256_Final(out, &context);
}

#endif
