import pg from 'pg'
import { type Connection, connectTimeoutMs } from './connection.ts'
import { lastRowOf, serverHasNoTls } from './pg-private.ts'
import { codeOf, isFull, isReadOnly, isUnavailable, troubleOf } from './postgres-error.ts'
import { type Planning, settingsText } from './session-settings.ts'

/** Connections are replaced after this time, varied by a tenth so that not all are replaced at once. */
const lifetimeMs = 10 * 60_000
const lifetimeSpread = 0.1
/** While there are reads, a new connection checks this often whether the address still leads to the same server. */
const checkEveryMs = 5_000
/** Limit for the message with the session's settings. */
const setUpMs = 5_000

export type ConnectionSettings = {
  planning?: Planning
  /** 0: none. */
  statementTimeoutMs: number
}

export type PrimaryConfig = pg.ClientConfig & { settings: ConnectionSettings; pipeline?: boolean }

/**
 * Finds the server that takes writes. A process opens all its connections through one of these, so that none outlives a
 * switch of the primary: as soon as one connection reaches another server, or finds its server read-only, all earlier
 * connections are outdated.
 */
export type Primary = {
  /** Tries all candidates. Throws the most actionable of their errors. */
  connect(config: PrimaryConfig): Promise<pg.Client>
  /** For a pool, which opens its connections itself, one candidate each. */
  Client: new (
    config: PrimaryConfig,
  ) => pg.Client
  /** Per host. */
  connectTimeoutMs: number
  /** How many failed connections mean that all candidates were tried. */
  candidates: number
  isOutdated(client: pg.ClientBase): boolean
  /** The listener runs when all earlier connections have become outdated. */
  onSwitch(listener: () => void): void
  /** How many connections are open. */
  openCount(): number
  /** The listener runs when the server has refused a further connection. */
  onFull(listener: () => void): void
  /** Must be called with every error of a statement. */
  note(error: unknown): void
  /** Must be called with the reason when no connection can be opened. */
  notConnected(error: unknown): void
  /** Checks in the background, at most every five seconds, which server the address leads to. */
  checkAddressSoon(): void
}

type Server = { encoding: string; read_only: boolean; system: string; timeline: string | null }

/** `onUnavailable` is called with every error that means the database is unavailable. */
export function createPrimary(connection: Connection, onUnavailable: (error: unknown) => void = () => {}): Primary {
  const { candidates: all = [connection], ...common } = connection
  const candidates = createCandidates(all)
  const generations = createGenerations()
  const open = createOpenCount()
  const Client = createClient({ common, candidates, generations, open })

  const connect: Primary['connect'] = async (config) => {
    let failure: unknown
    for (let left = all.length; left > 0; left--) {
      try {
        return await new Client(config).connect()
      } catch (error) {
        failure = failure ? moreTelling(failure, error) : error
      }
    }
    onUnavailable(failure)
    throw failure
  }

  return {
    connect,
    Client,
    candidates: all.length,
    connectTimeoutMs: common.connectionTimeoutMillis ?? connectTimeoutMs,
    isOutdated: (client) => {
      const { generation, expiresAt } = client as InstanceType<typeof Client>
      return generation !== generations.current() || performance.now() > expiresAt
    },
    note: (error) => {
      if (isReadOnly(error)) generations.outdateAll()
      if (isUnavailable(error)) onUnavailable(error)
    },
    notConnected: onUnavailable,
    onSwitch: generations.onSwitch,
    openCount: open.count,
    onFull: open.onFull,
    checkAddressSoon: createAddressCheck(connect),
  }
}

/** Each server that took writes is a generation, to which the connections belong that were opened since. */
function createGenerations() {
  const listeners: (() => void)[] = []
  let current = 0
  let known: Server | undefined

  const outdateAll = () => {
    current++
    for (const listener of listeners) listener()
  }

  return {
    current: () => current,
    outdateAll,
    onSwitch: (listener: () => void) => listeners.push(listener),
    /** Another cluster or a later timeline is a new primary; an earlier timeline is a former one. */
    note(server: Server) {
      const isSameSystem = known?.system === server.system
      if (isSameSystem && (server.timeline ?? '') < (known?.timeline ?? ''))
        throw readOnly('a later primary has overtaken this one')
      if (known && (!isSameSystem || known.timeline !== server.timeline)) outdateAll()
      known = server
    },
  }
}

