// `npm run demo`: from nothing to a verified webhook, on real parts. Signet runs on a throw-away folder, the receiver of
// examples/receiver in another process with a certificate of its own authority. Nothing stays, also after Ctrl-C.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { styleText } from 'node:util'
import { makeCertificate } from './make-certificate.ts'

type Program = {
  /** Waits until its output has this, and gives what was found. Throws when it ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  stop(): Promise<void>
}
type Settings = Record<string, string>
/** Gives the `result` of the answer, or the whole of a bare one. */
type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>

const limitMs = 60_000
const host = 'receiver.test'
const root = join(import.meta.dirname, '..')

const stopping = new AbortController()
const cleanup = new AsyncDisposableStack()
let steps = 0

const stop = (reason: string) => () => stopping.abort(new Error(reason))
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop('it was interrupted'))
setTimeout(stop(`it took longer than ${limitMs / 1_000} s`), limitMs)
const stopped = once(stopping.signal, 'abort').then(() => Promise.reject(stopping.signal.reason))
const outcome = await Promise.race([tellStory(), stopped]).catch((error: Error) => error)
await cleanup.disposeAsync()
if (outcome instanceof Error) console.error(`\nThe demo failed: ${outcome.message}`)
else console.log('\nAll of it is stopped and removed. Your own Signet: npm start')
process.exit(outcome instanceof Error ? 1 : 0)

async function tellStory() {
  const folder = mkdtempSync(join(tmpdir(), 'signet-demo-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const certificate = makeCertificate(join(folder, 'receiver'), host)
  const port = await freePort()
  const targetUrl = `https://${host}:${port}/hook`

  step('Start Signet on an empty folder. Its first start makes an organization with an API key.')
  const signet = run('server/src/main.ts', {
    PORT: `${await freePort()}`,
    SIGNET_DATA_DIR: join(folder, 'data'),
    SIGNET_WEBHOOK_RESOLVE: `${host}:${port}:127.0.0.1`,
    NODE_EXTRA_CA_CERTS: certificate.authority,
  })
  const { baseUrl, organizationId, apiKey } = await firstStart(signet)
  const call = caller(baseUrl, { 'Service-OrgID': organizationId, 'Service-API-Key': apiKey })

  step('Start a receiver in another process. Its certificate comes from an authority made for this demo.')
  const receiver = run('examples/receiver/receiver.ts', {
    SIGNET: baseUrl,
    ORG: organizationId,
    TARGET_URL: targetUrl,
    CERTIFICATE: certificate.certificate,
    PRIVATE_KEY: certificate.privateKey,
  })
  show(...(await receiver.until(/^Listening: .*$/m)))

  await setUp(call, targetUrl)
  step('Create another person: the event is stored in the same transaction, and sent when that is committed.')
  const { person_id } = await call('POST', '/persons', { groups: ['staff'] })

  const { header, claims } = await verified(receiver, signet)
  const { trigger_content, ...others } = claims
  step('The receiver got a signed JWT. It checked the signature with the published key set, and the claims.')
  await call('GET', '/organizations/webhooks/verification-jwks')
  show('', 'Header: kid names the key in that set.', pretty(header))
  show('', 'Claims: not expired, for this organization, from this Signet, to this receiver.', pretty(others))
  show('', 'trigger_content, one of the claims: the event.', pretty(trigger_content))
  if (trigger_content.person_id !== person_id) throw new Error('the event tells of another person')
}

async function firstStart(signet: Program) {
  const [, baseUrl = '', organizationId = '', apiKey = ''] = await signet.until(
    /^Base URL: (.*)\n.*\nOrganization ID: (.*)\nAPI key: (.*)\n[\s\S]*^Ready/m,
  )
  show(`Base URL: ${baseUrl}`, `Organization ID: ${organizationId}`, `API key: ${apiKey}`)
  return { baseUrl, organizationId, apiKey }
}

async function setUp(call: Call, targetUrl: string) {
  step('Create a group. This and every further call carries the headers Service-OrgID and Service-API-Key.')
  await call('POST', '/groups', { name: 'staff', description: 'Everybody who works here' })
  step('Create a person, and set the groups of this person.')
  const { person_id } = await call('POST', '/persons', {
    handles: [{ type: 'EmailAddress', value: 'jo@example.com', verified: true }],
  })
  await call('PUT', `/persons/${person_id}/groups`, { groups: ['staff'] })
  step('Register the receiver as a webhook, and add a trigger: it is called whenever a person is created.')
  const { id } = await call('POST', '/organizations/webhooks', { target_url: targetUrl, name: 'Demo' })
  const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
  await call('POST', `/organizations/webhooks/${id}/triggers`, trigger)
}

/** What the receiver printed of the call that it accepted. Throws when it refused one, or Signet reports a failed one. */
async function verified(receiver: Program, signet: Program) {
  const [, json = ''] = await Promise.race([
    receiver.until(/^Verified: .*\n(\{[\s\S]*?^\})$/m),
    receiver.until(/^Refused: .*$/m).then(complain),
    signet.until(/^.*"delivery attempt failed".*$/m).then(complain),
  ])
  return JSON.parse(json)
}

function complain([line]: RegExpExecArray): never {
  throw new Error(line)
}

function caller(baseUrl: string, headers: Settings): Call {
  return async (method, path, body) => {
    show(`${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`)
    const json = body ? { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...json, signal: stopping.signal })
    const answer = await response.text()
    show(`${response.status} ${answer}`)
    if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}`)
    const { result, ...bare } = JSON.parse(answer)
    return result ?? bare
  }
}

/** In a process group of its own: Ctrl-C is for the demo, which then stops one program after the other. */
function run(file: string, settings: Settings): Program {
  stopping.signal.throwIfAborted()
  const env = { PATH: process.env.PATH, ...settings }
  const child = spawn(process.execPath, [join(root, file)], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(child, 'close').then(() => 'closed' as const)
  let output = ''
  let grown = Promise.withResolvers<void>()
  const grow = (text: string) => {
    output += text
    grown.resolve()
    grown = Promise.withResolvers()
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', grow)
  const program: Program = {
    until: async (pattern) => {
      for (;;) {
        const found = pattern.exec(output)
        if (found) return found
        if ((await Promise.race([grown.promise, closed])) === 'closed') throw new Error(`${file} ended:\n${output}`)
      }
    },
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
  cleanup.defer(program.stop)
  return program
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

function step(text: string) {
  steps++
  console.log(`\n${styleText('bold', `${steps}. ${text}`)}`)
}

function show(...paragraphs: string[]) {
  for (const line of paragraphs.join('\n').split('\n')) console.log(line && `   ${line}`)
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
