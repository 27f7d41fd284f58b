import Foundation
import TestSupport
import Testing

/// What is counted by key, and what is known of keys, once the whole file has come.
extension EndRepairedInputTests {
  private var assertions: [Int] {
    day.lines.indices.filter { day.lines[$0].contains("\"payload\"") }
  }

  /// Returns the key of a line in one spelling.
  private func keyID(_ at: Int) throws -> String {
    let record = try JSONSerialization.jsonObject(with: Data(day.lines[at].utf8)) as? [String: Any]
    let key = try #require(record?["keyId"] as? String)
    return key.replacing("-", with: "+").replacing("_", with: "/").replacing(" ", with: "+")
      .replacing("=", with: "")
  }

  /// Returns the last assertion whose key has an attestation in the day, and that attestation.
  private func lastPair() throws -> (assertion: Int, attestation: Int) {
    for at in assertions.reversed() {
      let key = try keyID(at)
      let attestation = try day.lines.indices.first {
        try day.lines[$0].contains("o2NmbXR") && keyID($0) == key
      }
      if let attestation { return (at, attestation) }
    }
    throw CocoaError(.coderValueNotFound)
  }

  /// Returns gzip members of a line each; those of `broken` have other lines, and checksums that fail, those of
  /// `others` other lines alone.
  private func members(
    _ broken: [Int: String] = [:], _ others: [Int: String] = [:]
  ) throws -> [UInt8] {
    try day.lines.indices.flatMap { index in
      let line = broken[index] ?? others[index] ?? day.lines[index]
      var member = try Packed.gzip(Array((line + "\n").utf8))
      if broken[index] != nil { member[member.count - 6] ^= 1 }
      return member
    }
  }

  private func expectNothingOpen(_ comment: Comment? = nil) throws {
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output == "no open findings\n", comment)
  }

  /// Checks that the whole file withdraws findings about unknown keys, with as many records, and for that reason.
  private func expectWithdrawn(_ unknown: [[String: String]], _ reason: String) throws {
    try put("a.gz", members())
    let second = try night(2)
    #expect(try second.findings == [])
    try expectNothingOpen()
    let withdrawn = try CSVTable.rows(second.bytes("withdrawn.csv"))
      .filter { $0["code"] == "key.unknown" }
    #expect(withdrawn.map { $0["count"] } == unknown.map { $0["count"] })
    #expect(withdrawn.allSatisfy { $0["detail"]?.contains(reason) == true })
  }

  @Test(arguments: 1...3)
  func `a key that damage made is forgotten, however many lines had it`(_ count: Int) throws {
    let nobody = Data((0..<32).map { UInt8($0) }).base64EncodedString()
    let lines = assertions.suffix(3 * count)
    var broken: [Int: String] = [:]
    for at in lines.enumerated().filter({ $0.offset % 3 == 0 }).map(\.element) {
      broken[at] = try day.line(at, ["keyId": nobody])
    }
    try put("a.gz", members(broken))
    let first = try night(1, status: 2)
    let unknown = try first.findingRows.filter { $0["code"] == "key.unknown" }
    #expect(unknown.map { $0["count"] } == ["\(count)"])
    try expectWithdrawn(unknown, "the input was damaged")
  }

  @Test func `an unknown key that damage made of lines, and one has, stays for that one`() throws {
    let nobody = Data((0..<32).map { UInt8($0) }).base64EncodedString()
    let lines = try assertions.suffix(3).map { ($0, try day.line($0, ["keyId": nobody])) }
    let honest = Dictionary(uniqueKeysWithValues: lines.suffix(1))
    try put("a.gz", members(Dictionary(uniqueKeysWithValues: lines.prefix(2)), honest))
    let unknown = try night(1, status: 2).findingRows.filter { $0["code"] == "key.unknown" }
    #expect(unknown.map { $0["count"] } == ["3"])
    try put("a.gz", members([:], honest))
    let second = try night(2)
    #expect(try second.findings == [])
    let withdrawn = try CSVTable.rows(second.bytes("withdrawn.csv")).map { $0["code"] }
    #expect(withdrawn.contains("stream.corrupt") && !withdrawn.contains("key.unknown"))
    let open = try Program.run(["state", "findings", "state"], in: scratch.path)
    #expect(open.output.contains("key.unknown"), "\(open)")
  }

  @Test func `a key that was unknown for damage and for its honest records alike is explained`()
    throws
  {
    let (at, attestation) = try lastPair()
    try put("a.gz", members([attestation: "x", at: day.line(at, ["requestId": "x"])]))
    let first = try night(1, status: 2)
    let unknown = try first.findingRows.filter { $0["code"] == "key.unknown" }
    #expect(unknown.count == 1 && Int(unknown[0]["count"] ?? "") ?? 0 > 1)
    try expectWithdrawn(unknown, "has an attestation now")
  }

  @Test func `a key that was unknown is not, where its attestation comes with the whole file`()
    throws
  {
    let (at, attestation) = try lastPair()
    let flipped = day.lines[at].replacing(#/("token": ?"\S{60})./#, with: { "\($0.1)Q" })
    #expect(flipped != day.lines[at])
    try put("a.gz", members([at: flipped, attestation: "x"]))
    #expect(try night(1, status: 2).findings.contains { $0.hasPrefix("critical key.unknown") })
    try put("a.gz", members([attestation: "x"]))
    _ = try night(2, status: 2)
    try put("a.gz", members())
    #expect(try night(3).findings == [])
    try expectNothingOpen()
  }

  @Test func `a failed attestation that damage had touched is known from the whole file on`() throws
  {
    let (at, attestation) = try lastPair()
    // It was made for another challenge than the log says.
    let hash = String(repeating: "ab", count: 32)
    let changes: [String: Any?] = [
      "payload": nil, "clientData": nil, "challenge": nil, "clientDataHash": hash,
    ]
    let failed = try day.line(attestation, changes)
    let touched = try day.line(
      attestation, changes.merging(["requestId": "x"]) { _, later in later })
    func log(_ line: String, isBroken: Bool) throws -> [UInt8] {
      try day.lines.indices.flatMap { index in
        var member = try Packed.gzip(
          Array(((index == attestation ? line : day.lines[index]) + "\n").utf8))
        if index == attestation, isBroken { member[member.count - 6] ^= 1 }
        return member
      }
    }
    try put("a.gz", log(touched, isBroken: true))
    #expect(try night(1, status: 2).findings.contains { $0.contains("key.untrusted") })
    try put("a.gz", log(failed, isBroken: false))
    _ = try night(2, status: 1)
    try put("b.jsonl", Array((try day.line(at, ["requestId": "later"]) + "\n").utf8))
    _ = try night(3, status: 1)
    let open = try Program.run(["state", "findings", "state", "--format", "csv"], in: scratch.path)
    #expect(
      open.output.contains("key.untrusted") && !open.output.contains("key.unknown"), "\(open)")
  }
}
