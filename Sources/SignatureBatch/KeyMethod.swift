internal import CSignatureBatch

/// The method by which the multiples of a key are made.
package enum KeyMethod: Sendable, Hashable {
  /// The choice by the number of the key's signatures.
  case automatic
  /// No table of the key: best for two to some thirty signatures.
  case buckets
  /// A row of odd multiples of the key, and doublings for each signature: best for one.
  case doublings
  /// A table of the key for digits of 3 to 9 bits.
  case table(width: Int)

  /// Every method but the automatic choice.
  package static let all: [KeyMethod] =
    [.buckets, .doublings]
    + (Int(SB_METHOD_NARROWEST.rawValue)...Int(SB_METHOD_WIDEST.rawValue)).map {
      .table(width: $0)
    }

  /// Returns what the automatic choice is for a key with so many signatures.
  package static func automatic(
    _ curve: SignatureCurve, _ arithmetic: BatchArithmetic, signatures: Int
  ) -> KeyMethod {
    let method = sb_automatic_method(curve.code, arithmetic.code, signatures)
    return all.first { $0.code == method } ?? .automatic
  }

  var code: UInt32 {
    switch self {
    case .automatic: return SB_METHOD_AUTOMATIC.rawValue
    case .buckets: return SB_METHOD_BUCKETS.rawValue
    case .doublings: return SB_METHOD_DOUBLINGS.rawValue
    case .table(let width):
      let code = UInt32(width)
      precondition((SB_METHOD_NARROWEST.rawValue...SB_METHOD_WIDEST.rawValue).contains(code))
      return code
    }
  }
}
