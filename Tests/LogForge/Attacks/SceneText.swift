import FindingCodes
internal import Minting

/// A scene as text: what devices do, step by step, and what an audit finds at each step. Steps are separated by
/// semicolons. Times are in seconds after the beginning of the scene.
///
///     device a | enrol a | import a   a device; one that attests at 0; one of the list of known keys, at counter 50;
///                                     each with an app and a system, if these are named
///     key b a                         a further key on the device of a
///     list b [0]                      the key is in the list of known keys, attested at 0 or long ago
///     fresh x | weak x 15 | bare x    client data of an honest request; of 15 characters; only a hash
///     noise [16] | point | alias a    random bytes for `noise`; the key of another device for it; another key identifier
///     tag | chain 2 | signer expired  a tag for subjects; a foreign chain; a signer of receipts
///     issue x 10 [attestation]        the challenge is issued
///     attest a 0 …                    an attestation of a
///     a 60 1 …                        an assertion of a, with its counter
///     signed a 60 1 …                 one of `build=` or `rp=`, `by=b`, `over` other data, with a nonce hashed `once`, or
///                                     with the authenticator data of the last one `again`; braces change its parts
///     perhaps a 60 1 …                one that chance decides on
///     again 20 | copy 20 | same 20 | retry 20 …
///                                     the last request once more, later: with an identifier and a decision of its own;
///                                     with its own identifier; with neither; with its challenge issued again
///     line                            the last line once more
///
/// After that come words: `accepted`, `rejected`, `subject=owner` (`subject=` for none), `data=x`, `unissued`,
/// `stored=3` (`<3` if it was accepted, too; `<` for none), `nonce`, `chain`, `longer`, `forged`, `stripped`,
/// `malformed=3`, `tags=C1`, `hex=0x` (a token with tags, or in hex after a mark), `app=bank`, `build=7.1:3:cut`
/// (version, category, code hash), `id=x` (a request identifier), `server=1`, and in braces ``Edits``, with `&` between
/// them. A word after `!` is the code of a finding, one after `|` of a log that names devices only.
struct SceneText: Sendable {
  /// One step: its words, and its codes.
  private struct Step: Sendable {
    var words: [Substring]
    var edits = Edits("")
    private var finds: [[FindingCode]]

    /// Returns the codes that are found in a log.
    func finds(in form: any LogForm) -> [FindingCode] {
      form.traits.contains(.deviceJoin) ? finds[finds.count - 1] : finds[0]
    }

    init(_ text: Substring) {
      var text = text
      if let start = text.firstIndex(of: "{"), let end = text.lastIndex(of: "}") {
        edits = Edits(text[start..<end].dropFirst().replacing(" & ", with: "; "))
        text.removeSubrange(start...end)
      }
      let parts = text.split(separator: "!", maxSplits: 1)
      words = parts[0].split(separator: " ")
      let logs = (parts.count > 1 ? parts[1] : "").split(
        separator: "|", omittingEmptySubsequences: false)
      finds = logs.map { $0.split(separator: " ").map(SceneText.code) }
    }
  }

  private var steps: [Step]
  /// Whether each assertion has the counter that the server had stored.
  private var counts: Bool

  private static func code(_ name: Substring) -> FindingCode {
    guard let code = FindingCode.allCases.first(where: { $0.name == name }) else {
      preconditionFailure("no such code: \(name)")
    }
    return code
  }

  /// Returns the attacks of a table in `Data`. A line of it without indentation is the code of an attack and what a log has
  /// to contain; each line below it is a variant, which may begin with what it needs, in brackets.
  static func attacks(_ table: String) -> [Attack] {
    var attacks: [Attack] = []
    var head: [Substring] = []
    var variants: [(needs: FormTraits, scene: SceneText)] = []
    func end() {
      guard let code = head.first.map(code) else { return }
      let scenes = variants.map(\.scene)
      attacks.append(
        Attack(
          code: code, variants: scenes.count, needs: traits(head.dropFirst()),
          variantNeeds: Dictionary(
            uniqueKeysWithValues: variants.enumerated().map { ($0.offset, $0.element.needs) }),
          play: { (scene, variant) throws(MintingError) in try scenes[variant].play(&scene) }))
      variants = []
    }
    for line in DataTable.section(table, of: PackageResources.scenes_txt) {
      guard line.hasPrefix(" ") else {
        end()
        head = line.split(separator: " ")
        continue
      }
      var text = line.drop { $0 == " " }
      var needs: FormTraits = []
      if text.hasPrefix("["), let close = text.firstIndex(of: "]") {
        needs = traits(text[..<close].dropFirst().split(separator: " ")[...])
        text = text[text.index(after: close)...]
      }
      let steps = text.split(separator: ";").map(Step.init)
      variants.append((needs, SceneText(steps: steps, counts: head.contains("counts"))))
    }
    end()
    return attacks
  }

