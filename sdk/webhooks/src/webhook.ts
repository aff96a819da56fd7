import type { Events } from './events.ts'
import type { TokenMinted } from './token-minted.ts'

/** The content of each trigger, by name (2.5). */
export type Triggers = Events & { token_minted: TokenMinted }
export type TriggerName = keyof Triggers

/** Claims of every webhook (6.3). */
export type Claims = {
  /** UUID of this attempt. */
  jti: string
  /** The organization's ID. */
  aud: string
  /** ID of the event or of the hook run; the same in every attempt. */
  sub: string
  /** The base URL of the sending Signet. */
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

/** The trigger type of each name. */
export const triggerTypes: { [Name in TriggerName]: WebhookOf<Name>['trigger_type'] } = {
  AuthenticationSucceeded_v1: 'event',
  AuthenticationFailed_v1: 'event',
  VirtualPageLoaded_v1: 'event',
  PersonCreated_v1: 'event',
  PersonDeleted_v1: 'event',
  PersonDeactivated_v1: 'event',
  PersonActivated_v1: 'event',
  PersonGroupsChanged_v1: 'event',
  token_minted: 'sync_hook',
}

/** A verified webhook: `trigger_name` tells which `trigger_content` it has. */
export type Webhook = { [Name in TriggerName]: WebhookOf<Name> }[TriggerName]
