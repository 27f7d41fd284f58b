/// One setting of the detectors as reports keep it.
package struct PolicyMember: Sendable {
  /// A value as `summary.json` has it.
  package enum Value: Sendable, Equatable {
    case number(UInt64)
    case word(String)
    case none
  }

  package let name: String
  /// A closure that returns the value that a policy has.
  package let value: @Sendable (DetectionPolicy) -> Value
  /// A closure that returns the value as pages show it.
  package let shown: @Sendable (DetectionPolicy) -> String
  /// A closure that gives a policy a value. A value that does not fit changes nothing.
  package let put: @Sendable (Value, inout DetectionPolicy) -> Void

  /// Makes the member of a duration in milliseconds.
  static func duration(
    _ name: String, _ path: any WritableKeyPath<DetectionPolicy, Int64> & Sendable
  ) -> PolicyMember {
    PolicyMember(
      name: name, value: { .number(UInt64(clamping: $0[keyPath: path])) },
      shown: { PolicyMember.text($0[keyPath: path]) },
      put: { if case .number(let number) = $0 { $1[keyPath: path] = Int64(clamping: number) } })
  }

  /// Makes the member of a duration that may not be set.
  static func duration(
    _ name: String, _ path: any WritableKeyPath<DetectionPolicy, Int64?> & Sendable
  ) -> PolicyMember {
    PolicyMember(
      name: name,
      value: { $0[keyPath: path].map { .number(UInt64(clamping: $0)) } ?? .none },
      shown: { $0[keyPath: path].map(PolicyMember.text) ?? "not set" },
      put: { if case .number(let number) = $0 { $1[keyPath: path] = Int64(clamping: number) } })
  }

  /// Makes the member of a number of which 0 is off.
  static func number(
    _ name: String, _ path: any WritableKeyPath<DetectionPolicy, UInt32> & Sendable
  ) -> PolicyMember {
    PolicyMember(
      name: name, value: { .number(UInt64($0[keyPath: path])) },
      shown: { $0[keyPath: path] == 0 ? "off" : String($0[keyPath: path]) },
      put: { if case .number(let number) = $0 { $1[keyPath: path] = UInt32(clamping: number) } })
  }

  /// Makes the member of one of several words.
  static func word<Word: RawRepresentable<String> & SendableMetatype>(
    _ name: String, _ path: any WritableKeyPath<DetectionPolicy, Word> & Sendable
  ) -> PolicyMember {
    PolicyMember(
      name: name, value: { .word($0[keyPath: path].rawValue) },
      shown: { $0[keyPath: path].rawValue },
      put: {
        if case .word(let text) = $0, let word = Word(rawValue: text) { $1[keyPath: path] = word }
      })
  }

  /// Makes the member of a choice between two words.
  static func choice(
    _ name: String, _ path: any WritableKeyPath<DetectionPolicy, Bool> & Sendable,
    _ yes: String, _ no: String
  ) -> PolicyMember {
    PolicyMember(
      name: name, value: { .word($0[keyPath: path] ? yes : no) },
      shown: { $0[keyPath: path] ? yes : no },
      put: { value, policy in
        if case .word(let text) = value { policy[keyPath: path] = text == yes }
      })
  }

  /// Returns a duration in milliseconds as pages show it.
  package static func text(_ milliseconds: Int64) -> String {
    milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}

extension PolicyMember.Value: Decodable {
  package init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .none
    } else if let number = try? value.decode(UInt64.self) {
      self = .number(number)
    } else {
      self = .word(try value.decode(String.self))
    }
  }
}
