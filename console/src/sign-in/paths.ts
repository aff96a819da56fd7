/** A client ID may contain anything that a path may not. */
export const credentialPath = (clientId: string) => `/sign-in/credentials/${encodeURIComponent(clientId)}`

export const applicationPath = (clientId: string) => `/sign-in/applications/${encodeURIComponent(clientId)}`

export const logoutPath = (clientId: string, deliveryId: string) => `${applicationPath(clientId)}/logouts/${deliveryId}`

export const resourcePath = (id: string) => `/sign-in/resources/${encodeURIComponent(id)}`

export const directoryPath = (id: string) => `/sign-in/directories/${encodeURIComponent(id)}`
