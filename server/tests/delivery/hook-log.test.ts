import type { JWTPayload } from 'jose'
import { describe, expect, test } from 'vitest'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { makeId } from '../../src/ground/runtime/identifiers.ts'
import {
  addHook,
  answering,
  claimsAt,
  clock,
  database,
  egress,
  failing,
  logged,
  logOf,
  makeHooks,
  organization,
  run,
  service,
  setUpHooks,
  trigger,
  useHooks,
  uuid,
} from '../support/hooks.ts'
import { writeLog } from '../support/log.ts'
import { refused } from '../support/refused.ts'

setUpHooks()

describe('The log of the operator', () => {
  test('A log line names the webhook of a hook that failed, and the cause of each attempt', async () => {
    const { id } = await addHook('hook', { inTurn: [failing, { reset: true }, failing] }, { on_failure: 'continue' })
    await addHook('fine')
    await run()
    expect(logged).toEqual([
      {
        organization_id: organization.id,
        webhook_id: id,
        run_id: expect.stringMatching(uuid),
        trigger_name: 'token_minted',
        reason: 'attempts_failed',
        attempts: [
          { duration_ms: expect.any(Number), status_code: 500 },
          { duration_ms: expect.any(Number), error: 'connection_reset' },
          { duration_ms: expect.any(Number), status_code: 500 },
        ],
      },
    ])
  })

  test('A run reports which hook failed it', async () => {
    const { id } = await addHook('hook', { body: '[]' })
    const detail = `webhook ${id}: unusable_answer, HTTP 200, answer_not_an_object`
    expect(await run()).toEqual({ outcome: 'failed', detail })
    expect(logged).toMatchObject([{ webhook_id: id, attempts: [{ status_code: 200, error: 'answer_not_an_object' }] }])
  })

  test('A log line tells a forbidden address from a name that does not exist, which the organization is not told', async () => {
    const forbidden = 'forbidden_address'
    useHooks(
      makeHooks({
        egress: { ...egress, post: async () => ({ kind: 'failed', error: forbidden, durationMs: 1 }) },
      }),
    )
    const { id } = await addHook('hook')
    expect(await run()).toEqual({ outcome: 'failed', detail: `webhook ${id}: attempts_failed, name_not_found` })
    const attempts = Array(3).fill({ error: 'name_not_found' })
    expect(await logOf(id)).toMatchObject([{ attempts }])
    expect(logged).toMatchObject([{ attempts: Array(3).fill({ error: forbidden }) }])
  })
})

describe('The delivery log', () => {
  const ask = (method: string, path: string, body?: unknown) => service.as(organization, method, path, body)
  const list = async (resource: string, query = ''): Promise<{ id: string }[]> =>
    (await ask('GET', `${resource}/deliveries?${query}`)).body.result
  const idsOf = (found: { id: string }[]) => found.map(({ id }) => id)

  test('The delivery log shows a run with its attempts, and the protected claims that were dropped', async () => {
    const { id, path, resource } = await addHook('hook', {
      inTurn: [failing, answering({ sub: 'other', plan: 'pro' })],
    })
    await run()
    const [first, second] = claimsAt(path)
    const record = {
      id: first?.sub,
      webhook_id: id,
      ...trigger,
      sub: first?.sub,
      status: 'succeeded',
      attempts_count: 2,
      last_status_code: 200,
      created_at: expect.any(String),
      finished_at: expect.any(String),
      dropped_claims: ['sub'],
    }
    const attemptOf = ({ trigger_content: _, ...claims }: JWTPayload = {}) => ({
      started_at: expect.any(String),
      duration_ms: expect.any(Number),
      jti: claims.jti,
      request: {
        kid: expect.any(String),
        // The base URL of the service that shows it, which is not the one that ran the hook here.
        claims: { ...claims, iss: 'http://localhost:8080' },
        header_names: expect.arrayContaining(['content-type']),
      },
    })
    const attempts = [
      { ...attemptOf(first), number: 1, status_code: 500, answer: 'broken' },
      { ...attemptOf(second), number: 2, status_code: 200 },
    ]
    expect(await list(resource)).toEqual([record])
    expect((await ask('GET', `${resource}/deliveries/${first?.sub}`)).body.result).toEqual({ ...record, attempts })
  })

  test('The delivery log can be filtered to runs alone, and to events alone', async () => {
    const { id, path, resource } = await addHook('hook', { inTurn: [{ body: '[]' }, {}] })
    await run()
    await run()
    const [dropped, succeeded] = claimsAt(path).map(({ sub }) => sub)
    const event = makeId(clock.now())
    await writeLog(database.write, { organizationId: organization.id, webhookId: id }, [event])
    const found: [string, (string | undefined)[]][] = [
      ['trigger_name=token_minted', [succeeded, dropped]],
      ['trigger_name=token_minted&status=dropped', [dropped]],
      ['trigger_name=token_minted&status=pending', []],
      ['trigger_name=PersonCreated_v1', [event]],
      ['status=succeeded', [event, succeeded]],
      ['', [event, succeeded, dropped]],
    ]
    for (const [query, ids] of found) expect({ query, ids: idsOf(await list(resource, query)) }).toEqual({ query, ids })
    expect(await list(resource, 'status=dropped')).toMatchObject([{ ...trigger, reason: 'unusable_answer' }])
  })

  test('A run cannot be repeated: 400, and a redelivery for a span of time leaves it as it is', async () => {
    const { id, path, resource } = await addHook('hook')
    await run()
    await ask('POST', `${resource}/triggers`, { trigger_type: 'event', trigger_name: 'PersonCreated_v1' })
    const event = makeId(clock.now())
    await writeLog(database.write, { organizationId: organization.id, webhookId: id }, [event])
    const [claims] = claimsAt(path)
    expect(await ask('POST', `${resource}/deliveries/${claims?.sub}/redeliver`)).toMatchObject(
      refused(400, 'delivery: is a hook run, which is over with its sign-in'),
    )
    const since = toTimestamp(clock.now() - 60_000)
    const until = toTimestamp(clock.now() + 60_000)
    expect((await ask('POST', `${resource}/redeliver`, { since, until })).status).toBe(202)
    expect(await list(resource)).toMatchObject([
      { id: event, status: 'pending' },
      { id: claims?.sub, status: 'succeeded' },
    ])
  })
})
