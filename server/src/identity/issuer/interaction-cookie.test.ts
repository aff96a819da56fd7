import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createKeyring } from '../../ground/keys/index.ts'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { createInteractionCookies } from './interaction-cookie.ts'

const organizationId = makeId(1)
const keyring = createKeyring([randomBytes(32)])
const flowMs = 900_000
const cookiesAt = (now: number, { isSecure = true, of = keyring } = {}) =>
  createInteractionCookies({ keyring: of, clock: { now: () => now }, isSecure, flowMs })
const uidOf = (number: number) => String(number).padStart(43, 'u')
const pairOf = (line = '') => line.slice(0, line.indexOf(';'))
/** Of a browser with so many of them, one begun each second. */
const browserWith = (count: number) =>
  Array.from({ length: count }, (_, at) => pairOf(cookiesAt(at * 1_000).begin(organizationId, uidOf(at), '')[0]))

describe('The cookie of an interaction', () => {
  test('An interaction cookie is of this host alone, for as long as a flow, out of reach of scripts and of other sites', () => {
    const attributes = 'Path=/; Max-Age=900; HttpOnly; SameSite=Lax'
    const [secure] = cookiesAt(1).begin(organizationId, uidOf(1), undefined)
    expect(secure).toMatch(new RegExp(`^__Host-signet-interaction-${uidOf(1)}=1\\.[\\w-]{43}; ${attributes}; Secure$`))
    const [plain] = cookiesAt(1, { isSecure: false }).begin(organizationId, uidOf(1), undefined)
    expect(plain).toMatch(new RegExp(`^signet-interaction-${uidOf(1)}=1\\.[\\w-]{43}; ${attributes}$`))
  })

  test('An interaction cookie is found among others, in its organization alone', () => {
    const header = ['a=b', ...browserWith(3), 'c'].join('; ')
    expect(cookiesAt(9).has(organizationId, uidOf(1), header)).toBe(true)
    expect(cookiesAt(9).has(organizationId, uidOf(3), header)).toBe(false)
    expect(cookiesAt(9).has(makeId(2), uidOf(1), header)).toBe(false)
    expect(cookiesAt(9).has(organizationId, uidOf(1), undefined)).toBe(false)
  })

  test('An interaction cookie holds while the master key is changed, and under no other one', () => {
    const [pair] = browserWith(1)
    const [own, next] = [randomBytes(32), randomBytes(32)]
    const before = cookiesAt(1, { of: createKeyring([own]) }).begin(organizationId, uidOf(0), '')[0]
    expect(cookiesAt(1, { of: createKeyring([next, own]) }).has(organizationId, uidOf(0), pairOf(before))).toBe(true)
    expect(cookiesAt(1, { of: createKeyring([next]) }).has(organizationId, uidOf(0), pair)).toBe(false)
  })

  // Proves sign-in/3.
  test.each([
    ['that a neighbour set', (pair: string) => pair.replace('__Host-', '')],
    ['that was made up', (pair: string) => pair.replace(/[\w-]{43}$/, 'A'.repeat(43))],
    ['of another interaction', (pair: string) => pair.replace(uidOf(0), uidOf(1))],
    ['with a short proof', (pair: string) => pair.slice(0, -1)],
    ['without a proof', (pair: string) => pair.replace(/=.*/, '=')],
    ['without a value', (pair: string) => pair.replace(/=.*/, '')],
  ])('An interaction cookie %s is none', (_, change) => {
    const pair = change(browserWith(1)[0] ?? '')
    for (const uid of [uidOf(0), uidOf(1)]) expect(cookiesAt(1).has(organizationId, uid, pair)).toBe(false)
  })

  test('A new interaction cookie takes the place of the oldest where there are twenty', () => {
    const header = browserWith(20).join('; ')
    const [, ...dropped] = cookiesAt(30_000).begin(organizationId, uidOf(30), header)
    expect(dropped).toEqual([cookiesAt(0).end(uidOf(0))])
    expect(cookiesAt(30_000).begin(organizationId, uidOf(30), browserWith(19).join('; '))).toHaveLength(1)
  })

  test('A browser with sessions at many organizations has fewer requests open, and one at least', () => {
    const sessions = (count: number) =>
      Array.from({ length: count }, (_, at) => `__Host-signet-session-${makeId(at)}=${'s'.repeat(43)}`)
    const keptBeside = (count: number) => {
      const [added, ...dropped] = cookiesAt(30_000).begin(
        organizationId,
        uidOf(30),
        [...sessions(count), ...browserWith(20)].join('; '),
      )
      return [added, dropped.length]
    }
    expect(keptBeside(1)).toEqual([expect.any(String), 1])
    expect(keptBeside(30)[1]).toBeGreaterThan(1)
    expect(keptBeside(100)[1]).toBe(20)
  })
})
