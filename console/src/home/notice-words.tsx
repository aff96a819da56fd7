import type { Notice } from '@signet/management'
import type { ReactNode } from 'react'
import { resultOf } from '../attempts/delivery-words.ts'
import { ShortText } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { Link } from '../router/index.ts'
import { manyOf, times } from '../webhooks/health-words.ts'
import { pageOfNotice } from './notices.ts'

/** Something is broken now; the rest only waits, or will end. */
export const isGrave = ({ kind, paused_reason }: Notice) =>
  kind === 'webhook_failing' || kind === 'hook_failing' || (kind === 'webhook_paused' && paused_reason === 'failing')

/** What is the matter, in a sentence with the thing as a link. */
export const NoticeWords = ({ notice }: { notice: Notice }) => (
  <span>{words[notice.kind]?.(notice) ?? unknown(notice)}</span>
)

export const nameOfNotice = ({ target: { type, id, name } }: Notice) => name || `unnamed ${kindOf(type)} ${id}`

const kindOf = (type: string) => type.replaceAll('_', ' ')

const Thing = ({ notice }: { notice: Notice }) => (
  <Link to={pageOfNotice(notice)}>
    <ShortText>{nameOfNotice(notice)}</ShortText>
  </Link>
)

const pausedFor: Partial<Record<string, string>> = {
  requested: 'by request',
  failing: 'because its receiver kept failing',
  restored: 'because this Signet was restored from a backup',
  moving: 'because its organization is moving to another cell',
}

const counted = (count: number, one: string, many: string) => `${manyOf(count)} ${count === 1 ? one : many}`

/** The newest failure and what it keeps waiting, as far as they are known. */
function afterFailure({ last_error: error, held = 0, pending = 0 }: Notice): string {
  const said = error && resultOf({ last_status_code: error.status_code, last_error: error.error })
  const parts = [
    error && said && `last error ${said}, ${times(error.count)}`,
    held > 0 && counted(held, 'delivery held', 'deliveries held'),
    pending > 0 && counted(pending, 'delivery waiting', 'deliveries waiting'),
  ].filter(Boolean)
  return parts.length > 0 ? `: ${parts.join(', ')}` : ''
}

const Expiry = ({ notice: { expires_at: at } }: { notice: Notice }) =>
  at && (
    <>
      {Date.parse(at) < Date.now() ? 'expired' : 'expires'} <Ago at={at} />
    </>
  )

const words: Partial<Record<string, (notice: Notice) => ReactNode>> = {
  webhook_paused: (notice) => (
    <>
      The webhook <Thing notice={notice} /> is paused {pausedFor[notice.paused_reason ?? 'requested']}
      {afterFailure(notice)}.
    </>
  ),
  webhook_failing: (notice) => (
    <>
      The webhook <Thing notice={notice} /> is failing{afterFailure(notice)}.
    </>
  ),
  hook_failing: (notice) => (
    <>
      The synchronous hook of <Thing notice={notice} /> is failing{afterFailure(notice)}.{' '}
      {notice.on_failure === 'continue' ? 'Sign-ins go on without its claims.' : 'Sign-ins fail.'}
    </>
  ),
  api_key_expires: (notice) => (
    <>
      The API key <Thing notice={notice} /> <Expiry notice={notice} />.
    </>
  ),
  client_secret_expires: (notice) => (
    <>
      The last client secret of <Thing notice={notice} /> <Expiry notice={notice} />.
    </>
  ),
  credential_waits: (notice) => (
    <>
      The credential <Thing notice={notice} />, which came{' '}
      {notice.waits_for === 'key' ? 'from a key without all scopes' : 'by a link'}, waits for an admin key or an owner
      to confirm it.
    </>
  ),
  directory_token_expires: (notice) => (
    <>
      A token of the directory <Thing notice={notice} /> <Expiry notice={notice} />. Without one it switches nobody off.
    </>
  ),
  persons_adopted: (notice) => (
    <>
      The directory <Thing notice={notice} /> has adopted{' '}
      {counted(notice.adopted ?? 0, 'person who was', 'persons who were')} there before: it can change them and switch
      them off.
    </>
  ),
  quota_nearly_full: (notice) => (
    <>
      The quota of <Thing notice={notice} /> is nearly full
      {notice.limit !== undefined && `: ${notice.used?.toLocaleString()} of ${notice.limit.toLocaleString()}`}.
    </>
  ),
}

/** Of a service that is newer than this page. */
const unknown = (notice: Notice) => (
  <>
    {kindOf(notice.kind)}: <Thing notice={notice} />
  </>
)
