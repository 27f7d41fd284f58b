import AuditLog
import LogForge

/// Calls `body` with bytes as a row.
@safe package func withRow<Result>(
  _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result
) rethrows -> Result {
  try unsafe bytes.withUnsafeBytes { unsafe try body($0) }
}

/// Calls `body` with the bytes of a line, and other ones after it, hostile ones unless they are given.
@safe package func withLine<Result>(
  _ line: [UInt8], behind filler: [UInt8] = Array("\"}],:".utf8),
  _ body: (UnsafeBufferPointer<UInt8>) -> Result
) -> Result {
  let padded = line + (0..<LineBatch.padding).map { filler[$0 % filler.count] }
  return unsafe padded.withUnsafeBufferPointer {
    unsafe body(UnsafeBufferPointer(rebasing: $0[..<line.count]))
  }
}

extension [UInt8] {
  /// The bytes of an expression as the tables of the forge have them, such as `#A0FF + text("fmt")`, with further names.
  package init(written expression: some StringProtocol, _ names: [Substring: [UInt8]] = [:]) {
    self = EditValue(text: Substring(expression)) { names[$0] }.some
  }
}
