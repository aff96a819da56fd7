-- Who vouched for a verified handle: 'admin_key', or the issuer of the provider that did. An identity joins a person only by a
-- handle that an admin key vouched for. Null: nobody did, or it was not kept yet when it was written; then nobody joins by it.
alter table handles add column vouched_by text collate "C";

-- Identities that were taken away from a person, who may have been deleted since. Of the subject only SHA-256 is kept.
create table former_identities (
  org_id uuid not null references organizations,
  person_id uuid not null,
  provider text not null,
  issuer text collate "C" not null,
  subject_hash bytea not null,
  primary key (org_id, provider, issuer, subject_hash, person_id)
);
create index former_identities_by_person on former_identities (org_id, person_id, issuer);

-- A person has one identity at an issuer: the first one. Others had joined by an address that two accounts had, one after the
-- other, and a session of such a person may be of either of them.
lock table identities in share row exclusive mode;
with later as materialized (
  select i.org_id, i.id, i.person_id, i.provider, i.issuer, i.subject from identities i
   where exists (select from identities e
                  where e.org_id = i.org_id and e.person_id = i.person_id and e.issuer = i.issuer and e.id < i.id)
), remembered as (
  insert into former_identities (org_id, person_id, provider, issuer, subject_hash)
  select org_id, person_id, provider, issuer, sha256(convert_to(subject, 'UTF8')) from later
), results as (
  delete from issuer_interactions r using later l where r.org_id = l.org_id and r.person_id = l.person_id
), grants as (
  delete from issuer_grants g using later l where g.org_id = l.org_id and g.person_id = l.person_id
), sessions as (
  delete from issuer_sessions s using later l where s.org_id = l.org_id and s.person_id = l.person_id
)
delete from identities i using later l where i.org_id = l.org_id and i.id = l.id;
drop index identities_by_person;
create unique index identities_by_person on identities (org_id, person_id, issuer);
