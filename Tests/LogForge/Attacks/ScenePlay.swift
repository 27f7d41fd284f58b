import FindingCodes
import Foundation
internal import Minting

extension SceneText {
  /// The people and things of a scene.
  private struct Cast {
    var devices: [Substring: Device] = [:]
    var data: [Substring: ClientData] = [:]
    var noise: [UInt8] = []
    var tag = ""
    var lie = ""
    var chain: ForeignChain?
    var signer: Certified?
    /// The key identifier of a device before it took another one.
    var honestID: [UInt8] = []
    /// The last request, and the one that is kept.
    var last: LogRecord?
    var kept: LogRecord?
    /// The parts of the last request.
    var assertion: Assertion?
    var attestation: (recipe: AttestationRecipe, parts: AttestationParts)?
    /// For the maps of attestations that name a code hash.
    var dice: ForgeRandom?
    /// For odd base64.
    var spelling: ForgeRandom
    /// The highest counter before the assertions, and each of them by time.
    var stored: UInt32 = 0

    func device(_ name: Substring) -> Device {
      guard let device = devices[name] else { preconditionFailure("no such device: \(name)") }
      return device
    }
  }

  func play(_ scene: inout AttackScene) throws(MintingError) {
    var cast = Cast(spelling: scene.random)
    for step in steps {
      if step.words[0] == "keyed", scene.form.traits.contains(.deviceJoin) { return }
      try play(step, &cast, &scene)
    }
  }

  private func play(_ step: Step, _ cast: inout Cast, _ scene: inout AttackScene)
    throws(MintingError)
  {
    let words = step.words
    let name = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "keyed": break
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
    case "called":
      cast.devices[name]?.deviceID = "Zo\u{EB}s iPad \(scene.random.below(1_000_000))"
    case "numbered":
      cast.devices[name]?.deviceID = String(scene.random.within(1_000_000_000...9_999_999_999))
    case "twin":
      var twin = cast.device(words[2])
      let letters = EditValue(text: words[3]) { _ in nil }.string ?? ""
      twin.deviceID = letters + twin.deviceID.dropFirst(3)
      cast.devices[name] = twin
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
    case "lossy":
      let text = "GET /api/notes/\u{FFFD}-\(scene.random.below(1 << 30))"
      cast.data[name] = ClientData(text: text)
      cast.data[words[2]] = ClientData(
        bytes: Array(text.utf8.prefix(15)) + [0xFF] + Array(text.utf8.dropFirst(18)))
    case "noise": cast.noise = scene.random.bytes(Int(name) ?? 32)
    case "point": cast.noise = try scene.device().point
    case "alias":
      cast.honestID = cast.device(name).id
      cast.devices[name]?.id = scene.random.bytes(32)
    case "signer": cast.signer = try AttackCatalog.signer(String(name), &scene)
    case "tag": cast.tag = "-\(scene.random.below(1_000_000_000))"
    case "lie":
      let (platform, format) = (#"platform "android""#, #"format "play-integrity""#)
      let lies = [platform, format, platform + " & " + format]
      cast.lie = "platform - & format - & " + lies[scene.random.below(3)]
    case "chain":
      cast.chain = try ForeignChains.chain(
        Int(name) ?? 9, at: scene.start, scene.authority, &scene.random, scene.tools)
    case "issue":
      guard let data = cast.data[name] else { preconditionFailure("no such data: \(name)") }
      scene.issue(
        data, for: words.contains("attestation") ? .attestation : .assertion,
        at: scene.start + Self.time(words[2]), finds: step.finds(in: scene))
    case "again", "copy", "same", "retry": try repeatLast(step, cast, &scene)
    case "keep": cast.kept = cast.last
    case "line":
      guard let line = scene.lines.last else { preconditionFailure("no line to repeat") }
      scene.append(
        line.bytes, at: line.time, finds: step.finds(in: scene), server: line.server)
    case "raw":
      let data = data(words, cast, scene) ?? ClientData(text: "")
      var record = LogRecord(
        kind: .challenge, time: scene.start + Self.time(name), data: data)
      if words.count > 2, let device = cast.devices[words[2]] { record.keyID = device.id }
      let line = step.template?.line(&scene.random) { TemplateForm.value($0, of: record, &$1) }
      scene.append(line ?? JSONLine(), at: record.time, finds: step.finds(in: scene))
    case "flood":
      guard let record = cast.last else { preconditionFailure("no request") }
      for number in 0..<ReportedShapes.limit + 4 {
        var line = scene.form.stray(record, .renamed, tag: "s\(scene.number)-\(number)")
        line.add("n\(number)", raw: "true")
        scene.appendStray(line, at: record.time + Int64(number) * 10, server: 0)
      }
    case "attest": cast.last = try attest(step, &cast, &scene)
    case "signed": cast.last = try sign(step, &cast, &scene)
    case "perhaps":
      guard scene.random.once(in: 2) else { return }
      var step = step
      step.words.removeFirst()
      cast.last = try assert(step, &cast, &scene)
    default: cast.last = try assert(step, &cast, &scene)
    }
    if !step.isWritten, let server = Self.server(words) {
      scene.lines[scene.lines.count - 1].server = server
    }
  }

