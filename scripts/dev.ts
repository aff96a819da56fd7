// `npm run dev`: Signet on the data folder of `npm start`, and a receiver that prints each event, in one terminal. Ctrl-C
// stops both and removes the webhook; the data folder stays.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { styleText } from 'node:util'
import { eventNames } from '../server/src/events/event-json.ts'
import { type Call, caller } from './call.ts'
import { freePort } from './free-port.ts'
import { makeCertificate } from './make-certificate.ts'
import { cleanup, interrupted, type Program, root, run, runToEnd, stopAfter, stopBecause } from './program.ts'

/** The time limit until the first event has arrived. */
const startMs = 120_000
const webhookName = 'npm run dev'
const host = 'receiver.test'
const { PORT = '8080', SIGNET_DATA_DIR = 'data' } = process.env
const { SIGNET_BASE_URL: baseUrl = `http://localhost:${PORT}`, SIGNET_PROVIDERS } = process.env
const address = `http://localhost:${PORT}`
const folder = resolve(SIGNET_DATA_DIR)
/** Written for use in a second terminal. */
const files = { environment: join(folder, 'environment'), headers: join(folder, 'headers') }

type Headers = Record<string, string>

const failure = await runToEnd(play)
if (failure === interrupted) say('Stopped. Signet again, with what you made: npm start')
else console.error(`npm run dev failed: ${failure?.message}`)
process.exit(failure === interrupted ? 0 : 1)

async function play(): Promise<never> {
  const limit = stopAfter(startMs)
  const receiverPort = await freePort()
  const targetUrl = `https://${host}:${receiverPort}/hook`
  const certificateFiles = makeCertificate(join(folder, 'receiver'), host)
  await startSignet(receiverPort, certificateFiles.authority)
  const { id, headers } = await whoAmI()
  writeForSecondTerminal(id, headers)
  const env = {
    ...{ PATH: process.env.PATH, SIGNET: baseUrl, ORG: id, TARGET_URL: targetUrl },
    ...{ CERTIFICATE: certificateFiles.certificate, PRIVATE_KEY: certificateFiles.privateKey },
  }
  const receiver = stoppingAll(run('examples/receiver/receiver.ts', { env, output: 'shown' }))
  await receiver.until(/^Listening/m)
  const call = caller(address, headers)
  await register(call, targetUrl)
  await call('POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  await receiver.until(/^Verified: PersonCreated_v1$/m)
  clearTimeout(limit)
  say(`Your first event has arrived, signed and verified. In another terminal, in this folder:

  . ${inShell('environment')}
  curl -H @${inShell('headers')} $SIGNET_URL/persons -d '{"handles": [{"type": "EmailAddress", "value": "jo@example.com"}]}'

Reference: ${baseUrl}/docs. Stop with Ctrl-C.`)
  return new Promise(() => {})
}

function inShell(name: string) {
  return `${SIGNET_DATA_DIR.replace(/^(?![./])/, './')}/${name}`
}

async function startSignet(receiverPort: number, authority: string) {
  say(`Starting Signet on ${folder}, and a receiver for its webhooks.`)
  const env = {
    ...process.env,
    SIGNET_DATA_DIR: folder,
    // Always the embedded database of the data folder.
    DATABASE_URL: '',
    SIGNET_WEBHOOK_RESOLVE: `${host}:${receiverPort}:127.0.0.1`,
    NODE_EXTRA_CA_CERTS: authority,
    SIGNET_PROVIDERS: SIGNET_PROVIDERS ?? join(root, 'examples/provider/providers.json'),
  }
  stoppingAll(run('Signet', { env, args: argumentsOfStart(), output: 'inherited' }))
  while (!(await isReady())) await wait(50)
}

/** The arguments of Node in `npm start`. */
function argumentsOfStart(): string[] {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return scripts.start.replace('exec node ', '').split(' ')
}

function isReady(): Promise<boolean> {
  return fetch(`${address}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** Stops everything when this program ends by itself. */
function stoppingAll(program: Program): Program {
  program.ended.then(() => stopBecause(new Error('a program has ended by itself')))
  return program
}

/** The organization of the very first start, and the headers of its calls. */
async function whoAmI(): Promise<{ id: string; headers: Headers }> {
  const read = (name: string) => readFileSync(join(folder, name), 'utf8').trim()
  const operator = { 'Service-Operator-Key': process.env.SIGNET_OPERATOR_KEY ?? read('operator-key') }
  const [first] = await caller(address, operator)<{ id: string }[]>('GET', '/organizations')
  if (!first) throw new Error('there is no organization any more')
  return { id: first.id, headers: { 'Service-OrgID': first.id, 'Service-API-Key': read('first-api-key') } }
}

function writeForSecondTerminal(id: string, headers: Headers) {
  const variables = { SIGNET_URL: baseUrl, SIGNET_ORGANIZATION_ID: id, SIGNET_API_KEY: headers['Service-API-Key'] }
  const write = (path: string, lines: string[]) => writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 })
  write(
    files.environment,
    Object.entries(variables).map(([name, value]) => `export ${name}='${value}'`),
  )
  write(
    files.headers,
    Object.entries({ ...headers, 'Content-Type': 'application/json' }).map(([name, value]) => `${name}: ${value}`),
  )
  cleanup.defer(() => {
    for (const path of Object.values(files)) rmSync(path, { force: true })
  })
}

async function register(call: Call, target_url: string) {
  const path = '/organizations/webhooks'
  const remove = (id: string) => call('DELETE', `${path}/${id}`)
  // Left behind by a run that was killed.
  for (const { id, name } of await call<{ id: string; name: string }[]>('GET', `${path}?limit=1000`))
    if (name === webhookName) await remove(id)
  const { id } = await call<{ id: string }>('POST', path, { target_url, name: webhookName })
  cleanup.defer(() =>
    remove(id).then(
      () => {},
      () => {},
    ),
  )
  for (const trigger_name of eventNames)
    await call('POST', `${path}/${id}/triggers`, { trigger_type: 'event', trigger_name })
}

function say(text: string) {
  console.log(`\n${styleText('bold', text)}`)
}
