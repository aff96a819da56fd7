// A webhook receiver: makes every check of docs/use/receiving-webhooks.md and prints the event; the hook of a sign-in gets a claim
// for its token (docs/use/hooks.md). To run it by itself, where Signet runs and has a certificate for it in its data folder:
//   . ./data/environment     the address of Signet and your organization; or SIGNET and ORG
//   npm run receiver         in a clone; elsewhere this file with Node. Another place: TARGET_URL, CERTIFICATE, PRIVATE_KEY
// A TARGET_URL of http://localhost needs no certificate: `signet listen` brings it what a webhook would get.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { deny, nodeHandler, type Refusal, type TokenClaims, type TokenMinted, type Webhook } from '@signet/webhooks'

const { SIGNET_URL = 'http://localhost:8080', SIGNET_ORGANIZATION_ID = '' } = process.env
const {
  SIGNET = SIGNET_URL,
  ORG = SIGNET_ORGANIZATION_ID,
  TARGET_URL = 'https://receiver.test:9443/hook',
} = process.env
const { SIGNET_DATA_DIR: DATA = 'data' } = process.env
const { CERTIFICATE = `${DATA}/receiver/certificate.pem`, PRIVATE_KEY = `${DATA}/receiver/private-key.pem` } =
  process.env
if (!ORG) throw new Error('ORG: is required: the ID of your organization')

const handled = new Set<string>() // In production a table, written in the transaction that handles the event.

function isHandled(sub: string) {
  if (handled.has(sub)) console.log(`Again: ${sub} is handled already`)
  return handled.has(sub)
}

/** The hook of a sign-in: what is returned becomes claims of the token, unless it refuses the person. */
function claimsFor({ groups }: TokenMinted): TokenClaims | Refusal {
  if (groups.includes('suspended')) return deny('Your account is suspended.', 'suspended')
  return { plan: groups.includes('staff') ? 'internal' : 'free' }
}

function handle(webhook: Webhook): TokenClaims | Refusal | undefined {
  console.log(`Verified: ${webhook.trigger_name}\n${JSON.stringify({ claims: webhook }, null, 2)}`)
  if (webhook.trigger_name === 'token_minted') return claimsFor(webhook.trigger_content)
  handled.add(webhook.sub)
}

const receiver = nodeHandler({
  issuer: SIGNET,
  organizationId: ORG,
  targetUrl: TARGET_URL,
  handle,
  seen: isHandled, // One event may come more than once.
  onError: (error) => console.error(`Refused: ${error instanceof Error ? error.message : error}`),
})

const { protocol, port } = new URL(TARGET_URL)
const isPlain = protocol === 'http:'
const files = isPlain ? {} : { cert: readFileSync(CERTIFICATE), key: readFileSync(PRIVATE_KEY) }
const server = isPlain ? createServer(receiver) : createTlsServer(files, receiver)
// Of this machine alone.
server.listen(Number(port || (isPlain ? 80 : 443)), '127.0.0.1', () => console.log(`Listening: ${TARGET_URL}`))
