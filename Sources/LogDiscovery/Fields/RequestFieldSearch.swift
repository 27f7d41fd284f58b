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
      best(form).map { pointer, count in
        note(form.field, FieldMapping(.pointers([pointers.pointer(pointer)])), form.what, count)
      }
    } + (duration(time).map { [$0] } ?? [])
  }

  private func note(
    _ field: LogField, _ mapping: FieldMapping, _ what: String, _ count: Int,
    _ sureness: Sureness = .likely
  ) -> FieldNote {
    FieldNote(
      field: field, mapping: mapping, what: "\(what), by their name", sureness: sureness,
      lines: count, of: lines.count)
  }

  /// Returns the pointer with the best name at which most lines have a value, and none has another
  /// one, with the number of these lines.
  private func best(_ form: Form) -> (pointer: Int, lines: Int)? {
    var counts: [Int: Int] = [:]
    var others: Set<Int> = []
    for line in lines {
      for value in line.values where value.kind != .null && rank(value.pointer, form) != nil {
        // Proxies write these for a value that is absent.
        if form.isValue(value) || value.string.isEmpty || value.string == "-" {
          counts[value.pointer, default: 0] += form.isValue(value) ? 1 : 0
        } else {
          others.insert(value.pointer)
        }
      }
    }
    let found = counts.filter { pointer, count in
      count * 2 > lines.count && !others.contains(pointer)
        && (form.isClients || !isClients(pointer))
    }
    return found.min { left, right in
      order(left.key, form) < order(right.key, form)
    }.map { ($0.key, $0.value) }
  }

  /// Returns the place of a pointer's name among those of a field, or nil if it is not among them.
  private func rank(_ pointer: Int, _ form: Form) -> Int? {
    let words = NameWords(pointers.meaning(pointer))
    return form.names.firstIndex { words.isOne([$0]) }
  }

  private func order(_ pointer: Int, _ form: Form) -> (Int, Int, Int) {
    (rank(pointer, form) ?? .max, pointers.depth(pointer), pointer)
  }

  /// Returns the duration of requests. Only of nginx it is known that the time is the end.
  private func duration(_ time: FieldNote?) -> FieldNote? {
    let form = Form(field: .duration, names: WordLists.durations.map(\.name), what: "numbers") {
      $0.isText && Double($0.string).map { $0 >= 0 && $0 < 86_400_000 } ?? false
    }
    guard let (pointer, count) = best(form), let rank = rank(pointer, form) else { return nil }
    let (name, unit) = WordLists.durations[rank]
    let timeName = NameWords(time?.mapping.pointers.first?.steps.last ?? "start")
    let isEnd = name == "requesttime" && !timeName.contains(WordLists.beginnings)
    let mapping = FieldMapping(
      .pointers([pointers.pointer(pointer)]), time: TimeForm(unit: unit == .s ? nil : unit))
    return note(
      .duration, mapping, isEnd ? "numbers" : "numbers, for a time that is the end of a request",
      count, isEnd ? .likely : .guess)
  }
}

extension String {
  /// Whether a text has the characters of an IP address, perhaps with a port, and no others.
  fileprivate var isAddress: Bool {
    (2...64).contains(utf8.count)
      && allSatisfy { $0.isHexDigit || ".:[]".contains($0) } && contains { ".:".contains($0) }
  }
}
