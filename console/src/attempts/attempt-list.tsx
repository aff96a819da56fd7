import type { Attempt } from '@signet/management'
import type { ReactNode } from 'react'
import { Badge, type Tone } from '../design/badge.tsx'
import { Code, Json } from '../design/code.tsx'
import { Copyable } from '../design/copy.tsx'
import { Properties } from '../design/properties.tsx'
import { Soft } from '../design/text.tsx'
import { duration, Time } from '../design/time.tsx'
import { Why } from '../outcomes/outcome.tsx'
import { hookStatusWords, sayError } from '../outcomes/outcome-words.ts'
import styles from './attempt-list.module.css'
import { resultOf } from './delivery-words.ts'

/** Of a webhook, or with a logout token. */
type ShownAttempt = Omit<Attempt, 'request'> & { request?: { kid: string; claims: object; header_names: string[] } }

type AttemptListProps<Shown> = {
  attempts: readonly Shown[]
  /** Of a run of a synchronous hook, which has rules of its own for what counts. */
  isHook?: boolean
  /** The `trigger_content` of all of them, where it is known. */
  content?: object | undefined
  /** What is to be said of its JWT. */
  verdictOf?: (attempt: Shown) => ReactNode
}

/** A time line of requests, the newest first. */
export function AttemptList<Shown extends ShownAttempt>(props: AttemptListProps<Shown>) {
  const { attempts, isHook = false, content, verdictOf } = props
  if (attempts.length === 0) return <p>No request was made yet.</p>
  return (
    <ol className={styles.list} aria-label="Attempts">
      {attempts.toReversed().map((attempt, place) => (
        <li key={attempt.jti} className={`${styles.attempt} ${styles[toneOf(attempt)]}`}>
          <h3 className={styles.head}>
            Attempt {attempt.number} <Badge tone={toneOf(attempt)}>{headOf(attempt)}</Badge>{' '}
            {attempt.refusal_code && <Badge tone="warn">{attempt.refusal_code}</Badge>}
          </h3>
          <p className={styles.when}>
            <Time at={attempt.started_at} /> <Soft>took {duration(attempt.duration_ms)}</Soft>
          </p>
          <Words attempt={attempt} isHook={isHook} />
          {attempt.resent && (
            <p>
              Sent twice: a kept connection ended before the answer began. The receiver may have had both, with one jti.
            </p>
          )}
          <Answer attempt={attempt} isOpen={place === 0} />
          {verdictOf?.(attempt)}
          <details>
            <summary aria-label={`Request of attempt ${attempt.number}`}>Request</summary>
            <Request attempt={attempt} content={content} />
          </details>
        </li>
      ))}
    </ol>
  )
}

const isAnswered = (status: number | undefined) => status !== undefined && status >= 200 && status < 300
const toneOf = ({ status_code, error }: ShownAttempt): Tone & ('good' | 'bad') =>
  isAnswered(status_code) && !error ? 'good' : 'bad'
const headOf = ({ status_code, error }: ShownAttempt) => resultOf({ last_status_code: status_code, last_error: error })

function Words({ attempt: { status_code, error }, isHook }: { attempt: ShownAttempt; isHook: boolean }) {
  if (error)
    return (
      <p>
        <Why code={error} words={sayError(error, isHook) ?? error} />
      </p>
    )
  if (isAnswered(status_code)) return null
  return <p>{isHook ? hookStatusWords : 'Only a status from 200 to 299 counts as delivered.'}</p>
}

/** That of the newest attempt is what one looks for. */
function Answer({ attempt: { number, answer }, isOpen }: { attempt: ShownAttempt; isOpen: boolean }) {
  if (answer === undefined) return null
  return (
    <details open={isOpen}>
      <summary aria-label={`Answer to attempt ${number}`}>Answer</summary>
      <Code text={answer || '(empty)'} label={`Answer to attempt ${number}, its first 1 KiB`} wrap />
    </details>
  )
}

/** Attempts of earlier versions of Signet have no `request`. */
function Request({ attempt, content }: { attempt: ShownAttempt; content: object | undefined }) {
  const { request, jti, number } = attempt
  if (!request)
    return <Properties items={[['jti', <Copyable key="jti" text={jti} of={`jti of attempt ${number}`} />]]} />
  const claims = content ? { ...request.claims, trigger_content: content } : request.claims
  return (
    <div className={styles.request}>
      <Json value={claims} label={`Claims of attempt ${number}`} />
      <Properties
        items={[
          ['Signed with key', <Copyable key="kid" text={request.kid} of={`key ID of attempt ${number}`} />],
          ['Headers', <code key="headers">{request.header_names.join(', ')}</code>],
        ]}
      />
    </div>
  )
}
