import AppAttest
import AuditLog

/// Puts together what the searches found on lines of one shape: rules, their conditions and fields.
struct SchemaSearch {
  let sample: LogSample
  let tokens: TokenSearch
  private(set) var schema = FoundSchema()
  /// Lines of each role, by their indexes, in rising order.
  private(set) var lines: [Role: [Int]] = [:]
  private var challenges = ChallengeSearch()
  private var deviceTokens: (pointer: Int, lines: [Int])?
  /// The indexes of lines with a token, wherever it stands.
  private let withTokens: Set<Int>

  /// - Parameters:
  ///   - tokens: The tokens of the sample.
  ///   - attested: Tokens of the whole log, whose keys count.
  init(_ sample: LogSample, tokens found: [FoundToken], attested: [FoundToken]) {
    self.sample = sample
    withTokens = Set(found.map(\.line))
    tokens = TokenSearch.find(found, attested: attested, sample)
    findLines()
    findSharedFields()
    findRules()
    schema.isDefault = DefaultForm.fits(self)
  }

  /// The tokens that stand where tokens belong.
  var confirmedTokens: [FoundToken] { tokens.attestations.tokens + tokens.assertions.tokens }

  /// The lines that an audit would take for requests with tokens.
  var requestLines: [SampleLine] { samples([.attestation, .assertion]) }

  /// Returns whether a condition holds on all of some lines.
  func holds(_ condition: FoundCondition, _ lines: [Int]) -> Bool {
    lines.allSatisfy { condition.holds(sample.lines[$0]) }
  }

  /// What stands where, on the lines of a kind of token.
  func tokenLines(_ role: Role) -> TokenLines? {
    switch role {
    case .attestation: tokens.attestations
    case .assertion: tokens.assertions
    case .challenge, .deviceCheckToken: nil
    }
  }

  func data(_ role: Role) -> DataSearch {
    role == .attestation ? tokens.attestationData : tokens.assertionData
  }

  // MARK: Lines

  private mutating func findLines() {
    for role in [Role.attestation, .assertion] {
      lines[role] = tokenLines(role)?.tokens.map(\.line) ?? []
      guard let (form, _) = data(role).best(sample.pointers) else { continue }
      for index in lines[role] ?? [] {
        guard let bytes = form.bytes(in: sample.lines[index]) else { continue }
        if case .value(_, _, true) = form {
          challenges.note(hash: bytes)
        } else {
          challenges.note(bytes)
        }
      }
    }
    let bodies = data(.assertion).forms(sample.pointers).compactMap { form, _ in
      if case .value(let pointer, _, _) = form { pointer } else { nil }
    }
    challenges.search(sample, excluding: withTokens, pointers: Set(bodies))
    if let pointer = challenges.form?.pointer {
      // Those that nobody used are challenges as well.
      lines[.challenge] = sample.lines.indices.filter {
        !withTokens.contains($0) && sample.lines[$0][pointer]?.kind == .string
      }
    }
    deviceTokens = DeviceTokenSearch.find(sample, excluding: withTokens)
    lines[.deviceCheckToken] = deviceTokens?.lines ?? []
  }

  private func samples(_ roles: [Role]) -> [SampleLine] {
    Set(roles.flatMap { lines[$0] ?? [] }).sorted().map { sample.lines[$0] }
  }

  // MARK: Fields of all rules

  private mutating func findSharedFields() {
    let events = samples([.attestation, .assertion, .challenge])
    let requests = samples([.attestation, .assertion])
    guard !events.isEmpty else { return }
    let pointers = sample.pointers
    if let time = TimeSearch.find(
      events, pointers, clock: TokenClock(tokens.attestations.tokens, sample),
      isClients: isClients)
    {
      schema.shared.append(time)
    } else {
      schema.missing.append("time: no pointer holds a time on nearly every line")
    }
    if let decision = DecisionSearch.find(requests, pointers) {
      schema.shared.append(decision)
    } else {
      schema.missing.append("decision: no pointer holds words for accepted and rejected")
    }
    schema.shared += PlatformSearch.find(requests)
    if let app = AppSearch.field(confirmedTokens, sample) { schema.shared.append(app) }
    if let request = IdentifierSearch.requestID(requests, pointers, excluding: taken) {
      schema.shared.append(request)
    } else {
      schema.missing.append("requestId: no pointer holds a text of its own on nearly every line")
    }
    if let subject = IdentifierSearch.subject(keysOfLines, sample, excluding: taken) {
      schema.shared.append(subject)
    } else {
      schema.missing.append("subject: no pointer holds a text that repeats with the key")
    }
  }

