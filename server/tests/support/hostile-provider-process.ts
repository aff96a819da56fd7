import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  allKeys,
  type Claims,
  ec,
  encode,
  join,
  keysOfEach,
  pem,
  publish,
  rsa,
  secondRsa,
  signByName,
  signEc,
  signHmac,
  signRsa,
} from './hostile-signing.ts'

/**
 * An OpenID provider that lies. The first segment of its path names the lie, and what has no lie of that name is honest;
 * `/count/<path>` tells how often a path was asked for.
 */
type Client = { clientId: string; clientSecret: string }
/** `form`: what was sent to the token endpoint. */
type TokenRequest = { lie: string; nonce: string; count: number; form: URLSearchParams }
type Answer = {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  isSilent?: boolean
  hangsUp?: boolean
}

let client: Client
let base = ''
const counts = new Map<string, number>()
const tenant = '11111111-2222-4333-8444-555555555555'
const otherTenant = 'aaaaaaaa-2222-4333-8444-555555555555'
const personalTenant = '9188040d-6c67-4c5b-b112-36a304b66dad'
const oid = '99999999-8888-4777-8666-555555555555'

process.on('disconnect', () => process.exit())
process.once('message', (setup: { client: Client }) => {
  client = setup.client
  const server = createServer(serve)
  server.listen(0, '127.0.0.1', () => {
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    process.send?.({ base })
  })
})

function serve(request: IncomingMessage, response: ServerResponse) {
  let form = ''
  request.on('data', (chunk) => {
    form += chunk
  })
  request.on('end', () => {
    const {
      status = 200,
      headers,
      body = {},
      isSilent,
      hangsUp,
    } = answer(new URL(request.url ?? '', base), form, request.headers.authorization)
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    if (hangsUp) request.socket.destroy()
    else if (!isSilent) response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text)
  })
}

const profileSubs: Record<string, unknown> = {
  'other-userinfo': 'root',
  'userinfo-of-number': 1,
  'userinfo-of-nobody': '',
}

const saidOf: Record<string, object> = { 'userinfo-confirms': { email_verified: true } }
/** By lie: how the client last authenticated at the token endpoint. */
const authenticated = new Map<string, 'basic' | 'post'>()

function answer(url: URL, form: string, authorization?: string): Answer {
  const [, lie = '', ...rest] = url.pathname.split('/')
  if (lie === 'count') return { body: counts.get(`/${rest.join('/')}`) ?? 0 }
  if (lie === 'authenticated') return { body: JSON.stringify(authenticated.get(rest.join('/'))) }
  const count = (counts.get(url.pathname) ?? 0) + 1
  counts.set(url.pathname, count)
  if (url.pathname.endsWith('/.well-known/openid-configuration')) return discovery(lie, count)
  if (rest[0] === 'authorize') return authorize(url.searchParams)
  if (rest[0] === 'token') {
    const sent = new URLSearchParams(form)
    authenticated.set(lie, authorization?.startsWith('Basic ') && !sent.has('client_secret') ? 'basic' : 'post')
    return token({ lie, nonce: sent.get('code') ?? '', count, form: sent })
  }
  if (rest[0] === 'keys') return keySets[lie]?.(count) ?? { body: { keys: algorithmOf(lie) ? keysOfEach : allKeys } }
  if (rest[0] === 'rotated') return {}
  if (rest[0] === 'userinfo')
    return { body: { sub: profileSubs[lie] ?? 'person', email: 'ada@example.com', ...saidOf[lie] } }
  return { status: 404 }
}

/** The code is the nonce. */
function authorize(parameters: URLSearchParams): Answer {
  const back = new URL(parameters.get('redirect_uri') ?? '')
  back.search = new URLSearchParams({
    code: parameters.get('nonce') ?? '',
    state: parameters.get('state') ?? '',
  }).toString()
  return { status: 302, headers: { location: back.href } }
}

const isTenanted = (lie: string) => lie.startsWith('entra')

function documentOf(lie: string) {
  const own = `${base}/${lie}`
  return {
    issuer: isTenanted(lie) ? `${own}/{tenantid}/v2.0` : own,
    authorization_endpoint: `${own}/authorize`,
    token_endpoint: `${own}/token`,
    jwks_uri: `${own}/keys`,
    userinfo_endpoint: `${own}/userinfo`,
  }
}

