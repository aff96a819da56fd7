/** What an application may ask for besides who the person is: tokens that outlive the session. */
export const offlineAccess = 'offline_access'

/** Claims by the scope that asks for them (OpenID Connect Core, 5.4). `profile` adds none yet. */
export const claimsByScope = {
  email: ['email', 'email_verified'],
  phone: ['phone_number', 'phone_number_verified'],
  profile: [],
} satisfies Record<string, string[]>

/** All others are ignored, when somebody signs in and at a refresh. */
export const scopes = ['openid', offlineAccess, ...Object.keys(claimsByScope)]

export const hasOfflineAccess = (scope: string | undefined): boolean =>
  scope?.split(' ').includes(offlineAccess) ?? false

/** Undefined where none of it is known, which asks for all that was granted. */
export const knownScope = (scope: string): string | undefined =>
  scope
    .split(' ')
    .filter((each) => scopes.includes(each))
    .join(' ') || undefined
