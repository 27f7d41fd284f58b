internal import AuditEngine

/// A key's counters as the database holds them.
enum CounterBytes {
  /// The highs: time as the difference to the one in front, counter, and where it was, if known.
  static func encode(_ highs: [RememberedKey.High]) -> [UInt8] {
    var writer = VariableBytesWriter()
    var time: Int64 = 0
    for high in highs {
      writer.put(signed: high.time &- time)
      time = high.time
      writer.put(UInt64(high.counter))
      writer.put(high.position == nil ? 0 : 1)
      if let position = high.position {
        writer.put(UInt64(position.source))
        writer.put(position.line)
      }
    }
    return writer.bytes
  }

  static func highs(_ bytes: [UInt8]) -> [RememberedKey.High]? {
    var reader = VariableBytesReader(bytes)
    var highs: [RememberedKey.High] = []
    var time: Int64 = 0
    while !reader.isAtEnd {
      guard let difference = reader.signed(), let counter = reader.number(as: UInt32.self),
        let tag = reader.number(), tag < 2
      else { return nil }
      time = time &+ difference
      var position: Position?
      if tag == 1 {
        guard let source = reader.number(as: UInt32.self), let line = reader.number() else {
          return nil
        }
        position = Position(source: source, line: line)
      }
      highs.append(RememberedKey.High(time: time, counter: counter, position: position))
    }
    return highs
  }

  /// The ranges: what lies between each and the one in front, and its length less one.
  static func encode(_ seen: [ClosedRange<UInt32>]) -> [UInt8] {
    var writer = VariableBytesWriter()
    var end: UInt64 = 0
    for range in seen {
      writer.put(UInt64(range.lowerBound) &- end)
      writer.put(UInt64(range.upperBound - range.lowerBound))
      end = UInt64(range.upperBound) + 1
    }
    return writer.bytes
  }

  static func seen(_ bytes: [UInt8]) -> [ClosedRange<UInt32>]? {
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
