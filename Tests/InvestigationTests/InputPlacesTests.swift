import Foundation
import TestSupport
import Testing

@testable import Investigation

struct InputPlacesTests {
  @Test func `a path is relative to the run's folder`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("a.jsonl", "x")
    #expect(InputPlaces(folder: scratch.path, moved: []).path(of: "a.jsonl") == path)
    #expect(InputPlaces(folder: "/nowhere", moved: []).path(of: path) == path)
    #expect(InputPlaces(folder: "/nowhere", moved: []).path(of: "a.jsonl") == nil)
    let places = InputPlaces(folder: scratch.path, moved: [scratch.path])
    #expect(places.path(of: ".") == nil && places.obstacle(at: ".") == "a folder")
    #expect(places.obstacle(at: "a.jsonl") == nil && places.obstacle(at: "b.jsonl") == nil)
    #expect(unsafe mkfifo(scratch.path + "/fifo.jsonl", 0o600) == 0)
    #expect(places.path(of: "fifo.jsonl") == nil && places.obstacle(at: "fifo.jsonl") == "a FIFO")
    #expect(places.path(of: "/dev/null") == nil && places.obstacle(at: "/dev/null") == "a device")
  }

  @Test func `a new place is searched by whatever part of the path leads to a file`() throws {
    let scratch = try Scratch()
    try scratch.makeFolder("logs")
    let path = try scratch.write("logs/a.jsonl", "x")
    for folder in [scratch.path, scratch.path + "/logs", path] {
      let places = InputPlaces(folder: "/nowhere", moved: ["/nowhere", folder])
      let found = try #require(places.path(of: "/var/log/day/logs/a.jsonl"))
      #expect(found.hasSuffix("logs/a.jsonl"))
      #expect(places.path(of: "/var/log/day/logs/b.jsonl") == nil)
    }
  }
}
