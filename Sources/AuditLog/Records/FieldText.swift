internal import CSimdjson

extension LogField {
  /// Returns the bytes of a string or of an array of numbers as an audit reads them at this field, also as lenient
  /// servers do (`records.R34`, `records.R82`).
  ///
  /// - Returns: Nil if there are none, or not those that a `token` or `keyId` needs.
  package func bytes(of text: ArraySlice<UInt8>, isArray: Bool = false) -> [UInt8]? {
    let needs: DecodedForm = self == .token ? .map : self == .keyId ? .keyIdentifier : .any
    var buffer = ByteBuffer(capacity: text.count)
    let range = unsafe text.withUnsafeBufferPointer { text in
      let value = unsafe attest_json_value(bytes: text.baseAddress, length: text.count)
      let values = unsafe [attest_json_value](repeating: value, count: Self.allCases.count)
      return unsafe values.withUnsafeBufferPointer { values -> Range<Int>? in
        guard let first = values.baseAddress else { return nil }
        let field = FieldSet(self)
        var fields = unsafe FieldValues(
          kinds: FieldKinds(
            strings: isArray ? [] : field, numbers: [], others: isArray ? field : []),
          values: first, reading: FieldValues.Reading())
        fields.takeArrays(&buffer)
        guard fields.kinds.strings.contains(field) else { return nil }
        var odd = FieldSet()
        return try? fields.decode(self, needs, &odd, &buffer)
      }
    }
    guard let range, !range.isEmpty, needs.isMet(by: buffer, range) else { return nil }
    return Array(buffer.storage[range])
  }
}
