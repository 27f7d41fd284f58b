/// A key's counters as the state holds them.
package enum CounterBytes {
  /// The tag of an entry that has a position. The next one is the tag of an entry that the server
  /// may have stored.
  private static let positionTag: UInt64 = 1
  private static let storedTag: UInt64 = 2

  /// Returns the highs, and behind them what the server may have stored: time as the difference to
  /// the one in front, counter, a tag, and where it was, if known.
  package static func encode(_ highs: [KeptKey.High], stored: [KeptKey.High]) -> [UInt8] {
    var writer = VariableBytesWriter()
    var time: Int64 = 0
    for (list, tag) in [(highs, 0), (stored, storedTag)] {
      for high in list {
        writer.put(signed: high.time &- time)
        time = high.time
        writer.put(UInt64(high.counter))
        writer.put(tag | (high.position == nil ? 0 : positionTag))
        if var position = high.position { writer.position(&position) }
      }
    }
    return writer.bytes
  }

  package static func highs(
    _ bytes: [UInt8]
  ) -> (highs: [KeptKey.High], stored: [KeptKey.High])? {
    var reader = VariableBytesReader(bytes)
    var (highs, stored): ([KeptKey.High], [KeptKey.High]) = ([], [])
    var time: Int64 = 0
    while !reader.isAtEnd {
      guard let difference = reader.signed(), let counter = reader.number(as: UInt32.self),
        let tag = reader.number(), tag <= storedTag | positionTag
      else { return nil }
      time = time &+ difference
      var high = KeptKey.High(time: time, counter: counter)
      if tag & positionTag != 0 {
        var position = Position(source: 0, lineItem: 0)
        guard (try? reader.position(&position)) != nil else { return nil }
        high.position = position
      }
      if tag & storedTag == 0 { highs.append(high) } else { stored.append(high) }
    }
    return (highs, stored)
  }

  /// Returns the ranges: what lies between each and the one in front, and its length less one.
  package static func encode(_ seen: [ClosedRange<UInt32>]) -> [UInt8] {
    var writer = VariableBytesWriter()
    var end: UInt64 = 0
    for range in seen {
      writer.put(UInt64(range.lowerBound) &- end)
      writer.put(UInt64(range.upperBound - range.lowerBound))
      end = UInt64(range.upperBound) + 1
    }
    return writer.bytes
  }

  package static func seen(_ bytes: [UInt8]) -> [ClosedRange<UInt32>]? {
    var reader = VariableBytesReader(bytes)
    var seen: [ClosedRange<UInt32>] = []
    var end: UInt64 = 0
    while !reader.isAtEnd {
      guard let gap = reader.number(as: UInt32.self), let length = reader.number(as: UInt32.self)
      else { return nil }
      let lower = end + UInt64(gap)
      let upper = lower + UInt64(length)
      guard upper <= UInt64(UInt32.max) else { return nil }
      seen.append(UInt32(lower)...UInt32(upper))
      end = upper + 1
    }
    return seen
  }
}
