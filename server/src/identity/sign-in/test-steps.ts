import type { Credential } from '../credentials/index.ts'
import {
  type Diagnosis,
  type Profile,
  ProviderFailure,
  type Providers,
  type SignInStep,
  stepsOf,
  type UpstreamIdentity,
} from '../providers/index.ts'
import { SignInFailure } from './end-sign-in.ts'
import type { Recognition } from './recognise-person.ts'

/** `field`: what to mend. `message`: what happened, or what to do. `detail`: the problem as the log has it, or a word for the person. */
export type TestStep = {
  step: SignInStep
  status: 'ok' | 'failed' | 'pending'
  field?: string
  message?: string
  detail?: string
}

/** How the provider identified the person. */
export type Claims = { issuer: string; subject: string; email?: string; email_verified: boolean } & Profile

export const toClaims = ({ issuer, subject, email, emailVerified, profile }: UpstreamIdentity): Claims => ({
  issuer,
  subject,
  email_verified: emailVerified,
  ...(email !== undefined && { email }),
  ...profile,
})

export const pendingSteps = (credential: Credential): TestStep[] =>
  stepsOf(credential).map((step) => ({ step, status: 'pending' }))

/** Most providers do not send a browser back whose client or callback they do not know. */
const atProvider =
  'The browser is at the provider. If an error is shown there, compare the client ID, and the callback URL that is registered.'

export const openedSteps = (credential: Credential): TestStep[] =>
  pendingSteps(credential).map((pending) => {
    if (pending.step === 'discovery') return { ...pending, status: 'ok' }
    return pending.step === 'authorization' ? { ...pending, message: atProvider } : pending
  })

/** The steps before `last` went well, those after it were not reached. */
function stepsUntil(credential: Credential, last: TestStep): TestStep[] {
  const steps = pendingSteps(credential)
  const at = steps.findIndex(({ step }) => step === last.step)
  return steps.map((pending, index) => (index < at ? { ...pending, status: 'ok' } : index === at ? last : pending))
}

export function failedSteps(error: unknown, credential: Credential, providers: Providers): TestStep[] {
  const diagnosis = diagnosisOf(error, credential, providers)
  const isKnown = error instanceof ProviderFailure || error instanceof SignInFailure
  return stepsUntil(credential, { ...diagnosis, status: 'failed', ...(isKnown && { detail: error.message }) })
}

function diagnosisOf(error: unknown, credential: Credential, providers: Providers): Diagnosis {
  if (error instanceof ProviderFailure) return providers.diagnose(error, credential)
  if (!(error instanceof SignInFailure)) return { step: 'state', message: 'Signet failed; its log says how.' }
  if (error.code === 'oidc_state_mismatch') return { step: 'state', message: foreignAnswer }
  return { step: 'claims', message: 'Signet would refuse the person.', ...(error.setting && { field: error.setting }) }
}

const foreignAnswer = 'The answer belongs to another sign-in, or came back in another browser.'

/** What a sign-in would do, in words that tell nothing of the person. */
const people: Record<Recognition['how'], string> = {
  known: 'A person is known by this identity.',
  pushed: 'The identity would become one of the person whom the directory of this credential made for it.',
  linked: 'The verified address would link the identity to an existing person.',
  new: 'A new person would be made.',
}

export const passedSteps = (credential: Credential, identity: UpstreamIdentity, how: Recognition['how']): TestStep[] =>
  stepsUntil(credential, {
    step: 'claims',
    status: 'ok',
    message: `${addressIn(identity)} ${people[how]}`,
    detail: how,
  })

function addressIn({ email, emailVerified }: UpstreamIdentity): string {
  if (email === undefined) return 'There is no e-mail address.'
  return emailVerified ? 'There is a verified e-mail address.' : 'There is an e-mail address, which is not verified.'
}
