import type { Settings } from '@signet/management'

/** The groups whose members may enter the console. */
export type ConsoleAccess = Settings['console_access']
export type Role = ConsoleAccess[number]['role']

/** What somebody may do who has the role, after "you can" or "they can". */
const rolesInWords: Record<Role, string> = {
  owner: 'do everything in its console, as with an admin key',
  editor: 'see everything in its console, and change groups, persons, webhooks, deliveries, events and applications',
  support: 'see everything in its console, resend deliveries, end sessions of persons, and test sign-ins',
  reader: 'see everything in its console, and change nothing',
}

/** A role that this console does not know keeps its word. */
export const roleInWords = (role: string): string =>
  role in rolesInWords ? rolesInWords[role as Role] : `do what the role ${role} may do`

/** The mightiest first. */
export const roles: readonly Role[] = ['owner', 'editor', 'support', 'reader']

export const roleNames: Record<Role, string> = {
  owner: 'Owner',
  editor: 'Editor',
  support: 'Support',
  reader: 'Reader',
}

export const whatRolesDo: Record<Role, string> = {
  owner: 'Does everything, as an admin key does.',
  editor: 'Reads everything; changes groups, persons, webhooks, deliveries, events and applications.',
  support: 'Reads everything; resends deliveries, ends sessions of persons and makes test sign-ins.',
  reader: 'Reads everything and changes nothing.',
}

export const rolesOf = (access: ConsoleAccess, groups: readonly string[]): Role[] =>
  roles.filter((role) => access.some((entry) => entry.role === role && groups.includes(entry.group)))

/** The roles of somebody, at the beginning of a sentence. */
export const inWords = (own: readonly string[]) =>
  own.length === 1
    ? { words: `Your role, ${own[0]},`, isSeveral: false }
    : { words: `Your roles, ${own.join(' and ')},`, isSeveral: true }
