import FindingCodes
internal import Minting

/// A scene as text: what devices do, step by step, and what an audit finds at each step. Steps are separated by
/// semicolons. Times are in seconds after the beginning of the scene.
///
///     device a | enrol a | import a   a device; one that attests at 0; one of the list of known keys, at counter 50
///     key b a                         a further key on the device of a
///     list b [0]                      the key is in the list of known keys, attested at 0 or long ago
///     fresh x | weak x 15 | bare x    client data of an honest request; of 15 characters; only a hash
///     noise | tag | chain 2           random bytes for `nonce`; a tag for subjects; a foreign chain
///     issue x 10 [attestation]        the challenge is issued
///     attest a 0 …                    an attestation of a
///     a 60 1 …                        an assertion of a, with its counter
///     again 20 | copy 20 | same 20 | retry 20 …
///                                     the last request once more, later: with an identifier and a decision of its own;
///                                     with its own identifier; with neither; with its challenge issued again
///
/// After that come words: `accepted`, `rejected`, `subject=owner` (`subject=` for none), `data=x`, `unissued`,
/// `stored=3` (`<3` if it was accepted, too; `<` for none), `nonce`, `chain`, `longer`, `forged`. A word after `!` is the
/// code of a finding.
struct SceneText: Sendable {
  /// One step: its words, and its codes.
  private struct Step: Sendable {
    var words: [Substring]
    var finds: [FindingCode]

    init(_ text: Substring) {
      let parts = text.split(separator: "!", maxSplits: 1)
      words = parts[0].split(separator: " ")
      finds = (parts.count > 1 ? parts[1].split(separator: " ") : []).map(SceneText.code)
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

  /// Returns the attacks of a table. A line of it without indentation is the code of an attack and what a log has
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
    for line in table.split(separator: "\n") {
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
      "deviceJoin": .deviceJoin, "serverCounter": .serverCounter, "counts": [],
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
    var last: LogRecord?
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
      var device = try scene.device()
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
    case "noise": cast.noise = scene.random.bytes(32)
    case "tag": cast.tag = "-\(scene.random.below(1_000_000_000))"
    case "chain":
      cast.chain = try ForeignChains.chain(
        Int(name) ?? 0, scene.authority, &scene.random, scene.tools)
    case "issue":
      guard let data = cast.data[name] else { preconditionFailure("no such data: \(name)") }
      scene.issue(
        data, for: words.contains("attestation") ? .attestation : .assertion,
        at: scene.start + Self.time(words[2]), finds: step.finds)
    case "again", "copy", "same", "retry": repeatLast(step, cast, &scene)
    case "attest":
      cast.last = try attest(step, cast, &scene)
    default:
      cast.last = try assert(step, cast, &scene)
    }
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
    scene.append(record, finds: step.finds)
  }

  private func attest(_ step: Step, _ cast: Cast, _ scene: inout AttackScene)
    throws(MintingError) -> LogRecord
  {
    let words = step.words
    return try scene.attest(
      cast.device(words[1]), at: scene.start + Self.time(words[2]), data: data(words, cast, scene),
      issued: !words.contains("unissued"), finds: step.finds,
      recipe: {
        if words.contains("nonce") { $0.nonce = .other(cast.noise) }
        if words.contains("chain"), let chain = cast.chain {
          $0.issuer = chain.issuer
          $0.chain = chain.certificates
        }
      },
      token: { words.contains("longer") ? $0.token + [0xF6] : $0.token },
      record: { change(&$0, words, cast) })
  }

  private func assert(_ step: Step, _ cast: Cast, _ scene: inout AttackScene)
    throws(MintingError) -> LogRecord
  {
    let words = step.words
    let isForged = words.contains("forged")
    let device = cast.device(words[0])
    guard let counter = UInt32(words[2]) else { preconditionFailure("no counter: \(words[2])") }
    return try scene.assert(
      device, at: scene.start + Self.time(words[1]), counter: counter,
      data: isForged ? scene.freshData(.assertion) : data(words, cast, scene),
      issued: !words.contains("unissued"), finds: step.finds,
      token: {
        var assertion = $0
        if isForged { assertion.s[31] ^= 1 }
        return assertion.token
      },
      record: {
        if counts { $0.serverCounter = stored(before: words, cast) }
        change(&$0, words, cast)
      })
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
      if word.hasPrefix("subject=") {
        let name = word.dropFirst(8)
        record.subject = name.isEmpty ? nil : Int(name) == nil ? name + cast.tag : String(name)
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
