-- Whether tokens of an application name the person's groups, and for how long after its first use a refresh token may be used again.
alter table applications
  add column groups_claim boolean not null default true,
  add column refresh_token_grace_ms double precision not null default 10000 check (refresh_token_grace_ms between 0 and 60000);

-- How many times a refresh token was used, the first time at consumed_at.
alter table issuer_tokens add column uses smallint not null default 0;
