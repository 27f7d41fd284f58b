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
  ///
  /// - Parameter isClients: Whether a client writes what stands at a pointer: who attacks would write
  ///   there that the server turned the attack away.
  static func find(
    _ lines: [SampleLine], _ pointers: PointerTable, isClients: (Int) -> Bool
  ) -> FoundField? {
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
      guard values.count <= valueLimit, let kind = kinds[pointer], !isClients(pointer) else {
        continue
      }
      let name = NameWords(pointers.meaning(pointer))
      let total = values.values.reduce(0, +)
      // A text that hardly ever stands there says neither yes nor no, unless it is a word for one.
      let frequent = values.filter { $0.value * strayShare > total || word($0.key) != nil }
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
          // With any other text the request is audited all the same.
          form: .table(pointer, table, otherwise: kind == .boolean ? nil : "unknown"), what: seen,
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
      if let word = word(value) {
        table.append((value, word))
      } else if !value.isEmpty, value.lowercased() != "unknown" {
        return nil
      }
    }
    return table.isEmpty ? nil : table
  }

  /// Returns what a text says that the server did; nil where it is no word for that.
  private static func word(_ text: String) -> String? {
    let word = text.lowercased()
    return accepted.contains(word) ? "accepted" : rejected.contains(word) ? "rejected" : nil
  }

  /// The statuses of requests that the client gave up, by its own will: the server may have gone on.
  private static let givenUp = ["408", "444", "460", "499"]

  /// Returns whether a text is an HTTP status.
  private static func isStatus(_ text: String) -> Bool {
    text.count == 3 && Int(text).map { (100...599).contains($0) } ?? false
  }
}
