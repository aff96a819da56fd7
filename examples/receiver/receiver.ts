// A webhook receiver: verifies each signed request as the interface asks and prints the event.
//   SIGNET=http://localhost:8080 ORG=<organization id> URL=https://receiver.test:9443/hook CERT=cert.pem KEY=key.pem \
//     node examples/receiver/receiver.ts
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import { createRemoteJWKSet, jwtVerify } from 'jose'

const { SIGNET = 'http://localhost:8080', ORG = '', URL: url = '', CERT = '', KEY = '' } = process.env
const keySet = createRemoteJWKSet(new URL(`${SIGNET}/organizations/webhooks/verification-jwks`), {
  headers: { 'Service-OrgID': ORG },
})
const seen = new Set<string>() // In production: a table, written in the transaction that handles the event.

async function handle(body: string): Promise<number> {
  const { payload } = await jwtVerify(body, keySet, { issuer: SIGNET, audience: ORG, algorithms: ['ES256'] })
  if (payload.target_url !== url) return 400
  if (seen.has(payload.sub as string)) return 200 // One event may arrive more than once.
  seen.add(payload.sub as string)
  console.log(JSON.stringify({ body, event: payload.trigger_name, content: payload.trigger_content }))
  return 200
}

const server = createServer({ cert: readFileSync(CERT), key: readFileSync(KEY) }, async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const status = await handle(Buffer.concat(chunks).toString()).catch(() => 401)
  response.writeHead(status).end()
})
server.listen(Number(new URL(url).port || 443), () => console.log('listening'))
