import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeAuthority } from '../../../scripts/certificates.ts'
import { freePort } from '../../../scripts/free-port.ts'
import { type Signet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const root = join(import.meta.dirname, '../../..')

let folder: string
let signet: Signet
let target: { host: string; port: number; url: string }
let example: ChildProcess | undefined

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'signet-hook-'))
  const [host, port] = ['hook.test', await freePort()]
  target = { host, port, url: `https://${host}:${port}/hook` }
  const authority = makeAuthority()
  const { certificate, privateKey } = authority.issue([host])
  for (const [name, pem] of Object.entries({ authority: authority.certificate, certificate, privateKey }))
    writeFileSync(join(folder, name), pem)
  const env = {
    SIGNET_WEBHOOK_RESOLVE: `${host}:${port}:127.0.0.1`,
    NODE_EXTRA_CA_CERTS: join(folder, 'authority'),
  }
  signet = await startOwnSignet({ env })
})

afterAll(async () => {
  example?.kill('SIGKILL')
  await signet?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs what docs/use/hooks.md shows; resolves once it listens. */
async function runExample(organizationId: string) {
  const [, code = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(root, 'docs/use/hooks.md'), 'utf8')) ?? []
  example = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      SIGNET: signet.baseUrl,
      ORG: organizationId,
      TARGET_URL: target.url,
      CERTIFICATE: join(folder, 'certificate'),
      PRIVATE_KEY: join(folder, 'privateKey'),
    },
  })
  example.stderr?.on('data', (text) => console.error(`${text}`))
  expect(String((await once(example.stdout as NodeJS.ReadableStream, 'data'))[0])).toBe('Listening\n')
}

test('The receiver in docs/use/hooks.md adds its claim, and refuses a token of another organization', async () => {
  const ours = await signet.organization()
  const theirs = await signet.organization()
  await runExample(ours.id)
  const expected = [
    { status: 'succeeded', claims: { plan: 'internal' }, dropped_claims: [] },
    { status: 'dropped', reason: 'attempts_failed', answer: { status_code: 401, body: '' } },
  ]
  for (const [index, organization] of [ours, theirs].entries()) {
    const id = await addWebhook(signet, organization, target.url)
    const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    await signet.as(organization, 'POST', `/organizations/webhooks/${id}/triggers`, trigger)
    const { body } = await signet.as(organization, 'POST', `/organizations/webhooks/${id}/dry-run`)
    expect(body.result).toMatchObject(expected[index] as object)
  }
})
