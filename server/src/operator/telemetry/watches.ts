import { setTimeout as wait } from 'node:timers/promises'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Backlog, FailingClaims, LongestWait } from '../../delivery/queue/index.ts'
import type { PoolCounts } from '../../ground/database/pool.ts'
import type { Lag } from '../installation/regions/index.ts'
import type { VacuumFigures } from './vacuum.ts'

/** How long a scrape waits for one reading: a database that does not answer delays the other metrics by at most this. */
const readingMs = 1_000

const alike = 'Every process reports the same value.'

/** Read at each request for the metrics. */
export type Watches = {
  watchDelivery(delivery: WatchedDelivery): void
  /** How many event streams are open. */
  watchStreams(streams: { count(): number }): void
  /** Connections by pool. */
  watchConnections(counts: Record<string, () => PoolCounts>): void
  watchFeed(findHolder: () => Promise<FeedHolder | undefined>): void
  /** `readRegions`: the other regions, and whether a standby of each follows the primary. */
  watchReplication(replication: { readLags(): Promise<Lag[]>; readRegions(): Promise<WatchedRegion[]> }): void
  /** What keeps PostgreSQL from removing dead rows, and how many there are. */
  watchVacuum(read: () => Promise<VacuumFigures>): void
  watchReadiness(isReady: () => Promise<boolean>): void
}

/** The transaction that holds readers of the feed back. */
type FeedHolder = { seconds: number; positionsBehind: number }

type WatchedRegion = { name: string; state: 'streaming' | 'missing' }

type WatchedDelivery = {
  /** Busy time of the sender thread since its start. */
  busyMs(): number
  countInFlight(): number
  claimsFailing(): FailingClaims | undefined
  longestWaits(): Promise<LongestWait[]>
  readBacklog(): Promise<Backlog>
}

export function createWatches(registry: Registry): Watches {
  const gauges = createGauges(registry)
  return {
    watchDelivery: (delivery) => watchDelivery(gauges, registry, delivery),
    watchStreams: ({ count }) =>
      gauges.gauge('signet_event_streams', 'Event streams that are open.', (each) => each.set(count())),
    watchConnections: (counts) => watchConnections(gauges, counts),
    watchFeed: (findHolder) => watchFeed(gauges, findHolder),
    watchReplication: ({ readLags, readRegions }) => {
      watchLags(gauges, readLags)
      watchRegions(gauges, readRegions)
    },
    watchVacuum: (read) => watchVacuum(gauges, read),
    watchReadiness: (isReady) =>
      gauges.gauge('signet_ready', 'Whether /readyz answers 200 within a second: 1, or 0.', async (each) =>
        each.set(Number((await inTime(isReady)) ?? false)),
      ),
  }
}

type Gauges = ReturnType<typeof createGauges>

function createGauges(registry: Registry) {
  const gauge = (name: string, help: string, collect: (gauge: Gauge) => unknown, labelNames: string[] = []): void =>
    void new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        await collect(this)
      },
    })

  /** A gauge without labels, of what the database says; absent while that does not answer. */
  const figure = <Read>(name: string, help: string, read: () => Promise<Read | null>, value: (read: Read) => number) =>
    gauge(name, `${help} Absent while the database is unavailable.`, async (each) => {
      const found = await read()
      if (found === null) each.remove()
      else each.set(value(found))
    })

  return { gauge, figure }
}

function watchDelivery(gauges: Gauges, registry: Registry, delivery: WatchedDelivery) {
  watchBacklog(gauges, delivery.readBacklog)
  watchWaits(gauges, delivery.longestWaits)
  gauges.gauge(
    'signet_deliveries_in_flight',
    'Deliveries that this process has claimed and not settled; a large one counts as several.',
    (each) => each.set(delivery.countInFlight()),
  )
  gauges.gauge(
    'signet_delivery_claims_failing_seconds',
    'How long no claim of deliveries of this process has succeeded, or could be made since its worker cannot register; 0: the last one did.',
    (each) => each.set((delivery.claimsFailing()?.forMs ?? 0) / 1000),
  )
  new Counter({
    name: 'signet_sender_busy_seconds_total',
    help: 'Time in which the sender thread, which sends the webhooks, was busy: at most one second each second.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(delivery.busyMs() / 1000)
    },
  })
}

function watchBacklog({ figure }: Gauges, readBacklog: WatchedDelivery['readBacklog']) {
  const read = shared(readBacklog)
  figure(
    'signet_deliveries_unfinished',
    `Deliveries in the queue, which wait or are in flight, counted up to 100,000. What was claimed on publish gets there only to be repeated. ${alike}`,
    read,
    (it) => it.unfinished,
  )
  figure(
    'signet_deliveries_retrying',
    `Deliveries that have failed and wait for their next attempt, among the first 100,000. ${alike}`,
    read,
    (it) => it.retrying,
  )
  figure(
    'signet_deliveries_due',
    `Deliveries that are due and that no worker has claimed, of webhooks that are not paused, among the first 100,000. ${alike}`,
    read,
    (it) => it.due,
  )
  figure(
    'signet_delivery_oldest_due_seconds',
    `How long the oldest due delivery has been due, of webhooks that are not paused, among the first 100,000. ${alike}`,
    read,
    (it) => it.oldestDueMs / 1000,
  )
}

