-- The processes that deliver, each named as the owner of its lanes. They belong to no organization, for each delivers for all. While
-- a process lives, one session of it holds the shared advisory lock `hashtextextended(owner::text, 0)`: where another session can
-- have that lock for itself, the process has no session any more.
create table workers (
  owner uuid primary key,
  registered_at timestamptz not null,
  -- When another process first found it without a session since then. Null: none has.
  lost_at timestamptz
);
