// A web application that people sign in to through Signet, by openid-client and Node's own HTTP server. To run it:
//   ISSUER=<base URL>/oidc/<organization ID> CLIENT_ID=… CLIENT_SECRET=… npm run application
// How to get a client, and what happens on the way: docs/use/signing-in.md. Another address: APPLICATION_URL.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import * as openid from 'openid-client'

const { ISSUER = '', APPLICATION_URL = 'http://localhost:3000', APPLICATION = 'data/application' } = process.env
// What its registration answered, where it is not given one by one.
const registered = existsSync(APPLICATION) ? JSON.parse(readFileSync(APPLICATION, 'utf8')).result : {}
const { CLIENT_ID = registered.client_id, CLIENT_SECRET = registered.client_secret } = process.env
const { PORT = new URL(APPLICATION_URL).port } = process.env // Another one where a proxy speaks https for it.
for (const [name, value] of Object.entries({ ISSUER, CLIENT_ID, CLIENT_SECRET }))
  if (!value) throw new Error(`${name}: is required`)

const redirectUri = `${APPLICATION_URL}/callback`
// The library insists on https, as you should; a Signet on this machine has none. So it shall look at the signature too.
const onThisMachine = [openid.allowInsecureRequests, openid.enableNonRepudiationChecks]
const execute = ISSUER.startsWith('http://localhost') ? onThisMachine : []
const signet = await openid.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET, undefined, { execute })

type Person = { claims: openid.IDToken; idToken: string }
const sessions = new Map<string, Person>() // In production a store that all servers share, and that forgets.

async function beginSignIn(response: ServerResponse) {
  const [state, nonce, verifier] = [openid.randomState(), openid.randomNonce(), openid.randomPKCECodeVerifier()]
  const url = openid.buildAuthorizationUrl(signet, {
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
  })
  // A cookie for each sign-in: two tabs may begin at once.
  setCookie(response, `sign_in_${state}`, `${nonce}.${verifier}`, 900)
  redirect(response, url.href)
}

async function finishSignIn(request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '', APPLICATION_URL)
  const state = url.searchParams.get('state') ?? ''
  const [nonce = '', verifier = ''] = cookie(request, `sign_in_${state}`).split('.')
  if (!verifier) throw new Error('This sign-in was begun in another browser, or is over.')
  setCookie(response, `sign_in_${state}`, '', 0)
  const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
  const tokens = await openid.authorizationCodeGrant(signet, url, checks)
  const session = randomUUID()
  sessions.set(session, { claims: tokens.claims() as openid.IDToken, idToken: tokens.id_token as string })
  setCookie(response, 'session', session, 86_400)
  redirect(response, '/')
}

/** Here first, and then at Signet, which sends the browser back. */
function signOut(request: IncomingMessage, response: ServerResponse) {
  const session = cookie(request, 'session')
  const hint = sessions.get(session)?.idToken
  sessions.delete(session)
  setCookie(response, 'session', '', 0)
  const back = { post_logout_redirect_uri: `${APPLICATION_URL}/`, ...(hint && { id_token_hint: hint }) }
  redirect(response, openid.buildEndSessionUrl(signet, back).href)
}

function showHome(request: IncomingMessage, response: ServerResponse) {
  const person = sessions.get(cookie(request, 'session'))
  const signedIn = (claims: openid.IDToken) =>
    `<h1>Signed in</h1><pre id="claims">${escapeHtml(JSON.stringify(claims, null, 2))}</pre>
     <form method="post" action="/sign-out"><button>Sign out</button></form>`
  const body = person ? signedIn(person.claims) : '<h1>Hello</h1><p><a href="/sign-in">Sign in</a></p>'
  sendPage(response, 200, body + tellSignet(person?.idToken))
}

/** So that it publishes VirtualPageLoaded_v1, in the name of whoever is signed in (docs/use/page-events.md). */
function tellSignet(idToken?: string) {
  const [baseUrl, organizationId] = ISSUER.split('/oidc/')
  const settings = JSON.stringify({ baseUrl, organizationId, clientId: CLIENT_ID, idToken })
  return `<script type="module">import { createSignet } from '/signet/index.ts'
    createSignet(${settings}).trackVirtualPageView()</script>`
}

/** The library as it stands in this repository, module by module. Yours comes in one piece, from the package. */
function sendLibrary(response: ServerResponse, module: string) {
  const source = readFileSync(new URL(`../../sdk/browser/src/${module}`, import.meta.url), 'utf8')
  response.writeHead(200, { 'content-type': 'text/javascript' }).end(stripTypeScriptTypes(source))
}

/** What Signet says (`error`, `error_description`), or the library. */
function showFailure(response: ServerResponse, { message, ...others }: Error & { error_description?: string }) {
  const text = others.error_description ?? message
  sendPage(response, 400, `<h1>Not signed in</h1><p>${escapeHtml(text)}</p><p><a href="/sign-in">Try again</a></p>`)
}

const server = createServer(async (request, response) => {
  try {
    const route = `${request.method} ${new URL(request.url ?? '', APPLICATION_URL).pathname}`
    if (route === 'GET /') showHome(request, response)
    else if (route === 'GET /sign-in') await beginSignIn(response)
    else if (route === 'GET /callback') await finishSignIn(request, response)
    else if (route === 'POST /sign-out') signOut(request, response)
    else if (/^GET \/signet\/[a-z-]+\.ts$/.test(route)) sendLibrary(response, route.slice('GET /signet/'.length))
    else response.writeHead(404).end()
  } catch (error) {
    showFailure(response, error as Error)
  }
})
server.listen(Number(PORT), '127.0.0.1', () => console.log(`Listening: ${APPLICATION_URL}`))

function cookie(request: IncomingMessage, name: string): string {
  const pairs = (request.headers.cookie ?? '').split('; ')
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1) ?? ''
}

function setCookie(response: ServerResponse, name: string, value: string, maxAge: number) {
  const secure = APPLICATION_URL.startsWith('https:') ? '; Secure' : ''
  const line = `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
  response.appendHeader('set-cookie', line)
}

const redirect = (response: ServerResponse, location: string) => response.writeHead(303, { location }).end()

const escapeHtml = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

function sendPage(response: ServerResponse, status: number, body: string) {
  const head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Example</title>'
  const style =
    ':root{color-scheme:light dark;font:1rem/1.5 system-ui}body{margin:2rem;max-width:40rem}pre{overflow:auto}'
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  response.end(`<!doctype html><html lang="en"><head>${head}<style>${style}</style></head><body>${body}</body></html>`)
}
