// Uses twenty operations of a generated client. The test compiles it, and runs it with a running Signet.
import { createClient } from './client/client/index.ts'
import * as signet from './client/sdk.gen.ts'
import type { AuthenticationFailedV1Claims, PersonCreatedV1Claims, TokenMintedClaims } from './client/types.gen.ts'

const { BASE_URL: baseUrl = '', ORGANIZATION = '', API_KEY = '' } = process.env
const headers = { 'Service-OrgID': ORGANIZATION, 'Service-API-Key': API_KEY }
const client = createClient({ baseUrl, headers })

/** Refuses to compile where the type of a value is `any`. */
const known = <Value>(value: 0 extends 1 & Value ? never : Value): Value => value as Value

async function must<Data>(answer: Promise<{ data: Data | undefined; error: unknown }>): Promise<Data> {
  const { data, error } = await answer
  if (error !== undefined) throw new Error(JSON.stringify(error))
  return data as Data
}

const group = await must(signet.createGroup({ client, body: { name: 'engineering', description: 'Builds things' } }))
const groupName: string = known(group.result.name)
const names = await must(signet.listGroups({ client, query: { limit: 10 } }))
const total: number = known(names.meta.pagination.total_count)
await must(signet.changeGroup({ client, path: { group_name: groupName }, body: { description: null } }))

const handles = [{ type: 'EmailAddress' as const, value: 'jo@example.com' }]
const person = await must(signet.createPerson({ client, body: { handles, groups: [groupName] } }))
const personPath = { person_id: known(person.result.person_id) }
const isActive: boolean = known((await must(signet.getPerson({ client, path: personPath }))).result.active)
const found = await must(signet.listPersons({ client, query: { handle: 'EmailAddress:jo@example.com' } }))
const kept: string[] = known(
  (await must(signet.setPersonGroups({ client, path: personPath, body: { groups: [] } }))).result,
)
await must(signet.addPersonGroups({ client, path: personPath, body: { groups: [groupName] } }))
await must(signet.changePerson({ client, path: personPath, body: { active: false } }))

const webhook = await must(
  signet.createWebhook({
    client,
    body: { name: 'Hook', target_url: 'https://hook.example.com/', custom_headers: { 'x-one': ['1'] } },
  }),
)
const webhookPath = { webhook_id: known(webhook.result.id) }
await must(
  signet.createTrigger({
    client,
    path: webhookPath,
    body: { trigger_type: 'event', trigger_name: 'PersonCreated_v1' },
  }),
)
const triggers = await must(signet.listTriggers({ client, path: webhookPath }))
const type: 'event' | 'sync_hook' = known(triggers.result[0]?.trigger_type ?? 'event')
await must(signet.changeWebhook({ client, path: webhookPath, body: { enabled: false } }))
const [event] = (await must(signet.publishTestEvents({ client, body: [{ event_name: 'PersonCreated_v1' }] }))).result
const deliveries = await must(signet.listDeliveries({ client, path: webhookPath, query: { status: 'held' } }))
const lastError: string | undefined = known(deliveries.result[0]?.last_error)

const credential = await must(
  signet.createOidcCredential({
    client,
    body: {
      client_id: 'client',
      client_secret: 'secret',
      provider: 'provider_g',
      options: { provider_g: { tenant: 'common' } },
    },
  }),
)
const modified = await must(
  signet.modifyOidcCredential({
    client,
    path: { oauth_client_id: known(credential.result.client_id) },
    body: { label: 'Staff' },
  }),
)
const application = await must(
  signet.createApplication({ client, body: { name: 'Portal', redirect_uris: ['https://app.example.com/'] } }),
)
const key = await must(signet.createApiKey({ client, body: { name: 'reader', read_only: true } }))
const keySet = await must(signet.getVerificationKeys({ client }))
const { error } = await signet.getGroup({ client, path: { group_name: 'nobody' } })
const message: string | undefined = known(error?.errors[0]?.message)

/** What a receiver does with the claims of a call. */
export const tell = (claims: PersonCreatedV1Claims | AuthenticationFailedV1Claims | TokenMintedClaims): string => {
  if (claims.trigger_name === 'token_minted') return claims.trigger_content.aud
  if (claims.trigger_name === 'PersonCreated_v1') return claims.trigger_content.person_id
  return claims.trigger_content.failure_reason
}

const shown = {
  groupName,
  total,
  isActive,
  found: found.result.length,
  kept,
  type,
  held: deliveries.result.length,
  lastError,
  event: event?.event_name,
  label: modified.result.label,
  application: application.result.name,
  key: key.result.read_only,
  keys: keySet.keys.length,
  message,
}
console.log(JSON.stringify(shown))
