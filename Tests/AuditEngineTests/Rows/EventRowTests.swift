import AppAttest
import AuditLog
import Foundation
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Rows of events and challenges` {
  private let texts = TextStore()
  private let row = RowBuilder(texts: TextStore())

  @Test(arguments: [false, true])
  func `what Apple's system signed comes back, longer values cut`(isLossy: Bool) throws {
    // verification.R39, R42; reports.R36.
    let hashes: [[UInt8]?] = [
      nil, [], [7], [UInt8](repeating: 3, count: 20), Array(0..<32), Array(0..<90),
    ]
    for category in [nil, 0, 6, UInt32.max] {
      for version in [nil, "", "7.1", "é😀", String(repeating: "7.", count: 90)] {
        for hash in hashes {
          var extensions = AuthenticatorExtensions()
          if let category { extensions.category = .value(ValidationCategory(rawValue: category)) }
          if let version { extensions.bundleVersion = .value(version) }
          if let hash { extensions.codeHash = .value(CodeHash(hash.span)) }
          row.begin()
          row.put(RowTexts.presence(token: true) { $0 == .subject })
          try row.put(text: "subject")
          TokenFacts.write(extensions, isLossy: isLossy, row)
          withRow(row.bytes) { bytes in
            var cursor = unsafe RowCursor(bytes)
            let facts = cursor.texts().token
            #expect(facts.isLossy == isLossy && facts.category?.rawValue == category)
            #expect(facts.bundleVersion == String((version ?? "").prefix(TokenFacts.versionLimit)))
            #expect(facts.codeHash == Array((hash ?? []).prefix(TokenFacts.hashLimit)))
          }
        }
      }
    }
  }

  @Test func `token facts of any bytes are read to their end`() throws {
    for count in 0..<12 {
      for first in UInt8.min...UInt8.max {
        row.begin()
        row.put(UInt16(count))
        row.put([UInt8](repeating: first, count: count).span)
        withRow(row.bytes) { bytes in
          var cursor = unsafe RowCursor(bytes)
          _ = TokenFacts(cursor.text())
        }
      }
    }
  }

  @Test func `equal hashes are one group, and challenges stand in front of those who may use them`()
    throws
  {
    func group(_ hash: [UInt8]) throws -> [UInt8] {
      var sample = SampleEvent()
      sample.clientDataHash = hash
      return Array(try sample.hashRow(texts).prefix(HashRow.groupLength))
    }
    let hashes: [[UInt8]] = [
      [UInt8](repeating: 1, count: 16), [UInt8](repeating: 1, count: 17),
      [UInt8](repeating: 1, count: 32), [UInt8](repeating: 1, count: 255), [],
      Digest256.sha256([UInt8](repeating: 1, count: 16).span).bytes,
    ]
    #expect(try Set(hashes.map(group)).count == hashes.count)
    for hash in hashes {
      HashRow.write(
        challenge: hash.span, time: 1030, tolerance: 30, position: Position(source: 9, line: 9), row
      )
      let challenge = row.bytes
      #expect(try Array(challenge.prefix(HashRow.groupLength)) == group(hash))
      withRow(challenge) { bytes in
        let row = unsafe HashRow(bytes)
        #expect(row.rowClass == .challenge && row.keyTime == 1000)
        #expect(row.position == Position(source: 9, line: 9))
      }
      for (time, isBehind) in [(999, false), (1000, true), (1001, true)] as [(Int64, Bool)] {
        var sample = SampleEvent()
        sample.clientDataHash = hash
        sample.time = time
        let event = try sample.hashRow(texts)
        #expect(
          challenge.prefix(HashRow.keyLength).lexicographicallyPrecedes(
            event.prefix(HashRow.keyLength)) == isBehind)
      }
    }
  }
}
