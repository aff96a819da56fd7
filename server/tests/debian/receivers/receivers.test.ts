import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { importJWK, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { makeAuthority } from '../../../../scripts/certificates.ts'
import { freePort } from '../../../../scripts/free-port.ts'
import { startKeySetServer } from '../../../../sdk/webhooks/tests/key-set-server.ts'
import { type Front, startFront } from '../../support/front.ts'
import { type Life, type Program, repository, run, temporaryFolder } from '../../support/program.ts'
import { type OwnSignet, startOwnSignet } from '../../support/signet.ts'
import { addWebhook, eventNames } from '../../support/webhooks.ts'
import { type Language, languages, programOf } from './languages.ts'

const host = 'receiver.test'
const conformance = join(repository, 'sdk/webhooks/conformance')
const authority = makeAuthority()
const { certificate, privateKey } = authority.issue([host])

/** Of each language one receiver for vectors and one for deliveries, all at the same time. */
const purposes = ['vectors', 'deliveries'] as const
type Purpose = (typeof purposes)[number]
type Target = { url: string; port: number; front: Front | undefined }
type Body = string | { repeat: string; times: number }
type Vectors = {
  key_set: { keys: object[] }
  receiver: { organization_id: string }
  tokens: { name: string; body: Body; expect: 'accepted' | 'refused' }[]
}

let folder: string
let signet: OwnSignet
const targets = new Map<string, Target>()

beforeAll(async () => {
  folder = temporaryFolder({ onTestFinished: afterAll })
  const files = { authority: authority.certificate, certificate, privateKey }
  for (const [name, pem] of Object.entries(files)) writeFileSync(join(folder, name), pem)
  for (const language of languages)
    for (const purpose of purposes) targets.set(`${language.name} ${purpose}`, await makeTarget(language))
  const resolve = [...targets.values()].map(({ url }) => `${host}:${new URL(url).port}:127.0.0.1`)
  const env = { SIGNET_WEBHOOK_RESOLVE: resolve.join(), NODE_EXTRA_CA_CERTS: join(folder, 'authority') }
  signet = await startOwnSignet({ env })
})

afterAll(async () => {
  await signet?.stop()
  for (const { front } of targets.values()) await front?.stop()
})

async function makeTarget({ speaksTls }: Language): Promise<Target> {
  const port = await freePort()
  const front = speaksTls ? undefined : await startFront({ certificate, privateKey })
  front?.lead(host, () => `http://127.0.0.1:${port}`)
  return { url: `https://${host}:${front?.port ?? port}/hook`, port, front }
}

describe.concurrent.each(languages)('The receiver in $name', (language) => {
  const found = programOf(language)
  if (!found) {
    test.skip(
      `The receiver in ${language.name} is left out, for want of the language: apt-get install --no-install-recommends ${language.packages}`,
    )
    return
  }
  const program = found
  const target = (purpose: Purpose) => targets.get(`${language.name} ${purpose}`) as Target

  async function start(life: Life, issuer: string, organizationId: string, purpose: Purpose): Promise<Program> {
    const place = join(folder, `${language.name}-${purpose}`)
    const { url, port } = target(purpose)
    mkdirSync(place)
    const receiver = run(life, language.command(program, place, port), {
      SIGNET: issuer,
      ORG: organizationId,
      TARGET_URL: url,
      STATE: place,
      CERTIFICATE: join(folder, 'certificate'),
      PRIVATE_KEY: join(folder, 'privateKey'),
    })
    await receiver.says(language.listening)
    return receiver
  }

  const post = (body: Body): Promise<number> =>
    new Promise((resolve, reject) => {
      const { port, pathname } = new URL(target('vectors').url)
      const reaching = { host: '127.0.0.1', port, path: pathname, servername: host, ca: authority.certificate }
      const headers = { host: `${host}:${port}`, 'content-type': 'application/jwt' }
      const call = request({ ...reaching, method: 'POST', headers, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      })
      call.on('error', reject)
      call.end(typeof body === 'string' ? body : body.repeat.repeat(body.times))
    })

  /** The conformance kit, signed at this moment for this receiver. */
  function makeVectors(issuer: string): Vectors {
    const file = join(folder, `${language.name}.json`)
    const now = String(Math.floor(Date.now() / 1_000))
    execFileSync(process.execPath, [join(conformance, 'generate.ts'), file, now, issuer, target('vectors').url])
    return JSON.parse(readFileSync(file, 'utf8'))
  }

  /** Its last second may be over before it arrives: then it is made anew. */
  async function acceptsInTheLastSecond(issuer: string): Promise<boolean> {
    for (let attempt = 0; attempt < 20; attempt++) {
      await new Promise((begun) => setTimeout(begun, 1_000 - (Date.now() % 1_000)))
      const token = makeVectors(issuer).tokens.find(({ name }) => name === 'last second')
      if (token && (await post(token.body)) === 204) return true
    }
    return false
  }

  test('The receiver judges every webhook of the conformance kit, and learns of a new key', async ({
    expect,
    onTestFinished,
  }) => {
    const keySetServer = await startKeySetServer()
    onTestFinished(() => keySetServer.stop())
    const { key_set, tokens, receiver } = makeVectors(keySetServer.address)
    keySetServer.answerWith({ status: 503 })
    const running = await start({ onTestFinished }, keySetServer.address, receiver.organization_id, 'vectors')
    expect(await post(tokens[0]?.body ?? '')).toBe(503)
    keySetServer.answerWith({ status: 200, body: key_set })
    await expect.poll(() => post(tokens[0]?.body ?? ''), { timeout: 60_000, interval: 2_000 }).toBe(204)
    const [before, began] = [keySetServer.fetches.length, performance.now()]

    const wrong: string[] = []
    for (const { name, body, expect: verdict } of tokens.filter(({ name }) => name !== 'last second')) {
      const status = await post(body).catch(cutOff)
      const isRight =
        verdict === 'accepted' ? status === 204 : status === 401 || (status === 413 && typeof body !== 'string')
      if (!isRight) wrong.push(`${name}: ${status}`)
    }
    expect(wrong).toEqual([])
    expect(await acceptsInTheLastSecond(keySetServer.address)).toBe(true)
    await running.says(/^Refused: .*aud/m)
    // Those with a made-up kid, however many: after one, two, four seconds and so on.
    const seconds = (performance.now() - began) / 1_000
    expect(keySetServer.fetches.length - before).toBeLessThanOrEqual(
      1 + Math.ceil(Math.log2(seconds + 1)) + seconds / 60,
    )

    const keys = JSON.parse(readFileSync(join(conformance, 'test-only-keys.json'), 'utf8'))
    const { d: _, ...later } = keys.later
    keySetServer.answerWith({ status: 200, body: { keys: [...key_set.keys, later] } })
    const signed = await signedBy(keys.later, tokens[0]?.body as string)
    await expect.poll(() => post(signed), { timeout: 60_000, interval: 2_000 }).toBe(204)
  })

  test('The receiver takes what a real Signet delivers, each event once', async ({ expect, onTestFinished }) => {
    const organization = await signet.organization()
    const running = await start({ onTestFinished }, signet.baseUrl, organization.id, 'deliveries')
    const webhook = await addWebhook(signet, organization, target('deliveries').url, eventNames)
    const events = eventNames.map((event_name) => ({ event_name }))
    const { body } = await signet.as(organization, 'POST', '/test-events', events)
    for (const name of eventNames) await running.says(new RegExp(`^Verified: ${name} `, 'm'))
    const deliveries = `/organizations/webhooks/${webhook}/deliveries`
    const succeeded = async () => (await signet.as(organization, 'GET', `${deliveries}?status=succeeded`)).body.result
    await expect.poll(succeeded, { timeout: 30_000 }).toHaveLength(events.length)
    const sub: string = body.result[0].event_id
    await signet.as(organization, 'POST', `${deliveries}/${sub}/redeliver`)
    await running.says(new RegExp(`^Again: ${sub} `, 'm'))
    expect(running.output()).not.toContain('Refused')
  })
})

/** The receiver may close the connection while the rest of a giant is still being sent; then its answer is lost. */
function cutOff(error: NodeJS.ErrnoException): number {
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 413
  throw error
}

/** The same claims, signed with another key. */
async function signedBy(key: JWK & { kid: string }, jwt: string): Promise<string> {
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
  const { kid } = key
  return new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid }).sign(await importJWK(key, 'ES256'))
}
