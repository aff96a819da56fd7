import { once } from 'node:events'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest'
import { freePort } from '../../../scripts/free-port.ts'
import { linesOf, runCommand, settingsOf, startCommand } from '../support/command-line.ts'
import { claimsOf } from '../support/jwt.ts'
import { temporaryFolder } from '../support/program.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { type Organization, type OwnSignet, startOwnSignet } from '../support/signet.ts'
import { addWebhook } from '../support/webhooks.ts'

let signet: OwnSignet
let publicReceiver: Receiver

beforeAll(async () => {
  publicReceiver = await startReceiver()
  signet = await startOwnSignet({ receiver: publicReceiver })
})

afterAll(async () => {
  await signet?.stop()
  await publicReceiver?.stop()
})

/** Gives the ids of the events. */
async function publish(organization: Organization, ...names: string[]): Promise<string[]> {
  const events = names.map((event_name) => ({ event_name }))
  const { body } = await signet.as(organization, 'POST', '/test-events', events)
  return body.result.map(({ event_id }: { event_id: string }) => event_id)
}

/** `isOpen`: the body never ends. */
type Answer = { status: number; body: string; isOpen?: boolean }

/** A receiver on this machine, which keeps the bodies. */
async function startLocal({ onTestFinished }: TestContext, answer: Answer = { status: 200, body: '' }) {
  const port = await freePort()
  const received: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    received.push(body)
    response.writeHead(answer.status)
    if (answer.isOpen) response.write(answer.body || ' ')
    else response.end(answer.body)
  })
  const open = async () => void (await once(server.listen(port, 'localhost'), 'listening'))
  await open()
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(close)
  return {
    url: `http://localhost:${port}/hook`,
    received,
    subs: () => received.map((jwt) => claimsOf(jwt).sub),
    open,
    close,
  }
}

/** A listener in a terminal, which has connected, and keeps its place in `state`. */
async function listen(
  context: TestContext,
  organization: Organization,
  { to, args = [], state = temporaryFolder(context) }: { to: string; args?: string[]; state?: string },
) {
  const settings = { ...settingsOf(signet, organization), XDG_STATE_HOME: state }
  const program = startCommand(context, ['listen', '--forward-to', to, ...args], settings)
  await program.says(/Connected|"connected"/)
  return program
}

