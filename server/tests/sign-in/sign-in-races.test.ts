import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { errorIn } from '../support/application.ts'
import { type Browser, baseUrl, openBrowser, type Page } from '../support/browser.ts'
import type { Behaviour } from '../support/receiver.ts'
import type { Service } from '../support/service.ts'
import { ada, type SignIns, startSignIns, type Tenant } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

const callback = /\/sso\/callback\//
/** The way back to the issuer, where the result of a sign-in is collected. */
const wayBack = /\/oidc\/[^/]+\/authorize\/[\w-]+#?$/
const waitMs = 30_000

let signIns: SignIns
let service: Service
let tenant: Tenant
/** An administrator, amid a transaction. */
let administrator: pg.Client

beforeAll(async () => {
  signIns = await startSignIns()
  service = signIns.service
  administrator = new pg.Client(signIns.connection)
  await administrator.connect()
})

afterAll(async () => {
  await administrator?.end()
  await signIns?.stop()
})

beforeEach(async () => {
  tenant = await signIns.tenant()
})

const as = (method: string, path: string, body?: unknown) => service.as(tenant.organization, method, path, body)
const anotherBrowser = () => openBrowser(() => service.baseUrl)

const path = () => `/${tenant.organization.id}/hook`

async function addHook(behaviour: object, fields: object = {}) {
  signIns.receiver.behave(path(), behaviour)
  const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path()), [], fields)
  const trigger = { trigger_type: 'sync_hook', trigger_name: 'token_minted' }
  await as('POST', `/organizations/webhooks/${id}/triggers`, trigger)
  return id
}

/** Up to there, as Ada. */
async function leave(browser: Browser, stopAt: RegExp, params: Record<string, string> = {}) {
  const begun = await tenant.application.begin(params)
  return { begun, at: (await browser.go(begun.url, { person: ada, stopAt })).url }
}

/** Whoever has the cookies, in whichever browser, which goes nowhere from there. */
const ask = (url: string, cookie: string) =>
  fetch(url.replace(baseUrl, service.baseUrl), { redirect: 'manual', headers: { cookie } })

async function isSignedIn(browser: Browser): Promise<boolean> {
  const { url } = await tenant.application.begin({ prompt: 'none' })
  return errorIn(await browser.go(url)) === undefined
}

async function takeIdentityFrom(personId: string) {
  const path = `/persons/${personId}/identities`
  const [identity] = (await as('GET', path)).body.result
  await as('DELETE', `${path}/${identity.id}`)
}

describe('A sign-in that is finished and not yet collected', () => {
  // Proves sign-in/45.
  test.each<[string, (personId: string) => Promise<unknown>]>([
    ['was deactivated', (personId) => as('PATCH', `/persons/${personId}`, { active: false })],
    [
      'was deactivated and is active again',
      async (personId) => {
        for (const active of [false, true]) await as('PATCH', `/persons/${personId}`, { active })
      },
    ],
    ['was deleted', (personId) => as('DELETE', `/persons/${personId}`)],
    ['lost the identity', takeIdentityFrom],
  ])('A person who %s before the sign-in is collected gets neither code nor session', async (_, end) => {
    const { at } = await leave(tenant.browser, callback)
    const onward = (await ask(at, tenant.browser.cookiesFor(at))).headers.get('location') ?? ''
    expect(onward).toMatch(wayBack)
    const [person] = await tenant.persons()
    await end(person?.person_id ?? '')
    for (const url of [at, onward]) expect(await tenant.browser.go(url)).toMatchObject({ url, status: 400 })
    expect(await isSignedIn(tenant.browser)).toBe(false)
  })
})

test.each([
  ['is switched off', 'update oidc_credentials set active = false where org_id = $1'],
  ['is deleted', 'delete from oidc_credentials where org_id = $1'],
])('A sign-in whose credential %s by another process, unknown to this one, admits nobody', async (_, change) => {
  const { at } = await leave(tenant.browser, callback)
  await signIns.inside.query(change, [tenant.organization.id])
  expect(errorIn(await tenant.browser.go(at))).toBe('server_error')
  expect(await tenant.endings()).toEqual(['credential_misconfigured'])
  expect(await tenant.persons()).toEqual([])
})

