import type { Page } from 'playwright-core'
import type { SignInSite } from '../../support/sign-in-site.ts'
import { type Client, firstWay, type Started, startClient } from './client.ts'
import type { SignedIn } from './serve.ts'

/** A machine that is busy with other test files takes its time. */
const patienceMs = 20_000
const ada = { name: 'Ada', email: 'ada@example.com' }
/** What is said of her by the provider, whose user names are the addresses without their domains. */
export const claimsOfAda = { ...ada, email_verified: true, preferred_username: 'ada' }

/** One person's browser at the application of a client. */
export type Visit = Started & { page: Page; client: Client; site: SignInSite }

export async function visit(client: Client, site: SignInSite, life: AsyncDisposableStack): Promise<Visit> {
  const started = await startClient(client, site, life)
  const profile = await site.profile()
  life.defer(() => profile.close())
  const page = await profile.newPage()
  page.setDefaultTimeout(patienceMs)
  return { ...started, page, client, site }
}

export async function begin({ page, url, client }: Visit) {
  await page.goto(`${url}/sign-in`)
  if (client.button) await page.getByRole('button', { name: client.button }).click()
}

export async function logIn({ page }: Visit) {
  await page.getByRole('button', { name: firstWay }).click()
  await page.getByLabel('Name').fill(ada.name)
  await page.getByLabel('E-mail').fill(ada.email)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** Waits until the browser is back at the application. */
export async function arrive({ page, url }: Visit) {
  await page.waitForURL(`${url}/`).catch(async () => {
    throw new Error(`${page.url()} shows ${await page.locator('body').innerText()}`)
  })
}

/** What the application answers. */
export async function read({ page, url }: Visit, path: string) {
  await page.goto(url + path)
  const text = await page.locator('body', { hasText: /./ }).innerText()
  if (!text.startsWith('{')) throw new Error(`${path} answered ${text}`)
  return JSON.parse(text)
}

export const signedIn = (visit: Visit): Promise<SignedIn> => read(visit, '/')

/** Who has signed in, as Signet says it; nobody else has. */
export async function onlyPerson({ site, organization }: Visit): Promise<string> {
  const { body } = await site.node.as(organization, 'GET', '/persons')
  if (body.result.length !== 1) throw new Error(`${body.result.length} persons`)
  return body.result[0].person_id
}

/** What Signet answers to whoever has the access token. */
export const askUserInfo = ({ issuer }: Visit, { access_token }: SignedIn) =>
  fetch(`${issuer}/userinfo`, { headers: { authorization: `Bearer ${access_token}` } })
