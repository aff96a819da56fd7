import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ask,
  behindProxies,
  closeShell,
  newKey,
  openShell,
  ours,
  patience,
  readOnly,
  signet,
  theirs,
  unknownId,
} from '../support/own-shell.ts'
import {
  keyExpired,
  keyNotValid,
  keyRequired,
  operatorKeyNotValid,
  operatorKeyRequired,
  refused,
} from '../support/refused.ts'
import type { Organization } from '../support/signet.ts'

beforeAll(openShell)
afterAll(closeShell)

describe('Service-OrgID', () => {
  test('A missing Service-OrgID is 400 (4)', async () => {
    const answer = await signet.call('GET', '/groups', { 'Service-API-Key': ours.apiKey })
    expect(answer).toMatchObject(refused(400, 'Service-OrgID: is required'))
  })

  test.each([
    '',
    'x',
    '0',
    unknownId.replaceAll('-', ''),
    `{${unknownId}}`,
    `${unknownId}0`,
    `${unknownId}, ${unknownId}`,
  ])('The Service-OrgID %j is no UUID: 400 (4)', async (id) => {
    const answer = await signet.as({ ...ours, id }, 'GET', '/groups')
    expect(answer).toMatchObject(refused(400, 'Service-OrgID: must be a UUID'))
  })

  test('A Service-OrgID in upper case is accepted', async () => {
    expect((await signet.as({ ...ours, id: ours.id.toUpperCase() }, 'GET', '/groups')).status).toBe(200)
  })

  test('The Service-OrgID of an unknown organization is 404 where no key is asked for, and no key is needed there (5, rule 3)', async () => {
    const keySet = (id: string) =>
      signet.call('GET', '/organizations/webhooks/verification-jwks', { 'Service-OrgID': id })
    expect(await keySet(unknownId)).toMatchObject(refused(404, 'organization: not found'))
    expect((await keySet(theirs.id)).status).toBe(200)
  })
})

describe('Service-API-Key', () => {
  const wrongKeys: Record<string, () => Promise<Organization> | Organization> = {
    'what is no key': () => ({ ...ours, apiKey: 'secret' }),
    'a key with another checksum': () => ({ ...ours, apiKey: `${ours.apiKey.slice(0, -7)}0000000` }),
    'a key in upper case': () => ({ ...ours, apiKey: ours.apiKey.toUpperCase() }),
    'a key of another organization': () => ({ ...ours, apiKey: theirs.apiKey }),
    "the operator's key": () => ({ ...ours, apiKey: signet.operatorKey }),
    'an unknown organization': () => ({ ...ours, id: unknownId }),
    'a deleted organization': async () => {
      const deleted = await signet.organization()
      await signet.operate('DELETE', `/organizations/${deleted.id}`)
      return deleted
    },
    'a revoked key': async () => {
      const revoked = await newKey({})
      expect((await signet.as(revoked, 'GET', '/groups')).status).toBe(200)
      await ask('DELETE', `/organizations/api-keys/${revoked.keyId}`)
      return revoked
    },
    'an expired key of another organization': async () => ({ ...(await newExpiredKey()), id: theirs.id }),
  }

  test.each(Object.keys(wrongKeys))('A request with %s is 401, like all the others', async (name) => {
    const caller = await wrongKeys[name]?.()
    for (const method of ['GET', 'POST']) {
      const { status, body } = await signet.as(
        caller as Organization,
        method,
        '/groups',
        method === 'POST' ? {} : undefined,
      )
      expect({ status, body }).toEqual(keyNotValid)
    }
  })

  test('A missing or empty Service-API-Key is 401, and the reply names the header that is required (5, rule 2)', async () => {
    const organization = { 'Service-OrgID': ours.id }
    expect(await signet.call('GET', '/groups', organization)).toMatchObject(keyRequired)
    expect(await signet.call('GET', '/groups', { ...organization, 'Service-API-Key': '' })).toMatchObject(keyRequired)
  })

  test('A Service-API-Key that has expired is 401, and the reply says so', async () => {
    const expired = await newExpiredKey()
    expect(await signet.as(expired, 'GET', '/groups')).toMatchObject(keyExpired)
    expect(await signet.as(expired, 'POST', '/groups', {})).toMatchObject(keyExpired)
  })

  async function newExpiredKey() {
    const expiring = await newKey({ expires_at: new Date(Date.now() + 5_000).toISOString() })
    expect((await signet.as(expiring, 'GET', '/groups')).status).toBe(200)
    await expect.poll(async () => (await signet.as(expiring, 'GET', '/groups')).status, patience).toBe(401)
    return expiring
  }

  test('A read-only key is 403 on what writes and accepted on what reads', async () => {
    const refusal = refused(403, 'Service-API-Key: this key is read-only; it lacks the scope groups:write')
    expect(await signet.as(readOnly, 'POST', '/groups', { name: 'read-only' })).toMatchObject(refusal)
    expect(await signet.as(readOnly, 'DELETE', '/groups/read-only')).toMatchObject(refusal)
    expect((await signet.as(readOnly, 'GET', '/groups')).status).toBe(200)
    expect((await ask('GET', '/groups/read-only')).status).toBe(404)
  })

  test('A Service-API-Key is asked for before anything is said of the request', async () => {
    const headers = { 'Service-OrgID': ours.id, 'Service-Required-Consistency': 'x', 'content-type': 'text/plain' }
    expect(await signet.call('POST', '/groups', headers, '{')).toMatchObject(keyRequired)
  })
})

describe('Service-Operator-Key', () => {
  test.each([
    ['missing', {}, operatorKeyRequired],
    ['wrong', { 'Service-Operator-Key': 'operator-key-for-tests-9999999999' }, operatorKeyNotValid],
    ['empty', { 'Service-Operator-Key': '' }, operatorKeyRequired],
  ])('A %s Service-Operator-Key is 401', async (_name, headers, refusal) => {
    expect(await signet.call('GET', '/organizations', headers)).toMatchObject(refusal)
  })

  test('A Service-Operator-Key cannot be replaced by an API key, nor replace one', async () => {
    expect(await ask('GET', '/organizations')).toMatchObject(operatorKeyRequired)
    const headers = { 'Service-OrgID': ours.id, 'Service-Operator-Key': signet.operatorKey }
    expect(await signet.call('GET', '/groups', headers)).toMatchObject(keyRequired)
  })

  test('A Service-Operator-Key is enough without Service-OrgID', async () => {
    expect((await signet.operate('GET', '/organizations')).status).toBe(200)
  })

  test('A Service-Operator-Key is refused by a service that has none', async () => {
    const headers = { 'Service-Operator-Key': signet.operatorKey }
    expect(await behindProxies.call('GET', '/organizations', headers)).toMatchObject(operatorKeyNotValid)
  })
})
