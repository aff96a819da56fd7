import { clientOf, times } from './client.ts'
import { type Order, standingGroup, standingGroups } from './rounds.ts'
import type { Signet } from './signet.ts'

const persons = 1_000

type Caller = Pick<Order, 'organizationId' | 'apiKey' | 'personIds'>

/** Over HTTP, as the first organization of that Signet: what the operations under measure need to be there. */
export async function setUp({ port, output }: Signet): Promise<Caller> {
  const [, organizationId = '', apiKey = ''] = /^Organization ID: (.*)\nAPI key: (.*)$/m.exec(output) ?? []
  const { post } = clientOf(port, { 'service-orgid': organizationId, 'service-api-key': apiKey })
  await times(standingGroups, (n) => post('/groups', { name: standingGroup(n) }))
  const created = await times(persons, () => post('/persons', {}))
  return { organizationId, apiKey, personIds: created.map(({ person_id }) => person_id as string) }
}
