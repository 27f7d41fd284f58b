import Testing

@testable import AuditLog

/// The pointer of a text; tests write no wrong ones unless they mean to.
func pointer(_ text: String) -> JSONPointer {
  do throws(JSONPointer.Problem) {
    return try JSONPointer(parsing: text)
  } catch {
    Issue.record("\(text) \(error.text)")
    return JSONPointer(["?"])
  }
}

/// A field at the first of some pointers.
func at(_ texts: String..., encoding: FieldEncoding? = nil) -> FieldMapping {
  FieldMapping(.pointers(texts.map(pointer)), encoding: encoding)
}

extension SchemaCondition {
  static func at(_ text: String, _ test: Test) -> SchemaCondition {
    SchemaCondition([pointer(text)], test)
  }
}

/// A schema's reader and what it read last.
struct SchemaReader {
  let reader: RecordReader

  init(_ schema: LogSchema) throws(SchemaProblem) {
    reader = RecordReader(schema: try CompiledSchema(schema)) { $0.count > 0 && $0[0] == 0xA1 }
  }

  /// One rule without conditions.
  init(
    _ fields: [LogField: FieldMapping], kind: SchemaRule.Kind = .fixed(.assertion),
    headers: [String] = [], formation: LogSchema.HashFormation = .sha256
  ) throws(SchemaProblem) {
    var schema = LogSchema(
      name: "test", rules: [SchemaRule(name: "rule 1", kind: kind, fields: fields)])
    schema.headers = headers.map(pointer)
    schema.formation = formation
    try self.init(schema)
  }

  func callAsFunction(_ line: [UInt8]) -> ReadRecord {
    var buffer = ByteBuffer()
    return readRecord(line, &buffer, reader)
  }

  func callAsFunction(_ line: String) -> ReadRecord { self(Array(line.utf8)) }
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
