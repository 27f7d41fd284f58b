internal import AuditEngine

/// A timeline as rows of CSV, JSON Lines and Timesketch.
package enum TimelineRows {
  /// The first line of CSV, with its end.
  package static var header: [UInt8] {
    var rows = RowBuffer()
    EventColumns.all.writeHeader(to: &rows)
    return rows.bytes
  }

  /// Returns a row of CSV.
  package static func csv(_ event: TimelineEvent) -> [UInt8] {
    var rows = RowBuffer()
    EventColumns.all.write(csv: event, to: &rows)
    return rows.bytes
  }

  /// Returns a line of JSON Lines, without empty members.
  package static func json(_ event: TimelineEvent) -> [UInt8] {
    line(EventColumns.all.tree(event))
  }

  /// Returns a line for a timeline of Timesketch, without empty members.
  package static func timesketch(_ event: TimelineEvent) -> [UInt8] {
    let words = [event.kind, event.verdict, event.codes.joined(separator: ", "), event.decision]
    return line(
      TimesketchEvent.tree(
        words.filter { !$0.isEmpty }.joined(separator: "; "), at: event.time ?? 0,
        of: event.time == nil ? "the event has no time" : "\(event.kind) in the log",
        EventColumns.all.members(of: event)))
  }

  private static func line(_ tree: JSONTree) -> [UInt8] {
    var rows = RowBuffer()
    tree.writeLine(to: &rows)
    return rows.bytes
  }
}
