import { analyticsOf, type NewEvent } from '../../delivery/events/index.ts'
import type { Caller } from '../../ground/http/chain/operation.ts'

export type ClientContext = Caller & { windowLocation: string }
type Viewer = { personId: string; region: string }

export const eventName = 'VirtualPageLoaded_v1'

export const pageLoaded = ({ windowLocation, ...caller }: ClientContext, viewer?: Viewer): NewEvent => ({
  name: eventName,
  content: {
    analytics_metadata: analyticsOf(caller),
    browser_metadata: { user_agent: caller.userAgent, window_location: windowLocation },
    ...(viewer && { person_id: viewer.personId, region: viewer.region }),
  },
})
