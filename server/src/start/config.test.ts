import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { ConfigError, readConfig, settingNames } from './config.ts'

const key = Buffer.alloc(32, 'k').toString('base64')
const onServer = {
  DATABASE_URL: 'postgresql://signet:secret@db.example.com/signet',
  SIGNET_BASE_URL: 'https://id.example.com',
  SIGNET_MASTER_KEY: key,
}

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

function fileWith(content: string, { onTestFinished }: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'file'), content)
  return join(folder, 'file')
}

const anInteger = (min: number, max: number) => `must be an integer from ${min} to ${max}`
const aDuration = 'must be a duration such as 500ms, 10s or 1m30s'
const anAddress = 'must be an http or https address'
const samplers =
  'must be one of parentbased_always_on, always_on, parentbased_always_off, always_off, parentbased_traceidratio, traceidratio'
const bare = 'must have no user, query or fragment'
const secure = 'must be https unless the host is a loopback name'
const aRate = 'must be <per minute>/<burst>, such as 30/60'
const postgresForm =
  'must be a postgresql:// address: postgresql://[user[:password]@]host[:port][,host[:port]…][/database][?parameters]'
const percentEncoded =
  'in a user name, password or database the characters @ : / ? # % must be percent-encoded (@ is %40)'
const ours = '0199a3f2-5c00-7000-8000-0242ac120002'
const aGroup = 'must be 2 to 100 characters of A-Z a-z 0-9 - _ . and start and end with a letter or digit'
const masterKeys = 'must be keys of 32 bytes in base64, separated by commas'