  /// Returns whether what stands at a pointer comes from a client: in a request's headers, or in what
  /// was signed.
  private func isClients(_ pointer: Int) -> Bool {
    if let header = sample.pointers.header(of: pointer),
      NameWords(sample.pointers.name(header)).contains(["header", "hdr"])
    {
      return true
    }
    return [Role.attestation, .assertion].contains { role in
      guard case .value(let signed, _, _)? = data(role).best(sample.pointers)?.form else {
        return false
      }
      return pointer == signed || sample.pointers.isInside(pointer, signed)
    }
  }

  /// The key of every line where it is known.
  private var keysOfLines: [Int: Digest256] {
    var keys = tokens.verifiedKeys
    for token in tokens.attestations.tokens { keys[token.line] = token.attestation?.keyID }
    for token in tokens.assertions.tokens where keys[token.line] == nil {
      keys[token.line] = tokens.assertionKeys.key(in: sample.lines[token.line])
    }
    return keys
  }

  /// The pointers that a field of another meaning stands at.
  private var taken: Set<Int> {
    var taken = Set(tokens.attestations.pointers + tokens.assertions.pointers)
    taken.formUnion(tokens.attestationKeys.pointers + tokens.assertionKeys.pointers)
    if let devices = tokens.devices { taken.formUnion([devices.attestation, devices.assertion]) }
    if let deviceTokens { taken.insert(deviceTokens.pointer) }
    for role in [Role.attestation, .assertion] {
      if case .value(let pointer, _, _)? = data(role).best(sample.pointers)?.form {
        taken.insert(pointer)
      }
    }
    for field in schema.shared {
      switch field.form {
      case .pointers(let pointers, _, _): taken.formUnion(pointers)
      case .table(let pointer, _, _): taken.insert(pointer)
      case .template: break
      }
    }
    return taken
  }

  // MARK: Rules

  private mutating func findRules() {
    let excluded = taken
    schema.isRaw = isRaw
    for role in Role.allCases {
      guard let own = lines[role], !own.isEmpty else { continue }
      let rivals = Role.allCases.filter { $0 != role }.flatMap { lines[$0] ?? [] }
      let sites = tokenLines(role)?.pointers ?? challenges.form.map { [$0.pointer] } ?? []
      let search = RuleSearch(
        sample: sample, role: role, lines: own, sites: role == .deviceCheckToken ? [] : sites,
        rivals: rivals, excluded: excluded)
      let conditions = search.conditions()
      var rule = FoundRule(
        role: role, name: role.ruleName, conditions: conditions ?? [], fields: [], missing: [],
        examples: own)
      if conditions == nil {
        rule.missing.append("when: nothing tells these lines from others")
      }
      addFields(to: &rule)
      schema.rules.append(rule)
    }
    let scope = ReplayScopeChoice(
      tokens: tokens, sample: sample, issued: challenges.issued, lines: lines[.assertion] ?? [])
    schema.replayScope = scope.scope
    schema.replayReason = scope.reason
  }

  /// True where the client data of all tokens are text that is the clientDataHash itself.
  private var isRaw: Bool {
    let forms = [Role.attestation, .assertion].compactMap { data($0).best(sample.pointers)?.form }
    return !forms.isEmpty
      && forms.allSatisfy { if case .value(_, .utf8, true) = $0 { true } else { false } }
  }

  private func addFields(to rule: inout FoundRule) {
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
      if let counter = CounterSearch.find(own.tokens, sample) { rule.fields.append(counter) }
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

  // MARK: Apps

  /// Adds what the sample says of apps: what became of their requests, and which attestations verify.
  func count(in apps: inout AppSearch, anchors: [[UInt8]]) {
    let decision = schema.shared.first { $0.name == "decision" && $0.isActive }
    if let decision { apps.count(confirmedTokens, sample, decision: decision) }
    guard let (form, _) = tokens.attestationData.best(sample.pointers),
      let time = schema.shared.first(where: { $0.name == "time" }),
      case .pointers(let pointers, _, let timeForm) = time.form, let pointer = pointers.first
    else { return }
    apps.verify(tokens.attestations.tokens, anchors: anchors) { token in
      let line = sample.lines[token.line]
      guard let text = line[token.pointer]?.text, let hash = form.hash(in: line),
        let key = tokens.attestationKeys.key(in: line),
        let time = line[pointer].flatMap({ (timeForm ?? FoundTime()).milliseconds($0) }),
        let bytes = token.encoding == .hex
          ? ValueDecoder.hex(text) : ValueDecoder.base64(text)
      else { return nil }
      return AttestationFacts(
        bytes: bytes, key: key, hash: hash, time: time, decision: decision?.word(in: line))
    }
  }
}
