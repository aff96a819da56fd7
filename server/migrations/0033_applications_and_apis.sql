alter table applications
  -- Whether a sign-in without PKCE must send a nonce.
  add column require_nonce boolean not null default true,
  -- The application's own page.
  add column home_url text,
  -- The identifiers of resources whose tokens it may introspect.
  add column introspects text[] not null default '{}',
  add column backchannel_logout_uri text,
  add column backchannel_logout_session_required boolean not null default true,
  add check (require_nonce or (confidential and not require_pkce));
