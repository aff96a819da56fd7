import type { OutgoingHttpHeaders } from 'node:http'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ConsoleService, holderOf, ownPage, type Reply, startConsole, suffixOf } from '../support/console.ts'
import { testDatabase } from '../support/database.ts'
import { refused } from '../support/refused.ts'
import { makeKeyring } from '../support/service.ts'
import type { Organization } from '../support/signet.ts'

const session = '/console/session'
const sessions = '/console/sessions'
const ended = refused(401, 'Cookie: the session of the console has ended')
const withoutKey = refused(401, 'Service-API-Key: is required')
const replaced = {
  ...refused(409, 'Service-Console: must be the id of the session that this browser has now'),
  headers: { 'signet-error': 'console_session_replaced' },
}
const minuteMs = 60_000

let ahead = 0
let database: Awaited<ReturnType<typeof testDatabase>>
let inside: pg.Client
let service: ConsoleService
let browser: Browser

beforeAll(async () => {
  database = await testDatabase()
  inside = new pg.Client({ connectionString: database.url })
  await inside.connect()
  const env = { SIGNET_RATE_PUBLIC: '100000/100000' }
  service = await startConsole({
    connection: database,
    keyring: makeKeyring(),
    clock: { now: () => Date.now() + ahead },
    env,
  })
})
beforeEach(() => {
  browser = createBrowser()
})
afterEach(() => {
  ahead = 0
})
afterAll(async () => {
  await service?.stop()
  await inside?.end()
  await database?.drop()
})

type Browser = ReturnType<typeof createBrowser>

/** One that keeps cookies as it is told by replies. */
function createBrowser() {
  const jar = new Map<string, string>()
  const keep = (reply: Reply) => {
    for (const line of reply.headers['set-cookie'] ?? []) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0;/.test(line)) jar.delete(name)
      else jar.set(name, value)
    }
    return reply
  }
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ') || undefined
  const send = async (method: string, path: string, headers: OutgoingHttpHeaders = {}, body?: unknown) =>
    keep(await service.send(method, path, { ...ownPage, cookie: cookie(), ...headers }, body))
  const open = async (organizationId?: string) =>
    (await send('GET', session, organizationId ? { 'service-orgid': organizationId } : {})).body.result
  return {
    jar,
    send,
    open,
    signIn: async ({ id, apiKey }: Organization) => {
      expect((await send('POST', session, {}, { organization_id: id, api_key: apiKey })).status).toBe(204)
      return pageOf(id, (await open(id)).id)
    },
    operate: async () => {
      expect((await send('POST', session, {}, { operator_key: service.operatorKey })).status).toBe(204)
      return pageOf(undefined, (await open()).id)
    },
    list: async () => (await send('GET', sessions)).body.result,
  }
  /** What a page sends that was opened with a session. */
  function pageOf(organizationId: string | undefined, sessionId: string) {
    const named = { ...(organizationId && { 'service-orgid': organizationId }), 'service-console': sessionId }
    return {
      id: sessionId,
      send: (method: string, path: string, body?: unknown) => send(method, path, named, body),
      signOut: () => send('DELETE', session, { ...named, 'service-console': '1' }),
    }
  }
}

async function anotherKey(
  { id, apiKey }: Organization,
  fields: object = {},
): Promise<Organization & { keyId: string }> {
  const { body } = await service.as({ id, apiKey }, 'POST', '/organizations/api-keys', fields)
  return { id, apiKey: body.result.api_key, keyId: body.result.id }
}

const groupsOf = async (organization: Organization) => (await service.as(organization, 'GET', '/groups')).body.result

