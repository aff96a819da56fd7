import { allScopes, readScopes, type Scope } from './scopes.ts'

/** What a person is in the console, by the groups that they are in. The strongest comes first. */
export const roles = ['owner', 'editor', 'support', 'reader'] as const
export type Role = (typeof roles)[number]

/** What a person of the role may call: all that the scopes allow, and beside it the operations of these ids. */
type Grant = { scopes: readonly Scope[]; operations?: readonly string[] }

/** `write` reads too. */
const grants: Record<Role, Grant> = {
  owner: { scopes: allScopes },
  editor: {
    scopes: [
      ...readScopes,
      'groups:write',
      'persons:write',
      'webhooks:write',
      'deliveries:write',
      'events:write',
      'applications:write',
    ],
  },
  support: {
    scopes: [...readScopes, 'deliveries:write'],
    operations: ['endPersonSession', 'endPersonSessions', 'createTestSignIn', 'getTestSignIn'],
  },
  reader: { scopes: readScopes },
}

/** Of several roles the union. An owner has later scopes too, as an admin key does. */
export function grantedTo(given: readonly Role[]) {
  const of = given.map((role) => grants[role])
  return {
    roles: roles.filter((role) => given.includes(role)),
    isAdmin: given.includes('owner'),
    scopes: allScopes.filter((scope) => of.some(({ scopes }) => scopes.includes(scope))),
    operations: [...new Set(of.flatMap(({ operations = [] }) => operations))],
  }
}
