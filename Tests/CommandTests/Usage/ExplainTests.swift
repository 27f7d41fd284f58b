import AuditEngine
import TestSupport
import Testing

/// The built program's `explain`.
struct ExplainTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  private func run(_ arguments: String...) throws -> Program.Outcome {
    try Program.run(["explain"] + arguments, in: scratch.path)
  }

  @Test(arguments: FindingCode.allCases) func `every code is explained`(_ code: FindingCode) throws
  {
    let outcome = try run(code.name)
    #expect(outcome.status == 0 && outcome.errors.isEmpty)
    #expect(outcome.output.hasPrefix("\(code.name): \(code.entry.title)\n"))
    for heading in ["severity", "means", "abuse", "harmless", "what to do"] {
      #expect(outcome.output.contains("\n  \(heading) "), "\(heading)")
    }
    #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }
}
