import { execFileSync, spawnSync } from 'node:child_process'
import type { webcrypto } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

type Key = webcrypto.JsonWebKey & { kid: string }
type Claims = { sub: string; aud: string }
/** Gives the claims of a JWT that is signed with one of the keys; rejects what is not. */
type Verifier = (body: string, keys: Key[]) => Promise<Claims>

let folder: string

const openssl: Verifier = async (body, keys) => {
  const file = join(folder, 'key-set.json')
  writeFileSync(file, JSON.stringify({ keys }))
  const script = join(import.meta.dirname, '../support/verify-webhook.sh')
  return JSON.parse(execFileSync('sh', [script, file], { input: body, stdio: 'pipe' }).toString())
}

/** The cryptography of browsers: also without a line of Signet's or of a JOSE library. */
const webCrypto: Verifier = async (body, keys) => {
  const [header = '', payload = '', signature = ''] = body.split('.')
  const decode = (text: string) => Buffer.from(text, 'base64url')
  const read = (text: string) => JSON.parse(decode(text).toString())
  const { alg, kid } = read(header)
  const jwk = keys.find((key) => key.kid === kid)
  if (alg !== 'ES256' || !jwk) throw new Error('no such key')
  const key = await crypto.subtle.importKey('jwk', jwk, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify'])
  const algorithm = { name: 'ECDSA', hash: 'SHA-256' }
  const isSigned = await crypto.subtle.verify(
    algorithm,
    key,
    decode(signature),
    new TextEncoder().encode(`${header}.${payload}`),
  )
  if (!isSigned) throw new Error('not signed with this key')
  return read(payload)
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
/** A machine may have nothing but Git and Node; then what every Node has stands in for OpenSSL. */
const verifiers: [string, Verifier][] = [
  ...(hasOpenssl ? [['OpenSSL', openssl] as [string, Verifier]] : []),
  ['Web Crypto', webCrypto],
]

let receiver: Receiver
let signet: Signet
let organization: Organization
let keys: Key[]
let bodies: string[]
let eventIds: string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-openssl-'))
  receiver = await startReceiver()
  signet = await startOwnSignet({ receiver })
  organization = await signet.organization()
  keys = await keySet(organization)
  await addWebhook(signet, organization, receiver.url('/hook'), ['PersonDeleted_v1'])
  const events = Array(10).fill({ event_name: 'PersonDeleted_v1', groups: ['Grüße'] })
  const { body } = await signet.as(organization, 'POST', '/test-events', events)
  eventIds = body.result.map(({ event_id }: { event_id: string }) => event_id)
  bodies = (await receiver.waitFor('/hook', events.length)).map((request) => request.body)
})

afterAll(async () => {
  await Promise.all([signet?.stop(), receiver?.stop()])
  rmSync(folder, { recursive: true, force: true })
})

async function keySet({ id }: Organization): Promise<Key[]> {
  const { body } = await signet.call('GET', '/organizations/webhooks/verification-jwks', { 'Service-OrgID': id })
  return body.keys
}

test.each(verifiers)('A receiver with nothing but %s verifies what it receives (6.3)', async (_, verify) => {
  const claims = await Promise.all(bodies.map((body) => verify(body, keys)))
  expect(claims.map(({ sub }) => sub).sort()).toEqual(eventIds.toSorted())
  for (const each of claims)
    expect(each).toMatchObject({ aud: organization.id, trigger_content: { groups: ['Grüße'] } })
})

test.each(verifiers)('A receiver with %s refuses a token that was changed or signed by others', async (_, verify) => {
  const [header = '', payload = '', signature = ''] = (bodies[0] ?? '').split('.')
  const [otherPayload, otherSignature] = (bodies[1] ?? '').split('.').slice(1)
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const turned = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), aud: 'somebody else' }
  const flipped = `${signature.slice(0, 40)}${signature[40] === 'A' ? 'B' : 'A'}${signature.slice(41)}`
  const changed = [
    `${header}.${encode(turned)}.${signature}`,
    `${header}.${otherPayload}.${signature}`,
    `${header}.${payload}.${otherSignature}`,
    `${header}.${payload}.${flipped}`,
    `${header}.${payload}.`,
    `${encode({ alg: 'none', typ: 'JWT' })}.${payload}.`,
    `${encode({ alg: 'ES256', typ: 'JWT', kid: keys[1]?.kid })}.${payload}.${signature}`,
  ]
  await expect(verify(bodies[0] ?? '', keys)).resolves.toBeDefined()
  for (const body of changed) await expect(verify(body, keys)).rejects.toThrow()
  const theirs = await keySet(await signet.organization())
  const posing = theirs.map((key, index) => ({ ...key, kid: keys[index]?.kid ?? '' }))
  await expect(verify(bodies[0] ?? '', posing)).rejects.toThrow()
  await expect(verify(bodies[0] ?? '', theirs)).rejects.toThrow()
})
