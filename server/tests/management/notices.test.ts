import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { dayMs as day } from '../../src/ground/runtime/clock.ts'
import { testDatabase } from '../support/database.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { makeKeyring, type Service, startService } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'
import { prepareWakeUp } from '../support/wake-worker.ts'
import { addWebhook } from '../support/webhooks.ts'

let receiver: Receiver
let database: Awaited<ReturnType<typeof testDatabase>>
let service: Service
let organization: Organization
let wakeWorker: Awaited<ReturnType<typeof prepareWakeUp>>
let path: string

/** Of today. */
const noon = Math.floor(Date.now() / day) * day + day / 2
/** Stands still, and moves when a test moves it. */
const clock = { now: () => now }
let now: number
const at = (ms: number) => new Date(ms).toISOString()

beforeAll(async () => {
  now = noon
  receiver = await startReceiver()
  database = await testDatabase()
  service = await startService({ connection: database, receiver, clock, keyring: makeKeyring() })
  wakeWorker = await prepareWakeUp(service, receiver)
})

afterAll(async () => {
  await Promise.all([service?.stop(), receiver?.stop()])
  await database?.drop()
})

beforeEach(async () => {
  now = noon
  organization = await service.organization()
  path = `/${organization.id}/hook`
})

const make = async (address: string, body: unknown, by = organization) => {
  const answer = await service.as(by, 'POST', address, body)
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body.result
}
const notices = async (by = organization) => (await service.as(by, 'GET', '/organizations/notices')).body.result

const publish = async () => (await make('/test-events', [{ event_name: 'PersonCreated_v1' }]))[0].event_id
test('Where nothing needs attention there is no notice', async () => {
  await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'])
  expect(await notices()).toEqual([])
})

describe('Webhooks', () => {
  test('A webhook whose newest attempt failed is told of, with what was wrong, until one succeeds', async () => {
    receiver.behave(path, { status: 500 })
    const id = await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'], { name: 'Records' })
    const delivery_id = await publish()
    await expect
      .poll(() => notices())
      .toEqual([
        {
          kind: 'webhook_failing',
          since: at(noon),
          target: { type: 'webhook', id, name: 'Records' },
          failing_since: at(noon),
          pending: 1,
          last_error: { at: at(noon), status_code: 500, delivery_id },
        },
      ])
    receiver.behave(path, { status: 200 })
    now += 60_000
    await wakeWorker()
    await expect.poll(() => notices()).toEqual([])
  })
})
