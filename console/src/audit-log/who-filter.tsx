import { useQuery } from '@tanstack/react-query'
import { type OptionGroup, SelectFilter } from '../design/filters.tsx'
import { signet } from '../service/signet.ts'
import { useMay } from '../session/session.ts'

const kinds = [
  ['person', 'Any administrator'],
  ['key', 'Any API key'],
  ['console', 'Any API key, by the console'],
  ['operator', 'The operator'],
  ['link', 'Links for customers'],
  ['directory', 'Any directory'],
] as const

/** Of one list: an organization has few keys and administrators. */
const most = 100

/** Chosen by name among those who there are; one whom the address names is among them, whoever it is. */
export function WhoFilter({ chosen }: { chosen: readonly [string, string] | undefined }) {
  const groups = [...group('Administrators', useAdministrators()), ...group('API keys', useKeys())]
  const isListed = !chosen || [kinds, ...groups.map(([, options]) => options)].flat().some(([id]) => id === chosen[0])
  return (
    <SelectFilter
      name="actor"
      label="Changed by"
      options={isListed || !chosen ? kinds : [...kinds, chosen]}
      groups={groups}
    />
  )
}

const group = (name: string, options: OptionGroup[1]): OptionGroup[] => (options.length > 0 ? [[name, options]] : [])

function useKeys(): [string, string][] {
  const { data } = useQuery({
    queryKey: ['listApiKeys', 'who'],
    queryFn: ({ signal }) => signet.listApiKeys({ query: { limit: most }, signal }),
    enabled: useMay('api-keys:read'),
  })
  return (data?.result ?? []).map(({ id, name }) => [id, name ?? `Unnamed key …${id.slice(-6)}`])
}

/** Persons in a group that may enter the console. */
function useAdministrators(): [string, string][] {
  const mayRead = [useMay('settings:read'), useMay('persons:read')]
  const { data } = useQuery({
    queryKey: ['administrators'],
    queryFn: async ({ signal }) => {
      const { result } = await signet.getSettings({ signal })
      const lists = result.console_access.map(({ group }) =>
        signet.listPersons({ query: { group, limit: most }, signal }),
      )
      return (await Promise.all(lists)).flatMap((list) => list.result)
    },
    enabled: mayRead.every(Boolean),
  })
  const names = (data ?? []).map(({ person_id: id, handles: [first] }) => [
    id,
    first?.value ?? `Person …${id.slice(-6)}`,
  ])
  return [...new Map(names as [string, string][])]
}
