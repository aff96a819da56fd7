import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'vitest'
import { baseUrl } from '../../support/browser.ts'
import type { Connection } from '../../support/database.ts'
import { isLong } from '../../support/form.ts'
import { startReceiver } from '../../support/receiver.ts'
import { createClient, type SignetOptions } from '../../support/signet.ts'
import { startOidcProviders } from '../../support/upstreams.ts'
import { addWebhook, eventNames } from '../../support/webhooks.ts'
import { startFleet } from './fleet.ts'
import { addApplication, startLoad } from './load.ts'
import { expectNothingLost } from './verdict.ts'

export const size = 3

/** Nothing is given up, however long a process is frozen. */
const retry = { initialMs: 300, maxMs: 3_000, windowMs: 1_200_000 }
/** Of all processes together. */
const limits = { perWebhook: 10, perOrganization: size * 128, total: size * 512 }
const settings = {
  SIGNET_BASE_URL: baseUrl,
  // More than the balancer takes to notice; on a busy machine, on which a check may take its whole time, somewhat more.
  SIGNET_DRAIN: isLong ? '6s' : '3s',
  SIGNET_RETRY_INITIAL: `${retry.initialMs}ms`,
  SIGNET_RETRY_MAX: `${retry.maxMs}ms`,
  SIGNET_RETRY_WINDOW: `${retry.windowMs}ms`,
  SIGNET_RATE_TEST_EVENTS: '100000/100000',
  SIGNET_LOG_LEVEL: 'error',
}

type Options = Pick<SignetOptions, 'program' | 'masterKey' | 'env'> & {
  /** Receivers besides its own, as in SIGNET_WEBHOOK_RESOLVE. */
  receivers?: string[]
}

/** Processes of one installation under load, with a receiver and a provider. */
export async function startInstallation(context: TestContext, connection: Connection, options: Options = {}) {
  const [receiver, oidc] = await Promise.all([startReceiver(), startOidcProviders()])
  const folder = mkdtempSync(join(tmpdir(), 'signet-test-'))
  context.onTestFinished(async () => {
    await Promise.all([receiver.stop(), oidc.stop()])
    rmSync(folder, { recursive: true })
  })
  const providers = join(folder, 'providers.json')
  writeFileSync(providers, JSON.stringify({ provider_a: { issuer: oidc.urls.google, trust_email: true } }))
  const resolve = [receiver.resolve, ...(options.receivers ?? [])].join(',')
  const env = { ...settings, ...options.env, SIGNET_PROVIDERS: providers, SIGNET_WEBHOOK_RESOLVE: resolve }
  const fleet = await startFleet({ ...options, size, databaseUrl: connection.url, receiver, env })
  context.onTestFinished(async () => void (await fleet.stop()))
  context.onTestFailed(() => console.log(fleet.output()))

  const { url, failures } = fleet.balancer
  const client = createClient(url, fleet.operatorKey)
  const organization = await client.organization()
  receiver.behave('/slow', { delayMs: 100 })
  for (const path of ['/quick', '/slow']) await addWebhook(client, organization, receiver.url(path), eventNames)
  const application = await addApplication(client, organization)
  const load = startLoad({ client, organization, failures, application })
  return {
    fleet,
    client,
    load,
    /** Ends the load. Gives what there was to tell. `unseenUntil`: see `Rules`. */
    expectNothingLost: async (unseenUntil?: number) => {
      const evidence = { fleet, load, connection, receiver, organization, retry, limits, unseenUntil }
      const counts = await expectNothingLost(evidence)
      const requests = fleet.balancer.answered() + failures.length
      return { requests, 'failed on them': failures.length, 'sign-ins': load.signedIn.size, ...counts }
    },
  }
}
