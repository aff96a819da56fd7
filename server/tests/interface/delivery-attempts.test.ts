import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  claimsOf,
  closeDelivery,
  linesOf,
  newOrganization,
  openDelivery,
  ours,
  publish,
  receiver,
  signet,
  silentPath,
  subscribe,
  verify,
} from '../support/own-delivery.ts'
import type { Received } from '../support/receiver.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openDelivery)
afterAll(closeDelivery)
beforeEach(newOrganization)

const attemptsInAll = 4

/** Another event has gone through its whole schedule: what else was due meanwhile was sent, too. */
async function untilAWindowIsOver() {
  const { path } = await subscribe(`fence-${Math.random()}`, ['VirtualPageLoaded_v1'])
  receiver.behave(path, { status: 500 })
  await publish('VirtualPageLoaded_v1')
  await receiver.waitFor(path, attemptsInAll)
}

describe('The webhooks that are called', () => {
  // Proves 1/5, 2.4/12, 2.5/5, 4.7/5, 6.2, rule 3/1.
  test('Every webhook of the organization with the trigger is called, and no other', async () => {
    const called = await Promise.all(['a', 'b', 'c'].map((name) => subscribe(name)))
    const others = [await subscribe('none', []), await subscribe('other', ['PersonDeleted_v1'])]
    const hook = await subscribe('hook', [])
    await ask('POST', `${hook.resource}/triggers`, { trigger_type: 'sync_hook', trigger_name: 'token_minted' })
    const theirPath = `/${ours.id}/theirs`
    await addWebhook(signet, await signet.organization(), receiver.url(theirPath), ['PersonCreated_v1'])
    const eventId = await publish()
    for (const { path, id } of called) {
      const [claims] = await claimsOf(await receiver.waitFor(path, 1))
      expect(claims).toMatchObject({ sub: eventId, webhook_id: id })
    }
    await untilAWindowIsOver()
    for (const path of [...others, hook].map((webhook) => webhook.path).concat(theirPath))
      expect(receiver.received(path)).toEqual([])
    for (const { path } of called) expect(receiver.received(path)).toHaveLength(1)
  })

  // Proves 6.2, rule 3/1.
  test('Receivers are called in parallel: a slow one delays neither another one nor the next event (6.2, rule 3)', async () => {
    const slow = await subscribe('slow')
    const quick = await subscribe('quick')
    // Until its first success a receiver gets one call at a time.
    await publish()
    await receiver.waitFor(slow.path, 1)
    receiver.behave(slow.path, { delayMs: 5_000 })
    await publish()
    await receiver.waitFor(slow.path, 2)
    await publish()
    const [, first, second] = await receiver.waitFor(quick.path, 3)
    const [, slowFirst, slowSecond] = await receiver.waitFor(slow.path, 3)
    for (const request of [first, second, slowSecond])
      expect((request as Received).at - (slowFirst as Received).at).toBeLessThan(5_000)
  })

  test('A request that was sent again, after a kept connection ended without a byte, is one attempt that says so', async () => {
    const { path, resource } = await subscribe('hook')
    const attemptsOf = async (eventId: string) => (await ask('GET', `${resource}/deliveries/${eventId}`)).body.result
    const succeeded = (eventId: string) => expect.poll(async () => (await attemptsOf(eventId)).status).toBe('succeeded')
    receiver.behave(path, { inTurn: [{}, { reset: true }, {}] })
    const first = await publish()
    await succeeded(first)
    const second = await publish()
    await succeeded(second)
    const [, lost, taken] = await receiver.waitFor(path, 3)
    const [claims] = await claimsOf([lost as Received])
    expect(await claimsOf([taken as Received])).toEqual([claims])
    expect((await attemptsOf(second)).attempts).toMatchObject([
      { number: 1, jti: claims?.jti, resent: true, status_code: 200 },
    ])
    expect((await attemptsOf(first)).attempts[0]).not.toHaveProperty('resent')
  })

  test('A trigger that was removed causes no more calls, not even for pending deliveries', async () => {
    const { path, resource } = await subscribe('hook')
    receiver.behave(path, { status: 500 })
    await publish()
    await receiver.waitFor(path, 1)
    const query = 'trigger_type=event&trigger_name=PersonCreated_v1'
    expect((await ask('DELETE', `${resource}/triggers?${query}`)).status).toBe(204)
    await expectNoMoreCalls(path)
  })

  test('A webhook that was deleted is not called any more, not even for pending deliveries', async () => {
    const { path, resource } = await subscribe('hook')
    receiver.behave(path, { status: 500 })
    await publish()
    await receiver.waitFor(path, 1)
    expect((await ask('DELETE', resource)).status).toBe(204)
    await expectNoMoreCalls(path)
  })

  /** But for a call that was in flight, which may end. */
  async function expectNoMoreCalls(path: string) {
    const count = receiver.received(path).length
    const later = await publish()
    await untilAWindowIsOver()
    const requests = receiver.received(path)
    expect(requests.length).toBeLessThanOrEqual(count + 1)
    expect((await claimsOf(requests)).map(({ sub }) => sub)).not.toContain(later)
  }

  test('The next attempt goes to the current target of the webhook, with its current headers', async () => {
    const old = await subscribe('old', ['PersonCreated_v1'], { custom_headers: { 'x-version': ['1'] } })
    receiver.behave(old.path, { status: 500 })
    const eventId = await publish()
    await receiver.waitFor(old.path, 1)
    const path = `/${ours.id}/new`
    await ask('PATCH', old.resource, { target_url: receiver.url(path), custom_headers: { 'x-version': ['2'] } })
    const [request] = await receiver.waitFor(path, 1)
    expect((await verify(request as Received)).claims).toMatchObject({
      sub: eventId,
      target_url: receiver.url(path),
      webhook_id: old.id,
    })
    expect(linesOf(request, 'x-version')).toEqual(['2'])
  })

  test('A change that was refused calls no webhook', async () => {
    const { path } = await subscribe('hook', ['PersonCreated_v1', 'PersonDeleted_v1'])
    const handles = [{ type: 'EmailAddress', value: 'jo@example.com' }]
    const first = await ask('POST', '/persons', { handles })
    expect((await ask('POST', '/persons', { handles })).status).toBe(409)
    expect((await ask('POST', '/persons', { groups: ['missing'] })).status).toBe(400)
    expect((await ask('DELETE', '/persons/01890000-0000-7000-8000-000000000000')).status).toBe(404)
    const last = await ask('POST', '/persons', {})
    await untilAWindowIsOver()
    const persons = (await claimsOf(receiver.received(path))).map((claims) => claims.trigger_content.person_id)
    expect(persons.sort()).toEqual([first, last].map(({ body }) => body.result.person_id).sort())
  })
})

