internal import Basics
internal import OpenSSL

/// An attestation that was judged, as a list of checks.
struct InspectionView {
  let object: AttestationObject
  let judged: JudgedAttestation
  let record: InspectedRecord
  let apps: ConfiguredApps
  let receipts: ReceiptPolicy
  let macOSAccessControl: MacOSAccessControlPolicy
  /// All faults of the receipt, a sentence each.
  let receipt: [String]

  func step(_ check: AttestationCheck) -> InspectionStep {
    var step = InspectionStep(
      check: .attestation(check), apple: check.words.apple, title: check.words.title,
      outcome: .passed,
      compared: compared(check))
    if check == .nonceMismatch, judged.isNonceUnchecked {
      step.outcome = .lossy
    } else if let missing = missing(check) {
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
      judged.failures.contains { $0.check == .chainUntrusted }
        ? "the certificates lead to no trust anchor"
        : record.time == nil ? "the record's time is missing" : nil
    case .nonceMismatch:
      record.clientDataHash == nil ? "the clientDataHash is missing" : nil
    case .keyIDMismatch, .credentialIDMismatch:
      record.keyIdentifier == nil ? "the key identifier is missing" : nil
    case .appIDMismatch: apps.apps.isEmpty ? "no app is configured" : nil
    case .environmentMismatch:
      judged.environment != nil && judged.appIndex == nil
        ? "the app is not a configured one, so that its environments are not known" : nil
    case .accessControl:
      macOSAccessControl == .ignore
        ? "access control is ignored"
        : judged.origin.platform == .macos ? nil : "the leaf certificate is not of macOS"
    case .categoryMismatch, .codeMismatch:
      judged.failures.contains { $0.check == check }
        ? nil
        : InspectionStep.missing(
          check == .codeMismatch ? [.codeHash] : [.category, .bundleVersion],
          judged.appIndex.map { apps.apps[$0] }, object.authenticatorData.extensions)
    case .receiptInvalid: receipts == .ignore ? "receipts are ignored" : nil
    case .timeDisagrees:
      record.time == nil
        ? "the record's time is missing"
        : judged.signedTime == nil
          ? "neither a verified receipt nor the leaf's serial number gives Apple's signed time"
          : nil
    }
  }

  // MARK: Values side by side