const refused: [name: string, value: string, problem: string][] = [
  ...['0', '65536', '-1', '80.5', '0x50', ' 80', '8080a'].map((value): [string, string, string] => [
    'PORT',
    value,
    anInteger(1, 65_535),
  ]),
  ['SIGNET_METRICS_PORT', '0', anInteger(1, 65_535)],
  ['SIGNET_METRICS_PORT', '8080', 'must be another one than PORT'],
  ['SIGNET_DATABASE_CONNECTIONS', '1', anInteger(2, 200)],
  ['SIGNET_DATABASE_CONNECTIONS', '201', anInteger(2, 200)],
  ['SIGNET_MAX_CONCURRENCY_PER_WEBHOOK', '0', anInteger(1, 1_000)],
  ['SIGNET_MAX_CONCURRENCY_PER_WEBHOOK', '1001', anInteger(1, 1_000)],
  ['SIGNET_MAX_CONCURRENCY', '0', anInteger(1, 10_000)],
  ['SIGNET_MAX_CONCURRENCY', '10001', anInteger(1, 10_000)],
  ['SIGNET_HOOK_MAX_CONCURRENCY', '0', anInteger(1, 10_000)],
  ['SIGNET_HOOK_MAX_CONCURRENCY', '10001', anInteger(1, 10_000)],
  ...['SIGNET_BASE_URL', 'SIGNET_ACCEPT_BASE_URL'].flatMap((name): [string, string, string][] => [
    [name, 'id.example.com', anAddress],
    [name, 'ftp://id.example.com', anAddress],
    [name, 'https://', anAddress],
    [name, 'https://me@id.example.com', bare],
    [name, 'https://id.example.com?a=b', bare],
    [name, 'https://id.example.com/#a', bare],
    [name, 'http://id.example.com', secure],
    [name, 'http://localhost.example.com', secure],
    [name, 'http://10.0.0.1', secure],
  ]),
  ['DATABASE_URL', 'mysql://db', postgresForm],
  ['DATABASE_URL', 'postgresql://[', `${postgresForm}; ${percentEncoded}`],
  ['SIGNET_DATABASE_WAIT', 'soon', 'must be a duration such as 500ms, 10s or 1m30s'],
  ['SIGNET_MOVE_PASSPHRASE', 'p'.repeat(15), 'must be at least 16 characters'],
  ['SIGNET_OPERATOR_KEY', 'k'.repeat(23), 'must be at least 24 visible ASCII characters'],
  ['SIGNET_OPERATOR_KEY', `${'k'.repeat(24)} `, 'must be at least 24 visible ASCII characters'],
  ['SIGNET_OPERATOR_KEY', 'ü'.repeat(24), 'must be at least 24 visible ASCII characters'],
  ['SIGNET_OPERATOR_ORGANIZATION', 'ours', 'must be a UUID'],
  ['SIGNET_OPERATOR_ORGANIZATION', '*', 'must be a UUID'],
  ['SIGNET_OPERATOR_ORGANIZATION', `${ours},${ours}`, 'must be a UUID'],
  ['SIGNET_OPERATOR_GROUP', 'o', aGroup],
  ['SIGNET_OPERATOR_GROUP', 'operators,owners', aGroup],
  ['SIGNET_MASTER_KEY', key.slice(4), masterKeys],
  ['SIGNET_MASTER_KEY', `${key},`, masterKeys],
  ['SIGNET_MASTER_KEY', `${key};${key}`, masterKeys],
  ['SIGNET_REGION', 'eu west', 'must be 1 to 63 letters, digits, _ or -'],
  ['SIGNET_REGION', 'r'.repeat(64), 'must be 1 to 63 letters, digits, _ or -'],
  ['SIGNET_REGIONS', 'local,eu', 'more than one region needs DATABASE_URL'],
  ['SIGNET_REGIONS', 'local,eu west', 'must be 1 to 63 letters, digits, _ or -'],
  ['SIGNET_REGIONS', 'local,eu,', 'must be 1 to 63 letters, digits, _ or -'],
  ['SIGNET_REGIONS', 'local,eu,eu', 'must name each region once'],
  ['SIGNET_REGIONS', 'eu', 'must contain this region, local'],
  ['SIGNET_ROLES', 'api,console', 'must be api, worker or api,worker'],
  ['OTEL_SDK_DISABLED', 'yes', 'must be true or false'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4318', anAddress],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', '4318', anAddress],
  ['OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', 'grpc://localhost', anAddress],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be http/protobuf'],
  ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be otlp or none'],
  ['OTEL_LOGS_EXPORTER', 'console', 'must be otlp or none'],
  ['OTEL_TRACES_SAMPLER', 'jaeger_remote', samplers],
  ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'must be a number from 0 to 1'],
  ['OTEL_TRACES_SAMPLER_ARG', '10 %', 'must be a number from 0 to 1'],
  ['SIGNET_ROLES', ',', 'must be api, worker or api,worker'],
  ...['SIGNET_RETRY_INITIAL', 'SIGNET_RETRY_MAX', 'SIGNET_RETRY_WINDOW'].flatMap((name): [string, string, string][] => [
    [name, '60', aDuration],
    [name, '1 m', aDuration],
    [name, '0', 'must be at least 1ms'],
    [name, '-1m', 'must be at least 1ms'],
  ]),
  ['SIGNET_RETRY_MAX', '59s', 'must be at least SIGNET_RETRY_INITIAL'],
  ['SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION', '0', 'must be an integer from 1 to 10000'],
  ['SIGNET_PAUSE_AFTER', '59s', 'must be at least 1m0s'],
  ['SIGNET_RETENTION', '30d', aDuration],
  ['SIGNET_RETENTION', '23h59m59s', 'must be at least 24h0m0s'],
  ['SIGNET_AUDIT_RETENTION', '400d', aDuration],
  ['SIGNET_AUDIT_RETENTION', '23h59m59s', 'must be at least 24h0m0s'],
  ['SIGNET_KEY_LEAD', '1d', aDuration],
  ['SIGNET_KEY_LEAD', '-1s', 'must be at least 0s'],
  ['SIGNET_KEY_ROTATION', '59m59s', 'must be at least 1h0m0s'],
  ['SIGNET_WEBHOOK_RESOLVE', 'receiver.test:127.0.0.1', expect.stringContaining('receiver.test:127.0.0.1 is not')],
  ['SIGNET_WEBHOOK_ALLOW_CIDRS', '10.0.0.0/33', '10.0.0.0/33 is not an address or CIDR'],
  ['SIGNET_TRUSTED_PROXIES', '10.0.0.1,proxy', 'proxy is not an address or CIDR'],
  ['SIGNET_TRUSTED_PROXIES', '10.0.0.1,0.0.0.0/0', '0.0.0.0/0 would trust every address'],
  ['SIGNET_TRUSTED_PROXIES', '::/0', '::/0 would trust every address'],
  ['SIGNET_CONNECTIONS', '0', 'must be an integer from 1 to 1000000'],
  ['SIGNET_CONNECTIONS_PER_ADDRESS', 'many', 'must be an integer from 1 to 1000000'],
  ['SIGNET_EVENT_STREAMS', '0', 'must be an integer from 1 to 1000000'],
  ['SIGNET_EVENT_STREAMS_PER_KEY', 'many', 'must be an integer from 1 to 1000000'],
  ['SIGNET_LISTENERS', '0', 'must be an integer from 1 to 1000000'],
  ['SIGNET_LISTENERS_PER_KEY', '1.5', 'must be an integer from 1 to 1000000'],
  ['SIGNET_SEND_TIMEOUT', '999ms', 'must be at least 1s'],
  ['SIGNET_DRAIN', '-1s', 'must be at least 0s'],
  ['SIGNET_PROVIDERS', '/no/such/file', 'cannot be read (ENOENT)'],
  ['SIGNET_TIERS', '/no/such/file', 'cannot be read (ENOENT)'],
  ['SIGNET_RATE_KEY_SET', '30', aRate],
  ['SIGNET_RATE_KEY_SET', '0/60', aRate],
  ['SIGNET_RATE_TEST_EVENTS', '10/0', aRate],
  ['SIGNET_RATE_SIGN_IN', '600', aRate],
  ['SIGNET_RATE_TOKEN', '600', aRate],
  ['SIGNET_RATE_PAGE_EVENTS', '600', aRate],
  ['SIGNET_RATE_DRY_RUNS', '600', aRate],
  ['SIGNET_RATE_SCIM', '600', aRate],
  ...['0', '65536', '443,', 'https', '80-90', '443 8443'].map((ports): [string, string, string] => [
    'SIGNET_WEBHOOK_PORTS',
    ports,
    'must be ports from 1 to 65535, separated by commas',
  ]),
  ['SIGNET_RATE_PUBLIC', '600', aRate],
  ...[
    'SIGNET_CODE_LIFETIME',
    'SIGNET_ID_TOKEN_LIFETIME',
    'SIGNET_ACCESS_TOKEN_LIFETIME',
    'SIGNET_REFRESH_TOKEN_IDLE',
    'SIGNET_REFRESH_TOKEN_LIFETIME',
    'SIGNET_SESSION_LIFETIME',
    'SIGNET_FLOW_LIFETIME',
  ].map((name): [string, string, string] => [name, '999ms', 'must be at least 1s']),
  ['SIGNET_ACCESS_LOG', 'yes', 'must be on or off'],
  ['SIGNET_LOG_LEVEL', 'verbose', 'must be fatal, error, warn, info, debug or silent'],
]

