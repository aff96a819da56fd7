import { analyticsOf, type NewEvent } from '../events/index.ts'
import type { FailureWord, Recognised } from './failure.ts'
import type { Visit } from './visit.ts'

/** All that there is: a person proves to a provider who they are. */
export const method = 'oidc'

export const authenticationSucceeded = (visit: Visit, { personId, region }: Recognised): NewEvent => ({
  name: 'AuthenticationSucceeded_v1',
  content: {
    ...toldOf(visit),
    person_id: personId,
    region,
    success_authn_method: method,
    authenticated_methods: [method],
  },
})

/** From the person's browser, unless the service ended the sign-in by itself (6.1: SDK or Cloud). */
export const authenticationFailed = (visit: Visit, word: FailureWord, recognised?: Recognised): NewEvent => ({
  name: 'AuthenticationFailed_v1',
  source: word === 'flow_expired' ? 'Cloud' : 'SDK',
  content: {
    ...toldOf(visit),
    ...(recognised && { person_id: recognised.personId, region: recognised.region, authenticated_methods: [method] }),
    failed_authn_method: method,
    failure_reason: word,
  },
})

export const personCreated = (visit: Visit, { personId, region }: Recognised): NewEvent => ({
  name: 'PersonCreated_v1',
  content: { analytics_metadata: analyticsOf(visit), person_id: personId, region },
})

const toldOf = (visit: Visit) => ({
  analytics_metadata: analyticsOf(visit),
  browser_metadata: { user_agent: visit.userAgent, window_location: visit.windowLocation },
})
