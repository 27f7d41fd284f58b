import AppAttest

/// A piece of a template.
package enum FoundPart: Hashable {
  case text(String)
  case value(Int)
}

/// A derivation of a clientDataHash from a line.
enum DataForm: Hashable {
  /// The bytes of one value. `isHash` is true if they are the clientDataHash itself, and not the
  /// data that it is the SHA-256 of.
  case value(pointer: Int, encoding: ValueEncoding, isHash: Bool)
  case template([FoundPart])
  /// An object or array that is written again. No schema can express that.
  case written(pointer: Int, isSorted: Bool)

  /// The length of the longest body that is written again, in bytes.
  private static let writtenBytes = 64 << 10
  /// The lengths of a clientDataHash, in bytes (`records.md`).
  static let hashBytes = 16...255

  /// Returns the client data of a line, or its clientDataHash if the value holds that.
  func bytes(in line: SampleLine) -> [UInt8]? {
    switch self {
    case .value(let pointer, let encoding, _):
      guard let value = line[pointer] else { return nil }
      return Self.bytes(of: value, encoding)
    case .written(let pointer, let isSorted):
      guard let value = line[pointer], value.kind == .object || value.kind == .array else {
        return nil
      }
      return WrittenJSON.bytes(of: value.raw, isSorted: isSorted)
    case .template(let parts):
      var bytes: [UInt8] = []
      for part in parts {
        switch part {
        case .text(let text): bytes += Array(text.utf8)
        case .value(let pointer):
          guard let value = line[pointer], value.isText else { return nil }
          bytes += value.text
        }
      }
      return bytes
    }
  }

  /// Returns the clientDataHash of a line, or nil if the line does not have it in this form.
  func hash(in line: SampleLine) -> [UInt8]? {
    guard let bytes = bytes(in: line) else { return nil }
    guard case .value(_, _, true) = self else { return Digest256.sha256(bytes.span).bytes }
    return Self.hashBytes.contains(bytes.count) ? bytes : nil
  }

  /// The encoding of the value. A template is text.
  var encoding: ValueEncoding {
    if case .value(_, let encoding, _) = self { encoding } else { .utf8 }
  }

  /// Returns the rank among forms that explain the same lines, simpler ones first: by encoding,
  /// then by pointer.
  func order(_ pointers: PointerTable) -> (Int, Int, String) {
    switch self {
    case .value(let pointer, let encoding, let isHash):
      let rank =
        switch encoding {
        case .utf8: 0
        case .base64: 1
        case .hex: 2
        case .raw: 3
        }
      return ((isHash ? 4 : 0) + rank, pointers.depth(pointer), pointers.text(pointer))
    case .written(let pointer, let isSorted):
      return (isSorted ? 9 : 8, pointers.depth(pointer), pointers.text(pointer))
    case .template(let parts):
      let text = parts.map { part in
        switch part {
        case .text(let text): text
        case .value(let pointer): pointers.text(pointer)
        }
      }
      return (10 + parts.count, 0, text.joined())
    }
  }

  /// Returns every form of a value, with its bytes.
  static func forms(of value: SampleValue) -> [(form: DataForm, bytes: [UInt8])] {
    var forms: [(DataForm, [UInt8])] = []
    for encoding in [ValueEncoding.utf8, .base64, .hex, .raw] {
      guard let bytes = bytes(of: value, encoding) else { continue }
      let pointer = value.pointer
      forms.append((.value(pointer: pointer, encoding: encoding, isHash: false), bytes))
      if encoding != .raw, hashBytes.contains(bytes.count) {
        forms.append((.value(pointer: pointer, encoding: encoding, isHash: true), bytes))
      }
    }
    if value.kind == .object || value.kind == .array, value.raw.count <= writtenBytes {
      for isSorted in [false, true] {
        guard let bytes = WrittenJSON.bytes(of: value.raw, isSorted: isSorted) else { continue }
        forms.append((.written(pointer: value.pointer, isSorted: isSorted), bytes))
      }
    }
    return forms
  }

  private static func bytes(of value: SampleValue, _ encoding: ValueEncoding) -> [UInt8]? {
    switch encoding {
    case .utf8: value.isText ? Array(value.text) : nil
    case .base64: value.kind == .string ? ValueDecoder.base64(value.text) : nil
    case .hex: value.kind == .string ? ValueDecoder.hex(value.text) : nil
    case .raw:
      switch value.kind {
      case .string, .object, .array: Array(value.raw)
      case .number, .boolean, .null: nil
      }
    }
  }
}
