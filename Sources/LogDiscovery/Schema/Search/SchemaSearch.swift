import AppAttest
import AuditLog

/// The combined results of the searches on lines of one shape: rules, their conditions and fields.
struct SchemaSearch {
  let sample: LogSample
  let tokens: TokenSearch
  private(set) var draft = SchemaDraft()
  /// The indexes of the lines of each role, in rising order.
  private(set) var lines: [Role: [Int]] = [:]
  private(set) var challenges = ChallengeSearch()
  private(set) var deviceTokens: (pointer: Int, lines: [Int])?
  /// The tokens at pointers where tokens belong.
  let confirmedTokens: [FoundToken]
  let tokenPointers: Set<Int>
  /// The indexes of lines with a token, in any place.
  private let withTokens: Set<Int>
  /// Pointers of the method of the request.
  private(set) var methods: Set<Int> = []
  /// The objects that hold tokens and that clients may have sent.
  private(set) var tokenObjects: Set<Int> = []
  /// The indexes of lines whose tokens prove nothing, since the server did not accept them.
  private let unproven: Set<Int>

  /// Searches. If lines give the server's decision, searches again with only the accepted requests:
  /// anybody can send requests, give them up, and make them suggest a wrong place of keys and
  /// client data.
  ///
  /// - Parameters:
  ///   - tokens: The tokens of the sample.
  ///   - keys: The keys of the whole log, and those that are known.
  static func search(
    _ sample: LogSample, tokens: [FoundToken], keys: AttestedKeys
  ) -> SchemaSearch {
    let first = SchemaSearch(sample, tokens: tokens, keys: keys)
    let decisions = first.decisions(of: tokens)
    let rejected = Set(decisions.filter { $0.value == .rejected }.keys)
    let kinds = Dictionary(grouping: tokens, by: \.role).values.map { Set($0.map(\.line)) }
    let notAccepted = kinds.flatMap { lines in
      // If no token of a kind was accepted, those count that were not rejected, or all.
      [lines.filter { decisions[$0] != .accepted }, lines.intersection(rejected)]
        .first { $0.count < lines.count } ?? []
    }
    var tried: Set<Int> = []
    for unproven in [Set(notAccepted), rejected] where !unproven.isEmpty && unproven != tried {
      tried = unproven
      let search = SchemaSearch(sample, tokens: tokens, keys: keys, unproven: unproven)
      if search.proves(asMuchAs: first) { return search }
    }
    return first
  }

  private init(
    _ sample: LogSample, tokens found: [FoundToken], keys: AttestedKeys,
    unproven: Set<Int> = []
  ) {
    self.sample = sample
    self.unproven = unproven
    withTokens = Set(found.map(\.line))
    tokens = TokenSearch.find(
      found.filter { !unproven.contains($0.line) }, keys: keys, sample)
    confirmedTokens = tokens.kinds.flatMap { kind in
      kind.lines.tokens
        + found.filter { token in
          unproven.contains(token.line) && kind.role == token.role
            && kind.lines.pointers.contains(token.pointer)
        }
    }
    tokenPointers = Set(confirmedTokens.map(\.pointer))
    findLines()
    methods = findMethods()
    tokenObjects = findTokenObjects()
    findSharedFields()
    findRules()
    // A rule can have a condition on the place of a route.
    draft.shared += RequestFieldSearch(
      lines: requestLines, pointers: sample.pointers, isClients: isClients
    ).find(time: draft.shared.first { $0.field == .time && $0.isActive })
    draft.shared = draft.shared.map(warned)
    draft.hasPrefix = withTokens.contains { sample.lines[$0].hasPrefix }
    draft.isDefault = DefaultForm.fits(self)
  }

  /// Returns the server's decisions on the lines with tokens, as far as the lines give them.
  private func decisions(of tokens: [FoundToken]) -> [Int: Decision] {
    guard let audit = SampleAudit(draft.schema(of: sample)) else { return [:] }
    return Dictionary(
      Set(tokens.map(\.line)).map { ($0, audit.decision(sample.lines[$0])) },
      uniquingKeysWith: { $1 })
  }

