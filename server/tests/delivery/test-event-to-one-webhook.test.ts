import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { runningClock } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import { testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const name = 'PersonCreated_v1'

let receiver: Receiver
let database: Awaited<ReturnType<typeof testDatabase>>
let service: Service
let organization: Organization
/** By name, of which each is also the end of its path; `deletions` has another trigger than the others. */
const webhooks = { one: '', other: '', deletions: '' }

beforeAll(async () => {
  receiver = await startReceiver()
  database = await testDatabase()
  service = await startService({ connection: database, receiver, clock: runningClock(), keyring: makeKeyring() })
})
afterAll(async () => {
  await Promise.all([service?.stop(), receiver?.stop()])
  await database?.drop()
})
beforeEach(async () => {
  organization = await service.organization()
  const add = (path: keyof typeof webhooks, trigger = name) =>
    addWebhook(service, organization, receiver.url(pathOf(path)), [trigger])
  webhooks.one = await add('one')
  webhooks.other = await add('other')
  webhooks.deletions = await add('deletions', 'PersonDeleted_v1')
})

const pathOf = (webhook: keyof typeof webhooks) => `/${organization.id}/${webhook}`
const publish = (...events: object[]) => service.as(organization, 'POST', '/test-events', events)
const idsOf = ({ body }: Awaited<ReturnType<typeof publish>>) =>
  body.result.map((event: { event_id: string }) => event.event_id)
const subsOf = (webhook: keyof typeof webhooks) =>
  receiver.received(pathOf(webhook)).map(({ body }) => decodeJwt(body).sub)
const deliveriesOf = async (id: string) =>
  (await service.as(organization, 'GET', `/organizations/deliveries?event_id=${id}`)).body.result

test('A test event with webhook_id is delivered to that webhook alone, beside others that go to all, and is in the feed', async () => {
  const [first, ofOne, ofOther, last] = idsOf(
    await publish(
      { event_name: name },
      { event_name: name, webhook_id: webhooks.one.toUpperCase() },
      { event_name: 'PersonCreated', webhook_id: webhooks.other },
      { event_name: name },
    ),
  )
  await receiver.waitFor(pathOf('one'), 3)
  await receiver.waitFor(pathOf('other'), 3)
  expect(subsOf('one').toSorted()).toEqual([first, ofOne, last].toSorted())
  expect(subsOf('other').toSorted()).toEqual([first, ofOther, last].toSorted())
  expect(await deliveriesOf(ofOne)).toMatchObject([{ webhook_id: webhooks.one }])
  const feed = await service.as(organization, 'GET', '/events')
  const inFeed = feed.body.result.map(
    ({ event_metadata }: { event_metadata: { event_id: string } }) => event_metadata.event_id,
  )
  expect(inFeed).toEqual([first, ofOne, ofOther, last])
})

test('A receiver that succeeds at once gets a test event that is for another one no more than before', async () => {
  await publish({ event_name: name })
  await receiver.waitFor(pathOf('one'), 1)
  await receiver.waitFor(pathOf('other'), 1)
  const [id] = idsOf(await publish({ event_name: name, webhook_id: webhooks.one }))
  await receiver.waitFor(pathOf('one'), 2)
  expect(subsOf('one')).toContain(id)
  expect(await deliveriesOf(id)).toHaveLength(1)
  expect(subsOf('other')).not.toContain(id)
})

test('A test event for a webhook that is paused is held', async () => {
  await service.as(organization, 'PATCH', `/organizations/webhooks/${webhooks.one}`, { enabled: false })
  const [id] = idsOf(await publish({ event_name: name, webhook_id: webhooks.one }))
  expect(await deliveriesOf(id)).toMatchObject([{ webhook_id: webhooks.one, status: 'held' }])
})

test('A test event for a webhook that is not there or lacks the trigger is refused with all that is wrong, and none is published', async () => {
  const foreign = await addWebhook(service, await service.organization(), 'https://foreign.example.com/', [name])
  const answer = await publish(
    { event_name: name },
    { event_name: name, webhook_id: webhooks.deletions },
    { event_name: name, webhook_id: makeId(Date.now()), region: 7 },
    { event_name: name, webhook_id: foreign },
    { event_name: 'Unknown_v1', webhook_id: webhooks.one },
  )
  const known = (index: number) => `[${index}].webhook_id: must be a webhook of the organization`
  expect(answer.status).toBe(400)
  const messages = answer.body.errors.map(({ message }: { message: string }) => message)
  expect(messages).toEqual([
    `[1].webhook_id: must be a webhook that has the trigger event ${name}`,
    expect.stringMatching(/^\[2\]\.region: /),
    known(2),
    known(3),
    expect.stringMatching(/^\[4\]\.event_name: /),
  ])
  expect(await publish({ event_name: name, webhook_id: 'one' })).toMatchObject(
    refused(400, '[0].webhook_id: must be a UUID'),
  )
  expect((await service.as(organization, 'GET', '/events')).body.result).toEqual([])
})
