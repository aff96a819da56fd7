-- What the lists of events and of sign-ins are searched by. Events of before, and those of an older process, have none of it: they are
-- in the list of events, and not among those of a person. Publications wait while the indexes are built, some seconds for each million
-- events.
alter table events
  -- Whom the event is about. Null: nobody, or a test event.
  add column person_id uuid,
  -- Of a sign-in, and of no other event: 'succeeded', or the reason why it failed.
  add column outcome text collate "C",
  -- The application that asked for it, or what stands for the console.
  add column client_id text collate "C",
  -- The provider's credential that was chosen. No foreign key: it may be deleted since.
  add column credential_id uuid,
  add column client_ip_address text collate "C",
  -- The address that the provider told: its type, a hash of it under a key that follows from the master key, the spelling, which goes
  -- with the person, and whether the provider vouches for it.
  add column handle_type text collate "C",
  add column handle_hash text collate "C",
  add column handle_value text,
  add column handle_verified boolean;

-- Rows are added at the end of their ranges, so that pages can be fuller than the usual 90 percent.
create index events_by_person on events (org_id, person_id, name, position) with (fillfactor = 97) where person_id is not null;
create index events_by_outcome on events (org_id, outcome, position) with (fillfactor = 97) where outcome is not null;
create index events_by_handle on events (org_id, handle_hash, position) with (fillfactor = 97) where handle_hash is not null;
create index events_by_client_address on events (org_id, client_ip_address, position) with (fillfactor = 97)
  where client_ip_address is not null;
