internal import CP256Batch

package enum P256Verdict: UInt8, Sendable { case invalid, valid, undecided }

package enum P256Kernel: Sendable, CaseIterable {
  case portable, ifma, emulated
  var kind: p256_kernel_kind {
    switch self {
    case .portable: P256_KERNEL_PORTABLE
    case .ifma: P256_KERNEL_IFMA
    case .emulated: P256_KERNEL_EMULATED
    }
  }
  package static var best: P256Kernel { p256_kernel_is_supported(P256_KERNEL_IFMA) ? .ifma : .portable }
}

@safe package final class P256BatchTables: @unchecked Sendable {
  let tables: OpaquePointer
  let kernel: P256Kernel
  package init?(kernel: P256Kernel) {
    guard let made = unsafe p256_tables_create(kernel.kind, 10) else { return nil }
    unsafe tables = made
    self.kernel = kernel
  }
  deinit { unsafe p256_tables_destroy(tables) }
}

@safe package final class P256BatchVerifier {
  package static let signatureBytes = 96
  private let tables: P256BatchTables
  private let verifier: OpaquePointer
  package init?(tables: P256BatchTables, arenaBytes: Int) {
    let best = p256_verifier_best_arena(tables.kernel.kind)
    guard let made = unsafe p256_verifier_create(tables.tables, min(arenaBytes, best)) else { return nil }
    self.tables = tables
    unsafe verifier = made
  }
  deinit { unsafe p256_verifier_destroy(verifier) }
  package func verify(keys: Span<UInt8>, counts: Span<UInt32>, signatures: Span<UInt8>, into verdicts: inout [P256Verdict]) {
    let n = verdicts.count
    var raw = [UInt8](repeating: 2, count: n)
    unsafe keys.withUnsafeBufferPointer { k in unsafe counts.withUnsafeBufferPointer { c in unsafe signatures.withUnsafeBufferPointer { s in unsafe raw.withUnsafeMutableBufferPointer { r in
      var batch = unsafe p256_batch(keys: k.baseAddress, key_count: c.count, counts: c.baseAddress, signatures: s.baseAddress, verdicts: r.baseAddress)
      unsafe p256_verify(verifier, &batch, 0)
    }}}}
    for i in 0..<n { verdicts[i] = P256Verdict(rawValue: raw[i]) ?? .undecided }
  }
}
