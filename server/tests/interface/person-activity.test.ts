import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

let signet: OwnSignet
let organization: Organization

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_ROLES: 'api' } })
  organization = await signet.organization()
})
afterAll(() => signet?.stop())

const as = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  signet.as(organization, method, path, body, headers)

async function told(personId: string) {
  const { body } = await as('GET', '/events?limit=1000')
  return body.result.filter(({ person_id }: { person_id: string }) => person_id === personId)
}

test('A person who is deactivated and activated has an event of each change, and of nothing else', async () => {
  const { person_id } = (await as('POST', '/persons', {})).body.result
  const correlation = '01890a5d-ac96-774b-bcce-b302099a8057'
  const change = (active: boolean) =>
    as('PATCH', `/persons/${person_id}`, { active }, { 'Service-Correlation-Id': correlation })
  for (const active of [true, false, false, true, true]) expect((await change(active)).status).toBe(200)
  await as('PATCH', `/persons/${person_id}`, { handles: [] })
  const events = await told(person_id)
  const names = events.map((event: { event_metadata: { event_name: string } }) => event.event_metadata.event_name)
  expect(names).toEqual(['PersonCreated_v1', 'PersonDeactivated_v1', 'PersonActivated_v1'])
  expect(events[1]).toEqual({
    event_metadata: {
      is_test_event: false,
      event_id: expect.any(String),
      timestamp: expect.stringMatching(/\.\d{9}Z$/),
      source: 1,
      event_type: 'PersonDeactivated',
      event_name: 'PersonDeactivated_v1',
      event_version: 1,
      organization_id: organization.id,
    },
    analytics_metadata: { analytics_correlation_id: correlation, client_ip_address: '127.0.0.1' },
    person_id,
    region: 'local',
    reason: 'api',
  })
})

test('A person who is created inactive has PersonCreated_v1 only, and one change that is refused has no event', async () => {
  const { person_id } = (await as('POST', '/persons', { active: false })).body.result
  const handles = [{ type: 'EmailAddress', value: 'taken@example.com' }]
  await as('POST', '/persons', { handles })
  expect((await as('PATCH', `/persons/${person_id}`, { active: true, handles })).status).toBe(409)
  expect(await told(person_id)).toHaveLength(1)
})

test('Both events go to a webhook that names them, and to no other', async () => {
  const webhook = async (name: string, trigger_name: string) => {
    const fields = { name, target_url: `https://${name}.example.com/` }
    const { id } = (await as('POST', '/organizations/webhooks', fields)).body.result
    await as('POST', `/organizations/webhooks/${id}/triggers`, { trigger_type: 'event', trigger_name })
    return async () => (await as('GET', `/organizations/webhooks/${id}/deliveries`)).body.result
  }
  const asked = await webhook('asked', 'PersonDeactivated_v1')
  const other = await webhook('other', 'PersonActivated_v1')
  const { person_id } = (await as('POST', '/persons', {})).body.result
  await as('PATCH', `/persons/${person_id}`, { active: false })
  expect(await asked()).toMatchObject([{ trigger_name: 'PersonDeactivated_v1' }])
  expect(await other()).toEqual([])
})

test.each(['PersonDeactivated_v1', 'PersonActivated_v1', 'PersonGroupsChanged_v1'])(
  '%s can be had as a test event',
  async (event_name) => {
    const { status, body } = await as('POST', '/test-events', [{ event_name }])
    expect([status, body.result[0].event_name]).toEqual([201, event_name])
    const [event] = (await as('GET', `/events?event_name=${event_name}&limit=1000`)).body.result.slice(-1)
    expect(event.event_metadata.is_test_event).toBe(true)
  },
)