function createCandidates(candidates: pg.ClientConfig[]) {
  let current = 0

  /** As in libpq, the other TLS variant of a host is tried only when the first was refused because of TLS. */
  const afterFailure = (failed: number, error: unknown): number => {
    const next = (failed + 1) % candidates.length
    if (next <= failed || !isSameHost(candidates[next], candidates[failed]) || refusesVariant(error)) return next
    return (failed + 2) % candidates.length
  }

  return {
    current: () => current,
    configOf: (candidate: number) => candidates[candidate],
    failed(candidate: number, error: unknown) {
      if (candidate === current) current = afterFailure(candidate, error)
    },
    /** The next connection begins with the first TLS variant of this host again. */
    succeeded(candidate: number) {
      if (candidate === current) current = candidates.findIndex((one) => isSameHost(one, candidates[current]))
    },
  }
}

function createOpenCount() {
  const listeners: (() => void)[] = []
  let count = 0
  return {
    count: () => count,
    add: (client: pg.Client) => {
      count++
      client.once('end', () => count--)
    },
    onFull: (listener: () => void) => listeners.push(listener),
    full: () => {
      for (const listener of listeners) listener()
    },
  }
}

type ClientParts = {
  common: pg.ClientConfig
  candidates: ReturnType<typeof createCandidates>
  generations: ReturnType<typeof createGenerations>
  open: ReturnType<typeof createOpenCount>
}

/** Connects to the current candidate; a failure makes the next one current. */
const createClient = ({ common, candidates, generations, open }: ClientParts) =>
  class Client extends pg.Client {
    readonly candidate = candidates.current()
    readonly settings: ConnectionSettings
    generation = -1
    expiresAt = 0

    constructor({ settings, ...config }: PrimaryConfig) {
      super({ ...common, ...config, ...candidates.configOf(candidates.current()) })
      this.settings = settings
      // An error may arrive together with the end of the start-up, before the caller has a listener.
      this.on('error', () => {})
    }

    override connect(): Promise<pg.Client>
    override connect(callback: (error: Error | null) => void): void
    override connect(callback?: (error: Error | null) => void) {
      const opened = this.open()
      if (!callback) return opened
      void opened.then(() => callback(null), callback)
      return undefined
    }

    async open(): Promise<pg.Client> {
      try {
        await super.connect()
        generations.note(await setUp(this, this.settings))
      } catch (error) {
        candidates.failed(this.candidate, error)
        this.end().catch(() => {})
        if (isFull(error)) open.full()
        throw error
      }
      open.add(this)
      candidates.succeeded(this.candidate)
      const jitter = 1 + lifetimeSpread * (2 * Math.random() - 1)
      this.expiresAt = performance.now() + lifetimeMs * jitter
      this.generation = generations.current()
      return this
    }
  }

function createAddressCheck(connect: Primary['connect']) {
  let checkedAt = Number.NEGATIVE_INFINITY
  const check = async () => {
    const client = await connect({ settings: { statementTimeoutMs: setUpMs } })
    await client.end()
  }
  return () => {
    if (performance.now() - checkedAt < checkEveryMs) return
    checkedAt = performance.now()
    check().catch(() => {})
  }
}

const isSameHost = (one: Connection | undefined, other: Connection | undefined) =>
  one?.host === other?.host && one?.port === other?.port

/** The server has no TLS; or pg_hba.conf has no entry without TLS. */
const refusesVariant = (error: unknown) => codeOf(error) === '28000' || serverHasNoTls(error)

/** Of several errors the most actionable one: a refusal before a server that is merely unreachable. */
function moreTelling(one: unknown, other: unknown): unknown {
  const rankOf = (error: unknown) => ['unreachable', 'read_only', 'full'].indexOf(troubleOf(error).code)
  const [first, second] = [rankOf(one), rankOf(other)]
  if (first === -1) return one
  return second === -1 || second > first ? other : one
}

/** The error that PostgreSQL itself would raise at the first write. */
const readOnly = (message: string) => Object.assign(new Error(message), { code: '25006' })

/** Throws when the database cannot be used. */
async function setUp(
  client: pg.Client,
  { planning = 'work', statementTimeoutMs }: ConnectionSettings,
): Promise<Server> {
  const server = await lastRowOf<Server>(
    client,
    `${settingsText(planning, statementTimeoutMs)};
      select current_setting('server_encoding') as encoding,
             pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as read_only,
             (select system_identifier::text from pg_control_system()) as system,
             case when not pg_is_in_recovery() then left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline`,
    setUpMs,
  )
  if (server.encoding !== 'UTF8') throw new Error(`database: its encoding is ${server.encoding}, and must be UTF8`)
  if (server.read_only) throw readOnly('the server takes no writes')
  return server
}
