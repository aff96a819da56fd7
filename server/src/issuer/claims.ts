import type { FoundToken } from './token-store.ts'

/** More groups than this, as JSON, would make tokens that servers refuse to take in a header. */
const maxGroupsBytes = 4_096

/** What tokens and user info say by themselves; `sub` is the library's part. */
export const ownClaims = ['sub', 'org_id', 'groups', 'groups_truncated', 'authenticated_methods', 'region']

type Told = { organizationId: string; hasGroups: boolean }

/** The library picks from them what the scopes ask for. */
export const claimsOf = (
  { organizationId, hasGroups }: Told,
  { groups, handles, authenticatedMethods, region }: FoundToken,
) => ({
  org_id: organizationId,
  ...(hasGroups && groupsClaim(groups)),
  authenticated_methods: authenticatedMethods,
  region,
  ...handleClaims(handles, 'EmailAddress', 'email'),
  ...handleClaims(handles, 'PhoneNumber', 'phone_number'),
})

const groupsClaim = (groups: string[]) =>
  Buffer.byteLength(JSON.stringify(groups)) > maxGroupsBytes ? { groups_truncated: true } : { groups }

/** A verified handle first; of several, the one that came first. */
function handleClaims(handles: FoundToken['handles'], type: string, claim: string) {
  const ofType = handles.filter((handle) => handle.type === type)
  const told = ofType.find(({ verified }) => verified) ?? ofType[0]
  return told && { [claim]: told.value, [`${claim}_verified`]: told.verified }
}
