internal import CSimdjson

/// The search of lines for tokens that no rule reads (`records.R52` to `records.R55`).
extension RecordReader {
  private static let longestShape = 1024

  package func findsToken(in text: UnsafeBufferPointer<UInt8>) -> Bool {
    search.forget()
    return unsafe finds(text, search)
  }

  private func finds(_ text: UnsafeBufferPointer<UInt8>, _ search: TokenSearch) -> Bool {
    guard unsafe search.finds(text) else { return false }
    gaveUp = search.gaveUp
    return true
  }

  /// Records that a rule has read this object: its token does not count in the rest of the object.
  package func keepToken(ofRecord isRecord: Bool = false, _ buffer: borrowing ByteBuffer) {
    if !keepsTokens { search.forget() }
    keepsTokens = true
    if isRecord { _ = know(search, buffer) }
  }

  /// Returns whether the text that was read last contains a token that is not that of its record, if it is one, nor
  /// one that was kept (`records.R83`). `buffer` must contain the record's fields.
  package func findsToken(
    besideRecord isRecord: Bool = false, _ buffer: borrowing ByteBuffer
  ) -> Bool {
    if source == .text { return unsafe findsToken(in: text) }
    let hasToken = unsafe isRecord && record.kind != .challenge
    if isClear(besideToken: hasToken) { return false }
    if !keepsTokens { search.forget() }
    let isAudited = hasToken && know(search, buffer)
    if start > 0, unsafe finds(prefix, search) { return true }
    // A copy of a value that can contain another token is searched.
    var mostCopies = isAudited ? search.audited.hideOthers ? 1 : Int.max : 0
    return unsafe (source == .line ? items?.line.parts ?? json.parts : json.parts).contains {
      let part = unsafe $0.text
      if mostCopies > 0, unsafe isTokenText(part) {
        mostCopies -= 1
        return false
      }
      return unsafe finds(part, search)
    }
  }

  /// Puts the search of the line of the record that was read last off, until ``linesToSearch()``. Returns false if it
  /// has to be searched at once.
  package func searchesLater() -> Bool {
    guard !readsSeveral, !hasAmbiguousTimes,
      let searched = unsafe searchedText(besideToken: record.kind != .challenge)
    else { return false }
    if let known = unsafe searched.known {
      guard unsafe known >= searched.text, unsafe known < searched.text + searched.length else {
        return false
      }
    }
    unsafe searchedLater.append(searched)
    return true
  }

  /// Returns those of the lines whose search was put off that can contain a further token, by their order.
  package func linesToSearch() -> [Int] {
    defer { unsafe searchedLater.removeAll(keepingCapacity: true) }
    guard unsafe attest_is_clear(searchedLater, searchedLater.count, 0, nil) == 0 else { return [] }
    return unsafe searchedLater.indices.filter {
      unsafe attest_is_clear(&searchedLater[$0], 1, 0, nil) == 0
    }
  }

  /// Returns whether the text that was read last surely contains no token, or no other than that of its record.
  private func isClear(besideToken isRecord: Bool) -> Bool {
    guard var searched = unsafe searchedText(besideToken: isRecord) else { return true }
    return unsafe attest_is_clear(&searched, 1, 0, nil) != 0
  }

  private func searchedText(besideToken isRecord: Bool) -> attest_searched_text? {
    unsafe text.baseAddress.map {
      unsafe attest_searched_text(
        text: $0, length: text.count, known: isRecord ? tokenText.baseAddress : nil,
        known_length: tokenText.count)
    }
  }

  /// Makes the token of the record that was read last known to a search. Returns false if it has none.
  func know(_ search: TokenSearch, _ buffer: borrowing ByteBuffer) -> Bool {
    guard unsafe record.kind != .challenge else { return false }
    unsafe search.know(tokenText, buffer.storage.span.extracting(record.token))
    return true
  }

  /// Returns whether a part of the line is the value from which the token of its record was read.
  private func isTokenText(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = part.baseAddress, let known = unsafe tokenText.baseAddress else {
      return false
    }
    // A string with escapes was decoded elsewhere.
    let length =
      unsafe start == known
      ? tokenText.count
      : attest_known_length(start, start, start + part.count, known, tokenText.count, 1)
    return unsafe length > 0 && (length >= part.count || part[length] == UInt8(ascii: "\""))
  }

  /// Returns whether the line contains a token outside of its records that none of them has.
  package func findsTokenAroundRecords() -> Bool {
    guard let items, source != .line else { return false }
    if unsafe finds(linePrefix, lineSearch) { return true }
    guard !items.isWhole else { return false }
    if unsafe finds(items.rest, lineSearch) { return true }
    return unsafe items.line.parts.contains {
      unsafe items.isOutside($0.text) && finds($0.text, lineSearch)
    }
  }

  /// Returns the shape of a line that is read and contains the further token that was just found
  /// (`records.R55`): the name of its rule, a colon, and the pointer of the token, which is empty if the search gave up.
  package func shape(ofRead line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    shape(
      mapper?.ruleName ?? schemaName,
      gaveUp ? [] : TokenPointer(search).find(in: unsafe object(line)))
  }

  /// Returns the shape of a line with a token outside of its records (`records.R86`).
  package func shape(aroundRecordsOf line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let object = unsafe UnsafeBufferPointer(rebasing: line[min(linePrefix.count, line.count)...])
    var audited = 0..<0
    if let items, let array = unsafe items.array.baseAddress, let from = object.baseAddress,
      unsafe array.pointee == UInt8(ascii: "[")
    {
      let start = unsafe array - from
      audited = unsafe start..<(start + items.array.count)
    }
    let pointer =
      gaveUp ? [] : TokenPointer(lineSearch).find(in: unsafe Array(object), except: audited)
    return shape(firstRule ?? mapper?.ruleName ?? schemaName, pointer)
  }

  private func shape(_ rule: String, _ pointer: [UInt8]) -> [UInt8] {
    short(Array(rule.utf8) + [UInt8(ascii: ":")] + pointer)
  }

  /// Returns the shape of the record of `line` that was just read and skipped: its route, or else the sorted names of its
  /// members; of a value that is not an object, those of the line.
  package func shape(ofSkippedIn line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    if source == .record, let route = route() { return short(route) }
    guard source == .text else { return unsafe short(TokenPointer(search).names(of: object(text))) }
    return unsafe shape(ofLine: line)
  }

  package func shape(ofLine line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    let names =
      unsafe lineNames ?? TokenPointer(search).names(of: Array(line[linePrefix.count...]))
    lineNames = names
    return short(names)
  }

  private func route() -> [UInt8]? {
    if let mapper { return mapper.route(json) }
    guard json.kinds.strings.contains(FieldSet(.route)) else { return nil }
    let values = unsafe FieldValues(kinds: json.kinds, values: json.values, reading: reading)
    return unsafe RoutePath.shape(values.text(.route))
  }

  private func object(_ line: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    unsafe Array(line[min(start, line.count)...])
  }

  private func short(_ shape: [UInt8]) -> [UInt8] {
    shape.count > Self.longestShape ? Array(shape.prefix(Self.longestShape)) : shape
  }
}
