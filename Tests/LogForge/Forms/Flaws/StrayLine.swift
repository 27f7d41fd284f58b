/// The place of a token in a line that an audit's schema skips.
enum StrayPlace: Int, CaseIterable {
  /// As in the form's requests, but under a route or a name of its own.
  case renamed
  /// In JSON that a string holds.
  case text
  /// In a block of raw header lines.
  case headerBlock
  /// Deep within objects and arrays.
  case depths
}

extension LogForm {
  /// Returns a line at the time of `record` that no rule fits and that holds the record's token at
  /// `place`. `tag` distinguishes its route from others.
  func stray(_ record: LogRecord, _ place: StrayPlace, tag: String) -> JSONLine {
    var line = strayHead(record, tag: tag)
    var holder = JSONLine()
    let isAttestation = record.kind == .attestation
    switch place {
    case .renamed:
      holder.add("key", ascii: record.spelledKey())
      holder.add("proof", ascii: record.spelledToken())
      line.add("data", object: holder)
    case .text:
      holder.add("installation", text: "synthetic \"1\"")
      holder.add(isAttestation ? "attestationObject" : "signed", ascii: record.spelledToken())
      line.add("message", jsonText: holder)
    case .headerBlock:
      let lines = "Host: api.example.com\r\nX-App-Proof: ".utf8
      line.add("rawHeaders", ascii: lines + record.spelledToken() + "\r\nAccept: */*\r\n".utf8)
    case .depths:
      holder.add("v2", ascii: record.spelledToken())
      let list = Array(#"[1,{"a":[]},["#.utf8) + holder.bytes() + Array("]]".utf8)
      line.add("trace", raw: list)
    }
    return line
  }

  /// Returns the shape of a line that no rule fits: its route if it has one, or else its names.
  func shape(of line: JSONLine) -> [UInt8] {
    if let routeField, let route = line.fields.first(where: { $0.name == routeField }) {
      return route.value.json
    }
    let names = line.fields.map { Array($0.name.utf8) }.sorted { $0.lexicographicallyPrecedes($1) }
    return Array(names.joined(separator: [UInt8(ascii: ",")]))
  }
}

/// The shapes that were reported. Each shape of lines is reported once.
struct ReportedShapes {
  /// The largest number that are reported one by one for each source.
  static let limit = 100

  private var seen: Set<[UInt8]> = []
  private var hasMore = false

  /// Returns whether a line of this shape causes a finding: the first of its shape, and the first
  /// of all that are beyond the limit.
  mutating func reports(_ shape: [UInt8]) -> Bool {
    if seen.contains(shape) { return false }
    if seen.count < Self.limit {
      seen.insert(shape)
      return true
    }
    defer { hasMore = true }
    return !hasMore
  }
}