  private static func traits(_ names: ArraySlice<Substring>) -> FormTraits {
    let all: [Substring: FormTraits] = [
      "subject": .subject, "challengeRecords": .challengeRecords, "freshRequests": .freshRequests,
      "deviceJoin": .deviceJoin, "serverCounter": .serverCounter, "appID": .appID,
      "requestID": .requestID, "counts": [],
    ]
    return names.reduce(into: []) { traits, name in
      guard let trait = all[name] else { preconditionFailure("no such trait: \(name)") }
      traits.formUnion(trait)
    }
  }

  /// Returns seconds as milliseconds.
  private static func time(_ text: Substring) -> Int64 {
    let parts = text.split(separator: ".")
    let fraction =
      parts.count > 1 ? parts[1] + String(repeating: "0", count: 3 - parts[1].count) : "000"
    guard let time = Int64(parts[0] + fraction) else { preconditionFailure("no time: \(text)") }
    return time
  }

  /// The people and things of a scene.
  private struct Cast {
    var devices: [Substring: Device] = [:]
    var data: [Substring: ClientData] = [:]
    var noise: [UInt8] = []
    var tag = ""
    var chain: ForeignChain?
    var signer: Certified?
    /// The key identifier of a device before it took another one.
    var honestID: [UInt8] = []
    var last: LogRecord?
    var assertion: Assertion?
    /// For the maps of attestations that name a code hash.
    var dice: ForgeRandom?
    /// The highest counter before the assertions, and each of them by time.
    var stored: UInt32 = 0

    func device(_ name: Substring) -> Device {
      guard let device = devices[name] else { preconditionFailure("no such device: \(name)") }
      return device
    }
  }

  func play(_ scene: inout AttackScene) throws(MintingError) {
    var cast = Cast()
    for step in steps { try play(step, &cast, &scene) }
  }

