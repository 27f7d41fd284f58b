import AuditLog

/// A search for the time of lines: a pointer whose values are times, and rise.
struct TimeSearch {
  /// The share of the lines on which a pointer has to hold a time.
  private static let leastShare = 0.8
  /// The share of the numbers that have to be of one unit for it to be named.
  private static let leastUniform = 0.98

  /// A pointer, and the form of its times.
  struct Place {
    var pointer: Int
    /// The form that a schema has to name, or nil if the default reading finds the time.
    var form: WrittenTime?
    /// The lines with a time in each form.
    var forms: [WrittenTime: Int] = [:]
    /// The number of lines with a time, and of those whose time is no earlier than the one before.
    var lines = 0
    var rising = 0
    /// The source and the time of the line before.
    var last = (source: -1, seconds: -Double.infinity)

    /// The names of the forms, for people.
    var words: String { forms.keys.map(\.words).sorted().joined(separator: " or ") }

    /// The unit of numbers if (nearly) all are of one, so that nothing else is mistaken for a time.
    var unit: TimeForm? {
      guard let (form, count) = forms.max(by: { $0.value < $1.value }),
        form != WrittenTime.rfc3339, Double(count) >= Double(lines) * leastUniform
      else { return nil }
      return form.time
    }

    /// Returns the milliseconds since 1970 of a line, or nil if it has no such time.
    func time(of line: SampleLine) -> Int64? {
      line[pointer].flatMap { (form?.time ?? TimeForm()).milliseconds($0) }
    }

    fileprivate mutating func add(_ form: WrittenTime, _ seconds: Double, _ source: Int) {
      forms[form, default: 0] += 1
      lines += 1
      if last.source != source || seconds >= last.seconds { rising += 1 }
      last = (source, seconds)
    }
  }

  /// Returns the field `time` of `lines`, or nil if no pointer has times.
  ///
  /// - Parameters:
  ///   - clock: The times at which tokens were made, by their lines. They reveal a missing zone,
  ///     and the order of day and month.
  ///   - isClients: Returns whether clients wrote the value at a pointer.
  ///   - isBesideToken: Returns whether clients may have written it.
  static func find(
    _ lines: [SampleLine], _ pointers: PointerTable, clock: TokenClock = TokenClock(),
    isClients: (Int) -> Bool = { _ in false }, isBesideToken: (Int) -> Bool = { _ in false }
  ) -> FieldNote? {
    let least = Double(lines.count) * leastShare
    let all = joined(places(lines), lines).filter { Double($0.lines) >= least }
    let others = all.filter { !isClients($0.pointer) }
    let servers = others.filter { !isBesideToken($0.pointer) }
    let ranked = ([servers, others].first { !$0.isEmpty } ?? all).sorted { left, right in
      (score(right, pointers, lines.count), left.pointer)
        < (score(left, pointers, lines.count), right.pointer)
    }
    guard let best = ranked.first else { return nil }
    let choice = TimeChoice(ranked, of: lines, pointers)
    let (place, remark) = choice.ordered(clock)
    var what =
      "\(place.form?.words ?? place.words), rising on "
      + "\(place.rising * 100 / max(1, place.lines)) %\(remark)"
    if place.pointer != best.pointer {
      what += ", \(choice.reason) \(pointers.text(best.pointer))"
    }
    var time = place.form?.time ?? place.unit
    if place.form?.lacksZone ?? false, var form = time {
      let zone = clock.zone { token in token[place.pointer].flatMap(form.milliseconds) }
      form.zone = ZoneRules(offset: zone.text)
      time = form
      what += ", \(zone.text) \(zone.evidence)"
    }
    if !choice.isFine(place) { what += ", to the second" }
    return FieldNote(
      .time, pointers.mapping(place.pointer, time: time), what, .likely, on: place.lines,
      of: lines.count)
  }

  private static func score(_ place: Place, _ pointers: PointerTable, _ lines: Int) -> Double {
    let name = pointers.meaning(place.pointer)
    let rank = name.isOne(WordLists.times) ? 0.5 : name.ends(WordLists.times) ? 0.3 : 0
    return Double(place.rising) / Double(max(1, place.lines)) + rank
      + Double(place.lines) / Double(max(1, lines))
      - 0.02 * Double(pointers.depth(place.pointer))
  }

