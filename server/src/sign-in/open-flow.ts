import type { Choice } from '../credentials/index.ts'
import type { BeginSignIn, Onward } from '../issuer/index.ts'
import type { Dependencies } from './dependencies.ts'
import { endAtOnce } from './end-at-once.ts'
import { endUnbegun } from './end-unbegun.ts'
import { SignInFailure } from './failure.ts'
import { leadUpstream, sendUpstream } from './send-upstream.ts'
import { keepFlowOf, toVisitor, type Visitor } from './visitor.ts'

/** Undefined: the flow is over. */
export type Opened = Onward | { choices: Choice[] } | undefined

/** Where there is nothing to choose, the browser goes straight on; else the person is asked. */
export async function openFlow(visitor: Visitor, dependencies: Dependencies): Promise<Opened> {
  const choices = await offeredTo(visitor, dependencies)
  const [first] = choices
  if (!first) return endUnbegun(visitor, noSuchWay(), dependencies)
  if (choices.length === 1) return sendUpstream(visitor, { credentialId: first.id, begins: false }, dependencies)
  // A person who leaves this page is counted, and one who comes back to it stays in one sign-in.
  return (await keepFlowOf(visitor, { begins: false }, dependencies)) ? { choices } : undefined
}

/**
 * Where there is nothing to choose, the browser need not come to the page first. Whatever else there is to say is for the
 * page, which asks for the browser's cookie: a link alone, which anybody may follow, ends nothing and tells nobody.
 */
export const createBeginSignIn =
  (dependencies: Dependencies): BeginSignIn =>
  async (begun) => {
    const visitor = toVisitor(begun, dependencies)
    try {
      const [only, ...others] = await offeredTo(visitor, dependencies)
      if (!only || others.length > 0) return undefined
      return await leadUpstream(visitor, { credentialId: only.id, begins: false }, dependencies)
    } catch {
      return undefined
    }
  }

const noSuchWay = () => new SignInFailure('credential_misconfigured', 'idp: no such credential')

/** What the person sent from the page: a credential, or nothing to cancel. What is not offered is asked again. */
export async function chooseProvider(
  visitor: Visitor,
  credentialId: string | undefined,
  dependencies: Dependencies,
): Promise<Opened> {
  if (credentialId === undefined)
    return endAtOnce(visitor, new SignInFailure('flow_cancelled', 'page: cancelled'), dependencies)
  const choices = await offeredTo(visitor, dependencies)
  if (choices.length === 0) return endAtOnce(visitor, noSuchWay(), dependencies)
  return choices.some(({ id }) => id === credentialId)
    ? sendUpstream(visitor, { credentialId, begins: true }, dependencies)
    : openFlow(visitor, dependencies)
}

async function offeredTo(
  { organizationId, interaction }: Visitor,
  { credentials }: Pick<Dependencies, 'credentials'>,
): Promise<Choice[]> {
  const { idp } = interaction.params
  if (idp === undefined) return credentials.list(organizationId)
  const named = await credentials.findNamed(organizationId, idp)
  return named ? [named] : []
}
