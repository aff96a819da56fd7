import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runningClock } from '../src/clock.ts'
import { testDatabase } from './support/database.ts'
import { type Received, type Receiver, startReceiver } from './support/receiver.ts'
import { makeVault, type Service, startService } from './support/service.ts'
import type { Organization } from './support/signet.ts'
import { addWebhook } from './support/webhooks.ts'

const webhooks = 20
const answerMs = 300

let receiver: Receiver
let database: Awaited<ReturnType<typeof testDatabase>>
let service: Service

beforeAll(async () => {
  receiver = await startReceiver()
  database = await testDatabase()
  service = await startService({ connection: database, receiver, clock: runningClock(), vault: makeVault() })
})

afterAll(async () => {
  await Promise.all([service?.stop(), receiver?.stop()])
  await database?.drop()
})

/** An organization with so many webhooks, each of which has answered once and is quick. */
async function organizationWith(count: number): Promise<{ organization: Organization; paths: string[] }> {
  const organization = await service.organization()
  const paths = Array.from({ length: count }, (_, index) => `/${organization.id}/${index}`)
  for (const path of paths) await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'])
  await publish(organization)
  await Promise.all(paths.map((path) => receiver.waitFor(path, 1)))
  return { organization, paths }
}

async function publish(organization: Organization, fields: object = {}) {
  const { status } = await service.as(organization, 'POST', '/test-events', [
    { event_name: 'PersonCreated_v1', ...fields },
  ])
  expect(status).toBe(201)
}

/** Of these calls, the most that were open together. */
function mostOpen(calls: Received[]): number {
  const changes = calls.flatMap(({ begun, ended = Infinity }) => [
    { place: begun, by: 1 },
    { place: ended, by: -1 },
  ])
  let open = 0
  return Math.max(...changes.toSorted((one, other) => one.place - other.place).map(({ by }) => (open += by)))
}

test('of large events an organization has a few in the process at a time: all arrive, and others wait for none', async () => {
  const large = await organizationWith(webhooks)
  const small = await organizationWith(1)
  for (const path of large.paths) receiver.behave(path, { delayMs: answerMs })

  await publish(large.organization, { region: 'x'.repeat(900_000) })
  await publish(small.organization)

  const [path] = small.paths as [string]
  const [, smallCall] = await receiver.waitFor(path, 2, 20_000)
  const calls = await Promise.all(large.paths.map(async (each) => (await receiver.waitFor(each, 2, 20_000))[1]))
  await expect.poll(() => calls.every((call) => call?.ended !== undefined)).toBe(true)
  expect(mostOpen(calls as Received[])).toBeLessThanOrEqual(8)
  const isBefore = (call: Received | undefined) => (call?.begun ?? 0) < (smallCall?.begun ?? 0)
  expect(calls.filter(isBefore).length).toBeLessThanOrEqual(8)
})

test('large events for receivers that never answer leave claims for the first delivery of a new webhook', async () => {
  const silent = await service.organization()
  for (let index = 0; index < 300; index++) {
    const path = `/${silent.id}/${index}`
    receiver.behave(path, { hang: true })
    await addWebhook(service, silent, receiver.url(path), ['PersonCreated_v1'])
  }
  await publish(silent, { region: 'x'.repeat(900_000) })
  await wait(2_000)
  const organization = await service.organization()
  for (let index = 0; index < 3; index++) {
    const path = `/${organization.id}/${index}`
    await addWebhook(service, organization, receiver.url(path), ['PersonCreated_v1'])
    await publish(organization)
    await receiver.waitFor(path, 1, 1_000)
  }
})
