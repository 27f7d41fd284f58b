import Foundation

/// A report on disk, read independently of the program's own code.
package struct ReportFolder: TestFolder {
  package let path: String

  /// The part of `summary.json` that tests look at.
  package struct Summary: Decodable {
    package struct Run: Decodable {
      package var peakMemoryBytes: Int
    }
    package struct Input: Decodable {
      package var source: String
      package var decompressedBytes: Int
      package var lines: Int
      package var status: String
    }
    package struct Findings: Decodable {
      package var total: Int
    }
    package var run: Run
    package var inputs: [Input]
    package var records: [String: Int]
    package var verdicts: [String: Int]
    package var findings: Findings
  }

  package init(path: String) {
    self.path = path
  }

  /// The rows of `findings.csv`.
  package var findingRows: [[String: String]] {
    get throws { try CSVTable.rows(bytes("findings.csv")) }
  }

  /// The findings in their order, each as `severity code source:line`.
  package var findings: [String] {
    get throws {
      try findingRows.map {
        "\($0["severity"] ?? "") \($0["code"] ?? "") \($0["source"] ?? ""):\($0["line"] ?? "")"
      }
    }
  }

  /// Returns the sentences of the findings with that code, in their order.
  package func details(_ code: String) throws -> [String] {
    try findingRows.filter { $0["code"] == code }.map { $0["detail"] ?? "" }
  }

  /// The rows of `keys.csv`.
  package var keyRows: [[String: String]] {
    get throws { try CSVTable.rows(bytes("keys.csv")) }
  }

  /// The rows of `verdicts.csv.zst`.
  package var verdictRows: [[String: String]] {
    get throws { try CSVTable.rows(Packed.unpack(bytes("verdicts.csv.zst"))) }
  }

  package var summary: Summary {
    get throws {
      try JSONDecoder().decode(Summary.self, from: Data(bytes("summary.json")))
    }
  }

  /// The inputs in their order, each as `source status`.
  package var inputs: [String] {
    get throws { try summary.inputs.map { "\($0.source) \($0.status)" } }
  }

  /// The text of every file by its name, without the parts that may differ from run to run: `run`
  /// of `summary.json`, and the manifest's entry for that file. A compressed file is unpacked as
  /// well.
  package var lasting: [String: String] {
    get throws {
      var texts: [String: String] = [:]
      for name in try names {
        let bytes = try bytes(name)
        texts[name] =
          name.hasSuffix(".zst")
          ? bytes.map { String($0) }.joined(separator: " ") : String(decoding: bytes, as: UTF8.self)
      }
      texts["summary.json"] = texts["summary.json"].map { text in
        text.replacing(#/(?s)\n  "run": \{.*?\n  \}/#, with: "")
      }
      texts["manifest.json"] = texts["manifest.json"].map { text in
        text.replacing(#/\{[^{}]*"summary\.json"[^{}]*\}/#, with: "")
      }
      return texts
    }
  }
}
