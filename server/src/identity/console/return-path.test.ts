import { describe, expect, test } from 'vitest'
import { toReturnPath } from './return-path.ts'

const id = '0199a3f2-5c00-7000-8000-0242ac120002'
const own = `/console/o/${id}/`

describe('Where a person returns to after a sign-in', () => {
  test.each([
    own,
    `${own}webhooks`,
    `${own}deliveries?status=dropped&url=https%3A%20a#x`,
    '/console/operator/',
    '/console/operator/organizations',
  ])('%s is a page of the console', (path) => {
    expect(toReturnPath(path, id, '')).toBe(path)
    expect(toReturnPath(`/id${path}`, id, '/id')).toBe(path)
  })

  // Proves console/31.
  test.each([
    '',
    '/',
    '/console',
    '/console/',
    '/console/session',
    `/console/o/${id}`,
    '/console/o/0199a3f2-5c00-7000-8000-0242ac120003/',
    `/console/o/${id.toUpperCase()}/`,
    `https://evil.test${own}`,
    `//evil.test${own}`,
    `/\\evil.test${own}`,
    `${own}../../../sso/x`,
    `${own}%2e%2e/x`,
    `${own}%2E./x`,
    `${own}/evil.test`,
    `${own}%2f%2fevil.test`,
    `${own}\\evil.test`,
    `${own}%5cevil.test`,
    `${own}a\nb`,
    `${own}a\tb`,
    `${own} x`,
    `\u0000${own}`,
    `/id${own}`,
    `${own}${'a'.repeat(2_048)}`,
  ])('%j is none', (path) => {
    expect(toReturnPath(path, id, '')).toBeUndefined()
  })
})
