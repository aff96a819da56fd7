// A part of `npm run bench -- soak`, in a process of its own: what the mix of operations writes, by plain SQL behind Fastify as it comes, and
// a plain sender. No checks, limits, leases or retries: a delivery that fails is counted, and lost. Asked for anything, it says its port.
import { createHash, randomUUID } from 'node:crypto'
import fastify from 'fastify'
import pg from 'pg'
import { makeJob } from '../support/acceptor.ts'
import { benchEvent, type Job, openSender, type Receiving } from '../support/sender.ts'
import { createTurnstile } from '../support/turnstile.ts'

export type BareMixSettings = {
  connectionString: string
  receiving: Receiving
  organizationId: string
  apiKey: string
  webhooks: string[]
}

const { connectionString, receiving, organizationId, apiKey, webhooks }: BareMixSettings = JSON.parse(
  process.argv[2] ?? '',
)
const pool = new pg.Pool({ connectionString, max: 10 })
const send = openSender(receiving)
const atOnce = createTurnstile(48)
const app = fastify()

const hashOf = (key: unknown) => createHash('sha256').update(`${key}`).digest('hex')

await pool.query(`
  create table keys (org_id uuid, hash text, primary key (org_id, hash));
  create table persons (org_id uuid, id uuid, created_at timestamptz default now(), primary key (org_id, id));
  create table memberships (org_id uuid, person_id uuid, group_name text, primary key (org_id, person_id, group_name));
  create table events (place bigserial primary key, org_id uuid, id uuid, payload text);
  create table deliveries (org_id uuid, webhook_id int, event_id uuid, status text, finished_at timestamptz,
                           primary key (org_id, webhook_id, event_id)) with (fillfactor = 85);
  create table audit (place bigserial primary key, org_id uuid, at timestamptz default now(), action text, target uuid, after json);
  insert into keys values ('${organizationId}', '${hashOf(apiKey)}')`)

const named = (text: string, values: unknown[]) => ({ name: hashOf(text).slice(0, 24), text, values })

/** With its deliveries where webhooks want it; gives what is to be sent. */
async function storeEvent(client: pg.PoolClient, isDelivered: boolean): Promise<Job[]> {
  const job = makeJob(organizationId, '', benchEvent)
  await client.query(
    named('insert into events (org_id, id, payload) values ($1, $2, $3)', [organizationId, job.eventId, job.payload]),
  )
  if (!isDelivered) return []
  await client.query(
    named(`insert into deliveries select $1, n, $2, 'pending' from generate_series(0, $3::int - 1) n`, [
      organizationId,
      job.eventId,
      webhooks.length,
    ]),
  )
  return webhooks.map((targetUrl) => ({ ...job, targetUrl }))
}

const audit = (client: pg.PoolClient, action: string, target: string, after: unknown) =>
  client.query(
    named('insert into audit (org_id, action, target, after) values ($1, $2, $3, $4)', [
      organizationId,
      action,
      target,
      JSON.stringify(after),
    ]),
  )

async function deliver(job: Job) {
  const status = await send(job).then(
    () => 'succeeded',
    () => 'failed',
  )
  await pool.query(
    named(
      'update deliveries set status = $4, finished_at = now() where org_id = $1 and webhook_id = $2 and event_id = $3',
      [organizationId, webhooks.indexOf(job.targetUrl), job.eventId, status],
    ),
  )
}

/** What it gives is sent once it is committed. */
async function transact(work: (client: pg.PoolClient) => Promise<Job[]>) {
  const client = await pool.connect()
  try {
    await client.query('begin')
    const jobs = await work(client)
    await client.query('commit')
    for (const job of jobs) void atOnce(() => deliver(job))
  } finally {
    client.release()
  }
}

// The load says so of requests without a body, too.
app.addContentTypeParser('application/json', { parseAs: 'string' }, async (_: unknown, body: string) =>
  body === '' ? undefined : JSON.parse(body),
)

app.addHook('onRequest', async ({ headers }) => {
  const { rowCount } = await pool.query(
    named('select from keys where org_id = $1 and hash = $2', [
      headers['service-orgid'],
      hashOf(headers['service-api-key']),
    ]),
  )
  if (rowCount !== 1) throw new Error('the key is not valid')
})

app.post('/persons', async (_, reply) => {
  const person_id = randomUUID()
  await transact(async (client) => {
    await client.query(named('insert into persons (org_id, id) values ($1, $2)', [organizationId, person_id]))
    await audit(client, 'createPerson', person_id, { active: true })
    return storeEvent(client, true)
  })
  reply.code(201)
  return { result: { person_id } }
})

type ById = { Params: { id: string } }

app.delete<ById>('/persons/:id', async ({ params: { id } }, reply) => {
  await transact(async (client) => {
    await client.query(named('delete from memberships where org_id = $1 and person_id = $2', [organizationId, id]))
    await client.query(named('delete from persons where org_id = $1 and id = $2', [organizationId, id]))
    await audit(client, 'deletePerson', id, null)
    return storeEvent(client, false)
  })
  return reply.code(204).send()
})

app.get<ById>('/persons/:id', async ({ params: { id } }) => {
  const { rows } = await pool.query(
    named(
      `select p.*, array(select group_name from memberships m where m.org_id = p.org_id and m.person_id = p.id) as groups
         from persons p where org_id = $1 and id = $2`,
      [organizationId, id],
    ),
  )
  return { result: rows[0] }
})

app.get('/persons', async () => {
  const { rows } = await pool.query(
    named('select * from persons where org_id = $1 order by id limit 20', [organizationId]),
  )
  return { result: rows }
})

app.put<ById & { Body: { groups: string[] } }>('/persons/:id/groups', async ({ params: { id }, body: { groups } }) => {
  await transact(async (client) => {
    await client.query(
      named('delete from memberships where org_id = $1 and person_id = $2 and group_name <> all($3)', [
        organizationId,
        id,
        groups,
      ]),
    )
    await client.query(
      named('insert into memberships select $1, $2, name from unnest($3::text[]) name on conflict do nothing', [
        organizationId,
        id,
        groups,
      ]),
    )
    await audit(client, 'setPersonGroups', id, { groups })
    return storeEvent(client, false)
  })
  return { result: groups }
})

app.post<{ Body: unknown[] }>('/test-events', async ({ body }, reply) => {
  await transact(async (client) => {
    const jobs = []
    for (const _ of body) jobs.push(...(await storeEvent(client, true)))
    return jobs
  })
  reply.code(201)
  return { result: [] }
})

app.get<{ Querystring: { after?: string } }>('/events', async ({ query: { after = '0' } }) => {
  const { rows } = await pool.query<{ place: string }>(
    named('select place, id, payload from events where place > $1 order by place limit 100', [after]),
  )
  return { result: rows, next: rows.at(-1)?.place ?? after }
})

process.on('disconnect', () => process.exit())
process.on('message', async () => {
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.((app.server.address() as { port: number }).port)
})
