import { type Onward, saveResult } from '../issuer/index.ts'
import { toTimestamp } from '../runtime/clock.ts'
import type { Dependencies } from './dependencies.ts'
import { logFailure } from './fail-sign-in.ts'
import { oauthErrorOf, type SignInFailure } from './failure.ts'
import { keepFlowOf, type Visitor } from './visitor.ts'

/**
 * A sign-in that nobody can begin. The application is told, and no event: links alone, which anybody may follow or have
 * followed, fill nobody's log. Its flow is counted as abandoned when it expires. Undefined: the flow is over.
 */
export async function endUnbegun(
  visitor: Visitor,
  failure: SignInFailure,
  dependencies: Dependencies,
): Promise<Onward | undefined> {
  const { organizationId, interaction } = visitor
  const { database, clock, log } = dependencies
  const flow = await keepFlowOf(visitor, { begins: false }, dependencies)
  if (!flow) return undefined
  logFailure(log, failure, flow)
  const [result, now] = [oauthErrorOf(failure.word), toTimestamp(clock.now())]
  await database.transaction((tx) => saveResult(tx, organizationId, interaction.uid, result, now))
  return { to: interaction.returnTo }
}
