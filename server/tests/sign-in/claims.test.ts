import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { application as applicationUrl, openBrowser } from '../support/browser.ts'
import { attempts, hook } from '../support/claim-attempts.ts'
import { anyOther, ofHooks, rowOf, table } from '../support/claims-table.ts'
import { ada, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import type { Organization } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

const everything = 'openid email phone profile offline_access'
const little = 'openid offline_access'
/** Who signs in, with a whole profile. */
const person = {
  ...ada,
  given_name: 'Ada',
  family_name: 'Lovelace',
  preferred_username: 'ada',
  picture: 'https://pictures.example/ada.png',
  locale: 'en-GB',
}
const ofScopes = ['email', 'email_verified', 'phone_number', 'phone_number_verified', 'preferred_username']
/** What belongs to one sign-in, and differs in each without anybody's doing. */
const ofOneSignIn = ['exp', 'iat', 'nonce', 'sid']
const ownNumber = { type: 'PhoneNumber', value: '+12025550123' }

/** What a receiver says that wants to be believed: every claim that there is, and names of its own. */
const lies = {
  ...Object.fromEntries(
    [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'nonce', 'azp', 'auth_time', 'at_hash', 'c_hash', 's_hash'],
      ...['sid', 'acr', 'amr', 'client_id', 'scope', 'cnf', 'act', 'may_act', 'org_id', 'groups', 'groups_truncated'],
      ...['region', 'authenticated_methods', 'email', 'phone_number', 'preferred_username', 'events', 'typ'],
      ...['_claim_names', '_claim_sources'],
    ].map((name) => [name, 'a lie']),
  ),
  email_verified: true,
  phone_number_verified: true,
}
const ownWords = {
  ...{ plan: 'pro', upn: 'ceo@victim.example' },
  ...{ name: 'Ada L', given_name: 'A', family_name: 'L', picture: 'https://p.example/', locale: 'de', updated_at: 1 },
}

/** Said by one receiver or the other. */
const namesOfHooks = [...Object.keys(ownWords), 'roles'].sort()

/** Where each claim was met, with its value. */
type Claims = Record<string, Partial<Record<Place, unknown>>>
type Place = 'ID token' | 'user info' | 'refreshed ID token'

let signIns: SignIns

beforeAll(async () => {
  signIns = await startSignIns()
})
afterAll(() => signIns?.stop())

type World = {
  tenant: Tenant
  /** What stands for each parameter of a path, by operation and parameter, or by parameter. */
  inPath: Record<string, string>
  refreshToken: string
  accessToken: string
  claims: Claims
}

const as = (organization: Organization, method: string, path: string, body?: unknown) =>
  signIns.service.as(organization, method, path, body)

