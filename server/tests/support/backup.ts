import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { findEmbeddedPostgres } from '../../src/ground/database/embedded/index.ts'
import { type Life, type Program, repository, run } from './program.ts'
import type { Organization, Signet } from './signet.ts'

/** `signet` with these arguments, on this data folder; `prefix` is a command that starts it. */
export const signetCommand = (
  life: Life,
  dataDir: string,
  args: string[],
  { prefix = [], env = {} }: { prefix?: string[]; env?: Record<string, string> } = {},
): Program =>
  run(life, [...prefix, process.execPath, join(repository, 'server/src/signet.ts'), ...args], {
    SIGNET_DATA_DIR: dataDir,
    ...env,
  })

/** The lines of `--json`. */
export const linesOf = ({ output }: Program): Record<string, unknown>[] =>
  output()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))

export const newFolderIn = (folder: string) => mkdtempSync(join(folder, 'folder-'))

/** Asks the PostgreSQL that runs on that data folder. */
export async function query<Row extends pg.QueryResultRow>(dataDir: string, text: string, ...values: unknown[]) {
  const client = new pg.Client(findEmbeddedPostgres(join(dataDir, 'postgres')))
  await client.connect()
  return (await client.query<Row>(text, values).finally(() => client.end())).rows
}

/** What was acknowledged: ids. */
type Acknowledged = { events: string[]; persons: string[] }

export type Load = {
  soFar(): Acknowledged
  /** Waits until so many events were acknowledged. */
  reaches(events: number): Promise<void>
  stop(): Promise<void>
}

const eventsAtOnce = 50
/** With `eventsAtOnce`, 1,000 events a second. */
const burstEveryMs = 50

/** Publishes 1,000 events a second, or as many as the machine lets it, and makes persons one after the other. */
export function startLoad(signet: Signet, organization: Organization): Load {
  const acknowledged: Acknowledged = { events: [], persons: [] }
  let isStopped = false
  const bursts = new Set<Promise<void>>()
  const burst = Array.from({ length: eventsAtOnce }, () => ({ event_name: 'PersonCreated' }))
  const publish = async () => {
    const { status, body } = await signet.as(organization, 'POST', '/test-events', burst)
    if (status === 201) acknowledged.events.push(...body.result.map((event: { event_id: string }) => event.event_id))
  }
  const create = async () => {
    const { status, body } = await signet.as(organization, 'POST', '/persons', {})
    if (status === 201) acknowledged.persons.push(body.result.person_id)
  }
  const timer = setInterval(() => {
    const running = publish().finally(() => bursts.delete(running))
    bursts.add(running)
  }, burstEveryMs)
  const creating = (async () => {
    while (!isStopped) await create()
  })()
  return {
    soFar: () => ({ events: [...acknowledged.events], persons: [...acknowledged.persons] }),
    reaches: async (events) => {
      while (acknowledged.events.length < events) await wait(burstEveryMs)
    },
    stop: async () => {
      clearInterval(timer)
      isStopped = true
      await Promise.all([...bursts, creating])
    },
  }
}
