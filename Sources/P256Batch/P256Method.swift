internal import CP256Batch

/// How the multiples of a key are made.
package enum P256Method: Sendable, Hashable {
  /// By the number of the key's signatures.
  case automatic
  /// Without a table of the key: best for up to some thirty signatures.
  case buckets
  /// With a table of the key for digits of 3 to 9 bits.
  case table(width: Int)

  /// Every method but the automatic choice.
  package static let all: [P256Method] =
    [.buckets]
    + (Int(P256_METHOD_NARROWEST.rawValue)...Int(P256_METHOD_WIDEST.rawValue)).map {
      .table(width: $0)
    }

  var code: UInt32 {
    switch self {
    case .automatic: return P256_METHOD_AUTOMATIC.rawValue
    case .buckets: return P256_METHOD_BUCKETS.rawValue
    case .table(let width):
      let code = UInt32(width)
      precondition((P256_METHOD_NARROWEST.rawValue...P256_METHOD_WIDEST.rawValue).contains(code))
      return code
    }
  }
}
