import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook, eventNames } from '../support/webhooks.ts'

const unknownId = '01890000-0000-7000-8000-000000000000'
const typeRule = 'trigger_type: must be one of event, sync_hook, events'
const nameRule = `trigger_name: must be one of ${eventNames.join(', ')}, token_minted`
const rightNames = { event: eventNames.join(', '), sync_hook: 'token_minted' }

let signet: Signet
let organization: Organization
let webhookId: string

beforeAll(async () => {
  signet = await startOwnSignet()
})

afterAll(() => signet?.stop())

beforeEach(async () => {
  organization = await signet.organization()
  webhookId = await addWebhook(signet, organization, 'https://example.com')
})

const path = (id = webhookId) => `/organizations/webhooks/${id}/triggers`
const create = (body: unknown, id?: string) => signet.as(organization, 'POST', path(id), body)
const list = async (id?: string) => (await signet.as(organization, 'GET', path(id))).body.result
const remove = (query: Record<string, string>, id?: string) =>
  signet.as(organization, 'DELETE', `${path(id)}?${new URLSearchParams(query)}`)

const created = { status: 201, body: {} }
const person = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
const hook = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }

describe('Trigger creation (4.6)', () => {
  // Proves 2.5/1, 2.5/2, 4.6/1, 9/2.
  test.each(eventNames)('A trigger event %s, also written events, reads back as event (2.5)', async (trigger_name) => {
    const other = await addWebhook(signet, organization, 'https://example.com/other')
    expect(await create({ trigger_type: 'event', trigger_name })).toMatchObject(created)
    expect(await create({ trigger_type: 'events', trigger_name }, other)).toMatchObject(created)
    for (const id of [webhookId, other]) expect(await list(id)).toEqual([{ trigger_type: 'event', trigger_name }])
  })

  // Proves 2.5/3.
  test.each([
    [{}, 'fail'],
    [{ on_failure: 'fail' }, 'fail'],
    [{ on_failure: 'continue' }, 'continue'],
  ])('A trigger sync_hook token_minted with %j reads back with on_failure %s (2.5)', async (fields, on_failure) => {
    const { status, body } = await create({ ...hook, ...fields })
    expect({ status, body }).toEqual(created)
    expect(await list()).toEqual([{ ...hook, on_failure }])
  })

  // Proves 2.5/2.
  test.each(eventNames)('A trigger sync_hook %s is 400', async (trigger_name) => {
    const message = `trigger_name: must be one of ${rightNames.sync_hook} for the trigger_type sync_hook`
    expect(await create({ trigger_type: 'sync_hook', trigger_name })).toMatchObject(refused(400, message))
    expect(await list()).toEqual([])
  })

  // Proves 2.5/3.
  test.each(['event', 'events'])('A trigger token_minted of the type %s is 400', async (trigger_type) => {
    const message = `trigger_name: must be one of ${rightNames.event} for the trigger_type event`
    expect(await create({ trigger_type, trigger_name: 'token_minted' })).toMatchObject(refused(400, message))
    expect(await list()).toEqual([])
  })

  // Proves 2.5/1, 4.6/3, 9/2.
  test.each<[unknown, ...string[]]>([
    [{}, 'trigger_type: is required', 'trigger_name: is required'],
    [{ trigger_name: 'PersonCreated_v1' }, 'trigger_type: is required'],
    [{ trigger_type: 'event' }, 'trigger_name: is required'],
    [{ ...person, trigger_type: 'Event' }, `${typeRule}; did you mean event?`],
    [{ ...person, trigger_type: 'sync_hooks' }, `${typeRule}; did you mean sync_hook?`],
    [{ ...person, trigger_type: '' }, typeRule],
    [{ ...person, trigger_name: 'PersonCreated' }, `${nameRule}; did you mean PersonCreated_v1?`],
    [{ ...person, trigger_name: 'PersonCreated_v2' }, `${nameRule}; did you mean PersonCreated_v1?`],
    [{ ...person, trigger_name: 'personcreated_v1' }, `${nameRule}; did you mean PersonCreated_v1?`],
    [{ ...person, trigger_name: ['PersonCreated_v1'] }, nameRule],
    [{ ...person, on_failure: 'fail' }, 'on_failure: is for the trigger_type sync_hook only'],
    [{ ...person, on_failure: 'continue' }, 'on_failure: is for the trigger_type sync_hook only'],
    [{ ...hook, on_failure: 'retry' }, 'on_failure: must be one of fail, continue'],
    [{ ...hook, on_failure: null }, 'on_failure: must be one of fail, continue'],
    [{ ...person, name: 'x' }, 'name: is not a known field'],
    [[person], 'body: must be an object'],
  ])('A new trigger %j is refused', async (body, ...messages) => {
    expect(await create(body)).toMatchObject(refused(400, ...messages))
    expect(await list()).toEqual([])
  })

  // Proves 2.5/6.
  test('A trigger that exists is created again without effect, with 201 (2.5)', async () => {
    await create({ ...hook, on_failure: 'continue' })
    await create(person)
    for (const again of [person, { ...person, trigger_type: 'events' }, { ...hook, on_failure: 'continue' }])
      expect(await create(again)).toMatchObject(created)
    expect(await list()).toEqual([person, { ...hook, on_failure: 'continue' }])
    const { result } = (await signet.as(organization, 'GET', '/organizations/audit-log?action=createTrigger')).body
    expect(result).toHaveLength(2)
  })

  test.each([
    ['continue', 'fail', { on_failure: 'fail' }],
    ['continue', 'fail by default', {}],
    ['fail', 'continue', { on_failure: 'continue' }],
  ])('A sync_hook with on_failure %s that is created again with %s is 409, and stays', async (stands, _, other) => {
    await create({ ...hook, on_failure: stands })
    const message = `on_failure: is ${stands} for this trigger already; delete the trigger before you create it with another one`
    expect(await create({ ...hook, ...other })).toMatchObject(refused(409, message))
    expect(await list()).toEqual([{ ...hook, on_failure: stands }])
  })

  test('Of a sync_hook that is created twice at once with two values of on_failure one stands, and the other is 409', async () => {
    const values = ['fail', 'continue', 'fail', 'continue']
    const answers = await Promise.all(values.map((on_failure) => create({ ...hook, on_failure })))
    const [{ on_failure: stands }] = await list()
    expect(answers.map(({ status }) => status)).toEqual(values.map((value) => (value === stands ? 201 : 409)))
  })

  // Proves 2.5/4, 2.5/5.
  test('A webhook can have several triggers, and several webhooks share one (2.5)', async () => {
    const other = await addWebhook(signet, organization, 'https://example.com/other')
    for (const trigger_name of eventNames) {
      await create({ trigger_type: 'event', trigger_name })
      await create({ trigger_type: 'event', trigger_name }, other)
    }
    await create(hook)
    const events = eventNames.toSorted().map((trigger_name) => ({ trigger_type: 'event', trigger_name }))
    expect(await list()).toEqual([...events, { ...hook, on_failure: 'fail' }])
    expect(await list(other)).toEqual(events)
  })
})

