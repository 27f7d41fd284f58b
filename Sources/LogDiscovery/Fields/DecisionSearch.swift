/// Looks for what the server did with requests: a pointer with few different values, all of them
/// words for it.
enum DecisionSearch {
  /// More different values than this are no decision.
  private static let valueLimit = 12
  /// A value on fewer than one line in so many does not count.
  private static let strayShare = 50
  /// A pointer has to hold one on this share of the lines.
  private static let leastShare = 0.5

  private static let accepted: Set<String> = [
    "accepted", "accept", "ok", "okay", "allow", "allowed", "pass", "passed", "success",
    "succeeded", "valid", "verified", "approved", "granted", "yes",
  ]
  private static let rejected: Set<String> = [
    "rejected", "reject", "denied", "deny", "block", "blocked", "fail", "failed", "failure",
    "invalid", "refused", "forbidden", "unauthorized", "unverified", "error", "no",
  ]
  /// Names of members that hold a decision.
  private static let names = [
    "decision", "outcome", "status", "result", "verdict", "statuscode", "responsecode", "code",
    "action", "allowed", "accepted", "verified", "valid", "ok", "success", "authorized",
    "blocked", "rejected", "denied",
  ]
  /// Names of which `true` means that the request was turned away.
  private static let negativeNames = ["blocked", "rejected", "denied", "failed", "error"]

  /// The field `decision` of `lines`; nil where nothing is one.
  static func find(_ lines: [SampleLine], _ pointers: PointerTable) -> FoundField? {
    var counts: [Int: [String: Int]] = [:]
    var kinds: [Int: SampleValue.Kind] = [:]
    for line in lines {
      for value in line.values {
        switch value.kind {
        case .string, .number, .boolean: break
        case .null, .object, .array: continue
        }
        let text = value.text.count <= 32 ? value.string : ""
        if counts[value.pointer]?.count ?? 0 <= valueLimit {
          counts[value.pointer, default: [:]][text, default: 0] += 1
        }
        kinds[value.pointer] = value.kind
      }
    }
    var best: (field: FoundField, score: Double)?
    for (pointer, values) in counts.sorted(by: { $0.key < $1.key }) {
      guard values.count <= valueLimit, let kind = kinds[pointer] else { continue }
      let name = NameWords(pointers.meaning(pointer))
      let total = values.values.reduce(0, +)
      // A word that stands once or twice may be somebody's mischief.
      let frequent = values.filter { $0.value * strayShare > total }
      guard let table = table(frequent.keys.sorted(), kind, name) else { continue }
      let share = Double(total) / Double(max(1, lines.count))
      guard share >= leastShare else { continue }
      let score =
        share + (name.isOne(names) ? 1 : name.ends(names) ? 0.5 : 0)
        + (kind == .string ? 0.2 : 0) - 0.05 * Double(pointers.depth(pointer))
      if score <= best?.score ?? 0 { continue }
      let seen = values.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
        .map { "\($0.key) on \($0.value)" }.joined(separator: ", ")
      best = (
        FoundField(
          name: "decision",
          form: .table(
            pointer, table, otherwise: table.first?.text == "2xx" ? "unknown" : nil), what: seen,
          sureness: name.ends(names) ? .likely : .guess, lines: total, of: lines.count), score
      )
    }
    return best?.field
  }

  /// The table that a pointer's values make; nil where one of them is no word for a decision.
  private static func table(
    _ values: [String], _ kind: SampleValue.Kind, _ name: NameWords
  ) -> [(text: String, word: String)]? {
    if values.allSatisfy(isStatus) {
      return [("2xx", "accepted"), ("4xx", "rejected")] + givenUp.map { ($0, "unknown") }
    }
    if kind == .boolean {
      guard name.ends(names) else { return nil }
      let isNegative = name.ends(negativeNames)
      return [
        ("true", isNegative ? "rejected" : "accepted"),
        ("false", isNegative ? "accepted" : "rejected"),
      ]
    }
    guard kind == .string else { return nil }
    var table: [(text: String, word: String)] = []
    for value in values {
      let word = value.lowercased()
      if accepted.contains(word) {
        table.append((value, "accepted"))
      } else if rejected.contains(word) {
        table.append((value, "rejected"))
      } else if value.isEmpty || word == "unknown" {
        continue
      } else {
        return nil
      }
    }
    return table.isEmpty ? nil : table
  }

  /// The statuses of requests that the client gave up, by its own will: the server may have gone on.
  private static let givenUp = ["408", "444", "460", "499"]

  /// Returns whether a text is an HTTP status.
  private static func isStatus(_ text: String) -> Bool {
    text.count == 3 && Int(text).map { (100...599).contains($0) } ?? false
  }
}
