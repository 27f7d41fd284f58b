package import AppAttest
internal import AuditEngine
internal import AuditLog
internal import Basics

/// The inspection of records of logs: their fields beside the token, and the faults of these.
extension Inspector {
  func inspect(_ record: DecodedRecord, line: [UInt8]) -> Inspection {
    var known = InspectedRecord(
      keyIdentifier: record.keyID, clientDataHash: record.clientDataHash, appID: record.appID,
      time: record.time)
    known.isLossy = record.isLossy
    if let key = record.keyID { complete(&known, of: key) }
    var inspection: Inspection
    switch record.kind {
    case .attestation: inspection = inspect(attestation: record.token, known, line: line)
    case .assertion: inspection = inspect(assertion: record.token, known, line: line)
    case .challenge: inspection = Inspection(what: "challenge")
    }
    inspection.record = fields(of: record)
    if let remark = Self.recordedHash(record, line) { inspection.remarks.append(remark) }
    inspection.steps.insert(contentsOf: recordSteps(record), at: 0)
    inspection.conclude()
    return inspection
  }

  /// Returns a sentence on what the recorded clientDataHash is of, if not the client data, or nil.
  private static func recordedHash(_ record: DecodedRecord, _ line: [UInt8]) -> String? {
    guard record.isHashMismatch,
      let guess = LineTexts(line).guesses(besides: record.clientDataHash).first(
        where: { $0.hash == record.recordedHash })
    else { return nil }
    return "The recorded clientDataHash is \(guess.words)."
  }

  package func complete(_ known: inout InspectedRecord, of key: Digest256) {
    guard let found = keys[key] else { return }
    known.publicKey = found.publicKey
    known.attestedApp = settings.apps.firstIndex { $0.id == found.appID }
  }

  private func recordSteps(_ record: DecodedRecord) -> [Inspection.Step] {
    var steps: [Inspection.Step] = []
    let hasTags = AppAttestSniffer.hasTags(record.token.span)
    func add(_ code: String, _ title: String, _ failure: String?, missing: String? = nil) {
      steps.append(.init(code, title, failure: failure, missing: missing))
    }
    if let oddities = record.oddJSON {
      add(
        "record.odd_json", "the line is strict JSON",
        "The line was read with tolerance for \(oddities).")
    }
    add(
      "record.odd_encoding", "every decoder reads the token and keys alike",
      record.oddFields.isEmpty && !hasTags
        ? nil : OddEncoding.sentence(fields: record.oddFields, hasTags: hasTags))
    if record.isLossy {
      // The step of the nonce or signature has the outcome.
      add(
        "record.client_data_lossy", "the log has the client data that was signed", nil,
        missing: "the client data contains U+FFFD, where the device may have signed other bytes")
    }
    if let name = record.foreignName {
      add(
        "record.platform_mismatch", "the line names the platform of its token",
        "The record names the platform or format '\(name)', but its token may be App Attest's.")
    }
    add(
      "record.client_data_hash_mismatch", "the recorded hash is that of the client data",
      record.isHashMismatch
        ? "The recorded clientDataHash is \(DetailText.hex(record.recordedHash)), not "
          + "\(DetailText.hex(record.clientDataHash))."
        : nil,
      missing: record.clientData == nil
        ? "the client data is missing"
        : record.recordedHash == nil ? "the line records no hash beside its client data" : nil)
    return steps
  }

  private func fields(of record: DecodedRecord) -> [Inspection.Field] {
    Inspection.Field.present([
      ("kind", record.kind.name + (record.isKindInferred ? " (inferred)" : "")),
      ("time", CivilTime(milliseconds: record.time).text), ("key", record.keyID?.hex),
      ("device", record.deviceID.map { String(decoding: $0, as: UTF8.self) }),
      ("clientDataHash", Hex.text(record.clientDataHash)),
      ("client data", record.clientData.map { DetailText.quoted($0) }), ("app", record.appID),
      ("subject", record.texts[.subject]), ("request", record.texts[.requestID]),
      ("client", record.texts[.clientIP]), ("user agent", record.texts[.userAgent]),
      ("route", record.texts[.route]), ("decision", record.decision.name),
      ("server's counter", record.serverCounter.map { String($0) }),
    ]).filter { !$0.value.isEmpty }
  }
}
