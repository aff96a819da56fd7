import type { Found } from '@signet/management'
import type { IconName } from '../design/icon.tsx'
import { groupPath } from '../persons/group-path.ts'
import { providerName } from '../providers/providers.ts'
import { applicationPath, credentialPath, directoryPath, resourcePath } from '../sign-in/paths.ts'

/** A line of the palette. */
export type Command = {
  id: string
  name: string
  path: string
  icon: IconName
  /** Of something that was found: what it is. */
  kind?: string
}

type Kind = { name: string; icon: IconName; path: (found: Found) => string }

const kinds: Record<Found['type'], Kind> = {
  webhook: { name: 'Webhook', icon: 'webhooks', path: ({ id }) => `/webhooks/${id}` },
  group: { name: 'Group', icon: 'groups', path: ({ id }) => groupPath(id) },
  application: { name: 'Application', icon: 'sign-in', path: ({ id }) => applicationPath(id) },
  oidc_credential: { name: 'Credential', icon: 'sign-in', path: ({ id }) => credentialPath(id) },
  directory: { name: 'Directory', icon: 'sign-in', path: ({ id }) => directoryPath(id) },
  resource: { name: 'Resource', icon: 'sign-in', path: ({ id }) => resourcePath(id) },
  api_key: { name: 'API key', icon: 'keys', path: () => '/keys' },
  person: { name: 'Person', icon: 'persons', path: ({ id }) => `/persons/${id}` },
  event: { name: 'Event', icon: 'events', path: ({ id }) => `/events/${id}` },
  delivery: { name: 'Delivery', icon: 'deliveries', path: ({ webhook_id, id }) => `/deliveries/${webhook_id}/${id}` },
}

/** Something that was found, as a line of the palette that leads to its page. */
export function toCommand(found: Found): Command {
  const { name, icon, path } = kinds[found.type]
  return {
    id: [found.type, found.webhook_id, found.id].join(' '),
    name: found.name ?? found.handle ?? found.id,
    kind: [name, detailOf(found)].filter(Boolean).join(', '),
    icon,
    path: path(found),
  }
}

const isHandle = (text: string) => /^[^\s@]+@[^\s@]+\.[^\s@]+$|^\+\d{6,}$/.test(text)

/** Some providers vouch for no address: whoever signs in there, or fails to, is found by what the provider said, and not as its owner. */
export const signInsOf = (typed: string): Command[] =>
  isHandle(typed)
    ? [
        {
          id: 'sign-ins',
          name: typed,
          kind: 'Sign-ins with this handle, which no person has',
          icon: 'sign-in',
          path: `/sign-in/sign-ins?handle=${encodeURIComponent(typed)}`,
        },
      ]
    : []

/** What tells it from others that are called the same. */
function detailOf({ handle, name, provider, identifier, status }: Found) {
  if (handle && handle !== name) return handle
  return provider ? providerName(provider) : (identifier ?? status?.replaceAll('_', ' '))
}
