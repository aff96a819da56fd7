import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { connectionOf, hostsOf, readConnection } from './connection.ts'

const problemOf = (url: string) => {
  const read = readConnection(url)
  return 'problem' in read ? read.problem : undefined
}

describe('Connection URIs', () => {
  test.each([
    [
      'postgresql://jo:pw@db.example.com:6432/signet',
      { user: 'jo', password: 'pw', host: 'db.example.com', port: 6432 },
    ],
    ['postgres://db.example.com/signet', { host: 'db.example.com', port: 5432, database: 'signet' }],
    ['postgresql://[2001:db8::1]:6432/signet', { host: '2001:db8::1', port: 6432 }],
    ['postgresql://jo:p%40s%2Fs%3A%25@db/signet', { password: 'p@s/s:%' }],
    ['postgresql://jo@/signet?host=/var/run/postgresql', { user: 'jo', host: '/var/run/postgresql', port: 5432 }],
    ['postgresql:///signet?host=/run&port=6432&user=jo', { user: 'jo', host: '/run', port: 6432, database: 'signet' }],
    ['postgresql://%2Frun%2Fpg/signet', { host: '/run/pg', database: 'signet' }],
    ['postgresql://db?dbname=signet&application_name=x', { database: 'signet', application_name: 'x' }],
    ['postgresql://db/signet?connect_timeout=3', { connectionTimeoutMillis: 3_000 }],
    ['postgresql://db/signet?options=-c%20work_mem%3D5MB', { options: '-c work_mem=5MB' }],
  ])('A connection URI is read as libpq reads it: %s', (url, expected) => {
    expect(connectionOf(url)).toMatchObject({ ssl: false, ...expected })
  })

  test('Several hosts are candidates in their order, with a port each, or one for all', () => {
    const two = connectionOf('postgresql://jo@one:5433,two/signet?target_session_attrs=read-write')
    expect(two.candidates).toEqual([
      { host: 'one', port: 5433, ssl: false },
      { host: 'two', port: 5432, ssl: false },
    ])
    const hosts = connectionOf('postgresql://jo@/signet?host=one,two,[::1]&port=6432'.replace('[::1]', '::1'))
    expect(hostsOf(hosts)).toBe('one:6432, two:6432, [::1]:6432')
  })

  test.each([
    ['disable', [false]],
    ['allow', [false, { rejectUnauthorized: false }]],
    ['prefer', [{ rejectUnauthorized: false }, false]],
    ['require', [{ rejectUnauthorized: false }]],
    ['verify-full', [{ rejectUnauthorized: true }]],
  ])('A connection with sslmode=%s tries TLS as its manual says', (sslmode, variants) => {
    const { candidates, ssl } = connectionOf(`postgresql://db/signet?sslmode=${sslmode}`)
    expect(candidates?.map((candidate) => candidate.ssl) ?? [ssl]).toEqual(variants)
  })

  test('A socket has no TLS, whatever sslmode says', () => {
    expect(connectionOf('postgresql:///signet?host=/run&sslmode=require').ssl).toBe(false)
  })

  test('A connection with sslmode=verify-ca checks the certificate and not its name, and so does require with a root certificate', ({
    onTestFinished,
  }) => {
    const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const root = join(folder, 'root.crt')
    writeFileSync(root, 'a certificate')
    for (const sslmode of ['verify-ca', 'require']) {
      const { ssl } = connectionOf(`postgresql://db/signet?sslmode=${sslmode}&sslrootcert=${root}`)
      expect(ssl).toMatchObject({ ca: 'a certificate', rejectUnauthorized: true })
      expect(ssl).toHaveProperty('checkServerIdentity')
    }
  })
})

describe('Refused connection URIs', () => {
  test.each([
    ['postgresql://jo:p@ss@db/signet', /percent-encoded \(@ is %40\)$/],
    ['postgresql://jo:p/ss@db/signet', /percent-encoded/],
    ['postgresql://jo:p#ss@db/signet', /percent-encoded/],
    ['postgresql://jo:p?ss@db/signet', /./],
    ['postgresql://jo:p%ss@db/signet', /percent-encoded/],
    ['postgresql://jo:p:ss@db/signet', /percent-encoded/],
    ['postgresql://jo:12?host=zzz@db/signet', /percent-encoded/],
    ['postgresql://one,,two/signet', /each of several hosts must have a name/],
    ['postgresql://db:99999/signet', /a port must be an integer from 1 to 65535/],
    ['postgresql://one,two/signet?port=1,2,3', /one port, or as many as hosts/],
    ['postgresql://db/signet?sslmode=veryfyfull', /sslmode must be one of disable, allow, prefer, require/],
    ['postgresql://db/signet?sslmode=verify-ca', /needs sslrootcert/],
    ['postgresql://db/signet?sslrootcert=/no/such&sslmode=verify-full', /^sslrootcert cannot be read \(ENOENT\)$/],
    ['postgresql://db/signet?target_session_attrs=standby', /must be one of any, read-write, primary: Signet writes/],
    ['postgresql://db/signet?sslmod=require', /^sslmod is not a parameter that libpq knows; did you mean sslmode\?$/],
    ['postgresql://db/signet?connect_timeout=0', /1 to 9999 seconds/],
    ['mysql://db', /must be a postgresql:\/\/ address/],
  ])('A connection URI is refused with the rule that it breaks: %s', (url, rule) => {
    expect(problemOf(url)).toMatch(rule)
  })

  test('No refusal shows a piece of a password', () => {
    const password = fc.string({ unit: fc.constantFrom(...'@:/?#%&=,[] '), minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(password, password, (before, after) => {
        const problem = problemOf(`postgresql://jo:${before}secret${after}secret@db.example.com/signet`)
        expect(problem ?? '').not.toContain('secret')
        const inQuery = problemOf(`postgresql://db.example.com/signet?user=jo&password=${before}secret${after}secret=1`)
        expect(inQuery ?? '').not.toContain('secret')
      }),
    )
  })
})
