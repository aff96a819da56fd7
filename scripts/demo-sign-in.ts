// `npm run demo -- sign-in`: a person signs in to an application, in a real browser and on real parts: Signet on a temporary
// folder, an identity provider with a page to log in, the application of examples/sign-in, the hook of docs/hooks.md and
// the receiver of examples/receiver, each in a process of its own. A picture is kept, at the path in the argument if there is one.
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { styleText } from 'node:util'
import type { Page } from 'playwright-core'
import { startRealBrowser } from '../server/tests/support/real-browser.ts'
import type { Call } from './call.ts'
import { play, pretty, show, start, startReceiver, startSignet, step, verified } from './demo-stage.ts'
import { freePort } from './free-port.ts'
import { type CertificateFiles, makeCertificate } from './make-certificate.ts'
import { cleanup, type Program, root } from './program.ts'

const picture = resolve(process.argv[2] ?? 'signet-sign-in.png')
const host = 'receiver.test'
const client = { client_id: 'signet-demo', client_secret: 'a-secret-of-the-demo-and-nothing-else' }
const person = { name: 'Ada Lovelace', email: 'ada@example.com' }
const eventNames = ['PersonCreated_v1', 'AuthenticationSucceeded_v1']

await play(tellStory, `Everything is stopped and removed, except the picture: ${picture}`)

async function tellStory(folder: string) {
  const certificate = makeCertificate(join(folder, 'receiver'), host)
  const [port, providerPort, eventsPort, hookPort] = await freePorts()
  const targetOf = (receiverPort: number) => `https://${host}:${receiverPort}/hook`

  step('Start an identity provider with a login page. Signet is configured to use it in place of Google.')
  await startProvider(providerPort, `http://localhost:${port}`)
  const providers = join(folder, 'providers.json')
  writeFileSync(
    providers,
    JSON.stringify({ provider_a: { issuer: `http://127.0.0.1:${providerPort}`, trust_email: true } }),
  )

  step('Start Signet on an empty folder.')
  const started = await startSignet(folder, {
    PORT: `${port}`,
    SIGNET_PROVIDERS: providers,
    SIGNET_WEBHOOK_RESOLVE: `${host}:${eventsPort}:127.0.0.1,${host}:${hookPort}:127.0.0.1`,
    NODE_EXTRA_CA_CERTS: certificate.authority,
  })
  const { signet, baseUrl, organizationId, call } = started
  await storeCredentials(call)
  const applicationUrl = await startApplication(started)

  step('Start a receiver of events, and a hook that adds a claim to each token. Both verify the signatures of Signet.')
  const receiver = await startReceiver(baseUrl, organizationId, targetOf(eventsPort), certificate)
  await startHook(baseUrl, organizationId, targetOf(hookPort), certificate)
  const events = eventNames.map((name) => ['event', name] as const)
  await addWebhook(call, 'Events', targetOf(eventsPort), events)
  await addWebhook(call, 'Plan', targetOf(hookPort), [['sync_hook', 'token_minted']])

  const page = await openBrowser(folder)
  await signIn(page, applicationUrl)
  await showEvents(receiver, signet)
  await signOut(page)
}

async function freePorts(): Promise<[number, number, number, number]> {
  return [await freePort(), await freePort(), await freePort(), await freePort()]
}

async function startProvider(port: number, signet: string) {
  const settings = { PORT: `${port}`, SIGNET: signet, CLIENT_ID: client.client_id, CLIENT_SECRET: client.client_secret }
  const provider = start('examples/provider/provider.ts', settings)
  show(...(await provider.until(/^Listening: .*$/m)))
}

/** Only the first is used; the others fill the page on which a provider is chosen. */
async function storeCredentials(call: Call) {
  step('Store the client ids and secrets of Signet at three identity providers.')
  const others = { client_id: 'not-used', client_secret: 'not-used' }
  const path = '/organizations/sso/oidc/provider-credentials'
  await call('POST', path, { ...client, provider: 'provider_a', label: 'Google' })
  await call('POST', path, { ...others, client_id: 'not-used-either', provider: 'provider_b', label: 'GitHub' })
  await call('POST', path, { ...others, provider: 'provider_g', label: 'Microsoft' })
}

