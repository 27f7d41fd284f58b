import Foundation
import TestSupport
import Testing

/// The rule that one target alone calls the file system.
struct FileSystemRuleTests {
  @Test func `only Files opens, lists, locks, syncs, renames and removes`() throws {
    let calls =
      #/unsafe (open|openat|opendir|readdir|realpath|lstat|fstat|fstatat|mkstemp|mkdir|mkdirat|rename|renameat|unlink|unlinkat|rmdir|glob)\(|\b(fsync|flock|ftruncate|fchmod|pwrite|pread)\(|FileManager|FileHandle|contentsOfFile/#
    let sources = Repository.folder.appending(path: "Sources")
    var seen = 0
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    where file.pathExtension == "swift" {
      // The bench looks after folders of its own. What goes back from a report to its logs still reads
      // and writes through Foundation.
      let excepted = [
        "/Sources/Files/", "/attest-bench/", "/Investigation/", "RunSettings+Recorded",
      ]
      if excepted.contains(where: file.path.contains) { continue }
      seen += 1
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains(calls) {
        Issue.record("\(file.lastPathComponent): \(line)")
      }
    }
    #expect(seen > 300)
  }
}
