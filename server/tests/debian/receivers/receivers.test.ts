import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { makeAuthority } from '../../../../scripts/certificates.ts'
import { freePort } from '../../../../scripts/free-port.ts'
import { type Front, startFront } from '../../support/front.ts'
import { type Life, type Program, repository, run, temporaryFolder } from '../../support/program.ts'
import { type OwnSignet, startOwnSignet } from '../../support/signet.ts'
import { addWebhook, eventNames } from '../../support/webhooks.ts'
import { type Language, languages, programOf } from './languages.ts'

const host = 'receiver.test'
const kit = join(repository, 'sdk/webhooks/conformance')
const authority = makeAuthority()
const { certificate, privateKey } = authority.issue([host])

/** Of each language one receiver for the conformance kit and one for deliveries, all at the same time. */
const purposes = ['kit', 'deliveries'] as const
type Purpose = (typeof purposes)[number]
type Target = { url: string; port: number; front: Front | undefined }

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

  function environmentOf(purpose: Purpose) {
    const place = join(folder, `${language.name}-${purpose}`)
    mkdirSync(place)
    const files = { CERTIFICATE: join(folder, 'certificate'), PRIVATE_KEY: join(folder, 'privateKey') }
    return { place, env: { STATE: place, TARGET_URL: target(purpose).url, ...files } }
  }

  async function start(life: Life, issuer: string, organizationId: string): Promise<Program> {
    const { place, env } = environmentOf('deliveries')
    const command = language.command(program, place, target('deliveries').port)
    const receiver = run(life, command, { ...env, SIGNET: issuer, ORG: organizationId })
    await receiver.says(language.listening)
    return receiver
  }

  test('The receiver passes the conformance kit', async ({ expect, onTestFinished }) => {
    const { place, env } = environmentOf('kit')
    const { port, url } = target('kit')
    const listens = `${language.speaksTls ? 'https' : 'http'}://127.0.0.1:${port}/hook`
    const named = ['--library', language.name, '--version', '0.1.0', '--url', listens, '--target-url', url]
    const adapter = [process.execPath, join(kit, 'http-adapter.ts'), ...named, '--']
    const command = [process.execPath, join(kit, 'run.ts'), '--', ...adapter]
    const runner = run({ onTestFinished }, [...command, ...language.command(program, place, port)], env)
    await runner.says(/ kit \d/)
    expect(runner.output()).not.toMatch(/^failed .*/m)
    expect(runner.output()).toMatch(
      new RegExp(`^${language.name} 0.1.0 passes kit 0.1.0, level verify: (\\d+) of \\1$`, 'm'),
    )
    expect(runner.output()).toMatch(/^key-set: [1-9]/m)
  })

  test('The receiver takes what a real Signet delivers, each event once', async ({ expect, onTestFinished }) => {
    const organization = await signet.organization()
    const running = await start({ onTestFinished }, signet.baseUrl, organization.id)
    const webhook = await addWebhook(signet, organization, target('deliveries').url, eventNames)
    const events = eventNames.map((event_name) => ({ event_name }))
    const { body } = await signet.as(organization, 'POST', '/test-events', events)
    for (const name of eventNames) await running.says(new RegExp(`^Verified: ${name}\\b`, 'm'))
    const deliveries = `/organizations/webhooks/${webhook}/deliveries`
    const succeeded = async () => (await signet.as(organization, 'GET', `${deliveries}?status=succeeded`)).body.result
    await expect.poll(succeeded, { timeout: 30_000 }).toHaveLength(events.length)
    const sub: string = body.result[0].event_id
    await signet.as(organization, 'POST', `${deliveries}/${sub}/redeliver`)
    await running.says(new RegExp(`^Again: ${sub} `, 'm'))
    expect(running.output()).not.toContain('Refused')
  })
})
