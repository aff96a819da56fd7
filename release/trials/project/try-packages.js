// What the trial of the packages runs in an empty project: one call of each library, and a webhook for its receiver.
import { createSignet } from '@signet/browser'
import { Signet } from '@signet/management'

const { SIGNET: baseUrl, ORG: organizationId, SIGNET_API_KEY: apiKey, TARGET_URL: target_url } = process.env

const page = createSignet({
  baseUrl,
  organizationId,
  clientId: crypto.randomUUID(),
  redirectUri: 'https://app.example/',
})
if (page.person() === undefined) console.log('@signet/browser: nobody is signed in')

const signet = new Signet({ baseUrl, organizationId, apiKey })
const { result: webhook } = await signet.createWebhook({ body: { name: target_url, target_url } })
const trigger = { trigger_type: 'event', trigger_name: 'PersonCreated_v1' }
await signet.createTrigger({ path: { webhook_id: webhook.id }, body: trigger })
await signet.publishTestEvents({ body: [{ event_name: 'PersonCreated_v1' }] })
console.log('@signet/management: published')
