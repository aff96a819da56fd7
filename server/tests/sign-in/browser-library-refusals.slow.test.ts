import { describe, expect, test } from 'vitest'
import {
  beSomebodyElse,
  callback,
  inPage,
  leave,
  logIn,
  page,
  setUpPage,
  site,
  visit,
} from '../support/library-page.ts'

setUpPage()

describe('The options of createSignet', () => {
  /** What the library says of these options; undefined where it takes them. */
  const saidOf = (options: string) =>
    inPage<string | undefined>(`(() => {
      const right = { baseUrl: 'https://id.example.com', organizationId: crypto.randomUUID(), clientId: 'a' }
      try { Signet.createSignet(${options}) } catch (error) { return String(error) }
    })()`)

  test.each([
    ['undefined', 'baseUrl'],
    ['{ ...right, baseUrl: undefined }', 'baseUrl'],
    [`{ ...right, baseUrl: 'id.example.com' }`, 'baseUrl'],
    [`{ ...right, baseUrl: '/signet' }`, 'baseUrl'],
    [`{ ...right, baseUrl: 'https://id.example.com/?a=1' }`, 'baseUrl'],
    [`{ ...right, organizationId: undefined }`, 'organizationId'],
    [`{ ...right, organizationId: 'acme' }`, 'organizationId'],
    [`{ ...right, clientId: undefined }`, 'clientId'],
    [`{ ...right, clientId: '' }`, 'clientId'],
    [`{ ...right, redirectUri: '/callback' }`, 'redirectUri'],
  ])('The options %s are refused by the name of the first wrong one', async (options, name) => {
    await visit('/')
    expect(await saidOf(options)).toMatch(new RegExp(`^TypeError: createSignet: ${name}: must be `))
  })

  test.each([
    'right',
    `{ ...right, baseUrl: 'http://localhost:8080/base/' }`,
    `{ ...right, redirectUri: 'com.example.app:/callback' }`,
    `{ ...right, redirectUri: 'https://app.example.com/callback?tenant=1' }`,
    '{ ...right, redirectUri: undefined, idToken: undefined }',
  ])('The options %s are accepted', async (options) => {
    await visit('/')
    expect(await saidOf(options)).toBeUndefined()
  })

  test('The base URL may end in a slash and the organization be in capitals: a sign-in succeeds with them', async () => {
    await visit('/')
    await inPage(`sessionStorage.setItem('waits', 'yes')`)
    const other = `(() => {
      const { baseUrl, organizationId, ...others } = ${JSON.stringify(site.settings())}
      return Signet.createSignet({ baseUrl: baseUrl + '/', organizationId: organizationId.toUpperCase(), ...others })
    })()`
    await leave(`${other}.signIn()`)
    await logIn()
    expect(await inPage(`${other}.finishSignIn()`)).toHaveProperty('claims.sub')
  })
})

test('A sign-in that is finished twice at once, as in the strict mode of React, is finished once for both', async () => {
  await visit('/')
  await beSomebodyElse()
  const [first, second] = await inPage<unknown[]>('Promise.all([signet.finishSignIn(), signet.finishSignIn()])')
  expect(first).toHaveProperty('claims.sub')
  expect(second).toEqual(first)
  expect(await inPage('signet.finishSignIn().then(String)')).toBe('undefined')
})

describe('The refusal of a callback', () => {
  const outcome = () => inPage(`ended.then(() => 'finished', (error) => [error.name, error.code, error.message])`)
  /** In words: what Signet describes, or the library's own. */
  const words = expect.stringMatching(/^\S+ \S+ .*\S$/)
  const refusedWith = (code: string) => ['SignInError', code, words]
  /** Begins, and comes back with something else than what was asked for. */
  async function comeBack(change: (answer: URL) => void, tamper = '') {
    await visit('/')
    await inPage(`sessionStorage.setItem('waits', 'yes')`)
    await leave('signet.signIn()')
    await logIn()
    const answer = new URL(page.url())
    // With its fragment, the same address would not be loaded again.
    answer.hash = ''
    change(answer)
    await inPage(`sessionStorage.removeItem('waits')`)
    if (tamper) await inPage(tamper)
    await page.goto(answer.href)
    return outcome()
  }
  const changeBegun = (field: string) => `{
    const key = Object.keys(sessionStorage).find((key) => /sign_in/.test(key))
    sessionStorage.setItem(key, JSON.stringify({ ...JSON.parse(sessionStorage.getItem(key)), ${field}: 'x'.repeat(43) }))
  }`

  test('A callback is accepted where nothing in it was changed', async () => {
    expect(await comeBack(() => {})).toBe('finished')
  })

  test.each<[string, (answer: URL) => void, string, string]>([
    ['another state', ({ searchParams }) => searchParams.set('state', 'other'), '', 'state_mismatch'],
    [
      'another issuer (RFC 9207)',
      ({ searchParams }) => searchParams.set('iss', 'https://evil.test'),
      '',
      'issuer_mismatch',
    ],
    ['no issuer', ({ searchParams }) => searchParams.delete('iss'), '', 'issuer_mismatch'],
    ['another code', ({ searchParams }) => searchParams.set('code', 'other'), '', 'invalid_grant'],
    ['another nonce', () => {}, changeBegun('nonce'), 'invalid_id_token'],
    ['another verifier', () => {}, changeBegun('verifier'), 'invalid_grant'],
    ['what another tab began', () => {}, 'sessionStorage.clear()', 'state_mismatch'],
  ])('A callback is refused with %s', async (_what, change, tamper, code) => {
    expect(await comeBack(change, tamper)).toEqual(refusedWith(code))
    expect(await inPage('signet.person()')).toBeUndefined()
  })

  test('A callback is refused a second time', async () => {
    let answer = ''
    await comeBack(({ href }) => {
      answer = href
    })
    await page.goto(answer)
    expect(await outcome()).toEqual(refusedWith('state_mismatch'))
  })

  test('A callback reports the error of Signet when the person refused', async () => {
    await visit('/')
    await leave('signet.signIn()')
    await page.getByRole('button', { name: 'No, thanks' }).click()
    await callback()
    expect(await outcome()).toEqual(refusedWith('access_denied'))
    expect(page.url()).toBe(`${site.url}/callback`)
  })

  test('A callback reports the error of Signet when nobody is signed in and nobody may be asked', async () => {
    await visit('/')
    await leave(`signet.signIn({ prompt: 'none' })`)
    await callback()
    expect(await outcome()).toEqual(refusedWith('login_required'))
  })
})
