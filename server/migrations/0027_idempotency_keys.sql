-- What the first call with an `Idempotency-Key` was answered, for the calls that repeat it. Written in the transaction of the change.
create table idempotency_keys (
  -- Goes with it, also where an earlier version removes it, which does not know this table.
  org_id uuid not null references organizations on delete cascade,
  -- SHA-256 of the id of the API key and the idempotency key, which is stored nowhere.
  call_hash bytea not null,
  -- SHA-256 of method, address and body.
  request_hash bytea not null,
  status smallint not null,
  answer text,
  -- In place of `answer` where that has a secret or handles: encrypted, and gone with what `subject_id` names.
  sealed_answer bytea,
  subject_id uuid,
  created_at timestamptz not null,
  primary key (org_id, call_hash),
  check (num_nonnulls(answer, sealed_answer) = 1),
  check ((sealed_answer is null) = (subject_id is null))
);
create index idempotency_keys_by_time on idempotency_keys (org_id, created_at);
create index idempotency_keys_by_subject on idempotency_keys (org_id, subject_id) where subject_id is not null;
-- These are kept for a shorter time.
create index idempotency_keys_sealed on idempotency_keys (created_at) where sealed_answer is not null;

-- Once for all rows of a statement. A call that deletes nothing of which an answer is kept writes nothing here.
create function forget_answers() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'applications' then
    delete from idempotency_keys k using removed r
     where k.org_id = r.org_id and k.subject_id = r.client_id and k.subject_id is not null;
  else
    delete from idempotency_keys k using removed r
     where k.org_id = r.org_id and k.subject_id = r.id and k.subject_id is not null;
  end if;
  return null;
end $$;

create trigger forget_answers after delete on persons referencing old table as removed
  for each statement execute function forget_answers();
create trigger forget_answers after delete on webhooks referencing old table as removed
  for each statement execute function forget_answers();
create trigger forget_answers after delete on applications referencing old table as removed
  for each statement execute function forget_answers();
create trigger forget_answers after delete on credential_links referencing old table as removed
  for each statement execute function forget_answers();
-- A link that is used or deleted only ends: its row is updated.
create trigger forget_answers_of_ended after update on credential_links referencing old table as removed
  for each statement execute function forget_answers();
create trigger forget_answers after delete on test_sign_ins referencing old table as removed
  for each statement execute function forget_answers();
create trigger forget_answers after delete on api_keys referencing old table as removed
  for each statement execute function forget_answers();
