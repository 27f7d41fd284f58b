import Foundation
import TestSupport
import Testing

/// `verdicts.csv.zst` of forged attacks: a row for every record, in order.
struct EndVerdictTests {
  @Test
  func `every record has a row, in order of source and line`() throws {
    let scratch = try Scratch()
    let forged = try Program.forge(
      [
        "--out", "day", "--attacks", "all", "--keys", "12", "--assertions", "150",
        "--files", "3", "--seed", "41", "--challenge-records",
      ], in: scratch.path)
    #expect(forged.status == 0)
    let outcome = try Program.run(
      ["audit", "--pipeline", "day/pipeline.yaml", "--out", "report", "--verdicts", "--quiet"],
      in: scratch.path)
    #expect(outcome == Program.Outcome(status: 2, output: "", errors: ""))
    let report = scratch.report()
    let rows = try report.verdictRows
    let summary = try report.summary
    let records = summary.records
    #expect(records["challenges"] ?? 0 > 0)
    #expect(
      rows.count
        == ["attestations", "assertions", "challenges", "unreadable", "skipped", "known"]
        .reduce(0) { $0 + (records[$1] ?? 0) })
    let words = [
      "valid", "flagged", "failed", "unverifiable", "unreadable", "skipped", "challenge", "known",
    ]
    #expect(summary.verdicts.keys.sorted() == words.sorted())
    for verdict in words {
      let count = rows.count { $0["verdict"] == verdict }
      #expect(count == summary.verdicts[verdict], "\(verdict)")
      #expect(count > 0 || verdict == "known", "\(verdict)")
    }
    #expect(rows.count { $0["kind"] == "challenge" } == records["challenges"])
    for verdict in ["unreadable", "skipped"] {
      #expect(rows.count { $0["verdict"] == verdict } == records[verdict], "\(verdict)")
      #expect(records[verdict] ?? 0 > 0)
    }
    for kind in ["attestation", "assertion"] {
      #expect(rows.count { $0["kind"] == kind } == records[kind + "s"])
    }

    let order = Dictionary(
      uniqueKeysWithValues: summary.inputs.enumerated().map { ($0.element.source, $0.offset) })
    let places = try rows.map { row -> [Int] in
      [
        try #require(order[row["source"] ?? ""]), try #require(Int(row["line"] ?? "")),
      ]
    }
    for (former, next) in zip(places, places.dropFirst()) {
      #expect(former.lexicographicallyPrecedes(next))
    }

    // Every finding about a record is in its row, and nothing else is. A further token is none
    // about the record (records.R104).
    var severities: [String: Set<String>] = [:]
    var codes: [String: Set<String>] = [:]
    for finding in try report.findingRows
    where finding["line"] != "0" && finding["code"] != "record.not_audited" {
      let place = "\(finding["source"] ?? ""):\(finding["line"] ?? "")"
      severities[place, default: []].insert(finding["severity"] ?? "")
      codes[place, default: []].insert(finding["code"] ?? "")
    }
    for row in rows {
      let place = "\(row["source"] ?? ""):\(row["line"] ?? "")"
      let listed = (row["codes"] ?? "").split(separator: ";").map(String.init)
      #expect(listed.count == Set(listed).count)
      #expect(codes[place, default: []].isSubset(of: listed), "\(place)")
      // These are one finding for many records.
      let summed: Set = ["key.unknown", "key.untrusted", "record.not_audited"]
      #expect(Set(listed).subtracting(summed).isSubset(of: codes[place] ?? []), "\(place)")
      let isFlagged = severities[place]?.subtracting(["info"]).isEmpty == false
      let failed = listed.contains {
        $0.hasPrefix("attestation.") || $0.hasPrefix("assertion.")
          || $0 == "record.client_data_hash_mismatch"
      }
      switch row["verdict"] {
      case "valid": #expect(!isFlagged && !failed, "\(place)")
      case "flagged": #expect(isFlagged && !failed, "\(place)")
      case "failed": #expect(failed, "\(place)")
      case "unverifiable": #expect(!failed, "\(place)")
      case "unreadable": #expect(listed.count == 1 && row["detail"] != "", "\(place)")
      case "skipped": #expect(row["detail"] != "", "\(place)")
      default:
        #expect(row["verdict"] == "challenge" && Set(listed).isSubset(of: ["challenge.weak"]))
      }
    }
    #expect(rows.contains { $0["decision"] == "accepted" && $0["request_id"] != "" })
    #expect(rows.contains { $0["subject"] != "" })
  }

  @Test func `without the flag there are no verdicts`() throws {
    let audit = try EndAudit()
    try audit.scratch.write("a.jsonl", audit.day.log())
    try audit.expect("a.jsonl", status: 0, findings: [])
    #expect(try !audit.report.names.contains("verdicts.csv.zst"))
  }
}
