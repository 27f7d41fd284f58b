internal import CSimdjson
internal import Glibc

/// Texts of a schema in memory that does not move: compared with values, or standing for them.
@safe final class TextPool {
  private let bytes: UnsafeMutablePointer<UInt8>
  private let entries: UnsafeMutableBufferPointer<attest_json_value>

  convenience init(_ texts: [String]) { self.init(texts.map { Array($0.utf8) }) }

  init(_ texts: [[UInt8]]) {
    let all = texts.flatMap(\.self)
    unsafe bytes = .allocate(capacity: max(all.count, 1))
    for (index, byte) in all.enumerated() { unsafe bytes[index] = byte }
    unsafe entries = .allocate(capacity: max(texts.count, 1))
    var offset = 0
    for (index, text) in texts.enumerated() {
      let length = text.count
      unsafe entries.initializeElement(
        at: index, to: attest_json_value(bytes: bytes + offset, length: length))
      offset += length
    }
  }

  deinit {
    unsafe bytes.deallocate()
    unsafe entries.deallocate()
  }

  subscript(index: Int) -> attest_json_value { unsafe entries[index] }

  /// Returns whether a text is exactly that of an index.
  func isSame(_ index: Int, as text: attest_json_value) -> Bool {
    let entry = unsafe entries[index]
    guard unsafe entry.length == text.length else { return false }
    guard let left = unsafe entry.bytes, let right = unsafe text.bytes else { return false }
    return unsafe memcmp(left, right, text.length) == 0
  }

  /// Returns the index of a text among those from `first` on, or nil if it is not among them.
  func index(of text: attest_json_value, from first: Int, count: Int) -> Int? {
    for index in first..<(first + count) where unsafe isSame(index, as: text) { return index }
    return nil
  }
}
