import Foundation

/// Metrics as Prometheus' own parser reads them (Debian's `python3-prometheus-client`), which is
/// independent of the program's code.
package struct PrometheusText: Decodable, Sendable {
  /// A metric with its samples.
  package struct Family: Decodable, Sendable {
    package var samples: [Sample]
  }
  package struct Sample: Decodable, Sendable {
    package var name: String
    package var labels: [String: String]
    package var value: Double
  }

  /// The metrics in the order of the text.
  package var families: [Family]

  /// Reads a text. Throws if it is not in the format, and if there is no parser.
  package init(_ text: String) throws {
    let answer = try Python.run(
      "prometheus", input: Array(text.utf8), packages: "python3-prometheus-client")
    families = try JSONDecoder().decode([Family].self, from: answer)
  }

  /// Returns the value of the one sample with this name whose labels hold these, or nil if there is
  /// no such sample or more than one.
  package func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
    let samples = families.flatMap(\.samples).filter { sample in
      sample.name == name && labels.allSatisfy { sample.labels[$0.key] == $0.value }
    }
    return samples.count == 1 ? samples[0].value : nil
  }
}
