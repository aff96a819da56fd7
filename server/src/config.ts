import { fstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { readConnection } from './database/connection.ts'
import type { Rate } from './http/rate-limit.ts'
import { operatorKeyForm } from './installation/index.ts'
import type { Lifetimes } from './issuer/index.ts'
import { type MasterKeys, parseMasterKeys } from './keys/index.ts'
import { builtInTiers, parseTiers, type Tiers } from './organizations/index.ts'
import { parseCidrs, parseResolveOverrides, type ResolveOverrides } from './outbound/index.ts'
import { type ProviderOverrides, parseProviderOverrides } from './providers/index.ts'
import { dayMs } from './runtime/clock.ts'
import { formatDuration, parseDuration } from './runtime/duration.ts'

const hourMs = 3_600_000

/**
 * The one reader of the environment. All settings are read once, checked together and refused together, one line each.
 * `signet.env.example` documents every one of them; a test holds the two against each other.
 */
export type Config = {
  host: string
  port: number
  metricsPort: number | undefined
  baseUrl: string
  /** Whether `baseUrl` is the default for a loopback host: then another port is only a warning. */
  baseUrlIsDefault: boolean
  acceptBaseUrl: string | undefined
  /** Absolute. */
  dataDir: string
  databaseUrl: string | undefined
  databaseConnections: number
  /** How long a start waits for the database. */
  databaseWaitMs: number
  operatorKey: string | undefined
  masterKeys: MasterKeys | undefined
  region: string
  /** What `all_regions` waits for; none: no more than the own one. */
  otherRegions: string[]
  roles: { api: boolean; worker: boolean }
  retry: { initialMs: number; maxMs: number; windowMs: number }
  hookConcurrency: { total: number; perOrganization: number }
  concurrency: { perWebhook: number; perOrganization: number; total: number }
  pauseAfterMs: number
  resolve: ResolveOverrides
  allowCidrs: string[]
  /** Of targets; undefined: all. */
  allowPorts: ReadonlySet<number> | undefined
  trustedProxies: string[]
  connections: { total: number; perAddress: number }
  sendTimeoutMs: number
  /** For so long `/readyz` says that the service is about to stop, before it takes no more connections. */
  drainMs: number
  /** How long events and finished deliveries are kept. */
  retentionMs: number
  keyLeadMs: number
  keyRotationMs: number
  providers: ProviderOverrides
  tiers: Tiers
  rates: Record<'keySet' | 'testEvents' | 'signIn' | 'token' | 'pageEvents' | 'dryRuns' | 'public', Rate>
  /** Of what an issuer gives out. */
  lifetimes: Lifetimes
  logLevel: string
  /** Whether systemd's journal keeps what goes to standard output. */
  isJournaled: boolean
  /** One line for each request. */
  isAccessLogged: boolean
}

/** Every bad setting, one line each: `PORT: must be an integer from 1 to 65535`. */
export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

type Environment = Record<string, string | undefined>
type Parse<Value> = (text: string) => { value: Value } | { problem: string }

/** Reads `environment` (the process's own by default) and throws a `ConfigError` with all that is wrong. */
export function readConfig(environment: Environment = process.env): Config {
  const reader = createReader(environment)
  const port = reader.read('PORT', 8080, integer(1, 65_535))
  const databaseUrl = reader.secret('DATABASE_URL', postgresUrl)
  const baseUrl = reader.read('SIGNET_BASE_URL', undefined, baseAddress)
  const region = reader.read('SIGNET_REGION', 'local', regionName)
  const otherRegions = reader.read('SIGNET_REGIONS', [], regionsBesides(region))
  if (otherRegions.length > 0 && !reader.isGiven('DATABASE_URL'))
    reader.refuse('SIGNET_REGIONS: more than one region needs DATABASE_URL')
  const masterKeys = reader.secret('SIGNET_MASTER_KEY', masterKeyList)
  for (const name of reader.isGiven('DATABASE_URL') ? (['SIGNET_BASE_URL', 'SIGNET_MASTER_KEY'] as const) : [])
    if (!reader.isGiven(name)) reader.refuse(`${name}: is required with DATABASE_URL`)
  const metricsPort = reader.read('SIGNET_METRICS_PORT', undefined, integer(1, 65_535))
  if (metricsPort === port) reader.refuse('SIGNET_METRICS_PORT: must be another one than PORT')
  const config: Config = {
    host: reader.read('HOST', '127.0.0.1', text),
    port,
    metricsPort,
    baseUrl: baseUrl ?? new URL(`http://localhost:${port}`).origin,
    baseUrlIsDefault: baseUrl === undefined,
    acceptBaseUrl: reader.read('SIGNET_ACCEPT_BASE_URL', undefined, baseAddress),
    dataDir: resolve(reader.read('SIGNET_DATA_DIR', './data', text)),
    databaseUrl,
    databaseConnections: reader.read('SIGNET_DATABASE_CONNECTIONS', 10, integer(2, 200)),
    databaseWaitMs: reader.read('SIGNET_DATABASE_WAIT', 60_000, duration(0)),
    operatorKey: reader.secret('SIGNET_OPERATOR_KEY', operatorKey),
    masterKeys,
    region,
    otherRegions,
    roles: reader.read('SIGNET_ROLES', { api: true, worker: true }, roles),
    retry: {
      initialMs: reader.read('SIGNET_RETRY_INITIAL', 60_000, duration(1)),
      maxMs: reader.read('SIGNET_RETRY_MAX', 600_000, duration(1)),
      windowMs: reader.read('SIGNET_RETRY_WINDOW', 1_800_000, duration(1)),
    },
    hookConcurrency: {
      total: reader.read('SIGNET_HOOK_MAX_CONCURRENCY', 512, integer(1, 10_000)),
      perOrganization: reader.read('SIGNET_HOOK_MAX_CONCURRENCY_PER_ORGANIZATION', 64, integer(1, 1_000)),
    },
    concurrency: {
      perWebhook: reader.read('SIGNET_MAX_CONCURRENCY_PER_WEBHOOK', 10, integer(1, 1_000)),
      perOrganization: reader.read('SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION', 128, integer(1, 10_000)),
      total: reader.read('SIGNET_MAX_CONCURRENCY', 512, integer(1, 10_000)),
    },
    pauseAfterMs: reader.read('SIGNET_PAUSE_AFTER', 5 * dayMs, duration(60_000)),
    resolve: reader.read('SIGNET_WEBHOOK_RESOLVE', new Map(), resolveOverrides),
    allowCidrs: reader.read('SIGNET_WEBHOOK_ALLOW_CIDRS', [], cidrs),
    allowPorts: reader.read('SIGNET_WEBHOOK_PORTS', undefined, ports),
    trustedProxies: reader.read('SIGNET_TRUSTED_PROXIES', [], proxies),
    connections: {
      total: reader.read('SIGNET_CONNECTIONS', 8_000, integer(1, 1_000_000)),
      perAddress: reader.read('SIGNET_CONNECTIONS_PER_ADDRESS', 2_000, integer(1, 1_000_000)),
    },
    sendTimeoutMs: reader.read('SIGNET_SEND_TIMEOUT', 60_000, duration(1_000)),
    drainMs: reader.read('SIGNET_DRAIN', 0, duration(0)),
    retentionMs: reader.read('SIGNET_RETENTION', 30 * dayMs, duration(dayMs)),
    keyLeadMs: reader.read('SIGNET_KEY_LEAD', dayMs, duration(0)),
    keyRotationMs: reader.read('SIGNET_KEY_ROTATION', 90 * dayMs, duration(3_600_000)),
    providers: reader.read('SIGNET_PROVIDERS', {}, jsonFile(parseProviderOverrides)),
    tiers: reader.read('SIGNET_TIERS', builtInTiers, jsonFile(parseTiers)),
    rates: {
      keySet: reader.read('SIGNET_RATE_KEY_SET', { perMinute: 30, burst: 60 }, rate),
      testEvents: reader.read('SIGNET_RATE_TEST_EVENTS', { perMinute: 10, burst: 50 }, rate),
      signIn: reader.read('SIGNET_RATE_SIGN_IN', { perMinute: 6_000, burst: 6_000 }, rate),
      token: reader.read('SIGNET_RATE_TOKEN', { perMinute: 60_000, burst: 60_000 }, rate),
      dryRuns: reader.read('SIGNET_RATE_DRY_RUNS', { perMinute: 30, burst: 60 }, rate),
      pageEvents: reader.read('SIGNET_RATE_PAGE_EVENTS', { perMinute: 120, burst: 120 }, rate),
      public: reader.read('SIGNET_RATE_PUBLIC', { perMinute: 600, burst: 600 }, rate),
    },
    lifetimes: {
      codeMs: reader.read('SIGNET_CODE_LIFETIME', 60_000, duration(1_000)),
      idTokenMs: reader.read('SIGNET_ID_TOKEN_LIFETIME', hourMs, duration(1_000)),
      accessTokenMs: reader.read('SIGNET_ACCESS_TOKEN_LIFETIME', hourMs, duration(1_000)),
      refreshIdleMs: reader.read('SIGNET_REFRESH_TOKEN_IDLE', 30 * 24 * hourMs, duration(1_000)),
      refreshMs: reader.read('SIGNET_REFRESH_TOKEN_LIFETIME', 90 * 24 * hourMs, duration(1_000)),
      sessionMs: reader.read('SIGNET_SESSION_LIFETIME', 14 * 24 * hourMs, duration(1_000)),
      flowMs: reader.read('SIGNET_FLOW_LIFETIME', 15 * 60_000, duration(1_000)),
    },
    logLevel: reader.read('SIGNET_LOG_LEVEL', 'info', logLevel),
    isJournaled: isJournaled(environment),
    isAccessLogged: reader.read('SIGNET_ACCESS_LOG', false, onOrOff),
  }
  reader.refuseTogether()
  return config
}

/** The names of all settings, as read; `secrets` also as `<NAME>_FILE`. */
export const settingNames = {
  plain: [
    'HOST',
    'PORT',
    'SIGNET_METRICS_PORT',
    'SIGNET_BASE_URL',
    'SIGNET_ACCEPT_BASE_URL',
    'SIGNET_DATA_DIR',
    'SIGNET_DATABASE_CONNECTIONS',
    'SIGNET_DATABASE_WAIT',
    'SIGNET_REGION',
    'SIGNET_REGIONS',
    'SIGNET_ROLES',
    'SIGNET_RETRY_INITIAL',
    'SIGNET_RETRY_MAX',
    'SIGNET_RETRY_WINDOW',
    'SIGNET_MAX_CONCURRENCY_PER_WEBHOOK',
    'SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION',
    'SIGNET_MAX_CONCURRENCY',
    'SIGNET_HOOK_MAX_CONCURRENCY',
    'SIGNET_HOOK_MAX_CONCURRENCY_PER_ORGANIZATION',
    'SIGNET_PAUSE_AFTER',
    'SIGNET_WEBHOOK_RESOLVE',
    'SIGNET_WEBHOOK_ALLOW_CIDRS',
    'SIGNET_WEBHOOK_PORTS',
    'SIGNET_TRUSTED_PROXIES',
    'SIGNET_CONNECTIONS',
    'SIGNET_CONNECTIONS_PER_ADDRESS',
    'SIGNET_SEND_TIMEOUT',
    'SIGNET_DRAIN',
    'SIGNET_RETENTION',
    'SIGNET_KEY_LEAD',
    'SIGNET_KEY_ROTATION',
    'SIGNET_PROVIDERS',
    'SIGNET_TIERS',
    'SIGNET_RATE_KEY_SET',
    'SIGNET_RATE_TEST_EVENTS',
    'SIGNET_RATE_SIGN_IN',
    'SIGNET_RATE_TOKEN',
    'SIGNET_RATE_DRY_RUNS',
    'SIGNET_RATE_PAGE_EVENTS',
    'SIGNET_RATE_PUBLIC',
    'SIGNET_CODE_LIFETIME',
    'SIGNET_ID_TOKEN_LIFETIME',
    'SIGNET_ACCESS_TOKEN_LIFETIME',
    'SIGNET_REFRESH_TOKEN_IDLE',
    'SIGNET_REFRESH_TOKEN_LIFETIME',
    'SIGNET_SESSION_LIFETIME',
    'SIGNET_FLOW_LIFETIME',
    'SIGNET_LOG_LEVEL',
    'SIGNET_ACCESS_LOG',
  ],
  secrets: ['DATABASE_URL', 'SIGNET_OPERATOR_KEY', 'SIGNET_MASTER_KEY'],
} as const

type Plain = (typeof settingNames.plain)[number]
type Secret = (typeof settingNames.secrets)[number]

function createReader(environment: Environment) {
  const problems: string[] = unknownSettings(environment)
  const parseInto = <Value>(name: string, given: string, parse: Parse<Value>): Value | undefined => {
    const parsed = parse(given)
    if ('value' in parsed) return parsed.value
    problems.push(`${name}: ${parsed.problem}`)
    return undefined
  }
  return {
    /** Empty counts as absent, as in most shells and compose files. */
    isGiven: (name: Plain | Secret) => Boolean(environment[name] || environment[`${name}_FILE`]),
    read<Value, Standard>(name: Plain, standard: Standard, parse: Parse<Value>): Value | Standard {
      const given = environment[name]
      return given ? (parseInto(name, given, parse) ?? standard) : standard
    },
    secret<Value>(name: Secret, parse: Parse<Value>): Value | undefined {
      const given = environment[name] || readSecretFile(environment[`${name}_FILE`], `${name}_FILE`, problems)
      return given ? parseInto(name, given, parse) : undefined
    },
    refuse: (problem: string) => problems.push(problem),
    refuseTogether() {
      if (problems.length > 0) throw new ConfigError(problems)
    },
  }
}

/** systemd.exec(5): which stream the journal reads. A child inherits the variable, but its output may go elsewhere. */
function isJournaled({ JOURNAL_STREAM }: Environment): boolean {
  if (!JOURNAL_STREAM) return false
  const { dev, ino } = fstatSync(1)
  return JOURNAL_STREAM === `${dev}:${ino}`
}

/** Kubernetes tells every container where a service called `signet` is, in variables of these names. */
const serviceLink = /^SIGNET_(SERVICE_|PORT)/

/** Settings of clients, which may be set in the same shell. */
const clientSettings = ['SIGNET_URL', 'SIGNET_ORGANIZATION_ID', 'SIGNET_API_KEY']

/** A misspelt setting would otherwise be a setting that silently does nothing. */
function unknownSettings(environment: Environment): string[] {
  const hasServiceLinks = environment.SIGNET_SERVICE_HOST !== undefined
  const known = new Set<string>([
    ...settingNames.plain,
    ...settingNames.secrets,
    ...settingNames.secrets.map((name) => `${name}_FILE`),
    ...clientSettings,
  ])
  return Object.keys(environment)
    .filter((name) => name.startsWith('SIGNET_') && !known.has(name) && !(hasServiceLinks && serviceLink.test(name)))
    .map((name) => `${name}: is not a known setting`)
}

function readSecretFile(path: string | undefined, name: string, problems: string[]): string | undefined {
  if (!path) return undefined
  try {
    const secret = readFileSync(path, 'utf8').trim()
    if (!secret) problems.push(`${name}: is an empty file`)
    return secret
  } catch (error) {
    problems.push(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return undefined
  }
}

const text: Parse<string> = (value) => ({ value })

function integer(least: number, most: number): Parse<number> {
  return (given) => {
    const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN
    return value >= least && value <= most ? { value } : { problem: `must be an integer from ${least} to ${most}` }
  }
}

function duration(leastMs: number): Parse<number> {
  return (given) => {
    const value = parseDuration(given)
    if (value === undefined) return { problem: 'must be a duration such as 500ms, 10s or 1m30s' }
    return value >= leastMs ? { value } : { problem: `must be at least ${formatDuration(leastMs)}` }
  }
}

const onOrOff: Parse<boolean> = (given) =>
  given === 'on' || given === 'off' ? { value: given === 'on' } : { problem: 'must be on or off' }

const loopbackName = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\]|([a-z0-9-]+\.)*localhost)$/

