import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'
import express, { type Request, type Response } from 'express'
import { listen } from '../support/serve.ts'
import { clientId, clientSecret, issuer, scopes, url } from '../support/settings.ts'

const signet = {
  providerId: 'signet',
  discoveryUrl: `${issuer}/.well-known/openid-configuration`,
  clientId,
  clientSecret,
  scopes,
}
const auth = betterAuth({
  baseURL: url,
  secret: 'of a test, and long enough for what it asks',
  database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
  plugins: [genericOAuth({ config: [signet] })],
})

const of = ({ headers }: Request) => ({ headers: fromNodeHeaders(headers) })

const app = express()
app.all('/api/auth/*path', toNodeHandler(auth))
app.get('/sign-in', async (request, response) => {
  const body = { provider: 'signet', callbackURL: '/' }
  lead(response, await auth.api.signInSocial({ body, ...of(request), returnHeaders: true }))
})
app.get('/', async (request, response) => {
  if (!(await auth.api.getSession(of(request)))) return response.json({})
  const account = await accountOf(request)
  const tokens = await auth.api.getAccessToken({ body: { accountId: account.id }, ...of(request) })
  return response.json({ sub: account.accountId, access_token: tokens.accessToken, id_token: tokens.idToken })
})
app.get('/refresh', async (request, response) => {
  const { id: accountId } = await accountOf(request)
  response.json(await auth.api.refreshToken({ body: { accountId }, ...of(request) }))
})
app.get('/user-info', async (request, response) => {
  const { id: accountId } = await accountOf(request)
  response.json((await auth.api.accountInfo({ query: { accountId }, ...of(request) })).data)
})
app.get('/sign-out', async (request, response) => {
  lead(response, await auth.api.signOut({ body: { callbackURL: '/' }, ...of(request), returnHeaders: true }))
})
listen(app)

async function accountOf(request: Request) {
  const [account] = await auth.api.listUserAccounts(of(request))
  if (!account) throw new Error('nobody is signed in')
  return account
}

type Answer = { headers: Headers; response: { url?: string | undefined } }

/** On to the address of an answer, with the cookies of the library. */
function lead(response: Response, { headers, response: { url: to = '/' } }: Answer) {
  for (const cookie of headers.getSetCookie()) response.append('set-cookie', cookie)
  response.redirect(to)
}