  private func repeatLast(_ step: Step, _ cast: Cast, _ scene: inout AttackScene)
    throws(MintingError)
  {
    let words = step.words
    guard let last = words.contains("kept") ? cast.kept : cast.last else {
      preconditionFailure("nothing to repeat")
    }
    let delay = Self.time(words[1])
    var record = last
    if ["same", "copy"].contains(words[0]) {
      record.time += delay
      if words[0] == "copy" { record.requestID = TrafficRenderer.requestID(&scene.random) }
    } else {
      record = AttackCatalog.again(last, after: delay, &scene.random)
    }
    if words[0] == "retry" {
      record.subject = nil
      scene.issue(last.data, for: last.kind, at: record.time - 1_000)
    }
    if last.kind == .attestation, let (recipe, parts) = cast.attestation {
      if words.contains("respelled") { record.token = parts.respelledToken }
      if !step.edits.isEmpty {
        var recipe = recipe
        step.edits.apply(to: &recipe)
        record.token = try AttestationMint.mint(recipe, scene.tools).token
      }
    } else if var assertion = cast.assertion {
      if words.contains("respelled") { record.token = assertion.respelledToken(&scene.random) }
      if !step.edits.isEmpty {
        let negated = try scene.tools.p256.negated(assertion.s)
        step.edits.apply(to: &assertion, names: ["negated": negated])
        record.token = assertion.token
      }
    }
    change(&record, words, cast, &scene.random)
    if words.contains("twice") {
      scene.append(
        AttackCatalog.again(last, after: delay, &scene.random), finds: step.finds(in: scene))
    }
    log(record, step, cast, &scene, server: Self.server(words))
  }

  private func attest(_ step: Step, _ cast: inout Cast, _ scene: inout AttackScene)
    throws(MintingError) -> LogRecord
  {
    let words = step.words
    var dice = cast.dice ?? scene.random
    defer { if Self.value("build", words)?.split(separator: ":").count == 3 { cast.dice = dice } }
    let device = cast.device(words[1])
    let start = scene.start
    var names: [Substring: [UInt8]] = [
      "noise": cast.noise, "honestID": cast.honestID,
      "intermediate": scene.authority.intermediate.certificate,
      "otherEnvironment": Array((device.isDevelopment ? "production" : "sandbox").utf8),
    ]
    names.merge(cast.data.mapValues(\.hash)) { $1 }
    let (chain, signer, noise) = (cast.chain, cast.signer, cast.noise)
    var made: (recipe: AttestationRecipe, parts: AttestationParts)?
    var minted: AttestationRecipe?
    var record = try scene.attestation(
      of: device, at: start + Self.time(words[2]), data: data(words, cast, scene),
      issued: !words.contains("unissued"), finds: step.isWritten ? [] : step.finds(in: scene),
      recipe: {
        if words.contains("nonce") { $0.nonce = .other(noise) }
        if words.contains("chain"), let chain { $0.use(chain) }
        if let signer { $0.receipt.signer = signer }
        if let map = Self.build(words, of: device, &dice) { $0.extensionMap = map }
        var recipe = SceneRecipe(recipe: $0, start: start)
        step.edits.apply(to: &recipe, names: names)
        $0 = recipe.recipe
        minted = $0
      },
      token: {
        var parts = $0
        made = minted.map { ($0, parts) }
        if words.contains("stripped") { parts.hasReceipt = false }
        if let variant = Self.value("malformed", words).flatMap({ Int($0) }) {
          return MalformedTokens.attestation(parts, variant: variant, junk: noise)
        }
        return parts.token + (words.contains("longer") ? [0xF6] : [])
      })
    cast.attestation = made
    spell(&record, words, &cast)
    log(record, step, cast, &scene)
    return record
  }

