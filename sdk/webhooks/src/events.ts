// Made from proto/events/events.proto by scripts/webhook-types.mjs: do not edit.

/** Where an event was noticed. */
export const EventSource = {
  /** Not set; no event carries it. */
  EventSource_UNSPECIFIED: 0,
  /** The service itself. */
  Cloud: 1,
  /** An application, through the client SDK. */
  SDK: 2,
  /** A gate in front of an application. No event has this source yet. */
  Gate: 3,
} as const
export type EventSource = (typeof EventSource)[keyof typeof EventSource]

/** What kind of address a handle is. */
export const PersonHandleType = {
  /** An e-mail address. */
  EmailAddress: 0,
  /** A telephone number in the E.164 form, `+` first. */
  PhoneNumber: 1,
} as const
export type PersonHandleType = (typeof PersonHandleType)[keyof typeof PersonHandleType]

/** An address by which a person is known. */
export type PersonHandle = {
  /** How `value` is to be read. */
  type: PersonHandleType
  /** The address itself. */
  value: string
}

/** What every event says about itself. */
export type EventMetadata = {
  /** True when the event was asked for through the test-events operation and tells of nothing that happened. */
  is_test_event: boolean
  /** UUID of the event. A delivery repeats it as `sub`, so that a receiver can tell a repeated call from a new event. */
  event_id: string
  /** When it happened: RFC 3339 in UTC with nine decimals. */
  timestamp: string
  /** Where it was noticed. In JSON this is the number. */
  source: EventSource
  /** The kind without version, a name from EventTypes. */
  event_type: string
  /** The name of the message that holds this metadata, version included; triggers use this name. */
  event_name: string
  /** The version at the end of `event_name`. In JSON this is a number, unlike protobuf's usual form for 64 bits. */
  event_version: number
  /** The organization in which it happened. */
  organization_id: string
}

/** Ties an event to the call that caused it. */
export type AnalyticsMetadata = {
  /** UUID shared by all events of one visit or one call; taken from the caller where it gave one. */
  analytics_correlation_id: string
  /** The address the call came from. */
  client_ip_address: string
}

/** What the browser told, of an event that began in one. */
export type BrowserMetadata = {
  /** The browser's `User-Agent` header. */
  user_agent: string
  /** The address of the page shown at that moment. */
  window_location: string
}

/** A person signed in. Source: SDK. */
export type AuthenticationSucceeded_v1 = {
  /** What the event says about itself. */
  event_metadata: EventMetadata
  /** The call that finished the sign-in. */
  analytics_metadata: AnalyticsMetadata
  /** The browser in which the person signed in. */
  browser_metadata: BrowserMetadata
  /** Who signed in. */
  person_id: string
  /** The region that holds the person. */
  region: string
  /** The method that completed this sign-in. */
  success_authn_method: string
  /** All methods by which the person is now authenticated, this one among them. */
  authenticated_methods: string[]
}

/** A sign-in ended without success. Source: SDK, or Cloud where no browser took part in its end. */
export type AuthenticationFailed_v1 = {
  /** What the event says about itself. */
  event_metadata: EventMetadata
  /** The call in which the sign-in failed. */
  analytics_metadata: AnalyticsMetadata
  /** The browser in which it was tried. Present only when the source is SDK. */
  browser_metadata?: BrowserMetadata
  /** Who tried. Present only when the person was already authenticated before. */
  person_id?: string
  /** The region that holds the person. Present only when the person was already authenticated before. */
  region?: string
  /** The methods that had succeeded before. In JSON present only when the person was already authenticated before. */
  authenticated_methods?: string[]
  /** The method that failed. */
  failed_authn_method: string
  /** Why it failed, as a fixed word. */
  failure_reason: string
}

/** An application showed another page without loading a document. Source: SDK. */
export type VirtualPageLoaded_v1 = {
  /** What the event says about itself. */
  event_metadata: EventMetadata
  /** The call that reported the page. */
  analytics_metadata: AnalyticsMetadata
  /** The browser and the page it showed. */
  browser_metadata: BrowserMetadata
  /** Who looked at it. Present only when the person was authenticated. */
  person_id?: string
  /** The region that holds the person. Present only when the person was authenticated. */
  region?: string
}

/** A person was added to the organization. Source: Cloud. */
export type PersonCreated_v1 = {
  /** What the event says about itself. */
  event_metadata: EventMetadata
  /** The call that created the person. */
  analytics_metadata: AnalyticsMetadata
  /** The new person. */
  person_id: string
  /** The region that holds the person. */
  region: string
}

/** A person was removed from the organization. Source: Cloud. */
export type PersonDeleted_v1 = {
  /** What the event says about itself. */
  event_metadata: EventMetadata
  /** Who was removed. */
  person_id: string
  /** The region that held the person. */
  region: string
  /** The handles the person had at the end. */
  handles: PersonHandle[]
  /** The names of the groups the person was in at the end. */
  groups: string[]
}

/** A person may not sign in any more, and was signed out of everything. Source: Cloud. A person who was created so has none. */
export type PersonDeactivated_v1 = {
  /** What the event says about itself. */
  event_metadata: EventMetadata
  /** The call that deactivated the person. */
  analytics_metadata: AnalyticsMetadata
  /** Who may not sign in. */
  person_id: string
  /** The region that holds the person. */
  region: string
  /** By which way, as a fixed word: api, console or directory. */
  reason: string
}

/** A person who was not active may sign in again. Source: Cloud. */
export type PersonActivated_v1 = {
  /** What the event says about itself. */
  event_metadata: EventMetadata
  /** The call that activated the person. */
  analytics_metadata: AnalyticsMetadata
  /** Who may sign in. */
  person_id: string
  /** The region that holds the person. */
  region: string
  /** By which way, as a fixed word: api, console or directory. */
  reason: string
}

/**
 * A person joined or left groups. Source: Cloud. One for each person and request. A person who was created with groups has none, nor is
 * there any for the members of a group that was deleted.
 */
export type PersonGroupsChanged_v1 = {
  /** What the event says about itself. */
  event_metadata: EventMetadata
  /** The call that changed the groups. */
  analytics_metadata: AnalyticsMetadata
  /** Whose groups changed. */
  person_id: string
  /** The region that holds the person. */
  region: string
  /** The names of the groups that the person joined. */
  added: string[]
  /** The names of the groups that the person left. */
  removed: string[]
}

/** The content of each event, by its name. */
export type Events = {
  AuthenticationSucceeded_v1: AuthenticationSucceeded_v1
  AuthenticationFailed_v1: AuthenticationFailed_v1
  VirtualPageLoaded_v1: VirtualPageLoaded_v1
  PersonCreated_v1: PersonCreated_v1
  PersonDeleted_v1: PersonDeleted_v1
  PersonDeactivated_v1: PersonDeactivated_v1
  PersonActivated_v1: PersonActivated_v1
  PersonGroupsChanged_v1: PersonGroupsChanged_v1
}
