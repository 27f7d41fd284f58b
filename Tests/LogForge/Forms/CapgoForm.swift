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

  var flaws: [RecordFlaw] {
    RecordFlaw.absent("time", .assertion, wrongType: "true")
      + RecordFlaw.absent("keyId", .assertion, wrongType: #"["a"]"#)
      + RecordFlaw.absent("keyId", .attestation, wrongType: "{}")
      + RecordFlaw.absent("token", .assertion, wrongType: "17")
      // A request body that lost its token issues no challenge.
      + RecordFlaw.absent("token", .attestation, wrongType: "[]")
      + encodings
      + RecordFlaw.twice("time", .assertion, raw: #""2026-03-01T00:00:00.000Z""#)
      + RecordFlaw.twice("keyId", .assertion, raw: RecordFlaw.otherKeyID)
      + RecordFlaw.twice("token", .assertion, raw: #""AA==""#)
      + RecordFlaw.twice("payload", .assertion, raw: #""what the first parser sees""#)
      + RecordFlaw.twice("challenge", .attestation, raw: #""what the first parser sees""#)
      + RecordFlaw.twice("platform", .assertion, raw: #""android""#)
      + RecordFlaw.twice("decision", .assertion, raw: #""rejected""#)
      + [
        RecordFlaw(.recordAmbiguousField, .assertion) {
          $0.precede("payload", as: "challenge", raw: #""which of the two was signed?""#)
        }
      ]
  }

  private var encodings: [RecordFlaw] {
    [
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("keyId", raw: RecordFlaw.shortKeyID) },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("keyId", raw: #""""#) },
      RecordFlaw(.recordBadEncoding, .attestation) { $0.set("token", raw: RecordFlaw.noBase64) },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("time", raw: #""yesterday""#) },
      RecordFlaw(.recordBadEncoding, .assertion) {
        $0.set("time", raw: #""2026-02-30T10:11:12.000Z""#)
      },
      RecordFlaw(.recordBadEncoding, .assertion) { $0.set("decision", raw: #""maybe""#) },
    ]
  }
}
