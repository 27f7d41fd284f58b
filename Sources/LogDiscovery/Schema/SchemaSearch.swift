import AppAttest
import AuditLog

/// The combined results of the searches on lines of one shape: rules, their conditions and fields.
struct SchemaSearch {
  let sample: LogSample
  let tokens: TokenSearch
  private(set) var draft = SchemaDraft()
  /// The tokens at pointers where tokens belong.
  let confirmedTokens: [FoundToken]
  /// The indexes of the lines of each role, in rising order.
  private var lines: [Role: [Int]] = [:]
  private var challenges = ChallengeSearch()
  private var deviceTokens: (pointer: Int, lines: [Int])?
  /// The indexes of lines with a token, in any place.
  private let withTokens: Set<Int>
  private var authors: Authors
  /// The indexes of lines whose tokens prove nothing, since the server did not accept them.
  private let unproven: Set<Int>

  /// Searches all tokens of the sample. If no conditions distinguish their kinds, searches again without
  /// the tokens in places of the other kind: a few of them must not hide the rules of all others.
  /// `keys` are the public keys of the whole log and those that are known.
  static func search(
    _ sample: LogSample, tokens: [FoundToken], keys: [Digest256: [UInt8]]
  ) -> SchemaSearch {
    let all = proven(sample, tokens: tokens, keys: keys)
    let own = FoundTokens.ofOwnPlaces(tokens)
    guard !all.draft.isDistinct, own.count < tokens.count else { return all }
    let search = proven(sample, tokens: own, keys: keys)
    return search.draft.isDistinct ? search : all
  }

  /// Searches tokens, and if there are decisions again with only accepted requests: anybody can send
  /// others, and make them suggest a wrong place.
  private static func proven(
    _ sample: LogSample, tokens: [FoundToken], keys: [Digest256: [UInt8]]
  ) -> SchemaSearch {
    let first = SchemaSearch(sample, tokens: tokens, keys: keys)
    guard let audit = SampleAudit(first.draft.schema(of: sample)) else { return first }
    let decisions = Dictionary(
      tokens.map { ($0.line, audit.decision(sample.lines[$0.line])) }, uniquingKeysWith: { $1 })
    let unproven = Dictionary(grouping: tokens, by: \.role).values.flatMap { tokens -> [Int] in
      let lines = Set(tokens.map(\.line))
      // If no token of a kind was accepted, those count that were not rejected, or all.
      return [
        lines.filter { decisions[$0] != .accepted }, lines.filter { decisions[$0] == .rejected },
      ]
      .first { $0.count < lines.count }.map(Array.init) ?? []
    }
    guard !unproven.isEmpty else { return first }
    let search = SchemaSearch(sample, tokens: tokens, keys: keys, unproven: Set(unproven))
    return search.proves(asMuchAs: first) ? search : first
  }

  private init(
    _ sample: LogSample, tokens found: [FoundToken], keys: [Digest256: [UInt8]],
    unproven: Set<Int> = []
  ) {
    self.sample = sample
    self.unproven = unproven
    withTokens = Set(found.map(\.line))
    tokens = TokenSearch.find(found.filter { !unproven.contains($0.line) }, keys: keys, sample)
    confirmedTokens = tokens.kinds.flatMap { kind in
      kind.tokens
        + found.filter {
          unproven.contains($0.line) && kind.role == $0.role && kind.pointers.contains($0.pointer)
        }
    }
    authors = Authors(sample.pointers, tokens: Set(confirmedTokens.map(\.pointer)))
    findLines()
    authors.find(tokens, requestLines)
    findSharedFields()
    draft.hasPrefix = withTokens.contains { sample.lines[$0].hasPrefix }
    draft.isDefault = isDefaultForm
    draft.repetition = repetition
  }

  /// Returns whether a search proved all kinds of tokens that another search did.
  private func proves(asMuchAs other: SchemaSearch) -> Bool {
    zip(tokens.kinds, other.tokens.kinds).allSatisfy { own, other in
      (other.tokens.isEmpty || !own.tokens.isEmpty)
        && (other.data.held.isEmpty || !own.data.held.isEmpty)
        && (other.role == .attestation || other.keys.pointers.isEmpty || !own.keys.pointers.isEmpty)
    } && (other.tokens.devices == nil || tokens.devices != nil)
  }

