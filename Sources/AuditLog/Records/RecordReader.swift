internal import Basics
internal import CSimdjson

/// A reader that maps lines onto records by a schema (`records.md`). One reader serves one thread.
@safe package final class RecordReader {
  let json: JSONLine
  /// The mapper that finds the fields of other schemas than the default one.
  let mapper: SchemaMapper?
  /// The way in which the default schema's fields are read.
  let reading = FieldValues.Reading()
  let items: LineItems?
  lazy var document = JSONDocument()
  private let isAppAttestObject: (Span<UInt8>) -> Bool
  private let key: LineKey
  let search: TokenSearch
  /// The search of the line around several records, which knows the tokens of all of them.
  let lineSearch: TokenSearch
  /// The record that was read last. It is copied as a whole by nobody who reads many.
  @exclusivity(unchecked) package private(set) var record = Record()
  /// Whether the last search that found a token gave up.
  package internal(set) var gaveUp = false
  /// The text from which the token of the record that was read last was read.
  @exclusivity(unchecked) var tokenText = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// The lines that are searched together.
  var searchedLater: [attest_searched_text] = unsafe []
  let skipsPrefix: Bool
  /// Whether a time of the schema can mean two instants, so that lines are read in their order.
  let hasAmbiguousTimes: Bool
  let schemaName: String
  /// The time that the record before states, if it is of the same input (`records.R88`).
  package var previousTime: Int64?
  /// The offset at which the object of the line that was read last begins, and the text before it.
  var start = 0
  var prefix = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  /// The text before the object of a line that has several records, and the rule that read the first of them.
  var linePrefix = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  var firstRule: String?
  /// The sorted names of the members of that line, once somebody has asked for them.
  var lineNames: [UInt8]?
  /// The text of the record that was read last: a line, or an element of its records.
  package internal(set) var text = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
  var source = Source.record
  /// Whether a rule has read the object that was read last, so that the search knows the tokens of other records of it.
  package internal(set) var keepsTokens = false

  /// A text that is searched for tokens that no rule reads.
  enum Source {
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
  /// `tokenLength` tells whether bytes begin as a token does; without it no token is found. Digests of records are
  /// compared only if they have one `key`.
  package init(
    schema: CompiledSchema = .standard, isAppAttestObject: @escaping (Span<UInt8>) -> Bool,
    tokenLength: @escaping TokenSearch.Test = { _, _ in TokenFront(.none) },
    key: LineKey = LineKey()
  ) {
    self.key = key
    search = TokenSearch(tokenLength)
    lineSearch = TokenSearch(tokenLength)
    schemaName = schema.definition.name
    json = JSONLine(schema.tree)
    mapper = schema.isStandard ? nil : SchemaMapper(schema)
    items = schema.line.map { LineItems($0, skipsPrefix: schema.definition.skipsPrefix) }
    self.isAppAttestObject = isAppAttestObject
    skipsPrefix = schema.definition.skipsPrefix
    hasAmbiguousTimes = schema.hasAmbiguousTimes
  }

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
      return try unsafe judge(fields, &record, &buffer)
    } catch {
      var reject = error.reject(\.name)
      reject.decision = decision(fields)
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
    while next != nil {
      if case .record? = next {
        isCertain = unsafe isCertain ?? false || record.ambiguity == 0
      }
      next = self.next(into: &buffer)
    }
    return isCertain
  }

  package func next(into buffer: inout ByteBuffer) -> RecordOutcome? {
    guard let mapper else { return nil }
    if mapper.hasNext(json) {
      buffer.removeAll()
      return outcome(mapper, &buffer) { mapper throws(Reject) in try mapper.mapNext(self.json) }
    }
    guard let items, let element = items.next() else { return nil }
    return read(element, items, mapper, &buffer)
  }

  package var hasFurtherRule: Bool { mapper?.hasNext(json) ?? false }

  package func decision() -> Decision {
    if let mapper { return source == .record ? mapper.decision(json) : .unknown }
    return decision(unsafe FieldValues(kinds: json.kinds, values: json.values, reading: reading))
  }

  /// Returns the decision if it can be read: it occurs once, in one spelling, and is one of the two words
  /// (`detection.R50`).
  private func decision(_ fields: FieldValues) -> Decision {
    let others = json.sets.repeats | json.sets.variants
    return others & 1 << UInt64(LogField.decision.rawValue) != 0
      ? .unknown : fields.readDecision() ?? .unknown
  }

  private func reject(_ field: LogField, _ fields: FieldValues) -> Reject {
    let isVariant = json.sets.variants & 1 << UInt64(field.rawValue) != 0
    return Reject(
      .ambiguousField, Reject.twice(field.name, isVariant: isVariant),
      decision: decision(fields), hasToken: fields.kinds.present.contains(.token))
  }

  /// Finds the object after the words that precede it, and reads it. No line is read more than
  /// twice.
  ///
  /// - Returns: Nil if there is an object, or else the reject.
  func readAfterPrefix(
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

  func readOne(
    _ text: UnsafeBufferPointer<UInt8>, _ mapper: SchemaMapper, _ buffer: inout ByteBuffer
  ) -> RecordOutcome {
    source = .record
    let reject =
      unsafe skipsPrefix ? readAfterPrefix(text, json) : json.read(text).map { Reject($0) }
    if let reject { return .reject(reject) }
    if let items { json.take(items.line, items.shared) }
    return outcome(mapper, &buffer) { mapper throws(Reject) in try mapper.map(self.json) }
  }

  private func outcome(
    _ mapper: SchemaMapper, _ buffer: inout ByteBuffer,
    _ map: (SchemaMapper) throws(Reject) -> FieldValues?
  ) -> RecordOutcome {
    do throws(Reject) {
      guard var fields = try map(mapper) else { return .skipped(.noRule) }
      if fields.mayHaveArrays { fields.takeArrays(&buffer) }
      do throws(FieldFault) {
        let outcome = try unsafe judge(fields, &record, &buffer)
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

  @inline(__always)
  private func judge(
    _ fields: FieldValues, _ record: inout Record, _ buffer: inout ByteBuffer
  ) throws(FieldFault) -> RecordOutcome {
    record = Record()
    if fields.foreignField != nil {
      if fields.tokenIsSomethingElse(isAppAttestObject, &buffer) {
        return .skipped(.otherPlatform)
      }
      record.hasPlatformMismatch = true
    }
    guard case .record(let kind, let isInferred) = try fields.resolveKind(&buffer) else {
      try fields.checkDeviceCheckToken()
      return .deviceCheckToken
    }
    record.kind = kind
    record.isKindInferred = isInferred
    try fields.refuseTwoClientData(kind, &buffer)
    if !fields.isOrdinary(kind) { try fields.checkTypes(kind) }
    // The digest is of the fields only, however they are written.
    buffer.drop(to: 0)
    if record.hasPlatformMismatch { record.foreignName = fields.copyForeignName(&buffer) }
    try fields.decode(kind, into: &record, &buffer)
    unsafe tokenText = kind == .challenge ? .init(start: nil, count: 0) : fields.text(.token)
    if record.oddFields.contains(.token) {
      unsafe tokenText = AuditedTokens.readPart(tokenText, buffer.storage[record.token])
    }
    if record.ambiguity != 0, let previousTime, record.statedTime < previousTime {
      record.time += record.ambiguity
      record.statedTime += record.ambiguity
    }
    previousTime = record.statedTime
    // A placeholder is no request identifier (records.R22).
    let mapped = fields.kinds.present.subtracting(record[.requestID] == nil ? .requestId : [])
    record.digest = key.digest(record, mapped, buffer)
    if json.isOdd || items?.line.isOdd ?? false {
      let lineStart = unsafe linePrefix.count
      var oddities =
        json.isOdd ? json.oddities(after: start) : items?.line.oddities(after: lineStart) ?? ""
      record.oddJSON = oddities.withUTF8 { unsafe buffer.append(copying: .init($0)) }
    }
    return .record(kind, time: record.time)
  }
}