  /// Returns the field `time` of lines that have date and time of day in two fields, or nil if they do
  /// not.
  ///
  /// - Parameter find: Returns the time of a sample in which each line has only both texts, joined.
  static func ofTwoFields(
    _ sample: LogSample, _ events: [SampleLine], find: (LogSample) -> FieldNote?
  ) -> FieldNote? {
    func pointer(_ form: Regex<Substring>) -> Int? {
      let best = events.counts { value in
        value.kind == .string && value.text.count <= WrittenTime.longest
          && value.string.wholeMatch(of: form) != nil
      }.most
      return best.flatMap {
        Double($0.count) >= Double(events.count) * leastShare ? $0.pointer : nil
      }
    }
    guard let date = pointer(/\d{1,4}[-.\/][0-9A-Za-z]{1,3}[-.\/]\d{1,4}/),
      let time = pointer(/\d{1,2}:\d{2}:\d{2}.*/)
    else { return nil }
    var joined = sample
    for (index, line) in sample.lines.enumerated() {
      let parts = [line[date], line[time]].compactMap { $0?.string }
      let text = Array(parts.joined(separator: " ").utf8)[...]
      joined.lines[index].values = [
        SampleValue(pointer: time, kind: .string, text: text, raw: text)
      ]
    }
    guard var note = find(joined) else { return nil }
    let pointers = [date, time].map(sample.pointers.pointer)
    note.mapping.source = .template([.pointer(pointers[0]), .text(" "), .pointer(pointers[1])])
    return note
  }

  private struct Key: Hashable {
    var pointer: Int
    var form: WrittenTime?
  }

  /// Returns all pointers with times.
  private static func places(_ lines: [SampleLine]) -> [Place] {
    var places: [Key: Place] = [:]
    var known: [Int: WrittenTime] = [:]
    for line in lines {
      for value in line.values where value.isText && value.text.count <= WrittenTime.longest {
        guard let (form, seconds) = WrittenTime.read(value, known: known[value.pointer]) else {
          continue
        }
        known[value.pointer] = form
        let key = Key(pointer: value.pointer, form: named(form, value.kind))
        places[key, default: Place(pointer: key.pointer, form: key.form)]
          .add(form, seconds, line.source)
      }
    }
    return Array(places.values)
  }

  /// Joins places whose texts can be read as times with the day before the month and with the day
  /// after it. The form that reads more of the lines is kept for both.
  private static func joined(_ places: [Place], _ lines: [SampleLine]) -> [Place] {
    places.compactMap { place in
      guard let twin = place.form?.twin,
        let other = places.first(where: { $0.pointer == place.pointer && $0.form == twin })
      else { return place }
      let count = lines.count { place.time(of: $0) != nil }
      let otherCount = lines.count { other.time(of: $0) != nil }
      guard (otherCount, other.words) < (count, place.words) else { return nil }
      var joined = place
      joined.lines = count
      joined.rising = min(count, place.rising + other.rising)
      return joined
    }
  }

  /// Returns the form that a schema has to name, or nil if it need not name one.
  private static func named(_ form: WrittenTime, _ kind: JSONDocument.Kind) -> WrittenTime? {
    switch form.time.unit {
    case .s, .ms: kind == .string ? form : nil
    case .us, .ns: form
    case nil, .rfc3339: form == WrittenTime.rfc3339 ? nil : form
    }
  }

  /// Returns a sentence about the value that looks most like a time that cannot be read, or nil if
  /// there is none.
  static func lookalike(_ lines: [SampleLine], _ pointers: PointerTable) -> String? {
    func looksLikeTime(_ value: SampleValue) -> Bool {
      value.kind == .string && value.text.count <= 2 * WrittenTime.longest
        && value.string.contains(/\d:\d\d/)
    }
    func rank(_ pointer: Int) -> Int { pointers.meaning(pointer).ends(WordLists.times) ? 1 : 0 }
    let best = lines.counts(where: looksLikeTime).filter { $0.value * 2 > lines.count }.max {
      (rank($0.key), $0.value, $1.key) < (rank($1.key), $1.value, $0.key)
    }?.key
    guard let best, let value = lines.lazy.compactMap({ $0[best] }).first(where: looksLikeTime)
    else { return nil }
    return "\(pointers.text(best)) looks like one, such as '\(value.string)': describe it with a "
      + "pattern in 'format', of \(TimePattern.words)"
  }
}
