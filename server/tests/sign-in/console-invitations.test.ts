import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { removeExpired } from '../../src/start/remove-expired.ts'
import { baseUrl, openBrowser } from '../support/browser.ts'
import {
  accept,
  accepted,
  anotherBrowser,
  bob,
  collection,
  create,
  dayMs,
  enter,
  entries,
  expectNothing,
  goOn,
  group,
  hourMs,
  invite,
  list,
  members,
  nameGroup,
  notOpen,
  open,
  openDuring,
  page,
  personIds,
  tokenOf,
  typesOf,
  unnameGroup,
} from '../support/console-invitations.ts'
import { as, closeSignIns, newTenant, openSignIns, other, service, signIns, tenant } from '../support/own-sign-ins.ts'
import { startPushing } from '../support/pushing.ts'
import { refused } from '../support/refused.ts'
import { ada, providers } from '../support/sign-ins.ts'
import type { Answer } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(async () => {
  await newTenant()
  await nameGroup()
})

describe('An invitation', () => {
  // Proves console/41.
  test('An invitation is shown once with its address, lives for 72 hours, and is in the audit log without what opens it', async () => {
    const { status, body } = await create()
    const { url, ...shown } = body.result
    expect(status).toBe(201)
    expect(url).toMatch(
      new RegExp(`^${baseUrl}/console/invitation#${tenant.organization.id.replaceAll('-', '')}[0-9a-f]{64}$`),
    )
    expect(Object.keys(shown).sort()).toEqual(['created_at', 'expires_at', 'group', 'id'])
    expect(Date.parse(shown.expires_at) - Date.parse(shown.created_at)).toBe(72 * hourMs)
    expect(await list()).toEqual([shown])
    const { rows } = await signIns.inside.query('select to_jsonb(i)::text as row from console_invitations i')
    expect(rows.map(({ row }) => row).join()).not.toContain(url.split('#')[1].slice(-64))
    const [entry] = await entries('action=createConsoleInvitation')
    expect(entry).toMatchObject({
      target: { type: 'console_invitation', id: shown.id },
      after: { ...shown, url: '***' },
    })
  })

  test('A group that console_access does not name, no group at all, and too short or too long a time are refused', async () => {
    await as('POST', '/groups', { name: 'others' })
    const notNamed = refused(400, 'group: must be a group that the setting console_access names')
    for (const each of ['others', 'nowhere', 'Administrators'])
      expect(await create({ group: each })).toMatchObject(notNamed)
    expect(await as('POST', collection, {})).toMatchObject(refused(400, 'group: is required'))
    for (const expires_in of ['59s', '168h1ns', 'a week'])
      expect(await create({ expires_in })).toMatchObject(
        refused(400, 'expires_in: must be a duration from 1m to 168h, such as 72h'),
      )
    expect(await list()).toEqual([])
    expect((await create({ expires_in: null })).status).toBe(201)
  })

  test('Only admin keys invite, list and delete, and none sees or deletes those of another organization', async () => {
    const { body } = await create()
    const path = `${collection}/${body.result.id}`
    const { body: made } = await as('POST', '/organizations/api-keys', { scopes: ['settings:write', 'groups:write'] })
    const key = { id: tenant.organization.id, apiKey: made.result.api_key }
    for (const [method, at, fields] of [
      ['POST', collection, { group }],
      ['GET', collection],
      ['DELETE', path],
    ] as const)
      expect((await service.as(key, method, at, fields)).status).toBe(403)
    const stranger = await service.organization()
    expect((await service.as(stranger, 'GET', collection)).body.result).toEqual([])
    const gone = refused(404, 'console invitation: not found')
    expect(await service.as(stranger, 'DELETE', path)).toMatchObject(gone)
    expect((await as('DELETE', path)).status).toBe(204)
    for (const each of [path, `${collection}/x`]) expect(await as('DELETE', each)).toMatchObject(gone)
    expect(await open(tokenOf({ body } as Answer))).toMatchObject(notOpen)
    expect(await entries('action=deleteConsoleInvitation')).toMatchObject([{ before: { group }, after: null }])
  })

  test('An organization has a hundred open ones at most, however many are made at once', async () => {
    await signIns.inside.query(
      `insert into console_invitations (org_id, id, token_hash, group_name, created_at, expires_at)
       select $1, gen_random_uuid(), n::text::bytea, $2, now(), now() + interval '1 hour' from generate_series(1, 98) n`,
      [tenant.organization.id, group],
    )
    const answers = await Promise.all(Array.from({ length: 5 }, () => create()))
    const refusals = answers.filter(({ status }) => status !== 201)
    expect(refusals).toHaveLength(3)
    expect(refusals[0]).toMatchObject(refused(409, 'console invitations: there are 100 open ones already; delete one'))
  })

  test('One that is over is forgotten eight days later by the sweep, and one that is open stays', async () => {
    await create({ expires_in: '1m' })
    await create({ expires_in: '168h' })
    const count = async () =>
      (await signIns.inside.query('select from console_invitations where org_id = $1', [tenant.organization.id]))
        .rowCount
    const sweepAt = (now: number) =>
      openDuring(({ write }) => removeExpired(write, { now: () => now }, new AbortController().signal))
    const now = signIns.clock.now()
    await sweepAt(now + 6 * dayMs)
    expect(await count()).toBe(2)
    await sweepAt(now + 8 * dayMs + 120_000)
    expect(await count()).toBe(1)
  })

  // Proves console/46.
  test('It goes with the access of its group, also where the group is named again', async () => {
    const token = await invite()
    await unnameGroup()
    expect(await list()).toEqual([])
    expect(await open(token)).toMatchObject(notOpen)
    await nameGroup()
    expect(await open(token)).toMatchObject(notOpen)
    expect(await enter(token)).toMatchObject(notOpen)
    expect((await create()).status).toBe(201)
  })
})

