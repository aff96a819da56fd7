import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { ada, type SignIns, startSignIns } from '../support/sign-ins.ts'
import { client, startHostileProvider, type Upstreams } from '../support/upstreams.ts'

let signIns: SignIns
let hostile: Upstreams<'base'>
let folder: string

beforeAll(async () => {
  ;[signIns, hostile] = await Promise.all([startSignIns(), startHostileProvider()])
  folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  // Where a domain stands for one tenant at first, and for another one whenever it is asked again.
  const overrides = { provider_g: { issuer: `${hostile.urls.base}/entra-moves/{tenant}/v2.0` } }
  writeFileSync(join(folder, 'providers.json'), JSON.stringify(overrides))
})

afterAll(async () => {
  await Promise.all([signIns?.stop(), hostile?.stop()])
  rmSync(folder, { recursive: true })
})

// Proves sign-in/27.
test('A domain goes on standing for its first tenant, for every process, until another tenant is named', async () => {
  const tenant = await signIns.tenant()
  const path = `/organizations/sso/oidc/provider-credentials/${client.clientId}`
  const options = (name: string) => ({ options: { provider_g: { tenant: name } } })
  await signIns.service.as(tenant.organization, 'DELETE', path)
  await tenant.addCredential('provider_g', options('Contoso.example'))
  /** At a process that has read nothing yet. */
  const signIn = async () => {
    const node = await signIns.startNode({ env: { SIGNET_PROVIDERS: join(folder, 'providers.json') } })
    const { url } = await tenant.application.begin()
    await openBrowser(() => node.baseUrl).go(url, { person: ada })
    await node.stop()
    return (await tenant.endings()).at(-1)
  }
  const change = (fields: object) => signIns.service.as(tenant.organization, 'PATCH', path, fields)

  expect(await signIn()).toBe('succeeded')
  expect(await signIn()).toBe('oidc_provider_error')
  await change({ label: 'Contoso', ...options('contoso.example') })
  expect(await signIn()).toBe('oidc_provider_error')
  await change(options('fabrikam.example'))
  expect(await signIn()).toBe('succeeded')
})
