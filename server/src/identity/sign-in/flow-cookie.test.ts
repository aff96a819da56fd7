import { describe, expect, test } from 'vitest'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { dropFlowCookie, type FlowCookie, readFlowCookies, setFlowCookie } from './flow-cookie.ts'
import { makeSecret } from './flow-secret.ts'

const organizationId = makeId(1)
const flows = Array.from({ length: 22 }, (_, second) => ({
  organizationId,
  flowId: makeId(second * 1_000),
  secret: makeSecret(),
}))
const [oldest, newest] = [flows.at(0), flows.at(-1)] as [FlowCookie, FlowCookie]
const pairOf = ({ flowId, secret }: FlowCookie, prefix = 'signet-flow-') =>
  `${prefix}${flowId}=${organizationId}.${secret}`
const read = (header: string | undefined, isSecure = false) => readFlowCookies(header, isSecure).flows

describe('The flow cookies of a browser', () => {
  test('Flow cookies are read among others, the newest flow first', () => {
    const header = ['a=b', ...flows.map((flow) => pairOf(flow)), 'c'].join('; ')
    expect(read(header)).toEqual(flows.toReversed())
    expect(read(undefined)).toEqual([])
  })

  test('Flow cookies by https are only those that no other host can set', () => {
    expect(read(pairOf(oldest), true)).toEqual([])
    expect(read(pairOf(oldest, '__Host-signet-flow-'), true)).toEqual([oldest])
  })

  test.each([
    ['without a value', 'signet-flow-'],
    ['of another form', 'signet-flow-x=y.z'],
    ['with a short secret', pairOf({ ...oldest, secret: oldest.secret.slice(1) })],
    ['with a long secret', pairOf({ ...oldest, secret: `${oldest.secret}A` })],
    ['of no flow', pairOf(oldest).replace(oldest.flowId, '1')],
    ['of no organization', pairOf(oldest).replace(organizationId, 'x')],
  ])('Flow cookies are not read when they are none of ours: %s', (_, pair) => {
    expect(read(pair)).toEqual([])
  })
})

describe('A new flow cookie', () => {
  const noCookies = readFlowCookies(undefined, false)

  test('A new flow cookie is Secure where browsers come by https, and only there', () => {
    const attributes = '; Path=/; Max-Age=900; HttpOnly; SameSite=Lax'
    expect(setFlowCookie(newest, noCookies, { isSecure: false, maxAgeSeconds: 900 })).toEqual([
      pairOf(newest) + attributes,
    ])
    expect(setFlowCookie(newest, noCookies, { isSecure: true, maxAgeSeconds: 900 })).toEqual([
      `${pairOf(newest, '__Host-signet-flow-')}${attributes}; Secure`,
    ])
  })

  test('A new flow cookie takes the place of the oldest where there are twenty, and of its own flow where that chose before', () => {
    const present = readFlowCookies(
      flows
        .slice(0, 20)
        .map((flow) => pairOf(flow))
        .join('; '),
      false,
    )
    const options = { isSecure: false, maxAgeSeconds: 900 }
    expect(setFlowCookie(newest, present, options).slice(1)).toEqual([dropFlowCookie(oldest.flowId, false)])
    expect(setFlowCookie(oldest, present, options)).toHaveLength(1)
  })
})