describe('Two organizations in one browser', () => {
  test('Each page goes on with its own, also when the other has signed in or out beside it', async () => {
    const [ours, theirs] = [await service.organization(), await service.organization()]
    const [our, their] = [await browser.signIn(ours), await browser.signIn(theirs)]
    expect((await our.send('POST', '/groups', { name: 'ours' })).status).toBe(201)
    expect((await their.send('POST', '/groups', { name: 'theirs' })).status).toBe(201)
    expect([await groupsOf(ours), await groupsOf(theirs)]).toEqual([['ours'], ['theirs']])
    expect((await our.signOut()).status).toBe(204)
    expect([...browser.jar.keys()]).toEqual([`signet-console-${theirs.id}`])
    expect(await our.send('POST', '/groups', { name: 'late' })).toMatchObject(withoutKey)
    expect((await their.send('GET', '/groups')).body.result).toEqual(['theirs'])
  })

  // Proves console/9.
  test('The cookie of one counts for no request of the other, not with the id of either session', async () => {
    const [ours, theirs] = [await service.organization(), await service.organization()]
    const [our, their] = [await browser.signIn(ours), await browser.signIn(theirs)]
    const as = (organization: Organization, page: { id: string }, cookie: string | undefined) =>
      browser.send('GET', '/groups', { 'service-orgid': organization.id, 'service-console': page.id, cookie })
    const cookieOf = ({ id }: Organization) => `signet-console-${id}=${browser.jar.get(`signet-console-${id}`)}`
    expect((await as(ours, our, cookieOf(ours))).status).toBe(200)
    for (const page of [our, their]) expect(await as(ours, page, cookieOf(theirs))).toMatchObject(withoutKey)
    expect(await as(ours, their, cookieOf(ours))).toMatchObject(replaced)
    expect(await as(theirs, our, `${cookieOf(ours)}; ${cookieOf(theirs)}`)).toMatchObject(replaced)
  })

  // Proves console/9.
  test("The operator's session counts for no organization, and theirs not for the operator's operations", async () => {
    const ours = await service.organization()
    const [our, operator] = [await browser.signIn(ours), await browser.operate()]
    expect((await operator.send('GET', '/organizations')).status).toBe(200)
    expect(await our.send('GET', '/organizations')).toMatchObject(refused(401, 'Service-Operator-Key: is required'))
    expect(await operator.send('GET', '/groups')).toMatchObject(refused(400, 'Service-OrgID: is required'))
    const mixed = { 'service-orgid': ours.id, 'service-console': operator.id }
    expect(await browser.send('GET', '/groups', mixed)).toMatchObject(replaced)
    expect(await browser.send('PATCH', `/organizations/${ours.id}`, mixed, { name: 'Renamed' })).toMatchObject(replaced)
    const theOther = { 'service-console': our.id }
    expect(await browser.send('DELETE', `/organizations/${ours.id}`, theOther)).toMatchObject(replaced)
    expect((await our.signOut()).status).toBe(204)
    expect((await operator.send('GET', '/organizations')).status).toBe(200)
  })

  test('The browser is told all that it is signed in to, with who signed in, the last used first', async () => {
    const [ours, theirs] = [
      await service.organization({ name: 'Ours' }),
      await service.organization({ name: 'Theirs' }),
    ]
    const reader = await anotherKey(theirs, { name: 'Reader', read_only: true })
    expect(await browser.list()).toEqual([])
    await browser.signIn(ours)
    ahead = minuteMs
    await browser.operate()
    ahead = 2 * minuteMs
    const { id } = await browser.signIn(reader)
    const listed = await browser.list()
    expect(listed.map((each: { name?: string }) => each.name)).toEqual(['Theirs', undefined, 'Ours'])
    const by = { type: 'key', id: reader.keyId, name: 'Reader' }
    expect(listed[0]).toMatchObject({ id, organization_id: theirs.id, by, scopes: expect.any(Array) })
    expect(listed[1].by).toEqual({ type: 'operator' })
    await service.as(theirs, 'DELETE', `/organizations/api-keys/${reader.keyId}`)
    await service.operate('DELETE', `/organizations/${ours.id}`)
    expect((await browser.list()).map((each: { by: object }) => each.by)).toEqual([{ type: 'operator' }])
    const foreign = { 'sec-fetch-site': 'cross-site' }
    expect((await browser.send('GET', sessions, foreign)).status).toBe(401)
    expect((await browser.send('DELETE', sessions)).status).toBe(405)
  })
})