  // MARK: Lines

  /// The indexes of the lines that an audit would take for requests with tokens.
  var requests: [Int] { indexes([.attestation, .assertion]) }

  var requestLines: [SampleLine] { requests.map { sample.lines[$0] } }

  /// These lines, each request once however often its line was delivered.
  private var distinctRequests: [SampleLine] {
    let places = tokens.kinds.flatMap(\.pointers)
    var seen: Set<[ArraySlice<UInt8>]> = []
    return requestLines.filter { line in
      seen.insert(places.compactMap { line[$0]?.text }).inserted
    }
  }

  /// The number of lines that each request has, and a condition that chooses one of them, or nil if that is not so.
  private var repetition: (lines: Int, condition: SchemaCondition)? {
    let places = tokens.kinds.flatMap(\.pointers)
    func request(_ line: SampleLine) -> [ArraySlice<UInt8>] { places.compactMap { line[$0]?.text } }
    let requests = Dictionary(grouping: requestLines, by: request)
    guard requests.count > 2, let first = requestLines.first.flatMap({ requests[request($0)] }),
      first.count > 1, requests.values.allSatisfy({ $0.count == first.count })
    else { return nil }
    func texts(_ lines: [SampleLine], _ pointer: Int) -> Set<ArraySlice<UInt8>> {
      Set(lines.compactMap { $0[pointer]?.text })
    }
    return first[first.count - 1].values.first { value in
      let own = texts(first, value.pointer)
      return value.kind == .string && own.count == first.count && !taken.contains(value.pointer)
        && requests.values.allSatisfy { texts($0, value.pointer) == own }
    }.map { value in
      (
        first.count,
        SchemaCondition([sample.pointers.pointer(value.pointer)], .isOne(of: [value.string]))
      )
    }
  }

  private func indexes(_ roles: [Role]) -> [Int] {
    Set(roles.flatMap { lines[$0, default: []] }).sorted()
  }

  private mutating func findLines() {
    for kind in tokens.kinds {
      lines[kind.role] = Set(confirmedTokens.filter { $0.role == kind.role }.map(\.line)).sorted()
      guard let form = kind.data.best else { continue }
      for bytes in indexes([kind.role]).compactMap({ form.bytes(in: sample.lines[$0]) }) {
        challenges.note(bytes, isHash: form.isHash)
      }
    }
    let bodies = tokens.assertions.data.forms.compactMap(\.form.pointer)
    challenges.search(sample, excluding: withTokens, pointers: Set(bodies))
    let others = sample.lines.indices.filter { !withTokens.contains($0) }
    if let pointer = challenges.form?.pointer {
      // Challenges that nobody used count as well.
      lines[.challenge] = others.filter {
        sample.lines[$0][pointer].map(ChallengeSearch.isLong) == true
      }
    }
    let devices = others.map { sample.lines[$0] }.counts(where: isDeviceToken).most
    deviceTokens = devices.map { pointer, _ in
      (pointer, others.filter { sample.lines[$0][pointer].map(isDeviceToken) ?? false })
    }
    lines[.deviceCheckToken] = deviceTokens?.lines ?? []
  }

  /// Returns whether a value is long base64 that is no CBOR map, under a name for DeviceCheck tokens.
  private func isDeviceToken(_ value: SampleValue) -> Bool {
    // A push token has 32 bytes.
    guard value.kind == .string, value.text.count > 33,
      sample.pointers.meaning(value.pointer).ends(WordLists.deviceTokens),
      let bytes = ValueDecoder.base64(value.text)
    else { return false }
    return bytes.count > 32 && bytes[0] >> 5 != 5
  }

  // MARK: Fields of all rules

