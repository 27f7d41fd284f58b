internal import Basics

/// The time by which the clocks of a place are ahead of UTC, and since when.
package struct ZoneRules: Sendable, Hashable {
  package struct Shift: Sendable, Hashable {
    /// Milliseconds since 1970, UTC.
    package var from: Int64
    /// Milliseconds ahead of UTC from then on.
    package var offset: Int64

    package init(from: Int64, offset: Int64) {
      self.from = from
      self.offset = offset
    }
  }

  /// The name as it is written: `Europe/Vienna`, `+01:00`.
  package let name: String
  /// The shifts in rising order. The first also holds for all times before it.
  package let shifts: [Shift]

  package init(name: String, shifts: [Shift]) {
    precondition(!shifts.isEmpty, "a place has a time")
    self.name = name
    self.shifts = shifts
  }

  package static let utc = ZoneRules(name: "UTC", shifts: [Shift(from: 0, offset: 0)])

  func copied() -> ZoneRules { ZoneRules(name: name, shifts: shifts.map(\.self)) }

  /// Makes a fixed offset from `Z`, `UTC`, `+01:00`, `+0100` or `+01`, or gives nil.
  package init?(offset text: String) {
    guard let minutes = TimePattern.offset(of: Array(text.utf8).span) else { return nil }
    self.init(name: text, shifts: [Shift(from: 0, offset: Int64(minutes) * 60_000)])
  }

  /// Returns the UTC of a time by the clocks of the place: the earlier and the later instant, which
  /// differ in the hour that the clocks show twice. A time that they leave out is read with the offset
  /// before the change (`records.R88`, `records.R89`).
  func utc(local: Int64) -> (Int64, Int64) {
    let day: Int64 = 86_400_000
    let (before, after) = (offset(at: local - day), offset(at: local + day))
    let instants = (local - before, local - after)
    let isBefore = offset(at: instants.0) == before
    let isAfter = offset(at: instants.1) == after
    if isAfter, !isBefore { return (instants.1, instants.1) }
    return isAfter ? instants : (instants.0, instants.0)
  }

  private func offset(at utc: Int64) -> Int64 {
    shifts[(1..<shifts.count).searched { shifts[$0].from <= utc } - 1].offset
  }
}
