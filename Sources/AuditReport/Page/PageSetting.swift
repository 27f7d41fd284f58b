/// A setting of the run, as the page lists it.
package struct PageSetting: Sendable, Equatable {
  package var name: String
  package var value: String

  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}
