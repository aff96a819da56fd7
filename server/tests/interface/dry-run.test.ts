import { createLocalJWKSet, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Behaviour, type Receiver, startReceiver } from '../support/receiver.ts'
import { refused } from '../support/refused.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
/** One call at a time, of events as of hooks: were they the same calls, each would wait for the other. */
const oneAtATime = { SIGNET_MAX_CONCURRENCY: '1', SIGNET_HOOK_MAX_CONCURRENCY: '1' }
const region = 'north'

let receiver: Receiver
let signet: Signet
let ours: Organization

beforeAll(async () => {
  receiver = await startReceiver()
  signet = await startOwnSignet({
    receiver,
    env: { ...oneAtATime, SIGNET_REGION: region, SIGNET_RATE_DRY_RUNS: '1000/1000' },
  })
})

afterAll(() => Promise.all([signet?.stop(), receiver?.stop()]))

beforeEach(async () => {
  ours = await signet.organization()
})

const ask = (method: string, path: string, body?: unknown) => signet.as(ours, method, path, body)

/** A webhook with the trigger, whose receiver behaves so. */
async function addHook(name: string, behaviour: Behaviour = {}, fields: object = {}) {
  const path = `/${ours.id}/${name}`
  receiver.behave(path, behaviour)
  const id = await addWebhook(signet, ours, receiver.url(path), [], fields)
  const resource = `/organizations/webhooks/${id}`
  await ask('POST', `${resource}/triggers`, trigger)
  return { id, path, resource, dryRun: () => ask('POST', `${resource}/dry-run`) }
}

describe('A dry run', () => {
  test('A dry run calls the hook with made-up content that is marked as a test, and shows the request', async () => {
    const custom_headers = { authorization: ['Bearer secret-1'] }
    const { id, path, dryRun } = await addHook('hook', {}, { custom_headers })
    const { status, body } = await dryRun()
    const [received] = receiver.received(path)
    const { body: keySet } = await signet.call('GET', '/organizations/webhooks/verification-jwks', {
      'Service-OrgID': ours.id,
    })
    const rules = { algorithms: ['ES256'], audience: ours.id, issuer: signet.baseUrl }
    const { payload } = await jwtVerify(received?.body ?? '', createLocalJWKSet(keySet), rules)
    expect(status).toBe(200)
    expect(body.result.request).toEqual({
      target_url: receiver.url(path),
      headers: { 'content-type': 'application/jwt' },
      jwt: received?.body,
      claims: payload,
    })
    expect(received?.headers.authorization).toBe('Bearer secret-1')
    expect(JSON.stringify(body)).not.toContain('secret-1')
    expect(payload).toMatchObject({ ...trigger, webhook_id: id, target_url: receiver.url(path) })
    expect(payload.trigger_content).toEqual({
      is_test: true,
      aud: expect.any(String),
      sub: expect.any(String),
      iss: `${signet.baseUrl}/oidc/${ours.id}`,
      region,
      first_token: true,
      authentications: [
        {
          handle: { type: 'EmailAddress', value: expect.any(String) },
          method: 'oidc',
          timestamp: expect.stringMatching(/Z$/),
        },
      ],
      groups_claim_name: 'groups',
      groups: [expect.any(String)],
      request_metadata: {
        client_ip_address: expect.any(String),
        user_agent: expect.any(String),
        origin: expect.any(String),
      },
    })
  })

  // Proves 6.2, rule 5/3.
  test('A dry run shows the response, the claims that it gives, and those that are dropped', async () => {
    const text = '{"plan":{"level":[1,null]},"sub":"other"}'
    const { dryRun } = await addHook('hook', { status: 201, body: text })
    expect((await dryRun()).body.result).toEqual({
      status: 'succeeded',
      request: expect.any(Object),
      answer: { status_code: 201, body: text },
      claims: { plan: { level: [1, null] } },
      dropped_claims: ['sub'],
      attempts: [expect.objectContaining({ number: 1, status_code: 201 })],
    })
  })

  test('A dry run shows every attempt, and of its response the first 1 KiB', async () => {
    const long = 'x'.repeat(1_025)
    const { path, dryRun } = await addHook('hook', {
      status: 500,
      body: long,
      inTurn: [{ reset: true }, { status: 500, body: long }],
    })
    const { result } = (await dryRun()).body
    const [first, ...others] = result.attempts
    const shown = 'x'.repeat(1_024)
    expect(result).toMatchObject({
      status: 'dropped',
      reason: 'attempts_failed',
      answer: { status_code: 500, body: shown },
      claims: {},
      dropped_claims: [],
    })
    expect(first).toMatchObject({ number: 1, error: 'connection_reset' })
    expect(others).toMatchObject([2, 3].map((number) => ({ number, status_code: 500, answer: shown })))
    expect(result.request.jwt).toBe(receiver.received(path)[2]?.body)
  })

  test('A dry run of a receiver that does not answer has no response', async () => {
    const { dryRun } = await addHook('hook', { hang: true }, { timeout: '150ms' })
    const { result } = (await dryRun()).body
    expect(result).toMatchObject({
      status: 'dropped',
      attempts: Array(3).fill({ error: expect.stringMatching(/timeout$/) }),
    })
    expect(result).not.toHaveProperty('answer')
  })

  test('A dry run says what is wrong with a response that is no object', async () => {
    const { dryRun } = await addHook('hook', { body: '["a"]' })
    const attempts = [{ status_code: 200, error: 'answer_not_an_object', answer: '["a"]' }]
    expect((await dryRun()).body.result).toMatchObject({ status: 'dropped', reason: 'unusable_answer', attempts })
  })

  test('A dry run of a webhook without the trigger is 409, and calls nothing', async () => {
    const path = `/${ours.id}/event`
    const id = await addWebhook(signet, ours, receiver.url(path), ['PersonCreated_v1'])
    const noTrigger = refused(409, 'webhook: has no trigger sync_hook token_minted')
    expect(await ask('POST', `/organizations/webhooks/${id}/dry-run`)).toMatchObject(noTrigger)
    expect(receiver.received(path)).toEqual([])
  })

  test.each(['0199a3f2-0000-7000-8000-000000000000', 'x'])('A dry run of the unknown webhook %s is 404', async (id) => {
    const unknown = refused(404, 'webhook: not found')
    expect(await ask('POST', `/organizations/webhooks/${id}/dry-run`)).toMatchObject(unknown)
  })

  test('A dry run takes no body', async () => {
    const { resource } = await addHook('hook')
    expect(await ask('POST', `${resource}/dry-run`, { a: 1 })).toMatchObject(refused(400, 'body: must be empty'))
  })
})

