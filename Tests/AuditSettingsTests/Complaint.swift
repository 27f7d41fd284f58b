import AuditSettings
import TestSupport

/// Returns the error that reading files of a folder throws, without the folder.
func complaint(in scratch: Scratch, _ body: () throws -> Void) -> CommandError? {
  do {
    try body()
    return nil
  } catch {
    guard var failure = error as? CommandError else { return nil }
    failure.message = failure.message.replacing(scratch.path + "/", with: "")
    return failure
  }
}
