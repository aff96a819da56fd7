import type { Walk } from '../../../delivery/feed/index.ts'
import { type Fragment, fragment } from '../../../ground/database/sql.ts'
import { failureCodes, succeeded } from '../authentication-events.ts'

export type Filters = {
  personId: string | undefined
  status: 'succeeded' | 'failed' | undefined
  reason: string | undefined
  /** Of a handle, under each master key. */
  hashes: string[] | undefined
  clientAddress: string | undefined
}

export const signInColumns = fragment`
  , outcome, person_id, provider, credential_id, client_id, client_ip_address, handle_type, handle_hash, handle_value, handle_verified`

/**
 * The index that leaves the fewest, and what it does not answer. A person's own comes first: of an address or a handle anybody who likes
 * can make many. 'none': two filters exclude each other.
 */
export function wantedOf(filters: Filters): { walk: Walk; matching: Fragment | undefined } | 'none' {
  const outcomes = outcomesOf(filters)
  if (outcomes.length === 0) return 'none'
  const { personId, hashes, clientAddress } = filters
  const parts = {
    outcome: outcomes.length <= failureCodes.length ? fragment`and outcome = any(${outcomes}::text[])` : undefined,
    hash: hashes && fragment`and handle_hash = any(${hashes}::text[])`,
    address: clientAddress === undefined ? undefined : fragment`and client_ip_address = ${clientAddress}`,
  }
  if (personId !== undefined) {
    // By its name an event says whether it succeeded.
    const outcome = filters.reason === undefined ? undefined : parts.outcome
    const equal = fragment`and person_id = ${personId}`
    return {
      walk: { equal, column: fragment`name`, values: namesOf(filters) },
      matching: all(outcome, parts.hash, parts.address),
    }
  }
  if (hashes) return { walk: walkOf(fragment`handle_hash`, hashes), matching: all(parts.outcome, parts.address) }
  if (clientAddress !== undefined)
    return { walk: walkOf(fragment`client_ip_address`, [clientAddress]), matching: all(parts.outcome) }
  return { walk: walkOf(fragment`outcome`, outcomes), matching: undefined }
}

function outcomesOf({ status, reason }: Filters): readonly string[] {
  if (reason !== undefined) return status === 'succeeded' ? [] : [reason]
  if (status === undefined) return [succeeded, ...failureCodes]
  return status === 'succeeded' ? [succeeded] : failureCodes
}

function namesOf({ status, reason }: Filters): string[] {
  if (status === 'succeeded') return ['AuthenticationSucceeded_v1']
  if (status === 'failed' || reason !== undefined) return ['AuthenticationFailed_v1']
  return ['AuthenticationSucceeded_v1', 'AuthenticationFailed_v1']
}

const walkOf = (column: Fragment, values: readonly string[]): Walk => ({ equal: fragment``, column, values })

function all(...parts: (Fragment | undefined)[]): Fragment | undefined {
  const given = parts.filter((part) => part !== undefined)
  return given.length === 0 ? undefined : given.reduce((one, other) => fragment`${one} ${other}`)
}
