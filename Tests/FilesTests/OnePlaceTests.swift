import Foundation
import TestSupport
import Testing

/// The rules that a thing is done in one place of the sources alone.
struct OnePlaceTests {
  /// The rules: a deed, the words that show it, and the places where they may stand.
  private static var rules: [(what: String, words: Regex<AnyRegexOutput>, places: [String])] {
    [
      (
        "opens, lists, locks, syncs, renames and removes files",
        Regex(
          #/unsafe (open|openat|opendir|readdir|realpath|lstat|fstat|fstatat|mkstemp|mkdir|mkdirat|rename|renameat|unlink|unlinkat|rmdir|glob)\(|\b(fsync|sync_file_range|flock|ftruncate|fchmod|pwrite|pread)\(|FileManager|FileHandle|contentsOfFile/#
        ),
        // The bench looks after folders of its own.
        ["/Sources/Files/", "/attest-bench/"]
      ),
      ("counts days of the calendar", Regex(#/146_?097|719_?468/#), ["/Sources/Basics/"]),
      (
        "halves a range in search of a place", Regex(#/\((low \+ high|from \+ to)\) / 2/#),
        ["/Sources/Basics/"]
      ),
      (
        "draws random numbers by a formula",
        Regex(#/BF58_?476D_?1CE4_?E5B9|6_?364_?136_?223_?846/#), ["/Sources/Basics/"]
      ),
      ("writes hex digits", Regex(#/0123456789abcdef"/#), ["/Sources/Basics/", "RowBuffer.swift"]),
      ("writes base64", Regex(#/base64EncodedString/#), ["/Sources/Basics/"]),
      (
        "sets up a JSON encoder", Regex(#/JSONEncoder\(|JSONSerialization/#),
        // The bench writes logs in forms that the program only reads.
        ["JSONText.swift", "/attest-bench/"]
      ),
      ("has words for error numbers", Regex(#/strerror\(/#), ["/Sources/Files/"]),
    ]
  }

  @Test(arguments: 0..<rules.count)
  func `one place alone does it`(_ index: Int) throws {
    let rule = Self.rules[index]
    let sources = Repository.folder.appending(path: "Sources")
    var seen = 0
    for case let file as URL in try #require(
      FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    where file.pathExtension == "swift" {
      seen += 1
      if rule.places.contains(where: file.path.contains) { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for line in text.split(separator: "\n") where line.contains(rule.words) {
        Issue.record("\(file.lastPathComponent) \(rule.what): \(line)")
      }
    }
    #expect(seen > 300)
  }
}
