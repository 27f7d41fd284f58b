import AppAttest
import AuditLog

/// A search for lines without a token that issue a challenge, which is client data of another line.
struct ChallengeSearch {
  /// The lengths of challenges, in bytes. Shorter ones occur in logs by chance.
  private static let lengths = 8...1024

  /// The client data that were used, by their SHA-256.
  private var used: Set<Digest256> = []
  private(set) var form: (pointer: Int, encoding: FieldEncoding)?
  /// The number of lines whose value was used.
  private(set) var lines = 0
  /// The challenges that were recorded, by their SHA-256.
  private(set) var issued: Set<Digest256> = []

  /// Records client data that a token used, or their SHA-256.
  mutating func note(_ data: [UInt8], isHash: Bool) {
    if isHash {
      if let hash = Digest256(data) { used.insert(hash) }
    } else if Self.lengths.contains(data.count) {
      used.insert(.sha256(data.span))
    }
  }

  /// Searches the lines without a token, except those at `excluding`. One in five texts at a
  /// pointer has to be used. `pointers` are those of client data in assertions: a request without
  /// its token records no challenge.
  mutating func search(_ sample: LogSample, excluding: Set<Int>, pointers: Set<Int>) {
    var places: [DataForm: [(digest: Digest256, length: Int)]] = [:]
    var texts: [Int: [Int: Int]] = [:]
    for (index, line) in sample.lines.enumerated() where !excluding.contains(index) {
      for value in line.values where Self.isLong(value) && !pointers.contains(value.pointer) {
        let length = value.text.count
        texts[value.pointer, default: [:]][length, default: 0] += 1
        for change in DataForm.changes where length <= 2 * Self.lengths.upperBound {
          guard let bytes = change.bytes(value), Self.lengths.contains(bytes.count),
            case let digest = Digest256.sha256(bytes.span), used.contains(digest)
          else { continue }
          places[DataForm(parts: [.value(value.pointer)], change: change), default: []]
            .append((digest, length))
        }
      }
    }
    let best = places.filter { place, found in
      var others = texts[place.pointers[0]] ?? [:]
      for (_, length) in found { others[length] = nil }
      return found.count >= 2 && found.count * 4 >= others.values.reduce(0, +)
    }.max { ($0.value.count, $1.key.pointers[0]) < ($1.value.count, $0.key.pointers[0]) }
    guard let (place, found) = best else { return }
    form = (place.pointers[0], place.encoding)
    lines = found.count
    issued = Set(found.map(\.digest))
  }

  static func isLong(_ value: SampleValue) -> Bool {
    value.kind == .string && value.text.count >= lengths.lowerBound
  }
}
