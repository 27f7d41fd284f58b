package import AppAttest
internal import AuditEngine
internal import AuditLog
package import AuditSettings
internal import Basics
internal import OpenSSL

/// An inspector of tokens, lines and records, with the checks of the audit.
package struct Inspector: Sendable {
  let settings: JudgingSettings
  let verifier: AttestationVerifier
  /// Public keys by key identifier, from valid attestations and lists of known keys.
  package var publicKeys: [Digest256: [UInt8]] = [:]
  /// The App IDs that keys were attested for.
  package var appIDs: [Digest256: String] = [:]
  /// The known facts about a key as a clause, `attested for … `, or nil if none are known.
  package var knowledge: @Sendable (Digest256) -> String? = { _ in nil }

  package init(_ settings: JudgingSettings) throws(CommandError) {
    self.settings = settings
    verifier = try settings.verifier()
    for key in settings.configuration.knownKeys {
      publicKeys[key.keyID] = key.publicKey
      appIDs[key.keyID] = key.appID
    }
  }

  // MARK: Lines

  /// Inspects one line of a log. It may have been cut by damage.
  package func inspect(line: FoundLine) -> Inspection {
    var inspection = inspect(
      line: line.bytes, isCut: line.state == .cut, isOverlong: line.state == .overlong)
    inspection.place = "\(line.source):\(line.number)"
    return inspection
  }

  /// Inspects one line of a log, without its end.
  package func inspect(
    line: [UInt8], isCut: Bool = false, isOverlong: Bool = false
  ) -> Inspection {
    if isCut || isOverlong {
      return unreadable(
        "record.malformed_json",
        isCut
          ? "Damage in the stream cuts the line." : "The line is longer than limits.lineBytes.")
    }
    if line.allSatisfy({ $0 <= 0x20 }) {
      var inspection = Inspection(what: "blank line")
      inspection.verdict = "A blank line: there is nothing to check."
      return inspection
    }
    switch LineDecoder(schema: settings.configuration.schema).decode(line) {
    case .record(let record): return inspect(record, line: line)
    case .reject(let reject): return unreadable(reject.code.finding, reject.reason)
    case .deviceCheckToken:
      var inspection = Inspection(what: "DeviceCheck token")
      inspection.verdict = "A DeviceCheck token: nothing of it can be verified offline."
      return inspection
    case .skipped(let reason, let holdsToken):
      var inspection = Inspection(what: "skipped")
      inspection.steps = [
        Inspection.Step(
          code: "record.not_audited", apple: "",
          title: "lines that the schema skips contain no tokens",
          outcome: holdsToken ? .failed : .passed, detail: holdsToken ? reason.text : "",
          compared: [])
      ]
      inspection.conclude()
      inspection.remarks.append(
        holdsToken
          ? "It would be audited if a rule of the schema \(settings.configuration.schema.name) "
            + "fitted the line: attest-audit init looks for one."
          : reason.text)
      return inspection
    }
  }

  private func unreadable(_ code: String, _ reason: String) -> Inspection {
    var inspection = Inspection(what: "unreadable")
    inspection.steps = [
      Inspection.Step(
        code: code, apple: "", title: "the line is a record", outcome: .failed, detail: reason,
        compared: [])
    ]
    inspection.conclude()
    return inspection
  }

  // MARK: Tokens

  /// Inspects an attestation object. `line` is the line that holds it, or empty if there is none.
  package func inspect(
    attestation token: [UInt8], _ record: InspectedRecord, line: [UInt8] = []
  ) -> Inspection {
    var inspection = Inspection(what: "attestation")
    let inspected = verifier.inspect(token: token.span, of: record)
    inspection.steps = inspected.steps.map(Inspection.Step.init)
    if let object = inspected.object {
      let data = object.authenticatorData
      inspection.token = [
        .init("format", object.format), .init("rpIdHash", data.rpIDHash.hex),
        .init("flags", "0x" + DetailText.hex([data.flags])), .init("counter", "\(data.counter)"),
        .init(
          "environment",
          object.credential.environment?.name ?? "aaguid "
            + DetailText.hex(object.credential.aaguid)
        ),
        .init("credential identifier", DetailText.hex(object.credential.credentialID)),
        .init("public key", object.leafPublicKey.map { Hex.text($0) } ?? "none on P-256"),
        .init("nonce", object.leafNonce?.hex ?? "none"),
        .init("App ID of the leaf", object.leafAppID ?? "none"),
        .init("OS version", inspected.judged.map(\.origin.osVersion).flatMap(some) ?? "none"),
      ]
      inspection.token.append(.init("access control", Self.accessControl(object.leafOrigin)))
      inspection.token += Self.extensions(data.extensions, of: token)
      inspection.certificates =
        Inspection.CertificateFacts.chain(
          object, osVersion: inspected.judged?.origin.osVersion ?? "")
        + Inspection.CertificateFacts.receipt(object.receipt)
    }
    inspection.receipt = inspected.receipt.map(Self.fields) ?? []
    inspection.remarks =
      AttestationRemarks(
        inspector: self, token: token, record: record, inspected: inspected, line: line
      ).list
    inspection.conclude()
    return inspection
  }

  /// Inspects an assertion. `line` is the line that holds it, or empty if there is none.
  package func inspect(
    assertion token: [UInt8], _ record: InspectedRecord, line: [UInt8] = []
  ) -> Inspection {
    var inspection = Inspection(what: "assertion")
    let inspected = AssertionInspection(token: token.span, of: record, apps: verifier.apps)
    inspection.steps = inspected.steps.map(Inspection.Step.init)
    let others = "the key's other requests are not at hand: explain examines them"
    inspection.steps.append(
      Inspection.Step(
        code: "counter.*", apple: "5", title: "the counter is above that of the request before",
        outcome: .notChecked, detail: others, compared: []))
    inspection.steps.append(
      Inspection.Step(
        code: "replay.*", apple: "6", title: "the challenge is one that was issued, unused",
        outcome: .notChecked, detail: others, compared: []))
    if let parts = inspected.parts {
      inspection.token = [
        .init("rpIdHash", parts.assertion.rpIDHash.hex),
        .init("flags", "0x" + DetailText.hex([parts.authenticatorData[32]])),
        .init("counter", "\(parts.assertion.counter)"),
        .init("signature", Hex.text(parts.signature)),
      ]
      inspection.token += Self.extensions(parts.assertion.extensions, of: token)
    }
    inspection.remarks =
      AssertionRemarks(
        inspector: self, token: token, record: record, inspected: inspected, line: line
      ).list
    inspection.conclude()
    return inspection
  }

  /// Inspects a receipt by itself. Returns nil if the bytes are no receipt.
  package func inspect(receipt bytes: [UInt8], at time: Int64?) -> Inspection? {
    guard let receipt = try? Receipt.parse(bytes.span) else { return nil }
    var inspection = Inspection(what: "receipt")
    inspection.receipt = Self.fields(receipt)
    inspection.certificates = Inspection.CertificateFacts.receipt(bytes)
    let when = time ?? receipt.creationTime
    var failure: String?
    if let when, let anchors = try? TrustAnchors(der: settings.configuration.receiptAnchors) {
      failure = receipt.verify(anchors: anchors, at: when)
    }
    inspection.steps = [
      Inspection.Step(
        code: "attestation.receipt_invalid", apple: "", title: "every signer's signature and chain",
        outcome: when == nil ? .notChecked : failure == nil ? .passed : .failed,
        detail: when == nil ? "a time to judge at is missing" : failure ?? "", compared: []),
      Inspection.Step(
        code: "attestation.receipt_invalid", apple: "", title: "the fields fit the attestation",
        outcome: .notChecked, detail: "the attestation is missing", compared: []),
    ]
    inspection.conclude()
    return inspection
  }

  /// Returns what the token says of the app's build.
  private static func extensions(
    _ extensions: AuthenticatorExtensions, of token: [UInt8]
  ) -> [Inspection.Field] {
    var fields = [
      Inspection.Field("category", extensions.text(.category) ?? "none"),
      Inspection.Field("bundle version", extensions.text(.bundleVersion) ?? "none"),
      Inspection.Field(
        "code hash", extensions.text(.codeHash).map { codeHash("signed", $0) } ?? "none signed"),
    ]
    if let unsigned = UnsignedCodeHash(token: token.span) {
      fields.append(
        Inspection.Field("cdHash", codeHash("unsigned, no evidence", unsigned.text)))
    }
    return fields
  }

  /// Returns a code hash with its length and type before it.
  private static func codeHash(_ evidence: String, _ text: String) -> String {
    let parts = text.split(separator: ",", maxSplits: 1)
    guard let hash = parts.first, parts.count > 1 else { return "\(evidence): \(text)" }
    return "\(evidence),\(parts[1]): \(hash)"
  }

  /// Returns the access control of the leaf, and whether it is Apple's.
  private static func accessControl(_ origin: KeyOrigin?) -> String {
    guard let origin, let octets = origin.accessControl else { return "none" }
    let whose =
      origin.hasFullSecurity
      ? "Apple's for System Integrity Protection and Full Security"
      : origin.platform == .macos ? "not Apple's for full security" : "not of a Mac"
    return "\(whose): \(Hex.text(octets))"
  }

  private static func fields(_ receipt: Receipt) -> [Inspection.Field] {
    func time(_ value: Int64?) -> String? { value.map { CivilTime(milliseconds: $0).text } }
    let fields: [(String, String?)] = [
      ("2 App ID", receipt.appID),
      ("3 certificate", receipt.attestedCertificate.map { Digest256.sha256($0.span).hex }),
      ("4 client hash", receipt.clientDataHash.map { DetailText.hex($0) }),
      ("5 token", receipt.token.map { "\($0.count) bytes" }), ("6 type", receipt.type),
      ("7 environment", receipt.environment?.name), ("12 created", time(receipt.creationTime)),
      ("17 risk metric", receipt.riskMetric), ("19 not before", time(receipt.notBefore)),
      ("21 expires", time(receipt.expiry)),
    ]
    return fields.compactMap { name, value in value.map { Inspection.Field(name, $0) } }
  }

  private func some(_ text: String) -> String? { text.isEmpty ? nil : text }
}

extension Reject.Code {
  /// The name of the finding.
  var finding: String {
    switch self {
    case .malformedJSON: "record.malformed_json"
    case .missingField: "record.missing_field"
    case .badEncoding: "record.bad_encoding"
    case .ambiguousField: "record.ambiguous_field"
    }
  }
}
