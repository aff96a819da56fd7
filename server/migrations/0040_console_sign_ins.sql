-- Sign-ins to the console that are under way: what the service needs when the browser returns with a code for the client `signet-console`.
create table console_sign_ins (
  -- Goes with it, also where an earlier version removes that, which does not know this table.
  org_id uuid not null references organizations on delete cascade,
  -- SHA-256 of the state of the request, and of the secret in the browser's cookie, from which the PKCE verifier follows.
  state_hash bytea not null,
  secret_hash bytea not null,
  -- A path below the base URL.
  return_to text not null,
  -- The invitation that was opened in that browser. No foreign key: the sign-in asks for it once more when it is written.
  invitation_id uuid,
  -- SHA-256 of the cookie of the session that this browser had of the console, which ends with the next: it sends no Strict cookie on its way
  -- back from a provider.
  former_hash bytea,
  expires_at timestamptz not null,
  primary key (org_id, state_hash)
);
create index console_sign_ins_by_expiry on console_sign_ins (expires_at);

-- Of a request of the console, made by the browser in which the invitation was opened.
alter table issuer_interactions add column invitation_id uuid;
