import Foundation
import TestSupport
import Testing

@testable import Files

@Suite struct `Path globs` {
  /// What matches in a folder with these files, without the folder.
  private static func matches(_ pattern: String, _ files: [String]) throws -> [String] {
    let scratch = try Scratch()
    for file in files { try scratch.write(file, file) }
    return PathGlob.expand("\(scratch.path)/\(pattern)").map {
      String($0.dropFirst(scratch.path.count + 1))
    }
  }

  private static let files = [
    "a.log", "b/a.log", "b/c/a.log", "b/c/d/a.log", "b/c/d/x.txt", "e/c/a.log", ".h/a.log",
    "b/.h/a.log", "[x]/a.log", "[x]/*/a.log", "x/a.log",
  ]

  @Test(arguments: [
    ("*.log", ["a.log"]),
    (
      "**/*.log",
      [
        "[x]/*/a.log", "[x]/a.log", "a.log", "b/a.log", "b/c/a.log", "b/c/d/a.log", "e/c/a.log",
        "x/a.log",
      ]
    ),
    ("b/**/*.log", ["b/a.log", "b/c/a.log", "b/c/d/a.log"]),
    ("b/**/**/*.log", ["b/a.log", "b/c/a.log", "b/c/d/a.log"]),
    ("**/c/*.log", ["b/c/a.log", "e/c/a.log"]),
    ("**/c/**/a.log", ["b/c/a.log", "b/c/d/a.log", "e/c/a.log"]),
    ("**/d", ["b/c/d"]), ("?/**/x.txt", ["b/c/d/x.txt"]), ("b/**", ["b"]), ("b/c/**/", ["b/c"]),
    ("[[]x]/**/a.log", ["[x]/*/a.log", "[x]/a.log"]), ("x**/a.log", ["x/a.log"]),
    ("a.log/**/x", []), ("nowhere/**/x", []), ("**/nothing", []),
  ])
  func `two asterisks stand for any number of folders`(pattern: String, found: [String]) throws {
    #expect(try Self.matches(pattern, Self.files) == found)
  }

  @Test func `a folder that matches brings what lies in it`() throws {
    #expect(try Self.matches("**/c*", ["a/c/c/x", "a/c/cc", "b/c1"]) == ["a/c", "b/c1"])
  }

  @Test func `links that lead back are followed once`() throws {
    let scratch = try Scratch()
    try scratch.write("a/b/x.log", "x")
    let link = scratch.path + "/a/b/up"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: scratch.path + "/a")
    #expect(PathGlob.expand(scratch.path + "/**/*.log") == [scratch.path + "/a/b/x.log"])
  }

  @Test func `a hundred folders deep`() throws {
    let deep = String(repeating: "d/", count: 100)
    #expect(try Self.matches("**/x", [deep + "x"]) == [deep + "x"])
    #expect(try Self.matches("**/**/d/**/x", [deep + "x"]) == [deep + "x"])
  }
}
