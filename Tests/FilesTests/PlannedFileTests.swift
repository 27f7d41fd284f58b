import Foundation
import TestSupport
import Testing

@testable import Files

/// Files as an audit planned them, and what lies in their place later.
@Suite struct `Planned files` {
  private let scratch: Scratch
  private let path: String

  init() throws {
    scratch = try Scratch()
    path = scratch.path + "/log"
    try scratch.write("log", "one\n")
  }

  private func status() throws -> FileStatus {
    try #require(FileStatus(path: path))
  }

  /// Puts another file in the place of the first, whose time is an hour earlier.
  private func replace() throws {
    try scratch.write("other", "two\n")
    try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
    try FileManager.default.moveItem(atPath: scratch.path + "/other", toPath: path)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: path)
  }

  @Test func `the file that was found is the planned one`() throws {
    for found in [nil, try status().identity] {
      let planned = try #require(PlannedFile(path: path, found: found))
      #expect(try planned.inode == status().inode && planned.modified == status().modified)
      #expect(try planned.isMet(by: status()) && !planned.isLink)
    }
  }

  @Test func `no other file takes the place of the one that was found`() throws {
    let found = try status().identity
    try replace()
    let planned = try #require(PlannedFile(path: path, found: found))
    #expect(planned.inode == found.inode && planned.modified == .min)
    #expect(try !planned.isMet(by: status()))
    try FileManager.default.removeItem(atPath: path)
    #expect(PlannedFile(path: path, found: found) == planned)
    #expect(!planned.isMet(by: nil) && PlannedFile(path: path, found: nil) == nil)
  }

  @Test func `a file that came after the plan is not the planned one, but its copy is`() throws {
    let planned = try #require(PlannedFile(path: path, found: nil))
    let modified = try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]
    try replace()
    #expect(try !planned.isMet(by: status()))
    try FileManager.default.setAttributes(
      [.modificationDate: try #require(modified)], ofItemAtPath: path)
    #expect(try planned.isMet(by: status()))
  }
}
