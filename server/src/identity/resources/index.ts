/**
 * Resources: the APIs of an organization, for which its issuer makes access tokens (RFC 8707, RFC 9068).
 *
 * Owns: /organizations/resources and what is below it; the table resources; which identifiers and scopes a resource may have.
 * Leaves to `issuer` the tokens, and what ends when a resource is deleted; to `applications` which of them introspects the
 * tokens of which resource.
 */
import type { Operation } from '../../ground/http/chain/operation.ts'
import { changeResource } from './change-resource.ts'
import { createResource } from './create-resource.ts'
import { deleteResource } from './delete-resource.ts'
import { getResource } from './get-resource.ts'
import { listResources } from './list-resources.ts'

export { brokenIdentifierRule } from './identifier.ts'
export { findResourceByIdentifier, type Resource, searchResources } from './resource-store.ts'

type Dependencies = Parameters<typeof createResource>[0] & Parameters<typeof changeResource>[0]

export const resourcesOperations = (dependencies: Dependencies): Operation[] => [
  createResource(dependencies),
  listResources(dependencies),
  getResource(dependencies),
  changeResource(dependencies),
  deleteResource(dependencies),
]
