-- Whose sign-in the result is: it goes with the sessions of that person.
alter table issuer_interactions add column person_id uuid;
alter table issuer_interactions add constraint issuer_interactions_person_fkey
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade;
create index issuer_interactions_by_person on issuer_interactions (org_id, person_id) where person_id is not null;
