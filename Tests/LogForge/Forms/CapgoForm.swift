import FindingCodes

/// The Capgo App Attest plugin's log: registrations and assertions of iOS devices beside those of
/// Android, client data as text.
struct CapgoForm: LogForm {
  let traits: FormTraits = [.freshRequests, .platform, .ownFields, .textChallenges]
  let noiseOdds = 12

  func freshData(_ kind: LogRecord.Kind, _ random: inout ForgeRandom) -> ClientData {
    .unique(&random)
  }

  func line(_ record: LogRecord, _ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    line.add("time", text: CalendarTime.rfc3339(record.time))
    line.add("platform", text: "ios")
    line.add("format", text: "apple-app-attest")
    line.add("keyId", ascii: record.spelledKey())
    line.add(
      record.kind == .attestation ? "challenge" : "payload", ascii: record.data.bytes ?? [])
    line.add("token", ascii: record.spelledToken())
    line.add("decision", text: (record.decision ?? .accepted).rawValue)
    return line
  }

  /// Returns a request from an Android device.
  func noise(at time: Int64, _ random: inout ForgeRandom) -> JSONLine {
    var line = JSONLine()
    line.add("time", text: CalendarTime.rfc3339(time))
    line.add("platform", text: "android")
    line.add("format", text: "google-play-integrity-standard")
    line.add("keyId", text: "installation-\(random.below(1_000_000))")
    line.add("payload", text: "synthetic-\(random.below(1_000))")
    line.add("token", text: "eyJhbGciOiJFUzI1NiJ9.c3ludGhldGlj.\(random.below(1_000_000))")
    line.add("decision", text: LogRecord.Decision.accepted.rawValue)
    return line
  }

  var flaws: [RecordFlaw] { FlawTables.capgo }
}
