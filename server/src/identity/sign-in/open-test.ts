import { toTimestamp } from '../../ground/runtime/clock.ts'
import { hashOf } from '../../ground/runtime/secret-hash.ts'
import type { Redirect } from '../issuer/index.ts'
import type { Dependencies } from './dependencies.ts'
import { failTest } from './end-test.ts'
import type { FlowCookies } from './flow-cookie.ts'
import { lostTestPage, type Shown, testOverPage } from './sign-in-pages.ts'
import { prepareUpstream, redirectToProvider } from './start-upstream.ts'
import { insertTestFlow, markTestOpened, saveSteps } from './test-sign-in-store.ts'
import { openedSteps } from './test-steps.ts'

type Opening = { organizationId: string; secret: string; cookies: FlowCookies }

/**
 * Gives the flow of a test to the browser that opens its link first, and sends it to the provider. A test that cannot begin has
 * ended.
 */
export async function openTest(
  { organizationId, secret, cookies }: Opening,
  dependencies: Dependencies,
): Promise<Redirect | Shown> {
  const { database, clock, credentials } = dependencies
  const test = await markTestOpened(database.write, organizationId, hashOf(secret), toTimestamp(clock.now()))
  const credential = test && (await credentials.findToTest(organizationId, test.credentialId))
  if (!credential) return { page: lostTestPage, status: 400 }
  try {
    const prepared = await prepareUpstream({ organizationId, credential, authRequirements: {} }, dependencies)
    await database.transaction(async (tx) => {
      await insertTestFlow(tx, test, prepared.choice)
      await saveSteps(tx, organizationId, test.id, openedSteps(credential))
    })
    return redirectToProvider(test, prepared, cookies, dependencies)
  } catch (error) {
    await failTest(test, credential, error, dependencies)
    return { page: testOverPage, status: 200 }
  }
}
