import ArgumentParser
import AuditEngine

/// The typed names of the stages of an audit whose shuffles another engine carries out.
enum StageName: String, CaseIterable, ExpressibleByArgument {
  case plan, map, recall, devices, keys, hashes, report
}
