internal import AppAttest
package import AuditLog

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
  /// One sentence: an attack that leaves the log as it is.
  package var hides: String { Self.rules.first { $0.spot == spot }?.hides ?? "" }

  package init(_ spot: Spot, codes: [FindingCode], evidence: String, action: String) {
    self.spot = spot
    self.codes = codes
    self.evidence = evidence
    self.action = action
  }
}

/// The remarks of a run about its log, beside findings.
struct LogRemarks: Sendable {
  var likelyCauses: [LikelyCause] = []
  var blindSpots: [BlindSpot] = []

  init() {}

  /// Makes what follows from the counts of a run. `names` are those of its sources, in their order.
  init(_ totals: AuditTotals, _ configuration: AuditConfiguration, names: [String]) {
    let counts = totals.records
    let first = configuration.history?.firstSource ?? 0
    let unknown = totals.findingsByCode[Int(FindingCode.keyUnknown.rawValue)]
    let known = [KeyStatus.attested, .imported, .known, .untrusted].reduce(0) {
      $0 + totals.keys[Int($1.rawValue)]
    }
    let isUntold =
      counts.attestations == 0 && known == 0 && configuration.knownKeys.isEmpty
      && configuration.history?.hasAttestations != true
    likelyCauses = LikelyCause.all(totals.signs, unregistered: isUntold ? unknown : 0) { source in
      source >= first && names.indices.contains(Int(source - first))
        ? names[Int(source - first)] : ""
    }
    blindSpots = BlindSpot.all(
      counts, BlindSpot.Policy(configuration), hasCategory: totals.signs.has(.category))
  }
}

extension BlindSpot {
  /// The settings that decide on blind spots.
  package struct Policy: Sendable {
    let receipts: ReceiptPolicy
    let apps: Int
    /// The codes that appear although the log lacks what they are about: the settings demand it.
    let demanded: Set<FindingCode>

    /// Makes the policy of default settings.
    package init(apps: Int) {
      receipts = .verify
      self.apps = apps
      demanded = []
    }

    package init(_ configuration: AuditConfiguration) {
      receipts = configuration.receipts
      apps = configuration.apps.count
      let detection = configuration.detection
      var demanded: Set<FindingCode> = []
      if detection.challengesRequired { demanded.insert(.challengeNotIssued) }
      if detection.identicalRecords == .duplicate { demanded.insert(.recordDuplicate) }
      if configuration.apps.contains(where: { $0.requires.contains(.category) }) {
        demanded.formUnion([.attestationCategoryMismatch, .assertionCategoryMismatch])
      }
      self.demanded = demanded
    }
  }

  /// Returns the blind spots of a log (`reports.R78` to `reports.R87`) of which these are counted.
  /// `hasCategory` is true if a verified token carries a category.
  package static func all(
    _ counts: RecordCounts, _ policy: Policy, hasCategory: Bool
  ) -> [BlindSpot] {
    guard counts.recordsRead > 0 else { return [] }
    return rules.compactMap { rule in
      rule.evidence(counts, policy, hasCategory).map {
        BlindSpot(
          rule.spot, codes: rule.codes.filter { !policy.demanded.contains($0) }, evidence: $0,
          action: rule.action)
      }
    }
  }

  /// Returns the blind spots of all logs that a schema reads, by the fields that it does not map.
  package static func all(_ schema: LogSchema, _ policy: Policy) -> [BlindSpot] {
    var counts = RecordCounts()
    counts.recordsRead = 1
    func has(_ field: LogField) -> UInt64 {
      schema.rules.contains { $0.fields[field] != nil } ? 1 : 0
    }
    counts.decided = has(.decision)
    counts.rejected = counts.decided
    counts.requestIDs = has(.requestId)
    counts.subjects = has(.subject)
    counts.appIDs = has(.appId)
    counts.issued = schema.rules.contains(where: \.canIssueChallenges) ? 1 : 0
    counts.hashesOnly = UInt64(schema.rules.count(where: \.readsHashesOnly))
    return all(counts, policy, hasCategory: true).map { spot in
      guard let field = fields[spot.spot] else { return spot }
      var spot = spot
      spot.evidence = "The schema \(field)."
      return spot
    }
  }

  /// Every blind spot that a log can have, without evidence.
  package static var possible: [BlindSpot] {
    rules.map { BlindSpot($0.spot, codes: $0.codes, evidence: "", action: $0.action) }
  }

  /// The fields that a schema lacks, for the blind spots that follow from it.
  private static let fields: [Spot: String] = [
    .noDecision:
      "maps no decision, so no finding becomes critical because the server accepted the request",
    .noClientData: "reads assertions of which it maps only the clientDataHash",
    .noChallenges: "has no rule for challenges that the server issues",
    .noRequestId: "maps no requestId: a request that was logged twice looks like a replay",
    .noSubject: "maps no subject", .noAppId: "maps no appId, and several apps are configured",
  ]

