export type Role = 'owner' | 'editor' | 'support' | 'reader'

/** What somebody may do who has the role, after "you can" or "they can". */
const roles: Record<Role, string> = {
  owner: 'do everything in its console, as with an admin key',
  editor: 'see everything in its console, and change groups, persons, webhooks, deliveries, events and applications',
  support: 'see everything in its console, send deliveries again, end sessions of persons, and test sign-ins',
  reader: 'see everything in its console, and change nothing',
}

/** A role that this console does not know keeps its word. */
export const roleInWords = (role: string): string =>
  role in roles ? roles[role as Role] : `do what the role ${role} may do`

/** The roles of somebody, at the beginning of a sentence. */
export const inWords = (own: readonly string[]) =>
  own.length === 1
    ? { words: `Your role, ${own[0]},`, isSeveral: false }
    : { words: `Your roles, ${own.join(' and ')},`, isSeveral: true }