  private mutating func findSharedFields() {
    let pointers = sample.pointers
    let authors = authors
    let events = indexes([.attestation, .assertion, .challenge])
    guard !events.isEmpty else { return findRules() }
    let keys = keysOfLines
    func timeSearch(_ sample: LogSample) -> TimeSearch {
      TimeSearch(
        lines: events.map { sample.lines[$0] }, pointers: pointers,
        clock: TokenClock(tokens, keys, sample), origin: authors.origin)
    }
    let times = timeSearch(sample)
    let time = times.find() ?? times.ofTwoFields(sample) { timeSearch($0).find() }
    add(
      time.map { [$0] } ?? [],
      orMissing: "time: no pointer has a time on nearly every line that can be read"
        + (times.lookalike.map { "; \($0)" } ?? ""))
    let fields = FieldSearch(requestLines, pointers, origin: authors.origin)
    add(
      undisputed(fields.decisions(isAllowed: authors.mayDecide)),
      orMissing: "decision: no pointer has words for accepted and rejected")
    draft.shared += fields.named([.platform, .format])
    if let app = AppSearch.field(confirmedTokens, sample) { draft.shared.append(app) }
    add(
      FieldSearch(distinctRequests, pointers, origin: authors.origin).requestID(excluding: taken),
      orMissing: "requestId: no pointer has a separate text on nearly every line")
    add(
      fields.subject(keys, sample, excluding: taken),
      orMissing: "subject: no pointer has a text that repeats with the key")
    findRules()
    // A rule can have a condition on the place of a route.
    add(
      fields.named([.clientIP]),
      orMissing: "clientIP: no pointer has addresses on most lines, so that findings have none")
    draft.shared += fields.named([.userAgent, .route, .duration], time: time)
    draft.shared = draft.shared.map(authors.warned)
  }

  /// Returns candidates for the decision of which the first is a guess if it rejects requests that another accepts: the
  /// server may not have enforced it (`records.R96`).
  private func undisputed(_ notes: [FieldNote]) -> [FieldNote] {
    let decisions = notes.map { note -> [Decision] in
      let rule = SchemaRule(
        name: "any", kind: .fixed(.assertion), fields: [.decision: note.mapping])
      let schema = sample.schema([rule], skipsPrefix: requestLines.contains(where: \.hasPrefix))
      return SampleAudit(schema).map { requestLines.map($0.decision) } ?? []
    }
    guard let first = notes.first, first.isActive else { return notes }
    for (note, others) in zip(notes, decisions).dropFirst() {
      let count = zip(decisions[0], others).count { $0 == .rejected && $1 == .accepted }
      guard count > 0, let place = note.mapping.pointers.first else { continue }
      var disputed = first
      disputed.sureness = .guess
      disputed.what += "; \(place.text) says that \(count) of the rejected requests were accepted"
      return [disputed] + notes.dropFirst()
    }
    return notes
  }

  private mutating func add(_ notes: [FieldNote], orMissing text: @autoclosure () -> String) {
    draft.shared += notes
    if notes.isEmpty { draft.missing.append(text()) }
  }

  /// The key of every line that has a known one.
  private var keysOfLines: [Int: Digest256] {
    var keys = tokens.verifiedKeys
    for token in tokens.attestations.tokens { keys[token.line] = token.keyID }
    for token in tokens.assertions.tokens where keys[token.line] == nil {
      keys[token.line] = tokens.assertions.keys.key(in: sample.lines[token.line])
    }
    return keys
  }

  /// The pointers that hold a field of another meaning.
  private var taken: Set<Int> {
    let devices = tokens.devices.map { [$0.attestation, $0.assertion] } ?? []
    let shared = draft.shared.filter(\.isActive).flatMap(\.mapping.pointers)
    return Set(
      tokens.kinds.flatMap { kind in
        kind.pointers + kind.keys.pointers + (kind.data.best?.pointer.map { [$0] } ?? [])
      } + devices + shared.compactMap(sample.pointers.number)
        + (deviceTokens.map { [$0.pointer] } ?? []))
  }

  // MARK: Rules

  private mutating func findRules() {
    let excluded = taken
    draft.formation = isRaw ? .raw : .sha256
    let (attestations, assertions) = (indexes([.attestation]), indexes([.assertion]))
    // Most lines with tokens of one kind have a token of the other kind, too.
    let sharesLines =
      Set(attestations).intersection(assertions).count * 2
      > min(attestations.count, assertions.count)
    for role in Role.allCases {
      let own = indexes([role])
      guard !own.isEmpty else { continue }
      let sites = tokens[role]?.pointers ?? challenges.form.map { [$0.pointer] } ?? []
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
      tokens.assertions.data.best, sample, issued: challenges.issued,
      lines: tokens.verifiedKeys.keys.filter { !unproven.contains($0) }.sorted())
  }

