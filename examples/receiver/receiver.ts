// A webhook receiver: makes every check of docs/receiving-webhooks.md and prints the event. To run it by itself:
//   npm run certificate                      makes a certificate for receiver.test and tells how to start Signet with it
//   ORG=<organization ID> npm run receiver   this file; another place: TARGET_URL, CERTIFICATE, PRIVATE_KEY, SIGNET
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const { SIGNET = 'http://localhost:8080', ORG = '', TARGET_URL = 'https://receiver.test:9443/hook' } = process.env
const { CERTIFICATE = 'data/receiver/certificate.pem', PRIVATE_KEY = 'data/receiver/private-key.pem' } = process.env
if (!ORG) throw new Error('ORG: is required: the ID of your organization')

const keySetUrl = new URL(`${SIGNET}/organizations/webhooks/verification-jwks`)
const keySet = createRemoteJWKSet(keySetUrl, { headers: { 'Service-OrgID': ORG } }) // Fetched when needed, then kept.
const rules = { algorithms: ['ES256'], issuer: SIGNET, audience: ORG, requiredClaims: ['exp', 'sub'] }
const handled = new Set() // In production a table, written in the transaction that handles the event.

async function receive(request: AsyncIterable<Buffer>) {
  const { protectedHeader: header, payload: claims } = await jwtVerify(await read(request), keySet, rules)
  if (claims.target_url !== TARGET_URL) throw new Error('target_url: is not the address of this receiver')
  if (handled.has(claims.sub)) return console.log(`Again: ${claims.sub}`) // One event may come more than once.
  console.log(`Verified: ${claims.trigger_name}\n${JSON.stringify({ header, claims }, null, 2)}`)
  handled.add(claims.sub)
}

async function read(request: AsyncIterable<Buffer>): Promise<string> {
  let body = ''
  for await (const chunk of request) {
    body += chunk.toString('latin1')
    if (body.length > 1_000_000) throw new Error('body: is too long')
  }
  return body
}

const tls = { cert: readFileSync(CERTIFICATE), key: readFileSync(PRIVATE_KEY) }
const server = createServer(tls, async (request, response) => {
  const problem = await receive(request).catch((error: Error) => error.message)
  if (problem) console.error(`Refused: ${problem}`)
  response.writeHead(problem ? 401 : 204).end()
})
server.listen(new URL(TARGET_URL).port || 443, () => console.log(`Listening: ${TARGET_URL}`))
