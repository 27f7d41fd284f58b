import TestSupport
import Testing

/// The program against a second reading of the contract, in another language and without any code of the program or
/// its forge (`Tests/SecondReading`).
struct SecondReadingTests {
  @Test(
    "Findings and verdicts of random logs are those of a second reading of the contract",
    arguments: [("detection.py", "60"), ("verification.py", "12"), ("records.py", "30")])
  func readings(_ script: String, _ logs: String) throws {
    let path = Repository.root + "/Tests/SecondReading/" + script
    let outcome = try Program.start(
      [path, Program.path, "0", logs], in: Repository.root, program: "/usr/bin/python3"
    ).wait()
    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
  }
}
