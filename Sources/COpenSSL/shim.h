#ifndef ATTEST_AUDIT_COPENSSL_SHIM_H
#define ATTEST_AUDIT_COPENSSL_SHIM_H

#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <string.h>
#include <time.h>

/// Keeps libcrypto from taking itself down at exit(3), while threads may still use it. Called
/// before anything else of it.
static inline void attest_keep_crypto(void) {
  OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

/// The longest message that fills two blocks of SHA-256 with its padding.
#define ATTEST_SHA256_SHORT (2 * SHA256_CBLOCK - 9)

/// SHA-256 (FIPS 180-4) of `first` followed by `second` into 32 bytes at `out`. The low-level
/// functions need no context object and no fetch, which cost more than a short message does.
static inline void attest_sha256(const uint8_t *first, size_t first_length, const uint8_t *second,
                                 size_t second_length, uint8_t *out) {
  SHA256_CTX context;
  SHA256_Init(&context);
  if (first_length <= ATTEST_SHA256_SHORT && second_length <= ATTEST_SHA256_SHORT - first_length) {
    // At most two blocks: padded here (FIPS 180-4, 5.1.1), they need no further bookkeeping.
    uint8_t blocks[2 * SHA256_CBLOCK];
    size_t length = first_length + second_length;
    size_t end = length + 9 <= SHA256_CBLOCK ? SHA256_CBLOCK : 2 * SHA256_CBLOCK;
    memset(blocks, 0, sizeof blocks);
    if (first_length > 0) memcpy(blocks, first, first_length);
    if (second_length > 0) memcpy(blocks + first_length, second, second_length);
    blocks[length] = 0x80;
    blocks[end - 2] = (uint8_t)(length * 8 >> 8);
    blocks[end - 1] = (uint8_t)(length * 8);
    for (size_t at = 0; at < end; at += SHA256_CBLOCK) SHA256_Transform(&context, blocks + at);
    for (int index = 0; index < 8; index++) {
      uint32_t word = context.h[index];
      out[4 * index] = (uint8_t)(word >> 24);
      out[4 * index + 1] = (uint8_t)(word >> 16);
      out[4 * index + 2] = (uint8_t)(word >> 8);
      out[4 * index + 3] = (uint8_t)word;
    }
    return;
  }
  if (first_length > 0) SHA256_Update(&context, first, first_length);
  if (second_length > 0) SHA256_Update(&context, second, second_length);
  SHA256_Final(out, &context);
}

// Verification: what Swift cannot import, since it is a macro or needs a C function pointer.

static inline STACK_OF(X509) *attest_x509_stack_new(void) { return sk_X509_new_null(); }
static inline int attest_x509_stack_count(const STACK_OF(X509) *stack) {
  return sk_X509_num(stack);
}
static inline X509 *attest_x509_stack_get(const STACK_OF(X509) *stack, int index) {
  return sk_X509_value(stack, index);
}
/// Adds a certificate without taking a reference; 1 on success.
static inline int attest_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) {
  return sk_X509_push(stack, certificate) > 0;
}
/// Frees the stack, not its certificates.
static inline void attest_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }
/// Frees the stack and gives up its references.
static inline void attest_x509_stack_release(STACK_OF(X509) *stack) {
  sk_X509_pop_free(stack, X509_free);
}
static inline int attest_signers_count(const STACK_OF(CMS_SignerInfo) *stack) {
  return sk_CMS_SignerInfo_num(stack);
}
static inline CMS_SignerInfo *attest_signers_get(const STACK_OF(CMS_SignerInfo) *stack,
                                                 int index) {
  return sk_CMS_SignerInfo_value(stack, index);
}

/// Seconds since 1970 of a certificate's time; 1 on success.
static inline int attest_asn1_seconds(const ASN1_TIME *value, int64_t *seconds) {
  struct tm parts;
  if (ASN1_TIME_to_tm(value, &parts) != 1) return 0;
  *seconds = (int64_t)timegm(&parts);
  return 1;
}

