internal import AppAttest
internal import AuditEngine

/// The findings about one token or line, for people and for machines.
package struct Inspection: Encodable, Sendable {
  /// A value under a name.
  package struct Field: Encodable, Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// One check and its outcome.
  package struct Step: Encodable, Sendable {
    package enum Outcome: String, Encodable, Sendable {
      case passed, failed
      case notChecked = "not checked"
    }
    package struct Comparison: Encodable, Sendable {
      package let name: String
      package let expected: String
      package let found: String
    }
    /// The finding code that a failure has.
    package let code: String
    /// The number of Apple's step, or empty if Apple has none.
    package let apple: String
    package let title: String
    package var outcome: Outcome
    /// The reason why it failed, or the missing fact.
    package var detail: String
    package var compared: [Comparison]
  }

  /// The contents of a certificate.
  package struct CertificateFacts: Encodable, Sendable {
    package let role: String
    package let subject: String
    package let issuer: String
    package let serial: String
    package let validity: String
    package let sha256: String
    package let extensions: [Field]
  }

  /// The kind of the token or line: `attestation`, `assertion`, `receipt`, `challenge`,
  /// `unreadable`, `skipped`, `DeviceCheck token`.
  package var what: String
  /// The place as `FILE:LINE`, or nil if it did not come from a log.
  package var place: String?
  /// The fields of the line beside the token.
  package var record: [Field] = []
  /// The contents of the token.
  package var token: [Field] = []
  package var steps: [Step] = []
  package var certificates: [CertificateFacts] = []
  package var receipt: [Field] = []
  /// The changes that would make it hold, and other remarks, a sentence each.
  package var remarks: [String] = []
  /// The verdict in one sentence.
  package var verdict = ""

  package init(what: String) {
    self.what = what
  }

  package var failures: [Step] { steps.filter { $0.outcome == .failed } }
  package var unchecked: [Step] { steps.filter { $0.outcome == .notChecked } }

  /// Sums up the outcome of the checks in one sentence.
  mutating func conclude() {
    let failed = failures.count
    let open = unchecked.count
    let passed = steps.count - failed - open
    verdict =
      failed > 0
      ? "\(failed) of \(steps.count) checks failed"
      : steps.isEmpty ? "There is nothing to check" : "No check failed"
    if !steps.isEmpty { verdict += ", \(passed) passed" }
    if open > 0 { verdict += ", \(open) could not be run" }
    verdict += "."
  }
}

extension Inspection.Step {
  init(_ step: InspectionStep) {
    code = FindingCode(step.check).name
    apple = step.apple
    title = step.title
    compared = step.compared.map {
      Comparison(name: $0.name, expected: $0.expected, found: $0.found)
    }
    switch step.outcome {
    case .passed: (outcome, detail) = (.passed, "")
    case .failed(let reason): (outcome, detail) = (.failed, reason)
    case .notChecked(let missing): (outcome, detail) = (.notChecked, missing)
    }
  }
}

extension FindingCode {
  /// Makes the code of the finding for a failed step.
  init(_ check: InspectedCheck) {
    self =
      switch check {
      case .attestationForm: .attestationMalformed
      case .attestation(let check): FindingCode(check)
      case .assertionForm: .assertionMalformed
      case .assertion(.category): .assertionCategoryMismatch
      case .assertion(.code): .assertionCodeMismatch
      case .assertion(.appID): .assertionAppIDMismatch
      case .assertion(.signature): .assertionSignatureInvalid
      case .assertion(.counter): .counterRegression
      }
  }
}