async function startApplication({ baseUrl, organizationId, call }: Awaited<ReturnType<typeof startSignet>>) {
  step('Register an application, and start it. It needs only the issuer, its client id and its secret.')
  const url = `http://localhost:${await freePort()}`
  const { client_id, client_secret } = await call('POST', '/organizations/applications', {
    name: 'Example',
    redirect_uris: [`${url}/callback`],
    post_logout_redirect_uris: [`${url}/`],
    confidential: true,
  })
  const application = start('examples/sign-in/application.ts', {
    ISSUER: `${baseUrl}/oidc/${organizationId}`,
    CLIENT_ID: String(client_id),
    CLIENT_SECRET: String(client_secret),
    APPLICATION_URL: url,
  })
  show(...(await application.until(/^Listening: .*$/m)))
  return url
}

async function startHook(baseUrl: string, organizationId: string, targetUrl: string, files: CertificateFiles) {
  const [, code = ''] = /```js\n(.*?)```/s.exec(readFileSync(join(root, 'docs/hooks.md'), 'utf8')) ?? []
  const own = { SIGNET: baseUrl, ORG: organizationId, TARGET_URL: targetUrl }
  const settings = { ...own, CERTIFICATE: files.certificate, PRIVATE_KEY: files.privateKey }
  const hook = start('the hook of docs/hooks.md', settings, ['--input-type=module', '--eval', code])
  await hook.until(/^Listening$/m)
  show(`Listening: ${targetUrl}`)
}

async function addWebhook(call: Call, name: string, target_url: string, triggers: (readonly [string, string])[]) {
  const { id } = await call('POST', '/organizations/webhooks', { target_url, name })
  for (const [trigger_type, trigger_name] of triggers)
    await call('POST', `/organizations/webhooks/${id}/triggers`, { trigger_type, trigger_name })
}

async function openBrowser(folder: string): Promise<Page> {
  step('Open a browser: a headless Chromium.')
  const browser = await startRealBrowser({}, folder)
  cleanup.defer(() => browser.close())
  show(`Chromium ${browser.version()}`)
  return browser.newPage({ viewport: { width: 960, height: 640 }, deviceScaleFactor: 2 })
}

async function signIn(page: Page, applicationUrl: string) {
  step('Sign in to the application. Signet asks with which provider.')
  await page.goto(applicationUrl)
  await page.getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Sign in to' }).waitFor()
  await page.screenshot({ path: picture })
  show(page.url(), `Picture: ${picture}`)

  step(`Choose Google, and log in there as ${person.name}.`)
  await page.getByRole('button', { name: 'Google' }).click()
  await page.getByLabel('Name').fill(person.name)
  await page.getByLabel('E-mail').fill(person.email)
  show(page.url())
  await page.getByRole('button', { name: 'Log in' }).click()

  step('Back at the application, through Signet. It has verified an ID token with these claims.')
  const claims = await page.locator('#claims').innerText()
  show(
    page.url(),
    claims.replace(/^.*"plan".*$/m, (line) => styleText('green', `${line}  ← added by the hook`)),
  )
  if (!claims.includes('"plan"')) throw new Error('the hook added no claim')
}

async function showEvents(receiver: Program, signet: Program) {
  step('The receiver has received the events: a person was created by the first sign-in, and has signed in.')
  for (const name of eventNames) {
    const { claims } = await verified(name, receiver, signet)
    show('', name, pretty(claims.trigger_content))
  }
}

async function signOut(page: Page) {
  step('Sign out of the application and of Signet.')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
  show(
    'Signet asks first, because a click on a link must not be enough to sign out:',
    await page.locator('p').innerText(),
  )
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('link', { name: 'Sign in' }).waitFor()
  show(page.url(), `The application says ${await page.locator('h1').innerText()} again.`)
}
