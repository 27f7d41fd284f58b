import Foundation
import TestSupport

/// Returns the text of a compressed file.
func decompressed(_ path: String) throws -> String {
  let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  return String(decoding: try Packed.unpack(bytes), as: UTF8.self)
}
