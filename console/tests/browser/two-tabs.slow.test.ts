import pg from 'pg'
import type { BrowserContext, Locator, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Organization } from '../../../server/tests/support/signet.ts'
import {
  chooseRow,
  controls,
  fill,
  labelsOf,
  markAsTried,
  notAnAction,
  readControls,
  tenFrames,
} from '../support/controls.ts'
import { harmless } from '../support/harmless.ts'
import { readOperations, writesInSource } from '../support/operations.ts'
import { everyPage, toAddress } from '../support/pages.ts'
import { dialogOf, heading, press, type Site, startSite } from '../support/site.ts'
import { homeOf, signIn, signInAsOperator, untilQuiet } from '../support/visit.ts'

let site: Site
let inside: pg.Client
let reader: Organization

beforeAll(async () => {
  site = await startSite()
  inside = new pg.Client({ connectionString: site.database.url })
  await inside.connect()
  reader = { ...site.organization, apiKey: site.readOnlyKey }
  await furnish()
})
afterAll(async () => {
  await inside?.end()
  await site?.stop()
})
afterEach(() => site.leave())

/** What the stage lacks for some button to be there: something to delete, to confirm, to take back. */
async function furnish() {
  const as = async (method: string, path: string, body: unknown) =>
    (await site.signet.as(site.organization, method, path, body)).body.result
  const link = { provider: 'provider_a', label: 'Open' }
  await as('POST', '/organizations/sso/oidc/credential-links', link)
  const { url } = await as('POST', '/organizations/sso/oidc/credential-links', link)
  const entered = {
    token: new URL(url).hash.slice(1),
    client_id: 'pending',
    client_secret: 'a-secret-of-a-customer-01234',
  }
  expect((await site.signet.call('POST', '/console/link/credential', {}, entered)).status).toBe(201)
  const { body } = await site.signet.as(site.organization, 'GET', '/organizations/applications')
  const isConfidential = ({ confidential }: { confidential: boolean }) => confidential
  Object.assign(site.names, { pending: 'pending', confidential: body.result.find(isConfidential).client_id })
  await inside.query(
    `insert into identities (org_id, id, person_id, provider, issuer, subject, credential_id, created_at)
     values ($1, gen_random_uuid(), $2, 'provider_a', 'https://accounts.example', 'subject', $2, now())`,
    [site.organization.id, site.names.person],
  )
}

const anew = 'This browser is signed in anew'
const over = 'Your session is over'

/** Whatever the interface was asked to change is in the audit log; what the operator does to an organization, too. */
async function changes() {
  const { rows } = await inside.query(`
    select (select count(*)::int from audit_entries where action not like '%ConsoleSession') as entries,
           (select count(*)::int from organizations where deleted_at is null) as organizations`)
  return rows[0]
}

