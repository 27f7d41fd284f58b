/// Numbers of decimal digits and nothing else.
package enum Decimal {
  package static func number(_ text: some StringProtocol) -> UInt64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(text)
  }
}

private func multiple(of units: [(name: String, size: UInt64)], _ text: String) -> UInt64? {
  let digits = text.prefix { $0.isASCII && $0.isNumber }
  guard let count = Decimal.number(digits) else { return nil }
  let rest = text.dropFirst(digits.count)
  guard let unit = units.first(where: { $0.name == rest }) else { return nil }
  let (value, overflow) = count.multipliedReportingOverflow(by: unit.size)
  return overflow ? nil : value
}

/// Returns the shortest text for a number, with the largest unit that divides it.
private func text(_ value: UInt64, in units: [(name: String, size: UInt64)]) -> String {
  let unit = units.last { value.isMultiple(of: $0.size) } ?? units[0]
  return "\(value / unit.size)\(unit.name)"
}

/// Durations: `500ms`, `30s`, `5m`, `12h`, `1d`.
package enum DurationText {
  package static let units: [(name: String, size: UInt64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
  ]

  package static func milliseconds(_ text: String) -> Int64? {
    multiple(of: units, text).flatMap(Int64.init(exactly:))
  }

  package static func text(_ milliseconds: Int64) -> String {
    milliseconds == 0 ? "0s" : Basics.text(milliseconds.magnitude, in: units)
  }
}

/// Sizes: `64MiB`, `1GiB`, `128KiB`, or bytes.
package enum SizeText {
  package static let units: [(name: String, size: UInt64)] = [
    ("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30), ("TiB", 1 << 40),
  ]

  package static func bytes(_ text: String) -> Int? {
    multiple(of: units, text).flatMap(Int.init(exactly:))
  }

  package static func text(_ bytes: Int) -> String {
    bytes == 0 ? "0" : Basics.text(UInt64(bytes.magnitude), in: units)
  }
}
