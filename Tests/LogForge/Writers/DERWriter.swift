/// A writer of ASN.1 values in DER, and with indefinite lengths in BER (X.690).
package enum DERWriter {
  /// Returns one value: tag, length, contents.
  package static func value(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] {
    [tag] + length(contents.count) + contents
  }

  /// Returns a value of indefinite length (BER), whose contents end in two zero bytes.
  package static func open(_ tag: UInt8, _ contents: [[UInt8]]) -> [UInt8] {
    [tag, 0x80] + contents.reduce([], +) + [0, 0]
  }

  /// Returns the length octets of `count`.
  package static func length(_ count: Int) -> [UInt8] {
    if count < 0x80 { return [UInt8(count)] }
    var octets = [UInt8]()
    var rest = count
    while rest > 0 {
      octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
      rest >>= 8
    }
    return [0x80 | UInt8(octets.count)] + octets
  }

  package static func sequence(_ items: [[UInt8]]) -> [UInt8] { value(0x30, items.reduce([], +)) }

  package static func set(_ items: [[UInt8]]) -> [UInt8] { value(0x31, items.reduce([], +)) }

  /// Returns an INTEGER that is not negative, from its big-endian bytes of any length.
  package static func integer(_ magnitude: [UInt8]) -> [UInt8] {
    var bytes = Array(magnitude.drop { $0 == 0 })
    if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
    return value(0x02, bytes)
  }

  package static func integer(_ number: Int) -> [UInt8] {
    integer(CBORWriter.bigEndian(UInt64(number), 8))
  }

  package static func octets(_ bytes: [UInt8]) -> [UInt8] { value(0x04, bytes) }

  package static func bits(_ bytes: [UInt8], unused: UInt8 = 0) -> [UInt8] {
    value(0x03, [unused] + bytes)
  }

  package static func utf8(_ text: String) -> [UInt8] { value(0x0C, Array(text.utf8)) }

  package static let null: [UInt8] = [0x05, 0x00]

  package static func boolean(_ flag: Bool) -> [UInt8] { [0x01, 0x01, flag ? 0xFF : 0x00] }

  /// Returns an OBJECT IDENTIFIER of at least two arcs.
  package static func oid(_ arcs: [Int]) -> [UInt8] {
    var contents = [UInt8]()
    for (index, arc) in arcs.enumerated() where index > 0 {
      contents += base128(index == 1 ? arcs[0] * 40 + arc : arc)
    }
    return value(0x06, contents)
  }

  /// Returns a constructed value with a context-specific tag of any number.
  package static func context(_ number: Int, _ contents: [UInt8]) -> [UInt8] {
    if number < 31 { return value(0xA0 | UInt8(number), contents) }
    return [0xBF] + base128(number) + length(contents.count) + contents
  }

  /// Returns the ECDSA-Sig-Value of `r` and `s`, big-endian (RFC 3279).
  package static func signature(r: [UInt8], s: [UInt8]) -> [UInt8] {
    sequence([integer(r), integer(s)])
  }

  private static func base128(_ number: Int) -> [UInt8] {
    var bytes = [UInt8(number & 0x7F)]
    var rest = number >> 7
    while rest > 0 {
      bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
      rest >>= 7
    }
    return bytes
  }
}
