internal import COpenSSL

/// libcrypto as a whole.
package enum Library {
  /// Keeps libcrypto as it is until the process is gone. Called once, before anything else of it:
  /// exit(3) else frees its locks under whatever thread still lets go of a certificate.
  package static func keepUntilTheEnd() {
    attest_keep_crypto()
  }
}
