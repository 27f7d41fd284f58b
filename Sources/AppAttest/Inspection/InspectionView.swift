internal import Basics
internal import OpenSSL

/// An attestation that was judged, as a list of checks.
struct InspectionView {
  let object: AttestationObject
  let judged: JudgedAttestation
  let record: InspectedRecord
  let apps: ConfiguredApps
  let receipts: ReceiptPolicy
  /// All faults of the receipt, a sentence each.
  let receipt: [String]

  /// Returns the outcome of one check.
  func step(_ check: AttestationCheck) -> InspectionStep {
    var step = InspectionStep(

      .attestation(check), apple: check.apple, title: check.title, outcome: .passed,
      compared: compared(check))
    if let missing = missing(check) {
      step.outcome = .notChecked(missing)
    } else if check == .receiptInvalid {
      if !receipt.isEmpty { step.outcome = .failed(receipt.joined(separator: " ")) }
    } else if let failure = judged.failures.first(where: { $0.check == check }) {
      step.outcome = .failed(failure.detail)
    }
    return step
  }

  /// Returns the fact that a check lacks, or nil if the check was run.
  private func missing(_ check: AttestationCheck) -> String? {
    switch check {
    case .format, .chainUntrusted, .publicKeyMismatch, .counterNonzero: nil
    case .certificateTime:
      if judged.failures.contains(where: { $0.check == .chainUntrusted }) {
        "the certificates lead to no trust anchor"
      } else if record.time == nil {
        "the record's time is missing"
      } else {
        nil
      }
    case .nonceMismatch:
      record.clientDataHash == nil ? "the clientDataHash is missing" : nil
    case .keyIDMismatch, .credentialIDMismatch:
      record.keyIdentifier == nil ? "the key identifier is missing" : nil
    case .appIDMismatch: apps.apps.isEmpty ? "no app is configured" : nil
    case .environmentMismatch:
      judged.environment != nil && judged.appIndex == nil
        ? "the app is not a configured one, so that its environments are not known" : nil
    case .categoryMismatch: missingCategory
    case .receiptInvalid: receipts == .ignore ? "receipts are ignored" : nil
    case .timeDisagrees:
      if record.time == nil {
        "the record's time is missing"
      } else if receipts != .verify {
        "receipts are not verified"
      } else if !receipt.isEmpty {
        "the receipt does not hold"
      } else {
        nil
      }
    }
  }

  private var missingCategory: String? {
    guard let index = judged.appIndex else { return "the app is not a configured one" }
    let app = apps.apps[index]
    let extensions = object.authenticatorData.extensions
    return InspectionStep.missingCategory(app, extensions)
  }

  // MARK: Values side by side

  private func compared(_ check: AttestationCheck) -> [InspectionStep.Comparison] {
    let leaf = object.certificates.first
    switch check {
    case .format:
      return [
        .init("fmt", expected: "apple-appattest", found: DetailText.quoted(object.format))
      ]
    case .chainUntrusted, .certificateTime: return []
    case .nonceMismatch:
      return [
        .init(
          "nonce", expected: record.clientDataHash == nil ? "not known" : judged.nonce.hex,
          found: leaf.flatMap(LeafExtensions.nonce)?.hex ?? "none")
      ]
    case .keyIDMismatch:
      return [
        .init(
          "key identifier", expected: record.keyIdentifier?.hex ?? "not known",
          found: judged.publicKey.map(DetailText.digest) ?? "no key on P-256")
      ]
    case .publicKeyMismatch:
      return [
        .init(
          "public key", expected: judged.publicKey.map { Hex.text($0) } ?? "no key on P-256",
          found: object.credential.publicKey.map { Hex.text($0) } ?? "no ES256 key")
      ]
    case .appIDMismatch:
      return [
        InspectionStep.comparison(
          apps, appID: record.appID, rpIDHash: object.authenticatorData.rpIDHash)
      ]
    case .counterNonzero:
      return [.init("sign counter", expected: "0", found: "\(judged.counter)")]
    case .environmentMismatch:
      let allowed = judged.appIndex.map { index in
        AttestEnvironment.allCases.filter(apps.apps[index].environments.contains).map(\.name)
      }
      return [
        .init(
          "environment", expected: allowed.map(DetailText.list) ?? "not known",
          found: judged.environment?.name
            ?? "aaguid " + DetailText.hex(object.credential.aaguid))
      ]
    case .credentialIDMismatch:
      return [
        .init(
          "credential identifier", expected: record.keyIdentifier?.hex ?? "not known",
          found: DetailText.hex(object.credential.credentialID))
      ]
    case .categoryMismatch:
      return InspectionStep.comparisons(
        judged.appIndex.map { apps.apps[$0] }, object.authenticatorData.extensions)
    case .receiptInvalid: return receiptComparisons
    case .timeDisagrees:
      return [
        .init(
          "time", expected: Self.text(judged.receipt?.creationTime), found: Self.text(record.time))
      ]
    }
  }