describe('Bad settings', () => {
  test.each(refused)('A bad setting is refused in a line that names it and the rule: %s=%s', (name, value, problem) => {
    const environment = name === 'DATABASE_URL' ? { ...onServer, [name]: value } : { [name]: value }
    const [line, ...more] = problemsOf(environment)
    expect(line?.slice(0, name.length + 2)).toBe(`${name}: `)
    expect(line?.slice(name.length + 2)).toEqual(problem)
    expect(more).toEqual([])
  })

  test('No setting was forgotten in the table of bad values', () => {
    const free = ['HOST', 'SIGNET_DATA_DIR']
    const tried = [...new Set(refused.map(([name]) => name)), ...free]
    expect(tried.sort()).toEqual([...settingNames.plain, ...settingNames.secrets].sort())
  })
})

test.each([
  ['SIGNET_COPY_TO', '; give the address, or a file with it, to signet copy --to'],
  ['SIGNET_COPY_TO_FILE', '; give the address, or a file with it, to signet copy --to'],
  [
    'SIGNET_HOOK_MAX_CONCURRENCY_PER_ORGANIZATION',
    '; remove it; an organization has an eighth of SIGNET_HOOK_MAX_CONCURRENCY',
  ],
  ['SIGNET_EVENT_STREAMS_PER_ORGANIZATION', '; remove it; an organization has a quarter of SIGNET_EVENT_STREAMS'],
  ['SIGNET_LISTENERS_PER_ORGANIZATION', '; remove it; an organization has a quarter of SIGNET_LISTENERS'],
])('A setting that there was is refused with what is in its place: %s', (name, advice) => {
  expect(problemsOf({ [name]: '5' })).toEqual([`${name}: is not a known setting any more${advice}`])
})

