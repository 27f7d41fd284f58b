import FindingCodes
import Foundation
internal import Minting

extension SceneText {
  func play(_ scene: inout AttackScene) {
    let play = ScenePlay(steps: steps, counts: counts, spelling: scene.random)
    for step in steps {
      if step.words[0] == "keyed", scene.form.traits.contains(.deviceJoin) { return }
      play.play(step, &scene)
    }
  }
}

/// The people and things of a scene, and what its steps make of them.
private final class ScenePlay {
  typealias Step = SceneText.Step

  private let steps: [Step]
  private let counts: Bool
  private var devices: [Substring: Device] = [:]
  private var clientData: [Substring: ClientData] = [:]
  private var noise: [UInt8] = []
  private var tag = ""
  private var lie = ""
  private var chain: ForeignChain?
  private var signer: Certified?
  /// The key identifier of a device before it took another one.
  private var honestID: [UInt8] = []
  /// The last request, and the one that is kept.
  private var last: LogRecord?
  private var kept: LogRecord?
  /// The parts of the last request.
  private var assertion: Assertion?
  private var attestation: (recipe: AttestationRecipe, parts: AttestationParts)?
  /// For the maps of attestations that name a code hash.
  private var dice: ForgeRandom?
  /// For odd base64.
  private var spelling: ForgeRandom
  /// The highest counter before the assertions.
  private var stored: UInt32 = 0

  init(steps: [Step], counts: Bool, spelling: ForgeRandom) {
    (self.steps, self.counts, self.spelling) = (steps, counts, spelling)
  }

  private func device(_ name: Substring) -> Device {
    guard let device = devices[name] else { preconditionFailure("no such device: \(name)") }
    return device
  }