describe('Two tabs of one browser', () => {
  /** A form of the first organization that is filled in while its browser has another tab. */
  async function openTabs() {
    const page = await site.enter(site.organization, '/groups/new')
    await page.getByLabel('Name', { exact: true }).fill('Typed')
    return { page, other: await page.context().newPage() }
  }

  test('One that signs in to another organization disturbs the first in nothing, and the switch leads between them', async () => {
    const { page, other } = await openTabs()
    await signIn(other, site.signet.baseUrl, site.newOrganization)
    await heading(other, 'Home')
    await press(page, 'Create group')
    await heading(page, 'Typed')
    expect((await site.signet.as(site.newOrganization, 'GET', '/groups')).body.result).toEqual([])
    await press(other, /Switch organization/)
    await dialogOf(other)
      .getByRole('link', { name: /Northwind Trading/ })
      .click()
    await heading(other, 'Home')
    expect(other.url()).toBe(`${homeOf(site.signet.baseUrl, site.organization.id)}/`)
    await press(other, 'Sign out')
    // One remains, and the place where anybody signs in leads to it.
    await other.getByRole('link', { name: /Fresh Start/ }).click()
    await heading(other, 'Home')
    await site.signet.as(site.organization, 'DELETE', '/groups/Typed')
  })

  test('One that signs out and in to another organization ends the first, which changes nothing and asks for its key', async () => {
    const { page, other } = await openTabs()
    const before = await changes()
    await other.goto(`${homeOf(site.signet.baseUrl, site.organization.id)}/`)
    await heading(other, 'Home')
    await press(other, 'Sign out')
    await other.getByLabel('Organization ID').waitFor()
    await signIn(other, site.signet.baseUrl, site.newOrganization)
    await press(page, 'Create group')
    await page.getByRole('dialog', { name: over }).waitFor()
    expect(await changes()).toEqual(before)
    await page.getByRole('dialog', { name: over }).getByLabel('API key').fill(site.organization.apiKey)
    await page.getByRole('dialog', { name: over }).getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('dialog', { name: over }).waitFor({ state: 'detached' })
    await press(page, 'Create group')
    await heading(page, 'Typed')
    await site.signet.as(site.organization, 'DELETE', '/groups/Typed')
  })

  test('One that signs in with another key of the organization stops the first, which says whose browser it is', async () => {
    const { page, other } = await openTabs()
    const before = await changes()
    await signInBeside(other, reader)
    await press(page, 'Create group')
    const dialog = page.getByRole('dialog', { name: anew })
    await dialog.getByText(/First key.*an admin key/).waitFor()
    await dialog.getByText(/Auditors.*which reads everything/).waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    await page.getByRole('button', { name: 'Create group', includeHidden: true }).dispatchEvent('click')
    await page.getByRole('button', { name: 'Sign out', includeHidden: true }).dispatchEvent('click')
    await page.getByRole('button', { name: 'Leave without saving', includeHidden: true }).dispatchEvent('click')
    await expect.poll(() => asked.some((url) => url.endsWith('/console/session'))).toBe(true)
    expect(asked.filter((url) => !url.endsWith('/console/session'))).toEqual([])
    expect(await changes()).toEqual(before)
    await dialog.getByRole('button', { name: 'Load the page with that key' }).click()
    await page.getByText('This key reads: you see everything and change nothing.').waitFor()
  })

  test('One that signs in anew with the same key goes unnoticed by the first, which sends what it was asked to', async () => {
    const { page, other } = await openTabs()
    await signInBeside(other, site.organization)
    await press(page, 'Create group')
    await heading(page, 'Typed')
    await site.signet.as(site.organization, 'DELETE', '/groups/Typed')
  })

  test('A page of an organization whose form is another one leads back to itself', async () => {
    const page = await site.enter(site.organization, '/groups')
    await page.goto(`${homeOf(site.signet.baseUrl, site.newOrganization.id)}/webhooks/new`)
    expect(await page.getByLabel('Organization ID').inputValue()).toBe(site.newOrganization.id)
    await page.getByLabel('API key').fill(site.newOrganization.apiKey)
    await press(page, 'Sign in')
    await heading(page, 'Create webhook')
    await page.goBack()
    await heading(page, 'Groups')
    await page.getByRole('button', { name: /Northwind Trading/ }).waitFor()
  })

  test('The page of a link sends no cookie, whoever is signed in', async () => {
    const page = await site.enter(site.organization)
    const asked = page.waitForRequest((request) => request.method() === 'POST')
    await page.goto(`${site.signet.baseUrl}/console/link#${'0'.repeat(96)}`)
    const headers = await (await asked).allHeaders()
    expect([headers.cookie, headers['service-console'], headers['service-orgid']]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    await heading(page, 'This link does not work')
  })

  /** Where the browser is signed in already, only the place where anybody signs in asks for a key. */
  async function signInBeside(page: Page, { id, apiKey }: Organization) {
    await page.goto(`${site.signet.baseUrl}/console`)
    await page.getByLabel('Organization ID').fill(id)
    await page.getByLabel('API key').fill(apiKey)
    await press(page, 'Sign in')
    await heading(page, 'Home')
  }
})

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

/** What the browser has after the other tab has signed in, and possibly out before. */
async function cookiesOf(enter: (page: Page) => Promise<void>): Promise<Cookies> {
  const page = await site.profile()
  await enter(page)
  const cookies = await page.context().cookies()
  await page.context().close()
  return cookies
}

const asOrganization = (organization: Organization) =>
  cookiesOf((page) => signIn(page, site.signet.baseUrl, organization))
const asOperator = () => cookiesOf((page) => signInAsOperator(page, site.signet.baseUrl, site.signet.operatorKey))

describe('Every form and every button that writes', () => {
  const templates = everyPage.filter((each) => each.startsWith('/'))
  const pages = [...templates, ...['/sign-in/credentials/{pending}', '/sign-in/applications/{confidential}']]
  const operatorPages = everyPage
    .filter((each) => each.startsWith('operator:'))
    .map((each) => each.slice('operator:'.length))

  /** Operations that somebody tried to call, by the walks together. */
  const attempted = new Set<string>()

  // Proves console/10.
  test.each([
    ['another key of the organization', anew, () => asOrganization(reader), pages],
    ['another organization, after signing out', over, () => asOrganization(site.newOrganization), pages],
    ['the operator, after signing out', over, asOperator, pages],
  ])(
    'Of a tab whose browser has meanwhile %s none changes anything, and the page says so',
    async (_, words, next, walked) => {
      await walk(await asOrganization(site.organization), await next(), { words, paths: walked })
    },
    900_000,
  )

  test('Nor of the operator, whose browser has an organization', async () => {
    const [own, next] = [await asOperator(), await asOrganization(site.organization)]
    await walk(own, next, { words: over, paths: operatorPages, isOperators: true })
  })

  test('Nor the form that goes through a link, which no session is for', async () => {
    const page = await site.enter(site.organization, '/sign-in/credentials/new/provider_a')
    await press(page, 'Get the callback URL now')
    await page.getByText('It is kept for the credential').waitFor()
    await fill(page.locator('main form'))
    const before = await changes()
    const links: string[] = []
    page.on('request', (request) => request.url().includes('/console/link') && links.push(request.url()))
    await page.context().addCookies(await asOrganization(reader))
    await press(page, 'Create credential')
    await page.getByRole('dialog', { name: anew }).waitFor()
    expect([await changes(), links]).toEqual([before, []])
    attempted.add('useCredentialLink')
  })

  // Proves console/10.
  test('Those are all: the pages call no operation that writes and was not tried', async () => {
    expect(await writesInSource(site.signet)).toEqual([...attempted].sort())
  })

  type Walk = { words: string; paths: readonly string[]; isOperators?: boolean }

  async function walk(own: Cookies, next: Cookies, { words, paths, isOperators = false }: Walk) {
    const tab = await openTab(own, next, words, isOperators)
    const before = await changes()
    const problems: string[] = []
    for (const path of paths) problems.push(...(await tab.walkPage(path)))
    expect(problems).toEqual([])
    expect(tab.done).toEqual([])
    expect(await changes()).toEqual(before)
  }

  async function openTab(own: Cookies, next: Cookies, words: string, isOperators: boolean) {
    const page = await site.profile()
    const context = page.context()
    const operationOf = await readOperations(site.signet)
    const told = page.getByRole('dialog', { name: words })
    const home = homeOf(site.signet.baseUrl, isOperators ? undefined : site.organization.id)
    /** What was sent and not refused. */
    const done: string[] = []
    const tried = new Set<string>()
    let sent = 0
    const isOfPage = (request: Request) => !['1', undefined].includes(request.headers()['service-console'])
    page.on('request', (request) => {
      if (!isOfPage(request)) return
      sent++
      if (request.method() !== 'GET') attempted.add(operationOf(request.method(), request.url()))
    })
    page.on('response', (response) => {
      const request = response.request()
      if (isOfPage(request) && request.method() !== 'GET' && ![401, 409].includes(response.status()))
        done.push(`${request.method()} ${request.url()}: ${response.status()}`)
    })

    const open = async (path: string) => {
      await context.clearCookies()
      await context.addCookies(own)
      await page.goto(`${home}${path}`)
      await untilQuiet(page)
      await chooseRow(page)
    }
    const change = async () => {
      await context.clearCookies()
      await context.addCookies(next)
    }
    /** Presses it, and gives what came of it. */
    const pressed = async (button: Locator): Promise<'dialog' | 'told' | 'nothing'> => {
      const dialogs = await dialogOf(page).count()
      sent = 0
      await button.dispatchEvent('click')
      await page.evaluate(tenFrames)
      if ((await dialogOf(page).count()) > dialogs && !(await told.isVisible())) return 'dialog'
      if (sent === 0) return 'nothing'
      await told.waitFor()
      return (await dialogOf(page).count()) > dialogs + 1 ? 'dialog' : 'told'
    }
    const noteCurl = async (within: Locator) => {
      for (const summary of await within.locator('summary', { hasText: 'Show as curl' }).all())
        await summary.dispatchEvent('click')
      await page.evaluate(tenFrames)
      for (const text of await within.locator('pre').allInnerTexts())
        for (const [, verb = text.includes('--json') ? 'POST' : 'GET', url = ''] of text.matchAll(
          /curl (?:-X (\w+) )?'([^']+)'/g,
        ))
          if (verb !== 'GET') attempted.add(operationOf(verb, url))
    }
    const tryDialog = async (path: string, place: number): Promise<string[]> => {
      await open(path)
      await controls(page).nth(place).dispatchEvent('click')
      const dialog = dialogOf(page).last()
      await dialog.waitFor()
      await untilQuiet(page)
      await fill(dialog)
      await noteCurl(dialog)
      const name = await dialog.getByRole('heading').first().innerText()
      const names = await dialog.locator('button:not([disabled])').evaluateAll(labelsOf)
      const action = names.findLastIndex((each) => !notAnAction.test(each))
      if (action < 0) return [`${path}, ${name}: has no action that can be pressed`]
      await change()
      const outcome = await pressed(dialog.locator('button:not([disabled])').nth(action))
      return outcome === 'told' ? [] : [`${path}, ${name}, ${names[action]}: ${outcome}`]
    }
    const tryControl = async (path: string, place: number): Promise<string[]> => {
      await open(path)
      // What is filled in may add buttons before it.
      await controls(page).nth(place).evaluateAll(markAsTried)
      const control = page.locator('[data-tried]')
      const form = control.locator('xpath=ancestor::form')
      const isSubmit = (await control.getAttribute('type')) === 'submit'
      if (isSubmit) {
        await fill(form)
        await noteCurl(form)
        if (await control.isDisabled()) return [`${path}, ${await control.innerText()}: cannot be pressed`]
      }
      await change()
      const outcome = await pressed(control)
      if (outcome === 'dialog') return tryDialog(path, place)
      return isSubmit && outcome !== 'told' ? [`${path}, ${await control.innerText()}: ${outcome}`] : []
    }
    return {
      done,
      walkPage: async (template: string): Promise<string[]> => {
        const { path } = toAddress(template, site)
        await open(path)
        const read = await page.evaluate<({ name: string; kind?: string } | null)[]>(readControls)
        const found: string[] = []
        for (const [place, control] of read.entries()) {
          if (control === null || harmless.test(control.name)) continue
          const kind = control.kind && `${template.split('/')[1]} ${control.kind}`
          if (kind && tried.has(kind)) continue
          tried.add(kind ?? '')
          found.push(...(await tryControl(path, place)))
        }
        return found
      },
    }
  }
})
