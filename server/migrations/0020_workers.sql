-- The processes that deliver, by the id with which they lease lanes. They belong to no organization, for each delivers for all. While
-- a process lives, one session of it holds the shared advisory lock `hashtextextended(id::text, 0)`: where another session can
-- take that lock exclusively, the process has no session any more.
create table workers (
  id uuid primary key,
  registered_at timestamptz not null,
  -- When another process first found it without a session since then. Null: none has. One that is missing for five seconds is dead.
  missing_since timestamptz
);
