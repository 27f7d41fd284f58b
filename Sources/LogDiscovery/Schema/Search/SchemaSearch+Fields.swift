/// The fields of a rule: the place of the token, its key, and the signed data.
extension SchemaSearch {
  /// Adds the fields of a role to its rule, and the texts about missing ones.
  func addFields(to rule: inout FoundRule) {
    switch rule.role {
    case .attestation, .assertion: addTokenFields(to: &rule)
    case .challenge:
      guard let (pointer, encoding) = challenges.form else { return }
      rule.fields.append(
        FoundField(
          name: "challenge", form: .pointers([pointer], encoding: encoding.rawValue),
          what: "\(encoding.rawValue), used by other lines", sureness: .certain,
          lines: challenges.lines.count, of: rule.examples.count))
    case .deviceCheckToken:
      guard let deviceTokens else { return }
      rule.fields.append(
        FoundField(
          name: "token", form: .pointers([deviceTokens.pointer]),
          what: "base64, by its name a DeviceCheck token", sureness: .likely,
          lines: deviceTokens.lines.count, of: rule.examples.count))
    }
  }

  private func addTokenFields(to rule: inout FoundRule) {
    guard let own = tokenLines(rule.role) else { return }
    let isAttestation = rule.role == .attestation
    let keys = isAttestation ? tokens.attestationKeys : tokens.assertionKeys
    if keys.pointers.isEmpty {
      if isAttestation || tokens.devices == nil {
        rule.missing.append("keyId: no text of 32 bytes is the identifier of an attested key")
        if tokens.keys.isEmpty, let guess = KeySearch.guess(own.tokens, sample) {
          rule.fields.append(
            FoundField(
              name: "keyId", form: .pointers([guess.pointer]),
              what: "32 bytes, but no attestation here says of which key", sureness: .guess,
              lines: guess.lines, of: own.tokens.count))
        }
      }
    } else {
      rule.fields.append(
        FoundField(
          name: "keyId", form: .pointers(keys.pointers),
          what: isAttestation
            ? "SHA-256 of the attested public key" : "identifiers of attested keys",
          sureness: .certain, lines: keys.matches, of: own.tokens.count))
    }
    if let devices = tokens.devices {
      rule.fields.append(
        FoundField(
          name: "deviceId",
          form: .pointers([isAttestation ? devices.attestation : devices.assertion]),
          what: "names the attestation whose key signed", sureness: .certain,
          lines: tokens.deviceHits, of: tokens.assertionData.examined))
    }
    rule.fields.append(
      FoundField(
        name: "token",
        form: .pointers(own.pointers, encoding: own.encoding == .hex ? "hex" : nil),
        what: "\(own.encoding.rawValue), CBOR "
          + (isAttestation ? "attestation objects" : "assertions"),
        sureness: .certain, lines: own.tokens.count, of: own.tokens.count))
    addData(to: &rule)
    if !isAttestation {
      let counter = first(
        { CounterSearch.find(own.tokens, sample, isClients: $0) },
        among: [{ isClients($0) || isBesideToken($0) }, isClients])
      if let counter { rule.fields.append(counter) }
    }
  }

  private func addData(to rule: inout FoundRule) {
    let search = data(rule.role)
    let forms = search.forms(sample.pointers)
    guard !forms.isEmpty else {
      let isAttestation = rule.role == .attestation
      rule.missing.append(
        (isAttestation ? "challenge" : "clientData")
          + ": no value, and no text put together from values, "
          + (isAttestation ? "makes the nonce of a leaf hold" : "makes a signature hold")
          + (hasParsedBody
            ? "; where bodies stand as parsed objects, the bytes that were signed are lost: have them "
              + "logged as text" : ""))
      return
    }
    if let complaint = lostBytes(rule.role, forms) {
      rule.missing.append(complaint)
      return
    }
    let fields = DataFields(
      forms, role: rule.role, of: search.examined, isRaw: schema.isRaw)
    rule.fields += fields.fields
    rule.missing += fields.left.map { form, hits in
      let place = FieldText(pointers: sample.pointers).place(form)
      return "client data of \(hits) further lines: \(form.what) of \(place)"
    }
  }
}