  private func assert(_ step: Step, _ cast: inout Cast, _ scene: inout AttackScene)
    throws(MintingError) -> LogRecord
  {
    let words = step.words
    let isForged = words.contains("forged")
    let (device, noise) = (cast.device(words[0]), cast.noise)
    guard let counter = UInt32(words[2]) else { preconditionFailure("no counter: \(words[2])") }
    var made: Assertion?
    let token = { (honest: Assertion) -> [UInt8] in
      made = honest
      var assertion = honest
      if isForged { assertion.s[31] ^= 1 }
      if let variant = Self.value("malformed", words).flatMap({ Int($0) }) {
        return MalformedTokens.assertion(assertion, variant: variant, junk: noise)
      }
      step.edits.apply(to: &assertion, names: ["noise": noise])
      return assertion.token
    }
    let time = scene.start + Self.time(words[1])
    let data = isForged ? scene.freshData(.assertion) : data(words, cast, scene)
    guard !step.isWritten else {
      var record = try scene.assertion(
        of: device, at: time, counter: counter, data: data, token: token)
      cast.assertion = made
      spell(&record, words, &cast)
      log(record, step, cast, &scene, server: Self.server(words))
      return record
    }
    var held = cast
    let record = try scene.assert(
      device, at: time, counter: counter, data: data, issued: !words.contains("unissued"),
      finds: step.finds(in: scene), token: token,
      record: {
        if counts { $0.serverCounter = stored(before: words, held) }
        spell(&$0, words, &held)
      })
    cast = held
    cast.assertion = made
    return record
  }

