import Compression

/// The output of a compressed stream, up to a limit.
struct DecodedStream: Equatable {
  /// The most bytes that are examined: a few make very many.
  static let limit = 1 << 20

  var content: [UInt8] = []
  var damages: [StreamDamage] = []
  var isWhole = false

  /// Reads the stream in pieces of so many bytes at most.
  init(_ bytes: [UInt8], piece: Int, room: Int) throws {
    var left = bytes[...]
    let decoder = unsafe StreamDecoder(windowLimit: 1 << 20) { target in
      let count = min(target.count, left.count, piece)
      unsafe target.copyBytes(from: left.prefix(count))
      left = left.dropFirst(count)
      return count
    }
    var output = [UInt8](repeating: 0, count: room)
    while content.count < Self.limit {
      switch try unsafe output.withUnsafeMutableBytes({ try unsafe decoder.next(into: $0) }) {
      case .bytes(let count): content += output[..<count]
      case .damage(let damage): damages.append(damage)
      case .end:
        isWhole = true
        return
      }
    }
    content.removeSubrange(Self.limit...)
  }
}
