import type { AuditEntry } from '@signet/management'

type Thing = { type: AuditEntry['target']['type'] | AuditEntry['actor']['type']; id: string | null }

const pages: Partial<Record<Thing['type'], (id: string) => string>> = {
  api_key: () => '/keys',
  key: () => '/keys',
  console: () => '/keys',
  application: (id) => `/sign-in/applications/${id}`,
  credential_link: () => '/sign-in/links',
  directory: (id) => `/sign-in/directories/${id}`,
  group: (id) => `/groups/${encodeURIComponent(id)}`,
  oidc_credential: (id) => `/sign-in/credentials/${encodeURIComponent(id)}`,
  person: (id) => `/persons/${id}`,
  resource: (id) => `/sign-in/resources/${id}`,
  settings: () => '/settings',
  verification_keys: () => '/keys/verification',
  webhook: (id) => `/webhooks/${id}`,
}

/** The page that shows it, or the list that it is in. It may be gone. */
export const pageOf = ({ type, id }: Thing) => (id === null ? undefined : pages[type]?.(id))
