package import AppAttest

/// A state of the log that explains findings (`reports.R66`). It changes no severity and no exit
/// status.
package struct LikelyCause: Sendable, Equatable {
  package enum Cause: String, Sendable, CaseIterable {
    case cutLines, cutClientData, lossyClientData, nullRecords, tokenlessRequests, partLines
    case identicalRecords, ambiguousTimes, noRegistrations, missingInput
  }

  package var cause: Cause
  /// The codes of the findings that it explains.
  package var codes: [FindingCode]
  /// The number of lines or records that show it.
  package var count: UInt64
  /// One sentence: what the log shows.
  package var evidence: String
  /// One sentence: what to do.
  package var action: String
  /// The first place that shows it, or an empty text and 0.
  package var source: String
  package var line: UInt64

  package init(
    _ cause: Cause, codes: [FindingCode], count: UInt64, evidence: String, action: String,
    source: String = "", line: UInt64 = 0
  ) {
    self.cause = cause
    self.codes = codes
    self.count = count
    self.evidence = evidence
    self.action = action
    self.source = source
    self.line = line
  }
}

/// Something that the log cannot show (`reports.R77`).
package struct BlindSpot: Sendable, Equatable {
  package enum Spot: String, Sendable, CaseIterable {
    case noDecision, noClientData, noChallenges, noRequestId, noSubject, noReceipts, noRejections
    case wholeSeconds, noAppId, noCategory
  }

  package var spot: Spot
  /// The codes that cannot appear.
  package var codes: [FindingCode]
  /// One sentence: what is missing.
  package var evidence: String
  /// One sentence: what to log or to configure.
  package var action: String

  package init(_ spot: Spot, codes: [FindingCode], evidence: String, action: String) {
    self.spot = spot
    self.codes = codes
    self.evidence = evidence
    self.action = action
  }
}

/// What a run says of its log beside findings.
struct LogRemarks: Sendable {
  var likelyCauses: [LikelyCause] = []
  var blindSpots: [BlindSpot] = []

  /// Makes no remarks.
  init() {}

  /// Makes what follows from the counts of a run.
  init(_ totals: AuditTotals, _ configuration: AuditConfiguration) {
    let counts = totals.records
    let unknown = totals.findingsByCode[Int(FindingCode.keyUnknown.rawValue)]
    let known = [KeyStatus.attested, .imported, .known].reduce(0) {
      $0 + totals.keys[Int($1.rawValue)]
    }
    if unknown > 0, counts.attestations == 0, known == 0, configuration.knownKeys.isEmpty {
      likelyCauses.append(
        LikelyCause(
          .noRegistrations, codes: [.keyUnknown], count: unknown,
          evidence:
            "The logs contain no attestation, no list of keys was given, and no key is known "
            + "from an earlier run.",
          action: "Audit the logs of registrations too, or give the registered keys with --keys."))
    }
    blindSpots = BlindSpot.all(
      counts, receipts: configuration.receipts, apps: configuration.apps.count)
  }
}

extension BlindSpot {
  /// Returns the blind spots of a log (`reports.R78` to `reports.R87`).
  ///
  /// - Parameters:
  ///   - counts: The counts of its records.
  ///   - apps: The number of configured apps.
  package static func all(
    _ counts: RecordCounts, receipts: ReceiptPolicy, apps: Int
  ) -> [BlindSpot] {
    guard counts.recordsRead > 0 else { return [] }
    var blindSpots: [BlindSpot] = []
    func add(
      _ spot: BlindSpot.Spot, if isBlind: Bool, _ codes: [FindingCode], _ evidence: String,
      _ action: String
    ) {
      guard isBlind else { return }
      blindSpots.append(BlindSpot(spot, codes: codes, evidence: evidence, action: action))
    }
    add(
      .noDecision, if: counts.decided == 0,
      FindingCode.allCases.filter { $0.entry.family == "decision" },
      "No record has a decision of the server: nothing becomes critical because it was accepted.",
      "Log whether the server accepted each request, and map it to decision.")
    add(
      .noClientData, if: counts.hashesOnly > 0, [.recordClientDataHashMismatch],
      "\(counts.hashesOnly) assertions have a clientDataHash and no client data.",
      "Log the client data, so that its hash can be compared.")
    add(
      .noChallenges, if: counts.challenges == 0, [.challengeNotIssued, .challengeExpired],
      "No record issues a challenge.", "Log each challenge that the server issues, with its time.")
    add(
      .noRequestId, if: counts.requestIDs == 0, [.recordDuplicate],
      "No record has a request identifier: a request that was logged twice looks like a replay.",
      "Log an identifier of each request, and map it to requestId.")
    add(
      .noSubject, if: counts.subjects == 0, [.keySubjectChanged], "No record has a subject.",
      "Log the account or user of each request, and map it to subject.")
    add(
      .noReceipts, if: receipts == .ignore, [.attestationReceiptInvalid],
      "Receipts are ignored.", "Set receipts to verify or parse.")
    add(
      .noRejections, if: counts.decided >= 1000 && counts.rejected == 0, [],
      "All of \(counts.decided) records with a decision were accepted: rejected requests are "
        + "probably not logged.", "Log rejected requests, too.")
    add(
      .wholeSeconds, if: counts.recordsRead >= 100 && counts.wholeSeconds == counts.recordsRead, [],
      "All of \(counts.recordsRead) times are whole seconds: the order within a second is not known.",
      "Log times with milliseconds.")
    add(
      .noAppId, if: apps >= 2 && counts.appIDs == 0, [.assertionAppIDMismatch],
      "\(apps) apps are configured, and no record has an App ID.",
      "Log the App ID that the server expects, and map it to appId.")
    return blindSpots
  }
}
