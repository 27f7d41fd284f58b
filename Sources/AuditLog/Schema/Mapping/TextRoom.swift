internal import CSimdjson
internal import Glibc

/// Room for one text that is put together for each line. It moves when it is filled again.
@safe final class TextRoom {
  /// Room beyond this is given back with the next text that needs less.
  private static let keptBytes = 1 << 20

  private var bytes: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private(set) var count = 0

  init() {
    capacity = 256
    unsafe bytes = .allocate(capacity: capacity)
  }

  deinit { unsafe bytes.deallocate() }

  func start(_ length: Int) {
    count = 0
    guard length > capacity || (capacity > Self.keptBytes && length <= Self.keptBytes) else {
      return
    }
    unsafe bytes.deallocate()
    capacity = max(length, 256)
    unsafe bytes = .allocate(capacity: capacity)
  }

  /// Appends a text; all of them together are as long as was said, at most.
  func append(_ text: attest_json_value) {
    guard let source = unsafe text.bytes, unsafe text.length > 0 else { return }
    precondition(unsafe text.length <= capacity - count, "a text is longer than was said")
    unsafe memcpy(bytes + count, source, text.length)
    unsafe count += text.length
  }

  func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe append(attest_json_value(bytes: bytes.baseAddress, length: bytes.count))
    }
  }

  var text: attest_json_value { unsafe attest_json_value(bytes: bytes, length: count) }
}
