internal import CSignatureBatch

/// The arithmetic that verifies a batch. All give the same verdicts.
package enum BatchArithmetic: Sendable, CaseIterable {
  /// Words of 64 bits; on any processor.
  case portable
  /// Eight lanes of AVX-512 IFMA; on x86-64 processors that have it.
  case ifma
  /// The eight lanes in plain C: slow, for tests of the eight-lane code on any processor.
  case emulated

  /// The fastest arithmetic of this processor.
  package static let best: BatchArithmetic = BatchArithmetic.ifma.isSupported ? .ifma : .portable

  /// Whether this processor, as the operating system lets it be used, can run it.
  package var isSupported: Bool {
    sb_is_supported(code)
  }

  var code: sb_arithmetic {
    switch self {
    case .portable: SB_PORTABLE
    case .ifma: SB_IFMA
    case .emulated: SB_EMULATED
    }
  }
}