describe.concurrent('signet listen', () => {
  test('With --once and --json it prints the key set, the connection and one delivery, and ends', async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context)
    const listener = await listen(context, organization, {
      to: local.url,
      args: ['--once', '--json', '--print-key-set'],
    })
    const [event_id] = await publish(organization, 'PersonCreated', 'PersonDeleted')
    expect(await listener.ended).toBe(0)
    const { body } = await signet.as(organization, 'GET', '/organizations/webhooks/verification-jwks')
    expect(linesOf(listener.output())).toEqual([
      { type: 'key_set', keys: body.keys },
      {
        type: 'connected',
        url: signet.baseUrl,
        organization_id: organization.id,
        forward_to: local.url,
        resumed: false,
      },
      { type: 'delivery', event_id, event_name: 'PersonCreated_v1', status: 200, duration_ms: expect.any(Number) },
    ])
    expect(local.subs()).toEqual([event_id])
  })

  test('With --events it gets only those, and a line each tells name, status and milliseconds', async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context, { status: 204, body: '' })
    const args = ['--events', 'PersonDel*, VirtualPageLoaded']
    const listener = await listen(context, organization, { to: local.url, args })
    const [, deleted, , page] = await publish(
      organization,
      ...['PersonCreated', 'PersonDeleted'],
      ...['PersonCreated', 'VirtualPageLoaded'],
    )
    await listener.says(/^PersonDeleted_v1 204 \d+ ms\nVirtualPageLoaded_v1 204 \d+ ms\n/m)
    expect(local.subs()).toEqual([deleted, page])
  })

  test('A later run goes on where the last one ended, and --from now forgets that', async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context)
    const run = { to: local.url, args: ['--once'], state: temporaryFolder(context) }
    const first = await listen(context, organization, run)
    const [one] = await publish(organization, 'PersonCreated')
    expect(await first.ended).toBe(0)
    const [two] = await publish(organization, 'PersonDeleted', 'PersonCreated')
    const second = await listen(context, organization, run)
    expect(await second.ended).toBe(0)
    const third = await listen(context, organization, { ...run, args: ['--once', '--from', 'now'] })
    const [four] = await publish(organization, 'VirtualPageLoaded')
    expect(await third.ended).toBe(0)
    expect(local.subs()).toEqual([one, two, four])
  })

  test('Two receivers of one target, or two filters, each have a place of their own', async (context) => {
    const organization = await signet.organization()
    const [one, two] = [await startLocal(context), await startLocal(context)]
    const state = temporaryFolder(context)
    const runs = [
      { to: one.url, args: ['--once', '--events', 'Person*'], state },
      { to: two.url, args: ['--once', '--target-url', one.url, '--events', 'Person*'], state },
      { to: one.url, args: ['--once', '--events', 'Virtual*'], state },
    ]
    const listeners = await Promise.all(runs.map((run) => listen(context, organization, run)))
    await publish(organization, 'PersonCreated', 'VirtualPageLoaded')
    for (const listener of listeners) expect(await listener.ended).toBe(0)
    expect(globSync(join(state, 'signet/listen-*.json'))).toHaveLength(3)
  })

  test('A folder that cannot keep the place ends it before it connects, with a line that says what to set', async (context) => {
    const settings = { ...settingsOf(signet, await signet.organization()), XDG_STATE_HOME: '/proc/none' }
    const { code, output } = await runCommand(context, ['listen', '--forward-to', 'http://localhost:9/'], settings)
    expect(output).toMatch(/^\/proc\/none\/signet: cannot keep the place there .*XDG_STATE_HOME.*\n$/)
    expect(code).toBe(2)
  })

  test.for([[[]], [['-v']]])(
    'A receiver whose body never ends holds no event back (with %j)',
    async ([args], context) => {
      const organization = await signet.organization()
      const local = await startLocal(context, { status: 200, body: 'so far', isOpen: true })
      const listener = await listen(context, organization, { to: local.url, args: ['--json', ...(args ?? [])] })
      const began = performance.now()
      await publish(organization, 'PersonCreated', 'PersonDeleted')
      await listener.says(/PersonDeleted_v1.*\n/)
      expect(performance.now() - began).toBeLessThan(8_000)
      const [body] = linesOf(listener.output()).flatMap(({ body }) => body ?? [])
      expect(body).toBe(args?.length ? 'so far…' : undefined)
    },
  )

  test('An address where no service can be ends it with 4, and names --url', async (context) => {
    const settings = { ...settingsOf(signet, await signet.organization()), SIGNET_URL: 'http://localhost:6000' }
    const { code, output } = await runCommand(context, ['listen', '--forward-to', 'http://localhost:9/'], settings)
    expect(output).toMatch(/^http:\/\/localhost:6000: bad port\. .*--url.*\n$/)
    expect(code).toBe(4)
  })

  test('A place that is no longer kept ends it with 1, and the advice to begin anew', async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context)
    const run = { to: local.url, args: ['--once'], state: temporaryFolder(context) }
    const first = await listen(context, organization, run)
    await publish(organization, 'PersonCreated')
    await first.ended
    const [file = ''] = globSync(join(run.state, 'signet/listen-*.json'))
    const foreign = Buffer.from('events 0199a3f2-5c00-4000-8000-0242ac120002.4294967297').toString('base64url')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), cursor: foreign }))
    const settings = { ...settingsOf(signet, organization), XDG_STATE_HOME: run.state }
    const { code, output } = await runCommand(context, ['listen', '--forward-to', local.url], settings)
    expect(output).toMatch(/^Last-Event-ID: comes from another database.*: --from now begins anew\n$/)
    expect(code).toBe(1)
  })

  test('It ends with 3 when its key is revoked while it listens', { timeout: 40_000 }, async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context)
    const { body } = await signet.as(organization, 'POST', '/organizations/api-keys', {})
    const { id, api_key: apiKey } = body.result
    const listener = await listen(context, { id: organization.id, apiKey }, { to: local.url })
    expect((await signet.as(organization, 'DELETE', `/organizations/api-keys/${id}`)).status).toBe(204)
    expect(await listener.ended).toBe(3)
    expect(listener.output()).toMatch(/\nService-API-Key: is not valid for this organization\n$/)
  })

  test('Several listeners of one target each get every event in order', async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context)
    const run = { to: local.url, args: ['--json'], state: temporaryFolder(context) }
    const listeners = await Promise.all([listen(context, organization, run), listen(context, organization, run)])
    const ids = await publish(organization, 'PersonCreated', 'PersonDeleted', 'VirtualPageLoaded')
    for (const listener of listeners) {
      await listener.says(/"VirtualPageLoaded_v1"/)
      const delivered = linesOf(listener.output()).filter(({ type }) => type === 'delivery')
      expect(delivered.map(({ event_id }) => event_id)).toEqual(ids)
    }
    expect(local.subs().toSorted()).toEqual([...ids, ...ids].toSorted())
  })

  test('A status of 500 counts as an answer, which -v shows, and the next event comes', async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context, { status: 500, body: 'no\u001b[31m such table' })
    const listener = await listen(context, organization, { to: local.url, args: ['-v'] })
    const ids = await publish(organization, 'PersonCreated', 'PersonDeleted')
    const [text] = await listener.says(/PersonCreated_v1 500 \d+ ms\n(.*)\nPersonDeleted_v1 500/)
    expect(text).toContain('  no')
    expect(text).not.toContain('\u001b')
    expect(local.subs()).toEqual(ids)
  })

  test('What an absent receiver did not answer is delivered when it is there, and told once', async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context)
    local.close()
    const listener = await listen(context, organization, { to: local.url })
    const ids = await publish(organization, 'PersonCreated', 'PersonDeleted')
    await listener.says(/No answer from .*ECONNREFUSED.*\n/)
    await local.open()
    await listener.says(/PersonDeleted_v1 200/)
    expect(local.subs()).toEqual(ids)
    expect(listener.output().match(/No answer/g)).toHaveLength(1)
  })

  test.for([
    ['no address', ['--forward-to', 'nonsense'], 2, /--forward-to/],
    ['an address that is not local', ['--forward-to', 'https://app.example/hook'], 2, /^--forward-to .*--target-url/],
    ['an event that there is not', ['--forward-to', 'http://localhost:9/', '--events', 'Nothing'], 2, /^--events: /],
    ['no event at all', ['--forward-to', 'http://localhost:9/', '--events', ''], 2, /--events/],
  ] as const)('It ends for %s with a line that says so', async ([, args, code, message], context) => {
    const settings = settingsOf(signet, await signet.organization())
    const ended = await runCommand(context, ['listen', ...args], settings)
    expect(ended.output).toMatch(message)
    expect(ended.code).toBe(code)
  })
})

