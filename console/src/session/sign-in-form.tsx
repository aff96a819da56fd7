import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../design/button.tsx'
import { TextField } from '../design/field.tsx'
import { messagesOf } from '../service/problems.ts'
import { type SignInKeys, signIn } from './session.ts'
import styles from './sign-in-page.module.css'

type SignInFormProps = {
  onSignedIn: () => unknown
  /** Who was signed in: the session is to go on. */
  again?: { organizationId?: string | undefined; operator: boolean }
}

/** By an organization's API key, or by the operator key; one of the two at a time. */
export function SignInForm({ onSignedIn, again }: SignInFormProps) {
  const [isOperator, setOperator] = useState(again?.operator ?? false)
  const [organizationId, setOrganizationId] = useState(again?.organizationId ?? '')
  const [secret, setSecret] = useState('')
  const attempt = useMutation({ mutationFn: signIn, onSuccess: onSignedIn })
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
    attempt.mutate(keys)
  }
  return (
    <form className={styles.form} onSubmit={submit}>
      {attempt.isError && (
        <p role="alert" className={styles.refusal}>
          {messagesOf(attempt.error).join(' ')}
        </p>
      )}
      {!isOperator && (
        <TextField
          {...{ name: 'organization_id', label: 'Organization ID', value: organizationId, onChange: setOrganizationId }}
          {...{ required: true, mono: true, autoComplete: 'username', autoFocus: !again }}
        />
      )}
      <TextField
        key={String(isOperator)}
        {...{ name: 'secret', label: isOperator ? 'Operator key' : 'API key', value: secret, onChange: setSecret }}
        {...{
          type: 'password',
          required: true,
          mono: true,
          autoComplete: 'current-password',
          autoFocus: isOperator || !!again,
        }}
      />
      <div className={styles.buttons}>
        <Button type="submit" tone="primary" busy={attempt.isPending}>
          Sign in
        </Button>
        {!again && (
          <Button tone="quiet" onClick={() => change(!isOperator)}>
            {isOperator ? 'Back' : 'Operator'}
          </Button>
        )}
      </div>
    </form>
  )
}
