import express, { type Express } from 'express'
import { url } from './settings.ts'

/** What an application answers of whoever is signed in, for the test to look at. */
export type SignedIn = {
  sub?: string | undefined
  access_token?: string | undefined
  refresh_token?: string | undefined
  id_token?: string | undefined
}

/** What an application makes of a library that leaves the web server to it; what the library lacks is left out. */
type Steps = {
  /** The address that the browser is sent to. */
  signIn(): Promise<string> | string
  /** `address` is the one that the browser came back to. */
  callback(address: URL): Promise<void>
  signedIn(): SignedIn
  refresh?(): Promise<void>
  userInfo?(): Promise<object>
  revoke?(): Promise<void>
  /** The address that the browser is sent to. */
  signOut?(): string
}

/** One person is enough here: there is no session to tell one from another. */
export function serve({ signIn, callback, signedIn, signOut, userInfo, ...others }: Steps) {
  const app = express()
  app.get('/sign-in', async (_, response) => response.redirect(await signIn()))
  app.get('/callback', async (request, response) => {
    await callback(new URL(request.url, url))
    response.redirect('/')
  })
  app.get('/', (_, response) => response.json(signedIn()))
  if (userInfo) app.get('/user-info', async (_, response) => response.json(await userInfo()))
  if (signOut) app.get('/sign-out', (_, response) => response.redirect(signOut()))
  for (const [step, take] of Object.entries(others))
    app.get(`/${step}`, async (_, response) => {
      await take()
      response.json({})
    })
  listen(app)
}

export function listen(app: Express) {
  app.listen(Number(new URL(url).port), '127.0.0.1', () => console.log(`Listening: ${url}`))
}
