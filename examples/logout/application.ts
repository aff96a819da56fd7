// The part of an application that hears when a session has ended elsewhere: OpenID Connect Back-Channel Logout 1.0, by jose and Node's own
// HTTPS server. Every OpenID Provider may be the issuer. To run it by itself:
//   ISSUER=<base URL>/oidc/<organization ID> CLIENT_ID=… LOGOUT_URI=https://app.example.com/backchannel-logout CERTIFICATE=… PRIVATE_KEY=… \
//     node examples/logout/application.ts
// What it checks, and why: docs/use/single-logout.md.
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import { createRemoteJWKSet, errors, jwtVerify } from 'jose'

const { ISSUER = '', CLIENT_ID = '', LOGOUT_URI = '', CERTIFICATE = '', PRIVATE_KEY = '' } = process.env
for (const [name, value] of Object.entries({ ISSUER, CLIENT_ID, LOGOUT_URI, CERTIFICATE, PRIVATE_KEY }))
  if (!value) throw new Error(`${name}: is required`)

const discovered = (await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json()) as { jwks_uri: string }
const keys = createRemoteJWKSet(new URL(discovered.jwks_uri))
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const maxBytes = 64 * 1024

/** The sessions of this application, by their id: filled at each sign-in from the ID token. In production a table. */
const sessions = new Map<string, { sub: string; sid: string }>(JSON.parse(process.env.SESSIONS ?? '[]'))
/** Until when each token that was used is remembered. In production a table as well, which all servers share. */
const usedTokens = new Map<string, number>()

async function endSessions(token: string) {
  const { payload } = await jwtVerify(token, keys, {
    issuer: ISSUER,
    audience: CLIENT_ID,
    typ: 'logout+jwt',
    algorithms: ['RS256', 'ES256'],
    requiredClaims: ['iat', 'exp', 'jti', 'events'],
    maxTokenAge: '2m',
  })
  const { sub, sid, events, nonce, jti = '', exp = 0 } = payload
  if (typeof events !== 'object' || events === null || !(logoutEvent in events))
    throw new errors.JWTInvalid('is no logout token')
  if (nonce !== undefined) throw new errors.JWTInvalid('has a nonce, as only an ID token may')
  if (sub === undefined && sid === undefined) throw new errors.JWTInvalid('names neither a person nor a session')
  if (isUsed(jti, exp)) throw new errors.JWTInvalid('was used before')
  // With a `sid` that session alone, else all of the person.
  for (const [id, session] of sessions)
    if (sid === undefined ? session.sub === sub : session.sid === sid) sessions.delete(id)
  console.log(`Signed out: ${sid ?? sub}; left: ${[...sessions.keys()].join(' ')}`)
}

function isUsed(jti: string, exp: number): boolean {
  const now = Date.now() / 1_000
  for (const [used, until] of usedTokens) if (until < now) usedTokens.delete(used)
  return usedTokens.has(jti) || !usedTokens.set(jti, exp)
}

/** What is wrong with the token itself. All else, such as keys that cannot be fetched or a store that fails, says nothing of it. */
const isFinal = (error: unknown): boolean => error instanceof errors.JOSEError && !ofKeys.has(error.code)
/** No answer to be had; none that is a key set; none yet that has the key, for jose does not fetch the set again within 30 seconds. */
const ofKeys = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JOSE_GENERIC', 'ERR_JWKS_INVALID', 'ERR_JWKS_NO_MATCHING_KEY'])

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) {
    body += chunk
    if (body.length > maxBytes) throw new Error('is too large')
  }
  return body
}

// 400 is the last word. After 500 the token comes again.
const { pathname, port } = new URL(LOGOUT_URI)
const files = { cert: readFileSync(CERTIFICATE), key: readFileSync(PRIVATE_KEY) }
const server = createServer(files, async (request, response) => {
  if (request.method !== 'POST' || request.url !== pathname) return response.writeHead(404).end()
  try {
    await endSessions(new URLSearchParams(await bodyOf(request)).get('logout_token') ?? '')
    // The session is gone from here on: answer only now.
    response.writeHead(200, { 'cache-control': 'no-store' }).end()
  } catch (error) {
    console.error(`Refused: the token ${error instanceof Error ? error.message : error}`)
    response.writeHead(isFinal(error) ? 400 : 500, { 'cache-control': 'no-store' }).end()
  }
})
server.listen(Number(port || 443), '127.0.0.1', () => console.log(`Listening: ${LOGOUT_URI}`))
