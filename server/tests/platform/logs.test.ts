import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { errorIn } from '../support/application.ts'
import { type Browser, openBrowser } from '../support/browser.ts'
import { ada, providers, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import type { Signet } from '../support/signet.ts'
import { otherClient, startHostileProvider, type Upstreams } from '../support/upstreams.ts'

const patience = { timeout: 30_000 }

let signIns: SignIns
let hostile: Upstreams<'base'>
let folder: string
let signet: Signet
let tenant: Tenant
let browser: Browser

beforeAll(async () => {
  ;[signIns, hostile] = await Promise.all([startSignIns(), startHostileProvider()])
  folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  const overrides = {
    [providers.google]: { issuer: `${hostile.urls.base}/honest` },
    provider_g: { issuer: `${hostile.urls.base}/entra-traced/{tenant}/v2.0` },
    // Nobody listens there.
    provider_h: { issuer: 'http://127.0.0.1:1' },
  }
  writeFileSync(join(folder, 'providers.json'), JSON.stringify(overrides))
  signet = await signIns.startProcess({
    SIGNET_PROVIDERS: join(folder, 'providers.json'),
    SIGNET_LOG_LEVEL: 'info',
  })
  tenant = await signIns.tenant()
  browser = openBrowser(() => signet.baseUrl)
})

afterAll(async () => {
  await signet?.stop()
  await Promise.all([signIns?.stop(), hostile?.stop()])
  rmSync(folder, { recursive: true })
})

const idOf = (callbackUrl: string) => callbackUrl.split('/').at(-1)
const other = { client_id: otherClient.clientId, client_secret: otherClient.clientSecret }

async function attempt(params: Record<string, string> = {}) {
  const { url } = await tenant.application.begin(params)
  return errorIn(await browser.go(url, { person: ada }))
}

/** The lines of the log that have this message, once there is one. */
const untilLogged = (message: string) =>
  vi.waitFor(() => {
    const lines = signet.output().split('\n')
    const found = lines.filter((line) => line.includes(`"msg":"${message}"`)).map((line) => JSON.parse(line))
    expect(found).not.toEqual([])
    return found
  }, patience)

test('The line of a failed sign-in names credential, provider and the provider’s ids of what happened', async () => {
  const credentialId = idOf(await tenant.addCredential('provider_g', other))
  expect(await attempt({ idp: other.client_id })).toBe('server_error')
  const [line] = await untilLogged('sign-in failed')
  expect(line).toMatchObject({
    organization_id: tenant.organization.id,
    flow_id: expect.any(String),
    credential_id: credentialId,
    provider: 'provider_g',
    reason: 'oidc_provider_error',
    detail: 'token: invalid_grant',
    trace: { trace_id: 'f0b3f1ae-1d2c-4e5b-9a77-0123456789ab', error_codes: '70008' },
  })
})

test('The line of a sign-in that ends before a request to the provider names credential and provider too', async () => {
  const credentialId = idOf(await tenant.addCredential('provider_h', { ...other, client_id: 'okta' }))
  expect(await attempt({ idp: 'okta' })).toBe('server_error')
  await vi.waitFor(async () => {
    const lines = await untilLogged('sign-in failed')
    const expected = { credential_id: credentialId, provider: 'provider_h', reason: 'provider_unreachable' }
    expect(lines).toContainEqual(expect.objectContaining(expected))
  }, patience)
})

// Proves sign-in/29.
test("The rows and values in PostgreSQL's messages stay out of the log, and the rest gets into it", async () => {
  await signIns.inside.query('alter table flows add constraint unending check (ended_at is null) not valid')
  await attempt({ idp: 'signet' })
  const lines = [
    ...(await untilLogged('sign-in failed: fault of the service')),
    ...(await untilLogged('request failed')),
  ]
  await signIns.inside.query('alter table flows drop constraint unending')
  expect(lines[0]).toMatchObject({ credential_id: idOf(tenant.callbackUrl), provider: providers.google })
  for (const { err } of lines) {
    expect(err).toMatchObject({ code: '23514', table: 'flows', constraint: 'unending' })
    expect(err.stack).toContain('.ts:')
    expect(JSON.stringify(err)).not.toMatch(/Failing row|127\.0\.0\.1/)
  }
})