function watchWaits({ gauge }: Gauges, longestWaits: WatchedDelivery['longestWaits']) {
  const read = shared(longestWaits)
  gauge(
    'signet_delivery_wait_seconds',
    `How long the webhook that has waited longest for a worker has been due, by receivers: healthy, degraded or failing. ${alike} Absent while the database is unavailable.`,
    async (each) => {
      each.reset()
      for (const { receivers, ms } of (await read()) ?? []) each.set({ receivers }, ms / 1000)
    },
    ['receivers'],
  )
}

const watchConnections = ({ gauge }: Gauges, counts: Record<string, () => PoolCounts>) =>
  gauge(
    'signet_database_pool_connections',
    'Connections for transactions, by pool (requests, delivery) and state: in_use, idle, or waiting (requests for a connection).',
    (each) => {
      for (const [pool, count] of Object.entries(counts)) {
        const { inUse, idle, waiting } = count()
        each.set({ pool, state: 'in_use' }, inUse)
        each.set({ pool, state: 'idle' }, idle)
        each.set({ pool, state: 'waiting' }, waiting)
      }
    },
    ['pool', 'state'],
  )

function watchFeed({ figure }: Gauges, findHolder: () => Promise<FeedHolder | undefined>) {
  const read = shared(findHolder)
  figure(
    'signet_feed_held_back_seconds',
    `Age of the transaction that has published, has not ended, and holds readers of the feed back. 0: none older than a second. ${alike}`,
    read,
    (holder) => holder?.seconds ?? 0,
  )
  figure(
    'signet_feed_positions_behind',
    `Positions drawn since that transaction began to hold readers back. ${alike}`,
    read,
    (holder) => holder?.positionsBehind ?? 0,
  )
}

function watchLags({ gauge }: Gauges, readLags: () => Promise<Lag[]>) {
  const read = shared(readLags)
  const lag = (name: string, help: string, value: (lag: Lag) => number | null) =>
    gauge(
      name,
      help,
      async (each) => {
        each.reset()
        for (const found of (await read()) ?? []) {
          const known = value(found)
          if (known !== null) each.set({ standby: found.standby }, known)
        }
      },
      ['standby'],
    )
  lag(
    'signet_replication_lag_seconds',
    `How long a standby took to replay a change, as PostgreSQL last measured it, by its application_name; of several with one name the worst. 0: it has replayed all. ${alike}`,
    ({ seconds }) => seconds,
  )
  lag(
    'signet_replication_lag_bytes',
    `How much of the log of the primary a standby has not replayed, by its application_name; of several with one name the worst. ${alike}`,
    ({ bytes }) => bytes,
  )
}

function watchRegions({ gauge }: Gauges, readRegions: () => Promise<WatchedRegion[]>) {
  const read = shared(readRegions)
  gauge(
    'signet_region_streaming',
    'Whether a standby of another region of SIGNET_REGIONS follows the primary: 1, or 0. Absent while the database is unavailable.',
    async (each) => {
      each.reset()
      for (const { name: region, state } of (await read()) ?? []) each.set({ region }, Number(state === 'streaming'))
    },
    ['region'],
  )
}

function watchVacuum({ figure, gauge }: Gauges, readFigures: () => Promise<VacuumFigures>) {
  const read = shared(readFigures)
  figure(
    'signet_database_oldest_snapshot_seconds',
    'How long something has kept dead rows from being removed: the age of the oldest transaction of this database that reads or writes, or prepared transaction; or how long this process has seen a standby or its slot hold the same one, or, without pg_monitor, a transaction of another role. Vacuum itself does not count. 0: nothing.',
    read,
    ({ oldestSnapshotSeconds }) => oldestSnapshotSeconds,
  )
  gauge(
    'signet_database_dead_rows',
    `Dead rows of the six tables that change most, as PostgreSQL estimates them. ${alike} Absent while the database is unavailable.`,
    async (each) => {
      each.reset()
      for (const [table, rows] of Object.entries((await read())?.deadRows ?? {})) each.set({ table }, rows)
    },
    ['table'],
  )
}

/** Null when it fails, or takes too long. */
const inTime = <Read>(read: () => Promise<Read>): Promise<Read | null> =>
  Promise.race([read(), wait(readingMs, null, { ref: false })]).catch(() => null)

/**
 * One reading for all who ask while it is under way, such as figures that are collected at once. It is kept even when they have
 * stopped waiting: otherwise each scrape of a slow database would leave a query of its own on the pool. Null as for `inTime`.
 */
function shared<Read>(read: () => Promise<Read>): () => Promise<Read | null> {
  let reading: Promise<Read> | undefined
  const readOnce = () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
  return () => inTime(readOnce)
}
