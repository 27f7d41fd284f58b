/// The time by which a state forgets: the earlier of the run's clock and the latest record so far.
/// So neither a clock that goes wrong nor a record from the future empties its memory.
enum StateAge {
  /// Returns the time to measure ages by, in milliseconds since 1970; `clock` is the run's.
  static func now(_ database: StateDatabase, clock: Int64) throws(StateError) -> Int64 {
    let latest = try MetaTable.value(database, .latestRecord)
    return latest > 0 ? min(clock, latest) : clock
  }

  /// Remembers the latest record of a run that is not later than its clock.
  static func note(_ database: StateDatabase, latest: Int64?) throws(StateError) {
    guard let latest, latest > (try MetaTable.value(database, .latestRecord)) else { return }
    try MetaTable.set(database, .latestRecord, latest)
  }
}

/// The times of a run's records, as far as ages are measured by them; milliseconds since 1970.
struct RecordTimes {
  let clock: Int64
  /// The latest that is not later than the clock.
  private(set) var latestPast: Int64?
  private var latestFuture: Int64?

  init(clock: Int64) {
    self.clock = clock
  }

  /// The time that a segment counts by where its clock cannot be right.
  var latest: Int64? { latestPast ?? latestFuture }

  mutating func take(_ time: Int64) {
    if time <= clock {
      latestPast = max(latestPast ?? time, time)
    } else {
      latestFuture = max(latestFuture ?? time, time)
    }
  }
}
