import { toTimestamp } from '../ground/runtime/clock.ts'
import type { EndSessions } from '../identity/persons/index.ts'
import type { Base } from './base.ts'
import type { Parts } from './parts.ts'

/** Persons know no issuer: how all sessions of one end is handed in. */
export const endSessionsOf =
  ({ clock, endSessions }: Pick<Base & Parts, 'clock' | 'endSessions'>): EndSessions =>
  (tx, organizationId, personId) =>
    endSessions(tx, organizationId, { personId }, toTimestamp(clock.now()))
