import AuditLog

/// A search for what lines say of a request besides its token: where it came from, what it was for,
/// and how long it took (`records.R91`, `records.R92`). Nothing proves these, so their names decide.
struct RequestFieldSearch {
  /// A field, the names that logs have for it, the best first, and its values in a word.
  private struct Form: Sendable {
    let field: LogField
    let names: [String]
    let what: String
    /// Whether a client's own word counts, too.
    var isClients = false
    let isValue: @Sendable (SampleValue) -> Bool
  }

  private static let forms = [
    Form(field: .clientIP, names: WordLists.clientIPs, what: "addresses") {
      $0.kind == .string && $0.string.isAddress
    },
    Form(field: .userAgent, names: WordLists.userAgents, what: "texts", isClients: true) {
      $0.kind == .string
    },
    Form(field: .route, names: WordLists.routes, what: "paths") {
      $0.kind == .string && ($0.text.first == UInt8(ascii: "/") || $0.string.contains("://"))
    },
    Form(field: .duration, names: WordLists.durations.map(\.name), what: "numbers") {
      $0.isText && Double($0.string).map { $0 >= 0 && $0 < 86_400_000 } ?? false
    },
  ]

  let lines: [SampleLine]
  let pointers: PointerTable
  /// Returns whether a client writes the value at a pointer.
  let isClients: (Int) -> Bool

  /// Returns the fields that most lines have.
  ///
  /// - Parameter time: The field `time`, whose name tells whether it is the end of a request.
  func find(time: FieldNote?) -> [FieldNote] {
    Self.forms.compactMap { form in
      guard let (pointer, count) = best(form), let rank = rank(pointer, form) else { return nil }
      var note = FieldNote(
        form.field, pointers.mapping(pointer), "\(form.what), by their name", .likely, on: count,
        of: lines.count)
      if form.field == .duration { complete(&note, WordLists.durations[rank], time) }
      return note
    }
  }

  /// Returns the pointer with the best name at which most lines have a value, and none has another
  /// one, with the number of these lines.
  private func best(_ form: Form) -> (pointer: Int, lines: Int)? {
    let named = lines.counts { $0.kind != .null && rank($0.pointer, form) != nil }
    let valid = lines.counts { named[$0.pointer] != nil && form.isValue($0) }
    // Proxies write these for a value that is absent.
    let absent = lines.counts { value in
      named[value.pointer] != nil && value.kind != .null && !form.isValue(value)
        && (value.text.isEmpty || value.string == "-")
    }
    return valid.filter { pointer, count in
      count * 2 > lines.count && count + absent[pointer, default: 0] == named[pointer]
        && (form.isClients || !isClients(pointer))
    }.min { left, right in
      order(left.key, form) < order(right.key, form)
    }.map { ($0.key, $0.value) }
  }

  /// Returns the place of a pointer's name among those of a field, or nil if it is not among them.
  private func rank(_ pointer: Int, _ form: Form) -> Int? {
    let words = pointers.meaning(pointer)
    return form.names.firstIndex { words.isOne([$0]) }
  }

  private func order(_ pointer: Int, _ form: Form) -> (Int, Int, Int) {
    (rank(pointer, form) ?? .max, pointers.depth(pointer), pointer)
  }

  /// Adds the unit of a duration. Only of nginx it is known that the time is the end.
  private func complete(
    _ note: inout FieldNote, _ duration: (name: String, unit: TimeUnit), _ time: FieldNote?
  ) {
    note.mapping.time.unit = duration.unit == .s ? nil : duration.unit
    let timeName = NameWords(time?.mapping.pointers.first?.steps.last ?? "start")
    guard duration.name != "requesttime" || timeName.contains(WordLists.beginnings) else { return }
    note.what = "numbers, for a time that is the end of a request, by their name"
    note.sureness = .guess
  }
}

extension String {
  /// Whether a text has the characters of an IP address, perhaps with a port, and no others.
  fileprivate var isAddress: Bool {
    (2...64).contains(utf8.count)
      && allSatisfy { $0.isHexDigit || ".:[]".contains($0) } && contains { ".:".contains($0) }
  }
}
