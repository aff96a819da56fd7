-- In the order in which transactions write them: first what a change is about, then audit_entries, events, and the lanes that an event wakes.
lock table organizations, test_sign_ins, flows, issuer_interactions, issuer_sessions, issuer_grants, issuer_tokens,
  audit_entries, events in share row exclusive mode;
lock table lanes in access exclusive mode;

-- Organizations that are on their way between two cells, or have left this one.
-- `leaving`: marked here, and nothing of it may be written. `arrived`: imported here, and not served yet. In both states
-- `organizations.deleted_at` is 'infinity', so that each release refuses its calls, serves its key set, and purges nothing of it.
-- `gone`: served elsewhere; what it had here is purged as of a deleted one, and its calls are answered that it has moved.
create table moved_organizations (
  org_id uuid primary key,
  move_id uuid not null,
  state text not null check (state in ('leaving', 'arrived', 'gone')),
  since timestamptz not null,
  -- Of one that has arrived: SHA-256 of the start code, which its former cell tells once it has given it up.
  start_code_hash bytea,
  -- Of one that has arrived: this import. Of one that is gone: the import for which it was given up, and which alone can be started.
  import_id uuid,
  check ((state = 'arrived') = (start_code_hash is not null)),
  check ((state = 'leaving') = (import_id is null))
);

-- Those that may not be written now: hardly ever any, beside many that have gone.
create index moving_organizations on moved_organizations (org_id) where state <> 'gone';

-- Every transaction in which a client is answered that something was done writes one of the tables below, so that it fails from
-- the commit of the mark on, in processes of earlier releases too. What the service does by itself (keys that rotate, counts, rows
-- that expire) may go on. The functions are volatile, so that they see what was committed after their statement began.
create function refuse_while_moving() returns trigger language plpgsql as $$
begin
  if exists (select from moved_organizations where org_id = coalesce(new.org_id, old.org_id) and state <> 'gone') then
    raise exception 'the organization is moving to another cell' using errcode = 'SG002';
  end if;
  return coalesce(new, old);
end $$;

-- Once for all rows of a statement: a trigger for each row doubles the time of inserting many.
create function refuse_inserts_while_moving() returns trigger language plpgsql as $$
begin
  if exists (select from moved_organizations where state <> 'gone') then
    if exists (select from moved_organizations m join inserted using (org_id) where m.state <> 'gone') then
      raise exception 'the organization is moving to another cell' using errcode = 'SG002';
    end if;
  end if;
  return null;
end $$;

create trigger refuse_while_moving after insert on events referencing new table as inserted
  for each statement execute function refuse_inserts_while_moving();
create trigger refuse_while_moving before insert on audit_entries for each row execute function refuse_while_moving();
create trigger refuse_while_moving before insert or update on flows for each row execute function refuse_while_moving();
create trigger refuse_while_moving before insert or update on test_sign_ins for each row execute function refuse_while_moving();
create trigger refuse_while_moving before insert or update on issuer_interactions for each row execute function refuse_while_moving();
create trigger refuse_while_moving before insert or update on issuer_sessions for each row execute function refuse_while_moving();
create trigger refuse_while_moving before insert or update on issuer_grants for each row execute function refuse_while_moving();
create trigger refuse_while_moving before insert or update on issuer_tokens for each row execute function refuse_while_moving();
-- A sign-out or a revocation, and neither the sweep of expired rows nor what it removes with them by a foreign key, within whose
-- trigger the depth is not 0.
create trigger refuse_end_while_moving before delete on issuer_sessions for each row
  when (pg_trigger_depth() = 0 and old.expires_at > clock_timestamp()) execute function refuse_while_moving();
create trigger refuse_end_while_moving before delete on issuer_grants for each row
  when (pg_trigger_depth() = 0 and old.expires_at > clock_timestamp()) execute function refuse_while_moving();
create trigger refuse_end_while_moving before delete on issuer_tokens for each row
  when (pg_trigger_depth() = 0 and old.expires_at > clock_timestamp()) execute function refuse_while_moving();

-- Of a webhook whose organization is moving.
alter table lanes
  drop constraint lanes_paused_reason_check,
  add constraint lanes_paused_reason_check check (paused_reason in ('requested', 'failing', 'restored', 'moving'));

-- What cursors from former cells of an organization stand for here. The organization's rows of places from `low` to `high`
-- were moved by `shift`. Goes with its organization, also where an earlier version removes that, which does not know this table.
-- A row is for the places of an epoch up to and including `through`, after those of the row before it.
create table moved_places (
  org_id uuid not null references organizations on delete cascade,
  epoch_key uuid not null,
  through bigint not null,
  low bigint not null,
  high bigint not null,
  shift bigint not null,
  primary key (org_id, epoch_key, through)
);

-- As `organizations_by_name`, with those that are moving, which the operator finds too.
create index organizations_listed on organizations (lower(name) collate "C", id) where deleted_at is null or deleted_at = 'infinity';
