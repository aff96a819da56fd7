import type { Onward } from '../issuer/index.ts'
import type { Dependencies } from './dependencies.ts'
import { endWithFailure } from './fail-sign-in.ts'
import { keepFlowOf, type Visitor } from './visitor.ts'

/**
 * A sign-in that ends before a provider is asked, which is also when it begins. `credentialId`: the one that it was to be
 * done with. Undefined: the flow is over.
 */
export async function endAtOnce(
  visitor: Visitor,
  error: unknown,
  dependencies: Dependencies,
  credentialId?: string,
): Promise<Onward | undefined> {
  const { interaction } = visitor
  const flow = await keepFlowOf(visitor, { begins: true }, dependencies)
  if (!flow) return undefined
  await endWithFailure(error, { ...flow, credentialId }, interaction, dependencies)
  return { to: interaction.returnTo }
}
