package import AppAttest
internal import AuditEngine
internal import Basics
internal import OpenSSL

/// The findings about one token or line, for people and for machines.
package struct Inspection: Encodable, Sendable {
  package struct Field: Encodable, Sendable, Equatable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }

    static func present(_ fields: [(String, String?)]) -> [Field] {
      fields.compactMap { name, value in value.map { Field(name, $0) } }
    }
  }

  package struct Step: Encodable, Sendable {
    package enum Outcome: String, Encodable, Sendable {
      case passed, failed
      case notChecked = "not checked"
    }
    package let code: String
    /// The number of Apple's step, or empty if Apple has none.
    package let apple: String
    package let title: String
    package var outcome: Outcome
    /// The reason why it failed, or the missing fact.
    package var detail: String
    package var compared: [InspectionStep.Comparison]
  }

  package struct CertificateFacts: Encodable, Sendable {
    package let role: String
    package let subject: String
    package let issuer: String
    package let serial: String
    package let validity: String
    package let sha256: String
    package let extensions: [Field]
  }

  /// One of attestation, assertion, receipt, challenge, unreadable, skipped, `DeviceCheck token`.
  package var what: String
  /// The place as `FILE:LINE`, or nil if it did not come from a log.
  package var place: String?
  package var record: [Field] = []
  package var token: [Field] = []
  package var steps: [Step] = []
  package var certificates: [CertificateFacts] = []
  package var receipt: [Field] = []
  /// The text of the line that was signed or attested instead of the client data, or nil if none is known.
  package var signedText: String?
  /// The changes that would make it hold, and other remarks, a sentence each.
  package var remarks: [String] = []
  package var verdict = ""

  package init(what: String, verdict: String = "") {
    self.what = what
    self.verdict = verdict
  }

  package var failures: [Step] { steps.filter { $0.outcome == .failed } }
  package var unchecked: [Step] { steps.filter { $0.outcome == .notChecked } }

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
  /// Makes the step of a check that is not of a token: passed, unless there is a failure or a missing fact.
  init(
    _ code: String, apple: String = "", _ title: String, failure: String? = nil,
    missing: String? = nil
  ) {
    self.code = code
    self.apple = apple
    self.title = title
    outcome = failure != nil ? .failed : missing != nil ? .notChecked : .passed
    detail = failure ?? missing ?? ""
    compared = []
  }

  init(_ step: InspectionStep) {
    code = FindingCode(step.check).name
    apple = step.apple
    title = step.title
    compared = step.compared
    switch step.outcome {
    case .passed: (outcome, detail) = (.passed, "")
    case .failed(let reason): (outcome, detail) = (.failed, reason)
    case .notChecked(let missing): (outcome, detail) = (.notChecked, missing)
    }
  }
}

extension FindingCode {
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

extension Inspection.CertificateFacts {
  private static let names = [
    "1.2.840.113635.100.4.24": "usage App Attest", "1.2.840.113635.100.6.2.3": "Apple WWDR CA",
    "1.2.840.113635.100.8.2": "nonce", "1.2.840.113635.100.8.5": "App ID",
    "1.2.840.113635.100.8.6": "access control", "1.2.840.113635.100.8.7": "OS version",
    "1.2.840.113635.100.12.15": "receipt signer", "2.5.29.14": "subject key identifier",
    "2.5.29.15": "key usage", "2.5.29.17": "subject alternative name",
    "2.5.29.19": "basic constraints", "2.5.29.30": "name constraints", "2.5.29.31": "CRL points",
    "2.5.29.32": "policies", "2.5.29.35": "authority key identifier",
    "2.5.29.37": "extended key usage", "1.3.6.1.5.5.7.1.1": "authority access",
  ]

  /// Reads the facts of a certificate. `known` has texts for extensions by identifier.
  init(_ certificate: Certificate, role: String, known: [String: String] = [:]) {
    self.role = role
    subject = certificate.subjectText
    issuer = certificate.issuerText
    serial = DetailText.hex(certificate.serialNumber)
    validity =
      certificate.validity.map {
        "\(CivilTime.text(seconds: $0.lowerBound)) to \(CivilTime.text(seconds: $0.upperBound))"
      } ?? "not readable"
    let der = certificate.der
    sha256 = Digest256.sha256(der.span).hex
    extensions = certificate.extensions.map { one in
      let name = Self.names[one.identifier].map { " \($0)" } ?? ""
      return Inspection.Field(
        one.identifier + name + (one.isCritical ? " (critical)" : ""),
        known[one.identifier] ?? DetailText.hex(one.value))
    }
  }

  static func chain(_ object: AttestationObject, osVersion: String) -> [Self] {
    var known: [String: String] = [:]
    known["1.2.840.113635.100.8.2"] = object.leafNonce?.hex
    known["1.2.840.113635.100.8.5"] = object.leafAppID
    if !osVersion.isEmpty { known["1.2.840.113635.100.8.7"] = osVersion }
    return object.x5c.enumerated().map { index, certificate in
      Self(
        certificate, role: index == 0 ? "leaf" : "x5c[\(index)]",
        known: index == 0 ? known : [:])
    }
  }

  static func receipt(_ bytes: [UInt8]) -> [Self] {
    guard let cms = try? CMSReceipt(bytes.span) else { return [] }
    return cms.certificates.enumerated().map { Self($1, role: "receipt[\($0)]") }
  }
}