describe('Another session of the same organization', () => {
  // Proves console/11.
  test('Another key replaces it: the page of the first changes nothing any more, and its session has ended', async () => {
    const ours = await service.organization()
    const page = await browser.signIn(ours)
    const before = [...browser.jar.values()][0]
    const next = await browser.signIn(await anotherKey(ours, { read_only: true }))
    expect(await page.send('POST', '/groups', { name: 'late' })).toMatchObject(replaced)
    expect(await groupsOf(ours)).toEqual([])
    expect((await next.send('GET', '/groups')).status).toBe(200)
    const stolen = { cookie: `signet-console-${ours.id}=${before}`, 'service-orgid': ours.id }
    expect(await browser.send('GET', session, stolen)).toMatchObject(ended)
    const { body } = await service.as(ours, 'GET', '/organizations/audit-log?action=deleteConsoleSession')
    expect(body.result).toMatchObject([
      { target: { id: page.id }, actor: { type: 'console' }, before: { id: page.id } },
    ])
  })

  test('The same key anew has another id, too, which the page can ask for', async () => {
    const ours = await service.organization()
    const [first, second] = [await browser.signIn(ours), await browser.signIn(ours)]
    expect(await first.send('GET', '/groups')).toMatchObject(replaced)
    expect((await browser.open(ours.id)).id).toBe(second.id)
  })

  test('Two tabs that sign in at once end with one cookie, and one of their two sessions', async () => {
    const ours = await service.organization()
    const pages = await Promise.all([browser.signIn(ours), browser.signIn(ours)])
    const now = await browser.open(ours.id)
    expect(browser.jar.size).toBe(1)
    const statuses = await Promise.all(pages.map(async (page) => (await page.send('GET', '/groups')).status))
    expect(statuses).toEqual(pages.map(({ id }) => (id === now.id ? 200 : 409)))
  })

  test.each([
    ['an id that is none', 'true'],
    ['an older page', '1'],
    ['another id', '01890000-0000-7000-8000-000000000000'],
  ])('A page that names %s is refused', async (_, id) => {
    const ours = await service.organization()
    await browser.signIn(ours)
    const named = { 'service-orgid': ours.id, 'service-console': id }
    expect(await browser.send('POST', '/groups', named, { name: 'late' })).toMatchObject(replaced)
    expect(await groupsOf(ours)).toEqual([])
  })
})

describe('Every operation', () => {
  type Call = [method: string, path: string, isOperators: boolean]

  /** Those that take a key, from the document, with an id in place of each parameter. */
  async function listCalls(of: Organization): Promise<Call[]> {
    const { body } = await service.send('GET', '/openapi.json')
    return Object.entries<Record<string, { security?: object[] }>>(body.paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { security = [] }]): Call[] => {
        const names = security.flatMap((each) => Object.keys(each))
        const isOperators = names.includes('operator')
        if (!isOperators && !names.includes('key')) return []
        return [[method.toUpperCase(), path.replaceAll(/\{\w+\}/g, of.id), isOperators]]
      }),
    )
  }

  /** Every row of every organization, but for sessions and the times of a use. */
  async function rows() {
    const { rows: tables } = await inside.query(`
      select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'org_id'
       where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'console_sessions'
      union select 'organizations' order by 1`)
    const found: unknown[] = []
    for (const { name } of tables)
      found.push((await inside.query(`select to_jsonb(t) - 'last_used_at' as row from ${name} t order by 1`)).rows)
    return found
  }

  // Proves console/10.
  test('Of a page whose session was replaced each is refused and changes nothing, and without its headers each is a stranger', async () => {
    const ours = await service.organization()
    const [old, oldOperator] = [await browser.signIn(ours), await browser.operate()]
    await browser.signIn(ours)
    await browser.operate()
    const calls = await listCalls(ours)
    expect(calls.length).toBeGreaterThan(70)
    expect(calls.filter(([, , isOperators]) => isOperators).length).toBeGreaterThan(5)
    const before = await rows()
    const found: string[] = []
    for (const [method, path, isOperators] of calls) {
      const page = isOperators ? {} : { 'service-orgid': ours.id }
      const id = isOperators ? oldOperator.id : old.id
      const answers = [
        await browser.send(method, path, { ...page, 'service-console': id }, {}),
        await browser.send(method, path, { ...page, 'service-console': undefined }, {}),
        await browser.send(method, path, { ...page, 'service-console': id, 'sec-fetch-site': 'cross-site' }, {}),
      ]
      const told = [...answers.map(({ status }) => status), answers[0]?.headers['signet-error']].join()
      if (told !== '409,401,401,console_session_replaced') found.push(`${method} ${path}: ${told}`)
    }
    expect(found).toEqual([])
    expect(await rows()).toEqual(before)
  })
})

