internal import Files

/// The first bytes of files.
enum FileBeginning {
  /// Returns at most `count` bytes, or none if the file cannot be read.
  static func bytes(_ path: String, count: Int) -> [UInt8] {
    (try? OpenFile(reading: path).bytes(limit: count)) ?? []
  }
}
