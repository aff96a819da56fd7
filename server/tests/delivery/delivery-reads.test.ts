import { setTimeout as wait } from 'node:timers/promises'
import { decodeJwt } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { keyCacheMs } from '../../src/ground/keys/signers.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const patience = { timeout: 30_000 }
/** A process keeps decrypted keys for so long, by the clock of its machine. */
const keysExpireMs = keyCacheMs + 100
/**
 * The delays double from 100 ms on; by jitter each is half as long at least, and a tenth of it passes whatever happens, for each release
 * gives a signal. Ones that do not grow would take a tenth of this.
 */
const failures = 8
const leastMs = 0.1 * 0.5 * 100 * (2 ** (failures - 1) - 1)

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
function errors(): { code: string; at: number }[] {
  const lines = signet.output().split('\n').slice(0, -1)
  const waits = lines.filter((line) => line.includes('"msg":"claiming deliveries failed; will retry"'))
  return waits
    .map((line) => JSON.parse(line))
    .map(({ err, time }) => ({ code: err.code, at: Date.parse(time) || time }))
}

/** The first ones while deliveries are claimed and released, for what their calls need cannot be read. */
async function errorsUnread(work: () => Promise<unknown>) {
  const before = errors().length
  await query('alter table signing_keys rename column private_key to unknown_key')
  try {
    await wait(keysExpireMs)
    await work()
    await vi.waitFor(() => expect(errors().length).toBeGreaterThanOrEqual(before + failures), patience)
    return errors().slice(before, before + failures)
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
  const [first, last] = [found[0], found.at(-1)]
  expect((last?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(leastMs)
  const requests = await receiver.waitFor(path, eventIds.length)
  expect(requests.map(({ body }) => decodeJwt(body).sub)).toEqual(eventIds)
})
