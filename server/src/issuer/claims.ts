import type { FoundToken } from './token-store.ts'

/** More groups than this, as JSON, would make tokens that servers refuse to take in a header. */
const maxGroupsBytes = 4_096

/** What tokens and user info say by themselves; `sub` is the library's part. */
export const ownClaims = ['sub', 'org_id', 'groups', 'groups_truncated', 'authenticated_methods', 'region']

export const claimsOf = (organizationId: string, { groups, authenticatedMethods, region }: FoundToken) => ({
  org_id: organizationId,
  ...groupsClaim(groups),
  authenticated_methods: authenticatedMethods,
  region,
})

const groupsClaim = (groups: string[]) =>
  Buffer.byteLength(JSON.stringify(groups)) > maxGroupsBytes ? { groups_truncated: true } : { groups }
