-- Administrators who are persons: which groups may enter the console, each with its role, and sessions that stand for a person.
create table console_access (
  org_id uuid not null,
  group_name text collate "C" not null,
  role text collate "C" not null check (role in ('owner', 'editor', 'support', 'reader')),
  primary key (org_id, group_name),
  foreign key (org_id, group_name) references groups (org_id, name) on delete cascade
);
-- A group that is named there is not deleted, for whoever made it again would let its members in. Only with its organization is it, also
-- by an older process, which does not know this table: hence no plain foreign key.
create function refuse_deletion_of_named_group() returns trigger language plpgsql as $$
begin
  if exists (select from console_access where org_id = old.org_id and group_name = old.name)
     and exists (select from organizations where id = old.org_id and deleted_at is null) then
    raise exception 'the group is named in console_access'
      using errcode = 'foreign_key_violation', table = 'console_access', constraint = 'console_access_org_id_group_name_fkey';
  end if;
  return old;
end $$;
create trigger refuse_deletion_of_named_group before delete on groups
  for each row execute function refuse_deletion_of_named_group();
create trigger refuse_while_moving before insert or update on console_access for each row execute function refuse_while_moving();

-- Whether an API key of the organization opens the console.
alter table organizations add column console_key_sign_in boolean not null default true;

-- In the order in which transactions lock them.
lock table issuer_sessions in share row exclusive mode;
lock table console_sessions in access exclusive mode;

-- Those of the first release: a session is a key's or the operator's.
do $$
declare
  name text;
begin
  for name in select conname from pg_constraint where conrelid = 'console_sessions'::regclass and contype = 'c' loop
    execute format('alter table console_sessions drop constraint %I', name);
  end loop;
end $$;

alter table console_sessions
  add column person_id uuid,
  -- The issuer's session that the person signed in by, with which this one ends.
  add column session_uid text collate "C",
  -- When the key was shown, or the person authenticated at the provider. The default is for older processes.
  add column authenticated_at timestamptz not null default now(),
  add column client_ip_address text,
  add column user_agent text,
  add foreign key (org_id, person_id) references persons (org_id, id) on delete cascade,
  add foreign key (org_id, session_uid) references issuer_sessions (org_id, uid) on delete cascade,
  add constraint console_sessions_of_one check (num_nonnulls(api_key_id, person_id, operator_key_hash) = 1),
  add constraint console_sessions_of_operator
    check ((operator_key_hash is not null) = (org_id = '00000000-0000-0000-0000-000000000000')),
  add constraint console_sessions_of_person check ((person_id is null) = (session_uid is null));
update console_sessions set authenticated_at = created_at;
create index console_sessions_by_person on console_sessions (org_id, person_id, created_at) where person_id is not null;
create index console_sessions_by_issuer_session on console_sessions (org_id, session_uid) where session_uid is not null;

-- A person's entries have the id alone: the name is joined when they are read. Those that exist were checked when they were written.
do $$
declare
  name text;
begin
  for name in select conname from pg_constraint where conrelid = 'audit_entries'::regclass and contype = 'c' loop
    execute format('alter table audit_entries drop constraint %I', name);
  end loop;
end $$;
alter table audit_entries add constraint audit_entries_actor_type
  check (actor_type in ('key', 'operator', 'console', 'link', 'person')) not valid;
