const { env } = process

/** What an application is told of Signet, and of itself; from its environment, as each would have it from a file. */
export const issuer = env.ISSUER ?? ''
export const clientId = env.CLIENT_ID ?? ''
export const clientSecret = env.CLIENT_SECRET ?? ''
/** Where its users find it. */
export const url = env.APPLICATION_URL ?? ''

export const redirectUri = `${url}/callback`
export const scopes = ['openid', 'profile', 'email', 'offline_access']
export const scope = scopes.join(' ')
