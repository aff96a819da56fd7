import type { Publish } from '../../delivery/events/index.ts'
import type { Hooks } from '../../delivery/hooks/index.ts'
import type { Database } from '../../ground/database/database.ts'
import type { Act, RecordChange } from '../../ground/http/chain/recorded-change.ts'
import type { Clock } from '../../ground/runtime/clock.ts'
import type { Tracer } from '../../ground/runtime/tracer.ts'
import type { Credentials } from '../credentials/index.ts'
import type { EndSessions, InteractionCookies } from '../issuer/index.ts'
import type { FindKept, LookOf, OperatorGroup, Tiers } from '../organizations/index.ts'
import type { HandleHashes } from '../persons/index.ts'
import type { Providers } from '../providers/index.ts'
import type { OnFailpoint } from './failpoints.ts'

export type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  /** Writes to the audit log what a sign-in changes beside itself. */
  recordAs: (act: Act) => RecordChange
  findKept: FindKept
  baseUrl: string
  /** Whether browsers use https; then cookies are `Secure`. */
  isSecure: boolean
  interactionCookies: InteractionCookies
  endSessions: EndSessions
  /** The region of new persons. */
  region: string
  tiers: Tiers
  operatorGroup: OperatorGroup | undefined
  lookOf: LookOf
  handleHashes: HandleHashes
  providers: Providers
  credentials: Credentials
  runTokenMinted: Hooks['runTokenMinted']
  /** From the authorize request, or the page, until the provider sends the browser back. */
  flowMs: number
  /** Called once per sign-in with 'succeeded', the code of its failure, or 'abandoned' if it never began. */
  onOutcome: (outcome: string) => void
  onFailpoint: OnFailpoint
  tracer: Tracer
  log: Log
}

/** The log of the service. */
type Log = { info(fields: object, message: string): void; error(fields: object, message: string): void }