  private static func text(_ milliseconds: Int64?) -> String {
    milliseconds.map { CivilTime(milliseconds: $0).text } ?? "not known"
  }

  private var receiptComparisons: [InspectionStep.Comparison] {
    guard let receipt = try? Receipt.parse(object.receipt.span) else { return [] }
    let leaf = object.certificates.first
    return [
      .init(
        "2 App ID", expected: judged.appIndex.map { apps.apps[$0].id } ?? "not known",
        found: DetailText.quoted(receipt.appID.map { Array($0.utf8) })),
      .init(
        "3 certificate", expected: leaf.map { DetailText.digest($0.der) } ?? "none",
        found: receipt.attestedCertificate.map(DetailText.digest) ?? "none"),
      .init(
        "4 client hash", expected: record.clientDataHash.map(DetailText.hex) ?? "not known",
        found: DetailText.hex(receipt.clientDataHash)),
      .init(
        "6 type", expected: "ATTEST", found: DetailText.quoted(receipt.type.map { Array($0.utf8) })
      ),
      .init(
        "7 environment", expected: judged.environment?.name ?? "not known",
        found: receipt.environment?.name ?? "none"),
    ]
  }
}

extension DetailText {
}

extension InspectionStep {
  /// Returns the rpIdHash beside that of the app that is expected.
  static func comparison(
    _ apps: ConfiguredApps, appID: String?, rpIDHash: Digest256
  ) -> Comparison {
    let found = apps.judge(rpIDHash: rpIDHash).index.map { apps.apps[$0].id }
    let expected =
      appID.map { "\(Digest256.sha256(Array($0.utf8).span).hex) (\(DetailText.quoted($0)))" }
      ?? "that of " + DetailText.list(apps.apps.map(\.id))
    return Comparison(
      "rpIdHash", expected: expected, found: rpIDHash.hex + (found.map { " (\($0))" } ?? ""))
  }

  /// Returns the values that the app allows beside those that the token carries.
  static func comparisons(
    _ app: AppPolicy?, _ extensions: AuthenticatorExtensions
  ) -> [Comparison] {
    let categories = (app?.categories ?? []).sorted { $0.rawValue < $1.rawValue }.map(\.name)
    let versions = (app?.bundleVersions ?? []).sorted()
    return [
      Comparison(
        "category", expected: categories.isEmpty ? "any" : DetailText.list(categories),
        found: text(extensions.category, \.name)),
      Comparison(
        "bundle version", expected: versions.isEmpty ? "any" : DetailText.list(versions),
        found: text(extensions.bundleVersion) { DetailText.quoted($0) }),
    ]
  }

  private static func text<Value>(_ carried: Carried<Value>, _ show: (Value) -> String) -> String {
    switch carried {
    case .absent: "none"
    case .unreadable: "not readable"
    case .value(let value): show(value)
    }
  }

  /// Returns why category and bundle version are not checked, or nil if they are.
  static func missingCategory(_ app: AppPolicy, _ extensions: AuthenticatorExtensions) -> String? {
    if app.categories.isEmpty, app.bundleVersions.isEmpty {
      return "the app lists neither categories nor bundle versions"
    }
    let isCarried =
      (!app.categories.isEmpty && extensions.category != .absent)
      || (!app.bundleVersions.isEmpty && extensions.bundleVersion != .absent)
    return isCarried ? nil : "the token carries none, as before iOS 27"
  }
}