describe('The cookies of a browser', () => {
  const elevenNames = (organizations: Organization[]) => organizations.map(({ id }) => `signet-console-${id}`)

  // Proves console/11.
  test('The eleventh drops the one that was used longest ago, and ends its session; the operator has one beside them', async () => {
    const organizations = await Promise.all(Array.from({ length: 11 }, () => service.organization()))
    await browser.operate()
    for (const [place, organization] of organizations.slice(0, 10).entries()) {
      ahead = place * minuteMs
      await browser.signIn(organization)
    }
    expect(browser.jar.size).toBe(11)
    // The header of a request that a browser sends with all of them.
    const length = [...browser.jar].map(([name, value]) => `__Host-${name}=${value}; `).join('').length
    expect(length).toBeLessThan(1_400)
    ahead = 10 * minuteMs
    const [first, second] = organizations as [Organization, Organization]
    await browser.open(first.id)
    const dropped = browser.jar.get(`signet-console-${second.id}`)
    ahead = 11 * minuteMs
    await browser.signIn(organizations[10] as Organization)
    const left = organizations.filter((each) => each !== second)
    expect([...browser.jar.keys()].sort()).toEqual([...elevenNames(left), 'signet-console-operator'].sort())
    const stolen = { cookie: `signet-console-${second.id}=${dropped}`, 'service-orgid': second.id }
    expect(await browser.send('GET', session, stolen)).toMatchObject(ended)
    const { body } = await service.as(second, 'GET', '/organizations/audit-log?action=deleteConsoleSession')
    expect(body.result).toMatchObject([{ actor: { type: 'console' } }])
  })

  // Proves console/11.
  test('The eleventh that began without the cookies, as after a provider, drops it once its page is opened', async () => {
    const organizations = await Promise.all(Array.from({ length: 11 }, () => service.organization()))
    for (const [place, organization] of organizations.slice(0, 10).entries()) {
      ahead = place * minuteMs
      await browser.signIn(organization)
    }
    const [first, last] = [organizations[0], organizations[10]] as [Organization, Organization]
    const returned = createBrowser()
    await returned.signIn(last)
    for (const [name, value] of returned.jar) browser.jar.set(name, value)
    const dropped = browser.jar.get(`signet-console-${first.id}`)
    await browser.open(last.id)
    expect([...browser.jar.keys()].sort()).toEqual(elevenNames(organizations.slice(1)).sort())
    const stolen = { cookie: `signet-console-${first.id}=${dropped}`, 'service-orgid': first.id }
    expect(await browser.send('GET', session, stolen)).toMatchObject(ended)
    const { body } = await service.as(first, 'GET', '/organizations/audit-log?action=deleteConsoleSession')
    expect(body.result).toMatchObject([{ actor: { type: 'console' } }])
  })

  test('A cookie whose session is not known here goes before one that is', async () => {
    const [known, next] = [await service.organization(), await service.organization()]
    const strangers = Array.from({ length: 9 }, (_, at) => `0189${at}000-0000-7000-8000-000000000000`)
    for (const id of strangers) browser.jar.set(`signet-console-${id}`, `${id.replaceAll('-', '')}${'0'.repeat(32)}`)
    await browser.signIn(known)
    await browser.signIn(next)
    expect(browser.jar.size).toBe(10)
    for (const { id } of [known, next]) expect(browser.jar.has(`signet-console-${id}`)).toBe(true)
  })

  test('A hundred cookies that somebody made up are not looked at', async () => {
    const ours = await service.organization()
    const made = Array.from(
      { length: 100 },
      (_, at) => `0189${String(at).padStart(4, '0')}-0000-7000-8000-000000000000`,
    )
    for (const id of made) browser.jar.set(`signet-console-${id}`, `${id.replaceAll('-', '')}${'0'.repeat(32)}`)
    expect(await browser.list()).toEqual([])
    const { headers } = await browser.send('POST', session, {}, { organization_id: ours.id, api_key: ours.apiKey })
    expect(headers['set-cookie']?.map(suffixOf)).toContain(ours.id)
    expect(holderOf(headers['set-cookie']?.[0] ?? '')).toEqual({ 'service-orgid': ours.id })
  })
})
