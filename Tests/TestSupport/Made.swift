/// Makes a value that many tests share. If that fails, the tests end with the reason.
package func made<Value>(
  file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Value
) -> Value {
  do { return try body() } catch { preconditionFailure("\(file):\(line): \(error)") }
}
