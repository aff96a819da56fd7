import type { Person } from '@signet/management'
import { useQueries } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'
import { type ConsoleAccess, roles, rolesOf } from '../session/roles.ts'

/** So many of each group are shown by name. */
const maxShown = 50

type Members = { persons: Person[]; count: number }

const membersQuery = (group: string) => ({
  queryKey: ['listPersons', 'administrators', group],
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Members> => {
    const { result, meta } = await signet.listPersons({ query: { group, limit: maxShown }, signal })
    return { persons: result, count: meta.pagination.total_count }
  },
})

export type Administrators = {
  persons: Person[]
  /** Groups that have more members than are read. */
  longer: { group: string; more: number }[]
}

/** The members of the groups that may enter, owners first. Undefined: not known yet. */
export function useAdministrators(access: ConsoleAccess, refetchInterval: number | false = false) {
  return useQueries({
    queries: access.map(({ group }) => ({ ...membersQuery(group), refetchInterval })),
    combine: (answers) => ({
      error: answers.find(({ error }) => error)?.error,
      data: answers.every(({ data }) => data)
        ? gathered(
            access,
            answers.map(({ data }) => data as Members),
          )
        : undefined,
    }),
  })
}

function gathered(access: ConsoleAccess, members: Members[]): Administrators {
  const persons = new Map(
    members.flatMap(({ persons }) => persons.map((person) => [person.person_id, person] as const)),
  )
  const rank = ({ groups }: Person) => Math.min(...rolesOf(access, groups).map((role) => roles.indexOf(role)))
  return {
    persons: [...persons.values()].sort((one, other) => rank(one) - rank(other)),
    longer: access.flatMap(({ group }, at) => {
      const { count = 0, persons: read = [] } = members[at] ?? {}
      return count > read.length ? [{ group, more: count - read.length }] : []
    }),
  }
}

/** Those who can sign in. */
export const ownersAmong = (access: ConsoleAccess, { persons }: Administrators) =>
  persons.filter(({ active, groups }) => active && rolesOf(access, groups).includes('owner'))
