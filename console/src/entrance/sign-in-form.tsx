import { type FormEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { messagesOf } from '../design/problems.ts'
import { homePathOf } from '../service/address.ts'
import { organizationOf, type SignInKeys, signIn } from '../service/session.ts'
import { firstForm, takeFirstForm } from './first-form.ts'
import styles from './sign-in-page.module.css'

type SignInFormProps = {
  /** To whom the page belongs. Whoever signs in to another one is led there. Absent: the page is nobody's. */
  of?: string | 'operator'
  onSignedIn?: () => unknown
  /** What is typed as the organization's ID. */
  onOrganization?: (id: string) => void
}

/** By an organization's API key, or by the operator key; one of the two at a time. */
export function SignInForm({ of, onSignedIn, onOrganization }: SignInFormProps) {
  const [isOperator, setOperator] = useState(of === 'operator')
  const [organizationId, setOrganizationId] = useState(of && of !== 'operator' ? of : '')
  const [secret, setSecret] = useState('')
  const form = useRef<HTMLFormElement>(null)
  // React would move the focus before one can ask where it is.
  const [isSecond] = useState(() => firstForm() !== null)
  useLayoutEffect(() => {
    const typed = takeFirstForm(form.current, of ? 'secret' : 'organization_id')
    if (typed?.organization_id) setOrganizationId(typed.organization_id)
    if (typed?.secret) setSecret(typed.secret)
  }, [of])
  useEffect(() => onOrganization?.(organizationId.trim()), [organizationId, onOrganization])
  const goOn = (keys: SignInKeys) => {
    const signedIn = organizationOf(keys)?.toLowerCase()
    return of === (signedIn ?? 'operator') ? onSignedIn?.() : location.assign(homePathOf(signedIn))
  }
  const attempt = useAttempt(signIn, goOn)
  const keys: SignInKeys = isOperator
    ? { operator_key: secret.trim() }
    : { organization_id: organizationId.trim(), api_key: secret.trim() }
  const change = (toOperator: boolean) => {
    setOperator(toOperator)
    setSecret('')
    attempt.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void attempt.make(keys)
  }
  return (
    <form ref={form} className={styles.form} onSubmit={submit}>
      {attempt.error !== undefined && (
        <p role="alert" className={styles.refusal}>
          {messagesOf(attempt.error).map(byLabel).join(' ')}
        </p>
      )}
      {!isOperator && (
        <TextField
          name="organization_id"
          label="Organization ID"
          value={organizationId}
          onChange={setOrganizationId}
          required
          mono
          autoComplete="username"
          autoFocus={!of && !isSecond}
        />
      )}
      <TextField
        key={String(isOperator)}
        name="secret"
        label={isOperator ? 'Operator key' : 'API key'}
        value={secret}
        onChange={setSecret}
        type="password"
        required
        mono
        autoComplete="current-password"
        autoFocus={(isOperator || !!of) && !isSecond}
      />
      <div className={styles.buttons}>
        <Button type="submit" tone="primary" busy={attempt.isPending}>
          Sign in
        </Button>
        {!of && (
          <Button tone="quiet" onClick={() => change(!isOperator)}>
            {isOperator ? 'Back' : 'Operator'}
          </Button>
        )}
      </div>
    </form>
  )
}

/** The first page does without the client of queries, which would be half as much script again as the form. */
function useAttempt<Input>(act: (input: Input) => Promise<unknown>, onDone: (input: Input) => unknown) {
  const [{ isPending, error }, setState] = useState<{ isPending: boolean; error?: unknown }>({ isPending: false })
  const make = async (input: Input) => {
    setState({ isPending: true })
    try {
      await act(input)
      await onDone(input)
      setState({ isPending: false })
    } catch (cause) {
      setState({ isPending: false, error: cause })
    }
  }
  return { isPending, error, make, reset: () => setState({ isPending: false }) }
}

const labels = { organization_id: 'Organization ID', api_key: 'API key', operator_key: 'Operator key' }

/** The service names the member of the body, the page the field that was filled. */
const byLabel = (message: string) =>
  message.replace(/\b(?:organization_id|api_key|operator_key)\b/g, (name) => labels[name as keyof typeof labels])
