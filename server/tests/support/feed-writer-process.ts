// Publishes on many connections, in transactions that it holds open, rolls back in part or ends with a rollback. Prints a line for
// each event that is committed.
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { insertEvents } from '../../src/delivery/events/index.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'

type Task = { connection: pg.ClientConfig; organizationId: string; name: string; writers: number; ms: number }

const { connection, organizationId, name, writers, ms }: Task = JSON.parse(process.argv[2] ?? '')
const until = performance.now() + ms
const isOneIn = (count: number) => Math.random() * count < 1

async function publish(client: pg.Client, labels: string[]) {
  const events = labels.map((label) => ({
    id: makeId(Date.now()),
    name: 'PersonCreated_v1' as const,
    payload: JSON.stringify(label),
  }))
  const { text, values } = sql`with ${insertEvents(organizationId, events)} select from published`
  await client.query(text, values)
}

async function holdOpen() {
  if (isOneIn(20)) return wait(Math.random() * 2_500)
  return wait(Math.random() * (isOneIn(3) ? 100 : 20))
}

async function write(writer: number) {
  const client = new pg.Client(connection)
  await client.connect()
  for (let turn = 0; performance.now() < until; turn++) {
    const labels = Array.from({ length: isOneIn(5) ? 50 : 1 }, (_, index) => `${name}.${writer}.${turn}.${index}`)
    await client.query('begin')
    if (isOneIn(3)) await client.query('select pg_current_xact_id()')
    if (isOneIn(5)) {
      await client.query('savepoint s')
      await publish(client, [`${name}.${writer}.${turn}.rolled-back`])
      await client.query('rollback to s')
    }
    await publish(client, labels)
    await holdOpen()
    if (isOneIn(10)) await client.query('rollback')
    else {
      await client.query('commit')
      console.log(labels.join('\n'))
    }
  }
  await client.end()
}

await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