test('The operator’s people are named by their organization and their group, or by neither', () => {
  const organization = { SIGNET_OPERATOR_ORGANIZATION: ours.toUpperCase() }
  const group = { SIGNET_OPERATOR_GROUP: 'operators' }
  expect(problemsOf(organization)).toEqual(['SIGNET_OPERATOR_GROUP: is required with SIGNET_OPERATOR_ORGANIZATION'])
  expect(problemsOf(group)).toEqual(['SIGNET_OPERATOR_ORGANIZATION: is required with SIGNET_OPERATOR_GROUP'])
  expect(problemsOf({ ...group, SIGNET_OPERATOR_ORGANIZATION: 'ours' })).toEqual([
    'SIGNET_OPERATOR_ORGANIZATION: must be a UUID',
  ])
  expect(readConfig({ ...organization, ...group }).operatorGroup).toEqual({
    organizationId: ours,
    groupName: 'operators',
  })
  expect(readConfig({}).operatorGroup).toBeUndefined()
})

test('All bad settings are refused together', () => {
  const environment = Object.fromEntries(refused.map(([name, value]) => [name, value]))
  const problems = problemsOf({ ...environment, SIGNET_PROT: '1' })
  expect(problems.map((line) => line.split(': ')[0]).sort()).toEqual(
    [...Object.keys(environment), 'SIGNET_PROT'].sort(),
  )
  expect(problems.filter((line) => line.includes('\n'))).toEqual([])
  expect(new ConfigError(problems).message).toBe(problems.join('\n'))
})

describe('Good settings', () => {
  test.each([
    ['PORT', '1', { port: 1, baseUrl: 'http://localhost:1' }],
    ['PORT', '65535', { port: 65_535 }],
    ['PORT', '80', { baseUrl: 'http://localhost' }],
    ['SIGNET_BASE_URL', 'https://ID.example.com:443/', { baseUrl: 'https://id.example.com', baseUrlIsDefault: false }],
    ['SIGNET_BASE_URL', 'https://id.example.com/signet//', { baseUrl: 'https://id.example.com/signet' }],
    ['SIGNET_BASE_URL', 'http://[::1]:8080', { baseUrl: 'http://[::1]:8080' }],
    ['SIGNET_BASE_URL', 'http://127.1.2.3', { baseUrl: 'http://127.1.2.3' }],
    ['SIGNET_BASE_URL', 'http://id.localhost', { baseUrl: 'http://id.localhost' }],
    ['SIGNET_REGIONS', ' local ', { region: 'local', otherRegions: [] }],
    ['SIGNET_ROLES', 'worker', { roles: { api: false, worker: true } }],
    ['SIGNET_ROLES', 'worker, api', { roles: { api: true, worker: true } }],
    ['SIGNET_RETRY_INITIAL', '1m30.5s', { retry: { initialMs: 90_500, maxMs: 600_000, windowMs: 1_800_000 } }],
    ['SIGNET_KEY_LEAD', '0', { keyLeadMs: 0 }],
    [
      'SIGNET_TRUSTED_PROXIES',
      '10.0.0.0/8, fd00::/8,192.0.2.1',
      { trustedProxies: ['10.0.0.0/8', 'fd00::/8', '192.0.2.1'] },
    ],
    [
      'SIGNET_RATE_KEY_SET',
      '5/7',
      { rates: { keySet: { perMinute: 5, burst: 7 }, testEvents: { perMinute: 10, burst: 50 } } },
    ],
    ['SIGNET_METRICS_PORT', '', { metricsPort: undefined }],
  ])('A good setting is accepted: %s=%s', (name, value, expected) => {
    expect(readConfig({ [name]: value })).toMatchObject(expected)
  })

  test('A file of tiers is accepted, and its tiers are added to the built-in ones', (context) => {
    const { tiers } = readConfig({ SIGNET_TIERS: fileWith('{"team": {"max_groups": 3}}', context) })
    expect(tiers).toMatchObject({ team: { max_groups: 3 }, free: { max_groups: 10 } })
  })

  test('A file of providers is accepted, with what each slot may have', (context) => {
    const providers = {
      provider_b: { authorization_endpoint: 'http://127.0.0.1:1/login/oauth/authorize', trust_email: true },
      provider_g: { issuer: 'https://login.example/{tenant}/v2.0' },
    }
    expect(readConfig({ SIGNET_PROVIDERS: fileWith(JSON.stringify(providers), context) })).toMatchObject({ providers })
  })

  test('The variables that Kubernetes sets for a service called signet are accepted', () => {
    const links = { SIGNET_SERVICE_HOST: '10.0.0.1', SIGNET_PORT: 'tcp://10.0.0.1:80', SIGNET_PORT_80_TCP_PROTO: 'tcp' }
    expect(problemsOf(links)).toEqual([])
    expect(problemsOf({ SIGNET_PORT: '80' })).toEqual(['SIGNET_PORT: is not a known setting'])
  })
})

