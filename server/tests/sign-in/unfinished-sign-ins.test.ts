import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createPublish } from '../../src/delivery/events/index.ts'
import { createEnqueue } from '../../src/delivery/queue/enqueue.ts'
import { openDatabase } from '../../src/ground/database/database.ts'
import { untraced } from '../../src/ground/runtime/tracer.ts'
import { createCredentials } from '../../src/identity/credentials/index.ts'
import { endStalledFlows } from '../../src/identity/sign-in/index.ts'
import { errorIn } from '../support/application.ts'
import { application, type Browser, openBrowser, type Page } from '../support/browser.ts'
import { attempt, flowPage } from '../support/failing-sign-ins.ts'
import {
  as,
  callback,
  closeSignIns,
  newTenant,
  openSignIns,
  other,
  service,
  signIns,
  tenant,
} from '../support/own-sign-ins.ts'
import { makeKeyring } from '../support/service.ts'
import { ada, providers } from '../support/sign-ins.ts'
import { addWebhook } from '../support/webhooks.ts'

beforeAll(openSignIns)
afterAll(closeSignIns)
beforeEach(() => newTenant())

/** The way back to the issuer, where the result is collected. */
const wayBack = /\/oidc\/[^/]+\/authorize\/[\w-]+#?$/
const hourMs = 3_600_000

/** Of a callback that is being answered. */
const finishMs = 150_000

/** An issuer is looked up again so long after the last time. */
const cacheTtlMs = 2_000
const patience = { timeout: 30_000, interval: 50 }

