import { afterAll, beforeAll, expect, test } from 'vitest'
import { allIds, type Search, searchDeliveries } from '../../src/delivery/log/delivery-search-store.ts'
import { dayMs } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { type Queue, testQueue } from '../support/queue.ts'

/** More than a page has rows. None of them is there any more. */
const deletedCount = 40
/** Of one organization; one in three is of a single webhook, which is busier than all others. */
const finishedCount = 1_500

type Row = { event_id: string; webhook_id: string; status: string; trigger_name: string; status_code: number | null }

let queue: Queue
let rows: Row[]

const run = <Result>(text: string) => queue.database.write.rows<Result>({ name: '', text, values: [] })

beforeAll(async () => {
  queue = await testQueue(2)
  const [lane] = await queue.addWebhooks(1)
  const deleted = Array.from({ length: deletedCount }, () => makeId(Date.now()))
  rows = [...(await publish(lane?.webhookId as string)), ...finished([...deleted, lane?.webhookId as string])]
  await fill(rows.filter(({ status }) => status !== 'pending' && status !== 'in_flight'))
})

afterAll(() => queue?.drop())

/** One that waits, and one that is in flight without a row in the queue. */
async function publish(webhookId: string): Promise<Row[]> {
  await queue.publish(2)
  const [waiting, unqueued] = await run<{ id: string }>('select id from events order by id')
  await run(`
    update events set claimed_by = gen_random_uuid(), claimed_for = '{${webhookId}}' where id = '${unqueued?.id}';
    insert into unqueued_since (worker_id, event_id, seen_at, is_busy) select claimed_by, id, now(), true from events where id = '${unqueued?.id}';
    delete from deliveries where event_id = '${unqueued?.id}'`)
  const row = { webhook_id: webhookId, trigger_name: 'PersonCreated_v1', status_code: null }
  return [
    { ...row, event_id: waiting?.id as string, status: 'pending' },
    { ...row, event_id: unqueued?.id as string, status: 'in_flight' },
  ]
}

/** Of four days, the third without any; events of several webhooks and of one, and runs of hooks. */
function finished(webhookIds: string[]): Row[] {
  const days = [0, 1, 3].map((day) => Date.now() + day * dayMs)
  let eventId = ''
  return Array.from({ length: finishedCount }, (_, number) => {
    if (number % 4 === 0 || number % 3 === 0) eventId = makeId(days[number % days.length] as number)
    const webhook = number % 3 === 0 ? 0 : 1 + ((number * 7) % (webhookIds.length - 1))
    const status = number % 50 === 1 ? 'dropped' : number % 70 === 2 ? 'cancelled' : 'succeeded'
    return {
      event_id: eventId,
      webhook_id: webhookIds[webhook] as string,
      status,
      trigger_name: number % 500 === 0 ? 'PersonDeleted_v1' : number % 9 === 0 ? 'token_minted' : 'PersonCreated_v1',
      status_code: status === 'succeeded' ? 200 : number % 100 === 1 ? 503 : null,
    }
  })
}

async function fill(log: Row[]) {
  await run(`
    insert into finished_deliveries
      (org_id, webhook_id, event_id, trigger_type, trigger_name, status, attempts_count, attempt_log, finished_at)
    select '${queue.organizationId}', webhook_id, event_id, case trigger_name when 'token_minted' then 'sync_hook' else 'event' end,
           trigger_name, status, 1, jsonb_build_array(jsonb_build_object('status_code', status_code)), now()
      from jsonb_to_recordset('${JSON.stringify(log)}')
           as r (webhook_id uuid, event_id uuid, trigger_name text, status text, status_code int);
    analyze`)
}

const nameOf = ({ event_id, webhook_id }: Pick<Row, 'event_id' | 'webhook_id'>) => `${event_id} ${webhook_id}`

/** All pages; none is longer than asked. */
async function all(search: Partial<Search>, limit: number) {
  const found: string[] = []
  for (let before: Search['before'] | undefined = allIds.before; before; ) {
    const page = await searchDeliveries(queue.database.pages, queue.organizationId, {
      ...allIds,
      ...search,
      before,
      limit,
    })
    expect(page.deliveries.length).toBeLessThanOrEqual(limit)
    found.push(...page.deliveries.map(nameOf))
    before = page.next
  }
  return found
}

test.each<[Partial<Search>, (row: Row) => boolean]>([
  [{}, () => true],
  [{ status: 'succeeded' }, ({ status }) => status === 'succeeded'],
  [{ status: 'dropped' }, ({ status }) => status === 'dropped'],
  [{ status: 'in_flight' }, ({ status }) => status === 'in_flight'],
  [{ status: 'pending' }, ({ status }) => status === 'pending'],
  [{ triggerName: 'PersonDeleted_v1' }, (row) => row.trigger_name === 'PersonDeleted_v1'],
  [
    { triggerName: 'token_minted', status: 'cancelled' },
    (row) => row.trigger_name === 'token_minted' && row.status === 'cancelled',
  ],
  [{ statusCode: 503 }, (row) => row.status_code === 503],
])(
  'The search by %j finds what there is of many webhooks and days once, in pages of any size',
  async (search, isWanted) => {
    const expected = rows.filter(isWanted).map(nameOf).sort().reverse()
    expect(expected.length).toBeGreaterThan(0)
    for (const limit of [15, 100]) expect(await all(search, limit), `by ${limit}`).toEqual(expected)
  },
)
