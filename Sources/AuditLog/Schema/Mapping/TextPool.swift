internal import CSimdjson
internal import Glibc

/// Texts of a schema in memory that does not move: compared with values, or standing for them.
@safe final class TextPool {
  private let bytes: UnsafeMutablePointer<UInt8>
  private let entries: UnsafeMutableBufferPointer<attest_json_value>
  let count: Int

  convenience init(_ texts: [String]) { self.init(texts.map { Array($0.utf8) }) }

  init(_ texts: [[UInt8]]) {
    let all = texts.flatMap(\.self)
    count = texts.count
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

  /// Returns the index of this text, or else of the whole number that it is if it is a number, or nil if neither is there.
  func index(of text: attest_json_value, isNumber: Bool = true) -> Int? {
    unsafe exactIndex(of: text) ?? (isNumber ? exactIndex(of: attest_json_whole(text)) : nil)
  }

  private func exactIndex(of text: attest_json_value) -> Int? {
    (0..<count).first { index in
      let entry = unsafe entries[index]
      guard unsafe entry.length == text.length, let left = unsafe entry.bytes,
        let right = unsafe text.bytes
      else { return false }
      return unsafe memcmp(left, right, text.length) == 0
    }
  }
}
