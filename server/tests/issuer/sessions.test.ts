import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../src/ground/database/sql.ts'
import { toTimestamp } from '../../src/ground/runtime/clock.ts'
import { findInteraction } from '../../src/identity/issuer/index.ts'
import type { Browser } from '../support/browser.ts'
import { uidIn } from '../support/issuer.ts'
import {
  app,
  closeIssuer,
  countFulfilled,
  dayMs,
  issuers,
  openIssuer,
  organization,
  person,
  secondMs,
  signIn,
  tokensOf,
  userInfo,
} from '../support/own-issuer.ts'

beforeAll(openIssuer)
afterEach(() => issuers.clock.reset())
afterAll(closeIssuer)

test('A session lasts fourteen days, and is known to the next sign-in', async () => {
  const { browser } = await signIn()
  const known = async () => {
    const { url } = await issuers.request(app, { prompt: 'login' })
    const page = await browser.go(url.href, { stopAt: /\/sso\/flows\// })
    const now = toTimestamp(issuers.clock.now())
    return (await findInteraction(issuers.database.read, organization.id, uidIn(page.url), now))?.sessionPersonId
  }
  for (const days of [7, 6.9]) {
    issuers.clock.advance(days * dayMs)
    expect(await known()).toBe(person)
  }
  issuers.clock.advance(0.2 * dayMs)
  expect(await known()).toBeUndefined()
})

describe('A session used again', () => {
  const countOf = async (name: string) => {
    const [row] = await issuers.database.write.rows(sql<{ count: number }>`
      select count(*) from events where org_id = ${organization.id} and name = ${name}`)
    return row?.count ?? 0
  }
  /** Where a browser that has signed in ends. */
  const again = async (browser: Browser, parameters: Record<string, string> = {}, of = app) => {
    const request = await issuers.request(of, parameters)
    const page = await browser.go(request.url.href, { stopAt: /\/sso\/flows\// })
    return { request, end: new URL(page.url) }
  }

  test.each<Record<string, string>>([{}, { prompt: 'none' }, { max_age: '3600' }])(
    'A session used again signs in with %j without a page, at another application too, and says so in an event',
    async (parameters) => {
      const { browser } = await signIn()
      const other = await issuers.app(organization)
      const before = await countOf('AuthenticationSucceeded_v1')
      const { request, end } = await again(browser, parameters, other)
      const claims = (await issuers.exchange(other, request, end)).claims()
      expect(claims).toMatchObject({ sub: person, authenticated_methods: ['oidc'] })
      expect(await countOf('AuthenticationSucceeded_v1')).toBe(before + 1)
    },
  )

  test('A session used again keeps no claims of the hooks at the sign-in before', async () => {
    const { browser } = await signIn({ claims: { tier: 'gold' } })
    const { request, end } = await again(browser)
    expect((await issuers.exchange(app, request, end)).claims()).not.toHaveProperty('tier')
  })

  test.each<[string, Record<string, string>]>([
    ['prompt=login', { prompt: 'login' }],
    ['prompt=select_account', { prompt: 'select_account' }],
    ['a sign-in that is too long ago', { max_age: '60' }],
  ])('A session used again is not enough for %s', async (_what, parameters) => {
    const { browser } = await signIn()
    issuers.clock.advance(61 * secondMs)
    const before = await countOf('AuthenticationSucceeded_v1')
    expect(uidIn((await again(browser, parameters)).end.href)).not.toBe('')
    expect(await countOf('AuthenticationSucceeded_v1')).toBe(before)
  })

  test('A session used again is not enough where the ID token of another person is the hint', async () => {
    const another = await issuers.person(organization)
    const { id_token = '' } = await tokensOf({ as: another })
    const { browser } = await signIn()
    const { end } = await again(browser, { id_token_hint: id_token, prompt: 'none' })
    expect(end.searchParams.get('error')).toBe('login_required')
  })

  test('A session is needed for prompt=none, and nothing is published without it', async () => {
    const before = await countOf('AuthenticationFailed_v1')
    const { end } = await again(issuers.browser(), { prompt: 'none' })
    expect(end.searchParams.get('error')).toBe('login_required')
    expect(await countOf('AuthenticationFailed_v1')).toBe(before)
  })

  test('A session used again ends after fourteen days, however often it is asked for', async () => {
    const { browser } = await signIn()
    issuers.clock.advance(14 * dayMs - secondMs)
    const ask = async () => (await again(browser, { prompt: 'none' })).end.searchParams.get('error')
    for (let times = 0; times < 5; times++) {
      await ask()
      issuers.clock.advance(secondMs / 2)
    }
    expect(await ask()).toBe('login_required')
  })

  test('A session used by eight requests at once gives eight codes that all hold', async () => {
    const { browser } = await signIn()
    const requests = await Promise.all(Array.from({ length: 8 }, () => again(browser)))
    const works = requests.map(({ request, end }) => issuers.exchange(app, request, end).then(userInfo))
    expect(await countFulfilled(works, undefined)).toBe(8)
  })
})

test('Two organizations in one browser know nothing of each other', async () => {
  const other = await issuers.organization()
  const otherPerson = await issuers.person(other)
  const otherApp = await issuers.app(other)
  const browser = issuers.browser()
  const first = await signIn({ browser })
  const { url } = await issuers.request(otherApp)
  const page = await browser.go(url.href, { stopAt: /\/sso\/flows\// })
  const now = toTimestamp(issuers.clock.now())
  const found = await findInteraction(issuers.database.read, other.id, uidIn(page.url), now)
  expect(found).toMatchObject({ sessionPersonId: undefined })
  const second = await signIn({ of: otherApp, as: otherPerson, browser })
  expect((await issuers.exchange(otherApp, second.request, second.end)).claims()?.sub).toBe(otherPerson)
  expect((await issuers.exchange(app, first.request, first.end)).claims()?.sub).toBe(person)
})
