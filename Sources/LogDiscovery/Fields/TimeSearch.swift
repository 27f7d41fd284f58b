import AuditLog

/// A search for the time of lines: a pointer whose values are times, and rise.
struct TimeSearch {
  let lines: [SampleLine]
  let pointers: PointerTable
  /// The times at which tokens were made. They reveal a missing zone, and the order of day and month.
  var clock = TokenClock()
  var origin: (Int) -> Origin = { _ in .server }

  struct Place {
    var pointer: Int
    /// The form that a schema has to name, or nil if the default reading finds the time.
    var form: WrittenTime?
    var forms: [WrittenTime: Int] = [:]
    /// The numbers of lines with a time, and of those whose time is no earlier than the one before.
    var lines = 0
    var rising = 0
    var last = (source: -1, seconds: -Double.infinity)
    /// A remark if nothing tells the order of day and month.
    var remark = ""

    /// The unit of numbers if nearly all are of one, so that nothing else is mistaken for a time.
    var unit: TimeForm? {
      guard let (form, count) = forms.max(by: { $0.value < $1.value }),
        form != WrittenTime.rfc3339, count * 100 >= lines * 98
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

  /// Returns the field `time`, or nil if no pointer has times on four of five lines.
  func find() -> FieldNote? {
    let all = credible(places().filter { $0.lines * 10 >= lines.count * 8 })
    func rank(_ place: Place) -> Int {
      origin(place.pointer).rawValue * 2 + (isForeign(place) ? 1 : 0)
    }
    let first = all.map(rank).min()
    let ranked = all.filter { rank($0) == first }.map { (score($0), $0) }
      .sorted { ($1.0, $0.1.pointer) < ($0.0, $1.1.pointer) }.map(\.1)
    guard let best = ranked.first else { return nil }
    let sample = lines.spread(400)
    let (place, reason) = choice(ranked, sample)
    let words =
      place.form?.words ?? place.forms.keys.map(\.words).sorted().joined(separator: " or ")
    var what = "\(words), rising on \(place.rising * 100 / max(1, place.lines)) %\(place.remark)"
    if place.pointer != best.pointer { what += ", \(reason) \(pointers.text(best.pointer))" }
    var time = place.form?.time ?? place.unit
    if place.form?.lacksZone ?? false {
      let zone = clock.zone(place.time)
      time?.zone = ZoneRules(offset: zone.text)
      what += ", \(zone.text) \(zone.evidence)"
    }
    if !Self.isFine(place, sample) { what += ", to the second" }
    if isContradicted(place) { what += ", but the attestations were signed at other times" }
    return FieldNote(
      field: .time, mapping: pointers.mapping([place.pointer], time: time), what: what,
      sureness: .likely, lines: place.lines,
      of: lines.count)
  }

  /// Returns the places without those that tokens contradict, if others are left: times of sessions, of files, of caches.
  private func credible(_ places: [Place]) -> [Place] {
    let progress = places.map { clock.progress($0.time) }
    let most = progress.max() ?? 0
    let kept = zip(places, progress).filter { place, progress in
      !isContradicted(place) && (most < 0.5 || progress * 2 >= most)
    }.map(\.0)
    return kept.isEmpty ? places : kept
  }

  /// Returns whether a time is another's than the server's, by its name or by one around it.
  private func isForeign(_ place: Place) -> Bool {
    ([place.pointer] + pointers.parents(of: place.pointer)).contains {
      NameWords(pointers.name($0)).contains(WordLists.foreignTimes)
    }
  }

  private func isContradicted(_ place: Place) -> Bool {
    clock.contradicts(place.time, lacksZone: place.form?.lacksZone ?? false)
  }

  private func score(_ place: Place) -> Double {
    let name = pointers.meaning(place.pointer)
    let rank = name.isOne(WordLists.times) ? 0.5 : name.ends(WordLists.times) ? 0.3 : 0
    return Double(place.rising) / Double(max(1, place.lines)) + rank
      + Double(place.lines) / Double(max(1, lines.count))
      - 0.02 * Double(pointers.depth(place.pointer))
  }

  private struct Key: Hashable {
    var pointer: Int
    var form: WrittenTime?
  }

  private func places() -> [Place] {
    var places: [Key: Place] = [:]
    var known: [Int: WrittenTime] = [:]
    var misses: [Int: Int] = [:]
    for line in lines {
      for value in line.values where value.isText && value.text.count <= WrittenTime.longest {
        let triesTexts = misses[value.pointer, default: 0] < 100
        guard
          let (form, seconds) = WrittenTime.read(
            value, known: known[value.pointer], triesTexts: triesTexts)
        else {
          misses[value.pointer, default: 0] += 1
          continue
        }
        known[value.pointer] = form
        let key = Key(pointer: value.pointer, form: Self.named(form, value.kind))
        places[key, default: Place(pointer: key.pointer, form: key.form)]
          .add(form, seconds, line.source)
      }
    }
    return places.map { key, place in
      let isMixed = key.form?.lacksZone ?? false && places[Key(pointer: key.pointer)] != nil
      return (isMixed ? mixed(place) : nil) ?? ordered(place)
    }
  }

  /// Returns a place as one of times of which only some have a zone, or nil if most of these cannot be read so.
  private func mixed(_ place: Place) -> Place? {
    var mixed = Place(pointer: place.pointer, form: .mixed)
    for line in lines {
      guard let time = mixed.time(of: line) else { continue }
      mixed.add(.mixed, Double(time) / 1000, line.source)
    }
    return mixed.lines > place.lines ? mixed : nil
  }

  /// Returns the form that a schema has to name, or nil if it need not name one.
  private static func named(_ form: WrittenTime, _ kind: JSONDocument.Kind) -> WrittenTime? {
    switch form.time.unit {
    case .s, .ms: kind == .string ? form : nil
    case .us, .ns: form
    case nil, .rfc3339: form == WrittenTime.rfc3339 ? nil : form
    }
  }

  /// Returns a place with day and month in the order that fits more lines and tokens.
  private func ordered(_ place: Place) -> Place {
    guard let swapped = place.form?.swapped else { return place }
    var other = place
    other.form?.time = swapped
    other.form?.words = (place.form?.words ?? "").replacing("month, day", with: "day, month")
    func rank(_ place: Place) -> (Int, Int) {
      let offset = clock.offset(place.time)
      let fits = offset.map { place.form?.lacksZone ?? false || $0.quarters == 0 } ?? false
      return (lines.count { place.time(of: $0) != nil }, fits ? offset?.count ?? 0 : 0)
    }
    let (own, others) = (rank(place), rank(other))
    var best = own < others ? other : place
    if own == others { best.remark = ", the order of day and month is a guess" }
    best.lines = max(own.0, others.0)
    return best
  }

  /// Returns the finest of the times that keep pace with the first, the earliest of those, and why.
  private func choice(_ ranked: [Place], _ sample: [SampleLine]) -> (Place, reason: String) {
    let isFine = Self.isFine(ranked[0], sample)
    let beside = ranked.dropFirst().compactMap { place -> (place: Place, lead: Int64)? in
      let leads = Self.leads(of: place, ranked[0], sample)
      let name = pointers.meaning(place.pointer)
      guard Self.isFine(place, sample),
        Self.isNearlyAll(leads, in: -10_000...10_000, of: sample),
        // A client's clock can be as near and as fine, but not always in the same second.
        name.contains(WordLists.beginnings)
          || (isFine
            ? name.isOne(WordLists.times) : Self.isNearlyAll(leads, in: -999...0, of: sample))
      else { return nil }
      return (place, leads[leads.count / 2])
    }.filter { !isFine || $0.lead > 2 }
    let earliest = beside.map(\.lead).max() ?? 0
    let first = beside.first { $0.lead >= earliest - 2 }?.place
    return (first ?? ranked[0], isFine ? "earlier than" : "finer than")
  }

  /// Returns whether a time distinguishes events within one second.
  private static func isFine(_ place: Place, _ lines: [SampleLine]) -> Bool {
    lines.count { (place.time(of: $0) ?? 0) % 1000 != 0 } * 2 > lines.count
  }

  private static func isNearlyAll(
    _ leads: [Int64], in range: ClosedRange<Int64>, of lines: [SampleLine]
  ) -> Bool {
    !leads.isEmpty && leads.count(where: range.contains) * 100 >= lines.count * 98
  }

  /// Returns by how many milliseconds a time is earlier than another, apart from zones, in rising order.
  private static func leads(
    of place: Place, _ other: Place, _ lines: [SampleLine]
  ) -> [Int64] {
    let lacksZone = [place, other].contains { $0.form?.lacksZone ?? false }
    return lines.compactMap { line in
      guard let time = place.time(of: line), let later = other.time(of: line) else { return nil }
      let quarters = lacksZone ? (Double(later - time) / 900_000).rounded() : 0
      return later - time - Int64(quarters) * 900_000
    }.sorted()
  }

  /// Returns the field `time` of lines with date and time of day in two fields, or nil. `find`
  /// returns the time of a sample in which they are joined.
  func ofTwoFields(_ sample: LogSample, find: (LogSample) -> FieldNote?) -> FieldNote? {
    func pointer(_ form: Regex<Substring>) -> Int? {
      lines.counts { value in
        value.kind == .string && value.text.count <= WrittenTime.longest
          && value.string.wholeMatch(of: form) != nil
      }.filter { $0.value * 10 >= lines.count * 8 }.most?.pointer
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
    var note = find(joined)
    note?.mapping.source = .template([
      .pointer(pointers.pointer(date)), .text(" "), .pointer(pointers.pointer(time)),
    ])
    return note
  }

  /// A clause about the value that looks most like a time but cannot be read, or nil.
  var lookalike: String? {
    func looksLikeTime(_ value: SampleValue) -> Bool {
      value.kind == .string && value.text.count <= 2 * WrittenTime.longest
        && value.string.contains(/\d:\d\d/)
    }
    func rank(_ pointer: Int) -> Int { pointers.meaning(pointer).ends(WordLists.times) ? 1 : 0 }
    let ofSwift = lines.counts { value in
      rank(value.pointer) > 0 && value.kind == .number
        && Double(value.string).map(WrittenTime.isSince2001) ?? false
    }.filter { $0.value * 2 > lines.count }.most?.pointer
    if let ofSwift, let line = lines.first {
      let path = ProgramText.path(to: ofSwift, in: line, pointers)
      return "\(pointers.text(ofSwift)) has seconds since 2001, as Swift's JSONEncoder writes"
        + (path.map { ": jq -c '\($0) += 978307200' makes them seconds since 1970" } ?? "")
    }
    let best = lines.counts(where: looksLikeTime).filter { $0.value * 2 > lines.count }.max {
      (rank($0.key), $0.value, $1.key) < (rank($1.key), $1.value, $0.key)
    }?.key
    guard let best, let value = lines.lazy.compactMap({ $0[best] }).first(where: looksLikeTime)
    else { return nil }
    return "\(pointers.text(best)) looks like one, such as '\(value.string)': describe it with a "
      + "pattern in 'format', of \(TimePattern.words)"
  }
}

extension Array {
  /// Returns at most so many of the elements, evenly from all of them.
  func spread(_ limit: Int) -> [Element] {
    count <= limit ? self : (0..<limit).map { self[$0 * count / limit] }
  }
}