describe('Whoever opens an invitation', () => {
  test('It opens as often as one likes, says whose it is, which role it gives and by what one signs in, and spends nothing', async () => {
    await tenant.addCredential(providers.okta, { ...other, label: 'Staff' })
    const token = await invite()
    for (const browser of [tenant.browser, anotherBrowser(), anotherBrowser()])
      expect(await open(token, browser)).toEqual({
        status: 200,
        body: {
          result: {
            organization_id: tenant.organization.id,
            organization_name: expect.any(String),
            group,
            roles: ['owner'],
            credentials: [
              { oauth_client_id: 'signet', label: '', provider: providers.google },
              { oauth_client_id: other.client_id, label: 'Staff', provider: providers.okta },
            ],
            expires_at: (await list())[0].expires_at,
          },
        },
      })
    expect(await tenant.events()).toEqual([])
  })

  test('One that was used, deleted or made up, has expired, or is of a deleted organization, is refused with one text', async () => {
    const [token, expiring, used] = [await invite(), await invite({ expires_in: '1m' }), await invite()]
    await accept(used)
    const elsewhere = (await service.organization()).id.replaceAll('-', '') + token.slice(32)
    const madeUp = ['', 'x', `${token} `, elsewhere, token.slice(0, -64) + '0'.repeat(64)]
    for (const text of [...madeUp, used])
      for (const answer of [await open(text), await enter(text)]) expect(answer).toMatchObject(notOpen)
    const before = signIns.clock.now()
    signIns.clock.set(before + 61_000)
    expect(await open(expiring)).toMatchObject(notOpen)
    signIns.clock.set(before)
    expect((await open(token)).status).toBe(200)
    await service.operate('DELETE', `/organizations/${tenant.organization.id}`)
    for (const answer of [await open(token), await enter(token)]) expect(answer).toMatchObject(notOpen)
  })

  // Proves console/41.
  test('After twenty made-up tokens an address waits; a right one is no guess, whatever becomes of it', async () => {
    const from = (address: string) => openBrowser(() => proxied.baseUrl, undefined, { 'x-forwarded-for': address })
    const env = { SIGNET_TRUSTED_PROXIES: '127.0.0.1', SIGNET_RATE_PUBLIC: '100000/100000' }
    const proxied = await signIns.startNode({ env })
    const [token, deleted] = [await invite(), await create()]
    await as('DELETE', `${collection}/${deleted.body.result.id}`)
    const browser = from('198.51.100.7')
    for (let n = 0; n < 25; n++) expect((await open(tokenOf(deleted), browser)).status).toBe(404)
    const guesses = await Promise.all(Array.from({ length: 25 }, () => open('wrong', browser)))
    expect(guesses.filter(({ status }) => status === 404)).toHaveLength(20)
    for (const answer of [await open(token, browser), await enter(token, { browser })]) expect(answer.status).toBe(429)
    expect((await open(token, from('198.51.100.8'))).status).toBe(200)
    await proxied.stop()
  })

  test('Where there is no credential it says so; one of another organization or an inactive one is refused', async () => {
    const stranger = await service.organization()
    const [token, own] = [await invite(), { client_id: 'own', client_secret: 'own', provider: providers.okta }]
    const options = { [providers.okta]: { organization_url: 'https://okta.test' } }
    await service.as(stranger, 'POST', '/organizations/sso/oidc/provider-credentials', { ...own, options })
    const notOurs = refused(400, 'oauth_client_id: must be that of a credential of this organization')
    for (const idp of ['own', 'nowhere', '']) expect(await enter(token, { idp })).toMatchObject(notOurs)
    await as('PATCH', '/organizations/sso/oidc/provider-credentials/signet', { active: false })
    expect((await open(token)).body.result.credentials).toEqual([])
    expect(await enter(token)).toMatchObject(
      refused(409, 'credentials: there are none by which anybody can sign in to this organization'),
    )
  })

  // Proves console/49.
  test('Only the page of the console may ask; a page of another origin begins no sign-in in that browser', async () => {
    const token = await invite()
    const headings: Record<string, string>[] = [
      {},
      { 'service-console': '1' },
      { 'service-console': '1', 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-origin' },
    ]
    for (const path of ['/console/invitation', '/console/invitation/sign-in'])
      for (const headers of headings) {
        const answer = await service.call('POST', path, headers, { token })
        expect(answer.status).toBe(401)
        expect(answer.headers.getSetCookie()).toEqual([])
      }
    expect((await tenant.browser.send(page, { token, oauth_client_id: 'x' })).status).toBe(400)
    expect((await tenant.browser.send(page, { token: 'x'.repeat(5_000) })).status).toBe(413)
  })
})

describe('Who signs in by an invitation', () => {
  test('An unknown person is made, whatever the settings say, and joins; the invitation is spent, and the audit log names the person', async () => {
    await as('PATCH', '/organizations/settings', { self_registration: false, allowed_email_domains: ['corp.example'] })
    const answer = await create()
    expect(await accept(tokenOf(answer))).toBe('signed in')
    const [personId] = await personIds()
    expect(await members()).toEqual([personId])
    expect(typesOf(await tenant.events())).toEqual(['PersonCreated', 'AuthenticationSucceeded'])
    expect(await list()).toEqual([])
    expect(await accepted()).toMatchObject([
      {
        actor: { type: 'person', id: personId },
        action: 'acceptConsoleInvitation',
        target: { type: 'console_invitation', id: answer.body.result.id },
        before: null,
        after: { group, person_id: personId },
      },
    ])
    expect(await accept(tokenOf(answer), bob, anotherBrowser())).toBe(notOpen.body.errors[0]?.message)
    expect(await personIds()).toHaveLength(1)
  })

  test('A known person is that one, also who is a member already, and keeps the other groups', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const [personId = ''] = await personIds()
    await as('POST', '/groups', { name: 'others' })
    await as('POST', `/persons/${personId}/groups`, { groups: ['others'] })
    for (let times = 0; times < 2; times++) {
      expect(await accept(await invite(), ada, anotherBrowser())).toBe('signed in')
      expect((await as('GET', `/persons/${personId}/groups`)).body.result).toEqual([group, 'others'])
    }
    expect(await personIds()).toEqual([personId])
    expect(await accepted()).toHaveLength(2)
    const { result } = (await as('GET', '/events?event_name=PersonGroupsChanged_v1')).body
    expect(result).toMatchObject([
      { person_id: personId, added: ['others'], removed: [] },
      { person_id: personId, added: [group], removed: [] },
    ])
  })

  test('Nobody joins a group that was tied to a directory since, nor is anybody invited to it', async () => {
    const before = await invite()
    const corp = await startPushing(service, tenant.organization)
    const { id } = (await corp.call('POST', '/Groups', { displayName: 'Theirs' })).body
    const tied = await as('PATCH', `/organizations/directories/${corp.id}/groups/${id}`, { group_name: group })
    expect(tied.status).toBe(200)
    expect(await accept(before)).toContain('invitation_not_open')
    expect([await members(), await personIds()]).toEqual([[], []])
    expect(await as('POST', '/organizations/console-invitations', { group })).toMatchObject(
      refused(409, `group: ${group} is kept by the directory Corp staff and changed there`),
    )
  })

  // Proves console/47.
  test('Nobody is linked by an address, though the settings link and an admin key vouches for it', async () => {
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
    const { body } = await as('POST', '/persons', { handles })
    expect(await accept(await invite())).toBe('signed in')
    const [joined] = await members()
    expect(joined).not.toBe(body.result.person_id)
    expect(await personIds()).toHaveLength(2)
  })

  test('Without an invitation an unknown person stays out of the console, and joins nothing', async () => {
    await invite()
    const parameters = new URLSearchParams({ state: 'x'.repeat(96) })
    const { body } = await enter(await invite())
    const request = new URL(body.result.url)
    request.searchParams.set('state', parameters.get('state') ?? '')
    expect(await goOn(request.href)).toContain('registration_not_allowed')
    expect(await personIds()).toEqual([])
  })

  test('A person who is not active is refused, and spends nothing', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const [personId] = await personIds()
    await as('PATCH', `/persons/${personId}`, { active: false })
    const token = await invite()
    expect(await accept(token, ada, anotherBrowser())).toContain('person_not_active')
    await expectNothing(token)
  })

  test('The limit of persons holds for whoever is unknown, and spends nothing', async () => {
    const token = await invite()
    await service.operate('PATCH', `/organizations/${tenant.organization.id}`, { pricing_tier: 'full' })
    expect(await accept(token)).toContain('person_limit_reached')
    await expectNothing(token)
    expect(await personIds()).toEqual([])
  })

  // Proves console/48.
  test('A hook that refuses spends nothing', async () => {
    const token = await invite()
    const path = `/${tenant.organization.id}/hook`
    signIns.receiver.behave(path, { body: JSON.stringify({ deny: true }) })
    const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path))
    const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
    await as('POST', `/organizations/webhooks/${id}/triggers`, trigger)
    expect(await accept(token)).toContain('sync_hook')
    await expectNothing(token)
    expect(await personIds()).toEqual([])
  })

  test('Whoever is in a thousand groups joins no other one, and spends nothing', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const [personId] = await personIds()
    const of = [tenant.organization.id]
    await signIns.inside.query(
      `insert into groups (org_id, name, description, created_at) select $1, 'g' || n, '', now() from generate_series(1, 1000) n`,
      of,
    )
    await signIns.inside.query(
      `insert into memberships (org_id, person_id, group_name) select $1, $2, 'g' || n from generate_series(1, 1000) n`,
      [...of, personId],
    )
    const token = await invite()
    expect(await accept(token, ada, anotherBrowser())).toContain('unspecified')
    await expectNothing(token)
  })
})
