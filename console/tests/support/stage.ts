import pg from 'pg'
import { makeMasterKey } from '../../../server/src/ground/keys/index.ts'
import { runningClock } from '../../../server/src/ground/runtime/clock.ts'
import { baseUrl } from '../../../server/tests/support/browser.ts'
import type { Connection } from '../../../server/tests/support/database.ts'
import { addFailedHookRuns } from '../../../server/tests/support/hook-runs.ts'
import { pngOf, sendBytes } from '../../../server/tests/support/pictures.ts'
import { type Receiver, startReceiver } from '../../../server/tests/support/receiver.ts'
import { makeKeyring, type Service, startService } from '../../../server/tests/support/service.ts'
import { type Organization, type Signet, startSignet } from '../../../server/tests/support/signet.ts'
import { client } from '../../../server/tests/support/upstreams.ts'
import { addWebhook } from '../../../server/tests/support/webhooks.ts'
import { addDirectory } from './directory.ts'
import { developer, makePerson, type SignIns } from './sign-ins.ts'
import { addSessions } from './signed-in.ts'

/** A Signet with a day behind it, as a console shows it, and a receiver; each a process of its own. */
export type Stage = {
  signet: Signet
  receiver: Receiver
  organization: Organization
  /** A key of it that only reads. */
  readOnlyKey: string
  /** One that nobody has used yet. */
  newOrganization: Organization
  /** Ids of things that it has, by what they are called in `pages.ts`. */
  names: Record<string, string>
  stop(): Promise<void>
}

type WebhookName = 'billing' | 'directory' | 'warehouse' | 'claims' | 'scores' | 'archive'

const hourMs = 3_600_000
const wholeDay = 24
const rates = { SIGNET_RATE_TEST_EVENTS: '100000/100000', SIGNET_RATE_SIGN_IN: '100000/100000' }
/** How long the slow receiver takes. */
const slowMs = 700
const eventNames = ['AuthenticationSucceeded_v1', 'AuthenticationFailed_v1', 'VirtualPageLoaded_v1']
const groupNames = ['Engineering', 'Finance', 'Support', 'Partners', 'Interns', 'Board']
const people = 'Ada Grace Alan Edsger Barbara Donald Leslie Margaret Ken Dennis Radia Tim Frances Niklaus John Adele'

type StageOptions = {
  /** Of the Signet that runs afterwards. */
  settings?: Record<string, string>
  /** Real sign-ins in each hour, which take ten seconds in all. */
  signIns?: SignIns
  /** How long it has been running: a whole day, unless fewer hours do. */
  hours?: number
}

/** On an empty, migrated database. */
export async function setStage(
  database: Connection,
  { settings, signIns, hours = wholeDay }: StageOptions = {},
): Promise<Stage> {
  const receiver = await startReceiver()
  const masterKey = makeMasterKey()
  const keyring = makeKeyring(masterKey)
  const clock = runningClock(Date.now() - hours * hourMs)
  const env = signIns && { SIGNET_BASE_URL: baseUrl, SIGNET_PROVIDERS: signIns.providersFile }
  const service = await startService({ connection: database, receiver, clock, keyring, env: { ...rates, ...env } })
  const organization = await service.organization({ name: 'Northwind Trading' })
  const newOrganization = await service.organization({ name: 'Fresh Start' })
  const of = createActs(service, organization)
  const webhooks = await of.furnish(receiver)
  await signIns?.begin(service, organization)
  for (let hour = hours; hour > 0; hour--) {
    clock.set(Date.now() - hour * hourMs + 60_000)
    await of.anHour(hour)
    await signIns?.happen(hours === wholeDay ? rushAt(hour) : 1, hour % 4 === 0 ? 1 : 0)
  }
  clock.set(Date.now())
  if (signIns) await of.keepOut(signIns)
  await of.rightNow(webhooks)
  const readOnlyKey = await of.readOnlyKey()
  await service.stop()
  const signet = await startSignet({ databaseUrl: database.url, receiver, masterKey, env: { ...rates, ...settings } })
  const stop = async () => void (await Promise.all([signet.stop(), receiver.stop()]))
  const names = {
    ...webhooks,
    ...(await findNames(signet, organization, webhooks, signIns ? signInsOf(developer) : '/persons')),
  }
  await addSessions(database, signet, organization, names)
  await addTrouble(database, organization, webhooks)
  const kept = { person: names.kept, group: 'Support' }
  const directory = await addDirectory(database, signet, organization, kept)
  const logout = await firstOf(signet, organization)(
    `/organizations/applications/${names.application}/deliveries`,
    'id',
  )
  return {
    signet,
    receiver,
    organization,
    readOnlyKey,
    newOrganization,
    names: { ...names, ...directory, logout },
    stop,
  }
}

