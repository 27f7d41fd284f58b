package import AppAttest
package import AuditEngine
package import AuditReport
internal import Basics

/// The format of a setting's text, the same in flags and in pipeline files.
package struct SettingFormat<Value: Sendable>: Sendable {
  /// The words after "is not" when a text is refused: type and range.
  package let expected: String
  /// The words or the path that a shell can complete, or nil if it completes nothing.
  package var completion: ValueCompletion?
  /// The function that returns the value of a text, or nil if the text is not allowed.
  package let parse: @Sendable (String) -> Value?
  package var show: @Sendable (Value) -> String = { "\($0)" }

  /// Returns a sentence on the fault of a text that is not allowed.
  func fault(_ text: String) -> String { "'\(text)' is not \(expected)" }

  /// Returns the value of a text that was typed after a flag. Throws bad usage for a text that is not allowed.
  package func value(_ text: String, of flag: String) throws(CommandError) -> Value {
    guard let value = parse(text) else { throw CommandError(.usage, "\(flag): \(fault(text))") }
    return value
  }

  /// Returns the value of a flag that may have been given, or nil if it was not.
  package func value(_ text: String?, of flag: String) throws(CommandError) -> Value? {
    guard let text else { return nil }
    return try value(text, of: flag) as Value
  }
}

extension SettingFormat where Value: Equatable {
  /// Makes the format of a closed list of words, which also shows values by them.
  package static func word(_ words: [(String, Value)]) -> SettingFormat {
    SettingFormat(
      expected: "one of " + words.map(\.0).joined(separator: ", "),
      completion: .words(words.map(\.0))
    ) { text in
      words.first { $0.0 == text }?.1
    } show: { value in
      words.first { $0.1 == value }?.0 ?? "\(value)"
    }
  }

  /// Returns the same format that shows `value` as "off", and reads it so.
  func off(at value: Value) -> SettingFormat {
    SettingFormat(expected: expected, completion: completion) { [parse] in
      $0 == "off" ? value : parse($0)
    } show: { [show] in
      $0 == value ? "off" : show($0)
    }
  }
}

extension SettingFormat where Value: CaseIterable & RawRepresentable<String> & Equatable {
  package static var cases: SettingFormat { .word(Value.allCases.map { ($0.rawValue, $0) }) }
}

extension SettingFormat<Int64> {
  /// The format of a duration in milliseconds, from 0 to ten years.
  package static var duration: SettingFormat {
    duration(from: 0, "from 0s to 3650d, such as 500ms, 30s, 5m, 12h or 1d")
  }

  /// The format of a duration in milliseconds, longer than 0.
  package static var positiveDuration: SettingFormat {
    duration(from: 1, "above 0s and up to 3650d, such as 30s, 5m, 12h or 1d")
  }

  private static func duration(from least: Int64, _ words: String) -> SettingFormat {
    SettingFormat(expected: "a duration " + words) {
      DurationText.milliseconds($0).flatMap { (least...3650 * 86_400_000).contains($0) ? $0 : nil }
    } show: {
      DurationText.text($0)
    }
  }
}

extension SettingFormat<Int> {
  static var version: SettingFormat {
    SettingFormat(expected: "1, the version that this program reads") { $0 == "1" ? 1 : nil }
  }

  /// Makes the format of a size in bytes. `words` describe the range.
  private static func size(_ range: ClosedRange<Int>, _ words: String) -> SettingFormat {
    SettingFormat(expected: "a size \(words), such as 64MiB or 1GiB") {
      SizeText.bytes($0).flatMap { range.contains($0) ? $0 : nil }
    } show: {
      SizeText.text($0)
    }
  }

  static var memory: SettingFormat { size(64 << 20...1 << 50, "from 64MiB") }
  static var lineBytes: SettingFormat { size(1 << 10...1 << 30, "from 1KiB to 1GiB") }
  static var zstdWindow: SettingFormat { size(1 << 10...2 << 30, "from 1KiB to 2GiB") }
}

