import AuditLog

/// The fields of a rule: the place of the token, its key, and the signed data.
extension SchemaSearch {
  /// Adds the fields of a role to its rule, and the texts about missing ones.
  func addFields(to rule: inout RuleDraft) {
    switch rule.role {
    case .attestation, .assertion: addTokenFields(to: &rule)
    case .challenge:
      guard let (pointer, encoding) = challenges.form else { return }
      rule.notes.append(
        note(
          .challenge, [pointer], encoding: encoding == .utf8 ? nil : encoding,
          "\(encoding.rawValue), used by other lines", on: challenges.lines,
          of: rule.examples.count))
    case .deviceCheckToken:
      guard let deviceTokens else { return }
      rule.notes.append(
        note(
          .token, [deviceTokens.pointer], "base64, by its name a DeviceCheck token",
          .likely, on: deviceTokens.lines.count, of: rule.examples.count))
    }
  }

  private func note(
    _ field: LogField, _ pointers: [Int], encoding: FieldEncoding? = nil, _ what: String,
    _ sureness: Sureness = .certain, on lines: Int, of: Int
  ) -> FieldNote {
    let mapping = FieldMapping(
      .pointers(pointers.map(sample.pointers.pointer)), encoding: encoding)
    return FieldNote(field, mapping, what, sureness, on: lines, of: of)
  }

  private func addTokenFields(to rule: inout RuleDraft) {
    guard let kind = tokens[rule.role] else { return }
    let own = kind.lines
    let count = own.tokens.count
    let isAttestation = rule.role == .attestation
    let keys = kind.keys
    if !keys.pointers.isEmpty {
      rule.notes.append(
        note(
          .keyId, keys.pointers,
          isAttestation ? "SHA-256 of the attested public key" : "identifiers of attested keys",
          on: keys.matches, of: count))
    } else if isAttestation || tokens.devices == nil {
      rule.missing.append("keyId: no text of 32 bytes is the identifier of an attested key")
      if tokens.keys.isEmpty, let guess = KeySearch.guess(own.tokens, sample) {
        rule.notes.append(
          note(
            .keyId, [guess.pointer],
            "32 bytes, but no attestation here says of which key; "
              + "--keys FILE names the keys", .guess, on: guess.count, of: count))
      }
    }
    if let devices = tokens.devices {
      rule.notes.append(
        note(
          .deviceId, [isAttestation ? devices.attestation : devices.assertion],
          "names the attestation whose key signed", on: tokens.deviceHits,
          of: tokens.assertions.data.examined))
    }
    rule.notes.append(
      note(
        .token, own.pointers, encoding: own.form == .hex ? .hex : nil,
        "\(own.form.rawValue), CBOR " + (isAttestation ? "attestation objects" : "assertions"),
        on: count, of: count))
    addData(kind.data, to: &rule)
    if !isAttestation {
      rule.notes += first(
        {
          IdentifierSearch.serverCounter(own.tokens, sample, isClients: $0).map { [warned($0)] }
            ?? []
        },
        among: [isClientsOrBeside, isClients])
    }
  }

  private func addData(_ search: DataSearch, to rule: inout RuleDraft) {
    let forms = search.forms(sample.pointers)
    guard !forms.isEmpty else {
      let isAttestation = rule.role == .attestation
      if let complaint = pythonBytes {
        rule.missing.append(complaint)
        return
      }
      rule.missing.append(
        (isAttestation ? "challenge" : "clientData")
          + ": no value, and no text put together from values, "
          + (isAttestation ? "makes the nonce of a leaf valid" : "makes a signature valid")
          + (hasParsedBody
            ? "; if bodies are logged as parsed objects, the bytes that were signed are lost: have "
              + "them logged as text" : ""))
      return
    }
    if let complaint = lostBytes(search, forms) {
      rule.missing.append(complaint)
      return
    }
    let fields = DataFields(
      forms, role: rule.role, of: search.examined, isRaw: draft.formation == .raw, sample.pointers)
    rule.notes += fields.fields
    rule.missing += fields.left
  }
}
