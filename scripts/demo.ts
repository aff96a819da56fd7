// `npm run demo`: from nothing to a verified webhook, on real parts. Signet runs on a temporary folder, the receiver of
// examples/receiver in another process with a certificate of its own authority. Nothing is left behind, even after Ctrl-C.
import { join } from 'node:path'
import type { Call } from './call.ts'
import { play, pretty, show, startReceiver, startSignet, step, verified } from './demo-stage.ts'
import { freePort } from './free-port.ts'
import { makeCertificate } from './make-certificate.ts'

const host = 'receiver.test'

await play(tellStory, 'Everything is stopped and removed. Your own Signet: npm start')

async function tellStory(folder: string) {
  const certificate = makeCertificate(join(folder, 'receiver'), host)
  const port = await freePort()
  const targetUrl = `https://${host}:${port}/hook`

  step('Start Signet on an empty folder. Its first start makes an organization with an API key.')
  const { signet, baseUrl, organizationId, call } = await startSignet(folder, {
    PORT: `${await freePort()}`,
    SIGNET_WEBHOOK_RESOLVE: `${host}:${port}:127.0.0.1`,
    NODE_EXTRA_CA_CERTS: certificate.authority,
  })

  step('Start a receiver in another process. Its certificate comes from an authority made for this demo.')
  const receiver = await startReceiver(baseUrl, organizationId, targetUrl, certificate)

  await setUp(call, targetUrl)
  step('Create another person: the event is stored in the same transaction, and sent after the commit.')
  const { person_id } = await call('POST', '/persons', { groups: ['staff'] })

  const { claims } = await verified('PersonCreated_v1', receiver, signet)
  const { trigger_content, ...others } = claims
  step('The receiver got a signed JWT. It checked the signature with the published key set, and the claims.')
  await call('GET', '/organizations/webhooks/verification-jwks')
  show('', 'Claims: not expired, for this organization, from this Signet, to this receiver.', pretty(others))
  show('', 'trigger_content, one of the claims: the event.', pretty(trigger_content))
  if (trigger_content.person_id !== person_id) throw new Error('the event is about another person')
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
