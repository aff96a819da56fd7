import type { NewEvent } from '../events/index.ts'

/** What a page told, and where it told it from. */
export type Told = { correlationId: string; clientAddress: string; userAgent: string; windowLocation: string }
export type Viewer = { personId: string; region: string }

export const eventName = 'VirtualPageLoaded_v1'

export const pageLoaded = (
  { correlationId, clientAddress, userAgent, windowLocation }: Told,
  viewer?: Viewer,
): NewEvent => ({
  name: eventName,
  content: {
    analytics_metadata: { analytics_correlation_id: correlationId, client_ip_address: clientAddress },
    browser_metadata: { user_agent: userAgent, window_location: windowLocation },
    ...(viewer && { person_id: viewer.personId, region: viewer.region }),
  },
})
