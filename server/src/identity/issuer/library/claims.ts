import type { FoundToken } from '../token-store.ts'

/** The scope of tokens that outlive the session. */
export const offlineAccess = 'offline_access'

/** Claims by the scope that requests them (OpenID Connect Core, 5.4). `profile` adds none yet. */
export const claimsByScope = {
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  profile: [],
} satisfies Record<string, string[]>

/** Unknown scopes are ignored, at a sign-in and at a refresh. */
export const scopes = ['openid', offlineAccess, ...Object.keys(claimsByScope)]

export const hasOfflineAccess = (scope: string | undefined): boolean =>
  scope?.split(' ').includes(offlineAccess) ?? false

/** Undefined where no scope is known or `granted`: such a refresh requests all that was granted. */
export const knownScope = (scope: string, granted: string[]): string | undefined =>
  scope
    .split(' ')
    .filter((each) => scopes.includes(each) || granted.includes(each))
    .join(' ') || undefined

/** Claims of tokens and user info that need no scope but `openid`; the library adds `sub`. */
export const ownClaims = ['sub', 'org_id', 'groups', 'groups_truncated', 'authenticated_methods', 'region']

/** More groups than this, as JSON, would make tokens that servers refuse to take in a header. */
const maxGroupsBytes = 4_096

/** All claims of a person; the library picks those of the granted scopes. */
export const claimsOf = (
  { organizationId, hasGroups }: { organizationId: string; hasGroups: boolean },
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

/** The first verified handle of the type, or else the first one. */
function handleClaims(handles: FoundToken['handles'], type: string, claim: string) {
  const ofType = handles.filter((handle) => handle.type === type)
  const chosen = ofType.find(({ verified }) => verified) ?? ofType[0]
  return chosen && { [claim]: chosen.value, [`${claim}_verified`]: chosen.verified }
}
