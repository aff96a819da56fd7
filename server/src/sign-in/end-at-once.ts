import { toTimestamp } from '../clock.ts'
import type { Dependencies } from './dependencies.ts'
import { failSignIn, logFailure, recognisedIn, wordOf } from './fail-sign-in.ts'
import { keepFlow } from './flow-store.ts'
import type { Onward } from './onward.ts'
import type { Visitor } from './visitor.ts'

/** A sign-in that ends before a provider is asked, which is also when it begins. Undefined: the flow is over. */
export async function endAtOnce(
  visitor: Visitor,
  error: unknown,
  dependencies: Dependencies,
): Promise<Onward | undefined> {
  const { organizationId, interaction } = visitor
  const { database, clock, flowMs, log } = dependencies
  const now = clock.now()
  const kept = { begins: true, now: toTimestamp(now), expiresAt: toTimestamp(now + flowMs) }
  const flow = await keepFlow(database.write, organizationId, visitor.flow, kept)
  if (!flow) return undefined
  logFailure(log, error, flow)
  const recognised = await recognisedIn(error, organizationId, interaction, dependencies)
  await failSignIn(flow, wordOf(error), dependencies, recognised)
  return { to: interaction.returnTo }
}
