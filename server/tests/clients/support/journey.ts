import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claimsOf } from '../../support/jwt.ts'
import { type SignInSite, startSignInSite } from '../../support/sign-in-site.ts'
import type { Client, Step } from './client.ts'
import {
  arrive,
  askUserInfo,
  begin,
  claimsOfAda,
  logIn,
  onlyPerson,
  read,
  signedIn,
  type Visit,
  visit,
} from './visit.ts'

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
    let visiting: Visit

    beforeAll(async () => {
      visiting = await visit(client, site, life)
    })

    afterAll(() => life.disposeAsync())

    test('signs a person in', () => signIn(visiting))
    for (const step of client.steps) test(titles[step], () => takes[step](visiting))
  })
}

const titles: Record<Step, string> = {
  refresh: 'has new tokens by its refresh token',
  'user-info': 'reads user info',
  revoke: 'revokes what it has',
  'sign-out': 'signs the person out, whom Signet no longer knows then',
}

const takes: Record<Step, (visit: Visit) => Promise<void>> = {
  refresh,
  'user-info': readUserInfo,
  revoke,
  'sign-out': signOut,
}

async function signIn(visit: Visit) {
  await begin(visit)
  await logIn(visit)
  await arrive(visit)
  const sub = await onlyPerson(visit)
  const result = await signedIn(visit)
  expect(result).toMatchObject({ sub })
  expect(claimsOf(result.id_token ?? '')).toMatchObject({ sub, ...claimsOfAda })
}

async function refresh(visit: Visit) {
  const before = await signedIn(visit)
  await read(visit, '/refresh')
  const after = await signedIn(visit)
  expect(after.access_token).not.toBe(before.access_token)
  expect(await (await askUserInfo(visit, after)).json()).toMatchObject({ sub: await onlyPerson(visit), ...claimsOfAda })
}

async function readUserInfo(visit: Visit) {
  const expected: Partial<typeof claimsOfAda> = { ...claimsOfAda }
  for (const claim of visit.client.withholds ?? []) delete expected[claim]
  expect(await read(visit, '/user-info')).toMatchObject({ sub: await onlyPerson(visit), ...expected })
}

async function revoke(visit: Visit) {
  const tokens = await signedIn(visit)
  expect((await askUserInfo(visit, tokens)).status).toBe(200)
  await read(visit, '/revoke')
  expect((await askUserInfo(visit, tokens)).status).toBe(401)
}

async function signOut(visit: Visit) {
  await visit.page.goto(`${visit.url}/sign-out`)
  await visit.page.getByRole('button', { name: 'Sign out' }).click()
  await arrive(visit)
  expect(await signedIn(visit)).not.toHaveProperty('access_token')
  await begin(visit)
  await visit.page.getByRole('heading', { name: 'Sign in to Northwind' }).waitFor()
}
