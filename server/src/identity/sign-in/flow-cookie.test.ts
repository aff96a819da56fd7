import { describe, expect, test } from 'vitest'
import { makeId } from '../../ground/runtime/identifiers.ts'
import { dropFlowCookie, type FlowCookie, readFlowCookies, setFlowCookie } from './flow-cookie.ts'
import { makeSecret } from './flow-secret.ts'

const organizationId = makeId(1)
const flows = Array.from({ length: 7 }, (_, second) => ({
  organizationId,
  flowId: makeId(second * 1_000),
  secret: makeSecret(),
}))
const [oldest, newest] = [flows.at(0), flows.at(-1)] as [FlowCookie, FlowCookie]
const pairOf = ({ flowId, secret }: FlowCookie, prefix = 'signet-flow-') =>
  `${prefix}${flowId}=${organizationId}.${secret}`

describe('The flow cookies of a browser', () => {
  test('Flow cookies are read among others, the newest flow first, five at most', () => {
    const header = ['a=b', ...flows.map((flow) => pairOf(flow)), 'c'].join('; ')
    expect(readFlowCookies(header, false)).toEqual(flows.toReversed().slice(0, 5))
    expect(readFlowCookies(undefined, false)).toEqual([])
  })

  test('Flow cookies by https are only those that no other host can set', () => {
    expect(readFlowCookies(pairOf(oldest), true)).toEqual([])
    expect(readFlowCookies(pairOf(oldest, '__Host-signet-flow-'), true)).toEqual([oldest])
  })

  test.each([
    ['without a value', 'signet-flow-'],
    ['of another form', 'signet-flow-x=y.z'],
    ['with a short secret', pairOf({ ...oldest, secret: oldest.secret.slice(1) })],
    ['with a long secret', pairOf({ ...oldest, secret: `${oldest.secret}A` })],
    ['of no flow', pairOf({ ...oldest, flowId: '1' })],
    ['of no organization', pairOf(oldest).replace(organizationId, 'x')],
  ])('Flow cookies are not read when they are none of ours: %s', (_, pair) => {
    expect(readFlowCookies(pair, false)).toEqual([])
  })
})

describe('A new flow cookie', () => {
  test('A new flow cookie is Secure where browsers come by https, and only there', () => {
    const attributes = '; Path=/; Max-Age=900; HttpOnly; SameSite=Lax'
    expect(setFlowCookie(newest, [], { isSecure: false, maxAgeSeconds: 900 })).toEqual([pairOf(newest) + attributes])
    expect(setFlowCookie(newest, [], { isSecure: true, maxAgeSeconds: 900 })).toEqual([
      `${pairOf(newest, '__Host-signet-flow-')}${attributes}; Secure`,
    ])
  })

  test('A new flow cookie takes the place of the oldest where there are five, and of its own flow where that chose before', () => {
    const present = flows.slice(0, 5).toReversed()
    const options = { isSecure: false, maxAgeSeconds: 900 }
    expect(setFlowCookie(newest, present, options).slice(1)).toEqual([dropFlowCookie(oldest.flowId, false)])
    expect(setFlowCookie(oldest, present, options)).toHaveLength(1)
  })
})