/** A hook that fails, and a webhook that Signet paused for failing, as after five days of it. */
async function addTrouble(
  database: Connection,
  organization: Organization,
  { scores, archive }: Record<WebhookName, string>,
) {
  const now = Date.now()
  await addFailedHookRuns(
    database,
    organization,
    scores,
    [50, 20, 5].map((minutes) => now - minutes * 60_000),
  )
  const inside = new pg.Client(database)
  await inside.connect()
  await inside.query(
    `update lanes set paused_reason = 'failing', failing_since = now() - interval '5 days' where org_id = $1 and webhook_id = $2`,
    [organization.id, archive],
  )
  await inside.end()
}

const signInsOf = (address: string) => `/organizations/sign-ins?handle=EmailAddress:${address}`

/** Some hours are busier than others. */
const rushAt = (hour: number) => Math.round(6 + 5 * Math.sin(hour / 4))

/** What happens to one organization. */
function createActs(service: Service, organization: Organization) {
  const ask = async (method: string, path: string, body?: unknown) => {
    const { status, body: reply } = await service.as(organization, method, path, body)
    if (status >= 400) throw new Error(`${method} ${path} was answered ${status} ${JSON.stringify(reply)}`)
    return reply?.result
  }
  const publish = (name: string, count: number) =>
    count > 0 ? ask('POST', '/test-events', Array(count).fill({ event_name: name })) : undefined

  return {
    async furnish(receiver: Receiver): Promise<Record<WebhookName, string>> {
      for (const name of groupNames) await ask('POST', '/groups', { name })
      for (const [place, name] of people.split(' ').entries()) await addPerson(ask, name, place)
      receiver.behave('/directory', { status: 503, body: '{"error":"maintenance until 14:00"}' })
      receiver.behave('/scores', { status: 204, delayMs: slowMs })
      receiver.behave('/archive', { reset: true })
      receiver.behave('/claims', {
        status: 200,
        body: '{"claims":{"plan":"team","seats":40}}',
        headers: { 'content-type': 'application/json' },
      })
      const add = (path: string, names: string[], fields: object) =>
        addWebhook(service, organization, receiver.url(path), names, fields)
      const webhooks = {
        billing: await add('/billing', [...eventNames, 'PersonCreated_v1', 'PersonDeleted_v1'], {
          name: 'Billing',
          description: 'Starts and ends subscriptions.',
          custom_headers: { 'X-Tenant': ['northwind'] },
        }),
        directory: await add('/directory', ['PersonCreated_v1', 'PersonDeleted_v1'], { name: 'Staff directory' }),
        warehouse: await add('/warehouse', eventNames, {
          name: 'Data warehouse',
          description: 'Nightly export, paused while it moves.',
        }),
        claims: await add('/claims', [], { name: 'Plan claims' }),
        scores: await add('/scores', ['PersonCreated_v1'], { name: 'Risk scores' }),
        archive: await add('/archive', ['PersonCreated_v1'], { name: 'Mail archive' }),
      }
      await ask('POST', `/organizations/webhooks/${webhooks.claims}/triggers`, {
        trigger_type: 'sync_hook',
        trigger_name: 'token_minted',
      })
      await addSignIn(ask, receiver)
      const headers = { 'service-orgid': organization.id, 'service-api-key': organization.apiKey }
      await sendBytes(`${service.baseUrl}/organizations/settings/logo`, { headers, bytes: pngOf(40, 20) })
      return webhooks
    },

    async anHour(hour: number) {
      const rush = rushAt(hour)
      await publish('AuthenticationSucceeded_v1', rush)
      await publish('AuthenticationFailed_v1', hour % 5 === 0 ? 2 : 0)
      await publish('VirtualPageLoaded_v1', rush * 2)
      await publish('PersonCreated_v1', hour % 3 === 0 ? 1 : 0)
      await settled(service, organization)
    },

    /** Somebody who is deactivated tries to sign in, and may again afterwards. */
    async keepOut(signIns: SignIns) {
      const { body } = await service.as(organization, 'GET', signInsOf(developer))
      const path = `/persons/${body.result[0].person_id}`
      await ask('PATCH', path, { active: false })
      await signIns.signIn(makePerson(0))
      await ask('PATCH', path, { active: true })
    },

    async rightNow({ warehouse, scores }: Record<WebhookName, string>) {
      await ask('PATCH', `/organizations/webhooks/${warehouse}`, { enabled: false })
      await publish('AuthenticationSucceeded_v1', 7)
      await publish('PersonCreated_v1', 3)
      await addPerson(ask, 'Katherine', 99)
      await settled(service, organization)
      await ask('POST', `/organizations/webhooks/${scores}/triggers`, {
        trigger_type: 'sync_hook',
        trigger_name: 'token_minted',
        on_failure: 'continue',
      })
    },

    async readOnlyKey(): Promise<string> {
      await ask('POST', '/organizations/api-keys', {
        name: 'Directory',
        scopes: ['persons:write', 'groups:write'],
        expires_at: '2037-01-01T00:00:00Z',
      })
      return (await ask('POST', '/organizations/api-keys', { name: 'Auditors', read_only: true })).api_key
    },
  }
}

