import Compression
import Foundation

/// The text of a zstd file.
func decompressed(_ path: String) throws -> String {
  var left = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))[...]
  let decoder = unsafe StreamDecoder(windowLimit: 128 << 20) { target in
    let count = min(target.count, left.count)
    unsafe target.copyBytes(from: left.prefix(count))
    left = left.dropFirst(count)
    return count
  }
  var text: [UInt8] = []
  var piece = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let event = try unsafe piece.withUnsafeMutableBytes { try unsafe decoder.next(into: $0) }
    switch event {
    case .bytes(let count): text += piece[..<count]
    case .end: return String(decoding: text, as: UTF8.self)
    case .damage(let damage): throw DamagedFile(damage: damage)
    }
  }
}

/// A zstd file that cannot be read back.
struct DamagedFile: Error {
  var damage: StreamDamage
}
