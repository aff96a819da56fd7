// `npm run dev`: Signet on the data folder of `npm start`, and a receiver that prints each event, in one terminal. Ctrl-C
// stops both and takes the webhook away again; what stays is the data folder.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { styleText } from 'node:util'
import { root } from './demo-stage.ts'
import { freePort } from './free-port.ts'
import { makeCertificate } from './make-certificate.ts'

const startMs = 90_000
const stopMs = 10_000
const webhookName = 'npm run dev'
const host = 'receiver.test'
const events = [
  'PersonCreated',
  'PersonDeleted',
  'AuthenticationSucceeded',
  'AuthenticationFailed',
  'VirtualPageLoaded',
]
const { PORT = '8080', SIGNET_DATA_DIR = 'data' } = process.env
const { SIGNET_BASE_URL: baseUrl = `http://localhost:${PORT}`, SIGNET_PROVIDERS } = process.env
const address = `http://localhost:${PORT}`
const folder = resolve(SIGNET_DATA_DIR)
/** For a second terminal. */
const files = { environment: join(folder, 'environment'), headers: join(folder, 'headers') }

type Headers = Record<string, string>
const cleanup = new AsyncDisposableStack()
const stopped = Promise.withResolvers<never>()
stopped.promise.catch(() => {})
let isInterrupted = false
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    isInterrupted = true
    stopped.reject(new Error('interrupted'))
  })

const failure = await Promise.race([play(), stopped.promise]).catch((error: Error) => error)
await cleanup.disposeAsync()
if (isInterrupted) say('Stopped. Signet again, with what you made: npm start')
else console.error(`npm run dev failed: ${failure.message}`)
process.exit(isInterrupted ? 0 : 1)

async function play(): Promise<never> {
  const receiverPort = await freePort()
  const targetUrl = `https://${host}:${receiverPort}/hook`
  const certified = makeCertificate(join(folder, 'receiver'), host)
  await startSignet(receiverPort, certified.authority)
  const { id, headers } = await whoAmI()
  keepForSecondTerminal(id, headers)
  const receiver = startProgram('examples/receiver/receiver.ts', {
    ...{ SIGNET: baseUrl, ORG: id, TARGET_URL: targetUrl },
    ...{ CERTIFICATE: certified.certificate, PRIVATE_KEY: certified.privateKey },
  })
  await saying(receiver, 'Listening')
  await register(headers, targetUrl)
  const arrival = saying(receiver, 'Verified: PersonCreated_v1')
  await call(headers, 'POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  await arrival
  say(`Your first event has arrived, signed and verified. In another terminal, in this folder:

  . ${inShell('environment')}
  curl -H @${inShell('headers')} $SIGNET_URL/persons -d '{"handles": [{"type": "EmailAddress", "value": "jo@example.com"}]}'

Reference: ${baseUrl}/docs. Stop with Ctrl-C.`)
  return stopped.promise
}

function inShell(name: string) {
  return `${SIGNET_DATA_DIR.replace(/^(?![./])/, './')}/${name}`
}

async function startSignet(receiverPort: number, authority: string) {
  say(`Starting Signet on ${folder}, and a receiver for its webhooks.`)
  const args = ['--expose-gc', '--max-semi-space-size=32', join(root, 'server/src/main.ts')]
  const env = {
    ...process.env,
    // One server, that of the data folder.
    DATABASE_URL: '',
    SIGNET_WEBHOOK_RESOLVE: `${host}:${receiverPort}:127.0.0.1`,
    NODE_EXTRA_CA_CERTS: authority,
    SIGNET_PROVIDERS: SIGNET_PROVIDERS ?? join(root, 'examples/provider/providers.json'),
  }
  // In a group of its own: Ctrl-C is for this process, which takes the webhook away first.
  const signet = spawn(process.execPath, args, { env, detached: true, stdio: ['ignore', 'inherit', 'inherit'] })
  endWith(signet)
  const isReady = () =>
    fetch(`${address}/readyz`).then(
      ({ ok }) => ok && signet.exitCode === null,
      () => false,
    )
  const deadline = performance.now() + startMs
  while (!(await isReady())) {
    if (performance.now() > deadline) throw new Error(`Signet was not ready within ${startMs / 1_000} s`)
    await wait(50)
  }
}

/** What ends by itself ends everything. */
function endWith(child: ChildProcess) {
  const closed = once(child, 'close').then(() => stopped.reject(new Error('a program has ended by itself')))
  cleanup.defer(async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await closed
    clearTimeout(timer)
  })
}

/** What it says is shown as it comes. */
function startProgram(file: string, settings: Headers): ChildProcess {
  const env = { PATH: process.env.PATH, ...settings }
  const child = spawn(process.execPath, [join(root, file)], {
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  child.stdout?.setEncoding('utf8').pipe(process.stdout)
  endWith(child)
  return child
}

async function saying({ stdout }: ChildProcess, words: string) {
  const signal = AbortSignal.timeout(startMs)
  for (;;) {
    const [text] = await once(stdout as NodeJS.EventEmitter, 'data', { signal }).catch(() => {
      throw new Error(`the receiver did not say "${words}" within ${startMs / 1_000} s`)
    })
    if (text.includes(words)) return
  }
}

/** The organization of the very first start, and the headers of its calls. */
async function whoAmI(): Promise<{ id: string; headers: Headers }> {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim()
  const operator = { 'Service-Operator-Key': process.env.SIGNET_OPERATOR_KEY ?? read('operator-key') }
  const [first] = (await call(operator, 'GET', '/organizations')) as { id: string }[]
  if (!first) throw new Error('there is no organization any more')
  const headers = { 'Service-OrgID': first.id, 'Service-API-Key': read('first-api-key') }
  return { id: first.id, headers: { ...headers, 'Content-Type': 'application/json' } }
}

function keepForSecondTerminal(id: string, headers: Headers) {
  const variables = { SIGNET_URL: baseUrl, SIGNET_ORGANIZATION_ID: id, SIGNET_API_KEY: headers['Service-API-Key'] }
  const write = (path: string, lines: string[]) => writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
  write(
    files.environment,
    Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`),
  )
  write(
    files.headers,
    Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  )
  cleanup.defer(() => {
    for (const path of Object.values(files)) rmSync(path, { force: true })
  })
}

async function register(headers: Headers, target_url: string) {
  const path = '/organizations/webhooks'
  const remove = (id: string) => call(headers, 'DELETE', `${path}/${id}`)
  // That of a run that was killed.
  for (const { id, name } of (await call(headers, 'GET', `${path}?limit=1000`)) as { id: string; name: string }[])
    if (name === webhookName) await remove(id)
  const { id } = (await call(headers, 'POST', path, { target_url, name: webhookName })) as { id: string }
  cleanup.defer(() =>
    remove(id).then(
      () => {},
      () => {},
    ),
  )
  for (const name of events)
    await call(headers, 'POST', `${path}/${id}/triggers`, { trigger_type: 'event', trigger_name: `${name}_v1` })
}

async function call(headers: Headers, method: string, path: string, body?: object): Promise<unknown> {
  const sent = body ? { body: JSON.stringify(body) } : {}
  const answer = await fetch(`${address}${path}`, { method, headers, ...sent })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} was answered with ${answer.status} ${text}`)
  return text && JSON.parse(text).result
}

function say(text: string) {
  console.log(`\n${styleText('bold', text)}`)
}