/** A person with verified handles in a group, an application, a credential, a webhook with a hook, and one without whose receiver lies. */
async function world(): Promise<World> {
  const tenant = await signIns.tenant()
  const { organization, application, browser } = tenant
  const make = async (path: string, body: unknown) => (await as(organization, 'POST', path, body)).body.result
  const [honest, lying] = [`/${organization.id}/honest`, `/${organization.id}/lying`]
  signIns.receiver.behave(honest, { body: JSON.stringify(ownWords) })
  signIns.receiver.behave(lying, { body: JSON.stringify({ ...lies, plan: 'stolen', roles: ['admin'] }) })
  const hooked = await addWebhook(signIns.service, organization, signIns.receiver.url(honest))
  await make(`/organizations/webhooks/${hooked}/triggers`, hook)
  const unhooked = await addWebhook(signIns.service, organization, signIns.receiver.url(lying))
  for (const name of ['staff', 'crew', 'guests']) await make('/groups', { name })
  const { sub } = await application.signIn(browser, { person })
  await as(organization, 'PATCH', `/persons/${sub}`, {
    handles: [
      { type: 'EmailAddress', value: ada.email, verified: true },
      { ...ownNumber, verified: true },
    ],
  })
  await as(organization, 'PUT', `/persons/${sub}/groups`, { groups: ['staff'] })
  const other = (await make('/persons', { groups: ['crew'] })).person_id
  const identities = (await as(organization, 'GET', `/persons/${sub}/identities`)).body.result
  const otherApplication = await make('/organizations/applications', {
    name: 'Other',
    redirect_uris: [`${applicationUrl}other`],
    confidential: true,
  })
  const secret = await make(`/organizations/applications/${otherApplication.client_id}/secrets`, {})
  const resource = await make('/organizations/resources', { identifier: 'urn:example:api', name: 'API' })
  const spareKey = await make('/organizations/api-keys', { scopes: ['groups:read'] })
  const [delivery] = await make('/test-events', [{ event_name: 'PersonCreated_v1' }])
  const inPath = {
    person_id: sub,
    'deletePerson person_id': other,
    group_name: 'staff',
    'addPersonGroups group_name': 'crew',
    'addGroupMembers group_name': 'crew',
    webhook_id: hooked,
    'createTrigger webhook_id': unhooked,
    identity_id: identities[0].id,
    client_id: application.clientId,
    'rotateClientSecret client_id': otherApplication.client_id,
    'createClientSecret client_id': otherApplication.client_id,
    'deleteClientSecret client_id': otherApplication.client_id,
    secret_id: secret.id,
    'deleteApplication client_id': otherApplication.client_id,
    'changeResource id': resource.id,
    'deleteResource id': resource.id,
    oauth_client_id: 'signet',
    delivery_id: delivery.event_id,
    id: spareKey.id,
  }
  const signedIn = await signInAnew(tenant)
  return { tenant, inPath, ...signedIn }
}

/** With a browser that nobody has used. */
async function signInAnew(tenant: Tenant, scope = everything) {
  const { application } = tenant
  const browser = openBrowser(() => signIns.service.baseUrl)
  const begun = await application.begin({ scope })
  const { url, html } = await browser.go(begun.url, { person })
  if (!url.startsWith(applicationUrl) || !url.includes('code=')) throw new Error(`no sign-in: ${url} ${html}`)
  const { id_token = '', access_token: accessToken, refresh_token } = await application.exchange(begun, url)
  const later = await readLater(tenant, { accessToken, refreshToken: refresh_token ?? '' })
  return {
    accessToken,
    refreshToken: later.refreshToken,
    claims: gather({ 'ID token': decodeJwt(id_token), ...later.said }),
  }
}

/** What user info and a refresh say now. */
async function readLater(
  { application }: Tenant,
  { accessToken, refreshToken }: { accessToken: string; refreshToken: string },
) {
  const userInfo = await application.userInfo(accessToken)
  const refreshed = await application.refresh(refreshToken)
  const said = { 'user info': userInfo, 'refreshed ID token': decodeJwt(refreshed.id_token ?? '') }
  return { said, refreshToken: refreshed.refresh_token ?? refreshToken }
}

function gather(said: Partial<Record<Place, object>>): Claims {
  const claims: Claims = {}
  for (const [place, its] of Object.entries(said))
    for (const [name, value] of Object.entries(its)) claims[name] = { ...claims[name], [place]: value }
  return claims
}

type Operation = { id: string; method: string; path: string }
type Described = { operationId: string; security: { key?: string[] }[] }

/** Those with a key that write. */
async function writingOperations(): Promise<Operation[]> {
  const { body } = await signIns.service.call('GET', '/openapi.json')
  return Object.entries<Record<string, Described>>(body.paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).flatMap(([verb, { operationId: id, security }]) =>
      security[0]?.key && verb !== 'get' ? [{ id, method: verb.toUpperCase(), path }] : [],
    ),
  )
}

const allScopes = async (organization: Organization): Promise<string[]> =>
  (await as(organization, 'GET', '/organizations/api-keys')).body.result.at(-1).scopes

async function keyWith(organization: Organization, scopes: string[]): Promise<Organization> {
  const { body } = await as(organization, 'POST', '/organizations/api-keys', { scopes })
  return { id: organization.id, apiKey: body.result.api_key }
}

