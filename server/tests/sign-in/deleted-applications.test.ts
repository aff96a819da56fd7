import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ada, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'

const callback = /\/sso\/callback\//
/** The way back to the issuer, where the result of a sign-in is collected. */
const wayBack = /\/oidc\/[^/]+\/authorize\/[\w-]+#?$/

let signIns: SignIns
let tenant: Tenant

beforeAll(async () => {
  signIns = await startSignIns()
})
afterAll(() => signIns?.stop())
beforeEach(async () => {
  tenant = await signIns.tenant()
})

const deleteApplication = () =>
  signIns.service.as(tenant.organization, 'DELETE', `/organizations/applications/${tenant.application.clientId}`)

test('A first sign-in whose application is deleted meanwhile makes no person, and has failed', async () => {
  const begun = await tenant.application.begin()
  const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
  expect((await deleteApplication()).status).toBe(204)
  expect((await tenant.browser.go(url)).status).toBe(400)
  expect(await tenant.endings()).toEqual(['flow_expired'])
  expect((await tenant.events()).map(({ event_metadata }) => event_metadata.event_name)).toEqual([
    'AuthenticationFailed_v1',
  ])
  expect(await tenant.persons()).toEqual([])
})

test('A sign-in whose application is deleted before it is collected gives neither code nor session', async () => {
  const begun = await tenant.application.begin()
  const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: wayBack })
  await deleteApplication()
  expect((await tenant.browser.go(url)).status).toBe(400)
  const [person] = await tenant.persons()
  const path = `/persons/${person?.person_id}/sessions`
  expect((await signIns.service.as(tenant.organization, 'GET', path)).body.result).toEqual([])
})

/** As another process sees it, which knows for two seconds more what it read. */
test('A session that is used again at an application that was just deleted gives no code, and has failed', async () => {
  const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
  const begun = await tenant.application.begin()
  await signIns.inside.query('delete from applications where org_id = $1', [tenant.organization.id])
  const page = await tenant.browser.go(begun.url)
  expect(page.status).toBe(400)
  expect(await tenant.endings()).toEqual(['succeeded', 'flow_expired'])
  expect((await tenant.events()).at(-1).person_id).toBe(sub)
})
