import { Readable } from 'node:stream'
import { Auth, type AuthConfig } from '@auth/core'
import type { Account } from '@auth/core/types'
import express from 'express'
import { listen } from '../support/serve.ts'
import { clientId, clientSecret, issuer, scope, url } from '../support/settings.ts'

const config: AuthConfig = {
  providers: [
    {
      id: 'signet',
      name: 'Signet',
      type: 'oidc',
      issuer,
      clientId,
      clientSecret,
      authorization: { params: { scope } },
    },
  ],
  callbacks: {
    jwt: ({ token, account }) => (account ? { ...token, account } : token),
    session: ({ session, token }) => ({
      ...session,
      ...(token.account as Account),
      sub: (token.account as Account).providerAccountId,
    }),
    redirect: () => url,
  },
  basePath: '/auth',
  trustHost: true,
  secret: 'of a test',
}

const app = express()
app.get('/sign-in', (_, response) => response.redirect('/auth/signin'))
app.get('/', async ({ headers }, response) => {
  const answer = await Auth(new Request(`${url}/auth/session`, { headers: headers as HeadersInit }), config)
  response.json(await answer.json())
})
/** The library speaks the language of the web, Express that of Node. */
app.use('/auth', async (request, response) => {
  const { method, headers } = request
  const body = method === 'POST' ? { body: Readable.toWeb(request) as BodyInit, duplex: 'half' as const } : {}
  const webRequest = new Request(url + request.originalUrl, { method, headers: headers as HeadersInit, ...body })
  const answer = await Auth(webRequest, config)
  response.status(answer.status)
  answer.headers.forEach((value, name) => void response.append(name, value))
  response.send(await answer.text())
})
listen(app)
