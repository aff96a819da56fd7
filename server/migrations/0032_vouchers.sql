-- What is known of a person: who vouches for each handle, and what each provider says. An older release goes on beside this one: it says in
-- `vouched_by` who vouches, which is kept for it.

alter table handles
  -- Whether a key wrote it. One that no key wrote goes with its last voucher.
  add column given boolean default true;
-- Of earlier handles nobody can tell any more, so they stay. Null: an older release has just written it.
alter table handles alter column given drop default;

alter table identities
  -- The address as a handle's key, or as it is where it can be no handle.
  add column email_key text collate "C",
  -- Whether the provider's word for the address counts.
  add column email_verified boolean not null default false,
  -- The members of a profile, as the provider told them last.
  add column profile jsonb not null default '{}',
  -- When what the provider says changed last.
  add column updated_at timestamptz not null default now();

-- Who vouches that a handle belongs to its person. The handle is vouched for while one is left.
create table vouchers (
  org_id uuid not null,
  type text not null,
  key text collate "C" not null,
  -- An admin key; an identity of the person, for as long as its provider confirms the address; a directory.
  kind text not null check (kind in ('key', 'identity', 'directory')),
  identity_id uuid,
  directory_id uuid,
  check ((kind = 'identity') = (identity_id is not null) and (kind = 'directory') = (directory_id is not null)),
  unique nulls not distinct (org_id, type, key, identity_id, directory_id),
  foreign key (org_id, type, key) references handles (org_id, type, key) on delete cascade,
  foreign key (org_id, identity_id) references identities (org_id, id) on delete cascade
);
create index vouchers_by_identity on vouchers (org_id, identity_id) where identity_id is not null;

insert into vouchers (org_id, type, key, kind)
  select org_id, type, key, 'key' from handles where vouched_by = 'admin_key';

-- Of an address that the identity does not name any more, its provider has said nothing since. A domain of other letters than ASCII is
-- not spelt as in the key, and is believed.
insert into vouchers (org_id, type, key, kind, identity_id)
  select h.org_id, h.type, h.key, 'identity', i.id
    from handles h join identities i on i.org_id = h.org_id and i.person_id = h.person_id and i.issuer = h.vouched_by
   where translate(normalize(i.email, nfc), 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz') = h.key
      or i.email ~ '@.*[^\x01-\x7f]';

update identities i set email_key = v.key, email_verified = true
  from vouchers v where v.org_id = i.org_id and v.identity_id = i.id;

update handles h set verified = false, vouched_by = null
 where h.verified and not exists (select from vouchers v where v.org_id = h.org_id and v.type = h.type and v.key = h.key);

-- An issuer confirms an address for one account at a time: the one that said so last.
create unique index identities_by_confirmed_address on identities (org_id, issuer, email_key) where email_verified;

-- Keeps with a handle what its vouchers say; whatever ends one, the handle follows.
create function follow_vouchers() returns trigger language plpgsql as $$
declare
  changed vouchers;
  voucher text;
begin
  if tg_op = 'DELETE' then changed := old; else changed := new; end if;
  -- Of two that end at once the second waits, and then reads that the first has gone.
  perform from handles h
    where h.org_id = changed.org_id and h.type = changed.type and h.key = changed.key for update;
  select case v.kind when 'key' then 'admin_key' else coalesce(i.issuer, v.kind) end into voucher
    from vouchers v left join identities i on i.org_id = v.org_id and i.id = v.identity_id
   where v.org_id = changed.org_id and v.type = changed.type and v.key = changed.key
   order by (v.kind = 'key') desc limit 1;
  if voucher is null then
    delete from handles h
     where h.org_id = changed.org_id and h.type = changed.type and h.key = changed.key and not h.given;
  end if;
  update handles h set verified = (voucher is not null), vouched_by = voucher
   where h.org_id = changed.org_id and h.type = changed.type and h.key = changed.key
     and (h.verified, h.vouched_by) is distinct from (voucher is not null, voucher);
  return null;
end $$;
create trigger follow_vouchers after insert or delete on vouchers for each row execute function follow_vouchers();

-- For an older release. Deferred, because that one writes an identity after its handle.
create function follow_vouched_by() returns trigger language plpgsql as $$
begin
  update handles set given = true
   where org_id = new.org_id and type = new.type and key = new.key and given is null;
  insert into vouchers (org_id, type, key, kind, identity_id)
    select h.org_id, h.type, h.key, case when i.id is null then 'key' else 'identity' end, i.id
      from handles h left join identities i on i.org_id = h.org_id and i.person_id = h.person_id and i.issuer = h.vouched_by
     where h.org_id = new.org_id and h.type = new.type and h.key = new.key and (h.vouched_by = 'admin_key' or i.id is not null)
  on conflict do nothing;
  delete from vouchers v using handles h
   where h.org_id = new.org_id and h.type = new.type and h.key = new.key and h.vouched_by is null
     and v.org_id = h.org_id and v.type = h.type and v.key = h.key;
  return null;
end $$;
create constraint trigger follow_vouched_by_of_new after insert on handles deferrable initially deferred
  for each row when (new.given is null) execute function follow_vouched_by();
create constraint trigger follow_vouched_by after update of vouched_by on handles deferrable initially deferred
  for each row when (pg_trigger_depth() = 0 and new.vouched_by is distinct from old.vouched_by) execute function follow_vouched_by();

-- An older release changes the address alone, and does not know whether its provider confirms the new one.
create function forget_confirmation() returns trigger language plpgsql as $$
begin
  new.email_key := null;
  new.email_verified := false;
  return new;
end $$;
create trigger forget_confirmation before update of email on identities for each row
  when (new.email is distinct from old.email and new.email_key is not distinct from old.email_key
        and new.updated_at = old.updated_at) execute function forget_confirmation();