extension SettingFormat where Value: FixedWidthInteger {
  static func number(_ range: ClosedRange<Value>) -> SettingFormat {
    SettingFormat(expected: "a number from \(range.lowerBound) to \(range.upperBound)") {
      Decimal.number($0).flatMap(Value.init(exactly:)).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension SettingFormat<UInt32> {
  /// The format of a sign counter, or of a difference of two.
  static var counter: SettingFormat { .number(0...UInt32.max) }

  /// The format of the permissions of files, or of the folder that contains them.
  static var permissions: SettingFormat {
    SettingFormat(
      expected: "permissions from 0600 to 0775, such as 0640: the owner's to read and write, and "
        + "only the group's to write"
    ) { text in
      let digits = text.hasPrefix("0") ? text.dropFirst() : text[...]
      guard digits.utf8.count == 3, let mode = UInt32(digits, radix: 8),
        mode & 0o600 == 0o600, mode & 0o002 == 0
      else { return nil }
      return mode & 0o666
    } show: {
      "0" + String($0, radix: 8)
    }
  }
}

extension SettingFormat<Double> {
  /// The format of a share from 0 to 1, written in percent.
  package static var percent: SettingFormat {
    SettingFormat(expected: "a share from 0% to 100%, such as 10%") { text in
      guard text.wholeMatch(of: /[0-9.]+%/) != nil, let value = Double(text.dropLast()),
        (0...100).contains(value)
      else { return nil }
      return value / 100
    } show: { share in
      let text = String(share * 100)
      return (text.hasSuffix(".0") ? String(text.dropLast(2)) : text) + "%"
    }
  }
}

extension SettingFormat<Bool> {
  package static var boolean: SettingFormat {
    SettingFormat(expected: "one of true, false") { Bool($0) }
  }
}

extension SettingFormat<Severity> {
  package static var severity: SettingFormat<Severity> {
    .word(Severity.allCases.map { ($0.name, $0) })
  }
}

extension SettingFormat<AttestEnvironment> {
  static var environment: SettingFormat { .word(AttestEnvironment.allCases.map { ($0.name, $0) }) }
}

extension SettingFormat<CodeHash> {
  static var codeHash: SettingFormat {
    SettingFormat(expected: "a code hash: 40 or 64 hex digits") { CodeHash(hex: $0) }
  }
}

extension SettingFormat<String> {
  /// The format of an App ID: prefix, a point, bundle identifier.
  package static var appID: SettingFormat {
    SettingFormat(expected: "an App ID: a prefix, a point, and a bundle identifier") { text in
      guard let point = text.firstIndex(of: "."), text.index(after: point) != text.endIndex,
        // A bundle identifier alone begins with a domain.
        !text[..<point].allSatisfy(\.isLowercase),
        text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "*" })
      else { return nil }
      return text
    }
  }

  /// The format of a bundle version, or of a range of them.
  static var bundleVersion: SettingFormat {
    SettingFormat(expected: "a version such as 7.1, or a range such as '>=7.1 <8'") { text in
      let isVersion = !text.isEmpty && !BundleVersionRange.isRange(text)
      return isVersion || BundleVersionRange(text) != nil ? text : nil
    }
  }

  /// The format of a day, such as `2026-03-01`.
  package static var day: SettingFormat {
    SettingFormat(expected: "a day such as 2026-03-01") { AuditDay.start($0) == nil ? nil : $0 }
  }

  static var path: SettingFormat {
    SettingFormat(expected: "a path", completion: .path) {
      $0.isEmpty || $0.utf8.contains(0) ? nil : $0
    }
  }

  static var reason: SettingFormat {
    SettingFormat(expected: "a reason") { text in
      text.utf8.allSatisfy { $0 == 0x20 || $0 == 0x09 } ? nil : text
    }
  }

  static var text: SettingFormat { SettingFormat(expected: "a text") { $0.isEmpty ? nil : $0 } }
}

extension SettingFormat<UInt64> {
  static var fingerprint: SettingFormat {
    SettingFormat(expected: "a fingerprint: 16 hex digits, as findings.csv has it") { text in
      guard text.utf8.count == 16, let bytes = KeyTexts.hex(text), bytes.count == 8 else {
        return nil
      }
      return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
  }
}

extension SettingFormat<Digest256> {
  package static var keyID: SettingFormat<Digest256> {
    SettingFormat(expected: "a key identifier: 32 bytes in hex, base64 or base64url") {
      KnownKeyRow.keyID($0)
    }
  }
}

extension SettingFormat<[FindingFormat]> {
  package static var findingFormats: SettingFormat<[FindingFormat]> {
    let names = FindingFormat.allCases.map(\.rawValue).joined(separator: ", ")
    return SettingFormat(expected: "a list of \(names), such as ocsf,ecs") { text in
      let formats = text.split(separator: ",", omittingEmptySubsequences: false)
        .map { FindingFormat(rawValue: $0.trimmingPrefix(" ").description) }
      return formats.contains(nil) ? nil : formats.compactMap(\.self)
    } show: {
      $0.map(\.rawValue).joined(separator: ", ")
    }
  }
}

package enum ValueCompletion: Sendable {
  case path
  case words([String])
}

/// The day that `${date}` stands for.
enum AuditDay {
  /// Returns the start of a day, as in `2026-03-01`, in milliseconds since 1970, or nil if there is no such day.
  static func start(_ day: String) -> Int64? {
    RFC3339.milliseconds(Array("\(day)T00:00:00Z".utf8).span)
  }

  /// Returns the day after a valid day, or the same text if it is none.
  static func following(_ day: String) -> String {
    start(day).map { CivilTime(milliseconds: $0 + 86_400_000).dateText } ?? day
  }
}