describe('Trigger lists', () => {
  // Proves 2.4/12.
  test('A new webhook has no triggers (2.4)', async () => {
    const { status, body } = await signet.as(organization, 'GET', path())
    expect({ status, body }).toEqual({
      status: 200,
      body: { result: [], meta: { pagination: { limit: 100, offset: 0, total_count: 0 } } },
    })
  })

  test('The list of triggers is in pages', async () => {
    for (const trigger_name of eventNames) await create({ trigger_type: 'event', trigger_name })
    const { body } = await signet.as(organization, 'GET', `${path()}?limit=2&offset=1`)
    expect(body).toEqual({
      result: eventNames
        .toSorted()
        .slice(1, 3)
        .map((trigger_name) => ({ trigger_type: 'event', trigger_name })),
      meta: { pagination: { limit: 2, offset: 1, total_count: eventNames.length } },
    })
  })
})

describe('Trigger deletion', () => {
  test.each([
    [{ trigger_type: 'event', trigger_name: 'PersonCreated_v1' }],
    [{ trigger_type: 'events', trigger_name: 'PersonCreated_v1' }],
    [{ trigger_type: 'sync_hook', trigger_name: 'token_minted' }],
  ])('The deletion of the trigger %j is 204, then 404', async (trigger) => {
    await create(trigger)
    await create({ trigger_type: 'event', trigger_name: 'PersonDeleted_v1' })
    expect(await remove(trigger)).toMatchObject({ status: 204, body: undefined })
    expect(await remove(trigger)).toMatchObject(refused(404, 'trigger: not found'))
    expect(await list()).toEqual([{ trigger_type: 'event', trigger_name: 'PersonDeleted_v1' }])
  })

  test.each<[Record<string, string>, ...string[]]>([
    [{}, 'trigger_type: is required', 'trigger_name: is required'],
    [{ trigger_type: 'event' }, 'trigger_name: is required'],
    [{ trigger_name: 'PersonCreated_v1' }, 'trigger_type: is required'],
    [{ ...person, trigger_type: 'hook' }, typeRule],
    [{ ...person, trigger_name: 'PersonCreated' }, `${nameRule}; did you mean PersonCreated_v1?`],
    [{ ...hook, trigger_type: 'event' }, `trigger_name: must be one of ${rightNames.event} for the trigger_type event`],
    [{ ...person, name: 'x' }, 'name: is not a known field'],
  ])('The deletion of the trigger %j is refused', async (query, ...messages) => {
    await create(person)
    expect(await remove(query)).toMatchObject(refused(400, ...messages))
    expect(await list()).toEqual([person])
  })
})

// Proves 4.6/1.
test.each(['GET', 'POST', 'DELETE'])('%s of the triggers of an unknown webhook is 404', async (method) => {
  const theirs = await addWebhook(signet, await signet.organization(), 'https://example.com', ['PersonCreated_v1'])
  for (const id of [unknownId, 'x', theirs]) {
    const query = method === 'DELETE' ? `?${new URLSearchParams(person)}` : ''
    const answer = await signet.as(organization, method, path(id) + query, method === 'POST' ? person : undefined)
    expect(answer).toMatchObject({ status: 404, body: { errors: [{ httpcode: 404 }] } })
  }
})