/** An origin, perhaps with a path, without a trailing slash: paths and issuers are appended to it. */
const baseAddress: Parse<string> = (given) => {
  const url = URL.parse(given)
  if (!url || !/^https?:$/.test(url.protocol)) return { problem: 'must be an http or https address' }
  if (url.username || url.password || url.search || url.hash) return { problem: 'must have no user, query or fragment' }
  if (url.protocol === 'http:' && !loopbackName.test(url.hostname))
    return { problem: 'must be https unless the host is a loopback name' }
  return { value: `${url.origin}${url.pathname.replace(/\/+$/, '')}` }
}

/** Kept as it was given: the files that it names are read again when it is used. */
const postgresUrl: Parse<string> = (given) => {
  const read = readConnection(given)
  return 'problem' in read ? read : { value: given }
}

const operatorKey: Parse<string> = (given) =>
  operatorKeyForm.test(given) ? { value: given } : { problem: 'must be at least 24 visible ASCII characters' }

const masterKeyList: Parse<MasterKeys> = (given) => {
  const parsed = parseMasterKeys(given)
  return 'problem' in parsed ? parsed : { value: parsed.masterKeys }
}

const regionName: Parse<string> = (given) =>
  /^[A-Za-z0-9_-]{1,63}$/.test(given) ? { value: given } : { problem: 'must be 1 to 63 letters, digits, _ or -' }

