import FindingCodes
internal import Minting

/// A stage for one attack: its own devices, its own hours, and the lines that it leaves behind,
/// each with the findings that an audit must report there.
struct AttackScene: ~Copyable {
  let options: ForgeOptions
  let form: any LogForm
  let authority: SyntheticAuthority
  let tools: SigningTools
  /// The number of the scene. It differs from that of any other scene.
  let number: UInt64
  var random: ForgeRandom
  /// The time at which the scene begins: between two and eighteen hours into the day.
  let start: Int64
  var lines: [ForgedLine] = []
  var knownKeys: [KnownKeyRow] = []
  var damagedFiles: [DamagedFile] = []
  var expected: [ExpectedInput] = []
  private var devices: UInt64 = 0
  /// Key identifier, counter and clientDataHash of every signed request.
  private var signed: Set<[UInt8]> = []

  init(options: ForgeOptions, authority: SyntheticAuthority, number: UInt64) {
    self.options = options
    form = options.form
    self.authority = authority
    self.number = number
    tools = SigningTools()
    random = ForgeRandom(options.seed, 0x5CE, number)
    start = TrafficPlan.dayStart + random.within(7_200_000...64_800_000)
  }

  /// Codes after which a rejected record still counts as valid.
  private static let harmless: Set<FindingCode> = [
    .counterGap, .counterReordered, .recordDuplicate, .replayRetry, .challengeWeak,
  ]

  /// Returns a device that nobody else has.
  mutating func device(app: SyntheticApp? = nil, system: System? = nil) -> Device {
    devices += 1
    let stream = 1 << 40 | number << 8 | devices
    let key = KeyTable.deviceKey(seed: options.seed, stream: stream, tools)
    var device = Device(seed: options.seed, stream: stream, key)
    if let app, app != device.app {
      device.app = app
      device.isDevelopment = false
      device.category = app.categories.last ?? 4
      device.bundleVersion = app.bundleVersions.first ?? "1.0"
      device.update = nil
    }
    if let system { device.system = system }
    return device
  }

  /// Returns a device with a valid attestation at the start of the scene.
  mutating func enrolled() -> Device {
    let device = device()
    attest(device, at: start)
    return device
  }

  /// Returns client data of an honest event.
  mutating func freshData(_ kind: LogRecord.Kind) -> ClientData { form.freshData(kind, &random) }

  /// Returns client data of an honest request, but not `data`.
  mutating func data(unlike data: ClientData) -> ClientData {
    var other = freshData(.assertion)
    while other.hash == data.hash { other = freshData(.assertion) }
    return other
  }

  /// Returns client data that `device` has not signed at `counter`. Signatures are deterministic,
  /// so that it would be the same assertion again.
  private mutating func unsignedData(by device: Device, counter: UInt32) -> ClientData {
    var data: ClientData
    repeat {
      data = freshData(.assertion)
    } while !signed.insert(device.id + CBORWriter.bigEndian(UInt64(counter), 4) + data.hash)
      .inserted
    return data
  }

  /// Logs that the challenge `data` was issued at `time` for an event of this kind, if the day logs
  /// such challenges.
  mutating func issue(
    _ data: ClientData, for kind: LogRecord.Kind, at time: Int64, finds: [FindingCode] = []
  ) {
    guard options.writesChallenges(for: kind) else { return }
    var challenge = LogRecord(kind: .challenge, time: time, data: data)
    challenge.route = .any(random)
    append(challenge, finds: finds)
  }

  /// Logs an attestation of `device` at `time`, and first its challenge.
  mutating func attest(
    _ device: Device, at time: Int64, finds: [FindingCode] = [],
    recipe edit: (inout AttestationRecipe) -> Void = { _ in },
    token: (AttestationParts) -> [UInt8] = { $0.token }
  ) {
    let record = attestation(
      of: device, at: time, finds: finds, recipe: edit, token: token)
    append(record, finds: finds)
  }

  /// Returns the record of an attestation, with its challenge issued unless it is not `issued`.
  mutating func attestation(
    of device: Device, at time: Int64, data: ClientData? = nil, issued: Bool = true,
    finds: [FindingCode] = [], recipe edit: (inout AttestationRecipe) -> Void = { _ in },
    token: (AttestationParts) -> [UInt8] = { $0.token }
  ) -> LogRecord {
    let data = data ?? freshData(.attestation)
    if issued { issue(data, for: .attestation, at: time - random.within(500...60_000)) }
    var recipe = device.attestation(
      at: time, clientDataHash: data.hash, authority: authority, &random)
    edit(&recipe)
    let parts = AttestationMint.mint(recipe, tools)
    return record(.attestation, token(parts), of: device, at: time, data: data, finds)
  }

  /// Returns a record of an honest assertion of `device`, with its challenge issued.
  mutating func assertion(
    of device: Device, at time: Int64, counter: UInt32, data: ClientData? = nil,
    token: (Assertion) -> [UInt8] = { $0.token }
  ) -> LogRecord {
    let data = data ?? unsignedData(by: device, counter: counter)
    issue(data, for: .assertion, at: time - random.within(500...60_000))
    let assertion = device.assertion(
      counter: counter, clientDataHash: data.hash, &random, tools)
    return record(.assertion, token(assertion), of: device, at: time, data: data, [])
  }

  private mutating func record(
    _ kind: LogRecord.Kind, _ token: [UInt8], of device: Device, at time: Int64,
    data: ClientData, _ finds: [FindingCode]
  ) -> LogRecord {
    var record = LogRecord(kind: kind, time: time, keyID: device.id, token: token, data: data)
    dress(&record, of: device, finds)
    return record
  }

