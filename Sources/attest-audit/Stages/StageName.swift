import ArgumentParser
import AuditEngine

/// The stages of an audit whose shuffles another engine carries out, as they are typed.
enum StageName: String, CaseIterable, ExpressibleByArgument {
  case plan, map, recall, devices, keys, hashes, report
}
