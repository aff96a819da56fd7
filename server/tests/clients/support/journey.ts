import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimsOf } from '../../support/jwt.ts'
import { type SignInSite, startSignInSite } from '../../support/sign-in-site.ts'
import { type Client, firstWay, type Started, type Step, startClient } from './client.ts'
import type { SignedIn } from './serve.ts'

/** A machine that is busy with other test files takes its time. */
const patienceMs = 20_000
const ada = { name: 'Ada', email: 'ada@example.com' }

/** Leads one person, with a real browser, through all that each client has. The tests of a client follow one another. */
export function journeyThrough(clients: Client[]) {
  let site: SignInSite

  beforeAll(async () => {
    site = await startSignInSite('localhost')
    tls.setDefaultCACertificates([readFileSync(site.caFile, 'utf8')])
  })

  afterAll(() => site?.stop())

  describe.each(clients)('$name', (client) => {
    const life = new AsyncDisposableStack()
    let started: Started
    let page: Page
    let sub: string

    beforeAll(async () => {
      started = await startClient(client, site, life)
      page = await (await site.profile()).newPage()
      page.setDefaultTimeout(patienceMs)
    })

    afterAll(async () => {
      await page?.context().close()
      await life.disposeAsync()
    })

    /** What the application answers, in the person's browser. */
    async function read(path: string) {
      await page.goto(started.url + path)
      const text = await page.locator('body', { hasText: /./ }).innerText()
      if (!text.startsWith('{')) throw new Error(`${path} answered ${text}`)
      return JSON.parse(text)
    }
    const signedIn = (): Promise<SignedIn> => read('/')

    async function begin() {
      await page.goto(`${started.url}/sign-in`)
      if (client.button) await page.getByRole('button', { name: client.button }).click()
    }
    const arrive = () =>
      page.waitForURL(`${started.url}/`).catch(async () => {
        throw new Error(`${page.url()} shows ${await page.locator('body').innerText()}`)
      })
    const userInfoWith = ({ access_token }: SignedIn) =>
      fetch(`${started.issuer}/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })

    test('signs a person in', async () => {
      await begin()
      await page.getByRole('button', { name: firstWay }).click()
      await page.getByLabel('Name').fill(ada.name)
      await page.getByLabel('E-mail').fill(ada.email)
      await page.getByRole('button', { name: 'Log in' }).click()
      await arrive()
      const told = await signedIn()
      const { body } = await site.node.as(started.organization, 'GET', '/persons')
      expect(body.result).toMatchObject([{ person_id: told.sub }])
      sub = body.result[0].person_id
      expect(claimsOf(told.id_token ?? '')).toMatchObject({ sub, email: ada.email, email_verified: true })
    })

    const steps: Record<Step, [string, () => Promise<void>]> = {
      refresh: [
        'has new tokens by its refresh token',
        async () => {
          const before = await signedIn()
          await read('/refresh')
          const after = await signedIn()
          expect(after.access_token).not.toBe(before.access_token)
          expect(await (await userInfoWith(after)).json()).toMatchObject({ sub })
        },
      ],
      'user-info': [
        'reads user info',
        async () => expect(await read('/user-info')).toMatchObject({ sub, email: ada.email }),
      ],
      revoke: [
        'revokes what it has',
        async () => {
          const tokens = await signedIn()
          await read('/revoke')
          expect((await userInfoWith(tokens)).status).toBe(401)
        },
      ],
      'sign-out': [
        'signs the person out, whom Signet no longer knows then',
        async () => {
          await page.goto(`${started.url}/sign-out`)
          await page.getByRole('button', { name: 'Sign out' }).click()
          await arrive()
          expect(await signedIn()).not.toHaveProperty('access_token')
          await begin()
          await page.getByRole('heading', { name: 'Sign in to Northwind' }).waitFor()
        },
      ],
    }
    for (const step of client.steps) test(...steps[step])
  })
}
