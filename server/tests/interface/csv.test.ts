import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, makeThings, type Things } from '../hostile/support/things.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

let signet: OwnSignet
let ours: Organization
let things: Things
let lists: { path: string; address: string; isOperators: boolean }[]

const secrets = ['billing-secret', 'header-value']

beforeAll(async () => {
  // Without a worker: deliveries stay as they are.
  const env = { SIGNET_ROLES: 'api', SIGNET_WEBHOOK_RESOLVE: 'billing.example.com:443:127.0.0.1' }
  signet = await startOwnSignet({ env })
  ours = await signet.organization({ name: '=cmd|"/c calc"!A1' })
  things = await makeThings(signet, ours, 'billing')
  await signet.as(ours, 'PATCH', `/organizations/webhooks/${things.webhooks}`, {
    custom_headers: { authorization: ['header-value'] },
  })
  lists = await listsIn((await signet.call('GET', '/openapi.json')).body)
})

afterAll(() => signet?.stop())

type Described = { security: object[]; responses: Record<string, { content?: object }>; parameters?: Parameter[] }
type Parameter = { name: string; in: string; required?: boolean }

/** The operations that the document says to have a table, each with the address of what is there. */
function listsIn({ paths }: { paths: Record<string, { get?: Described }> }) {
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get?.responses['200']?.content || !('text/csv' in get.responses['200'].content)) return []
    const isOperators = get.security.some((each) => 'operator' in each)
    const query = get.parameters?.some(({ name }) => name === 'q') ? '?q=billing' : ''
    return [{ path, address: `${addressOf(path, things)}${query}`, isOperators }]
  })
}

async function fetchCsv(address: string, { isOperators = false, accept = 'text/csv' } = {}) {
  const headers = isOperators
    ? { 'Service-Operator-Key': signet.operatorKey }
    : { 'Service-OrgID': ours.id, 'Service-API-Key': ours.apiKey }
  const response = await fetch(`${signet.baseUrl}${address}`, {
    headers: { ...headers, accept } as Record<string, string>,
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** RFC 4180, by its grammar. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let rest = text
  let row: string[] = []
  while (rest !== '') {
    const [whole, cell = '', end] = /^("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/.exec(rest) ?? []
    if (whole === undefined) throw new Error(`no CSV: ${rest.slice(0, 80)}`)
    row.push(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === '\r\n') {
      rows.push(row)
      row = []
    }
    rest = rest.slice(whole.length)
  }
  return rows
}

test('Every list of the interface can be had as a table: as many lines as items, each with the same columns', async () => {
  expect(lists.length).toBeGreaterThan(22)
  for (const { path, address, isOperators } of lists) {
    const json = isOperators ? await signet.operate('GET', address) : await signet.as(ours, 'GET', address)
    expect(json.status, path).toBe(200)
    const { status, headers, text } = await fetchCsv(address, { isOperators })
    expect(status, `${path} ${text}`).toBe(200)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    expect(headers.get('content-disposition'), path).toMatch(/^attachment; filename="[a-z-]+\.csv"$/)
    expect(headers.get('vary'), path).toContain('Accept')
    expect(json.headers.get('vary'), path).toContain('Accept')
    expect(headers.get('cache-control')).toBe('no-store')
    const [names = [], ...rows] = parseCsv(text)
    expect(new Set(names).size, path).toBe(names.length)
    expect(names, path).not.toContain('value')
    // Entries of the log are made by what this test calls.
    if (path !== '/organizations/audit-log') expect(rows.length, path).toBe(json.body.result.length)
    for (const row of rows) expect(row.length, path).toBe(names.length)
    for (const cell of [...names, ...rows.flat()]) expect(cell, path).not.toMatch(/^[=+\-@\t\r]/)
    for (const secret of [...secrets, ours.apiKey]) expect(text, path).not.toContain(secret)
  }
})

test('Every list with pages is said to have a table', async () => {
  const { body } = await signet.call('GET', '/openapi.json')
  const described: [string, { get?: Described }][] = Object.entries(body.paths)
  const paged = described.filter(([, { get }]) => get?.parameters?.some((each) => /limit/i.test(JSON.stringify(each))))
  expect(paged.length).toBeGreaterThan(18)
  expect(lists.map(({ path }) => path)).toEqual(expect.arrayContaining(paged.map(([path]) => path)))
})

test('Hostile text is in its cell as it is, but for the mark of a formula', async () => {
  const names = ['=1+1', '+1', '-1', '@x', 'a"b', "it's", 'a,b;c', 'x\r\ny', '\u{202e}gnp', '%_\\', ' =1', '＝1']
  for (const name of names) {
    const target_url = `https://billing.example.com/${encodeURIComponent(name)}`
    const { status } = await signet.as(ours, 'POST', '/organizations/webhooks', { name, target_url })
    expect(status, name).toBe(201)
  }
  const [columns = [], ...rows] = parseCsv((await fetchCsv('/organizations/webhooks')).text)
  const shown = rows.map((row) => row[columns.indexOf('name')])
  const expected = names.map((name) => (/^ ?[=+\-@＝]/.test(name) ? `'${name}` : name))
  expect(shown).toEqual(expect.arrayContaining(expected))
  expect(columns).not.toContain('custom_headers')
})

test('A table says where the next page is, in the same filters', async () => {
  for (const name of ['page-1', 'page-2', 'page-3']) await signet.as(ours, 'POST', '/groups', { name })
  const follow = async (address: string): Promise<string[]> => {
    const { headers, text } = await fetchCsv(address)
    const [, next] = /^<(\?.*)>; rel="next"$/.exec(headers.get('link') ?? '') ?? []
    const names = parseCsv(text)
      .slice(1)
      .map(([name = '']) => name)
    return next
      ? [...names, ...(await follow(new URL(next, `${signet.baseUrl}${address}`).href.slice(signet.baseUrl.length)))]
      : names
  }
  expect(await follow('/groups?name=page-&limit=1')).toEqual(['page-1', 'page-2', 'page-3'])
  const all = await follow('/organizations/audit-log?limit=1000')
  expect(await follow('/organizations/audit-log?limit=7')).toEqual(all)
  const events = parseCsv((await fetchCsv('/events?limit=1000')).text).slice(1)
  expect(await follow('/events?limit=1&since=2026-01-01T00:00:00Z')).toEqual(events.map(([id]) => id))
})

test('An empty list is its line of names', async () => {
  const { text } = await fetchCsv('/groups?name=nobody-is-called-so')
  expect(text).toBe('name\r\n')
})

test.each([
  ['text/csv', 'text/csv'],
  ['TEXT/CSV;charset=utf-8', 'text/csv'],
  ['application/json;q=0.5, text/csv', 'text/csv'],
  ['text/csv, */*;q=0.1', 'text/csv'],
  ['application/json, text/csv', 'application/json'],
  ['text/csv;q=0', 'application/json'],
  ['text/*', 'application/json'],
  ['*/*', 'application/json'],
  ['image/png', 'application/json'],
  ['', 'application/json'],
])('With Accept: %s a list is %s', async (accept, type) => {
  const { status, headers } = await fetchCsv('/groups', { accept })
  expect({ status, type: headers.get('content-type')?.split(';')[0] }).toEqual({ status: 200, type })
})

test('What is no list stays JSON, and so does a refusal', async () => {
  const group = await fetchCsv('/groups/billing')
  expect(group.headers.get('content-type')).toContain('application/json')
  const refusal = await fetchCsv('/groups?limit=0')
  expect(refusal.status).toBe(400)
  expect(JSON.parse(refusal.text).errors).toHaveLength(1)
})
