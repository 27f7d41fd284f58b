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

  /// Calls `body` with each row. The amendment of an event comes right before its row.
  func each(_ body: (EventRowBlock.Form, UnsafeRawBufferPointer) throws -> Void) throws {
    let rows = try shuffles.byKey.merged()
    let said = try amendments.merged()
    let others = try events.merged()
    var next = unsafe try said.next()
    var other = unsafe try others.next()
    while let bytes = unsafe try rows.next() {
      guard unsafe EventRow(bytes).section == .event else { continue }
      while let first = unsafe other, unsafe precedes(first, bytes) {
        try unsafe body(.whole, first)
        unsafe other = try others.next()
      }
      if let found = unsafe next, unsafe isSame(found, bytes) {
        try unsafe body(.amendment, found)
        unsafe next = try said.next()
      }
      try unsafe body(.event, bytes)
    }
    while let last = unsafe other {
      try unsafe body(.whole, last)
      unsafe other = try others.next()
    }
    guard unsafe next == nil else {
      throw AuditError(.inconsistent, "a verdict is about an event that is not there")
    }
  }

  /// Returns whether a row of ``Shuffles/amendments`` is about an event.
  private func isSame(_ said: UnsafeRawBufferPointer, _ event: UnsafeRawBufferPointer) -> Bool {
    guard let left = said.baseAddress, let right = event.baseAddress else { return false }
    return unsafe memcmp(left, right, EventRow.keyLength) == 0
  }

  /// Returns whether a row of ``Shuffles/events`` comes before an event. Their keys differ in the
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
