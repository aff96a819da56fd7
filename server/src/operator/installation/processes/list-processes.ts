import { Type } from 'typebox'
import type { Database } from '../../../ground/database/database.ts'
import { operation } from '../../../ground/http/chain/operation.ts'
import { named, Timestamp, Uuid } from '../../../ground/http/chain/schemas.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { listedMs, lostAfterMs } from './keep-listed.ts'
import { type Process, pageOfProcesses } from './process-store.ts'

const ProcessRecord = named(
  'Process',
  Type.Object(
    {
      id: { ...Uuid, description: 'The id of the process, a new one at each start.' },
      host: Type.String({ description: 'The name of its machine or container.', examples: ['signet-1'] }),
      pid: Type.Integer({ description: 'Its process id on that machine.', examples: [4242] }),
      region: Type.String({ description: 'Its `SIGNET_REGION`.', examples: ['local'] }),
      version: Type.String({ description: 'The version of Signet that it runs.', examples: ['0.1.0'] }),
      roles: Type.Array(Type.Enum(['api', 'worker']), {
        description: 'Its `SIGNET_ROLES`: `api` answers requests, `worker` delivers.',
        examples: [['api', 'worker']],
      }),
      state: Type.Enum(['alive', 'lost'], {
        description: '`lost`: it has given no sign of life for two and a half minutes, and was not stopped.',
        examples: ['alive'],
      }),
      started_at: { ...Timestamp, description: 'When it started.' },
      seen_at: { ...Timestamp, description: 'Its last sign of life, of which it gives one a minute.' },
      deliveries_in_flight: Type.Integer({
        description: 'Deliveries that it had in hand then, under way or waiting for others of the same webhook.',
        examples: [3],
      }),
      event_streams: Type.Integer({ description: 'Event streams that it had open then.', examples: [12] }),
    },
    { description: 'A process of this installation.' },
  ),
)

export const listProcesses = ({ database, clock }: { database: Database; clock: Clock }) =>
  operation({
    id: 'listProcesses',
    method: 'GET',
    path: '/processes',
    access: 'operator',
    tag: 'Installation',
    summary: 'List the processes',
    description:
      'The one that started first comes first. A process that is stopped leaves the list; one that is lost stays for an hour after its last sign of life.',
    result: ProcessRecord,
    paged: true,
    handle: async ({ query }) => {
      const now = clock.now()
      const { items, totalCount } = await pageOfProcesses(database.pages, new Date(now - listedMs), query)
      return { items: items.map((process) => toRecord(process, now)), totalCount }
    },
  })

const toRecord = (process: Process, now: number) => ({
  ...process,
  state: now - process.seen_at.getTime() > lostAfterMs ? 'lost' : 'alive',
})
