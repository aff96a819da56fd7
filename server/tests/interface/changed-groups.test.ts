import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import {
  ask,
  closePersons,
  newGroups,
  newOrganization,
  newPerson,
  openPersons,
  ours,
  signet,
  unknownId,
} from '../support/own-persons.ts'

beforeAll(openPersons)
afterAll(closePersons)

let person: string
beforeEach(async () => {
  await newOrganization()
  await newGroups('aa', 'bb', 'cc')
  person = await newPerson({ groups: ['aa', 'bb'] })
})

/** All events of the organization but PersonCreated_v1. */
const told = async () => {
  const { body } = await ask('GET', '/events?limit=1000')
  return body.result.filter(
    (event: { event_metadata: { event_type: string } }) => event.event_metadata.event_type !== 'PersonCreated',
  )
}
const set = (groups: string[]) => ask('PUT', `/persons/${person}/groups`, { groups })

test('Who is created in groups has PersonCreated_v1 alone', async () => {
  expect(await told()).toEqual([])
})

test('Set, add and leave have one event each, of what changed and nothing else', async () => {
  const correlation = '01890a5d-ac96-774b-bcce-b302099a8057'
  await signet.as(
    ours,
    'PUT',
    `/persons/${person}/groups`,
    { groups: ['cc', 'bb'] },
    { 'Service-Correlation-Id': correlation },
  )
  await ask('POST', `/persons/${person}/groups`, { groups: ['aa', 'bb'] })
  await ask('DELETE', `/persons/${person}/groups/bb`)
  const events = await told()
  expect(events[0]).toEqual({
    event_metadata: {
      is_test_event: false,
      event_id: expect.any(String),
      timestamp: expect.stringMatching(/\.\d{9}Z$/),
      source: 1,
      event_type: 'PersonGroupsChanged',
      event_name: 'PersonGroupsChanged_v1',
      event_version: 1,
      organization_id: ours.id,
    },
    analytics_metadata: { analytics_correlation_id: correlation, client_ip_address: '127.0.0.1' },
    person_id: person,
    region: 'local',
    added: ['cc'],
    removed: ['aa'],
  })
  expect(events.slice(1)).toMatchObject([
    { person_id: person, added: ['aa'], removed: [] },
    { person_id: person, added: [], removed: ['bb'] },
  ])
  expect(events).toHaveLength(3)
})

test('Members who are added have one event each, with the region of the person, and one who is removed has one', async () => {
  const others = [await newPerson({ region: 'eu' }), await newPerson()]
  await ask('POST', '/groups/aa/persons', { persons: [person, ...others, others[0]] })
  await ask('DELETE', `/groups/aa/persons/${others[0]}`)
  const events = await told()
  expect(events).toMatchObject([
    { person_id: others[0], region: 'eu', added: ['aa'], removed: [] },
    { person_id: others[1], region: 'local', added: ['aa'], removed: [] },
    { person_id: others[0], region: 'eu', added: [], removed: ['aa'] },
  ])
  expect(events).toHaveLength(3)
})

test('What changes nothing, what is refused, and a group that is deleted have no event', async () => {
  await set(['aa', 'bb'])
  await ask('POST', `/persons/${person}/groups`, { groups: ['aa'] })
  await ask('POST', '/groups/aa/persons', { persons: [person] })
  await set(['aa', 'none'])
  await ask('POST', '/groups/aa/persons', { persons: [person, unknownId] })
  await ask('DELETE', `/persons/${person}/groups/cc`)
  await ask('DELETE', '/groups/aa')
  expect(await told()).toEqual([])
})

test('A person who is deleted has PersonDeleted_v1 alone', async () => {
  await ask('DELETE', `/persons/${person}`)
  expect((await told()).map(({ groups }: { groups: string[] }) => groups)).toEqual([['aa', 'bb']])
})
