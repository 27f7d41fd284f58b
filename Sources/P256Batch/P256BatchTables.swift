internal import CP256Batch

/// Multiples of the base point of P-256, made once and shared by all workers.
///
/// `@unchecked Sendable`: nothing writes to the tables after `init`.
@safe package final class P256BatchTables: @unchecked Sendable {
  /// The kernel that can use them.
  package let kernel: P256Kernel
  /// Bytes held.
  package let byteCount: Int

  let handle: OpaquePointer

  /// Makes the tables, in some ten milliseconds; nil where memory is out or the processor does not
  /// have the kernel.
  ///
  /// - Parameter width: Bits of a digit, 4 to 14. Each signature takes ceil(256 / width) additions
  ///   of the base point; 12 bits take 2.8 MiB, and each bit more nearly twice as much.
  package init?(kernel: P256Kernel, width: Int = 12) {
    precondition((4...14).contains(width))
    guard let handle = unsafe p256_tables_create(kernel.kind, UInt32(width)) else { return nil }
    unsafe self.handle = handle
    self.kernel = kernel
    byteCount = unsafe p256_tables_bytes(handle)
  }

  deinit {
    unsafe p256_tables_destroy(handle)
  }
}
