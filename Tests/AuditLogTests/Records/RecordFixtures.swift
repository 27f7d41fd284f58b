import CSimdjson
import TestSupport
import Testing

@testable import AuditLog

/// The pointer of a text; tests write no wrong ones unless they mean to.
func pointer(_ text: String) -> JSONPointer {
  do throws(SchemaProblem) {
    return try JSONPointer(parsing: text)
  } catch {
    Issue.record("\(text) \(error.text)")
    return JSONPointer(["?"])
  }
}

/// A field at the first of some pointers.
func at(_ texts: String...) -> FieldMapping {
  FieldMapping(.pointers(texts.map(pointer)))
}

/// A text as a JSON string, with its quotes.
func quoted(_ text: String) -> String {
  var result = "\""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case _ where scalar.value < 0x20:
      result += "\\u00" + (scalar.value < 16 ? "0" : "") + String(scalar.value, radix: 16)
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result + "\""
}

/// The places of an assertion's fields in lines of the tests.
let assertionFields: [LogField: FieldMapping] = [
  .time: at("/t"), .keyId: at("/b/key"), .token: at("/b/tok"), .clientData: at("/b/data"),
]

/// Members of the object that holds them, all but the time.
let assertionParts = "\"key\":\"\(sampleKey)\",\"tok\":\"oA==\",\"data\":\"cA==\""

let sampleKey = String(repeating: "A", count: 43) + "="
let base = "\"time\":1,\"keyId\":\"\(sampleKey)\",\"token\":\"oA==\""

/// Returns the values of some pointers in a line: `s:` a string, `n:` a number, `null`, `-` absent, else
/// the text of a boolean or `{}`; or that the line is malformed or nested too deep; or which place stands
/// twice.
func readPlaces(
  _ line: [UInt8], _ texts: [String], headers: [String] = [], wanted: UInt64 = .max
) -> [String] {
  do throws(SchemaProblem) {
    var tree = try PointerTree(headers: headers.map(pointer))
    var slots: [Int] = []
    for text in texts { slots.append(try tree.slot(of: pointer(text))) }
    let json = JSONLine(tree)
    return withLine(line) { bytes in
      switch unsafe json.read(bytes) {
      case nil: break
      case .notJSON, .endsEarly, .secondObject: return ["malformed"]
      case .tooDeep: return ["tooDeep"]
      case .noMemory: return ["noMemory"]
      }
      #expect(json.open(wanted) == true)
      if let twice = json.twice(wanted) { return ["twice \(tree.places[twice].text)"] }
      #expect(json.sets.duplicates & wanted == 0)
      return slots.map { slot in
        let value = json.value(slot)
        let text = unsafe String(decoding: value.text, as: UTF8.self)
        switch value.kind {
        case .absent: return "-"
        case .null: return "null"
        case .string: return "s:" + text
        case .number: return "n:" + text
        case .other: return text == "true" || text == "false" ? text : "{}"
        }
      }
    }
  } catch {
    return [error.text]
  }
}

/// Returns the same of a line that is text.
func readPlaces(_ line: String, _ texts: String..., headers: [String] = []) -> [String] {
  readPlaces(Array(line.utf8), texts, headers: headers)
}

/// The place with this name from the beginning of 2026 on.
let vienna = ZoneRules(
  name: "Vienna",
  shifts: [
    .init(from: 0, offset: 3_600_000), .init(from: 1_774_746_000_000, offset: 7_200_000),
    .init(from: 1_792_890_000_000, offset: 3_600_000),
  ])
