import Basics
import Dispatch
import Files
import Testing

@testable import AuditEngine

@Suite struct `Run state` {
  @Test func `of several reasons to stop the first counts`() throws {
    let state = Cancellation<AuditError>()
    #expect(!state.mustStop)
    try state.check()
    state.stop(AuditError(.cancelled, "first"))
    state.stop(AuditError(.inconsistent, "second"))
    #expect(state.mustStop)
    #expect(throws: AuditError(.cancelled, "first")) { try state.check() }
    #expect(throws: AuditError(.cancelled, "first")) { try state.check() }
  }
}
