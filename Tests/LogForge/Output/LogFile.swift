import Files

/// A file being written.
struct LogFile: ~Copyable {
  private let file: OpenFile
  private let path: String

  /// Creates the file at `path`, or empties it.
  init(creating path: String) throws(ForgeError) {
    let (folder, name) = PathText.split(path)
    do throws(AuditError) { file = try Folder(path: folder).create(name, mode: 0o644) } catch {
      throw ForgeError(.file(error.number), path)
    }
    self.path = path
  }

  /// Appends `bytes`.
  func write(_ bytes: [UInt8]) throws(ForgeError) {
    do throws(AuditError) { try file.append(bytes.span) } catch {
      throw ForgeError(.file(error.number), path)
    }
  }

  /// Writes a whole small file.
  static func write(_ text: String, to path: String) throws(ForgeError) {
    try LogFile(creating: path).write(Array(text.utf8))
  }

  /// Makes a folder. If it exists already, throws unless `mayExist`.
  static func makeFolder(_ path: String, mayExist: Bool = false) throws(ForgeError) {
    do throws(AuditError) {
      let folder = Folder(path: path)
      if mayExist { try folder.makeMissing(mode: 0o755) } else { try folder.make(mode: 0o755) }
    } catch { throw ForgeError(.file(error.number), path) }
  }
}