test.for([
  ['{', 'cannot be read (not JSON)'],
  ['[]', 'must be a JSON object of providers'],
  ['{"provider_i": {}}', 'provider_i: is not one of provider_a to provider_h, nor oidc'],
  ['{"provider_a": "https://a.example"}', 'provider_a: must be an object'],
  [
    '{"provider_a": {"token_endpoint": "https://a.example"}}',
    'provider_a.token_endpoint: is not one of issuer, trust_email',
  ],
  [
    '{"provider_c": {"issuer": "https://a.example"}}',
    'provider_c.issuer: is not one of authorization_endpoint, token_endpoint, user_endpoint, emails_endpoint, trust_email',
  ],
  ['{"provider_d": {"trust_email": 1}}', 'provider_d.trust_email: must be true or false'],
  ...['a.example', 'ftp://a.example', 'https://me@a.example', 'https://a.example?', 'https://a.example#a'].map(
    (issuer) => [
      `{"provider_h": {"issuer": "${issuer}"}}`,
      'provider_h.issuer: must be an http or https address without user, query and fragment',
    ],
  ),
])('A file of providers with %s is refused', ([content = '', problem], context) => {
  expect(problemsOf({ SIGNET_PROVIDERS: fileWith(content, context) })).toEqual([`SIGNET_PROVIDERS: ${problem}`])
})

test.for([
  ['{', 'cannot be read (not JSON)'],
  ['[]', 'must be a JSON object of tiers'],
  ['{"team": {"max_group": 3}}', 'team.max_group: is not one of max_groups, max_persons, max_webhooks'],
  ['{"team": {"max_groups": -3}}', 'team.max_groups: must be an integer of 0 or more'],
])('A file of tiers with %s is refused', ([content = '', problem], context) => {
  expect(problemsOf({ SIGNET_TIERS: fileWith(content, context) })).toEqual([`SIGNET_TIERS: ${problem}`])
})

describe('DATABASE_URL', () => {
  test.each(['SIGNET_BASE_URL', 'SIGNET_MASTER_KEY'])('The setting DATABASE_URL needs %s', (name) => {
    expect(problemsOf(onServer)).toEqual([])
    expect(problemsOf({ ...onServer, [name]: '' })).toEqual([`${name}: is required with DATABASE_URL`])
  })

  test('No setting is required where DATABASE_URL is absent', () => {
    expect(readConfig({})).toMatchObject({ databaseUrl: undefined, masterKeys: undefined, operatorKey: undefined })
  })
})

