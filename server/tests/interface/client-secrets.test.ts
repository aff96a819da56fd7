import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { application } from '../support/browser.ts'
import { closeIssuer, issuers, openIssuer, organization, send } from '../support/own-issuer.ts'
import { refused } from '../support/refused.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

type Created = { client_id: string; client_secret: string; id: string }
let first: Created
let at: string

const ask = (method: string, path: string, body?: unknown) => issuers.as(organization, method, path, body)
const add = (body: object = {}) => ask('POST', at, body)
const list = async () => (await ask('GET', at)).body.result as { id: string; expires_at?: string }[]
const last = refused(409, 'client secret: the last one cannot be deleted: add another one first, or rotate it')
const full = refused(409, 'client secrets: an application has at most 2: delete one that is no longer used')
const soon = () => new Date(issuers.clock.now() + 60_000).toISOString()

async function create(fields: object = { confidential: true }): Promise<Created> {
  const body = { name: 'Shop', redirect_uris: [`${application}callback`], ...fields }
  return (await ask('POST', '/organizations/applications', body)).body.result
}

beforeEach(async () => {
  first = await create()
  at = `/organizations/applications/${first.client_id}/secrets`
})

/** Whether the token endpoint takes it: the code is unknown to an application that is known. */
async function isTaken(client_secret: string): Promise<boolean> {
  const body = { grant_type: 'authorization_code', code: 'x', redirect_uri: 'x', client_id: first.client_id }
  const answer = await send('/token', { method: 'POST', body: new URLSearchParams({ ...body, client_secret }) })
  const { error } = (await answer.json()) as { error: string }
  expect(['invalid_grant', 'invalid_client']).toContain(error)
  return error === 'invalid_grant'
}

describe('Client secrets', () => {
  test('Two of them work at once, each shown once, and a third is refused', async () => {
    const { status, body } = await add()
    expect({ status, result: body.result }).toEqual({
      status: 201,
      result: {
        client_id: first.client_id,
        id: expect.any(String),
        created_at: expect.any(String),
        client_secret: expect.stringMatching(/^signet_secret_[\w-]{43}$/),
      },
    })
    for (const secret of [first.client_secret, body.result.client_secret]) expect(await isTaken(secret)).toBe(true)
    expect(await isTaken('signet_secret_x')).toBe(false)
    expect(await add()).toMatchObject(full)
    const { client_id, client_secret, ...shown } = body.result
    expect(await list()).toEqual([{ id: expect.any(String), created_at: expect.any(String) }, shown])
    expect(JSON.stringify(await ask('GET', '/organizations/audit-log'))).not.toContain(client_secret)
  })

  test('One that is deleted is refused, and the other one is not', async () => {
    const { body } = await add()
    const [oldest] = await list()
    expect((await ask('DELETE', `${at}/${oldest?.id}`)).status).toBe(204)
    expect(await isTaken(first.client_secret)).toBe(false)
    expect(await isTaken(body.result.client_secret)).toBe(true)
    expect(await ask('DELETE', `${at}/${oldest?.id}`)).toMatchObject(refused(404, 'client secret: not found'))
    expect(await ask('DELETE', `${at}/x`)).toMatchObject(refused(404, 'client secret: not found'))
    expect(await ask('DELETE', `${at}/${body.result.id}`)).toMatchObject(last)
    expect(await isTaken(body.result.client_secret)).toBe(true)
  })

  test('One that has expired is refused, makes room for another, and is not counted as the last', async () => {
    const expires_at = soon()
    const { body } = await add({ expires_at })
    expect(body.result.expires_at).toBe(expires_at)
    expect(await isTaken(body.result.client_secret)).toBe(true)
    issuers.clock.advance(60_000)
    expect(await isTaken(body.result.client_secret)).toBe(false)
    const [oldest, expired] = await list()
    expect(expired?.id).toBe(body.result.id)
    expect(await ask('DELETE', `${at}/${oldest?.id}`)).toMatchObject(last)
    expect((await add()).status).toBe(201)
    expect((await list()).map(({ id }) => id)).not.toContain(expired?.id)
    expect(await add()).toMatchObject(full)
  })

  test('A rotation ends them all, as before', async () => {
    const { body } = await add()
    const rotated = await ask('POST', `/organizations/applications/${first.client_id}/client-secret`)
    for (const secret of [first.client_secret, body.result.client_secret]) expect(await isTaken(secret)).toBe(false)
    expect(await isTaken(rotated.body.result.client_secret)).toBe(true)
    expect(await list()).toHaveLength(1)
  })

  test('A public application has none, and loses those that it had', async () => {
    await add()
    await ask('PATCH', `/organizations/applications/${first.client_id}`, { confidential: false })
    expect(await list()).toEqual([])
    expect(await add()).toMatchObject(
      refused(409, 'confidential: must be true, for a public application has no client secret'),
    )
    const { body } = await ask('PATCH', `/organizations/applications/${first.client_id}`, { confidential: true })
    expect(await isTaken(first.client_secret)).toBe(false)
    expect(await isTaken(body.result.client_secret)).toBe(true)
  })

  test.each([{ expires_at: '2020-01-01T00:00:00Z' }, { expires_at: 'soon' }, { name: 'x' }])(
    'A secret with %j is refused',
    async (body) => {
      expect((await add(body)).status).toBe(400)
      expect(await list()).toHaveLength(1)
    },
  )

  test('Ten at once leave two', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => add()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9)
    expect(await list()).toHaveLength(2)
  })

  test('They are not found for another organization', async () => {
    const [secret] = await list()
    const theirs = await issuers.organization()
    for (const [method, path] of [
      ['GET', at],
      ['POST', at],
      ['DELETE', `${at}/${secret?.id}`],
    ] as const)
      expect(await issuers.as(theirs, method, path)).toMatchObject(refused(404, 'application: not found'))
    expect(await isTaken(first.client_secret)).toBe(true)
  })

  test('A secret that an older release has written is the only one', async () => {
    const { body } = await add()
    const other = await create()
    await issuers.database.write.rows(sql`
      update applications set client_secret_hash = (
        select client_secret_hash from applications where client_id = ${other.client_id})
       where client_id = ${first.client_id}`)
    await ask('PATCH', `/organizations/applications/${first.client_id}`, {})
    issuers.clock.advance(3_000)
    expect(await isTaken(other.client_secret)).toBe(true)
    for (const secret of [first.client_secret, body.result.client_secret]) expect(await isTaken(secret)).toBe(false)
    expect((await add()).status).toBe(201)
    expect(await isTaken(other.client_secret)).toBe(true)
  })
})
