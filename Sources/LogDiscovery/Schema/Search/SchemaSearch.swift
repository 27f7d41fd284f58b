import AppAttest
import AuditLog

/// Puts together what the searches found on lines of one shape: rules, their conditions and fields.
struct SchemaSearch {
  let sample: LogSample
  let tokens: TokenSearch
  private(set) var schema = FoundSchema()
  /// Lines of each role, by their indexes, in rising order.
  private(set) var lines: [Role: [Int]] = [:]
  private(set) var challenges = ChallengeSearch()
  private(set) var deviceTokens: (pointer: Int, lines: [Int])?
  /// The tokens that stand where tokens belong.
  let confirmedTokens: [FoundToken]
  private let tokenPointers: Set<Int>
  /// The indexes of lines with a token, wherever it stands.
  private let withTokens: Set<Int>
  /// The indexes of lines whose tokens prove nothing, since the server rejected them.
  private let rejected: Set<Int>

  /// Searches, and where lines say what the server did, searches again without what it rejected: anybody
  /// can send requests, and have them say where a log has its keys and client data.
  ///
  /// - Parameters:
  ///   - tokens: The tokens of the sample.
  ///   - attested: Tokens of the whole log, whose keys count.
  static func search(
    _ sample: LogSample, tokens: [FoundToken], attested: [FoundToken]
  ) -> SchemaSearch {
    let first = SchemaSearch(sample, tokens: tokens, attested: attested)
    let rejected = first.rejectedLines(among: tokens)
    guard !rejected.isEmpty else { return first }
    let second = SchemaSearch(sample, tokens: tokens, attested: attested, rejected: rejected)
    return second.proves(asMuchAs: first) ? second : first
  }

  private init(
    _ sample: LogSample, tokens found: [FoundToken], attested: [FoundToken],
    rejected: Set<Int> = []
  ) {
    self.sample = sample
    self.rejected = rejected
    withTokens = Set(found.map(\.line))
    tokens = TokenSearch.find(
      found.filter { !rejected.contains($0.line) }, attested: attested, sample)
    confirmedTokens = [tokens.attestations, tokens.assertions].flatMap { own in
      own.tokens
        + found.filter { token in
          rejected.contains(token.line) && own.pointers.contains(token.pointer)
            && (token.attestation != nil) == (own.tokens.first?.attestation != nil)
        }
    }
    tokenPointers = Set(confirmedTokens.map(\.pointer))
    findLines()
    findSharedFields()
    findRules()
    schema.isDefault = DefaultForm.fits(self)
  }

  /// Returns the lines with tokens that the server rejected, as far as they say so.
  private func rejectedLines(among tokens: [FoundToken]) -> Set<Int> {
    guard let decision = schema.shared.first(where: { $0.name == "decision" && $0.isActive })
    else { return [] }
    return Set(tokens.map(\.line)).filter { decision.word(in: sample.lines[$0]) == "rejected" }
  }

  /// Returns whether a search found tokens, keys and client data for all kinds of tokens for which
  /// another one did.
  private func proves(asMuchAs other: SchemaSearch) -> Bool {
    [Role.attestation, .assertion].allSatisfy { role in
      (other.tokenLines(role)?.tokens.isEmpty ?? true || tokenLines(role)?.tokens.isEmpty == false)
        && (other.data(role).held.isEmpty || !data(role).held.isEmpty)
    } && (other.tokens.assertionKeys.pointers.isEmpty || !tokens.assertionKeys.pointers.isEmpty)
      && (other.tokens.devices == nil || tokens.devices != nil)
  }

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
      lines[role] = Set(
        confirmedTokens.filter { ($0.attestation != nil) == (role == .attestation) }.map(\.line)
      ).sorted()
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
    if let decision = DecisionSearch.find(requests, pointers, isClients: isClients) {
      schema.shared.append(decision)
    } else {
      schema.missing.append("decision: no pointer holds words for accepted and rejected")
    }
    schema.shared += PlatformSearch.find(requests)
    if let app = AppSearch.field(confirmedTokens, sample) { schema.shared.append(app) }
    if let request = IdentifierSearch.requestID(
      requests, pointers, excluding: taken, isClients: isClients)
    {
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

  /// Returns whether what stands at a pointer comes from a client: in a part of its request, or in what
  /// was signed, wherever that is written down again.
  func isClients(_ pointer: Int) -> Bool {
    if sample.pointers.isOfRequest(pointer, tokens: tokenPointers) { return true }
    return [Role.attestation, .assertion].contains { role in
      guard let form = data(role).best(sample.pointers)?.form else { return false }
      if case .value(let signed, _, _) = form,
        pointer == signed || sample.pointers.isInside(pointer, signed)
      {
        return true
      }
      return isCopied(pointer, from: form, lines[role] ?? [])
    }
  }

  /// The lines that are looked at for copies of what was signed.
  private static let copyLimit = 40

  /// Returns whether a value is one that stands under the same name in the JSON that was signed.
  private func isCopied(_ pointer: Int, from form: DataForm, _ lines: [Int]) -> Bool {
    let name = Array("\"\(sample.pointers.name(pointer))\"".utf8)
    var (seen, copied) = (0, 0)
    for index in lines where seen < Self.copyLimit {
      guard let value = sample.lines[index][pointer], !value.text.isEmpty,
        let bytes = form.bytes(in: sample.lines[index])
      else { continue }
      seen += 1
      guard let place = bytes.firstRange(of: name) else { continue }
      let rest = bytes[place.upperBound...].drop { $0 == 0x20 || $0 == 0x3A || $0 == 0x22 }
      if rest.starts(with: value.text) { copied += 1 }
    }
    return seen > 0 && copied * 10 >= seen * 9
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
      let rivals = rivals(of: role, own)
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
      tokens: tokens, sample: sample, issued: challenges.issued,
      lines: (lines[.assertion] ?? []).filter { !rejected.contains($0) })
    schema.replayScope = scope.scope
    schema.replayReason = scope.reason
  }

  /// Returns the lines of other roles. Where a few lines hold tokens of two roles they are no rivals:
  /// somebody put a token where none belongs, and both rules are to hold there.
  private func rivals(of role: Role, _ own: [Int]) -> [Int] {
    let own = Set(own)
    return Role.allCases.filter { $0 != role }.flatMap { other -> [Int] in
      let lines = lines[other] ?? []
      let alone = lines.filter { !own.contains($0) }
      return lines.count < alone.count * 2 ? alone : lines
    }
  }

  /// True where the client data of all tokens are text that is the clientDataHash itself.
  private var isRaw: Bool {
    let forms = [Role.attestation, .assertion].compactMap { data($0).best(sample.pointers)?.form }
    return !forms.isEmpty
      && forms.allSatisfy { if case .value(_, .utf8, true) = $0 { true } else { false } }
  }
}
