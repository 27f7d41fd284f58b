package import AppAttest
package import AuditEngine
internal import AuditLog
package import AuditSettings
internal import Basics
internal import OpenSSL

/// An inspector of tokens, lines and records, with the checks of the audit.
package struct Inspector: Sendable {
  let settings: AuditConfiguration
  let verifier: AttestationVerifier
  /// Keys by their identifiers, from valid attestations and lists of known keys.
  package var keys: [Digest256: KnownKey]
  /// The known facts about a key as a clause, `attested for … `, or nil if none are known.
  package var knowledge: @Sendable (Digest256) -> String? = { _ in nil }

  package init(_ settings: AuditConfiguration) throws(CommandError) {
    self.settings = settings
    verifier = try settings.attestationVerifier()
    keys = Dictionary(settings.knownKeys.map { ($0.keyID, $0) }) { $1 }
  }

  // MARK: Lines

  /// Inspects each record of a line of a log. Damage may have cut the line.
  package func inspect(line: FoundLine) -> [Inspection] {
    var inspections = inspect(
      line: line.bytes, isCut: line.state == .cut, isOverlong: line.state == .overlong)
    for index in inspections.indices {
      let item = inspections.count > 1 ? ", record \(index + 1) of \(inspections.count)" : ""
      inspections[index].place = "\(line.source):\(line.number)\(item)"
    }
    return inspections
  }

  func findsToken(in line: FoundLine) -> Bool {
    let reader = RecordReader(
      schema: settings.schema, isAppAttestObject: AppAttestSniffer.isAppAttestObject,
      tokenLength: AppAttestSniffer.tokenFront)
    let padded = line.bytes + [UInt8](repeating: 0, count: LineBatch.padding)
    return unsafe padded.withUnsafeBufferPointer { bytes in
      unsafe reader.findsToken(in: UnsafeBufferPointer(rebasing: bytes[..<line.bytes.count]))
    }
  }

  /// Inspects each record of a line of a log, without its end.
  package func inspect(
    line: [UInt8], isCut: Bool = false, isOverlong: Bool = false
  ) -> [Inspection] {
    if isCut || isOverlong {
      return [
        unreadable(
          "record.malformed_json",
          isCut
            ? "Damage in the stream cuts the line." : "The line is longer than limits.lineBytes.")
      ]
    }
    if line.allSatisfy({ $0 <= 0x20 }) {
      return [Inspection(what: "blank line", verdict: "A blank line: there is nothing to check.")]
    }
    return LineDecoder(schema: settings.schema).decodeAll(line).map { inspect($0, of: line) }
  }

  private func inspect(_ item: DecodedLine, of line: [UInt8]) -> Inspection {
    switch item {
    case .record(let record): return inspect(record, line: line)
    case .reject(let reject): return unreadable(reject.code.name, reject.reason)
    case .deviceCheckToken:
      return Inspection(
        what: "DeviceCheck token",
        verdict: "A DeviceCheck token: nothing of it can be verified offline.")
    case .skipped(let reason, let holdsToken):
      var inspection = Inspection(what: "skipped")
      inspection.steps = [
        .init(
          "record.not_audited", "lines that the schema skips contain no tokens",
          failure: holdsToken ? reason.text : nil)
      ]
      inspection.conclude()
      inspection.remarks.append(
        holdsToken
          ? "It would be audited if a rule of the schema \(settings.schema.name) "
            + "fitted the line: attest-audit init looks for one."
          : reason.text)
      return inspection
    }
  }

  private func unreadable(_ code: String, _ reason: String) -> Inspection {
    var inspection = Inspection(what: "unreadable")
    inspection.steps = [.init(code, "the line is a record", failure: reason)]
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
      let osVersion = inspected.judged?.origin.osVersion ?? ""
      inspection.token = [
        .init("format", object.format), .init("rpIdHash", data.rpIDHash.hex),
        .init("flags", "0x" + DetailText.hex([data.flags])), .init("counter", "\(data.counter)"),
        .init(
          "environment",
          object.credential.environment?.name ?? "aaguid "
            + DetailText.hex(object.credential.aaguid)),
        .init("credential identifier", DetailText.hex(object.credential.credentialID)),
        .init("public key", object.leafPublicKey.map { Hex.text($0) } ?? "none on P-256"),
        .init("nonce", object.leafNonce?.hex ?? "none"),
        .init("App ID of the leaf", object.leafAppID ?? "none"),
        .init("OS version", osVersion.isEmpty ? "none" : osVersion),
        .init("access control", Self.accessControl(object.leafOrigin)),
      ]
      inspection.token += Self.extensions(data.extensions, of: token)
      inspection.certificates =
        Inspection.CertificateFacts.chain(object, osVersion: osVersion)
        + Inspection.CertificateFacts.receipt(object.receipt)
    }
    inspection.receipt = inspected.receipt.map(Self.fields) ?? []
    var remarks = TokenRemarks(self, record, line: line)
    remarks.add(inspected)
    (inspection.remarks, inspection.signedText) = (remarks.list, remarks.signedText)
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
    inspection.steps += [
      .init(
        "counter.*", apple: "5", "the counter is above that of the request before", missing: others),
      .init(
        "replay.*", apple: "6", "the challenge is one that was issued, unused", missing: others),
    ]
    if let parts = inspected.parts {
      inspection.token = [
        .init("rpIdHash", parts.assertion.rpIDHash.hex),
        .init("flags", "0x" + DetailText.hex([parts.authenticatorData[32]])),
        .init("counter", "\(parts.assertion.counter)"),
        .init("signature", Hex.text(parts.signature)),
      ]
      inspection.token += Self.extensions(parts.assertion.extensions, of: token)
    }
    var remarks = TokenRemarks(self, record, line: line)
    remarks.add(inspected)
    (inspection.remarks, inspection.signedText) = (remarks.list, remarks.signedText)
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
    if let when, let anchors = try? TrustAnchors(der: settings.receiptAnchors) {
      failure = receipt.verify(anchors: anchors, at: when)
    }
    let code = "attestation.receipt_invalid"
    inspection.steps = [
      .init(
        code, "every signer's signature and chain", failure: failure,
        missing: when == nil ? "a time to judge at is missing" : nil),
      .init(code, "the fields fit the attestation", missing: "the attestation is missing"),
    ]
    inspection.conclude()
    return inspection
  }

  private static func extensions(
    _ extensions: AuthenticatorExtensions, of token: [UInt8]
  ) -> [Inspection.Field] {
    let fields: [(String, String?)] = [
      ("category", extensions.text(.category) ?? "none"),
      ("bundle version", extensions.text(.bundleVersion) ?? "none"),
      ("code hash", extensions.text(.codeHash).map { codeHash("signed", $0) } ?? "none signed"),
      (
        "cdHash",
        UnsignedCodeHash(token: token.span).map { codeHash("unsigned, no evidence", $0.text) }
      ),
    ]
    return Inspection.Field.present(fields)
  }

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
    return Inspection.Field.present(fields)
  }
}

extension AuditConfiguration {
  func attestationVerifier() throws(CommandError) -> AttestationVerifier {
    do throws(TrustAnchorError) {
      return try AttestationVerifier(
        apps: ConfiguredApps(apps), trustAnchors: trustAnchors, receiptAnchors: receiptAnchors,
        receipts: receipts, macOSAccessControl: macOSAccessControl,
        attestationMaxAge: attestationMaxAge, caching: false)
    } catch {
      throw CommandError(.invalidFile, error.context)
    }
  }
}
