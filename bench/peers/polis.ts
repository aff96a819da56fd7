// A part of the benchmarks of sign-in, in a process of its own: Polis, with an OpenID Connect connection to the provider and
// its own OAuth controllers behind the cheapest server there is. Asked for anything, it says where it is.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { controllers } from '@boxyhq/saml-jackson'
import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import { callbackPath, type ServerSettings } from '../support/sign-in.ts'
import { tellPlace } from '../support/tell-place.ts'

const { upstream, client, baseUrl, application, connectionString }: ServerSettings = JSON.parse(process.argv[2] ?? '')
const address = new URL(connectionString)
// TypeORM reads no socket's folder from an address, and the driver below it reads the environment.
for (const [name, value] of address.searchParams) process.env[`PG${name.toUpperCase()}`] = value
address.search = ''

const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
const base64 = (pem: string) => Buffer.from(pem).toString('base64')
const { oauthController, connectionAPIController, oidcDiscoveryController } = await controllers({
  externalUrl: baseUrl,
  samlPath: '/saml',
  oidcPath: `${callbackPath}/polis`,
  db: { engine: 'sql', type: 'postgres', url: address.href },
  openid: {
    jwsAlg: 'RS256',
    jwtSigningKeys: { private: base64(await exportPKCS8(privateKey)), public: base64(await exportSPKI(publicKey)) },
  },
  noAnalytics: true,
})
const connection = await connectionAPIController.createOIDCConnection({
  tenant: 'bench',
  product: 'bench',
  defaultRedirectUrl: application.redirectUri,
  redirectUrl: JSON.stringify([application.redirectUri]),
  // What it is given it does not look up for each sign-in.
  oidcMetadata: await (await fetch(`${upstream}/.well-known/openid-configuration`)).json(),
  oidcClientId: client.clientId,
  oidcClientSecret: client.clientSecret,
})

type Handler = (query: Record<string, string>, request: IncomingMessage) => Promise<object>

const routes: Record<string, Handler> = {
  '/.well-known/openid-configuration': async () => oidcDiscoveryController.openidConfig(),
  '/oauth/jwks': () => oidcDiscoveryController.jwks(),
  '/api/oauth/authorize': (query) => oauthController.authorize(query as never),
  [`${callbackPath}/polis`]: (query) => oauthController.oidcAuthzResponse(query as never),
  '/api/oauth/token': async (_query, request) =>
    oauthController.token(
      Object.fromEntries(new URLSearchParams(await text(request))) as never,
      request.headers.authorization ?? null,
    ),
}

async function answer(request: IncomingMessage, response: ServerResponse) {
  const { pathname, searchParams } = new URL(request.url ?? '', baseUrl)
  const result = await routes[pathname]?.(Object.fromEntries(searchParams), request)
  if (!result) return response.writeHead(404).end(pathname)
  if ('redirect_url' in result) return response.writeHead(302, { location: String(result.redirect_url) }).end()
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result))
}

const server = createServer((request, response) => {
  answer(request, response).catch((error) => response.writeHead(500).end(error.stack))
})
const { clientID: clientId, clientSecret } = connection
tellPlace(server, { issuer: baseUrl, clientId, clientSecret, scope: 'openid' })
