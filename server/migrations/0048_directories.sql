-- Directories: a customer's own directory keeps persons and groups by SCIM. An older release goes on beside this one.

create table directories (
  -- Goes with it, also where an earlier version removes it, which does not know this table. So do all below.
  org_id uuid not null references organizations on delete cascade,
  id uuid not null,
  name text not null,
  -- Whose accounts its users sign in with: one credential is that of one directory.
  credential_id uuid,
  match text collate "C" not null check (match in ('external_id', 'none')),
  adopt boolean not null,
  -- A-labels in lower case.
  email_domains text[] not null,
  on_delete text collate "C" not null check (on_delete in ('delete', 'deactivate')),
  group_prefix text not null,
  enabled boolean not null,
  created_at timestamptz not null,
  last_request_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, credential_id) references oidc_credentials (org_id, id) on delete set null (credential_id)
);
create unique index directories_by_credential on directories (org_id, credential_id) where credential_id is not null;

-- They open nothing but their directory's SCIM.
create table directory_tokens (
  org_id uuid not null,
  id uuid not null,
  directory_id uuid not null,
  name text,
  -- SHA-256 of the token, which is stored nowhere.
  token_hash bytea not null,
  created_at timestamptz not null,
  -- Null: it does not expire.
  expires_at timestamptz,
  last_used_at timestamptz,
  primary key (org_id, id),
  foreign key (org_id, directory_id) references directories (org_id, id) on delete cascade
);
create unique index directory_tokens_by_hash on directory_tokens (org_id, token_hash);
create index directory_tokens_by_directory on directory_tokens (org_id, directory_id);

-- Links through which the administrator of a customer makes a token. One that was used or deleted expired before it was made.
create table directory_links (
  org_id uuid not null,
  id uuid not null,
  directory_id uuid not null,
  -- The token gets it.
  name text,
  token_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, directory_id) references directories (org_id, id) on delete cascade
);
create unique index directory_links_by_token on directory_links (org_id, token_hash);
create index directory_links_by_directory on directory_links (org_id, directory_id);
create index directory_links_by_expiry on directory_links (expires_at);

-- What was refused last, so that whoever runs the directory need not ask the customer.
create table directory_refusals (
  org_id uuid not null,
  id uuid not null,
  directory_id uuid not null,
  at timestamptz not null,
  method text not null,
  -- Below the SCIM address, without a query.
  path text not null,
  status smallint not null,
  detail text not null,
  primary key (org_id, id),
  foreign key (org_id, directory_id) references directories (org_id, id) on delete cascade
);
create index directory_refusals_by_directory on directory_refusals (org_id, directory_id, id);

-- Two switches: a person may sign in while no key has deactivated the person and no directory has switched the person off.
alter table persons
  add column key_active boolean not null default true,
  add column directory_active boolean not null default true;
update persons set key_active = false where not active;

-- `active` is what both say. An older release writes it alone, and means the key's.
create function follow_switches() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    new.key_active := new.key_active and (new.active or not new.directory_active);
  elsif new.active is distinct from old.active
        and (new.key_active, new.directory_active) = (old.key_active, old.directory_active) then
    new.key_active := new.active;
  end if;
  new.active := new.key_active and new.directory_active;
  return new;
end $$;
create trigger follow_switches before insert or update of active, key_active, directory_active on persons
  for each row execute function follow_switches();

-- Which persons a directory keeps. A person is in one at most.
create table directory_users (
  org_id uuid not null,
  person_id uuid not null,
  directory_id uuid not null,
  user_name text not null,
  user_name_key text collate "C" not null,
  external_id text collate "C",
  -- Whether the person was there before the directory named the person.
  adopted boolean not null,
  -- The rest of what was sent: what the interface shows nowhere is read back as it was sent.
  attributes jsonb not null,
  -- What of it the claims of a profile say.
  profile jsonb not null default '{}',
  -- All addresses, also those that are no handle of the person, for filters. With the directory's id in front: nobody makes another
  -- one's search longer.
  email_keys text[] collate "C" not null default '{}',
  version int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, person_id),
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade,
  foreign key (org_id, directory_id) references directories (org_id, id)
);
create unique index directory_users_by_user_name on directory_users (org_id, directory_id, user_name_key);
create unique index directory_users_by_external_id on directory_users (org_id, directory_id, external_id) where external_id is not null;
create index directory_users_by_creation on directory_users (org_id, directory_id, created_at, person_id);
-- Without pending entries, which each search would have to read.
create index directory_users_by_email on directory_users using gin (email_keys) with (fastupdate = off);

alter table vouchers add foreign key (org_id, directory_id) references directories (org_id, id) on delete cascade;
create index vouchers_by_directory on vouchers (org_id, directory_id) where directory_id is not null;

-- Which groups a directory keeps. A group is one directory's at most.
create table directory_groups (
  org_id uuid not null,
  directory_id uuid not null,
  id uuid not null,
  -- Made once; a rename never changes it.
  group_name text collate "C" not null,
  display_name text not null,
  display_key text collate "C" not null,
  external_id text collate "C",
  -- Whether the group was there before, and an admin key tied it.
  tied boolean not null,
  -- Kept, for counting goes through all of them.
  members_count int not null default 0,
  version int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, id),
  foreign key (org_id, group_name) references groups (org_id, name) on delete cascade,
  foreign key (org_id, directory_id) references directories (org_id, id)
);
create unique index directory_groups_by_name on directory_groups (org_id, group_name);
create unique index directory_groups_by_display_name on directory_groups (org_id, directory_id, display_key);
create index directory_groups_by_external_id on directory_groups (org_id, directory_id, external_id) where external_id is not null;
create index directory_groups_by_creation on directory_groups (org_id, directory_id, created_at, id);

-- Whoever is deleted, in whichever way, leaves the groups of directories, which are other versions then.
create function leave_directory_groups() returns trigger language plpgsql as $$
begin
  update directory_groups g
     set version = version + 1, members_count = members_count - 1, updated_at = clock_timestamp()
   where g.org_id = old.org_id and g.id = any(array(
           select k.id
             from (select group_name from memberships where org_id = old.org_id and person_id = old.id order by group_name) m
                  cross join lateral (
                    select id from directory_groups where org_id = old.org_id and group_name = m.group_name limit 1 for no key update) k));
  return old;
end $$;
create trigger leave_directory_groups before delete on persons for each row execute function leave_directory_groups();

-- What is written without an entry of the audit log, which is refused as well.
create trigger refuse_while_moving before insert or update on directories for each row execute function refuse_while_moving();
create trigger refuse_while_moving before insert or update on directory_tokens for each row execute function refuse_while_moving();
create trigger refuse_while_moving before insert on directory_refusals for each row execute function refuse_while_moving();

alter table audit_entries drop constraint audit_entries_actor_type;
alter table audit_entries add constraint audit_entries_actor_type
  check (actor_type in ('key', 'operator', 'console', 'link', 'person', 'directory')) not valid;
