internal import AppAttest

/// A frame of `events.csv.zst`, ready to be written.
struct EventFrame {
  var bytes: [UInt8]
  var filter: EventFilter
  /// The first and the last key of its events. Zeroes stand for no key.
  var firstKey: Digest256
  var lastKey: Digest256
}
