import type { FoundToken } from '../token-store.ts'

/** The scope of tokens that outlive the session. */
export const offlineAccess = 'offline_access'

/** Claims by the scope that requests them (OpenID Connect Core, 5.4). */
export const claimsByScope = {
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  profile: ['name', 'given_name', 'family_name', 'preferred_username', 'picture', 'locale', 'updated_at'],
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
  { groups, handles, doubtfulEmails, identity, directoryProfile, authenticatedMethods, region }: FoundToken,
) => ({
  org_id: organizationId,
  ...(hasGroups && groupsClaim(groups)),
  authenticated_methods: authenticatedMethods,
  region,
  ...emailClaims(handles, doubtfulEmails, identity),
  ...phoneClaims(handles),
  ...profileClaims(identity, directoryProfile),
})

/** What the provider of this sign-in does not say, the directory does that keeps the person. */
function profileClaims(identity: FoundToken['identity'], directory: FoundToken['directoryProfile']) {
  if (!identity && !directory) return {}
  const updated_at = Math.max(identity?.updatedAt ?? 0, directory?.updatedAt ?? 0)
  return { ...directory?.profile, ...identity?.profile, updated_at }
}

const groupsClaim = (groups: string[]) =>
  Buffer.byteLength(JSON.stringify(groups)) > maxGroupsBytes ? { groups_truncated: true } : { groups }

/**
 * The address that the provider of this sign-in names, else a handle of the person for which somebody vouches: one whose word counts here,
 * if there is one.
 */
function emailClaims(handles: FoundToken['handles'], doubtfulEmails: string[], identity: FoundToken['identity']) {
  if (identity && identity.email !== null) return { email: identity.email, email_verified: identity.emailVerified }
  const vouched = handles.filter(({ type, verified }) => type === 'EmailAddress' && verified)
  const isCertain = ({ value }: { value: string }) => !doubtfulEmails.includes(value)
  const chosen = vouched.find(isCertain) ?? vouched[0]
  return chosen && { email: chosen.value, email_verified: isCertain(chosen) }
}

/** The first number for which somebody vouches, else the first. */
function phoneClaims(handles: FoundToken['handles']) {
  const numbers = handles.filter(({ type }) => type === 'PhoneNumber')
  const chosen = numbers.find(({ verified }) => verified) ?? numbers[0]
  return chosen && { phone_number: chosen.value, phone_number_verified: chosen.verified }
}
