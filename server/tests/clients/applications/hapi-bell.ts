import bell from '@hapi/bell'
import hapi from '@hapi/hapi'
import { decodeJwt } from 'jose'
import type { SignedIn } from '../support/serve.ts'
import { clientId, clientSecret, issuer, scopes, url } from '../support/settings.ts'

type Credentials = { token: string; refreshToken: string; profile: { sub: string } }

let signedIn: SignedIn = {}
let profile: object = {}

const server = hapi.server({ host: '127.0.0.1', port: new URL(url).port })
await server.register(bell)
server.auth.strategy('signet', 'bell', {
  provider: {
    name: 'signet',
    protocol: 'oauth2',
    auth: `${issuer}/authorize`,
    token: `${issuer}/token`,
    pkce: 'S256',
    scope: scopes,
    scopeSeparator: ' ',
    profile: async (
      credentials: Credentials,
      parameters: { id_token: string },
      get: (uri: string) => Promise<object>,
    ) => {
      profile = await get(`${issuer}/userinfo`)
      const { id_token } = parameters
      const { token: access_token, refreshToken: refresh_token } = credentials
      signedIn = { sub: decodeJwt(id_token).sub, id_token, access_token, refresh_token }
    },
  },
  password: 'a password of a test, of more than 32 characters',
  clientId,
  clientSecret,
  isSecure: false,
  location: url,
})
server.route({
  method: 'GET',
  path: '/callback',
  options: { auth: 'signet', handler: (_, response) => response.redirect('/') },
})
server.route({ method: 'GET', path: '/sign-in', handler: (_, response) => response.redirect('/callback') })
server.route({ method: 'GET', path: '/', handler: () => signedIn })
server.route({ method: 'GET', path: '/user-info', handler: () => profile })
await server.start()
console.log(`Listening: ${url}`)
