CREATE TABLE attest_requests (
  time        timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  request_id  uuid NOT NULL DEFAULT gen_random_uuid(),
  kind        text NOT NULL,   -- challenge, attestation, assertion
  key_id      bytea,
  token       bytea,           -- the attestation object or the assertion
  challenge   text,            -- issued, or sent with an attestation
  client_data bytea,           -- the bytes that the device signed with an assertion
  subject     text,            -- the account as a keyed hash
  accepted    boolean          -- the server's decision
);
