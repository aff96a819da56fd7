import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/ground/database/database.ts'
import { removeExpired } from '../../src/start/remove-expired.ts'
import {
  ask,
  auditOf,
  closeDirectories,
  createDirectory,
  createToken,
  inside,
  made,
  newOrganization,
  openDirectories,
  ours,
  pathOf,
  scim,
  signet,
} from '../support/own-directories.ts'
import { refused } from '../support/refused.ts'

const hourMs = 3_600_000
const notOpen = refused(404, 'token: is that of no open link; a link is open until it is used or deleted, or expires')

beforeAll(openDirectories)
afterAll(closeDirectories)

/** A client address for each test. */
let address: string
let addresses = 0
let directory: { id: string }
beforeEach(async () => {
  address = `198.51.100.${++addresses}`
  await newOrganization()
  directory = await createDirectory()
})

const create = (fields: object = {}) => made(ask('POST', pathOf(directory, '/links'), fields))
const tokenOf = ({ url }: { url: string }) => url.split('#')[1] as string
const list = async () => (await ask('GET', pathOf(directory, '/links'))).body.result
/** As the page of a link does it, without a key. */
const send = (path: string, token: string) =>
  signet.call('POST', `/console/directory-link${path}`, { 'x-forwarded-for': address }, { token })
const open = (token: string) => send('', token)
const use = (token: string) => send('/token', token)

describe('A directory link', () => {
  test('It is shown once with its address, and lives for 72 hours', async () => {
    const { url, ...shown } = await create({ name: 'Okta' })
    const token = `${ours.id.replaceAll('-', '')}[0-9a-f]{64}`
    expect(url).toMatch(new RegExp(`^${signet.baseUrl}/console/directory-link#${token}$`))
    expect(shown).toEqual({
      id: expect.any(String),
      name: 'Okta',
      created_at: expect.any(String),
      expires_at: expect.any(String),
    })
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(72 * hourMs)
    expect(await list()).toEqual([shown])
    const { rows } = await inside.query('select to_jsonb(l)::text as row from directory_links l')
    expect(rows.map(({ row }) => row).join()).not.toContain(url.slice(-64))
  })

  test('Opening it tells whose directory it is, and does not use it up', async () => {
    const link = await create()
    for (let count = 0; count < 2; count++)
      expect(await open(tokenOf(link))).toMatchObject({
        status: 200,
        body: {
          result: {
            organization_name: expect.any(String),
            directory_name: 'Corp staff',
            scim_url: `${signet.baseUrl}/scim/${ours.id}/v2`,
            expires_at: link.expires_at,
          },
        },
      })
  })

  test('Using it makes one token of its name, which is accepted, by the link in the audit log', async () => {
    const link = await create({ name: 'Okta' })
    const { status, body } = await use(tokenOf(link))
    expect({ status, result: body.result }).toEqual({
      status: 201,
      result: { scim_url: `${signet.baseUrl}/scim/${ours.id}/v2`, token: expect.stringMatching(/^signet_scim_/) },
    })
    expect((await scim(body.result.token, 'GET', '/Users')).status).toBe(200)
    expect((await ask('GET', pathOf(directory, '/tokens'))).body.result).toMatchObject([{ name: 'Okta' }])
    const [entry] = await auditOf('action=useDirectoryLink')
    expect(entry).toMatchObject({
      actor: { type: 'link', id: link.id, name: 'Okta' },
      target: { type: 'directory_token' },
      after: { token: '***' },
    })
    for (const again of [open, use]) expect(await again(tokenOf(link))).toMatchObject(notOpen)
    expect(await list()).toEqual([])
  })

  test('Of several at once one uses it', async () => {
    const token = tokenOf(await create())
    const answers = await Promise.all(Array.from({ length: 5 }, () => use(token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404, 404, 404, 404])
    expect((await ask('GET', pathOf(directory, '/tokens'))).body.result).toHaveLength(1)
  })

  test('What is refused leaves it open', async () => {
    const token = tokenOf(await create())
    await Promise.all(Array.from({ length: 20 }, () => createToken(directory)))
    expect(await use(token)).toMatchObject(refused(409, 'tokens: the directory has 20 already; revoke one'))
    const [{ id }] = (await ask('GET', pathOf(directory, '/tokens'))).body.result
    await ask('DELETE', pathOf(directory, `/tokens/${id}`))
    expect((await use(token)).status).toBe(201)
  })

  test('One that was deleted, has expired, or whose directory is gone opens nothing', async () => {
    const deleted = await create()
    expect((await ask('DELETE', pathOf(directory, `/links/${deleted.id}`))).status).toBe(204)
    expect((await ask('DELETE', pathOf(directory, `/links/${deleted.id}`))).status).toBe(404)
    const expired = await create()
    await inside.query('update directory_links set expires_at = now() where id = $1', [expired.id])
    const orphan = await create()
    await ask('DELETE', pathOf(directory))
    for (const link of [deleted, expired, orphan])
      for (const attempt of [open, use]) expect(await attempt(tokenOf(link))).toMatchObject(notOpen)
    expect((await auditOf('action=deleteDirectoryLink'))[0]).toMatchObject({ target: { id: deleted.id } })
  })

  test('After twenty made-up tokens from one address: 429; a right one does not count', async () => {
    const token = tokenOf(await create())
    for (let count = 0; count < 25; count++) expect((await open(token)).status).toBe(200)
    for (let count = 0; count < 20; count++) expect((await open(`${count}`)).status).toBe(404)
    expect((await open('guess')).status).toBe(429)
    expect((await use(token)).status).toBe(429)
    address = `203.0.113.${addresses}`
    expect((await use(token)).status).toBe(201)
  })

  test('A directory has at most 20 open ones', async () => {
    for (let count = 0; count < 20; count++) await create()
    const full = refused(409, 'directory links: there are 20 open ones already; delete one')
    expect(await ask('POST', pathOf(directory, '/links'), {})).toMatchObject(full)
    const [{ id }] = await list()
    await ask('DELETE', pathOf(directory, `/links/${id}`))
    await create()
  })

  test('Its row goes eight days after its end', async () => {
    const link = await create()
    const ids = async () => (await inside.query('select id from directory_links where id = $1', [link.id])).rows.length
    const database = openDatabase(signet.database)
    const sweep = (now: number) => removeExpired(database.write, { now: () => now }, new AbortController().signal)
    const end = Date.parse(link.expires_at) + 8 * 24 * hourMs
    await sweep(end - 1)
    expect(await ids()).toBe(1)
    await sweep(end + 1)
    expect(await ids()).toBe(0)
    await database.close()
  })
})