const targetOf = ({ tenant: { organization }, inPath: { person_id: personId = '' } }: World) => ({
  personId,
  receiverUrl: (name: string) => signIns.receiver.url(`/${organization.id}/${name}`),
})

async function call(key: Organization, { id, method, path }: Operation, its: World) {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(its.inPath[`${id} ${name}`] ?? its.inPath[name] ?? ''),
  )
  const rows = attempts[id]
  if (!rows) throw new Error(`${id}: has no row among the attempts`)
  const statuses: number[] = []
  for (const { body, query = '' } of rows(targetOf(its)))
    statuses.push((await as(key, method, filled + query, body)).status)
  return statuses
}

type Outcome = { changed: string[]; succeeded: string[] }

/**
 * Which claims a key with these scopes changes, in a new sign-in, user info and a refresh. What deletes comes last, for after it there
 * may be no sign-in.
 */
async function changedBy(scopes: string[]): Promise<Outcome> {
  const its = await world()
  const key = await keyWith(its.tenant.organization, scopes)
  const operations = await writingOperations()
  const [changed, succeeded] = [new Set<string>(), new Set<string>()]
  const walk = async (which: Operation[]) => {
    for (const each of which) if ((await call(key, each, its)).some((status) => status < 300)) succeeded.add(each.id)
  }
  const compare = (claims: Claims) => {
    refuseUnvouched(claims)
    for (const name of differing(its.claims, claims)) changed.add(name)
  }
  await walk(operations.filter(({ method }) => method !== 'DELETE'))
  const later = await readLater(its.tenant, its)
  compare(gather(later.said))
  compare((await signInAnew(its.tenant)).claims)
  await walk(operations.filter(({ method }) => method === 'DELETE'))
  await readLater(its.tenant, { ...its, ...later }).then(({ said }) => compare(gather(said)), ended)
  await signInAnew(its.tenant).then(({ claims }) => compare(claims), ended)
  return { changed: [...changed].sort(), succeeded: [...succeeded] }
}

/** No token says anything any more. */
const ended = () => undefined

/** Only the provider's own address, and what an admin key vouched for, is ever called verified. */
function refuseUnvouched({ email = {}, email_verified = {}, phone_number = {}, phone_number_verified = {} }: Claims) {
  for (const place of Object.keys(email_verified) as Place[])
    expect(email_verified[place]).toBe(email[place] === ada.email)
  for (const place of Object.keys(phone_number_verified) as Place[])
    expect(phone_number_verified[place]).toBe(phone_number[place] === ownNumber.value)
}

/** Another person's claims are another person's: of those only `sub` has changed. */
function differing(before: Claims, after: Claims): string[] {
  const isOther = Object.values(after.sub ?? {}).some((sub) => sub !== before.sub?.['ID token'])
  if (isOther) return ['sub']
  const names = new Set([...Object.keys(before), ...Object.keys(after)].filter((name) => !ofOneSignIn.includes(name)))
  const places = new Set(Object.values(after).flatMap((its) => Object.keys(its))) as Set<Place>
  const saidOf = (claims: Claims, name: string) => [...places].map((place) => JSON.stringify(claims[name]?.[place]))
  return [...names].filter((name) => saidOf(before, name).join() !== saidOf(after, name).join())
}

