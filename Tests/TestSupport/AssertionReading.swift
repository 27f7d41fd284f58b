package import AppAttest

/// The parsed parts of an assertion, complete, so that the results of two readers can be compared.
package struct AssertionReading: Equatable {
  /// The reason why it is malformed, or empty if it is not.
  package private(set) var reason = ""
  private var signature: [UInt8] = []
  private var data: [UInt8] = []
  private var counter: UInt32 = 0
  private var rpIDHash = Digest256()
  private var extensions: AuthenticatorExtensions?

  /// Reads a token with `parse`.
  package init(
    _ token: [UInt8], _ parse: (Span<UInt8>) throws(MalformedToken) -> Assertion
  ) {
    do throws(MalformedToken) {
      let assertion = try parse(token.span)
      signature = assertion.withSignature(in: token.span) { $0.copied() }
      data = assertion.withAuthenticatorData(in: token.span) { $0.copied() }
      counter = assertion.counter
      rpIDHash = assertion.rpIDHash
      extensions = assertion.extensions
    } catch {
      reason = error.reason
    }
  }
}