  private func play(_ step: Step, _ cast: inout Cast, _ scene: inout AttackScene)
    throws(MintingError)
  {
    let words = step.words
    let name = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "device", "enrol", "import":
      var device = try scene.device(
        app: Self.app(in: words), system: words.lazy.compactMap { System.named[String($0)] }.first)
      if words.contains("nobody") { device.subject = nil }
      cast.devices[name] = device
      if words[0] == "enrol" { try scene.attest(device, at: scene.start) }
      if words[0] == "import" {
        scene.list(device, attestedAt: nil)
        cast.stored = AttackCatalog.importedCounter
      }
    case "key":
      let owner = cast.device(words[2])
      var device = try scene.device(app: owner.app)
      device.deviceID = owner.deviceID
      cast.devices[name] = device
    case "list":
      scene.list(
        cast.device(name),
        attestedAt: words.count > 2 ? scene.start + Self.time(words[2]) : nil)
    case "fresh":
      cast.data[name] = scene.freshData(words.contains("attestation") ? .attestation : .assertion)
    case "weak":
      let text = TextCode.base64URL.encode(scene.random.bytes(Int(words[2]) ?? 0))
      cast.data[name] = ClientData(bytes: Array(text.prefix(Int(words[2]) ?? 0)))
    case "bare": cast.data[name] = ClientData(opaqueHash: scene.random.bytes(24))
    case "noise": cast.noise = scene.random.bytes(Int(name) ?? 32)
    case "point": cast.noise = try scene.device().point
    case "alias":
      cast.honestID = cast.device(name).id
      cast.devices[name]?.id = scene.random.bytes(32)
    case "signer": cast.signer = try AttackCatalog.signer(String(name), &scene)
    case "tag": cast.tag = "-\(scene.random.below(1_000_000_000))"
    case "chain":
      cast.chain = try ForeignChains.chain(
        Int(name) ?? 9, at: scene.start, scene.authority, &scene.random, scene.tools)
    case "issue":
      guard let data = cast.data[name] else { preconditionFailure("no such data: \(name)") }
      scene.issue(
        data, for: words.contains("attestation") ? .attestation : .assertion,
        at: scene.start + Self.time(words[2]), finds: step.finds(in: scene.form))
    case "again", "copy", "same", "retry": repeatLast(step, cast, &scene)
    case "line":
      guard let line = scene.lines.last else { preconditionFailure("no line to repeat") }
      scene.append(
        line.bytes, at: line.time, finds: step.finds(in: scene.form), server: line.server)
    case "attest":
      cast.last = try attest(step, &cast, &scene)
    case "signed": try sign(step, cast, &scene)
    case "perhaps":
      guard scene.random.once(in: 2) else { return }
      var step = step
      step.words.removeFirst()
      cast.last = try assert(step, &cast, &scene)
    default:
      cast.last = try assert(step, &cast, &scene)
    }
    if let server = Self.server(words) { scene.lines[scene.lines.count - 1].server = server }
  }

  private func repeatLast(_ step: Step, _ cast: Cast, _ scene: inout AttackScene) {
    guard let last = cast.last else { preconditionFailure("nothing to repeat") }
    let delay = Self.time(step.words[1])
    var record = last
    if ["same", "copy"].contains(step.words[0]) {
      record.time += delay
      if step.words[0] == "copy" { record.requestID = TrafficRenderer.requestID(&scene.random) }
    } else {
      record = AttackCatalog.again(last, after: delay, &scene.random)
    }
    if step.words[0] == "retry" {
      record.subject = nil
      scene.issue(last.data, for: last.kind, at: record.time - 1_000)
    }
    change(&record, step.words, cast)
    scene.append(record, finds: step.finds(in: scene.form), server: Self.server(step.words))
  }

  private func attest(_ step: Step, _ cast: inout Cast, _ scene: inout AttackScene)
    throws(MintingError) -> LogRecord
  {
    let words = step.words
    var dice = cast.dice ?? scene.random
    defer { if Self.value("build", words)?.split(separator: ":").count == 3 { cast.dice = dice } }
    let cast = cast
    let device = cast.device(words[1])
    let start = scene.start
    let names: [Substring: [UInt8]] = [
      "noise": cast.noise, "honestID": cast.honestID,
      "intermediate": scene.authority.intermediate.certificate,
      "otherEnvironment": Array((device.isDevelopment ? "production" : "sandbox").utf8),
    ]
    return try scene.attest(
      device, at: start + Self.time(words[2]), data: data(words, cast, scene),
      issued: !words.contains("unissued"), finds: step.finds(in: scene.form),
      recipe: {
        if words.contains("nonce") { $0.nonce = .other(cast.noise) }
        if words.contains("chain"), let chain = cast.chain { $0.use(chain) }
        if let signer = cast.signer { $0.receipt.signer = signer }
        if let map = Self.build(words, of: device, &dice) { $0.extensionMap = map }
        var recipe = SceneRecipe(recipe: $0, start: start)
        step.edits.apply(to: &recipe, names: names)
        $0 = recipe.recipe
      },
      token: {
        var parts = $0
        if words.contains("stripped") { parts.hasReceipt = false }
        if let variant = Self.value("malformed", words).flatMap({ Int($0) }) {
          return MalformedTokens.attestation(parts, variant: variant, junk: cast.noise)
        }
        return parts.token + (words.contains("longer") ? [0xF6] : [])
      },
      record: { change(&$0, words, cast) })
  }

  private func assert(_ step: Step, _ cast: inout Cast, _ scene: inout AttackScene)
    throws(MintingError) -> LogRecord
  {
    let words = step.words
    var made: Assertion?
    defer { cast.assertion = made }
    let cast = cast
    let isForged = words.contains("forged")
    let device = cast.device(words[0])
    guard let counter = UInt32(words[2]) else { preconditionFailure("no counter: \(words[2])") }
    return try scene.assert(
      device, at: scene.start + Self.time(words[1]), counter: counter,
      data: isForged ? scene.freshData(.assertion) : data(words, cast, scene),
      issued: !words.contains("unissued"), finds: step.finds(in: scene.form),
      token: {
        made = $0
        var assertion = $0
        if isForged { assertion.s[31] ^= 1 }
        if let variant = Self.value("malformed", words).flatMap({ Int($0) }) {
          return MalformedTokens.assertion(assertion, variant: variant, junk: cast.noise)
        }
        return assertion.token
      },
      record: {
        if counts { $0.serverCounter = stored(before: words, cast) }
        change(&$0, words, cast)
      })
  }

  /// Logs an assertion over authenticator data that no honest device writes.
  private func sign(_ step: Step, _ cast: Cast, _ scene: inout AttackScene) throws(MintingError) {
    let words = step.words
    let device = cast.device(words[1])
    let data = data(words, cast, scene) ?? scene.freshData(.assertion)
    let counter = UInt32(words[3]) ?? 0
    let rpIDHash = Self.value("rp", words).flatMap { Self.apps[$0]?.rpIDHash }
    var assertion: Assertion
    if words.contains("again"), let last = cast.assertion {
      assertion = try device.sign(
        last.authenticatorData, clientDataHash: data.hash, salt: 1, scene.tools)
    } else if Self.value("build", words) == nil, rpIDHash == nil {
      assertion = try device.assertion(
        counter: counter, clientDataHash: data.hash, &scene.random, scene.tools)
    } else {
      let map = Self.build(words, of: device, &scene.random)
      assertion = try device.sign(
        device.assertionData(counter: counter, rpIDHash: rpIDHash, map: map),
        clientDataHash: data.hash, scene.tools)
    }
    if let other = Self.value("by", words) {
      assertion = try cast.device(other).sign(
        assertion.authenticatorData, clientDataHash: data.hash, scene.tools)
    }
    if words.contains("over") {
      // The request was changed on its way: the logged data are not the signed data.
      assertion = try device.assertion(
        counter: counter, clientDataHash: scene.data(unlike: data).hash, &scene.random, scene.tools)
    }
    if words.contains("once") {
      // As in several public verifiers and clients.
      let nonce = MintingDigest.sha256(assertion.authenticatorData + data.hash)
      let signature = try scene.tools.p256.sign(nonce, secret: device.secret)
      (assertion.r, assertion.s) = (signature.r, signature.s)
    }
    step.edits.apply(to: &assertion, names: ["order": scene.tools.p256.orderBytes])
    scene.log(
      assertion.token, of: device, at: scene.start + Self.time(words[2]), data: data,
      issued: !words.contains("unissued"), finds: step.finds(in: scene.form),
      record: { change(&$0, words, cast) })
  }

  private static let apps: [Substring: SyntheticApp] = [
    "bank": .bank, "game": .game, "vault": .vault, "stranger": .stranger,
  ]

  private static func app(in words: [Substring]) -> SyntheticApp? {
    words.lazy.compactMap { apps[$0] }.first
  }

  /// Returns the value of the word `name=value`.
  private static func value(_ name: String, _ words: [Substring]) -> Substring? {
    words.first { $0.hasPrefix(name + "=") }?.dropFirst(name.count + 1)
  }

  private static func server(_ words: [Substring]) -> Int? {
    value("server", words).flatMap { Int($0) }
  }

  /// Returns the map of the word `build=`, if there is one.
  private static func build(
    _ words: [Substring], of device: Device, _ random: inout ForgeRandom
  ) -> [UInt8]? {
    guard let parts = value("build", words)?.split(separator: ":") else { return nil }
    let (version, app) = (String(parts[0]), device.app)
    let honest = app.codeHash(of: device.bundleVersion)
    let codes: [Substring: [UInt8]] = [
      "modified": app.codeHash(of: "modified"), "cut": honest.dropLast(),
      "modified20": Array(app.codeHash(of: "modified").prefix(20)),
      // The first 20 bytes are right, the others are not; or there are no others.
      "flipped": honest.dropLast() + [honest[31] ^ 1],
      "first20": Array(app.codeHash(of: version).prefix(20)),
    ]
    return device.extensionMap(
      code: parts.count > 2 ? codes[parts[2]] : nil, bundleVersion: version,
      category: UInt32(parts[1]) ?? 0, &random)
  }

  /// Returns the highest counter of all assertions before one, by time.
  private func stored(before words: [Substring], _ cast: Cast) -> UInt32 {
    func place(_ words: [Substring]) -> (Int64, UInt32) {
      (Self.time(words[1]), UInt32(words[2]) ?? 0)
    }
    return steps.filter { $0.words[0] == words[0] && place($0.words) < place(words) }
      .map { place($0.words).1 }.reduce(cast.stored, max)
  }

  /// Returns the client data that a step names, or nil. Data with a question mark are for logs whose requests sign
  /// challenges.
  private func data(
    _ words: [Substring], _ cast: Cast, _ scene: borrowing AttackScene
  ) -> ClientData? {
    guard let word = words.first(where: { $0.hasPrefix("data=") }) else { return nil }
    let name = word.dropFirst(5)
    guard name.hasSuffix("?") else { return cast.data[name] }
    return scene.form.traits.contains(.freshRequests) ? cast.data[name.dropLast()] : nil
  }

  private func change(_ record: inout LogRecord, _ words: [Substring], _ cast: Cast) {
    for word in words {
      if word == "accepted" || word.hasPrefix("<") { record.decision = .accepted }
      if word == "rejected" { record.decision = .rejected }
      if word.hasPrefix("<") { record.serverCounter = UInt32(word.dropFirst()) }
      if word.hasPrefix("stored=") { record.serverCounter = UInt32(word.dropFirst(7)) }
      if word.hasPrefix("id=") {
        let device = cast.devices.values.first { $0.id == record.keyID }
        record.requestID = "req-\(word.dropFirst(3))-\(device?.stream ?? 0)"
      }
      if word.hasPrefix("app=") { record.appID = Self.apps[word.dropFirst(4)]?.id }
      if word.hasPrefix("tags=") {
        record.token = (EditValue(text: "#" + word.dropFirst(5)) { _ in nil }.some) + record.token
      }
      if word.lowercased().hasPrefix("hex=") {
        let code = word.hasPrefix("hex") ? TextCode.hex : .upperHex
        record.tokenText = Array(word.dropFirst(4).utf8) + code.encode(record.token)
      }
      if word.hasPrefix("subject=") {
        let name = word.dropFirst(8)
        record.subject = name.isEmpty ? nil : Int(name) == nil ? name + cast.tag : String(name)
      }
    }
  }
}

