import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Queries } from '../../src/ground/database/database.ts'
import { sql } from '../../src/ground/database/sql.ts'
import { createClients } from '../../src/identity/issuer/library/clients.ts'
import { application } from '../support/browser.ts'
import { uidIn } from '../support/issuer.ts'
import {
  app,
  closeIssuer,
  invalidGrant,
  issuers,
  offline,
  openIssuer,
  organization,
  refresh,
  signIn,
  tokensOf,
  unauthorized,
  userInfo,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

describe('A change of a person', () => {
  // Proves sign-in/42.
  test.each<[string, string, object | undefined]>([
    ['is deactivated', 'PATCH', { active: false }],
    ['is deleted', 'DELETE', undefined],
  ])('A person who %s has no session or token left after the reply', async (_what, method, body) => {
    const as = await issuers.person(organization)
    const tokens = await tokensOf({ ...offline, as })
    await tokensOf({ as })
    await issuers.as(organization, method, `/persons/${as}`, body)
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
    const rows = await issuers.database.write.rows(sql`
      select from issuer_sessions where person_id = ${as} union all select from issuer_grants where person_id = ${as}`)
    expect(rows).toEqual([])
  })

  test('A person who is found inactive is given no token', async () => {
    const as = await issuers.person(organization)
    const tokens = await tokensOf({ ...offline, as })
    const { request, end } = await signIn({ as })
    // Not by the operation, which would leave nothing to be found.
    await issuers.database.write.rows(sql`update persons set active = false where id = ${as}`)
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
    await expect(userInfo(tokens)).rejects.toEqual(unauthorized)
    await expect(issuers.exchange(app, request, end)).rejects.toEqual(invalidGrant)
  })

  test('A person who is active again has no session or token of before', async () => {
    const as = await issuers.person(organization)
    const tokens = await tokensOf({ ...offline, as })
    for (const active of [false, true]) await issuers.as(organization, 'PATCH', `/persons/${as}`, { active })
    await expect(refresh(tokens)).rejects.toEqual(invalidGrant)
  })
})

describe('A change of an application or organization', () => {
  test('A change of an application counts at once', async () => {
    const of = await issuers.app(organization)
    const path = `/organizations/applications/${of.clientId}`
    const { url } = await issuers.request(of)
    await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\// })
    await issuers.as(organization, 'PATCH', path, { redirect_uris: [`${application}moved`] })
    expect((await issuers.browser().go(url.href)).status).toBe(400)
    url.searchParams.set('redirect_uri', `${application}moved`)
    expect(uidIn((await issuers.browser().go(url.href, { stopAt: /\/sso\/flows\// })).url)).not.toBe('')
    await issuers.as(organization, 'DELETE', path)
    expect((await issuers.browser().go(url.href)).status).toBe(400)
  })

  test('A change of an application is not undone in the cache by a read from just before it', async () => {
    const of = await issuers.app(organization)
    const [hasRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow: Queries = {
      rows: async (statement) => {
        const rows = await issuers.database.read.rows(statement)
        hasRead.resolve()
        await mayGoOn.promise
        return rows
      },
    }
    const clients = createClients(slow, issuers.clock, { organizationId: organization.id, baseUrl: 'https://id.test' })
    const reading = clients.find(of.clientId)
    await hasRead.promise
    await issuers.as(organization, 'DELETE', `/organizations/applications/${of.clientId}`)
    clients.forget(of.clientId)
    mayGoOn.resolve()
    expect(await reading).toBeDefined()
    expect(await clients.find(of.clientId)).toBeUndefined()
  })

  test('A deletion of an organization ends its issuer, which is not found any more', async () => {
    const gone = await issuers.organization()
    const discover = () => issuers.call('GET', `/oidc/${gone.id}/.well-known/openid-configuration`)
    expect((await discover()).status).toBe(200)
    await issuers.operate('DELETE', `/organizations/${gone.id}`)
    expect((await discover()).status).toBe(404)
  })
})
