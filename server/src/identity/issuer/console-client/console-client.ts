/** The client by which a person signs in to the console, at every issuer. It is no application: it has no row, and gets no token. */
export const consoleClientId = 'signet-console'

/**
 * What stands for it in columns that are UUIDs, and in what is stored of its codes. No application has it, so a process of an older
 * release finds none by it, and refuses the sign-in.
 */
const storedId = '00000000-0000-0000-0000-000000000000'

export const toStoredClientId = (clientId: string): string => (clientId === consoleClientId ? storedId : clientId)
export const isStoredOfConsole = (clientId: string | null | undefined): boolean => clientId === storedId

/** How old a session of the issuer may be by which a person enters the console, in seconds: 12 hours. */
export const consoleMaxAge = 43_200

export const consoleCallbackOf = (baseUrl: string): string => `${baseUrl}/console/callback`
/** Where a person begins to sign in to the console of an organization; below the base URL. */
export const consolePathOf = (organizationId: string): string => `/console/o/${organizationId}/`

/** The console as a person's pages name it, with the way back to it. */
export const consoleOriginOf = (baseUrl: string, organizationId: string) => ({
  name: 'Signet console',
  homeUrl: baseUrl + consolePathOf(organizationId),
})
