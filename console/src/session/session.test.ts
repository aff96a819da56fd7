import { afterAll, expect, test, vi } from 'vitest'
import type { Session } from '../service/session.ts'

vi.stubGlobal('document', { baseURI: 'https://id.example.com/console/', querySelector: () => null })
vi.stubGlobal('location', new URL('https://id.example.com/console/operator/'))
vi.resetModules()
const { nameOf, onlyReads } = await import('./session.ts')
afterAll(() => void vi.unstubAllGlobals())

const of = (session: Partial<Session>): Session => ({
  id: 'one',
  by: { type: 'person', id: 'ada', name: 'Ada', roles: ['reader'] },
  scopes: [],
  expires_at: '2037-01-01T00:00:00Z',
  ...session,
})

test("On the operator's pages a person changes things, and no role is named; in an organization a reader only reads", () => {
  expect([onlyReads(of({})), nameOf(of({}))]).toEqual([false, 'Ada'])
  const reader = of({ organization_id: 'northwind', scopes: ['groups:read'] })
  expect([onlyReads(reader), nameOf(reader)]).toEqual([true, 'Ada, reader'])
})
