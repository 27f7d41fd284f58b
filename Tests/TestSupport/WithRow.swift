/// Calls `body` with bytes as a row.
@safe package func withRow<Result>(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result
) rethrows -> Result {
  try unsafe bytes.withUnsafeBytes { unsafe try body($0) }
}
