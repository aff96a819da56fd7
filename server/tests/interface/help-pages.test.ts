import { globSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventNames } from '../../src/delivery/events/index.ts'
import { errorCodes } from '../../src/ground/error-codes.ts'
import { settingNames } from '../../src/start/config.ts'
import { type ConsoleService, startConsole } from '../support/console.ts'
import { testDatabase } from '../support/database.ts'
import { repository } from '../support/program.ts'
import { makeKeyring } from '../support/service.ts'

/** The help as `npm test` has built it, as it is served. What its files are by themselves: help/tests/site.test.ts. */
let service: ConsoleService
let database: Awaited<ReturnType<typeof testDatabase>>
let pages: Map<string, Page>

type Page = { status: number; links: string[]; anchors: Set<string>; text: string; type: string }

beforeAll(async () => {
  database = await testDatabase()
  const shared = { connection: database, keyring: makeKeyring(), clock: { now: () => Date.now() } }
  service = await startConsole({ ...shared, env: { SIGNET_RATE_PUBLIC: '100000/100000' } })
  pages = await walk(`${service.baseUrl}/help`)
})

afterAll(async () => {
  await service?.stop()
  await database?.drop()
})

const isHelp = (url: string) => url.startsWith(`${service.baseUrl}/help`)

/** Every page that links lead to from the first one, by its address. */
async function walk(first: string): Promise<Map<string, Page>> {
  const found = new Map<string, Page>()
  const left = [first]
  for (let url = left.pop(); url; url = left.pop()) {
    if (found.has(url)) continue
    const page = await read(url)
    found.set(url, page)
    left.push(...page.links.map(withoutHash).filter((link) => link.startsWith(service.baseUrl)))
  }
  return found
}

const withoutHash = (url: string) => url.split('#')[0] ?? ''

async function read(address: string): Promise<Page> {
  const reply = await fetch(address)
  const type = reply.headers.get('content-type') ?? ''
  const text = await reply.text()
  const isRead = type.startsWith('text/html') && isHelp(reply.url)
  return {
    status: reply.status,
    links: isRead ? matches(text, / (?:href|src)="([^"]*)"/g).map((link) => new URL(link, reply.url).href) : [],
    anchors: new Set(matches(text, / id="([^"]*)"/g)),
    text,
    type,
  }
}

const matches = (text: string, form: RegExp) =>
  [...text.matchAll(form)].map(([, found = '']) => found.replaceAll('&amp;', '&'))

test('Links lead to every page of the help, and none leads to what is not there', () => {
  const built = globSync('**/*.html', { cwd: join(repository, 'help/dist'), exclude: (name) => name === '404.html' })
  const addressOf = (name: string) => `${service.baseUrl}/help/${name.replace(/(^index)?\.html$/, '')}`
  expect(built.map(addressOf).filter((url) => !pages.has(url))).toEqual([])
  expect(built.length).toBeGreaterThan(80)
  expect([...pages].filter(([, { status }]) => status !== 200).map(([url]) => url)).toEqual([])
})

test('The page for what is not there has all its links right, from any depth', async () => {
  for (const path of ['nothing', 'use/nothing', 'a/b/c/d']) {
    const { status, links } = await read(`${service.baseUrl}/help/${path}`)
    expect(status).toBe(404)
    expect(links.length).toBeGreaterThan(80)
    for (const link of links.map(withoutHash).filter((link) => isHelp(link) && !link.endsWith(path)))
      expect(pages.has(link.replace(/\/help\/$/, '/help/')), link).toBe(true)
  }
})

test('The index of the search has each setting, error code and event by its name, and leads to where that is told', async () => {
  const { body } = await service.send('GET', '/help/search.json')
  const targets = new Map<string, string[]>()
  for (const [page, anchor, heading] of body.sections)
    targets.set(heading, [...(targets.get(heading) ?? []), `${body.pages[page][0]}#${anchor}`])
  const names = [...settingNames.plain, ...settingNames.secrets, ...Object.keys(errorCodes), ...eventNames]
  expect(names.length).toBeGreaterThan(150)
  expect(names.filter((name) => !targets.get(name)?.some(isThere))).toEqual([])
})

const isThere = (link: string) => {
  const [address = '', anchor] = link.split('#')
  const page = pages.get(`${service.baseUrl}/help/${address}`)
  return page?.status === 200 && (anchor === undefined || page.anchors.has(anchor))
}

test('Each page of the help that the reference leads to is there', async () => {
  const { body } = await service.send('GET', '/openapi.json')
  const links = matches(body.info.description, /\/help\/([^)\s]*)\)/g)
  expect(links.length).toBeGreaterThan(4)
  expect(links.filter((link) => !isThere(link))).toEqual([])
  expect(body.externalDocs.url).toMatch(/\/help$/)
})
