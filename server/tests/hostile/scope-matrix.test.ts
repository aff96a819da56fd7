import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyExpired, keyNotValid, keyRequired, operatorKeyNotValid, operatorKeyRequired } from '../support/refused.ts'
import { type Answer, type Headings, type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { type Operation, readOperations } from './support/document.ts'
import { spread } from './support/form.ts'
import { unreachedRates } from './support/rates.ts'

/** For some three thousand calls. */
const patience = 600_000
const atOnce = 8
const unknownId = '01890000-0000-7000-8000-000000000000'

let signet: OwnSignet
let ours: Organization
let other: Organization
let operations: Operation[]
let scopes: string[]

beforeAll(async () => {
  signet = await startOwnSignet({ env: { ...unreachedRates, SIGNET_ROLES: 'api' } })
  ours = await signet.organization()
  other = await signet.organization()
  operations = await readOperations(signet)
  scopes = (await signet.as(ours, 'GET', '/organizations/api-keys')).body.result[0].scopes
})

afterAll(() => signet?.stop())

const newKey = async (fields: object): Promise<Organization & { keyId: string }> => {
  const { status, body } = await signet.as(ours, 'POST', '/organizations/api-keys', fields)
  expect(status, JSON.stringify(body)).toBe(201)
  return { id: ours.id, apiKey: body.result.api_key, keyId: body.result.id }
}

const headersOf = ({ id, apiKey }: Organization): Headings => ({ 'Service-OrgID': id, 'Service-API-Key': apiKey })

/** Its things do not exist, and its body is missing or no good: whether the caller may is decided before. */
function call({ method, path }: Operation, headers: Headings): Promise<Answer> {
  const address = path.replaceAll(/\{\w+\}/g, unknownId)
  return signet.call(method, address, headers, method === 'GET' ? undefined : '{')
}

const covers = (given: string[], scope: string) =>
  given.includes(scope) || given.includes(scope.replace(/read$/, 'write'))

async function inTurn<Item>(items: Item[], work: (item: Item) => Promise<void>) {
  const waiting = [...items]
  const next = async () => {
    for (let item = waiting.shift(); item; item = waiting.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, next))
}

/** Every operation that takes a key, with each of the keys. */
async function matrix(keys: { name: string; scopes: string[]; headers: Headings }[]) {
  const keyed = operations.filter(({ access }) => access === 'key')
  expect(keyed.length).toBeGreaterThan(50)
  const all = keyed.flatMap((operation) => keys.map((key) => ({ operation, key })))
  await inTurn(spread(all, 150), async ({ operation, key }) => {
    const isAllowed = !operation.isAdminOnly && operation.scopes.every((scope) => covers(key.scopes, scope))
    const { status, body } = await call(operation, key.headers)
    const where = `${operation.name} with ${key.name}: ${status} ${JSON.stringify(body)}`
    if (!isAllowed)
      return expect({ status, ...body }, where).toMatchObject({ status: 403, errors: [{ httpcode: 403 }] })
    expect([401, 403], where).not.toContain(status)
  })
}

test('An operation is open to a key with its scopes, and to no other: each scope alone', {
  timeout: patience,
}, async () => {
  const keys = await Promise.all(
    scopes.map(async (scope) => ({
      name: scope,
      scopes: [scope],
      headers: headersOf(await newKey({ scopes: [scope] })),
    })),
  )
  await matrix(keys)
})

test('An operation is open to a key with its scopes, and to no other: all but one, and all that read', {
  timeout: patience,
}, async () => {
  const lacking = (scope: string) => scopes.filter((each) => !covers([each], scope))
  const without = await Promise.all(
    scopes.map(async (scope) => ({
      name: `all but ${scope}`,
      scopes: lacking(scope),
      headers: headersOf(await newKey({ scopes: lacking(scope) })),
    })),
  )
  const reading = scopes.filter((scope) => scope.endsWith(':read'))
  const readOnly = { name: 'read_only', scopes: reading, headers: headersOf(await newKey({ read_only: true })) }
  await matrix([...without, readOnly])
})

test('No operation is open to a key that is revoked, expired, of another organization, spoilt, or missing', {
  timeout: patience,
}, async () => {
  const revoked = await newKey({})
  await signet.as(ours, 'DELETE', `/organizations/api-keys/${revoked.keyId}`)
  const expires_at = new Date(Date.now() + 1_500).toISOString()
  const expired = await newKey({ expires_at })
  const reading = () => signet.as(expired, 'GET', '/organizations/api-keys')
  await expect.poll(reading, { timeout: 30_000 }).toMatchObject(keyExpired)
  const { id } = ours
  const keys: { name: string; headers: Headings; refusal: object }[] = [
    { name: 'a revoked key', headers: headersOf(revoked), refusal: keyNotValid },
    { name: 'an expired key', headers: headersOf(expired), refusal: keyExpired },
    { name: 'the key of another', headers: headersOf({ ...other, id }), refusal: keyNotValid },
    { name: 'a key for another', headers: headersOf({ ...ours, id: other.id }), refusal: keyNotValid },
    { name: 'a spoilt key', headers: headersOf({ id, apiKey: `${ours.apiKey}x` }), refusal: keyNotValid },
    { name: 'the operator key', headers: headersOf({ id, apiKey: signet.operatorKey }), refusal: keyNotValid },
    { name: 'no key', headers: { 'Service-OrgID': id }, refusal: keyRequired },
  ]
  const keyed = operations.filter(({ access }) => access === 'key')
  const all = keyed.flatMap((operation) => keys.map((key) => ({ operation, key })))
  await inTurn(spread(all, 100), async ({ operation, key }) => {
    expect(await call(operation, key.headers), `${operation.name} with ${key.name}`).toMatchObject(key.refusal)
  })
})

test('No operation of the operator is open to an API key, nor to a wrong operator key', async () => {
  const ofOperator = operations.filter(({ access }) => access === 'operator')
  expect(ofOperator.length).toBeGreaterThan(4)
  for (const operation of ofOperator) {
    expect(await call(operation, headersOf(ours)), operation.name).toMatchObject(operatorKeyRequired)
    const wrong = { 'Service-Operator-Key': ours.apiKey }
    expect(await call(operation, wrong), operation.name).toMatchObject(operatorKeyNotValid)
  }
})
