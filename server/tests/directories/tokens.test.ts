import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  auditOf,
  closeDirectories,
  createDirectory,
  createToken,
  inside,
  newOrganization,
  openDirectories,
  ours,
  pathOf,
  scim,
  signet,
} from '../support/own-directories.ts'
import { refused } from '../support/refused.ts'

beforeAll(openDirectories)
afterAll(closeDirectories)

let directory: { id: string }
beforeEach(async () => {
  await newOrganization()
  directory = await createDirectory()
})

const later = new Date(Date.now() + 3_600_000).toISOString()
const listed = async () => (await ask('GET', pathOf(directory, '/tokens'))).body.result
const isAccepted = async (token: string) => (await scim(token, 'GET', '/Users')).status === 200

describe('A token of a directory', () => {
  test('It is shown once, begins with a prefix of its own and the organization, and is stored as a hash', async () => {
    const { status, body } = await ask('POST', pathOf(directory, '/tokens'), { name: 'Okta', expires_at: later })
    expect(status).toBe(201)
    const { token, ...shown } = body.result
    expect(token).toMatch(new RegExp(`^signet_scim_${ours.id.replaceAll('-', '')}[0-9A-Za-z]{43}[0-9a-z]{7}$`))
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'Okta',
      created_at: expect.any(String),
      expires_at: new Date(later).toISOString(),
    })
    expect(await listed()).toEqual([shown])
    const { rows } = await inside.query('select to_jsonb(t)::text as row from directory_tokens t')
    expect(rows.map(({ row }) => row).join()).not.toContain(token.slice(-50))
    const [entry] = await auditOf('action=createDirectoryToken')
    expect(entry).toMatchObject({
      target: { type: 'directory_token', id: shown.id, name: 'Okta' },
      after: { token: '***', directory_id: directory.id },
    })
  })

  test('Several are accepted at once; one that is revoked is refused from the next request on', async () => {
    const tokens = [await createToken(directory), await createToken(directory)] as const
    for (const token of tokens) expect(await isAccepted(token)).toBe(true)
    const [second, first] = await listed()
    expect((await ask('DELETE', pathOf(directory, `/tokens/${first.id}`))).status).toBe(204)
    expect([await isAccepted(tokens[0]), await isAccepted(tokens[1])]).toEqual([false, true])
    expect((await listed()).map(({ id }: { id: string }) => id)).toEqual([second.id])
    const noToken = refused(404, 'token: not found')
    expect(await ask('DELETE', pathOf(directory, `/tokens/${first.id}`))).toMatchObject(noToken)
    expect(await ask('DELETE', pathOf(directory, '/tokens/none'))).toMatchObject(noToken)
  })

  test('2: one that has expired is refused, and told so', async () => {
    const token = await createToken(directory, { expires_at: later })
    expect(await isAccepted(token)).toBe(true)
    await inside.query(`update directory_tokens set expires_at = now() where org_id = $1`, [ours.id])
    const { status, body } = await scim(token, 'GET', '/Users')
    expect({ status, detail: body.detail }).toEqual({ status: 401, detail: expect.stringContaining('has expired') })
  })

  test('4: it opens nothing but its own SCIM, and an API key does not open that', async () => {
    const token = await createToken(directory)
    expect((await signet.as({ id: ours.id, apiKey: token }, 'GET', '/groups')).status).toBe(401)
    expect((await scim(ours.apiKey, 'GET', '/Users')).status).toBe(401)
    const other = { id: '01890000-0000-7000-8000-000000000000', apiKey: '' }
    expect((await scim(token, 'GET', '/Users', undefined, other)).status).toBe(401)
  })

  test('69: it is refused while its directory is switched off, and accepted again', async () => {
    const token = await createToken(directory)
    await ask('PATCH', pathOf(directory), { enabled: false })
    expect(await isAccepted(token)).toBe(false)
    await ask('PATCH', pathOf(directory), { enabled: true })
    expect(await isAccepted(token)).toBe(true)
  })

  test('Its use shows with it and with the directory, to the minute', async () => {
    const token = await createToken(directory)
    expect((await listed())[0]).not.toHaveProperty('last_used_at')
    await isAccepted(token)
    await expect.poll(async () => (await listed())[0].last_used_at).toMatch(/:00\.000Z$/)
    const [shown] = await listed()
    expect((await ask('GET', pathOf(directory))).body.result.last_request_at).toBe(shown.last_used_at)
  })

  test('A directory has at most 20; one that has expired gives room', async () => {
    await Promise.all(Array.from({ length: 20 }, () => createToken(directory)))
    const full = refused(409, 'tokens: the directory has 20 already; revoke one')
    expect(await ask('POST', pathOf(directory, '/tokens'), {})).toMatchObject(full)
    const [{ id }] = await listed()
    await inside.query('update directory_tokens set expires_at = now() where id = $1', [id])
    expect((await ask('POST', pathOf(directory, '/tokens'), {})).status).toBe(201)
    expect(await listed()).toHaveLength(20)
  })

  test.each<[object, string]>([
    [{ expires_at: '2020-01-01T00:00:00Z' }, 'expires_at: must be in the future'],
    [{ expires_at: 'soon' }, 'expires_at: must be a time as in RFC 3339'],
    [{ name: '' }, 'name: must be 1 to 200 characters'],
    [{ scopes: [] }, 'scopes: is not a known field'],
  ])('%j is refused', async (fields, problem) => {
    expect(await ask('POST', pathOf(directory, '/tokens'), fields)).toMatchObject(refused(400, problem))
    expect(await listed()).toEqual([])
  })
})

describe('What was refused of a directory', () => {
  const refusals = async () => (await ask('GET', pathOf(directory, '/refusals'))).body.result

  test('It is listed, the newest first, and the last one is with the directory', async () => {
    const token = await createToken(directory)
    expect(await refusals()).toEqual([])
    await scim(token, 'POST', '/Users?attributes=id', { schemas: [], userName: 7 })
    await scim(token, 'DELETE', '/Users/none')
    await expect.poll(async () => (await refusals()).length).toBe(2)
    const [newest, oldest] = await refusals()
    expect(newest).toEqual({
      at: expect.any(String),
      method: 'DELETE',
      path: '/Users/none',
      status: 404,
      detail: expect.any(String),
    })
    expect(oldest).toMatchObject({ method: 'POST', path: '/Users', status: 400 })
    expect((await ask('GET', pathOf(directory))).body.result.last_refusal).toEqual(newest)
  })

  test('The last hundred are kept', async () => {
    const token = await createToken(directory)
    for (let count = 0; count < 104; count++) await scim(token, 'DELETE', `/Users/${count}`)
    await expect.poll(async () => (await refusals())[0].path).toBe('/Users/103')
    const kept = await refusals()
    expect(kept).toHaveLength(100)
    expect(kept.at(-1)).toMatchObject({ path: '/Users/4' })
  })
})
