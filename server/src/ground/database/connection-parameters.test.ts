import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Connection, connectionOf, readConnection } from './connection.ts'
import { knownParameters } from './connection-parameters.ts'

type Outcome = { effect: object } | 'ignored' | RegExp

const file = (text: string): string => {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), text)
  return join(folder, 'file')
}

/** Each parameter of libpq from PostgreSQL 15 to 18, with the values that differ in what becomes of them. */
const table: [parameter: string, value: string | (() => string), outcome: Outcome, beside?: string][] = [
  ['host', 'one,two', { effect: { candidates: [{ host: 'one' }, { host: 'two' }] } }],
  ['hostaddr', '192.0.2.1', { effect: { host: '192.0.2.1' } }],
  ['hostaddr', 'db.example.com', /^hostaddr must be an IP address$/],
  ['port', '6432', { effect: { port: 6432 } }],
  ['dbname', 'signet', { effect: { database: 'signet' } }],
  ['user', 'jo', { effect: { user: 'jo' } }],
  ['password', 'pw', { effect: { password: 'pw' } }],
  ['passfile', () => file('db:5432:*:jo:a\\:b\n'), { effect: { password: 'a:b' } }, 'user=jo'],
  ['passfile', () => file('other:*:*:*:pw\n'), /^passfile has no line for this host, port, database and user$/],
  ['passfile', '/no/such', /^passfile cannot be read \(ENOENT\)$/],
  ['require_auth', 'scram-sha-256', { effect: { requiredAuthentication: { methods: 'scram-sha-256' } } }],
  ['require_auth', '!password,!md5', { effect: { requiredAuthentication: { methods: '!password,!md5' } } }],
  ['require_auth', 'gss', /^require_auth must be of none, password, md5, scram-sha-256$/],
  ['channel_binding', 'disable', { effect: { host: 'db' } }],
  ['channel_binding', 'prefer', { effect: { enableChannelBinding: true } }],
  [
    'channel_binding',
    'require',
    { effect: { enableChannelBinding: true, requiredAuthentication: { isBound: true } } },
    'sslmode=require',
  ],
  ['channel_binding', 'maybe', /^channel_binding must be one of disable, prefer, require$/],
  ['connect_timeout', '10', { effect: { connectionTimeoutMillis: 10_000 } }],
  ['client_encoding', 'UTF8', 'ignored'],
  ['client_encoding', 'LATIN1', /^client_encoding is not supported with this value$/],
  ['options', '-c work_mem=5MB', { effect: { options: '-c work_mem=5MB' } }],
  ['application_name', 'x', { effect: { application_name: 'x' } }],
  ['fallback_application_name', 'y', { effect: { fallback_application_name: 'y' } }],
  ['keepalives', '1', { effect: { keepAlive: true } }],
  ['keepalives', '0', { effect: { host: 'db' } }],
  ['keepalives_idle', '30', { effect: { keepAlive: true, keepAliveInitialDelayMillis: 30_000 } }],
  ['keepalives_idle', 'soon', /^keepalives_idle must be a number of seconds$/],
  ['keepalives_interval', '10', 'ignored'],
  ['keepalives_count', '3', 'ignored'],
  ['tcp_user_timeout', '10000', 'ignored'],
  ['replication', 'false', 'ignored'],
  ['replication', 'database', /^replication is not supported with this value$/],
  ['gssencmode', 'prefer', 'ignored'],
  ['gssencmode', 'disable', 'ignored'],
  ['gssencmode', 'require', /^gssencmode is not supported with this value$/],
  ['sslmode', 'require', { effect: { ssl: { rejectUnauthorized: false } } }],
  ['ssl', 'true', { effect: { ssl: { rejectUnauthorized: false } } }],
  ['sslnegotiation', 'direct', { effect: { sslnegotiation: 'direct' } }, 'sslmode=require'],
  ['sslnegotiation', 'postgres', { effect: { host: 'db' } }],
  ['sslnegotiation', 'direct', /^sslnegotiation=direct needs sslmode=require, verify-ca or verify-full$/],
  ['sslcompression', '1', 'ignored'],
  ['sslcert', () => file('cert'), { effect: { ssl: { cert: 'cert' } } }, 'sslmode=require'],
  ['sslkey', () => file('key'), { effect: { ssl: { key: 'key' } } }, 'sslmode=require'],
  ['sslpassword', 'of the key', { effect: { ssl: { passphrase: 'of the key' } } }, 'sslmode=require'],
  ['sslcertmode', 'allow', { effect: { host: 'db' } }],
  ['sslcertmode', 'disable', { effect: { host: 'db' } }],
  ['sslcertmode', 'require', /^sslcertmode must be one of disable, allow: the driver does not say/],
  ['sslrootcert', () => file('ca'), { effect: { ssl: { ca: 'ca', rejectUnauthorized: true } } }, 'sslmode=require'],
  ['sslrootcert', 'system', { effect: { ssl: { rejectUnauthorized: true } } }, 'sslmode=verify-full'],
  ['sslcrl', () => file('crl'), { effect: { ssl: { crl: 'crl' } } }, 'sslmode=require'],
  ['sslcrldir', '/crl', /^sslcrldir is not supported: .*sslcrl$/],
  ['sslsni', '1', 'ignored'],
  ['sslsni', '0', /^sslsni is not supported with this value$/],
  ['requirepeer', 'postgres', /^requirepeer is not supported: /],
  ['ssl_min_protocol_version', 'TLSv1.3', { effect: { ssl: { minVersion: 'TLSv1.3' } } }, 'sslmode=require'],
  ['ssl_max_protocol_version', 'TLSv1.2', { effect: { ssl: { maxVersion: 'TLSv1.2' } } }, 'sslmode=require'],
  ['ssl_min_protocol_version', 'SSLv3', /^ssl_min_protocol_version must be one of TLSv1,/],
  ['min_protocol_version', '3.0', 'ignored'],
  ['min_protocol_version', '3.2', /^min_protocol_version is not supported with this value$/],
  ['max_protocol_version', 'latest', 'ignored'],
  ['krbsrvname', 'postgres', 'ignored'],
  ['gsslib', 'gssapi', 'ignored'],
  ['gssdelegation', '0', 'ignored'],
  ['gssdelegation', '1', /^gssdelegation is not supported with this value$/],
  ['scram_client_key', 'a2V5', /^scram_client_key is not supported: /],
  ['scram_server_key', 'a2V5', /^scram_server_key is not supported: /],
  ['service', 'signet', /^service is not supported: Signet reads no service file/],
  ['servicefile', '/etc/pg_service.conf', /^servicefile is not supported: /],
  ['target_session_attrs', 'primary', { effect: { host: 'db' } }],
  [
    'target_session_attrs',
    'prefer-standby',
    /^target_session_attrs must be one of any, read-write, primary: Signet writes$/,
  ],
  ['load_balance_hosts', 'random', 'ignored'],
  ['oauth_issuer', 'https://id.example.com', /^oauth_issuer is not supported: /],
  ['oauth_client_id', 'id', /^oauth_client_id is not supported: /],
  ['oauth_client_secret', 'secret', /^oauth_client_secret is not supported: /],
  ['oauth_scope', 'openid', /^oauth_scope is not supported: /],
  ['sslkeylogfile', '/tmp/keys', /^sslkeylogfile is not supported: /],
  ['uselibpqcompat', 'true', 'ignored'],
]

