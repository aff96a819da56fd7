import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Session } from './session.ts'

const session = (id: string, person = 'ada'): Session => ({
  id,
  organization_id: 'northwind',
  by: { type: 'person', id: person, roles: ['owner'] },
  scopes: ['groups:write'],
  expires_at: '2037-01-01T00:00:00Z',
})

let present: Session
let page: typeof import('./page-session.ts')

beforeEach(async () => {
  vi.stubGlobal('document', { baseURI: 'https://id.example.com/console/', querySelector: () => null })
  vi.stubGlobal('location', new URL('https://id.example.com/console/o/0/'))
  vi.stubGlobal('fetch', async () => Response.json({ result: present }))
  vi.resetModules()
  page = await import('./page-session.ts')
  present = session('first')
  await page.openPage()
})
afterEach(() => void vi.unstubAllGlobals())

test('What waits for a new sign-in is done once, though the other tab tells of it as somebody comes back to this one', async () => {
  const again = vi.fn()
  page.waitForSignIn(again)
  present = session('second')
  await Promise.all([page.goOnAfterSignIn(), page.goOnAfterSignIn()])
  expect(again).toHaveBeenCalledTimes(1)
  expect(page.pageSessionId()).toBe('second')
})

test('What waits is not done in the name of another person with the same scopes', async () => {
  const again = vi.fn()
  page.waitForSignIn(again)
  present = session('second', 'grace')
  await page.goOnAfterSignIn()
  expect(again).not.toHaveBeenCalled()
  expect(page.isReplaced()).toBe(true)
})
