import FindingCodes

extension TemplateForm {
  /// The Capgo App Attest plugin's log: registrations and assertions of iOS devices beside those of
  /// Android, client data as text.
  static let capgo = TemplateForm(
    "capgo", traits: [.freshRequests, .platform, .ownFields, .textChallenges], noiseOdds: 12,
    data: { .unique(&$1) })

  /// A gateway's access log with headers and bodies. The attestation is in a body of its own route.
  /// The assertion is in a header of the requests that it protects, and signs their body.
  static let deviceIntegrity = TemplateForm(
    "deviceIntegrity", traits: [.requestID, .ownFields, .statuses], noiseOdds: 10,
    routeField: "path",
    data: { kind, random in
      // A challenge of any bytes, or a body that may well come again, or none.
      guard kind == .assertion else {
        return ClientData(bytes: random.bytes(16 + random.below(33)))
      }
      if random.once(in: 8) { return ClientData(text: "") }
      let amount = 1 + random.below(30)
      return ClientData(
        text: random.pick([
          #"{"amount":\#(amount),"to":"account-\#(random.below(9))"}"#,
          #"{"amount":\#(amount),"to":"Zoë \"Z\" Ödön","note":"\#u{1F9EA}"}"#,
          "{\n  \"amount\": \(amount)\n}\n",
          #"{"amount":\#(amount),"amount":\#(amount)}"#,
        ]))
    })

  /// The log of a small app's backend: challenges issued to sessions, attestations under the name of
  /// receipts, and requests that sign their method and path.
  static let swiftUI = TemplateForm(
    "swiftUI", traits: [.subject, .challengeRecords, .ownFields, .statuses, .textChallenges],
    noiseOdds: 10,
    routeField: "path",
    data: { kind, random in
      // A challenge, or a method and a path that may well come again.
      guard kind == .assertion else { return .unique(&random) }
      let note = random.below(40)
      return ClientData(
        text: random.pick([
          "GET /api/notes/\(note)", "GET /api/notes/\(note)", "DELETE /api/notes/\(note)",
          "POST /api/notes", "GET /api/notes?q=a%20b&page=\(note)", "PUT /api/notes/Zoë \(note)",
        ]))
    })

  /// A server's event log in which a request names its device, and only the attestation gives the key
  /// of the device.
  static let headerAssertion = TemplateForm(
    "headerAssertion", traits: [.deviceJoin, .serverCounter, .ownFields, .textChallenges],
    noiseOdds: 12,
    data: { kind, random in
      // A challenge, or a body that may well come again.
      guard kind == .assertion else { return .unique(&random) }
      let item = random.below(30)
      return ClientData(
        text: random.pick([
          #"{"item":\#(item)}"#, #"{"item":\#(item),"name":"Ödön \"Ö\" \#u{1F9EA}"}"#,
          "item=\(item)&confirm=yes", "", "line \(item)\r\nline\t\u{0}",
        ]))
    })
}
