/// The verdict of a batch on one signature.
package enum BatchVerdict: UInt8, Sendable {
  /// The signature is invalid.
  case invalid = 0
  /// The signature holds.
  case valid = 1
  /// The signature is not decided: the key is no point of the curve, or an addition on the way had
  /// no affine formula, which only chosen numbers bring about. Another implementation has to
  /// decide. A signature may be crafted to come here and yet be valid.
  case undecided = 2
}