describe('A sign-in that is committed during a change by an administrator', () => {
  /** What the administrator does is there before the sign-in is committed, and committed once the sign-in waits for it. */
  async function amid(change: string, personId: string, at: string) {
    await administrator.query('begin')
    await administrator.query(change, [tenant.organization.id, personId])
    const { ending } = await goUntilItWaits(at)
    await administrator.query('commit')
    return ending
  }

  async function goUntilItWaits(at: string) {
    let isOver = false
    const ending = tenant.browser.go(at).finally(() => {
      isOver = true
    })
    await until(async () => isOver || (await isSomebodyWaiting()))
    return { ending }
  }

  async function isSomebodyWaiting() {
    const { rows } = await signIns.inside.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  }

  /** As the operation does: the person is changed first. */
  const takeHandles = `with changed as (update persons set active = active where org_id = $1 and id = $2 returning id)
    delete from handles using changed where org_id = $1 and person_id = changed.id`
  const takeIdentity = `with held as materialized (select id from persons where org_id = $1 and id = $2 for update)
    delete from identities using held where org_id = $1 and person_id = held.id`
  const deactivate = 'update persons set active = false where org_id = $1 and id = $2'
  const deletePerson = 'delete from persons where org_id = $1 and id = $2'

  // Proves sign-in/46.
  test('A sign-in that is committed while its person is deactivated admits nobody', async () => {
    const { sub } = await tenant.application.signIn(anotherBrowser(), { person: ada })
    const { at } = await leave(tenant.browser, callback)
    expect(errorIn(await amid(deactivate, sub, at))).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['succeeded', 'person_not_active'])
  })

  // Proves sign-in/45.
  test.each([
    ['was deactivated', deactivate],
    ['was deactivated and is active again', 'delete from issuer_interactions where org_id = $1 and person_id = $2'],
    ['was deleted', deletePerson],
  ])('A sign-in whose person %s while it is collected admits nobody', async (_, change) => {
    const { sub } = await tenant.application.signIn(anotherBrowser(), { person: ada })
    const { at } = await leave(tenant.browser, wayBack)
    await administrator.query('begin')
    await administrator.query('lock table issuer_sessions in share mode')
    const { ending } = await goUntilItWaits(at)
    await administrator.query(change, [tenant.organization.id, sub])
    await administrator.query('commit')
    expect(await ending).toMatchObject({ url: at, status: 400 })
    expect(await isSignedIn(tenant.browser)).toBe(false)
  })

  // Proves sign-in/46.
  test('A sign-in that is committed while the person it is linked to is deactivated admits nobody', async () => {
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
    const { person_id } = (await as('POST', '/persons', { handles })).body.result
    const { at } = await leave(tenant.browser, callback)
    expect(errorIn(await amid(deactivate, person_id, at))).toBe('access_denied')
    expect(await tenant.endings()).toEqual(['person_not_active'])
  })

  // Proves sign-in/46.
  test('A sign-in that is committed while the address of the person it is linked to is taken makes a new person', async () => {
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
    const { person_id } = (await as('POST', '/persons', { handles })).body.result
    const { at, begun } = await leave(tenant.browser, callback)
    const end = await amid(takeHandles, person_id, at)
    expect((await tenant.application.finish(begun, end.url)).sub).not.toBe(person_id)
  })

  const joinAt = (issuer: string) => `
    with held as materialized (select id from persons where org_id = $1 and id = $2 for share)
    insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, created_at)
    select $1, gen_random_uuid(), id, 'provider_a', ${issuer}, 'another', gen_random_uuid(), now() from held`
  const sameIssuer = '(select distinct issuer from identities)'

  // Proves sign-in/32.
  test.each([
    ['the same provider, is of somebody new', sameIssuer, false],
    ['another provider, is linked to that person too', `'https://another.example'`, true],
  ])('A sign-in that is committed while another account is linked to the person, at %s', async (_, issuer, joins) => {
    await tenant.application.signIn(anotherBrowser(), { person: { ...ada, sub: 'first', email: 'first@gmail.com' } })
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
    const { person_id } = (await as('POST', '/persons', { handles })).body.result
    const { at, begun } = await leave(tenant.browser, callback)
    const end = await amid(joinAt(issuer), person_id, at)
    expect((await tenant.application.finish(begun, end.url)).sub === person_id).toBe(joins)
  })

  // Proves sign-in/34.
  test('A sign-in that is committed while the only identity of the person it is linked to is taken makes a new person', async () => {
    await as('PATCH', '/organizations/settings', { link_by_verified_email: true })
    const handles = [{ type: 'EmailAddress', value: ada.email, verified: true }]
    const { person_id } = (await as('POST', '/persons', { handles })).body.result
    const { at, begun } = await leave(tenant.browser, callback)
    const remember = `with held as materialized (select id from persons where org_id = $1 and id = $2 for update)
      insert into former_identities (org_id, person_id, provider, issuer, subject_hash)
      select $1, id, 'provider_a', (select distinct issuer from identities where provider = 'provider_a' limit 1), 'x' from held`
    await tenant.application.signIn(anotherBrowser(), { person: { ...ada, sub: 'first', email: 'first@gmail.com' } })
    const end = await amid(remember, person_id, at)
    expect((await tenant.application.finish(begun, end.url)).sub).not.toBe(person_id)
  })

  // Proves sign-in/46.
  test('A sign-in that is committed while its identity is taken away makes a new person', async () => {
    const { sub } = await tenant.application.signIn(anotherBrowser(), { person: ada })
    const { at, begun } = await leave(tenant.browser, callback)
    const end = await amid(takeIdentity, sub, at)
    expect((await tenant.application.finish(begun, end.url)).sub).not.toBe(sub)
  })

  test('A sign-in with a changed address that is committed while its person is deleted makes a new one, and nobody waits for ever', async () => {
    const { sub } = await tenant.application.signIn(anotherBrowser(), { person: ada })
    const begun = await tenant.application.begin()
    const person = { ...ada, email: 'ada.new@gmail.com' }
    const { url } = await tenant.browser.go(begun.url, { person, stopAt: callback })
    const end = await amid(deletePerson, sub, url)
    expect((await tenant.application.finish(begun, end.url)).sub).not.toBe(sub)
  })
})

