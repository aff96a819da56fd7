import { fstatSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { dayMs, hourMs } from '../ground/runtime/clock.ts'
import { nearest } from '../ground/runtime/nearest.ts'
import type { Lifetimes } from '../identity/issuer/index.ts'
import { builtInTiers, type OperatorGroup, parseTiers } from '../identity/organizations/index.ts'
import { parseProviderOverrides } from '../identity/providers/index.ts'
import {
  baseAddress,
  cidrs,
  duration,
  groupName,
  httpAddress,
  integer,
  jsonFile,
  logLevel,
  masterKeyList,
  oneOf,
  onOrOff,
  operatorKey,
  type Parse,
  passphrase,
  ports,
  postgresUrl,
  proxies,
  rate,
  regionName,
  regionNames,
  resolveOverrides,
  roles,
  share,
  text,
  trueOrFalse,
  uuid,
} from './setting-parsers.ts'

const exporter = oneOf('otlp', 'none')
const samplers = ['always_on', 'always_off', 'traceidratio'].flatMap((name) => [`parentbased_${name}`, name])

const minuteMs = 60_000

type Setting<Value> = {
  name: string
  isSecret: boolean
  mayBeInFile?: true
  ofCommand?: true
  standard: Value
  parse: Parse<Value>
}

const setting = <Value>(name: string, standard: NoInfer<Value>, parse: Parse<Value>): Setting<Value> => ({
  name,
  isSecret: false,
  standard,
  parse,
})
const optional = <Value>(name: string, parse: Parse<Value>) => setting<Value | undefined>(name, undefined, parse)
/** Also read from the file that `<NAME>_FILE` names. */
const inFileToo = <Value>(each: Setting<Value>): Setting<Value> => ({ ...each, mayBeInFile: true })
const secret = <Value>(name: string, parse: Parse<Value>): Setting<Value | undefined> => ({
  ...inFileToo(optional(name, parse)),
  isSecret: true,
})
/** Of a command: the service never needs it. */
const commandSecret = <Value>(name: string, parse: Parse<Value>): Setting<Value | undefined> => ({
  ...secret(name, parse),
  ofCommand: true,
})

/** Every setting: its name, its default, and its form. `signet.env.example` documents them; a test compares the two. */
const settings = {
  host: setting('HOST', '127.0.0.1', text),
  port: setting('PORT', 8080, integer(1, 65_535)),
  metricsPort: optional('SIGNET_METRICS_PORT', integer(1, 65_535)),
  baseUrl: optional('SIGNET_BASE_URL', baseAddress),
  acceptBaseUrl: optional('SIGNET_ACCEPT_BASE_URL', baseAddress),
  dataDir: setting('SIGNET_DATA_DIR', './data', text),
  databaseUrl: secret('DATABASE_URL', postgresUrl),
  databaseConnections: setting('SIGNET_DATABASE_CONNECTIONS', 10, integer(2, 200)),
  /** How long a start waits for the database. */
  databaseWaitMs: setting('SIGNET_DATABASE_WAIT', minuteMs, duration(0)),
  operatorKey: secret('SIGNET_OPERATOR_KEY', operatorKey),
  /** Whose members are the operator too. */
  operatorGroup: {
    organizationId: optional('SIGNET_OPERATOR_ORGANIZATION', uuid),
    groupName: optional('SIGNET_OPERATOR_GROUP', groupName),
  },
  masterKeys: secret('SIGNET_MASTER_KEY', masterKeyList),
  /** For `signet move` only. */
  movePassphrase: commandSecret('SIGNET_MOVE_PASSPHRASE', passphrase),
  region: setting('SIGNET_REGION', 'local', regionName),
  regions: setting('SIGNET_REGIONS', [], regionNames),
  roles: setting('SIGNET_ROLES', { api: true, worker: true }, roles),
  retry: {
    initialMs: setting('SIGNET_RETRY_INITIAL', minuteMs, duration(1)),
    maxMs: setting('SIGNET_RETRY_MAX', 10 * minuteMs, duration(1)),
    windowMs: setting('SIGNET_RETRY_WINDOW', 30 * minuteMs, duration(1)),
  },
  concurrency: {
    perWebhook: setting('SIGNET_MAX_CONCURRENCY_PER_WEBHOOK', 10, integer(1, 1_000)),
    perOrganization: setting('SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION', 128, integer(1, 10_000)),
    total: setting('SIGNET_MAX_CONCURRENCY', 512, integer(1, 10_000)),
  },
  hookConcurrency: setting('SIGNET_HOOK_MAX_CONCURRENCY', 512, integer(1, 10_000)),
  pauseAfterMs: setting('SIGNET_PAUSE_AFTER', 5 * dayMs, duration(minuteMs)),
  resolve: setting('SIGNET_WEBHOOK_RESOLVE', new Map(), resolveOverrides),
  allowCidrs: setting('SIGNET_WEBHOOK_ALLOW_CIDRS', [], cidrs),
  /** Ports that targets may have; undefined: all. */
  allowPorts: optional('SIGNET_WEBHOOK_PORTS', ports),
  trustedProxies: setting('SIGNET_TRUSTED_PROXIES', [], proxies),
  connections: {
    total: setting('SIGNET_CONNECTIONS', 8_000, integer(1, 1_000_000)),
    perAddress: setting('SIGNET_CONNECTIONS_PER_ADDRESS', 2_000, integer(1, 1_000_000)),
  },
  eventStreams: {
    total: setting('SIGNET_EVENT_STREAMS', 2_000, integer(1, 1_000_000)),
    perKey: setting('SIGNET_EVENT_STREAMS_PER_KEY', 100, integer(1, 1_000_000)),
  },
  listeners: {
    total: setting('SIGNET_LISTENERS', 200, integer(1, 1_000_000)),
    perKey: setting('SIGNET_LISTENERS_PER_KEY', 20, integer(1, 1_000_000)),
  },
  sendTimeoutMs: setting('SIGNET_SEND_TIMEOUT', minuteMs, duration(1_000)),
  /** How long `/readyz` announces a stop before the service takes no more connections. */
  drainMs: setting('SIGNET_DRAIN', 0, duration(0)),
  /** How long events and finished deliveries are kept. */
  retentionMs: setting('SIGNET_RETENTION', 30 * dayMs, duration(dayMs)),
  /** How long entries of the audit log are kept. */
  auditRetentionMs: setting('SIGNET_AUDIT_RETENTION', 400 * dayMs, duration(dayMs)),
  keyLeadMs: setting('SIGNET_KEY_LEAD', dayMs, duration(0)),
  keyRotationMs: setting('SIGNET_KEY_ROTATION', 90 * dayMs, duration(hourMs)),
  providers: setting('SIGNET_PROVIDERS', {}, jsonFile(parseProviderOverrides)),
  tiers: setting('SIGNET_TIERS', builtInTiers, jsonFile(parseTiers)),
  rates: {
    keySet: setting('SIGNET_RATE_KEY_SET', { perMinute: 30, burst: 60 }, rate),
    testEvents: setting('SIGNET_RATE_TEST_EVENTS', { perMinute: 10, burst: 50 }, rate),
    signIn: setting('SIGNET_RATE_SIGN_IN', { perMinute: 6_000, burst: 6_000 }, rate),
    token: setting('SIGNET_RATE_TOKEN', { perMinute: 60_000, burst: 60_000 }, rate),
    dryRuns: setting('SIGNET_RATE_DRY_RUNS', { perMinute: 30, burst: 60 }, rate),
    pageEvents: setting('SIGNET_RATE_PAGE_EVENTS', { perMinute: 120, burst: 120 }, rate),
    scim: setting('SIGNET_RATE_SCIM', { perMinute: 3_000, burst: 200 }, rate),
    public: setting('SIGNET_RATE_PUBLIC', { perMinute: 600, burst: 600 }, rate),
  },
  /** How long what an issuer gives out is valid. */
  lifetimes: {
    codeMs: setting('SIGNET_CODE_LIFETIME', minuteMs, duration(1_000)),
    idTokenMs: setting('SIGNET_ID_TOKEN_LIFETIME', hourMs, duration(1_000)),
    accessTokenMs: setting('SIGNET_ACCESS_TOKEN_LIFETIME', hourMs, duration(1_000)),
    refreshIdleMs: setting('SIGNET_REFRESH_TOKEN_IDLE', 30 * dayMs, duration(1_000)),
    refreshMs: setting('SIGNET_REFRESH_TOKEN_LIFETIME', 90 * dayMs, duration(1_000)),
    sessionMs: setting('SIGNET_SESSION_LIFETIME', 14 * dayMs, duration(1_000)),
    flowMs: setting('SIGNET_FLOW_LIFETIME', 15 * minuteMs, duration(1_000)),
  } satisfies Record<keyof Lifetimes, Setting<number>>,
  logLevel: inFileToo(setting('SIGNET_LOG_LEVEL', 'info', logLevel)),
  /** One line for each request. */
  isAccessLogged: setting('SIGNET_ACCESS_LOG', false, onOrOff),
  /**
   * OpenTelemetry's own settings. Its exporters read the others of `OTEL_EXPORTER_OTLP_` themselves (headers, certificates, timeout,
   * compression), and its resource `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES`.
   */
  telemetry: {
    isDisabled: setting('OTEL_SDK_DISABLED', false, trueOrFalse),
    endpoint: optional('OTEL_EXPORTER_OTLP_ENDPOINT', httpAddress),
    tracesEndpoint: optional('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', httpAddress),
    logsEndpoint: optional('OTEL_EXPORTER_OTLP_LOGS_ENDPOINT', httpAddress),
    protocol: setting('OTEL_EXPORTER_OTLP_PROTOCOL', 'http/protobuf', oneOf('http/protobuf')),
    tracesExporter: optional('OTEL_TRACES_EXPORTER', exporter),
    logsExporter: optional('OTEL_LOGS_EXPORTER', exporter),
    sampler: setting('OTEL_TRACES_SAMPLER', 'parentbased_always_on', oneOf(...samplers)),
    samplerRatio: setting('OTEL_TRACES_SAMPLER_ARG', 1, share),
  },
}

type Values<Table> = { [Key in keyof Table]: Table[Key] extends Setting<infer Value> ? Value : Values<Table[Key]> }
type SettingValues = Values<typeof settings>

export type Config = Omit<SettingValues, 'baseUrl' | 'regions' | 'telemetry' | 'operatorGroup'> & {
  baseUrl: string
  /** Undefined: only who has the operator's key is the operator. */
  operatorGroup: OperatorGroup | undefined
  /** Where `databaseUrl` stands, unless in the environment. */
  databaseUrlFile: string | undefined
  /** `baseUrl` is the default for a loopback host: then another port is only a warning. */
  baseUrlIsDefault: boolean
  /** `traces`, `logs`: whether they are exported. */
  telemetry: { traces: boolean; logs: boolean } & Pick<SettingValues['telemetry'], 'sampler' | 'samplerRatio'>
  /** The regions that `all_regions` waits for besides this one. */
  otherRegions: string[]
  /** Whether systemd's journal keeps what goes to standard output. */
  isJournaled: boolean
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

/** The one reader of the environment (the process's own by default). Throws a `ConfigError` with all that is wrong. */
export function readConfig(environment: Environment = process.env): Config {
  const problems = unknownSettings(environment)
  const values = readTable(settings, (each) => readSetting(each, environment, problems))
  const { regions, telemetry, operatorGroup, ...others } = values
  problems.push(...conflicts(values, environment))
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    ...others,
    baseUrl: values.baseUrl ?? new URL(`http://localhost:${values.port}`).origin,
    baseUrlIsDefault: values.baseUrl === undefined,
    databaseUrlFile: environment.DATABASE_URL ? undefined : environment.DATABASE_URL_FILE,
    operatorGroup: wholeOf(operatorGroup),
    otherRegions: regions.filter((name) => name !== values.region),
    dataDir: resolve(values.dataDir),
    telemetry: exportedOf(telemetry),
    isJournaled: isJournaled(environment),
  }
}

/** What can change while the service runs. */
export type Reloadable = Pick<SettingValues, 'databaseUrl' | 'operatorKey' | 'masterKeys' | 'tiers' | 'logLevel'>

/** Each by itself: one that has become wrong keeps none of the others from being read. */
export function rereadSettings(environment: Environment = process.env) {
  const { databaseUrl, operatorKey, masterKeys, tiers, logLevel } = settings
  const reread = <Value>(each: Setting<Value>): { name: string; value: Value } | { problem: string } => {
    const problems: string[] = []
    const value = readSetting(each, environment, problems)
    return problems[0] === undefined ? { name: each.name, value } : { problem: problems[0] }
  }
  return {
    databaseUrl: reread(databaseUrl),
    operatorKey: reread(operatorKey),
    masterKeys: reread(masterKeys),
    tiers: reread(tiers),
    logLevel: reread(logLevel),
  }
}

export function requireMasterKeys({ masterKeys }: Config): NonNullable<Config['masterKeys']> {
  if (!masterKeys) throw new Error('SIGNET_MASTER_KEY: is required')
  return masterKeys
}

function readTable<Table extends object>(table: Table, read: (setting: Setting<unknown>) => unknown): Values<Table> {
  const values = Object.entries(table).map(([key, entry]) => [
    key,
    isSetting(entry) ? read(entry) : readTable(entry, read),
  ])
  return Object.fromEntries(values)
}

const isSetting = (entry: object): entry is Setting<unknown> => 'parse' in entry

/** Empty counts as absent, as in most shells and compose files. */
function readSetting<Value>(
  { name, mayBeInFile, standard, parse }: Setting<Value>,
  environment: Environment,
  problems: string[],
): Value {
  const input = environment[name] || (mayBeInFile && readFileOf(environment[`${name}_FILE`], `${name}_FILE`, problems))
  if (!input) return standard
  const parsed = parse(input)
  if ('value' in parsed) return parsed.value
  problems.push(`${name}: ${parsed.problem}`)
  return standard
}

const wholeOf = ({ organizationId, groupName }: SettingValues['operatorGroup']): OperatorGroup | undefined =>
  organizationId && groupName ? { organizationId, groupName } : undefined

/** Traces go where an address is set, unless they are turned off; lines of the log only where they are asked for by name. */
function exportedOf(settings: SettingValues['telemetry']): Config['telemetry'] {
  const { isDisabled, tracesExporter, logsExporter, sampler, samplerRatio } = settings
  const hasAddress = (settings.endpoint ?? settings.tracesEndpoint) !== undefined
  const traces = tracesExporter === 'otlp' || (tracesExporter === undefined && hasAddress)
  return { traces: traces && !isDisabled, logs: logsExporter === 'otlp' && !isDisabled, sampler, samplerRatio }
}

/** Settings that do not fit each other. */
function conflicts(values: SettingValues, environment: Environment): string[] {
  const { port, metricsPort, region, regions, retry, operatorGroup } = values
  const isGiven = (name: string) => Boolean(environment[name] || environment[`${name}_FILE`])
  const hasServer = isGiven('DATABASE_URL')
  const required = hasServer ? ['SIGNET_BASE_URL', 'SIGNET_MASTER_KEY'].filter((name) => !isGiven(name)) : []
  const isForeign = regions.length > 0 && !regions.includes(region)
  return [
    ...(isForeign ? [`SIGNET_REGIONS: must contain this region, ${region}`] : []),
    ...(!isForeign && regions.length > 1 && !hasServer
      ? ['SIGNET_REGIONS: more than one region needs DATABASE_URL']
      : []),
    ...required.map((name) => `${name}: is required with DATABASE_URL`),
    ...(operatorGroup.organizationId && !isGiven('SIGNET_OPERATOR_GROUP')
      ? ['SIGNET_OPERATOR_GROUP: is required with SIGNET_OPERATOR_ORGANIZATION']
      : []),
    ...(operatorGroup.groupName && !isGiven('SIGNET_OPERATOR_ORGANIZATION')
      ? ['SIGNET_OPERATOR_ORGANIZATION: is required with SIGNET_OPERATOR_GROUP']
      : []),
    ...(metricsPort === port ? ['SIGNET_METRICS_PORT: must be another one than PORT'] : []),
    ...(retry.maxMs < retry.initialMs ? ['SIGNET_RETRY_MAX: must be at least SIGNET_RETRY_INITIAL'] : []),
  ]
}

const flatten = (table: object): Setting<unknown>[] =>
  Object.values(table).flatMap((entry) => (isSetting(entry) ? [entry] : flatten(entry)))

/** In the order of the table. */
export const allSettings: readonly Setting<unknown>[] = flatten(settings)

const namesOf = (isMeant: (setting: Setting<unknown>) => boolean) => allSettings.filter(isMeant).map(({ name }) => name)

/** The names of all settings, as read; `inFiles` also as `<NAME>_FILE`, `serviceSecrets`: those that the service reads. */
export const settingNames = {
  plain: namesOf(({ isSecret }) => !isSecret),
  secrets: namesOf(({ isSecret }) => isSecret),
  serviceSecrets: namesOf(({ isSecret, ofCommand }) => isSecret && !ofCommand),
  inFiles: namesOf(({ mayBeInFile }) => mayBeInFile === true),
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
const clientSettings = ['SIGNET_URL', 'SIGNET_ORGANIZATION_ID', 'SIGNET_API_KEY', 'SIGNET_API_KEY_FILE']

const copyTo = 'give the address, or a file with it, to signet copy --to'
/** Settings that there were, and what is in their place. */
const former = new Map([
  ['SIGNET_COPY_TO', copyTo],
  ['SIGNET_COPY_TO_FILE', copyTo],
  [
    'SIGNET_HOOK_MAX_CONCURRENCY_PER_ORGANIZATION',
    'remove it; an organization has an eighth of SIGNET_HOOK_MAX_CONCURRENCY',
  ],
  ['SIGNET_EVENT_STREAMS_PER_ORGANIZATION', 'remove it; an organization has a quarter of SIGNET_EVENT_STREAMS'],
  ['SIGNET_LISTENERS_PER_ORGANIZATION', 'remove it; an organization has a quarter of SIGNET_LISTENERS'],
])

/** A misspelt setting would otherwise be a setting that silently does nothing. */
function unknownSettings(environment: Environment): string[] {
  const hasServiceLinks = environment.SIGNET_SERVICE_HOST !== undefined
  const { plain, secrets, inFiles } = settingNames
  const known = new Set([...plain, ...secrets, ...inFiles.map((name) => `${name}_FILE`), ...clientSettings])
  return Object.keys(environment)
    .filter((name) => name.startsWith('SIGNET_') && !known.has(name) && !(hasServiceLinks && serviceLink.test(name)))
    .map((name) => `${name}: is not a known setting${hintOf(name, known)}`)
}

/** All have it, so that it says nothing of how near two are. */
const prefix = 'SIGNET_'

function hintOf(name: string, known: Set<string>): string {
  const instead = former.get(name)
  if (instead) return ` any more; ${instead}`
  const ours = [...known].filter((each) => each.startsWith(prefix)).map((each) => each.slice(prefix.length))
  const meant = nearest(name.slice(prefix.length), ours)
  return meant === undefined ? '' : `; did you mean ${prefix}${meant}?`
}

function readFileOf(path: string | undefined, name: string, problems: string[]): string | undefined {
  if (!path) return undefined
  try {
    const text = readFileSync(path, 'utf8').trim()
    if (!text) problems.push(`${name}: is an empty file`)
    return text
  } catch (error) {
    problems.push(`${name}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
    return undefined
  }
}
