import { useQuery } from '@tanstack/react-query'
import { signet } from '../service/signet.ts'
import type { ConsoleAccess } from './roles.ts'
import { useIsAdmin, useMay } from './session.ts'

export const settingsQuery = {
  queryKey: ['getSettings'],
  queryFn: ({ signal }: { signal: AbortSignal }) => signet.getSettings({ signal }),
}

const none: ConsoleAccess = []

/** The groups whose members may enter the console; none where the caller may not read them. */
export function useConsoleAccess(): ConsoleAccess {
  const mayRead = useMay('settings:read')
  const { data } = useQuery({ ...settingsQuery, enabled: mayRead })
  return data?.result.console_access ?? none
}

/** Why what belongs to a guarded group is not for the caller; undefined: it is, or none of the groups is guarded. */
export function useGuard(groups: readonly string[]): string | undefined {
  const isAdmin = useIsAdmin()
  const guarded = useConsoleAccess().find(({ group }) => groups.includes(group))
  if (isAdmin || !guarded) return undefined
  return `Members of ${guarded.group} may enter this console, so that only owners and admin keys change this.`
}
