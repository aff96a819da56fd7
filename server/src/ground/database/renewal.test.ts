import { expect, test } from 'vitest'
import { connectionOf } from './connection.ts'
import { requireSameServer } from './renewal.ts'

const given = 'postgresql://signet:one@db.example.com/signet?sslmode=verify-full'

test.each([
  ['another password', given.replace('one', 'two')],
  ['another role', given.replace('signet:one', 'deputy:two')],
  ['another time limit', `${given}&connect_timeout=3`],
])('%s counts from the next connection on', (_what, renewed) => {
  expect(() => requireSameServer(connectionOf(given), connectionOf(renewed))).not.toThrow()
})

test.each([
  ['host', given.replace('db.', 'other.')],
  ['port', given.replace('.com/', '.com:5433/')],
  ['database', given.replace('/signet?', '/other?')],
  ['sslmode: less is checked', given.replace('verify-full', 'require')],
  ['sslmode: no TLS', given.replace('verify-full', 'disable')],
  [
    'sslmode: as many candidates in another order',
    given.replace('verify-full', 'allow'),
    given.replace('verify-full', 'prefer'),
  ],
])('Another one takes a restart: %s', (_what, renewed, first = given) => {
  expect(() => requireSameServer(connectionOf(first), connectionOf(renewed))).toThrow(
    'DATABASE_URL: names another server, database or sslmode, which takes a restart',
  )
})
