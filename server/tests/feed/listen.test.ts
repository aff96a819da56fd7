import { verifyWebhook } from '@signet/webhooks'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openStream, type StreamClient } from '../support/event-stream.ts'
import { claimsOf } from '../support/jwt.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

const targetUrl = 'http://localhost:3000/hook'

let signet: OwnSignet
const clients: StreamClient[] = []

beforeAll(async () => {
  signet = await startOwnSignet({ env: { SIGNET_RATE_TEST_EVENTS: '100000/100000' } })
})

afterAll(async () => {
  for (const client of clients) client.cut()
  await signet?.stop()
})

const credentials = ({ id, apiKey }: Organization) => ({ 'service-orgid': id, 'service-api-key': apiKey })
const addressOf = (query = '', target = targetUrl) =>
  `${signet.baseUrl}/organizations/webhooks/listen?target_url=${encodeURIComponent(target)}${query}`

type Listening = { query?: string; after?: string; target?: string }

async function listen(
  organization: Organization,
  { query = '', after = '', target = targetUrl }: Listening = {},
): Promise<StreamClient> {
  const headers = { ...credentials(organization), ...(after && { 'last-event-id': after }) }
  const client = await openStream(addressOf(query, target), { headers })
  clients.push(client)
  await vi.waitUntil(() => client.lastId() !== '', { timeout: 20_000, interval: 5 })
  return client
}

async function publish(organization: Organization, ...names: string[]): Promise<string[]> {
  const events = names.map((event_name) => ({ event_name }))
  const { body } = await signet.as(organization, 'POST', '/test-events', events)
  return body.result.map(({ event_id }: { event_id: string }) => event_id)
}

const verify = (organization: Organization, jwt: string) =>
  verifyWebhook(jwt, { issuer: signet.baseUrl, organizationId: organization.id, targetUrl })
const subsOf = (client: StreamClient) => client.messages().map(({ data }) => claimsOf(data).sub)

describe.concurrent('A listener', () => {
  test('A listener gets what comes, signed as webhooks get it, which the webhook library verifies', async () => {
    const organization = await signet.organization()
    await publish(organization, 'PersonDeleted')
    const client = await listen(organization)
    expect(client.text()).toMatch(/^: connected\nid: \S+\n\n$/)
    const [eventId] = await publish(organization, 'PersonCreated')
    const [message] = await client.waitFor(1)
    const webhook = await verify(organization, message?.data ?? '')
    expect(webhook).toMatchObject({ sub: eventId, trigger_type: 'event', trigger_name: 'PersonCreated_v1' })
    expect(webhook.trigger_content).toEqual((await signet.as(organization, 'GET', `/events/${eventId}`)).body.result)
    expect(message?.event).toBe('PersonCreated_v1')
  })

  test('A listener finds one webhook_id for its organization, which no webhook has', async () => {
    const [organization, other] = [await signet.organization(), await signet.organization()]
    const [first, second, foreign] = [await listen(organization), await listen(organization), await listen(other)]
    await publish(organization, 'PersonCreated')
    await publish(other, 'PersonCreated')
    const claims = []
    for (const client of [first, second, foreign]) claims.push(claimsOf((await client.waitFor(1))[0]?.data ?? ''))
    const [one, again, elsewhere] = claims
    expect(one?.webhook_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect([again?.webhook_id, again?.sub]).toEqual([one?.webhook_id, one?.sub])
    expect(elsewhere?.webhook_id).not.toBe(one?.webhook_id)
  })

  test('An event is signed once for all listeners of a target, whatever names they want, and once more for another target', async () => {
    const organization = await signet.organization()
    const others = { target: 'http://localhost:3001/other' }
    const clients = [
      ...(await Promise.all(Array.from({ length: 8 }, () => listen(organization)))),
      await listen(organization, { query: '&event_name=Person*' }),
      ...(await Promise.all(Array.from({ length: 3 }, () => listen(organization, others)))),
    ]
    await publish(organization, 'PersonCreated', 'PersonDeleted')
    const [ofFirst, ofSecond] = [new Set<string>(), new Set<string>()]
    for (const client of clients) {
      const [first, second] = await client.waitFor(2)
      ofFirst.add(first?.data ?? '')
      ofSecond.add(second?.data ?? '')
    }
    expect([ofFirst.size, ofSecond.size]).toEqual([2, 2])
    const claims = [...ofFirst, ...ofSecond].map(claimsOf)
    expect(new Set(claims.map(({ jti }) => jti)).size).toBe(4)
    expect(claims.map(({ target_url }) => target_url)).toEqual([targetUrl, others.target, targetUrl, others.target])
  })

  test('A listener that was cut before the first event loses nothing, in the order of the feed', async () => {
    const organization = await signet.organization()
    const client = await listen(organization)
    client.cut()
    const published = await publish(organization, 'PersonCreated', 'PersonDeleted', 'VirtualPageLoaded')
    const resumed = await listen(organization, { after: client.lastId() })
    const [first] = await resumed.waitFor(3)
    expect(subsOf(resumed)).toEqual(published)
    const behindFirst = await listen(organization, { after: first?.id ?? '' })
    await behindFirst.waitFor(2)
    expect(subsOf(behindFirst)).toEqual(published.slice(1))
  })

  test('A listener gets only the events that it names', async () => {
    const organization = await signet.organization()
    const client = await listen(organization, { query: '&event_name=Person*' })
    const [created, , deleted] = await publish(organization, 'PersonCreated', 'VirtualPageLoaded', 'PersonDeleted')
    await client.waitFor(2)
    expect(subsOf(client)).toEqual([created, deleted])
  })

  test('A listener needs an admin key, whatever scopes another key has', async () => {
    const organization = await signet.organization()
    for (const fields of [{ read_only: true }, { scopes: ['events:write', 'webhooks:write'] }]) {
      const { body } = await signet.as(organization, 'POST', '/organizations/api-keys', fields)
      const narrow = { id: organization.id, apiKey: body.result.api_key }
      const answer = await signet.call('GET', addressOf().slice(signet.baseUrl.length), credentials(narrow))
      expect([answer.status, answer.body.errors[0].message]).toEqual([403, expect.stringContaining('admin key')])
    }
  })

  test.each([
    ['', 'target_url: is required'],
    ['?target_url=https://example.com/hook', 'target_url: must have the host localhost, a name below'],
    ['?target_url=http://localhost/?x', 'target_url: must not have a query'],
    [`?target_url=${targetUrl}&event_name=Nothing`, 'event_name: no event has the name "Nothing"'],
    [`?target_url=${targetUrl}&until=now`, 'until: is not a known field'],
  ])('A listener that asks for %j is told what is wrong', async (query, message) => {
    const answer = await signet.as(await signet.organization(), 'GET', `/organizations/webhooks/listen${query}`)
    expect([answer.status, answer.body.errors[0].message]).toEqual([400, expect.stringContaining(message)])
  })

  test('A listener that wants JSON is told that there is only a stream', async () => {
    const organization = await signet.organization()
    const path = addressOf().slice(signet.baseUrl.length)
    const answer = await signet.as(organization, 'GET', path, undefined, { accept: 'application/json' })
    expect([answer.status, answer.body.errors[0].message]).toEqual([406, 'Accept: must allow text/event-stream'])
  })
})