  /// Returns whether a search found tokens, keys and client data for all kinds of tokens for which
  /// another search did.
  private func proves(asMuchAs other: SchemaSearch) -> Bool {
    zip(tokens.kinds, other.tokens.kinds).allSatisfy { own, other in
      (other.lines.tokens.isEmpty || !own.lines.tokens.isEmpty)
        && (other.data.held.isEmpty || !own.data.held.isEmpty)
    }
      && (other.tokens.assertions.keys.pointers.isEmpty
        || !tokens.assertions.keys.pointers.isEmpty)
      && (other.tokens.devices == nil || tokens.devices != nil)
  }

  /// The indexes of the lines that an audit would take for requests with tokens.
  var requests: Set<Int> { Set([.attestation, .assertion].flatMap { lines[$0] ?? [] }) }

  /// The lines that an audit would take for requests with tokens.
  var requestLines: [SampleLine] { samples([.attestation, .assertion]) }

  // MARK: Lines

  private mutating func findLines() {
    for kind in tokens.kinds {
      lines[kind.role] = Set(confirmedTokens.filter { $0.role == kind.role }.map(\.line)).sorted()
      guard let form = kind.form(sample.pointers) else { continue }
      for bytes in samples([kind.role]).lazy.compactMap(form.bytes) {
        challenges.note(bytes, isHash: form.isHash)
      }
    }
    let bodies = tokens.assertions.data.forms(sample.pointers).compactMap(\.form.pointer)
    challenges.search(sample, excluding: withTokens, pointers: Set(bodies))
    if let pointer = challenges.form?.pointer {
      // Challenges that nobody used count as well.
      lines[.challenge] = sample.lines.indices.filter {
        !withTokens.contains($0) && sample.lines[$0][pointer].map(ChallengeSearch.isLong) == true
      }
    }
    deviceTokens = IdentifierSearch.deviceTokens(sample, excluding: withTokens)
    lines[.deviceCheckToken] = deviceTokens?.lines ?? []
  }

  /// Returns the indexes of the lines of some roles, in rising order.
  private func indexes(_ roles: [Role]) -> [Int] {
    Set(roles.flatMap { lines[$0] ?? [] }).sorted()
  }

  private func samples(_ roles: [Role]) -> [SampleLine] {
    indexes(roles).map { sample.lines[$0] }
  }

  // MARK: Fields of all rules

  private mutating func findSharedFields() {
    let indexes = indexes([.attestation, .assertion, .challenge])
    let events = indexes.map { sample.lines[$0] }
    let requests = requestLines
    guard !events.isEmpty else { return }
    let (pointers, origin) = (sample.pointers, self)
    func time(_ sample: LogSample) -> FieldNote? {
      TimeSearch.find(
        indexes.map { sample.lines[$0] }, pointers,
        clock: TokenClock(tokens.attestations.lines.tokens, sample),
        isClients: isClients, isBesideToken: isBesideToken)
    }
    let found = time(sample) ?? TimeSearch.ofTwoFields(sample, events, find: time)
    add(
      found.map { [$0] } ?? [],
      orMissing: "time: no pointer has a time on nearly every line that can be read"
        + (TimeSearch.lookalike(events, pointers).map { "; \($0)" } ?? ""))
    add(
      first(
        { DecisionSearch.find(requests, pointers, isClients: $0) },
        among: [isClientsOrBeside, { origin.isClients($0) || !origin.mayDecide($0) }]),
      orMissing: "decision: no pointer has words for accepted and rejected")
    draft.shared += IdentifierSearch.platforms(requests, pointers)
    if let app = AppSearch.field(confirmedTokens, sample) { draft.shared.append(app) }
    let excluded = taken
    add(
      first(
        { IdentifierSearch.requestID(requests, pointers, excluding: excluded, isClients: $0) },
        among: [isClientsOrBeside, isClients]),
      orMissing: "requestId: no pointer has a separate text on nearly every line")
    add(
      IdentifierSearch.subject(keysOfLines, sample, excluding: taken),
      orMissing: "subject: no pointer has a text that repeats with the key")
  }

