import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * GitHub, Bitbucket, GitLab and Facebook as far as a sign-in sees them. Who signs in, and what the profile calls answer,
 * comes as JSON in `login_hint` and travels in code and token.
 */
type Client = { clientId: string; clientSecret: string }
type Setup = { client: Client; callbackUrl: string }
type Person = {
  user: { id?: number }
  emails?: object[]
  emailsStatus?: number
  /** In place of Bitbucket's own next page. */
  next?: string
  /** Calls that GitLab is late by. */
  late?: number
  /** Of GitLab's ID token, in place of the number. */
  sub?: string
  refuse?: Record<string, string>
}
type Answer = { status: number; body: unknown; headers?: Record<string, string> }
type Call = { url: URL; headers: IncomingMessage['headers']; form: URLSearchParams }

let setup: Setup
const calls = new Map<string, number>()

process.on('disconnect', () => process.exit())
process.once('message', (received: Setup) => {
  setup = received
  const server = createServer(serve)
  server.listen(0, '127.0.0.1', () => {
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    process.send?.(
      Object.fromEntries(['github', 'bitbucket', 'gitlab', 'facebook'].map((name) => [name, `${base}/${name}`])),
    )
  })
})

async function serve(request: IncomingMessage, response: ServerResponse) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const url = new URL(request.url ?? '', `http://${request.headers.host}`)
  const call = { url, headers: request.headers, form: new URLSearchParams(Buffer.concat(chunks).toString()) }
  const [, vendor = '', ...path] = url.pathname.split('/')
  const answer = routes[`${vendor} ${path.join('/')}`]?.(call) ?? { status: 404, body: {} }
  response
    .writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers })
    .end(JSON.stringify(answer.body))
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decode = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString() || '{}')

function authorize({ url }: Call): Answer {
  const parameters = Object.fromEntries(url.searchParams)
  const { refuse }: Person = JSON.parse(parameters.login_hint ?? '{}')
  const back = new URL(parameters.redirect_uri ?? '')
  back.search = new URLSearchParams({
    ...(refuse ?? { code: encode(parameters) }),
    state: parameters.state ?? '',
  }).toString()
  return { status: 302, body: {}, headers: { location: back.href } }
}

/** What is wrong with the request for a token, in one word of OAuth 2. */
function wrongWith({ form, headers }: Call, auth: 'basic' | 'post'): string | undefined {
  const { client, callbackUrl } = setup
  // RFC 6749, section 2.3.1: both are form-encoded before they are joined.
  const [id, secret] = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64')
    .toString()
    .split(':')
  const isBasic =
    [id, secret].map((part) => decodeURIComponent(part ?? '')).join() === [client.clientId, client.clientSecret].join()
  const isClient =
    auth === 'basic'
      ? isBasic && !form.has('client_secret')
      : form.get('client_id') === client.clientId && form.get('client_secret') === client.clientSecret
  if (!isClient) return 'invalid_client'
  const code = decode(form.get('code') ?? '')
  const challenge = createHash('sha256')
    .update(form.get('code_verifier') ?? '')
    .digest('base64url')
  const isCode =
    code.client_id === client.clientId && code.code_challenge === challenge && code.code_challenge_method === 'S256'
  if (!isCode) return 'invalid_grant'
  // A callback for each credential: whatever credentials a test makes, theirs are registered.
  const isRegistered = new URL('.', code.redirect_uri).href === new URL('.', callbackUrl).href
  return isRegistered && form.get('redirect_uri') === code.redirect_uri ? undefined : 'redirect_uri_mismatch'
}

const personOf = (code: string): Person => JSON.parse(decode(code).login_hint)
const tokenOf = ({ form }: Call) => encode(personOf(form.get('code') ?? ''))

function bearer({ headers }: Call): Person | undefined {
  const [, token] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
  return token === undefined ? undefined : decode(token)
}

const json = (body: unknown, status = 200): Answer => ({ status, body })
const unauthorized = json({ message: '401 Unauthorized' }, 401)

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })

function idTokenOf({ user, sub = String(user.id) }: Person, nonce: string, { url }: Call): string {
  const iat = Math.floor(Date.now() / 1_000)
  const claims = { iss: `${url.origin}/gitlab`, aud: setup.client.clientId, sub, nonce, iat, exp: iat + 120 }
  const input = `${encode({ alg: 'RS256', kid: 'k' })}.${encode(claims)}`
  return `${input}.${sign('sha256', Buffer.from(input), keys.privateKey).toString('base64url')}`
}

