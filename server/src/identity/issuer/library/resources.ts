import type { Queries } from '../../../ground/database/database.ts'
import { type Cache, createCache } from '../../../ground/runtime/cache.ts'
import type { Clock } from '../../../ground/runtime/clock.ts'
import { brokenIdentifierRule, findResourceByIdentifier, type Resource } from '../../resources/index.ts'

/** Cached resources of one organization. */
const maxResources = 200

export type Resources = Cache<[identifier: string], Resource>

/** Those of one organization, by their identifiers. */
export const createResources = (queries: Queries, clock: Clock, organizationId: string): Resources =>
  createCache(clock, maxResources, async (identifier) =>
    brokenIdentifierRule(identifier) ? undefined : findResourceByIdentifier(queries, organizationId, identifier),
  )
