import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { request as call, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { type Certified, makeAuthority } from '../../../scripts/certificates.ts'
import { makeMasterKey } from '../../src/ground/keys/index.ts'
import { linesOf, runCommand, type Settings, settingsOf } from '../support/command-line.ts'
import { administer, testDatabase } from '../support/database.ts'
import { temporaryFolder } from '../support/program.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'

const dayMs = 86_400_000

let signet: OwnSignet
let organization: Organization

beforeAll(async () => {
  signet = await startOwnSignet()
  organization = await signet.organization()
})

afterAll(() => signet?.stop())

type Finding = { type: string; check: string; result: string; message: string }

/** What the doctor finds in a shell with these settings besides those of the connection, by check. */
async function examine(context: TestContext, settings: Settings = {}) {
  const given = { ...settingsOf(signet, organization), ...settings }
  const { code, output } = await runCommand(context, ['doctor', '--json'], given)
  const findings: Finding[] = linesOf(output).filter(({ type }) => type === 'finding')
  const of = (check: string) =>
    findings.filter((each) => each.check === check).map(({ result, message }) => `${result} ${message}`)
  return { code, output, of, notOk: findings.filter(({ result }) => result !== 'ok').map(({ check }) => check) }
}

const onServer = (url = signet.database.url): Settings => ({
  DATABASE_URL: url,
  SIGNET_BASE_URL: signet.baseUrl,
  SIGNET_MASTER_KEY: makeMasterKey(),
})

/** A proxy that answers these paths itself. */
async function startProxy(
  { onTestFinished }: TestContext,
  own: Record<string, (response: ServerResponse, request: IncomingMessage) => void>,
): Promise<Settings> {
  const server = createServer((request, response) => {
    const answer = own[new URL(request.url ?? '', signet.baseUrl).pathname]
    if (answer) return answer(response, request)
    const { method = 'GET', headers } = request
    const passed = call(new URL(request.url ?? '', signet.baseUrl), { method, headers, agent: false }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { SIGNET_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Gives its host and port. */
async function startTls({ onTestFinished }: TestContext, { certificate, privateKey }: Certified): Promise<string> {
  const server = createTlsServer({ cert: certificate, key: privateKey }).listen(0, 'localhost')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `localhost:${(server.address() as AddressInfo).port}`
}

describe.concurrent('signet doctor', () => {
  test('Nothing is wrong with a service that is well, and with its settings and database', async (context) => {
    const { code, of, notOk } = await examine(context, onServer())
    expect(notOk.filter((check) => check !== 'database')).toEqual([])
    expect(of('database').filter((each) => !/^ok|fsync|full_page_writes/.test(each))).toEqual([])
    expect(of('database')[0]).toMatch(/^ok PostgreSQL [\d.]+.* takes writes$/)
    expect(code).toBe(0)
  })

  test('Every setting that is wrong is named, and the rest is examined all the same', async (context) => {
    const { code, of } = await examine(context, { PORT: '0', SIGNET_RETRY_MAX: 'soon' })
    expect(of('settings')).toEqual([
      expect.stringMatching(/^wrong PORT: must be an integer from 1 to 65535; signet\.env\.example/),
      expect.stringMatching(/^wrong SIGNET_RETRY_MAX: must be a duration/),
    ])
    expect(of('API key')).toEqual([expect.stringMatching(/^ok /)])
    expect(code).toBe(1)
  })

  test('Who can be the operator besides whoever has the operator key is said, and a name that nobody has is a warning', async (context) => {
    const named = { SIGNET_OPERATOR_ORGANIZATION: organization.id, SIGNET_OPERATOR_GROUP: 'doctors' }
    const settings = { ...onServer(), ...named }
    const nobody = 'only whoever has the operator key is the operator'
    expect((await examine(context, settings)).of('operators')).toEqual([
      `warning SIGNET_OPERATOR_GROUP: there is no group doctors in that organization; ${nobody}`,
    ])
    await signet.as(organization, 'POST', '/groups', { name: 'doctors' })
    const who = `of the group doctors of ${organization.id}, and whoever has an admin key there (admin keys: 1, keys: 1)`
    expect((await examine(context, settings)).of('operators')).toEqual([
      `warning the operator: 0 active members ${who}`,
    ])
    await signet.as(organization, 'POST', '/persons', { groups: ['doctors'] })
    await signet.as(organization, 'POST', '/persons', { groups: ['doctors'], active: false })
    expect((await examine(context, settings)).of('operators')).toEqual([`ok the operator: 1 active member ${who}`])
    const elsewhere = { ...settings, SIGNET_OPERATOR_ORGANIZATION: '01890000-0000-7000-8000-000000000000' }
    expect((await examine(context, elsewhere)).of('operators')).toEqual([
      `warning SIGNET_OPERATOR_ORGANIZATION: there is no organization with this id here; ${nobody}`,
    ])
    expect((await examine(context, onServer())).of('operators')).toEqual([])
  })

  test('Without a database in reach of this shell that is unknown, and not wrong', async (context) => {
    const folder = temporaryFolder(context)
    const { code, of } = await examine(context, { SIGNET_DATA_DIR: folder })
    expect(of('database')).toEqual([`unknown DATABASE_URL is not set, and no Signet runs on ${folder}`])
    expect(code).toBe(0)
  })

  test('A database that acknowledges what is not on disk is wrong', async (context) => {
    const database = await testDatabase()
    context.onTestFinished(() => database.drop())
    await administer(database, `alter database ${database.database} set synchronous_commit = off`)
    const { code, of } = await examine(context, onServer(database.url))
    expect(of('database')).toContainEqual(expect.stringMatching(/^wrong .*synchronous_commit is off.*set it to on/))
    expect(code).toBe(1)
  })

  test('A database that is not there, or refuses, is wrong, and its password is not shown', async (context) => {
    const { code, of, output } = await examine(context, onServer('postgresql://signet:secret@127.0.0.1:9/signet'))
    expect(of('database')).toEqual([expect.stringMatching(/^wrong .*ECONNREFUSED.*try 127\.0\.0\.1:9 with psql/)])
    expect(output).not.toContain('secret')
    expect(code).toBe(1)
  })

  test('Secrets that others may read are wrong', async (context) => {
    const folder = temporaryFolder(context)
    writeFileSync(join(folder, 'master-key'), makeMasterKey(), { mode: 0o644 })
    const { code, of } = await examine(context, { SIGNET_DATA_DIR: folder })
    expect(of('secrets')).toEqual([expect.stringContaining(`run chmod 600 ${join(folder, 'master-key')}`)])
    expect(code).toBe(1)
  })

  test('A clock that is off is wrong', async (context) => {
    const proxy = await startProxy(context, {
      '/readyz': (response) =>
        response.setHeader('Date', new Date(Date.now() + 300_000).toUTCString()).end('{"status":"ready"}'),
    })
    const { code, of } = await examine(context, proxy)
    expect(of('clock')).toEqual([expect.stringMatching(/^wrong .* differ by (299|300|301) s.*NTP$/)])
    expect(code).toBe(1)
  })

  test('A proxy that holds streams back is wrong, and what to switch off is said', async (context) => {
    const { code, of } = await examine(context, await startProxy(context, { '/events': () => {} }))
    expect(of('event stream')).toEqual([expect.stringMatching(/^wrong .*switch its buffering off for \/events/)])
    expect(code).toBe(1)
  })

  test('Of each receiver the name and the certificate are judged', async (context) => {
    const authority = makeAuthority()
    const ca = join(temporaryFolder(context), 'ca.pem')
    writeFileSync(ca, authority.certificate)
    const until = (days: number) => authority.issue(['localhost'], { until: Date.now() + days * dayMs + 3_600_000 })
    const receivers = [authority.issue(['localhost']), until(-3), until(5), makeAuthority().issue(['localhost'])]
    const [good, expired, ending, untrusted] = await Promise.all(receivers.map((each) => startTls(context, each)))
    // Too long for any resolver, which therefore asks nobody.
    const absent = `${'a'.repeat(64)}.localhost`
    const hosts = [good, expired, ending, untrusted, absent]
    const proxy = await startProxy(context, {
      '/organizations/webhooks': (response) => {
        const result = hosts.map((host) => ({ target_url: `https://${host}/hook` }))
        const meta = { pagination: { limit: 100, offset: 0, total_count: hosts.length } }
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ result, meta }))
      },
    })
    const { code, of } = await examine(context, { ...proxy, NODE_EXTRA_CA_CERTS: ca })
    expect(hosts.map((host) => of(`receiver ${host}`).join())).toEqual([
      expect.stringMatching(/^ok its certificate is valid for (29|30) days$/),
      expect.stringMatching(/^wrong its certificate expired 3 days ago: renew it$/),
      expect.stringMatching(/^warning its certificate expires in 5 days$/),
      expect.stringMatching(/^wrong its certificate is not trusted here .*NODE_EXTRA_CA_CERTS/),
      expect.stringMatching(/^unknown the name does not resolve on this machine/),
    ])
    expect(of(`address ${good}`)).toEqual([expect.stringMatching(/^warning .* which is not public: .*name_not_found$/)])
    expect(of(`address ${absent}`)).toEqual([])
    expect(of(`receiver ${absent}`).join()).toContain('name_not_found')
    expect(code).toBe(1)
  })

  test('Without a key the rest is checked, and that is nothing wrong', async (context) => {
    const { code, of } = await examine(context, { SIGNET_API_KEY: '' })
    expect(of('API key')).toEqual([expect.stringMatching(/^unknown /)])
    expect(of('base URL')).toEqual([expect.stringMatching(/^ok /)])
    expect(code).toBe(0)
  })

  test('Any other server that answers /readyz with 200 is not taken for Signet', async (context) => {
    const proxy = await startProxy(context, { '/readyz': (response) => response.end('<html>Hello</html>') })
    expect((await examine(context, proxy)).of('service')).toEqual([expect.stringMatching(/^wrong .*not Signet's/)])
  })

  test('A key that is not valid is wrong', async (context) => {
    const wrong = organization.apiKey.replace(/.{7}$/, '0000000')
    const { code, of } = await examine(context, { SIGNET_API_KEY: wrong })
    expect(of('API key')).toEqual([expect.stringMatching(/^wrong Service-API-Key: is not valid/)])
    expect(code).toBe(1)
  })
})