  private mutating func add(_ notes: [FieldNote], orMissing text: @autoclosure () -> String) {
    draft.shared += notes
    if notes.isEmpty { draft.missing.append(text()) }
  }

  /// The key of every line that has a known one.
  private var keysOfLines: [Int: Digest256] {
    var keys = tokens.verifiedKeys
    for token in tokens.attestations.lines.tokens { keys[token.line] = token.attestation?.keyID }
    for token in tokens.assertions.lines.tokens where keys[token.line] == nil {
      keys[token.line] = tokens.assertions.keys.key(in: sample.lines[token.line])
    }
    return keys
  }

  /// The pointers that hold a field of another meaning.
  private var taken: Set<Int> {
    let forms = tokens.kinds.compactMap { $0.form(sample.pointers) }
    let devices = tokens.devices.map { [$0.attestation, $0.assertion] } ?? []
    let shared = draft.shared.filter(\.isActive).flatMap(\.mapping.pointers)
    return Set(
      tokens.kinds.flatMap { $0.lines.pointers + $0.keys.pointers } + devices
        + forms.compactMap(\.pointer)
        + shared.compactMap(sample.pointers.number)
        + (deviceTokens.map { [$0.pointer] } ?? []))
  }

  // MARK: Rules

  private mutating func findRules() {
    let excluded = taken
    draft.formation = isRaw ? .raw : .sha256
    for role in Role.allCases {
      guard let own = lines[role], !own.isEmpty else { continue }
      let sites = tokens[role]?.lines.pointers ?? challenges.form.map { [$0.pointer] } ?? []
      let search = RuleSearch(
        sample: sample, role: role, lines: own, sites: role == .deviceCheckToken ? [] : sites,
        rivals: rivals(of: role, own), excluded: excluded)
      let test = role.hasToken && sharesLines ? search.tokenTest() : nil
      if test != nil { draft.usesEachRule = true }
      let conditions = test.map { [$0] } ?? search.conditions()
      var rule = RuleDraft(
        role: role, name: role.ruleName, conditions: conditions ?? [], examples: own)
      if conditions == nil {
        rule.missing.append("when: no condition distinguishes these lines from others")
      }
      addFields(to: &rule)
      draft.rules.append(rule)
    }
    draft.replays = ReplayScopeChoice(
      tokens.assertions.form(sample.pointers), sample, issued: challenges.issued,
      lines: tokens.verifiedKeys.keys.filter { !unproven.contains($0) }.sorted())
  }

  /// Whether most lines with tokens of one kind have a token of the other kind, too.
  private var sharesLines: Bool {
    let (attestations, assertions) = (lines[.attestation] ?? [], lines[.assertion] ?? [])
    let shared = Set(attestations).intersection(assertions).count
    return shared * 2 > min(attestations.count, assertions.count)
  }

  /// Returns the lines of other roles. If a few lines hold tokens of two roles, they are not
  /// counted: somebody put a token in the wrong place, and both rules must apply there.
  private func rivals(of role: Role, _ own: [Int]) -> [Int] {
    let own = Set(own)
    return Role.allCases.filter { $0 != role }.flatMap { other -> [Int] in
      let lines = lines[other] ?? []
      let alone = lines.filter { !own.contains($0) }
      return lines.count < alone.count * 2 ? alone : lines
    }
  }

  /// Whether the client data of all tokens are text that is the clientDataHash itself.
  private var isRaw: Bool {
    let forms = tokens.kinds.compactMap { $0.form(sample.pointers) }
    return !forms.isEmpty
      && forms.allSatisfy { $0.pointer != nil && $0.change.encoding == .utf8 && $0.isHash }
  }
}
