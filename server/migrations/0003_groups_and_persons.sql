create table groups (
  org_id uuid not null references organizations,
  name text collate "C" not null,
  description text not null,
  created_at timestamptz not null,
  primary key (org_id, name)
);

create table persons (
  org_id uuid not null references organizations,
  id uuid not null,
  active boolean not null,
  region text not null,
  created_at timestamptz not null,
  primary key (org_id, id)
);

create table handles (
  org_id uuid not null,
  person_id uuid not null,
  type text not null check (type in ('EmailAddress', 'PhoneNumber')),
  -- Decides uniqueness: the address with its domain as an A-label, in ASCII lower case.
  key text collate "C" not null,
  value text not null,
  verified boolean not null,
  -- Who vouched for a verified handle: 'admin_key', or the issuer of a provider. An identity joins a person only by a handle
  -- that an admin key vouched for.
  vouched_by text collate "C",
  -- The order in which the caller gave them.
  position smallint not null,
  primary key (org_id, type, key),
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade
);
create index handles_by_person on handles (org_id, person_id);

create table memberships (
  org_id uuid not null,
  person_id uuid not null,
  group_name text collate "C" not null,
  primary key (org_id, person_id, group_name),
  foreign key (org_id, person_id) references persons (org_id, id) on delete cascade,
  foreign key (org_id, group_name) references groups (org_id, name) on delete cascade
);
create index memberships_by_group on memberships (org_id, group_name, person_id);

-- Persons as the interface shows them.
create view person_records as
select org_id, id as person_id, active, region, created_at,
       coalesce((select json_agg(json_build_object('type', type, 'value', value, 'verified', verified) order by position)
                   from handles h where h.org_id = p.org_id and h.person_id = p.id), '[]') as handles,
       array(select group_name from memberships m where m.org_id = p.org_id and m.person_id = p.id
              order by group_name) as groups
  from persons p;
