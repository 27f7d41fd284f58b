/// A search for the server's decision on requests: a pointer with few different values, all of them
/// words for a decision.
enum DecisionSearch {
  /// The largest number of different values of a decision.
  private static let valueLimit = 12
  /// The inverse of the smallest share of the lines that a value must have to count.
  private static let strayShare = 50
  /// The share of the lines on which a pointer must hold a decision.
  private static let leastShare = 0.5
  /// The share of the lines on which an HTTP status must occur, since anybody can send requests
  /// that get none.
  private static let leastStatusShare = 0.1

  private static let accepted: Set<String> = [
    "accepted", "accept", "ok", "okay", "allow", "allowed", "pass", "passed", "success",
    "succeeded", "valid", "verified", "approved", "granted", "yes",
  ]
  private static let rejected: Set<String> = [
    "rejected", "reject", "denied", "deny", "block", "blocked", "fail", "failed", "failure",
    "invalid", "refused", "forbidden", "unauthorized", "unverified", "no",
  ]
  /// Words for a server that failed: it may have gone on.
  private static let undecided: Set<String> = ["error", "errored", "exception", "timeout"]
  /// Names of members that hold a decision.
  private static let names = [
    "decision", "outcome", "status", "result", "verdict", "statuscode", "responsecode", "code",
    "action", "allowed", "accepted", "verified", "valid", "ok", "success", "authorized",
    "blocked", "rejected", "denied",
  ]
  /// Names of flags whose `true` means that the request was accepted, and that it was rejected. A
  /// longer name may refer to anything: a cache, an address, terms.
  private static let flags = (
    accepted: [
      "allowed", "accepted", "verified", "valid", "ok", "success", "authorized", "passed",
    ],
    rejected: [
      "blocked", "rejected", "denied", "failed", "forbidden", "invalid", "unauthorized",
      "unverified", "notallowed", "notaccepted", "notverified", "notvalid", "notok", "refused",
    ]
  )
  /// Words that a name of a flag may begin with and still refer to the request.
  private static let flagBeginnings = [
    "", "is", "was", "request", "req", "attest", "attestation", "assertion", "appattest",
    "signature", "server", "isrequest", "isassertion", "isattestation", "issignature",
  ]
  /// Objects whose words refer to the request, too. In others a status belongs to something else.
  private static let rooms = [
    "request", "response", "req", "res", "resp", "http", "result", "server", "app", "attest",
    "assert", "auth", "audit", "event", "data", "payload", "message", "msg", "log", "field",
    "attribute", "label", "json", "body", "context", "extra", "propert", "decision", "outcome",
    "verif", "check", "info", "meta", "detail", "value", "verdict", "validation", "integrity",
  ]

