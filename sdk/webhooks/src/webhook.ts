import type { Events } from './events.ts'
import type { TokenMinted } from './token-minted.ts'

/** The content of each trigger, by its name (2.5). */
export type Triggers = Events & { token_minted: TokenMinted }
export type TriggerName = keyof Triggers

/** What every webhook says, whatever its trigger (6.3). */
export type Claims = {
  /** UUID of this call; each attempt has its own. */
  jti: string
  /** The organization's ID. */
  aud: string
  /** What is delivered: an event's ID, or that of a run of a hook. The same in every attempt. */
  sub: string
  /** The base URL of the Signet that sent it. */
  iss: string
  /** Seconds since 1970. */
  iat: number
  /** Seconds since 1970: five minutes after `iat`. */
  exp: number
  webhook_id: string
  target_url: string
}

type WebhookOf<Name extends TriggerName> = Claims & {
  trigger_type: Name extends keyof Events ? 'event' : 'sync_hook'
  trigger_name: Name
  trigger_content: Triggers[Name]
}

/** What kind of trigger each name is. */
export const triggerTypes: { [Name in TriggerName]: WebhookOf<Name>['trigger_type'] } = {
  AuthenticationSucceeded_v1: 'event',
  AuthenticationFailed_v1: 'event',
  VirtualPageLoaded_v1: 'event',
  PersonCreated_v1: 'event',
  PersonDeleted_v1: 'event',
  token_minted: 'sync_hook',
}

/** A verified webhook: `trigger_name` tells which `trigger_content` it has. */
export type Webhook = { [Name in TriggerName]: WebhookOf<Name> }[TriggerName]
