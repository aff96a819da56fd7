import { describe, expect, test } from 'vitest'
import { makeOrganizationToken, readOrganizationToken } from './organization-token.ts'
import { hashOf } from './secret-hash.ts'

const organizationId = '01a1fdec-4b58-7279-8a15-173fda3083f7'

describe('A token of an organization', () => {
  test('It begins with the organization, is random after that, and is looked up by both', () => {
    const tokens = Array.from({ length: 100 }, () => makeOrganizationToken(organizationId))
    expect(new Set(tokens.map((token) => token.slice(32))).size).toBe(100)
    for (const token of tokens) {
      expect(token).toMatch(/^01a1fdec4b5872798a15173fda3083f7[0-9a-f]{64}$/)
      expect(readOrganizationToken(token)).toEqual({ organizationId, hash: hashOf(token) })
    }
  })

  const token = makeOrganizationToken(organizationId)
  test.each(['', token.slice(1), `${token}0`, token.toUpperCase(), `${token}\n`, `-${token.slice(1)}`])(
    'Another form is not looked up: %j',
    (text) => expect(readOrganizationToken(text)).toBeUndefined(),
  )
})
