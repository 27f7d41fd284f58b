package import FindingCodes

/// A line that an attack writes, and what an audit has to find in it.
struct ForgedLine: Sendable {
  /// Where it belongs in the day; milliseconds since 1970.
  var time: Int64
  /// The server that logs it: 0, or 1 where a second one is up.
  var server: Int
  /// Without its end.
  var bytes: [UInt8]
  /// One for each expected finding.
  var findings: [FindingCode]
  /// What ``FindingCode/recordNotAudited`` is reported once for in each source.
  var shape: [UInt8] = []
}

/// One row of `truth.jsonl`.
package struct TruthRow: Sendable, Equatable {
  package var code: FindingCode
  /// Relative to the forged folder: `logs/` and the file's name.
  package var source: String
  /// 1-based in the decompressed stream; 0 for a stream finding.
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
