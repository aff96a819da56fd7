import { afterAll, beforeAll, expect, test } from 'vitest'
import { startUnreliableProxy } from '../../../sdk/management/tests/unreliable-proxy.ts'
import { fileOf, run } from './as-code-program.ts'
import { closeService, newOrganization, openService, service } from './own-service.ts'

beforeAll(openService)
afterAll(closeService)

test('A 503, a cut connection or a page that is none never reads as gone: there is no plan', async () => {
  const { given, organization } = await newOrganization()
  for (const name of ['one', 'two']) await service.as(organization, 'POST', '/groups', { name })
  const proxy = await startUnreliableProxy(service.baseUrl)
  const file = await fileOf('version: 1\ngroups: []\nwebhooks: []\n')
  const headers = { 'content-type': 'application/json', 'retry-after': '61' }
  const notOurs = [
    { status: 503, headers },
    { status: 404, headers, body: '{}' },
    { status: 200, headers, body: '{"result":[],"meta":{}}' },
    { status: 200, headers, body: '{"result":[],"meta":{"pagination":{"limit":1000,"offset":0,"total_count":2}}}' },
    { status: 200, headers, body: '{}' },
  ]
  for (const fate of notOurs) {
    proxy.plan(...Array(4).fill(fate))
    const result = await run({ ...given, baseUrl: proxy.baseUrl }, ['apply', '-f', file, '--prune', '--yes'])
    const code = fate.status === 503 ? 4 : 1
    expect(result, JSON.stringify(fate)).toMatchObject({ code, output: '', error: expect.stringMatching(/./) })
    expect(proxy.seen.every((request) => request.startsWith('GET'))).toBe(true)
  }
  expect((await service.as(organization, 'GET', '/groups')).body.result).toEqual(['one', 'two'])
  proxy.stop()
})

test('After a failure halfway it says what is done and what is not, and the next time goes on', async () => {
  const { given, read } = await newOrganization()
  const proxy = await startUnreliableProxy(service.baseUrl)
  const file = await fileOf(
    'version: 1\nwebhooks:\n  - {target_url: "https://a.example/", name: A}\n  - {target_url: "https://b.example/", name: B}\n  - {target_url: "https://c.example/", name: C}\n',
  )
  const checks = Array<'passed'>(3).fill('passed')
  // The command gives up after four tries.
  proxy.plan('passed', ...checks, 'passed', ...Array<'cut_after'>(4).fill('cut_after'))
  const halfway = await run({ ...given, baseUrl: proxy.baseUrl }, ['apply', '-f', file, '--yes'])
  expect(halfway.code).toBe(4)
  expect(halfway.output).toMatch(
    /Created webhook "https:\/\/a.example\/"\nFailed: create webhook "https:\/\/b.example\/": .*may have been done.*\n {2}not done: create webhook "https:\/\/c.example\/"\n/,
  )
  expect((await run(given, ['apply', '-f', file, '--yes'])).output).toContain(
    'Plan: 1 to create, 0 to change, 0 to delete.',
  )
  expect(await read('/organizations/webhooks')).toHaveLength(3)
  proxy.stop()
})

test('What it creates over connections that are cut is there once, and its test events are published once', async () => {
  const { given, organization, read } = await newOrganization()
  const proxy = await startUnreliableProxy(service.baseUrl)
  const through = { ...given, baseUrl: proxy.baseUrl }
  const file = await fileOf(
    'version: 1\ngroups: [{name: once}]\nwebhooks: [{target_url: "https://once.example/", name: Once}]\napplications: [{name: Once, redirect_uris: ["https://once.example/"]}]\n',
  )
  // A try of each request, those that only ask among them, is cut after it was done.
  proxy.plan(...Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? ('cut_after' as const) : ('passed' as const))))
  const applied = await run(through, ['apply', '-f', file, '--yes'])
  expect(applied).toMatchObject({ code: 0 })
  expect(await read('/groups')).toEqual(['once'])
  expect(await read('/organizations/webhooks')).toHaveLength(1)
  expect(await read('/organizations/applications')).toHaveLength(1)
  proxy.plan('cut_after', 'cut_within')
  expect(await run(through, ['trigger', 'PersonCreated', '--count', '3'])).toMatchObject({ code: 0 })
  expect(proxy.seen).toEqual(Array(3).fill('POST /test-events'))
  expect((await service.as(organization, 'GET', '/events')).body.result).toHaveLength(3)
  proxy.stop()
})

test.each([
  [401, 3, false],
  [403, 3, false],
  [400, 1, false],
  [429, 4, false],
  [503, 4, true],
])(
  'A step that is answered with %i ends with the exit code %i, and says whether it may have been done',
  async (httpcode, code, isUnsure) => {
    const { given } = await newOrganization()
    const proxy = await startUnreliableProxy(service.baseUrl)
    const file = await fileOf('version: 1\nwebhooks: [{target_url: "https://a.example/", name: A}]\n')
    const headers = { 'content-type': 'application/json', 'retry-after': '61' }
    const body = JSON.stringify({ errors: [{ httpcode, message: 'not now' }] })
    proxy.plan('passed', 'passed', { status: httpcode, headers, body })
    const result = await run({ ...given, baseUrl: proxy.baseUrl }, ['apply', '-f', file, '--yes'])
    expect(result.code).toBe(code)
    expect(result.output).toContain('Failed: create webhook "https://a.example/": not now')
    expect(result.output.includes('it may have been done')).toBe(isUnsure)
    proxy.stop()
  },
)

test('A list that moves while it is read is read again', async () => {
  const { given, organization } = await newOrganization()
  const proxy = await startUnreliableProxy(service.baseUrl)
  for (const name of ['aa', 'bb']) await service.as(organization, 'POST', '/groups', { name })
  const page = (names: string[], total: number) => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ result: names, meta: { pagination: { limit: 1000, offset: 0, total_count: total } } }),
  })
  proxy.plan(page(['aa'], 2), page(['bb', 'cc'], 2))
  const file = await fileOf('version: 1\ngroups: [{name: aa}]\n')
  const { records, error } = await run({ ...given, baseUrl: proxy.baseUrl }, [
    '--json',
    'apply',
    '-f',
    file,
    '--prune',
    '--dry-run',
  ])
  expect(error).toBe('')
  expect(proxy.seen).toHaveLength(3)
  expect(records).toMatchObject([
    { type: 'change', action: 'delete', name: 'bb' },
    { type: 'plan', create: 0, change: 0, delete: 1 },
  ])
  proxy.stop()
})
