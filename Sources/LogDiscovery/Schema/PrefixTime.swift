import AuditLog

/// The time of lines that have it only before their JSON. Schemas do not look there.
struct PrefixTime {
  /// A command for a shell that moves it into the JSON.
  let command: String

  /// Examines the text before the JSON of lines with tokens. Returns nil if it has a date and a
  /// time on few of them.
  init?(_ sample: LogSample, tokenLines: Set<Int>) {
    let lines = tokenLines.sorted().map { sample.lines[$0] }
    let dated = lines.count { Self.hasTime($0.bytes[..<$0.start]) }
    guard let first = lines.first, dated * 10 >= lines.count * 9 else { return nil }
    command =
      "sed -E 's/^[^{]*([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]+(Z|[+-][0-9:]+)?)[^{]*\\{/"
      + "{\"time\":\"\\1\",/' " + ShellText.quoted(sample.sources[first.source])
  }

  /// Returns whether a text holds a time such as `2026-03-01T00:`, or the same with a space.
  private static func hasTime(_ text: ArraySlice<UInt8>) -> Bool {
    let form = Array("0000-00-00T00:".utf8)
    return text.indices.contains { start in
      let rest = text[start...].prefix(form.count)
      return rest.count == form.count
        && zip(rest, form).allSatisfy { byte, wanted in
          switch wanted {
          case UInt8(ascii: "0"): (0x30...0x39).contains(byte)
          case UInt8(ascii: "T"): byte == wanted || byte == 0x20
          default: byte == wanted
          }
        }
    }
  }
}
