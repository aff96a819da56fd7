import type { VerificationKeyUse } from '@signet/management'
import { Badge } from '../design/badge.tsx'
import { Row } from '../design/page.tsx'
import { ShortText } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import styles from './verdict.module.css'
import { judgeKey } from './verdict-words.ts'

export type Judge = {
  /** The keys of the organization; undefined where they may not be read. */
  keys: readonly VerificationKeyUse[] | undefined
  /** What the webhook calls today, where that is known. */
  targetUrl?: string | undefined
}

type VerdictProps = Judge & {
  /** Of this verdict, for assistive technology. */
  label: string
  jwt: { kid: string; claims: { exp: number; target_url: string } }
}

/** What a receiver would make of a JWT, were it given to it now. */
export function Verdict({ label, jwt: { kid, claims }, keys, targetUrl }: VerdictProps) {
  const isInTime = Date.now() < claims.exp * 1_000
  const key = keys && judgeKey(kid, keys)
  const isAccepted = isInTime && key?.isInSet !== false
  return (
    <section className={styles.verdict} aria-label={label}>
      <Row>
        <strong>Its JWT today</strong>
        <Badge tone={isAccepted ? 'good' : 'neutral'}>{isAccepted ? 'accepted' : 'refused'}</Badge>
      </Row>
      <ul>
        <li>
          {isInTime ? 'It expires' : 'It has expired, and receivers refuse it: its exp was'}{' '}
          <Ago at={new Date(claims.exp * 1_000).toISOString()} />
        </li>
        <li>
          {key ? key.words : 'Whether its key is still in the key set is shown to those who have webhooks:read.'}{' '}
          {key?.at && <Ago at={key.at} />}
        </li>
        <li>
          It is for <ShortText>{claims.target_url}</ShortText>
          {targetUrl && targetUrl !== claims.target_url && ', which is not what the webhook calls today'}, and for no
          other address.
        </li>
      </ul>
    </section>
  )
}
