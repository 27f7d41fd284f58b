package import Files

/// A sorted run of rows, each behind its length (4 bytes, in the machine's order), read from front
/// to back in pieces.
package protocol RowRunSource: AnyObject {
  /// The bytes at hand before anything was read: none, at the front of the buffer.
  var nothing: UnsafeRawBufferPointer { get }
  /// Fills the buffer: the bytes `held`, which are in it and have not been used, and those that
  /// follow them in the run; just `held` at the end. Valid until the next call.
  func read(behind held: UnsafeRawBufferPointer) throws(AuditError) -> UnsafeRawBufferPointer
}
