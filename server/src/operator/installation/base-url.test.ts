import { expect, test } from 'vitest'
import { judgeBaseUrl } from './base-url.ts'

const local = 'http://localhost:8080'
const other = 'http://localhost:9090'
const shared = 'https://id.example.com'

test.each([
  ['the same as stored', { stored: shared, wanted: shared }, 'same'],
  ['another one', { stored: shared, wanted: 'https://id.example.org' }, 'refused'],
  ['another one that was accepted', { stored: shared, wanted: local, accepted: local }, 'changed'],
  ['another one than was accepted', { stored: shared, wanted: local, accepted: other }, 'refused'],
  ['the default on another port', { stored: local, wanted: other, isDefault: true }, 'changed'],
  ['the default on port 80', { stored: local, wanted: 'http://localhost', isDefault: true }, 'changed'],
  ['the same given and not left to its default', { stored: local, wanted: other }, 'refused'],
  ['the default where a public one was set', { stored: shared, wanted: local, isDefault: true }, 'refused'],
  ['the default where https was set', { stored: 'https://localhost:8080', wanted: local, isDefault: true }, 'refused'],
  ['the default where a path was set', { stored: `${local}/a`, wanted: local, isDefault: true }, 'refused'],
])('The right decision is made for a base URL that is %s', (_name, choice, kind) => {
  expect(judgeBaseUrl({ isDefault: false, accepted: undefined, ...choice }).kind).toBe(kind)
})
