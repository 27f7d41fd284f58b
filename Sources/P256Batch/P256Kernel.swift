internal import CP256Batch

/// The arithmetic that verifies a batch. All kernels give the same verdicts.
package enum P256Kernel: Sendable, CaseIterable {
  /// Four words of 64 bits; on any processor.
  case portable
  /// Eight lanes of AVX-512 IFMA; on x86-64 processors that have it.
  case ifma
  /// The eight lanes in plain C: slow, for tests of the eight-lane code on any processor.
  case emulated

  /// The fastest kernel of this processor.
  package static let best: P256Kernel = P256Kernel.ifma.isSupported ? .ifma : .portable

  /// Whether this processor, as the operating system lets it be used, can run the kernel.
  package var isSupported: Bool {
    p256_kernel_is_supported(kind)
  }

  /// The least arena of a verifier, in bytes.
  package var leastArenaBytes: Int {
    p256_verifier_least_arena(kind)
  }

  /// The arena with which a verifier is fastest, in bytes.
  package var bestArenaBytes: Int {
    p256_verifier_best_arena(kind)
  }

  var kind: p256_kernel_kind {
    switch self {
    case .portable: P256_KERNEL_PORTABLE
    case .ifma: P256_KERNEL_IFMA
    case .emulated: P256_KERNEL_EMULATED
    }
  }
}
