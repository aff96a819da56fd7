import type { SignInHandle } from '../../delivery/events/index.ts'
import type { Transaction } from '../../ground/database/database.ts'
import { toTimestamp } from '../../ground/runtime/clock.ts'
import type { Provider } from '../credentials/index.ts'
import { type Interaction, type Redirect, saveError } from '../issuer/index.ts'
import { findPerson, holdPerson } from '../persons/index.ts'
import { ProviderFailure } from '../providers/index.ts'
import { authenticationFailed, type Failure, type FailureCode, type RecognisedPerson } from './authentication-events.ts'
import { type BrowserContext, storeFlow } from './client-context.ts'
import type { Dependencies } from './dependencies.ts'
import { endFlow, type Flow } from './flow-store.ts'

/*
 * How a sign-in ends without success. The application always receives an OAuth error.
 * - `endFlowWithError`, `failFlow`: the sign-in has begun. AuthenticationFailed_v1 is its final event.
 * - `endAtOnce`: the person has acted on the page, so the sign-in begins and ends. The same event.
 * - `endUnbegun`: the browser only followed a link, as anybody may have it do. No event; the flow counts as abandoned when it
 *   expires.
 */

/**
 * `person` was recognised before the sign-in failed; `setting` of the organization refuses the person; `reason` is what a hook has the
 * application told, and stands in no log and no event.
 */
type Known = { person?: RecognisedPerson | undefined; setting?: string; reason?: string | undefined }

/** `message` is for the log. */
export class SignInFailure extends Error {
  readonly code: FailureCode
  readonly person: RecognisedPerson | undefined
  readonly setting: string | undefined
  readonly reason: string | undefined

  constructor(code: FailureCode, detail: string, { person, setting, reason }: Known = {}) {
    super(detail)
    this.code = code
    this.person = person
    this.setting = setting
    this.reason = reason
  }
}

/** Codes that a person or an administrator causes; all others are faults of a provider, its setup, or the service. */
const denials: FailureCode[] = [
  'oidc_access_denied',
  'flow_cancelled',
  'person_not_active',
  'person_limit_reached',
  'registration_not_allowed',
  'invitation_not_open',
  'sync_hook_failed',
  'sync_hook_denied',
]

/** The error for the application; it repeats no text of a provider. `reason`: of a hook that refused. */
export const oauthErrorOf = (code: FailureCode, reason?: string) => ({
  error: errorOf(code),
  error_description: reason ?? `the sign-in failed: ${code}`,
})

/** RFC 6749, section 4.1.2.1, and OpenID Connect Core, 3.1.2.2. */
function errorOf(code: FailureCode) {
  if (code === 'person_mismatch') return 'login_required'
  return denials.includes(code) ? 'access_denied' : 'server_error'
}

export const reasonOf = (error: unknown) => (error instanceof SignInFailure ? error.reason : undefined)

export const codeOf = (error: unknown): FailureCode =>
  error instanceof ProviderFailure || error instanceof SignInFailure ? error.code : 'unspecified'

/** A session that is used again has no flow. */
type Logged = Pick<Flow, 'organizationId'> & { id?: string; credentialId?: string | undefined }

/** The message of a failure names the step, and holds no secret and no address; `trace` are ids of the provider's own. */
export function logFailure(log: Dependencies['log'], error: unknown, logged: Logged, provider?: Provider) {
  const { organizationId: organization_id, id: flow_id, credentialId: credential_id } = logged
  const ids = { organization_id, flow_id, credential_id, provider }
  const reason = codeOf(error)
  if (reason === 'unspecified') return log.error({ ...ids, err: error }, 'sign-in failed: fault of the service')
  const trace = error instanceof ProviderFailure ? error.trace : {}
  log.info({ ...ids, reason, detail: (error as Error).message, trace }, 'sign-in failed')
}