describe('Hooks beside everything else', () => {
  test('Management operations run no hook', async () => {
    const { path, dryRun } = await addHook('hook')
    const { person_id } = (await ask('POST', '/persons', {})).body.result
    await ask('POST', '/groups', { name: 'staff' })
    await ask('PUT', `/persons/${person_id}/groups`, { groups: ['staff'] })
    await ask('DELETE', `/persons/${person_id}`)
    await ask('POST', '/test-events', [{ event_name: 'AuthenticationSucceeded_v1' }])
    await dryRun()
    expect(receiver.received(path)).toHaveLength(1)
  })

  test('Hooks that hang, as many as may and more that wait, do not hinder management operations and events', async () => {
    const { path, dryRun, resource } = await addHook('hanging', { inTurn: [{ hang: true }, {}] }, { timeout: '20s' })
    const runs = Array.from({ length: 200 }, dryRun)
    await receiver.waitFor(path, 1)
    const eventPath = `/${ours.id}/event`
    await addWebhook(signet, ours, receiver.url(eventPath), ['PersonCreated_v1'])
    for (let index = 0; index < 20; index++)
      expect((await ask('POST', '/groups', { name: `group-${index}` })).status).toBe(201)
    const { person_id } = (await ask('POST', '/persons', {})).body.result
    await receiver.waitFor(eventPath, 1)
    expect((await ask('DELETE', `/persons/${person_id}`)).status).toBe(204)
    expect((await ask('GET', resource)).status).toBe(200)
    // The first attempt of the first run is still under way: what is asked meanwhile takes some 1.3 s, and more on a busy machine.
    expect(receiver.received(path)).toHaveLength(1)
    const answers = await Promise.all(runs)
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200))
    const reasons = answers.map(({ body }) => body.result.reason)
    expect(reasons.filter((reason) => reason === 'no_slot').length).toBeGreaterThan(190)
  })

  test('A hook is called while an event uses all requests to receivers (connections and slots of its own)', async () => {
    const eventPath = `/${ours.id}/event`
    receiver.behave(eventPath, { hang: true })
    const id = await addWebhook(signet, ours, receiver.url(eventPath), ['PersonCreated_v1'], { timeout: '20s' })
    const { dryRun } = await addHook('hook', { body: '{"a":1}' })
    await ask('POST', '/persons', {})
    await receiver.waitFor(eventPath, 1)
    expect((await dryRun()).body.result).toMatchObject({ status: 'succeeded', claims: { a: 1 } })
    await ask('DELETE', `/organizations/webhooks/${id}`)
  })
})

test('The rate of dry runs is limited for each organization by itself', async () => {
  const limited = await startOwnSignet({ receiver, env: { SIGNET_RATE_DRY_RUNS: '1/2' } })
  const dryRunsOf = async (path: string) => {
    const organization = await limited.organization()
    const id = await addWebhook(limited, organization, receiver.url(path))
    const resource = `/organizations/webhooks/${id}`
    await limited.as(organization, 'POST', `${resource}/triggers`, trigger)
    const statuses: number[] = []
    for (let run = 0; run < 4; run++)
      statuses.push((await limited.as(organization, 'POST', `${resource}/dry-run`)).status)
    return statuses
  }
  try {
    expect(await dryRunsOf('/limited')).toEqual([200, 200, 429, 429])
    expect(await dryRunsOf('/as-many')).toEqual([200, 200, 429, 429])
  } finally {
    await limited.stop()
  }
})
