internal import AppAttest
internal import AuditEngine

/// What was found of one token or line, for people and for machines.
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

  /// One check as it went.
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
    /// The number of Apple's step; empty where Apple has none.
    package let apple: String
    package let title: String
    package var outcome: Outcome
    /// Why it failed, or what is missing.
    package var detail: String
    package var compared: [Comparison]
  }

  /// A certificate as it stands there.
  package struct CertificateFacts: Encodable, Sendable {
    package let role: String
    package let subject: String
    package let issuer: String
    package let serial: String
    package let validity: String
    package let sha256: String
    package let extensions: [Field]
  }

  /// What it is: `attestation`, `assertion`, `receipt`, `challenge`, `unreadable`, `skipped`,
  /// `DeviceCheck token`.
  package var what: String
  /// `FILE:LINE`; nil where it did not come from a log.
  package var place: String?
  /// What the line says beside the token.
  package var record: [Field] = []
  /// What the token holds.
  package var token: [Field] = []
  package var steps: [Step] = []
  package var certificates: [CertificateFacts] = []
  package var receipt: [Field] = []
  /// What would make it hold, and what else is worth knowing, a sentence each.
  package var remarks: [String] = []
  /// One sentence.
  package var verdict = ""

  package init(what: String) {
    self.what = what
  }

  package var failures: [Step] { steps.filter { $0.outcome == .failed } }
  package var unchecked: [Step] { steps.filter { $0.outcome == .notChecked } }

  /// Says in one sentence how the checks went.
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
  /// Makes the code of the finding that a failed step comes to.
  init(_ check: InspectedCheck) {
    self =
      switch check {
      case .attestationForm: .attestationMalformed
      case .attestation(let check): FindingCode(check)
      case .assertionForm: .assertionMalformed
      case .assertion(.category): .assertionCategoryMismatch
      case .assertion(.appID): .assertionAppIDMismatch
      case .assertion(.signature): .assertionSignatureInvalid
      case .assertion(.counter): .counterRegression
      }
  }
}
