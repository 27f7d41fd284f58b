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

  @Test(arguments: TextCase.read("path-globs"))
  func `a pattern finds what a shell would find`(_ one: TextCase) throws {
    let parts = one.message.components(separatedBy: " =>")
    let found = try Self.matches(parts[0], one.lines.map(String.init))
    #expect(found == parts[1].split(separator: " ").map(String.init))
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

  @Test func `a hundred folders deep`() throws {
    let deep = String(repeating: "d/", count: 100)
    #expect(try Self.matches("**/x", [deep + "x"]) == [deep + "x"])
    #expect(try Self.matches("**/**/d/**/x", [deep + "x"]) == [deep + "x"])
  }
}
