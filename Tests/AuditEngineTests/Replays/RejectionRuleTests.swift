import AppAttest
import AuditLog
import TestSupport
import Testing

@testable import AuditEngine

@Suite struct `Rejection rule` {
  private let scratch: Scratch
  private let shuffles: Shuffles

  init() throws {
    scratch = try Scratch()
    shuffles = Shuffles(folder: scratch.path)
  }

  /// Returns the flags that tell later runs what speaks against an event, where a weak challenge
  /// alone is harmless.
  private func blame(
    _ decision: Decision = .rejected, _ flags: HashRow.Flags = .lookedAt,
    codes: CodeSet = CodeSet(),
    tentative: HashRow.Tentative? = nil
  ) throws -> KeptRecord.Flags {
    var event = SampleEvent()
    event.decision = decision
    let rule = RejectionRule(harmless: CodeSet([.challengeWeak, .recordOddEncoding]))
    let row = try event.hashRow(
      shuffles.texts, flags: flags, codes: codes, tentative: tentative)
    return withRow(row) { unsafe rule.blame(HashRow($0)) }
  }

  @Test func `a rejected record is blameless where nothing grave is said of it`() throws {
    #expect(try blame() == .blameless)
    #expect(try blame(codes: CodeSet([.challengeWeak])) == .blameless)
    #expect(try blame(codes: CodeSet([.challengeWeak, .counterRegression])) == [])
    #expect(try blame(.accepted) == [])
    #expect(try blame(.unknown) == [])
  }

  @Test func `a counter that may stand speaks against it unless it turns out to be a replay`()
    throws
  {
    let regression = HashRow.Tentative(code: .counterRegression, expected: 4)
    #expect(try blame(tentative: regression) == [.blameless, .disputed])
    let odd = HashRow.Tentative(code: .recordOddEncoding, expected: 4)
    #expect(try blame(tentative: odd) == .blameless)
  }

  @Test func `what its key cannot verify, or may attest again, is not blameless`() throws {
    #expect(try blame(.rejected, [.lookedAt, .unverifiable]) == [])
    #expect(try blame(.rejected, [.lookedAt, .unverifiable, .untrusted]) == [])
    #expect(try blame(.rejected, [.lookedAt, .mayBeReattested]) == [])
  }
}
