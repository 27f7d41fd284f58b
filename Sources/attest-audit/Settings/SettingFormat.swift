import AppAttest
import AuditEngine
import Logging

/// How a setting is written: one reader for flags and for pipeline files.
struct SettingFormat<Value> {
  /// What is allowed, to stand after "is not".
  let expected: String
  /// The value of a text; nil where it is not allowed.
  let parse: (String) -> Value?

  /// The value of `text`, or the sentence that says what is wrong with it.
  func read(_ text: String) -> Result<Value, Complaint> {
    if let value = parse(text) { return .success(value) }
    return .failure(Complaint(text: "'\(text)' is not \(expected)"))
  }

  /// What is wrong with a value, without the setting's name.
  struct Complaint: Error, Equatable {
    var text: String
  }
}

extension SettingFormat {
  /// One of a closed list of words.
  static func word(_ words: [(String, Value)]) -> SettingFormat {
    SettingFormat(expected: "one of " + words.map(\.0).joined(separator: ", ")) { text in
      words.first { $0.0 == text }?.1
    }
  }
}

extension SettingFormat where Value: CaseIterable & RawRepresentable<String> {
  /// One of the words of an enumeration.
  static var cases: SettingFormat { .word(Value.allCases.map { ($0.rawValue, $0) }) }
}

extension SettingFormat<Int64> {
  /// The longest duration that a setting takes: ten years.
  private static let longest: Int64 = 3650 * 86_400_000

  /// A duration in milliseconds, from 0.
  static var duration: SettingFormat {
    SettingFormat(expected: "a duration from 0s to 3650d, such as 500ms, 30s, 5m, 12h or 1d") {
      DurationText.milliseconds($0).flatMap { $0 <= longest ? $0 : nil }
    }
  }

  /// A duration in milliseconds, longer than nothing.
  static var positiveDuration: SettingFormat {
    SettingFormat(expected: "a duration above 0s and up to 3650d, such as 30s, 5m, 12h or 1d") {
      DurationText.milliseconds($0).flatMap { $0 > 0 && $0 <= longest ? $0 : nil }
    }
  }
}

extension SettingFormat<Int> {
  /// A size in bytes within a range that is told in words.
  private static func size(_ range: ClosedRange<Int>, _ words: String) -> SettingFormat {
    SettingFormat(expected: "a size \(words), such as 64MiB or 1GiB") {
      SizeText.bytes($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  static var memory: SettingFormat { size(64 << 20...1 << 50, "from 64MiB") }
  static var lineBytes: SettingFormat { size(1 << 10...1 << 30, "from 1KiB to 1GiB") }
  static var zstdWindow: SettingFormat { size(1 << 10...2 << 30, "from 1KiB to 2GiB") }

  /// Worker threads; 0: as many as the machine has cores.
  static var jobs: SettingFormat {
    SettingFormat(expected: "a number from 0 to 1024") {
      Decimal.number($0).flatMap { $0 <= 1024 ? Int($0) : nil }
    }
  }
}

extension SettingFormat<UInt32> {
  static var counterGap: SettingFormat {
    SettingFormat(expected: "a number from 0 to 4294967295") {
      Decimal.number($0).flatMap(UInt32.init(exactly:))
    }
  }
}

extension SettingFormat<Double> {
  /// A share from 0 to 1, written in percent.
  static var percent: SettingFormat {
    SettingFormat(expected: "a share from 0% to 100%, such as 10%") { text in
      guard text.last == "%",
        text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x25 }),
        let value = Double(text.dropLast()), (0...100).contains(value)
      else { return nil }
      return value / 100
    }
  }
}

extension SettingFormat<Bool> {
  static var boolean: SettingFormat { .word([("true", true), ("false", false)]) }
  static var challenges: SettingFormat { .word([("optional", false), ("required", true)]) }
}

extension SettingFormat<Severity> {
  static var severity: SettingFormat { .word(Severity.allCases.map { ($0.name, $0) }) }
}

extension SettingFormat<FailOn> {
  static var failOn: SettingFormat {
    .word(Severity.allCases.map { ($0.name, .level($0)) } + [("never", .never)])
  }
}

extension SettingFormat<AttestEnvironment> {
  static var environment: SettingFormat {
    .word(AttestEnvironment.allCases.map { ($0.name, $0) })
  }
}

extension SettingFormat<Set<AttestEnvironment>> {
  static var environments: SettingFormat {
    .word(
      AttestEnvironment.allCases.map { ($0.name, [$0]) }
        + [("any", Set(AttestEnvironment.allCases))])
  }
}

extension SettingFormat<ValidationCategory> {
  static var category: SettingFormat {
    .word(ValidationCategory.names.map { ($0.name, $0.category) })
  }
}

extension SettingFormat<Logger.Level> {
  static var logLevel: SettingFormat { .word(Logger.Level.allCases.map { ($0.rawValue, $0) }) }
}

extension SettingFormat<String> {
  /// An App ID: prefix, a point, bundle identifier.
  static var appID: SettingFormat {
    SettingFormat(expected: "an App ID: a prefix, a point, and a bundle identifier") { text in
      guard let point = text.firstIndex(of: "."), point != text.startIndex,
        text.index(after: point) != text.endIndex,
        text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F })
      else { return nil }
      return text
    }
  }

  /// A day: `2026-03-01`.
  static var day: SettingFormat {
    SettingFormat(expected: "a day such as 2026-03-01") { AuditDay.isValid($0) ? $0 : nil }
  }

  static var path: SettingFormat {
    SettingFormat(expected: "a path") { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
  }
}

extension SettingFormat<UInt64> {
  /// The fingerprint of a finding, as the reports write it.
  static var fingerprint: SettingFormat {
    SettingFormat(expected: "a fingerprint: 16 hex digits, as findings.csv has it") { text in
      guard text.utf8.count == 16 else { return nil }
      return KeyTexts.hex(text)?.reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}

extension SettingFormat<Digest256> {
  /// A key identifier.
  static var keyID: SettingFormat {
    SettingFormat(expected: "a key identifier: 32 bytes in hex, base64 or base64url") {
      KnownKeyRow.keyID($0)
    }
  }
}

extension SettingFormat<String> {
  /// Why a finding is accepted.
  static var reason: SettingFormat {
    SettingFormat(expected: "a reason") { text in
      text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : text
    }
  }

  /// Any text but an empty one.
  static var text: SettingFormat {
    SettingFormat(expected: "a text") { $0.isEmpty ? nil : $0 }
  }
}
