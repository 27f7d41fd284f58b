import Foundation
import TestSupport
import Testing

@testable import Files

@Suite struct `Path globs` {
  /// Returns the paths that match in a folder with these files, without the folder.
  private static func matches(_ pattern: String, _ files: [String]) throws -> [String] {
    let scratch = try Scratch()
    for file in files { try scratch.write(file, file) }
    return paths("\(scratch.path)/\(pattern)").map {
      String($0.dropFirst(scratch.path.count + 1))
    }
  }

  private static func paths(_ pattern: String) -> [String] {
    PathGlob(pattern, LinkBounds(folder: PathGlob.base(of: pattern), followsAll: false)).paths
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

  @Test func `a folder matches, and what matches in it`() throws {
    #expect(
      try Self.matches("**/c*", ["a/c/c/x", "a/c/cc", "b/c1"])
        == ["a/c", "a/c/c", "a/c/cc", "b/c1"])
  }

  @Test func `a folder with many links to itself is searched once for each name`() throws {
    let scratch = try Scratch()
    try scratch.write("h/x.log", "x")
    for number in 0..<300 {
      try FileManager.default.createSymbolicLink(
        atPath: "\(scratch.path)/h/l\(number)", withDestinationPath: ".")
    }
    // In byte order of path, the first way to the file.
    let path = "/h/l0/l0/l0/l0/x.log"
    #expect(Self.paths(scratch.path + "/*/*/*/*/*/*.log") == [scratch.path + path])
  }

  @Test func `links that lead back are followed once`() throws {
    let scratch = try Scratch()
    try scratch.write("a/b/x.log", "x")
    let link = scratch.path + "/a/b/up"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: scratch.path + "/a")
    #expect(Self.paths(scratch.path + "/**/*.log") == [scratch.path + "/a/b/x.log"])
  }

  @Test(arguments: [
    ("/a/b/*.log", "/a/b"), ("/*", "/"), ("*.log", ""), ("a/**/x", "a"), ("a/b", "a/b"),
    ("/a\\ b/?", "/a b"), ("a//b/*", "a//b"), ("/**", "/"),
  ])
  func `a pattern begins in the folder before its first sign`(pattern: String, folder: String) {
    #expect(PathGlob.base(of: pattern) == folder)
  }

  @Test func `signs of a shell match as they do there`() throws {
    let files = ["a1", "a2", "b1", "a[", ".a", "a*b", "sub/a1", "sub/.x/a1"]
    for (pattern, found) in [
      ("a?", ["a1", "a2", "a["]), ("[!a]1", ["b1"]), ("[ab][12]", ["a1", "a2", "b1"]),
      ("*", ["a*b", "a1", "a2", "a[", "b1", "sub"]), (".*", [".a"]), ("a\\*b*", ["a*b"]),
      ("*/a1", ["sub/a1"]), ("*/", ["sub"]), ("s*//a?", ["sub/a1"]), ("*/*/a1", []),
      ("*/.*/a1", ["sub/.x/a1"]), ("a[", ["a["]), ("nothing*", []),
    ] {
      #expect(try Self.matches(pattern, files) == found, "\(pattern)")
    }
  }

  @Test func `a hundred folders deep`() throws {
    let deep = String(repeating: "d/", count: 100)
    #expect(try Self.matches("**/x", [deep + "x"]) == [deep + "x"])
    #expect(try Self.matches("**/**/d/**/x", [deep + "x"]) == [deep + "x"])
  }
}
