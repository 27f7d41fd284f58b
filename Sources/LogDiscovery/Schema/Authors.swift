import AuditLog

/// The authors of the values at pointers: the server, or the client that a line is about.
struct Authors {
  private let pointers: PointerTable
  private let tokens: Set<Int>
  /// The pointers at which most requests have their method.
  private var methods: Set<Int> = []
  private var signed: [Int] = []
  /// The objects around tokens and signed data with the method outside: the client may send them.
  private var objects: [Int] = []

  init(_ pointers: PointerTable, tokens: Set<Int>) {
    self.pointers = pointers
    self.tokens = tokens
  }

  mutating func find(_ search: TokenSearch, _ lines: [SampleLine]) {
    let counts = lines.counts { $0.kind == .string && RequestMethod.texts.contains($0.text) }
    methods = Set(counts.filter { $0.value * 2 > lines.count }.keys)
    signed = search.kinds.compactMap { $0.data.best?.pointer }
    let inside = search.kinds.flatMap { kind in
      kind.pointers + kind.data.forms.compactMap(\.form.pointer)
    }
    objects = Set(inside.flatMap(pointers.parents)).filter {
      pointers.isBeside(methods, $0)
    }
  }

  func origin(_ pointer: Int) -> Origin {
    if pointers.isOfRequest(pointer, tokens: tokens, methods: methods)
      || signed.contains(where: { pointer == $0 || pointers.isInside(pointer, $0) })
    {
      return .client
    }
    return objects.contains { pointers.isInside(pointer, $0) } ? .beside : .server
  }

  /// Returns whether a value beside the token can be a decision, by the objects around it.
  func mayDecide(_ pointer: Int) -> Bool {
    objects.allSatisfy { object in
      !pointers.isInside(pointer, object)
        || NameWords(pointers.name(object)).contains(WordLists.attestations)
    }
  }

  /// Returns a field with a warning if a client chooses its values and nothing proves them.
  func warned(_ note: FieldNote) -> FieldNote {
    let isProven = note.sureness == .certain && note.field != .serverCounter
    let least: Origin = note.field == .decision ? .client : .beside
    guard !isProven, note.field != .platform, note.field != .format,
      note.mapping.pointers.compactMap(pointers.number)
        .contains(where: { origin($0).rawValue >= least.rawValue })
    else { return note }
    var note = note
    note.what +=
      [.clientIP, .userAgent, .route].contains(note.field)
      ? ", chosen by the client, never used for judging" : ", unsafe: chosen by the client"
    return note
  }
}

extension PointerTable {
  /// Returns whether a client wrote a value of a request. `tokens` and `methods` are pointers.
  func isOfRequest(_ number: Int, tokens: Set<Int>, methods: Set<Int> = []) -> Bool {
    let path = [number] + parents(of: number)
    // An answer is the server's, but not one inside the request.
    let answer = path.lastIndex { at in
      let words = NameWords(name(at))
      return (words.contains(["resp"]) || words.isOne(["res"])) && !words.contains(["request"])
    }
    return path[(answer.map { $0 + 1 } ?? 0)...].contains { at in
      let words = NameWords(name(at))
      let text = name(at).lowercased()
      if WordLists.requestBeginnings.contains(where: text.hasPrefix),
        !WordLists.serverNames.contains(text)
      {
        return true
      }
      return at != number
        && (words.contains(["header", "hdr"])
          || words.isOne(WordLists.requestParts) && !isBodyOfRecord(at)
          || words.isOne(WordLists.bodiesOrRecords) && isBeside(methods, at)
          || words.contains(["metadata"]) && tokens.contains { isInside($0, at) })
    }
  }

  /// Returns whether pointers are outside of an object, and none of them inside.
  func isBeside(_ pointers: Set<Int>, _ object: Int) -> Bool {
    !pointers.isEmpty && pointers.allSatisfy { !isInside($0, object) }
  }

  private func isBodyOfRecord(_ number: Int) -> Bool {
    NameWords(name(number)).isOne(["body"])
      && children(parent(number)).contains { NameWords(name($0)).isOne(WordLists.recordMembers) }
  }
}
