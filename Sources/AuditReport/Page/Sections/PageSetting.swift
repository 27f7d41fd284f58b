/// A setting of the run, as the page lists it.
struct PageSetting: Sendable, Equatable {
  var name: String
  var value: String
}
