import AppAttest
import AuditEngine
import Foundation
import TestSupport
import Testing

@testable import Investigation

struct InputPlacesTests {
  /// Returns the places of inputs of a report.
  private static func places(
    _ folder: String, moved: [String] = [], _ inputs: [InputRow] = []
  ) -> InputPlaces {
    InputPlaces(folder: folder, moved: moved, inputs: inputs, windowLimit: 1 << 27)
  }

  /// Returns the row of an input with a content.
  private static func input(_ source: String, _ content: String) -> InputRow {
    var row = InputRow(source, .ok)
    row.bytes = UInt64(content.utf8.count)
    row.sha256 = .sha256(Array(content.utf8).span)
    return row
  }

  @Test func `a path is relative to the run's folder`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("a.jsonl", "x")
    #expect(Self.places(scratch.path).place(of: "a.jsonl")?.path == path)
    #expect(Self.places("/nowhere").place(of: path)?.path == path)
    #expect(Self.places("/nowhere").place(of: "a.jsonl") == nil)
    let places = Self.places(scratch.path, moved: [scratch.path])
    #expect(places.place(of: ".") == nil && places.obstacle(at: ".") == "a folder")
    #expect(places.obstacle(at: "a.jsonl") == nil && places.obstacle(at: "b.jsonl") == nil)
    #expect(unsafe mkfifo(scratch.path + "/fifo.jsonl", 0o600) == 0)
    #expect(places.place(of: "fifo.jsonl") == nil && places.obstacle(at: "fifo.jsonl") == "a FIFO")
    #expect(places.place(of: "/dev/null") == nil && places.obstacle(at: "/dev/null") == "a device")
  }

  @Test func `a line with which a frame begins is read from that frame`() throws {
    let scratch = try Scratch()
    let frames = ["one\n", "two\nthree\n"].map { Packed.zstd(Array($0.utf8)) }
    let path = try scratch.write("a.zst", Array(frames.joined()))
    let read = InputReader(MadeKey.settings).read(path, as: "a.zst", lines: [1, 2, 3])
    #expect(
      [1, 2, 3].map { read.lines[$0]?.frameOffset }
        == [0, 1, 1].map { $0 * UInt64(frames[0].count) })
    #expect([1, 2, 3].map { read.lines[$0]?.frameContentOffset } == [0, 4, 4])
  }

  @Test(
    arguments: [
      ("logs/a.log", "one", "logs/a.log", .same, false),
      ("logs/a.log", "on", "logs/a.log", .grown, false),
      // Renamed beside it, compressed below a folder that is searched, and grown meanwhile.
      ("logs/b.log", "two", "logs/b.log.1", .same, true),
      ("logs/c.log", "tw", "logs/b.log.1", .grown, true),
      ("logs/d.log", "three", "archive/old/x", .same, true),
      ("d.log", "thr", "archive/old/x", .grown, true),
      ("logs/a.log", "other", "logs/a.log", .changed, false),
    ] as [(String, String, String, Explanation.InputState, Bool)])
  func `an input is found by its content, whatever its name and compression (reports.R46)`(
    source: String, content: String, path: String, state: Explanation.InputState, isMoved: Bool
  ) throws {
    let scratch = try Scratch()
    for folder in ["logs", "archive", "archive/old"] { try scratch.makeFolder(folder) }
    try scratch.write("logs/a.log", "one")
    try scratch.write("logs/b.log.1", "two")
    try scratch.write("archive/old/x", Packed.gzip(Array("three".utf8)))
    let places = Self.places(
      scratch.path, moved: ["archive", "logs"].map { "\(scratch.path)/\($0)" },
      [Self.input(source, content)])
    let place = try #require(places.place(of: source))
    #expect(place == .init(path: "\(scratch.path)/\(path)", state: state, isMoved: isMoved))
    #expect(places.isInput(place.path) == (state != .changed))
  }

  @Test func `a new place is searched by whatever part of the path leads to a file`() throws {
    let scratch = try Scratch()
    try scratch.makeFolder("logs")
    let path = try scratch.write("logs/a.jsonl", "x")
    for folder in [scratch.path, scratch.path + "/logs", path] {
      let places = Self.places("/nowhere", moved: ["/nowhere", folder])
      let found = try #require(places.place(of: "/var/log/day/logs/a.jsonl"))
      #expect(found.path.hasSuffix("logs/a.jsonl"))
      #expect(places.place(of: "/var/log/day/logs/b.jsonl") == nil)
    }
  }
}