  private func compared(_ check: AttestationCheck) -> [InspectionStep.Comparison] {
    func one(
      _ name: String, _ expected: String?, _ found: String
    ) -> [InspectionStep.Comparison] {
      [.init(name: name, expected: expected ?? "not known", found: found)]
    }
    let key = record.keyIdentifier?.hex
    switch check {
    case .chainUntrusted, .certificateTime: return []
    case .format: return one("fmt", "apple-appattest", DetailText.quoted(object.format))
    case .nonceMismatch:
      return one(
        "nonce", record.clientDataHash.map { _ in judged.nonce.hex },
        object.certificates.first.flatMap(LeafExtensions.nonce)?.hex ?? "none")
    case .keyIDMismatch:
      return one(
        "key identifier", key, judged.publicKey.map(DetailText.digest) ?? "no key on P-256")
    case .publicKeyMismatch:
      return one(
        "public key", judged.publicKey.map { Hex.text($0) } ?? "no key on P-256",
        object.credential.publicKey.map { Hex.text($0) } ?? "no ES256 key")
    case .appIDMismatch:
      return [
        InspectionStep.comparison(
          apps, appID: record.appID, rpIDHash: object.authenticatorData.rpIDHash)
      ]
    case .counterNonzero: return one("sign counter", "0", "\(judged.counter)")
    case .environmentMismatch:
      let allowed = judged.appIndex.map { index in
        AttestEnvironment.allCases.filter(apps.apps[index].environments.contains).map(\.name)
      }
      return one(
        "environment", allowed.map(DetailText.list),
        judged.environment?.name ?? "aaguid " + DetailText.hex(object.credential.aaguid))
    case .credentialIDMismatch:
      return one("credential identifier", key, DetailText.hex(object.credential.credentialID))
    case .accessControl:
      return one(
        "access control", DetailText.hex(LeafExtensions.fullSecurity),
        DetailText.hex(judged.origin.accessControl))
    case .categoryMismatch, .codeMismatch:
      return InspectionStep.comparisons(
        check == .codeMismatch ? [.codeHash] : [.category, .bundleVersion],
        judged.appIndex.map { apps.apps[$0] }, object.authenticatorData.extensions)
    case .receiptInvalid: return receiptComparisons
    case .timeDisagrees: return one("time", Self.text(judged.signedTime), Self.text(record.time))
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
        name: "2 App ID", expected: judged.appIndex.map { apps.apps[$0].id } ?? "not known",
        found: DetailText.quoted(receipt.appID.map { Array($0.utf8) })),
      .init(
        name: "3 certificate", expected: leaf.map { DetailText.digest($0.der) } ?? "none",
        found: receipt.attestedCertificate.map(DetailText.digest) ?? "none"),
      .init(
        name: "4 client hash", expected: record.clientDataHash.map(DetailText.hex) ?? "not known",
        found: DetailText.hex(receipt.clientDataHash)),
      .init(
        name: "6 type", expected: "ATTEST",
        found: DetailText.quoted(receipt.type.map { Array($0.utf8) })
      ),
      .init(
        name: "7 environment", expected: judged.environment?.name ?? "not known",
        found: receipt.environment?.name ?? "none"),
    ]
  }
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
      name: "rpIdHash", expected: expected, found: rpIDHash.hex + (found.map { " (\($0))" } ?? ""))
  }

  /// Returns the values that the app allows beside those that the token carries.
  static func comparisons(
    _ values: [SignedValue], _ app: AppPolicy?, _ extensions: AuthenticatorExtensions
  ) -> [Comparison] {
    values.map { value in
      let allowed = app?.allowed(value) ?? []
      return Comparison(
        name: value.words, expected: allowed.isEmpty ? "any" : DetailText.list(allowed),
        found: extensions.text(value) ?? "none")
    }
  }

  /// Returns why none of the values is checked, or nil if one of them is.
  static func missing(
    _ values: [SignedValue], _ app: AppPolicy?, _ extensions: AuthenticatorExtensions
  ) -> String? {
    guard let app else { return "the app is not a configured one" }
    let checked = values.filter { !app.allowed($0).isEmpty || app.requires.contains($0) }
    if checked.isEmpty {
      return "the app has no rule on the \(values.map(\.words).joined(separator: " or the "))"
    }
    let isCarried = checked.contains { extensions.text($0) != nil }
    return isCarried
      ? nil : "the token carries no \(checked.map(\.words).joined(separator: " and no "))"
  }
}

extension AppPolicy {
  fileprivate func allowed(_ value: SignedValue) -> [String] {
    switch value {
    case .category: categories.sorted { $0.rawValue < $1.rawValue }.map(\.name)
    case .bundleVersion: bundleVersions.sorted()
    case .codeHash: codeHashes.map(\.hex)
    }
  }
}

extension AuthenticatorExtensions {
  /// Returns a value for people, or nil if there is none.
  package func text(_ value: SignedValue) -> String? {
    func show<Value>(_ carried: Carried<Value>, _ words: (Value) -> String) -> String? {
      switch carried {
      case .absent: nil
      case .unreadable: "not readable"
      case .value(let value): words(value)
      }
    }
    return switch value {
    case .category: show(category) { "\($0.name) (\($0.rawValue))" }
    case .bundleVersion: show(bundleVersion) { DetailText.quoted($0) }
    case .codeHash:
      show(codeHash) { hash in
        let type = show(codeHashType) { String($0) }
        return "\(hash.words), \(type.map { "type \($0)" } ?? "no type")"
      }
    }
  }
}

extension CodeHash {
  package var words: String { "\(DetailText.hex(bytes)), \(byteCount) bytes" }
}