describe.concurrent('signet verify', () => {
  async function verify(context: TestContext, organization: Organization, token: string, args: string[]) {
    const file = join(temporaryFolder(context), 'body.jwt')
    writeFileSync(file, `${token}\n`)
    const settings = settingsOf(signet, organization)
    const { code, output } = await runCommand(context, ['verify', '-', '--json', ...args], settings, file)
    const failed = linesOf(output).filter(({ result }) => result === 'failed')
    return { code, failed: failed.map(({ check }) => check), checks: linesOf(output).length }
  }

  test('Every check holds for the body of a webhook, and that of the address fails for another one', async (context) => {
    const organization = await signet.organization()
    const url = publicReceiver.url('/verified')
    await addWebhook(signet, organization, url, ['PersonCreated_v1'])
    await publish(organization, 'PersonCreated')
    const [received] = await publicReceiver.waitFor('/verified', 1)
    const token = received?.body ?? ''
    expect(await verify(context, organization, token, ['--target-url', url])).toEqual({
      code: 0,
      failed: [],
      checks: 15,
    })
    const elsewhere = await verify(context, organization, token, ['--target-url', publicReceiver.url('/')])
    expect([elsewhere.code, elsewhere.failed]).toEqual([1, ['target_url']])
    const other = await verify(context, await signet.organization(), token, ['--target-url', url])
    expect([other.code, other.failed]).toEqual([1, ['kid', 'aud']])
  })

  test('Every check holds for what a listener has forwarded', async (context) => {
    const organization = await signet.organization()
    const local = await startLocal(context)
    const listener = await listen(context, organization, { to: local.url, args: ['--once'] })
    await publish(organization, 'PersonCreated')
    await listener.ended
    const args = ['--target-url', local.url]
    expect(await verify(context, organization, local.received[0] ?? '', args)).toMatchObject({ code: 0, failed: [] })
  })
})
