import { SignetError } from '@signet/management'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { useIsAway } from '../network/network.ts'
import { Button } from './button.tsx'
import { explainForeign, type Words } from './foreign-reply.ts'
import { Icon } from './icon.tsx'
import { messagesOf } from './problems.ts'
import styles from './state.module.css'

type LoadedProps<Data> = {
  query: UseQueryResult<Data>
  /** Lines that the placeholder has. */
  lines?: number
  children: (data: Data) => ReactNode
}

/** What a query brings, or why it has not: every page shows loading and failing in the same way. */
export function Loaded<Data>({ query, lines = 5, children }: LoadedProps<Data>) {
  if (query.data !== undefined && !isGone(query.error))
    return (
      <>
        {query.isError && <Failure error={query.error} retry={query.refetch} isStale />}
        <div className={styles.loaded} aria-busy={query.isPlaceholderData || undefined}>
          {children(query.data)}
        </div>
      </>
    )
  if (query.isError) return <Failure error={query.error} retry={query.refetch} />
  return <Skeleton lines={lines} isSlow={query.failureCount > 0} />
}

/** Of what is deleted nothing is shown, though it was there before. */
const isGone = (error: unknown) => error instanceof SignetError && error.status === 404 && !error.isForeign

/** Later than this a slow answer is spoken of. */
const slowMs = 3_000

function Skeleton({ lines, isSlow }: { lines: number; isSlow: boolean }) {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), slowMs)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div role="status" className={styles.skeleton}>
      <span className={isLate || isSlow ? styles.late : 'visually-hidden'}>
        {isLate || isSlow ? 'Loading takes longer than usual…' : 'Loading…'}
      </span>
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <span key={line} className={styles.line} />
      ))}
    </div>
  )
}

type FailureProps = {
  error: unknown
  retry?: () => unknown
  /** What is shown below is older. */
  isStale?: boolean
}

/** Says in words what failed, whose request it was, and what can be done. */
export function Failure({ error, retry, isStale = false }: FailureProps) {
  const { title, advice } = explain(error, useIsAway())
  const requestId = error instanceof SignetError ? error.requestId : undefined
  return (
    <div role="alert" className={styles.failure}>
      <Icon name="alert" />
      <div className={styles.words}>
        <strong>{isStale ? `${title} What follows is older.` : title}</strong>
        <p>{advice}</p>
        {requestId && <p className={styles.request}>Request {requestId}</p>}
      </div>
      {retry && <Retry error={error} retry={retry} />}
    </div>
  )
}

/** Against a limit it waits for the time that the service asked for. */
function Retry({ error, retry }: { error: unknown; retry: () => unknown }) {
  const [seconds, setSeconds] = useState(() => waitOf(error))
  useEffect(() => setSeconds(waitOf(error)), [error])
  useEffect(() => {
    if (seconds <= 0) return undefined
    const timer = setTimeout(() => setSeconds(seconds - 1), 1_000)
    return () => clearTimeout(timer)
  }, [seconds])
  return (
    <Button icon="refresh" size="small" disabled={seconds > 0} onClick={() => retry()}>
      {seconds > 0 ? `Try again in ${seconds} s` : 'Try again'}
    </Button>
  )
}

const waitOf = (error: unknown) =>
  error instanceof SignetError && error.status === 429 ? Math.ceil((error.retryAfterMs ?? 1_000) / 1_000) : 0

function explain(error: unknown, isAway: boolean): Words {
  if (error instanceof SignetError && error.isForeign) return explainForeign(error)
  const status = error instanceof SignetError ? error.status : undefined
  const said = messagesOf(error).join('; ')
  switch (status) {
    case undefined:
      return isAway ? noConnection : { title: 'Signet does not answer.', advice: 'Check whether Signet is running.' }
    case 401:
      return { title: 'The session is over.', advice: 'Sign in again to go on.' }
    case 403:
      return { title: 'You may not do that.', advice: said }
    case 404:
      return { title: 'There is no such thing here.', advice: 'It was deleted, or the address is wrong.' }
    case 413:
      return { title: 'That is too large.', advice: said }
    case 429:
      return { title: 'Too many requests.', advice: said }
    case 503:
      return { title: 'Signet is unavailable for now.', advice: 'Its database cannot be reached, or it is overloaded.' }
    default:
      if (status >= 500)
        return { title: 'Signet failed.', advice: 'The cause is in its log, by the id of the request.' }
      return { title: 'That was refused.', advice: said }
  }
}

const noConnection: Words = {
  title: 'There is no connection to Signet.',
  advice:
    'What you see is loaded again when it is back. What you wanted to change is not sent by itself: do it again then.',
}

type EmptyProps = { title: string; icon?: Parameters<typeof Icon>[0]['name']; children?: ReactNode; action?: ReactNode }

/** Where there is nothing yet, or nothing that fits. */
export function Empty({ title, icon, children, action }: EmptyProps) {
  return (
    <div className={styles.empty}>
      {icon && (
        <span className={styles.emptyIcon}>
          <Icon name={icon} size={22} />
        </span>
      )}
      <strong>{title}</strong>
      {children && <div className={styles.emptyWords}>{children}</div>}
      {action}
    </div>
  )
}

/** Something that the reader should know, in the flow of a page. */
export function Notice({
  tone = 'info',
  title,
  children,
  action,
}: {
  tone?: 'info' | 'warn' | 'bad' | 'good'
  title?: string
  children?: ReactNode
  action?: ReactNode
}) {
  return (
    <div className={`${styles.notice} ${styles[tone]}`}>
      <Icon name={tone === 'good' ? 'check' : tone === 'info' ? 'info' : 'alert'} />
      <div className={styles.words}>
        {title && <strong>{title}</strong>}
        {children && <div>{children}</div>}
      </div>
      {action}
    </div>
  )
}
