// `npm run dev` in a clone and `npx @signet/server dev` without one: Signet on the data folder of a start, and a receiver that prints each
// event and answers the hook token_minted, in one terminal. Ctrl-C stops both and removes the webhook; the data folder stays, and
// nothing else is written to the folder.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { extname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { styleText } from 'node:util'
import { eventNames } from '../server/src/delivery/events/event-json.ts'
import { findPrograms } from '../server/src/ground/database/embedded/index.ts'
import { inShell as asWord } from '../server/src/ground/runtime/in-shell.ts'
import { argumentsOfNode } from '../server/src/start/arguments-of-node.ts'
import { type Call, caller } from './call.ts'
import { freePort } from './free-port.ts'
import { certificateFor } from './make-certificate.ts'
import { cleanup, interrupted, type Program, root, run, runToEnd, stopAfter, stopBecause, stopped } from './program.ts'

/** The time limit until the first event has arrived. */
const startMs = 120_000
const host = 'receiver.test'
const { PORT = '8080', SIGNET_DATA_DIR = 'data' } = process.env
const { SIGNET_BASE_URL: baseUrl = `http://localhost:${PORT}` } = process.env
const { SIGNET_WEBHOOK_RESOLVE } = process.env
const address = `http://localhost:${PORT}`
const folder = resolve(SIGNET_DATA_DIR)
const extension = extname(import.meta.filename)
const receiverFile = `examples/receiver/receiver${extension}`
/** How it is called, and what it says of the place. */
const inClone = {
  name: 'npm run dev',
  start: 'npm start',
  receiver: receiverFile,
  ownReceiver: 'A receiver of your own, for events and hooks, takes',
  hooks: 'docs/use/hooks.md',
  settings: { SIGNET_PROVIDERS: join(root, 'examples/provider/providers.json') },
}
const inPackage = {
  name: 'npx @signet/server dev',
  start: 'npx @signet/server start',
  receiver: join(root, receiverFile),
  ownReceiver:
    'A receiver of your own, for events and hooks, begins as a copy of that file, with npm install @signet/webhooks. It takes',
  hooks: `${baseUrl}/help/use/hooks`,
  settings: {},
}
const here = extension === '.ts' ? inClone : inPackage

const failure = await runToEnd(play)
if (failure === interrupted) say(`Stopped. Signet again, with what you made: ${here.start}`)
else console.error(`${here.name} failed: ${failure?.message}`)
process.exit(failure === interrupted ? 0 : 1)

async function play(): Promise<never> {
  if (await isTaken()) throw new Error(`PORT: ${PORT} is taken by another program; set PORT to a free one`)
  await findPrograms(stopped)
  const limit = stopAfter(startMs)
  const receiverPort = await freePort()
  const targetUrl = `https://${host}:${receiverPort}/hook`
  const certificateFiles = certificateFor(join(folder, 'receiver'), host)
  await startSignet(receiverPort)
  const headers = storedHeaders()
  const env = {
    PATH: process.env.PATH,
    SIGNET: baseUrl,
    ORG: headers['Service-OrgID'],
    TARGET_URL: targetUrl,
    CERTIFICATE: certificateFiles.certificate,
    PRIVATE_KEY: certificateFiles.privateKey,
  }
  const receiver = stoppingAll(run(receiverFile, { env, output: 'shown' }))
  await receiver.until(/^Listening/m)
  const call = caller(address, headers)
  const webhookId = await register(call, targetUrl)
  await call('POST', '/test-events', [{ event_name: 'PersonCreated_v1' }])
  await receiver.until(/^Verified: PersonCreated_v1$/m)
  clearTimeout(limit)
  say(`Your first event has arrived, signed and verified. In another terminal, in this folder:

  . ${inShell('environment')}
  curl -H @${inShell('headers')} $SIGNET_URL/persons -d '{"handles": [{"type": "EmailAddress", "value": "jo@example.com"}]}'

The receiver also answers the hook of a sign-in (claimsFor in ${here.receiver}). To call it:

  curl -X POST -H @${inShell('headers')} $SIGNET_URL/organizations/webhooks/${webhookId}/dry-run

${here.ownReceiver} the certificate in ${inShell('receiver')}: ${here.hooks}.
Reference: ${baseUrl}/docs. Stop with Ctrl-C.`)
  return new Promise(() => {})
}

function inShell(name: string) {
  return asWord(`${SIGNET_DATA_DIR.replace(/^(?![./])/, './')}/${name}`)
}

async function startSignet(receiverPort: number) {
  const own = `${host}:${receiverPort}:127.0.0.1`
  say(`Starting Signet on ${folder}, and a receiver for its webhooks.`)
  const env = {
    ...here.settings,
    ...process.env,
    SIGNET_DATA_DIR: folder,
    // Always the embedded database of the data folder.
    DATABASE_URL: '',
    // What was set, and the receiver besides; Signet itself trusts the certificate in its data folder.
    SIGNET_WEBHOOK_RESOLVE: [...(SIGNET_WEBHOOK_RESOLVE ? [SIGNET_WEBHOOK_RESOLVE] : []), own].join(','),
  }
  stoppingAll(run('Signet', { env, args: argumentsOfNode, output: 'inherited' }))
  while (!(await isReady())) await wait(50)
}

/** What listens there would be taken for this Signet, and be sent its API key. */
async function isTaken(): Promise<boolean> {
  const socket = connect(Number(PORT), 'localhost')
  const isOpen = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return isOpen
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

/** Of the organization that the very first start makes: each start writes them. */
function storedHeaders() {
  const text = readFileSync(join(folder, 'headers'), 'utf8')
  const read = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(text)?.[1] ?? ''
  return { 'Service-OrgID': read('Service-OrgID'), 'Service-API-Key': read('Service-API-Key') }
}

async function register(call: Call, target_url: string): Promise<string> {
  const path = '/organizations/webhooks'
  const remove = (id: string) => call('DELETE', `${path}/${id}`)
  // Left behind by a run that was killed.
  for (const { id, name } of await call<{ id: string; name: string }[]>('GET', `${path}?limit=1000`))
    if (name === here.name) await remove(id)
  const { id } = await call<{ id: string }>('POST', path, { target_url, name: here.name })
  cleanup.defer(() =>
    remove(id).then(
      () => {},
      () => {},
    ),
  )
  for (const trigger_name of eventNames)
    await call('POST', `${path}/${id}/triggers`, { trigger_type: 'event', trigger_name })
  const hook = { trigger_type: 'sync_hook', trigger_name: 'token_minted', on_failure: 'continue' }
  await call('POST', `${path}/${id}/triggers`, hook)
  return id
}

function say(text: string) {
  console.log(`\n${styleText('bold', text)}`)
}
