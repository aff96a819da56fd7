import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { keyCacheMs } from '../../src/ground/keys/signers.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const patience = { timeout: 30_000 }

let receiver: Receiver
let signet: OwnSignet

beforeAll(async () => {
  receiver = await startReceiver()
  signet = await startOwnSignet({ receiver })
})

afterAll(async () => {
  await Promise.all([signet?.stop(), receiver?.stop()])
})

async function publish(organization: Organization): Promise<string> {
  const { body } = await signet.as(organization, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  return body.result[0].event_id
}

async function query(text: string) {
  const client = new pg.Client({ connectionString: signet.database.url })
  await client.connect()
  return client.query(text).finally(() => client.end())
}

/** The errors after which the worker waited. */
function errors(): { code: string }[] {
  const lines = signet.output().split('\n').slice(0, -1)
  const waits = lines.filter((line) => line.includes('"msg":"claiming deliveries failed; will retry"'))
  return waits.map((line) => JSON.parse(line).err)
}

/** Those of three seconds, and two at least, in which deliveries are claimed and released, for what their calls need cannot be read. */
async function errorsUnread(work: () => Promise<unknown>) {
  const before = errors().length
  await query('alter table signing_keys rename column private_key to unknown_key')
  try {
    await wait(keyCacheMs + 100)
    await work()
    await vi.waitFor(() => expect(errors().length).toBeGreaterThan(before), patience)
    await wait(3_000)
    await vi.waitFor(() => expect(errors().length).toBeGreaterThan(before + 1), patience)
    return errors().slice(before)
  } finally {
    await query('alter table signing_keys rename column unknown_key to private_key')
  }
}

/** Between claims for receivers that are not healthy there is a pause: the worker looks, finds nothing, and waits on. */
test.each([
  ['was never called', 0],
  ['is healthy', 1],
])('A delivery that cannot be read is retried ever more rarely, of a receiver that %s', async (_, earlier) => {
  const organization = await signet.organization()
  const path = `/${organization.id}`
  const webhookId = await addWebhook(signet, organization, receiver.url(path), ['PersonCreated_v1'])
  const eventIds: string[] = []
  const publishOne = async () => eventIds.push(await publish(organization))
  for (let count = 0; count < earlier; count++) await publishOne()
  const lanes = () => query(`select from lanes where webhook_id = '${webhookId}' and healthy and in_flight = 0`)
  await expect.poll(async () => (await lanes()).rowCount, patience).toBe(earlier)

  const found = await errorsUnread(publishOne)
  expect(new Set(found.map(({ code }) => code))).toEqual(new Set(['42703']))
  // More than one: each time the delivery was claimed, having been released.
  expect(found.length).toBeLessThan(20)
  const requests = await receiver.waitFor(path, eventIds.length)
  expect(requests.map(({ body }) => decodeJwt(body).sub)).toEqual(eventIds)
})
