internal import Glibc
internal import Synchronization

/// A temporary file without a name that several threads fill. Its errors are `.temporaryStorage`.
package final class SpillFile: Sendable {
  private let folder: String
  private let file = Mutex<OpenFile?>(nil)
  private let end = Atomic<Int>(0)

  /// Makes a spill file. Nothing is created before the first byte is written.
  package init(folder: String) {
    self.folder = folder
  }

  package var size: Int { end.load(ordering: .relaxed) }

  /// Sets `count` bytes of the file aside and returns the offset of the first.
  package func reserve(_ count: Int) -> Int {
    end.add(count, ordering: .relaxed).oldValue
  }

  package func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(AuditError) {
    do throws(AuditError) { unsafe try opened().write(bytes, at: offset) } catch {
      throw told("cannot write to", error)
    }
  }

  package func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(AuditError) {
    let count: Int
    do throws(AuditError) { count = unsafe try opened().read(into: buffer, at: offset) } catch {
      throw told("cannot read from", error)
    }
    guard count == buffer.count else {
      throw told("cannot read from", AuditError("", folder, EIO))
    }
  }

  /// Gives the whole pages of a range, which is not read any more, back: disk and memory.
  package func giveBack(_ range: Range<Int>) {
    let start = (range.lowerBound + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes
    let end = range.upperBound / Self.pageBytes * Self.pageBytes
    guard start < end else { return }
    file.withLock { $0 }?.giveBack(start..<end)
  }

  private static let pageBytes = sysconf(Int32(_SC_PAGESIZE))

  private func opened() throws(AuditError) -> OpenFile {
    try file.withLock { file throws(AuditError) in
      if let file { return file }
      let made: OpenFile
      do throws(AuditError) { made = try Folder(path: folder).createNameless() } catch {
        throw told("cannot create a file in", error)
      }
      file = made
      return made
    }
  }

  private func told(_ action: String, _ error: AuditError) -> AuditError {
    if case .temporaryStorage = error.code { return error }
    let told = error.told("\(action) the temporary folder", folder)
    return AuditError(.temporaryStorage(told.number), told.context)
  }
}
