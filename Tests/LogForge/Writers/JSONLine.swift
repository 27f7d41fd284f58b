/// One JSON object on one line, its fields in any order and any spelling that JSON allows.
package struct JSONLine: Sendable {
  /// The value of a field.
  package enum Value: Sendable {
    /// Finished JSON.
    case finished([UInt8])
    /// An object.
    case object(JSONLine)
    /// A string that holds the JSON of an object.
    case text(JSONLine)

    /// The value as finished JSON.
    var json: [UInt8] {
      switch self {
      case .finished(let bytes): bytes
      case .object(let line): line.bytes()
      case .text(let line): JSONLine.quoted(line.bytes())
      }
    }
  }

  /// The names and values. Names are written unchanged, escapes included.
  package var fields: [(name: String, value: Value)] = []

  package init() {}

  package mutating func add(_ name: String, raw value: [UInt8]) {
    fields.append((name, .finished(value)))
  }

  package mutating func add(_ name: String, raw value: String) {
    fields.append((name, .finished(Array(value.utf8))))
  }

  package mutating func add(_ name: String, object value: JSONLine) {
    fields.append((name, .object(value)))
  }

  package mutating func add(_ name: String, jsonText value: JSONLine) {
    fields.append((name, .text(value)))
  }

  package mutating func add(_ name: String, text: String) {
    fields.append((name, .finished(Self.quoted(Array(text.utf8)))))
  }

  package mutating func add(_ name: String, ascii: [UInt8]) {
    fields.append((name, .finished(Self.quoted(ascii))))
  }

  package mutating func remove(_ name: String) {
    fields.removeAll { $0.name == name }
  }

  /// Replaces the value of `name`, or adds the field.
  package mutating func set(_ name: String, raw value: String) {
    if let index = fields.firstIndex(where: { $0.name == name }) {
      fields[index].value = .finished(Array(value.utf8))
    } else {
      add(name, raw: value)
    }
  }

  /// Changes the object that is the value of `name`, or that is in the text there.
  package mutating func edit(_ name: String, _ change: (inout JSONLine) -> Void) {
    guard let index = fields.firstIndex(where: { $0.name == name }) else { return }
    switch fields[index].value {
    case .finished: break
    case .object(var line):
      change(&line)
      fields[index].value = .object(line)
    case .text(var line):
      change(&line)
      fields[index].value = .text(line)
    }
  }

  /// Puts another field in front of the field `name`, with the same name or with the name `other`.
  package mutating func precede(_ name: String, as other: String? = nil, raw value: String) {
    guard let index = fields.firstIndex(where: { $0.name == name }) else { return }
    fields.insert((other ?? name, .finished(Array(value.utf8))), at: index)
  }

  /// Returns the line without its end, fields in the order they were added.
  package func bytes(spaced: Bool = false) -> [UInt8] {
    let values = fields.map(\.value.json)
    var line: [UInt8] = [0x7B]
    line.reserveCapacity(
      zip(fields, values).reduce(2) { $0 + $1.0.name.utf8.count + $1.1.count + 6 })
    for (index, field) in fields.enumerated() {
      if index > 0 {
        line.append(0x2C)
        if spaced { line.append(0x20) }
      }
      line.append(0x22)
      line.append(contentsOf: field.name.utf8)
      line.append(0x22)
      line.append(0x3A)
      if spaced { line.append(0x20) }
      line.append(contentsOf: values[index])
    }
    line.append(0x7D)
    return line
  }

  /// Returns the line without its end, spelled as `random` chooses.
  package func bytes(_ random: inout ForgeRandom) -> [UInt8] {
    let choice = random.next()
    guard choice & 7 < 3 else { return bytes(spaced: choice & 8 != 0) }
    var line = self
    line.fields = random.shuffled(fields)
    return line.bytes(spaced: choice & 8 != 0)
  }

  /// Returns a JSON string of UTF-8 `text`. Only characters that must be escaped are escaped.
  package static func quoted(_ text: [UInt8]) -> [UInt8] {
    var value: [UInt8] = [0x22]
    value.reserveCapacity(text.count + 2)
    guard text.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else {
      value.append(contentsOf: text)
      value.append(0x22)
      return value
    }
    for byte in text {
      switch byte {
      case 0x22, 0x5C: value += [0x5C, byte]
      case 0x0A: value += [0x5C, 0x6E]
      case 0x09: value += [0x5C, 0x74]
      case ..<0x20: value += Array("\\u00".utf8) + TextCode.hex.encode([byte])
      default: value.append(byte)
      }
    }
    value.append(0x22)
    return value
  }

  /// Returns a JSON string in which one code point in three is escaped, beyond the Basic
  /// Multilingual Plane as a surrogate pair (RFC 8259, section 7).
  package static func escaped(_ text: String, _ random: inout ForgeRandom) -> [UInt8] {
    var value: [UInt8] = [0x22]
    for scalar in text.unicodeScalars {
      if scalar == "/" {
        value += [0x5C, 0x2F]
      } else if random.once(in: 3) || scalar.value < 0x20 || scalar == "\"" || scalar == "\\" {
        for unit in String(scalar).utf16 {
          value += [0x5C, 0x75]
          value += (random.once(in: 2) ? TextCode.hex : .upperHex)
            .encode(CBORWriter.bigEndian(UInt64(unit), 2))
        }
      } else {
        value += Array(String(scalar).utf8)
      }
    }
    value.append(0x22)
    return value
  }
}
