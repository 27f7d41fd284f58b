/// What one event turned out to be.
struct EventOutcome {
  var flags: HashRow.Flags = []
  var isValidAttestation = false
  var isUnverifiable = false
  var signatureHolds = false
  var tentative: HashRow.Tentative?
  var serverMismatch: HashRow.ServerMismatch?
  var firstAttestation: Position?
}
