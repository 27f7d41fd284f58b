internal import AppAttest
internal import AuditLog
internal import Glibc
internal import RowShuffle

/// All events of a run that stands alone, in order of key and time: those of keys from the shuffle by
/// key identifier, read once more, and among them what else there is.
struct EventHistory {
  let shuffles: Shuffles
  let events: RowSorter
  let amendments: RowSorter

  /// Calls `body` with each of them.
  func each(_ body: (VerdictRow) throws -> Void) throws {
    let rows = try shuffles.byKey.merged()
    let said = try amendments.merged()
    let others = try events.merged()
    // One for all, so that its hash stays where it is.
    var event = VerdictRow(position: Position(source: 0, line: 0), verdict: .valid, codes: [])
    var next = unsafe try said.next()
    var other = unsafe try others.next()
    while let bytes = unsafe try rows.next() {
      let row = unsafe EventRow(bytes)
      guard row.section == .event else { continue }
      while let first = unsafe other, unsafe precedes(first, bytes) {
        try body(unsafe VerdictRow(event: first, shuffles))
        unsafe other = try others.next()
      }
      var amendment = VerdictAmendment.none
      if let found = unsafe next, unsafe isSame(found, bytes) {
        amendment = unsafe try VerdictAmendment(found)
        unsafe next = try said.next()
      }
      try event.read(row, amendment, shuffles)
      try body(event)
    }
    while let last = unsafe other {
      try body(unsafe VerdictRow(event: last, shuffles))
      unsafe other = try others.next()
    }
    guard unsafe next == nil else {
      throw AuditError(.inconsistent, "a verdict is about an event that is not there")
    }
  }

  /// Returns whether what is said is about an event.
  private func isSame(_ said: UnsafeRawBufferPointer, _ event: UnsafeRawBufferPointer) -> Bool {
    guard let left = said.baseAddress, let right = event.baseAddress else { return false }
    return unsafe memcmp(left, right, EventRow.keyLength) == 0
  }

  /// Returns whether a row of ``Shuffles/events`` stands in front of an event: their keys differ in the
  /// section alone.
  private func precedes(_ row: UnsafeRawBufferPointer, _ event: UnsafeRawBufferPointer) -> Bool {
    guard let left = row.baseAddress, let right = event.baseAddress else { return false }
    let section = EventRow.Offset.section
    let order = unsafe memcmp(left, right, section)
    guard order == 0 else { return order < 0 }
    return unsafe memcmp(
      left + section, right + EventRow.Offset.time, VerdictRow.eventKeyLength - section) < 0
  }
}
