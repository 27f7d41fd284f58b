import AppAttest
import AuditEngine
import Foundation
import TestSupport
import Testing

@testable import AuditSettings

/// Mistakes in pipeline files, and what is said of them.
extension PipelineFileTests {
  struct Mistake: CustomTestStringConvertible, Sendable {
    var text: String
    var message: String
    var hint: String?
    var testDescription: String { message }

    init(_ text: String, _ message: String, hint: String? = nil) {
      self.text = text
      self.message = message
      self.hint = hint
    }
  }

  static let mistakes = [
    Mistake("input: [a]", "p.yaml:1: unknown key 'input'", hint: "did you mean 'inputs'?"),
    Mistake("\n\nAPPS: []", "p.yaml:3: unknown key 'APPS'", hint: "did you mean 'apps'?"),
    Mistake(
      "whatever: 1", "p.yaml:1: unknown key 'whatever'",
      hint: "allowed here: version, inputs, follow, schema, expect, apps, trust, keys, detect, "
        + "severity, limits, report, state, accept, tests"),
    Mistake(
      "detect:\n  reorderTolerence: 1s", "p.yaml:2: unknown key 'reorderTolerence' in 'detect'",
      hint: "did you mean 'reorderTolerance'?"),
    Mistake(
      "apps:\n- id: A.b\n  environment: production",
      "p.yaml:3: unknown key 'environment' in 'apps'",
      hint: "did you mean 'environments'?"),
    Mistake(
      "severity:\n  counter.gpa: low", "p.yaml:2: unknown key 'counter.gpa' in 'severity'",
      hint: "did you mean 'counter.gap'?"),
    Mistake("a: 1\n? [x]\n: 2", "p.yaml:2: a key has to be a word"),
    Mistake("? [x]\n: 2", "p.yaml:1: a key has to be a word"),
    Mistake("keys: a\nkeys: b", "p.yaml:1: the key 'keys' occurs twice"),
    Mistake(
      "version: 1\ndetect:\n  counterGap: 1\n  counterGap: 2",
      "p.yaml:3: the key 'counterGap' occurs twice"),
    Mistake("version: 2", "p.yaml:1: version: this program reads version 1"),
    Mistake("[]", "p.yaml:1: a mapping is needed, not a list"),
    Mistake("text", "p.yaml:1: a mapping is needed, not a single value"),
    Mistake("inputs: a", "p.yaml:1: inputs: a list is needed, not a single value"),
    Mistake("inputs:\n- [a]", "p.yaml:2: inputs: a single value is needed, not a list"),
    Mistake("inputs: [a, '']", "p.yaml:1: inputs: '' is not a path"),
    Mistake(
      "inputs: [a,\n  ]\nkeys: {}", "p.yaml:3: keys: a single value is needed, not a mapping"),
    Mistake("inputs: [~]", "p.yaml:1: inputs: a single value is needed, not nothing"),
    Mistake(
      "schema: capgoo", "p.yaml:1: schema: no schema is called 'capgoo'",
      hint: "did you mean 'capgo'?"),
    Mistake(
      "schema: {time: /t}", "p.yaml:1: unknown key 'time' in 'schema'",
      hint: "did you mean 'name'?"),
    Mistake(
      "version: 1\nstate: {directory: s}", "p.yaml:2: unknown key 'directory' in 'state'",
      hint: "allowed here: dir, mode, window, pendingFor, settle, generations"),
    Mistake(
      "state: {pendigFor: 1d}", "p.yaml:1: unknown key 'pendigFor' in 'state'",
      hint: "did you mean 'pendingFor'?"),
    Mistake("state: s", "p.yaml:1: state: a mapping is needed, not a single value"),
    Mistake("state: {dir: ''}", "p.yaml:1: state.dir: '' is not a path"),
    Mistake(
      "state: {dir: s, mode: none}",
      "p.yaml:1: state.mode: 'none' is not one of advance, reference"),
    Mistake(
      "state: {dir: s, window: 0s}",
      "p.yaml:1: state.window: '0s' is not a duration above 0s and up to 3650d, such as 30s, 5m, "
        + "12h or 1d"),
    Mistake(
      "state: {dir: s, settle: 10}",
      "p.yaml:1: state.settle: '10' is not a duration from 0s to 3650d, such as 500ms, 30s, 5m, "
        + "12h or 1d"),
    Mistake("report: {metrics: ''}", "p.yaml:1: report.metrics: '' is not a path"),
    Mistake("apps:\n- A.b", "p.yaml:2: apps: a mapping is needed, not a single value"),
    Mistake("apps:\n- categories: []", "p.yaml:2: apps: an app needs an id"),
    Mistake(
      "apps: [{id: bank}]",
      "p.yaml:1: apps.id: 'bank' is not an App ID: a prefix, a point, and a bundle identifier"),
    Mistake("apps: [{id: A.b},\n{id: A.b}]", "p.yaml:2: apps.id: the app 'A.b' occurs twice"),
    Mistake(
      "apps: [{id: A.b, environments: []}]",
      "p.yaml:1: apps.environments: an app without environments accepts no key at all"),
    Mistake(
      "apps: [{id: A.b, environments: [any]}]",
      "p.yaml:1: apps.environments: 'any' is not one of production, development"),
    Mistake(
      "apps: [{id: A.b, categories: [appstore]}]",
      "p.yaml:1: apps.categories: 'appstore' is not one of os, testFlight, development, appStore, "
        + "enterprise, developerID, other"),
    // verification.R40, R37.
    Mistake(
      "apps:\n- id: A.b\n  bundleVersions: ['7.1', '>=']",
      "p.yaml:3: apps.bundleVersions: '>=' is not a version such as 7.1, or a range such as "
        + "'>=7.1 <8'"),
    Mistake(
      "apps: [{id: A.b, codeHashes: [00ff]}]",
      "p.yaml:1: apps.codeHashes: '00ff' is not a code hash: 40 or 64 hex digits"),
    Mistake(
      "apps: [{id: A.b, codeHashes: [{path: h}]}]",
      "p.yaml:1: unknown key 'path' in 'apps.codeHashes'", hint: "allowed here: file"),
    Mistake(
      "apps: [{id: A.b, requires: [version]}]",
      "p.yaml:1: apps.requires: 'version' is not one of category, bundleVersion, codeHash"),
    Mistake(
      "trust: {macOSAccessControl: on}",
      "p.yaml:1: trust.macOSAccessControl: 'on' is not one of verify, ignore"),
    Mistake(
      "trust: {receipts: no}", "p.yaml:1: trust.receipts: 'no' is not one of verify, parse, ignore"),
    Mistake(
      "detect: {replayScope: none}",
      "p.yaml:1: detect.replayScope: 'none' is not one of global, key, exact"),
    Mistake(
      "detect: {challenges: true}",
      "p.yaml:1: detect.challenges: 'true' is not one of optional, required"),
    Mistake(
      "detect: {reorderTolerance: 30}",
      "p.yaml:1: detect.reorderTolerance: '30' is not a duration from 0s to 3650d, such as 500ms, "
        + "30s, 5m, 12h or 1d"),
    Mistake(
      "detect: {challengeTTL: 0s}",
      "p.yaml:1: detect.challengeTTL: '0s' is not a duration above 0s and up to 3650d, such as "
        + "30s, 5m, 12h or 1d"),
    Mistake(
      "detect: {counterGap: 4294967296}",
      "p.yaml:1: detect.counterGap: '4294967296' is not a number from 0 to 4294967295"),
    Mistake(
      "severity: {counter.gap: lo}",
      "p.yaml:1: severity.counter.gap: 'lo' is not one of info, low, medium, high, critical"),
    Mistake(
      "limits: {memory: 1MiB}",
      "p.yaml:1: limits.memory: '1MiB' is not a size from 64MiB, such as 64MiB or 1GiB"),
    Mistake(
      "limits: {jobs: 1025}", "p.yaml:1: limits.jobs: '1025' is not a number from 0 to 1024"),
    Mistake(
      "limits: {lineBytes: 2GiB}",
      "p.yaml:1: limits.lineBytes: '2GiB' is not a size from 1KiB to 1GiB, such as 64MiB or 1GiB"),
    Mistake(
      "limits: {zstdWindowBytes: 3GiB}",
      "p.yaml:1: limits.zstdWindowBytes: '3GiB' is not a size from 1KiB to 2GiB, such as 64MiB or "
        + "1GiB"),
    Mistake(
      "limits: {rejectRate: 0.1}",
      "p.yaml:1: limits.rejectRate: '0.1' is not a share from 0% to 100%, such as 10%"),
    Mistake(
      "report: {overwrite: yes}", "p.yaml:1: report.overwrite: 'yes' is not one of true, false"),
    Mistake(
      "report: {failOn: hihg}",
      "p.yaml:1: report.failOn: 'hihg' is not one of info, low, medium, high, critical, never"),
    Mistake(
      "keys: ${KEYS}/k.csv", "p.yaml:1: keys: the environment variable KEYS is not set",
      hint: "export KEYS=… first"),
    Mistake(
      "keys: [${KEYS}]", "p.yaml:1: keys: a single value is needed, not a list"),
    Mistake(
      "x${y}: 1", "p.yaml:1: unknown key 'x${y}'",
      hint: "allowed here: version, inputs, follow, schema, expect, apps, trust, keys, detect, "
        + "severity, limits, report, state, accept, tests"),
    Mistake("${y}: 1\n${y}: 2", "p.yaml:1: the key '${y}' occurs twice"),
    Mistake(
      "keys: \u{E000}", "p.yaml:1: the file holds the private-use characters U+E000 or U+E001"),
    Mistake("keys: ${KEYS", "p.yaml:1: keys: '${' without '}'"),
    Mistake(
      "keys: ${no name}",
      "p.yaml:1: keys: '${no name}' is neither ${date} nor an environment variable's name"),
    Mistake(
      "keys: ${}", "p.yaml:1: keys: '${}' is neither ${date} nor an environment variable's name"),
    Mistake("apps: [\n", "p.yaml:2: not YAML: did not find expected node content"),
    Mistake("a: b: c", "p.yaml:1: not YAML: mapping values are not allowed in this context"),
    Mistake(
      "keys: *x",
      "p.yaml:1: anchors and aliases (& and *) are not allowed: write the value where it is needed"),
  ]
}
