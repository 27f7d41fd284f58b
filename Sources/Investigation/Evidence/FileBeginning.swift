internal import Foundation

/// The first bytes of files.
enum FileBeginning {
  /// Returns at most `count` bytes; none where the file cannot be read.
  static func bytes(_ path: String, count: Int) -> [UInt8] {
    guard let file = FileHandle(forReadingAtPath: path) else { return [] }
    defer { try? file.close() }
    return ((try? file.read(upToCount: count)) ?? nil).map(Array.init) ?? []
  }
}
