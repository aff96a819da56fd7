import { describe, expect, test } from 'vitest'
import { problemOfLocalTarget } from './local-target-url.ts'

describe('The target of a listener', () => {
  test.each([
    'http://localhost',
    'http://localhost/',
    'http://localhost:3000/hook',
    'https://localhost:8443/a/b',
    'http://LocalHost:3000/Hook',
    'http://app.localhost:3000/hook',
    'http://a.b.localhost/',
    'http://127.0.0.1:3000/hook',
    'http://127.255.0.9/hook',
    'http://[::1]:3000/hook',
    'http://[::1]',
    'http://localhost:65535/%E2%82%AC',
  ])('The target %s is local', (url) => expect(problemOfLocalTarget(url)).toBeUndefined())

  const host = 'must have the host localhost, a name below .localhost, an address of 127.0.0.0/8, or [::1]'
  const start = 'must start with http:// or https:// and a host'
  const port = 'must have a port from 1 to 65535, or none'
  test.each([
    ['', start],
    ['localhost:3000/hook', start],
    ['ftp://localhost/', start],
    ['http:///hook', start],
    ['http://?x', start],
    ['http://example.com/hook', host],
    ['http://localhost.example.com/', host],
    ['http://notlocalhost/', host],
    ['http://localhost./', host],
    ['http://.localhost/', host],
    ['http://128.0.0.1/', host],
    ['http://0.0.0.0/', host],
    ['http://2130706433/', host],
    ['http://127.1/', host],
    ['http://0x7f.0.0.1/', host],
    ['http://127.0.0.1.example.com/', host],
    ['http://[::]/', host],
    ['http://[::ffff:127.0.0.1]/', host],
    ['http://[0:0:0:0:0:0:0:1]/', host],
    ['http://[::1/', host],
    ['http://local%68ost/', host],
    ['http://ⓛocalhost/', host],
    ['http://user@localhost/', 'must not have a user or password'],
    ['http://user:secret@localhost/', 'must not have a user or password'],
    ['http://localhost/?x=1', 'must not have a query'],
    ['http://localhost/?', 'must not have a query'],
    ['http://localhost/#x', 'must not have a fragment'],
    ['http://localhost\\@example.com/', 'must not contain a back slash'],
    ['http://localhost/a b', 'must not contain white space or control characters'],
    ['http://localhost/\n', 'must not contain white space or control characters'],
    ['http://localhost:0/', port],
    ['http://localhost:65536/', port],
    ['http://localhost:/', port],
    ['http://[::1]:99999/', port],
    [`http://localhost/${'a'.repeat(2_048)}`, 'must be at most 2048 characters'],
  ])('The target %j is refused', (url, problem) => expect(problemOfLocalTarget(url)).toBe(problem))
})
