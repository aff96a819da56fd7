import cookie from '@fastify/cookie'
import oauth2, { type OAuth2Namespace, type Token } from '@fastify/oauth2'
import fastify from 'fastify'
import { decodeJwt } from 'jose'
import { clientId, clientSecret, issuer, redirectUri, scopes, url } from '../support/settings.ts'

declare module 'fastify' {
  interface FastifyInstance {
    signet: OAuth2Namespace
  }
}

const app = fastify()
await app.register(cookie)
await app.register(oauth2, {
  name: 'signet',
  scope: scopes,
  credentials: { client: { id: clientId, secret: clientSecret } },
  startRedirectPath: '/sign-in',
  callbackUri: redirectUri,
  discovery: { issuer },
  pkce: 'S256',
})
let token: Token | undefined

app.get('/callback', async (request, reply) => {
  token = (await app.signet.getAccessTokenFromAuthorizationCodeFlow(request)).token
  return reply.redirect('/')
})
app.get('/', () => ({ ...token, sub: token?.id_token && decodeJwt(token.id_token).sub }))
app.get('/refresh', async () => {
  if (token) token = (await app.signet.getNewAccessTokenUsingRefreshToken(token, {})).token
  return {}
})
app.get('/user-info', () => app.signet.userinfo(token as Token))
app.get('/revoke', async () => {
  if (token) await app.signet.revokeToken(token, 'refresh_token', undefined)
  return {}
})
await app.listen({ host: '127.0.0.1', port: Number(new URL(url).port) })
console.log(`Listening: ${url}`)
