import type { TestSignIn } from '@signet/management'
import { Icon } from '../design/icon.tsx'
import { Text } from '../design/text.tsx'
import { Link } from '../router/index.ts'
import styles from './test-steps.module.css'

type Step = TestSignIn['steps'][number]

const words: Record<Step['step'], string> = {
  discovery: 'Find the addresses of the provider',
  state: 'See that the answer belongs to this sign-in',
  authorization: 'Get an answer from the provider',
  token: 'Exchange the code for tokens',
  id_token: 'Check the ID token',
  userinfo: 'Ask who the person is',
  emails: 'Ask for the person’s e-mail addresses',
  claims: 'Decide what a sign-in would make of it',
}

const states = { ok: 'passed', failed: 'failed' } as const
const icons = { ok: 'check', failed: 'cross', pending: 'clock' } as const

type TestStepsProps = { steps: readonly Step[]; hasEnded: boolean }

/** In the order in which they happen. */
export const TestSteps = ({ steps, hasEnded }: TestStepsProps) => (
  <ol className={styles.steps} aria-label="Steps of the test">
    {steps.map((step) => (
      <li key={step.step} className={styles[step.status]}>
        <span className={styles.icon}>
          <Icon name={icons[step.status]} size={14} />
        </span>
        <div className={styles.words}>
          <p className={styles.name}>
            {words[step.step]} <span className={styles.state}>{stateOf(step.status, hasEnded)}</span>
          </p>
          {step.message && <p>{step.message}</p>}
          {step.status === 'failed' && step.field && <Mend field={step.field} />}
          {step.status === 'failed' && step.detail && (
            <p className={styles.detail}>
              <Text>{step.detail}</Text>
            </p>
          )}
        </div>
      </li>
    ))}
  </ol>
)

const stateOf = (status: Step['status'], hasEnded: boolean) =>
  status === 'pending' ? (hasEnded ? 'not reached' : 'waiting') : states[status]

const settings = ['self_registration', 'allowed_email_domains', 'link_by_verified_email']

/** Leads to the field that is wrong. */
function Mend({ field }: { field: string }) {
  if (settings.includes(field))
    return (
      <p>
        Mend <Link to="/settings">{field} in the settings of the organization</Link>.
      </p>
    )
  if (field === 'client_id')
    return <p>A client ID does not change: delete this credential, and add one with the right client ID.</p>
  if (!findField(field))
    return (
      <p>
        Mend <code>{field}</code>, a setting of the operator.
      </p>
    )
  return (
    <p>
      <button type="button" className={styles.mend} onClick={() => findField(field)?.focus()}>
        Mend {field}
      </button>
    </p>
  )
}

/** A control of the form of the page, or its callback URL. */
const findField = (field: string) =>
  document.getElementById(field) ?? document.querySelector<HTMLElement>(`main [name="${CSS.escape(field)}"]`)
