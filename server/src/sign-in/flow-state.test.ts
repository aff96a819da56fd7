import { describe, expect, test } from 'vitest'
import { hashOf } from '../runtime/secret-hash.ts'
import { makeState, readState } from './flow-state.ts'

const organizationId = '01a1fdec-4b58-7279-8a15-173fda3083f7'

describe('The state of a flow', () => {
  test('It begins with the organization, is random after that, and is looked up by both', () => {
    const states = Array.from({ length: 100 }, () => makeState(organizationId))
    expect(new Set(states.map((state) => state.slice(32))).size).toBe(100)
    for (const state of states) {
      expect(state).toMatch(/^01a1fdec4b5872798a15173fda3083f7[0-9a-f]{64}$/)
      expect(readState(state)).toEqual({ organizationId, stateHash: hashOf(state) })
    }
  })

  const state = makeState(organizationId)
  test.each(['', state.slice(1), `${state}0`, state.toUpperCase(), `${state}\n`, `-${state.slice(1)}`])(
    'Another form is not looked up: %j',
    (text) => expect(readState(text)).toBeUndefined(),
  )
})