/// The details of the verification of a chain, beside its result.
typedef struct {
  /// In: the time to judge at, seconds since 1970.
  int64_t seconds;
  /// Out: 1 if a certificate of the chain is not valid at that time.
  int time_failed;
  /// Out: 0, or the X509_V_ERR_ code that ended the verification.
  int error;
  /// Out, on success: when all certificates above the leaf are valid, seconds since 1970.
  int64_t first, last;
  /// Out, on success: 1 if a certificate above the leaf constrains the names below it.
  int names_constrained;
  /// Out, on success: the leaf's issuer, to be freed; NULL where the leaf is an anchor.
  X509 *issuer;
} attest_chain_state;

static inline int attest_chain_callback(int ok, X509_STORE_CTX *context) {
  if (ok) return 1;
  attest_chain_state *state = (attest_chain_state *)X509_STORE_CTX_get_app_data(context);
  X509 *current = X509_STORE_CTX_get_current_cert(context);
  int error = X509_STORE_CTX_get_error(context);
  int64_t first = 0, last = 0;
  switch (error) {
    case X509_V_ERR_CERT_NOT_YET_VALID:
    case X509_V_ERR_CERT_HAS_EXPIRED:
      // OpenSSL takes the last second for expired; RFC 5280, 4.1.2.5 includes it.
      if (!current || !attest_asn1_seconds(X509_get0_notBefore(current), &first) ||
          !attest_asn1_seconds(X509_get0_notAfter(current), &last))
        return 0;
      if (state->seconds < first || state->seconds > last) state->time_failed = 1;
      return 1;
    case X509_V_ERR_INVALID_CA: {
      // RFC 5280, 6.1.1 (d): an anchor is a name and a key; it need not say that it is a CA.
      int depth = X509_STORE_CTX_get_error_depth(context);
      STACK_OF(X509) *chain = X509_STORE_CTX_get0_chain(context);
      return current && depth == sk_X509_num(chain) - 1 &&
             X509_get_ext_by_NID(current, NID_basic_constraints, -1) < 0;
    }
    default:
      return 0;
  }
}

static inline int attest_chain_summary(STACK_OF(X509) *chain, attest_chain_state *state) {
  state->first = INT64_MIN;
  state->last = INT64_MAX;
  for (int index = 1; index < sk_X509_num(chain); index++) {
    X509 *certificate = sk_X509_value(chain, index);
    int64_t first = 0, last = 0;
    if (!attest_asn1_seconds(X509_get0_notBefore(certificate), &first) ||
        !attest_asn1_seconds(X509_get0_notAfter(certificate), &last))
      return 0;
    if (first > state->first) state->first = first;
    if (last < state->last) state->last = last;
    if (X509_get_ext_by_NID(certificate, NID_name_constraints, -1) >= 0)
      state->names_constrained = 1;
  }
  if (sk_X509_num(chain) > 1) {
    state->issuer = sk_X509_value(chain, 1);
    X509_up_ref(state->issuer);
  }
  return 1;
}

// The first and last second that OpenSSL can compare: years 1900 to 9999. Beyond, nothing is valid.
#define ATTEST_FIRST_SECOND INT64_C(-2208988800)
#define ATTEST_LAST_SECOND INT64_C(253402300799)

/// Verifies `leaf` through `untrusted` to one of `anchors` (RFC 5280, section 6): no purpose, no
/// revocation, an anchor need not be self-signed. 1 where nothing but the times may be wrong.
static inline int attest_verify_chain(X509 *leaf, STACK_OF(X509) *untrusted,
                                      STACK_OF(X509) *anchors, attest_chain_state *state) {
  int64_t judged = state->seconds;
  if (judged < ATTEST_FIRST_SECOND) judged = ATTEST_FIRST_SECOND;
  if (judged > ATTEST_LAST_SECOND) judged = ATTEST_LAST_SECOND;
  state->time_failed = judged != state->seconds;
  state->error = X509_V_ERR_OUT_OF_MEM;
  state->names_constrained = 0;
  state->issuer = NULL;
  X509_STORE_CTX *context = X509_STORE_CTX_new();
  if (!context) return 0;
  int result = 0;
  if (X509_STORE_CTX_init(context, NULL, leaf, untrusted) == 1) {
    X509_STORE_CTX_set0_trusted_stack(context, anchors);
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_flags(parameters, X509_V_FLAG_PARTIAL_CHAIN);
    X509_VERIFY_PARAM_set_time(parameters, (time_t)judged);
    X509_STORE_CTX_set_app_data(context, state);
    X509_STORE_CTX_set_verify_cb(context, attest_chain_callback);
    result = X509_verify_cert(context) == 1;
    state->error = result ? 0 : X509_STORE_CTX_get_error(context);
    if (result) result = attest_chain_summary(X509_STORE_CTX_get0_chain(context), state);
  }
  X509_STORE_CTX_free(context);
  return result;
}