/// A recipe with times after the beginning of a scene.
private struct SceneRecipe: Editable {
  var recipe: AttestationRecipe
  /// In milliseconds since 1970.
  let start: Int64

  func bytes(_ name: Substring) -> [UInt8]? { recipe.bytes(name) }

  mutating func set(_ name: Substring, to value: EditValue) {
    switch name {
    // Seconds.
    case "notBefore": recipe.notBefore = start / 1000 + Int64(value.number)
    case "notAfter": recipe.notAfter = start / 1000 + Int64(value.number)
    // Milliseconds: Apple's two clocks, or the receipt's alone.
    case "created", "receiptCreated":
      let created = start + Int64(value.number)
      recipe.receipt.created = CalendarTime.rfc3339(created)
      if name == "created" { recipe.leafSerial = CBORWriter.bigEndian(UInt64(created), 6) }
    default: recipe.set(name, to: value)
    }
  }
}

extension AttackScene {
  /// Puts a device into the list of known keys: attested long ago, with a counter, unless there is a time.
  mutating func list(_ device: Device, attestedAt: Int64?) {
    knownKeys.append(
      KnownKeyRow(
        device: device, attestedAt: attestedAt ?? start - 90 * 86_400_000,
        lastCounter: attestedAt == nil ? AttackCatalog.importedCounter : nil,
        namesDevice: form.traits.contains(.deviceJoin)))
  }
}
