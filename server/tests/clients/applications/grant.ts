import express, { type Request } from 'express'
import session from 'express-session'
import grant from 'grant'
import { listen, type SignedIn } from '../support/serve.ts'
import { clientId, clientSecret, issuer, scopes, url } from '../support/settings.ts'

const signet = {
  authorize_url: `${issuer}/authorize`,
  access_url: `${issuer}/token`,
  profile_url: `${issuer}/userinfo`,
  oauth: 2,
  key: clientId,
  secret: clientSecret,
  scope: scopes.join(' '),
  nonce: true,
  pkce: true,
  response: ['tokens', 'jwt', 'profile'],
  callback: '/',
}

const app = express()
app.use(session({ secret: 'of a test', resave: false, saveUninitialized: false }))
app.use(grant.default.express({ defaults: { origin: url, transport: 'session', state: true }, signet }))
app.get('/sign-in', (_, response) => response.redirect('/connect/signet'))
app.get('/', (request, response) => {
  const { jwt, access_token, refresh_token, id_token, error } = answerIn(request)
  response.json({ sub: jwt?.id_token.payload.sub, access_token, refresh_token, id_token, error })
})
app.get('/user-info', (request, response) => void response.json(answerIn(request).profile))
listen(app)

type Answer = SignedIn & { jwt?: { id_token: { payload: { sub: string } } }; profile?: object; error?: unknown }

/** Where the library has put what it got. */
function answerIn({ session }: Request): Answer {
  return (session as { grant?: { response?: Answer } }).grant?.response ?? {}
}
