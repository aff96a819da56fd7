import { toTimestamp } from '../../ground/runtime/clock.ts'
import { type Credential, callbackUrlOf } from '../credentials/index.ts'
import { operatorsIn } from '../organizations/index.ts'
import { toProviderClaims } from '../persons/index.ts'
import type { UpstreamIdentity } from '../providers/index.ts'
import { refuseBeyondLimit } from './commit-sign-in.ts'
import { type CallbackInput, expectedOf } from './consume-flow.ts'
import type { Dependencies } from './dependencies.ts'
import { codeOf, logFailure, SignInFailure } from './end-sign-in.ts'
import type { TestFlow } from './flow-store.ts'
import { recognisePerson } from './recognise-person.ts'
import { endTest, type Test } from './test-sign-in-store.ts'
import { type Claims, failedSteps, passedSteps, type TestStep, toClaims } from './test-steps.ts'

/** A test that was not used expires after this time, and one that has ended this long after its end. */
export const testMs = 15 * 60_000

type Identified = Pick<Test, 'organizationId' | 'id'>
type Outcome = { steps: TestStep[]; claims?: Claims }

/** A flow of a test, consumed by this callback, ends: nobody is signed in, and nothing of the person is written but the claims. */
export async function finishTest(
  callback: CallbackInput & { parameters: URLSearchParams },
  flow: TestFlow,
  dependencies: Dependencies,
) {
  const { credentials, providers, baseUrl } = dependencies
  const credential = await credentials.findToTest(flow.organizationId, flow.credentialId)
  if (!credential) return
  try {
    const expected = expectedOf(flow, callback)
    const callbackUrl = callbackUrlOf(baseUrl, credential.id)
    const { parameters } = callback
    const identity = await providers.finishUpstream({ credential, callbackUrl, parameters, expected })
    await store(flow, await judge(flow, credential, identity, dependencies), dependencies)
  } catch (error) {
    await failTest(flow, credential, error, dependencies)
  }
}

/** What a sign-in would make of the person. */
async function judge(
  { organizationId }: Identified,
  credential: Credential,
  identity: UpstreamIdentity,
  dependencies: Dependencies,
): Promise<Outcome> {
  const { database, tiers, providers } = dependencies
  const { issuer, subject } = identity
  const key = { provider: credential.provider, issuer, subject }
  const claims = toClaims(identity)
  try {
    const { how } = await recognisePerson(database.read, organizationId, {
      credential,
      providers,
      key,
      verifiedEmail: toProviderClaims(identity).handle,
      guardedGroup: operatorsIn(dependencies.operatorGroup, organizationId),
    })
    if (how === 'new') await database.transaction((tx) => refuseBeyondLimit(tx, organizationId, tiers))
    return { steps: passedSteps(credential, identity, how), claims }
  } catch (error) {
    if (!(error instanceof SignInFailure)) throw error
    return { steps: failedSteps(error, credential, providers), claims }
  }
}

/** The key that made the test is told of the failure; the log, of a fault of the service. */
export async function failTest(test: Identified, credential: Credential, error: unknown, dependencies: Dependencies) {
  const { log, providers } = dependencies
  if (codeOf(error) === 'unspecified')
    logFailure(log, error, { ...test, credentialId: credential.id }, credential.provider)
  await store(test, { steps: failedSteps(error, credential, providers) }, dependencies)
}

function store({ organizationId, id }: Identified, outcome: Outcome, { database, clock }: Dependencies) {
  const now = clock.now()
  const times = { now: toTimestamp(now), expiresAt: toTimestamp(now + testMs) }
  return endTest(database.write, organizationId, id, { ...outcome, ...times })
}
