import AppAttest
import AuditLog

/// A search for the lines that record a challenge when it is issued: without a token, with a value
/// that another line then uses as client data.
struct ChallengeSearch {
  /// The length of the shortest challenge, in bytes. Shorter ones occur in logs by chance.
  private static let shortest = 8
  /// The length of the longest challenge, in bytes.
  private static let longest = 1024

  /// The client data that were used, by their SHA-256.
  private var used: Set<Digest256> = []
  private(set) var form: (pointer: Int, encoding: FieldEncoding)?
  /// The indexes of the lines whose value was used.
  private(set) var lines: [Int] = []
  /// The challenges that were recorded, by their SHA-256.
  private(set) var issued: Set<Digest256> = []

  /// Records client data that a token used.
  mutating func note(_ data: [UInt8]) {
    if (Self.shortest...Self.longest).contains(data.count) { used.insert(.sha256(data.span)) }
  }

  /// Records the SHA-256 of client data that a token used.
  mutating func note(hash: [UInt8]) {
    if let hash = Digest256(hash) { used.insert(hash) }
  }

  /// The share of the lines without a token and with a text at the pointer whose texts have to be
  /// used. Texts as long as a used one do not count: most challenges are used within a body, or never.
  private static let leastShare = 0.2
  /// The smallest number of lines. Fewer may be chance.
  private static let leastLines = 2

  /// Searches the lines without a token.
  ///
  /// - Parameters:
  ///   - excluding: The indexes of lines with a token.
  ///   - pointers: The pointers of client data in assertions. A request without its token records
  ///     no challenge.
  mutating func search(_ sample: LogSample, excluding: Set<Int>, pointers: Set<Int>) {
    struct Place: Hashable {
      var pointer: Int
      var encoding: FieldEncoding
    }
    var places: [Place: [Int]] = [:]
    // The texts at each pointer, by their length.
    var texts: [Int: [Int: Int]] = [:]
    for (index, line) in sample.lines.enumerated() where !excluding.contains(index) {
      for value in line.values where Self.isLong(value) && !pointers.contains(value.pointer) {
        texts[value.pointer, default: [:]][value.text.count, default: 0] += 1
        for encoding in [FieldEncoding.utf8, .base64, .hex] {
          if let digest = Self.digest(value, encoding), used.contains(digest) {
            places[Place(pointer: value.pointer, encoding: encoding), default: []].append(index)
          }
        }
      }
    }
    guard
      let (place, found) = places.filter({ place, lines in
        var others = texts[place.pointer] ?? [:]
        for index in lines { others[sample.lines[index][place.pointer]?.text.count ?? 0] = nil }
        let count = lines.count + others.values.reduce(0, +)
        return lines.count >= Self.leastLines
          && Double(lines.count) >= Double(count) * Self.leastShare
      }).max(by: {
        ($0.value.count, $1.key.pointer) < ($1.value.count, $0.key.pointer)
      })
    else { return }
    form = (place.pointer, place.encoding)
    lines = found
    for index in found {
      if let value = sample.lines[index][place.pointer],
        let digest = Self.digest(value, place.encoding)
      {
        issued.insert(digest)
      }
    }
  }

  /// Returns whether a text is long enough for a challenge.
  static func isLong(_ value: SampleValue) -> Bool {
    value.kind == .string && value.text.count >= shortest
  }

  private static func digest(_ value: SampleValue, _ encoding: FieldEncoding) -> Digest256? {
    guard value.text.count <= 2 * longest else { return nil }
    let bytes: [UInt8]?
    switch encoding {
    case .base64: bytes = ValueDecoder.base64(value.text)
    case .hex: bytes = ValueDecoder.hex(value.text)
    default: bytes = Array(value.text)
    }
    guard let bytes, (shortest...longest).contains(bytes.count) else { return nil }
    return .sha256(bytes.span)
  }
}