describe('The claims of a token', () => {
  // Proves 6.2, rule 5/3.
  test('A sign-in with everything that can be asked for, and a receiver that says everything, meets the claims of the table and no others', async () => {
    const its = await world()
    const { organization } = its.tenant
    await as(organization, 'POST', `/organizations/webhooks/${its.inPath['createTrigger webhook_id']}/triggers`, hook)
    const { claims } = await signInAnew(its.tenant)
    const names = Array.from({ length: 200 }, (_, n) => `a-group-with-quite-a-long-name-${n}`)
    await Promise.all(names.map((name) => as(organization, 'POST', '/groups', { name })))
    await as(organization, 'PUT', `/persons/${its.inPath.person_id}/groups`, { groups: names })
    const { claims: truncated } = await signInAnew(its.tenant)
    const placesOf = ([name, said]: [string, object]) => [name, Object.keys(said).sort()] as const
    const met = Object.entries({ ...truncated, ...claims }).map(placesOf)
    const described = table.flatMap(({ claims: named, places }) => named.map((name) => [name, places] as const))
    const own = met.filter(([name]) => rowOf(name) !== ofHooks)
    expect(Object.fromEntries([...own, [anyOther, ofHooks?.places]])).toEqual(Object.fromEntries(described))
    expect(
      met
        .map(([name]) => name)
        .filter((name) => rowOf(name) === ofHooks)
        .sort(),
    ).toEqual(namesOfHooks.filter((name) => rowOf(name) === ofHooks))
    expect(Object.keys(truncated)).toContain('groups_truncated')
    refuseUnvouched(claims)
    expect(differing(its.claims, claims)).toEqual(['roles'])
    const bare = Object.keys((await signInAnew(its.tenant, little)).claims)
    expect(bare.sort()).toEqual(
      Object.keys(truncated)
        .filter((name) => !ofScopes.includes(name))
        .sort(),
    )
  })

  test('What an earlier release has stored of a hook is said no more where it is protected by now', async () => {
    const its = await world()
    const bare = await signInAnew(its.tenant, little)
    const stored = JSON.stringify({ ...lies, ...ownWords })
    const { rowCount } = await signIns.inside.query('update issuer_grants set claims = $2::json where org_id = $1', [
      its.tenant.organization.id,
      stored,
    ])
    expect(rowCount).toBeGreaterThan(0)
    expect(differing(its.claims, gather((await readLater(its.tenant, its)).said))).toEqual([])
    expect(differing(bare.claims, gather((await readLater(its.tenant, bare)).said))).toEqual([])
  })
})

/** What the table says; groups are never too many here. */
const expectedOf = (scopes: string[]) =>
  [...new Set([...table.flatMap(({ claims }) => claims), ...namesOfHooks])]
    .filter((claim) => claim !== anyOther && claim !== 'groups_truncated')
    .filter((claim) => rowOf(claim)?.scopes.some((needed) => needed.every((each) => scopes.includes(each))))
    .sort()

describe('A key that is no admin key', () => {
  // Proves sign-in/52.
  test.each([
    [['persons:write']],
    [['groups:write']],
    [['applications:write']],
    [['resources:write']],
    [['credentials:write']],
    [['directories:write']],
    [['settings:write']],
    [['api-keys:write']],
    [['events:write']],
    [['deliveries:write']],
    [['webhooks:write']],
    [['hooks:write']],
    [['webhooks:write', 'events:read']],
    [['webhooks:write', 'hooks:write', 'events:read']],
  ])(
    'A key with the scopes %j alone changes the claims that the table gives them, by whatever operations',
    async (scopes) => {
      const { changed, succeeded } = await changedBy(scopes)
      expect(changed).toEqual(expectedOf(scopes))
      expect(succeeded.length > 0).toBe(scopes.join() !== 'hooks:write')
    },
  )

  test('Every scope that writes is among those that are tried alone', async () => {
    const { organization } = await signIns.tenant()
    const tried =
      'persons groups applications resources credentials directories settings api-keys events deliveries webhooks hooks'
    const writing = (await allScopes(organization)).filter((each) => each.endsWith(':write'))
    expect(writing.sort()).toEqual(
      tried
        .split(' ')
        .map((area) => `${area}:write`)
        .sort(),
    )
  })

  // Proves sign-in/52.
  test.each(['persons:write', 'groups:write', 'hooks:write', 'webhooks:write', 'events:read', 'audit-log:read'])(
    'A key with every scope but %s changes no claim but those that the table gives to the others',
    async (lacked) => {
      const { organization } = await signIns.tenant()
      const covering = [lacked, lacked.replace(':read', ':write')]
      const scopes = (await allScopes(organization)).filter((each) => !covering.includes(each))
      const { changed, succeeded } = await changedBy(scopes)
      expect(expectedOf(scopes)).toEqual(expect.arrayContaining(changed))
      expect(succeeded.length).toBeGreaterThan(15)
    },
  )
})