/** `credentialId`: the credential that the browser was to be sent to. Undefined: the flow is over. */
export async function endAtOnce(
  context: BrowserContext,
  error: unknown,
  dependencies: Dependencies,
  credentialId?: string,
): Promise<Redirect | undefined> {
  const { interaction } = context
  const flow = await storeFlow(context, { state: 'begun' }, dependencies)
  if (!flow) return undefined
  await endFlowWithError(error, { ...flow, credentialId }, interaction, dependencies)
  return { to: interaction.returnTo }
}

/** Undefined: the flow is over. */
export async function endUnbegun(
  context: BrowserContext,
  failure: SignInFailure,
  dependencies: Dependencies,
): Promise<Redirect | undefined> {
  const { organizationId, interaction } = context
  const { database, clock, log } = dependencies
  const flow = await storeFlow(context, { state: 'stored' }, dependencies)
  if (!flow) return undefined
  logFailure(log, failure, flow)
  const [result, now] = [oauthErrorOf(failure.code), toTimestamp(clock.now())]
  await database.transaction((tx) => saveError(tx, organizationId, interaction.uid, result, now))
  return { to: interaction.returnTo }
}

/** Logs the error, and ends the flow with it. */
export async function endFlowWithError(
  error: unknown,
  flow: Flow & Pick<Logged, 'credentialId'> & { handle?: SignInHandle | undefined },
  interaction: Interaction | undefined,
  dependencies: Dependencies,
) {
  const { clientId, credentialId, handle } = flow
  const provider = await providerOf(flow, dependencies)
  logFailure(dependencies.log, error, flow, provider)
  const person = await personOf(error, flow.organizationId, interaction, dependencies)
  const failure = { code: codeOf(error), reason: reasonOf(error), person, provider, clientId, credentialId, handle }
  await failFlow(flow, failure, dependencies)
}

/** For the log and the statistics: undefined also where it cannot be read. */
export async function providerOf(
  { organizationId, credentialId }: { organizationId: string; credentialId?: string | null | undefined },
  { credentials }: Pick<Dependencies, 'credentials'>,
): Promise<Provider | undefined> {
  if (!credentialId) return undefined
  return credentials.providerOf(organizationId, credentialId).catch(() => undefined)
}

/**
 * The end of the flow, the error for the application and the event, in one transaction. A flow that has ended has its final
 * event, and stays as it is.
 */
export async function failFlow(
  flow: Flow,
  failure: Failure & { reason?: string | undefined },
  { database, clock, publish, onOutcome }: Pick<Dependencies, 'database' | 'clock' | 'publish' | 'onOutcome'>,
) {
  const { organizationId, id, interactionUid } = flow
  const now = toTimestamp(clock.now())
  await database.transaction(async (tx) => {
    if (!(await endFlow(tx, organizationId, id, now))) return
    const event = authenticationFailed(flow, { ...failure, handle: await keptHandle(tx, organizationId, failure) })
    // The event is published even if the interaction is over and takes no result.
    await tx.last(() =>
      Promise.all([
        saveError(tx, organizationId, interactionUid, oauthErrorOf(failure.code, failure.reason), now),
        publish(tx, organizationId, [event]),
      ]),
    )
    tx.afterCommit(() => onOutcome(failure.code))
  })
}

/** Whose person was deleted meanwhile, the address is not written any more. */
async function keptHandle(tx: Transaction, organizationId: string, { person, handle }: Failure) {
  if (!person || !handle) return handle
  const isKept = await holdPerson(tx, organizationId, person.personId)
  return isKept ? handle : { ...handle, value: null }
}

/** The person whom the sign-in had recognised, or else the one whose session the browser had before. */
async function personOf(
  error: unknown,
  organizationId: string,
  interaction: Interaction | undefined,
  { database }: Pick<Dependencies, 'database'>,
): Promise<RecognisedPerson | undefined> {
  if (error instanceof SignInFailure && error.person) return error.person
  if (!interaction?.sessionPersonId) return undefined
  const person = await findPerson(database.read, organizationId, interaction.sessionPersonId)
  return person && { personId: person.person_id, region: person.region }
}