function regionsBesides(region: string): Parse<string[]> {
  return (given) => {
    const names = given.split(',').map((name) => name.trim())
    for (const name of names) {
      const parsed = regionName(name)
      if ('problem' in parsed) return parsed
    }
    if (new Set(names).size < names.length) return { problem: 'must name each region once' }
    if (!names.includes(region)) return { problem: `must contain this region, ${region}` }
    return { value: names.filter((name) => name !== region) }
  }
}

const roles: Parse<Config['roles']> = (given) => {
  const names = given.split(',').map((name) => name.trim())
  if (names.some((name) => name !== 'api' && name !== 'worker')) return { problem: 'must be api, worker or api,worker' }
  return { value: { api: names.includes('api'), worker: names.includes('worker') } }
}

const resolveOverrides: Parse<ResolveOverrides> = (given) => {
  const parsed = parseResolveOverrides(given)
  return 'problem' in parsed ? parsed : { value: parsed.overrides }
}

const cidrs: Parse<string[]> = (given) => {
  const parsed = parseCidrs(given)
  return 'problem' in parsed ? parsed : { value: parsed.cidrs }
}

const ports: Parse<ReadonlySet<number>> = (given) => {
  const numbers = given.split(',').map((part) => (/^\d{1,5}$/.test(part.trim()) ? Number(part) : 0))
  return numbers.every((port) => port >= 1 && port <= 65_535)
    ? { value: new Set(numbers) }
    : { problem: 'must be ports from 1 to 65535, separated by commas' }
}

/** Whoever trusts all addresses believes what any client says of itself. */
const proxies: Parse<string[]> = (given) => {
  const parsed = cidrs(given)
  const all = 'value' in parsed && parsed.value.find((cidr) => cidr.endsWith('/0'))
  return all ? { problem: `${all} would trust every address` } : parsed
}

/** `30/60`: thirty a minute, sixty at once. */
const rate: Parse<Rate> = (given) => {
  const [, perMinute, burst] = /^(\d{1,6})\/(\d{1,6})$/.exec(given) ?? []
  if (!Number(perMinute) || !Number(burst)) return { problem: 'must be <per minute>/<burst>, such as 30/60' }
  return { value: { perMinute: Number(perMinute), burst: Number(burst) } }
}

/** The setting is its path. */
function jsonFile<Value>(parse: Parse<Value>): Parse<Value> {
  return (given) => {
    try {
      return parse(readFileSync(resolve(given), 'utf8'))
    } catch (error) {
      return { problem: `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'not JSON'})` }
    }
  }
}

const logLevel: Parse<string> = (given) =>
  ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].includes(given)
    ? { value: given }
    : { problem: 'must be fatal, error, warn, info, debug or silent' }