  func play(_ step: Step, _ scene: inout AttackScene) {
    let words = step.words
    let name = words.count > 1 ? words[1] : ""
    switch words[0] {
    case "keyed": break
    case "device", "enrol", "import":
      var device = scene.device(
        app: words.lazy.compactMap { SyntheticApp.named[$0] }.first,
        system: words.lazy.compactMap { System.named[String($0)] }.first)
      if step.has("nobody") { device.subject = nil }
      devices[name] = device
      if words[0] == "enrol" { scene.attest(device, at: scene.start) }
      if words[0] == "import" {
        scene.list(device, attestedAt: nil)
        stored = AttackCatalog.importedCounter
      }
    case "key":
      let owner = self.device(words[2])
      var device = scene.device(app: owner.app)
      device.deviceID = owner.deviceID
      devices[name] = device
    case "called":
      devices[name]?.deviceID = "Zo\u{EB}s iPad \(scene.random.below(1_000_000))"
    case "numbered":
      devices[name]?.deviceID = String(scene.random.within(1_000_000_000...9_999_999_999))
    case "twin":
      var twin = self.device(words[2])
      let letters = EditValue(text: words[3]) { _ in nil }.string ?? ""
      twin.deviceID = letters + twin.deviceID.dropFirst(3)
      devices[name] = twin
    case "list":
      scene.list(
        self.device(name),
        attestedAt: words.count > 2 ? scene.start + step.time(2) : nil)
    case "fresh":
      clientData[name] = scene.freshData(step.has("attestation") ? .attestation : .assertion)
    case "weak":
      let text = TextCode.base64URL.encode(scene.random.bytes(Int(words[2]) ?? 0))
      clientData[name] = ClientData(bytes: Array(text.prefix(Int(words[2]) ?? 0)))
    case "bare": clientData[name] = ClientData(opaqueHash: scene.random.bytes(24))
    case "lossy":
      let text = "GET /api/notes/\u{FFFD}-\(scene.random.below(1 << 30))"
      clientData[name] = ClientData(text: text)
      clientData[words[2]] = ClientData(
        bytes: Array(text.utf8.prefix(15)) + [0xFF] + Array(text.utf8.dropFirst(18)))
    case "noise": noise = scene.random.bytes(Int(name) ?? 32)
    case "point": noise = scene.device().point
    case "alias":
      honestID = self.device(name).id
      devices[name]?.id = scene.random.bytes(32)
    case "signer": signer = AttackCatalog.signer(String(name), &scene)
    case "tag": tag = "-\(scene.random.below(1_000_000_000))"
    case "lie":
      let (platform, format) = (#"platform "android""#, #"format "play-integrity""#)
      let lies = [platform, format, platform + " & " + format]
      lie = "platform - & format - & " + lies[scene.random.below(3)]
    case "chain":
      chain = ForeignChains.chain(
        Int(name) ?? 9, at: scene.start, scene.authority, &scene.random, scene.tools)
    case "issue":
      guard let data = clientData[name] else { preconditionFailure("no such data: \(name)") }
      scene.issue(
        data, for: step.has("attestation") ? .attestation : .assertion,
        at: scene.start + step.time(2), finds: step.finds(in: scene))
    case "again", "copy", "same", "retry": repeatLast(step, &scene)
    case "keep": kept = last
    case "line":
      guard let line = scene.lines.last else { preconditionFailure("no line to repeat") }
      scene.append(
        line.bytes, at: line.time, finds: step.finds(in: scene), server: line.server)
    case "raw":
      let data = self.data(step, scene) ?? ClientData(text: "")
      var record = LogRecord(
        kind: .challenge, time: scene.start + step.time(1), data: data)
      if words.count > 2, let device = devices[words[2]] { record.keyID = device.id }
      let line = step.template?.line(&scene.random) { TemplateForm.value($0, of: record, &$1) }
      scene.append(line ?? JSONLine(), at: record.time, finds: step.finds(in: scene))
    case "flood":
      guard let record = last else { preconditionFailure("no request") }
      for number in 0..<ReportedShapes.limit + 4 {
        var line = scene.form.stray(record, .renamed, tag: "s\(scene.number)-\(number)")
        line.add("n\(number)", raw: "true")
        scene.appendStray(line, at: record.time + Int64(number) * 10, server: 0)
      }
    case "attest": last = attest(step, &scene)
    case "signed": last = sign(step, &scene)
    case "perhaps":
      guard scene.random.once(in: 2) else { return }
      var step = step
      step.words.removeFirst()
      last = assert(step, &scene)
    default: last = assert(step, &scene)
    }
    if !step.isWritten, let server = step.server {
      scene.lines[scene.lines.count - 1].server = server
    }
  }

  private func repeatLast(_ step: Step, _ scene: inout AttackScene) {
    let words = step.words
    guard let last = step.has("kept") ? kept : self.last else {
      preconditionFailure("nothing to repeat")
    }
    let delay = step.time(1)
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
    if last.kind == .attestation, let (recipe, parts) = self.attestation {
      if step.has("respelled") { record.token = parts.respelledToken }
      if !step.edits.isEmpty {
        var recipe = recipe
        step.edits.apply(to: &recipe)
        record.token = AttestationMint.mint(recipe, scene.tools).token
      }
    } else if var assertion = self.assertion {
      if step.has("respelled") { record.token = assertion.respelledToken(&scene.random) }
      if !step.edits.isEmpty {
        let negated = scene.tools.p256.negated(assertion.s)
        step.edits.apply(to: &assertion, names: ["negated": negated])
        record.token = assertion.token
      }
    }
    change(&record, step, &scene.random)
    if step.has("twice") {
      scene.append(
        AttackCatalog.again(last, after: delay, &scene.random), finds: step.finds(in: scene))
    }
    log(record, step, &scene, server: step.server)
  }

  private func attest(_ step: Step, _ scene: inout AttackScene) -> LogRecord {
    var dice = self.dice ?? scene.random
    defer { if step.value("build")?.split(separator: ":").count == 3 { self.dice = dice } }
    let device = self.device(step.words[1])
    let start = scene.start
    var names: [Substring: [UInt8]] = [
      "noise": noise, "honestID": honestID,
      "intermediate": scene.authority.intermediate.certificate,
      "otherEnvironment": Array((device.isDevelopment ? "production" : "sandbox").utf8),
    ]
    names.merge(clientData.mapValues(\.hash)) { $1 }
    var made: (recipe: AttestationRecipe, parts: AttestationParts)?
    var minted: AttestationRecipe?
    var record = scene.attestation(
      of: device, at: start + step.time(2), data: self.data(step, scene),
      issued: !step.has("unissued"), finds: step.isWritten ? [] : step.finds(in: scene),
      recipe: {
        if step.has("nonce") { $0.nonce = .other(noise) }
        if step.has("chain"), let chain { $0.use(chain) }
        if let signer { $0.receipt.signer = signer }
        if let map = step.build(of: device, &dice) { $0.extensionMap = map }
        var recipe = SceneRecipe(recipe: $0, start: start)
        step.edits.apply(to: &recipe, names: names)
        $0 = recipe.recipe
        minted = $0
      },
      token: {
        var parts = $0
        made = minted.map { ($0, parts) }
        if step.has("stripped") { parts.hasReceipt = false }
        if let variant = step.value("malformed").flatMap({ Int($0) }) {
          return MalformedTokens.attestation(parts, variant: variant, junk: noise)
        }
        return parts.token + (step.has("longer") ? [0xF6] : [])
      })
    self.attestation = made
    change(&record, step, &spelling)
    log(record, step, &scene)
    return record
  }

  private func assert(_ step: Step, _ scene: inout AttackScene) -> LogRecord {
    let words = step.words
    let isForged = step.has("forged")
    let device = self.device(words[0])
    guard let counter = UInt32(words[2]) else { preconditionFailure("no counter: \(words[2])") }
    var made: Assertion?
    let token = { (honest: Assertion) -> [UInt8] in
      made = honest
      var assertion = honest
      if isForged { assertion.s[31] ^= 1 }
      if let variant = step.value("malformed").flatMap({ Int($0) }) {
        return MalformedTokens.assertion(assertion, variant: variant, junk: self.noise)
      }
      step.edits.apply(to: &assertion, names: ["noise": self.noise])
      return assertion.token
    }
    let time = scene.start + step.time(1)
    let data = isForged ? scene.freshData(.assertion) : self.data(step, scene)
    guard !step.isWritten else {
      var record = scene.assertion(
        of: device, at: time, counter: counter, data: data, token: token)
      self.assertion = made
      change(&record, step, &spelling)
      log(record, step, &scene, server: step.server)
      return record
    }
    let record = scene.assert(
      device, at: time, counter: counter, data: data, issued: !step.has("unissued"),
      finds: step.finds(in: scene), token: token,
      record: {
        if counts { $0.serverCounter = stored(before: step) }
        change(&$0, step, &spelling)
      })
    self.assertion = made
    return record
  }

  /// Logs an assertion over authenticator data that no honest device writes.
  private func sign(_ step: Step, _ scene: inout AttackScene) -> LogRecord {
    let words = step.words
    let device = self.device(words[1])
    let data = self.data(step, scene) ?? scene.freshData(.assertion)
    let signedData = step.value("over").flatMap { clientData[$0] } ?? data
    let counter = UInt32(words[3]) ?? 0
    let rpIDHash = step.value("rp").flatMap { SyntheticApp.named[$0]?.rpIDHash }
    var assertion: Assertion
    if step.has("again"), let last = self.assertion {
      assertion = device.sign(
        last.authenticatorData, clientDataHash: data.hash, salt: 1, scene.tools)
    } else if step.value("build") == nil, rpIDHash == nil {
      assertion = device.assertion(
        counter: counter, clientDataHash: signedData.hash, &scene.random, scene.tools)
    } else {
      let map = step.build(of: device, &scene.random)
      assertion = device.sign(
        device.assertionData(counter: counter, rpIDHash: rpIDHash, map: map),
        clientDataHash: data.hash, scene.tools)
    }
    if let other = step.value("by") {
      assertion = self.device(other).sign(
        assertion.authenticatorData, clientDataHash: data.hash, scene.tools)
    }
    if step.has("over") {
      // The request was changed on its way: the logged data are not the signed data.
      assertion = device.assertion(
        counter: counter, clientDataHash: scene.data(unlike: data).hash, &scene.random, scene.tools)
    }
    if step.has("once") {
      // As in several public verifiers and clients.
      let nonce = MintingDigest.sha256(assertion.authenticatorData + data.hash)
      let signature = scene.tools.p256.sign(nonce, secret: device.secret)
      (assertion.r, assertion.s) = (signature.r, signature.s)
    }
    step.edits.apply(to: &assertion, names: ["order": scene.tools.p256.orderBytes])
    self.assertion = assertion
    return scene.log(
      assertion.token, of: device, at: scene.start + step.time(2), data: data,
      issued: !step.has("unissued"), finds: step.finds(in: scene),
      record: { change(&$0, step, &spelling) })
  }

  /// Logs a record, in a line with the changes of its step.
  private func log(
    _ record: LogRecord, _ step: Step, _ scene: inout AttackScene,
    server: Int? = nil
  ) {
    if step.has("unlogged") { return }
    if let place = step.value("place"), let number = Int(place.prefix(1)) {
      let tag = "s\(scene.number)\(place.dropFirst())"
      let line = scene.form.stray(record, StrayPlace.allCases[number], tag: tag)
      return scene.appendStray(line, at: record.time)
    }
    let finds = step.finds(in: scene, record.kind)
    var line = scene.line(record)
    let bytes = edit(&line, of: record, step, &scene)
    if let stray = step.value("stray") {
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
    _ line: inout JSONLine, of record: LogRecord, _ step: Step,
    _ scene: inout AttackScene
  ) -> [UInt8]? {
    var bytes: [UInt8]?
    var names: [Substring: [UInt8]] = [
      "keyId": record.keyID, "token": record.token, "noise": noise,
      "kept": kept?.token ?? [], "number": Array("\(scene.number)".utf8),
      "written": line.fields.first { $0.name == "token" }?.value.json ?? [],
    ]
    let text = step.line.replacing("$LIE", with: lie)
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
        let parts = words[1].split(separator: " ")
        let value = parts[0] == "clientData" ? record.data.bytes ?? [] : record.data.hash
        line.remove(String(parts[0]))
        line.add(String(parts[0]), ascii: OddBase64.encode(parts[1], value, &scene.random))
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

  /// Returns the highest counter of all assertions before one, by time.
  private func stored(before step: Step) -> UInt32 {
    func place(_ step: Step) -> (Int64, UInt32) { (step.time(1), UInt32(step.words[2]) ?? 0) }
    return steps.filter { $0.words[0] == step.words[0] && place($0) < place(step) }
      .map { place($0).1 }.reduce(stored, max)
  }

  /// Returns the client data that a step names, or nil. Data with a question mark are for logs whose requests sign
  /// challenges.
  private func data(_ step: Step, _ scene: borrowing AttackScene) -> ClientData? {
    guard let name = step.value("data") else { return nil }
    guard name.hasSuffix("?") else { return clientData[name] }
    return scene.form.traits.contains(.freshRequests) ? clientData[name.dropLast()] : nil
  }

  private func change(
    _ record: inout LogRecord, _ step: Step, _ random: inout ForgeRandom
  ) {
    for word in step.words {
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
        let device = devices.values.first { $0.id == record.keyID }
        record.requestID = "req-\(value)\(value.isEmpty ? "" : "-")\(device?.stream ?? 0)"
      case "app": record.appID = SyntheticApp.named[value]?.id
      case "tags":
        record.token = (EditValue(text: "#" + value) { _ in nil }.some) + record.token
      case "hex", "HEX":
        let code = parts[0] == "hex" ? TextCode.hex : .upperHex
        record.tokenText = Array(value.utf8) + code.encode(record.token)
      case "odd": record.tokenText = OddBase64.encode(value, record.token, &random)
      case "oddkey": record.keyText = OddBase64.encode(value, record.keyID, &random)
      case "subject":
        record.subject = value.isEmpty ? nil : Int(value) == nil ? value + tag : String(value)
      default: break
      }
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
