import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import express, { type NextFunction, type Request, type Response } from 'express'
import session from 'express-session'
import passport from 'passport'
import { type Profile, Strategy, type VerifyCallback } from 'passport-openidconnect'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { application, baseUrl } from './support/browser.ts'
import { ada, type SignIns, startSignIns, type Tenant } from './support/sign-ins.ts'

/** passport-openidconnect knows nothing of PKCE, and is taken as it is. */
let signIns: SignIns
let tenant: Tenant
const servers: Server[] = []

beforeAll(async () => {
  signIns = await startSignIns()
})

afterAll(() => signIns?.stop())

beforeEach(async () => {
  tenant = await signIns.tenant()
})

afterEach(async () => {
  for (const server of servers.splice(0)) await promisify(server.close.bind(server))()
})

type Person = { id: string; accessToken: string }
type Answer = { status: number; location: string; body: unknown }
/** The web application, as the browser of one person uses it: it keeps the session's cookie. */
type Visit = (path: string) => Promise<Answer>

const callbackUrl = `${application}callback`

/** `nonce`: whether it sends one. */
async function startApplication(fields: object, nonce: boolean): Promise<Visit> {
  const { body } = await signIns.service.as(tenant.organization, 'POST', '/organizations/applications', {
    name: 'By another library',
    redirect_uris: [callbackUrl],
    confidential: true,
    ...fields,
  })
  const { client_id: clientID, client_secret: clientSecret } = body.result
  const at = (base: string, path = '') => `${base}/oidc/${tenant.organization.id}${path}`
  const strategy = new Strategy(
    {
      issuer: at(baseUrl),
      authorizationURL: at(baseUrl, '/authorize'),
      // What the application calls itself meets the service without the proxy before it.
      tokenURL: at(signIns.service.baseUrl, '/token'),
      userInfoURL: at(signIns.service.baseUrl, '/userinfo'),
      skipUserProfile: false,
      callbackURL: callbackUrl,
      ...{ clientID, clientSecret },
      ...(nonce && { nonce: 'yes' }),
    },
    verify,
  )
  return visitor(serve(strategy))
}

type Text = string | object

/** The library counts the parameters to know what to give. */
function verify(
  _1: string,
  { id }: Profile,
  _3: object,
  _4: Text,
  accessToken: Text,
  _6: string,
  done: VerifyCallback,
) {
  done(null, { id, accessToken } as Express.User)
}

function serve(strategy: Strategy): Server {
  const authenticator = new passport.Passport().use(strategy)
  authenticator.serializeUser((user, done) => done(null, user))
  authenticator.deserializeUser((user: Express.User, done) => done(null, user))
  const app = express()
  app.use(session({ secret: 'of a test', resave: false, saveUninitialized: false }), authenticator.session())
  app.get('/login', authenticator.authenticate('openidconnect'))
  app.get('/callback', authenticator.authenticate('openidconnect', { successRedirect: '/me' }))
  app.get('/me', (request, response) => response.json(request.user ?? null))
  app.use((error: Error, _request: Request, response: Response, _next: NextFunction) =>
    response.status(500).json({ ...error, message: error.message }),
  )
  const server = app.listen(0, '127.0.0.1')
  servers.push(server)
  return server
}

async function visitor(server: Server): Promise<Visit> {
  if (!server.listening) await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  let cookie = ''
  return async (path) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie }, redirect: 'manual' })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json')
    return {
      status: answer.status,
      location: answer.headers.get('location') ?? '',
      body: isJson ? JSON.parse(text) : text,
    }
  }
}

/** As far as the callback of the application, which is not called yet. */
async function comeBack(visit: Visit): Promise<URL> {
  const { location } = await visit('/login')
  return new URL((await tenant.browser.go(location, { person: ada })).url)
}

const pathOf = ({ pathname, search }: URL) => `${pathname}${search}`

/** Without PKCE, so it has to send a nonce. */
const withoutPkce = { require_pkce: false }

describe('an application by passport-openidconnect', () => {
  test('signs in, and reads the profile', async () => {
    const visit = await startApplication(withoutPkce, true)
    const end = await visit(pathOf(await comeBack(visit)))
    expect(end).toMatchObject({ status: 302, location: '/me' })
    const persons = await tenant.persons()
    expect(persons.map(({ person_id }) => person_id)).toEqual([((await visit('/me')).body as Person).id])
    expect(await tenant.endings()).toEqual(['succeeded'])
  })

  test('takes no state but its own', async () => {
    const visit = await startApplication(withoutPkce, true)
    const back = await comeBack(visit)
    const forged = new URL(back)
    forged.searchParams.set('state', 'forged')
    expect((await visit(pathOf(forged))).status).toBe(403)
    expect((await visit('/me')).body).toBeNull()
    // The library forgets its own state then: it begins anew, with whom Signet knows already.
    expect(await visit(pathOf(await comeBack(visit)))).toMatchObject({ status: 302, location: '/me' })
  })

  test('gets nothing for a code of a second time, and loses what it got the first time', async () => {
    const visit = await startApplication(withoutPkce, true)
    const first = await comeBack(visit)
    await visit(pathOf(first))
    const { accessToken } = (await visit('/me')).body as Person
    const second = await comeBack(visit)
    second.searchParams.set('code', first.searchParams.get('code') ?? '')
    expect(await visit(pathOf(second))).toMatchObject({ status: 500, body: { code: 'invalid_grant' } })
    const userInfo = `${signIns.service.baseUrl}/oidc/${tenant.organization.id}/userinfo`
    expect((await fetch(userInfo, { headers: { authorization: `Bearer ${accessToken}` } })).status).toBe(401)
  })

  test.each([
    ['PKCE, which is required unless it is switched off', {}, true],
    ['a nonce, where PKCE is switched off', withoutPkce, false],
  ])('is told that it lacks %s', async (_lack, fields, nonce) => {
    const visit = await startApplication(fields, nonce)
    const end = await visit(pathOf(await comeBack(visit)))
    expect(end).toMatchObject({ status: 500, body: { code: 'invalid_request' } })
    expect(await tenant.endings()).toEqual([])
  })
})
