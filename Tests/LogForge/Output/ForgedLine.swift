package import FindingCodes

/// A line that an attack writes, with the findings that an audit must report in it.
struct ForgedLine: Sendable {
  /// The time of the line, in milliseconds since 1970.
  var time: Int64
  /// The server that logs it: 0, or 1 if a second one is up.
  var server: Int
  /// The bytes of the line without its end.
  var bytes: [UInt8]
  /// The codes of the expected findings, one for each.
  var findings: [FindingCode]
  /// The shape for which ``FindingCode/recordNotAudited`` is reported once in each source.
  var shape: [UInt8] = []
}

/// One row of `truth.jsonl`.
package struct TruthRow: Sendable, Equatable {
  package var code: FindingCode
  /// The path relative to the forged folder: `logs/` and the file's name.
  package var source: String
  /// The number of the line in the decompressed stream, from 1, or 0 for a stream finding.
  package var line: Int

  package init(code: FindingCode, source: String, line: Int) {
    self.code = code
    self.source = source
    self.line = line
  }

  /// The row as JSON.
  var json: String {
    #"{"code":"\#(code.name)","source":"\#(source)","line":\#(line)}"# + "\n"
  }
}