describe('A sign-in that nobody finishes', () => {
  const outcomes: string[] = []
  const problems: object[] = []
  const log = { info: () => {}, error: (fields: object) => problems.push(fields) }

  /** As a node does every minute, an hour later. */
  async function sweep() {
    const { connection, clock, masterKey } = signIns
    const database = openDatabase(connection)
    const late = { now: () => clock.now() + hourMs }
    const publish = createPublish({ clock: late, enqueue: createEnqueue({ wake: () => {} }), tracer: untraced })
    const onOutcome = (outcome: string) => outcomes.push(outcome)
    const credentials = createCredentials({ database, clock: late, keyring: makeKeyring(masterKey) })
    const swept = { database, clock: late, credentials, publish, onOutcome, log }
    await Promise.all([1, 2, 3].map(() => endStalledFlows(swept, new AbortController().signal)))
    await database.close()
  }

  // Proves 6.1/15, sign-in/67.
  test('A sign-in that nobody finishes has failed (flow_expired, Cloud) once, however many nodes look, if it had begun', async () => {
    await tenant.addCredential(providers.okta, other)
    const page = await attempt()
    const [, credential = ''] = /value="([^"]+)">signet</.exec(page.html) ?? []
    await tenant.browser.go(page.url, { form: { credential }, person: ada, stopAt: callback })
    await sweep()
    const [event] = await tenant.events()
    expect(event).toEqual({
      event_metadata: expect.objectContaining({ source: 1 }),
      analytics_metadata: expect.anything(),
      failed_authn_method: 'oidc',
      failure_reason: 'flow_expired',
    })
    expect(await tenant.endings()).toEqual(['flow_expired'])
  })

  // Proves sign-in/69.
  test('A sign-in that cannot be ended stops no other one, and is logged, however many there are', async () => {
    const of = [tenant.organization.id]
    await attempt({ stopAt: callback })
    await signIns.inside.query('update flows set begun_at = expires_at where org_id = $1', of)
    // More than one look takes, and all of them before the sound one.
    await signIns.inside.query(
      `insert into flows (org_id, id, interaction_uid, correlation_id, client_address, user_agent, window_location, begun_at,
                          expires_at)
       select org_id, gen_random_uuid(), gen_random_uuid(), correlation_id, '', 'broken', '', begun_at,
              expires_at - interval '1 minute' from flows, generate_series(1, 120) where org_id = $1`,
      of,
    )
    await signIns.inside.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'a fault of the test'; end $$;
      create trigger refuse before update on flows for each row when (old.user_agent = 'broken') execute function refuse()`)
    await sweep().finally(() => signIns.inside.query('drop function refuse cascade'))
    expect(await tenant.endings()).toEqual(['flow_expired'])
    expect(problems).toHaveLength(3 * 120)
    const expected = { organization_id: tenant.organization.id, flow_id: expect.any(String), err: expect.any(Error) }
    expect(problems.at(-1)).toEqual(expected)
    await sweep()
    expect(await tenant.endings()).toEqual(Array(121).fill('flow_expired'))
  })

  // Proves sign-in/70.
  test('A sign-in that nobody finishes is a number and no event, if it had not begun', async () => {
    outcomes.length = 0
    const { url } = await attempt({ stopAt: callback })
    await sweep()
    expect(outcomes).toContain('abandoned')
    expect((await tenant.browser.go(url)).status).toBe(400)
    expect(await tenant.events()).toEqual([])
  })
})

// Proves sign-in/8.
test('A callback that is called twice at once is processed once', async () => {
  const begun = await tenant.application.begin()
  const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
  const cookie = tenant.browser.cookiesFor(url)
  const address = url.replace('https://id.signet.test', service.baseUrl)
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => fetch(address, { redirect: 'manual', headers: { cookie } })),
  )
  // One that comes when the sign-in is over already is sent on all the same: the browser may have lost the answer.
  const ways = new Set(answers.flatMap(({ headers }) => headers.get('location') ?? []))
  expect([...ways]).toEqual([expect.stringMatching(wayBack)])
  const [way = ''] = ways
  await tenant.application.finish(begun, (await tenant.browser.go(way)).url)
  expect(await tenant.endings()).toEqual(['succeeded'])
})

test('A browser that lost the reply to its callback is sent on when it asks again', async () => {
  const begun = await tenant.application.begin()
  const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
  const headers = { cookie: tenant.browser.cookiesFor(url) }
  const lost = await fetch(url.replace('https://id.signet.test', service.baseUrl), { redirect: 'manual', headers })
  expect([lost.status, await tenant.endings()]).toEqual([303, ['succeeded']])
  const end = await tenant.browser.go(url)
  const { sub } = await tenant.application.finish(begun, end.url)
  expect((await tenant.application.signIn(tenant.browser, { params: { prompt: 'none' } })).sub).toBe(sub)
  expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
})

describe('A browser that asks again while its callback is being answered', () => {
  /** Whoever called first has gone, and its hook is waited for. */
  async function leaveAmid() {
    const begun = await tenant.application.begin()
    const { url } = await tenant.browser.go(begun.url, { person: ada, stopAt: callback })
    const path = `/${tenant.organization.id}/held`
    signIns.receiver.behave(path, { together: 2 })
    const id = await addWebhook(service, tenant.organization, signIns.receiver.url(path), [], { timeout: '20s' })
    const webhook = `/organizations/webhooks/${id}`
    await as('POST', `${webhook}/triggers`, { trigger_type: 'sync_hook', trigger_name: 'token_minted' })
    const first = new AbortController()
    const headers = { cookie: tenant.browser.cookiesFor(url) }
    const options = { redirect: 'manual', headers, signal: first.signal } as const
    const answer = fetch(url.replace('https://id.signet.test', service.baseUrl), options).catch(() => {})
    await signIns.receiver.waitFor(path, 1)
    first.abort()
    await answer
    return { begun, url, letGo: () => as('POST', `${webhook}/dry-run`) }
  }

  test('A browser that asks again gets a page that asks again by itself, and is sent on when the sign-in has ended', async () => {
    const { begun, url, letGo } = await leaveAmid()
    const page = await tenant.browser.go(url)
    expect([page.status, page.headers.get('refresh')]).toEqual([200, '2'])
    expect(page.html).toContain('You are being signed in')
    expect((await openBrowser(() => service.baseUrl).go(url)).status).toBe(400)
    await letGo()
    await tenant.application.finish(begun, (await untilSentOn(url)).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('A browser that asks again is not kept waiting for a callback that has taken too long', async () => {
    const { url, letGo } = await leaveAmid()
    signIns.clock.set(signIns.clock.now() + finishMs)
    const page = await tenant.browser.go(url)
    signIns.clock.set(signIns.clock.now() - finishMs)
    expect(page.headers.get('refresh')).toBeNull()
    expect(page.html).not.toContain('You are being signed in')
    await letGo()
    await untilSentOn(url)
  })

  const untilSentOn = (url: string) =>
    vi.waitFor(async () => {
      const end = await tenant.browser.go(url)
      expect(end.status).toBe(0)
      return end
    }, patience)
})

describe('An unavailable database', () => {
  let browser: Browser
  beforeEach(() => {
    browser = openBrowser(() => service.baseUrl, undefined, { accept: 'text/html' })
  })

  /** Whatever waits for the table is told that it took too long. */
  async function goWithout(table: string, url: string): Promise<Page> {
    let isAnswered = false
    await signIns.inside.query('begin')
    await signIns.inside.query(`lock table ${table} in access exclusive mode`)
    const going = browser.go(url, { person: ada }).finally(() => {
      isAnswered = true
    })
    const cancelling = vi.waitFor(async () => {
      // Amid a transaction it goes on seeing the connections that there were when it first looked.
      await signIns.inside.query('select pg_stat_clear_snapshot()')
      // In this file's database: others wait in theirs, on the same PostgreSQL.
      await signIns.inside.query(
        `select pg_cancel_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(isAnswered).toBe(true)
    }, patience)
    const [page] = await Promise.all([going, cancelling]).finally(() => signIns.inside.query('rollback'))
    return page
  }

  /** When what was looked up before is looked up again. */
  function later<Result>(work: () => Promise<Result>): Promise<Result> {
    signIns.clock.set(signIns.clock.now() + cacheTtlMs)
    return work().finally(() => signIns.clock.set(signIns.clock.now() - cacheTtlMs))
  }

  const expectAway = ({ status, headers, html }: Page) => {
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(html).toContain('Signing in is not possible right now')
  }

  test('The authorize endpoint, which stores the request, says that the database is unavailable and when to come again', async () => {
    const begun = await tenant.application.begin()
    const page = await goWithout('issuer_interactions', begun.url)
    expectAway(page)
    expect(page.url).toBe(begun.url)
    expect(browser.cookiesFor(begun.url)).toBe('')
    await tenant.application.finish(begun, (await browser.go(begun.url, { person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The page where authorize leads when it cannot begin a sign-in says that the database is unavailable', async () => {
    const begun = await tenant.application.begin()
    const page = await goWithout('flows', begun.url)
    expectAway(page)
    expect(page.url).toMatch(flowPage)
    expect(await tenant.events()).toEqual([])
    await tenant.application.finish(begun, (await browser.go(page.url, { person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The authorize endpoint whose issuer cannot be looked up says that the database is unavailable', async () => {
    const begun = await tenant.application.begin()
    expectAway(await later(() => goWithout('issuer_keys', begun.url)))
  })

  test('The authorize endpoint whose credentials cannot be looked up says so by way of the page', async () => {
    const begun = await tenant.application.begin()
    const page = await later(() => goWithout('oidc_credentials', begun.url))
    expectAway(page)
    expect(page.url).toMatch(/\/sso\/flows\//)
    await tenant.application.finish(begun, (await browser.go(page.url, { person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('The page where one chooses says that the database is unavailable', async () => {
    await tenant.addCredential(providers.okta, other)
    const begun = await tenant.application.begin()
    const { url } = await browser.go(begun.url, { stopAt: flowPage })
    expectAway(await goWithout('flows', url))
    const [, credential = ''] = /value="([^"]+)">signet</.exec((await browser.go(url)).html) ?? []
    await tenant.application.finish(begun, (await browser.go(url, { form: { credential }, person: ada })).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('A callback says that the database is unavailable when it begins', async () => {
    const begun = await tenant.application.begin()
    const { url } = await browser.go(begun.url, { person: ada, stopAt: callback })
    const page = await goWithout('flows', url)
    expectAway(page)
    expect(page.url).toBe(url)
    await tenant.application.finish(begun, (await browser.go(url)).url)
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test.each([
    ['the issuer is looked up again', 'issuer_keys'],
    ['the result is read', 'issuer_interactions'],
    ['the session of before is read', 'issuer_sessions'],
    ['the code is to be written', 'issuer_tokens'],
  ])('The way back says that the database is unavailable when %s', async (_, table) => {
    await tenant.application.signIn(browser, { person: ada })
    const begun = await tenant.application.begin({ prompt: 'login' })
    const { url } = await browser.go(begun.url, { person: ada, stopAt: wayBack })
    const page = await later(() => goWithout(table, url))
    expectAway(page)
    expect(page.url).toBe(url)
    await tenant.application.finish(begun, (await browser.go(url)).url)
    expect(await tenant.endings()).toEqual(['succeeded', 'succeeded'])
  })
})

test('A HEAD request uses up nothing', async () => {
  const { url } = await attempt({ stopAt: callback })
  const headers = { cookie: tenant.browser.cookiesFor(url) }
  await fetch(url.replace('https://id.signet.test', service.baseUrl), { method: 'HEAD', redirect: 'manual', headers })
  expect((await tenant.browser.go(url)).url).toContain(`${application}callback?code=`)
})

// Proves sign-in/8.
test('A browser that goes back to a callback changes nothing', async () => {
  const back = await attempt({ stopAt: callback })
  expect(errorIn(await tenant.browser.go(back.url))).toBeUndefined()
  expect((await tenant.browser.go(back.url)).status).toBe(400)
  expect((await openBrowser(() => service.baseUrl).go(back.url)).status).toBe(400)
  expect(await tenant.endings()).toEqual(['succeeded'])
})
