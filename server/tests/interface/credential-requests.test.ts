import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  ask,
  change,
  closeCredentials,
  collection,
  create,
  get,
  newOrganization,
  noCredential,
  openCredentials,
  ours,
  pathOf,
  required,
  signet,
} from '../support/own-credentials.ts'
import { keyNotValid, keyRequired, refused } from '../support/refused.ts'
import type { Headings } from '../support/signet.ts'

beforeAll(openCredentials)
afterAll(closeCredentials)
beforeEach(newOrganization)

describe('The client id in the path (4.1, 4.2)', () => {
  test.each([
    'https://example.com/client?a=b#c',
    'urn:client:1',
    '1-a.apps.example.com',
    'a/../b',
    '/',
    '.a',
    'a+b c',
    'a%2Fb',
    '%',
    ';',
    '~!$&\'()*,@"\\<>^`{|}',
    'c'.repeat(500),
    '%'.repeat(500),
  ])('The client id %j is found, changed and deleted, percent-encoded in the path', async (clientId) => {
    const created = (await create({ client_id: clientId })).body
    expect(created.result.client_id).toBe(clientId)
    expect((await get(clientId)).body).toEqual(created)
    const changed = await change({ label: 'Changed' }, clientId)
    expect(changed).toMatchObject({ status: 200, body: { result: { client_id: clientId, label: 'Changed' } } })
    expect(await ask('DELETE', pathOf(clientId))).toMatchObject({ status: 200, body: {} })
    expect(await get(clientId)).toMatchObject(noCredential)
  })

  test('A client id in the path may have only a colon and a period unencoded', async () => {
    await create({ client_id: 'urn:client.1' })
    expect((await ask('GET', `${collection}/urn:client.1`)).body.result.client_id).toBe('urn:client.1')
    await create({ client_id: 'a/b' })
    expect(await ask('GET', `${collection}/a/b`)).toMatchObject(refused(404, 'path: no such operation'))
  })

  test('A client id in the path is case-sensitive', async () => {
    await create()
    expect(await get('CLIENT')).toMatchObject(noCredential)
  })
})

describe('Unknown credentials (4.1, 4.2)', () => {
  test.each([
    ['GET', undefined],
    ['PATCH', { label: 'Other' }],
    ['DELETE', undefined],
  ])(
    '%s of a credential is 404 for an unknown client id, and for that of another organization',
    async (method, body) => {
      await create({ client_id: 'theirs' })
      await newOrganization()
      for (const clientId of ['unknown', 'theirs', '\u00e9'])
        expect(await ask(method, pathOf(clientId), body)).toMatchObject(noCredential)
    },
  )
})

describe('Malformed credential requests (4.1, 4.2)', () => {
  test.each(['GET', 'PATCH'])(
    '%s of a credential is 400 without an organization, and for a path that is no text',
    async (method) => {
      const body = method === 'PATCH' ? {} : undefined
      const noOrganization = refused(400, 'Service-OrgID: is required')
      expect(await signet.call(method, pathOf('client'), {}, body)).toMatchObject(noOrganization)
      const badPath = refused(400, 'path: must be well-formed percent-encoded text')
      expect(await ask(method, `${collection}/%E0%A4`, body)).toMatchObject(badPath)
    },
  )

  test('PATCH of a credential is 400 for an unknown consistency level or timeout', async () => {
    await create()
    const path = pathOf('client')
    const level = { 'Service-Required-Consistency': 'everywhere' }
    expect((await signet.as(ours, 'PATCH', path, {}, level)).status).toBe(400)
    const timeout = { 'Service-Required-Consistency-Timeout': '121' }
    expect((await signet.as(ours, 'PATCH', path, {}, timeout)).status).toBe(400)
    const lawful = { 'Service-Required-Consistency': 'all_regions', 'Service-Required-Consistency-Timeout': '120' }
    expect((await signet.as(ours, 'PATCH', path, {}, lawful)).status).toBe(200)
  })
})

describe('Credential requests without a valid key', () => {
  test.each<[string, string, object | undefined]>([
    ['GET', collection, undefined],
    ['POST', collection, { ...required, client_id: 'other' }],
    ['GET', pathOf('client'), undefined],
    ['PATCH', pathOf('client'), { label: 'Changed' }],
    ['DELETE', pathOf('client'), undefined],
  ])('%s %s is 401 without an API key, or with an invalid one (5, rule 4)', async (method, path, body) => {
    await create()
    const theirs = await signet.organization()
    for (const key of [undefined, '', 'wrong', theirs.apiKey]) {
      const headers: Headings = { 'Service-OrgID': ours.id, ...(key !== undefined && { 'Service-API-Key': key }) }
      expect(await signet.call(method, path, headers, body)).toMatchObject(key ? keyNotValid : keyRequired)
    }
    const { body: list } = await ask('GET', collection)
    expect(list.result).toMatchObject([{ client_id: 'client', label: '' }])
  })
})

describe('Read-only keys', () => {
  test.each([
    ['POST', collection, required],
    ['PATCH', pathOf('client'), {}],
    ['DELETE', pathOf('client'), undefined],
  ])('%s %s is 403 for a read-only key', async (method, path, body) => {
    const key = await ask('POST', '/organizations/api-keys', { read_only: true })
    const readOnly = { id: ours.id, apiKey: key.body.result.api_key }
    const answer = await signet.as(readOnly, method, path, body)
    expect(answer).toMatchObject(
      refused(403, 'Service-API-Key: this key is read-only; it lacks the scope credentials:write'),
    )
  })
})