  /// Logs an assertion over authenticator data that no honest device writes.
  private func sign(_ step: Step, _ cast: inout Cast, _ scene: inout AttackScene)
    throws(MintingError) -> LogRecord
  {
    let words = step.words
    let device = cast.device(words[1])
    let data = data(words, cast, scene) ?? scene.freshData(.assertion)
    let signedData = Self.value("over", words).flatMap { cast.data[$0] } ?? data
    let counter = UInt32(words[3]) ?? 0
    let rpIDHash = Self.value("rp", words).flatMap { Self.apps[$0]?.rpIDHash }
    var assertion: Assertion
    if words.contains("again"), let last = cast.assertion {
      assertion = try device.sign(
        last.authenticatorData, clientDataHash: data.hash, salt: 1, scene.tools)
    } else if Self.value("build", words) == nil, rpIDHash == nil {
      assertion = try device.assertion(
        counter: counter, clientDataHash: signedData.hash, &scene.random, scene.tools)
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
    cast.assertion = assertion
    var held = cast
    let record = scene.log(
      assertion.token, of: device, at: scene.start + Self.time(words[2]), data: data,
      issued: !words.contains("unissued"), finds: step.finds(in: scene),
      record: { spell(&$0, words, &held) })
    cast = held
    return record
  }

  /// Logs a record, in a line with the changes of its step.
  private func log(
    _ record: LogRecord, _ step: Step, _ cast: Cast, _ scene: inout AttackScene,
    server: Int? = nil
  ) {
    let words = step.words
    if words.contains("unlogged") { return }
    if let place = Self.value("place", words), let number = Int(place.prefix(1)) {
      let tag = "s\(scene.number)\(place.dropFirst())"
      let line = scene.form.stray(record, StrayPlace.allCases[number], tag: tag)
      return scene.appendStray(line, at: record.time)
    }
    let finds = step.finds(in: scene, record.kind)
    var line = scene.line(record)
    let bytes = edit(&line, of: record, step, cast, &scene)
    if let stray = Self.value("stray", words) {
      scene.appendStray(line, at: record.time, shape: Array("\(stray)\(scene.number)".utf8))
    } else if let bytes {
      let shape = finds.contains(.recordNotAudited) ? "(not JSON)" : ""
      scene.append(
        bytes, at: record.time, finds: finds, shape: Array(shape.utf8), server: server)
    } else {
      scene.append(line, at: record.time, finds: finds, server: server)
    }
  }

  /// Changes the line of a record. Returns the bytes that replace it, if the step has an edit of all bytes.
  ///
  /// Beside these and ``RecordFlaw/Edit`` there are `draw x` (random bytes), `as challenge` (a challenge with the client data
  /// in place of the request), and `odd clientData 3` (the field in an ``OddBase64``).
  private func edit(
    _ line: inout JSONLine, of record: LogRecord, _ step: Step, _ cast: Cast,
    _ scene: inout AttackScene
  ) -> [UInt8]? {
    var bytes: [UInt8]?
    var names: [Substring: [UInt8]] = [
      "keyId": record.keyID, "token": record.token, "noise": cast.noise,
      "kept": cast.kept?.token ?? [], "number": Array("\(scene.number)".utf8),
      "written": line.fields.first { $0.name == "token" }?.value.json ?? [],
    ]
    let text = step.line.replacing("$LIE", with: cast.lie)
    for edit in text.components(separatedBy: " & ") where !edit.isEmpty {
      let words = edit.split(separator: " ", maxSplits: 1)
      switch words[0] {
      case "line":
        names["line"] = bytes ?? line.bytes()
        bytes = EditValue(text: words[1]) { names[$0] }.some
      case "draw": names[words[1]] = CBORWriter.bigEndian(scene.random.next(), 8)
      case "as":
        line = scene.line(LogRecord(kind: .challenge, time: record.time, data: record.data))
      case "odd":
        let (name, way) = Self.pair(words[1])
        let value = name == "clientData" ? record.data.bytes ?? [] : record.data.hash
        line.remove(String(name))
        line.add(String(name), ascii: Self.odd(way, value, &scene.random))
      default:
        let parts = edit.split(omittingEmptySubsequences: false) { "‹›".contains($0) }
        let filled = parts.enumerated().map { place, part in
          place % 2 == 0
            ? String(part) : EditValue(text: part) { names[$0] }.string ?? ""
        }
        RecordFlaw.Edit(filled.joined()).apply(to: &line)
      }
    }
    return bytes
  }

  private static func pair(_ text: Substring) -> (Substring, Substring) {
    let words = text.split(separator: " ")
    return (words[0], words[1])
  }

  /// Returns bytes in the odd base64 of a number, or in any for a question mark.
  private static func odd(
    _ way: Substring, _ bytes: [UInt8], _ random: inout ForgeRandom
  ) -> [UInt8] {
    let chosen = Int(way).map { OddBase64.allCases[$0] } ?? random.pick(OddBase64.allCases)
    return chosen.encode(bytes, &random)
  }

  private static let apps: [Substring: SyntheticApp] = [
    "bank": .bank, "game": .game, "vault": .vault, "stranger": .stranger,
  ]

  private static func app(in words: [Substring]) -> SyntheticApp? {
    words.lazy.compactMap { apps[$0] }.first
  }

  /// Returns seconds as milliseconds.
  private static func time(_ text: Substring) -> Int64 {
    let parts = text.split(separator: ".")
    let fraction =
      parts.count > 1 ? parts[1] + String(repeating: "0", count: 3 - parts[1].count) : "000"
    guard let time = Int64(parts[0] + fraction) else { preconditionFailure("no time: \(text)") }
    return time
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

  private func spell(_ record: inout LogRecord, _ words: [Substring], _ cast: inout Cast) {
    var spelling = cast.spelling
    change(&record, words, cast, &spelling)
    cast.spelling = spelling
  }

  private func change(
    _ record: inout LogRecord, _ words: [Substring], _ cast: Cast, _ random: inout ForgeRandom
  ) {
    for word in words {
      if word == "accepted" || word.hasPrefix("<") { record.decision = .accepted }
      if word == "rejected" { record.decision = .rejected }
      if word == "undecided" { record.decision = nil }
      if word.hasPrefix("<") { record.serverCounter = UInt32(word.dropFirst()) }
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count > 1 else { continue }
      let value = parts[1]
      switch parts[0] {
      case "stored": record.serverCounter = UInt32(value)
      case "name": record.requestID = String(value)
      case "id":
        let device = cast.devices.values.first { $0.id == record.keyID }
        record.requestID = "req-\(value)\(value.isEmpty ? "" : "-")\(device?.stream ?? 0)"
      case "app": record.appID = Self.apps[value]?.id
      case "tags":
        record.token = (EditValue(text: "#" + value) { _ in nil }.some) + record.token
      case "hex", "HEX":
        let code = parts[0] == "hex" ? TextCode.hex : .upperHex
        record.tokenText = Array(value.utf8) + code.encode(record.token)
      case "odd": record.tokenText = Self.odd(value, record.token, &random)
      case "oddkey": record.keyText = Self.odd(value, record.keyID, &random)
      case "subject":
        record.subject = value.isEmpty ? nil : Int(value) == nil ? value + cast.tag : String(value)
      default: break
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
    case "lifetime": recipe.notAfter = recipe.notBefore + Int64(value.number)
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
