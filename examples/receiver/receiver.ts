// A webhook receiver: makes every check of docs/receiving-webhooks.md and prints the event. To run it by itself:
//   npm run certificate                      makes a certificate for receiver.test and tells how to start Signet with it
//   ORG=<organization ID> npm run receiver   this file; another place: TARGET_URL, CERTIFICATE, PRIVATE_KEY, SIGNET
// A TARGET_URL of http://localhost needs no certificate: `npx signet listen` brings it what a webhook would get.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { nodeHandler, type Webhook } from '@signet/webhooks'

const { SIGNET = 'http://localhost:8080', ORG = '', TARGET_URL = 'https://receiver.test:9443/hook' } = process.env
const { CERTIFICATE = 'data/receiver/certificate.pem', PRIVATE_KEY = 'data/receiver/private-key.pem' } = process.env
if (!ORG) throw new Error('ORG: is required: the ID of your organization')

const handled = new Set<string>() // In production a table, written in the transaction that handles the event.

function isHandled(sub: string) {
  if (handled.has(sub)) console.log(`Again: ${sub} is handled already`)
  return handled.has(sub)
}

function handle(webhook: Webhook) {
  console.log(`Verified: ${webhook.trigger_name}\n${JSON.stringify({ claims: webhook }, null, 2)}`)
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
