internal import COpenSSL

/// The reason for which libcrypto could not make an object of the bytes it was given.
package struct OpenSSLError: Error, Equatable {
  /// The type that the bytes do not have.
  package enum Code: Sendable, Equatable {
    case certificate, pem, publicKey, cms, outOfMemory
  }
  /// The type of the object that could not be made.
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
  /// Forgets what failed.
  static func drain() {
    ERR_clear_error()
  }
}

/// libcrypto as a whole.
package enum Library {
  /// Keeps exit(3) from freeing libcrypto's locks under threads. Called once, before anything else.
  package static func keepUntilTheEnd() {
    attest_keep_crypto()
  }
}
