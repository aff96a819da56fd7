import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair, SignJWT } from 'jose'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAuthority } from '../../../scripts/certificates.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { addLogoutApplication, openLogouts } from '../support/logouts.ts'
import { addSession } from '../support/sessions.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

const root = join(import.meta.dirname, '../../..')
const host = 'app.test'
const authority = makeAuthority()

let folder: string
let uri: string
let signet: OwnSignet
let database: pg.Client
let ours: Organization
let example: ChildProcess | undefined
let output = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-logout-'))
  const port = await freePort()
  uri = `https://${host}:${port}/backchannel-logout`
  const { certificate, privateKey } = authority.issue([host])
  for (const [name, pem] of Object.entries({ authority: authority.certificate, certificate, privateKey }))
    writeFileSync(join(folder, name), pem)
  const env = { SIGNET_WEBHOOK_RESOLVE: `${host}:${port}:127.0.0.1`, NODE_EXTRA_CA_CERTS: join(folder, 'authority') }
  signet = await startOwnSignet({ env })
  database = new pg.Client(signet.database)
  await database.connect()
  ours = await signet.organization()
})

afterAll(async () => {
  example?.kill('SIGKILL')
  await database?.end()
  await signet?.stop()
  rmSync(folder, { recursive: true, force: true })
})

type Session = [id: string, session: { sub: string; sid: string }]

/** Resolves once it listens. */
async function runExample(clientId: string, sessions: Session[], issuer = `${signet.baseUrl}/oidc/${ours.id}`) {
  output = ''
  example = spawn(process.execPath, ['examples/logout/application.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ISSUER: issuer,
      CLIENT_ID: clientId,
      LOGOUT_URI: uri,
      CERTIFICATE: join(folder, 'certificate'),
      PRIVATE_KEY: join(folder, 'privateKey'),
      SESSIONS: JSON.stringify(sessions),
    },
  })
  for (const stream of [example.stdout, example.stderr]) stream?.on('data', (text) => (output += text))
  await expect.poll(() => output, { timeout: 20_000 }).toContain('Listening')
}

/** As anybody could who has got hold of a token. */
async function post(body: string): Promise<number | undefined> {
  const { port, pathname } = new URL(uri)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const options = {
    host: '127.0.0.1',
    port,
    path: pathname,
    method: 'POST',
    servername: host,
    ca: authority.certificate,
    headers,
  }
  const call = request(options).end(body)
  const [answer] = await once(call, 'response')
  return answer.resume().statusCode
}

test('The example ends the session of a sign-out elsewhere, all of a person without sid, and refuses what is no logout token', async () => {
  const clientId = await addLogoutApplication(signet, ours, uri)
  const person = async () => (await signet.as(ours, 'POST', '/persons', {})).body.result.person_id as string
  const [ann, bob] = [await person(), await person()]
  const query = (text: string, values: unknown[]) => database.query(text, values)
  const [sid = ''] = await addSession(query, ours, ann, [clientId])
  const others: Session[] = [
    ['ann-2', { sub: ann, sid: 'other' }],
    ['bob-1', { sub: bob, sid: 'b1' }],
    ['bob-2', { sub: bob, sid: 'b2' }],
  ]
  await runExample(clientId, [['ann-1', { sub: ann, sid }], ...others])
  expect((await signet.as(ours, 'DELETE', `/persons/${ann}/sessions`)).status).toBe(204)
  await expect.poll(() => output).toContain(`Signed out: ${sid}; left: ann-2 bob-1 bob-2`)
  const logouts = openLogouts(signet.database)
  await logouts.end(ours, { clientId, subject: bob })
  await expect.poll(() => output).toContain(`Signed out: ${bob}; left: ann-2\n`)
  await logouts.close()
  const { body } = await signet.as(ours, 'GET', `/organizations/applications/${clientId}/deliveries`)
  expect(body.result.map(({ status }: { status: string }) => status)).toEqual(['succeeded', 'succeeded'])
  for (const text of ['', 'logout_token=', 'logout_token=a.b.c', 'other=1']) expect(await post(text)).toBe(400)
})

test('The example does not refuse a token whose key it cannot get: it comes again', async (context) => {
  example?.kill('SIGKILL')
  const issuer = createServer((asked, answer) => {
    const jwks_uri = `http://${asked.headers.host}/jwks`
    const isKeySet = asked.url === '/jwks'
    answer.writeHead(isKeySet ? 503 : 200).end(isKeySet ? '' : JSON.stringify({ jwks_uri }))
  }).listen(0, '127.0.0.1')
  context.onTestFinished(() => void issuer.close())
  await once(issuer, 'listening')
  await runExample('a client', [], `http://127.0.0.1:${(issuer.address() as { port: number }).port}`)
  const { privateKey } = await generateKeyPair('RS256')
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'RS256', kid: 'a', typ: 'logout+jwt' }).sign(privateKey)
  expect(await post(`logout_token=${token}`)).toBe(500)
  expect(await post('logout_token=a.b.c')).toBe(400)
})
