import AppAttest
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditEngine
@testable import AuditReport

/// The index of events, and timelines read from it.
struct EventsIndexTests {
  private let scratch = made { try Scratch() }
  private var report: String { scratch.path + "/out" }

  private static func key(_ number: Int) -> Digest256 {
    Digest256.sha256(Array("key \(number)".utf8).span)
  }

  /// Events of some keys, each with a hash, a subject and a request of its own, in the order of the
  /// index.
  private static func events(keys: Int, each: Int) -> [VerdictRow] {
    var events: [VerdictRow] = []
    for (number, key) in (0..<keys).map(key).sorted().enumerated() {
      for index in 0..<each {
        var event = VerdictRow(
          position: Position(source: 0, line: UInt64(index + 1)), verdict: .valid, codes: [])
        event.time = Int64(index) * 1000
        event.kind = .assertion
        event.keyID = key
        event.appID = "T.app"
        event.clientDataHash = Digest256.sha256(Array("\(number) \(index)".utf8).span).bytes
        event.counter = UInt32(index)
        event.decision = .accepted
        event.subject = "user \(number)"
        event.requestID = "=request \(number).\(index)"
        events.append(event)
      }
    }
    return events
  }

  private func write(_ events: [VerdictRow]) throws -> StoredReport {
    var result = InMemoryResult.sample()
    result.events = events
    _ = try ReportDirectory(path: report, overwrite: false).write(
      result, ReportContents(index: true), progress: AuditProgress(), run: { Rows.facts })
    return try StoredReport(path: report)
  }

  @Test func `every event is found by key, hash, subject and request, in many blocks`() throws {
    let events = Self.events(keys: 200, each: 80)
    let stored = try write(events)
    #expect(try scratch.text("out/events.index").split(separator: "\r\n").count > 3)
    for event in [0, 5_333, 10_667, 15_999].map({ events[$0] }) {
      var byKey = TimelineQuery()
      byKey.keys = [try #require(event.keyID)]
      #expect(try Timeline(stored, byKey).events.count == 80)
      var byHash = TimelineQuery()
      byHash.hashes = [event.clientDataHash]
      #expect(try Timeline(stored, byHash).events.map(\.requestID) == ["'" + event.requestID])
      var byRequest = TimelineQuery()
      byRequest.requests = [event.requestID]
      #expect(try Timeline(stored, byRequest).events.count == 1)
      var bySubject = TimelineQuery()
      bySubject.subjects = [event.subject]
      #expect(try Timeline(stored, bySubject).events.count == 80)
    }
    var none = TimelineQuery()
    none.requests = ["no such"]
    #expect(try Timeline(stored, none).events.isEmpty)
  }

  @Test func `texts are one only if their bytes are`() throws {
    // Unicode takes both for one letter.
    let spellings = ["é", "e\u{301}"].map { Array($0.utf8) }
    var result = InMemoryResult.sample()
    result.events = Self.events(keys: 2, each: 30)
    for index in result.events.indices {
      let spelling = String(decoding: spellings[index % 2], as: UTF8.self)
      result.events[index].subject = spelling
      result.events[index].requestID = spelling + "\(index)"
      result.events[index].appID = spelling
    }
    let stored = try write(result.events)
    for (number, spelling) in spellings.enumerated() {
      let text = String(decoding: spelling, as: UTF8.self)
      var bySubject = TimelineQuery()
      bySubject.subjects = [text]
      var byRequest = TimelineQuery()
      byRequest.requests = [text + "\(number)"]
      for timeline in try [Timeline(stored, bySubject), Timeline(result, bySubject)] {
        #expect(timeline.events.count == 30)
        for event in timeline.events {
          #expect(Array(event.subject.utf8) == spelling && Array(event.appID.utf8) == spelling)
        }
      }
      #expect(try Timeline(stored, byRequest).events.map(\.line) == [UInt64(number + 1)])
      #expect(try Timeline(result, byRequest).events.map(\.line) == [UInt64(number + 1)])
    }
  }

  @Test func `long texts are spread over frames, and found in each`() throws {
    var events = Self.events(keys: 3, each: 400)
    for index in events.indices {
      events[index].requestID += String(repeating: "x", count: 4_000)
    }
    let stored = try write(events)
    let frames = EventsCSV.frameBytes / 4_000
    for event in events.enumerated().filter({ $0.offset % (frames / 2) == 3 }).map(\.element) {
      var query = TimelineQuery()
      query.requests = [event.requestID]
      #expect(try Timeline(stored, query).events.map(\.requestID) == ["'" + event.requestID])
    }
    var query = TimelineQuery()
    query.keys = [try #require(events.last?.keyID)]
    #expect(try Timeline(stored, query).events.count == 400)
    #expect(try scratch.text("out/events.index").split(separator: "\r\n").count > 5)
  }

  @Test(arguments: ["events.index", "events.csv.zst"])
  func `damage anywhere in an index is an error and no trap`(_ name: String) throws {
    let stored = try write(Self.events(keys: 4, each: 10))
    let path = URL(fileURLWithPath: "\(report)/\(name)")
    let whole = try Data(contentsOf: path)
    var query = TimelineQuery()
    query.keys = [Self.key(1)]
    query.requests = ["=request 1.1"]
    for place in stride(from: 0, to: whole.count, by: max(1, whole.count / 60)) {
      for bits in [UInt8(0xFF), 0x01, 0x80] {
        var damaged = whole
        damaged[place] ^= bits
        try damaged.write(to: path)
        // A wrong row hides events: the manifest tells of it.
        do { _ = try Timeline(stored, query) } catch let error as AuditError {
          #expect(error.code == .invalid)
        }
      }
    }
    try whole.dropLast().write(to: path)
    #expect(throws: AuditError.self) { try Timeline(stored, query) }
  }

  @Test func `a report without an index says so`() throws {
    _ = try ReportDirectory(path: report, overwrite: false).write(
      InMemoryResult.sample(), progress: AuditProgress(), run: { Rows.facts })
    var query = TimelineQuery()
    query.keys = [Self.key(1)]
    let error = #expect(throws: AuditError.self) {
      try Timeline(try StoredReport(path: report), query)
    }
    #expect(error == AuditError(.noIndex, "\(report) has no index of events"))
  }
}
