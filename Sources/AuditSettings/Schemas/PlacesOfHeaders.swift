import AuditLog

/// A search for pointers that take a header by its place in a list. The next client may send its
/// headers in another order.
struct PlacesOfHeaders {
  private let headers: [JSONPointer]

  init(_ headers: [JSONPointer]) { self.headers = headers }

  /// Throws if a pointer of the schema takes a header by its place.
  func refuse(in schema: LogSchema, at root: PipelineNode) throws(CommandError) {
    let conditions = schema.rules.flatMap(\.conditions).flatMap(\.pointers)
    let fields = schema.rules.flatMap { rule in
      LogField.allCases.flatMap { rule.fields[$0]?.pointers ?? [] }
    }
    let wrapped = schema.wrappings.flatMap { [$0.pointer, $0.flag].compactMap(\.self) }
    for pointer in conditions + fields + wrapped { try refuse(pointer, at: root) }
  }

  /// Throws if a pointer takes a header by its place.
  func refuse(_ pointer: JSONPointer, at node: PipelineNode) throws(CommandError) {
    guard let list = list(pointer) else { return }
    throw node.error(
      "the pointer \(pointer.text) takes a header by its place, and headers come in any order",
      hint: "write 'headers: [\(list)]' and \(list)/NAME find it by its name, in any form")
  }

  /// Returns the list of headers from which a pointer takes one by its place, or nil if it does
  /// not.
  private func list(_ pointer: JSONPointer) -> String? {
    let steps = pointer.steps
    for list in headers where steps.starts(with: list.steps) && steps.count > list.steps.count {
      let isPlace = steps[list.steps.count...].prefix(2).contains(where: Self.isNumber)
      return isPlace ? list.text : nil
    }
    for (index, step) in steps.enumerated().dropLast().dropFirst() where Self.isNumber(step) {
      let next = steps[index + 1].lowercased()
      // In a list of pairs the value is the second element.
      if next == "value" || (next == "1" && index + 2 == steps.count) {
        return JSONPointer(Array(steps[..<index])).text
      }
    }
    return nil
  }

  private static func isNumber(_ step: String) -> Bool {
    !step.isEmpty && step.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