/** Of each kind of thing one, which has a page. */
async function findNames(
  signet: Signet,
  organization: Organization,
  { billing, directory }: Record<WebhookName, string>,
  whoSignsIn: string,
) {
  const first = firstOf(signet, organization)
  return {
    organization: organization.id,
    failed: await first(`/organizations/webhooks/${directory}/deliveries`, 'id'),
    delivered: await first(`/organizations/webhooks/${billing}/deliveries?status=succeeded`, 'id'),
    person: await first('/persons', 'person_id'),
    developer: await first(whoSignsIn, 'person_id'),
    kept: await first('/persons?handle=EmailAddress:margaret@northwind.example', 'person_id'),
    credential: await first('/organizations/sso/oidc/provider-credentials', 'client_id'),
    application: await first('/organizations/applications', 'client_id', ({ name }) => name === 'Back office'),
    resource: await first('/organizations/resources', 'id'),
    invitation: await invite(signet, organization),
  }
}

/** What opens an invitation to the console. */
async function invite(signet: Signet, organization: Organization): Promise<string> {
  const [group] = groupNames.slice(-1)
  await signet.as(organization, 'PATCH', '/organizations/settings', { console_access: [{ group, role: 'editor' }] })
  const { body } = await signet.as(organization, 'POST', '/organizations/console-invitations', { group })
  return body.result.url.split('#')[1]
}

type Listed = Record<string, unknown>

const firstOf =
  (signet: Signet, organization: Organization) =>
  async (path: string, id: string, isMeant = (_: Listed) => true): Promise<string> => {
    const { body } = await signet.as(organization, 'GET', path)
    return String(body.result.find(isMeant)?.[id])
  }

type Ask = (method: string, path: string, body?: unknown) => Promise<{ api_key: string }>

async function addPerson(ask: Ask, name: string, place: number) {
  const mail = { type: 'EmailAddress', value: `${name.toLowerCase()}@northwind.example`, verified: place % 3 !== 0 }
  const phone = { type: 'PhoneNumber', value: `+4930901820${String(place).padStart(2, '0')}` }
  const groups = groupNames.filter((_, at) => (place + at) % 3 === 0)
  await ask('POST', '/persons', { handles: place % 4 === 0 ? [mail, phone] : [mail], groups })
}

async function addSignIn(ask: Ask, receiver: Receiver) {
  const credentials = '/organizations/sso/oidc/provider-credentials'
  const secret = 'a-secret-of-the-stage-0123456789'
  const add = (provider: string, client_id: string, label: string, options?: object) =>
    ask('POST', credentials, { provider, client_id, client_secret: secret, label, ...(options && { options }) })
  await add('provider_a', '4071-northwind.apps.example', 'Staff')
  await add('provider_g', '9f0c4c1e-5b3b-4a53-9c1b-0d9f3f1f2a10', 'Partners')
  await ask('POST', credentials, {
    provider: 'provider_b',
    label: 'Developers',
    client_id: client.clientId,
    client_secret: client.clientSecret,
  })
  const redirect_uris = ['https://portal.northwind.example/callback']
  await ask('POST', '/organizations/applications', { name: 'Customer portal', redirect_uris })
  await ask('POST', '/organizations/resources', {
    identifier: 'https://orders.northwind.example',
    name: 'Orders',
    scopes: ['orders:read', 'orders:write'],
  })
  await ask('POST', '/organizations/applications', {
    name: 'Back office',
    redirect_uris,
    confidential: true,
    home_url: 'https://portal.northwind.example/',
    introspects: ['https://orders.northwind.example'],
    backchannel_logout_uri: receiver.url('/logout'),
  })
}

const maxPolls = 200

/** Nothing is due any more: what failed waits for its next attempt. */
async function settled(service: Service, organization: Organization) {
  for (let poll = 0; poll < maxPolls; poll++) {
    const { body } = await service.as(organization, 'GET', '/organizations/deliveries?status=in_flight')
    const { body: pending } = await service.as(organization, 'GET', '/organizations/deliveries?status=pending')
    const isNew = (delivery: { attempts_count: number }) => delivery.attempts_count === 0
    if (body.result.length === 0 && !pending.result.some(isNew)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