/// 1 if `issuer` may have issued `subject`: names, key identifiers and key usage; no signature.
static inline int attest_may_issue(X509 *issuer, X509 *subject) {
  return X509_check_issued(issuer, subject) == X509_V_OK;
}

/// 1 if a signature by the certificate's key costs little to verify: on a curve, or RSA with a
/// modulus of at most 8,192 bits and a public exponent of at most 33. Others exist only to cost
/// time.
static inline int attest_verifies_cheaply(X509 *certificate) {
  EVP_PKEY *key = X509_get0_pubkey(certificate);
  if (!key) return 0;
  BIGNUM *exponent = NULL;
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_EC: case EVP_PKEY_ED25519: case EVP_PKEY_ED448:
      return 1;
    case EVP_PKEY_RSA: case EVP_PKEY_RSA_PSS:
      if (EVP_PKEY_get_bits(key) > 8192) return 0;
      if (EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &exponent) != 1) return 0;
      const int bits = BN_num_bits(exponent);
      BN_free(exponent);
      return bits <= 33;
    default:
      return 0;
  }
}

/// 1 if `subject` is signed with the key of `issuer`; names and all else are not examined.
static inline int attest_is_signed_by(X509 *subject, X509 *issuer) {
  EVP_PKEY *key = X509_get0_pubkey(issuer);
  return key && X509_verify(subject, key) == 1;
}

/// The encoded point of an id-ecPublicKey on that named curve (RFC 5480); 0 for other keys.
static inline int attest_ec_encoded(const X509_PUBKEY *key, int curve, const uint8_t **bytes,
                                    int *length) {
  ASN1_OBJECT *object = NULL;
  X509_ALGOR *algorithm = NULL;
  const void *parameter = NULL;
  int kind = 0;
  if (X509_PUBKEY_get0_param(&object, bytes, length, &algorithm, key) != 1) return 0;
  if (OBJ_obj2nid(object) != NID_X9_62_id_ecPublicKey) return 0;
  X509_ALGOR_get0(NULL, &kind, &parameter, algorithm);
  return kind == V_ASN1_OBJECT &&
         OBJ_obj2nid((const ASN1_OBJECT *)parameter) == curve;
}

/// 1 if the error only says that a PEM text contains no further block.
static inline int attest_is_pem_end(unsigned long error) {
  return ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
}

/// Frees what OPENSSL_malloc made.
static inline void attest_free(void *memory) { OPENSSL_free(memory); }

/// The digest of a SHA-2 algorithm identifier of at least 256 bits; NULL for any other.
static inline const EVP_MD *attest_sha2(const X509_ALGOR *algorithm) {
  const ASN1_OBJECT *object = NULL;
  X509_ALGOR_get0(&object, NULL, NULL, algorithm);
  switch (OBJ_obj2nid(object)) {
    case NID_sha256: return EVP_sha256();
    case NID_sha384: return EVP_sha384();
    case NID_sha512: return EVP_sha512();
    default: return NULL;
  }
}

// Descriptions, for people.

/// A Name as RFC 2253 writes it, with a closing zero, into `size` bytes at `out`; 0 where it cannot
/// be written. What does not fit is left out.
static inline int attest_name_text(const X509_NAME *name, char *out, size_t size) {
  BIO *text = BIO_new(BIO_s_mem());
  if (!text || size == 0) {
    BIO_free(text);
    return 0;
  }
  int written = X509_NAME_print_ex(text, name, 0, XN_FLAG_RFC2253) >= 0;
  int length = written ? BIO_read(text, out, (int)size - 1) : -1;
  out[length > 0 ? length : 0] = 0;
  BIO_free(text);
  return written;
}

#endif