  private struct Rule: Sendable {
    let spot: Spot
    let codes: [FindingCode]
    let hides: String
    let action: String
    /// Returns one sentence, or nil if the log shows it. The last argument is whether it has categories.
    let evidence: @Sendable (RecordCounts, Policy, Bool) -> String?
  }

  private static let rules: [Rule] = [
    Rule(
      spot: .noDecision, codes: FindingCode.allCases.filter { $0.entry.family == "decision" },
      hides:
        "If the server accepts a forged request, the log has the same line as if it rejects it.",
      action: "Log whether the server accepted each request, and map it to decision."
    ) { counts, _, _ in
      counts.decided > 0
        ? nil
        : "No record has the server's decision, so no finding becomes critical because the server "
          + "accepted the request."
    },
    Rule(
      spot: .noClientData, codes: [.recordClientDataHashMismatch],
      hides:
        "A request whose body is not what the device signed: the recorded hash is only the server's word.",
      action: "Log the client data, so that its hash can be compared."
    ) { counts, _, _ in
      let count = counts.hashesOnly
      return count == 0
        ? nil
        : "\(count) \(count == 1 ? "assertion has" : "assertions have") a clientDataHash and no client "
          + "data."
    },
    Rule(
      spot: .noChallenges, codes: [.challengeNotIssued, .challengeExpired],
      hides:
        "A client that invents its challenge leaves the same line as one to which the server issued it.",
      action: "Log each challenge that the server issues, with its time."
    ) { counts, _, _ in counts.issued > 0 ? nil : "No record issues a challenge." },
    Rule(
      spot: .noRequestId, codes: [.recordDuplicate],
      hides: "A replay leaves the same lines as a request that was logged twice.",
      action: "Log an identifier of each request, and map it to requestId."
    ) { counts, _, _ in
      counts.requestIDs > 0
        ? nil
        : "No record has a request identifier: a request that was logged twice looks like a replay."
    },
    Rule(
      spot: .noSubject, codes: [.keySubjectChanged],
      hides: "A key that is used for two accounts leaves the same lines as a key of one account.",
      action: "Log the account or user of each request, and map it to subject."
    ) { counts, _, _ in counts.subjects > 0 ? nil : "No record has a subject." },
    Rule(
      spot: .noReceipts, codes: [.attestationReceiptInvalid],
      hides: "An attestation with a forged receipt is as valid as one with a genuine receipt.",
      action: "Set receipts to verify or parse."
    ) { _, policy, _ in policy.receipts == .ignore ? "Receipts are ignored." : nil },
    Rule(
      spot: .noRejections, codes: [], hides: "Attempts that the server rejected leave no line.",
      action: "Log rejected requests, too."
    ) { counts, _, _ in
      counts.decided < 1000 || counts.rejected > 0
        ? nil
        : "All of \(counts.decided) records with a decision were accepted: rejected requests are "
          + "probably not logged."
    },
    Rule(
      spot: .wholeSeconds, codes: [],
      hides:
        "Requests of one second have no order: a counter that falls looks like one that rises.",
      action: "Log times with milliseconds."
    ) { counts, _, _ in
      counts.recordsRead < 100 || counts.wholeSeconds < counts.recordsRead
        ? nil
        : "All of \(counts.recordsRead) times are whole seconds: the order within a second is not "
          + "known."
    },
    Rule(
      spot: .noAppId, codes: [.assertionAppIDMismatch],
      hides:
        "A token of one configured app that is sent to the server of another leaves the same line.",
      action: "Log the App ID that the server expects, and map it to appId."
    ) { counts, policy, _ in
      policy.apps < 2 || counts.appIDs > 0
        ? nil : "\(policy.apps) apps are configured, and no record has an App ID."
    },
    Rule(
      spot: .noCategory, codes: [.attestationCategoryMismatch, .assertionCategoryMismatch],
      hides:
        "A copy of the app from outside the App Store sends the same tokens as the app from the store.",
      action:
        "Set requires: [category] for an app to refuse tokens without one: devices before iOS 27 and macOS 27."
    ) { _, _, hasCategory in hasCategory ? nil : "No verified token carries a category." },
  ]
}

extension SchemaRule {
  /// Whether its records can be challenges.
  fileprivate var canIssueChallenges: Bool {
    switch kind {
    case .fixed(let kind): kind == .challenge
    case .mapped, .inferred: fields[.challenge] != nil
    case .deviceCheckToken: false
    }
  }

  /// Whether its assertions have a clientDataHash only.
  fileprivate var readsHashesOnly: Bool {
    let canAssert =
      switch kind {
      case .fixed(let kind): kind == .assertion
      case .mapped, .inferred: true
      case .deviceCheckToken: false
      }
    return canAssert && fields[.payload] == nil && fields[.clientData] == nil
  }
}
