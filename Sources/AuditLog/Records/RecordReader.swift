internal import CSimdjson

/// A reader that maps lines onto records by a schema (`records.md`). One reader serves one thread.
@safe package final class RecordReader {
  private let json: JSONLine
  /// The mapper that finds the fields of other schemas than the default one.
  private let mapper: SchemaMapper?
  /// The way in which the default schema's fields are read.
  private let reading = FieldValues.Reading()
  /// The records of lines that have several.
  private let items: LineItems?
  private lazy var document = JSONDocument()
  private let isAppAttestObject: (Span<UInt8>) -> Bool
  private let search: TokenSearch
  /// The search of the line around several records, which knows the tokens of all of them.
  private let lineSearch: TokenSearch
  /// Whether the last search that found a token gave up.
  package private(set) var gaveUp = false
  /// The text from which the token of the record that was read last was read.
  private var tokenText = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private let skipsPrefix: Bool
  private let schemaName: String
  /// The time that the record before states, if it is of the same input (`records.R88`).
  package var previousTime: Int64?
  /// The offset at which the object of the line that was read last begins, and the text before it.
  private var start = 0
  private var prefix = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// The text before the object of a line that has several records, and the rule that read the first of them.
  private var linePrefix = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  private var firstRule: String?
  /// The text of the record that was read last: a line, or an element of its records.
  package private(set) var text = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// Where the parts of ``text`` are.
  private var source = Source.record
  /// Whether a rule has read the object that was read last, so that the search knows the tokens of other records of it.
  package private(set) var keepsTokens = false

  /// A text that is searched for tokens that no rule reads.
  private enum Source {
    /// The object that was read last.
    case record
    /// The line around records that are not there.
    case line
    /// A text without an object.
    case text
  }

  /// Makes a reader. `isAppAttestObject` tells whether bytes begin, behind any tags, with a CBOR
  /// map that holds `authData` or `authenticatorData`: then another platform's record may not be
  /// skipped.
  ///
  /// `tokenLength` tells whether bytes begin as a token does; without it no token is found.
  package init(
    schema: CompiledSchema = .standard, isAppAttestObject: @escaping (Span<UInt8>) -> Bool,
    tokenLength: @escaping TokenSearch.Test = { _, _ in 0 }
  ) {
    search = TokenSearch(tokenLength)
    lineSearch = TokenSearch(tokenLength)
    schemaName = schema.definition.name
    json = JSONLine(schema.tree)
    mapper = schema.isStandard ? nil : SchemaMapper(schema)
    items = schema.line.map(LineItems.init)
    self.isAppAttestObject = isAppAttestObject
    skipsPrefix = schema.definition.skipsPrefix
  }

  /// Whether a line can have several records.
  var readsSeveral: Bool { items != nil || mapper?.mostItems ?? 1 > 1 }

  /// Reads one line, behind which ``LineBatch/padding`` bytes are readable, or the first record of
  /// a line that has several. The fields go into `buffer`, which is emptied first.
  package func read(
    _ line: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer
  ) -> RecordOutcome {
    buffer.removeAll()
    unsafe text = line
    if let mapper { return unsafe read(line, mapper, &buffer) }
    var duplicate: LogField?
    if let failure = unsafe json.read(line, duplicate: &duplicate) {
      return .reject(Reject(failure))
    }
    var fields = unsafe FieldValues(kinds: json.kinds, values: json.values, reading: reading)
    if fields.mayHaveArrays { fields.takeArrays(&buffer) }
    if let duplicate { return .reject(reject(duplicate, fields)) }
    do throws(FieldFault) {
      return try judge(fields, &buffer)
    } catch {
      var reject = error.reject(\.name)
      reject.decision = fields.readDecision() ?? .unknown
      reject.hasToken = fields.kinds.present.contains(.token)
      return .reject(reject)
    }
  }

  /// Reads all records of a line for their times only: ``previousTime`` is that of the last one then.
  ///
  /// - Returns: Whether a time that means one instant only is among them, or nil if the line has no record.
  package func readTimes(
    _ line: UnsafeBufferPointer<UInt8>, into buffer: inout ByteBuffer
  ) -> Bool? {
    var isCertain: Bool?
    var next: RecordOutcome? = unsafe read(line, into: &buffer)
    while let outcome = next {
      if case .record(let record) = outcome {
        isCertain = isCertain ?? false || record.ambiguity == 0
      }
      next = self.next(into: &buffer)
    }
    return isCertain
  }

  /// Returns the next record of the line that was read last, or nil if it has no further one.
  package func next(into buffer: inout ByteBuffer) -> RecordOutcome? {
    guard let mapper else { return nil }
    if mapper.hasNext(json) {
      buffer.removeAll()
      return outcome(mapper, &buffer) { mapper throws(Reject) in try mapper.mapNext(self.json) }
    }
    guard let items, let element = items.next() else { return nil }
    return read(element, items, mapper, &buffer)
  }

  /// Returns the reject of a line in which a field of the default schema occurs twice.
  private func reject(_ field: LogField, _ fields: FieldValues) -> Reject {
    let isDecisionTwice = json.sets.repeats & 1 << UInt64(LogField.decision.rawValue) != 0
    let isVariant = json.sets.variants & 1 << UInt64(field.rawValue) != 0
    return Reject(
      .ambiguousField, Reject.twice(field.name, isVariant: isVariant),
      decision: isDecisionTwice ? .unknown : fields.readDecision() ?? .unknown,
      hasToken: fields.kinds.present.contains(.token))
  }

  // MARK: Tokens that no rule reads

  /// The most bytes of a shape.
  private static let longestShape = 1024

  /// Returns whether a text contains a token, whatever the text is.
  package func findsToken(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    search.forget()
    return unsafe finds(text, search)
  }

  private func finds(_ text: UnsafeBufferPointer<UInt8>, _ search: TokenSearch) -> Bool {
    guard unsafe search.finds(text) else { return false }
    gaveUp = search.gaveUp
    return true
  }

  /// Whether a further rule makes a record of the object that was read last.
  package var hasFurtherRule: Bool { mapper?.hasNext(json) ?? false }

  /// Records that a rule has read the object that was read last. In what else is searched of this object, the token of
  /// the record does not count.
  package func keepToken(of record: Record? = nil, _ buffer: borrowing ByteBuffer) {
    if !keepsTokens { search.forget() }
    keepsTokens = true
    guard let record, record.kind != .challenge else { return }
    unsafe search.know(
      readToken(of: record).token, buffer.storage.span.extracting(record.token))
  }

  /// Returns the text from which the token of the record that was read last was read, and what follows it: lenient
  /// decoders stop at the padding (`records.R34`).
  private func readToken(
    of record: Record
  ) -> (token: UnsafeBufferPointer<UInt8>, rest: UnsafeBufferPointer<UInt8>) {
    var end = unsafe tokenText.count
    if record.oddFields.contains(FieldSet(.token)) {
      var next = 0
      var padding = paddingLength(at: 0)
      while next < end, padding == 0 {
        next += 1
        padding = paddingLength(at: next)
      }
      while padding > 0 {
        next += padding
        padding = paddingLength(at: next)
      }
      end = next
    }
    return unsafe (
      UnsafeBufferPointer(rebasing: tokenText[..<end]),
      UnsafeBufferPointer(rebasing: tokenText[end...])
    )
  }

  /// Returns the number of characters of a `=`, which can be percent-encoded, at a place in the text of the token: 0 if
  /// another character is there.
  private func paddingLength(at place: Int) -> Int {
    let text = unsafe tokenText[place...].prefix(3)
    if unsafe text.first == UInt8(ascii: "=") { return 1 }
    return unsafe text.elementsEqual("%3D".utf8) || text.elementsEqual("%3d".utf8) ? 3 : 0
  }

  /// Returns whether the text that was read last contains a token that is not that of `record`, nor
  /// one that was kept (`records.R83`). `buffer` must contain the record's fields.
  package func findsToken(beside record: Record? = nil, _ buffer: borrowing ByteBuffer) -> Bool {
    if source == .text { return unsafe findsToken(in: text) }
    let own = unsafe record.flatMap { unsafe $0.kind == .challenge ? nil : tokenText.baseAddress }
    /// Returns whether a part is the value from which the token was read.
    func isOwn(_ part: attest_json_value) -> Bool {
      guard let bytes = unsafe part.bytes, unsafe own != nil else { return false }
      let text = unsafe UnsafeBufferPointer(start: bytes, count: part.length)
      // A string with escapes was decoded elsewhere.
      let length = unsafe bytes == own ? tokenText.count : KnownText.length(of: tokenText, in: text)
      return length.map { unsafe $0 >= text.count || text[$0] == UInt8(ascii: "\"") } ?? false
    }
    let parts = unsafe source == .line ? items?.line.parts ?? json.parts : json.parts
    let isOdd = unsafe own != nil && record?.isOdd ?? false
    guard unsafe start > 0 || isOdd || parts.contains(where: { unsafe !isOwn($0) }) else {
      return false
    }
    if !keepsTokens { search.forget() }
    if let record, unsafe own != nil {
      let (token, rest) = unsafe readToken(of: record)
      unsafe search.know(token, buffer.storage.span.extracting(record.token))
      if unsafe finds(rest, search) { return true }
    }
    if start > 0, unsafe finds(prefix, search) { return true }
    for index in 0..<parts.count {
      let part = unsafe parts[index]
      if unsafe isOwn(part) { continue }
      if unsafe finds(UnsafeBufferPointer(start: part.bytes, count: part.length), search) {
        return true
      }
    }
    return false
  }

  /// Returns whether the line that was read last contains a token outside of its records that is not that of one of
  /// them.
  package func findsTokenAroundRecords() -> Bool {
    guard let items, source != .line, !items.isWhole else { return false }
    if unsafe finds(linePrefix, lineSearch) { return true }
    let parts = unsafe items.line.parts
    for index in 0..<parts.count {
      let part = unsafe UnsafeBufferPointer(start: parts[index].bytes, count: parts[index].length)
      if unsafe items.isOutside(part), unsafe finds(part, lineSearch) { return true }
    }
    return false
  }

  /// Returns the shape of a line that is read and contains the further token that was just found
  /// (`records.R55`): the name of its rule, a colon, and the pointer of the token.
  package func shape(ofRead line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    shape((mapper?.ruleName ?? schemaName), TokenPointer(search).find(in: unsafe object(line)))
  }

  /// Returns the shape of a line with the token outside of its records that was just found. It counts under the first
  /// of its records (`records.R86`).
  package func shape(aroundRecordsOf line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let object = unsafe UnsafeBufferPointer(rebasing: line[min(linePrefix.count, line.count)...])
    var audited = 0..<0
    if let items, let array = unsafe items.array.baseAddress, let from = object.baseAddress {
      let start = unsafe array - from
      audited = unsafe start..<(start + items.array.count)
    }
    let pointer = TokenPointer(lineSearch).find(in: unsafe Array(object), except: audited)
    return shape(firstRule ?? mapper?.ruleName ?? schemaName, pointer)
  }

  private func shape(_ rule: String, _ pointer: [UInt8]) -> [UInt8] {
    short(Array(rule.utf8) + [UInt8(ascii: ":")] + pointer)
  }

  /// Returns the shape of the record of `line` that was just read and skipped: its route, or else the sorted names of its
  /// members; of a value that is not an object, those of the line.
  package func shape(ofSkippedIn line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    if source == .record, let route = route() { return short(route) }
    let object = unsafe source == .text ? Array(line[linePrefix.count...]) : object(text)
    return short(TokenPointer(search).names(of: object))
  }

  /// Returns the route of the object that was read last, or nil if it has none.
  private func route() -> [UInt8]? {
    if let mapper { return mapper.route(json) }
    guard json.kinds.strings.contains(FieldSet(.route)) else { return nil }
    let values = unsafe FieldValues(kinds: json.kinds, values: json.values, reading: reading)
    return unsafe RoutePath.normal(Span(_unsafeElements: values.text(.route)))
  }

  /// Returns what the text that was read last shows of the log if it is no record (`reports.R66`).
  package func signs(_ outcome: RecordOutcome) -> LineSigns {
    var signs: LineSigns = []
    var isObject = true
    switch outcome {
    case .record, .deviceCheckToken, .skipped(.otherPlatform): return []
    case .reject(let reject):
      isObject = reject.code != .malformedJSON
      if reject.endsEarly { signs.insert(.endsEarly) }
    case .skipped: break
    }
    if unsafe isPart(text) { signs.insert(.part) }
    switch source {
    case .record where isObject: signs.formUnion(mapper?.signs(json) ?? [])
    case .line where isObject && items?.isNull == true: signs.insert(.nullRecord)
    case .record, .line, .text:
      if unsafe text.elementsEqual("null".utf8) { signs.insert(.nullRecord) }
    }
    return signs
  }

  private func isPart(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let first = unsafe text.first else { return false }
    if first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") {
      return LinePart.isCRI(unsafe Array(text.prefix(64))[...])
    }
    return unsafe text.starts(with: "{\"log\":\"".utf8)
      && LinePart.isDocker(Array(text)[...], document)
  }

  private func object(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    unsafe Array(line[min(start, line.count)...])
  }

  private func short(_ shape: [UInt8]) -> [UInt8] {
    shape.count > Self.longestShape ? Array(shape.prefix(Self.longestShape)) : shape
  }

  /// Returns what the line that was just read and skipped says of the server's decision.
  package func decision() -> Decision {
    if let mapper { return source == .record ? mapper.decision(json) : .unknown }
    return unsafe FieldValues(kinds: json.kinds, values: json.values, reading: reading)
      .readDecision() ?? .unknown
  }

  /// Finds the object after the words that precede it, and reads it. No line is read more than
  /// twice.
  ///
  /// - Returns: Nil if there is an object, or else the reject.
  private func readAfterPrefix(
    _ line: UnsafeBufferPointer<UInt8>, _ json: borrowing JSONLine
  ) -> Reject? {
    start = unsafe LinePrefix.length(line)
    defer { unsafe prefix = UnsafeBufferPointer(rebasing: line[..<start]) }
    guard let failure = unsafe json.read(UnsafeBufferPointer(rebasing: line[start...])) else {
      return nil
    }
    let reject = Reject(failure, after: start)
    // The prefix can contain text that a client sent, with braces of its own.
    guard let other = unsafe LinePrefix.lengthFromEnd(line), other != start else { return reject }
    start = other
    return unsafe json.read(UnsafeBufferPointer(rebasing: line[start...])).map { _ in reject }
  }

  private func read(
    _ line: UnsafeBufferPointer<UInt8>, _ mapper: SchemaMapper, _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    mapper.clear()
    keepsTokens = false
    if let items { return unsafe readFirst(of: line, items, mapper, &buffer) }
    return unsafe readOne(line, mapper, &buffer)
  }

  /// Reads one record.
  private func readOne(
    _ text: UnsafeBufferPointer<UInt8>, _ mapper: SchemaMapper, _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    source = .record
    let reject =
      unsafe skipsPrefix ? readAfterPrefix(text, json) : json.read(text).map { Reject($0) }
    if let reject { return .reject(reject) }
    if let items { json.take(items.line, items.shared) }
    return outcome(mapper, &buffer) { mapper throws(Reject) in try mapper.map(self.json) }
  }

  /// Returns what the object that was read last is by the rule that `map` finds.
  private func outcome(
    _ mapper: SchemaMapper, _ buffer: inout ByteBuffer,
    _ map: (SchemaMapper) throws(Reject) -> FieldValues?
  ) -> RecordOutcome {
    do throws(Reject) {
      guard var fields = try map(mapper) else { return .skipped(.noRule) }
      if fields.mayHaveArrays { fields.takeArrays(&buffer) }
      do throws(FieldFault) {
        let outcome = try judge(fields, &buffer)
        if let items, !items.isWhole { keepInLine(outcome, buffer) }
        return outcome
      } catch {
        throw mapper.reject(error)
      }
    } catch {
      var reject = error
      reject.decision = mapper.decision(json)
      reject.hasToken = mapper.hasToken(json)
      return .reject(reject)
    }
  }

  // MARK: Several records in a line

  /// Keeps the token of a record for the search of the line around it.
  private func keepInLine(_ outcome: RecordOutcome, _ buffer: borrowing ByteBuffer) {
    guard case .record(let record) = outcome else { return }
    if firstRule == nil { firstRule = mapper?.ruleName }
    guard record.kind != .challenge else { return }
    unsafe lineSearch.know(
      readToken(of: record).token, buffer.storage.span.extracting(record.token))
  }

  /// Reads a line that has several records, and the first of them.
  private func readFirst(
    of line: UnsafeBufferPointer<UInt8>, _ items: LineItems, _ mapper: SchemaMapper,
    _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    start = 0
    source = .line
    items.clear()
    lineSearch.forget()
    firstRule = nil
    let reject =
      unsafe skipsPrefix
      ? readAfterPrefix(line, items.line) : items.line.read(line).map { Reject($0) }
    unsafe linePrefix = UnsafeBufferPointer(rebasing: line[..<start])
    if let reject { return .reject(reject) }
    do throws(Reject) {
      let object = unsafe UnsafeBufferPointer(rebasing: line[start...])
      guard unsafe try items.start(object) else { return .skipped(.noRecords) }
      guard hasTooMany(items, mapper) else {
        guard let first = items.next() else { return .skipped(.noRecords) }
        return read(first, items, mapper, &buffer)
      }
      items.clear()
      throw Reject(.malformedJSON, "The line has more than \(LineItems.limit) records.")
    } catch {
      return .reject(error)
    }
  }

  /// Returns whether a line has more items than a position can say (`records.R87`).
  private func hasTooMany(_ items: LineItems, _ mapper: SchemaMapper) -> Bool {
    let elements = items.count()
    guard elements <= LineItems.limit else { return true }
    guard elements * mapper.mostItems > LineItems.limit else { return false }
    var count = 0
    items.look { element in
      count += 1
      guard case .record(let text) = element, unsafe json.read(text) == nil else { return }
      json.take(items.line, items.shared)
      count += mapper.itemCount(json) - 1
    }
    return count > LineItems.limit
  }

  private func read(
    _ element: LineItems.Element, _ items: LineItems, _ mapper: SchemaMapper,
    _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    buffer.removeAll()
    mapper.clear()
    keepsTokens = false
    switch element {
    case .record(let record):
      unsafe text = record
      return unsafe readOne(record, mapper, &buffer)
    case .other(let value):
      unsafe text = value
      source = .text
      return .skipped(.noRecord)
    }
  }

  /// Judges the fields of a line.
  @inline(__always)
  private func judge(
    _ fields: FieldValues, _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> RecordOutcome {
    var record = Record()
    if fields.foreignField != nil {
      if fields.tokenIsSomethingElse(isAppAttestObject, &buffer) {
        return .skipped(.otherPlatform)
      }
      record.hasPlatformMismatch = true
      record.foreignName = fields.copyForeignName(&buffer)
    }
    guard case .record(let kind, let isInferred) = try fields.resolveKind() else {
      try fields.checkDeviceCheckToken()
      return .deviceCheckToken
    }
    record.kind = kind
    record.isKindInferred = isInferred
    try fields.refuseTwoClientData(kind, &buffer)
    if !fields.isOrdinary(kind) { try fields.checkTypes(kind) }
    try fields.decode(kind, into: &record, &buffer)
    unsafe tokenText = kind == .challenge ? .init(start: nil, count: 0) : fields.text(.token)
    if record.ambiguity != 0, let previousTime, record.statedTime < previousTime {
      record.time += record.ambiguity
      record.statedTime += record.ambiguity
    }
    previousTime = record.statedTime
    record.digest = RecordDigest.of(record, fields.kinds.present, buffer)
    if json.isOdd || items?.line.isOdd ?? false {
      let lineStart = unsafe linePrefix.count
      var oddities =
        json.isOdd ? json.oddities(after: start) : items?.line.oddities(after: lineStart) ?? ""
      record.oddJSON = oddities.withUTF8 { unsafe buffer.append(copying: .init($0)) }
    }
    return .record(record)
  }
}