const githubWords: Record<string, string> = {
  invalid_client: 'incorrect_client_credentials',
  invalid_grant: 'bad_verification_code',
}

/** GitHub is known to refuse what lacks a user agent. */
const isGithubCall = ({ headers }: Call) =>
  Boolean(headers['user-agent']) && headers.accept === 'application/vnd.github+json' && headers['x-github-api-version']

const routes: Record<string, (call: Call) => Answer> = {
  'github login/oauth/authorize': authorize,
  'github login/oauth/access_token': (call) => {
    const wrong = wrongWith(call, 'post')
    if (wrong) return json({ error: githubWords[wrong] ?? wrong, error_description: 'The code is incorrect.' })
    return json({ access_token: tokenOf(call), scope: 'read:user,user:email', token_type: 'bearer' })
  },
  'github api/user': (call) => (isGithubCall(call) ? json(bearer(call)?.user) : json({ message: 'Forbidden' }, 403)),
  'github api/user/emails': (call) => {
    const { emails = [], emailsStatus = 200 } = bearer(call) ?? {}
    return emailsStatus === 200 && isGithubCall(call) ? json(emails) : json({ message: 'Not Found' }, emailsStatus)
  },
  'bitbucket site/oauth2/authorize': authorize,
  'bitbucket site/oauth2/access_token': (call) => {
    const wrong = wrongWith(call, 'basic')
    if (wrong) return json({ error: wrong, error_description: 'Invalid' }, 400)
    return json({
      access_token: tokenOf(call),
      scope: 'account',
      token_type: 'bearer',
      expires_in: 7200,
      refresh_token: 'r',
    })
  },
  'bitbucket 2.0/user': (call) => json(bearer(call)?.user),
  'bitbucket 2.0/user/emails': (call) => {
    const { emails = [], next: elsewhere } = bearer(call) ?? {}
    const page = Number(call.url.searchParams.get('page') ?? 1)
    const next = new URL(call.url)
    next.searchParams.set('page', String(page + 1))
    return json({ values: [emails[page - 1]], ...(page < emails.length && { next: elsewhere ?? next.href }) })
  },
  'gitlab oauth/authorize': authorize,
  'gitlab oauth/token': (call) => {
    const wrong = wrongWith(call, 'post')
    if (wrong) return json({ error: wrong, error_description: 'wrong' }, 401)
    const { scope, nonce, login_hint } = decode(call.form.get('code') ?? '')
    const isOpenId = scope.includes('openid') && !login_hint.includes('noIdToken')
    const id_token = isOpenId ? idTokenOf(JSON.parse(login_hint), nonce, call) : undefined
    return json({ access_token: tokenOf(call), token_type: 'Bearer', scope, expires_in: 7200, id_token })
  },
  'gitlab oauth/discovery/keys': () => json({ keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'k' }] }),
  /** As a replica that is late by so many calls. */
  'gitlab api/v4/user': (call) => {
    const person = bearer(call)
    const token = call.headers.authorization ?? ''
    calls.set(token, (calls.get(token) ?? 0) + 1)
    return person && (calls.get(token) ?? 0) > (person.late ?? 0) ? json(person.user) : unauthorized
  },
  'facebook v25.0/dialog/oauth': authorize,
  'facebook v25.0/oauth/access_token': (call) => {
    const wrong = wrongWith(call, 'post')
    const error =
      wrong === 'invalid_client'
        ? { message: 'Error validating client secret.', type: 'OAuthException', code: 1, fbtrace_id: 'A1b2' }
        : { message: 'This authorization code has been used.', type: 'OAuthException', code: 100, error_subcode: 36009 }
    if (wrong) return { ...json({ error }, 400), headers: { 'content-type': 'text/javascript; charset=UTF-8' } }
    return json({ access_token: tokenOf(call), token_type: 'bearer', expires_in: 5183944 })
  },
  'facebook v25.0/me': (call) => {
    const token = call.headers.authorization?.replace('Bearer ', '') ?? ''
    const proof = createHmac('sha256', setup.client.clientSecret).update(token).digest('hex')
    const isAsked = call.url.searchParams.get('fields') === 'id,name,first_name,last_name,picture,email'
    if (!isAsked || call.url.searchParams.get('appsecret_proof') !== proof)
      return json({ error: { message: 'Invalid appsecret_proof', type: 'GraphMethodException', code: 100 } }, 400)
    return json(bearer(call)?.user)
  },
}
