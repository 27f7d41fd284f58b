internal import COpenSSL

/// The reason for which libcrypto could not make an object of the bytes it was given.
package struct OpenSSLError: Error, Equatable {
  package enum Code: Sendable, Equatable {
    case certificate, pem, publicKey, cms, outOfMemory
  }
  package var code: Code
  /// One line for people, without a full stop.
  package var context: String

  package init(_ code: Code, _ context: String) {
    self.code = code
    self.context = context
  }
}

/// The error queue of the current thread, which libcrypto fills and never empties on its own.
enum ErrorQueue {
  static func drain() {
    ERR_clear_error()
  }
}

package enum Library {
  /// Keeps exit(3) from freeing libcrypto's locks under threads. Called once, before anything else.
  package static func keepUntilTheEnd() {
    attest_keep_crypto()
  }
}
