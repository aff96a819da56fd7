import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { toAddress } from '../support/pages.ts'
import { startSignIns } from '../support/sign-ins.ts'
import { press, type Site, startSite } from '../support/site.ts'

let site: Site

beforeAll(async () => {
  site = await startSite({}, await startSignIns())
  await as('POST', '/organizations/sso/oidc/credential-links', { provider: 'provider_a', label: 'Open' })
})
afterAll(() => site?.stop())
afterEach(() => site.leave())

const as = async (method: string, path: string, body?: unknown) =>
  (await site.signet.as(site.organization, method, path, body)).body.result

async function exported(page: Page) {
  const [file] = await Promise.all([page.waitForEvent('download'), press(page, 'Export CSV')])
  const text = await readFile(await file.path(), 'utf8')
  // A cell may have lines of its own.
  const records = text
    .replace(/"(?:[^"]|"")*"/g, '')
    .trimEnd()
    .split('\r\n')
  return { name: file.suggestedFilename(), rows: records.length - 1, text }
}

/** Where it is seen, the name of the file, and the list of the interface. */
const lists = [
  ['/webhooks', 'webhooks', '/organizations/webhooks'],
  ['/deliveries?status=succeeded', 'deliveries', '/organizations/deliveries?status=succeeded'],
  ['/events', 'events', '/organizations/events'],
  ['/events?person_id={developer}', 'events', '/organizations/events?person_id={developer}'],
  ['/persons', 'persons', '/persons'],
  ['/persons/{person}', 'sessions', '/persons/{person}/sessions'],
  ['/groups', 'groups', '/organizations/groups'],
  ['/groups/Board/members', 'members', '/persons?group=Board'],
  ['/sign-in', 'credentials', '/organizations/sso/oidc/provider-credentials'],
  ['/sign-in/applications', 'applications', '/organizations/applications'],
  ['/sign-in/resources', 'resources', '/organizations/resources'],
  ['/sign-in/links', 'links', '/organizations/sso/oidc/credential-links'],
  ['/sign-in/sign-ins?status=failed', 'sign-ins', '/organizations/sign-ins?status=failed'],
  ['/keys', 'api-keys', '/organizations/api-keys'],
  ['/audit-log?action=createGroup', 'audit-log', '/organizations/audit-log?action=createGroup'],
  ['/settings/administrators', 'console-invitations', '/organizations/console-invitations'],
  ['/settings/sessions', 'console-sessions', '/organizations/console-sessions'],
] as const

test.each(lists)('%s is saved whole, with its filters, as the service gives it', async (path, file, list) => {
  const page = await site.enter(site.organization, toAddress(path, site).path)
  const { name, rows } = await exported(page)
  const { path: address } = toAddress(list, site)
  const listed = await as('GET', `${address}${address.includes('?') ? '&' : '?'}limit=1000`)
  expect([name, rows]).toEqual([`${file}.csv`, listed.length])
  expect(rows).toBeGreaterThan(0)
})

test('Sign-ins of a handle are saved as they are listed, and nobody else', async () => {
  const page = await site.enter(site.organization, '/sign-in/sign-ins?handle=developer-8@northwind.example')
  const { rows, text } = await exported(page)
  expect(rows).toBe(await page.getByRole('table', { name: 'Sign-ins' }).locator('tbody tr').count())
  expect(text.match(/developer-\d+@/g)?.every((each) => each === 'developer-8@')).toBe(true)
})

test('The processes are saved by the operator', async () => {
  const page = await site.operate('/organizations/processes')
  const { name, rows } = await exported(page)
  expect([name, rows]).toEqual(['processes.csv', 1])
})