  /// Returns the lines of other roles. If a few lines hold tokens of two roles, they are not
  /// counted: somebody put a token in the wrong place, and both rules must apply there.
  private func rivals(of role: Role, _ own: [Int]) -> [Int] {
    let own = Set(own)
    return Role.allCases.filter { $0 != role }.flatMap { other -> [Int] in
      let lines = indexes([other])
      let alone = lines.filter { !own.contains($0) }
      return lines.count < alone.count * 2 ? alone : lines
    }
  }

  /// Whether the client data of all tokens are text that is the clientDataHash itself.
  private var isRaw: Bool {
    let forms = tokens.kinds.compactMap { $0.data.best }
    return !forms.isEmpty
      && forms.allSatisfy { $0.pointer != nil && $0.change.encoding == .utf8 && $0.isHash }
  }

  private func addFields(to rule: inout RuleDraft) {
    let pointers = sample.pointers
    if let kind = tokens[rule.role] { return addFields(of: kind, to: &rule) }
    if rule.role == .challenge, let (pointer, encoding) = challenges.form {
      rule.notes.append(
        FieldNote(
          field: .challenge,
          mapping: pointers.mapping([pointer], encoding: encoding == .utf8 ? nil : encoding),
          what: "\(encoding.rawValue), used by other lines", lines: challenges.lines,
          of: rule.examples.count))
    } else if let deviceTokens {
      rule.notes.append(
        FieldNote(
          field: .token, mapping: pointers.mapping([deviceTokens.pointer]),
          what: "base64, by its name a DeviceCheck token", sureness: .likely,
          lines: deviceTokens.lines.count,
          of: rule.examples.count))
    }
  }

  private func addFields(of kind: TokenKind, to rule: inout RuleDraft) {
    let pointers = sample.pointers
    let (keys, count) = (kind.keys, kind.tokens.count)
    let isAttestation = rule.role == .attestation
    if !keys.pointers.isEmpty {
      rule.notes.append(
        FieldNote(
          field: .keyId, mapping: pointers.mapping(keys.pointers),
          what: isAttestation
            ? "SHA-256 of the attested public key" : "identifiers of attested keys",
          lines: keys.matches, of: count))
    } else if isAttestation || tokens.devices == nil {
      rule.missing.append(
        "keyId: no text of 32 bytes is the identifier of an attested key"
          + (isAttestation ? "; have the server log the one that the app sends with it" : ""))
      if tokens.keys.isEmpty, let guess = KeySearch.guess(kind.tokens, sample) {
        rule.notes.append(
          FieldNote(
            field: .keyId, mapping: pointers.mapping([guess.pointer]),
            what: "32 bytes, but no attestation here says of which key; --keys FILE names the keys",
            sureness: .guess, lines: guess.count, of: count))
      }
    }
    if let devices = tokens.devices {
      rule.notes.append(
        FieldNote(
          field: .deviceId,
          mapping: pointers.mapping([isAttestation ? devices.attestation : devices.assertion]),
          what: "names the attestation whose key signed", lines: tokens.deviceHits,
          of: tokens.assertions.data.examined))
    }
    rule.notes.append(
      FieldNote(
        field: .token,
        mapping: pointers.mapping(kind.pointers, encoding: kind.form == .hex ? .hex : nil),
        what: "\(kind.form.rawValue), CBOR "
          + (isAttestation ? "attestation objects" : "assertions"), lines: count, of: count))
    addData(kind.data, to: &rule)
    guard !isAttestation else { return }
    rule.notes += FieldSearch([], pointers, origin: authors.origin)
      .serverCounter(kind.tokens, sample).map(authors.warned)
  }