describe('A secret', () => {
  const secrets: Record<string, string> = {
    DATABASE_URL: 'postgresql://signet:secret@db.example.com/signet',
    SIGNET_MOVE_PASSPHRASE: 'a passphrase of sixteen or more',
    SIGNET_OPERATOR_KEY: 'operator-key-0123456789-abc',
    SIGNET_MASTER_KEY: key,
  }

  test.for(settingNames.secrets)('The secret %s may come from a file', (name, context) => {
    const direct = { ...onServer, ...secrets }
    const fromFile = { ...direct, [name]: '', [`${name}_FILE`]: fileWith(`${secrets[name]}\n`, context) }
    expect({ ...readConfig(fromFile), databaseUrlFile: undefined }).toEqual(readConfig(direct))
  })

  test.for(settingNames.secrets)('The secret %s in a file that is missing or empty is refused', (name, context) => {
    const missing = { ...onServer, [name]: '', [`${name}_FILE`]: '/no/such/file' }
    expect(problemsOf(missing)).toEqual([`${name}_FILE: cannot be read (ENOENT)`])
    const empty = { ...missing, [`${name}_FILE`]: fileWith('\n', context) }
    expect(problemsOf(empty)).toEqual([`${name}_FILE: is an empty file`])
  })

  test.for(settingNames.secrets)('The secret %s is not shown by its refusal', (name, context) => {
    const secret = 'tell-nobody'
    const path = fileWith(secret, context)
    for (const environment of [{ [name]: secret }, { [`${name}_FILE`]: path }])
      expect(problemsOf({ ...onServer, [name]: '', ...environment }).join()).toMatch(new RegExp(`^${name}: (?!.*tell)`))
  })

  test('No setting but the secrets may come from a file', () => {
    expect(problemsOf({ SIGNET_REGION_FILE: '/etc/hostname' })).toEqual(['SIGNET_REGION_FILE: is not a known setting'])
  })
})

describe('signet.env.example', () => {
  const text = readFileSync(join(import.meta.dirname, '../../../signet.env.example'), 'utf8')
  const settings = [...text.matchAll(/((?:^#(?![A-Z_]+=).*\n)*)^#?([A-Z_]+)=(.*)$/gm)].map(
    ([, comment = '', name = '', value = '']) => ({
      comment,
      name,
      value,
    }),
  )

  test('The file signet.env.example has every setting once, and Node’s own for certificates', () => {
    const names = settings.map(({ name }) => name)
    expect(names.sort()).toEqual([...settingNames.plain, ...settingNames.secrets, 'NODE_EXTRA_CA_CERTS'].sort())
  })

  test('The file signet.env.example gives the defaults', () => {
    expect(readConfig(Object.fromEntries(settings.map(({ name, value }) => [name, value])))).toEqual(readConfig({}))
  })

  test('The file signet.env.example marks the secrets', () => {
    const marked = settings.filter(({ comment }) => comment.startsWith('# *')).map(({ name }) => name)
    expect(marked.sort()).toEqual([...settingNames.secrets].sort())
  })
})

const collector = 'http://127.0.0.1:4318'

test.each<[Record<string, string>, { traces: boolean; logs: boolean }]>([
  [{}, { traces: false, logs: false }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: collector }, { traces: true, logs: false }],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector }, { traces: true, logs: false }],
  [{ OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: collector }, { traces: false, logs: false }],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_TRACES_EXPORTER: 'none' },
    { traces: false, logs: false },
  ],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, { traces: true, logs: false }],
  [{ OTEL_LOGS_EXPORTER: 'otlp' }, { traces: false, logs: true }],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector, OTEL_LOGS_EXPORTER: 'otlp', OTEL_SDK_DISABLED: 'TRUE' },
    { traces: false, logs: false },
  ],
])('With %o this is exported: %o', (environment, exported) => {
  expect(readConfig(environment).telemetry).toMatchObject(exported)
})
