import { expect, test } from 'vitest'
import { summaryOf } from './traced.ts'

test.each([
  ['select id from persons where org_id = $1', 'SELECT persons'],
  [
    'with held as (select pg_advisory_xact_lock($1)), published as (insert into events (id) select $2) select 1',
    'INSERT events',
  ],
  ['select * from lanes where org_id = $1 for update skip locked', 'SELECT lanes'],
  ['insert into workers (id) values ($1) on conflict (id) do update set missing_since = null', 'INSERT workers'],
  [
    'with due as (select 1 from lanes for update skip locked) update deliveries set is_leased = true',
    'UPDATE deliveries',
  ],
  ['delete from flows where id = $1', 'DELETE flows'],
  ["select set_config('work_mem', '64kB', false)", 'SELECT'],
])('The span of the statement %s is named %s', (text, name) => {
  expect(summaryOf(text)).toBe(name)
})
