import type { Notice } from '@signet/management'

const directoryPath = (id: string) => `/sign-in/directories/${id}`

/** Of each kind the section of the console in which it is dealt with, and the page of the thing. */
const places: Partial<Record<string, { section: string; page: (id: string) => string }>> = {
  webhook_paused: { section: '/webhooks', page: (id) => `/webhooks/${id}` },
  webhook_failing: { section: '/webhooks', page: (id) => `/webhooks/${id}` },
  hook_failing: { section: '/webhooks', page: (id) => `/webhooks/${id}` },
  api_key_expires: { section: '/keys', page: () => '/keys' },
  client_secret_expires: { section: '/sign-in', page: (id) => `/sign-in/applications/${encodeURIComponent(id)}` },
  credential_waits: { section: '/sign-in', page: (id) => `/sign-in/credentials/${encodeURIComponent(id)}` },
  directory_token_expires: { section: '/sign-in', page: directoryPath },
  persons_adopted: { section: '/sign-in', page: directoryPath },
  quota_nearly_full: { section: '/settings', page: () => '/settings' },
}

export const pageOfNotice = ({ kind, target }: Notice) => places[kind]?.page(target.id) ?? '/'

const shownOfKind = 3

/** What is shown at once: of each kind the most urgent ones, so that none hides behind many of another. */
export function firstOfEachKind(notices: readonly Notice[]): Notice[] {
  const shown = new Map<string, number>()
  return notices.filter(({ kind }) => {
    const before = shown.get(kind) ?? 0
    shown.set(kind, before + 1)
    return before < shownOfKind
  })
}

/** How many notices each section has, by its path. */
export function countBySection(notices: readonly Pick<Notice, 'kind'>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { kind } of notices) {
    const section = places[kind]?.section
    if (section) counts.set(section, (counts.get(section) ?? 0) + 1)
  }
  return counts
}
