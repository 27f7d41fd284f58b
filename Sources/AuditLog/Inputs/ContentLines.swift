internal import Compression

/// The line on which the content of the current frame or member began: damage concerns it.
struct ContentLines {
  private var start: UInt64 = 0
  private var line: UInt64 = 1

  /// Counts lines up to `start`, where content begins; `bytes` were decoded from `offset` and `line` on.
  mutating func note(
    _ start: UInt64, offset: UInt64, line: UInt64, _ bytes: UnsafeRawBufferPointer
  ) {
    guard start != self.start, start >= offset else { return }
    self.start = start
    self.line = line
    for index in 0..<Int(start - offset) where unsafe bytes[index] == 0x0A { self.line += 1 }
  }

  /// Returns a finding's sentence for damage that is where `cutter` is now, in the content that begins at `contentStart`.
  func describe(
    _ damage: StreamDamage, _ cutter: borrowing LineCutter, contentStart: UInt64
  ) -> SourceDamage {
    let last = cutter.isInsideLine ? cutter.currentLine : cutter.currentLine - 1
    let lines: String
    if let from = damage.unprovenFrom {
      let first = from == start ? line : last
      lines = "lines \(min(first, last)) to \(last) are unproven"
    } else if cutter.isInsideLine {
      lines = "line \(last) is cut"
    } else {
      let state = damage.kind == .truncated ? "missing" : "damaged"
      lines = last == 0 ? "no line of it was read" : "what follows line \(last) is \(state)"
    }
    let what = damage.detail.prefix(1).uppercased() + damage.detail.dropFirst()
    var source = SourceDamage(
      kind: damage.kind, byteOffset: damage.byteOffset,
      detail: "\(what), at byte \(damage.byteOffset) of the file; \(lines).")
    // Nothing of a frame arrived if the last one that brought bytes is another one.
    let first = contentStart == start ? line : cutter.currentLine
    source.doubtful = min(first, last + 1)..<last + 1
    source.reason = damage.detail
    source.cutsLine = cutter.isInsideLine
    source.losesBytes = !damage.isChecksum
    return source
  }
}
