-- A browser signed in at the console. It does what its key may do at each request, and ends with it.
create table console_sessions (
  -- The nil UUID: the operator's, which belongs to no organization.
  org_id uuid not null,
  id uuid not null,
  -- SHA-256 of the cookie; the cookie itself is stored nowhere.
  token_hash bytea not null,
  api_key_id uuid,
  -- HMAC of the operator's key under a key that follows from the master key: another operator's key ends the session.
  operator_key_hash bytea,
  created_at timestamptz not null,
  -- To the minute.
  used_at timestamptz not null,
  -- When it ends however much it is used.
  ends_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, api_key_id) references api_keys (org_id, id) on delete cascade,
  check ((api_key_id is null) = (org_id = '00000000-0000-0000-0000-000000000000')),
  check ((api_key_id is null) = (operator_key_hash is not null))
);
create unique index console_sessions_by_token on console_sessions (org_id, token_hash);
create index console_sessions_by_key on console_sessions (org_id, api_key_id, created_at);
create index console_sessions_by_end on console_sessions (ends_at);

-- How often each client address failed to show a secret, at all processes together.
create table failed_attempts (
  -- Each kind has a limit of its own.
  kind text collate "C" not null,
  -- An IPv4 address, or the /64 of an IPv6 address.
  client_address text collate "C" not null,
  count int not null,
  -- When the count begins anew: some time after the first attempt.
  ends_at timestamptz not null,
  primary key (kind, client_address)
);
create index failed_attempts_by_end on failed_attempts (ends_at);
