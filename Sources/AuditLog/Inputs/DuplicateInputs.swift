internal import Files
internal import OpenSSL

/// The search for files that a run would audit twice.
enum DuplicateInputs {
  /// Marks every file that is the same file as an earlier one, by whatever path, or, where
  /// `comparesBytes` says so, holds the same bytes. Only files of equal size are read for it.
  static func mark(_ sources: inout [LogSource], comparesBytes: Bool) {
    var byIdentity: [FileIdentity: Int] = [:]
    /// The first file of each size, or nil once it has been read.
    var firstOfSize: [UInt64: Int?] = [:]
    var byDigest: [[UInt8]: Int] = [:]
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
    defer { unsafe buffer.deallocate() }
    for index in sources.indices {
      guard case .file(let path) = sources[index].origin, let status = FileStatus(path: path),
        status.kind == .file
      else { continue }
      if let first = byIdentity[status.identity] {
        sources[index].origin = .duplicate(of: first)
        continue
      }
      byIdentity[status.identity] = index
      guard comparesBytes else { continue }
      guard let first = firstOfSize[status.size] else {
        firstOfSize[status.size] = index
        continue
      }
      // The first of a size is read only once a second one turns up.
      if let first, case .file(let other) = sources[first].origin,
        let digest = unsafe digest(other, buffer)
      {
        byDigest[digest] = first
        firstOfSize[status.size] = .some(nil)
      }
      guard let digest = unsafe digest(path, buffer) else { continue }
      if let same = byDigest[digest] {
        sources[index].origin = .duplicate(of: same)
      } else {
        byDigest[digest] = index
      }
    }
  }

  /// Returns the SHA-256 of a file, read through `buffer`, or nil if it cannot be read.
  private static func digest(_ path: String, _ buffer: UnsafeMutableRawBufferPointer) -> [UInt8]? {
    guard let file = RawInput(path: path), file.stamp(path: path) != nil else { return nil }
    var stream = SHA256Stream()
    while true {
      let count = unsafe file.read(into: buffer)
      if count < 0 { return nil }
      if count == 0 { return stream.digest() }
      unsafe stream.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    }
  }
}
