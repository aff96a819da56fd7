import pg from 'pg'
import { expect, type TestContext, vi } from 'vitest'
import { type Connection, testDatabase } from '../../support/database.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { type Organization, type Signet, type SignetOptions, startSignet } from '../../support/signet.ts'
import { type Counts, expectInvariants, type Rules } from './invariants.ts'
import { patience } from './suite.ts'

/** In the proportions of the standard 1, 10 and 30 minutes: attempts after 0, 1, 3, 7, 15 and 25 times the first. */
export const retry = { initialMs: 300, maxMs: 3_000, windowMs: 9_000 }
export const limits = { perWebhook: 4, perOrganization: 10, total: 16 }

const settings = {
  SIGNET_BASE_URL: 'http://signet.localhost',
  SIGNET_RETRY_INITIAL: `${retry.initialMs}ms`,
  SIGNET_RETRY_MAX: `${retry.maxMs}ms`,
  SIGNET_RETRY_WINDOW: `${retry.windowMs}ms`,
  SIGNET_MAX_CONCURRENCY_PER_WEBHOOK: `${limits.perWebhook}`,
  SIGNET_MAX_CONCURRENCY_PER_ORGANIZATION: `${limits.perOrganization}`,
  SIGNET_MAX_CONCURRENCY: `${limits.total}`,
  SIGNET_RATE_TEST_EVENTS: '100000/100000',
  SIGNET_LOG_LEVEL: 'error',
}

/** By lane, with what says why it waits. */
const leftOver = `
  select count(*)::int, count(*) filter (where d.is_leased)::int as in_flight, min(available_at) as first_due, now(), to_jsonb(l) as lane
    from deliveries d left join lanes l using (org_id, webhook_id) group by to_jsonb(l)`

/** Claimed on publish, and neither in the log nor in the queue. */
const unqueued = 'select claimed_by, count(*)::int as unqueued from unqueued_deliveries group by claimed_by'

/** A call that waits for a connection that is silent gives up. */
const answerSoon = { 'Service-Required-Consistency-Timeout': '5' }

type Start = Partial<Pick<SignetOptions, 'env' | 'program' | 'nodeOptions' | 'readyPath'>> & { databaseUrl?: string }

/** What a scenario plays on: a database and a receiver of its own, and processes of the service that come and go. */
export type Scene = {
  database: Connection & { url: string }
  receiver: Receiver
  /** Ids of the events whose publishing was answered with success. */
  acknowledged: string[]
  start(options?: Start): Promise<Signet>
  /** Gives the answer's status; undefined when there was none. */
  publish(signet: Signet, organization: Organization, eventName: string, count: number): Promise<number | undefined>
  query<Row>(text: string, values?: unknown[]): Promise<Row[]>
  /**
   * Ends the leases of all that is in flight, as if their 25 s were over, and of the workers that run now as if nobody had heard of
   * them for as long: another worker takes it back at its start or a sweep. Gives what is in flight as `<webhook> <event>`.
   */
  endLeases(): Promise<string[]>
  /** Waits until nothing is left to deliver. */
  untilDelivered(): Promise<void>
  /** Holds all that happened against the rules that hold whatever happens. */
  check(rules?: Partial<Rules>): Promise<Counts>
}

export async function setScene(context: TestContext, receiving?: Promise<Receiver>): Promise<Scene> {
  const database = await testDatabase()
  context.onTestFinished(() => database.drop())
  const receiver = await (receiving ?? startReceiver())
  context.onTestFinished(() => receiver.stop())
  const pool = new pg.Pool({ ...database, max: 2 })
  pool.on('error', () => {})
  context.onTestFinished(() => pool.end())
  const query = async <Row>(text: string, values: unknown[] = []) => (await pool.query(text, values)).rows as Row[]
  const acknowledged: string[] = []
  const leasesEnded = new Set<string>()
  return {
    database,
    receiver,
    acknowledged,
    query,
    start: async ({ env, databaseUrl = database.url, ...how } = {}) => {
      const signet = await startSignet({ databaseUrl, receiver, ...how, env: { ...settings, ...env } })
      context.onTestFinished(() => signet.kill())
      context.onTestFailed(() => console.log(signet.output()))
      return signet
    },
    publish: async (signet, organization, eventName, count) => {
      const events = Array.from({ length: count }, () => ({ event_name: eventName }))
      const answer = await signet.as(organization, 'POST', '/test-events', events, answerSoon).catch(() => undefined)
      if (answer?.status === 201) for (const event of answer.body.result) acknowledged.push(event.event_id)
      return answer?.status
    },
    endLeases: async () => {
      const ended = await query<{ delivery: string }>(`
        with leased as (
          update deliveries set available_at = now() where is_leased returning webhook_id, event_id
        ), silent as (
          update unqueued_since set seen_at = now() - interval '26 seconds'
        )
        select webhook_id || ' ' || event_id as delivery
          from (select * from leased union all select webhook_id, event_id from unqueued_deliveries) d`)
      const keys = ended.map(({ delivery }) => delivery)
      for (const key of keys) leasesEnded.add(key)
      return keys
    },
    untilDelivered: () =>
      vi.waitFor(async () => {
        expect(await query(unqueued)).toEqual([])
        expect(await query(leftOver)).toEqual([])
      }, patience),
    check: (rules) => {
      const received = receiver.all()
      return expectInvariants({ query, received, acknowledged }, { retry, limits, leasesEnded, ...rules })
    },
  }
}

/** So many publishers, each publishing again and again until stopped. */
export function keepPublishing(publishers: number, publish: () => Promise<unknown>): { stop(): Promise<void> } {
  let stopping = false
  const running = Array.from({ length: publishers }, async () => {
    while (!stopping) await publish()
  })
  return {
    stop: async () => {
      stopping = true
      await Promise.all(running)
    },
  }
}
