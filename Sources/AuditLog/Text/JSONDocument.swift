internal import CSimdjson

/// A reader of whole JSON documents (RFC 8259, strictly) with simdjson, for one thread at a time.
///
/// Logs are read by ``RecordReader``, which looks for fields only; this is for the few documents all of
/// whose values count.
@safe package final class JSONDocument {
  package enum Kind: Sendable {
    case string, number, boolean, null, object, array
  }

  /// A value. Values stand in the order of the text, an object or array in front of what it holds.
  package struct Value: Sendable {
    package let kind: Kind
    /// The number of values that it is, with those in it: the distance to the next one beside it.
    package let size: Int
    /// The number of elements of an array that it is.
    package let elements: Int
    /// The decoded name of a member. It is nil for elements and for the whole document.
    package let name: ArraySlice<UInt8>?
    /// The decoded UTF-8 of a string, or the text of a number or boolean, or empty for all else.
    package let text: ArraySlice<UInt8>
    /// The value as it stands in the text.
    package let raw: ArraySlice<UInt8>
  }

  private let document: OpaquePointer

  package init() {
    guard let document = unsafe attest_json_document_create() else {
      preconditionFailure("out of memory for a JSON reader")
    }
    unsafe self.document = document
  }

  deinit { unsafe attest_json_document_destroy(document) }

  /// Returns the values of a text, the whole before its parts, or nil if it is not one JSON value.
  /// With `takesOdd`, an object or array is read with the tolerances of `records.R81` if it is not
  /// strict JSON. With `joinsNumbers`, numbers that follow one another in an array are one value.
  package func read(
    _ text: ArraySlice<UInt8>, takesOdd: Bool = false, joinsNumbers: Bool = false
  ) -> [Value]? {
    let reading =
      (takesOdd ? ATTEST_JSON_TAKES_ODD : 0) | (joinsNumbers ? ATTEST_JSON_JOINED_NUMBERS : 0)
    let padded = Array(text) + [UInt8](repeating: 0, count: Int(ATTEST_JSON_PADDING))
    return unsafe padded.withUnsafeBufferPointer { bytes -> [Value]? in
      guard let base = bytes.baseAddress else { return nil }
      var nodes: UnsafePointer<attest_json_node>?
      var count = 0
      guard
        unsafe attest_json_document_read(
          document, base, text.count, UInt32(reading), &nodes, &count)
          == ATTEST_JSON_OK
      else { return nil }
      var values: [Value] = []
      values.reserveCapacity(count)
      for index in 0..<count {
        guard let node = unsafe nodes?[index] else { return nil }
        unsafe values.append(
          Value(
            kind: Self.kind(node.kind), size: node.size, elements: node.elements,
            name: node.name.bytes == nil ? nil : Self.slice(node.name, of: text, at: base),
            text: Self.slice(node.text, of: text, at: base),
            raw: Self.slice(node.raw, of: text, at: base)))
      }
      return values
    }
  }

  private static func slice(
    _ value: attest_json_value, of text: ArraySlice<UInt8>, at base: UnsafePointer<UInt8>
  ) -> ArraySlice<UInt8> {
    guard let bytes = unsafe value.bytes, unsafe value.length > 0 else { return [] }
    let offset = unsafe UnsafeRawPointer(bytes) - UnsafeRawPointer(base)
    if offset >= 0, unsafe offset + value.length <= text.count {
      let start = text.startIndex + offset
      return unsafe text[start..<(start + value.length)]
    }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: value.length))[...]
  }

  private static func kind(_ kind: attest_json_kind) -> Kind {
    switch kind {
    case ATTEST_JSON_STRING: .string
    case ATTEST_JSON_NUMBER: .number
    case ATTEST_JSON_BOOLEAN: .boolean
    case ATTEST_JSON_NULL: .null
    case ATTEST_JSON_OBJECT: .object
    default: .array
    }
  }
}

extension JSONDocument.Value {
  package init(text: ArraySlice<UInt8>) {
    self.init(kind: .string, size: 1, elements: 1, name: nil, text: text, raw: text)
  }
}

/// A value of a document, followed by those inside it.
package typealias JSONNodes = ArraySlice<JSONDocument.Value>

extension JSONNodes {
  /// The direct members or elements of the first value, each followed by the values inside it.
  package var parts: [JSONNodes] {
    var parts: [JSONNodes] = []
    var next = startIndex + 1
    let end = startIndex + (first?.size ?? 0)
    while next < end {
      parts.append(self[next..<(next + self[next].size)])
      next += self[next].size
    }
    return parts
  }
}
