import ArgumentParser
import Basics
import LogForge

/// `attest-bench schemas`: the cost of parsing through a schema, beside the default one.
///
/// A form that is named is parsed alone, a single time: for a profiler that counts instructions.
struct SchemasCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schemas",
    abstract: "Measures parsing through schemas beside that through the default one.")

  @Option(name: .long, help: "Assertions to forge and parse; 20,000 at most.")
  var assertions = 20_000

  @Option(name: .long, help: "Keys that they come from, each with one attestation.")
  var keys = 200

  @Option(name: .long, help: "The form to parse alone: default, object, list or otel.")
  var only: SchemaBench.Form?

  func run() throws {
    let folder = try BenchFolder()
    let bench = try SchemaBench(
      folder: folder.path, keys: keys, assertions: assertions,
      forms: only.map { [$0] } ?? SchemaBench.Form.allCases)
    if only != nil {
      bench.parseOnce()
      return
    }
    let costs = bench.measure()
    for (form, cost) in zip(SchemaBench.Form.allCases, costs) {
      print("\(form.title.padded(to: 34, least: 1))\(BenchTable.number(cost)) ns")
    }
    print(bench.text(costs))
  }
}

extension SchemaBench.Form: ExpressibleByArgument {}
