import { Type } from 'typebox'
import type { Publish } from '../../delivery/events/index.ts'
import type { Database, Transaction } from '../../ground/database/database.ts'
import { invalidIdToken } from '../../ground/errors.ts'
import { operation, type PageOrigins } from '../../ground/http/chain/operation.ts'
import { closed, named, rule, Uuid } from '../../ground/http/chain/schemas.ts'
import type { CallerLimit } from '../../ground/http/socket/rate-limit.ts'
import type { Issuers } from '../issuer/index.ts'
import { findOrganization, notServed } from '../organizations/index.ts'
import { holdActivePerson } from '../persons/index.ts'
import { type ClientContext, eventName, pageLoaded } from './page-loaded.ts'

const maxLocation = 2_048

type Dependencies = {
  database: Database
  publish: Publish
  readIdToken: Issuers['readIdToken']
  pageOrigins: PageOrigins
  callerLimit: CallerLimit
}

const PageEvent = named(
  'PageEvent',
  closed({
    event_name: Type.Literal(eventName, { ...rule(`must be ${eventName}`), description: 'The name of the event.' }),
    analytics_correlation_id: Type.Optional({
      ...Uuid,
      description: 'The same for everything that one visitor does. Default: that of the request.',
    }),
    window_location: Type.String({
      maxLength: maxLocation,
      ...rule(`must be text of at most ${maxLocation} characters`),
      description: 'The address of the page that is shown.',
      examples: ['https://app.example.com/account'],
    }),
  }),
)

export const publishPageEvent = (dependencies: Dependencies) => {
  const { database, publish, readIdToken, pageOrigins, callerLimit } = dependencies

  const publishOfToken = async (organizationId: string, client: ClientContext, idToken: string) => {
    const personId = await readIdToken(organizationId, idToken)
    if (personId === undefined) throw invalidIdToken()
    await database.transaction((tx) => publishOfPerson(tx, organizationId, client, personId))
  }

  /** A token may outlive its person: no event may name a person who was deleted (PersonDeleted_v1) or deactivated. */
  const publishOfPerson = async (tx: Transaction, organizationId: string, client: ClientContext, personId: string) => {
    const person = await holdActivePerson(tx, organizationId, personId)
    if (!person) throw invalidIdToken()
    const event = pageLoaded(client, { personId, region: person.region })
    await tx.last(() => publish(tx, organizationId, [event]))
  }

  return operation({
    id: 'publishPageEvent',
    method: 'POST',
    path: '/sdk/events',
    access: 'organization',
    tag: 'Events',
    summary: 'Publish a page event',
    description:
      'Called by pages through the browser library; publishes VirtualPageLoaded_v1. No API key is needed. The person is ' +
      'taken from an ID token of the organization, sent as the bearer token; without one the event names nobody. Browsers ' +
      "may call it from the origins of the redirect URIs of the organization's applications. Rate-limited per client " +
      'address and per organization.',
    body: PageEvent,
    status: 202,
    refusals: [401, 403, 429],
    callerLimit,
    pageOrigins,
    takesIdToken: true,
    handle: async ({ organizationId, body, caller, bearer }) => {
      // The checks before let a recently deleted organization pass, whose key set is still served.
      if (!(await findOrganization(database.read, organizationId))) throw await notServed(database.read, organizationId)
      const { analytics_correlation_id: correlationId = caller.correlationId, window_location: windowLocation } = body
      const client = { ...caller, correlationId: correlationId.toLowerCase(), windowLocation }
      if (bearer !== undefined) await publishOfToken(organizationId, client, bearer)
      else await database.statement((tx) => publish(tx, organizationId, [pageLoaded(client)]))
    },
  })
}
