import type {
  AuthenticationFailedV1,
  AuthenticationSucceededV1,
  NewTrigger,
  PersonActivatedV1,
  PersonCreatedV1,
  PersonDeactivatedV1,
  PersonDeletedV1,
  PersonGroupsChangedV1,
  TokenMinted,
  VirtualPageLoadedV1,
} from '@signet/management'

type TriggerName = NewTrigger['trigger_name']
export type EventName = Exclude<TriggerName, typeof tokenMinted>

export const tokenMinted = 'token_minted'

/** What one trigger is: a sentence, and the content that a receiver gets as `trigger_content`. */
export type TriggerKind<Name extends TriggerName = TriggerName> = { name: Name; sentence: string; example: object }

const metadata = <Name extends EventName>(event_name: Name, source: 1 | 2) => ({
  is_test_event: false,
  event_id: '0199a3f2-5c00-7000-8000-0242ac120003',
  timestamp: '2026-11-25T09:30:00.000000000Z',
  source,
  event_type: event_name.replace('_v1', ''),
  event_name,
  event_version: 1 as const,
  organization_id: '0199a3f2-5c00-7000-8000-0242ac120001',
})
const person = { person_id: '0199a3f2-5c00-7000-8000-0242ac120002', region: 'local' }
const analytics_metadata = {
  analytics_correlation_id: '0199a3f2-5c00-7000-8000-0242ac120004',
  client_ip_address: '192.0.2.1',
}
const browser_metadata = {
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  window_location: 'https://app.example.com/account',
}

const succeeded: AuthenticationSucceededV1 = {
  event_metadata: metadata('AuthenticationSucceeded_v1', 2),
  analytics_metadata,
  browser_metadata,
  ...person,
  success_authn_method: 'oidc',
  authenticated_methods: ['oidc'],
}
const failed: AuthenticationFailedV1 = {
  event_metadata: metadata('AuthenticationFailed_v1', 2),
  analytics_metadata,
  browser_metadata,
  failed_authn_method: 'oidc',
  failure_reason: 'oidc_access_denied',
}
const pageLoaded: VirtualPageLoadedV1 = {
  event_metadata: metadata('VirtualPageLoaded_v1', 2),
  analytics_metadata,
  browser_metadata,
  ...person,
}
const created: PersonCreatedV1 = { event_metadata: metadata('PersonCreated_v1', 1), analytics_metadata, ...person }
const deleted: PersonDeletedV1 = {
  event_metadata: metadata('PersonDeleted_v1', 1),
  ...person,
  handles: [{ type: 0, value: 'jo@example.com' }],
  groups: ['staff'],
}
const deactivated: PersonDeactivatedV1 = {
  event_metadata: metadata('PersonDeactivated_v1', 1),
  analytics_metadata,
  ...person,
  reason: 'console',
}
const activated: PersonActivatedV1 = {
  event_metadata: metadata('PersonActivated_v1', 1),
  analytics_metadata,
  ...person,
  reason: 'console',
}
const groupsChanged: PersonGroupsChangedV1 = {
  event_metadata: metadata('PersonGroupsChanged_v1', 1),
  analytics_metadata,
  ...person,
  added: ['staff'],
  removed: ['guests'],
}
const minted: TokenMinted = {
  aud: '0199a3f2-5c00-7000-8000-0242ac120005',
  sub: person.person_id,
  iss: 'https://id.example.com/oidc/0199a3f2-5c00-7000-8000-0242ac120001',
  region: person.region,
  first_token: true,
  authentications: [
    {
      handle: { type: 'EmailAddress', value: 'jo@example.com' },
      method: 'oidc',
      timestamp: '2026-11-25T09:30:00.000Z',
    },
  ],
  groups_claim_name: 'groups',
  groups: ['staff'],
  request_metadata: {
    client_ip_address: '192.0.2.1',
    user_agent: browser_metadata.user_agent,
    origin: 'https://app.example.com',
  },
}

export const eventKinds: readonly TriggerKind<EventName>[] = [
  { name: 'AuthenticationSucceeded_v1', sentence: 'A person signed in.', example: succeeded },
  {
    name: 'AuthenticationFailed_v1',
    sentence: 'A sign-in failed; the content names the method and the reason.',
    example: failed,
  },
  {
    name: 'VirtualPageLoaded_v1',
    sentence: 'An application showed a page. Anybody can report one, and only the person in it is certain.',
    example: pageLoaded,
  },
  {
    name: 'PersonCreated_v1',
    sentence: 'A person was created, by the interface or by a first sign-in.',
    example: created,
  },
  {
    name: 'PersonDeleted_v1',
    sentence: 'A person was deleted; the content has the handles and groups, which nobody can read any more.',
    example: deleted,
  },
  {
    name: 'PersonDeactivated_v1',
    sentence: 'A person may not sign in any more, and was signed out of everything.',
    example: deactivated,
  },
  { name: 'PersonActivated_v1', sentence: 'A person who was not active may sign in again.', example: activated },
  {
    name: 'PersonGroupsChanged_v1',
    sentence: 'A person joined or left groups; the content names those that changed.',
    example: groupsChanged,
  },
]

export const hookKind: TriggerKind<typeof tokenMinted> = {
  name: tokenMinted,
  sentence: 'Called while a person signs in; the answer can add claims to the token, or refuse the sign-in.',
  example: minted,
}

export const eventNames = eventKinds.map(({ name }) => name)
