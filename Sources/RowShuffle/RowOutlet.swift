package import Files

/// The destination of the rows of a shuffle that is carried out elsewhere. It takes them unsorted,
/// and from any thread.
package protocol RowOutlet: AnyObject, Sendable {
  /// Takes rows, which `row` returns by their index; they are valid during the call.
  func take(
    _ count: Int, _ row: (Int) -> UnsafeRawBufferPointer
  ) throws(AuditError)
}