describe('The success of an attempt by 2XX alone (6.2, rules 2 and 4)', () => {
  const successes = [200, 201, 202, 204, 206, 299]
  const failures = [300, 301, 302, 304, 307, 308, 400, 401, 403, 404, 408, 410, 429, 500, 502, 503, 599]

  // Proves 6.2, rule 2/1, 6.2, rule 2/2, 6.2, rule 4/1, 6.2, rule 4/4, 6.3/3, 7/13.
  test('An attempt is repeated for every status but 200 to 299, each time signed anew with the same sub', async () => {
    const statuses = [...successes, ...failures]
    const paths = await Promise.all(
      statuses.map(async (status) => {
        const { path } = await subscribe(String(status))
        const location = receiver.url(`/${ours.id}/elsewhere`)
        receiver.behave(path, { status, headers: { location, 'retry-after': '3600' } })
        return path
      }),
    )
    const eventId = await publish()
    const failing = paths.slice(successes.length)
    await Promise.all(failing.map((path) => receiver.waitFor(path, attemptsInAll)))
    await untilAWindowIsOver()
    const counts = Object.fromEntries(paths.map((path, index) => [statuses[index], receiver.received(path).length]))
    expect(counts).toEqual({
      ...Object.fromEntries(successes.map((status) => [status, 1])),
      ...Object.fromEntries(failures.map((status) => [status, attemptsInAll])),
    })
    expect(receiver.received(`/${ours.id}/elsewhere`)).toEqual([])
    const attempts = await claimsOf(receiver.received(failing.at(-1) as string))
    expect(new Set(attempts.map(({ jti }) => jti)).size).toBe(attemptsInAll)
    for (const { sub, iat = 0, exp } of attempts) expect({ sub, exp }).toEqual({ sub: eventId, exp: iat + 300 })
    const times = attempts.map(({ iat = 0 }) => iat)
    expect(times).toEqual(times.toSorted())
  })

  // Proves 6.2, rule 4/5.
  test('A success after failures ends the delivery, whatever the body of the response says', async () => {
    const { path } = await subscribe('hook')
    receiver.behave(path, { first: { times: 2, status: 503 }, body: '{"error":"not really"}'.repeat(10_000) })
    await publish()
    await receiver.waitFor(path, 3)
    await untilAWindowIsOver()
    expect(receiver.received(path)).toHaveLength(3)
  })

  // Proves 2.4/9, 6.2, rule 4/1.
  test('A response that does not come within the timeout of the webhook is a failure (2.4)', async () => {
    const hanging = await subscribe('hanging', ['PersonCreated_v1'], { timeout: '150ms' })
    const late = await subscribe('late', ['PersonCreated_v1'], { timeout: '150ms' })
    const inTime = await subscribe('in-time', ['PersonCreated_v1'], { timeout: '1500ms' })
    receiver.behave(hanging.path, { hang: true })
    receiver.behave(late.path, { delayMs: 400 })
    receiver.behave(inTime.path, { delayMs: 400 })
    const eventId = await publish()
    for (const { path } of [hanging, late]) {
      const attempts = await claimsOf(await receiver.waitFor(path, attemptsInAll))
      expect(attempts.map(({ sub }) => sub)).toEqual(Array(attemptsInAll).fill(eventId))
    }
    expect(receiver.received(inTime.path)).toHaveLength(1)
  })

  // Proves 6.2, rule 4/1.
  test('A receiver that cannot be reached is tried again, too', async () => {
    const failing = await subscribe('failing')
    receiver.behave(failing.path, { status: 500 })
    const { resource, path, target_url } = await subscribe('hook')
    await ask('PATCH', resource, { target_url: `https://${receiver.host}:1/nobody-listens` })
    await publish()
    await receiver.waitFor(failing.path, 2)
    await ask('PATCH', resource, { target_url })
    expect(await receiver.waitFor(path, 1)).toHaveLength(1)
  })

  // Proves 2.4/10, 6.2, rule 6/1, 8/6.
  test('A webhook without a timeout is waited for ten seconds (6.2, rule 6)', async () => {
    const [first, second] = await receiver.waitFor(silentPath, 2, 12_000)
    const waitedMs = (second as Received).at - (first as Received).at
    expect(waitedMs).toBeGreaterThan(9_000)
    expect(waitedMs).toBeLessThan(12_000)
  })
})