describe('A sign-in during which another one is done in another tab', () => {
  const bob = { sub: 'bob-1', email: 'bob@gmail.com', email_verified: true }

  async function signInBeside(person: object, params: Record<string, string> = {}) {
    const begun = await tenant.application.begin(params)
    return tenant.application.exchange(begun, (await tenant.browser.go(begun.url, { person })).url)
  }

  /** That browser goes on once it is done, which the hook of this callback waits for. */
  async function goAmid<Done>(at: string, meanwhile: () => Promise<Done>) {
    const id = await addHook({ inTurn: [{ together: 2 }, {}, { together: 2 }, {}] }, { timeout: '20s' })
    const going = tenant.browser.go(at)
    await signIns.receiver.waitFor(path(), 1)
    const done = await meanwhile()
    await as('POST', `/organizations/webhooks/${id}/dry-run`)
    return { page: await going, done }
  }

  /** By the page with which the library ends the session of somebody else. */
  const goOn = async (page: Page) =>
    page.html ? tenant.browser.go(actionIn(page.html), { form: fieldsIn(page.html) }) : page
  const actionIn = (html: string) => /action="([^"]+)"/.exec(html)?.[1] ?? ''
  const fieldsIn = (html: string) =>
    Object.fromEntries([...html.matchAll(/name="(\w+)" value="([^"]+)"/g)].map(([, name, value]) => [name, value]))

  async function signOut() {
    const { html } = await tenant.browser.go(`${issuer()}/logout`)
    await tenant.browser.go(actionIn(html), { form: { ...fieldsIn(html), logout: 'yes' } })
  }

  const issuer = () => `${baseUrl}/oidc/${tenant.organization.id}`

  async function isGood({ access_token }: { access_token: string }): Promise<boolean> {
    const headers = { authorization: `Bearer ${access_token}` }
    const { status } = await fetch(`${issuer()}/userinfo`.replace(baseUrl, service.baseUrl), { headers })
    return status === 200
  }

  async function sessions(): Promise<string[]> {
    const { rows } = await signIns.inside.query('select person_id from issuer_sessions where org_id = $1', [
      tenant.organization.id,
    ])
    return rows.map(({ person_id }) => person_id)
  }

  // Proves sign-in/5.
  test.each<[string, (at: string) => Promise<{ page: Page; done: Awaited<ReturnType<typeof signInBeside>> }>]>([
    ['before its callback', async (at) => ({ done: await signInBeside(bob), page: await tenant.browser.go(at) })],
    ['while its callback is answered', (at) => goAmid(at, () => signInBeside(bob))],
  ])('A sign-in done meanwhile by another person takes the place of the first: %s', async (_, go) => {
    const { begun, at } = await leave(tenant.browser, callback)
    const { page, done: theirs } = await go(at)
    expect(await isGood(theirs)).toBe(true)
    const own = await tenant.application.exchange(begun, (await goOn(page)).url)
    const sub = own.claims()?.sub ?? ''
    expect(sub).not.toBe(theirs.claims()?.sub)
    expect(await sessions()).toEqual([sub])
    expect([await isGood(own), await isGood(theirs)]).toEqual([true, false])
    expect((await tenant.application.signIn(tenant.browser, { params: { prompt: 'none' } })).sub).toBe(sub)
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded', 'succeeded'])
  })

  // Proves sign-in/5.
  test.each([
    ['who was signed in', true],
    ['whom nobody knew', false],
  ])('A second sign-in of a person %s leaves no session once they sign out', async (_, wasSignedIn) => {
    if (wasSignedIn) await signInBeside(ada)
    const { begun, at } = await leave(tenant.browser, callback, { prompt: 'login' })
    const { page, done } = await goAmid(at, () => signInBeside(ada, { prompt: 'login' }))
    const tokens = [done, await tenant.application.exchange(begun, page.url)]
    expect(await sessions()).toHaveLength(1)
    expect(await Promise.all(tokens.map(isGood))).toEqual([true, true])
    await signOut()
    expect(await sessions()).toEqual([])
    expect(await Promise.all(tokens.map(isGood))).toEqual([false, false])
    expect(await isSignedIn(tenant.browser)).toBe(false)
  })
})