  /// Logs an assertion of `device` at `time`, and first its challenge unless it is not `issued`.
  @discardableResult
  mutating func assert(
    _ device: Device, at time: Int64, counter: UInt32, data: ClientData? = nil,
    issued: Bool = true, finds: [FindingCode] = [],
    token: (Assertion) -> [UInt8] = { $0.token },
    record editRecord: (inout LogRecord) -> Void = { _ in }
  ) -> LogRecord {
    let data = data ?? unsignedData(by: device, counter: counter)
    let assertion = device.assertion(
      counter: counter, clientDataHash: data.hash, &random, tools)
    return log(
      token(assertion), of: device, at: time, data: data, issued: issued, finds: finds,
      record: editRecord)
  }

  /// Logs `token` as an assertion of `device` at `time`.
  @discardableResult
  mutating func log(
    _ token: [UInt8], of device: Device, at time: Int64, data: ClientData, issued: Bool = true,
    finds: [FindingCode], record editRecord: (inout LogRecord) -> Void = { _ in }
  ) -> LogRecord {
    if issued { issue(data, for: .assertion, at: time - random.within(500...60_000)) }
    var record = record(.assertion, token, of: device, at: time, data: data, finds)
    editRecord(&record)
    append(record, finds: finds)
    return record
  }

  /// Logs `record` in a spelling of its own.
  mutating func append(_ record: LogRecord, finds: [FindingCode], server: Int? = nil) {
    append(line(record), at: record.time, finds: finds, server: server)
  }

  /// Returns the fields of `record` in a spelling of its own.
  mutating func line(_ record: LogRecord) -> JSONLine {
    var record = record
    options.prepare(&record)
    return form.line(record, &random)
  }

  /// Logs a line with a token that no rule reads. `shape` is unlike that of other lines unless the
  /// line's route or names decide.
  mutating func appendStray(
    _ line: JSONLine, at time: Int64, shape: [UInt8]? = nil, server: Int? = nil
  ) {
    lines.append(
      ForgedLine(
        time: time, server: server ?? random.below(2), bytes: line.bytes(),
        findings: [.recordNotAudited], shape: shape ?? form.shape(of: line)))
  }

  /// Logs a line in a spelling of its own.
  mutating func append(_ line: JSONLine, at time: Int64, finds: [FindingCode], server: Int? = nil) {
    append(form.spelled(line, &random), at: time, finds: finds, server: server)
  }

  /// Logs a line unchanged. `shape` is that of a line that is not audited.
  mutating func append(
    _ bytes: [UInt8], at time: Int64, finds: [FindingCode], shape: [UInt8] = [],
    server: Int? = nil
  ) {
    lines.append(
      ForgedLine(
        time: time, server: server ?? random.below(2), bytes: bytes, findings: finds,
        shape: shape))
  }

  /// Adds to a record of `device` the facts that an honest server adds. If a finding above a note
  /// is expected, the server may have rejected the request.
  private mutating func dress(
    _ record: inout LogRecord, of device: Device, _ finds: [FindingCode]
  ) {
    TrafficRenderer.dress(&record, of: device, &random)
    record.showsData = record.data.bytes != nil
    if !Self.harmless.isSuperset(of: finds) && random.once(in: 3) { record.decision = .rejected }
  }
}

/// An entry of `expect:` in the pipeline file.
struct ExpectedInput: Sendable {
  var inputs: String
  /// The least number of lines.
  var lines: Int
  /// Whether fewer lines arrive.
  var isMissing: Bool
}

/// A row of `known-keys.csv`.
struct KnownKeyRow: Sendable {
  var device: Device
  /// The time of the attestation, in milliseconds since 1970.
  var attestedAt: Int64?
  var lastCounter: UInt32?

  /// Whether the row names the device that has the key.
  var namesDevice = false

  static let header = "keyId,publicKey,appId,environment,attestedAt,lastCounter,subject,deviceId"

  /// The public key in one of the forms of databases (`records.R57`, `R90`).
  private var publicKey: String {
    func text(_ code: TextCode, _ bytes: [UInt8]) -> String {
      String(decoding: code.encode(bytes), as: UTF8.self)
    }
    let point = device.point
    let spki = CertificateMint.publicKeyInfo(device.point, .p256)
    switch device.stream % 7 {
    case 1: return text(.hex, point)
    case 2: return text(.base64, spki)
    case 3:
      return #""-----BEGIN PUBLIC KEY-----\n"# + text(.base64, spki)
        + #"\n-----END PUBLIC KEY-----\n""#
    case 4: return text(.base64, AttestationMint.coseKey(point, algorithm: -7))
    case 5: return text(.base64, Array(point.dropFirst()))
    case 6:
      let (x, y) = (Array(point[1..<33]), Array(point[33...]))
      return #""{""kty"":""EC"",""crv"":""P-256"",""x"":""\#(text(.base64URL, x))"","#
        + #"""y"":""\#(text(.base64URL, y))""}""#
    default: return text(.base64, point)
    }
  }

  /// The row as CSV (RFC 4180).
  var csv: String {
    let key = String(decoding: TextCode.base64.encode(device.id), as: UTF8.self)
    let point = publicKey
    let attested = attestedAt.map { CalendarTime.rfc3339($0) } ?? ""
    let counter = lastCounter.map { String($0) } ?? ""
    let environment = device.isDevelopment ? "development" : "production"
    return "\(key),\(point),\(device.app.id),\(environment),\(attested),\(counter),,"
      + (namesDevice ? device.deviceID : "")
  }
}