const rows = table.map(([parameter, value, outcome, beside]) => ({ parameter, value, outcome, beside }))

describe('Parameters of a connection string', () => {
  test.each(rows)('libpq’s $parameter has its effect, is ignored, or is refused by its name: $value', (row) => {
    const value = typeof row.value === 'string' ? row.value : row.value()
    const others = row.beside ? [row.beside] : []
    const address = `postgresql://${row.parameter.startsWith('host') ? '' : 'db'}/?${[...others, `${row.parameter}=${encodeURIComponent(value)}`].join('&')}`
    const words = [
      ...others,
      ...(row.parameter.startsWith('host') ? [] : ['host=db']),
      `${row.parameter}='${value}'`,
    ].join(' ')
    for (const text of [address, words]) {
      const read = readConnection(text)
      if (row.outcome instanceof RegExp) expect('problem' in read && read.problem).toMatch(row.outcome)
      else expect('value' in read && read.value).toMatchObject(expectedOf(row.parameter, row.outcome))
    }
  })

  const expectedOf = (parameter: string, outcome: { effect: object } | 'ignored') =>
    outcome === 'ignored' ? { ignored: [parameter] } : outcome.effect

  test('The table has every parameter', () => {
    expect([...new Set(table.map(([parameter]) => parameter))].sort()).toEqual([...knownParameters].sort())
  })

  test('The words of a string with an unknown name are not shown, for one may be a piece of a password', () => {
    const piece = fc.stringMatching(/^[a-z_ =']{1,12}$/)
    fc.assert(
      fc.property(piece, piece, (before, after) => {
        const read = readConnection(`host=db password=${before}secret${after} user=jo`)
        expect('problem' in read ? read.problem : '').not.toContain('secret')
      }),
    )
  })
})

/** As they are printed where the database is made. */
const services: [service: string, text: string, expected: Partial<Connection>][] = [
  [
    'RDS',
    'postgresql://signet:pw@signet.c9akciq32.eu-west-1.rds.amazonaws.com:5432/signet?sslmode=require',
    { port: 5432 },
  ],
  [
    'RDS, an IAM token',
    `postgresql://signet:${encodeURIComponent('db.rds.amazonaws.com:5432/?Action=connect&DBUser=signet&X-Amz-Expires=900')}@db.rds.amazonaws.com:5432/signet?sslmode=require`,
    { password: 'db.rds.amazonaws.com:5432/?Action=connect&DBUser=signet&X-Amz-Expires=900' },
  ],
  [
    'RDS, psql',
    'host=signet.c9akciq32.eu-west-1.rds.amazonaws.com port=5432 dbname=signet user=signet sslmode=require',
    { user: 'signet' },
  ],
  [
    'Aurora',
    'postgresql://signet:pw@signet.cluster-c9akciq32.eu-west-1.rds.amazonaws.com:5432/signet?target_session_attrs=read-write&load_balance_hosts=random&tcp_user_timeout=5000',
    { ignored: ['load_balance_hosts', 'tcp_user_timeout'] },
  ],
  [
    'Cloud SQL, a socket',
    'postgresql://signet:pw@/signet?host=/cloudsql/project:europe-west1:signet',
    { host: '/cloudsql/project:europe-west1:signet', ssl: false },
  ],
  ['AlloyDB', 'host=10.0.0.5 port=5432 user=signet password=pw dbname=signet sslmode=require', { host: '10.0.0.5' }],
  [
    'Azure',
    'host=signet.postgres.database.azure.com port=5432 dbname=signet user=signet password={your_password} sslmode=require',
    { password: '{your_password}' },
  ],
  [
    'Azure, single server',
    'postgres://signet%40server:pw@server.postgres.database.azure.com/signet?sslmode=require',
    { user: 'signet@server' },
  ],
  [
    'Neon',
    'postgresql://signet:pw@ep-cool-1-pooler.eu-central-1.aws.neon.tech/signet?sslmode=require&channel_binding=require',
    { requiredAuthentication: { isBound: true } },
  ],
  [
    'Neon, without SNI',
    'postgresql://signet:pw@ep-cool-1.neon.tech/signet?options=endpoint%3Dep-cool-1&sslmode=require',
    { options: 'endpoint=ep-cool-1' },
  ],
  [
    'Supabase',
    'postgresql://postgres.abcdefgh:pw@aws-0-eu-central-1.pooler.supabase.com:5432/postgres',
    { user: 'postgres.abcdefgh' },
  ],
  [
    'Crunchy Bridge',
    'postgres://application:pw@p.abc.db.postgresbridge.com:5432/postgres?sslmode=require',
    { user: 'application' },
  ],
  ['Heroku', 'postgres://signet:pw@ec2-1-2-3-4.compute-1.amazonaws.com:5432/d1234', { database: 'd1234' }],
  ['Render', 'postgresql://signet:pw@dpg-abc-a.frankfurt-postgres.render.com/signet', { port: 5432 }],
  ['Fly', 'postgres://postgres:pw@signet-db.flycast:5432/signet?sslmode=disable', { ssl: false }],
  [
    'DigitalOcean',
    'postgresql://doadmin:pw@db-do-user-1-0.b.db.ondigitalocean.com:25060/defaultdb?sslmode=require',
    { port: 25_060 },
  ],
  [
    'Timescale',
    'postgres://tsdbadmin:pw@abc.def.tsdb.cloud.timescale.com:35999/tsdb?sslmode=require',
    { port: 35_999 },
  ],
  ['PgBouncer', 'host=127.0.0.1 port=6432 dbname=signet user=signet', { port: 6_432 }],
  ['libpq', 'host=localhost port=5432 dbname=mydb connect_timeout=10', { connectionTimeoutMillis: 10_000 }],
  ['libpq', 'postgresql://', { host: 'localhost' }],
  ['libpq', 'postgresql://localhost:5433', { port: 5_433 }],
  ['libpq', 'postgresql://other@localhost/otherdb?connect_timeout=10&application_name=myapp', { user: 'other' }],
  ['libpq', 'postgresql://host1:123,host2:456/somedb?target_session_attrs=any&application_name=myapp', { port: 123 }],
  ['libpq', 'postgresql:///mydb?host=localhost&port=5433', { database: 'mydb' }],
  ['libpq', 'postgresql://[2001:db8::1234]/database', { host: '2001:db8::1234' }],
  ['libpq', 'postgresql://%2Fvar%2Flib%2Fpostgresql/dbname', { host: '/var/lib/postgresql' }],
  ['libpq', "host=localhost password='it\\'s a \\\\' user = jo", { password: "it's a \\", user: 'jo' }],
]

test.each(services)('The connection string of %s is read: %s', (_, text, expected) => {
  expect(connectionOf(text)).toMatchObject(expected)
})