describe('A session that is used again', () => {
  const sessionOf = (browser: Browser) => browser.cookiesFor(`${baseUrl}/oidc/${tenant.organization.id}/authorize`)

  const askWith = async (cookie: string, params: Record<string, string> = {}) =>
    ask((await tenant.application.begin(params)).url, cookie)

  async function isGood(cookie: string): Promise<boolean> {
    const location = (await askWith(cookie, { prompt: 'none' })).headers.get('location') ?? ''
    return new URL(location).searchParams.has('code')
  }

  // Proves sign-in/68.
  test('A session that is used again has its event if and only if it has its code', async () => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const { rows } = await signIns.inside.query('select count(*)::int from issuer_tokens')
    await signIns.inside.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'a fault of the test'; end $$;
      create trigger refuse before insert on issuer_tokens execute function refuse()`)
    const { url } = await tenant.application.begin()
    const { status } = await tenant.browser.go(url).finally(() => signIns.inside.query('drop function refuse cascade'))
    expect(status).toBe(500)
    expect((await signIns.inside.query('select count(*)::int from issuer_tokens')).rows).toEqual(rows)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  // Proves sign-in/68.
  test.each<[string, Record<string, string>, string[]]>([
    ['a plain return has failed (flow_expired), once', {}, ['succeeded', 'flow_expired']],
    ['prompt=none has no event', { prompt: 'none' }, ['succeeded']],
  ])('A session that ends while it is used again gives no code: %s', async (_, params, endings) => {
    const { sub } = await tenant.application.signIn(tenant.browser, { person: ada })
    const id = await addHook({ together: 2 })
    const { url } = await tenant.application.begin(params)
    const ending = tenant.browser.go(url)
    await signIns.receiver.waitFor(path(), 1)
    await as('PATCH', `/persons/${sub}`, { active: false })
    await as('POST', `/organizations/webhooks/${id}/dry-run`)
    expect((await ending).status).toBe(400)
    expect(await tenant.endings()).toEqual(endings)
  })

  // Proves sign-in/5.
  test.each<[string, string, Behaviour[]]>([
    ['the hook answers', 'flow_expired', [{ together: 2 }]],
    ['the hook fails', 'sync_hook_failed', [{ together: 2, status: 500 }, { together: 2 }, { status: 500 }]],
  ])('A session that gets a new id while in use does not get the old one back: %s', async (_, word, inTurn) => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    const stolen = sessionOf(tenant.browser)
    const { at } = await leave(tenant.browser, wayBack, { prompt: 'login' })
    const id = await addHook({ inTurn })
    const answering = askWith(stolen)
    await signIns.receiver.waitFor(path(), 1)
    expect(errorIn(await tenant.browser.go(at))).toBeUndefined()
    await as('POST', `/organizations/webhooks/${id}/dry-run`)
    expect((await answering).status).toBe(400)
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded', word])
    signIns.receiver.behave(path(), {})
    expect(await isGood(sessionOf(tenant.browser))).toBe(true)
    expect(await isGood(stolen)).toBe(false)
  })

  // Proves sign-in/68.
  test.each<[string, Record<string, string>, string[]]>([
    ['a plain return has failed (unspecified), once', {}, ['succeeded', 'unspecified']],
    ['prompt=none has no event', { prompt: 'none' }, ['succeeded']],
  ])('A fault while a session is used again is reported to the application: %s', async (_, params, endings) => {
    await tenant.application.signIn(tenant.browser, { person: ada })
    await addHook({})
    // The log is not written, so no outcome of the hook is known.
    await signIns.inside.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'a fault of the test'; end $$;
      create trigger refuse before insert on finished_deliveries execute function refuse()`)
    const { url } = await tenant.application.begin(params)
    const end = await tenant.browser.go(url).finally(() => signIns.inside.query('drop function refuse cascade'))
    expect(errorIn(end)).toBe('server_error')
    expect(await tenant.endings()).toEqual(endings)
  })
})

async function until(isSo: () => Promise<boolean>) {
  const deadline = performance.now() + waitMs
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('it never came to that')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
