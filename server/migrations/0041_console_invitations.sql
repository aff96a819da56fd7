-- Invitations to the console: whoever opens one signs in, and joins its group.
create table console_invitations (
  org_id uuid not null,
  id uuid not null,
  -- SHA-256 of the token; the token itself is stored nowhere.
  token_hash bytea not null,
  group_name text collate "C" not null,
  created_at timestamptz not null,
  -- One that was used or deleted expired before it was made.
  expires_at timestamptz not null,
  primary key (org_id, id),
  -- Ends with the access that it invites to: it is of no use for another group of that name, nor if the group is named again.
  foreign key (org_id, group_name) references console_access on delete cascade
);
create unique index console_invitations_by_token on console_invitations (org_id, token_hash);
create index console_invitations_by_group on console_invitations (org_id, group_name);
create index console_invitations_by_expiry on console_invitations (expires_at);

-- What is kept of an answer for repetitions has the address of the invitation, and goes with it. One that is used or deleted only ends.
create trigger forget_answers after delete on console_invitations referencing old table as removed
  for each statement execute function forget_answers();
create trigger forget_answers_of_ended after update on console_invitations referencing old table as removed
  for each statement execute function forget_answers();
