/**
 * Search: things of an organization by what they are called, or by their id.
 *
 * Owns: GET /organizations/search; no table.
 * Leaves to each slice how its own things are found, by an index; to the scopes of a key what it is shown.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { search } from './search.ts'

export const searchOperations = (dependencies: Parameters<typeof search>[0]): Operation[] => [search(dependencies)]