  private func addData(_ search: DataSearch, to rule: inout RuleDraft) {
    let forms = search.forms
    let lost = LostBytes(sample: sample, lines: requestLines)
    let complaint = lost.complaint(search, forms)
    if let complaint {
      rule.missing.append(complaint)
    } else if forms.isEmpty {
      rule.missing.append(
        (rule.role == .attestation ? "challenge" : "clientData")
          + ": no value, and no text put together from values, makes "
          + (rule.role == .attestation ? "the nonce of a leaf valid" : "a signature valid")
          + lost.hint)
    } else {
      let lines = rule.examples.spread(400).map { sample.lines[$0] }
      let fields = DataFields(
        forms, in: lines, role: rule.role, of: search.examined, isRaw: draft.formation == .raw,
        sample.pointers)
      rule.notes += fields.fields
      rule.missing += fields.left
      if fields.left.isEmpty, let (form, count) = search.others(than: fields.assigned) {
        rule.missing.append(
          "client data of \(count) further lines: \(form.words(sample.pointers)) makes the "
            + (rule.role == .attestation ? "nonce valid" : "signature valid"))
        // Fewer may be forged.
        if count > max(1, search.examined / 50) { rule.unproven = count }
      }
    }
    let data: Set<LogField> = [.challenge, .payload, .clientData, .clientDataHash]
    rule.lacksData = search.examined >= 3 && !rule.notes.contains { data.contains($0.field) }
  }

  // MARK: The default schema

  /// Whether every field that was found is at the place where the default schema expects it, and
  /// four of five lines with tokens read as its records (`records.R12`).
  private var isDefaultForm: Bool {
    var schema = LogSchema.standard
    schema.skipsPrefix = draft.hasPrefix
    guard draft.formation == .sha256, tokens.devices == nil, sample.records.isEmpty, !isMisnamed,
      let audit = SampleAudit(schema), draft.rules.contains(where: { $0.role.hasToken }),
      draft.shared.contains(where: { $0.field == .time }),
      draft.rules.allSatisfy({ $0.role != .deviceCheckToken && !$0.lacksData }),
      (draft.rules.flatMap(\.notes) + draft.shared).allSatisfy({
        $0.isActive ? isDefault($0) : $0.field != .decision || !isDefault($0)
      })
    else { return false }
    let lines = Set(tokens.kinds.flatMap(\.tokens).map(\.line))
    return lines.count { audit.reads(sample.lines[$0]) } * 5 >= lines.count * 4
      && others(audit) * 100 <= sample.lines.count
  }

  /// Whether a field of the default schema has another meaning on most requests, by its values.
  private var isMisnamed: Bool {
    let lines = distinctRequests
    func values(_ field: LogField) -> [SampleValue] {
      sample.pointers.number(of: JSONPointer([field.name])).map { pointer in
        lines.compactMap { $0[pointer] }.filter { $0.kind != .null }
      } ?? []
    }
    let identifiers = values(.requestId)
    let repeats =
      identifiers.count >= 3
      && Set(identifiers.map(\.text)).count * 10 < identifiers.count * 8
    let notes = draft.shared + draft.rules.flatMap(\.notes)
    return repeats
      || [.platform, .format, .appId].contains { field in
        values(field).count * 2 > lines.count && !notes.contains { $0.field == field }
      }
  }

  /// Returns the number of lines that would be findings, although they have none of the fields of a request.
  private func others(_ audit: SampleAudit) -> Int {
    let fields: [LogField] = [
      .kind, .keyId, .token, .challenge, .payload, .clientData, .clientDataHash,
    ]
    let places = fields.compactMap { sample.pointers.number(of: JSONPointer([$0.name])) }
    return sample.lines.count { line in
      guard !places.contains(where: { line[$0] != nil }), case .reject = audit.read(line) else {
        return false
      }
      return true
    }
  }

  private func isDefault(_ note: FieldNote) -> Bool {
    let mapping = note.mapping
    guard case .pointers(let places) = mapping.source, mapping.time.pattern == nil,
      mapping.time.zone == nil, [nil, .s, .ms].contains(mapping.time.unit),
      mapping.values?.entries.allSatisfy({ $0.value == $0.word }) ?? true
    else { return false }
    let field: LogField
    switch (note.field, mapping.encoding) {
    // A field with a single form is named by its purpose and not by its encoding.
    case (.clientData, .utf8): field = .payload
    case (.challenge, .base64): field = .clientData
    case (_, nil), (.clientDataHash, .hex), (.clientDataHash, .base64): field = note.field
    default: return false
    }
    return places == [JSONPointer([field.name])]
  }
}
