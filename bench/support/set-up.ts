import { type Order, standingGroup, standingGroups } from './rounds.ts'
import type { Signet } from './signet.ts'

const persons = 1_000
/** Requests open at once. */
const atOnce = 20

type Caller = Pick<Order, 'organizationId' | 'apiKey' | 'personIds'>

/** Over HTTP, as the first organization of that Signet: what the operations under measure need to be there. */
export async function setUp({ port, output }: Signet): Promise<Caller> {
  const [, organizationId = '', apiKey = ''] = /^Organization ID: (.*)\nAPI key: (.*)$/m.exec(output) ?? []
  const headers = {
    'service-orgid': organizationId,
    'service-api-key': apiKey,
    'content-type': 'application/json',
  }
  const post = async (path: string, body: object) => {
    const answer = await fetch(`http://localhost:${port}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    if (answer.status !== 201) throw new Error(`POST ${path}: ${await answer.text()}`)
    return ((await answer.json()) as { result: { person_id?: string } }).result
  }
  await times(standingGroups, (n) => post('/groups', { name: standingGroup(n) }))
  const created = await times(persons, () => post('/persons', {}))
  return { organizationId, apiKey, personIds: created.map(({ person_id }) => person_id as string) }
}

async function times<Result>(count: number, one: (n: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = []
  while (results.length < count)
    results.push(...(await Promise.all(Array.from({ length: atOnce }, (_, place) => one(results.length + place)))))
  return results
}
