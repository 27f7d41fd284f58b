/// A failure inside libcrypto while something synthetic was being signed: lack of memory, or an
/// input that is no scalar of the curve.
package struct MintingError: Error, Equatable, CustomStringConvertible {
  /// The libcrypto function that failed.
  package let function: String

  package init(function: String) { self.function = function }

  package var description: String { "libcrypto refused to mint: \(function) failed" }
}
