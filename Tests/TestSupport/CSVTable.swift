/// Rows of CSV (RFC 4180) by the names of their columns, parsed independently of the program's own
/// code.
package enum CSVTable {
  /// The reason why a text is no such table.
  package struct Malformed: Error, Equatable {
    package var row: Int
    package var why: String
  }

  /// Reads a table whose first row is the header. Every row must end in CRLF.
  package static func rows(_ bytes: [UInt8]) throws -> [[String: String]] {
    let records = try records(bytes)
    guard let header = records.first else { return [] }
    return try records.dropFirst().enumerated().map { index, fields in
      guard fields.count == header.count else {
        throw Malformed(row: index + 2, why: "\(fields.count) fields")
      }
      return Dictionary(uniqueKeysWithValues: zip(header, fields))
    }
  }

  private static func records(_ bytes: [UInt8]) throws -> [[String]] {
    var records: [[String]] = []
    var fields: [String] = []
    var at = 0
    func isNext(_ byte: Character) -> Bool { at < bytes.count && bytes[at] == byte.asciiValue }
    while at < bytes.count {
      var field: [UInt8] = []
      if isNext("\"") {
        at += 1
        while true {
          guard at < bytes.count else {
            throw Malformed(row: records.count + 1, why: "an open quotation")
          }
          if isNext("\"") {
            at += 1
            guard isNext("\"") else { break }
          }
          field.append(bytes[at])
          at += 1
        }
      } else {
        while at < bytes.count, !isNext(","), !isNext("\r"), !isNext("\n") {
          field.append(bytes[at])
          at += 1
        }
      }
      fields.append(String(decoding: field, as: UTF8.self))
      if isNext(",") {
        at += 1
        continue
      }
      guard isNext("\r"), at + 1 < bytes.count, bytes[at + 1] == 0x0A else {
        throw Malformed(row: records.count + 1, why: "no CRLF behind it")
      }
      at += 2
      records.append(fields)
      fields = []
    }
    guard fields.isEmpty else { throw Malformed(row: records.count + 1, why: "it is not whole") }
    return records
  }
}
