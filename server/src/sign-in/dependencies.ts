import type { Credentials } from '../credentials/index.ts'
import type { Database } from '../database/database.ts'
import type { Publish } from '../events/index.ts'
import type { Hooks } from '../hooks/index.ts'
import type { InteractionCookies } from '../issuer/index.ts'
import type { Tiers } from '../organizations/index.ts'
import type { Providers } from '../providers/index.ts'
import type { Clock } from '../runtime/clock.ts'
import type { OnFailpoint } from './steps.ts'

/** What the steps of a sign-in stand on. */
export type Dependencies = {
  database: Database
  clock: Clock
  publish: Publish
  baseUrl: string
  /** Whether browsers come by https: then cookies go no other way. */
  isSecure: boolean
  interactionCookies: InteractionCookies
  /** Of new persons. */
  region: string
  tiers: Tiers
  providers: Providers
  credentials: Credentials
  runTokenMinted: Hooks['runTokenMinted']
  /** From the authorize request, or the page, until the provider sends the browser back. */
  flowMs: number
  /** Told how each sign-in ended: `succeeded`, the word of its failure, or `abandoned` before it had begun. */
  onOutcome: (outcome: string) => void
  onFailpoint: OnFailpoint
  log: Log
}

/** The service's own. */
type Log = { info(fields: object, message: string): void; error(fields: object, message: string): void }
