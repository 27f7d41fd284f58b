/// The form of a text of date and time, with the percent signs and letters of `strftime`.
package struct TimePattern: Sendable, Hashable {
  enum Step: Hashable, Sendable {
    case byte(UInt8)
    /// Numbers, of which those of months, days and hours can have one digit, with or without a space in front.
    case year, month, day, hour, minute, second
    /// The hour of a 12-hour clock, and `AM` or `PM` in either case.
    case halfHour, half
    /// All that follows, which means nothing.
    case rest
    /// The first three letters of a month in English, or all of them, without case.
    case monthName
    /// A weekday in English, three letters or more, which says nothing.
    case weekday
    /// A point or comma and digits, where they are there.
    case fraction
    /// `Z`, `UTC`, `GMT`, `+0100`, `+01:00` or `+01`.
    case zone
  }

  package let text: String
  let steps: [Step]

  /// The same pattern in memory of its own: threads that share it wait for each other.
  func copied() -> TimePattern { TimePattern(text: text, steps: steps.map(\.self)) }

  package var hasZone: Bool { steps.contains(.zone) }

  /// `01/Mar/2026:00:12:38 +0000`, as access logs have it.
  package static let clf = TimePattern(
    text: "%d/%b/%Y:%H:%M:%S %z",
    steps: [
      .day, .byte(UInt8(ascii: "/")), .monthName, .byte(UInt8(ascii: "/")), .year,
      .byte(UInt8(ascii: ":")), .hour, .byte(UInt8(ascii: ":")), .minute,
      .byte(UInt8(ascii: ":")), .second, .byte(UInt8(ascii: " ")), .zone,
    ])

  /// The longest pattern, in bytes.
  private static let longest = 100

  /// The parts of a time, for messages.
  package static let words = "%Y %m %b %d %e %H %I %p %M %S %f %z %a %*"

  private static let letters: [UInt8: Step] = [
    UInt8(ascii: "Y"): .year, UInt8(ascii: "m"): .month, UInt8(ascii: "d"): .day,
    UInt8(ascii: "H"): .hour, UInt8(ascii: "M"): .minute, UInt8(ascii: "S"): .second,
    UInt8(ascii: "b"): .monthName, UInt8(ascii: "a"): .weekday, UInt8(ascii: "f"): .fraction,
    UInt8(ascii: "z"): .zone, UInt8(ascii: "e"): .day, UInt8(ascii: "I"): .halfHour,
    UInt8(ascii: "p"): .half, UInt8(ascii: "*"): .rest,
  ]

  private init(text: String, steps: [Step]) {
    self.text = text
    self.steps = steps
  }

  package init(parsing text: String) throws(SchemaProblem) {
    guard text.utf8.count <= Self.longest else { throw SchemaProblem("is too long") }
    var steps: [Step] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        steps.append(.byte(byte))
        continue
      }
      let letter = rest.popFirst()
      if letter == byte {
        steps.append(.byte(byte))
      } else if let step = letter.flatMap({ Self.letters[$0] }) {
        guard !steps.contains(step) else { throw SchemaProblem("says the same twice") }
        steps.append(step)
      } else {
        throw SchemaProblem("has a '%' that is none of \(Self.words) %%")
      }
    }
    guard !steps.dropLast().contains(.rest) else { throw SchemaProblem("goes on after '%*'") }
    let has12 = steps.contains(.halfHour)
    guard has12 == steps.contains(.half), !has12 || !steps.contains(.hour) else {
      throw SchemaProblem("needs %I and %p together, or %H")
    }
    for (step, name) in [
      (Step.year, "year"), (has12 ? .halfHour : .hour, "hour"), (.minute, "minute"), (.day, "day"),
    ] {
      guard steps.contains(step) else { throw SchemaProblem("has no \(name)") }
    }
    guard steps.contains(.month) != steps.contains(.monthName) else {
      throw SchemaProblem(steps.contains(.month) ? "says the same twice" : "has no month")
    }
    self.text = text
    self.steps = steps
  }
}