const redirect: Answer = { status: 307, headers: { location: '/honest/.well-known/openid-configuration' } }
const giant: Answer = { body: `"${'x'.repeat(300_000)}"` }
const silent: Answer = { isSilent: true }
const broken: Answer = { hangsUp: true }

const discoveries: Record<string, (count: number) => Answer> = {
  'with-slash': () => ({ body: { ...documentOf('with-slash'), issuer: `${base}/with-slash/` } }),
  'discovery-redirects': () => redirect,
  'discovery-giant': () => giant,
  'discovery-silent': () => silent,
  'discovery-hangs-up': () => broken,
  'discovery-hangs-up-once': (count) => (count === 1 ? broken : { body: documentOf('discovery-hangs-up-once') }),
  'discovery-text': () => ({ body: 'hello' }),
  'discovery-list': () => ({ body: [] }),
  'discovery-absent': () => ({ status: 404 }),
  'discovery-broken': () => ({ status: 503 }),
  'discovery-throttled': () => ({ status: 429 }),
  'discovery-says-wait': () => ({ status: 503, headers: { 'retry-after': '20' } }),
  'discovery-says-wait-long': () => ({ status: 429, headers: { 'retry-after': '86400' } }),
  'discovery-says-until': () => ({
    status: 503,
    headers: { 'retry-after': new Date(Date.now() + 86_400_000).toUTCString() },
  }),
  'discovery-says-nonsense': () => ({ status: 503, headers: { 'retry-after': 'soon' } }),
  'discovery-vanishes': (count) => (count === 1 ? { body: documentOf('discovery-vanishes') } : { status: 503 }),
  'entra-of-one': () => ({ body: { ...documentOf('entra-of-one'), issuer: `${base}/entra-of-one/${tenant}/v2.0` } }),
  'entra-moves': (count) => ({
    body: { ...documentOf('entra-moves'), issuer: `${base}/entra-moves/${count === 1 ? tenant : otherTenant}/v2.0` },
  }),
}
const documents: Record<string, object> = {
  'other-issuer': { issuer: 'https://accounts.google.com' },
  'issuer-almost': { issuer: 'http://127.0.0.1/issuer-almost/' },
  'no-keys-address': { jwks_uri: undefined },
  'plain-token-endpoint': { token_endpoint: 'http://93.184.216.34/token' },
  'token-endpoint-with-port': { token_endpoint: 'https://example.com:8443/token' },
  'token-endpoint-with-user': { token_endpoint: 'https://me@example.com/token' },
  'script-as-endpoint': { authorization_endpoint: 'javascript:alert(1)' },
  'private-token-endpoint': { token_endpoint: 'https://10.0.0.1/token' },
  'private-keys': { jwks_uri: 'https://169.254.169.254/latest/meta-data' },
  'null-in-document': { userinfo_endpoint: null },
  'lists-hmac-only': { id_token_signing_alg_values_supported: ['HS256', 'HS512', 'none', 'RS1', 7, null] },
  'lists-nothing': { id_token_signing_alg_values_supported: [] },
  'lists-no-list': { id_token_signing_alg_values_supported: 'RS256' },
  'ec-signed-and-listed': { id_token_signing_alg_values_supported: ['HS256', 'RS256', 'ES256'] },
  'hmac-with-public-key-and-listed': { id_token_signing_alg_values_supported: ['HS256', 'RS256'] },
  'alg-none-and-listed': { id_token_signing_alg_values_supported: ['none', 'RS256'] },
  'post-only': { token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'] },
  'no-userinfo': { userinfo_endpoint: undefined },
  'keys-elsewhere': { jwks_uri: 'https://www.googleapis.com/oauth2/v3/certs' },
  'authorization-elsewhere': { authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth' },
  'userinfo-elsewhere': { userinfo_endpoint: 'https://openidconnect.googleapis.com/v1/userinfo' },
  'promises-iss': { authorization_response_iss_parameter_supported: true },
}

const discovery = (lie: string, count: number): Answer =>
  discoveries[lie]?.(count) ?? { body: { ...documentOf(lie), ...listedBy(lie), ...documents[lie] } }

const listedBy = (lie: string) => {
  const algorithm = algorithmOf(lie)
  return algorithm ? { id_token_signing_alg_values_supported: ['HS256', 'none', algorithm] } : {}
}

/** After its first answer, which is whole. */
const later =
  (answer: Answer) =>
  (count: number): Answer =>
    count === 1 ? { body: { keys: allKeys } } : answer

const keySets: Record<string, (count: number) => Answer> = {
  'keys-broken': () => ({ body: { keys: [{ kty: 'RSA', kid: 'one' }, 'one', null, { kid: 'one' }] } }),
  'keys-empty-later': later({ body: { keys: [] } }),
  'keys-partial-later': later({ body: { keys: [{ kty: 'RSA', kid: 'one', e: 'AQAB' }, allKeys[1]] } }),
  'keys-lack-one-later': later({ body: { keys: [allKeys[1]] } }),
  'keys-away-later': later({ status: 503 }),
  'keys-redirect-later': later(redirect),
  'same-name-later': later({ body: { keys: [publish(secondRsa.publicKey, 'one')] } }),
  'no-name-later': (count) => ({
    body: { keys: [{ ...(count === 1 ? rsa : secondRsa).publicKey.export({ format: 'jwk' }) }] },
  }),
  'forges-for-another': () => ({
    body: { keys: [publish(rsa.publicKey, `key-${counts.get('/forges-for-another/rotated') ?? 0}`)] },
  }),
  'keys-redirect': () => redirect,
  'keys-giant': () => giant,
  'keys-say-wait': () => ({ status: 503, headers: { 'retry-after': '20' } }),
  'keys-absent': () => ({ body: {} }),
  'key-twice': () => ({ body: { keys: [...allKeys, publish(secondRsa.publicKey, 'one')] } }),
  'key-for-encryption': () => ({ body: { keys: [publish(rsa.publicKey, 'one', { use: 'enc' })] } }),
  'key-of-other-algorithm': () => ({ body: { keys: [publish(rsa.publicKey, 'one', { alg: 'PS256' })] } }),
  'kid-absent': () => ({ body: { keys: [publish(rsa.publicKey, 'one'), publish(secondRsa.publicKey, 'two')] } }),
  rotates: () => {
    const signed = counts.get('/rotates/token') ?? 0
    return { body: { keys: [publish(rsa.publicKey, `key-${signed}`)] } }
  },
  'entra-key-of-other-tenant': () => ({
    body: {
      keys: [publish(rsa.publicKey, 'one', { issuer: `${base}/entra-key-of-other-tenant/${otherTenant}/v2.0` })],
    },
  }),
  'entra-key-of-any-tenant': () => ({
    body: { keys: [publish(rsa.publicKey, 'one', { issuer: `${base}/entra-key-of-any-tenant/{tenantid}/v2.0` })] },
  }),
}

const now = () => Math.floor(Date.now() / 1_000)

function claimsOf({ lie, nonce }: TokenRequest): Claims {
  const times = { iat: now(), exp: now() + 3_600, nonce, aud: client.clientId, sub: 'person' }
  if (!isTenanted(lie)) return { iss: `${base}/${lie}`, ...times }
  return { iss: `${base}/${lie}/${tenant}/v2.0`, ...times, tid: tenant, oid, ver: '2.0' }
}

const atTenant = (lie: string, tid: unknown) => ({ iss: `${base}/${lie}/${tid}/v2.0`, tid })

const claimLies: Record<string, () => Claims> = {
  'iss-other': () => ({ iss: 'https://accounts.google.com' }),
  'iss-with-slash': () => ({ iss: `${base}/iss-with-slash/` }),
  'iss-absent': () => ({ iss: undefined }),
  'with-slash': () => ({ iss: `${base}/with-slash/` }),
  'no-userinfo': () => ({ email: 'token@example.com', name: 'Of the token' }),
  'aud-other': () => ({ aud: 'another' }),
  'aud-several': () => ({ aud: [client.clientId, 'another'] }),
  'aud-several-for-another': () => ({ aud: [client.clientId, 'another'], azp: 'another' }),
  'azp-other': () => ({ azp: 'another' }),
  'nonce-other': () => ({ nonce: 'another' }),
  'nonce-absent': () => ({ nonce: undefined }),
  'sub-absent': () => ({ sub: undefined }),
  'sub-is-number': () => ({ sub: 1 }),
  'sub-is-empty': () => ({ sub: '' }),
  'sub-is-too-long': () => ({ sub: 'x'.repeat(256) }),
  expired: () => ({ iat: now() - 600, exp: now() - 300 }),
  'exp-absent': () => ({ exp: undefined }),
  'made-tomorrow': () => ({ iat: now() + 86_400, exp: now() + 90_000 }),
  'made-yesterday': () => ({ iat: now() - 86_400 }),
  'proved-an-hour-ago': () => ({ auth_time: now() - 3_600 }),
  'not-yet': () => ({ nbf: now() + 3_600 }),
  'aud-several-for-us': () => ({ aud: [client.clientId, 'another'], azp: client.clientId }),
  'entra-tid-is-text': () => atTenant('entra-tid-is-text', 'common'),
  'plain-entra-of-no-tenant': () => ({ ver: '2.0', oid, tid: 'common' }),
  'entra-tid-absent': () => ({ tid: undefined }),
  'entra-tid-and-iss-differ': () => ({ tid: otherTenant }),
  'entra-personal': () => atTenant('entra-personal', personalTenant),
  'entra-other-tenant': () => atTenant('entra-other-tenant', otherTenant),
  'entra-ver-1': () => ({ ver: '1.0' }),
  'entra-oid-absent': () => ({ oid: undefined }),
  'entra-template-as-iss': () => ({ iss: `${base}/entra-template-as-iss/{tenantid}/v2.0` }),
}

/** `signs-PS256` signs by PS256, and lists it. */
const algorithmOf = (lie: string) => /^(?:entra-)?signs-(\w+)$/.exec(lie)?.[1]

/** Each takes honest claims. */
const signatures: Record<string, (claims: Claims, request: TokenRequest) => unknown> = {
  'ec-signed-and-listed': (claims) => signEc(claims),
  'hmac-with-public-key-and-listed': (claims) => signHmac(claims, pem(rsa.publicKey), { kid: 'one' }),
  'alg-none-and-listed': (claims) => `${join({ alg: 'none' }, claims)}.`,
  'alg-none': (claims) => `${join({ alg: 'none' }, claims)}.`,
  'alg-none-signed': (claims) => signRsa(claims, { alg: 'none' }),
  'alg-absent': (claims) => signRsa(claims, { alg: undefined as never }),
  'hmac-with-public-key': (claims) => signHmac(claims, pem(rsa.publicKey), { kid: 'one' }),
  'hmac-with-public-jwk': (claims) => signHmac(claims, JSON.stringify(allKeys[0]), { kid: 'one' }),
  'hmac-with-secret': (claims) => signHmac(claims, client.clientSecret),
  'hmac-with-ec-key': (claims) => signHmac(claims, pem(ec.publicKey), { kid: 'ec' }),
  'hmac-with-nothing': (claims) => signHmac(claims, ''),
  'ec-signed': (claims) => signEc(claims),
  'other-key': (claims) => signRsa(claims, {}, secondRsa.privateKey),
  'unknown-key': (claims) => signRsa(claims, { kid: 'unknown' }, secondRsa.privateKey),
  'key-in-header': (claims) =>
    signRsa(claims, { jwk: publish(secondRsa.publicKey, 'one'), jku: `${base}/honest/keys` }, secondRsa.privateKey),
  'critical-header': (claims) => signRsa(claims, { crit: ['more'], more: true }),
  'kid-absent': (claims) => signRsa(claims, { kid: undefined as never }),
  'other-claims': (claims) => signRsa(claims).replace(/\..+\./, `.${encode({ ...claims, sub: 'root' })}.`),
  'no-signature': (claims) => `${join({ alg: 'RS256', kid: 'one' }, claims)}.`,
  'token-is-text': () => 'hello',
  'token-is-object': (claims) => claims,
  'token-absent': () => undefined,
  rotates: (claims, { count }) => signRsa(claims, { kid: `key-${count}` }),
  'same-name-later': (claims, { count }) => signRsa(claims, {}, (count === 1 ? rsa : secondRsa).privateKey),
  'no-name-later': (claims, { count }) =>
    signRsa(claims, { kid: undefined as never }, (count === 1 ? rsa : secondRsa).privateKey),
  'forges-for-another': (claims, { form }) =>
    form.get('client_id') === client.clientId
      ? signRsa(claims, { kid: `key-${counts.get('/forges-for-another/rotated') ?? 0}` })
      : signRsa({ ...claims, aud: form.get('client_id') }, { kid: 'made-up' }, secondRsa.privateKey),
}

const tokenAnswers: Record<string, (request: TokenRequest) => Answer> = {
  'token-redirects': ({ lie }) => ({ status: 307, headers: { location: `/${lie}-on/token` } }),
  'token-giant': () => giant,
  'token-silent': () => silent,
  'token-hangs-up': () => broken,
  'token-text': () => ({ body: 'hello' }),
  'token-broken': () => ({ status: 500 }),
  'token-throttled': () => ({ status: 429, headers: { 'retry-after': '60' } }),
  'token-of-no-type': () => ({ body: { access_token: 'a' } }),
  'token-of-other-type': () => ({ body: { access_token: 'a', token_type: 'mac' } }),
  'expired-secret': () => ({
    status: 401,
    headers: { 'www-authenticate': 'Basic realm="x"' },
    body: { error: 'invalid_client', error_description: 'AADSTS7000222: The provided client secret keys are expired.' },
  }),
  indiscreet: ({ form }) => ({
    status: 400,
    body: {
      error: 'invalid_grant',
      error_description: `${form.get('client_secret')} and ${encodeURIComponent(String(form.get('client_secret')))} and ${form.get('code')}${'!'.repeat(480)}${form.get('client_secret')}`,
      trace_id: form.get('client_secret'),
    },
  }),
  'long-code': ({ form }) => longError(`${form.get('code')} `),
  'long-letters': () => longError('a'),
  'long-letters-and-address': () => longError('a', '@'),
  'long-addresses': () => longError('@a'),
  'long-controls': () => longError('\u007f'),
  'entra-traced': () => ({
    status: 400,
    body: {
      error: 'invalid_grant',
      error_codes: [70008],
      trace_id: 'f0b3f1ae-1d2c-4e5b-9a77-0123456789ab',
      correlation_id: 'a line\nof another log',
      timestamp: '2026-11-21 10:00:00Z',
    },
  }),
  talkative: ({ nonce }) => ({
    status: 400,
    body: {
      error: 'invalid_grant',
      error_description: `${nonce} and ${'t'.repeat(41)} of ada@example.com\n\u001b[31m${'no '.repeat(1_000)}`,
    },
  }),
}

/** Of 250,000 characters, as much as is read of an answer. */
const longError = (piece: string, end = '') => ({
  status: 400,
  body: { error: 'invalid_grant', error_description: `${''.padEnd(250_000 - end.length, piece)}${end}` },
})

/** What is of no use to a sign-in. */
const unusedAs = (value: null | '') => ({ refresh_token: value, scope: value, expires_in: value, error: value })
const unused: Record<string, object> = { 'null-in-unused': unusedAs(null), 'empty-in-unused': unusedAs('') }

function token(request: TokenRequest): Answer {
  const { lie } = request
  const special = tokenAnswers[lie]
  if (special) return special(request)
  const claims = { ...claimsOf(request), ...claimLies[lie]?.() }
  const algorithm = algorithmOf(lie)
  const signature = algorithm ? (signed: Claims) => signByName(algorithm, signed) : signatures[lie]
  const id_token = signature ? signature(claims, request) : signRsa(claims)
  const access_token = lie === 'header-in-token' ? 'a\r\nx-injected: 1' : 'access'
  return { body: { access_token, token_type: 'Bearer', expires_in: 60, ...unused[lie], id_token } }
}