  /// Returns the field `decision` of `lines`, or nil if no pointer holds one.
  ///
  /// - Parameter isClients: Returns whether a client writes the value at a pointer. An attacker
  ///   would write there that the server rejected the attack.
  static func find(
    _ lines: [SampleLine], _ pointers: PointerTable, isClients: (Int) -> Bool
  ) -> FoundField? {
    var counts: [Int: [String: Int]] = [:]
    var kinds: [Int: [SampleValue.Kind: Int]] = [:]
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
        kinds[value.pointer, default: [:]][value.kind, default: 0] += 1
      }
    }
    var best: (field: FoundField, score: Double)?
    for (pointer, values) in counts.sorted(by: { $0.key < $1.key }) {
      // One value of another type says nothing about the others.
      guard values.count <= valueLimit, let kinds = kinds[pointer], !isClients(pointer),
        let kind = [.string, .number, .boolean].max(by: {
          kinds[$0, default: 0] < kinds[$1, default: 0]
        })
      else { continue }
      let name = NameWords(pointers.meaning(pointer))
      let total = values.values.reduce(0, +)
      // A rare text says neither yes nor no, unless it is a word for one.
      let frequent = values.filter { $0.value * strayShare > total || word($0.key) != nil }
      guard let table = table(frequent.keys.sorted(), kind, name),
        kind != .boolean || isFlagOfRequest(pointer, pointers)
      else { continue }
      let share = Double(total) / Double(max(1, lines.count))
      let isStatus = table.first?.text == "2xx"
      let isServers =
        isStatus && name.ends(names) && frequent.keys.contains { $0.hasPrefix("2") }
      let least = isServers ? leastStatusShare : leastShare
      guard share >= least else { continue }
      let score =
        share + (name.isOne(names) ? 1 : name.ends(names) ? 0.5 : 0)
        - (speaksOfRequest(pointer, pointers, isStatus: isStatus) ? 0 : 0.8)
        + (kind == .string ? 0.2 : 0) - 0.05 * Double(pointers.depth(pointer))
      if score <= best?.score ?? 0 { continue }
      let seen = values.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(4)
        .map { "\($0.key) on \($0.value)" }.joined(separator: ", ")
      best = (
        FoundField(
          name: "decision",
          // With any other text the request is audited all the same.
          form: .table(pointer, table, otherwise: kinds[.boolean] == total ? nil : "unknown"),
          what: seen,
          sureness: name.ends(names) ? .likely : .guess, lines: total, of: lines.count), score
      )
    }
    return best?.field
  }

  /// Returns whether every object around a pointer refers to the server's decision on the request.
  /// Words in the request itself have an unknown author, but an HTTP status is always the server's.
  private static func speaksOfRequest(
    _ pointer: Int, _ pointers: PointerTable, isStatus: Bool
  ) -> Bool {
    var at = pointers.parent(pointer)
    while at != PointerTable.root {
      let name = NameWords(pointers.name(at))
      guard name.contains(rooms), isStatus || !name.isOne(["request", "req"]) else { return false }
      at = pointers.parent(at)
    }
    return true
  }

  /// Objects whose flags refer to the request. A flag in any other object may refer to an address,
  /// a user, a channel.
  private static let flagRooms = [
    "request", "response", "req", "res", "resp", "http", "result", "results", "server", "app",
    "auth", "audit", "event", "data", "payload", "message", "msg", "log", "logs", "fields",
    "attributes", "labels", "json", "jsonpayload", "body", "context", "ctx", "extra", "extras",
    "properties", "customproperties", "check", "checks", "info", "meta", "metadata", "detail",
    "details", "value", "values", "source", "record", "records", "entry", "line", "document", "doc",
    "item",
    "newimage", "parsed", "structured", "params", "output", "security",
  ]
  private static let tokenRooms = [
    "attest", "assert", "verif", "decision", "outcome", "verdict", "validat", "integrity",
  ]

  /// Returns whether a name refers to attestations and assertions, or to the outcome of their
  /// checks.
  static func speaksOfTokens(_ name: String) -> Bool { NameWords(name).contains(tokenRooms) }

  /// Returns whether all objects around a flag refer to the request.
  private static func isFlagOfRequest(_ pointer: Int, _ pointers: PointerTable) -> Bool {
    // The member that holds a value and its type is no object around the value.
    var at = pointers.parent(pointers.holder(pointer))
    while at != PointerTable.root {
      let name = pointers.name(at)
      let isPlace = name.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isPlace || speaksOfTokens(name) || NameWords(name).isOne(flagRooms) else {
        return false
      }
      at = pointers.parent(at)
    }
    return true
  }

  /// Returns the meaning of `true` and `false` under a name, or nil if the name refers to no
  /// decision.
  private static func flag(_ name: NameWords) -> (isTrue: String, isFalse: String)? {
    func isOne(_ ends: [String]) -> Bool {
      name.isOne(flagBeginnings.flatMap { start in ends.map { start + $0 } })
    }
    if isOne(flags.rejected) { return ("rejected", "accepted") }
    return isOne(flags.accepted) ? ("accepted", "rejected") : nil
  }

  /// Returns the table of a pointer's values, or nil if one of them is no word for a decision.
  private static func table(
    _ values: [String], _ kind: SampleValue.Kind, _ name: NameWords
  ) -> [(text: String, word: String)]? {
    if values.allSatisfy(isStatus) {
      return [("2xx", "accepted"), ("4xx", "rejected")] + givenUp.map { ($0, "unknown") }
    }
    if kind == .boolean {
      return flag(name).map { [("true", $0.isTrue), ("false", $0.isFalse)] }
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
    return table.contains { $0.word != "unknown" } ? table : nil
  }

  /// Returns the decision that a text stands for, or nil if it is no word for one.
  private static func word(_ text: String) -> String? {
    let word = text.lowercased()
    if undecided.contains(word) { return "unknown" }
    return accepted.contains(word) ? "accepted" : rejected.contains(word) ? "rejected" : nil
  }

  /// The statuses of requests that the client gave up by its own will. The server may have gone on.
  private static let givenUp = ["408", "444", "460", "499"]

  /// Returns whether a text is an HTTP status.
  private static func isStatus(_ text: String) -> Bool {
    text.count == 3 && Int(text).map { (100...599).contains($0) } ?? false
  }
}
